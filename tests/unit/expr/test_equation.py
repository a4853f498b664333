"""Equations by hand: solved as SymPy solves them, checked by fingerprint, and the equations of Lagrange by steps."""

import sympy
from tests.refusals import refused

import polhode as ph

a, b, x, y = ph.symbols("a b x y")


def test_solutions_are_those_of_sympy() -> None:
    lines = ph.equation([a * x + ph.sin(b) * y, x - y + b], [1, a])
    found = lines.solve([x, y])
    there = sympy.solve([ph.to_sympy(side) for side in lines.residual], sympy.symbols("x y"))
    assert [ph.from_sympy(there[sympy.Symbol(name)]) for name in "xy"] == list(found)
    assert lines.subs(dict(zip((x, y), found, strict=True))).holds() and not lines.holds()
    assert ph.equation(a * x + b, x).solve(x) == b / (1 - a)
    assert ph.equation((a + b) ** 2, a**2 + 2 * a * b + b**2).holds()
    assert ph.equation(ph.Matrix([[a, 0], [0, b]])).subs({a: 0, b: 0}).holds()


def test_both_sides_are_treated_alike() -> None:
    made = ph.equation(a * x, b / x)
    assert made.diff(x).lhs == a and made.diff(x).rhs == -b / x**2 and made.map(lambda side: side * x).rhs == b
    assert repr(made) == "a*x = b/x" and made.latex() == r"a x = \frac{b}{x}"
    assert (made._repr_latex_() or "").startswith("$") and made.simplify().residual == made.residual


def test_what_cannot_be_solved_is_refused() -> None:
    refused("not linear in x", lambda: ph.equation(x * x, a).solve(x))
    refused("not linear in", lambda: ph.equation([x * y, x], [1, 2]).solve([x, y]))
    refused("1 equations cannot be solved for 2 unknowns", lambda: ph.equation(x, a).solve([x, y]))
    refused("it is no symbol", lambda: ph.equation(x, a).solve(x + 1))
    refused("singular", lambda: ph.equation([x + y, 2 * x + 2 * y], [1, 2]).solve([x, y]))
    refused("singular", lambda: ph.equation(a, b).solve(x))
    refused("shapes", lambda: ph.equation([x, y], a))


def test_lagrange_by_hand_gives_what_derive_gives() -> None:
    s = ph.System("cart")
    M, m, l, g = (s.parameter(name, 1) for name in ("M", "m", "l", "g"))
    s.gravity = (0, 0, -g)
    cart, bob = s.body("cart", M), s.body("bob", m, com=(0, 0, -l))
    slide = s.joint("x", s.ground, cart, ph.Prismatic("x"))
    hinge = s.joint("theta", cart, bob, ph.Revolute("y"))
    (q, v), (th, w) = (slide.q + slide.u), (hinge.q + hinge.u)
    at = ph.Vector([q - l * ph.sin(th), -l * ph.cos(th)])
    rate = s.dt(at)
    L = M * v**2 / 2 + m * rate.dot(rate) / 2 + m * g * l * ph.cos(th)
    e = s.derive()
    hand = ph.equation([s.dt(L.diff(u)) - L.diff(c) for c, u in ((q, v), (th, w))], e.tau)
    assert ph.equation(hand.lhs, e.inverse_dynamics).holds()
    assert ph.equation(hand.solve(e.udot), e.forward_dynamics).holds()
