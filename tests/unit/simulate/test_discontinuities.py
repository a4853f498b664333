"""Kinks of abs, min and max are located where they make a step fail, counted, and alike in batches."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph


@pytest.fixture(scope="module")
def slider() -> ph.Equations:
    """A mass on a one-sided spring, with a bounded force and quadratic drag."""
    s = ph.System("slider")
    k = s.parameter("k", 50)
    j = s.joint("x", s.ground, s.body("mass", 1), ph.Prismatic("x"), speeds=["v"])
    x, v = j.q[0], j.u[0]
    s.joint_force(j, -k * ph.maximum(x, 0) - ph.minimum(20 * x, 3) - abs(v) * v / 10)
    return s.derive()


@pytest.mark.parametrize("method", ["DOP853", "Radau"])
def test_kinks_are_counted_and_a_member_has_the_bits_that_it_has_alone(slider: ph.Equations, method: str) -> None:
    starts = np.linspace(0.1, 1, 20)
    batch = slider.simulate(3, start={"x": starts}, samples=31, method=method)
    alone = slider.simulate(3, start={"x": starts[7]}, samples=31, method=method)
    assert alone.info["kinks"] > 3
    np.testing.assert_array_equal(alone.x, batch[7].x)
    exact = slider.simulate(3, start={"x": starts[7]}, samples=31, method=method, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(alone.x, exact.x, atol=1e-7)
