"""Names under which a person can tell an effort, a speed and an acceleration of one joint apart."""

from __future__ import annotations

from collections.abc import Sequence

from .equations import Equations
from .expr import Expr, substitute, symbol
from .expr.latex import latex_name


def shown(equations: Equations, roots: Sequence[Expr]) -> list[Expr]:
    """The expressions with an effort written τ_name, an acceleration name', and a speed named as its coordinate name'.

    >>> import polhode as ph
    >>> s = ph.System("slider")
    >>> _ = s.joint("x", s.ground, s.body("block", 2), ph.Prismatic("x"))
    >>> e = s.derive()
    >>> shown(e, list(e.inverse_dynamics) + list(e.forcing))
    [2*x'', τ_x]
    """
    speeds = dict(zip(equations.u, _speed_names(equations), strict=True))
    names = {u: name for u, name in speeds.items() if name != u.name}
    names |= {ud: f"{name}'" for ud, name in zip(equations.udot, speeds.values(), strict=True)}
    names |= {tau: f"τ_{tau.name}" for tau in equations.tau}
    return substitute(roots, {old: symbol(new, "shown") for old, new in names.items()})


def latex_names(equations: Equations) -> dict[Expr, str]:
    """The same in LaTeX, with dots."""
    names: dict[Expr, str] = {tau: rf"\tau_{{{latex_name(tau.name)}}}" for tau in equations.tau}
    for u, ud in zip(equations.u, equations.udot, strict=True):
        own = latex_name(u.name)
        clash = u.name in equations.coordinates
        names[ud] = rf"\ddot{{{own}}}" if clash else rf"\dot{{{own}}}"
        if clash:
            names[u] = rf"\dot{{{own}}}"
    return names


def _speed_names(equations: Equations) -> list[str]:
    return [f"{name}'" if name in equations.coordinates else name for name in equations.speeds]
