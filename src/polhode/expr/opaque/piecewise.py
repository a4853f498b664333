"""Piecewise polynomials of one or two variables, on a grid of knots: what every table comes to.

With knots t₀ < … < tₙ on an axis there are n + 2 pieces along it: one before t₀, one from each knot to the next, and
one after tₙ. A piece is a polynomial in the distance to its left knot (the first piece: to t₀),

    p(x, y) = Σ c[i, j] (x - tₖ)ⁱ (y - sₗ)ʲ .

A knot belongs to the piece on its right, the last knot to the last piece inside. The interpolant of points is made of
straight lines, a natural cubic spline or monotone cubics (Fritsch, Carlson 1980); in two variables it is the tensor
product: first along the last axis, then each coefficient along the first. Points of one variable may also be held: each
value lasts until the next abscissa, and the last one for as long as the one before it, which takes one knot more. Or
the coefficients are given, as many on each interval.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise, product
from math import comb, nan, perm, prod
from types import MappingProxyType
from typing import Any

Row = list[float]  # the coefficients of one piece, constant first
Slopes = Callable[[Sequence[float], Sequence[float]], list[float]]


@dataclass(frozen=True)
class Pieces:
    """Knots and coefficients; `sizes` counts the coefficients of a piece along each axis."""

    knots: tuple[tuple[float, ...], ...]
    sizes: tuple[int, ...]
    coefficients: tuple[float, ...]  # by piece along each axis, then by power along each axis

    @property
    def counts(self) -> tuple[int, ...]:
        """How many pieces there are along each axis."""
        return tuple(len(knots) + 1 for knots in self.knots)

    def at(self, *point: float, within: Sequence[float] | None = None) -> float:
        """The value at a point; nan where an argument is nan. The piece is the one that `within` lies in, if given."""
        index, steps = 0, []
        for knots, count, x, inside in zip(self.knots, self.counts, point, within or point, strict=True):
            last = len(knots) - 1
            piece = bisect_right(knots, inside, 0, last) + (inside > knots[last])
            steps.append(x - knots[max(piece - 1, 0)])
            index = index * count + piece
        start = index * prod(self.sizes)
        block = self.coefficients[start : start + prod(self.sizes)]
        for step, size in zip(reversed(steps), reversed(self.sizes), strict=True):
            block = tuple(_horner(block[k : k + size], step) for k in range(0, len(block), size))
        return block[0]

    def over(self, *arrays: Any, within: Sequence[Any] | None = None) -> Any:
        """The values at many points."""
        import numpy as np

        if any(map(np.iscomplexobj, arrays)):
            raise TypeError("a table has real arguments")
        axes = len(arrays)
        lead = np.broadcast_arrays(*(np.asarray(array, dtype=float) for array in (*arrays, *(within or ()))))
        index: Any = 0
        steps = []
        for knots, count, x, inside in zip(self.knots, self.counts, lead[:axes], lead[-axes:], strict=True):
            t = np.asarray(knots)
            piece = np.searchsorted(t[:-1], inside, side="right") + (inside > t[-1])
            steps.append(x - t[np.maximum(piece - 1, 0)])
            index = index * count + piece
        block = np.asarray(self.coefficients).reshape(-1, *self.sizes)[index]
        for step in reversed(steps):
            factor = np.reshape(step, np.shape(step) + (1,) * (block.ndim - 1 - np.ndim(step)))
            value = block[..., -1]
            for power in range(block.shape[-1] - 2, -1, -1):
                value = value * factor + block[..., power]
            block = value
        return block

    def derivative(self, orders: Sequence[int]) -> Pieces:
        """The derivative of these orders; pieces keep two coefficients along an axis, so that nan propagates."""
        sizes = tuple(max(size - order, 2) for order, size in zip(orders, self.sizes, strict=True))
        block = prod(self.sizes)
        coefficients: list[float] = []
        for start in range(0, len(self.coefficients), block):
            for powers in product(*map(range, sizes)):
                index, weight = 0, 1
                for power, order, size in zip(powers, orders, self.sizes, strict=True):
                    index = index * size + power + order
                    weight *= perm(power + order, order) if power + order < size else 0
                coefficients.append(weight * self.coefficients[start + index] if weight else 0.0)
        return Pieces(self.knots, sizes, tuple(coefficients))

    def breaks(self, axis: int = 0, to_nan: bool = False) -> list[tuple[float, ...]]:
        """Knots of an axis with a jump of the value, of the slope, …; without those next to nan unless `to_nan`."""
        import numpy as np

        knots, size = np.asarray(self.knots[axis]), self.sizes[axis]
        table = np.reshape(self.coefficients, (*self.counts, *self.sizes))
        table = np.moveaxis(table, (axis, len(self.sizes) + axis), (0, 1)).reshape(len(knots) + 1, size, -1)
        steps = np.diff(knots, prepend=knots[0])[:, None, None]
        by_order = []
        for order in range(size):
            powers = np.arange(order, size)
            weights = np.array([comb(power, order) for power in powers])[:, None]
            left = table[:-1, order:] * weights * steps ** (powers - order)[:, None]
            largest = np.maximum(np.nanmax(np.abs(table[:, order])), np.abs(left).sum(axis=1).max(axis=1))[:, None]
            apart = np.abs(left.sum(axis=1) - table[1:, order])
            bound = 1e-12 * 10.0**order * largest  # rounding of derivatives grows with their order
            is_apart = ~(apart <= bound) if to_nan else apart > bound
            by_order.append(tuple(knots[is_apart.any(axis=1)].tolist()))
        return by_order

    def integral(self) -> Pieces:
        """The antiderivative, of one variable, that is continuous and zero at the first knot."""
        (knots,), (size,) = self.knots, self.sizes
        rows, total = [], 0.0
        for piece in range(self.counts[0]):
            row = self.coefficients[piece * size : (piece + 1) * size]
            rows.append([total, *(c / (power + 1) for power, c in enumerate(row))])
            if 0 < piece < len(knots):
                total = _horner(tuple(rows[-1]), knots[piece] - knots[piece - 1])
        return Pieces(self.knots, (size + 1,), tuple(c for row in rows for c in row))


def _horner(row: Sequence[float], step: float) -> float:
    value = row[-1]
    for coefficient in reversed(row[:-1]):
        value = value * step + coefficient
    return value


def interpolant(axes: Sequence[Sequence[float]], values: Sequence[float], kind: str, outside: str) -> Pieces:
    """The interpolant of values on a grid, the last axis running fastest."""
    if kind == "held":
        return _steps(axes[0], values, outside)
    if kind == "polynomial":
        return _polynomials(axes[0], values, outside)
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
    coefficients = [
        columns[l, j][k][i] for k in range(len(first) + 1) for l in pieces for i in range(size) for j in range(size)
    ]
    return Pieces((tuple(first), tuple(last)), (size, size), tuple(coefficients))


def _steps(x: Sequence[float], y: Sequence[float], outside: str) -> Pieces:
    """Constant pieces with zero slope, so that nan propagates."""
    last = x[-1] + (x[-1] - x[-2] if len(x) > 1 else max(1.0, abs(x[-1])))
    rows = [[value, 0.0] for value in y]
    ends = [_beyond(value, 0.0, outside, "linear") for value in (y[0], y[-1])]
    return Pieces(((*x, last),), (2,), tuple(c for row in (ends[0], *rows, ends[1]) for c in row))


def _polynomials(x: Sequence[float], values: Sequence[float], outside: str) -> Pieces:
    """Polynomials by their coefficients, constant first, on each interval."""
    size = len(values) // (len(x) - 1)
    last = values[-size:]
    slope = _horner([k * c for k, c in enumerate(last)][1:], x[-1] - x[-2])
    ends = [(values[0], values[1]), (_horner(last, x[-1] - x[-2]), slope)]
    first, after = (
        [*_beyond(*end, outside, "linear"), *[nan if outside == "error" else 0.0] * (size - 2)] for end in ends
    )
    return Pieces((tuple(x),), (size,), (*first, *values, *after))


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
    """The slope of the parabola through three points, limited against overshoot."""
    slope = ((2 * h0 + h1) * d0 - h0 * d1) / (h0 + h1)
    if slope * d0 <= 0:
        return 0.0
    return 3 * d0 if d0 * d1 <= 0 and abs(slope) > abs(3 * d0) else slope


#: How the cubic kinds choose their slopes.
SLOPES: Mapping[str, Slopes] = MappingProxyType({"cubic": _natural, "pchip": _monotone})
