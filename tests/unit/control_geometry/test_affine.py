from collections.abc import Callable

import pytest
from tests.refusals import refused

import polhode as ph
from polhode.control_geometry.affine import plant_of
from polhode.expr import Matrix, Vector, as_expr, free_symbols, is_zero, same, substitute
from polhode.model.samples import elastic_arm
from polhode.model.samples.underactuated import car_with_trailers, cart_pole, furuta_pendulum, planar_vtol, quadrotor


def test_drift_and_fields_give_the_rates_of_the_state() -> None:
    equations = quadrotor(2).derive()
    form = equations.control_affine()
    total = Vector(form.drift)
    for name, field in form.fields.items():
        total = total + Vector(field) * form.inputs[name]
    assert same(total, substitute(list(equations.state_rates), dict.fromkeys(equations.tau, as_expr(0))))


@pytest.mark.parametrize("system", [cart_pole, furuta_pendulum, lambda: quadrotor(2), lambda: car_with_trailers(1)])
def test_the_feedback_form_is_the_same_mechanism(system: Callable[[], ph.System]) -> None:
    """f + g v with v = v₀ + T c is the form in c."""
    made = plant_of(system().derive().record, None, "here")
    v0, T = made.feedback
    assert made.regular.driven
    columns = Matrix.columns_of(made.regular.fields, len(made.variables))
    assert same(Vector(made.regular.drift) + columns @ v0, made.original.drift)
    for column, field in zip((columns @ T).columns, made.original.fields.values(), strict=True):
        assert same(column, field)


def test_feedback_forms_of_driven_speeds_and_of_elastic_arms() -> None:
    made = plant_of(car_with_trailers(1).derive().record, None, "here")
    assert all(is_zero(entry) for entry in made.regular.drift[len(made.equations.q) :])
    made = plant_of(planar_vtol().derive().record, None, "here")
    assert not made.regular.driven and made.regular.fields == [*made.original.fields.values()]
    made = plant_of(elastic_arm(coupling="reduced").derive().record, None, "here")
    assert [*made.inputs] == [f"tau_j{i} rotor" for i in range(1, 7)] and made.size == 24


def test_brackets_and_involutivity_are_asked_by_names_of_inputs_and_equations_that_are_not_affine_are_refused() -> None:
    s = ph.System("sleigh", gravity=(0, 0, 0))
    s.joint("j", s.ground, s.body("b", 1, inertia=(1, 1, 1)), ph.Planar())
    s.knife_edge("edge", "b")
    form = s.derive().control_affine(["j_w", "j_vx"])
    assert form.is_involutive(["tau_j_w", "tau_j_vx"])
    moved = [form.bracket(None, name) for name in form.inputs]
    assert not form.is_involutive(moved) and form.lie_derivative(form.variables[0]) == form.drift[0]
    form = cart_pole().derive().control_affine()
    refused(r"there is no input 'G'", lambda: form.bracket(None, "G"))
    refused(r"a field with 2 entries is given, and the state has 4", lambda: form.bracket(None, [1, 2]))
    s = cart_pole()
    s.joint_force("theta", ph.sin(s.time))
    refused(r"depend on time itself", lambda: s.derive().control_affine())
    s = cart_pole()
    s.joint_force("theta", 3 * s.inputs["F"].symbol ** 2)
    refused(r"not affine in the input 'F'", lambda: s.derive().control_affine())


def test_inputs_that_are_not_chosen_are_held_at_their_values() -> None:
    s = cart_pole()
    wind = s.input("wind", 3)
    s.joint_force("x", wind)
    form = s.derive().control_affine(["F"])
    assert [*form.inputs] == ["F"] and wind not in free_symbols(form.drift)
    assert form.drift == s.derive().control_affine(["F"]).drift
