"""Motors on random chains: every formalism agrees, by hand it is the same, energy is kept, stiff gears are rigid."""

from typing import Any

import numpy as np
import pytest
from tests.seeds import in_turn, seeds

import polhode as ph
from polhode.compare.reference.derivation import ReferenceDerivation
from polhode.expr import Expr, as_expr, directional, evaluate, is_zero, same
from polhode.expr.field import P
from polhode.formalisms.registry import names
from polhode.model.motor import Motor
from polhode.model.samples import elastic_arm
from polhode.model.samples.random_system import RandomChoices, random_state, random_system

AXES = ("x", "-y", "z", (1, 2, 2), (3, 0, 4))


def random_motors(seed: int, joints: tuple[str, ...] = ("revolute", "prismatic", "screw")) -> ph.System:
    """A random tree of such joints, a motor of any kind on each of them."""
    dice = RandomChoices.of(1000 + seed)
    s = random_system(seed, bodies=(2, 4), joints=joints, max_speeds=4, loads=dice.chance(0.5))
    for name, joint in list(s.joints.items()):
        ratio: Any = s.parameter(f"n {name}", dice.decimal(-9, 9)) if dice.chance(0.5) else dice.decimal(2, 30)
        more, along = dice.decimal(0.1, 1), dice.decimal(0.1, 1)
        across = more + along / 2  # as bodies have it
        coupling = dice.pick(("full", "full", "reduced"))
        given: dict[str, Any] = {"inertia": dice.pick((along, (across, across, along))), "coupling": coupling}
        if dice.chance(0.6):
            given |= {"stiffness": s.parameter(f"k {name}", dice.decimal(1, 9)), "damping": dice.pick((0, "0.3"))}
        if dice.chance(0.7):
            given |= {"mass": dice.decimal(0.1, 2), "com": (0, 0, dice.decimal(-1, 1))}
        if coupling == "full" and dice.chance(0.4):
            given |= {"com": [dice.decimal(-1, 1) for _ in range(3)], "mass": 1}
            given["inertia"] = (across, across + along / 2, along)
        if dice.chance(0.4):
            given |= {"axis": dice.pick(AXES), "at": [dice.decimal(-1, 1) for _ in range(3)]}
            given["on"] = dice.pick((joint.parent, joint.child))
        if dice.chance(0.3):
            given |= {"friction": "0.2", "joint_friction": s.parameter(f"f {name}", 1)}
        s.motor(name, ratio, **given)
    return s


@pytest.mark.parametrize("seed", seeds((*range(1, 6), 75, 79), 100))
def test_every_formalism_gives_the_same_equations(seed: int) -> None:
    s = random_motors(seed)
    judge = s.derive("poincare")
    for formalism in ("auto", *in_turn(names(), 4, seed)):
        assert s.derive(formalism).agrees_with(judge), formalism
    reference = ReferenceDerivation(s.model())
    order = [reference.speeds.index(u) for u in judge.u]
    assert [entry.fp for entry in judge.inverse_dynamics] == [reference.efforts[k] % P for k in order]


@pytest.mark.parametrize("seed", seeds(1, 20))
@pytest.mark.parametrize("formalism", sorted({*names(historical=True)} - {*names()}))
def test_historical_formalisms_take_gears_too(formalism: str, seed: int) -> None:
    s = random_motors(seed, ("revolute", "prismatic"))
    assert s.derive(formalism).agrees_with(s.derive())


def by_hand(seed: int) -> ph.System:
    """The same mechanism with each rotor written as a body, a joint, forces, and a coupling where it is geared."""
    source = random_motors(seed)
    own = {name for motor in source.motors.values() for name in motor.bodies}
    s = ph.System("by hand", gravity=source.gravity)
    for name, parameter in source.parameters.items():
        s.parameter(name, parameter.value)
    for name, given in source.inputs.items():
        s.input(name, given.value)
    for name, body in source.bodies.items():
        if name != "ground" and name not in own:
            s.body(name, body.mass, body.com, body.inertia, check=False)
    for name, frame in source.frames.items():
        s.frame(name, frame.body, frame.pose.p, frame.pose.R)
    for name, joint in source.joints.items():
        if name not in own:
            seats = {"at": joint.in_parent.p, "rotation": joint.in_parent.R}
            child = {"child_at": joint.in_child.p, "child_rotation": joint.in_child.R}
            s.joint(name, joint.parent, joint.child, joint.type, **seats, **child)
    gears = {id(load) for motor in source.motors.values() for load in motor.loads}
    for load in source.loads:
        if id(load) not in gears:
            s.apply(type(load), **{field.name: getattr(load, field.name) for field in load.fields})
    for motor in source.motors.values():
        _rotor_by_hand(s, source, motor)
    return s


def _rotor_by_hand(s: ph.System, source: ph.System, motor: Motor) -> None:
    """About its own axis a rotor is turned by R_axis(angle) R_0: here the seat's rotation is in the child."""
    link = s.joints[motor.joint]
    seat = source.rotors[motor.rotor if motor.coupling == "full" else motor.bodies[0]].in_parent
    carrier = source.rotors[motor.rotor if motor.coupling == "full" else motor.bodies[0]].parent
    x, y, z = motor.inertia
    axis = seat.R @ ph.Vector([0, 0, 1])
    if motor.coupling == "full":
        body = s.body("r " + motor.joint, motor.mass, motor.com, (x, y, z), check=False)
        s.joint("r " + motor.joint, carrier, body, ph.Revolute(axis), at=seat.p, child_rotation=seat.R.T)
    else:
        ballast = s.body("b " + motor.joint, motor.mass, motor.com, (x, y, 0), check=False)
        s.joint("b " + motor.joint, carrier, ballast, at=seat.p, rotation=seat.R)
        spin = s.body("r " + motor.joint, inertia=(0, z, 0), check=False)
        s.joint("r " + motor.joint, s.ground, spin, ph.Revolute("y"))
    rotor = s.joints["r " + motor.joint]
    (q,), (u,), (p,), (v,) = link.q, link.u, rotor.q, rotor.u
    n = motor.ratio
    if motor.stiffness is None:
        s.couple(rotor, link, n)
    else:
        torque = motor.stiffness * (p / n - q) + motor.damping * (v / n - u)
        s.joint_force(link, torque)
        s.joint_force(rotor, -torque / n)
    s.joint_force(rotor, -motor.friction * v)
    s.joint_force(link, -motor.joint_friction * u)


@pytest.mark.parametrize("seed", seeds(7, 100))
def test_explicit_rotor_bodies_move_alike(seed: int) -> None:
    s, hand = random_motors(seed), by_hand(seed)
    e, other = s.derive(), hand.derive()
    values = random_state(s, seed)
    named = {(x.data[0], x.name): value for x, value in values.items()}
    twin: dict[Expr, float] = {p.symbol: float(p.value or 0) for p in hand.parameters.values()}
    twin |= {x.symbol: named["input", name] for name, x in hand.inputs.items()} | {hand.time: values[s.time]}
    for joint in hand.joints.values():
        name = joint.name[2:] + " rotor" if joint.name.startswith("r ") else joint.name
        for x in (*joint.q, *joint.u, *joint.tau):
            twin[x] = named[x.data[0], name]
    ours = dict(zip(e.speeds, evaluate(e.forward_dynamics, values), strict=True))
    theirs = dict(zip(other.speeds, evaluate(other.forward_dynamics, twin), strict=True))
    for name, value in theirs.items():
        mine = ours[name[2:] + " rotor" if name.startswith("r ") else name]
        assert mine == pytest.approx(value, rel=1e-9, abs=1e-9 * max(map(abs, theirs.values())))


@pytest.mark.parametrize("gears", ["elastic", "stiff"])
@pytest.mark.parametrize("coupling", ["full", "reduced"])
def test_energy_changes_by_the_power_of_the_efforts_alone(gears: str, coupling: str) -> None:
    e = elastic_arm(gears, coupling).derive("newton_euler")
    energy = e.kinetic_energy + e.potential_energy
    flow = dict(zip([*e.q, *e.u], [*e.coordinate_rates, *e.udot], strict=True))
    (power,) = directional([energy], flow)
    efforts = sum((tau * u for tau, u in zip(e.inverse_dynamics, e.u, strict=True)), start=as_expr(0))
    assert is_zero(power - efforts)


def test_a_gear_that_grows_stiffer_comes_to_the_geared_arm() -> None:
    """Started unwound, the springs swing by the weight over the stiffness: the difference falls with that."""
    rigid = elastic_arm("stiff").derive().simulate(0.5, start="reach").q[-1]
    elastic = elastic_arm(damping=10).derive()
    gaps = []
    for stiffness in (1e4, 1e5, 1e6):
        values = {f"k{i}": stiffness for i in range(1, 7)}
        run = elastic.simulate(0.5, start="reach", parameters=values, rtol=1e-8)
        links = [run.coordinates.index(f"j{i}") for i in range(1, 7)]
        gaps.append(float(np.abs(run.q[-1][links] - rigid).max()))
    assert gaps[1] < gaps[0] / 5 and gaps[2] < gaps[1] / 5 and gaps[2] < 1e-3


def test_a_locked_rotor_holds_its_link_by_the_spring() -> None:
    s = ph.System("pendulum", gravity=(0, 0, "-9.81"))
    k = s.parameter("k", 100)
    s.joint("j", s.ground, s.body("bob", 2, (1, 0, 0)), ph.Revolute("y"))
    s.motor("j", 10, inertia=1, stiffness=k)
    s.prescribe("j rotor", 0)
    e = s.derive()
    q = s.joints["j"].q[0]
    assert e.coordinates == ["j"] and same(e.bias, [k * q - as_expr("19.62") * ph.cos(q)])
