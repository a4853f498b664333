"""Elimination in the graph, where a pivot that is not identically zero is known not to vanish.

LDLᵀ for mass matrices (positive definite by physics), from the tips of the tree so that branches stay apart; a
general inverse for the small matrices of joint kinematics.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..errors import ModelError, PolhodeError
from ..expr import Expr, Matrix, Vector, as_expr, is_zero, topological


def inverse(A: Matrix) -> Matrix:
    """The inverse of a small matrix, kept readable: block by block, and the transpose where a block is orthogonal.

    >>> from polhode.expr import symbol, sin, cos
    >>> q = symbol("q")
    >>> inverse(Matrix([[cos(q), -sin(q)], [sin(q), cos(q)]]))
    Matrix([[cos(q), sin(q)], [-sin(q), cos(q)]])
    """
    size = len(A)
    result: list[list[Any]] = [[0] * size for _ in range(size)]
    blocks = _triangular_blocks(A)
    for at, block in enumerate(blocks):
        own = _block_inverse(_part(A, block, block))
        _put(result, block, block, own)
        for earlier in blocks[:at]:  # the strip left of a block: -D⁻¹ C A⁻¹
            before = [k for b in blocks[:at] for k in b]
            strip = _part(A, block, before) @ _part(result, before, earlier)
            _put(result, block, earlier, -(own @ strip))
    return Matrix(result)


def _part(A: Sequence[Sequence[Any]], rows: Sequence[int], columns: Sequence[int]) -> Matrix:
    return Matrix([[A[i][j] for j in columns] for i in rows])


def _put(A: list[list[Any]], rows: Sequence[int], columns: Sequence[int], block: Matrix) -> None:
    for i, row in zip(rows, block, strict=True):
        for j, entry in zip(columns, row, strict=True):
            A[i][j] = entry


def _triangular_blocks(A: Matrix) -> list[list[int]]:
    """Groups of indices in an order that makes the matrix block lower triangular (its strong components)."""
    size = len(A)
    reach = [[i == j or not is_zero(A[i, j]) for j in range(size)] for i in range(size)]
    for k in range(size):
        for i in range(size):
            if reach[i][k]:
                reach[i] = [a or b for a, b in zip(reach[i], reach[k], strict=True)]
    groups: list[list[int]] = []
    for i in range(size):
        group = [j for j in range(size) if reach[i][j] and reach[j][i]]
        if group not in groups:
            groups.append(group)
    return sorted(groups, key=lambda group: sum(reach[group[0]]))


def _block_inverse(A: Matrix) -> Matrix:
    size = len(A)
    gap = A @ A.T - Matrix.identity(size)
    if all(is_zero(entry) for entry in gap.entries()):
        return A.T
    if size == 1:
        return Matrix([[1 / A[0, 0]]])
    if size > 3:
        return _eliminated_inverse(A)
    cofactors = Matrix([[_cofactor(A, i, j) for i in range(size)] for j in range(size)])
    determinant = _tidy(A[0].dot(cofactors[:, 0]))
    if is_zero(determinant):
        raise PolhodeError("the matrix is singular everywhere.", code="E-LINEAR-001")
    return cofactors.map(lambda entry: _tidy(entry / determinant))


def _tidy(entry: Any) -> Expr:
    """The readable form of a short expression; a long one as it is."""
    from ..expr.normal import normal

    made = as_expr(entry)
    return normal(made) if len(topological([made])) <= 60 else made


def _cofactor(A: Matrix, i: int, j: int) -> Any:
    rows = [r for r in range(len(A)) if r != i]
    columns = [c for c in range(len(A)) if c != j]
    minor = _part(A, rows, columns)
    value = minor[0, 0] if len(minor) == 1 else minor[0, 0] * minor[1, 1] - minor[0, 1] * minor[1, 0]
    return value if (i + j) % 2 == 0 else -value


def _eliminated_inverse(A: Matrix) -> Matrix:
    size = len(A)
    rows = [list(row) + [int(i == j) for j in range(size)] for i, row in enumerate(A)]
    for k in range(size):
        pivot = next((r for r in range(k, size) if not is_zero(rows[r][k])), None)
        if pivot is None:
            raise PolhodeError("the matrix is singular everywhere.", code="E-LINEAR-001")
        rows[k], rows[pivot] = rows[pivot], rows[k]
        lead = rows[k][k]
        rows[k] = [entry / lead for entry in rows[k]]
        for r in range(size):
            factor = rows[r][k]
            if r != k and not is_zero(factor):
                rows[r] = [entry - factor * top for entry, top in zip(rows[r], rows[k], strict=True)]
    return Matrix([row[size:] for row in rows])


@dataclass(frozen=True)
class Factors:
    """M = LᵀDL of a mass matrix: for each speed its row of L (ancestors only) and 1/D; speeds from the base outward."""

    order: tuple[int, ...]
    rows: tuple[dict[int, Any], ...]
    reciprocals: tuple[Any, ...]

    def solve(self, f: Sequence[Any]) -> Vector:
        """x with M x = f: inward by L⁻ᵀ, scaled by 1/D, outward by L⁻¹."""
        x = list(f)
        for k in reversed(self.order):
            for i, factor in self.rows[k].items():
                x[i] = x[i] - factor * x[k]
            x[k] = x[k] * self.reciprocals[k]
        for k in self.order:
            for i, factor in self.rows[k].items():
                x[k] = x[k] - factor * x[i]
        return Vector(x)

    def inverse(self) -> Matrix:
        """M⁻¹, each entry on one side of the diagonal."""
        size = len(self.order)
        columns = [self.solve([int(i == j) for i in range(size)]) for j in range(size)]
        return Matrix([[columns[max(i, j)][min(i, j)] for j in range(size)] for i in range(size)])


def factor_from_the_tips(M: Matrix, order: Sequence[int], tie: Sequence[int], names: Sequence[str]) -> Factors:
    """M = LᵀDL of a mass matrix, eliminating speeds from the tips to the base.

    `order` lists the speeds from the base outward. `tie[i]` is the next speed on the way from i to the base (-1 for
    none): only those are coupled to i, so a branched mechanism costs no fill-in (branch-induced sparsity).
    """
    A = [list(row) for row in M]
    rows: list[dict[int, Any]] = [{} for _ in order]
    reciprocals: list[Any] = [None] * len(order)
    for k in reversed(order):
        reciprocals[k] = 1 / _pivot(A[k][k], names[k])
        above = _chain(tie, k)
        rows[k] = {i: A[k][i] * reciprocals[k] for i in above if not is_zero(A[k][i])}
        for i, factor in rows[k].items():
            for j in [i, *_chain(tie, i)]:
                if not is_zero(A[k][j]):
                    A[i][j] = A[i][j] - factor * A[k][j]
    return Factors(tuple(order), tuple(rows), tuple(reciprocals))


def factor_by_sparsity(M: Matrix, order: Sequence[int], names: Sequence[str]) -> Factors:
    """M = LᵀDL of any mass matrix, next the speed that is coupled to the fewest others; among equals from the tips.

    In a tree on the ground this is the order of the tips. Where a base flies free, its translation may come first: it
    is coupled to few others, and its pivot is a mass.
    """
    A = [list(row) for row in M]
    place = {speed: number for number, speed in enumerate(order)}
    coupled = {k: {i for i in order if i != k and not is_zero(A[k][i])} for k in order}
    rows: list[dict[int, Any]] = [{} for _ in order]
    reciprocals: list[Any] = [None] * len(order)
    taken: list[int] = []
    while coupled:
        k = min(coupled, key=lambda speed: (len(coupled[speed]), -place[speed]))
        others = sorted(coupled.pop(k), key=lambda speed: -place[speed])
        taken.append(k)
        reciprocals[k] = 1 / _pivot(A[k][k], names[k])
        rows[k] = {i: A[k][i] * reciprocals[k] for i in others}
        for number, i in enumerate(others):
            for j in others[number:]:
                A[i][j] = A[j][i] = A[i][j] - rows[k][i] * A[k][j]
        for i in others:
            coupled[i] = {j for j in (coupled[i] | {*others}) - {i, k} if not is_zero(A[i][j])}
    return Factors(tuple(taken[::-1]), tuple(rows), tuple(reciprocals))


def _pivot(entry: Any, name: str) -> Any:
    if is_zero(entry):
        raise ModelError(
            f"the speed '{name}' moves no mass: the mass matrix is singular everywhere.",
            cure="Give mass or inertia to a body beyond that joint, or weld it.",
            code="E-MODEL-030",
        )
    return entry


def _chain(tie: Sequence[int], k: int) -> list[int]:
    """The speeds on the way from k to the base."""
    found, at = [], tie[k]
    while at >= 0:
        found.append(at)
        at = tie[at]
    return found
