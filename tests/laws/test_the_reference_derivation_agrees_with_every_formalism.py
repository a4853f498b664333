"""Virtual power by differentiating positions gives what every formalism gives: on random trees, loops and rolling,
on the samples, with every kind of load."""

from collections.abc import Callable
from typing import Any

import pytest
from tests.random_constraints import random_constrained_system
from tests.seeds import CONSTRAINED, SMALL_TREES, seeds

import polhode as ph
from polhode.compare import agreement
from polhode.expr import cos, sin
from polhode.formalisms.registry import names
from polhode.model import samples
from polhode.model.samples.random_system import random_system

#: What is compared without constraints, and with them.
FREE = {
    "coordinate rate", "kinetic energy", "potential energy", "applied effort", "mass matrix", "inverse dynamics",
    "acceleration",
}  # fmt: skip
TIED = FREE | {"constraint", "constraint row A", "constraint term γ", "multiplier"}


def assert_agrees(system: ph.System, formalisms: list[str] | None = None, checked: set[str] = FREE) -> None:
    found = system.compare(formalisms, run=False, functions=()).reference
    assert found, f"{system.name}: {found}"
    assert not found.not_covered and {*found.checked} == checked


def some(seed: int) -> list[str]:
    """Newton-Euler and two others, each in its turn."""
    every = names()
    return ["newton_euler", every[seed % len(every)], every[(seed + 3) % len(every)]]


def geared_and_driven(seed: int) -> ph.System:
    """A random tree; in every third a joint follows another, in every third one moves as prescribed."""
    system = random_system(seed, bodies=(1, 6), max_speeds=8)
    able = [joint for joint in system.joints.values() if joint.type.kind in ("revolute", "prismatic", "screw")]
    if seed % 3 == 0 and len(able) > 1:
        system.couple(able[1], able[0], system.parameter("ratio", 3), ph.pi / 5)
    if seed % 3 != 1 and able and sum(len(joint.u) for joint in system.joints.values()) > 2:
        system.prescribe(able[0], sin(2 * system.time) / 3 + system.time**2 / 5)
    return system


@pytest.mark.parametrize("seed", seeds(SMALL_TREES, of=100))
def test_on_a_random_tree(seed: int) -> None:
    system = geared_and_driven(seed)
    moves = any(u.name in system.derive().speeds for joint in system.joints.values() for u in joint.u)
    rates = {"coordinate rate"} if system.derive().coordinates else set()
    still = {"kinetic energy", "potential energy"} | rates
    assert_agrees(system, some(seed), FREE if moves else still)


@pytest.mark.parametrize("seed", seeds(CONSTRAINED[1::2], of=100))
def test_on_a_random_constrained_system(seed: int) -> None:
    system = random_constrained_system(seed, bodies=(2, 3))
    assert_agrees(system, some(seed), TIED)
    embedded = agreement({name: system.derive(name, constraints="embedded").record for name in some(seed)[:2]})
    assert embedded, embedded


SAMPLES: dict[str, Callable[[], Any]] = {
    "four-bar": samples.four_bar, "ten four-bars": lambda: samples.n_four_bar(10), "Bennett": samples.bennett,
    "Bricard": samples.bricard_mechanism, "Stewart platform": samples.stewart_platform,
    "squeezer": samples.squeezing_mechanism, "arm": samples.six_degree_of_freedom_arm,
    "bicycle": samples.whipple_bicycle, "car": samples.car, "semitrailer": samples.semitrailer,
}  # fmt: skip


@pytest.mark.parametrize("make", SAMPLES.values(), ids=SAMPLES)
def test_on_the_samples(make: Callable[[], Any]) -> None:
    made = make()
    system = made if isinstance(made, ph.System) else made.system
    assert_agrees(system, ["newton_euler", "articulated_body"], TIED if system.constraints else FREE)


def test_under_every_kind_of_load() -> None:
    """Tables, a user's function, line forces by their length and rate, fields, torques in moving frames."""
    tyre = ph.table([-1, 0, 1, 2], [-3, 0, 2, 5], name="tyre", kind="cubic")
    slope = ph.function("slope", "double slope(double x) { return 3*x*x; }", lambda x: 3 * x * x)
    cube = ph.function("cube", "double cube(double x) { return x*x*x; }", lambda x: x**3, {0: slope})
    s = ph.System("loads", gravity=(ph.sin(ph.symbol("t", "time")), 0, -ph.symbol("g", "parameter")))
    s.parameter("g", 9.81)
    push = s.input("push", 1)
    upper = s.body("upper", 2, (0, 0.1, -0.4), (0.2, 0.3, 0.3))
    lower = s.body("lower", 1, (0.1, 0, -0.3), (0.1, 0.2, 0.15))
    hand = s.frame("hand", lower, (0, 0, -0.6), [("x", 0.3)])
    base = s.joint("base", s.ground, upper, ph.Universal("x", "y"), at=(0, 0, 1))
    knee = s.joint("knee", upper, lower, ph.Revolute("y"), at=(0, 0, -0.8))
    s.potential(tyre.integral()(knee.q[0]) + cube(sin(base.q[0])), "bump")
    s.line_force(s.ground, lower, lambda L, r: 3 * L**2 + tyre(L) * ph.tanh(r) + abs_of(r) * push, at_b=(0, 0.2, 0))
    s.spring(s.ground, hand, 7, damping=2)
    s.spring(upper, hand, 7, 0.4, 1, at_a=(0.3, 0, 0))
    s.force(hand, (tyre(knee.u[0]), 0, cos(s.time)), frame=hand)
    s.torque(lower, (0, push * base.u[0], 1), frame=upper)
    s.joint_force(base, -cube(base.u[1]), 1)
    s.joint_spring(knee, 4, 0.2, 0.5)
    s.gravity_field(lambda r: tuple(-entry / (1 + ph.sqrt(r.dot(r)) ** 3) for entry in r))
    assert_agrees(s, ["poincare", "newton_euler", "composite_body"])


def abs_of(value: Any) -> Any:
    return ph.sqrt(1 + value * value)


@pytest.mark.parametrize("slips", [False, True])
@pytest.mark.parametrize("driven", [False, True])
def test_with_discs_on_curves(slips: bool, driven: bool) -> None:
    s = ph.System("disc on a hill")
    cart = s.body("cart", 3)
    wheel = s.body("wheel", 1, inertia=(0.1, 0.2, 0.1))
    plane = ph.Compound(ph.Prismatic("x"), ph.Prismatic("z"), ph.Revolute("y"))
    s.joint("lift", s.ground, s.body("platform", 1), ph.Prismatic("z"))
    s.joint("rail", "platform", cart, ph.Prismatic("x"))
    s.joint("move", cart, wheel, plane)
    if driven:
        s.prescribe("lift", sin(s.time))
    hill = s.roll_disc("hill", wheel, s.parameter("r", 0.2), lambda x: cos(x) * s.time / 3, slips=slips)
    s.potential(hill.parameter**2, "magnet")
    s.constrain(s.joints["rail"].q[0] - sin(hill.parameter), "follow")
    assert_agrees(s, names(), TIED)


def test_with_contacts_on_moving_bodies() -> None:
    s = ph.System("contacts")
    s.joint("table", s.ground, s.body("plate", 5, inertia=(1, 1, 1)), ph.Spherical("313"))
    s.joint("air", s.ground, s.body("ball", 1, (0.1, 0, 0), (1, 1.1, 1.2)), ph.Free())
    s.joint("sky", s.ground, s.body("wheel", 1, inertia=(0.1, 0.2, 0.1)), ph.Free("vector"))
    s.joint("skate", s.ground, s.body("runner", 1, inertia=(1, 1, 1)), ph.Planar("z"))
    s.roll_ball("on ball", "ball", 0.4, on="plate", at=(0, 0, 0.1), other_radius=0.7)
    s.roll_wheel("on plate", "wheel", 0.3, on="plate", rotation=[("x", 0.2)])
    s.knife_edge("blade", "runner", at=(0.2, 0, 0), on="plate")
    s.constrain_speed(s.joints["skate"].u[0] * sin(s.time) - s.joints["table"].u[1], "drag")
    assert_agrees(s, ["newton_euler", "composite_body"], TIED)


def test_what_is_not_covered_is_said_and_the_rest_compared() -> None:
    s = ph.System("ripple")
    s.joint("x", s.ground, s.body("bead", 2), ph.Prismatic("x"))
    s.line_force(s.ground, "bead", lambda length, rate: sin(length), name="ripple", at_a=(0, 0, 1))
    found = s.compare(["newton_euler", "poincare"], run=False)
    assert found.agree and "so does the reference" not in found.verdict
    assert found.verdict.endswith(
        "; the reference derivation agrees on coordinate rate, kinetic energy, mass matrix; "
        "not covered: line force 'ripple' (sin of a position, a length, a rate or a dependent speed)"
    )
    assert {*found.reference.checked} == {"coordinate rate", "kinetic energy", "mass matrix"}


def test_what_only_one_way_of_writing_leaves_uncovered_is_said_of_it() -> None:
    """With multipliers all speeds are free; embedded, the wave is of one that depends on another."""
    s = ph.System("tied")
    a = s.joint("a", s.ground, s.body("one", 2), ph.Prismatic("x"))
    b = s.joint("b", s.ground, s.body("two", 1), ph.Prismatic("x"))
    s.constrain(a.q[0] ** 2 - b.q[0], "tie")
    s.joint_force(b, sin(b.u[0]))
    ways = {way: s.derive("newton_euler", constraints=way).record for way in ("multipliers", "embedded")}
    assert not agreement({"newton_euler": ways["multipliers"]}).not_covered
    said = "joint force on 'b' (sin of a position, a length, a rate or a dependent speed)"
    assert agreement(ways).not_covered == (said,)
