"""Gaussian elimination in native code and in plain Python, beside NumPy's."""

import ctypes

import numpy as np
import pytest

from polhode.native.engine import Library, object_code
from polhode.native.language import Module
from polhode.ode.linear import COMPLEX, REAL, Factors, factor, solve
from polhode.ode.record import padded


def library(parts: int) -> Library:
    """The two functions of a field."""
    module = Module()
    module.add(factor, parts, name="factor")
    module.add(solve, parts, name="solve")
    return Library(object_code(module.text))


LIBRARIES = {parts: library(parts) for parts in (REAL, COMPLEX)}


def rows(values: np.ndarray, parts: int, width: int) -> np.ndarray:
    """Rows of numbers as native code has them: real parts, then imaginary parts, in whole blocks."""
    made = np.zeros((*values.shape[:-1], parts, width))
    for part, take in zip(range(parts), (np.real, np.imag), strict=False):
        made[..., part, : values.shape[-1]] = take(values)
    return made


def solved(parts: int, A: np.ndarray, b: np.ndarray, is_native: bool = True) -> np.ndarray | None:
    n, width = len(b), padded(len(b))
    arrays = {
        "upper": rows(A, parts, width).ravel(), "lower": np.zeros(n * parts * width),
        "reciprocals": np.zeros(parts * width), "exchanged": np.zeros(n, dtype=np.int64),
    }  # fmt: skip
    sizes, right = {"size": n, "blocks": width // 4}, rows(b, parts, width).ravel()
    if is_native:
        factors = Factors.structure()(**sizes, **{name: array.ctypes.data for name, array in arrays.items()})
        address, code = ctypes.addressof(factors), LIBRARIES[parts]
        if ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p)(code.address("factor"))(address):
            return None
        ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 2)(code.address("solve"))(address, right.ctypes.data)
    else:
        in_python = Factors(**sizes, **arrays)
        if factor(parts, in_python):
            return None
        solve(parts, in_python, right)
    return right[:n] if parts == REAL else right[:n] + 1j * right[width : width + n]


def matrix(parts: int, n: int, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    made = rng.normal(size=(n, n)) * 10.0 ** rng.uniform(-3, 3, size=(n, 1))
    return made if parts == REAL else made + 1j * rng.normal(size=(n, n))


@pytest.mark.parametrize("parts", [REAL, COMPLEX])
@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 8, 13, 37])
def test_a_system_is_solved_as_well_as_numpy_solves_it(parts: int, n: int) -> None:
    A = matrix(parts, n, n)
    b = matrix(parts, n, n + 100)[:, 0]
    expected = np.linalg.solve(A, b)
    for is_native in (True, False):
        x = solved(parts, A, b, is_native)
        assert x is not None and np.abs(x - expected).max() <= 1e-15 * n * np.linalg.cond(A) * np.abs(expected).max()


@pytest.mark.parametrize("parts", [REAL, COMPLEX])
def test_rows_are_exchanged_at_small_pivots_and_singular_or_nan_matrices_are_reported(parts: int) -> None:
    A = np.array([[0.0, 1.0, 0.0], [1e-20, 1.0, 1.0], [1.0, 0.0, 0.0]])
    x = solved(parts, A, np.array([2.0, 5.0, 3.0]))
    assert x is not None and np.abs(x - [3.0, 2.0, 3.0]).max() < 1e-15
    assert solved(parts, np.array([[1.0, 2.0], [2.0, 4.0]]), np.ones(2)) is None
    x = solved(parts, np.array([[1.0, np.nan], [np.nan, 4.0]]), np.ones(2))
    assert x is None or np.isnan(x).all()
