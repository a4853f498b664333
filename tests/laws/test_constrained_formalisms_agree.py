"""Loops, conditions and rolling: every formalism gives the same accelerations, with multipliers and embedded."""

import pytest
from tests.random_constraints import random_constrained_system
from tests.seeds import CONSTRAINED, in_turn, seeds

import polhode as ph
from polhode.expr import same
from polhode.formalisms.registry import names


@pytest.mark.parametrize("seed", seeds(CONSTRAINED[::2], of=100))
def test_formalisms_agree_on_a_random_constrained_system(seed: int) -> None:
    system = random_constrained_system(seed, bodies=(2, 3))
    judge = system.derive("poincare", constraints="embedded")
    for formalism in in_turn(names(), 2, seed):
        embedded = system.derive(formalism, constraints="embedded")
        assert embedded.agrees_with(judge), formalism
    multiplied = system.derive("newton_euler")
    assert multiplied.agrees_with(judge)
    assert system.derive("network").agrees_with(multiplied)  # its rows are circuits, its multipliers come by cut-sets
    assert same(judge.record.in_independent_speeds(multiplied.multipliers), judge.multipliers)


@pytest.mark.parametrize("seed", seeds(4, of=12))
def test_accelerations_keep_every_constraint(seed: int) -> None:
    equations = random_constrained_system(seed).derive("articulated_body")
    constraints = equations.constraints
    assert constraints is not None and not any(constraints.A @ equations.accelerations + constraints.gamma)


def test_a_mechanism_that_cannot_move_is_not_embedded() -> None:
    system = ph.System("locked")
    hinge = system.joint("hinge", system.ground, system.body("bar", 1, com=(1, 0, 0)), ph.Revolute("y"))
    system.constrain(hinge.q[0] - 1, "bolt")
    with pytest.raises(ph.PolhodeError, match="leave no speed free"):
        system.derive(constraints="embedded")
    assert not any(system.derive().forward_dynamics)
