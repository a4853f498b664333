"""Variations of the state's rates: both accumulations and the Jacobian are those of the graph of the rates itself."""

from collections.abc import Callable

import pytest
from tests.seeds import seeds

import polhode as ph
from polhode.dynamics.equations import EquationsOfMotion
from polhode.dynamics.variations import Variations
from polhode.expr import Expr, as_expr, directional, gradient, jacobian, same, symbol
from polhode.model.samples import four_bar, motor_driven_pendulum
from polhode.model.samples.random_system import random_system


def _symbols(equations: EquationsOfMotion) -> list[Expr]:
    """All that the rates can depend on beside the state."""
    system = equations.system
    given = [each.symbol for table in (system.parameters, system.inputs) for each in table.values()]
    return [*given, *equations.tau, system.time]


def _check(equations: EquationsOfMotion, alpha: Expr | None = None) -> None:
    made = Variations(equations, alpha)
    everything = [*made.x, *_symbols(equations)]
    directions = [{each: symbol(f"d{k} {i}") for i, each in enumerate(everything)} for k in range(2)]
    if equations.tree.quaternions:  # changes of a quaternion's length are nobody's
        directions = [{x: rate for x, rate in each.items() if x not in equations.q} for each in directions]
    for direction, found in zip(directions, made.along(directions), strict=True):
        assert same(found, directional(made.rates, direction))
    covector = [symbol(f"w {k}") for k in range(len(made.x))]
    total = sum((w * rate for w, rate in zip(covector, made.rates, strict=True)), start=as_expr(0))
    assert same(made.pulled_back(covector, everything), gradient(total, everything))
    if not equations.tree.quaternions:
        assert same(made.jacobian().entries(), jacobian(made.rates, made.x).entries())


@pytest.mark.parametrize("seed", seeds(3, of=8))
def test_of_a_tree(seed: int) -> None:
    _check(random_system(seed, bodies=(1, 3), max_speeds=6).derive().record)


def _plate() -> ph.System:
    """A plate on a table with an arm, whose speeds along its own axes mix the coordinates."""
    s = ph.System("plate")
    plate = s.body("plate", mass=2, com=(0.1, 0, 0.3), inertia=(1, 2, 2.5))
    slide = s.joint("p", s.ground, plate, ph.BuildingBlock("xy", rotations=(3,)))
    s.joint("arm", plate, s.body("rod", mass=1, com=(0, 0, -1)), ph.Revolute("x"))
    s.joint_force(slide, -10 * slide.q[0], index=0)
    return s


def test_of_trees_speeds_constraints_and_states() -> None:
    _check(_plate().derive("kane", speeds="sayers").record)
    _check(motor_driven_pendulum().derive().record)


@pytest.mark.parametrize("seed", seeds(1, of=6))
def test_in_pseudo_velocities(seed: int) -> None:
    """Each mixes all speeds, also those of other branches, with coefficients of coordinates and of time."""
    system = random_system(seed, bodies=(1, 2), max_speeds=4)
    plain = system.derive()
    mixed = sum((ph.cos(q) * u for q, u in zip(plain.q, plain.u, strict=False)), start=system.time)
    pseudo = {f"pi {k}": 3 * u + mixed for k, u in enumerate(plain.u)}
    _check(system.derive(pseudo=pseudo).record)


def _sleigh() -> ph.System:
    s = ph.System("sleigh", gravity=(0, 0, 0))
    m, b = s.parameter("m"), s.parameter("b")
    plate = s.body("plate", m, com=(b, 0, 0), inertia=(1, 1, 1))
    s.joint("ice", s.ground, plate, ph.Planar())
    s.knife_edge("blade", plate)
    return s


@pytest.mark.parametrize("constraints", ["multipliers", "embedded"])
@pytest.mark.parametrize("make", [four_bar, _sleigh], ids=["four-bar", "sleigh"])
def test_of_a_mechanism_with_constraints(make: Callable[[], ph.System], constraints: str) -> None:
    _check(make().derive(constraints=constraints).record)


def test_of_rates_that_bring_constraints_back_and_many_directions_share_the_matrices_of_the_inverse_dynamics() -> None:
    equations = four_bar().derive().record
    _check(equations, equations.stabilisation_rate)
    assert same(
        Variations(equations, equations.stabilisation_rate).rates,
        [*equations.coordinate_rates, *equations.stabilised_dynamics],
    )
    s = ph.System("arm")
    parent = s.ground
    for k, axis in enumerate("zyyx"):
        body = s.body(f"link {k}", mass=1 + k, com=(0.1, 0.02, 0.2), inertia=(0.02, 0.03, 0.015))
        s.joint(f"q{k}", parent, body, ph.Revolute(axis), at=(0, 0, 0.4 if k else 0))
        parent = body
    made = Variations(s.derive().record)
    directions = [{x: symbol(f"d{k} {i}") for i, x in enumerate(made.x)} for k in range(8)]
    for direction, found in zip(directions, made.along(directions), strict=True):
        assert same(found, directional(made.rates, direction))
