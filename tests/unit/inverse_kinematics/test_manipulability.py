"""Manipulability against closed formulas, and where a frame has lost a way to move."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from polhode.errors import PolhodeError


def two_links() -> ph.Equations:
    s = ph.System("arm")
    s.joint("q1", s.ground, s.body("upper"), ph.Revolute("z"))
    s.joint("q2", "upper", s.body("fore", 1), ph.Revolute("z"), at=(2, 0, 0))
    s.frame("tip", "fore", (1.5, 0, 0))
    return s.derive()


def test_the_measure_of_two_links_is_the_area_that_they_span() -> None:
    q = np.random.default_rng(0).uniform(-3, 3, (2, 5, 2))
    found = two_links().manipulability("tip", q, of="position")
    assert found.measure == pytest.approx(2 * 1.5 * abs(np.sin(q[..., 1])))
    assert found.singular_values.shape == (2, 5, 2)
    assert found.condition == pytest.approx(found.singular_values[..., 0] / found.singular_values[..., 1])
    assert found.axes.shape == (2, 5, 3, 2)


def test_a_stretched_arm_has_lost_a_way_to_move() -> None:
    found = two_links().manipulability("tip", [0.3, 0.0], of="position")
    assert found.measure == pytest.approx(0, abs=1e-15)
    assert found.condition > 1e15
    assert two_links().manipulability("tip", [0.3, 0.0], of="orientation").measure == pytest.approx(np.sqrt(2))


def test_wrong_questions_are_refused() -> None:
    with pytest.raises(PolhodeError, match="not 2 numbers"):
        two_links().manipulability("tip", [1, 2, 3])
    with pytest.raises(PolhodeError, match="there is no kind of target"):
        two_links().manipulability("tip", [1, 2], of="speed")
    bar = ph.System("bar")
    x = bar.joint("x", bar.ground, bar.body("block", 1), ph.Prismatic("x"))
    bar.constrain(x.q[0] - 1, "stop")
    with pytest.raises(PolhodeError, match="constraints forbid"):
        bar.derive().manipulability("block", [0.0])
