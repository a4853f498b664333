"""Piecewise polynomials of ξ in [0, 1] with rational coefficients, and exact integrals of their products.

A polynomial is its coefficients of 1, ξ, ξ², …; a `Field` has one polynomial for each piece between breaks.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from math import lcm

Polynomial = tuple[Fraction, ...]
Field = tuple[Polynomial, ...]


def plus(a: Polynomial, b: Polynomial, factor: Fraction | int = 1) -> Polynomial:
    """a + factor b.

    >>> plus((Fraction(1),), (Fraction(0), Fraction(2)), 3)
    (Fraction(1, 1), Fraction(6, 1))
    """
    size, zero = max(len(a), len(b)), Fraction(0)
    return tuple((a[k] if k < len(a) else zero) + (factor * b[k] if k < len(b) else zero) for k in range(size))


def times(a: Polynomial, b: Polynomial) -> Polynomial:
    """The product."""
    result = [Fraction(0)] * max(len(a) + len(b) - 1, 0)
    for i, left in enumerate(a):
        for j, right in enumerate(b):
            result[i + j] += left * right
    return tuple(result)


def slope(a: Polynomial) -> Polynomial:
    """The derivative."""
    return tuple(k * c for k, c in enumerate(a))[1:]


def primitive(a: Polynomial) -> Polynomial:
    """The integral from 0."""
    return (Fraction(0), *(c / (k + 1) for k, c in enumerate(a))) if a else ()


def value(a: Polynomial, at: Fraction | int) -> Fraction:
    """The value at a point."""
    result = Fraction(0)
    for c in reversed(a):
        result = result * at + c
    return result


def composed(a: Polynomial, shift: Fraction, factor: Fraction) -> Polynomial:
    """a(factor (ξ - shift)) as a polynomial of ξ."""
    inner = (-factor * shift, factor)
    result: Polynomial = ()
    for c in reversed(a):
        result = plus(times(result, inner), (c,))
    return result


def field_value(field: Field, breaks: Sequence[Fraction], at: Fraction) -> Fraction:
    """The value of a piecewise polynomial at a point; where pieces meet, of the piece before."""
    piece = next(k for k, end in enumerate(breaks[1:]) if at <= end)
    return value(field[piece], at)


def gram(fields: Sequence[Field], breaks: Sequence[Fraction]) -> list[list[Fraction]]:
    """∫ f_i f_j dξ for each two fields, in whole numbers over one denominator a piece.

    >>> gram([((Fraction(1),),), ((Fraction(0), Fraction(1)),)], [Fraction(0), Fraction(1)])
    [[Fraction(1, 1), Fraction(1, 2)], [Fraction(1, 2), Fraction(1, 3)]]
    """
    n = len(fields)
    result = [[Fraction(0)] * n for _ in range(n)]
    for piece, (start, end) in enumerate(pairwise(breaks)):
        rows = [_whole(field[piece]) for field in fields]
        length = 2 * max((len(row) for row, _ in rows), default=0)
        powers, scale = _whole([(end ** (k + 1) - start ** (k + 1)) / (k + 1) for k in range(length)])
        for j, (right, below) in enumerate(rows):
            moments = [sum(c * powers[i + k] for k, c in enumerate(right) if c) for i in range(length // 2)]
            for i, (left, under) in enumerate(rows[: j + 1]):
                total = sum(c * moments[k] for k, c in enumerate(left) if c)
                if total:
                    result[i][j] += Fraction(total, under * below * scale)
    for j in range(n):
        for i in range(j):
            result[j][i] = result[i][j]
    return result


def _whole(coefficients: Sequence[Fraction]) -> tuple[list[int], int]:
    """Numerators over a common denominator, and that denominator."""
    below = lcm(*(c.denominator for c in coefficients)) if coefficients else 1
    return [c.numerator * (below // c.denominator) for c in coefficients], below


def legendre(count: int) -> list[Polynomial]:
    """The first Legendre polynomials on [0, 1], each 1 at 1.

    >>> legendre(3)[2]
    (Fraction(1, 1), Fraction(-6, 1), Fraction(6, 1))
    """
    result: list[Polynomial] = [(Fraction(1),), (Fraction(-1), Fraction(2))]
    for k in range(1, count - 1):  # (k + 1) P_(k+1) = (2 k + 1) (2 ξ - 1) P_k - k P_(k-1)
        grown = tuple(Fraction(2 * k + 1, k + 1) * c for c in times(result[1], result[k]))
        result.append(plus(grown, result[k - 1], Fraction(-k, k + 1)))
    return result[:count]


def solved(matrix: Sequence[Sequence[Fraction]], right: Sequence[Fraction]) -> list[Fraction]:
    """The solution of a small regular system, exactly."""
    rows = [[*row, last] for row, last in zip(matrix, right, strict=True)]
    for k in range(len(rows)):
        pivot = next(i for i in range(k, len(rows)) if rows[i][k])
        rows[k], rows[pivot] = rows[pivot], rows[k]
        rows[k] = [entry / rows[k][k] for entry in rows[k]]
        for i in range(len(rows)):
            if i != k and rows[i][k]:
                rows[i] = [a - rows[i][k] * b for a, b in zip(rows[i], rows[k], strict=True)]
    return [row[-1] for row in rows]
