"""Functions of the language as C: what they compute is what they compute in Python."""

from __future__ import annotations

import ctypes
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.loop_in_c import STRICT

from polhode.native.language import Array, Integers, Struct, at, counted, inline, largest, native
from polhode.native.language.c_source import CModule


class Inner(Struct):
    scale: float
    places: Integers


class Outer(Struct):
    size: int
    unused: float
    values: Array
    inner: Inner


@inline
def _pair(a, b):
    """A list of two."""
    return [a + b, a - b]


@native
def _bounded(values: Array, size: int, i: int) -> float:
    """An entry, or zero beyond the end."""
    return values[i] if i < size else 0.0


@native
def _mixed(outer: Outer, most: int) -> float:
    """Names that change after others were given their values, exchanges, conditions, loops, lists."""
    one, two = 1.0, 2.0
    kept = one
    one, two = two, one + two
    known, sum_ = one, 0.0
    for i in range(outer.size):
        if outer.size > i and outer.values[outer.inner.places[i]] > 0.0:
            sum_ += outer.values[i]
        elif i % 3 == 1 or not outer.values[i] < -0.5:
            sum_ -= 0.5 * _bounded(outer.values, outer.size, i + 1)
            continue
        if sum_ > 2.5:
            break
        one += sum_
    k = 0
    while k < most and one > 1e-3:
        one = 0.5 * one
        k += 1
    first, second = _pair(one, two)
    rest = at(outer.values, 1)
    for m in counted(2):
        rest[m] = rest[m] + largest(first, second) * float(m)
    outer.inner.scale = known
    return kept + 10.0 * known + sum_ + first * second + float(k)


def test_c_computes_what_python_does(tmp_path: Path) -> None:
    module = CModule()
    module.add(_mixed, name="ph_mixed")
    text = module.text
    assert "unused" not in text
    head = "double mixed(Outer *outer, int64_t most)"
    outside = f"{head};\n{head} {{ return ph_mixed(outer, most); }}\n"
    (tmp_path / "mixed.c").write_text(f"#include <math.h>\n#include <stdint.h>\n{text}\n{outside}", encoding="utf-8")
    subprocess.run([*STRICT, "-shared", "-fPIC", "mixed.c", "-lm", "-o", "mixed.so"], cwd=tmp_path, check=True)
    function = ctypes.CDLL(str(tmp_path / "mixed.so")).mixed
    function.restype = ctypes.c_double

    class CInner(ctypes.Structure):
        _fields_ = (("scale", ctypes.c_double), ("places", ctypes.c_void_p))

    class COuter(ctypes.Structure):
        _fields_ = (("size", ctypes.c_int64), ("values", ctypes.c_void_p), ("inner", ctypes.c_void_p))

    rng = np.random.default_rng(3)
    for most in range(12):
        values, places = rng.standard_normal(7), rng.integers(0, 7, 7)
        mine: Any = Outer(size=7, values=values.copy(), inner=Inner(places=places))
        expected = _mixed(mine, most)
        inner = CInner(0.0, places.ctypes.data)
        outer = COuter(7, values.ctypes.data, ctypes.addressof(inner))
        assert function(ctypes.byref(outer), ctypes.c_int64(most)) == pytest.approx(expected, rel=1e-15)
        assert values == pytest.approx(mine.values, rel=1e-15)
        assert inner.scale == mine.inner.scale == 2.0
