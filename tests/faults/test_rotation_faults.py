"""What is no rotation, or is asked of one where it has no answer: refused in a sentence with its code."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import polhode as ph
from polhode import Attitude, MovingRotation, Rotation
from polhode.errors import PolhodeError

SYMBOLS = ph.symbols("a b c")
SYMBOLIC = Rotation.from_vector(SYMBOLS)
STRETCHED = np.stack([np.eye(3), 1.1 * np.eye(3)])

FAULTS: list[tuple[str, str, Callable[[], Any]]] = [
    (
        "E-ROTATION-NUMBER",
        "not orthogonal",
        lambda: Rotation.from_matrix(ph.Matrix([[1, 0, 0], [0, 1, 0], [0, SYMBOLS[0], 1]])),
    ),
    ("E-ROTATION-NUMBER", "rotation 1 .* differs from 1 by 0.21", lambda: Rotation.from_matrix(STRETCHED)),
    ("E-ROTATION-NUMBER", "a reflection", lambda: Rotation.from_matrix(np.diag([1.0, 1, -1]))),
    (
        "E-ROTATION-SINGULAR",
        "as near to one rotation as to many",
        lambda: Rotation.from_matrix(np.zeros((3, 3)), nearest=True),
    ),
    (
        "E-ROTATION-SINGULAR",
        "as near to one rotation as to many",
        lambda: Rotation.from_matrix(-np.eye(3), nearest=True),
    ),
    ("E-ROTATION-SINGULAR", "the quaternion has no direction", lambda: Rotation.from_quaternion([0, 0, 0, 0])),
    (
        "E-ROTATION-SINGULAR",
        r"rotation \(1, 0\)",
        lambda: Rotation.from_quaternion(np.eye(4)[[[1, 1], [1, 1]]] * [[[1], [1]], [[0], [1]]]),
    ),
    ("E-ROTATION-SINGULAR", "the spinor has no direction", lambda: Rotation.from_spinor([0j, 0j])),
    ("E-ROTATION-SINGULAR", "the axis has no direction", lambda: Rotation.from_axis_angle([0, 0, 0], 0.1)),
    ("E-ROTATION-NUMBER", "the quaternion is zero", lambda: Rotation.from_quaternion([0, 0, 0, 0], exact=True)),
    ("E-ROTATION-NUMBER", r"holds nan, at index \(1, 2\)", lambda: Rotation.from_vector([[0, 0, 0], [1, 2, np.nan]])),
    ("E-ROTATION-NUMBER", "holds inf, at index 0", lambda: Rotation.from_exponential([np.inf, 0, 0])),
    ("E-ROTATION-SHAPE", "3×3 components", lambda: Rotation.from_matrix(np.eye(4))),
    ("E-ROTATION-SHAPE", "4 components, not an array of shape", lambda: Rotation.from_quaternion([1, 0, 0])),
    ("E-ROTATION-SHAPE", "3 components, not 2 entries", lambda: Rotation.from_vector(SYMBOLS[:2])),
    ("E-ROTATION-SHAPE", "a vector has 3", lambda: Rotation.random(seed=1).apply([1, 2])),
    ("E-CALL-TYPE", "not a vector-parameter", lambda: Rotation.from_vector("abc")),
    ("E-CALL-TYPE", "not a vector-parameter", lambda: Rotation.from_vector([[1, 2, 3], [1, 2]])),
    ("E-CALL-TYPE", "not a turn", lambda: Rotation.from_turns("z")),
    ("E-CALL-TYPE", "not a size", lambda: Rotation.random(-1)),
    ("E-CALL-TYPE", "not a seed", lambda: Rotation.random(seed="x")),
    ("E-CALL-TYPE", "use Rotation.from_matrix", lambda: Rotation([1, 0, 0, 0])),
    ("E-CALL-TYPE", "not a Rotation", lambda: SYMBOLIC.equals(np.eye(3))),
    ("E-CALL-TYPE", "not a Rotation", lambda: MovingRotation(np.eye(3), [0, 0, 0])),
    ("E-ROTATION-NAME", "'xxz' is no sequence", lambda: Rotation.from_euler("xxz", [1, 2, 3])),
    ("E-ROTATION-NAME", "'abc' is no sequence", lambda: SYMBOLIC.euler("abc")),
    ("E-ROTATION-NAME", "5 is no sequence", lambda: Rotation.from_euler(5, [1, 2, 3])),
    ("E-ROTATION-NAME", "'zx' names 2 of three axes", lambda: SYMBOLIC.euler("zx")),
    ("E-ROTATION-NAME", "'rodrigues' is no form", lambda: SYMBOLIC.rate([1, 2, 3], "rodrigues")),
    ("E-ROTATION-NAME", "'zx' is no form", lambda: Rotation.from_coordinates("zx", [1, 2])),
    ("E-ROTATION-SINGULAR", "no axis", lambda: Rotation.identity(3).axis),
    ("E-ROTATION-SHAPE", "no batch", lambda: Rotation.random()[0]),
    ("E-ROTATION-UNSUPPORTED", "not exact", lambda: Rotation.random(3) @ SYMBOLIC),
    ("E-ROTATION-SINGULAR", "rotation 1 .*'vector'.*half turn", lambda: Rotation.from_quaternion(np.eye(4)[:2]).vector),
    (
        "E-ROTATION-SINGULAR",
        "'zxz' is singular: at the middle angle 0",
        lambda: Rotation.identity().rate([1, 2, 3], "zxz"),
    ),
    (
        "E-ROTATION-SINGULAR",
        "'sine' is singular",
        lambda: Rotation.from_quaternion([0, 1.0, 0, 0]).velocity([1, 2, 3], "sine"),
    ),
    ("E-ROTATION-NAME", "'world' is no frame", lambda: SYMBOLIC.velocity([1, 2, 3], frame="world")),
    ("E-ROTATION-NUMBER", "a sine vector of length 1.7", lambda: Rotation.from_sine_vector([1, 1, 1])),
    ("E-ROTATION-NUMBER", "an axial vector of length 3", lambda: Rotation.from_axial_vector([0, 0, 3])),
    ("E-ROTATION-SHAPE", r"\(3,\) and \(4,\)", lambda: Rotation.random(3) @ Rotation.random(4)),
    ("E-ROTATION-SINGULAR", "no better reference", lambda: SYMBOLIC.local("vector")),
    ("E-ROTATION-SINGULAR", "not independent", lambda: Attitude((1, 2, 3), [(1, 0, 0), (2, 0, 0)])),
    ("E-ROTATION-NUMBER", "positive definite", lambda: Attitude((1, 2, -3))),
    ("E-ROTATION-NUMBER", "symmetric", lambda: Attitude([[1, 1, 0], [0, 1, 0], [0, 0, 1]])),
    ("E-ROTATION-UNSUPPORTED", "has symbols", lambda: Attitude(SYMBOLS).drift([1.0, 2, 3])),
    ("E-JOINT-NUMBER", "none of x, y, z", lambda: Rotation.from_axis_angle("w", 0.1)),
]


@pytest.mark.parametrize(("code", "sentence", "call"), FAULTS, ids=[f"{code} {text}" for code, text, _ in FAULTS])
def test_what_is_no_rotation_is_refused_in_a_sentence(code: str, sentence: str, call: Callable[[], Any]) -> None:
    with pytest.raises(PolhodeError, match=sentence) as told:
        call()
    problem = told.value.problems[0]
    assert problem.code == code and problem.message.endswith(".")
    assert problem.cure or code in ("E-CALL-TYPE", "E-ROTATION-SHAPE")


def test_the_nearest_rotation_is_taken_when_that_is_asked() -> None:
    assert np.allclose(Rotation.from_matrix(STRETCHED, nearest=True).matrix, np.eye(3))
    turned = Rotation.random(20, seed=1)
    noisy = turned.matrix + np.random.default_rng(2).normal(scale=1e-3, size=(20, 3, 3))
    near = Rotation.from_matrix(noisy, nearest=True)
    assert (near.inverse() @ turned).angle.max() < 0.01
    for other in (
        turned,
        Rotation.from_exponential([1e-4, 0, 0]) @ near,
        near @ Rotation.from_exponential([0, 1e-4, 0]),
    ):
        assert (((near.matrix - noisy) ** 2).sum(axis=(1, 2)) <= ((other.matrix - noisy) ** 2).sum(axis=(1, 2))).all()


def test_a_model_refuses_a_batch_where_it_takes_one_rotation() -> None:
    s = ph.System("s")
    with pytest.raises(PolhodeError, match="frame 'f' rotation: a batch of rotations is not exact"):
        s.frame("f", s.ground, rotation=Rotation.random(2))
