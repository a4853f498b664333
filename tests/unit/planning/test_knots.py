"""What splines are given, and the sentences for what they cannot use."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import polhode as ph
from polhode.errors import PolhodeError
from polhode.planning.charts import matrices, unit
from polhode.planning.knots import knot_times, place_in, unit_quaternions

HALF_TURN = np.diag([1.0, -1.0, -1.0])


def test_neighbours_are_on_one_side():
    q = unit(np.random.default_rng(1).normal(size=(40, 4)))
    found = unit_quaternions(matrices(q), 40, "x")
    assert (np.sum(found[:-1] * found[1:], axis=1) >= 0).all()


@pytest.mark.parametrize(
    ("R", "sentence"),
    [
        (np.ones((2, 3, 3)), "rotation 0 is given by a matrix that is none"),
        ([np.eye(3), -np.eye(3)], "rotation 1 is given by a matrix that is none.*reflection"),
        ([np.eye(3), HALF_TURN], "orientations 0 and 1 are half a turn apart"),
        (np.eye(3), "not 2 orientations"),
        (np.ones(4), "3×3 components"),
        ("turn", "not numbers"),
        ([np.eye(3), np.full((3, 3), np.nan)], "finite"),
    ],
)
def test_orientations_that_are_none_get_a_sentence(R, sentence):
    with pytest.raises(PolhodeError, match=sentence):
        unit_quaternions(R, 2, "spline")


@pytest.mark.parametrize("t", [[0], [0, 0], [1, 0], [[0, 1]], [0, np.inf], ["a", "b"]])
def test_times_that_do_not_increase_get_a_sentence(t):
    with pytest.raises(PolhodeError, match="times"):
        knot_times(t, "spline")


def test_a_time_belongs_to_the_segment_that_it_begins():
    _, segment = place_in(np.array([0.0, 1, 3]), [0, 0.5, 1, 2, 3], "spline")
    assert segment.tolist() == [0, 0, 1, 1, 1]
    with pytest.raises(PolhodeError, match="outside"):
        place_in(np.array([0.0, 1]), 1.1, "spline")


def test_orientations_are_rotations_of_any_kind_together_or_in_a_list():
    turns = [ph.Rotation.from_euler("zxz", x) for x in ((0, 0, 0), (0.3, 0.2, 0.1))]
    wanted = unit_quaternions([turn.matrix for turn in turns], 2, "x")
    scipy = Rotation.from_matrix([turn.matrix for turn in turns])
    for given in (turns, [turn.exact() for turn in turns], scipy, list(scipy), [turns[0].matrix, turns[1]]):
        assert unit_quaternions(given, 2, "x") == pytest.approx(wanted)
