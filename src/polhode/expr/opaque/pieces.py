"""Piecewise polynomials of one or two variables, on a grid of knots: what every table comes to.

With knots t₀ < … < tₙ on an axis there are n + 2 pieces along it: one before t₀, one from each knot to the next, and
one after tₙ. A piece is a polynomial in the distance to its left knot (the first piece: to t₀),

    p(x, y) = Σ c[i, j] (x - tₖ)ⁱ (y - sₗ)ʲ .

A knot belongs to the piece on its right, the last knot to the last piece inside.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from math import perm, prod
from typing import Any

Row = list[float]  # the coefficients of one piece, constant first


@dataclass(frozen=True)
class Pieces:
    """Knots and coefficients; `sizes` says how many coefficients a piece has along each axis."""

    knots: tuple[tuple[float, ...], ...]
    sizes: tuple[int, ...]
    coefficients: tuple[float, ...]  # by piece along each axis, then by power along each axis

    @property
    def counts(self) -> tuple[int, ...]:
        """How many pieces there are along each axis."""
        return tuple(len(knots) + 1 for knots in self.knots)

    def at(self, *point: float) -> float:
        """The value at a point; nan where an argument is nan.

        >>> Pieces(((0.0, 1.0),), (2,), (0.0, 0.0, 0.0, 5.0, 5.0, 0.0)).at(0.5)
        2.5
        """
        place, steps = 0, []
        for knots, count, x in zip(self.knots, self.counts, point, strict=True):
            last = len(knots) - 1
            piece = bisect_right(knots, x, 0, last) + (x > knots[last])
            steps.append(x - knots[max(piece - 1, 0)])
            place = place * count + piece
        start = place * prod(self.sizes)
        block = self.coefficients[start : start + prod(self.sizes)]
        for step, size in zip(reversed(steps), reversed(self.sizes), strict=True):
            block = tuple(_horner(block[k : k + size], step) for k in range(0, len(block), size))
        return block[0]

    def over(self, *arrays: Any) -> Any:
        """The values at many points."""
        import numpy as np

        lead = np.broadcast_arrays(*(np.asarray(array, dtype=float) for array in arrays))
        place: Any = 0
        steps = []
        for knots, count, x in zip(self.knots, self.counts, lead, strict=True):
            t = np.asarray(knots)
            piece = np.searchsorted(t[:-1], x, side="right") + (x > t[-1])
            steps.append(x - t[np.maximum(piece - 1, 0)])
            place = place * count + piece
        block = np.asarray(self.coefficients).reshape(-1, *self.sizes)[place]
        for step in reversed(steps):
            factor = np.reshape(step, np.shape(step) + (1,) * (block.ndim - 1 - np.ndim(step)))
            value = block[..., -1]
            for power in range(block.shape[-1] - 2, -1, -1):
                value = value * factor + block[..., power]
            block = value
        return block

    def derivative(self, orders: Sequence[int]) -> Pieces:
        """The derivative of these orders by each variable.

        A piece keeps at least two coefficients along an axis, so that nan in one argument always comes out.
        """
        sizes = tuple(max(size - order, 2) for order, size in zip(orders, self.sizes, strict=True))
        block = prod(self.sizes)
        found: list[float] = []
        for start in range(0, len(self.coefficients), block):
            for powers in product(*map(range, sizes)):
                place, weight = 0, 1
                for power, order, size in zip(powers, orders, self.sizes, strict=True):
                    place = place * size + power + order
                    weight *= perm(power + order, order) if power + order < size else 0
                found.append(weight * self.coefficients[start + place] if weight else 0.0)
        return Pieces(self.knots, sizes, tuple(found))

    def jumps(self) -> tuple[float, ...]:
        """The knots at which the value jumps, of one variable; those to nan are none.

        >>> Pieces(((0.0, 1.0),), (2,), (0.0, 0.0, 0.0, 5.0, 7.0, 0.0)).jumps()
        (1.0,)
        """
        (knots,), (size,) = self.knots, self.sizes
        rows = [self.coefficients[k * size : (k + 1) * size] for k in range(self.counts[0])]
        least = 1e-12 * max((abs(c) for row in rows for c in row if c == c), default=0.0)
        starts = (knots[0], *knots)
        ends = [_horner(row, knot - start) for row, knot, start in zip(rows, knots, starts, strict=False)]
        return tuple(knot for knot, end, row in zip(knots, ends, rows[1:], strict=True) if abs(row[0] - end) > least)

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
