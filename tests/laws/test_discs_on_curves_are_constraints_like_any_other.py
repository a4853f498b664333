"""A disc on a curve, drawn at random: formalisms agree on it, its forces do the work of multipliers, powers balance."""

from functools import cache

import numpy as np
import pytest
from tests.seeds import seeds

import polhode as ph
from polhode.constraints import Constraints
from polhode.constraints.auxiliary import fitted
from polhode.constraints.wrenches import constraint_wrenches
from polhode.expr import Expr, as_expr, directional, evaluate, same
from polhode.formalisms.registry import names
from polhode.kinematics.motion import link_jacobian
from polhode.model.samples.random_system import RandomChoices

SEEDS = seeds(3, of=6)


@cache
def drawn(seed: int) -> ph.System:
    """A body that moves as it likes, on the ground or on an arm, and rolls or slips on a curve of the other one."""
    dice = RandomChoices.of(seed)
    a, b = dice.decimal(0.1, 1), dice.decimal(-1, 1)
    s = ph.System("disc on a curve", gravity=(b, 0, "-9.81"))
    arm = s.body("arm", 2, com=(a, b, 0), inertia=(1, 2, 3))
    disc = s.body("disc", s.parameter("m", 1), com=(0, a, 0), inertia=(2, 1, 2))
    s.joint("hinge", s.ground, arm, dice.pick([ph.Revolute((3, 0, 4)), ph.Prismatic("x"), ph.Universal("x", "z")]))
    loose, on = (s.ground, arm) if dice.chance(0.5) else (arm, s.ground)
    storage = dice.pick(["quaternion", "123"])
    s.joint("move", loose, disc, ph.Free(storage) if seed % 2 else ph.Compound(ph.Planar("y"), ph.Prismatic("y")))
    slips = dice.chance(0.5)
    radius = 0 if slips and dice.chance(0.5) else s.parameter("r", a)
    axis = dice.pick(["y", "z", (3, 0, 4)]) if seed % 2 else "y"
    turn = (dice.pick("xyz"), b) if seed % 2 else None
    s.roll_disc("tyre", disc, radius, _curve(dice, s.time), axis, centre=(b, 0, a), on=on, rotation=turn, slips=slips)
    return s


def _curve(dice: RandomChoices, t: Expr) -> object:
    a, b = dice.decimal(0.1, 1), dice.decimal(-1, 1)
    return dice.pick(
        [lambda x: a * ph.sin(x + b * t), lambda s: (ph.cos(s) + b, a * ph.sin(s)), lambda x: a * x**2 + b * x]
    )


def constraints_in(made: ph.Equations) -> Constraints:
    assert made.constraints is not None
    return made.constraints


@pytest.mark.parametrize("seed", SEEDS)
def test_every_formalism_agrees_with_multipliers_and_embedded(seed: int) -> None:
    system = drawn(seed)
    judge = system.derive("poincare", constraints="embedded")
    for formalism in names():
        assert system.derive(formalism, constraints="embedded").agrees_with(judge), formalism
    multiplied = system.derive("newton_euler")
    assert multiplied.agrees_with(judge)
    assert same(judge.record.in_independent_speeds(multiplied.multipliers), judge.multipliers)


@pytest.mark.parametrize("seed", SEEDS)
def test_accelerations_keep_the_disc_on_its_curve(seed: int) -> None:
    made = drawn(seed).derive("articulated_body")
    constraints = constraints_in(made)
    assert not any(constraints.A @ made.accelerations + constraints.gamma)


@pytest.mark.parametrize("seed", SEEDS)
def test_where_it_touches_is_where_the_curve_is_square_to_the_radius(seed: int) -> None:
    made = drawn(seed).derive()
    along: dict[Expr, Expr] = dict(zip(made.q, made.coordinate_rates, strict=True))
    along[made.system.time] = as_expr(1)
    assert not any(directional(list(constraints_in(made).definition_values), along))


@pytest.mark.parametrize("seed", SEEDS)
def test_forces_and_torques_on_the_bodies_are_the_multiplied_rows(seed: int) -> None:
    system = drawn(seed)
    constraints = constraints_in(system.derive())
    wrenches, efforts = constraint_wrenches(system, constraints, constraints.multipliers)
    for place, (n, f) in enumerate(wrenches):
        for speed, w, v in link_jacobian(constraints.tree, place):
            efforts[speed] = as_expr(efforts[speed] + w.dot(n) + v.dot(f))
    assert same(efforts, constraints.A.T @ constraints.multipliers)


@pytest.mark.parametrize("seed", SEEDS)
def test_every_part_stores_what_flows_in(seed: int) -> None:
    flow = drawn(seed).derive("composite_body", constraints="embedded").power()
    assert [name for name, balance in flow.parts() if balance.residual] == []


@pytest.mark.parametrize("seed", SEEDS)
def test_rates_are_those_of_the_conditions_where_the_place_is_right(seed: int) -> None:
    """φ̇ = A u + a on ψ = 0, by numbers: what is between them is a multiple of ψ."""
    made = drawn(seed).derive()
    constraints = constraints_in(made)
    along: dict[Expr, Expr] = {**dict(zip(made.q, made.coordinate_rates, strict=True)), made.system.time: as_expr(1)}
    exact = directional(list(constraints.values), along)
    told = [row.rate for row in constraints.rows if row.is_position]
    rng = np.random.default_rng(seed)
    state = dict(constraints.reference) | dict(zip(made.u, rng.uniform(-1, 1, len(made.u)).tolist(), strict=True))
    tries = [fitted(made.tree, state | {made.q[-1]: s}) for s in (-3.1, -2.1, -1.1, 0.1, 1.1, 2.1, 3.1)]
    point = min(tries, key=lambda each: abs(evaluate(list(constraints.definition_values), each)[0]))
    assert evaluate(list(constraints.definition_values), point) == pytest.approx([0], abs=1e-12)
    assert evaluate(told, point) == pytest.approx(evaluate(exact, point), abs=1e-9)
