"""A simple joint in the prime field: where its coordinates put it, and how fast they change at given speeds.

    X(q) = e^{ĥ_r q_r} ⋯ e^{ĥ_1 q_1}    or the stored orientation and position
    X⁻¹ Ẋ = Σ ĥ_k u_k                   which says what the speeds are

The second line, with Ẋ = Σ (∂X/∂q_j) q̇_j, is solved for the rates of the coordinates by elimination; its derivative
gives their second rates. Nothing here knows a formula for Γ.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ...errors import PolhodeError
from ...expr import Expr, as_expr, cos, sin, sqrt
from ...expr.field import P, inverse
from ...expr.length import exact_length
from ...model.stage import Stage
from .jet import Jet
from .matrices import IDENTITY, Rows, added, hat, jet_product, motion, product, solved, summed, transposed, twist

_AXES = {"1": (1, 0, 0), "2": (0, 1, 0), "3": (0, 0, 1)}


@dataclass(frozen=True, eq=False)
class Placed:
    """A stage at its coordinates: expressions in the symbols that are left, and their values."""

    name: str
    stage: Stage
    q: tuple[Expr, ...]
    values: tuple[int, ...]

    @cached_property
    def twists(self) -> list[Rows]:
        """ĥ for each column of the algebra that the map generates; those of its speeds come first."""
        return [twist([as_expr(entry).fp for entry in column]) for column in self.stage.algebra]

    @cached_property
    def _at_rest(self) -> Rows:
        """X over jets that vary with each coordinate by itself."""
        return self.position([Jet(value, 0, 0, {j: 1}) for j, value in enumerate(self.values)])

    @cached_property
    def X(self) -> Rows:
        return [[_number(entry) for entry in row] for row in self._at_rest]

    @cached_property
    def _slopes(self) -> Rows:
        """∂X/∂q_j: a row for each entry of X, a column for each coordinate."""
        indices = range(len(self.q))
        return [
            [entry.vary.get(j, 0) if isinstance(entry, Jet) else 0 for j in indices]
            for row in self._at_rest[:3]
            for entry in row
        ]

    @cached_property
    def rates(self) -> Rows:
        """q̇_j for a unit of each speed of the algebra: rows by coordinate, columns by speed."""
        return self._solved([product(self.X, own) for own in self.twists])

    def second_rates(self, xi: Rows, xi_dot: Rows, rates: Sequence[int]) -> list[int]:
        """q̈ for X⁻¹Ẋ = ξ with its rate: (∂X/∂q) q̈ = X (ξ² + ξ̇) - what Ẍ is at steady rates."""
        steady = self.position([Jet(value, rate) for value, rate in zip(self.values, rates, strict=True)])
        wanted = product(self.X, added(product(xi, xi), xi_dot))
        gap = [
            [want - (have.dd if isinstance(have, Jet) else 0) for want, have in zip(*rows, strict=True)]
            for rows in zip(wanted, steady, strict=True)
        ]
        return [row[0] for row in self._solved([gap])]

    def _solved(self, moves: Sequence[Rows]) -> Rows:
        if not self.q:
            return []
        found = solved(self._slopes, transposed([[entry for row in move[:3] for entry in row] for move in moves]))
        if found is None:
            raise PolhodeError(
                "the coordinates cannot follow the speeds that the joint map allows.",
                place=f"joint '{self.name}'",
                code="E-REFERENCE-001",
            )
        return found

    def position(self, q: Sequence[Jet]) -> Rows:
        """X at coordinates that move."""
        if self.stage.is_elastic:
            return IDENTITY
        if self.stage.is_vector_turn:
            axis = [as_expr(entry).fp for entry in self.stage.H.columns[0][:3]]
            return motion(_orientation("vector", self.q, [q[0] * entry for entry in axis]), [0, 0, 0])
        if not self.stage.stores_orientation:
            X: Rows = IDENTITY
            for column, e, value in zip(self.stage.algebra, self.q, q, strict=True):
                X = jet_product(_exponential(column, e, value), X)
            return X
        size = 4 if self.stage.storage == "quaternion" else 3
        turned = slice(3, None) if self.stage.is_free_translation_first else slice(size)
        moved = slice(3) if self.stage.is_free_translation_first else slice(size, None)
        R = _orientation(self.stage.storage, self.q[turned], q[turned])
        return motion(R, list(q[moved]) or [0, 0, 0])


def _number(entry: Jet | int) -> int:
    return entry.x if isinstance(entry, Jet) else entry % P


def _exponential(h: Sequence[Any], angle: Expr, value: Jet) -> Rows:
    """e^{ĥ q} = 1 + q ĥ + (1 - cos νq)/ν² ĥ² + (νq - sin νq)/ν³ ĥ³, with ν the length of the rotation part."""
    own = twist([as_expr(entry).fp for entry in h])
    square = as_expr(h[0] * h[0] + h[1] * h[1] + h[2] * h[2])
    if not square:
        return _series([(own, value)])
    length = exact_length(h[:3]) or sqrt(square)
    nu, part = length.fp, inverse(length.fp)
    c, s = _wave(length * angle, value * nu)
    twice = product(own, own)
    return _series([
        (own, value),
        (twice, (1 - c) * (part * part)),
        (product(twice, own), (value * nu - s) * (part * part * part)),
    ])  # fmt: skip


def _series(terms: Sequence[tuple[Rows, Jet]]) -> Rows:
    """1 + Σ matrix · number."""
    return [
        [summed([int(i == j), *(factor * own[i][j] for own, factor in terms if own[i][j])]) for j in range(4)]
        for i in range(4)
    ]


def _wave(angle: Expr, value: Jet) -> tuple[Jet, Jet]:
    """Cosine and sine of an angle that moves, with the values that the graph has for them."""
    c, s = cos(angle).fp, sin(angle).fp
    return value.chained(c, -s, -c), value.chained(s, c, -s)


def _orientation(storage: str, q: Sequence[Expr], values: Sequence[Jet]) -> Rows:
    if storage == "quaternion":
        return _turned(values[0], values[1:])
    if storage == "vector":  # the quaternion (1, c), which has not unit length
        square = summed([c * c for c in values]) + 1
        return [[entry / square for entry in row] for row in _turned(1, values)]
    X: Rows = IDENTITY
    for digit, angle, value in zip(storage, q, values, strict=True):
        X = jet_product(X, _exponential([*map(as_expr, _AXES[digit]), 0, 0, 0], angle, value))
    return [row[:3] for row in X[:3]]


def _turned(w: Any, v: Sequence[Jet]) -> Rows:
    """(w² - v²) 1 + 2 v vᵀ + 2 w v̂."""
    across = hat(v)
    plain = w * w + summed([-(x * x) for x in v])
    return [[(plain if i == j else 0) + v[i] * v[j] * 2 + across[i][j] * w * 2 for j in range(3)] for i in range(3)]
