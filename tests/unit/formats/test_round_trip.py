"""A System that is written and read again is the same System."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from tests.random_constraints import random_constrained_system
from tests.refusals import refused
from tests.seeds import seeds

import polhode as ph
from polhode.expr import same
from polhode.formats import dumps_yaml, load, loads_yaml, save_yaml
from polhode.geometry import rotation
from polhode.model import JointType
from polhode.model.constraints import Closure
from polhode.model.samples import Vehicle, car, motor_driven_pendulum, semitrailer
from polhode.model.samples.random_system import random_system

MODELS = Path(__file__).parents[3] / "models"


def assert_same_system(a: ph.System, b: ph.System) -> None:
    assert a.name == b.name and same(a.gravity, b.gravity)
    assert a.parameters == b.parameters and a.inputs == b.inputs and list(a.bodies) == list(b.bodies)
    for one, other in zip(a.bodies.values(), b.bodies.values(), strict=True):
        assert one.mass == other.mass and same(one.com, other.com)
        assert same(one.inertia.entries(), other.inertia.entries())
        assert [shape.kind for shape in one.shapes] == [shape.kind for shape in other.shapes]
        assert [list(shape.size) for shape in one.shapes] == [list(shape.size) for shape in other.shapes]
    assert list(a.frames) == list(b.frames)
    for here, there in zip(a.frames.values(), b.frames.values(), strict=True):
        assert here.body == there.body
        assert same([*here.pose.R.entries(), *here.pose.p], [*there.pose.R.entries(), *there.pose.p])
    assert list(a.joints) == list(b.joints)
    for left, right in zip(a.joints.values(), b.joints.values(), strict=True):
        assert (left.parent, left.child) == (right.parent, right.child)
        assert left.type.stages == right.type.stages and left.type.from_parent == right.type.from_parent
        assert all(x is y for x, y in zip(left.q + left.u, right.q + right.u, strict=True))
        for x, y in ((left.in_parent, right.in_parent), (left.in_child, right.in_child)):
            assert same([*x.R.entries(), *x.p], [*y.R.entries(), *y.p])
    assert a.couplings == b.couplings and list(a.couplings) == list(b.couplings)
    assert a.prescribed == b.prescribed and a.constraints == b.constraints and a.loads == b.loads
    assert a.poses == b.poses


def everything() -> ph.System:
    """One of each thing that a System can hold."""
    s = ph.System("all: of it #1", gravity=(0, 0, "-9.81"))
    k, l = s.parameter("k", 3), s.parameter("rest length", 0.5)
    s.parameter("open")
    for name, value, unit in (
        ("stiff", 20, "kN/m"), ("angle", "-1/3", "deg"), ("pace", "7.5 rpm", ""), ("torsion", 2, "N m/deg"),
    ):  # fmt: skip
        s.parameter(name, value, unit)
    wind = s.input("wind", 0.25, "N")
    base = s.body("base", 2, (0, l, 0), [1, 2, 3 - l / 10, l / 9, 0, 0.1])
    tool = s.body("null", k, inertia=ph.rod(k, l, "x"), shapes=[
        ph.Shape("box", (1, l, 2)),
        ph.Shape("capsule", (0.1, 2), (0, 0, 1), [("x", ph.pi / 3)]),
        ph.Shape("sphere", (0.1,)),
        ph.Shape("frame", (1,), (0, 0, 0), rotation(("x", 0.3), ("z", k))),
    ])  # fmt: skip
    last = s.body("true", 1, inertia=(1, 1, 1))
    seat = s.frame("the seat", base, (1, 2, 3), [("y", 0.4)])
    flight = s.joint("float", s.ground, base, ph.Free("vector"), at=(0, 0, l))
    hip = s.joint("hip", seat, tool, ph.Screw([1, 2, 2], l / 7), child_rotation=[("z", ph.pi / 2)])
    s.joint(
        "yes",
        tool,
        last,
        ph.Compound(ph.Revolute("-z"), ph.Spherical(), ph.JointMap([[0], [2], [0], [0], [0], [l]]), ph.Planar("x")),
        rotation=rotation(("x", l), ("y", 0.2)),
        speeds=["a b", "c;d", "e", "*/", "__", "in", "lambda", "1.5"],
    )
    gear = s.body("gear: 1", 1, inertia=(1, 1, 1))
    s.joint("gear", s.ground, gear, ph.Revolute("x"), coordinates=["turn"], speeds=["spin"])
    s.joint("rack #2", gear, s.body("rack", 1), ph.Prismatic("y"))
    s.couple("rack #2", "gear", -k / 7, l + ph.pi / 3)
    s.couple("gear", hip)
    slide = s.joint("slide", s.ground, s.body("block", 1), ph.Prismatic("x"), coordinates=["way"])
    s.prescribe(slide, k * ph.sin(l * s.time))
    s.close("loop: 1", seat, gear, ph.Universal("x", "z"), at_a=(0, l, 1), rotation_b=[("y", 0.3)])
    s.close("weld", s.ground, last, "fixed", at_b=(1, 0, 0))
    s.close("thread", base, gear, ph.Screw([2, 1, 2], l), rotation_a=rotation(("x", l), ("y", 0.2)))
    s.constrain(hip.q[0] ** 2 - ph.cos(s.time) / k, "tie")
    s.constrain_speed(hip.u[0] * ph.sin(flight.q[3]) - l * flight.u[4] + s.time, "yes")
    s.roll_wheel("wheel", tool, l, [3, 0, 4], centre=(0, 0, l), on=seat, at=(0, 0, -1), rotation=[("x", 0.1)])
    s.roll_wheel("tilted", s.frame("hub", tool, (0, 1, 0), [("z", l)]), 2, "x")
    s.roll_ball("ball", last, l / 2)
    s.roll_ball("in a bowl", last, l / 2, on=base, other_radius=-k, centre=(0, 0, 1))
    s.roll_disc("hill", tool, -l, lambda x: k * ph.sin(x) + s.time, centre=(0, 0, l), on=seat, at=(0, 1, 0))
    s.roll_disc("wire", s.frame("eye", last, rotation=[("x", l)]), 0, lambda s: (s**2, l * s), "z", slips=True)
    s.roll_disc("slanted rail", last, 1, lambda s: (s, s**2), [3, 4, 0], rotation=[("y", l)])
    s.knife_edge("skate", tool, "-x", at=(l, 0, 0))
    s.knife_edge("on another", seat, [1, 2, 2], on=gear)
    s.no_slip("gears", base, gear, frame=seat, at=(hip.q[0], 0, l), directions=["y", (hip.q[0], 0, s.time)])
    s.no_slip("slanted", tool, directions=[(0, 1, 1)], frame=tool)
    s.force(seat, (wind, hip.u[0], ph.sin(s.time)), at=(0, 0, 1), frame=tool, name="gust")
    s.torque(tool, (0, flight.q[3], 0), frame=seat)
    s.joint_force(flight, -k * flight.u[4] + flight.tau[4] / 2, 4)
    s.joint_spring(hip, k, l, 0.1, name="stop")
    s.spring(s.ground, tool, k, l, 0.2, at_a=(0, 0, 3), at_b=(l, 0, 0))
    s.potential(ph.exp(-hip.q[0]) + ph.sqrt(1 + hip.q[0] ** 2), name="well")
    s.pose("start", {"hip": 1 / 3}, {"hip": 1e-7, "lambda": -2.5e10})
    return s


def test_one_of_each_thing_survives_and_derives_the_same(tmp_path: Path) -> None:
    system = everything()
    again = loads_yaml(dumps_yaml(system))
    assert_same_system(system, again)
    system = random_system(3)
    save_yaml(system, tmp_path / "model.yaml")
    assert system.derive("newton_euler").agrees_with(load(tmp_path / "model.yaml").derive("newton_euler"))


@pytest.mark.parametrize("make", [car, pytest.param(semitrailer, marks=pytest.mark.slow)])
def test_a_vehicle_whose_laws_are_long_is_written_in_named_expressions(make: Callable[[], Vehicle]) -> None:
    system = make().system
    text = dumps_yaml(system)
    assert "\nexpressions:\n  part_1: " in text and max(map(len, text.splitlines())) < 4000
    again = loads_yaml(text)
    assert_same_system(system, again)
    assert dumps_yaml(again) == text


def test_an_expression_of_a_file_is_used_by_name_in_laws_and_in_later_ones() -> None:
    head = "bodies: {car: {mass: 2}}\njoints: {x: {parent: ground, child: car, type: prismatic, axis: x}}\n"
    load_of = "loads: [{type: joint_force, joint: x, value: 'pull*t'}]\n"
    made = loads_yaml(f"{head}expressions: {{slack: x - 1, pull: -3*slack**2}}\n{load_of}")
    x = made.joints["x"].q[0]
    assert made.loads[0].value == -3 * (x - 1) ** 2 * made.time  # type: ignore[attr-defined]
    for wrong, told in (
        ("{pull: -3*slack, slack: x}", "there is nothing called 'slack'"),
        ("{x: 2}", "something else has this name"),
        ("{pull: log(-1)}", "pull"),
    ):
        with pytest.raises(ph.PolhodeError, match=told):
            loads_yaml(f"{head}expressions: {wrong}\n{load_of}")


def test_a_coupled_mechanism_keeps_its_couplings_and_its_equations_and_couplings_and_tables_are_not_dropped() -> None:
    system = everything()
    free = ph.System.of(replace(system.model(), couplings={}))
    text = dumps_yaml(system)
    assert dumps_yaml(free) != text
    again = loads_yaml(text)
    assert [c.leader for c in again.couplings.values()] == ["gear", "hip"]
    arm = load(MODELS / "gripper.yaml")
    assert loads_yaml(dumps_yaml(arm)).derive("newton_euler").agrees_with(arm.derive("newton_euler"))
    assert arm.derive("newton_euler").coordinates == ["wrist", "left"]
    system = load(MODELS / "gripper.yaml")
    coupling = system.couplings["left hinge"]
    system._add("couplings", "left hinge", replace(coupling, multiplier=ph.symbol("stray")))
    refused("stray", lambda: dumps_yaml(system))
    system = load(MODELS / "fourbar.yaml")
    cam = ph.table([0, 1, 2, 3], [0, 1, 1, 0], name="cam", kind="cubic", outside="line")
    system.constrain(system.joints["rocker"].q[0] - cam(system.joints["crank"].q[0]), "follower")
    system.prescribe("crank", cam(system.time))
    assert_same_system(system, loads_yaml(dumps_yaml(system)))


def test_a_constraint_that_a_file_cannot_say_is_not_dropped() -> None:
    stray = ph.symbol("stray")
    system = load(MODELS / "fourbar.yaml")
    pin = system.constraints["pin"]
    assert isinstance(pin, Closure)
    system._add("constraints", "pin", replace(pin, at_a=ph.Vector([stray, 0, 0])))
    refused("stray", lambda: dumps_yaml(system))
    system = load(MODELS / "fourbar.yaml")
    system.prescribe("crank", system.time)
    system._add("prescribed", "crank", replace(system.prescribed["crank"], motion=stray))
    refused("stray", lambda: dumps_yaml(system))


@pytest.mark.parametrize("seed", seeds(4, of=12))
def test_random_constrained_mechanisms_survive(seed: int) -> None:
    system = random_constrained_system(seed)
    assert_same_system(system, loads_yaml(dumps_yaml(system)))


@pytest.mark.slow
@pytest.mark.parametrize("seed", seeds(4, of=20))
def test_random_mechanisms_survive(seed: int) -> None:
    system = random_system(seed)
    text = dumps_yaml(system)
    again = loads_yaml(text)
    assert_same_system(system, again)
    assert_same_system(system, loads_yaml(dumps_yaml(again)))


def test_what_cannot_be_written_is_said(tmp_path: Path) -> None:
    system = ph.System()
    arm = system.body("arm", mass=ph.symbol("stray"), inertia=(1, 1, 1))
    system.joint("hip", system.ground, arm, ph.Revolute())
    path = tmp_path / "model.yaml"
    refused("'stray' does not belong to the system", lambda: save_yaml(system, path))
    assert not list(tmp_path.iterdir()), "nothing half-written stays behind"

    class Odd(JointType):
        kind = "odd"
        stages = (*ph.Spherical().stages, *ph.Revolute().stages)

    odd = ph.System()
    odd.joint("ball", odd.ground, odd.body("b", 1, inertia=(1, 1, 1)), Odd())
    refused("joint 'ball'", lambda: dumps_yaml(odd))


def test_states_without_a_rate_and_missing_folders_are_refused(tmp_path: Path) -> None:
    refused("cannot be written", lambda: save_yaml(ph.System(), tmp_path / "no" / "model.yaml"))
    system = motor_driven_pendulum()
    system.state("open")
    refused("state 'open': it has no rate, which a model file needs", lambda: dumps_yaml(system))


def test_states_without_mass_survive_with_their_rates_starts_and_units_and_a_small_joint_stays_small() -> None:
    system = motor_driven_pendulum()
    hinge = system.joints["hinge"]
    filtered = system.state("u(hinge)", rate=lambda a: (hinge.u[0] - a) * 3, start="0.25")
    system.state("error", rate=filtered - ph.sin(system.time))
    system.pose("up", {"hinge": 3}, states={"current": 2})
    text = dumps_yaml(system)
    assert "  current: {rate: (voltage - R*current - n*K*u(hinge))/L, unit: A}" in text
    assert '  error: "`u(hinge)` - sin(t)"' in text
    again = loads_yaml(text)
    assert again.model() == system.model() and again.states == system.states and again.poses == system.poses
    assert dumps_yaml(again) == text
    s = ph.System("pendulum")
    s.joint("hinge", s.ground, s.body("bob", 1, (0, 0, -1)), ph.Revolute("y"), small=True)
    again = loads_yaml(dumps_yaml(s))
    assert again.joints["hinge"].small and again.derive().agrees_with(s.derive())
    wrong = dumps_yaml(s).replace("small: true", "small: 3")
    refused("small", lambda: loads_yaml(wrong))


def test_the_looks_of_a_body_come_back(tmp_path: Path) -> None:
    (tmp_path / "arm.stl").write_bytes(b"solid")
    system = ph.System("arm")
    mesh = ph.Shape("mesh", (1, -1, 1), (0, 0, 1), None, "#102030", str((tmp_path / "arm.stl").resolve()))
    system.body("link", 1, shapes=[mesh, ph.Shape("sphere", (1,), color="#405060")])
    system.joint("hinge", system.ground, system.bodies["link"], "revolute", axis="y", at=(0, 0, 1))
    path = tmp_path / "arm.yaml"
    save_yaml(system, path)
    again, ball = load(path).bodies["link"].shapes
    assert (again.file, again.size, again.color, again.lacking) == (mesh.file, (1, -1, 1), "#102030", "")
    assert (ball.kind, ball.color) == ("sphere", "#405060")
