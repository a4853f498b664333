"""Dry friction in a joint: it sticks below a static bound, and slips against a kinetic one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...expr import Expr, as_expr, exp, free_symbols, sign
from .protocol import MovingBodies, given
from .unilateral import Group, UnilateralElement, check_laws

if TYPE_CHECKING:
    from ..forces.protocol import Mechanism, PrimitiveLoad


@dataclass(frozen=True, kw_only=True)
class DryFriction(UnilateralElement):
    """Dry friction along a speed of a joint, in N or N·m; `stribeck` is the speed at which it falls from static to
    kinetic.
    """

    kind = "friction"
    table = "friction"
    alone = True

    joint: str = given("joint")
    index: int = given("count", None, of="speed")
    coulomb: Expr = given("number", unit="N or N·m")
    static: Expr | None = given("number", None, unit="N or N·m")
    stribeck: Expr = given("number", 0, unit="m/s or rad/s")

    def check(self) -> None:
        check_laws(self.place, self.coulomb, self.static, self.stribeck)

    def loads(self, model: Mechanism) -> tuple[PrimitiveLoad, ...]:
        from ..forces.protocol import SpeedForce

        joint, leader = model.joints[self.joint], self.joint
        while leader in model.couplings:
            leader = model.couplings[leader].leader
        driven = [each.joint for each in model.prescribed.values()]
        if not (leader in driven if leader != self.joint else joint.q[self.index].name in model.prescribed):
            return ()
        u, friction = joint.u[self.index], self.coulomb
        if self.static is not None and self.stribeck:
            friction = friction + (self.static - friction) * exp(-(u * u) / (self.stribeck * self.stribeck))
        return (SpeedForce(self.joint, self.index, as_expr(-friction * sign(u))),)

    def groups(self, moving: MovingBodies) -> Sequence[Group]:
        u = moving.speed(self.joint, self.index)
        if not any(x.data[0] == "speed" for x in free_symbols([u])):
            return []  # the motion of the joint is prescribed: a force
        static = self.coulomb if self.static is None else self.static
        return [Group("", None, (u,), self.coulomb, static, self.stribeck)]
