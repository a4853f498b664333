"""The descriptor form holds what the equations hold, on all speeds, on independent ones and in pseudo-velocities."""

from __future__ import annotations

import pytest

import polhode as ph
from polhode import Vector
from polhode.constraints.random_constraints import random_constrained_system
from polhode.errors import PolhodeError
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


def body(kind: ph.Spherical | ph.Free) -> ph.Equations:
    s = ph.System("body")
    s.joint("turn", s.ground, s.body("body", 1, inertia=(1, 2, 3)), kind)
    return s.derive()


def test_of_a_turning_body_they_are_those_of_so3() -> None:
    found = body(ph.Spherical()).structure_coefficients
    assert found.are_constant
    for k in range(3):
        for i in range(3):
            for j in range(3):
                assert found[k, i, j] == (k - j) * (j - i) * (i - k) // 2  # γ_kij = ε_kji


def test_of_a_free_body_they_are_constant_too() -> None:
    found = body(ph.Free()).structure_coefficients
    assert found.are_constant and not any(found.by_time.entries())
    assert len(found.nonzero) == 18  # ε three times: turns with turns, turns with shifts, shifts with turns


def test_of_rates_of_coordinates_they_vanish() -> None:
    s = ph.System("arm")
    s.joint("a", s.ground, s.body("upper", 1, (1, 0, 0)), ph.Revolute("z"))
    s.joint("b", "upper", s.body("fore", 1, (1, 0, 0)), ph.Revolute("z"), at=(1, 0, 0))
    assert not s.derive().structure_coefficients.nonzero


def test_what_is_no_coefficient_is_told() -> None:
    found = body(ph.Spherical()).structure_coefficients
    with pytest.raises(PolhodeError, match="Did you mean 'turn_wz'") as caught:
        found["turn_w", 0, 0]
    assert caught.value.problems[0].code == "E-DERIVE-NAME"
    with pytest.raises(PolhodeError, match="no pseudo-velocity '3'"):
        found[3, 0, 0]
    with pytest.raises(PolhodeError, match="three indices"):
        found[0, 1]  # type: ignore[index]
