"""Linear equations that errors are to obey along a closed loop, and whether they do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ..expr import Expr, is_zero, topological
from ..expr.spelling import latex_name
from ..expr.typeset import Typeset

#: Errors with more nodes than these together are not written.
_SHORT = 200


@dataclass(frozen=True, eq=False, repr=False)
class ErrorDynamics(Typeset):
    r"""Linear equations that errors obey along the closed loop: `residuals` vanish where it is so.

    `formula` says the equation in text and in LaTeX; `conditions` say where the law does not hold.

    >>> import polhode as ph
    >>> s = ph.System("slider")
    >>> _ = s.joint("x", s.ground, s.body("block", s.parameter("m", 2)), ph.Prismatic("x"))
    >>> made = ph.control.ComputedTorque(s.derive(), kp=9, kd=6).error_dynamics
    >>> made
    ErrorDynamics(e'' + Kd e' + Kp e = 0: proved, for all values of parameters and states)
    >>> made.proved, made.residuals, made.latex()
    (True, (0,), '\\ddot{e} + K_d \\dot{e} + K_p e = 0')
    """

    errors: Mapping[str, Expr]
    residuals: tuple[Expr, ...]
    formula: tuple[str, str]
    conditions: tuple[str, ...] = ()

    @property
    def proved(self) -> bool:
        """Whether the errors obey the equation identically, by fingerprint."""
        return all(is_zero(each) for each in self.residuals)

    @property
    def _verdict(self) -> str:
        return "proved, for all values of parameters and states" if self.proved else "not so: something is left over"

    def __str__(self) -> str:
        return "\n".join([f"{self.formula[0]}: {self._verdict}", *(f"not where {each}" for each in self.conditions)])

    def __repr__(self) -> str:
        return f"ErrorDynamics({self.formula[0]}: {self._verdict})"

    def latex(self) -> str:
        """The equation in LaTeX."""
        return self.formula[1]

    def _formulas(self) -> list[tuple[str, Expr]]:
        return [(f"e_{{{latex_name(name)}}}", error) for name, error in self.errors.items()]

    def _sentences(self) -> list[str]:
        return [f"{self._verdict[0].upper()}{self._verdict[1:]}.", *(f"Not where {each}." for each in self.conditions)]

    def _text(self) -> str:
        return str(self)

    def _repr_latex_(self) -> str:
        from ..expr import latex
        from ..expr.latex_display import typeset

        is_short = len(topological([*self.errors.values()])) <= _SHORT
        errors = [(head, latex(error)) for head, error in self._formulas()] if is_short else []
        return typeset([*errors, ("", self.formula[1])], self._sentences())
