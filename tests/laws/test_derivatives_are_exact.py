"""Derivatives of inverse and forward dynamics: against automatic differentiation of another form, and differences."""

from dataclasses import replace

import numpy as np
import pytest
from tests.random_constraints import random_constrained_system
from tests.seeds import seeds

import polhode as ph
from polhode.dynamics import derivatives
from polhode.dynamics.composite_derivatives import CompositeTree
from polhode.dynamics.derivatives import inverse_derivatives
from polhode.dynamics.equations import Recipe
from polhode.expr import as_expr, directional, jacobian, same, substitute
from polhode.model.samples.random_system import random_system


def _arm() -> ph.System:
    system = ph.System("arm")
    length = system.parameter("l", 0.4)
    parent = system.ground
    for place, axis in enumerate("zyyx"):
        mass = system.parameter(f"m{place}", 1 + place)
        body = system.body(f"link {place}", mass=mass, com=(0.1, 0.02, length / 2), inertia=(0.02, 0.03, 0.015))
        system.joint(f"q{place}", parent, body, ph.Revolute(axis), at=(0, 0, length if place else 0))
        parent = body
    return system


@pytest.mark.parametrize("many", [-1, 99], ids=["closed form", "shortest"])
@pytest.mark.parametrize("seed", seeds(4, of=12))
def test_inverse_dynamics_derivatives_are_those_of_the_poincare_form(
    seed: int, many: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(derivatives, "_MANY", many)
    system = random_system(seed, bodies=(1, 4), max_speeds=8)
    equations, judge = system.derive(), system.derive("poincare")
    by_q, by_u, by_udot = equations.inverse_dynamics_derivatives
    efforts = list(judge.inverse_dynamics)
    for j, column in enumerate(judge.kinematic_matrix.columns):
        direction = dict(zip(judge.q, column, strict=True))
        assert same(by_q.columns[j] if by_q else [], directional(efforts, direction))
    assert same(by_u.entries(), jacobian(efforts, list(judge.u)).entries())
    assert same(by_udot.entries(), jacobian(efforts, list(judge.udot)).entries())


@pytest.mark.parametrize("seed", seeds(3, of=6))
def test_composite_bodies_in_one_frame_give_the_same_mass_matrix_and_efforts(seed: int) -> None:
    """Loads apart: without them, the closed form knows the whole of the inverse dynamics."""
    system = random_system(seed, bodies=(2, 5), max_speeds=9, loads=False)
    equations = system.derive("newton_euler")
    tree = CompositeTree(equations.tree, equations.u)
    assert same(tree.mass_matrix.entries(), equations.mass_matrix.entries())
    assert same(tree.efforts(tree.wrenches(tree.accelerations(equations.udot))), equations.inverse_dynamics)


def test_an_effort_that_is_not_of_the_tree_is_differentiated_too() -> None:
    """The closed form is taken only where it is the inverse dynamics; here a drag is written into the recipe."""
    plain = _arm().derive("newton_euler").record
    drag = [u**3 for u in plain.u]

    def recipe() -> Recipe:
        made = plain.make_recipe()
        return replace(made, inverse=lambda ud: made.inverse(ud) + ph.Vector(drag), bias=lambda: plain.bias + drag)

    by_q, by_u, by_udot = inverse_derivatives(replace(plain, make_recipe=recipe))
    plain_by_q, plain_by_u, plain_by_udot = inverse_derivatives(plain)
    assert same(by_q.entries(), plain_by_q.entries()) and same(by_udot.entries(), plain_by_udot.entries())
    assert same((by_u - plain_by_u).entries(), jacobian(drag, list(plain.u)).entries())


@pytest.mark.parametrize("many", [-1, 99], ids=["closed form", "shortest"])
def test_forward_dynamics_derivatives_are_those_of_the_articulated_body_form(
    many: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(derivatives, "_MANY", many)
    system = _arm()
    by_q, by_u, by_tau = system.derive().forward_dynamics_derivatives
    judge = system.derive("articulated_body")
    rates = list(judge.forward_dynamics)
    assert same(by_q.entries(), jacobian(rates, list(judge.q)).entries())
    assert same(by_u.entries(), jacobian(rates, list(judge.u)).entries())
    assert same(by_tau.entries(), jacobian(rates, list(judge.tau)).entries())


@pytest.mark.parametrize("seed", seeds(3, of=6))
def test_no_effort_speed_or_motion_changes_accelerations_against_a_constraint(seed: int) -> None:
    """A u̇ + γ = 0 whatever the efforts: A ∂u̇/∂τ = 0; and where speeds are left out, so are their columns."""
    system = random_constrained_system(seed)
    equations = system.derive()
    assert equations.constraints is not None
    _, by_u, by_tau = equations.forward_dynamics_derivatives
    assert not any((equations.constraints.A @ by_tau).entries())
    drift = jacobian(list(equations.constraints.gamma), list(equations.u))
    assert not any((equations.constraints.A @ by_u + drift).entries())
    embedded = system.derive(constraints="embedded")
    size = len(embedded.u)
    assert [part.shape for part in embedded.forward_dynamics_derivatives][:2] == [(size, size)] * 2
    _, _, by_tau = embedded.forward_dynamics_derivatives
    assert same(by_tau.entries(), jacobian(list(embedded.forward_dynamics), list(embedded.tau)).entries())


def test_derivatives_of_a_free_body_are_along_turns_and_shifts() -> None:
    system = ph.System("free")
    body = system.body("body", mass=2, com=(0.1, 0, 0.2), inertia=(0.4, 0.5, 0.3))
    system.joint("base", system.ground, body, ph.Free())
    tip = system.body("tip", mass=0.5, com=(0, 0, 0.3), inertia=(0.02, 0.02, 0.01))
    system.joint("hinge", body, tip, ph.Revolute("y"), at=(0.2, 0, 0))
    functions = system.derive().compile()
    random = np.random.default_rng(3)
    q, u, tau = random.normal(size=8), random.normal(size=7), random.normal(size=7)
    q[:4] /= np.linalg.norm(q[:4])
    by_q, by_u, by_tau = functions.forward_dynamics_derivatives(q, u, tau)
    step = 1e-6
    for j, unit in enumerate(np.eye(7)):
        along = functions.coordinate_rates(q, unit) * step
        slope = (functions.forward_dynamics(q + along, u, tau) - functions.forward_dynamics(q - along, u, tau)) / 2
        np.testing.assert_allclose(by_q[:, j], slope / step, atol=1e-7 * abs(by_q).max())
        slope = functions.forward_dynamics(q, u + step * unit, tau) - functions.forward_dynamics(
            q, u - step * unit, tau
        )
        np.testing.assert_allclose(by_u[:, j], slope / (2 * step), atol=1e-7 * abs(by_u).max())
    np.testing.assert_allclose(by_tau @ functions.mass_matrix(q), np.eye(7), atol=1e-12)


def _along_speeds(equations: ph.Equations) -> tuple[list[list[ph.Expr]], list[list[ph.Expr]], list[list[ph.Expr]]]:
    """The derivatives of the accelerations as they stand, by the motions of unit speeds, by speeds and by efforts."""
    rates = list(equations.forward_dynamics)
    turns = [dict(zip(equations.q, column, strict=True)) for column in equations.kinematic_matrix.columns]
    units = ([{each: as_expr(1)} for each in own] for own in (equations.u, equations.tau))
    by_q, by_u, by_tau = ([directional(rates, way) for way in ways] for ways in (turns, *units))
    return by_q, by_u, by_tau


@pytest.mark.parametrize("seed", seeds(2, of=6))
@pytest.mark.parametrize("kind", ["pseudo", "sayers"])
def test_in_other_speeds_the_efforts_that_act_on_them_move_with_the_coordinates(kind: str, seed: int) -> None:
    """τ* = Eᵀ(q) τ, and M of such speeds has no zeros between branches."""
    system = random_system(seed, bodies=(1, 2), max_speeds=4)
    if kind == "sayers":
        equations = system.derive("kane", speeds="sayers")
    else:
        plain = system.derive()
        mixed = sum((ph.cos(q) * u for q, u in zip(plain.q, plain.u, strict=False)), start=system.time)
        equations = system.derive(pseudo={f"pi {k}": 3 * u + mixed for k, u in enumerate(plain.u)})
    for made, judged in zip(equations.forward_dynamics_derivatives, _along_speeds(equations), strict=True):
        for column, judge in zip(made.columns, judged, strict=True):
            assert same(column, judge)


def test_accelerations_of_a_pushed_plate_change_with_its_angle_as_differences_say() -> None:
    """The push is given along the table, Sayers' speeds run along the plate."""
    system = ph.System("plate")
    plate = system.body("plate", mass=2, com=(0.1, 0, 0.3), inertia=(1, 2, 2.5))
    slide = system.joint("p", system.ground, plate, ph.BuildingBlock("xy", rotations=(3,)))
    system.joint_force(slide, -10 * slide.q[0], index=0)
    functions = system.derive("kane", speeds="sayers").compile()
    q, u, tau, step = np.array([0.1, 0.2, 0.3]), np.array([0.2, 0.3, 0.4]), np.array([1.0, -2.0, 0.5]), 1e-6
    by_q, _, _ = functions.forward_dynamics_derivatives(q, u, tau)
    jacobian_x, _ = functions.state_rates_jacobian(np.concatenate((q, u)), tau)
    for j, unit in enumerate(np.eye(3)):
        along = step * functions.coordinate_rates(q, unit)
        slope = functions.forward_dynamics(q + along, u, tau) - functions.forward_dynamics(q - along, u, tau)
        np.testing.assert_allclose(by_q[:, j], slope / (2 * step), atol=1e-8)
        moved = (functions.forward_dynamics(q + side * step * unit, u, tau) for side in (1, -1))
        np.testing.assert_allclose(jacobian_x[3:, j], np.subtract(*moved) / (2 * step), atol=1e-8)


def test_parameter_derivatives_scale_as_the_equations_do() -> None:
    """The efforts are linear in the masses when all inertia is in them: Σ m ∂τ/∂m = τ for point masses."""
    system = ph.System("points")
    l = system.parameter("l", 1)
    first = system.body("first", mass=system.parameter("m1"), com=(0, 0, -l))
    second = system.body("second", mass=system.parameter("m2"), com=(0, 0, -l))
    system.joint("a", system.ground, first, ph.Revolute("y"))
    system.joint("b", first, second, ph.Revolute("y"), at=(0, 0, -l))
    equations = system.derive()
    slopes = equations.parameter_derivatives("inverse_dynamics", ["m1", "m2"])
    masses = [system.parameters[name].symbol for name in ("m1", "m2")]
    assert same(slopes @ ph.Vector(masses), equations.inverse_dynamics)
    at_rest = substitute(slopes.entries(), dict.fromkeys((*equations.u, *equations.udot), 0))
    assert not same(at_rest, [0] * 4)
