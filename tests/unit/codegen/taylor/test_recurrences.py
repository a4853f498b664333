"""Which programs have recurrences, and what becomes of their operations."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from math import factorial
from typing import Any

import mpmath
import numpy as np
import pytest
from tests.series_interpreter import coefficients
from tests.smooth_program import smooth_program

from polhode.codegen.ir.interpreter import evaluate
from polhode.codegen.ir.ops import check_program
from polhode.codegen.ir.program import Array, Instruction, Output, Program
from polhode.codegen.plan import plan
from polhode.codegen.taylor.recurrences import ALONG, STEADY, SeriesProgram, has_recurrences, series_program
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


def _program(*run: tuple[str, int, int] | tuple[str, int]) -> Program:
    """x' = the last value; slot 0 is the constant 3, 1 is x, 2 is tau, 3 is t."""
    code = tuple(Instruction(op, args) for op, *args_ in run for args in [tuple(args_)])
    arrays = (Array("x", 1), Array("tau", 1), Array("t", 1))
    return Program("state_rates", arrays, 0, (3.0,), (), code, (Output("xdot", (1,), (3 + len(run),)),))


def _names(series: SeriesProgram) -> list[str]:
    return [rule.name for rule in series.rules]


@pytest.mark.parametrize("op", ["abs", "sign"])
def test_a_corner_of_the_state_has_no_recurrence(op: str) -> None:
    assert not has_recurrences(_program((op, 1)))
    assert not has_recurrences(_program(("sin", 3), (op, 4)))


@pytest.mark.parametrize("op", ["abs", "sign"])
def test_a_corner_of_what_is_steady_does_no_harm(op: str) -> None:
    program = _program((op, 2), ("mul", 4, 1))
    assert has_recurrences(program)
    assert _names(series_program(program)) == ["steady", "scaled"]


def test_a_corner_that_nothing_uses_does_no_harm() -> None:
    program = _program(("abs", 1), ("sin", 1))
    assert has_recurrences(program)
    assert _names(series_program(program)) == ["integral", "integral"]


def test_sine_and_cosine_are_each_other_s_integrals() -> None:
    series = series_program(_program(("cos", 1), ("sin", 1), ("add", 4, 5)))
    first = series.program.first_run
    assert [step.op for step in series.program.run] == ["sin", "cos", "add"]
    assert series.rules[0].args == (1, first + 1)
    assert (series.rules[1].args, series.rules[1].sign) == ((1, first), -1)


def test_sums_squares_and_quotients_are_shortened() -> None:
    assert _names(series_program(_program(("add", 1, 2), ("sub", 2, 4)))) == ["same", "negation"]
    series = series_program(_program(("mul", 1, 1), ("mul", 4, 1)))
    assert _names(series) == ["square", "product"]
    assert series.products == 1.5
    assert _names(series_program(_program(("div", 1, 0)))) == ["steady", "scaled"]
    assert _names(series_program(_program(("div", 0, 1)))) == ["inverse"]
    assert _names(series_program(_program(("div", 3, 1)))) == ["quotient"]


@pytest.mark.parametrize("seed", range(5))
def test_a_series_program_is_legal_and_has_the_work_array_of_its_program(seed: int) -> None:
    program = smooth_program(seed)
    series = series_program(program)
    check_program(series.program)
    assert len(series.rules) == len(series.program.run)
    assert len(series.work) == len(program.saved)
    assert set(series.program.saved) <= set(series.work)
    assert all(series.is_steady(slot) == (series.rule(slot) == STEADY) for slot in range(series.program.first_run))


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


def test_growth_is_exponential_and_steady_rates_end_their_series() -> None:
    program = plan("state_rates", [("x", [x])], [("xdot", (1,), [x])])
    found = coefficients(series_program(program), {"x": [1.0]}, 10).ravel()
    assert found == pytest.approx([1 / factorial(k) for k in range(11)], rel=1e-15)
    program = plan("state_rates", [("x", [x, y])], [("xdot", (2,), [x * 0 + 2, x])])
    found = coefficients(series_program(program), {"x": [1.0, 0.0]}, 4)
    assert found.tolist() == [[1.0, 0.0], [2.0, 1.0], [0.0, 1.0], [0.0, 0.0], [0.0, 0.0]]
