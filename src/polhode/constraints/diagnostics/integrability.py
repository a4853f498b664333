"""Which constraints on speeds are integrable, conditions on the position: Frobenius' theorem, by fingerprint.

    Δ¹ = {Γ E v}: where the constraints let the coordinates go
    Δᵏ⁺¹ = Δᵏ + [Δ¹, Δᵏ]: where manoeuvres lead besides, by brackets (`geometry.vector_fields`)

The dimensions of Δ¹, Δ², … are the growth vector. Where it ends short of all coordinates, the rest obeys
conditions on the position, written or hidden. If time appears, it is one more coordinate, that moves at rate one.

Ranks are those at almost every coordinates, by fingerprint; where roots and other functions appear that are opaque to
fingerprints, those at poses that keep the constraints, in numbers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from ...expr import Expr, Vector, as_expr, evaluate, free_symbols, topological
from ...expr.node import ADD, DIV, MUL, NEG, NUMBER, SUB, SYMBOL
from ...geometry.vector_fields import Field, independent, spread
from ...kinematics.tree import Tree
from .. import Constraints, dependent_speeds_of
from .numbers import LOST, Floats, numeric_combinations

Point = Mapping[Expr, float]
_CLEAR = {ADD, SUB, MUL, DIV, NEG, NUMBER, SYMBOL, "sin", "cos", "pi"}

#: Brackets of brackets are taken this often; a mechanism that needs more is told as far as it was followed.
DEPTH_LIMIT = 8


@dataclass(frozen=True, eq=False)
class Filtration:
    """The dimensions that are reached, and fields that span the last of them."""

    growth: tuple[int, ...]  # without time
    fields: tuple[Field, ...]
    timed: bool
    points: tuple[Point, ...]  # where ranks were taken in numbers; none, if by fingerprint


def filtration(constraints: Constraints, rows: Sequence[int], points: Sequence[Point] = ()) -> Filtration:
    """How far manoeuvres lead that keep these rows, which are independent; `points` are poses that keep them."""
    tree = constraints.tree
    usable = constraints.only(rows)
    dependent_speeds = dependent_speeds_of(usable)
    gamma = tree.kinematic_matrix()
    fields = [[as_expr(entry) for entry in column] for column in (gamma @ dependent_speeds.E).columns]
    variables = list(tree.q)
    written = [*usable.rates, *gamma.entries(), *tree.coordinate_rates()]
    timed = constraints.time in free_symbols(written)
    if timed:
        fields = [[*field, as_expr(0)] for field in fields]
        fields.append([*tree.coordinate_rates(dependent_speeds.e), as_expr(1)])
        variables.append(constraints.time)
    most = dimensions(tree) - sum(row.is_position for row in usable.rows) + timed
    points = () if _is_clear(written) else tuple(points)
    choose = partial(_independent, points=points) if points else independent
    reached = spread(fields, fields, variables, most, DEPTH_LIMIT, choose)
    return Filtration(tuple(size - timed for size in reached.growth), reached.basis, timed, tuple(points))


def _is_clear(entries: Sequence[Expr]) -> bool:
    """Whether fingerprints know all that there is to know of the functions in some expressions."""
    return all(node.op in _CLEAR or (node.op == "sqrt" and node.args[0].is_number) for node in topological(entries))


def _independent(known: Sequence[Field], found: Sequence[Field], points: Sequence[Point]) -> list[Field]:
    """Those of the found fields that the known ones, and the ones before them, do not span at most of the points."""
    everything = [*known, *found]
    return [everything[k] for k in _in_numbers(everything, points) if k >= len(known)] if found else []


def _in_numbers(fields: Sequence[Field], points: Sequence[Point]) -> list[int]:
    """The first independent fields where most are."""
    best: list[int] = []
    for point in points:
        table = _values(fields, point)
        if np.isfinite(table).all():
            spanned = numeric_combinations(table)
            kept = [k for k in range(len(fields)) if k not in spanned]
            best = max(best, kept, key=len)
    return best


def _values(fields: Sequence[Field], point: Point) -> Floats:
    return np.array(evaluate([entry for field in fields for entry in field], point)).reshape(len(fields), -1)


def dimensions(tree: Tree) -> int:
    """In how many ways the coordinates can move at all, a quaternion's four in three."""
    return sum(gamma.shape[1] for gamma, _ in tree.stage_kinematics)


def is_holonomic(tree: Tree) -> bool:
    """Whether every joint of a tree has as many coordinates as speeds."""
    return dimensions(tree) == len(tree.u)


def integrable_rows(constraints: Constraints, reached: Filtration, rows: Sequence[int]) -> list[int]:
    """The rows that every manoeuvre keeps: they hold on the position, whatever the motion was."""
    moves = [_speeds(constraints.tree, field) for field in reached.fields]
    rates = [field[-1] if reached.timed else as_expr(0) for field in reached.fields]
    kept = []
    for row in rows:
        slips = [
            as_expr(constraints.A[row].dot(move) + constraints.a[row] * rate)
            for move, rate in zip(moves, rates, strict=True)
        ]
        if not any(slips) or (reached.points and all(_vanish(slips, point) for point in reached.points)):
            kept.append(row)
    return kept


def _vanish(slips: Field, point: Point) -> bool:
    return float(np.abs(_values([slips], point)).max(initial=0.0)) < LOST


def _speeds(tree: Tree, field: Field) -> list[Any]:
    """The speeds that move the coordinates along a field, where all joints are holonomic: u = Γ⁺ q̇."""
    made: list[Any] = [as_expr(0)] * len(tree.u)
    for link, (_, back) in zip(tree.links, tree.stage_kinematics, strict=True):
        if link.coordinates:
            own = back @ Vector([field[k] for k in link.coordinates])
            for speed, entry in zip(link.speeds, own, strict=False):
                made[speed] = as_expr(entry)
    return made
