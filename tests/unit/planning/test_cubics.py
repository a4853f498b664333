"""Segments: their motion against differences, and what a tiny imaginary part carries along."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from tests.refusals import refused

import polhode as ph
from polhode.planning.charts import CHARTS, matrices, product, unit
from polhode.planning.cubics import (
    KnotEquations,
    banded,
    cubics_through,
    knot_times,
    knot_velocities,
    place_in,
    unit_quaternions,
)

from .random_knots import random_knots

T, R = random_knots(4, 12, 1.5)
Q = unit_quaternions(R, len(T), "test")


def test_velocity_and_acceleration_are_derivatives():
    curve = cubics_through(CHARTS["half"], T, Q, None, None, "test")
    t = np.linspace(T[0] + 0.01, T[-1] - 0.01, 50)
    segment = np.searchsorted(T[1:-1], t, side="right")
    early, now, late = (curve.at(t + s, segment) for s in (-1e-5, 0, 1e-5))
    spin = np.swapaxes(now.R, 1, 2) @ (late.R - early.R) / 2e-5
    assert np.allclose(spin[:, [2, 0, 1], [1, 2, 0]], now.w, atol=1e-7)
    assert np.allclose((late.w - early.w) / 2e-5, now.wdot, atol=1e-6)
    assert np.allclose(now.w_fixed, np.einsum("nij,nj->ni", now.R, now.w))


def test_imaginary_parts_are_derivatives_of_the_whole_curve():
    """Knots that are moved a little move the curve as the imaginary parts say."""
    rng = np.random.default_rng(0)
    way = product(Q, np.concatenate([np.zeros((len(T), 1)), rng.normal(size=(len(T), 3))], axis=1))
    t = np.linspace(T[0], T[-1], 30)
    segment = np.searchsorted(T[1:-1], t, side="right")

    def curve(knots):
        return cubics_through(CHARTS["half"], T, knots, None, None, "test").at(t, segment)

    carried = curve(Q + 1e-40j * way)
    early, late = (curve(unit(Q + s * way)) for s in (-1e-5, 1e-5))
    for name in ("quaternion", "w", "wdot"):
        moved = (getattr(late, name) - getattr(early, name)) / 2e-5
        assert np.allclose(getattr(carried, name).imag / 1e-40, moved, rtol=1e-6, atol=1e-5)


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
    assert step is not None and np.allclose(equations.residual(w + 1e-30j * step).imag / 1e-30, -left, atol=1e-11)


def test_given_ends_stay():
    equations = KnotEquations(CHARTS["half"], H, -C, C, (True, True))
    guess = RNG.normal(size=(7, 3))
    found = knot_velocities(equations, guess)
    assert found is not None and (found[[0, -1]] == guess[[0, -1]]).all()
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


HALF_TURN = np.diag([1.0, -1.0, -1.0])


def test_times_increase_and_belong_to_the_segment_that_they_begin() -> None:
    q = unit(np.random.default_rng(1).normal(size=(40, 4)))
    found = unit_quaternions(matrices(q), 40, "x")
    assert (np.sum(found[:-1] * found[1:], axis=1) >= 0).all()
    _, segment = place_in(np.array([0.0, 1, 3]), [0, 0.5, 1, 2, 3], "spline")
    assert segment.tolist() == [0, 0, 1, 1, 1]
    refused("outside", lambda: place_in(np.array([0.0, 1]), 1.1, "spline"))


@pytest.mark.parametrize(("R", "sentence"), [
    (np.ones((2, 3, 3)), "rotation 0 is given by a matrix that is none"),
    ([np.eye(3), -np.eye(3)], "rotation 1 is given by a matrix that is none.*reflection"),
    ([np.eye(3), HALF_TURN], "orientations 0 and 1 are half a turn apart"), (np.eye(3), "not 2 orientations"),
    (np.ones(4), "3×3 components"), ("turn", "not numbers"), ([np.eye(3), np.full((3, 3), np.nan)], "finite"),
])  # fmt: skip
def test_orientations_that_are_none_get_a_sentence(R, sentence):
    refused(sentence, lambda: unit_quaternions(R, 2, "spline"))


@pytest.mark.parametrize("t", [[0], [0, 0], [1, 0], [[0, 1]], [0, np.inf], ["a", "b"]])
def test_times_that_do_not_increase_get_a_sentence(t):
    refused("times", lambda: knot_times(t, "spline"))


def test_orientations_are_rotations_of_any_kind_together_or_in_a_list():
    turns = [ph.Rotation.from_euler("zxz", x) for x in ((0, 0, 0), (0.3, 0.2, 0.1))]
    wanted = unit_quaternions([turn.matrix for turn in turns], 2, "x")
    scipy = Rotation.from_matrix([turn.matrix for turn in turns])
    for given in (turns, [turn.exact() for turn in turns], scipy, list(scipy), [turns[0].matrix, turns[1]]):
        assert unit_quaternions(given, 2, "x") == pytest.approx(wanted)
