"""A gait: what it plans joins without jumps, and feet touch down at rest."""

from typing import Any

import numpy as np
import pytest
from tests.refusals import refused

from polhode import Expr
from polhode.expr import evaluate, symbol, symbols
from polhode.papers.mladenova.biped import Gait, biped, two_bars

t = symbol("t", "time")
GAIT = Gait(length=0.4, height=0.8, clearance=0.05, single=0.5, double=0.15, ahead=-0.02)


def jet(motion: Expr, time: float) -> list[float]:
    """Value, velocity and acceleration."""
    rate = motion.diff(t)
    return evaluate([motion, rate, rate.diff(t)], {t: time})


def test_hips_and_feet_pass_without_jumps() -> None:
    one, both = GAIT.hip_in_single_support(t), GAIT.hip_in_double_support(t)
    assert jet(both, GAIT.double) == pytest.approx(jet(one, 0.0))
    end, begin = jet(one, GAIT.single), jet(both, 0.0)
    assert begin == pytest.approx([end[0] - GAIT.length, *end[1:]])  # x counts from the foot that came down
    x, z = GAIT.swinging_foot(t)
    for time, place in ((0.0, -GAIT.length), (GAIT.single, GAIT.length)):
        assert jet(x, time) == pytest.approx([place, 0, 0], abs=1e-12)
        assert jet(z, time) == pytest.approx([0, 0, 0], abs=1e-12)
    assert evaluate([x, z], {t: GAIT.single / 2}) == pytest.approx([0, GAIT.clearance])


@pytest.mark.parametrize(("name", "value"), [("length", 0), ("single", -0.5), ("height", float("nan")), ("rate", 0)])
def test_a_gait_without_size_or_time_is_refused(name: str, value: float) -> None:
    given: dict[str, Any] = {"length": 0.4, "height": 0.8, "clearance": 0.05, "single": 0.5, "double": 0.15}
    refused(f"gait {name}: .* is not a positive number", lambda: Gait(**(given | {name: value})), code="E-CALL-NUMBER")


def test_bars_reach_and_wrong_lengths_are_refused() -> None:
    refused("gait length", lambda: Gait("long", 0.8, 0.05, 0.5, 0.15))  # type: ignore[arg-type]
    assert two_bars(0, -1, 0.4, 0.6)[1] == 0


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
    refused(rf"do not reach \(0, {z:.4g}\)", lambda: two_bars(0, z, *bars))


@pytest.mark.parametrize("stands", [None, 1])
def test_feet_that_are_no_list_are_refused(stands: Any) -> None:
    refused("biped stands: .* is not the numbers of feet", lambda: biped(stands))
