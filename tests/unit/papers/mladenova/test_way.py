"""Ways of lines and arcs: where they lead, and that velocities and accelerations join without jumps."""

import math
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from polhode.errors import PolhodeError
from polhode.expr import evaluate, symbol
from polhode.papers.mladenova.way import Arc, Line, Way

t = symbol("t", "time")
WAY = Way([Line(1.2), Arc(0.6, -math.pi / 3), Arc(0.4, math.pi / 2), Line(-0.5)], speed=0.5)


def test_velocity_and_turning_lead_along_it() -> None:
    v, w = WAY.velocity(t), WAY.turning(t)

    def rates(time: float, pose: np.ndarray) -> list[float]:
        speed, turn = evaluate([v, w], {t: time})
        return [speed * math.cos(pose[2]), speed * math.sin(pose[2]), turn]

    times = np.linspace(0, WAY.duration, 25)
    found = solve_ivp(rates, (0, WAY.duration), np.zeros(3), t_eval=times, rtol=1e-9, atol=1e-10, max_step=0.05)
    assert np.abs(found.y.T - WAY.at(times)).max() < 1e-7


def test_pieces_rest_at_their_ends_and_squares_come_home() -> None:
    for entry in (WAY.velocity(t), WAY.turning(t)):
        for knot in WAY.knots:
            around = evaluate([entry], {t: knot - 1e-6}) + evaluate([entry], {t: knot + 1e-6})
            assert np.abs(around).max() < 1e-9  # of the second order: no velocity, and no acceleration
    assert evaluate([WAY.velocity(t)], {t: WAY.duration + 5}) == [0.0]
    square = Way([Line(1), Arc(0.5, math.pi / 2)] * 4, speed=1)
    assert np.allclose(square.end, [0, 0, 2 * math.pi]) and square.duration == pytest.approx(4 + math.pi)
    assert np.allclose(Way([Line(-2)], speed=1).end, [-2, 0, 0])


@pytest.mark.parametrize(("make", "code"), [
    (lambda: Line(0), "E-PLANNING-NUMBER"), (lambda: Arc(float("nan"), 1), "E-PLANNING-NUMBER"),
    (lambda: Arc(-1, 1), "E-PLANNING-NUMBER"), (lambda: Way([], 1), "E-PLANNING-NUMBER"),
    (lambda: Way([Line(1)], -1), "E-PLANNING-NUMBER"), (lambda: Way([Line(1), 2], 1), "E-PLANNING-TYPE"),
])  # fmt: skip
def test_what_leads_nowhere_is_refused(make: Any, code: str) -> None:
    with pytest.raises(PolhodeError) as caught:
        make()
    assert caught.value.problems[0].code == code
