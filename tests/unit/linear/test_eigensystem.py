"""Eigenvalues with left and right eigenvectors, and followed from matrix to matrix."""

import pickle

import mpmath
import numpy as np
import pytest
from numpy.testing import assert_allclose

import polhode as ph
from polhode.errors import PolhodeError
from polhode.linear.eigensystem import EigenSystem, followed, numbers_along, spectrum_of


def random_matrix(size: int = 5) -> np.ndarray:
    return np.random.default_rng(4).normal(size=(size, size))


def test_eigenvectors_and_derivatives_of_simple_eigenvalues() -> None:
    A = random_matrix()
    found = EigenSystem.of(A)
    assert_allclose(A @ found.right, found.right * found.values, atol=1e-12)
    assert_allclose(found.left.conj().T @ A, found.values[:, None] * found.left.conj().T, atol=1e-12)
    assert np.all(np.diff(found.values.real) <= 1e-12)
    A, change = random_matrix(), np.random.default_rng(5).normal(size=(5, 5))
    h = 1e-6
    ends = followed(lambda p: A + p * change, np.array([0.0, h, -h]))
    assert_allclose(EigenSystem.of(A).moved_by(change), (ends[1] - ends[2]) / (2 * h), atol=1e-8)
    found = EigenSystem.of(np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, -2.0]]))
    assert found.are_simple.tolist() == [False, False, True]
    assert np.isnan(found.moved_by(np.eye(3))).tolist() == [True, True, False]


def test_branches_pass_through_each_other_by_large_steps() -> None:
    turn = np.linalg.qr(random_matrix(3))[0]

    def matrix(p: float) -> np.ndarray:
        return turn @ np.diag([p, 3 - 2 * p, 1.3]) @ turn.T

    values = np.array([0.0, 0.9, 1.6, 3.0])
    found = followed(matrix, values).real
    assert_allclose(found, np.array([3 - 2 * values, np.full(4, 1.3), values]).T, atol=1e-12)


def test_a_pair_that_becomes_real_is_still_followed() -> None:
    values = np.linspace(0.0, 4.0, 9)  # λ² + p λ + 1 = 0 is real from p = 2 on
    found = followed(lambda p: np.array([[0.0, 1.0], [-1.0, -p]]), values)
    assert_allclose(found.sum(axis=1), -values, atol=1e-12)
    assert_allclose(np.abs(np.diff(found, axis=0)).max(), 0.866, atol=0.3)


@pytest.mark.parametrize("values", [[], [1.0, np.nan], [[1.0, 2.0]], 3.0, "ab", None])
def test_values_that_are_no_numbers_get_a_sentence(values: object) -> None:
    with pytest.raises(
        PolhodeError, match=r"there are no gains|the gains are no list of finite numbers|not a list of gains"
    ):
        numbers_along(values, "gains", "here")


def pendulum_and_spring(push: float, stiffness: float = 1e10, coupling: float = 0.0) -> ph.System:
    """A pendulum with the effort `push` u, beside a mass on a stiff spring."""
    s = ph.System("pendulum and spring", gravity=(0, 0, "-9.81"))
    hinge = s.joint("a", s.ground, s.body("bob", 1, com=(0, 0, -1)), ph.Revolute("y"))
    slide = s.joint("x", s.ground, s.body("block", 1), ph.Prismatic("x"))
    s.joint_force(hinge, push * hinge.u[0] + coupling * slide.q[0])
    s.joint_force(slide, -stiffness * slide.q[0] - slide.u[0] + coupling * hinge.q[0])
    return s


@pytest.mark.parametrize("coupling", [0.0, 3.0])
@pytest.mark.parametrize(
    ("push", "word"), [(0.01, "unstable"), (4e-7, "unstable"), (-4e-7, "stable"), (-0.01, "stable")]
)
def test_a_stiff_spring_elsewhere_hides_nothing(push: float, word: str, coupling: float) -> None:
    rest = pendulum_and_spring(push, coupling=coupling).derive().equilibrium(given={"a": 0, "x": 0})
    assert rest.stability == word
    slow = [value for value in rest.eigenvalues if abs(value) < 10]
    assert [value.real for value in slow] == pytest.approx([push / 2] * 2, rel=1e-3)


def test_a_conservative_system_is_neutral_by_structure() -> None:
    rest = pendulum_and_spring(0).derive().equilibrium(given={"a": 0, "x": 0})
    assert rest.stability == "neutral"  # the block is damped, the pendulum is not
    assert rest.stability.reason.startswith("by structure: 0 +3.132i")
    hanging = triple_pendulum().derive().equilibrium()
    assert (hanging.stability, hanging.stability.reason.split(":")[0]) == ("neutral", "by structure")


def triple_pendulum() -> ph.System:
    s = ph.System("triple pendulum", gravity=(0, 0, "-9.81"))
    parent, at = s.ground, 0
    for k in range(3):
        bob = s.body(f"bob {k}", k + 1, com=(0, 0, -1))
        s.joint(f"a{k}", parent, bob, ph.Revolute("y"), at=(0, 0, at))
        parent, at = bob, -1
    return s


def heavy_top(damping: float = 0.0) -> ph.Equations:
    """A heavy top on three axes; upright, it is stable in linear terms only if it spins fast."""
    s = ph.System("top", gravity=(0, 0, "-9.81"))
    body = s.body("top", 1, com=(0, 0, 1), inertia=("0.3", "0.3", "0.2"))
    turns = ph.Compound(*map(ph.Revolute, "xyz"))
    joint = s.joint("gimbal", s.ground, body, turns, coordinates=["a", "b", "c"], speeds=["p", "q", "r"])
    if damping:
        s.joint_force(joint, -damping * joint.u[0], index=0)
        s.joint_force(joint, -damping * joint.u[1], index=1)
    return s.derive()


def test_a_gyroscopic_system_is_neutral_where_it_spins_fast_enough() -> None:
    least = np.sqrt(4 * 1.3 * 9.81) / 0.2  # C ω = 2 √(A m g h), A = 0.3 + m h²
    for factor, word in ((0.999, "unstable"), (1.001, "neutral")):
        at = heavy_top().equilibrium(given={"a": 0, "b": 0, "r": factor * least})
        assert at.stability == word, at.eigenvalues
    assert at.stability.reason.startswith("by structure")
    slowed = heavy_top(damping=1e-6).equilibrium(given={"a": 0, "b": 0, "r": 1.01 * least})
    assert slowed.stability == "unstable"  # damping of the tilt takes a fast top down


def test_a_shaft_that_whirls_is_neutral_below_its_critical_speed() -> None:
    """Massless shaft with a disc in a frame that turns: k = 4, m = 1, critical at 2 rad/s; internal damping."""
    s = ph.System("shaft", gravity=(0, 0, 0))
    turn = s.parameter("turn", 1)
    guide = s.body("guide")
    x = s.joint("x", s.ground, guide, ph.Prismatic("x"))
    y = s.joint("y", guide, s.body("disc", 1), ph.Prismatic("y"))
    inner, outer = s.parameter("inner", 0), s.parameter("outer", 0)
    s.joint_force(x, (turn**2 - 4) * x.q[0] + 2 * turn * y.u[0] - inner * x.u[0] - outer * (x.u[0] - turn * y.q[0]))
    s.joint_force(y, (turn**2 - 4) * y.q[0] - 2 * turn * x.u[0] - inner * y.u[0] - outer * (y.u[0] + turn * x.q[0]))
    made = s.derive()
    at = {"x": 0, "y": 0}
    assert made.equilibrium(given=at).stability == "neutral"
    assert made.equilibrium(given=at, parameters={"inner": 1e-7}).stability == "stable"
    whirl = made.equilibrium(given=at, parameters={"inner": 1e-7, "turn": 2.001})
    assert whirl.stability == "unstable"  # internal damping drives the whirl beyond the critical speed
    assert made.equilibrium(given=at, parameters={"inner": 1e-7, "outer": 1e-7, "turn": 3.9}).stability == "stable"


def test_near_a_hopf_point_the_sign_is_right_on_both_sides() -> None:
    s = ph.System("oscillator", gravity=(0, 0, 0))
    c = s.parameter("c", 0)
    x = s.joint("x", s.ground, s.body("block", 1), ph.Prismatic("x"))
    s.joint_force(x, (c - 1) * x.u[0] - 9 * x.q[0] - x.q[0] ** 3)
    made = s.derive()
    for away, word in ((-1e-9, "stable"), (0.0, "neutral"), (1e-9, "unstable")):
        at = made.equilibrium(given={"x": 0}, parameters={"c": 1 + away})
        assert at.stability == word
    (hopf,) = made.branch("c", (0, 3), given={"x": 0}).special
    assert (hopf.kind, hopf.value, hopf.frequency) == ("Hopf point", pytest.approx(1, abs=1e-9), pytest.approx(3))


def test_the_words_for_one_matrix_are_those_of_exact_eigenvalues() -> None:
    """Against mpmath with 60 digits, on matrices whose sizes range over eight decades."""
    rng = np.random.default_rng(5)
    for _ in range(30):
        size = int(rng.integers(2, 7))
        A = rng.normal(size=(size, size)) * 10.0 ** rng.uniform(-4, 4, (size, 1))
        A -= rng.uniform(0, 3) * np.diag(np.abs(A).sum(axis=1))
        with mpmath.workdps(60):
            exact = [complex(value) for value in mpmath.eig(mpmath.matrix(A.tolist()), right=False)]
        made = spectrum_of(A)
        assert made.stability() == ("unstable" if max(value.real for value in exact) > 0 else "stable")
        assert np.sort(made.values.real) == pytest.approx(np.sort([value.real for value in exact]), rel=1e-6)


@pytest.mark.parametrize(
    ("A", "word", "reason"),
    [
        ([[0.0, 1.0], [-1.0, -2.0]], "stable", "all decay"),  # -1 twice, with one eigenvector
        ([[0.0, 1.0], [0.0, 0.0]], "neutral", "by structure"),  # a free mass
        ([[0, 0, 1, 0], [0, 0, 0, 1], [-1, 1, 0, 0], [1, -1, 0, 0]], "neutral", "within"),  # two masses and a spring
        ([[0, 3, 1, 0], [-3, 0, 0, 1], [1e-30, 0, 0, 3], [0, 0, -3, 0]], "neutral", "within"),  # ±3i twice
        ([[-1e-3, 3, 0, 1e-3], [-3, -1e-3, 0, 0], [1, 0, 0, 3], [0, 0, -3, 0]], "unstable", "0.0"),
    ],
)
def test_multiple_eigenvalues_are_decided(A: list[list[float]], word: str, reason: str) -> None:
    made = spectrum_of(np.array(A, dtype=float)).stability()
    assert made == word and made.reason.startswith(reason)


def test_verdicts_pickle_and_zeros_of_a_family_do_not_count() -> None:
    A = np.array([[0.0, 0.0, 0.0], [1.0, -1.0, 2.0], [0.0, -2.0, -1.0]])
    assert [spectrum_of(A).stability(running) for running in (0, 1)] == ["neutral", "stable"]
    made = spectrum_of(np.array([[0.5]])).stability()
    again = pickle.loads(pickle.dumps(made))
    assert again == "unstable" and again.reason == made.reason == "0.5 grows, beyond its error bound."
    # With λ = 2 in one block and -2 in another, no mirror image is near, and the first grows.
    made = spectrum_of(np.array([[2.0, 1.0], [0.0, -2.0]]), is_symmetric=True)
    assert made.stability() == "unstable" and made.growth.tolist() == [1, -1]
