"""Gaussian elimination in native code, beside NumPy's."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest

from polhode.codegen.llvm.builder import DECLARATIONS, INTEGER, POINTER, Function
from polhode.native.engine import Library, object_code
from polhode.ode_former.linear import COMPLEX, FACTORS, REAL, Field, factor_function, solve_function
from polhode.ode_former.run_record import padded


def library(field: Field) -> Library:
    """The two functions of a field, behind one that can be called."""
    f = Function("solve", returns=INTEGER, n=INTEGER, blocks=INTEGER, factors=POINTER, b=POINTER)
    n, blocks, factors, b = f.arguments.values()
    singular = f.call(f"ph_factor_{field.name}", INTEGER, n, blocks, factors)
    with f.when(singular > 0):
        f.give(singular)
    f.call(f"ph_solve_{field.name}", "void", n, blocks, factors, b)
    f.give(0)
    functions = (factor_function(field, fused=True), solve_function(field, fused=True), f)
    return Library(object_code("\n".join([*DECLARATIONS, *(each.text for each in functions)])))


LIBRARIES = {field.name: library(field) for field in (REAL, COMPLEX)}
SOLVE = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p)


def parts(values: np.ndarray, count: int, width: int) -> np.ndarray:
    """Rows of numbers as native code has them: real parts, then imaginary parts, in whole blocks."""
    made = np.zeros((*values.shape[:-1], count, width))
    for part, take in zip(range(count), (np.real, np.imag), strict=False):
        made[..., part, : values.shape[-1]] = take(values)
    return made


def solved(field: Field, A: np.ndarray, b: np.ndarray) -> np.ndarray | None:
    n, width = len(b), padded(len(b))
    arrays = {
        "upper": parts(A, field.parts, width), "lower": np.zeros((n, field.parts, width)),
        "reciprocals": np.zeros((field.parts, width)), "exchanged": np.zeros(n, dtype=np.int64),
    }  # fmt: skip
    factors = FACTORS.structure()(**{name: array.ctypes.data for name, array in arrays.items()})
    right = parts(b, field.parts, width)
    call = SOLVE(LIBRARIES[field.name].address("solve"))
    if call(n, width // 4, ctypes.addressof(factors), right.ctypes.data):
        return None
    return right[0, :n] if field is REAL else right[0, :n] + 1j * right[1, :n]


def matrix(field: Field, n: int, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    made = rng.normal(size=(n, n)) * 10.0 ** rng.uniform(-3, 3, size=(n, 1))
    return made if field is REAL else made + 1j * rng.normal(size=(n, n))


@pytest.mark.parametrize("field", [REAL, COMPLEX])
@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 8, 13, 37])
def test_a_system_is_solved_as_well_as_numpy_solves_it(field: Field, n: int) -> None:
    A = matrix(field, n, n)
    b = matrix(field, n, n + 100)[:, 0]
    x = solved(field, A, b)
    assert x is not None
    expected = np.linalg.solve(A, b)
    assert np.abs(x - expected).max() <= 1e-15 * n * np.linalg.cond(A) * np.abs(expected).max()


@pytest.mark.parametrize("field", [REAL, COMPLEX])
def test_rows_are_exchanged_where_a_pivot_is_small_or_vanishes(field: Field) -> None:
    A = np.array([[0.0, 1.0, 0.0], [1e-20, 1.0, 1.0], [1.0, 0.0, 0.0]])
    x = solved(field, A, np.array([2.0, 5.0, 3.0]))
    assert x is not None
    assert np.abs(x - [3.0, 2.0, 3.0]).max() < 1e-15


@pytest.mark.parametrize("field", [REAL, COMPLEX])
def test_a_singular_matrix_is_told(field: Field) -> None:
    assert solved(field, np.array([[1.0, 2.0], [2.0, 4.0]]), np.ones(2)) is None


@pytest.mark.parametrize("field", [REAL, COMPLEX])
def test_what_is_not_a_number_stays_none(field: Field) -> None:
    x = solved(field, np.array([[1.0, np.nan], [np.nan, 4.0]]), np.ones(2))
    assert x is None or np.isnan(x).all()
