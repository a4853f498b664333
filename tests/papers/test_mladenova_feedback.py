"""Mladenova, section 7.4.2 and 7.5: inverse dynamics control and feedback linearisation, (290) to (304) and (308).

H, h_1 and h_2 are those of the links with stiff joints; links and rotors of two-joint arms are in one vertical plane.
"""

from functools import cache

import pytest
from tests.linearized_loops import closed_loop, is_chain_of_integrators

import polhode as ph
from polhode.expr import Expr, Matrix, Vector, as_expr, directional, is_zero, jacobian, same, substitute, symbol
from polhode.geometry.elimination import solve_columns
from polhode.geometry.vector_fields import bracket, is_involutive, lie_derivative


def arm(gears: str, coupling: str = "reduced") -> ph.Equations:
    """Two links in a vertical plane; the gears are "none", "stiff" or "elastic"."""
    s = ph.System(f"arm with {gears} gears")
    link = s.ground
    for i in (1, 2):
        m, c, I = s.parameter(f"m{i}", 2), s.parameter(f"c{i}", "0.3"), s.parameter(f"I{i}", "0.1")
        l = s.parameter("l", "0.6") if i == 1 else s.parameters["l"].symbol
        body = s.body(f"link {i}", m, (0, 0, -c), (0, I, 0), check=False)
        s.joint(f"j{i}", link, body, ph.Revolute("y"), at=(0, 0, -l if i == 2 else 0))
        link = body
    for i in (1, 2) if gears != "none" else ():
        J, n = s.parameter(f"J{i}", "0.001"), s.parameter(f"n{i}", 50)
        elastic = {"stiffness": s.parameter(f"k{i}", 500)} if gears == "elastic" else {}
        s.motor(f"j{i}", n, inertia=J, coupling=coupling, **elastic)
    return s.derive()


@cache
def single_link() -> ph.Equations:
    """Fig. 5: a link on an elastic joint, its inertia I(l) being about the axis."""
    s = ph.System("single link", gravity=(0, -ph.symbol("g", "parameter"), 0))
    M, L, Il, Im, K, _ = (s.parameter(name) for name in ("M", "L", "Il", "Im", "K", "g"))
    s.joint("l", s.ground, s.body("link", M, (0, -L, 0), (0, 0, Il - M * L**2), check=False), ph.Revolute("z"))
    s.motor("l", inertia=Im, stiffness=K)
    return s.derive()


class Rigid:
    """H, h_1, h_2 of the links of the elastic arm, and x_1 … x_4, K and Jm in the motor's angle over its ratio."""

    def __init__(self) -> None:
        self.e = e = arm("elastic")
        links = arm("none")
        self.H, self.h2 = links.mass_matrix, links.gravity_terms
        self.h1 = Vector([b - g for b, g in zip(links.bias, links.gravity_terms, strict=True)])
        at = e.system.parameters
        n = [at[f"n{i}"].symbol for i in (1, 2)]
        self.K = [at[f"k{i}"].symbol for i in (1, 2)]
        self.Jm = [at[f"J{i}"].symbol * n[i - 1] ** 2 for i in (1, 2)]  # (279), corrected
        self.x1, self.x2 = list(e.q[:2]), list(e.u[:2])
        self.x3 = [q / k for q, k in zip(e.q[2:], n, strict=True)]
        self.x4 = [u / k for u, k in zip(e.u[2:], n, strict=True)]
        self.u = [n_k * tau for n_k, tau in zip(n, e.tau[2:], strict=True)]  # on the side of the link
        self.spring = [k * (a - b) for k, a, b in zip(self.K, self.x1, self.x3, strict=True)]  # K (x_1 - x_3)

    def by_H(self, right: list[Expr]) -> list[Expr]:
        """H⁻¹ of a column."""
        return [as_expr(x) for (x,) in solve_columns(self.H, [[entry] for entry in right])]


def test_equations_290_to_293_inverse_dynamics_control_makes_double_integrators() -> None:
    e, links = arm("stiff"), arm("none")
    law = e.feedback_linearize(["j1", "j2"], ["j1", "j2"])
    assert law.degrees == (2, 2) and law.singular == () and law.zero_dynamics.size == 0
    at = e.system.parameters
    Jm = [at[f"J{i}"].symbol * at[f"n{i}"].symbol ** 2 for i in (1, 2)]
    A = Matrix([[x + (Jm[i] if i == j else 0) for j, x in enumerate(row)] for i, row in enumerate(links.mass_matrix)])
    lam = law.law.parameters["lambda"].symbol
    v = [
        r.symbols[2] + 2 * lam * (r.symbols[1] - u) + lam**2 * (r.symbols[0] - q)
        for r, q, u in zip(law.law.reference, e.q, e.u, strict=True)
    ]
    assert same(law.control.values(), [a + b for a, b in zip(A @ Vector(v), links.bias, strict=True)])  # (291), (292)
    assert is_chain_of_integrators(law)  # (293)


def test_equation_291_is_no_law_for_elastic_joints() -> None:
    """Printed as applied to (283), whose coordinates it does not make double integrators."""
    r = Rigid()
    v = [symbol(f"v{i}", "wanted") for i in (1, 2)]
    inertial = r.H @ Vector(v)
    u = [a + J * w + b + c for a, J, w, b, c in zip(inertial, r.Jm, v, r.h1, r.h2, strict=True)]
    n = [r.e.system.parameters[f"n{i}"].symbol for i in (1, 2)]
    efforts = {tau: as_expr(x / k) for tau, x, k in zip(r.e.tau[2:], u, n, strict=True)}
    made = substitute([*r.e.forward_dynamics], {**efforts, r.e.tau[0]: as_expr(0), r.e.tau[1]: as_expr(0)})
    assert not any(is_zero(a - b) for a, b in zip(made, [*v, *v], strict=True))


def test_equations_294_and_295_states_are_angles_and_their_rates() -> None:
    c, rate = symbol("c", "coordinate"), symbol("c", "speed")
    (x2,) = directional([2 * ph.atan(c)], {c: rate})
    assert is_zero(x2 - 2 * rate / (1 + c**2))


def test_equations_296_to_300_are_the_state_form_with_gravity() -> None:
    r = Rigid()
    e = r.e
    accelerations = substitute([*e.forward_dynamics], {e.tau[0]: as_expr(0), e.tau[1]: as_expr(0)})
    n = [e.system.parameters[f"n{i}"].symbol for i in (1, 2)]
    rotors = [a / k for a, k in zip(accelerations[2:], n, strict=True)]
    right = [-(a + b + s) for a, b, s in zip(r.h1, r.h2, r.spring, strict=True)]
    printed = [-(a + s) for a, s in zip(r.h1, r.spring, strict=True)]
    assert same(e.coordinate_rates, e.u)  # (296), (298)
    assert same(accelerations[:2], r.by_H(right)) and not same(accelerations[:2], r.by_H(printed))  # (297) with h_2
    assert same(rotors, [s / J + u / J for s, J, u in zip(r.spring, r.Jm, r.u, strict=True)])  # (299)
    form = e.control_affine()
    made = [
        f + sum((form.fields[name][k] * tau for name, tau in form.inputs.items()), as_expr(0))
        for k, f in enumerate(form.drift)
    ]
    assert same(made, [*e.u, *accelerations])  # (300)


def test_equations_301_to_304_the_coordinates_of_the_law() -> None:
    r = Rigid()
    law = r.e.feedback_linearize()
    assert [*law.outputs] == ["j1", "j2"] and law.degrees == (4, 4) and law.singular == ()
    y = [[law.coordinates[f"j{i}" + "'" * order] for i in (1, 2)] for order in range(4)]
    assert same(y[0], r.x1) and same(y[1], r.x2)  # (301), (302)
    h = [a + b for a, b in zip(r.h1, r.h2, strict=True)]
    x2dot = r.by_H([-(a + s) for a, s in zip(h, r.spring, strict=True)])
    assert same(y[2], x2dot)  # (303), with h_2
    moving = dict(zip(r.x1, r.x2, strict=True))
    Hdot = directional([*map(as_expr, r.H.entries())], moving)
    lost = [Hdot[2 * i] * x2dot[0] + Hdot[2 * i + 1] * x2dot[1] for i in (0, 1)]  # -H (H⁻¹)' (h + K …) = H' x_2'
    by_x1, by_x2 = jacobian(h, r.x1) @ Vector(r.x2), jacobian(h, r.x2) @ Vector(x2dot)
    a4 = r.by_H([-(w + a + b + k * z) for w, a, b, k, z in zip(lost, by_x1, by_x2, r.K, r.x2, strict=True)])
    linear = r.by_H([k * z for k, z in zip(r.K, r.x4, strict=True)])
    assert same(y[3], [a + b for a, b in zip(a4, linear, strict=True)])  # (304)
    assert is_chain_of_integrators(law)


def test_equations_306_and_307_four_independent_constant_fields() -> None:
    e = single_link()
    form = e.control_affine()
    (g,) = form.fields.values()
    fields = [g]
    for _ in range(3):
        fields.append(bracket(form.drift, fields[-1], form.variables))
    assert all(is_zero(entry) for field in fields for entry in lie_derivative(field, form.drift, form.variables))
    assert ph.expr.rank(fields) == 4 and is_involutive(fields[:3], form.variables)


def test_theorem_7_tells_its_two_conditions() -> None:
    found = single_link().is_feedback_linearizable(at={})
    assert found and found.ranks == found.ranks_at == (1, 2, 3, 4) and all(found.involutive) and found.indices == (4,)
    assert found.sentences[2:] == (
        "the span of g, ad_f g, ad_f^2 g has rank 3 of 4 and is involutive.",
        "the span of g, ad_f g, ad_f^2 g, ad_f^3 g has rank 4 of 4.",
    )


def test_equation_308_is_brunovskys_form_in_v_not_in_u() -> None:
    e = single_link()
    law = e.feedback_linearize()
    variables, rates = closed_loop(law)
    y = [*law.coordinates.values()]  # position, velocity, acceleration and jerk of the link
    (u,) = law.law.controls
    form = e.control_affine()
    own = lie_derivative(y, form.drift, form.variables)
    (by_u,) = (lie_derivative(y, g, form.variables) for g in form.fields.values())
    assert same(own[:3], y[1:]) and all(map(is_zero, by_u[:3]))
    assert not is_zero(own[3]) and not is_zero(by_u[3] - 1)  # so A y + B u it is not
    v = lie_derivative(y, rates, variables)[3]
    assert is_zero(substitute([own[3] + by_u[3] * u], law.law.controls)[0] - v)
    assert is_chain_of_integrators(law)  # A y + B v


def test_the_full_model_360_has_no_relative_degree_and_its_conditions_fail() -> None:
    e = arm("elastic", "full")
    assert not e.is_feedback_linearizable()
    with pytest.raises(ph.PolhodeError, match="decoupling matrix has rank 1 of 2 at every state") as told:
        e.feedback_linearize(["j1", "j2"])
    assert "extend=True" in str(told.value)
    with pytest.raises(ph.PolhodeError, match="G1 has rank 4 of 8 and is not involutive"):
        e.feedback_linearize()


def test_dynamic_extension_of_the_full_model_360_takes_four_integrators_for_two_joints() -> None:
    """A. De Luca and P. Lucibello, *A general algorithm for dynamic feedback linearization of robots with elastic
    joints* (1998): up to 2n(n - 1) integrators, every link then of degree 2(n + 1)."""
    law = arm("elastic", "full").feedback_linearize(["j1", "j2"], extend=True)
    assert law.degrees == (6, 6) and len(law.law.states) == 4 and law.degree.total == law.degree.size == 12
    assert is_chain_of_integrators(law)
