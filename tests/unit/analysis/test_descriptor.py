"""The descriptor form holds what the equations hold, and says what it cannot do."""

from __future__ import annotations

import pytest

import polhode as ph
from polhode import Vector
from polhode.constraints.random_constraints import random_constrained_system
from polhode.errors import PolhodeError
from polhode.expr import as_expr, rank, substitute


@pytest.mark.parametrize("seed", range(4))
def test_the_derived_motion_satisfies_it(seed: int) -> None:
    system = random_constrained_system(seed)
    made = system.derive("newton_euler")
    dependent_speeds = system.derive("newton_euler", constraints="embedded").dependent_speeds
    assert dependent_speeds is not None
    found = made.descriptor()
    multipliers = found.x[len(made.q) + len(made.u) :]
    rates = [*made.coordinate_rates, *made.forward_dynamics, *(as_expr(0) for _ in multipliers)]
    right = substitute(list(found.f), dict(zip(multipliers, made.multipliers, strict=True)))
    assert not any(dependent_speeds.bound([a - b for a, b in zip(found.E @ Vector(rates), right, strict=True)]))


def test_its_state_has_the_dimension_that_the_paper_says() -> None:
    made = random_constrained_system(0).derive()
    found = made.descriptor()
    constraints = made.constraints
    assert constraints is not None
    held = len(constraints.generic_rows)
    assert len(found.states) == len(found.x) == len(found.f) == len(made.q) + len(made.u) + held  # 3n - m
    assert rank(found.E) == len(found.E) - held


def test_without_constraints_it_is_regular() -> None:
    s = ph.System("pendulum")
    s.joint("hinge", s.ground, s.body("bob", 1, com=(0, 0, -1)), ph.Revolute("y"))
    found = s.derive().descriptor()
    assert found.states == ["hinge", "d(hinge)"]
    assert rank(found.E) == 2


def test_embedded_equations_are_refused() -> None:
    with pytest.raises(PolhodeError, match='constraints="multipliers"') as caught:
        random_constrained_system(0).derive(constraints="embedded").descriptor()
    assert caught.value.problems[0].code == "E-DESC-001"
