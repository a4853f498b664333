"""What textbooks and papers print of feedback linearising laws, which those that are derived must equal."""

import pytest
from tests.linearized_loops import is_chain_of_integrators

import polhode as ph
from polhode.control import PartialLinearization
from polhode.expr import as_expr, is_zero, same, substitute
from polhode.model.samples.underactuated import ball_and_beam, two_link_pendulum


def test_slotine_and_li_single_link_with_an_elastic_joint() -> None:
    """J.-J. E. Slotine and W. Li, *Applied Nonlinear Control* (1991), example 6.10."""
    s = ph.System("link", gravity=(0, -ph.symbol("g", "parameter"), 0))
    M, L, I, J, k, g = (s.parameter(name) for name in ("M", "L", "I", "J", "k", "g"))
    s.joint("q", s.ground, s.body("link", M, (0, -L, 0), (0, 0, I - M * L**2), check=False), ph.Revolute("z"))
    s.motor("q", inertia=J, stiffness=k)
    e = s.derive()
    law = e.feedback_linearize()
    (q1, q2), (q1d, q2d) = e.q, e.u
    w, c = M * g * L / I, k / I
    z = [q1, q1d, -w * ph.sin(q1) - c * (q1 - q2), -w * q1d * ph.cos(q1) - c * (q1d - q2d)]
    assert same(law.coordinates.values(), z)
    a = w * ph.sin(q1) * (q1d**2 + w * ph.cos(q1) + c) + c * (q1 - q2) * (c + k / J + w * ph.cos(q1))
    lam, r = law.law.parameters["lambda"].symbol, law.law.reference[0].symbols
    v = r[4] + sum(b * lam ** (4 - j) * (r[j] - z[j]) for j, b in enumerate((1, 4, 6, 4)))
    (control,) = law.control.values()
    assert is_zero(control - I * J / k * (v - a))


def test_isidori_example_of_exact_linearization() -> None:
    """A. Isidori, *Nonlinear Control Systems* (1995), section 4.2: x₁ serves as output."""
    s = ph.System("states", gravity=(0, 0, 0))
    s.joint("idle", s.ground, s.body("ballast", 1), ph.Prismatic("x"))
    u = s.input("u")
    x1, x2, x3 = (ph.symbol(name, "state") for name in ("x1", "x2", "x3"))
    s.state("x1", x3 * (1 + x2))
    s.state("x2", x1 + (1 + x2) * u)
    s.state("x3", x2 * (1 + x1) - x3 * u)
    e = s.derive()
    degree = e.relative_degree(["x1"], at={})
    assert degree.degrees == (3,) and degree.exists_at
    assert is_zero(degree.decoupling[0][0] - ((1 + x1) * (1 + x2) * (1 + 2 * x2) - x1 * x3))
    assert is_chain_of_integrators(e.feedback_linearize(["x1"], at={}))


def test_spong_collocated_law_of_an_acrobot() -> None:
    """M. W. Spong, *The swing up control problem for the acrobot* (1995)."""
    e = two_link_pendulum().derive()
    law = PartialLinearization(e, inputs=["elbow"])
    d, bias = e.mass_matrix, substitute([*e.bias], {})
    lam, r = law.law.parameters["lambda"].symbol, law.law.reference[0].symbols
    v = r[2] + 2 * lam * (r[1] - e.u[1]) + lam**2 * (r[0] - e.q[1])
    d2 = d[1][1] - d[1][0] * d[0][1] / d[0][0]
    h2 = bias[1] - d[1][0] * bias[0] / d[0][0]
    (control,) = law.control.values()
    assert is_zero(control - (d2 * v + h2))


def test_spong_non_collocated_law_needs_strong_inertial_coupling() -> None:
    e = two_link_pendulum().derive()
    law = PartialLinearization(e, "non-collocated", ["elbow"])
    (lost,) = law.singular
    assert is_zero(lost - e.mass_matrix[0][1])


def test_ball_and_beam_is_refused_where_it_rests() -> None:
    """J. Hauser, S. Sastry and P. Kokotović (1992): the ball's place has no relative degree at the equilibrium, and no
    feedback makes the whole state linear."""
    e = ball_and_beam().derive()
    with pytest.raises(ph.PolhodeError) as told:
        e.feedback_linearize(["r"], at={})
    assert str(told.value).startswith(
        "feedback_linearize: the law does not exist at the given state: relative degree 3 of 4 states, lost where "
        "r = 0 or theta' = 0; none at the given state, where r and theta' vanish."
    )
    found = e.is_feedback_linearizable()
    assert not found and found.ranks == (1, 2) and found.involutive == (True, False)


def test_unicycle() -> None:
    """A. De Luca, G. Oriolo and M. Vendittelli, *WMR control via dynamic feedback linearization* (2002): an integrator
    before the driving speed ξ, ξ' = u₁ cos θ + u₂ sin θ, ω = (u₂ cos θ - u₁ sin θ)/ξ."""
    s = ph.System("unicycle", gravity=(0, 0, 0))
    s.joint("idle", s.ground, s.body("ballast", 1), ph.Prismatic("x"))
    speed, turn = s.input("v"), s.input("w")
    theta = s.state("theta", turn)
    s.state("x", speed * ph.cos(theta))
    s.state("y", speed * ph.sin(theta))
    law = s.derive().feedback_linearize(["x", "y"], extend=True, at={"v": 1})
    (xi,) = law.law.states
    lam = law.law.parameters["lambda"].symbol
    u1, u2 = (
        r.symbols[2] + 2 * lam * (r.symbols[1] - xi.symbol * turned(theta)) + lam**2 * (r.symbols[0] - place)
        for r, turned, place in zip(law.law.reference, (ph.cos, ph.sin), law.outputs.values(), strict=True)
    )
    assert law.control["v"] == xi.symbol and is_zero(as_expr(xi.rate) - u1 * ph.cos(theta) - u2 * ph.sin(theta))
    assert is_zero(law.control["w"] - (u2 * ph.cos(theta) - u1 * ph.sin(theta)) / xi.symbol)
