"""Scenes refuse what cannot be drawn, and motions move as rigid bodies do."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polhode.errors import PolhodeError
from polhode.view.scene import SIZES, Motion, Scene, SceneBody, Shape

angles = st.floats(-3.1, 3.1)
components = st.floats(-1, 1)


def matrix(q: np.ndarray) -> np.ndarray:
    w, (x, y, z) = q[0], q[1:]
    K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + 2 * w * K + 2 * K @ K


def about_z(angle: float) -> list[float]:
    return [np.cos(angle / 2), 0.0, 0.0, np.sin(angle / 2)]


def spin(*angle: float, time: list[float] | None = None) -> Motion:
    quaternions = [[about_z(a)] for a in angle]
    return Motion(time or list(range(len(angle))), np.zeros((len(angle), 1, 3)), quaternions)


@given(st.tuples(components, components, components, components))
def test_a_shape_turned_by_a_matrix_is_the_shape_turned_by_its_quaternion(q):
    quaternion = np.array(q)
    if np.linalg.norm(quaternion) < 1e-3:
        return
    quaternion /= np.linalg.norm(quaternion)
    kept = np.array(Shape("sphere", (1,), rotation=matrix(quaternion)).rotation)
    assert np.allclose(matrix(kept), matrix(quaternion), atol=1e-12)


@given(angles, st.floats(0, 1))
def test_between_two_samples_a_body_turns_at_a_steady_rate(angle, share):
    between = spin(0.0, angle).at([share]).quaternions[0, 0]
    assert np.allclose(matrix(between), matrix(np.array(about_z(share * angle))), atol=1e-9)


def test_quaternions_of_either_sign_give_the_same_motion():
    angle = np.linspace(0, 20, 60)
    plain = np.array([[about_z(a)] for a in angle])
    flipped = plain * np.where(np.arange(60) % 3 == 0, -1.0, 1.0)[:, None, None]
    time, still = np.linspace(0, 1, 60), np.zeros((60, 1, 3))
    wanted = np.linspace(0, 1, 217)
    first, second = Motion(time, still, plain).at(wanted), Motion(time, still, flipped).at(wanted)
    overlap = np.abs(np.einsum("tbi,tbi->tb", first.quaternions, second.quaternions))
    assert np.allclose(overlap, 1.0)
    assert (np.einsum("tbi,tbi->tb", second.quaternions[:-1], second.quaternions[1:]) > 0).all()


def test_motions_pass_samples_rest_outside_and_take_impacts() -> None:
    motion = spin(0.0, 1.0, 0.3, time=[0.0, 0.5, 2.0])
    assert np.allclose(motion.at(motion.time).quaternions, motion.quaternions)
    motion = spin(0.2, 1.0)
    assert np.allclose(motion.at([-5.0, 9.0]).quaternions, motion.quaternions)
    motion = spin(0.0, 0.5, 1.0, 1.5, time=[0.0, 1.0, 1.0, 2.0])
    assert np.isfinite(motion.at(np.linspace(0, 2, 41)).quaternions).all()
    assert Scene("s", [], up=(0, 3, -4)).up == (0, 0.6, -0.8)


def test_a_motion_cannot_be_changed_through_the_arrays_it_was_made_of():
    time, positions = np.array([0.0, 1.0]), np.zeros((2, 1, 3))
    motion = Motion(time, positions, [[about_z(0)], [about_z(1)]])
    positions[:] = 7.0
    assert (motion.positions == 0).all()
    with pytest.raises(ValueError, match="read-only"):
        motion.positions[0, 0, 0] = 1.0


@pytest.mark.parametrize("kind", SIZES)
def test_every_kind_of_shape_needs_all_its_sizes_and_no_more(kind):
    right = (0.5,) * len(SIZES[kind])
    assert Shape(kind, right).size == right
    for wrong in (right[:-1], (*right, 0.5), tuple(-x for x in right), (np.nan,) * len(right)):
        with pytest.raises(PolhodeError, match=kind):
            Shape(kind, wrong)


@pytest.mark.parametrize(("make", "words"), [
    (lambda: Shape("teapot", (1,)), "Known: box"), (lambda: Shape("sphere", (1,), color="red;}"), "#0077bb"),
    (lambda: Shape("sphere", (1,), rotation=np.diag([1, 1, -1])), "not a rotation"),
    (lambda: Shape("sphere", (1,), rotation=(0, 0, 0, 0)), "quaternion is zero"),
    (lambda: Shape("sphere", (1,), rotation=(1, 0, 0)), "3x3"),
    (lambda: Shape("sphere", (1,), position=(0, np.inf, 0)), "not finite"),
    (lambda: Shape("sphere", ("big",)), "must be numbers"), (lambda: SceneBody("forearm", tracer=(0, 0)), "forearm"),
    (lambda: Scene("s", [], up=(0, 0, 0)), "up direction"), (lambda: spin(0.0, 1.0, time=[1.0, 0.0]), "backwards"),
    (lambda: Motion([], np.zeros((0, 1, 3)), np.zeros((0, 1, 4))), "no time"),
    (lambda: Motion([0], np.zeros((1, 1, 3)), np.zeros((1, 1, 4))), "body number 0 is zero"),
    (lambda: Motion([0], np.zeros((1, 2, 3)), np.ones((1, 1, 4))), "quaternions"),
    (lambda: Motion([0, 1], np.zeros((1, 2, 3)), np.ones((1, 2, 4))), "positions"),
    (lambda: Motion([0], np.full((1, 1, 3), np.nan), np.ones((1, 1, 4))), "not finite"),
])  # fmt: skip
def test_what_cannot_be_drawn_is_refused_in_words(make, words):
    with pytest.raises(PolhodeError, match=words):
        make()
