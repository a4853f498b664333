"""Curves through orientations: they go through them, smoothly, and do not depend on frames."""

from __future__ import annotations

import pickle
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation
from tests.refusals import refused

import polhode as ph
from polhode.control import ComputedTorque, OperationalSpace
from polhode.expr import as_expr, evaluate, is_zero
from polhode.formats import dumps_yaml, loads_yaml
from polhode.model.digest import digest

from .random_knots import random_knots

TURNS = 2 * np.pi / 3


@pytest.mark.parametrize("seed", range(5))
def test_it_goes_through_a_hundred_knots_with_continuous_velocity_and_acceleration(seed):
    t, R = random_knots(seed, 100, TURNS)
    curve = ph.RotationSpline(t, R)
    assert np.abs(curve(t).R - R.as_matrix()).max() < 1e-12
    before, after = (curve._segments.at(t[1:-1], np.arange(99) + side) for side in (0, 1))
    assert np.abs(before.w - after.w).max() < 1e-9 and np.abs(before.wdot - after.wdot).max() < 1e-9
    assert np.abs(curve(t[[0, -1]]).wdot).max() < 1e-9


@pytest.mark.parametrize("angle", [TURNS, 3.1])
def test_even_turning_stays_nearly_even(angle):
    """Cubics in the vector-parameter from the start of each segment have no solution here, or a wild one."""
    R = Rotation.from_rotvec(np.arange(40)[:, None] * [0, 0, angle])
    speed = ph.RotationSpline(np.arange(40), R)(np.linspace(0, 39, 400)).w[:, 2]
    assert np.abs(speed / angle - 1).max() < 0.03
    refused("no angular velocities at the knots", lambda: ph.RotationSpline(np.arange(40), R, chart="vector"))


def test_ends_rests_and_shapes_are_those_asked_for() -> None:
    t, R = random_knots(7, 6, 1.5)
    curve = ph.RotationSpline(t, R, start=(1, 2, 3), end=(0, -1, 0))
    assert np.allclose(curve(t[[0, -1]]).w, [(1, 2, 3), (0, -1, 0)], atol=1e-13)
    curve = ph.RotationSpline([0, 1], [np.eye(3)] * 2)
    assert np.abs(curve([0, 0.5, 1]).R - np.eye(3)).max() == 0 and np.abs(curve(0.3).w).max() == 0
    t, R = random_knots(3, 5, 1.5)
    curve = ph.RotationSpline(t, R)
    assert curve(0.1).R.shape == (3, 3) and curve(0.1).w.shape == (3,)
    assert curve(np.zeros((2, 4))).wdot.shape == (2, 4, 3)


@pytest.mark.parametrize("least", [None, "acceleration"])
def test_frames_do_not_matter(least):
    t, R = random_knots(3, 5, 1.5)
    fixed, body = Rotation.from_rotvec((0.3, 1, -2)), Rotation.from_rotvec((1, 0.2, 0.5))
    at = np.linspace(t[0], t[-1], 40)
    one, other = (ph.RotationSpline(t, knots, least=least)(at) for knots in (R, fixed * R * body))
    assert np.abs(fixed.as_matrix() @ one.R @ body.as_matrix() - other.R).max() < 1e-12


@pytest.mark.parametrize("chart", ["half", "vector"])
def test_a_start_by_velocity_and_acceleration_continues_from_knot_to_knot(chart):
    t, R = random_knots(3, 6, 0.6)
    whole = ph.RotationSpline(t, R, start=(0.1, 0.2, 0), chart=chart)
    curve = ph.RotationSpline(t, R, start=(0.1, 0.2, 0), start_acceleration=whole(t[0]).wdot, chart=chart)
    at = np.linspace(t[0], t[-1], 50)
    assert np.abs(curve(at).R - whole(at).R).max() < 1e-10  # those that solve for all knots together
    other = ph.RotationSpline(t, R, start=(0.1, 0.2, 0), start_acceleration=(0.3, 0, 1), chart=chart)
    assert np.abs(other(t).R - R.as_matrix()).max() < 1e-9
    assert np.allclose([other(t[0]).w, other(t[0]).wdot], [(0.1, 0.2, 0), (0.3, 0, 1)])
    before, after = (other._segments.at(t[1:-1], np.arange(len(t) - 2) + side) for side in (0, 1))
    assert np.allclose(before.w, after.w) and np.allclose(before.wdot, after.wdot)


def test_coefficients_make_the_spline_again():
    t, R = random_knots(3, 6, 0.6)
    curve = ph.RotationSpline(t, R, chart="vector")
    x, y, z = curve.coefficients
    assert x.shape == y.shape == z.shape == (len(t) - 1, 3)
    again = ph.RotationSpline.from_coefficients(t, R.as_matrix()[0], x, y, z)
    at = np.linspace(t[0], t[-1], 50)
    for name in ("R", "quaternion", "w", "wdot"):
        assert np.allclose(getattr(again(at), name), getattr(curve(at), name), atol=1e-10)
    assert np.allclose(again.effort(), curve.effort()) and np.allclose(abs((again.knots * curve.knots).sum(axis=1)), 1)
    one = ph.RotationSpline.from_coefficients([0, 2], np.eye(3), [(0, 0, 0)], [(0, 0, 0)], [(0, 0, 1)])
    assert np.allclose(one(2).R, [[0, -1, 0], [1, 0, 0], [0, 0, 1]]) and np.allclose(one(0).w, (0, 0, 1))
    for wrong, sentence in (
        (lambda: ph.RotationSpline(t, R).coefficients, "no cubics in the vector-parameter"),
        (lambda: ph.RotationSpline(t, R, least="acceleration").coefficients, "no cubics in the vector-parameter"),
        (
            lambda: ph.RotationSpline.from_coefficients(t, np.eye(3), x[1:], y[1:], z[1:]),
            "the coefficients have the shape",
        ),
        (lambda: ph.RotationSpline.from_coefficients(t, np.eye(3), x, y[1:], z), "have the shape"),
        (lambda: ph.RotationSpline.from_coefficients(t, np.eye(3), x, "y", z), "are not numbers"),
        (lambda: ph.RotationSpline.from_coefficients(t, np.ones((3, 3)), x, y, z), "differs from 1"),
    ):
        with pytest.raises(ph.PolhodeError, match=sentence):
            wrong()


def test_a_pose_has_its_quaternion():
    t, R = random_knots(3, 5, 1.5)
    poses = list(zip(R.as_matrix(), np.random.default_rng(1).normal(size=(len(t), 3)), strict=True))
    at = np.linspace(t[0], t[-1], 30)
    for coupling in ("separate", "screw"):
        motion = ph.PoseSpline(t, poses, coupling=coupling)(at)
        scalar_last = motion.quaternion[:, [1, 2, 3, 0]]
        assert np.allclose(Rotation.from_quat(scalar_last).as_matrix(), motion.R, atol=1e-12)


@pytest.mark.parametrize(("options", "sentence"), [
    ({"chart": "euler"}, "chart 'euler'"), ({"least": "jerk"}, "aim 'jerk'"),
    ({"start": (1, 2)}, r"start has the shape \(2,\)"), ({"end": "fast"}, "end: 'fast' are not numbers"),
    ({"start_acceleration": (1, 0, 0)}, "goes with an angular velocity"),
    ({"start": (0, 0, 1), "start_acceleration": (1, 0, 0), "end": (0, 0, 0)}, "with nothing else"),
    ({"start": (0, 0, 1), "start_acceleration": (1, 0)}, r"start_acceleration has the shape \(2,\)"),
])  # fmt: skip
def test_what_cannot_be_gets_a_sentence(options, sentence):
    refused(sentence, lambda: ph.RotationSpline([0, 1], [np.eye(3)] * 2, **options))


def test_it_goes_through_the_knots_with_continuous_velocity_and_acceleration():
    t, R = random_knots(2, 20, 2.0)
    curve = ph.RotationSpline(t, R, least="acceleration")
    assert np.abs(curve(t).R - R.as_matrix()).max() < 1e-12
    before, after = (curve._segments.at(t[1:-1], np.arange(19) + side) for side in (0, 1))
    assert np.abs(before.w - after.w).max() < 1e-11 and np.abs(before.wdot - after.wdot).max() < 1e-11
    assert np.abs(curve(t[[0, -1]]).wdot).max() < 1e-12


def test_between_knots_the_equation_of_extremals_holds():
    t, R = random_knots(5, 4, 1.5)
    curve = ph.RotationSpline(t, R, start=(1, 0, 0), end=(0, 0, 1), least="acceleration")
    h = 1e-3
    middle = (t[:-1] + t[1:]) / 2
    a = [curve(middle + k * h).wdot for k in range(-3, 4)]
    second = (-a[5] + 8 * a[4] - 8 * a[2] + a[1]) / (12 * h)
    third = (2 * (a[0] + a[6]) - 27 * (a[1] + a[5]) + 270 * (a[2] + a[4]) - 490 * a[3]) / (180 * h * h)
    assert np.allclose(third, np.cross(second, curve(middle).w), atol=1e-5 * np.abs(second).max())


@pytest.mark.parametrize("ends", [{}, {"start": (1, -1, 0.5), "end": (0, 2, 0)}])
def test_the_spline_takes_a_little_more(ends):
    t, R = random_knots(1, 8, 2.0)
    spline, least = (ph.RotationSpline(t, R, **ends, least=aim) for aim in (None, "acceleration"))
    assert 1 <= spline.effort() / least.effort() < 1.02


def test_no_velocity_at_the_ends_near_the_free_ones_takes_less():
    t, R = random_knots(6, 5, 1.5)
    free = ph.RotationSpline(t, R, least="acceleration")
    w = free(t[[0, -1]]).w
    for change in np.random.default_rng(0).normal(size=(4, 2, 3)) * 0.05:
        held = ph.RotationSpline(t, R, start=w[0] + change[0], end=w[1] + change[1], least="acceleration")
        assert held.effort() > free.effort()


def test_a_turn_about_one_axis_is_the_cubic_of_the_angle():
    quarter = np.array([[0.0, -1, 0], [1, 0, 0], [0, 0, 1]])
    curve = ph.RotationSpline([0, 2], [np.eye(3), quarter], start=(0, 0, 0), end=(0, 0, 0), least="acceleration")
    s = np.linspace(0, 1, 11)
    angle = np.pi / 2 * (3 * s**2 - 2 * s**3)
    R = curve(2 * s).R
    assert np.allclose(np.arctan2(R[:, 1, 0], R[:, 0, 0]), angle, atol=1e-13)


T, TURNS_SPLINE = random_knots(8, 9, 1.8)
R, P = TURNS_SPLINE.as_matrix(), np.random.default_rng(8).normal(size=(10, 3))
POSES = list(zip(R, P, strict=True))
COUPLINGS = ("separate", "screw")


@pytest.mark.parametrize("coupling", COUPLINGS)
def test_it_goes_through_the_poses_twice_differentiably(coupling):
    curve = ph.PoseSpline(T, POSES, coupling=coupling)
    assert np.abs(curve(T).R - R).max() < 1e-12 and np.abs(curve(T).p - P).max() < 1e-12
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
def test_velocities_at_the_ends_are_those_asked_for_spline(coupling):
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


def test_screws_have_the_turn_of_the_rotation_spline() -> None:
    t = np.linspace(T[0], T[-1], 50)
    assert np.abs(ph.PoseSpline(T, POSES, coupling="screw")(t).R - ph.RotationSpline(T, R)(t).R).max() < 1e-13
    # A quarter turn that rises stays on its helix.
    poses = [(np.eye(3), (0, 0, 0)), ([[0, -1, 0], [1, 0, 0], [0, 0, 1]], (1, 1, 0.5))]
    motion = ph.PoseSpline([0, 1], poses, coupling="screw")(np.linspace(0, 1, 21))
    assert np.allclose(np.hypot(motion.p[:, 0], motion.p[:, 1] - 1), 1, atol=1e-13)
    angle = np.arctan2(motion.R[:, 1, 0], motion.R[:, 0, 0])
    assert np.allclose(motion.p[:, 2], 0.5 * angle / (np.pi / 2), atol=1e-3)


def test_poses_in_all_their_forms():
    X = np.tile(np.eye(4), (10, 1, 1))
    X[:, :3, :3], X[:, :3, 3] = R, P
    forms = [POSES, X, [ph.Pose(ph.Matrix(r.tolist()), ph.Vector(p.tolist())) for r, p in POSES]]
    places = [ph.PoseSpline(T, form)(1.0).p for form in forms]
    assert np.abs(places[0] - places[1]).max() == 0 and np.abs(places[0] - places[2]).max() < 1e-12


@pytest.mark.parametrize(("poses", "options", "sentence"), [
    (POSES, {"coupling": "none"}, "coupling 'none'"), (POSES[:3], {}, "3 poses and 10 times"), (5, {}, "not a list"),
    ([np.eye(3)] * 10, {}, "pose 0 is none"), (POSES, {"start": (1, 2, 3)}, "start is not a pair"),
    (POSES, {"end": ((1, 2), (1, 2, 3))}, "the angular velocity of end has the shape"),
])  # fmt: skip
def test_what_is_no_pose_gets_a_sentence(poses, options, sentence):
    refused(sentence, lambda: ph.PoseSpline(T, poses, **options))


@pytest.mark.parametrize("coupling", COUPLINGS)
def test_pairs_have_rotations_of_any_kind(coupling):
    wanted = ph.PoseSpline(T, POSES, coupling=coupling)(T[3] + 0.01).matrix
    for turns in (ph.Rotation.from_matrix(R), TURNS_SPLINE, [ph.Rotation.from_matrix(each).exact() for each in R]):
        curve = ph.PoseSpline(T, list(zip(turns, P, strict=True)), coupling=coupling)
        assert np.abs(curve(T[3] + 0.01).matrix - wanted).max() < 1e-12


TIMES = [0, 1, 1.5, 3]
KNOTS = Rotation.from_euler("ZYX", [(0, 0, 0), (40, 30, 0), (90, -20, 60), (120, 0, 90)], degrees=True)
FOUR_POSES = list(zip(KNOTS.as_matrix(), [(0, 0, 0), (1, 0, 0.5), (1, 1, 0), (0, 1, 1)], strict=True))
REST: dict[str, Any] = {"start": (0, 0, 0), "end": (0, 0, 0)}
STILL: dict[str, Any] = {"start": ((0, 0, 0), (0, 0, 0)), "end": ((0, 0, 0), (0, 0, 0))}


def agree(curve: Any, names: str, within: float) -> None:
    """Values of the expressions and of the curve at many times."""
    time = ph.System("clock").time
    motion, at = curve(time), np.linspace(0, 3, 41)
    for name in names.split():
        entries = getattr(motion, name)
        flat = [as_expr(entry) for entry in (entries.entries() if hasattr(entries, "entries") else entries)]
        made = np.array([evaluate(flat, {time: float(t)}) for t in at])
        expected = getattr(curve(at), name).reshape(len(at), -1)
        assert np.abs(made - expected).max() < within * (1 + np.abs(expected).max())


@pytest.mark.parametrize(
    "options",
    [{}, REST, {"chart": "vector"}, {"least": "acceleration"}, {"start": (0.3, 0, 1), "start_acceleration": (1, 2, 3)}],
)
def test_expressions_of_a_rotation_spline_are_its_values(options: dict[str, Any]) -> None:
    curve = ph.RotationSpline(TIMES, KNOTS, **options)
    agree(curve, "quaternion R w wdot", 1e-10)
    assert min(each.opaque.points.smoothness for each in curve._functions) >= (1 if "least" in options else 2)


@pytest.mark.parametrize("coupling", ["separate", "screw"])
@pytest.mark.parametrize("ends", [{}, STILL])
def test_expressions_of_a_pose_spline_are_its_values(coupling: str, ends: dict[str, Any]) -> None:
    agree(ph.PoseSpline(TIMES, FOUR_POSES, coupling=coupling, **ends), "quaternion R w wdot p v a", 1e-11)


def test_their_matrix_is_a_rotation_by_fingerprint() -> None:
    motion = ph.RotationSpline(TIMES, KNOTS)(ph.System("clock").time)
    assert all(map(is_zero, (motion.R @ motion.R.T - ph.Matrix.identity(3)).entries()))


def test_beyond_its_knots_a_spline_that_ends_at_rest_stays_there() -> None:
    time = ph.System("clock").time
    motion = ph.PoseSpline(TIMES, FOUR_POSES, **STILL)(time)
    for t, knot in ((-5.0, 0), (9.0, -1)):
        assert evaluate(list(motion.p), {time: t}) == pytest.approx(FOUR_POSES[knot][1], abs=1e-9)
        assert np.reshape(evaluate(list(motion.R.entries()), {time: t}), (3, 3)) == pytest.approx(
            FOUR_POSES[knot][0], abs=1e-9
        )


def plate(curve: Any) -> ph.System:
    """A pendulum whose axis turns as a curve does."""
    s = ph.System("plate")
    bob = s.body("bob", 1, com=(0, 0, -1), inertia=("0.1", "0.2", "0.3"))
    s.joint("swing", s.ground, bob, ph.Revolute("y"), rotation=curve(s.time))
    return s


@pytest.mark.parametrize("options", [REST, {}, {"least": "acceleration"}])
def test_a_placement_moves_along_a_spline(options: dict[str, Any]) -> None:
    """Against Euler's equations about the pivot, integrated by SciPy with the spline's numbers."""
    curve = ph.RotationSpline(TIMES, KNOTS, **options)
    J, arm, y = np.diag([1.1, 1.2, 0.3]), np.array([0, 0, -1.0]), np.array([0, 1.0, 0])

    def rates(t: float, x: Any) -> list[float]:
        now, turn = curve(min(t, 3.0)), Rotation.from_rotvec(x[0] * y).as_matrix()
        carried = turn.T @ now.w
        w, alpha = carried + x[1] * y, turn.T @ now.wdot + np.cross(carried, x[1] * y)
        weight = turn.T @ now.R.T @ [0, 0, -9.81]
        moment = np.cross(arm, weight) - J @ alpha - np.cross(w, J @ w)
        return [x[1], moment[1] / J[1, 1]]

    pieces = [0.0, 0.0]
    for begin, end in pairwise(TIMES):
        pieces = solve_ivp(rates, (begin, end), pieces, method="DOP853", rtol=1e-11, atol=1e-12).y[:, -1]
    run = plate(curve).derive().simulate(3, rtol=1e-10, atol=1e-12)
    assert run.x[-1] == pytest.approx(pieces, abs=1e-7)


def test_formalisms_agree_on_such_a_placement_and_files_keep_it() -> None:
    system = plate(ph.RotationSpline(TIMES, KNOTS, **REST))
    assert system.derive("newton_euler").agrees_with(system.derive("poincare"))
    assert digest(loads_yaml(dumps_yaml(system))) == digest(system)


def test_a_driven_joint_follows_a_component() -> None:
    s, way = ph.System("slide", gravity=(0, 0, 0)), ph.PoseSpline(TIMES, FOUR_POSES)
    s.joint("x", s.ground, s.body("cart", 2), ph.Prismatic("x"))
    s.prescribe("x", way(s.time).p[0])
    s.joint("z", "cart", s.body("bead", 1), ph.Prismatic((1, 0, 1)))  # a wedge: z̈ = -ẍ/√2
    run = s.derive().simulate(3, speeds={"z": -float(way(0).v[0]) / 2**0.5}, rtol=1e-11, atol=1e-12)
    assert run.q[:, 0] == pytest.approx(-way(run.t).p[:, 0] / 2**0.5, abs=1e-9)


def test_controllers_follow_splines() -> None:
    s = ph.System("ball")
    s.joint("ball", s.ground, s.body("top", 1, com=(0, 0, "-0.3"), inertia=("0.1", "0.2", "0.3")), ph.Spherical())
    e = s.derive()
    law, curve = ComputedTorque(e, kp=100, kd=20), ph.RotationSpline(TIMES, KNOTS, **REST)
    for reference in (curve, {"ball": curve}, {"ball": curve(s.time)}):
        run = e.simulate(3, controller=law, reference=reference)
        assert abs(run.q @ curve(run.t).quaternion.T).diagonal() == pytest.approx(1, abs=1e-9)
    fixed = e.simulate(5, controller=law, reference={"ball": ph.Rotation.from_matrix(KNOTS[2].as_matrix())})
    assert abs(fixed.q[-1] @ ph.Rotation.from_matrix(KNOTS[2].as_matrix()).quaternion) == pytest.approx(1, abs=1e-9)
    with pytest.raises(ph.PolhodeError, match="'boll'"):
        e.simulate(1, controller=law, reference={"boll": curve})
    with pytest.raises(ph.PolhodeError, match="3 is no motion of 'ball'"):
        e.simulate(1, controller=law, reference={"ball": 3})
    with pytest.raises(ph.PolhodeError, match="is one curve"):
        e.simulate(1, controller=law, reference="sin(t)")


def test_a_joint_that_stores_vector_parameters_follows_a_spline_by_components() -> None:
    s = ph.System("ball")
    top = s.body("top", 1, com=(0, 0, "-0.3"), inertia=("0.1", "0.2", "0.3"))
    joint = s.joint("ball", s.ground, top, ph.Spherical("vector"))
    e, curve = s.derive(), ph.RotationSpline(TIMES[:3], KNOTS[:3], start=(0, 0, 0), end=(0, 0, 0))
    law, (scalar, *vector) = ComputedTorque(e, kp=100, kd=20), curve(s.time).quaternion
    refused("stores its orientation otherwise", lambda: e.simulate(1, controller=law, reference={"ball": curve}))
    start = dict(zip((q.name for q in joint.q), curve(0.0).quaternion[1:] / curve(0.0).quaternion[0], strict=True))
    reference = {q.name: part / scalar for q, part in zip(joint.q, vector, strict=True)}
    run = e.simulate(float(TIMES[2]), controller=law, start=start, reference=reference)
    wanted = curve(run.t).quaternion
    assert run.q == pytest.approx(wanted[:, 1:] / wanted[:, :1], abs=1e-6)


@pytest.mark.parametrize("coupling", ["separate", "screw"])
def test_free_bodies_and_frames_follow_poses(coupling: str) -> None:
    s = ph.System("drone")
    s.joint("free", s.ground, s.body("drone", 1, com=(0, 0, "-0.3"), inertia=("0.1", "0.2", "0.3")), ph.Free())
    e, way = s.derive(), ph.PoseSpline(TIMES, FOUR_POSES, coupling=coupling, **STILL)
    laws = {
        ComputedTorque(e, kp=100, kd=20): way,
        OperationalSpace(e, "drone", kp=100, kd=20, orientation="reference"): {"drone": way},
        OperationalSpace(e, "drone", kp=100, kd=20, axes="xz", posture_kd=1): way,
    }
    for law, reference in laws.items():
        run = e.simulate(3, controller=law, reference=reference)
        assert max(abs(error).max() for error in run.tracking_error.values()) < 1e-8
    with pytest.raises(ph.PolhodeError, match="no curve for it"):
        e.simulate(1, controller=next(iter(laws)), reference=ph.RotationSpline(TIMES, KNOTS))


def test_a_programme_keeps_a_tip_on_a_spline() -> None:
    s, way = ph.System("crane"), ph.PoseSpline(TIMES, FOUR_POSES, **STILL)
    s.joint("x", s.ground, s.body("cart", 2), ph.Prismatic("x"))
    s.joint("z", "cart", s.body("hook", 1), ph.Prismatic("z"))
    e = s.derive()
    tip, along = e.pose("hook").p, way(s.time).p
    programme = e.programme_control([tip[0] - along[0], tip[2] - along[2]], ["x", "z"])
    run = e.simulate(3, tau=programme.control)
    assert run.q == pytest.approx(way(run.t).p[:, [0, 2]], abs=1e-7)


def test_splines_pickle() -> None:
    for curve in (ph.RotationSpline(TIMES, KNOTS), ph.PoseSpline(TIMES, FOUR_POSES, coupling="screw")):
        again = pickle.loads(pickle.dumps(curve))
        assert (again(0.7).w == curve(0.7).w).all()


def test_a_curve_too_wild_for_an_expression_gets_a_sentence() -> None:
    wild = ph.RotationSpline.from_coefficients([0, 1], np.eye(3), [[1e9, 0, 0]], [[-1.5e9, 3e8, 0]], [[5e8, 0, 7.0]])
    with pytest.raises(ph.PolhodeError, match="turns too fast"):
        wild(ph.System("clock").time)
