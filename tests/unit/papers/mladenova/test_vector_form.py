"""The equations in vector-parameters: which joints and mechanisms they take, and what they refuse."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import polhode as ph
from polhode.expr import Vector, as_expr, directional, evaluate, same
from polhode.model.samples import four_bar


def ball(kind: Any) -> ph.System:
    s = ph.System("ball")
    s.joint("b", s.ground, s.body("ball", 2, (0, 0, 1), (1, 2, 3)), kind)
    s.joint("h", "ball", s.body("hand", 1, (1, 0, 0)), ph.Revolute("y"), at=(0, 0, 1))
    s.force("hand", (3, 0, 0), at=(0, 0, 1))
    return s


def test_spherical_joints_have_three_components_whichever_formalism_derived_them() -> None:
    s = ball(ph.Spherical("vector"))
    forms = [s.derive(name).vector_parameter_form() for name in ("vector_parameter", "newton_euler", "poincare")]
    assert [x.name for x in forms[0].c] == ["b_c1", "b_c2", "b_c3", "c_h"]
    for other in forms[1:]:
        assert same(other.mass_matrix.entries(), forms[0].mass_matrix.entries())
        assert same(other.bias, forms[0].bias) and same(other.efforts, forms[0].efforts)


def test_a_free_joint_has_its_vector_parameter_and_its_place() -> None:
    form = ball(ph.Free("vector")).derive().vector_parameter_form()
    assert [x.name for x in form.c] == ["b_c1", "b_c2", "b_c3", "b_x", "b_y", "b_z", "c_h"]
    at_home = {**dict.fromkeys(form.c, 0.0), **dict.fromkeys(form.rates, 0.0)}
    assert evaluate(list(map(as_expr, form.gravity_terms)), at_home)[5] == pytest.approx(3 * 9.81)


SKATE = ph.JointMap([[0, 0], [0, 0], [1, 0], [0, 1], [0, 0], [0, 0]])


@pytest.mark.parametrize("kind", [ph.Spherical("quaternion"), ph.Spherical("angles"), ph.Free(), SKATE])
def test_other_turns_are_refused(kind: Any) -> None:
    with pytest.raises(ph.PolhodeError, match=r"joint 'b'(.|\n)*storage=\"vector\"; write others as compounds"):
        ball(kind).derive().vector_parameter_form()


@pytest.mark.parametrize(
    ("kind", "names"),
    [
        (ph.Cylindrical("z"), ["c_b_angle", "b_slide"]),
        (ph.Planar("z"), ["c_b_angle", "b_x", "b_y"]),
        (ph.Universal("x", "y"), ["c_b_1", "c_b_2"]),
        (ph.Compound(ph.Prismatic("x"), ph.Revolute("z")), ["b_1", "c_b_2"]),
    ],
)
def test_joints_of_several_coordinates_have_the_power_of_their_speeds(kind: Any, names: list[str]) -> None:
    """P_V·ċ = τ·u at the same motion, in numbers."""
    e = ball(kind).derive()
    form = e.vector_parameter_form()
    assert [x.name for x in form.c] == [*names, "c_h"]
    dice = np.random.default_rng(1)
    values: dict[Any, float] = {x: dice.uniform(-1, 1) for x in (*form.c, *form.rates, *form.accelerations)}
    speeds = list(map(as_expr, form.N @ form.rates))
    turning = directional(speeds, dict(zip(form.c, form.rates, strict=True)))
    motion = [
        *(form.coordinates.get(q, q) for q in e.q), *speeds, *(form.N @ form.accelerations + Vector(turning))
    ]  # fmt: skip
    state = dict(zip((*e.q, *e.u, *e.udot), evaluate(list(map(as_expr, motion)), values), strict=True))
    tau = np.array(evaluate(e.inverse_dynamics, state))
    P = np.array(evaluate(list(map(as_expr, form.inverse_dynamics)), values))
    assert P @ [values[x] for x in form.rates] == pytest.approx(tau @ [state[u] for u in e.u], rel=1e-12)


def test_slides_keep_their_lengths_and_their_rotors_are_lengths_too() -> None:
    s = ph.System("slide", gravity=(0, 0, 0))
    s.joint("x", s.ground, s.body("block", 2), ph.Prismatic("x"))
    s.motor("x", 30, inertia=1, stiffness=5)
    form = s.derive().vector_parameter_form()
    x, rotor = form.c
    assert form.mass_matrix == ph.Matrix([[2, 0], [0, 900]])
    assert same(form.bias, [5 * (x - rotor), 5 * (rotor - x)])


def test_geared_joints_and_screws_are_taken() -> None:
    s = ph.System("screw", gravity=(0, 0, "-9.81"))
    p = s.parameter("p")
    s.joint("q", s.ground, s.body("nut", 2, inertia=(2, 2, 3)), ph.Screw("z", p))
    s.motor("q", 10, inertia=1)
    form = s.derive().vector_parameter_form()
    (c,) = form.c
    n = 2 / (1 + c**2)
    pitch = s.derive().mass_matrix[0, 0]
    assert same(form.mass_matrix.entries(), [n**2 * pitch])


def test_a_spring_counts_the_angle_and_a_force_in_it_the_sine_of_twice_the_angle() -> None:
    s = ph.System("door", gravity=(0, 0, 0))
    hinge = s.joint("q", s.ground, s.body("door", inertia=(0, 0, 1), check=False), ph.Revolute("z"))
    s.joint_force(hinge, -5 * hinge.q[0] + ph.sin(2 * hinge.q[0]) + ph.cos(hinge.q[0] / 2))
    form = s.derive().vector_parameter_form()
    (c,) = form.c
    sine, cosine = 2 * c / (1 + c**2), (1 - c**2) / (1 + c**2)
    torque = 10 * ph.atan(c) - 2 * sine * cosine - ph.cos(ph.atan(c))
    assert same(form.applied, [2 / (1 + c**2) * torque])


def test_constraints_have_rows_for_the_rates_of_c() -> None:
    e = four_bar().derive()
    form = e.vector_parameter_form()
    assert form.A.shape == (2, 3)
    assert form.A != e.constraints.A  # type: ignore[union-attr]


def test_rows_of_a_condition_that_is_not_linear_are_in_the_rates_of_c() -> None:
    s = ph.System("two wheels")
    first, second = (
        s.joint(name, s.ground, s.body(f"wheel {name}", inertia=(1, 1, 1)), ph.Revolute("z")) for name in "ab"
    )
    s.constrain_speed(first.u[0] ** 2 - second.u[0])
    form = s.derive().vector_parameter_form()
    (c, d), (cd, _) = form.c, form.rates
    assert ph.normal(form.A[0, 0] - 8 * cd / (1 + c**2) ** 2) == 0  # ∂f/∂ċ of f = (2 ċ/(1 + c²))² - 2 ḋ/(1 + d²)
    assert ph.normal(form.A[0, 1] + 2 / (1 + d**2)) == 0


def test_names_do_not_clash_with_coordinates() -> None:
    s = ph.System("two")
    for name in ("a", "c_a"):
        s.joint(name, s.ground, s.body(f"body {name}", 1, (1, 0, 0)), ph.Revolute("z"))
    form = s.derive().vector_parameter_form()
    assert [x.name for x in form.c] == ["c_a_", "c_c_a"]


def test_no_joint_has_no_equation_and_embedded_constraints_are_refused() -> None:
    empty = ph.System("empty").derive().vector_parameter_form()
    assert len(empty.mass_matrix) == len(empty.bias) == len(empty.efforts) == 0
    with pytest.raises(ph.PolhodeError, match="not in the speeds of its joints"):
        four_bar().derive(constraints="embedded").vector_parameter_form()


def test_articulated_bodies_are_named_and_refused_with_loops() -> None:
    e = ball(ph.Spherical()).derive()
    assert same(e.articulated_body("hand").I.entries(), e.tree.links[-1].inertia.matrix().entries())
    with pytest.raises(ph.PolhodeError, match="no moving body 'hnd'"):
        e.articulated_body("hnd")
    with pytest.raises(ph.PolhodeError, match="a tree whose joints have speeds of their own"):
        four_bar().derive().articulated_body("crank")
