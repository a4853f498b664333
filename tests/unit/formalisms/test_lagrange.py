"""Equations of a Lagrangian: SymPy's LagrangesMethod, closed forms, and the same mechanism made of bodies."""

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import sympy
from sympy.physics.mechanics import LagrangesMethod, dynamicsymbols
from tests.refusals import refused

import polhode as ph
from polhode.expr import free_symbols

x, v, y, w, m, k, B, t, F, c = ph.symbols("x v y w m k B t F c")


def ring() -> ph.Equations:
    """A charged particle on a curved surface in a field that grows in time, with drag and a driven coordinate."""
    T = m * ((1 + x**2) * v**2 + 2 * x * y * v * w + (1 + y**2) * w**2) / 2
    L = T + B * t * (x * w - y * v) / 2 - k * (x**2 + ph.sin(y) ** 2) / 2
    return ph.lagrangian(L, {x: v, y: w}, {x: F, y: -c * w}, parameters={m: 2, k: 3, B: 0.5, c: 0.1}, inputs=[F])


def test_they_are_those_of_sympy() -> None:
    e = ring()
    X, Y = dynamicsymbols("x y")
    T = sympy.sympify("m*((1 + x**2)*v**2 + 2*x*y*v*w + (1 + y**2)*w**2)/2")
    L = T + sympy.sympify("B*t*(x*w - y*v)/2 - k*(x**2 + sin(y)**2)/2", locals={"t": dynamicsymbols._t})
    L = L.subs({"v": X.diff(), "w": Y.diff(), "x": X, "y": Y})
    theirs = sympy.Matrix(LagrangesMethod(L, [X, Y]).form_lagranges_equations())
    names = {"x(t)": e.q[0], "y(t)": e.q[1], "x'": e.u[0], "y'": e.u[1], "x''": e.udot[0], "y''": e.udot[1]}
    names |= {each.name: each for each in free_symbols(e.inverse_dynamics)} | {"t": e.system.time}
    rows = ph.from_sympy(theirs, names)
    damping = e.system.parameters["c"].symbol * e.u[1]
    assert [rows[0, 0] - e.system.inputs["F"].symbol, rows[1, 0] + damping] == list(e.inverse_dynamics)


def test_they_agree_with_the_mechanism_of_bodies() -> None:
    s = ph.System("cart", gravity=(0, 0, -10))
    cart, bob = s.body("cart", 3), s.body("bob", 2, com=(0, 0, -1))
    s.joint("x", s.ground, cart, ph.Prismatic("x"), speeds=["v"])
    s.joint("y", cart, bob, ph.Revolute("y"), speeds=["w"])
    known = s.derive()
    L = 5 * v**2 / 2 - 2 * v * w * ph.cos(y) + w**2 + 20 * ph.cos(y)
    e = ph.lagrangian(L, {x: v, y: w})
    assert e.agrees_with(known) and (e.kinetic_energy, e.formalism) == (known.kinetic_energy, "lagrange")
    one, other = (each.simulate(2.0, start={"y": 1.0}, rtol=1e-10, atol=1e-12) for each in (e, known))
    assert np.allclose(one.q[-1], other.q[-1], atol=1e-8)
    at_rest, theirs = (each.linearize() for each in (e, known))
    assert at_rest.A == theirs.A and at_rest.B == theirs.B
    assert pickle.loads(pickle.dumps(e)).agrees_with(e)


def test_runs_keep_the_energy_of_jacobi_and_follow_a_closed_form() -> None:
    """A particle in a field B turns at B/m; ½ m v² is Jacobi's integral."""
    e = ph.lagrangian(m * (v**2 + w**2) / 2 + B * (x * w - y * v) / 2, {x: v, y: w}, parameters={m: 2, B: 3})
    run = e.simulate(4.0, speeds={"v": 1.0}, rtol=1e-10, atol=1e-12)
    turn = 1.5 * run.t
    assert np.allclose(run.q[:, 0], np.sin(turn) / 1.5, atol=1e-8)
    assert np.allclose(run.q[:, 1], (np.cos(turn) - 1) / 1.5, atol=1e-8)
    assert np.allclose(e.compile().energy(run.q, run.u)[0], 1.0, atol=1e-9)


def test_code_is_exported(tmp_path: Path) -> None:
    e = ring()
    assert any(path.suffix == ".c" for path in e.export("c", tmp_path))
    state: Any = ([0.3, 0.2], [1.0, -1.0], [0.0, 0.0])
    found = e.compile().forward_dynamics(*state, t=0.5, inputs=[0.7])
    values = {**dict(zip((*e.q, *e.u, *e.tau), np.concatenate(state), strict=True)), e.system.time: 0.5}
    values |= {each.symbol: float(each.value) for each in e.system.parameters.values()}
    values[e.system.inputs["F"].symbol] = 0.7
    assert np.allclose(found, e.forward_dynamics.evaluate(values), rtol=1e-13)


def test_the_rest_is_refused_by_a_sentence() -> None:
    e = ring()
    for name in ("momentum", "coriolis_matrix", "power", "reaction", "jacobian"):
        # mypy cannot type a default of a lambda
        refused("equations of a Lagrangian have no", lambda name=name: getattr(e, name))  # type: ignore[misc]
    refused("a Lagrangian has none", lambda: e.compile().momentum([0, 0], [0, 0]))
    refused("is singular", lambda: ph.lagrangian((v + w) ** 2 - x**2, {x: v, y: w}))
    refused("singular block of the last 1", lambda: ph.lagrangian(v * w - x * y, {x: v, y: w}))
    refused("is singular", lambda: ph.lagrangian(x * v, {x: v}))
    refused("not of second degree", lambda: ph.lagrangian(-m * ph.sqrt(1 - v**2), {x: v}))
    refused("is no symbol", lambda: ph.lagrangian(v**2, {x: 2 * v}))
    refused("which is no coordinate", lambda: ph.lagrangian(v**2, {x: v}, {y: 1}))
