"""Every form of a rotation gives it back, near its singularity too; SciPy's Rotation judges where it has the same."""

from collections.abc import Callable
from itertools import product

import numpy as np
import pytest
from scipy.spatial.transform import Rotation as Judge

import polhode as ph
from polhode.geometry.rotations import SEQUENCES

MANY = ph.Rotation.random(10_000, seed=4)
SINGLE_FORMS = ("matrix", "quaternion", "spinor", "vector", "exponential")
ROOTS = ("sine", "axial")
FORMS = [(form, False) for form in SINGLE_FORMS] + [*product(SEQUENCES, (False, True))]


def letters(digits: str, extrinsic: bool) -> str:
    """A sequence as SciPy writes it: capitals are intrinsic."""
    word = "".join("xyz"[int(digit) - 1] for digit in digits)
    return word if extrinsic else word.upper()


def gap(one: ph.Rotation, two: ph.Rotation) -> float:
    return float(np.abs(one.matrix - two.matrix).max())


def judged(r: ph.Rotation) -> Judge:
    return Judge.from_quat(r.quaternion, scalar_first=True)


def near_half_turns(count: int = 1000, far: float = 1e-9) -> ph.Rotation:
    """Within 1e-9 of a half turn, and half turns."""
    rng = np.random.default_rng(5)
    n = rng.standard_normal((count, 3))
    off = rng.uniform(-far, far, count)
    off[0] = 0
    return ph.Rotation.from_axis_angle(n, np.pi + off)


def near_identity(count: int = 1000) -> ph.Rotation:
    l = np.random.default_rng(6).uniform(-1e-9, 1e-9, (count, 3))
    l[0] = 0
    return ph.Rotation.from_exponential(l)


def near_lock(word: str, extrinsic: bool, count: int = 1000) -> ph.Rotation:
    """Within 1e-9 of gimbal lock, and in it."""
    rng = np.random.default_rng(7)
    x = rng.uniform(-np.pi, np.pi, (count, 3))
    locked = rng.choice([0, np.pi] if word[0] == word[2] else [-np.pi / 2, np.pi / 2], count)
    x[:, 1] = locked + rng.uniform(-1e-9, 1e-9, count) * (np.arange(count) > 10)
    return ph.Rotation.from_euler(word, x, extrinsic=extrinsic)


def test_a_batch_has_scipys_matrices_quaternions_and_rotation_vectors() -> None:
    scipy = judged(MANY)
    assert np.abs(scipy.as_matrix() - MANY.matrix).max() < 1e-14
    assert np.abs(scipy.as_rotvec() - MANY.exponential).max() < 1e-13
    assert np.abs(scipy.magnitude() - MANY.angle).max() < 1e-14
    assert gap(ph.Rotation.from_matrix(scipy.as_matrix()), MANY) < 1e-14
    assert gap(ph.Rotation.from_rotvec(scipy.as_rotvec()), MANY) < 1e-14
    assert gap(ph.Rotation.from_quaternion(scipy.as_quat(), scalar_first=False), MANY) < 1e-14


@pytest.mark.parametrize(("form", "extrinsic"), FORMS)
def test_a_form_gives_ten_thousand_rotations_back(form: str, extrinsic: bool) -> None:
    x = MANY.coordinates(form, extrinsic=extrinsic)
    assert gap(ph.Rotation.from_coordinates(form, x, extrinsic=extrinsic), MANY) < 1e-12
    if form in SEQUENCES:
        assert np.abs(Judge.from_euler(letters(form, extrinsic), x).as_matrix() - MANY.matrix).max() < 1e-12


@pytest.mark.parametrize(("word", "extrinsic"), [*product(SEQUENCES, (False, True))])
def test_angles_are_scipys(word: str, extrinsic: bool) -> None:
    some = MANY[:2000]
    x = some.euler(word, extrinsic=extrinsic)
    turns = (judged(some).as_euler(letters(word, extrinsic)) - x) / (2 * np.pi)
    assert np.abs(turns - np.round(turns)).max() < 1e-11


@pytest.mark.parametrize("near", [near_half_turns, near_identity])
@pytest.mark.parametrize(("form", "extrinsic"), FORMS)
def test_nothing_is_lost_near_half_turns_and_the_identity(form: str, extrinsic: bool, near: type) -> None:
    r = near()
    x = r[1:].coordinates(form, extrinsic=extrinsic)
    assert gap(ph.Rotation.from_coordinates(form, x, extrinsic=extrinsic), r[1:]) < 1e-12
    assert gap(r.local(form, extrinsic=extrinsic).rotation, r) < 1e-12


@pytest.mark.parametrize(("word", "extrinsic"), [*product(SEQUENCES, (False, True))])
def test_nothing_is_lost_near_gimbal_lock(word: str, extrinsic: bool) -> None:
    r = near_lock(word, extrinsic)
    x = r.euler(word, extrinsic=extrinsic)
    assert gap(ph.Rotation.from_euler(word, x, extrinsic=extrinsic), r) < 1e-12
    assert r.condition(word, extrinsic=extrinsic).min() > 1e8
    chart = r.local(word, extrinsic=extrinsic)
    assert gap(chart.rotation, r) < 1e-12
    assert (chart.reference.inverse() @ r).condition(word, extrinsic=extrinsic).max() < 8


def test_in_gimbal_lock_the_turn_that_is_written_last_is_zero() -> None:
    for word, extrinsic in product(SEQUENCES, (False, True)):
        locked = np.array([0.4, 0 if word[0] == word[2] else np.pi / 2, 0.9])
        x = ph.Rotation.from_euler(word, locked, extrinsic=extrinsic).euler(word, extrinsic=extrinsic)
        assert x[0 if extrinsic else 2] == 0


def test_roots_lose_half_the_digits_near_their_singularity_but_not_with_another_reference() -> None:
    half = near_half_turns()
    assert gap(ph.Rotation.from_sine_vector(half.sine_vector), half) < 1e-7
    rng = np.random.default_rng(8)
    right = ph.Rotation.from_axis_angle(rng.standard_normal((1000, 3)), np.pi / 2 + rng.uniform(-1e-9, 1e-9, 1000))
    far = right.angle > np.pi / 2
    assert gap(ph.Rotation.from_axial_vector(right.axial_vector, far=far), right) < 1e-7
    for form, r in (("sine", half), ("axial", right), ("sine", MANY), ("axial", MANY)):
        assert gap(r.local(form).rotation, r) < 1e-12
    for form in ROOTS:
        far = {"far": MANY.angle > np.pi / 2} if form == "axial" else {}
        back = getattr(ph.Rotation, f"from_{form}_vector")(MANY.coordinates(form), **far)
        cosine = np.cos(MANY.angle / 2) if form == "sine" else np.cos(MANY.angle)
        assert (np.abs(back.matrix - MANY.matrix).max(axis=(1, 2)) < 1e-15 + 2e-15 / np.abs(cosine)).all()
    half = near_half_turns()
    w = np.abs(half.quaternion[:, 0])
    assert gap(ph.Rotation.from_sine_vector(half.sine_vector, cosine=w), half) < 1e-15
    chart = MANY.local("zxz")
    stays = MANY.condition("zxz") <= 8
    assert stays.mean() > 0.9 and (chart.reference.quaternion[stays] == [1, 0, 0, 0]).all()
    assert np.abs(chart.values[stays] - MANY.euler("zxz")[stays]).max() < 1e-14


def test_composition_inverse_and_action_are_those_of_matrices() -> None:
    r, s = MANY[:500], MANY[500:1000]
    assert np.abs((r @ s).matrix - r.matrix @ s.matrix).max() < 1e-14
    assert gap(r @ r.inverse(), ph.Rotation.identity(500)) < 1e-14
    x = np.random.default_rng(0).standard_normal((500, 3))
    assert np.abs(r.apply(x) - judged(r).apply(x)).max() < 1e-14
    assert np.abs(r.apply(x, inverse=True) - judged(r).apply(x, inverse=True)).max() < 1e-14
    assert (r @ s[0]).shape == (500,) and r.apply([1.0, 0.0, 0.0]).shape == (500, 3)


def test_batches_have_any_shape_and_are_indexed_as_arrays_are() -> None:
    r = ph.Rotation.random((3, 4), seed=1)
    assert r.shape == (3, 4) and len(r) == 3 and r[1].shape == (4,) and r[1, 2].shape == ()
    assert r.matrix.shape == (3, 4, 3, 3) and r.spinor.shape == (3, 4, 2) and r.unitary.shape == (3, 4, 2, 2)
    assert np.array_equal(r[:, 2].quaternion, r.quaternion[:, 2]) and [each.shape for each in r] == [(4,)] * 3
    assert repr(r) == "<3×4 rotations>"


def test_angles_may_be_degrees_and_sequences_short() -> None:
    r = ph.Rotation.from_euler("z", [90, 45], degrees=True)
    assert np.allclose(r.euler("zyx", degrees=True), [[90, 0, 0], [45, 0, 0]])
    one, two = 0.3, 0.4
    assert gap(ph.Rotation.from_euler("zx", [one, two]), ph.Rotation.from_turns(("z", one), ("x", two))) < 1e-15
    assert gap(
        ph.Rotation.from_euler("zx", [one, two], extrinsic=True), ph.Rotation.from_turns(("x", two), ("z", one))
    ) < 1e-15  # fmt: skip


def test_interpolation_is_scipys() -> None:
    from scipy.spatial.transform import Slerp

    r = MANY[:2]
    s = np.linspace(0, 1, 7)
    between = r[0].interpolate(r[1], s)
    assert np.abs(between.matrix - Slerp([0, 1], judged(r))(s).as_matrix()).max() < 1e-14


def test_random_rotations_and_exponential_vectors_of_any_length() -> None:
    assert np.abs(MANY.axis * MANY.angle[:, None] - MANY.exponential).max() < 1e-14
    assert np.abs(MANY.matrix.mean(axis=0)).max() < 0.02
    assert np.array_equal(ph.Rotation.random(3, seed=9).quaternion, ph.Rotation.random(3, seed=9).quaternion)
    assert gap(ph.Rotation.from_exponential([0, 0, 2 * np.pi + 0.3]), ph.Rotation.from_euler("z", 0.3)) < 1e-14


@pytest.mark.parametrize(("form", "extrinsic"), [*FORMS, ("sine", False), ("axial", False)])
def test_rates_and_second_rates_are_those_of_the_motion(form: str, extrinsic: bool) -> None:
    rng = np.random.default_rng(3)
    w, wd = rng.standard_normal((2, 40, 3))
    r = ph.Rotation.from_exponential(rng.uniform(-0.5, 0.5, (40, 3)) + np.array([0.2, 0.6, 0.3]))
    h = 1e-4

    def at(t: float) -> np.ndarray:
        return (r @ ph.Rotation.from_exponential(w * t + wd * t * t / 2)).coordinates(form, extrinsic=extrinsic)

    xd = r.rate(w, form, extrinsic=extrinsic)
    xdd = r.second_rate(w, wd, form, extrinsic=extrinsic)
    scale = 1 + np.abs(xdd).max() ** 2
    assert np.abs((at(h) - at(-h)) / (2 * h) - xd).max() < 1e-6 * scale
    assert np.abs((at(h) - 2 * at(0) + at(-h)) / h**2 - xdd).max() < 1e-5 * scale**2


@pytest.mark.parametrize(("form", "extrinsic"), [*FORMS, ("sine", False), ("axial", False)])
def test_velocities_and_accelerations_undo_rates_in_both_frames(form: str, extrinsic: bool) -> None:
    rng = np.random.default_rng(4)
    w, wd = rng.standard_normal((2, 200, 3))
    r = MANY[:200] if form != "axial" else ph.Rotation.from_exponential(rng.uniform(-0.8, 0.8, (200, 3)))
    worst = r.condition(form, extrinsic=extrinsic).max() ** 3
    for frame in ("body", "space"):
        xd = r.rate(w, form, frame, extrinsic=extrinsic)
        xdd = r.second_rate(w, wd, form, frame, extrinsic=extrinsic)
        assert np.abs(r.velocity(xd, form, frame, extrinsic=extrinsic) - w).max() < 1e-14 * worst
        assert np.abs(r.acceleration(xd, xdd, form, frame, extrinsic=extrinsic) - wd).max() < 1e-14 * worst
    body = r.rate(w, form, "body", extrinsic=extrinsic)
    assert np.abs(r.velocity(body, form, "space", extrinsic=extrinsic) - r.apply(w)).max() < 1e-14 * worst


@pytest.mark.parametrize("form", ["vector", "sine", "exponential", "121", "231"])
def test_the_condition_of_a_form_is_that_of_its_kinematic_equation(form: str) -> None:
    r = MANY[:50]
    gamma = np.stack([r.rate(e, form) for e in np.eye(3)], axis=-1)
    assert np.allclose(r.condition(form), np.linalg.cond(gamma), rtol=1e-9)


def test_the_condition_of_the_axial_chart_is_that_of_its_kinematic_equation_up_to_a_right_angle() -> None:
    r = ph.Rotation.from_axis_angle(np.random.default_rng(1).standard_normal((50, 3)), np.linspace(0.01, 1.5, 50))
    gamma = np.stack([r.rate(e, "axial") for e in np.eye(3)], axis=-1)
    assert np.allclose(r.condition("axial"), np.linalg.cond(gamma), rtol=1e-9)
    assert ph.Rotation.from_euler("x", 1.6).condition("axial") == np.inf


def test_a_model_takes_a_rotation_of_symbols_or_of_one_number() -> None:
    s = ph.System("s")
    q = ph.symbol("q")
    turned = ph.Rotation.from_euler("zx", [q, 0])
    placed = s.frame("f", s.ground, rotation=turned).pose.R
    assert placed == ph.rotation(("z", q))
    quarter = ph.Rotation.from_euler("z", np.pi / 2)
    placed = s.frame("g", s.ground, rotation=quarter).pose.R
    assert placed == ph.rotation(("z", ph.pi / 2))


FIVE = ph.Rotation.random(5, seed=1)
UNEVEN = {
    "apply": lambda: FIVE.apply(np.ones((4, 3))),
    "velocity": lambda: FIVE.velocity(np.ones((4, 3)), form="vector"),
    "acceleration": lambda: FIVE.acceleration(np.ones((5, 3)), np.ones((4, 3)), form="zxz"),
    "rate": lambda: FIVE.rate(np.ones((4, 3)), frame="space"),
    "rate of a spinor": lambda: FIVE.velocity(np.ones((4, 2)), form="spinor"),
    "second rate": lambda: FIVE.second_rate(np.ones((4, 3)), np.ones((5, 3))),
    "axis and angle": lambda: ph.Rotation.from_axis_angle(np.ones((4, 3)), np.ones(5)),
    "sine vector": lambda: ph.Rotation.from_sine_vector(np.zeros((4, 3)), cosine=np.ones(5)),
    "axial vector": lambda: ph.Rotation.from_axial_vector(np.zeros((4, 3)), far=np.ones(5, dtype=bool)),
    "interpolation": lambda: FIVE.interpolate(FIVE.inverse(), np.ones(4)),
    "composition": lambda: FIVE @ ph.Rotation.random(4, seed=1),
    "attitude": lambda: ph.Attitude(np.eye(3)).rates(FIVE, np.ones((4, 3))),
    "thrusters": lambda: ph.Attitude(np.eye(3), [(0, 0, 1)]).momentum_rate(np.ones((5, 3)), np.ones((4, 1))),
    "moving rotation": lambda: ph.MovingRotation(FIVE, np.ones((4, 3))),
}


@pytest.mark.parametrize("uneven", UNEVEN.values(), ids=UNEVEN)
def test_batches_of_different_shapes_are_refused_with_their_shapes(uneven: Callable[[], object]) -> None:
    with pytest.raises(ph.PolhodeError, match=r"\((4|5),\) and \((4|5),\) do not go together") as caught:
        uneven()
    assert "E-ROTATION-SHAPE" in str(caught.value)


def test_batches_of_one_shape_combine_and_others_are_refused() -> None:
    assert FIVE.apply((1, 0, 0)).shape == (5, 3) and FIVE[0].apply(np.ones((2, 4, 3))).shape == (2, 4, 3)
    assert ph.MovingRotation(FIVE, (1, 0, 0)).velocity("space").shape == (5, 3)
    for compare in (lambda: FIVE == FIVE, lambda: FIVE[0] != FIVE, lambda: FIVE[0] == FIVE):
        with pytest.raises(ph.PolhodeError, match="equals"):
            compare()


def test_one_rotation_is_equal_to_what_equals_it() -> None:
    a = ph.symbol("a")
    r, turn = ph.Rotation.random(seed=2), ph.Rotation.from_euler("z", a)
    assert ph.Rotation.identity() == ph.Rotation.identity() == ph.Rotation.identity(exact=True)
    assert r == ph.Rotation.from_quaternion(-r.quaternion) and r != r @ ph.Rotation.from_euler("x", 1e-6)
    assert turn == ph.Rotation.from_axis_angle("z", a) and turn != turn @ turn
    assert turn == ph.Rotation.from_euler("z", a + 2 * ph.pi)
    assert r != 1 and r is not None and r != r.matrix.tolist()
    with pytest.raises(TypeError, match="unhashable"):
        hash(r)
