"""Inverse and determinant of small matrices, in the graph and exactly; zeros are recognised by fingerprint."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from ..errors import PolhodeError, ShapeError
from .decide import is_zero
from .graph import topological
from .matrix import Matrix
from .node import Expr, as_expr
from .normal_form import normal

#: The largest block whose determinant is expanded by minors: these are 2ⁿ.
_MINORS: Final = 8


def inverse(A: Matrix) -> Matrix:
    """The inverse of a small matrix, kept readable: block by block, and the transpose where a block is orthogonal."""
    size = _size(A)
    result: list[list[Any]] = [[0] * size for _ in range(size)]
    blocks = _triangular_blocks(A)
    for at, block in enumerate(blocks):
        block_inverse = _block_inverse(_part(A, block, block))
        _put(result, block, block, block_inverse)
        for earlier in blocks[:at]:  # the strip left of a block: -D⁻¹ C A⁻¹
            before = [k for b in blocks[:at] for k in b]
            strip = _part(A, block, before) @ _part(result, before, earlier)
            _put(result, block, earlier, -(block_inverse @ strip))
    return Matrix(result)


def _part(A: Sequence[Sequence[Any]], rows: Sequence[int], columns: Sequence[int]) -> Matrix:
    return Matrix([[A[i][j] for j in columns] for i in rows])


def _put(A: list[list[Any]], rows: Sequence[int], columns: Sequence[int], block: Matrix) -> None:
    for i, row in zip(rows, block, strict=True):
        for j, entry in zip(columns, row, strict=True):
            A[i][j] = entry


def _triangular_blocks(A: Matrix) -> list[list[int]]:
    """Groups of indices (strong components) in block lower triangular order."""
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
        if is_zero(A[0, 0]):
            raise singular()
        return Matrix([[1 / A[0, 0]]])
    if size > 3:
        return _eliminated_inverse(A)
    cofactors = Matrix([[_cofactor(A, i, j) for i in range(size)] for j in range(size)])
    determinant = _tidy(A[0].dot(cofactors[:, 0]))
    if is_zero(determinant):
        raise singular()
    return cofactors.map(lambda entry: _tidy(entry / determinant))


def _tidy(entry: Any) -> Expr:
    """The readable form of a short expression; a long one as it is."""
    root = as_expr(entry)
    return normal(root) if len(topological([root])) <= 60 else root


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
            raise singular()
        rows[k], rows[pivot] = rows[pivot], rows[k]
        lead = rows[k][k]
        rows[k] = [entry / lead for entry in rows[k]]
        for r in range(size):
            factor = rows[r][k]
            if r != k and not is_zero(factor):
                rows[r] = [entry - factor * top for entry, top in zip(rows[r], rows[k], strict=True)]
    return Matrix([row[size:] for row in rows])


def determinant(A: Matrix) -> Any:
    """Product over the diagonal blocks, by shared minors; by pivots in blocks of more than eight rows."""
    _size(A)
    total: Any = as_expr(1)
    for block in _triangular_blocks(A):
        part = _part(A, block, block)
        total = total * (_by_minors(part) if len(block) <= _MINORS else _by_pivots(part))
    return total


def _by_minors(A: Matrix) -> Any:
    """Laplace's expansion from the last row upwards, each minor once for a set of columns."""
    minors: dict[tuple[int, ...], Any] = {(): as_expr(1)}
    for row in reversed(A):
        larger: dict[tuple[int, ...], Any] = {}
        for columns, minor in minors.items():
            for column, entry in enumerate(row):
                if column not in columns and not is_zero(entry) and not is_zero(minor):
                    before = sum(other < column for other in columns)
                    term = entry * minor if before % 2 == 0 else -(entry * minor)
                    chosen = tuple(sorted((*columns, column)))
                    larger[chosen] = larger[chosen] + term if chosen in larger else term
        minors = larger
    return minors.get(tuple(range(len(A))), as_expr(0))


def _by_pivots(A: Matrix) -> Any:
    rows, total = [list(row) for row in A], as_expr(1)
    for k in range(len(rows)):
        pivot = next((r for r in range(k, len(rows)) if not is_zero(rows[r][k])), None)
        if pivot is None:
            return as_expr(0)
        if pivot != k:
            rows[k], rows[pivot], total = rows[pivot], rows[k], -total
        total = total * rows[k][k]
        for r in range(k + 1, len(rows)):
            if not is_zero(rows[r][k]):
                factor = rows[r][k] / rows[k][k]
                rows[r] = [entry - factor * top for entry, top in zip(rows[r], rows[k], strict=True)]
    return total


def _size(A: Matrix) -> int:
    rows, columns = A.shape
    if rows != columns:
        message = f"a matrix of {rows} rows and {columns} columns has no inverse and no determinant."
        raise ShapeError(message, cure="Give a square matrix.", code="E-EXPR-SHAPE")
    return rows


def singular() -> PolhodeError:
    return PolhodeError(
        "the matrix is singular everywhere.", cure="Leave out what depends on the rest.", code="E-EXPR-SINGULAR"
    )
