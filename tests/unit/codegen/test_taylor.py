"""Taylor series of programs: recurrences, native coefficients, and when series are cheaper."""

import ctypes
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
from polhode.codegen.llvm.function import WIDTH
from polhode.codegen.plan import plan
from polhode.codegen.taylor.jets import Factor, sum_packs
from polhode.codegen.taylor.recurrences import ALONG, NONLINEAR, STEADY, SeriesProgram, has_recurrences, series_program
from polhode.expr import Expr, acos, asin, atan, atan2, cos, cosh, exp, log, sin, sinh, sqrt, symbols, tan, tanh
from polhode.native import compile_program
from polhode.ode.native_code import taylor_code
from polhode.ode.native_run import NativeRun
from polhode.simulate.settings import is_taylor_faster


def _program(*run: tuple[str, int, int] | tuple[str, int]) -> Program:
    """x' = the last value; slot 0 is the constant 3, 1 is x, 2 is tau, 3 is t."""
    code = tuple(Instruction(op, args) for op, *args_ in run for args in [tuple(args_)])
    arrays = (Array("x", 1), Array("tau", 1), Array("t", 1))
    return Program("state_rates", arrays, 0, (3.0,), (), code, (Output("xdot", (1,), (3 + len(run),)),))


def _names(series: SeriesProgram) -> list[str]:
    return [rule.name for rule in series.rules]


@pytest.mark.parametrize("op", ["abs", "sign"])
def test_a_corner_of_the_state_has_no_recurrence_and_a_corner_of_what_is_steady_does_no_harm(op: str) -> None:
    assert not has_recurrences(_program((op, 1))) and not has_recurrences(_program(("sin", 3), (op, 4)))
    program = _program((op, 2), ("mul", 4, 1))
    assert has_recurrences(program) and _names(series_program(program)) == ["steady", "scaled"]


def test_unused_corners_do_no_harm_and_sines_sums_and_quotients_are_shortened() -> None:
    program = _program(("abs", 1), ("sin", 1))
    assert has_recurrences(program) and _names(series_program(program)) == ["integral", "integral"]
    series = series_program(_program(("cos", 1), ("sin", 1), ("add", 4, 5)))
    first = series.program.first_run
    assert [step.op for step in series.program.run] == ["sin", "cos", "add"]
    assert series.rules[0].args == (1, first + 1) and (series.rules[1].args, series.rules[1].sign) == ((1, first), -1)
    assert _names(series_program(_program(("add", 1, 2), ("sub", 2, 4)))) == ["same", "negation"]
    series = series_program(_program(("mul", 1, 1), ("mul", 4, 1)))
    assert _names(series) == ["square", "product"] and series.products == 1.5
    assert _names(series_program(_program(("div", 1, 0)))) == ["steady", "scaled"]
    assert _names(series_program(_program(("div", 0, 1)))) == ["inverse"]
    assert _names(series_program(_program(("div", 3, 1)))) == ["quotient"]


@pytest.mark.parametrize("seed", range(5))
def test_a_series_program_is_legal_and_has_the_work_array_of_its_program(seed: int) -> None:
    program = smooth_program(seed)
    series = series_program(program)
    check_program(series.program)
    assert len(series.rules) == len(series.program.run) and len(series.work) == len(program.saved)
    assert set(series.program.saved) <= set(series.work)
    assert all(series.is_steady(slot) == (series.rule(slot) == STEADY) for slot in range(series.program.first_run))


_MP: Mapping[str, Callable[..., Any]] = {
    "add": lambda a, b: a + b, "sub": lambda a, b: a - b, "mul": lambda a, b: a * b, "div": lambda a, b: a / b,
    "neg": lambda a: -a, "pow": mpmath.power,
    **{name: getattr(mpmath, name) for name in ALONG if name not in ("add", "sub", "mul", "div", "neg", "pow")},
}  # fmt: skip
_ORDER = 7

t, x, y = symbols("t x y")

MOTIONS: dict[str, tuple[Expr, Expr]] = {
    "products": (x * y + 1, x * x - y), "quotients": (x / y, 1 / (x + 2)),
    "roots": (sqrt(x + y), y * sqrt(2 + x * y)), "sin and cos": (sin(x * y), cos(x) * y), "tan": (tan(x), y),
    "inverse sines": (asin(x / 2), acos(y / 3)), "arcs": (atan(x * y), atan2(x, y + 1)),
    "arcs of one": (atan2(x, 2), atan2(2, y)), "exp and log": (exp(-x), log(x + y)),
    "hyperbolic": (sinh(x) - cosh(y), tanh(x * y)), "powers": (x ** Fraction(1, 3), x**y),
    "time": (sin(t) * x, t * t + y),
}  # fmt: skip


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


_ORDER_JETS = 20
Inputs = dict[str, list[float]]


def native_coefficients(program: Program, inputs: Inputs, parameters: list[float], order: int) -> np.ndarray:
    """What `ph_jet` writes."""
    function = compile_program(program, cache=False).with_parameters(np.array(parameters))
    code = taylor_code(function)
    run = NativeRun(code, np.array(inputs["x"]), t=inputs.get("t", [0.0])[0], rtol=1e-9, atol=1e-9)
    run.use(run.compiled(function, {name: np.array(values) for name, values in inputs.items()}))
    record = run.record
    record.clock = record.t
    (ctypes.c_void_p * 1).from_address(record.arguments + 8 * record.x_index)[0] = record.x
    pointer = ctypes.c_void_p
    assert code.jet is not None
    jet = ctypes.CFUNCTYPE(None, pointer, pointer, pointer, ctypes.c_int64)(code.jet.address("ph_jet"))
    jet(record.arguments, record.k, record.dense, order)
    width = 4 * record.blocks
    rows = np.ctypeslib.as_array((ctypes.c_double * ((order + 1) * width)).from_address(record.k))
    found: np.ndarray = rows.reshape(order + 1, width).copy()
    size = len(inputs["x"])
    assert not found[:, size:].any(), "rows are padded with zeros"
    return found[:, :size]


def assert_alike(program: Program, inputs: Inputs, parameters: list[float], order: int = _ORDER_JETS) -> None:
    expected = coefficients(series_program(program), inputs, order, parameters)
    found = native_coefficients(program, inputs, parameters, order)
    scale = np.maximum.accumulate(np.abs(expected).max(axis=1))[:, None]
    assert np.abs(found - expected) / scale == pytest.approx(np.zeros(expected.shape), abs=1e-11)


@pytest.mark.parametrize("seed", range(3))
def test_random_programs_have_the_coefficients_of_the_interpreter(seed: int) -> None:
    inputs = {"x": [0.3, -0.2, 0.5], "tau": [0.4, -0.6], "t": [0.1]}
    assert_alike(smooth_program(seed, 120), inputs, [0.9, -0.3, 0.5])


@pytest.mark.parametrize("order", [1, 2, 3, 4])
def test_every_order_ends_with_its_own_row(order: int) -> None:
    x, y = symbols("x y")
    program = plan("state_rates", [("x", [x, y])], [("xdot", (2,), [y, x * y - sin(x)])])
    assert_alike(program, {"x": [0.3, 0.7]}, [], order)


@pytest.mark.parametrize("count", [1, 4, 9])
def test_states_fill_any_number_of_blocks(count: int) -> None:
    x = symbols(" ".join(f"x{place}" for place in range(count)))
    rates = [sqrt(1 + x[place] * x[place - 1]) / (2 + cos(x[place])) - exp(x[0]) for place in range(count)]
    program = plan("state_rates", [("x", list(x))], [("xdot", (count,), rates)])
    assert_alike(program, {"x": [0.1 + 0.05 * place for place in range(count)]}, [])


def test_jets_end_with_their_row_and_fill_any_number_of_blocks() -> None:
    x, y = symbols("x y")
    program = plan("state_rates", [("x", [x, y])], [("xdot", (2,), [y, -4 * x])])
    assert_alike(program, {"x": [1.0, 0.5]}, [])
    found = sum_packs(series_program(smooth_program(1)))
    assert len(set(found.blocks)) == len(found.blocks)


@pytest.mark.parametrize("seed", range(5))
def test_every_sum_is_in_one_pack_with_its_factors(seed: int) -> None:
    series = series_program(smooth_program(seed))
    found = sum_packs(series)
    first = series.program.first_run
    wanted = [first + place for place, rule in enumerate(series.rules) if rule.name in NONLINEAR]
    assert [slot for pack in found.packs for slot in pack.slots] == wanted
    for pack in found.packs:
        assert len(pack.slots) <= WIDTH
        for lane, slot in enumerate(pack.slots):
            rule = series.rule(slot)
            factors = {found.blocks[pack.one][lane], found.blocks[pack.other][lane]}
            if rule.name == "integral":
                along, integrand = rule.args
                assert factors == {Factor(along, derived=True), Factor(integrand)}
            elif rule.name in ("product", "square"):
                assert factors == {Factor(arg) for arg in rule.args}
            else:
                assert Factor(slot) in factors


def test_tolerances_and_length_decide_for_taylor() -> None:
    for length in range(1, 400, 7):
        answers = [is_taylor_faster(length, 10.0**-digits) for digits in range(3, 16)]
        assert answers == sorted(answers)
    for digits in range(3, 16):
        answers = [is_taylor_faster(length, 10.0**-digits) for length in range(400, 0, -7)]
        assert answers == sorted(answers)
    assert is_taylor_faster(250, 0.0) and not is_taylor_faster(251, 0.0)
