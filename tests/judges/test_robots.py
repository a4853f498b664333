"""Real robots, judged by Pinocchio: masses, placements, limits, inverse dynamics, mass matrix and forward dynamics.

They are those of the `example-robot-data` package: one of each maker, those with followers; in a trial all.
"""

import os
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.robots import PACKAGE, robots
from tests.robots import ROBOTS as FOLDER
from tests.seeds import TRIAL

from polhode import Equations
from polhode.errors import PolhodeError
from polhode.expr import Expr, as_expr, evaluate
from polhode.formats.urdf import load_urdf, read_urdf
from polhode.model.records import GROUND, Limits
from polhode.model.system import System

pin = pytest.importorskip("pinocchio", reason="Pinocchio is the judge here: pip install polhode[test]")

TOLERANCE = 1e-8

#: What no option can read: a robot without a link.
EMPTY = {"ur_description/urdf/ur3.urdf"}
#: With joints that move nothing with mass, which are locked by default; else there is no forward dynamics.
SINGULAR = {"romeo_description/urdf/romeo.urdf", "romeo_description/urdf/romeo_laas_small.urdf"}
#: In which joints follow others, and how many do.
COUPLED = {
    "baxter_description/urdf/baxter.urdf": 2,
    "panda_description/urdf/panda.urdf": 1,
    "panda_description/urdf/panda_collision.urdf": 1,
    "pr2_description/urdf/pr2.urdf": 10,
    "romeo_description/urdf/romeo.urdf": 22,
    "talos_data/robots/talos_full_v2.urdf": 12,
    "talos_data/robots/talos_full_v2_box.urdf": 12,
    "tiago_pro_description/robots/tiago_pro.urdf": 10,
}
ROBOTS = robots({*EMPTY, *SINGULAR, *COUPLED})
LARGE = ("alex", "centauro", "g1", "human", "icub", "pr2", "romeo", "talos", "tiago")
COMPILED = (
    "ur_description/urdf/ur5_robot.urdf",
    "panda_description/urdf/panda.urdf",
    "a1_description/urdf/a1.urdf",
    "double_pendulum_description/urdf/double_pendulum_continuous.urdf",
)


def load_as_pinocchio_does(robot: str, base: str, mimic: str = "independent") -> System:
    """Followers on their own, inertias as they stand, angles as they are spelt."""
    return load_urdf(FOLDER / robot, base=base, mimic=mimic, massless="report", inertia="any", snap="1e-13")


def followers_of(robot: str) -> dict[str, tuple[str, float, float]]:
    """What each follower follows, with multiplier and offset, by another reading of the file."""
    found: dict[str, tuple[str, float, float]] = {}
    for joint in ElementTree.parse(FOLDER / robot).getroot().iter("joint"):
        mimic = joint.find("mimic")
        if mimic is not None and joint.get("type") != "fixed":
            law = (mimic.get("joint", ""), float(mimic.get("multiplier", 1)), float(mimic.get("offset", 0)))
            found[joint.get("name", "")] = law
    return found


@pytest.mark.parametrize("robot", [
    "ur_description/urdf/ur5_robot.urdf", "panda_description/urdf/panda.urdf",
    "anymal_b_simple_description/robots/anymal.urdf", "talos_data/robots/talos_reduced.urdf",
])  # fmt: skip
def test_the_reference_derivation_agrees_exactly(robot: str) -> None:
    system = load_urdf(FOLDER / robot, base="floating")
    found = system.compare(["articulated_body", "composite_body"], run=False, functions=()).reference
    assert found, found
    assert not found.not_covered and {"mass matrix", "inverse dynamics", "acceleration"} <= {*found.checked}


@dataclass(frozen=True)
class Duel:
    """One state of one robot in both engines; Pinocchio lists speeds in another order."""

    equations: Equations
    model: Any
    q: NDArray[np.float64]
    q_judge: NDArray[np.float64]
    order: NDArray[np.int64]  # for each of Pinocchio's speeds, which of ours it is
    u: NDArray[np.float64]
    rate: NDArray[np.float64]

    @cached_property
    def data(self) -> Any:
        return self.model.createData()

    @cached_property
    def values(self) -> dict[Expr, float]:
        e = self.equations
        pairs = [(e.q, self.q), (e.u, self.u), (e.udot, self.rate), (e.tau, self.rate)]
        return {symbol: float(x) for symbols, xs in pairs for symbol, x in zip(symbols, xs, strict=True)}

    def numbers(self, roots: Any) -> NDArray[np.float64]:
        return np.array(evaluate([as_expr(root) for root in roots], self.values))

    # ---- what the judge says ----------------------------------------------------------------------------------

    @property
    def inverse_dynamics(self) -> NDArray[np.float64]:
        return np.array(pin.rnea(self.model, self.data, self.q_judge, self.u[self.order], self.rate[self.order]))

    @property
    def mass_matrix(self) -> NDArray[np.float64]:
        upper = np.triu(pin.crba(self.model, self.data, self.q_judge))
        return np.array(upper + np.triu(upper, 1).T)

    @property
    def forward_dynamics(self) -> NDArray[np.float64]:
        return np.array(pin.aba(self.model, self.data, self.q_judge, self.u[self.order], self.rate[self.order]))


def duel(system: System, robot: str, base: str, seed: int = 1, together: bool = False) -> Duel:
    """A random state: position and quaternion (x, y, z, w) of a free joint, (cos, sin) of a continuous one.

    Followers are where chance puts them, or, `together`, where their leaders are.
    """
    path = str(FOLDER / robot)
    model = (
        pin.buildModelFromUrdf(path, pin.JointModelFreeFlyer()) if base == "floating" else pin.buildModelFromUrdf(path)
    )
    equations = system.derive("newton_euler")
    random = np.random.default_rng(seed)
    q, q_judge = np.zeros(len(equations.q)), pin.neutral(model)
    order = np.full(model.nv, -1)
    q_place = {name: k for k, name in enumerate(equations.coordinates)}
    u_place = {name: k for k, name in enumerate(equations.speeds)}
    moving = [joint for joint in system.joints.values() if joint.u]
    angles = {joint.name: random.uniform(-1, 1) for joint in moving}
    if together:
        laws = followers_of(robot)
        angles |= {name: ratio * angles[leader] + offset for name, (leader, ratio, offset) in laws.items()}
    for joint in moving:
        other = model.joints[model.getJointId(joint.name)]
        own_q = [q_place[symbol.name] for symbol in joint.q]
        own_u = [u_place[symbol.name] for symbol in joint.u]
        their_q = slice(other.idx_q, other.idx_q + other.nq)
        their_u = slice(other.idx_v, other.idx_v + other.nv)
        if len(own_u) == 1:
            angle = angles[joint.name]
            q[own_q] = angle
            q_judge[their_q] = [angle] if other.nq == 1 else [np.cos(angle), np.sin(angle)]
            order[their_u] = own_u
        else:
            turn, place = random.normal(size=4), random.normal(size=3)
            w, x, y, z = turn / np.linalg.norm(turn)
            q[own_q] = [w, x, y, z, *place]
            q_judge[their_q] = [*place, x, y, z, w]
            order[their_u] = own_u[3:] + own_u[:3]
    assert sorted(order) == list(range(len(equations.u)))
    u, rate = random.normal(size=(2, model.nv))
    return Duel(equations, model, q, q_judge, order, u, rate)


def assert_close(what: str, ours: NDArray[np.float64], theirs: NDArray[np.float64]) -> None:
    """Equal relative to the largest entry, however small; POLHODE_SHOW_RESIDUALS=1 prints how nearly."""
    scale = max(float(np.abs(theirs).max(initial=0.0)), 1e-12)
    residual = float(np.abs(ours - theirs).max(initial=0.0)) / scale
    if os.environ.get("POLHODE_SHOW_RESIDUALS") == "1":
        print(f"residual {residual:9.2e}  scale {scale:8.1e}  {what}")
    assert residual <= TOLERANCE, f"{what}: off by {residual:.3e} of {scale:.3g}"


def on_a_base(robots: list[str]) -> list[Any]:
    """One after the other fixed and floating; in a trial each is both."""
    pairs = [(robot, base) for robot in robots for base in ("fixed", "floating")]
    chosen = pairs if TRIAL else [pairs[2 * k + k % 2] for k in range(len(robots))]
    return [pytest.param(*pair, marks=pytest.mark.slow if pair[0].startswith(LARGE) else ()) for pair in chosen]


def largest(limits: tuple[Limits, ...]) -> float:
    """The limit of one speed; infinite where there is none."""
    if not limits:
        return float("inf")
    (ends,) = limits
    assert ends.upper is not None and ends.lower == -ends.upper
    return float(ends.upper)


def largest_by_pinocchio(model: Any, which: str) -> list[float]:
    """The upper limits of all speeds, by the name that this version has; files that state none have 0 there."""
    names = (f"upper{which.capitalize()}Limit", f"{which}Limit")
    values = next(getattr(model, name) for name in names if hasattr(model, name))
    return [float(value) or float("inf") for value in values]


@pytest.mark.parametrize("robot", ROBOTS)
def test_every_robot_is_read(robot: str) -> None:
    try:
        system, report = read_urdf(FOLDER / robot, packages={"example-robot-data": PACKAGE})
    except PolhodeError as error:
        assert robot in EMPTY and {problem.code for problem in error.problems} == {"E-ROBOT-MISSING"}
        assert all(problem.place.startswith(f"{Path(robot).name}:") and problem.cure for problem in error.problems)
    else:
        assert robot not in EMPTY
        assert len(report.joints) + 1 == len(system.joints) == len(system.bodies) - 1
        assert robot in SINGULAR or len(system.couplings) == COUPLED.get(robot, 0)


@pytest.mark.parametrize(
    ("robot", "base"), on_a_base([robot for robot in ROBOTS if robot not in EMPTY][:: 1 if TRIAL else 2])
)
def test_every_robot_moves_as_pinocchio_says(robot: str, base: str) -> None:
    system = load_as_pinocchio_does(robot, base)
    d = duel(system, robot, base)
    e = d.equations

    for which, limits in (("effort", "effort_limits"), ("velocity", "speed_limits")):
        theirs = largest_by_pinocchio(d.model, which)
        ours = {joint.name: largest(getattr(joint, limits)) for joint in system.joints.values() if len(joint.u) == 1}
        assert ours == {name: theirs[d.model.joints[d.model.getJointId(name)].idx_v] for name in ours}, which
    assert len(ours) + (6 if base == "floating" else 0) == d.model.nv
    assert_close("inverse dynamics", d.numbers(e.inverse_dynamics)[d.order], d.inverse_dynamics)
    size = len(e.u)
    mass_matrix = d.numbers(system.derive("composite_body").mass_matrix.entries()).reshape(size, size)
    assert_close("mass matrix", mass_matrix[np.ix_(d.order, d.order)], d.mass_matrix)
    if robot not in SINGULAR:
        forward = d.numbers(system.derive("articulated_body").forward_dynamics)
        assert_close("forward dynamics", forward[d.order], d.forward_dynamics)

    mass, moment = e.mass_moment
    total, *moments = d.numbers([mass, *moment])
    assert total == pytest.approx(sum(inertia.mass for inertia in d.model.inertias[1:]), rel=1e-12)
    if total > 0:
        assert_close("mass centre", np.array(moments) / total, pin.centerOfMass(d.model, d.data, d.q_judge))

    pin.framesForwardKinematics(d.model, d.data, d.q_judge)
    frames = {name: d.model.getFrameId(name, pin.BODY) for name in system.bodies if name != GROUND}
    frames = {name: frame for name, frame in frames.items() if frame < d.model.nframes}
    poses = map(e.pose, frames)
    ours = d.numbers([entry for pose in poses for entry in (*pose.p, *pose.R.entries())]).reshape(-1, 12)
    for (name, frame), own in zip(frames.items(), ours, strict=True):
        assert_close(f"position of {name}", own[:3], d.data.oMf[frame].translation)
        assert_close(f"orientation of {name}", own[3:], d.data.oMf[frame].rotation.flatten())


@pytest.mark.parametrize(("robot", "base"), [
    ("solo_description/robots/solo.urdf", "floating"),
    pytest.param("panda_description/urdf/panda.urdf", "fixed", marks=pytest.mark.trial),
    pytest.param("solo_description/robots/solo12.urdf", "floating", marks=pytest.mark.trial),
    pytest.param("talos_data/robots/talos_reduced.urdf", "floating", marks=pytest.mark.trial),
])  # fmt: skip
def test_compiled_derivatives_are_pinocchios(robot: str, base: str) -> None:
    """These programs are long, and so computed in packs of values."""
    system = load_as_pinocchio_does(robot, base)
    d = duel(system, robot, base)
    functions = system.derive().compile(bake=True, cache=False)
    rows = np.ix_(d.order, d.order)
    u, rate = d.u[d.order], d.rate[d.order]
    pin.computeRNEADerivatives(d.model, d.data, d.q_judge, u, rate)
    by_q, by_u, _ = functions.inverse_dynamics_derivatives(d.q, d.u, d.rate)
    assert_close("efforts by motion", by_q[rows], np.array(d.data.dtau_dq))
    assert_close("efforts by speeds", by_u[rows], np.array(d.data.dtau_dv))
    pin.computeABADerivatives(d.model, d.data, d.q_judge, u, rate)
    by_q, by_u, by_tau = functions.forward_dynamics_derivatives(d.q, d.u, d.rate)
    assert_close("accelerations by motion", by_q[rows], np.array(d.data.ddq_dq))
    assert_close("accelerations by speeds", by_u[rows], np.array(d.data.ddq_dv))
    upper = np.triu(d.data.Minv)
    assert_close("accelerations by efforts", by_tau[rows], upper + np.triu(upper, 1).T)


@pytest.mark.parametrize(("robot", "base"), on_a_base(list(COUPLED)[:: 1 if TRIAL else 2]))
def test_followers_move_with_their_leaders_as_the_projection_of_free_joints(robot: str, base: str) -> None:
    """With u = E w, M u̇ + b = τ becomes EᵀME ẇ + Eᵀb = Eᵀτ: Pinocchio's free joints, projected by NumPy."""
    bound = load_as_pinocchio_does(robot, base, mimic="couple")
    d = duel(load_as_pinocchio_does(robot, base), robot, base, together=True)
    e = bound.derive("newton_euler")
    laws = followers_of(robot)
    assert len(e.u) == len(d.u) - len(laws) == len(d.u) - COUPLED[robot]

    E = np.zeros((len(d.u), len(e.u)))
    for row, name in enumerate(d.equations.speeds[place] for place in d.order):
        leader, ratio, _ = laws.get(name, (name, 1.0, 0.0))
        E[row, e.speeds.index(leader)] = ratio
    w, rate, effort = np.random.default_rng(4).normal(size=(3, len(e.u)))
    place = {name: k for k, name in enumerate(d.equations.coordinates)}
    values = {symbol: float(d.q[place[symbol.name]]) for symbol in e.q}
    for symbols, numbers in ((e.u, w), (e.udot, rate), (e.tau, effort)):
        values |= dict(zip(symbols, map(float, numbers), strict=True))

    bias = E.T @ pin.rnea(d.model, d.data, d.q_judge, E @ w, np.zeros(len(E)))
    M = E.T @ d.mass_matrix @ E
    size = len(e.u)
    ours = np.array(evaluate(bound.derive("composite_body").mass_matrix.entries(), values)).reshape(size, size)
    assert_close("mass matrix", ours, M)
    inverse = np.array(evaluate(e.inverse_dynamics, values))
    assert_close("inverse dynamics", inverse, E.T @ pin.rnea(d.model, d.data, d.q_judge, E @ w, E @ rate))
    if robot not in SINGULAR:
        forward = np.array(evaluate(bound.derive("articulated_body").forward_dynamics, values))
        assert_close("forward dynamics", forward, np.linalg.solve(M, effort - bias))

    judge = coupled_judge(robot, base)
    if judge is not None:
        names = {name: judge.joints[k] for k, name in enumerate(judge.names) if k and judge.joints[k].nv}
        theirs = np.zeros((judge.nv, size))  # their speeds from ours
        q = np.zeros(judge.nq)
        for name, other in names.items():
            free = d.model.joints[d.model.getJointId(name)]
            q[other.idx_q : other.idx_q + other.nq] = d.q_judge[free.idx_q : free.idx_q + free.nq]
            theirs[other.idx_v : other.idx_v + other.nv] = E[free.idx_v : free.idx_v + free.nv]
        coupled = pin.rnea(judge, judge.createData(), q, theirs @ w, theirs @ rate)
        assert_close("inverse dynamics of mimic joints", inverse, theirs.T @ coupled)


def coupled_judge(robot: str, base: str) -> Any:
    """Pinocchio's own model with mimic joints; it has none where a follower comes before its leader."""
    path = str(FOLDER / robot)
    try:
        if base == "floating":
            return pin.buildModelFromUrdf(path, pin.JointModelFreeFlyer(), mimic=True)
        return pin.buildModelFromUrdf(path, mimic=True)
    except (ValueError, TypeError):  # an older Pinocchio knows no mimic joints at all
        return None


def test_a_locked_robot_moves_as_pinocchio_reduces_it() -> None:
    robot = "panda_description/urdf/panda.urdf"
    at = {"panda_joint2": 0.7, "panda_finger_joint2": 0.02}
    system = load_urdf(FOLDER / robot, locked=at, snap="1e-13")
    whole = pin.buildModelFromUrdf(str(FOLDER / robot))
    home = pin.neutral(whole)
    for name, value in {**at, "panda_finger_joint1": 0.02}.items():  # what finger 2 follows is locked with it
        home[whole.joints[whole.getJointId(name)].idx_q] = value
    locked = [whole.getJointId(name) for name in (*at, "panda_finger_joint1")]
    model = pin.buildReducedModel(whole, locked, home)
    equations = system.derive("newton_euler")
    assert equations.speeds == list(model.names)[1:]
    q, u, rate = np.random.default_rng(5).uniform(-1, 1, size=(3, model.nv))
    values = dict(zip([*equations.q, *equations.u, *equations.udot], [*q, *u, *rate], strict=True))
    theirs = pin.rnea(model, model.createData(), q, u, rate)
    assert_close("inverse dynamics", np.array(evaluate(equations.inverse_dynamics, values)), theirs)


@pytest.mark.parametrize("base", ["fixed", "floating"])
@pytest.mark.parametrize("robot", COMPILED)
def test_compiled_functions_move_robots_as_pinocchio_says(robot: str, base: str) -> None:
    system = load_as_pinocchio_does(robot, base)
    d = duel(system, robot, base, seed=2)
    by_recursion, by_composites, by_articulation = (
        system.derive(name).compile() for name in ("newton_euler", "composite_body", "articulated_body")
    )
    assert_close("inverse dynamics", by_recursion.inverse_dynamics(d.q, d.u, d.rate)[d.order], d.inverse_dynamics)
    assert_close("mass matrix", by_composites.mass_matrix(d.q)[np.ix_(d.order, d.order)], d.mass_matrix)
    assert_close("forward dynamics", by_articulation.forward_dynamics(d.q, d.u, d.rate)[d.order], d.forward_dynamics)


@pytest.mark.slow
def test_the_compiled_humanoid_walks_as_pinocchio_says() -> None:
    robot = "talos_data/robots/talos_reduced.urdf"
    system = load_as_pinocchio_does(robot, "floating")
    d = duel(system, robot, "floating", seed=3)
    functions = system.derive("newton_euler").compile()
    assert_close("inverse dynamics", functions.inverse_dynamics(d.q, d.u, d.rate)[d.order], d.inverse_dynamics)


def test_exact_right_angles_change_a_robot_by_less_than_they_were_rounded() -> None:
    robot = "ur_description/urdf/ur5_robot.urdf"
    exact = load_urdf(FOLDER / robot)
    d = duel(exact, robot, "fixed")
    ours = d.numbers(d.equations.inverse_dynamics)[d.order]
    assert np.abs(ours - d.inverse_dynamics).max() <= 1e-6 * np.abs(d.inverse_dynamics).max()
    spelt = load_as_pinocchio_does(robot, "fixed").derive("newton_euler")
    assert d.equations.operations("inverse_dynamics").total < spelt.operations("inverse_dynamics").total


def test_a_planar_joint_moves_as_pinocchio_says(tmp_path: Path) -> None:
    path = tmp_path / "puck.urdf"
    path.write_text(
        """<robot name="puck"><link name="table"/><link name="puck"><inertial><origin xyz="0.1 0.2 0.3"/>
        <mass value="2"/><inertia ixx="1" iyy="1.5" izz="2" ixy="0.1" ixz="0.2" iyz="0.3"/></inertial></link>
        <joint name="slide" type="planar"><parent link="table"/><child link="puck"/>
        <origin xyz="1 2 3" rpy="0.3 0.2 0.1"/><axis xyz="0 0 1"/></joint></robot>""",
        encoding="utf-8",
    )
    equations = load_urdf(path).derive("newton_euler")
    model = pin.buildModelFromUrdf(str(path))
    assert equations.coordinates == ["slide_angle", "slide_x", "slide_y"]
    angle, x, y = 0.7, 0.4, -0.3
    order = [1, 2, 0]  # Pinocchio lists (vx, vy, w)
    u, rate = np.array([[0.5, -0.2, 0.9], [1.1, 0.6, -0.8]])
    values = dict(zip([*equations.q, *equations.u, *equations.udot], [angle, x, y, *u, *rate], strict=True))
    q_judge = np.array([x, y, np.cos(angle), np.sin(angle)])
    theirs = pin.rnea(model, model.createData(), q_judge, u[order], rate[order])
    assert_close("inverse dynamics", np.array(evaluate(equations.inverse_dynamics, values))[order], theirs)


def test_multipliers_and_offsets_mean_what_they_mean_to_pinocchio(tmp_path: Path) -> None:
    """A rack driven by a crank, and a wheel that turns half as fast the other way."""
    path = tmp_path / "rack.urdf"
    link = """<link name="{}"><inertial><origin xyz="0.1 0.2 0.3"/><mass value="2"/>
        <inertia ixx="1" iyy="1.5" izz="2" ixy="0.1" ixz="0.2" iyz="0.3"/></inertial></link>"""
    limit = '<limit lower="-3" upper="3" effort="9" velocity="9"/>'
    path.write_text(
        f"""<robot name="rack"><link name="base"/>{"".join(map(link.format, ("crank", "rack", "wheel")))}
        <joint name="crank" type="revolute"><parent link="base"/><child link="crank"/>
        <origin xyz="1 2 3" rpy="0.3 0.2 0.1"/><axis xyz="0 0.6 0.8"/>{limit}</joint>
        <joint name="rack" type="prismatic"><parent link="crank"/><child link="rack"/><origin xyz="0 0.5 0"/>
        <axis xyz="1 0 0"/>{limit}<mimic joint="crank" multiplier="0.25" offset="-0.4"/></joint>
        <joint name="wheel" type="revolute"><parent link="base"/><child link="wheel"/><axis xyz="0 1 0"/>
        {limit}<mimic joint="crank" multiplier="-0.5" offset="0.3"/></joint></robot>""",
        encoding="utf-8",
    )
    try:
        model = pin.buildModelFromUrdf(str(path), mimic=True)
    except TypeError:
        pytest.skip("this Pinocchio knows no mimic joints")
    equations = load_urdf(path).derive("newton_euler")
    assert equations.coordinates == ["crank"]
    q, u, rate = np.array([[0.7], [0.9], [-1.1]])
    theirs = pin.rnea(model, model.createData(), q, u, rate)
    functions = equations.compile()
    assert_close("inverse dynamics", functions.inverse_dynamics(q, u, rate), theirs)
    assert_close("forward dynamics", functions.forward_dynamics(q, u, theirs), rate)
