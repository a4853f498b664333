"""Gaussian elimination with partial pivoting: P A = L U, for real matrices and for complex ones.

A matrix is n rows of whole blocks; a row of a complex one is its real parts and then its imaginary parts, as is b. The
columns of L are kept apart from U, each in a row of its own, and the pivots apart from both: what is left has zeros up
to its diagonal, so that all work on rows is on whole blocks. Multipliers that vanish, as most of those of q̇ = Γ u do,
cost nothing.
"""

from __future__ import annotations

from typing import Any

from ..native.language import WIDTH, Array, Integers, Struct, absolute, blocks, fma, inline, native, row, total, vector

#: The numbers that a matrix is of, by their parts: real, or complex.
REAL, COMPLEX = 1, 2
FIELDS = {"real": REAL, "complex": COMPLEX}


class Factors(Struct):
    """A factored matrix: U (before: A), the columns of L, reciprocals of the pivots, and the rows exchanged."""

    size: int
    blocks: int
    upper: Array
    lower: Array
    reciprocals: Array
    exchanged: Integers


@native
def factor(parts: Any, factors: Factors) -> int:
    """U over A, L, the pivots and the exchanges; 1 where A is singular or not finite, else 0."""
    n = factors.size
    reciprocals = _rows(parts, factors, factors.reciprocals, 0)
    for k in range(n):
        found, most = k, -1.0
        for i in range(k, n):
            size = _size(_entry(_rows(parts, factors, factors.upper, i), k))
            if size > most:
                found, most = i, size
        if not (most > 0.0 and most < 1e300):
            return 1
        factors.exchanged[k] = found
        pivot, column = _rows(parts, factors, factors.upper, k), _rows(parts, factors, factors.lower, k)
        if found > k:
            other = _rows(parts, factors, factors.upper, found)
            for block in blocks(factors, k // WIDTH):
                kept = [1.0 * part for part in _entry(pivot, block)]  # a copy, also of NumPy's arrays
                _store(pivot, block, _entry(other, block))
                _store(other, block, kept)
        reciprocal = _reciprocal(_entry(pivot, k))
        _store(reciprocals, k, reciprocal)
        _store(pivot, k, [0.0] * parts)
        for i in range(k + 1, n):
            below = _rows(parts, factors, factors.upper, i)
            multiplier = _product(_entry(below, k), reciprocal)
            _store(column, i, multiplier)
            _store(below, k, [0.0] * parts)
            if _size(multiplier) > 0.0:
                less = [-part for part in multiplier]
                for block in blocks(factors, k // WIDTH):
                    _store(below, block, _plus_product(less, _entry(pivot, block), _entry(below, block)))
    return 0


@native
def solve(parts: Any, factors: Factors, b: Array) -> None:
    """b becomes A⁻¹ b."""
    n, x = factors.size, _rows(parts, factors, b, 0)
    reciprocals = _rows(parts, factors, factors.reciprocals, 0)
    for k in range(n):
        other = factors.exchanged[k]
        one, two = _entry(x, k), _entry(x, other)
        _store(x, other, one)
        _store(x, k, two)
        if _size(two) > 0.0:
            column, less = _rows(parts, factors, factors.lower, k), [-part for part in two]
            for block in blocks(factors, k // WIDTH):
                _store(x, block, _plus_product(less, _entry(column, block), _entry(x, block)))
    for back in range(n):
        last = n - 1 - back
        above, real, imaginary = _rows(parts, factors, factors.upper, last), vector(0.0), vector(0.0)
        for block in blocks(factors, last // WIDTH):
            if parts == REAL:
                real = fma(above[0][block], x[0][block], real)
            else:
                real, imaginary = _plus_product(_entry(above, block), _entry(x, block), [real, imaginary])
        sums = [total(real)] if parts == REAL else [total(real), total(imaginary)]
        rest = [value - known for value, known in zip(_entry(x, last), sums, strict=True)]
        _store(x, last, _product(rest, _entry(reciprocals, last)))


# ---- numbers by their parts ------------------------------------------------------------------------------------------


@inline
def _rows(parts, factors, matrix, number):
    """The parts of a row of a matrix."""
    return [row(matrix, factors, number * parts + part) for part in range(parts)]


@inline
def _entry(rows, index):
    """An entry of a row, or a block of it."""
    return [part[index] for part in rows]


@inline
def _store(rows, index, number):
    """Write an entry of a row, or a block of it."""
    for part, value in zip(rows, number, strict=True):
        part[index] = value


@inline
def _size(a):
    """The size of a number, as a pivot."""
    return absolute(a[0]) if len(a) == REAL else absolute(a[0]) + absolute(a[1])


@inline
def _product(a, b):
    """a b."""
    return [a[0] * b[0]] if len(a) == REAL else [fma(-a[1], b[1], a[0] * b[0]), fma(a[0], b[1], a[1] * b[0])]


@inline
def _plus_product(a, b, c):
    """a b + c."""
    if len(a) == REAL:
        made = [fma(a[0], b[0], c[0])]
    else:
        made = [fma(-a[1], b[1], fma(a[0], b[0], c[0])), fma(a[0], b[1], fma(a[1], b[0], c[1]))]
    return made


@inline
def _reciprocal(a):
    """1 / a."""
    if len(a) == REAL:
        made = [1.0 / a[0]]
    else:
        square = fma(a[0], a[0], a[1] * a[1])
        made = [a[0] / square, -a[1] / square]
    return made
