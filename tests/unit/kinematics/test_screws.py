"""Screws of a tree, on mechanisms with every kind of joint: driven, coupled, dependent."""

import pytest

import polhode as ph
from polhode.expr import same
from polhode.geometry.dual import real_part


def test_a_driven_joint_is_in_the_velocity_screw_and_not_in_the_jacobian() -> None:
    system = ph.System("turntable")
    table, block = system.body("table", 1, inertia=(1, 1, 1)), system.body("block", 1)
    system.joint("turn", system.ground, table, ph.Revolute("z"))
    system.joint("slide", table, block, ph.Prismatic("x"))
    system.prescribe("turn", 2 * system.time)
    equations = system.derive("screw")
    assert same(real_part(equations.velocity_screw("table")), (0, 0, 2))
    assert not any(map(any, equations.dual_jacobian("table"))) and not any(equations.velocity_screw("ground"))


def test_dependent_speeds_leave_the_columns_of_independent_ones_and_a_frame_has_the_screw_of_its_body() -> None:
    system = ph.System("ladder", gravity=(0, 0, "-9.81"))
    ladder = system.body("ladder", mass=3, inertia=ph.rod(3, 2, "x"))
    system.joint("fall", system.ground, ladder, ph.Planar("y"))
    system.close("wall", system.ground, ladder, ph.Compound(ph.Prismatic("z"), ph.Revolute("y")), at_b=(-1, 0, 0))
    equations = system.derive("screw", constraints="embedded")
    K = equations.dual_jacobian("ladder")
    assert K.shape == (3, len(equations.u)) and len(equations.u) < 3
    assert equations.velocity_screw("ladder") == K @ equations.u
    system = ph.System("arm")
    arm = system.body("arm", 1, inertia=(1, 1, 1))
    system.joint("hinge", system.ground, arm, ph.Revolute("z"))
    system.frame("tip", arm, at=(1, 2, 3))
    equations = system.derive()
    assert equations.dual_jacobian("tip") == equations.dual_jacobian("arm")
    for ask in (equations.dual_jacobian, equations.velocity_screw):
        with pytest.raises(ph.PolhodeError, match="there is no body or frame 'tp'"):
            ask("tp")
