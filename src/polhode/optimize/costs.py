"""What a motion costs: the integrand as it is given, by a word, an expression, or several of them with weights."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..errors import PolhodeError, shown, understood
from ..expr import Expr, as_expr, free_symbols, substitute
from ..simulate.trajectory.values import substitutions_of

if TYPE_CHECKING:
    from ..dynamics.equations import EquationsOfMotion

_CURE = 'Give "effort" for Σ c², "time", an expression, or {"effort": 1, expression: 0.1}.'


def integrand_of(given: Any, controls: Mapping[str, Expr]) -> Expr:
    """The running cost.

    >>> from polhode.expr import symbol
    >>> integrand_of({"effort": 2, "time": 1}, {"F": symbol("F")})
    1 + 2*F**2
    """
    if isinstance(given, Mapping):
        if not given:
            raise PolhodeError("there is nothing to make least.", place="cost", cure=_CURE, code="E-OPTIM-013")
        total = as_expr(0)
        for key, weight in given.items():
            with understood("a weight", weight, place=f"cost {shown(key)}"):
                total = total + as_expr(weight) * integrand_of(key, controls)
        return total
    if isinstance(given, str) and given == "effort":
        return sum((c * c for c in controls.values()), start=as_expr(0))
    if isinstance(given, str) and given == "time":
        return as_expr(1)
    if isinstance(given, str):
        raise PolhodeError(f"there is no cost {shown(given)}.", place="cost", cure=_CURE, code="E-OPTIM-006")
    with understood("a cost", given, place="cost", cure=_CURE):
        return as_expr(given)


def known_expressions(
    equations: EquationsOfMotion, given: list[Expr], place: str, *, at_end: bool = False
) -> list[Expr]:
    """Expressions in the variables of a point; refused where something else is in them."""
    made = substitute(given, substitutions_of(equations))
    system = equations.system
    acting = [*equations.tau, *(each.symbol for each in system.inputs.values())]
    known = {*equations.q, *equations.u, *equations.z, system.time}
    known |= {each.symbol for each in system.parameters.values()}
    if not at_end:
        known |= {*acting, *equations.udot}
    for strange in (met for met in free_symbols(made) if met not in known):
        raise PolhodeError(
            f"the {strange.data[0]} '{strange.name}' is not known {'at the end' if at_end else 'along the motion'}.",
            place=place,
            cure="Use coordinates, speeds, states, parameters and time"
            + ("." if at_end else ", accelerations, efforts and inputs of this system."),
            code="E-OPTIM-007",
        )
    return made
