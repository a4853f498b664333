"""Dry friction in a joint: it sticks below a static bound, and slips against a kinetic one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...expr import Expr
from .protocol import Moving, given
from .unilateral import Group, UnilateralElement


@dataclass(frozen=True, kw_only=True)
class DryFriction(UnilateralElement):
    """Dry friction along a speed of a joint, in N or N·m; `stribeck` is the speed at which it falls from static to
    kinetic.
    """

    kind = "friction"
    table = "friction"
    alone = True

    joint: str = given("joint")
    index: int = given("count", 0, of="speed")
    coulomb: Expr = given("number", unit="N or N·m")
    static: Expr | None = given("number", None, unit="N or N·m")
    stribeck: Expr = given("number", 0, unit="m/s or rad/s")

    def groups(self, moving: Moving) -> Sequence[Group]:
        _, u = moving.coordinate(self.joint, self.index)
        static = self.coulomb if self.static is None else self.static
        return [Group("", None, (u,), self.coulomb, static, self.stribeck)]
