"""Sliding origins, regrouping masses, merging parallel axes: every function of the motion stays the same."""

import random
from collections.abc import Callable
from functools import cache

import numpy as np
import pytest
from tests.seeds import seeds

import polhode as ph
from polhode.dynamics.equations import EquationsOfMotion
from polhode.expr import evaluate
from polhode.formalisms.deriving import derive
from polhode.kinematics.passes import PASSES, VARIANTS, apply
from polhode.model.samples.random_system import random_state, random_system

COMBINATIONS = [(), *((name,) for name in PASSES), tuple(PASSES), tuple(PASSES)[::-1], *VARIANTS]


@cache
def judging(make: Callable[..., ph.System], *given: int) -> EquationsOfMotion:
    """Poincaré's equations of a mechanism as it was written, derived once for all that is compared with them."""
    return derive(make(*given), "poincare", passes=())


def random_tree(seed: int) -> ph.System:
    return random_system(seed, max_speeds=8)


def planar_robot(seed: int) -> ph.System:
    """A branched tree most of whose axes are parallel, now and then turned by quarters."""
    dice = random.Random(seed)
    system = ph.System("planar robot", gravity=(1, -9, 2))
    bodies = [system.ground]
    for place in range(1, 7):
        body = system.body(f"b{place}", mass=place, com=(1, place, 0.5), inertia=[2, 3, 4])
        axis = dice.choice(["z", "z", "z", "-z", "x"])
        turn = [(dice.choice("xz"), ph.pi * dice.randrange(4) / 2)]
        kind = ph.Revolute(axis) if dice.random() < 0.8 else ph.Prismatic(axis)
        system.joint(f"j{place}", dice.choice(bodies[-2:]), body, kind, at=(place, 0, 1), rotation=turn)
        bodies.append(body)
    return system


@pytest.mark.parametrize("passes", COMBINATIONS, ids=lambda passes: "+".join(passes) or "none")
@pytest.mark.parametrize("formalism", ["newton_euler", "composite_body", "articulated_body"])
@pytest.mark.parametrize("seed", seeds(1, of=5))
def test_passes_keep_parallel_and_crossing_axes_exact(seed: int, formalism: str, passes: tuple[str, ...]) -> None:
    judge = judging(planar_robot, seed)
    assert judge.agrees_with(derive(judge.system, formalism, passes=passes))


def leg(joints: int) -> ph.System:
    """A trunk that floats or turns, and a leg on it whose middle joints are parallel: a link between two others."""
    system = ph.System("leg", gravity=(0, 0, -9))
    on = system.body("trunk", mass=5, com=(1, 2, 3), inertia=[2, 3, 4])
    system.joint("base", system.ground, on, ph.Free() if joints < 3 else ph.Revolute("x"))
    for place, axis in enumerate(["z", *["y"] * joints, "x"]):
        link = system.body(f"l{place}", mass=place + 1, com=(1, place, -2), inertia=[2, 3, 4])
        system.joint(f"j{place}", on, link, ph.Revolute(axis), at=(place, 0, -1))
        on = link
    system.force("l3", (1, 2, 3), at=(0, 1, 1))
    return system


@pytest.mark.parametrize("formalism", ["newton_euler", "composite_body", "articulated_body"])
@pytest.mark.parametrize("passes", [("hold",), *VARIANTS], ids="+".join)
@pytest.mark.parametrize("joints", [2, 4])
def test_passes_keep_a_leg_with_parallel_joints_exact(joints: int, passes: tuple[str, ...], formalism: str) -> None:
    judge = judging(leg, joints)
    assert judge.agrees_with(derive(judge.system, formalism, passes=passes))


@pytest.mark.parametrize("passes", COMBINATIONS, ids=lambda passes: "+".join(passes) or "none")
@pytest.mark.parametrize("seed", seeds(2, of=10))
def test_passes_keep_random_trees_exact(seed: int, passes: tuple[str, ...]) -> None:
    judge = judging(random_tree, seed)
    assert judge.agrees_with(derive(judge.system, "articulated_body", passes=passes))


@pytest.mark.parametrize("passes", COMBINATIONS, ids=lambda passes: "+".join(passes) or "none")
@pytest.mark.parametrize("angle", [1.5708, 1.5707963, 1.5707963267948966])
def test_passes_lose_no_digits_where_a_right_angle_is_rounded(angle: float, passes: tuple[str, ...]) -> None:
    """Axes that are almost, not quite, across an offset: an origin must not slide to the end of the world."""
    system = ph.System("arm of a rounded file", gravity=(0, 0, -9.81))
    on = system.ground
    for k in range(4):
        link = system.body(f"link {k}", mass=2, com=(0.1, 0.2, 0.3), inertia=[0.02, 0.03, 0.04])
        system.joint(f"joint {k}", on, link, ph.Revolute("x"), at=(0.1, 0.3, 0.2), rotation=[("z", angle)])
        on = link
    values = random_state(system, 1)
    exact, passed = derive(system, "newton_euler", passes=()), derive(system, "newton_euler", passes=passes)
    ours, theirs = (evaluate(made.inverse_dynamics, values) for made in (passed, exact))
    np.testing.assert_allclose(ours, theirs, rtol=1e-10, atol=1e-10)


def rotors() -> ph.System:
    """A gyroscope on a gimbal with wheels on its axis and across it, loads on each, and one that is out of balance."""
    system = ph.System("rotors", gravity=(1, -9, 2))
    drum, axle = system.parameter("J", 2), system.parameter("A", 1)
    gimbal = system.body("gimbal", 3, com=(1, 0, 2), inertia=(2, 3, 4))
    system.joint("turn", system.ground, gimbal, ph.Universal("x", "y"))
    for name, axis, com in (("along", "y", (0, 1, 0)), ("across", "z", (0, 0, 2)), ("unbalanced", "z", (0.1, 0, 0))):
        moments = {"y": (axle, drum, axle), "z": (axle, axle, drum)}[axis]
        wheel = system.body(name, 2, com, moments)
        spin = system.joint(name, gimbal, wheel, ph.Revolute(axis), at=(1, 2, 3))
        system.force(wheel, (1, 2, 3), at=(0.3, 0.2, 0.1), frame=wheel)
        system.joint_force(spin, -spin.u[0])
    return system


@pytest.mark.parametrize("passes", COMBINATIONS, ids=lambda passes: "+".join(passes) or "none")
@pytest.mark.parametrize("formalism", ["newton_euler", "composite_body", "articulated_body"])
def test_passes_keep_rotors_exact(formalism: str, passes: tuple[str, ...]) -> None:
    judge = judging(rotors)
    assert judge.agrees_with(derive(judge.system, formalism, passes=passes))


def test_a_wheel_at_rest_has_the_inertia_that_it_had_and_an_unbalanced_one_has_not() -> None:
    before = derive(rotors(), "newton_euler", passes=()).tree
    after = apply(before, ("rest",))
    held = {new.joint: new.inertia is old.inertia for old, new in zip(before.links, after.links, strict=True)
            if new.motion == ph.Pose.identity()}  # fmt: skip
    assert held == {"along": True, "across": True, "unbalanced": False}
    for name in held:
        (place, X), (place_after, X_after) = before.bodies[name], after.bodies[name]
        assert after.links[place_after].X @ X_after == before.links[place].X @ X, "bodies are where they were"
