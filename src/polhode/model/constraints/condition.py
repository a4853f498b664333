"""A condition on coordinates or speeds: an expression that stays zero.

One that is not linear in the speeds, f(q, u, t) = 0, is kept by forces Aᵀλ with A = ∂f/∂u. That is Chetaev's rule
(N. G. Chetaev, 1932): of the virtual displacements those with A δ = 0 are taken, in which such forces do no work. It is
a rule of how the force acts, and not a consequence of f = 0.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from ...errors import ModelError
from ...expr import Expr, free_symbols
from .protocol import CoordinateConstraint, given


@dataclass(frozen=True, kw_only=True)
class Condition(CoordinateConstraint):
    """What stays zero: an expression of coordinates, or one of coordinates and speeds. It may depend on time."""

    kind = "condition"
    table = "conditions"
    alone = True

    position: Expr | None = given("number", None, free=True)
    speed: Expr | None = given("number", None, free=True)

    @classmethod
    def of(cls, name: str, values: Mapping[str, Any], given: Mapping[str, Any]) -> Self:
        made = cls(name=name, **values)
        levels = [level for level in ("position", "speed") if values.get(level) is not None]
        if len(levels) != 1:
            message = f"a condition has one of position and speed, not {' and '.join(levels) or 'none of them'}."
            cure = "Write for example `position: x**2 + y**2 - l**2`."
            raise ModelError(message, made.place, cure, "E-MODELFILE-TWICE")
        _check_symbols(made)
        return made

    @classmethod
    def place_of(cls, name: object) -> str:
        return f"constraint '{name}'"

    @property
    def positions(self) -> dict[str, Expr]:
        return {} if self.position is None else {"": self.position}

    @property
    def speeds(self) -> dict[str, Expr]:
        return {} if self.speed is None else {"": self.speed}


def _check_symbols(condition: Condition) -> None:
    """Refuse what depends on inputs or efforts."""
    value = [*condition.positions.values(), *condition.speeds.values()]
    allowed = ("coordinate", "parameter", "time", *(("speed",) if condition.speed is not None else ()))
    wrong = [x for x in free_symbols(value) if x.data[0] not in allowed]
    if wrong:
        message = f"it depends on the {wrong[0].data[0]} '{wrong[0].name}'."
        cure = (
            "Use constrain_speed for what depends on speeds."
            if wrong[0].data[0] == "speed"
            else f"Use {', '.join(allowed[:-1])} and {allowed[-1]}."
        )
        raise ModelError(message, condition.place, cure, "E-CONSTRAINT-DEPENDENCE")
