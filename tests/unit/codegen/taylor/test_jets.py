"""Coefficients by native code beside those of the reference interpreter."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest
from tests.series_interpreter import coefficients
from tests.smooth_program import smooth_program

from polhode.codegen.ir.program import Program
from polhode.codegen.llvm.function import WIDTH
from polhode.codegen.plan import plan
from polhode.codegen.taylor.jets import Factor, sum_packs
from polhode.codegen.taylor.recurrences import NONLINEAR, series_program
from polhode.expr import cos, exp, sin, sqrt, symbols
from polhode.native import compile_program
from polhode.ode.native_code import taylor_code
from polhode.ode.native_run import NativeRun

_ORDER = 20
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


def assert_alike(program: Program, inputs: Inputs, parameters: list[float], order: int = _ORDER) -> None:
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
