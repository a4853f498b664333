"""Taylor coefficients of motions: known ones, and those that mpmath finds by differences in high precision."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from math import factorial
from typing import Any

import mpmath
import numpy as np
import pytest
from tests.smooth_program import smooth_program

from polhode.codegen.ir.interpreter import evaluate
from polhode.codegen.ir.program import Program
from polhode.codegen.plan import plan
from polhode.codegen.taylor.interpreter import coefficients
from polhode.codegen.taylor.recurrences import ALONG, series_program
from polhode.expr import (
    Expr,
    acos,
    asin,
    atan,
    atan2,
    cos,
    cosh,
    exp,
    log,
    sin,
    sinh,
    sqrt,
    symbols,
    tan,
    tanh,
)  # fmt: skip

_MP: Mapping[str, Callable[..., Any]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b,
    "neg": lambda a: -a,
    "pow": mpmath.power,
    **{name: getattr(mpmath, name) for name in ALONG if name not in ("add", "sub", "mul", "div", "neg", "pow")},
}
_ORDER = 7

t, x, y = symbols("t x y")

MOTIONS: dict[str, tuple[Expr, Expr]] = {
    "products": (x * y + 1, x * x - y),
    "quotients": (x / y, 1 / (x + 2)),
    "roots": (sqrt(x + y), y * sqrt(2 + x * y)),
    "sin and cos": (sin(x * y), cos(x) * y),
    "tan": (tan(x), y),
    "inverse sines": (asin(x / 2), acos(y / 3)),
    "arcs": (atan(x * y), atan2(x, y + 1)),
    "arcs of one": (atan2(x, 2), atan2(2, y)),
    "exp and log": (exp(-x), log(x + y)),
    "hyperbolic": (sinh(x) - cosh(y), tanh(x * y)),
    "powers": (x ** Fraction(1, 3), x**y),
    "time": (sin(t) * x, t * t + y),
}


def _by_differences(program: Program, inputs: Mapping[str, list[float]], parameters: list[float]) -> None:
    """x_{k+1} (k + 1) is the coefficient of t^k in f(t, X(t)), X being the polynomial that was found."""
    found = coefficients(series_program(program), inputs, _ORDER, parameters)
    names = [array.name for array in program.arrays]
    with mpmath.workdps(60):
        rows = [[mpmath.mpf(float(value)) for value in row] for row in found]

        def rate(state: int) -> Callable[[Any], Any]:
            def at(tau: Any) -> Any:
                values = {name: [mpmath.mpf(value) for value in inputs[name]] for name in names}
                values["x"] = [mpmath.polyval([row[i] for row in reversed(rows)], tau) for i in range(len(inputs["x"]))]
                if "t" in values:
                    values["t"] = [values["t"][0] + tau]
                entries = [value for name in names for value in values[name]]
                constants = [mpmath.mpf(value) for value in program.constants]
                given = [mpmath.mpf(value) for value in parameters]
                return evaluate(program, constants, entries, given, _MP)["xdot"][state]

            return at

        for state in range(found.shape[1]):
            expected = np.array([float(value) for value in mpmath.taylor(rate(state), 0, _ORDER - 1)])
            got = found[1:, state] * np.arange(1, _ORDER + 1)
            scale = np.abs(found[1:] * np.arange(1, _ORDER + 1)[:, None]).max(axis=1)
            assert got == pytest.approx(expected, abs=1e-12 * max(1.0, scale.max()))


@pytest.mark.parametrize("motion", MOTIONS)
def test_every_operation_has_the_coefficients_of_its_motion(motion: str) -> None:
    program = plan("state_rates", [("x", [x, y]), ("t", [t])], [("xdot", (2,), list(MOTIONS[motion]))])
    _by_differences(program, {"x": [0.7, 0.4], "t": [0.3]}, [])


@pytest.mark.parametrize("seed", range(3))
def test_random_programs_have_the_coefficients_of_their_motions(seed: int) -> None:
    _by_differences(smooth_program(seed), {"x": [0.3, -0.2, 0.5], "tau": [0.4, -0.6], "t": [0.1]}, [0.9, -0.3, 0.5])


def test_growth_is_the_exponential_series() -> None:
    program = plan("state_rates", [("x", [x])], [("xdot", (1,), [x])])
    found = coefficients(series_program(program), {"x": [1.0]}, 10).ravel()
    assert found == pytest.approx([1 / factorial(k) for k in range(11)], rel=1e-15)


def test_a_state_that_drives_nothing_and_a_steady_rate_end_their_series() -> None:
    program = plan("state_rates", [("x", [x, y])], [("xdot", (2,), [x * 0 + 2, x])])
    found = coefficients(series_program(program), {"x": [1.0, 0.0]}, 4)
    assert found.tolist() == [[1.0, 0.0], [2.0, 1.0], [0.0, 1.0], [0.0, 0.0], [0.0, 0.0]]
