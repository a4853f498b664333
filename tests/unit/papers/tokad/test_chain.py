"""Speeds of least squares."""

from __future__ import annotations

import numpy as np
import pytest

from polhode.errors import ShapeError
from polhode.papers.tokad.chain import least_speeds


def test_least_speeds_are_shortest_or_nearest() -> None:
    rng = np.random.default_rng(1)
    J, x = rng.normal(size=(3, 7)), rng.normal(size=3)
    u = least_speeds(J, x)
    assert np.allclose(J @ u, x)
    null = np.linalg.svd(J)[2][3:]  # motions of the joints that leave the port at rest
    assert np.allclose(null @ u, 0)
    J = np.array([[1.0, 0], [0, 0], [0, 2]])
    assert least_speeds(J, [3, 5, 4]) == pytest.approx([3, 2])
    with pytest.raises(ShapeError, match="does not give"):
        least_speeds(J, [1, 2])
