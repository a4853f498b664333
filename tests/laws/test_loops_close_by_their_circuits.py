"""Circuits of the chords that close loops are the constraints, their cut-sets the forces that keep them."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
import pytest
from tests.random_constraints import random_constrained_system

import polhode as ph
from polhode.constraints import Constraints, constraints_of
from polhode.constraints.auxiliary import with_auxiliary
from polhode.expr import derivative, evaluate, same, sin
from polhode.formalisms.network.equations import Network, network
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
    system = chain((ph.Free("angles"), (0, 0, 0)))
    other = system.body("other", mass=1, com=(0.1, 0.2, 0), inertia=(1, 1, 1))
    system.joint("turn", "ground", other, ph.Universal("z", "x"), at=(0.3, 0.5, 0))
    system.close("cross", "b1", other, ph.Universal("x", "y"), at_a=(0.2, 0, 0.1), at_b=(0, 0.4, 0.3))
    return system


LOOPS: dict[str, Callable[[], ph.System]] = {
    "four-bar": four_bar, "slider-crank": slider_crank, "ball": spatial_loop, "block in a tube": sliding_loop,
    "universal": cardan_loop,
}  # fmt: skip
every_loop = pytest.mark.parametrize("make", LOOPS.values(), ids=LOOPS)


def assembled(equations: ph.Equations) -> dict[Any, float]:
    """Coordinates that close the loops, by Gauss and Newton, and speeds that keep them closed."""
    constraints, q = equations.constraints, list(equations.q)
    assert constraints is not None
    rng = np.random.default_rng(3)
    at = rng.uniform(0.2, 0.8, len(q))
    slope = [derivative(list(constraints.values), own) for own in q]
    for _ in range(60):
        values = dict(zip(q, at, strict=True))
        J = np.array([evaluate(column, values) for column in slope]).T
        at = at - np.linalg.lstsq(J, np.array(evaluate(list(constraints.values), values)), rcond=None)[0]
    values = dict(zip(q, map(float, at), strict=True))
    assert max(map(abs, evaluate(list(constraints.values), values))) < 1e-12
    A = np.array([evaluate(list(row), values) for row in constraints.A])
    u = rng.normal(size=len(equations.u))
    u = u - np.linalg.pinv(A) @ (A @ u)
    return values | dict(zip(equations.u, map(float, u), strict=True))


def numbers(rows: Sequence[Sequence[Any]], values: dict[Any, float]) -> np.ndarray:
    return np.array([evaluate(list(row), values) for row in rows])


def of(system: ph.System) -> Network:
    return network(system, with_auxiliary(system, build_tree(system)))


def both(system: ph.System) -> tuple[Constraints, Constraints]:
    """The rows as derivatives of conditions on the position, and as circuit equations."""
    made = of(system)
    return constraints_of(system, made.tree), constraints_of(system, made.tree, source=made)


def restless() -> ph.System:
    """Two arms, one shaken by a motor, so that rows depend on time, and one in which a slide follows a hinge."""
    system = chain(
        (ph.Revolute("z"), (0.1, 0, 0)), (ph.Free("angles"), (1, 0, 0.2)), (ph.Prismatic("x"), (0.3, 0.2, 0))
    )
    far = system.body("far", mass=1, com=(0.1, 0.2, 0), inertia=(1, 1, 1))
    farther = system.body("farther", mass=2, com=(0.1, 0, 0.2), inertia=(1, 2, 2))
    system.joint("far hinge", "ground", far, ph.Universal("z", "x"), at=(0.3, 1.5, 0))
    system.joint("leader", far, farther, ph.Revolute("y"), at=(0, 0.4, 0.1))
    system.joint("follower", farther, system.body("tip", mass=1), ph.Prismatic("x"), at=(0.2, 0, 0))
    system.prescribe("j1", sin(3 * system.time) / 2)
    system.couple("follower", "leader", 2, 0.3)
    return system


CLOSING: dict[str, Any] = {
    "fixed": ph.Fixed(), "revolute": ph.Revolute("y"), "revolute askew": ph.Revolute((3, 0, 4)),
    "prismatic": ph.Prismatic((1, 2, 2)), "screw": ph.Screw("z", 0.3), "screw askew": ph.Screw((0, 3, -4), -0.7),
    "cylindrical": ph.Cylindrical("x"), "planar": ph.Planar("z"), "spherical": ph.Spherical(),
    "universal": ph.Universal("x", "z"),
    "three slides": ph.JointMap([[0] * 3] * 3 + [[1, 0, 0], [0, 1, 0], [0, 0, 1]]),
}  # fmt: skip


def closed_by(kind: str, a: str = "tip", b: str = "b3") -> ph.System:
    system = restless()
    placed = {"at_a": (0.1, -0.9, 0.4), "at_b": (0.2, 0.1, 0.7), "rotation_a": [("x", 0.3)], "rotation_b": [("y", 0.4)]}
    system.close("tie", a, b, CLOSING[kind], **placed)
    return system


def wheel_on_a_moving_plane(system: ph.System) -> None:
    system.roll_wheel("tie", "b3", 0.4, "y", centre=(0.1, 0.2, 0), on="tip", at=(0.3, 0, 0.1))


def ball_on_a_moving_plane(system: ph.System) -> None:
    system.roll_ball("tie", "b3", 0.4, centre=(0.1, 0.2, 0), on="farther", at=(0.3, 0, 0.1))


def ball_in_a_moving_bowl(system: ph.System) -> None:
    system.roll_ball("tie", "b3", 0.4, centre=(0.1, 0.2, 0), on="tip", at=(0.3, 0, 0.1), other_radius=-1.5)


def skate_on_the_ground(system: ph.System) -> None:
    system.knife_edge("tie", "b3", "y", at=(0.5, 0, 0.2))


def slipping_place(system: ph.System) -> None:
    """A place that moves on both bodies, and directions that turn on both, as coordinates say."""
    q = system.joints["follower"].q[0]
    system.no_slip("tie", "tip", "b3", frame="b2", at=(q, 0, q * q), directions=[(1, q, 0), (0, sin(q), 2)])


def the_ground_against_a_body(system: ph.System) -> None:
    system.no_slip("tie", "ground", "tip", frame="far", at=(1, 0, 2), directions=["x", "z"])


def disc_on_a_moving_curve(system: ph.System) -> None:
    system.roll_disc("tie", "b3", 0.4, lambda x: x * x / 3, centre=(0.1, 0.2, 0), on="tip", at=(0.3, 0, 0.1))


CONTACTS = (
    wheel_on_a_moving_plane, ball_on_a_moving_plane, ball_in_a_moving_bowl, skate_on_the_ground, slipping_place,
    the_ground_against_a_body, disc_on_a_moving_curve,
)  # fmt: skip


def touching(contact: Callable[[ph.System], None]) -> ph.System:
    system = restless()
    contact(system)
    return system


CONSTRAINED: dict[str, Callable[[], ph.System]] = {
    **LOOPS,
    **{kind: partial(closed_by, kind) for kind in CLOSING},
    "on the ground": partial(closed_by, "screw", "ground"),
    "from the ground": partial(closed_by, "revolute askew", "b3", "ground"),
    "along one arm": partial(closed_by, "universal", "far", "tip"),
    **{contact.__name__.replace("_", " "): partial(touching, contact) for contact in CONTACTS},
}
every_constraint = pytest.mark.parametrize("make", CONSTRAINED.values(), ids=CONSTRAINED)


@every_constraint
def test_circuits_of_chords_are_the_rates_of_the_conditions_row_for_row(make: Callable[[], ph.System]) -> None:
    usual, circuits = both(make())
    assert usual.rows and circuits.names == usual.names and circuits.trivial == usual.trivial
    assert same(circuits.values, usual.values) and same(circuits.A.entries(), usual.A.entries())
    assert same(circuits.a, usual.a) and same(circuits.gamma, usual.gamma)


@every_constraint
def test_every_row_of_a_joint_or_a_contact_has_a_chord_of_its_own(make: Callable[[], ph.System]) -> None:
    made = of(make())
    _, circuits = both(make())
    assert all((row.of, row.part) in made.closing for row in circuits.rows)
    assert {chord for chord, _ in made.closing.values()} <= set(made.graph.cotree)


@every_constraint
def test_cutsets_carry_multipliers_as_circuits_carry_velocities(make: Callable[[], ph.System]) -> None:
    usual, circuits = both(make())
    forces = usual.multipliers
    assert same(circuits.efforts(forces), usual.A.T @ forces)
    few = circuits.only([0])
    assert same(few.efforts([forces[0]]), usual.A[0] * forces[0])


@pytest.mark.parametrize("name", ["screw", "universal", "along one arm", "ball in a moving bowl", "slipping place"])
def test_a_network_that_depends_on_time_agrees_with_newton_and_euler(name: str) -> None:
    system = CONSTRAINED[name]()
    assert system.derive("network").agrees_with(system.derive("newton_euler"))


@every_loop
def test_a_network_with_loops_agrees_with_multipliers_and_embedded(make: Callable[[], ph.System]) -> None:
    system = make()
    assert system.derive("network").agrees_with(system.derive("newton_euler"))
    embedded = system.derive("network", constraints="embedded")
    assert embedded.agrees_with(system.derive("kane", constraints="embedded"))


@every_loop
def test_circuits_and_cutsets_give_the_accelerations_in_numbers(make: Callable[[], ph.System]) -> None:
    """M u̇ - Aᵀλ = τ - bias and A u̇ = -γ by NumPy, with the rows of the circuits and all of them at once."""
    system = make()
    equations = system.derive("network")
    constraints = equations.constraints
    assert constraints is not None
    values = assembled(equations) | dict.fromkeys(equations.tau, 0.4)
    A, M = numbers(constraints.A, values), numbers(equations.mass_matrix, values)
    f, gamma = (np.array(evaluate(list(part), values)) for part in (equations.tau - equations.bias, constraints.gamma))
    size = len(A)
    left = np.block([[M, -A.T], [A, np.zeros((size, size))]])
    solved = np.linalg.lstsq(left, np.concatenate([f, -gamma]), rcond=None)[0]
    assert np.allclose(left @ solved, np.concatenate([f, -gamma]), atol=1e-9)
    judge = system.derive("poincare").forward_dynamics
    assert np.allclose(solved[: len(M)], evaluate(list(judge), values), atol=1e-8)


def test_circuits_that_the_tree_keeps_by_itself_are_set_aside() -> None:
    _, circuits = both(four_bar())
    assert circuits.trivial == ("pin tilt 1", "pin tilt 2", "pin y") and circuits.names == ["pin x", "pin z"]


def test_a_driven_joint_makes_the_circuits_depend_on_time() -> None:
    assert all(any(both(closed_by(kind))[1].a) for kind in CLOSING)


def test_a_condition_on_coordinates_is_no_edge_and_keeps_its_row() -> None:
    system = four_bar()
    system.constrain(sin(system.joints["j1"].q[0]) - system.time / 3, "cam")
    usual, circuits = both(system)
    assert "cam" not in [edge.name for edge in of(system).parts.graph.edges]
    assert circuits.names == usual.names and same(circuits.gamma, usual.gamma)
    assert same(circuits.efforts(usual.multipliers), usual.A.T @ usual.multipliers)


def test_the_joint_that_closes_a_loop_is_a_chord_of_two_terminals() -> None:
    made = of(four_bar())
    assert "pin" in made.graph.cotree and made.graph.circuits["pin"] == {"b3.pin": 1}
    assert of(spatial_loop()).graph.circuits["ball"] == {"b2.ball": 1, "far.ball": -1}


def test_a_contact_is_a_chord_of_the_two_points_that_touch() -> None:
    assert of(touching(ball_on_a_moving_plane)).graph.circuits["tie"] == {"b3.tie": 1, "farther.tie": -1}


def test_dependent_speeds_are_those_that_the_usual_rows_choose() -> None:
    for seed in (138, 144, 173):
        system = random_constrained_system(seed, bodies=(2, 3))
        usual, own = (
            system.derive(way, constraints="embedded").dependent_speeds for way in ("newton_euler", "network")
        )
        assert usual is not None
        assert own is not None and own.independent == usual.independent


def test_a_curve_that_moves_by_itself_has_no_directions_and_keeps_its_rows() -> None:
    system = ph.System("belt", gravity=(0, 0, -9.81))
    system.joint("disc", system.ground, system.body("disc", 1, inertia=(1, 1, 1)), ph.Free())
    system.roll_disc("belt", "disc", 0.4, lambda s: (s + 2 * system.time, s * s / 9))
    made = of(system)
    assert made.parts.closing["belt"].directions == ()
    assert made.parts.closing["belt"].rule == "is what its joint allows"
    assert system.derive("network").agrees_with(system.derive("newton_euler"))


def test_a_joint_with_coordinates_of_its_own_closes_by_its_circuit_too() -> None:
    system = restless()
    system.close("odd", "tip", "b3", ph.Compound(ph.Cylindrical("x"), ph.Universal("y", "z")), at_b=(0.2, 0.1, 0.7))
    system.close("table", "far", "b2", ph.Planar("z"), at_a=(0.3, 0, 0.5))
    usual, own = system.derive("newton_euler"), system.derive("network")
    assert usual.constraints is not None
    assert own.constraints is not None and own.constraints.names == usual.constraints.names
    chord = network(system, own.constraints.tree).parts.closing["odd"]
    assert {f"odd {d.label}" for d in chord.directions} >= {name for name in usual.constraints.names if "odd" in name}
    assert same(own.constraints.rates, usual.constraints.rates)
    assert same(own.constraints.gamma, usual.constraints.gamma)
    assert same(
        own.constraints.efforts(own.constraints.multipliers), usual.constraints.A.T @ usual.constraints.multipliers
    )
    assert own.agrees_with(usual)
