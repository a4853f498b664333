"""Margins with which forces in their cones hold, in closed form."""

import numpy as np
import pytest
from scipy.linalg import block_diag

from polhode.ode.unilateral.feasibility import CLEAR
from polhode.ode.unilateral.forces import Cone, holding_margin


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("tangent", [0.6, 0.6 + 3e-13, 0.6 - 3e-13, 0.7, 0.5])
@pytest.mark.parametrize("others", [2, 4])
def test_the_margin_is_that_of_the_cone_nearest_to_its_edge(tangent: float, others: int) -> None:
    """μ λ_N - |λ_T| of the one whose forces are unique, however the others share theirs."""
    matrix = block_diag(np.eye(2), np.ones((others, others)))
    cones = [Cone(0, (1,), 0.6), *(Cone(2 + k, (), 0.0) for k in range(others))]
    free = np.array([-1.0, tangent, *[-1.0] * others])
    expected = min(max(0.6 - tangent, -CLEAR), CLEAR)  # beyond these it need not be known
    assert holding_margin(matrix, free, cones) == pytest.approx(expected, abs=1e-12, rel=0.1)
