"""Rates of vector-parameters from angular velocities."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import polhode as ph


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
