"""From points to piecewise polynomials: straight lines, natural cubic splines, monotone cubics (Fritsch, Carlson 1980).

In two variables the interpolant is the tensor product: first along the last axis, then each coefficient along the
first.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from math import nan
from types import MappingProxyType

from .pieces import Pieces, Row

Slopes = Callable[[Sequence[float], Sequence[float]], list[float]]


def interpolant(axes: Sequence[Sequence[float]], values: Sequence[float], kind: str, outside: str) -> Pieces:
    """The interpolant of values on a grid, the last axis running fastest."""
    size = 2 if kind == "linear" else 4
    if len(axes) == 1:
        rows = _along(axes[0], values, kind, outside)
        return Pieces((tuple(axes[0]),), (size,), tuple(c for row in rows for c in row))
    first, last = axes
    lines = [_along(last, values[k * len(last) : (k + 1) * len(last)], kind, outside) for k in range(len(first))]
    pieces = range(len(last) + 1)
    columns = {
        (l, j): _along(first, [line[l][j] for line in lines], kind, outside) for l in pieces for j in range(size)
    }
    found = [
        columns[l, j][k][i] for k in range(len(first) + 1) for l in pieces for i in range(size) for j in range(size)
    ]
    return Pieces((tuple(first), tuple(last)), (size, size), tuple(found))


def _along(x: Sequence[float], y: Sequence[float], kind: str, outside: str) -> list[Row]:
    """The rows of all pieces along one axis, those outside first and last."""
    widths = [b - a for a, b in pairwise(x)]
    steepness = [(b - a) / h for (a, b), h in zip(pairwise(y), widths, strict=True)]
    if kind == "linear":
        inside: list[Row] = [[a, d] for a, d in zip(y, steepness, strict=False)]
        slopes = [steepness[0], steepness[-1]]
    else:
        slopes = SLOPES[kind](widths, steepness)
        inside = [_hermite(y[k], slopes[k], slopes[k + 1], d, widths[k]) for k, d in enumerate(steepness)]
    return [_beyond(y[0], slopes[0], outside, kind), *inside, _beyond(y[-1], slopes[-1], outside, kind)]


def _hermite(value: float, left: float, right: float, steepness: float, width: float) -> Row:
    """The cubic with this value and slope on the left, this slope on the right, and this steepness between."""
    return [value, left, (3 * steepness - 2 * left - right) / width, (left + right - 2 * steepness) / width**2]


def _beyond(value: float, slope: float, outside: str, kind: str) -> Row:
    rest = 0 if kind == "linear" else 2
    if outside == "error":
        return [nan] * (2 + rest)
    return [value, slope if outside == "line" else 0.0, *[0.0] * rest]


def _natural(widths: Sequence[float], steepness: Sequence[float]) -> list[float]:
    """Slopes at the knots of the spline whose second derivative is continuous, and zero at both ends.

    Continuity gives, with d the steepness between knots and h their distance,
    h₊ m₋ + 2 (h₋ + h₊) m + h₋ m₊ = 3 (h₊ d₋ + h₋ d₊); the ends give 2 m₀ + m₁ = 3 d₀ and its mirror image.
    """
    last = len(widths)
    below, middle, above, right = [0.0], [2.0], [1.0], [3 * steepness[0]]
    for k in range(1, last):
        below.append(widths[k])
        middle.append(2 * (widths[k - 1] + widths[k]))
        above.append(widths[k - 1])
        right.append(3 * (widths[k] * steepness[k - 1] + widths[k - 1] * steepness[k]))
    below.append(1.0)
    middle.append(2.0)
    right.append(3 * steepness[-1])
    for k in range(1, last + 1):  # the system is dominated by its diagonal: no pivot can vanish
        share = below[k] / middle[k - 1]
        middle[k] -= share * above[k - 1]
        right[k] -= share * right[k - 1]
    slopes = [right[-1] / middle[-1]]
    for k in range(last - 1, -1, -1):
        slopes.append((right[k] - above[k] * slopes[-1]) / middle[k])
    return slopes[::-1]


def _monotone(widths: Sequence[float], steepness: Sequence[float]) -> list[float]:
    """Slopes that keep the interpolant between its points: a harmonic mean, and zero at a turning point."""
    if len(widths) == 1:
        return [steepness[0]] * 2
    inner = []
    for (h0, h1), (d0, d1) in zip(pairwise(widths), pairwise(steepness), strict=True):
        if not d0 * d1 > 0:
            inner.append(0.0)
        else:
            inner.append(3 * (h0 + h1) / ((2 * h1 + h0) / d0 + (h1 + 2 * h0) / d1))
    ends = (
        _end_slope(widths[0], widths[1], steepness[0], steepness[1]),
        _end_slope(widths[-1], widths[-2], steepness[-1], steepness[-2]),
    )
    return [ends[0], *inner, ends[1]]


def _end_slope(h0: float, h1: float, d0: float, d1: float) -> float:
    """The slope of the parabola through three points, limited so that nothing overshoots."""
    slope = ((2 * h0 + h1) * d0 - h0 * d1) / (h0 + h1)
    if slope * d0 <= 0:
        return 0.0
    return 3 * d0 if d0 * d1 <= 0 and abs(slope) > abs(3 * d0) else slope


#: How the cubic kinds choose their slopes.
SLOPES: Mapping[str, Slopes] = MappingProxyType({"cubic": _natural, "pchip": _monotone})
