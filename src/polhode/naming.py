"""Names under which a person can tell an effort, a speed and an acceleration of one joint apart."""

from __future__ import annotations

from collections.abc import Sequence

from .equations import Equations
from .expr import Expr, substitute
from .kinematics.showing import shown_latex, shown_symbols


def shown(equations: Equations, roots: Sequence[Expr]) -> list[Expr]:
    """The expressions with an effort written τ_name, an acceleration name', and a speed named as its coordinate name'.

    >>> import polhode as ph
    >>> s = ph.System("slider")
    >>> _ = s.joint("x", s.ground, s.body("block", 2), ph.Prismatic("x"))
    >>> e = s.derive()
    >>> shown(e, list(e.inverse_dynamics) + list(e.forcing))
    [2*x'', τ_x]
    """
    return substitute(roots, shown_symbols(equations.tree))


def latex_names(equations: Equations) -> dict[Expr, str]:
    """The same in LaTeX, with dots."""
    return shown_latex(equations.tree)
