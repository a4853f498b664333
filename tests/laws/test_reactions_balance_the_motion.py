"""What joints and constraints carry: efforts on their speeds, and the change of momentum of all beyond them."""

import pytest
from tests.random_constraints import random_constrained_system
from tests.refusals import refused
from tests.seeds import seeds

import polhode as ph
from polhode.constraints.wrenches import constraint_wrenches
from polhode.dynamics.loads import Loads
from polhode.dynamics.reactions import Reactions
from polhode.expr import Vector, as_expr, directional, same
from polhode.kinematics.motion import centre_of_mass, world_poses
from polhode.kinematics.tree import BASE
from polhode.model.samples.random_system import random_system


def _system(seed: int) -> ph.System:
    return random_system(seed, bodies=(2, 5), max_speeds=8) if seed % 2 else random_constrained_system(seed)


@pytest.mark.parametrize("seed", seeds(4, of=16))
def test_what_a_joint_passes_on_along_its_freedom_is_the_effort_on_it(seed: int) -> None:
    equations = _system(seed).derive("composite_body")
    made = Reactions(equations.record)
    efforts = [-given for given in Loads(made.system, made.tree).speed_forces()]
    if made.constraints is not None:
        _, conditions = constraint_wrenches(made.system, made.constraints, made.given.multipliers)
        efforts = [effort - more for effort, more in zip(efforts, conditions, strict=True)]
    for link, (n, f) in zip(made.tree.links, made.wrenches, strict=True):
        for speed, (w, v) in zip(link.speeds, link.H, strict=True):
            efforts[speed] = as_expr(efforts[speed] + w.dot(n) + v.dot(f))
    assert same(efforts, equations.tau)


@pytest.mark.parametrize("seed", seeds(4, of=16))
def test_the_ground_and_the_loads_change_the_momentum(seed: int) -> None:
    equations = _system(seed).derive("composite_body")
    made = Reactions(equations.record)
    poses = world_poses(made.tree)
    external = Loads(made.system, made.tree).wrenches()
    if made.constraints is not None:
        held, _ = constraint_wrenches(made.system, made.constraints, made.given.multipliers)
        external = [(n + m, f + g) for (n, f), (m, g) in zip(external, held, strict=True)]
    mass, moment = centre_of_mass(made.tree)
    force, torque = Vector(equations.tree.gravity) * mass, moment.cross(equations.tree.gravity)
    for place, link in enumerate(made.tree.links):
        wrenches = [external[place]] + ([made.wrenches[place]] if link.parent == BASE else [])
        for n, f in wrenches:
            pushed = poses[place].R @ f
            force = force + pushed
            torque = torque + poses[place].R @ n + poses[place].p.cross(pushed)
    along = {**dict(zip(equations.q, equations.coordinate_rates, strict=True)), made.system.time: as_expr(1)}
    along |= dict(zip(equations.u, equations.accelerations, strict=True))
    spin, linear = equations.momentum
    assert same(directional(list(linear), along), force) and same(directional(list(spin), along), torque)


def test_the_pin_of_a_pendulum_carries_weight_and_centripetal_force() -> None:
    system = ph.System("pendulum", gravity=(0, 0, "-9.81"))
    m, l = system.parameter("m", 2), system.parameter("l", 1)
    bob = system.body("bob", m, com=(0, 0, -l))
    hinge = system.joint("hinge", system.ground, bob, ph.Revolute("y"))
    (q,), (u,) = hinge.q, hinge.u
    reaction = system.derive().reaction("hinge")
    assert reaction.force[2] == m * (as_expr(981) / 100 * ph.cos(q) + l * u * u)
    in_ground = system.derive().reaction("hinge", frame="ground")
    assert in_ground.torque[1] == hinge.tau[0]


def test_a_driven_joint_takes_the_effort_that_inverse_dynamics_gives() -> None:
    free, driven = ph.System("free"), ph.System("driven")
    for system in (free, driven):
        arm = system.body("arm", 2, com=(1, 0, 0), inertia=(1, 2, 3))
        tip = system.body("tip", 1, com=(0, 1, 1), inertia=(3, 2, 2))
        system.joint("a", system.ground, arm, ph.Revolute("y"))
        system.joint("b", arm, tip, ph.Revolute("x"), at=(1, 0, 1))
        system.joint_spring("a", 5, damping=2)
    driven.prescribe("a", driven.time**3)
    t, equations = driven.time, free.derive()
    known = {equations.q[0]: t**3, equations.u[0]: 3 * t**2, equations.udot[0]: 6 * t}
    bound = driven.derive()
    known[equations.udot[1]] = bound.forward_dynamics[0]
    expected = ph.expr.substitute([equations.inverse_dynamics[0]], known)[0]
    assert bound.driving_force("a") == expected


def test_the_pin_of_a_bent_pendulum_carries_its_mass_times_acceleration() -> None:
    system = ph.System("bent", gravity=(0, 0, "-9.81"))
    m, a, b, I = (system.parameter(name) for name in "mabI")
    bend = system.body("bend", m, com=(a, 0, -b), inertia=(I, I, I))
    hinge = system.joint("hinge", system.ground, bend, ph.Revolute("y"))
    (q,), (u,), (tau,) = hinge.q, hinge.u, hinge.tau
    g = as_expr(981) / 100
    reach = a * ph.cos(q) - b * ph.sin(q)  # how far the mass centre is to the side of the pin
    ud = (tau + m * g * reach) / (I + m * (a**2 + b**2))
    force = system.derive().reaction("hinge").force
    assert force[0] == m * (-b * ud - a * u**2 - g * ph.sin(q))  # turning about y takes x to -z
    assert force[2] == m * (-a * ud + b * u**2 + g * ph.cos(q)) and force[1] == 0


def test_what_a_joint_does_on_its_parent_is_the_opposite() -> None:
    system = ph.System("pair")
    one = system.body("one", 1, com=(1, 0, 0), inertia=(1, 1, 1))
    two = system.body("two", 2, com=(0, 1, 0), inertia=(2, 1, 2))
    system.joint("a", system.ground, one, ph.Revolute("y"))
    system.joint("b", one, two, ph.Revolute("x"), at=(1, 0, 0))
    equations = system.derive()
    given, taken = equations.reaction("b", frame="ground"), equations.reaction("b", frame="ground", on="one")
    assert same(given.force, -taken.force) and same(given.torque, -taken.torque)
    assert same(given.force, equations.reaction("b", frame="ground", on="two").force)
    refused("acts on 'two' and on 'one'", lambda: equations.reaction("b", on="ground"))


def test_a_drive_bears_what_follows_it_by_the_ratio() -> None:
    """The same motion with both joints free takes efforts a and b; a drive with a gear of ratio 3 takes a + 3 b."""
    free, driven = ph.System("free"), ph.System("driven")
    for system in (free, driven):
        arm = system.body("arm", 2, com=(1, 0, 0), inertia=(1, 2, 3))
        tip = system.body("tip", 1, com=(0, 1, 1), inertia=(3, 2, 2))
        system.joint("a", system.ground, arm, ph.Revolute("y"))
        system.joint("b", arm, tip, ph.Revolute("x"), at=(1, 0, 1))
        system.joint_force("b", -system.joints["b"].u[0])
    driven.couple("b", "a", 3)
    driven.prescribe("a", driven.time**3)
    t, equations = driven.time, free.derive()
    motion = (t**3, 3 * t**2, 6 * t)
    known = {}
    for symbols, value in zip((equations.q, equations.u, equations.udot), motion, strict=True):
        known |= {symbols[0]: value, symbols[1]: 3 * value}
    a, b = ph.expr.substitute(equations.inverse_dynamics, known)
    assert driven.derive().driving_force("a") == a + 3 * b


def test_an_unknown_reaction_is_named() -> None:
    system = ph.System("s")
    system.joint("hinge", system.ground, system.body("one", 1, com=(1, 0, 0)), ph.Revolute("y"))
    refused("Did you mean 'hinge'", lambda: system.derive().reaction("hing"))
    refused("no prescribed coordinate", lambda: system.derive().driving_force("hinge"))
