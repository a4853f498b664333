"""Stops of a joint: a coordinate between two bounds, where it bounces."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...expr import Expr, as_expr
from .protocol import Moving, given
from .unilateral import Group, UnilateralElement


@dataclass(frozen=True, kw_only=True)
class Stop(UnilateralElement):
    """Rigid stops of a coordinate of a joint, below, above or both, with a coefficient of restitution."""

    kind = "stop"
    table = "stops"
    alone = True

    joint: str = given("joint")
    index: int = given("count", 0, of="coordinate")
    lower: Expr | None = given("number", None, unit="m or rad")
    upper: Expr | None = given("number", None, unit="m or rad")
    restitution: Expr = given("number", 0)

    def groups(self, moving: Moving) -> Sequence[Group]:
        q, u = moving.coordinate(self.joint, self.index)
        sides = (("lower", self.lower, 1), ("upper", self.upper, -1))
        return [
            Group(part, as_expr(sign * (q - bound)), (as_expr(sign * u),), restitution=self.restitution)
            for part, bound, sign in sides
            if bound is not None
        ]
