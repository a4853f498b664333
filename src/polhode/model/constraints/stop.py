"""Stops of a joint: a coordinate between two bounds, where it bounces."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...errors import ModelError
from ...expr import Expr, as_expr, constant_sign, free_symbols
from .protocol import MovingBodies, given
from .unilateral import Group, UnilateralElement, check_laws


@dataclass(frozen=True, kw_only=True)
class Stop(UnilateralElement):
    """Rigid stops of a coordinate of a joint, below, above or both, with a coefficient of restitution."""

    kind = "stop"
    table = "stops"
    alone = True

    joint: str = given("joint")
    index: int = given("count", None, of="coordinate")
    lower: Expr | None = given("number", None, unit="m or rad")
    upper: Expr | None = given("number", None, unit="m or rad")
    restitution: Expr = given("number", 0, unit="1")

    def check(self) -> None:
        check_laws(self.place, restitution=self.restitution)
        check_bounds(self.lower, self.upper, self.place)

    def groups(self, moving: MovingBodies) -> Sequence[Group]:
        q, u = moving.coordinate(self.joint, self.index)
        sides = (("lower", self.lower, 1), ("upper", self.upper, -1))
        return [
            Group(part, as_expr(sign * (q - bound)), (as_expr(sign * u),), restitution=self.restitution)
            for part, bound, sign in sides
            if bound is not None
        ]


def check_bounds(lower: Expr | None, upper: Expr | None, place: str) -> None:
    """Refuse stops without bounds, or with the lower above the upper one."""
    if lower is None and upper is None:
        message = "stops need a lower or an upper bound."
        raise ModelError(message, place, "Give lower=… or upper=…, or limits to the joint.", "E-MODEL-MISSING")
    if lower is not None and upper is not None:
        room = as_expr(upper - lower)
        if not free_symbols([room]) and constant_sign(room) <= 0:
            message = f"the lower stop {lower!r} is not below the upper one {upper!r}."
            raise ModelError(message, place, "Swap them, or weld the joint.", "E-CONSTRAINT-NUMBER")
