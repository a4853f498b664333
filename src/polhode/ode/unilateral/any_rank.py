"""Linear equations A x = b whose matrix may be singular, or nearly so: x = A (A² + δ²)⁻¹ b = Re (A + iδ)⁻¹ b.

It is smooth in A, tends to A⁻¹ b where entries of A are much larger than δ, and is in the range of A: with a singular A
it tends to A# b, the group inverse, which of a symmetric A is the pseudoinverse. Where A is regular x = A⁻¹ b. What no
x gives of b is small: rounding leaves about as much of it in x, along directions that A maps to zero.
"""

from __future__ import annotations

from ...native.language import Array, Struct, absolute, largest, native, row, smallest
from ..linear import COMPLEX, REAL, Factors, factor, solve

#: δ as a part of the mean diagonal entry of A.
_SMALL = 1e-8
#: Where pivots differ by less than this factor A is regular.
_REGULAR = 1e6


class AnyRank(Struct):
    """A matrix of any rank; `factors` are those of A, or of A + iδ where A is not regular."""

    size: int
    blocks: int
    is_regular: int
    matrix: Array
    factors: Factors
    parts: Array  # of a complex vector


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
        given, line = row(A.matrix, A, a), row(A.factors.upper, A, 2 * a)
        other, below, beside = (
            row(A.factors.upper, A, 2 * a + 1),
            row(A.factors.lower, A, 2 * a),
            row(A.factors.lower, A, 2 * a + 1),
        )
        for b in range(4 * A.blocks):
            line[b] = given[b]
            other[b] = 0.0
            below[b] = 0.0
            beside[b] = 0.0
        other[a] = _SMALL * mean
    return factor(COMPLEX, A.factors)


@native
def solve_any_rank(A: AnyRank, b: Array) -> None:
    """b, padded with zeros, becomes the solution."""
    if A.is_regular > 0:
        solve(REAL, A.factors, b)
        return
    one, two = row(A.parts, A, 0), row(A.parts, A, 1)
    for i in range(4 * A.blocks):
        one[i] = b[i]
        two[i] = 0.0
    solve(COMPLEX, A.factors, A.parts)
    for j in range(A.size):
        b[j] = one[j]
