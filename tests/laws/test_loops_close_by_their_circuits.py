"""Circuits of the chords that close loops are the constraints, their cut-sets the forces that keep them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

import polhode as ph
from polhode.errors import ModelError
from polhode.expr import Vector, derivative, evaluate, same, symbol
from polhode.formalisms.network import Network, network
from polhode.kinematics.tree import build_tree


def chain(*joints: tuple[Any, tuple[float, float, float]]) -> ph.System:
    """Bodies one on the other, each joint with its place in the parent."""
    system = ph.System("loop", gravity=(0, 1, -9.81))
    before = system.ground
    for k, (joint, at) in enumerate(joints, start=1):
        body = system.body(f"b{k}", mass=k, com=(0.3, 0.1, -0.2), inertia=(1, 2, 2.5))
        system.joint(f"j{k}", before, body, joint, at=at)
        before = body
    return system


def four_bar() -> ph.System:
    system = chain((ph.Revolute("y"), (0, 0, 0)), (ph.Revolute("y"), (1, 0, 0)), (ph.Revolute("y"), (2, 0, 0)))
    system.close("pin", "ground", "b3", ph.Revolute("y"), at_a=(1.9, 0, 0.3), at_b=(1.2, 0, 0))
    return system


def slider_crank() -> ph.System:
    system = chain((ph.Revolute("y"), (0, 0, 0)), (ph.Revolute("y"), (0.6, 0, 0)))
    system.joint("guide", "ground", system.body("slider", mass=2), ph.Prismatic("x"), at=(0.5, 0, 0))
    system.close("wrist pin", "slider", "b2", ph.Spherical(), at_b=(1.5, 0, 0))
    return system


def spatial_loop() -> ph.System:
    """Two arms that meet in a ball joint, both away from the ground's origin."""
    system = chain((ph.Revolute("z"), (0, 0, 0)), (ph.Universal("x", "y"), (1, 0, 0.2)))
    far = system.body("far", mass=1, com=(0.1, 0.2, 0), inertia=(1, 1, 1))
    system.joint("far hinge", "ground", far, ph.Universal("z", "x"), at=(0.3, 1.5, 0))
    system.close("ball", far, "b2", ph.Spherical(), at_a=(0.1, -0.9, 0.4), at_b=(0.2, 0.1, 0.7))
    return system


def sliding_loop() -> ph.System:
    """A block on the second body runs in a tube of the third."""
    system = chain((ph.Revolute("y"), (0, 0, 0)), (ph.Spherical("angles"), (1, 0, 0)))
    tube = system.body("tube", mass=1, com=(0.1, 0.2, 0), inertia=(1, 1, 1))
    system.joint("pivot", "ground", tube, ph.Spherical("angles"), at=(0.4, 0.1, 0.9))
    system.close("run", tube, "b2", ph.Prismatic("x"), rotation_b=[("y", 0.4)], at_b=(0.5, 0.1, 0))
    return system


def cardan_loop() -> ph.System:
    system = chain(
        (ph.Free("angles"), (0, 0, 0)),
    )
    other = system.body("other", mass=1, com=(0.1, 0.2, 0), inertia=(1, 1, 1))
    system.joint("turn", "ground", other, ph.Universal("z", "x"), at=(0.3, 0.5, 0))
    system.close("cross", "b1", other, ph.Universal("x", "y"), at_a=(0.2, 0, 0.1), at_b=(0, 0.4, 0.3))
    return system


LOOPS: dict[str, Callable[[], ph.System]] = {
    "four-bar": four_bar,
    "slider-crank": slider_crank,
    "ball": spatial_loop,
    "block in a tube": sliding_loop,
    "universal": cardan_loop,
}
every_loop = pytest.mark.parametrize("make", LOOPS.values(), ids=LOOPS)


def assembled(equations: ph.Equations) -> dict[Any, float]:
    """Coordinates that close the loops, by Gauss and Newton, and speeds that keep them closed."""
    ties, q = equations.constraints, list(equations.q)
    assert ties is not None
    rng = np.random.default_rng(3)
    at = rng.uniform(0.2, 0.8, len(q))
    slope = [derivative(list(ties.values), own) for own in q]
    for _ in range(60):
        values = dict(zip(q, at, strict=True))
        J = np.array([evaluate(column, values) for column in slope]).T
        at = at - np.linalg.lstsq(J, np.array(evaluate(list(ties.values), values)), rcond=None)[0]
    values = dict(zip(q, map(float, at), strict=True))
    assert max(map(abs, evaluate(list(ties.values), values))) < 1e-12
    A = np.array([evaluate(list(row), values) for row in ties.A])
    u = rng.normal(size=len(equations.u))
    u = u - np.linalg.pinv(A) @ (A @ u)
    return values | dict(zip(equations.u, map(float, u), strict=True))


def numbers(rows: Sequence[Sequence[Any]], values: dict[Any, float]) -> np.ndarray:
    return np.array([evaluate(list(row), values) for row in rows])


def of(system: ph.System) -> Network:
    return network(system, build_tree(system))


@every_loop
def test_cutsets_carry_multipliers_as_circuits_carry_velocities(make: Callable[[], ph.System]) -> None:
    made = of(make())
    forces = Vector([symbol(f"force {k}", "multiplier") for k in range(len(made.closing))])
    assert same(made.loop_efforts(forces), made.loop_matrix().T @ forces)


@every_loop
def test_circuits_forbid_what_the_conditions_on_the_position_forbid(make: Callable[[], ph.System]) -> None:
    system = make()
    equations = system.derive("newton_euler")
    values = assembled(equations)
    ties = equations.constraints
    assert ties is not None
    A, B = numbers(of(system).loop_matrix(), values), numbers(ties.A, values)
    rank = np.linalg.matrix_rank(B, tol=1e-9)
    assert np.linalg.matrix_rank(A, tol=1e-9) == rank
    assert np.linalg.matrix_rank(np.vstack([A, B]), tol=1e-9) == rank


@every_loop
def test_accelerations_by_circuits_are_those_of_the_constrained_equations(make: Callable[[], ph.System]) -> None:
    system = make()
    equations = system.derive("network")
    values = assembled(equations) | dict.fromkeys(equations.tau, 0.4)
    made = of(system)
    A = numbers(made.loop_matrix(), values)
    M = numbers(equations.mass_matrix, values)
    f, gamma = (
        np.array(evaluate(list(part), values)) for part in (equations.tau - equations.bias, made.loop_remainder())
    )
    size = len(A)
    left = np.block([[M, -A.T], [A, np.zeros((size, size))]])
    solved = np.linalg.lstsq(left, np.concatenate([f, -gamma]), rcond=None)[0]
    assert np.allclose(left @ solved, np.concatenate([f, -gamma]), atol=1e-9)
    assert np.allclose(solved[: len(M)], evaluate(list(equations.forward_dynamics), values), atol=1e-8)


def test_the_network_keeps_loops_like_every_other_formalism() -> None:
    for make in LOOPS.values():
        assert make().derive("network").agrees_with(make().derive("newton_euler"))


def test_the_joint_that_closes_a_loop_is_a_chord_of_two_terminals() -> None:
    made = of(four_bar())
    assert "pin" in made.graph.cotree
    assert made.graph.circuits["pin"] == {"b3.pin": 1}
    assert of(spatial_loop()).graph.circuits["ball"] == {"b2.ball": 1, "far.ball": -1}


def test_a_joint_that_has_no_fixed_directions_is_refused() -> None:
    system = chain((ph.Revolute("y"), (0, 0, 0)))
    screw = ph.Compound(ph.Prismatic("x"), ph.Revolute("y"))
    system.close("odd", "ground", "b1", screw)
    with pytest.raises(ModelError, match="cannot close a loop"):
        of(system).loop_matrix()
