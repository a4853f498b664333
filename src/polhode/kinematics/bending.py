"""Links that bend and links that follow the bending: what `build_tree` makes of flexible bodies and of their stations.

A station's pose X(η) in its body depends on the elastic coordinates. Its link shares the speeds η̇ of the body's link,
and the columns of its map follow from X⁻¹ ∂X/∂η_i, in the station's components:

    w_i = vee(Rᵀ ∂R/∂η_i),    v_i = Rᵀ ∂p/∂η_i

They vary with η, so that the relative acceleration has the term Σ_ij (∂H_i/∂η_j) η̇_i η̇_j beside H η̈.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..expr import Expr, Matrix, Vector, as_expr, derivative, free_symbols
from ..geometry import Pose
from ..geometry.deformable import Deformable
from ..model.flexible.record import Flexibility

Column = tuple[Vector, Vector]
#: For each column of a map its derivatives by coordinates: the speed of each, and the derivative.
Slopes = tuple[tuple[tuple[int, Column], ...], ...]


def elastic_symbols(X: Pose, elastic: Mapping[Expr, int]) -> list[Expr]:
    """The elastic coordinates that a pose depends on, in the order of their speeds."""
    entries = [as_expr(entry) for entry in (*X.R.entries(), *X.p)]
    return sorted((symbol for symbol in free_symbols(entries) if symbol in elastic), key=elastic.__getitem__)


def following(X: Pose, symbols: Sequence[Expr], elastic: Mapping[Expr, int]) -> tuple[tuple[Column, ...], Slopes]:
    """The columns of a link at the pose X(η), and their derivatives."""
    columns = tuple(_column(X, symbol) for symbol in symbols)
    slopes = tuple(
        tuple((elastic[symbol], (_derivative(w, symbol), _derivative(v, symbol))) for symbol in symbols)
        for w, v in columns
    )
    return columns, slopes


def _derivative(vector: Sequence[Any], symbol: Expr) -> Vector:
    return Vector(derivative([as_expr(entry) for entry in vector], symbol))


def _column(X: Pose, symbol: Expr) -> Column:
    rate = Matrix([list(_derivative(row, symbol)) for row in X.R])
    turned = X.R.T @ rate
    w = Vector([turned[2, 1], turned[0, 2], turned[1, 0]])
    return Vector(map(as_expr, w)), Vector(map(as_expr, X.R.T @ _derivative(X.p, symbol)))


def deformable(mass: Any, made: Flexibility, eta: Sequence[Expr], speeds: Sequence[int]) -> Deformable:
    """The mass of a flexible body on the speeds of a tree."""
    s = list(made.amplitudes)
    slopes = [_nonzero(derivative(s, symbol)) for symbol in eta]
    curvatures = {
        (i, j): _nonzero(derivative([slopes[i].get(a, as_expr(0)) for a in range(len(s))], eta[j]))
        for i in range(len(eta))
        for j in range(i, len(eta))
    }
    second = {
        (a, b): tuple((i, j, G[i, j]) for i in range(3) for j in range(3) if G[i, j] != 0)
        for a, row in enumerate(made.second)
        for b, G in enumerate(row)
    }
    return Deformable(
        tuple(speeds),
        mass,
        made.first,
        {key: entries for key, entries in second.items() if entries},
        made.amplitudes,
        tuple(slopes),
        {key: bend for key, bend in curvatures.items() if bend},
    )


def _nonzero(entries: Sequence[Expr]) -> dict[int, Expr]:
    return {a: entry for a, entry in enumerate(entries) if entry != 0}
