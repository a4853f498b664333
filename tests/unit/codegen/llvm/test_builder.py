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
)
from polhode.compiled.native.engine import Library, object_code


def loaded(f: Function, *kinds: type) -> tuple[Library, object]:
    """The function as Python calls it, and what must live as long."""
    library = Library(object_code("\n".join([*DECLARATIONS, f.text])))
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
