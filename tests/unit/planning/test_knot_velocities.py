"""The equations of the knots: their derivative, and what holds where they are solved."""

from __future__ import annotations

import numpy as np
import pytest

from polhode.planning.charts import CHARTS
from polhode.planning.knot_velocities import KnotEquations, banded, knot_velocities

RNG = np.random.default_rng(0)
H = RNG.uniform(0.5, 2, 6)
C = RNG.uniform(-0.2, 0.2, (6, 3))


@pytest.mark.parametrize("held", [(False, False), (True, False), (True, True)])
@pytest.mark.parametrize("name", sorted(CHARTS))
def test_the_step_is_newtons(name, held):
    equations = KnotEquations(CHARTS[name], H, -C, C, held)
    w = RNG.normal(size=(7, 3))
    left = RNG.normal(size=(7, 3))
    left[[k for k, given in zip((0, -1), held, strict=True) if given]] = 0
    step = equations.step(w, left)
    assert step is not None
    assert np.allclose(equations.residual(w + 1e-30j * step).imag / 1e-30, -left, atol=1e-11)


def test_given_ends_stay():
    equations = KnotEquations(CHARTS["half"], H, -C, C, (True, True))
    guess = RNG.normal(size=(7, 3))
    found = knot_velocities(equations, guess)
    assert found is not None
    assert (found[[0, -1]] == guess[[0, -1]]).all()
    assert np.abs(equations.residual(found)).max() < 1e-12


def test_bands_hold_the_blocks():
    before, own, after = (RNG.normal(size=(count, 3, 3)) for count in (3, 4, 3))
    full = np.zeros((12, 12))
    for k in range(4):
        full[3 * k : 3 * k + 3, 3 * k : 3 * k + 3] = own[k]
    for k in range(3):
        full[3 * k + 3 : 3 * k + 6, 3 * k : 3 * k + 3] = before[k]
        full[3 * k : 3 * k + 3, 3 * k + 3 : 3 * k + 6] = after[k]
    rows = banded(before, own, after)
    for i in range(12):
        for j in range(12):
            if abs(i - j) <= 5:
                assert rows[5 + i - j, j] == full[i, j]
