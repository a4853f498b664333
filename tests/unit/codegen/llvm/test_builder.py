"""The structured writer of IR: what it writes computes what it reads like."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest

from polhode.codegen.llvm.builder import (
    DECLARATIONS,
    DOUBLE,
    INTEGER,
    POINTER,
    WIDTH,
    Function,
    Layout,
    Record,
    declared,
)
from polhode.native.engine import Library, object_code


def loaded(f: Function, *kinds: type) -> tuple[Library, object]:
    """The function as Python calls it, and what must live as long."""
    library = Library(object_code("\n".join([*(DECLARATIONS if f.lanes == 1 else declared(f.lanes)), f.text])))
    returns = {"void": None, DOUBLE: ctypes.c_double, INTEGER: ctypes.c_int64}[f.returns]
    return library, ctypes.CFUNCTYPE(returns, *kinds)(library.address(f.name))


def test_loops_variables_and_arrays_add_up_a_series() -> None:
    f = Function("series", returns=DOUBLE, terms=INTEGER, x=POINTER)
    total = f.variable(0.0)
    with f.loop(f.arguments["terms"]) as i:
        total.value = f.fma(i.as_double() + 1.0, f.arguments["x"][i], total.value)
    f.give(total.value)
    library, call = loaded(f, ctypes.c_int64, ctypes.c_void_p)
    x = np.arange(5.0)
    assert call(5, x.ctypes.data) == np.dot(np.arange(1.0, 6.0), x)  # type: ignore[operator]
    assert call(0, x.ctypes.data) == 0.0  # type: ignore[operator]
    del library


def test_repeat_ends_where_it_is_left_and_branches_are_taken_where_they_hold() -> None:
    f = Function("collatz", returns=INTEGER, start=INTEGER)
    n, steps = f.variable(f.arguments["start"]), f.variable(0)
    with f.repeat():
        f.leave_if(n.value <= 1)
        half = n.value / 2
        odd = (n.value - half * 2) > 0
        n.value = f.select(odd, 3 * n.value + 1, half)
        steps.value = steps.value + 1
        with f.when(steps.value > 1000):
            f.give(-1)
    f.give(steps.value)
    library, call = loaded(f, ctypes.c_int64)
    assert [call(k) for k in (1, 2, 6, 27)] == [0, 1, 8, 111]  # type: ignore[operator]
    del library


def test_blocks_have_the_operators_of_numbers() -> None:
    f = Function("norm", returns=DOUBLE, a=POINTER, b=POINTER)
    a, b = f.arguments["a"].block(0), f.arguments["b"].block(0)
    f.arguments["b"].store_block(0, f.largest(f.absolute(a), 2.0) - b / 2.0)
    f.give(f.sqrt(f.fma(a, a, b * b).sum()))
    library, call = loaded(f, ctypes.c_void_p, ctypes.c_void_p)
    a_now, b_now = np.array([1.0, -2.0, 3.0, -4.0]), np.full(WIDTH, 2.0)
    expected = np.sqrt(np.sum(a_now**2 + b_now**2))
    assert call(a_now.ctypes.data, b_now.ctypes.data) == pytest.approx(expected, rel=1e-15)  # type: ignore[operator]
    assert b_now.tolist() == [1.0, 1.0, 2.0, 3.0]
    del library


def error_norm(lanes: int) -> Function:
    """Something like what a stepper does, for one run or for lanes of them: y = (|x| h + x)^0.3, and their norm."""
    f = Function("norm", lanes=lanes, x=POINTER, y=POINTER, h=POINTER, out=POINTER, blocks=INTEGER)
    given, total = f.arguments, f.variable(0.0, f.block)
    h = given["h"][0]
    with f.loop(given["blocks"]) as block:
        x = given["x"].block(block)
        moved = f.select(h > 0.5, f.fma(h, f.absolute(x), x), x / (1.0 + h))
        given["y"].store_block(block, moved)
        total.value = f.fma(moved, moved, total.value)
    norm = f.sqrt(total.value.sum() / (given["blocks"] * WIDTH).as_double())
    with f.when((norm > 1e300).any()):
        given["out"][0] = 0.0
        f.give()
    given["out"][0] = f.power(f.largest(norm, 1e-3), 0.3) * h
    return f


@pytest.mark.parametrize("lanes", [2, 4, 8])
def test_numbers_in_lanes_round_as_one_does(lanes: int) -> None:
    pointers = [ctypes.c_void_p] * 4
    one_library, one = loaded(error_norm(1), *pointers, ctypes.c_int64)
    library, many = loaded(error_norm(lanes), *pointers, ctypes.c_int64)
    choose = np.random.default_rng(lanes)
    x, h = choose.normal(size=(lanes, 12)), choose.uniform(size=lanes)
    y, out = np.empty_like(x), np.empty(lanes)
    for lane in range(lanes):
        addresses = [array[lane:].ctypes.data for array in (x, y, h, out)]
        one(*addresses, 3)  # type: ignore[operator]
    beside, y_beside, out_beside = x.T.copy(), np.empty((12, lanes)), np.empty(lanes)
    many(*[array.ctypes.data for array in (beside, y_beside, h, out_beside)], 3)  # type: ignore[operator]
    assert np.array_equal(y_beside.T, y)
    assert np.array_equal(out_beside, out)
    del one_library, library


def test_marks_and_counters_are_kept_for_each_lane() -> None:
    f = Function("count", returns=INTEGER, lanes=4, x=POINTER, marks=POINTER, counter=POINTER)
    x, marks = f.arguments["x"], f.arguments["marks"]
    x[0] = f.select(marks.are_set(), 2.0 * x[0], x[0])
    marks.store_marks(~(x[0] < 3.0))
    f.give(f.arguments["counter"].take_next())
    library, call = loaded(f, *[ctypes.c_void_p] * 3)
    numbers, marked, counter = np.array([1.0, 2.0, 3.0, 4.0]), np.array([0, 1, 0, 5]), np.array([7])
    pointers = [array.ctypes.data for array in (numbers, marked, counter)]
    assert [call(*pointers), int(counter[0])] == [7, 8]  # type: ignore[operator]
    assert numbers.tolist() == [1.0, 4.0, 3.0, 8.0]
    assert marked.tolist() == [0, 1, 1, 1]
    del library


def test_a_record_is_the_same_for_both_sides() -> None:
    layout = Layout(mass=DOUBLE, count=INTEGER, data=POINTER)
    f = Function("weigh", run=POINTER)
    record = Record(layout, f.arguments["run"])
    record.mass = record.mass * record.data[1]
    record.count = record.count + 1
    library, call = loaded(f, ctypes.c_void_p)
    data = np.array([3.0, 5.0])
    own = layout.structure()(mass=2.0, count=7, data=data.ctypes.data)
    call(ctypes.addressof(own))  # type: ignore[operator]
    assert (own.mass, own.count) == (10.0, 8)
    del library


def test_a_value_of_the_wrong_kind_is_refused_when_it_is_written() -> None:
    f = Function("wrong", x=DOUBLE, n=INTEGER)
    with pytest.raises(TypeError, match="i64 where double"):
        f.arguments["x"] + f.arguments["n"]
