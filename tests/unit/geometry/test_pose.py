"""A pose is made of whatever is a rotation and a place, and composes whichever it was made of."""

from collections.abc import Callable

import numpy as np
import pytest
from scipy.spatial.transform import Rotation as Other
from tests.refusals import refused

import polhode as ph
from polhode.geometry import Pose

TURN = ph.Rotation.from_euler("zxz", (0.3, 0.4, 0.5))
P = (1.0, 2.0, 3.0)
R = TURN.matrix
KINDS = {
    "Rotation": lambda: Pose(TURN, P),
    "exact Rotation": lambda: Pose(TURN.exact(), P),
    "SciPy's": lambda: Pose(Other.from_matrix(R), P),
    "arrays": lambda: Pose(R, np.array(P)),
    "array and Vector": lambda: Pose(R, ph.Vector(P)),
    "lists": lambda: Pose(R.tolist(), list(P)),
    "Matrix and array": lambda: Pose(ph.Matrix(R.tolist()), np.array(P)),
}
X = np.eye(4)
X[:3, :3], X[:3, 3] = R, P


def floats(X: Pose) -> np.ndarray:
    return np.array([[float(entry) for entry in row] for row in X.matrix()])


@pytest.mark.parametrize("make", KINDS.values(), ids=KINDS)
def test_a_pose_of_any_kind_composes_and_inverts(make: Callable[[], Pose]) -> None:
    pose = make()
    assert floats(pose @ pose) == pytest.approx(X @ X, abs=1e-12)
    assert floats(pose.inverse()) == pytest.approx(np.linalg.inv(X), abs=1e-12)
    assert [float(x) for x in pose.point((1, 0, 2))] == pytest.approx(R @ (1, 0, 2) + P, abs=1e-12)
    for other in KINDS.values():
        assert floats(pose @ other()) == pytest.approx(X @ X, abs=1e-12)
    assert float(ph.screw_of(pose).angle) == pytest.approx(float(TURN.angle))
    assert ph.PoseSpline([0, 1], [make(), make()])(0.5).p == pytest.approx(P)


def test_a_rotation_of_symbols_stays_exact_and_batches_are_taken_member_by_member() -> None:
    a, b = ph.symbols("a b")
    pose = Pose(ph.Rotation.from_euler("z", a), (b, 0, 0))
    assert pose == Pose(ph.rotation(("z", a)), ph.Vector([b, 0, 0])) and (pose @ pose.inverse()).p == (0, 0, 0)
    assert pose.point((1, 0, 0)) == (b + ph.cos(a), ph.sin(a), 0)
    assert Pose(R, ph.Vector(P)).point((a, 0, 0))[0].diff(a) == pytest.approx(R[0, 0])
    many, p = ph.Rotation.random(3, seed=1), np.arange(9.0).reshape(3, 3)
    batch, single = Pose(many, p), [Pose(r, at) for r, at in zip(many, p, strict=True)]
    for k, one in enumerate(single):
        assert (batch @ batch).p[k] == pytest.approx((one @ one).p)
        assert batch.inverse().p[k] == pytest.approx(one.inverse().p)
        assert batch.point((1, 0, 0))[k] == pytest.approx(one.point((1, 0, 0)))
        assert batch.matrix()[k] == pytest.approx(np.array(one.matrix()))
    assert (batch @ single[0]).p.shape == (3, 3)
    assert (batch @ Pose.identity()).matrix() == pytest.approx(batch.matrix())
    refused("an expression of 'a' is no number", lambda: batch @ Pose(ph.rotation(("z", ph.symbol("a"))), ph.Vector(P)))


@pytest.mark.parametrize("given", [("turn", P), (R, (1, 2)), (np.eye(4), P), (R, "abc"), (None, P), (TURN, None)])
def test_what_is_no_pose_is_refused_in_a_sentence(given: tuple[object, object]) -> None:
    refused(r"is not a rotation and a place|is not a (matrix|vector)", lambda: Pose(*given))
    refused(r"\(4,\) and \(5,\) do not go together", lambda: Pose(ph.Rotation.random(4, seed=1), np.ones((5, 3))))
