"""Linear equations A x = b whose matrix may be singular, or nearly so: x = A (A² + δ²)⁻¹ b.

It is smooth in A, tends to A⁻¹ b where entries of A are much larger than δ, and is in the range of A: with a singular A
it tends to A# b, the group inverse, which of a symmetric A is the pseudoinverse. Where A is regular x = A⁻¹ b.
"""

from __future__ import annotations

from ...native.language import Array, Struct, absolute, fma, largest, native, row, smallest
from ..linear import REAL, Factors, factor, solve

#: δ as a part of the mean diagonal entry of A.
_SMALL = 1e-7
#: Where pivots differ by less than this factor A is regular.
_REGULAR = 1e6


class AnyRank(Struct):
    """A matrix of any rank; `factors` are those of A, or of A² + δ² where A is not regular."""

    size: int
    blocks: int
    is_regular: int
    matrix: Array
    factors: Factors
    product: Array


@native
def factor_any_rank(A: AnyRank) -> int:
    """Factor `matrix`; 1 where that fails, else 0."""
    n, most, least, mean = A.size, 0.0, 1e300, 0.0
    for i in range(n):
        line, given, below = row(A.factors.upper, A, i), row(A.matrix, A, i), row(A.factors.lower, A, i)
        for j in range(4 * A.blocks):
            line[j] = given[j]
            below[j] = 0.0
        mean += absolute(given[i])
    mean = mean / float(n)
    A.factors.size = n
    A.factors.blocks = A.blocks
    A.is_regular = 0
    if factor(REAL, A.factors) == 0:
        for k in range(n):
            most = largest(most, absolute(A.factors.reciprocals[k]))
            least = smallest(least, absolute(A.factors.reciprocals[k]))
        if most < _REGULAR * least:
            A.is_regular = 1
            return 0
    for a in range(n):
        line, given, below = row(A.factors.upper, A, a), row(A.matrix, A, a), row(A.factors.lower, A, a)
        for b in range(4 * A.blocks):
            line[b] = 0.0
            below[b] = 0.0
        line[a] = (_SMALL * mean) * (_SMALL * mean)
        for c in range(n):
            other = row(A.matrix, A, c)
            for d in range(4 * A.blocks):
                line[d] = fma(given[c], other[d], line[d])
    return factor(REAL, A.factors)


@native
def solve_any_rank(A: AnyRank, b: Array) -> None:
    """b, padded with zeros, becomes the solution."""
    solve(REAL, A.factors, b)
    if A.is_regular == 0:
        for i in range(A.size):
            A.product[i] = b[i]
        for j in range(A.size):
            line, sum_ = row(A.matrix, A, j), 0.0
            for k in range(A.size):
                sum_ = fma(line[k], A.product[k], sum_)
            b[j] = sum_
