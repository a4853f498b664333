"""Rates of vector-parameters from angular velocities."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import polhode as ph
from polhode.expr import same
from polhode.geometry.dual import real_part


def test_the_jacobian_of_a_quaternion_joint_holds_for_rates_of_the_quaternion() -> None:
    s = ph.System("ball")
    s.joint("socket", s.ground, s.body("ball", 1, (0, 0, 1), (1, 1, 1)), ph.Spherical())
    f = s.derive().compile()
    q = np.array([0.8, 0.2, -0.4, 0.4])
    rate = np.array([0.1, 0.3, 0.2, -0.15])
    rate -= q * (q @ rate)
    J = f.jacobian("ball", q, orientation="vector")
    small = 1e-6
    ahead, back = ((lambda e: e[1:] / e[0])(q + sign * small * rate) for sign in (1, -1))
    assert J.shape == (6, 4)
    assert_allclose(J[:3] @ rate, (ahead - back) / (2 * small), atol=1e-8)


@pytest.mark.parametrize("gap", [1.0, 1e-3, 1e-6, 1e-9, -1e-6])
def test_the_jacobian_keeps_its_digits_up_to_a_half_turn(gap: float) -> None:
    """A turn by π - gap about a skew axis: ċ = n θ̇/(2 cos²(θ/2)); the error is that of the rounded angle."""
    axis = np.array([2, -6, 3]) / 7
    s = ph.System("door")
    s.joint("hinge", s.ground, s.body("leaf", 1, (0, 0, 1), (1, 1, 1)), ph.Revolute((2, -6, 3)))
    q = np.pi - gap
    wanted = axis / (2 * np.cos(q / 2) ** 2)
    J = s.derive().compile().jacobian("leaf", [q], orientation="vector")
    assert_allclose(J[:3, 0], wanted, rtol=1e-14 / abs(gap))


def test_an_orientation_that_is_not_known_is_refused_with_a_sentence() -> None:
    s = ph.System("arm")
    s.joint("hinge", s.ground, s.body("link", 1, (1, 0, 0)), ph.Revolute("z"))
    for wrong in ("euler", 3, ""):
        with pytest.raises(ph.PolhodeError, match="no Jacobian with the orientation as"):
            s.derive().jacobian("link", orientation=wrong)  # type: ignore[arg-type]


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
