"""Loops judged by formulas that are known in closed form, and by Pinocchio's and MuJoCo's constrained accelerations."""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.transform import Rotation

import polhode as ph
from polhode.expr import evaluate
from polhode.model.samples.linkages import LEGS, base_joint, bricard_mechanism, plate_joint, stewart_platform

CRANK, COUPLER, ROCKER, BASE = 0.2, 0.5, 0.4, 0.5
DENSITY = 2.0
Array = np.ndarray


@cache
def four_bar() -> ph.Equations:
    s = ph.System("four-bar")
    turn = ph.Revolute("-y")
    names = ("crank", "coupler", "rocker")
    crank, coupler, rocker = (
        s.body(name, DENSITY * l, (l / 2, 0, 0), ph.rod(DENSITY * l, l, "x"))
        for name, l in zip(names, (CRANK, COUPLER, ROCKER), strict=True)
    )
    s.joint("theta2", s.ground, crank, turn)
    s.joint("theta3", crank, coupler, turn, at=(CRANK, 0, 0))
    s.joint("theta4", s.ground, rocker, turn, at=(BASE, 0, 0))
    s.close("pin", coupler, rocker, turn, at_a=(COUPLER, 0, 0), at_b=(ROCKER, 0, 0))
    return s.derive()


@cache
def stewart() -> ph.Equations:
    return stewart_platform().derive()


def state(equations: ph.Equations, seed: int) -> tuple[Array, Array, Array]:
    """A consistent state with the leading coordinates given, and efforts on every speed."""
    rng = np.random.default_rng(seed)
    if equations is four_bar():
        start: dict[str, Any] = {"theta2": rng.uniform(0, 6.28), "theta3": -1.0, "theta4": 2.0}
        hold, speeds = ["theta2"], {"theta2": 3.0}
    else:
        start = {**equations.system.poses["work"].coordinates, **plate_pose(rng)}
        hold = [name for name in equations.coordinates if name.startswith("plate")]
        speeds = {name: rng.uniform(-1, 1) for name in equations.speeds if name.startswith("plate")}
    made = equations.assemble(start, speeds, hold=hold)
    return made.q, made.u, rng.uniform(-5, 5, len(equations.tau))


def plate_pose(rng: np.random.Generator) -> dict[str, float]:
    x, y, z, w = Rotation.from_rotvec(rng.uniform(-0.3, 0.3, 3)).as_quat().tolist()
    places = dict(zip("xyz", np.array([0.0, 0.0, 0.7]) + rng.uniform(-0.1, 0.1, 3), strict=True))
    turns = dict(zip(("e0", "e1", "e2", "e3"), (w, x, y, z), strict=True))
    return {f"plate_{key}": float(value) for key, value in {**places, **turns}.items()}


@pytest.mark.parametrize("crank", np.linspace(0.1, 6.2, 9))
def test_a_four_bar_obeys_freudensteins_equation(crank: float) -> None:
    made = four_bar().assemble({"theta2": crank, "theta3": -1.0, "theta4": 2.0}, hold=["theta2"])
    two, four = made.q[0], made.q[2]
    assert two == crank
    shape = (CRANK**2 - COUPLER**2 + ROCKER**2 + BASE**2) / (2 * CRANK * ROCKER)
    assert BASE / CRANK * np.cos(four) - BASE / ROCKER * np.cos(two) + shape == pytest.approx(
        np.cos(two - four), abs=1e-11
    )


@pytest.mark.parametrize("theta", [0.4, 1.9, 3.6, 5.5])
def test_a_piston_accelerates_as_the_second_derivative_of_its_position_says(theta: float) -> None:
    r, l, m, omega = 0.05, 0.16, 0.6, 70.0
    s = ph.System("slider-crank", gravity=(0, 0, 0))
    crank = s.body("crank", 2, inertia=(0.01, 0.02, 0.01))
    rod = s.body("rod", m, (l / 3, 0, 0), ph.rod(m, l, "x"))
    s.joint("theta", s.ground, crank, ph.Revolute("-y"))
    s.joint("phi", crank, rod, ph.Revolute("-y"), at=(r, 0, 0))
    s.joint("x", s.ground, s.body("piston", m), ph.Prismatic("x"), at=(r + l, 0, 0))
    s.close("pin", "rod", "piston", ph.Revolute("-y"), at_a=(l, 0, 0))
    equations = s.derive()
    made = equations.assemble({"theta": theta, "phi": -theta}, {"theta": omega}, hold=["theta"])
    angular, _, linear = equations.compile().forward_dynamics(made.q, made.u, np.zeros(3))
    sin, cos = np.sin(theta), np.cos(theta)
    root = np.sqrt(l**2 - (r * sin) ** 2)
    slope = -r * sin - r**2 * sin * cos / root
    bend = -r * cos - r**2 * (cos**2 - sin**2) / root - (r**2 * sin * cos) ** 2 / root**3
    assert made.q[2] == pytest.approx(r * cos + root - (r + l), abs=1e-12)
    assert made.u[2] == pytest.approx(slope * omega, rel=1e-10)
    assert linear == pytest.approx(bend * omega**2 + slope * angular, rel=1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_legs_of_a_stewart_platform_are_as_long_as_the_plate_asks(seed: int) -> None:
    equations = stewart()
    q, _, _ = state(equations, seed)
    place = dict(zip(equations.coordinates, q, strict=True))
    R = Rotation.from_quat([place[f"plate_e{k}"] for k in (1, 2, 3, 0)])
    for leg in LEGS:
        below, above = (numbers(equations.system, at(equations.system, leg)) for at in (base_joint, plate_joint))
        length = np.linalg.norm([place[f"plate_{axis}"] for axis in "xyz"] + R.apply(above) - below)
        assert place[f"leg {leg}"] == pytest.approx(length - 0.5, abs=1e-11)


def test_the_plates_mass_matrix_is_what_its_legs_motion_makes_of_the_whole() -> None:
    """E^T M E by fingerprint, and the same accelerations with multipliers as for the plate alone."""
    whole = stewart()
    plate = [speed for speed in whole.speeds if speed.startswith("plate")]
    alone = stewart_platform().derive(independent=plate, near="work")
    assert alone.dependent_speeds is not None
    assert alone.mass_matrix == alone.dependent_speeds.E.T @ whole.mass_matrix @ alone.dependent_speeds.E
    assert alone.agrees_with(whole)


def test_bricards_ring_keeps_its_energy_and_turns_its_hinges_alike() -> None:
    equations = bricard_mechanism().derive()
    assert equations.constraints is not None and len(equations.constraints.generic_rows) == len(equations.u) == 5
    assert equations.assemble().freedom.degrees == 1
    run = equations.simulate(10, rtol=1e-11, atol=1e-11)
    assert run.energy_drift < 1e-9
    assert_allclose(run["hinge 1"], run["hinge 3"], atol=1e-11)
    assert_allclose(run["hinge 2"], run["hinge 4"], atol=1e-11)
    one, two = np.cos(np.pi / 2 + run["hinge 1"]), np.cos(np.pi / 2 + run["hinge 2"])
    assert_allclose(one + two + one * two, 0, atol=1e-11)
    assert np.ptp(run["hinge 1"]) > 3.0


ARM, FOREARM = 0.3, 0.4


def five_bar(distance: float) -> ph.System:
    s = ph.System("five-bar")
    turn = ph.Revolute("-y")
    for side, at in (("left", -distance / 2), ("right", distance / 2)):
        upper = s.body(f"{side} arm", 1, (ARM / 2, 0, 0), ph.rod(1, ARM, "x"))
        lower = s.body(f"{side} forearm", 1, (FOREARM / 2, 0, 0), ph.rod(1, FOREARM, "x"))
        s.joint(f"{side} shoulder", s.ground, upper, turn, at=(at, 0, 0))
        s.joint(f"{side} elbow", upper, lower, turn, at=(ARM, 0, 0))
    s.close("pin", "left forearm", "right forearm", turn, at_a=(FOREARM, 0, 0), at_b=(FOREARM, 0, 0))
    return s


def test_a_five_bar_has_a_dead_point_where_all_its_bars_are_in_one_line() -> None:
    """One arm stretched, the other folded, their shoulders as far apart as the difference: 0.7 - 0.1 = 0.6."""
    in_line = {"left shoulder": 0.0, "left elbow": 0.0, "right shoulder": np.pi, "right elbow": -np.pi}
    found = five_bar(0.6).diagnose(in_line)
    assert found.can_be_assembled and found.is_singular and found.freedom == 2
    assert found.here is not None and found.here.rank == 1


def test_a_five_bar_has_no_dead_point_where_its_forearms_alone_are_in_one_line() -> None:
    """Its motors lose their hold of the pen there, but the conditions stay independent."""
    up = float(np.arccos((FOREARM - 0.125) / ARM))
    pose = {"left shoulder": np.pi - up, "left elbow": up - np.pi, "right shoulder": up, "right elbow": np.pi - up}
    found = five_bar(0.25).diagnose(pose)
    assert found.can_be_assembled and not found.is_singular and found.freedom == 2
    assert found.here is not None and set(found.here.independent) != {"left shoulder", "right shoulder"}


def numbers(system: ph.System, entries: Any) -> Array:
    values = {p.symbol: float(p.value) for p in system.parameters.values() if p.value is not None}
    return np.array(evaluate(list(entries), values))


def pinocchio_four_bar(pin: Any) -> tuple[Any, list[Any]]:
    model = pin.Model()
    axis = np.array([0.0, -1.0, 0.0])
    ends = []
    for parents, x, length in ((0, 0.0, CRANK), (1, CRANK, COUPLER), (0, BASE, ROCKER)):
        joint = model.addJoint(parents, pin.JointModelRevoluteUnaligned(axis), _at(pin, (x, 0, 0)), f"at {x} {length}")
        inertia = DENSITY * length**3 / 12 * np.diag([0.0, 1.0, 1.0])
        model.appendBodyToJoint(
            joint, pin.Inertia(DENSITY * length, np.array([length / 2, 0, 0]), inertia), _at(pin, (0, 0, 0))
        )
        ends.append((joint, _at(pin, (length, 0, 0))))
    return model, [_pin_constraint(pin, model, *ends[1], *ends[2])]


def pinocchio_stewart(pin: Any) -> tuple[Any, list[Any]]:
    system, model, constraints = stewart().system, pin.Model(), []
    plate = model.addJoint(0, pin.JointModelFreeFlyer(), _at(pin, (0, 0, 0)), "plate")
    model.appendBodyToJoint(plate, _pin_inertia(pin, system, "plate"), _at(pin, (0, 0, 0)))
    for leg in LEGS:
        foot = _at(pin, numbers(system, base_joint(system, leg)))
        swing = model.addJoint(0, pin.JointModelRX(), foot, f"foot {leg}")
        lower = model.addJoint(swing, pin.JointModelRY(), _at(pin, (0, 0, 0)), f"foot {leg} too")
        upper = model.addJoint(lower, pin.JointModelPZ(), _at(pin, (0, 0, 0.5)), f"leg {leg}")
        model.appendBodyToJoint(lower, _pin_inertia(pin, system, f"lower {leg}"), _at(pin, (0, 0, 0)))
        model.appendBodyToJoint(upper, _pin_inertia(pin, system, f"upper {leg}"), _at(pin, (0, 0, 0)))
        ball = _at(pin, numbers(system, plate_joint(system, leg)))
        constraints.append(_pin_constraint(pin, model, upper, _at(pin, (0, 0, 0)), plate, ball))
    return model, constraints


def _at(pin: Any, place: Any) -> Any:
    return pin.SE3(np.eye(3), np.array(place, float))


def _pin_inertia(pin: Any, system: ph.System, name: str) -> Any:
    body = system.bodies[name]
    inertia = numbers(system, body.inertia.entries()).reshape(3, 3)
    return pin.Inertia(float(numbers(system, [body.mass])[0]), numbers(system, body.com), inertia)


def _pin_constraint(pin: Any, model: Any, a: int, at_a: Any, b: int, at_b: Any) -> Any:
    return pin.RigidConstraintModel(pin.ContactType.CONTACT_3D, model, a, at_a, b, at_b, pin.ReferenceFrame.LOCAL)


def plate_for_pinocchio(q: Array, u: Array) -> tuple[Array, Array]:
    """Position before orientation, the scalar of the quaternion last; linear before angular velocity."""
    return np.concatenate([q[4:7], q[1:4], q[:1], q[7:]]), _swapped(u)


def _swapped(u: Array) -> Array:
    return np.concatenate([u[3:6], u[:3], u[6:]])


def as_it_is(q: Array, u: Array) -> tuple[Array, Array]:
    return q, u


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("made", [pinocchio_four_bar, pinocchio_stewart])
def test_pinocchio_finds_the_same_accelerations(made: Callable[..., Any], seed: int, agree: Any) -> None:
    pin = pytest.importorskip("pinocchio")
    on_plate = made is pinocchio_stewart
    equations = stewart() if on_plate else four_bar()
    q, u, tau = state(equations, seed)
    ours = equations.compile().forward_dynamics(q, u, tau)
    model, found_constraints = made(pin)
    data = model.createData()
    constraints, notes = pin.StdVec_RigidConstraintModel(), pin.StdVec_RigidConstraintData()
    for constraint in found_constraints:
        constraints.append(constraint)
        notes.append(constraint.createData())
    newer = int(pin.__version__.split(".")[0]) >= 4
    pin.initConstraintDynamics(model, data, constraints, *([notes] if newer else []))
    theirs_q, theirs_u = (plate_for_pinocchio if on_plate else as_it_is)(q, u)
    settings = pin.ProximalSettings(1e-14, 1e-14, 60)
    effort = _swapped(tau) if on_plate else tau
    found = np.array(pin.constraintDynamics(model, data, theirs_q, theirs_u, effort, constraints, notes, settings))
    agree("accelerations", ours, _swapped(found) if on_plate else found, 1e-8)


OPTION = (
    '<option gravity="0 0 -9.81" jacobian="dense"><flag contact="disable"/></option>'
    '<compiler angle="radian" autolimits="true"/>'
)
#: MuJoCo wants a moment about every axis; a rod has none along.
ALONG = 1e-12


def mujoco_four_bar() -> str:
    def bar(name: str, x: float, length: float, inner: str = "") -> str:
        m, across = DENSITY * length, DENSITY * length**3 / 12
        return (
            f'<body name="{name}" pos="{x} 0 0"><joint type="hinge" axis="0 -1 0"/>'
            f'<inertial mass="{m}" pos="{length / 2} 0 0" diaginertia="{ALONG} {across} {across}"/>{inner}</body>'
        )

    bars = bar("crank", 0, CRANK, bar("coupler", CRANK, COUPLER)) + bar("rocker", BASE, ROCKER)
    sites = [("coupler", (COUPLER, 0, 0), "rocker", (ROCKER, 0, 0))]
    return _mjcf(bars, sites)


def mujoco_stewart() -> str:
    system = stewart().system
    bodies = f'<body name="plate"><freejoint/>{_mujoco_inertia(system, "plate")}</body>'
    sites = []
    for leg in LEGS:
        foot = " ".join(map(repr, numbers(system, base_joint(system, leg)).tolist()))
        bodies += (
            f'<body pos="{foot}"><joint type="hinge" axis="1 0 0"/><joint type="hinge" axis="0 1 0"/>'
            f"{_mujoco_inertia(system, f'lower {leg}')}"
            f'<body name="upper {leg}" pos="0 0 0.5"><joint type="slide" axis="0 0 1"/>'
            f"{_mujoco_inertia(system, f'upper {leg}')}</body></body>"
        )
        sites.append((f"upper {leg}", (0, 0, 0), "plate", numbers(system, plate_joint(system, leg)).tolist()))
    return _mjcf(bodies, sites)


def _mujoco_inertia(system: ph.System, name: str) -> str:
    body = system.bodies[name]
    xx, yy, zz = np.maximum(numbers(system, body.inertia.entries())[[0, 4, 8]], ALONG).tolist()
    place = " ".join(map(repr, numbers(system, body.com).tolist()))
    mass = float(numbers(system, [body.mass])[0])
    return f'<inertial mass="{mass}" pos="{place}" diaginertia="{xx!r} {yy!r} {zz!r}"/>'


def _mjcf(bodies: str, sites: list[tuple[str, Any, str, Any]]) -> str:
    """Ties by sites, so that no pose of reference is involved."""
    marks: dict[str, str] = {}
    constraints = ""
    for k, (a, at_a, b, at_b) in enumerate(sites):
        for name, place, end in ((a, at_a, "a"), (b, at_b, "b")):
            spot = " ".join(map(repr, (float(x) for x in place)))
            marks[name] = marks.get(name, "") + f'<site name="{end}{k}" pos="{spot}"/>'
        constraints += f'<connect site1="a{k}" site2="b{k}"/>'
    for name, found in marks.items():
        before, after = bodies.split(f'<body name="{name}"', 1)
        head, rest = after.split(">", 1)
        bodies = f'{before}<body name="{name}"{head}>{found}{rest}'
    return f"<mujoco>{OPTION}<worldbody>{bodies}</worldbody><equality>{constraints}</equality></mujoco>"


def mujoco_accelerations(mujoco: Any, text: str, q: Array, v: Array, tau: Array) -> Array:
    """v̇ of M v̇ = f + Jᵀλ with J v̇ + J̇ v = 0; J̇ v by a central difference along the motion."""
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)

    def constraint_rates(step: float) -> Array:
        data.qpos[:], data.qvel[:] = q, v
        mujoco.mj_integratePos(model, data.qpos, v, step)
        mujoco.mj_fwdPosition(model, data)
        return data.efc_J.reshape(-1, model.nv)[: data.nefc] @ v

    h = 1e-5
    drift = (constraint_rates(h) - constraint_rates(-h)) / (2 * h)
    constraint_rates(0.0)
    data.qfrc_applied[:] = tau
    mujoco.mj_fwdVelocity(model, data)
    M = np.zeros((model.nv, model.nv))
    for column, unit in zip(M, np.eye(model.nv), strict=True):
        mujoco.mj_mulM(model, data, column, unit)
    J = data.efc_J.reshape(-1, model.nv)[: data.nefc].copy()
    free = np.linalg.solve(M, data.qfrc_passive + tau - data.qfrc_bias)
    felt = J @ np.linalg.solve(M, J.T)
    return np.asarray(free - np.linalg.solve(M, J.T @ (np.linalg.pinv(felt, rcond=1e-9) @ (J @ free + drift))))


@pytest.mark.parametrize("seed", range(3))
def test_mujocos_matrices_give_the_same_accelerations_of_a_four_bar(seed: int, agree: Any) -> None:
    mujoco = pytest.importorskip("mujoco")
    q, u, tau = state(four_bar(), seed)
    theirs = mujoco_accelerations(mujoco, mujoco_four_bar(), q, u, tau)
    agree("accelerations", four_bar().compile().forward_dynamics(q, u, tau), theirs, 1e-7)


@pytest.mark.parametrize("seed", range(3))
def test_mujocos_matrices_give_the_same_accelerations_of_a_stewart_platform(seed: int, agree: Any) -> None:
    """MuJoCo has the plate's velocity in world axes, and its angular velocity in the plate's."""
    mujoco = pytest.importorskip("mujoco")
    q, u, tau = state(stewart(), seed)
    R = Rotation.from_quat(q[[1, 2, 3, 0]]).as_matrix()
    theirs = mujoco_accelerations(
        mujoco,
        mujoco_stewart(),
        np.concatenate([q[4:7], q[:4], q[7:]]),
        np.concatenate([R @ u[3:6], u[:3], u[6:]]),
        np.concatenate([R @ tau[3:6], tau[:3], tau[6:]]),
    )
    linear = R.T @ theirs[:3] - np.cross(u[:3], u[3:6])
    found = np.concatenate([theirs[3:6], linear, theirs[6:]])
    agree("accelerations", stewart().compile().forward_dynamics(q, u, tau), found, 1e-7)
