"""A value that depends on the sign of another: SymPy's Piecewise, closed forms of motions, and native code."""

import math
import pickle

import numpy as np
import pytest
import sympy
from tests.refusals import refused

import polhode as ph
from polhode.expr import Expr, evaluate, gradient
from polhode.expr.mathml_printer import mathml

x, y = ph.symbols("x y")


def test_values_derivatives_and_both_ways_are_those_of_sympy() -> None:
    made = y * ph.where(x * y - 1, ph.sqrt(x * y - 1) * x, ph.where(-x, x**3, y)) + ph.where(x, 1, 2) * 2
    there = ph.to_sympy(made)
    assert there.has(sympy.Piecewise) and ph.from_sympy(there) == made and pickle.loads(pickle.dumps(made)) is made
    by_x, by_y = gradient(made, [x, y])
    for at in ((2.0, 3.0), (-1.5, 0.5), (0.25, 1.0), (-2.0, -3.0)):
        values = dict(zip((x, y), at, strict=True))
        numbers = dict(zip(sympy.symbols("x y"), at, strict=True))
        expected = [float(there.subs(numbers)), *(float(there.diff(s).subs(numbers)) for s in sympy.symbols("x y"))]
        assert np.allclose(evaluate([made, by_x, by_y], values), expected, rtol=1e-14)
    flipped = ph.from_sympy(sympy.sympify("Piecewise((1, x <= 0), (2, y >= x), (3, True))"))
    assert [evaluate([flipped], {x: a, y: b}) for a, b in ((0.0, 1.0), (1.0, 1.0), (1.0, 0.5))] == [[1.0], [2.0], [3.0]]
    assert "no value where none" in refused("", lambda: ph.from_sympy(sympy.sympify("Piecewise((1, x > 0))")))


def test_it_is_the_second_value_on_its_surface_and_never_looks_at_the_other() -> None:
    root = ph.where(x, ph.log(x), -1)
    assert evaluate([root, root.diff(x)], {x: 0.0}) == [-1.0, 0.0] and evaluate([root], {x: -3.0}) == [-1.0]
    assert root.subs({x: 1}) == 0 and root.subs({x: 0}) == -1 and ph.where(x, y, y) is y
    safe = ph.where(x, ph.sqrt(x) + 1 / x, y) * 2
    assert safe.subs({x: -4}) == 2 * y and safe.subs({x: 0}) == 2 * y and float(safe.subs({x: 4})) == 4.5
    refused("square root of -4 is not real", lambda: (safe + ph.sqrt(x)).subs({x: -4}))
    assert ph.where(x - x, 1, 2) == 2 and ph.where(2 * y - y, x, 1) == ph.where(y, x, 1) != ph.where(-y, 1, x)
    assert "ph.where" in refused("decided when numbers are known", lambda: ph.where(x > 0, 1, 2))


def ramp() -> tuple[ph.System, Expr]:
    """A block that is pushed by √x where x > 0 and pulled back by 1 N elsewhere."""
    s = ph.System("ramp", gravity=(0, 0, 0))
    slide = s.joint("x", s.ground, s.body("block", 2), ph.Prismatic("x"))
    force = ph.where(slide.q[0] - 1, -ph.sqrt(slide.q[0] - 1) * 8, 1 + slide.u[0] * 0)
    s.joint_force(slide, force)
    return s, force


@pytest.mark.parametrize("backend", ["llvm", "c", "numpy"])
def test_compiled_code_takes_one_branch(backend: str) -> None:
    e = ramp()[0].derive()
    functions = e.compile(backend=backend)
    for at in (-1.0, 0.0, 1.0, 1.25, 3.0):
        force = -8 * math.sqrt(at - 1) if at > 1 else 1.0
        assert np.allclose(functions.forward_dynamics([at], [0.0], [0.0]), [force / 2], rtol=1e-15)
    many = functions.forward_dynamics(np.linspace(-1, 3, 9)[:, None], np.zeros((9, 1)), np.zeros((9, 1)))
    assert np.isfinite(many).all() and many[0, 0] == 0.5


def test_runs_locate_the_surface() -> None:
    """The block reaches x = 1 with v² = 2; then ½·2·2 = 16/3 (x - 1)^(3/2) where it turns."""
    e = ramp()[0].derive()
    for method in ("auto", "DOP853", "Radau"):
        run = e.simulate(6.0, start={"x": 0.0}, speeds={"x": 1.0}, until=e.u[0], method=method, rtol=1e-9, atol=1e-12)
        assert abs(run.q[-1, 0] - 1 - (3 / 8) ** (2 / 3)) < 1e-7
        assert "jumped once at t = 0.828427 s" in str(run)  # 2√2 - 2


def test_every_printer_writes_it() -> None:
    force = ramp()[1]
    assert r"\left(\begin{cases}" in ph.latex(force) and r"& x - 1 > 0\\1 & \text{else}" in ph.latex(force)
    assert "<mtable>" in mathml(force) and ph.System("s").parameter("where").name == "where"
