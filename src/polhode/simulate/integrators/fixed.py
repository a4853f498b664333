"""Methods with fixed steps by their names, and the mechanisms that each cannot step."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ...codegen.fixed_steps import METHODS as TABLEAUX
from ...errors import PolhodeError

if TYPE_CHECKING:
    from ...dynamics.equations import EquationsOfMotion


def _never(equations: EquationsOfMotion) -> str:
    return ""


def _with_constraints(equations: EquationsOfMotion) -> str:
    return "" if equations.constraints is None else "it does not keep constraints"


def _with_constraints_or_without_quaternions(equations: EquationsOfMotion) -> str:
    none = "it turns quaternions, of which there are none (without them it is rk4)"
    return _with_constraints(equations) or ("" if equations.quaternions else none)


EXPLICIT = (*TABLEAUX, "semi_implicit_euler")
#: Why each cannot step a mechanism, if there is a reason.
METHODS: dict[str, Callable[[EquationsOfMotion], str]] = {
    **dict.fromkeys(EXPLICIT, _never),
    "gauss4": _with_constraints,
    "gauss6": _with_constraints,
    "lie4": _with_constraints_or_without_quaternions,
    "generalised_alpha": _never,
}


def check_fit(method: str, equations: EquationsOfMotion) -> None:
    """Refuse a method that cannot step a mechanism."""
    from ...constraints import PseudoSpeeds

    reason = METHODS[method](equations) if method in METHODS else ""
    known = equations.dependent_speeds
    if method in METHODS and isinstance(known, PseudoSpeeds) and (known.moving_pivots or method not in EXPLICIT):
        reason = "it is written in pseudo-velocities, which adaptive methods look after"
    cure = "." if method in EXPLICIT else ' or "rk4".'
    if reason:
        raise PolhodeError(
            f"the method {method} is not for system '{equations.system.name}': {reason}.",
            place="method",
            cure=f'Use method="auto"{cure}',
            code="E-SIM-101",
        )
