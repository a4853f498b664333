"""The descriptor form holds what the equations hold, on all speeds, on independent ones and in pseudo-velocities."""

from __future__ import annotations

import pytest

import polhode as ph
from polhode import Vector
from polhode.constraints.random_constraints import random_constrained_system
from polhode.expr import as_expr, jacobian, rank, same, substitute


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
    assert not any(
        dependent_speeds.in_independent_speeds([a - b for a, b in zip(found.E @ Vector(rates), right, strict=True)])
    )


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


@pytest.mark.parametrize("seed", range(4))
def test_on_independent_speeds_it_has_the_motion_and_the_multipliers(seed: int) -> None:
    made = random_constrained_system(seed).derive("newton_euler", constraints="embedded")
    found = made.descriptor()
    multipliers = found.x[len(made.q) + len(made.u) :]
    rates = [*made.coordinate_rates, *made.forward_dynamics, *(as_expr(0) for _ in multipliers)]
    right = substitute(list(found.f), dict(zip(multipliers, made.multipliers, strict=True)))
    assert same(found.E @ Vector(rates), right)
    assert len(found.E) == len(found.x) == len(found.f)


def test_in_pseudo_velocities_it_has_the_dimension_that_the_paper_says() -> None:
    s = ph.System("skate", gravity=(0, 0, 0))
    slide = ph.Compound(ph.Prismatic("x"), ph.Prismatic("y"), ph.Revolute("z"))
    body = s.body("skate", 2, com=(1, 0, 0), inertia=(1, 1, 1))
    ice = s.joint("ice", s.ground, body, slide, coordinates=["x", "y", "turn"])
    s.knife_edge("blade", "skate")
    (x, y, turn), (c, t) = ice.u, (ph.cos(ice.q[2]), ph.sin(ice.q[2]))
    found = s.derive("hamel", pseudo={"v": c * x + t * y, "w": turn}).descriptor()
    assert found.states == ["x", "y", "turn", "d(v)", "d(w)", "lambda(blade)"]  # 2n
    assert rank(found.E) == 5
    assert rank(jacobian(list(found.f), [found.x[5]])) == 1
    v, w = found.x[3], found.x[4]
    free = substitute(list(found.f), {tau: as_expr(0) for tau in ice.tau})
    # the third, for the reaction: 2 (v w + ẇ)  =  λ
    assert same(free, [c * v, t * v, w, 2 * w**2, -2 * v * w, found.x[5] - 2 * v * w])
