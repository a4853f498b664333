"""Curves through poses, with turns and places apart and as screws."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import polhode as ph
from polhode.errors import PolhodeError
from polhode.geometry import Pose

from .random_knots import random_knots

T, TURNS = random_knots(8, 9, 1.8)
R, P = TURNS.as_matrix(), np.random.default_rng(8).normal(size=(10, 3))
POSES = list(zip(R, P, strict=True))
COUPLINGS = ("separate", "screw")


@pytest.mark.parametrize("coupling", COUPLINGS)
def test_it_goes_through_the_poses_twice_differentiably(coupling):
    curve = ph.PoseSpline(T, POSES, coupling=coupling)
    assert np.abs(curve(T).R - R).max() < 1e-12
    assert np.abs(curve(T).p - P).max() < 1e-12
    early, late = (curve(T[1:-1] + s) for s in (-1e-7, 1e-7))
    for name in ("v", "a", "w", "wdot"):
        values = getattr(late, name)
        assert np.allclose(getattr(early, name), values, atol=2e-5 * (1 + np.abs(values).max()))


@pytest.mark.parametrize("coupling", COUPLINGS)
def test_velocities_and_accelerations_are_derivatives(coupling):
    curve = ph.PoseSpline(T, POSES, start=((1, 2, 3), (0, 1, 0)), coupling=coupling)
    t = np.linspace(T[0] + 0.01, T[-1] - 0.01, 60)
    early, now, late = (curve(t + s) for s in (-1e-5, 0, 1e-5))
    scale = np.abs(now.a).max()
    assert np.allclose((late.p - early.p) / 2e-5, now.v, atol=1e-6 * scale)
    assert np.allclose((late.v - early.v) / 2e-5, now.a, atol=1e-6 * scale)
    assert np.allclose((late.w - early.w) / 2e-5, now.wdot, atol=1e-6 * scale)
    assert np.allclose(now.twist, np.hstack([now.w, np.einsum("nji,nj->ni", now.R, now.v)]))
    assert np.allclose(now.matrix[:, :3, 3], now.p)


@pytest.mark.parametrize("coupling", COUPLINGS)
def test_velocities_at_the_ends_are_those_asked_for(coupling):
    curve = ph.PoseSpline(T, POSES, start=((1, 2, 3), (4, 5, 6)), end=((0, 0, 1), (1, 0, 0)), coupling=coupling)
    ends = curve(T[[0, -1]])
    assert np.allclose(ends.w, [(1, 2, 3), (0, 0, 1)], atol=1e-12)
    assert np.allclose(ends.v, [(4, 5, 6), (1, 0, 0)], atol=1e-12)


def test_screws_do_not_depend_on_the_point_or_the_frame():
    point, turn, shift = np.array([0.3, -0.7, 0.2]), Rotation.from_rotvec((1, 2, 0.5)).as_matrix(), np.array([1, 2, 3])
    moved = [(turn @ r, turn @ (p + r @ point) + shift) for r, p in POSES]
    t = np.linspace(T[0], T[-1], 50)
    one, other = (ph.PoseSpline(T, poses, coupling="screw")(t) for poses in (POSES, moved))
    assert np.abs(turn @ one.R - other.R).max() < 1e-12
    assert np.abs((one.p + one.R @ point) @ turn.T + shift - other.p).max() < 1e-12


def test_the_turn_of_a_screw_is_that_of_the_rotation_spline():
    t = np.linspace(T[0], T[-1], 50)
    assert np.abs(ph.PoseSpline(T, POSES, coupling="screw")(t).R - ph.RotationSpline(T, R)(t).R).max() < 1e-13


def test_two_poses_are_joined_by_their_screw():
    """A quarter turn that rises stays on its helix."""
    poses = [(np.eye(3), (0, 0, 0)), ([[0, -1, 0], [1, 0, 0], [0, 0, 1]], (1, 1, 0.5))]
    motion = ph.PoseSpline([0, 1], poses, coupling="screw")(np.linspace(0, 1, 21))
    assert np.allclose(np.hypot(motion.p[:, 0], motion.p[:, 1] - 1), 1, atol=1e-13)
    angle = np.arctan2(motion.R[:, 1, 0], motion.R[:, 0, 0])
    assert np.allclose(motion.p[:, 2], 0.5 * angle / (np.pi / 2), atol=1e-3)


def test_poses_in_all_their_forms():
    X = np.tile(np.eye(4), (10, 1, 1))
    X[:, :3, :3], X[:, :3, 3] = R, P
    forms = [POSES, X, [Pose(ph.Matrix(r.tolist()), ph.Vector(p.tolist())) for r, p in POSES]]
    places = [ph.PoseSpline(T, form)(1.0).p for form in forms]
    assert np.abs(places[0] - places[1]).max() == 0
    assert np.abs(places[0] - places[2]).max() < 1e-12


@pytest.mark.parametrize(
    ("poses", "options", "sentence"),
    [
        (POSES, {"coupling": "none"}, "coupling 'none'"),
        (POSES[:3], {}, "3 poses and 10 times"),
        (5, {}, "not a list"),
        ([np.eye(3)] * 10, {}, "pose 0 is none"),
        (POSES, {"start": (1, 2, 3)}, "start is not a pair"),
        (POSES, {"end": ((1, 2), (1, 2, 3))}, "the angular velocity of end has the shape"),
    ],
)
def test_what_is_no_pose_gets_a_sentence(poses, options, sentence):
    with pytest.raises(PolhodeError, match=sentence):
        ph.PoseSpline(T, poses, **options)


@pytest.mark.parametrize("coupling", COUPLINGS)
def test_pairs_have_rotations_of_any_kind(coupling):
    wanted = ph.PoseSpline(T, POSES, coupling=coupling)(T[3] + 0.01).matrix
    for turns in (ph.Rotation.from_matrix(R), TURNS, [ph.Rotation.from_matrix(each).exact() for each in R]):
        curve = ph.PoseSpline(T, list(zip(turns, P, strict=True)), coupling=coupling)
        assert np.abs(curve(T[3] + 0.01).matrix - wanted).max() < 1e-12
