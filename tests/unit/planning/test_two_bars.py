"""Inverse kinematics of two bars."""

from __future__ import annotations

import numpy as np
import pytest

from polhode.errors import PolhodeError
from polhode.expr import evaluate, symbols
from polhode.planning import two_bars


@pytest.mark.parametrize("place", [(0.3, -0.6), (-0.4, -0.5), (0.0, -0.9), (0.5, 0.2), (-0.2, 0.4)])
def test_the_bars_end_where_they_should(place: tuple[float, float]) -> None:
    x, z = symbols("x z")
    thigh, knee = evaluate(list(two_bars(x, z, 0.5, 0.45)), dict(zip((x, z), place, strict=True)))
    shank = thigh + knee
    end = [-0.5 * np.sin(thigh) - 0.45 * np.sin(shank), -0.5 * np.cos(thigh) - 0.45 * np.cos(shank)]
    assert end == pytest.approx(place)
    assert 0 <= knee <= np.pi


@pytest.mark.parametrize(("z", "bars"), [(-2.0, (0.44, 0.44)), (-0.1, (0.5, 0.3))])
def test_numbers_out_of_reach_are_refused(z: float, bars: tuple[float, float]) -> None:
    with pytest.raises(PolhodeError, match=rf"do not reach \(0, {z:.4g}\)"):
        two_bars(0, z, *bars)


def test_straight_bars_just_reach() -> None:
    assert two_bars(0, -1, 0.4, 0.6)[1] == 0
