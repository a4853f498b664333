"""Splines as expressions of time: the same curve, in placements, references and programmes."""

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

T = [0, 1, 1.5, 3]
KNOTS = Rotation.from_euler("ZYX", [(0, 0, 0), (40, 30, 0), (90, -20, 60), (120, 0, 90)], degrees=True)
POSES = list(zip(KNOTS.as_matrix(), [(0, 0, 0), (1, 0, 0.5), (1, 1, 0), (0, 1, 1)], strict=True))
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
    curve = ph.RotationSpline(T, KNOTS, **options)
    agree(curve, "quaternion R w wdot", 1e-10)
    assert min(each.opaque.points.smoothness for each in curve._functions) >= (1 if "least" in options else 2)


@pytest.mark.parametrize("coupling", ["separate", "screw"])
@pytest.mark.parametrize("ends", [{}, STILL])
def test_expressions_of_a_pose_spline_are_its_values(coupling: str, ends: dict[str, Any]) -> None:
    agree(ph.PoseSpline(T, POSES, coupling=coupling, **ends), "quaternion R w wdot p v a", 1e-11)


def test_their_matrix_is_a_rotation_by_fingerprint() -> None:
    motion = ph.RotationSpline(T, KNOTS)(ph.System("clock").time)
    assert all(map(is_zero, (motion.R @ motion.R.T - ph.Matrix.identity(3)).entries()))


def test_beyond_its_knots_a_spline_that_ends_at_rest_stays_there() -> None:
    time = ph.System("clock").time
    motion = ph.PoseSpline(T, POSES, **STILL)(time)
    for t, knot in ((-5.0, 0), (9.0, -1)):
        assert evaluate(list(motion.p), {time: t}) == pytest.approx(POSES[knot][1], abs=1e-9)
        assert np.reshape(evaluate(list(motion.R.entries()), {time: t}), (3, 3)) == pytest.approx(
            POSES[knot][0], abs=1e-9
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
    curve = ph.RotationSpline(T, KNOTS, **options)
    J, arm, y = np.diag([1.1, 1.2, 0.3]), np.array([0, 0, -1.0]), np.array([0, 1.0, 0])

    def rates(t: float, x: Any) -> list[float]:
        now, turn = curve(min(t, 3.0)), Rotation.from_rotvec(x[0] * y).as_matrix()
        carried = turn.T @ now.w
        w, alpha = carried + x[1] * y, turn.T @ now.wdot + np.cross(carried, x[1] * y)
        weight = turn.T @ now.R.T @ [0, 0, -9.81]
        moment = np.cross(arm, weight) - J @ alpha - np.cross(w, J @ w)
        return [x[1], moment[1] / J[1, 1]]

    pieces = [0.0, 0.0]
    for begin, end in pairwise(T):
        pieces = solve_ivp(rates, (begin, end), pieces, method="DOP853", rtol=1e-11, atol=1e-12).y[:, -1]
    run = plate(curve).derive().simulate(3, rtol=1e-10, atol=1e-12)
    assert run.x[-1] == pytest.approx(pieces, abs=1e-7)


def test_formalisms_agree_on_such_a_placement_and_files_keep_it() -> None:
    system = plate(ph.RotationSpline(T, KNOTS, **REST))
    assert system.derive("newton_euler").agrees_with(system.derive("poincare"))
    assert digest(loads_yaml(dumps_yaml(system))) == digest(system)


def test_a_driven_joint_follows_a_component() -> None:
    s, way = ph.System("slide", gravity=(0, 0, 0)), ph.PoseSpline(T, POSES)
    s.joint("x", s.ground, s.body("cart", 2), ph.Prismatic("x"))
    s.prescribe("x", way(s.time).p[0])
    s.joint("z", "cart", s.body("bead", 1), ph.Prismatic((1, 0, 1)))  # a wedge: z̈ = -ẍ/√2
    run = s.derive().simulate(3, speeds={"z": -float(way(0).v[0]) / 2**0.5}, rtol=1e-11, atol=1e-12)
    assert run.q[:, 0] == pytest.approx(-way(run.t).p[:, 0] / 2**0.5, abs=1e-9)


def test_controllers_follow_splines() -> None:
    s = ph.System("ball")
    s.joint("ball", s.ground, s.body("top", 1, com=(0, 0, "-0.3"), inertia=("0.1", "0.2", "0.3")), ph.Spherical())
    e = s.derive()
    law, curve = ComputedTorque(e, kp=100, kd=20), ph.RotationSpline(T, KNOTS, **REST)
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
    e, curve = s.derive(), ph.RotationSpline(T[:3], KNOTS[:3], start=(0, 0, 0), end=(0, 0, 0))
    law, (scalar, *vector) = ComputedTorque(e, kp=100, kd=20), curve(s.time).quaternion
    refused("stores its orientation otherwise", lambda: e.simulate(1, controller=law, reference={"ball": curve}))
    start = dict(zip((q.name for q in joint.q), curve(0.0).quaternion[1:] / curve(0.0).quaternion[0], strict=True))
    reference = {q.name: part / scalar for q, part in zip(joint.q, vector, strict=True)}
    run = e.simulate(float(T[2]), controller=law, start=start, reference=reference)
    wanted = curve(run.t).quaternion
    assert run.q == pytest.approx(wanted[:, 1:] / wanted[:, :1], abs=1e-6)


@pytest.mark.parametrize("coupling", ["separate", "screw"])
def test_free_bodies_and_frames_follow_poses(coupling: str) -> None:
    s = ph.System("drone")
    s.joint("free", s.ground, s.body("drone", 1, com=(0, 0, "-0.3"), inertia=("0.1", "0.2", "0.3")), ph.Free())
    e, way = s.derive(), ph.PoseSpline(T, POSES, coupling=coupling, **STILL)
    laws = {
        ComputedTorque(e, kp=100, kd=20): way,
        OperationalSpace(e, "drone", kp=100, kd=20, orientation="reference"): {"drone": way},
        OperationalSpace(e, "drone", kp=100, kd=20, axes="xz", posture_kd=1): way,
    }
    for law, reference in laws.items():
        run = e.simulate(3, controller=law, reference=reference)
        assert max(abs(error).max() for error in run.tracking_error.values()) < 1e-8
    with pytest.raises(ph.PolhodeError, match="no curve for it"):
        e.simulate(1, controller=next(iter(laws)), reference=ph.RotationSpline(T, KNOTS))


def test_a_programme_keeps_a_tip_on_a_spline() -> None:
    s, way = ph.System("crane"), ph.PoseSpline(T, POSES, **STILL)
    s.joint("x", s.ground, s.body("cart", 2), ph.Prismatic("x"))
    s.joint("z", "cart", s.body("hook", 1), ph.Prismatic("z"))
    e = s.derive()
    tip, along = e.pose("hook").p, way(s.time).p
    programme = e.programme_control([tip[0] - along[0], tip[2] - along[2]], ["x", "z"])
    run = e.simulate(3, tau=programme.control)
    assert run.q == pytest.approx(way(run.t).p[:, [0, 2]], abs=1e-7)


def test_splines_pickle() -> None:
    for curve in (ph.RotationSpline(T, KNOTS), ph.PoseSpline(T, POSES, coupling="screw")):
        again = pickle.loads(pickle.dumps(curve))
        assert (again(0.7).w == curve(0.7).w).all()


def test_a_curve_too_wild_for_an_expression_gets_a_sentence() -> None:
    wild = ph.RotationSpline.from_coefficients([0, 1], np.eye(3), [[1e9, 0, 0]], [[-1.5e9, 3e8, 0]], [[5e8, 0, 7.0]])
    with pytest.raises(ph.PolhodeError, match="turns too fast"):
        wild(ph.System("clock").time)
