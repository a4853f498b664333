"""Renaming, renumbering, splitting a body by a weld, turning the base with gravity, or starting at another body."""

import random
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from tests.seeds import seeds

import polhode as ph
from polhode.expr import Expr, Vector, evaluate, same, substitute, symbol
from polhode.model.records import GROUND, Joint
from polhode.model.samples.random_system import random_state, random_system

Rewrite = Callable[..., ph.System]


def by_name(made: ph.Equations) -> dict[str, Any]:
    """Mass matrix, efforts and accelerations under the names of the speeds, whatever their order."""
    table: dict[str, Any] = {}
    for i, name in enumerate(made.speeds):
        table[f"effort {name}"], table[f"rate {name}"] = made.inverse_dynamics[i], made.forward_dynamics[i]
        table |= {f"mass {name} {other}": made.mass_matrix[i, j] for j, other in enumerate(made.speeds)}
    return table


@pytest.mark.parametrize("seed", seeds(5, of=20))
def test_the_order_in_which_joints_are_written_changes_nothing(seed: int, rewritten: Rewrite) -> None:
    system = random_system(seed, max_speeds=8)
    shuffled = rewritten(system, order=lambda joints: random.Random(seed).sample(joints, len(joints)))
    ours, theirs = by_name(system.derive()), by_name(shuffled.derive())
    assert ours.keys() == theirs.keys() and same(ours.values(), [theirs[key] for key in ours])


@pytest.mark.parametrize("seed", seeds(5, of=20))
def test_other_names_give_the_same_functions_of_other_symbols(seed: int, rewritten: Rewrite) -> None:
    system = random_system(seed, max_speeds=8, loads=False)
    made = system.derive("newton_euler")
    odd = {name: f'in"; {name} */ π' for name in system.bodies if name != GROUND} | {GROUND: GROUND}
    renamed = rewritten(
        system, body=lambda body: replace(body, name=odd[body.name]), joint=lambda joint: other_names(joint, odd)
    ).derive("newton_euler")
    new = dict(zip(every_symbol(made), every_symbol(renamed), strict=True))
    assert not {q.name for q in made.q} & {q.name for q in renamed.q}
    assert same(substitute(made.forward_dynamics, new), renamed.forward_dynamics)
    assert same(substitute(made.inverse_dynamics, new), renamed.inverse_dynamics)


def every_symbol(made: ph.Equations) -> list[Expr]:
    return [*made.q, *made.u, *made.tau, *made.udot]


def other_names(joint: Joint, bodies: Mapping[str, str]) -> Joint:
    q = tuple(symbol(f"{entry.name} lambda", "coordinate") for entry in joint.q)
    u = tuple(symbol(f"{entry.name} in", "speed") for entry in joint.u)
    name = f"joint {joint.name}"
    return replace(joint, name=name, parent=bodies[joint.parent], child=bodies[joint.child], q=q, u=u)


@pytest.mark.parametrize("seed", seeds(5, of=20))
def test_a_body_cut_in_two_and_welded_moves_as_before(seed: int, rewritten: Rewrite) -> None:
    system = random_system(seed, max_speeds=8)
    cut = rewritten(system, body=lambda body: share(body, 1, 3), prepare=lambda copy: weld_the_rest(copy, system))
    assert system.derive().agrees_with(cut.derive())


def share(body: ph.Body, part: int, of: int) -> ph.Body:
    return replace(body, mass=body.mass * part / of, inertia=body.inertia * part / of)


def weld_the_rest(copy: ph.System, original: ph.System) -> None:
    """The other two thirds of every body, in a turned frame, welded on."""
    X = ph.Pose(ph.rotation(("x", 0.7), ((3, 0, 4), ph.pi / 5)), Vector([1, -2, 3]))
    for name, body in original.bodies.items():
        if body.mass:
            rest = share(body, 2, 3)
            inertia = X.R.T @ rest.inertia @ X.R
            copy.body(f"{name}, rest", rest.mass, X.inverse().point(body.com), inertia)
            copy.joint(f"{name}, weld", name, f"{name}, rest", "fixed", at=X.p, rotation=X.R)


@pytest.mark.parametrize("seed", seeds(5, of=20))
def test_gravity_turned_together_with_the_base_is_not_felt(seed: int, rewritten: Rewrite) -> None:
    system = random_system(seed, max_speeds=8, loads=False)
    R = ph.rotation(("y", 0.4), ((1, 1, 0), ph.pi / 3))

    def lay_table(copy: ph.System) -> None:
        copy.body("table")
        copy.joint("legs", GROUND, "table", "fixed", at=(3, -1, 2), rotation=R)

    turned = rewritten(
        system,
        gravity=R @ system.gravity,
        prepare=lay_table,
        joint=lambda joint: replace(joint, parent="table") if joint.parent == GROUND else joint,
    )
    assert system.derive("newton_euler").agrees_with(turned.derive("newton_euler"))
    assert system.derive("poincare").agrees_with(turned.derive("poincare"))


@pytest.mark.parametrize("seed", seeds(4, of=15))
def test_a_floating_chain_can_be_described_from_either_end(seed: int) -> None:
    """Reverse every joint of a chain: q, u and τ change sign, and so do the accelerations."""
    chain = floating_chain(seed, ("revolute", "prismatic", "screw"))
    forth, back = chain.derive(), reversed_chain(chain).derive()
    values = random_state(chain, seed)
    values |= dict.fromkeys(chain.joints["root"].tau, 0.0)
    rates = dict(zip(forth.speeds, evaluate(forth.forward_dynamics, values), strict=True))
    tip = list(chain.bodies)[-1]
    mirrored = {entry.symbol: values[entry.symbol] for entry in chain.parameters.values()}
    for joint in chain.joints.values():
        if joint.name != "root":
            mirrored |= {s: -values[s] for s in (*joint.q, *joint.u, *joint.tau)}
    mirrored |= free_state(back, tip, forth, values)
    again = dict(zip(back.speeds, evaluate(back.forward_dynamics, mirrored), strict=True))
    energies = [evaluate([made.kinetic_energy], at)[0] for made, at in ((forth, values), (back, mirrored))]
    np.testing.assert_allclose(energies[0], energies[1], rtol=1e-10)
    inner = [joint.name for joint in chain.joints.values() if joint.name != "root"]
    np.testing.assert_allclose([again[k] for k in inner], [-rates[k] for k in inner], rtol=1e-8, atol=1e-8)


def floating_chain(seed: int, kinds: tuple[str, ...]) -> ph.System:
    """A random chain whose first body floats."""
    drawn = random_system(seed, bodies=4, joints=kinds, loads=False, max_speeds=4)
    chain = ph.System("chain", gravity=drawn.gravity)
    for name, entry in drawn.parameters.items():
        chain.parameter(name, entry.value)
    bodies = [body for body in drawn.bodies.values() if body.mass]
    for body in bodies:
        chain.body(body.name, body.mass, body.com, body.inertia)
    chain.joint("root", GROUND, bodies[0].name, ph.Free())
    for before, body, joint in zip(bodies, bodies[1:], list(drawn.joints.values())[1:], strict=False):
        put(chain, replace(joint, parent=before.name, child=body.name))
    return chain


def reversed_chain(chain: ph.System) -> ph.System:
    """The same chain from its last body: every inner joint turned round."""
    back = ph.System("chain, reversed", gravity=chain.gravity)
    for name, entry in chain.parameters.items():
        back.parameter(name, entry.value)
    for body in chain.bodies.values():
        if body.name != GROUND:
            back.body(body.name, body.mass, body.com, body.inertia)
    back.joint("root", GROUND, list(chain.bodies)[-1], ph.Free())
    for joint in list(chain.joints.values())[:0:-1]:
        put(
            back,
            replace(joint, parent=joint.child, child=joint.parent, in_parent=joint.in_child, in_child=joint.in_parent),
        )
    return back


def put(system: ph.System, joint: Joint) -> None:
    places = {"at": joint.in_parent.p, "rotation": joint.in_parent.R}
    places |= {"child_at": joint.in_child.p, "child_rotation": joint.in_child.R}
    system.joint(joint.name, joint.parent, joint.child, joint.type, **places)


def free_state(back: ph.Equations, tip: str, forth: ph.Equations, values: Mapping[Expr, float]) -> dict[Expr, float]:
    """Pose and velocity of the tip, as the coordinates and speeds of the free joint that now carries it."""
    X = forth.pose(tip)
    R = np.array([evaluate(row, values) for row in X.R])
    twist = evaluate(forth.jacobian(tip) @ forth.u, values)
    x, y, z, w = Rotation.from_matrix(R).as_quat()
    root = back.system.joints["root"]
    state = dict(zip(root.q, [w, x, y, z, *evaluate(X.p, values)], strict=True))
    state |= dict(zip(root.u, [*(R.T @ twist[:3]), *(R.T @ twist[3:])], strict=True))
    return state | dict.fromkeys(root.tau, 0.0)
