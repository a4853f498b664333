"""Screws of poses and twists: exact, in batches, near every branch, and back again."""

import math

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import polhode as ph
from polhode.expr import as_expr, evaluate, pi, same, sqrt, symbols
from polhode.geometry import rotation

q1, q2, x, y, z, r = symbols("q1 q2 x y z r")
NAMES = (q1, q2, x, y, z)
VALUES = dict(zip(NAMES, (0.4, -1.1, 0.3, 0.7, -0.2), strict=True))


def numbers(entries: object) -> np.ndarray:
    return np.array(evaluate([as_expr(entry) for entry in entries], VALUES))  # type: ignore[attr-defined]


EXACT = {
    "about z": ph.Pose(rotation(("z", q1)), ph.Vector([x, y, z])),
    "about a rational axis": ph.Pose(rotation(((1, 2, 2), q1)), ph.Vector([x, y, z])),
    "backwards": ph.Pose(rotation(("-y", q1)), ph.Vector([x, y, z])),
    "by a half turn": ph.Pose(rotation(((1, 2, 2), pi)), ph.Vector([x, y, z])),
    "by a third of a turn": ph.Pose(rotation(((1, 1, 1), 2 * pi / 3)), ph.Vector([x, 0, 0])),
    "without a turn": ph.Pose(ph.Matrix.identity(3), ph.Vector([0, 3 * x, 4 * x])),
    "without a move": ph.Pose(rotation(("x", q2)), ph.Vector([0, 0, 0])),
}


@pytest.mark.parametrize("X", EXACT.values(), ids=EXACT)
def test_a_screw_with_a_constant_direction_gives_its_pose_back_exactly(X: ph.Pose) -> None:
    for given in (X, (X.R, X.p), X.matrix(), [list(row) for row in X.matrix()], (ph.Rotation.from_matrix(X.R), X.p)):
        found = ph.screw_of(given)
        assert same(found.matrix.entries(), X.matrix().entries())
        assert same(ph.screw_of(found.twist).twist, found.twist)
        assert same([ph.Vector(found.axis).dot(found.axis), ph.Vector(found.axis).dot(found.moment)], [1, 0])


def test_a_screw_about_any_axis_has_its_pose_angle_and_pitch() -> None:
    X = ph.Pose(rotation(("z", q1), ("x", q2)), ph.Vector([x, y, z]))
    found = ph.screw_of(X)
    assert numbers(found.matrix.entries()) == pytest.approx(numbers(X.matrix().entries()))
    in_numbers = ph.screw_of((numbers(X.R.entries()).reshape(3, 3), numbers(X.p)))
    for part in ("axis", "moment"):
        assert numbers(getattr(found, part)) == pytest.approx(getattr(in_numbers, part))
    assert numbers([found.angle, found.pitch]) == pytest.approx([in_numbers.angle, in_numbers.pitch])
    assert ph.screw_of(EXACT["about z"]).angle == q1 and ph.screw_of(EXACT["backwards"]).angle == -q1
    assert ph.screw_of(EXACT["by a half turn"]).angle == pi
    assert ph.screw_of(EXACT["by a third of a turn"]).angle == 2 * pi / 3
    assert same(ph.screw_of(EXACT["by a third of a turn"]).axis, [1 / sqrt(as_expr(3))] * 3)
    assert ph.screw_of(ph.Pose(rotation(("z", q1)), ph.Vector([0, 0, r * q1]))).pitch == r
    assert ph.screw_of(EXACT["without a turn"]).pitch == math.inf and ph.screw_of(EXACT["without a move"]).pitch == 0
    found = ph.screw_of((np.stack([np.eye(3), Rotation.from_euler("z", 2).as_matrix()]), np.array([[0, 0, 3.0]] * 2)))
    assert found.pitch == pytest.approx([np.inf, 1.5])


def test_a_twist_is_given_by_six_numbers_or_three_dual_ones() -> None:
    w, v = (0, 0, 2), (0, -6, 1)
    for given in (ph.Vector([*w, *v]), ph.dual(w, v), np.array([*w, *v]), [*w, *v]):
        found = ph.screw_of(given)
        assert list(map(float, found.axis)) == [0, 0, 1] and list(map(float, found.point)) == [3, 0, 0]
        assert (float(found.angle), float(found.pitch), float(found.translation)) == (2, 0.5, 1)
        assert list(map(float, found.twist)) == [*w, *v]
    assert ph.screw_of(ph.Vector([0, 0, -2, 0, 0, 0])).angle == 2 and ph.screw_of((0, 0, -q1, 0, 0, 0)).angle == -q1
    assert ph.screw_of((0, 0, 0, 0, 3, 4)).pitch == ph.screw_of(ph.Vector([0, 0, 0, 0, 3, 4])).pitch == math.inf


def test_wrenches_and_turning_bodies_have_screws_and_rest_has_none() -> None:
    """A force along z through (1, 0, 0) and a couple about it: Poinsot's central axis."""
    force, torque = ph.Vector([0, 0, 5]), ph.Vector([1, 0, 0]).cross(ph.Vector([0, 0, 5])) + ph.Vector([0, 0, 10])
    found = ph.screw_of(ph.Vector([*force, *torque]))
    assert same(found.point, (1, 0, 0)) and found.pitch == 2
    system = ph.System("door")
    door = system.body("door", 1, inertia=(1, 1, 1))
    system.joint("hinge", system.ground, door, ph.Revolute("z"), at=(2, 3, 0))
    found = ph.screw_of(system.derive().velocity_screw("door"))
    assert same(found.axis, (0, 0, 1)) and same(found.point, (2, 3, 0)) and found.pitch == 0


@pytest.mark.parametrize("angle", [1e-14, 1e-9, 1e-4, 1.0, 3.0, np.pi - 1e-4, np.pi - 1e-9, np.pi])
def test_poses_in_numbers_come_back_near_every_branch(angle: float) -> None:
    rng = np.random.default_rng(int(1e6 * angle) % 1000)
    axes = rng.normal(size=(200, 3))
    axes /= np.linalg.norm(axes, axis=1, keepdims=True)
    R, p = Rotation.from_rotvec(axes * angle).as_matrix(), rng.normal(size=(200, 3))
    found = ph.screw_of((R, p))
    assert pytest.approx(R, abs=1e-13) == found.pose.R and found.pose.p == pytest.approx(p, abs=1e-12)
    assert found.angle == pytest.approx(angle, abs=1e-8 if abs(angle - np.pi) < 1e-3 else 1e-14)


def test_random_motions_and_twists_round_trip_in_batches() -> None:
    rng = np.random.default_rng(0)
    R, p = Rotation.random(10_000, random_state=5).as_matrix(), rng.normal(size=(10_000, 3))
    found = ph.screw_of((R, p))
    assert np.abs(found.pose.R - R).max() < 1e-12 and np.abs(found.pose.p - p).max() < 1e-11
    assert found.matrix.shape == (10_000, 4, 4) and found.twist.shape == (10_000, 6)
    twists = rng.normal(size=(20, 30, 6))
    assert ph.screw_of(twists).twist == pytest.approx(twists, abs=1e-12)
    assert ph.screw_of(twists).pitch.shape == (20, 30)


BAD = {
    "the identity": (ph.Pose.identity(), "has no screw axis"),
    "a zero twist": (ph.Vector([0, 0, 0, 0, 0, 0]), "has no screw axis"),
    "a zero twist in numbers": ((0, 0, 0, 0, 0, 0), "has no screw axis"),
    "one that is zero among others": (np.array([[0, 0, 1, 0, 0, 0], [0.0] * 6]), "number 1: what neither turns"),
    "a reflection": ((np.diag([1.0, 1.0, -1.0]), np.zeros(3)), "not orthogonal with determinant 1"),
    "a shear": (([[1, 1, 0], [0, 1, 0], [0, 0, 1]], (0, 0, 0)), "not orthogonal with determinant 1"),
    "a symbolic stretch": (([[x, 0, 0], [0, 1, 0], [0, 0, 1]], (0, 0, 0)), "not orthogonal with determinant 1"),
    "a number": (5, "5 is not a motion"),
    "a text": ("twist", "'twist' is not a motion"),
    "five numbers": ((1, 2, 3, 4, 5), "is not a motion"),
    "a matrix with a wrong last row": (np.ones((4, 4)), "is not a motion"),
    "an exact matrix with a wrong last row": ([[1, 0, 0, 0]] * 4, "is not a motion"),
    "a rotation alone": (np.eye(3), "is not a motion"),
    "a pair of wrong shape": ((np.eye(2), np.zeros(3)), "is not a motion"),
    "NaN": (np.full(6, np.nan), "not finite"),
}


@pytest.mark.parametrize(("given", "said"), BAD.values(), ids=BAD)
def test_what_has_no_screw_is_told_in_a_sentence(given: object, said: str) -> None:
    with pytest.raises(ph.PolhodeError, match=said):
        ph.screw_of(given)
