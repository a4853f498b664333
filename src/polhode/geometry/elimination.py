"""Linear equations in the graph: of mass matrices, of matrices near them, and of any others.

LDLᵀ for mass matrices (positive definite by physics, so that no pivot vanishes), from the tips of the tree, which keeps
branches apart; LU for matrices near by, such as mass matrices to first order in small variables, without a search for
pivots. Zeros are decided by fingerprint and cost nothing.

Of other matrices no more is known than that they are regular somewhere. Pivots are chosen where they are surest not to
vanish: large at a state of reference, if one is given, then numbers, then what has the fewest symbols. The last two
rows are solved by Cramer's rule, so that nothing is divided by that vanishes before their determinant does. A pivot
before them may still vanish at other states.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

from ..errors import ModelError, listed
from ..expr import Expr, Matrix, Vector, as_expr, free_symbols, independent_columns, is_zero
from ..expr.inverse import singular
from ..expr.normal_form import normal


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


def factor_from_the_tips(M: Matrix, order: Sequence[int], parent: Sequence[int], names: Sequence[str]) -> Factors:
    """M = LᵀDL from the tips to the base; branch-induced sparsity by `parent[i]`, the next speed inward (-1: none)."""
    A = [list(row) for row in M]
    rows: list[dict[int, Any]] = [{} for _ in order]
    reciprocals: list[Any] = [None] * len(order)
    for k in reversed(order):
        reciprocals[k] = 1 / pivot_of(A[k][k], k, rows, names)
        above = _chain(parent, k)
        rows[k] = {i: A[k][i] * reciprocals[k] for i in above if not is_zero(A[k][i])}
        for i, factor in rows[k].items():
            for j in [i, *_chain(parent, i)]:
                if not is_zero(A[k][j]):
                    A[i][j] = A[i][j] - factor * A[k][j]
    return Factors(tuple(order), tuple(rows), tuple(reciprocals))


def factor_by_sparsity(M: Matrix, order: Sequence[int], names: Sequence[str]) -> Factors:
    """M = LᵀDL, eliminating next the speed coupled to the fewest others; among equals from the tips."""
    A = [list(row) for row in M]
    position = {speed: number for number, speed in enumerate(order)}
    coupled = {k: {i for i in order if i != k and not is_zero(A[k][i])} for k in order}
    rows: list[dict[int, Any]] = [{} for _ in order]
    reciprocals: list[Any] = [None] * len(order)
    taken: list[int] = []
    while coupled:
        k = min(coupled, key=lambda speed: (len(coupled[speed]), -position[speed]))
        others = sorted(coupled.pop(k), key=lambda speed: -position[speed])
        taken.append(k)
        reciprocals[k] = 1 / pivot_of(A[k][k], k, rows, names)
        rows[k] = {i: A[k][i] * reciprocals[k] for i in others}
        for number, i in enumerate(others):
            for j in others[number:]:
                A[i][j] = A[j][i] = A[i][j] - rows[k][i] * A[k][j]
        for i in others:
            coupled[i] = {j for j in (coupled[i] | {*others}) - {i, k} if not is_zero(A[i][j])}
    return Factors(tuple(taken[::-1]), tuple(rows), tuple(reciprocals))


def pivot_of(entry: Any, k: int, rows: Sequence[Mapping[int, Any]], names: Sequence[str]) -> Any:
    """The pivot of a speed k of a mass matrix, which is not zero everywhere; `rows` are those of L so far."""
    if not is_zero(entry):
        return entry
    together = _moving_nothing(k, rows)
    if len(together) == 1:
        raise ModelError(
            f"the speed '{names[k]}' moves no mass: the mass matrix is singular everywhere.",
            cure="Is the axis of its joint right? A body without inertia is a point, and turning about an axis through "
            "it moves nothing. Give mass or inertia to a body beyond that joint, or weld it.",
            code="E-MODEL-SINGULAR",
        )
    names_listed = listed([f"'{names[i]}'" for i in together])
    raise ModelError(
        f"the speeds {names_listed} move the same mass, which can rest while they change: "
        "the mass matrix is singular everywhere.",
        cure="Give mass or inertia to a body between their joints, or weld one of them.",
        code="E-MODEL-SINGULAR",
    )


def _moving_nothing(k: int, rows: Sequence[Mapping[int, Any]]) -> list[int]:
    """Speeds x, k and earlier ones, with M x = 0."""
    x: dict[int, Any] = {k: 1}
    left = {i for i, row in enumerate(rows) if row and i != k}
    while ready := [i for i in left if not any(j in left for j in rows[i])]:
        for i in ready:
            x[i] = -sum(factor * x.get(j, 0) for j, factor in rows[i].items())
            left.remove(i)
    return sorted(i for i, share in x.items() if not is_zero(share))


def _chain(parent: Sequence[int], k: int) -> list[int]:
    """The speeds from k to the base."""
    chain, at = [], parent[k]
    while at >= 0:
        chain.append(at)
        at = parent[at]
    return chain


#: A pivot may be this much smaller at the reference than the largest, if it is surer otherwise.
_SMALLER = 0.1


def solve_columns(
    A: Sequence[Sequence[Any]], B: Sequence[Sequence[Any]], at_reference: Sequence[Sequence[float]] | None = None
) -> Matrix:
    """X with A X = B, by elimination with the surest pivots; `at_reference` has the numbers of A at some state."""
    return eliminate(A, B, at_reference)[0]


def eliminate(
    A: Sequence[Sequence[Any]], B: Sequence[Sequence[Any]], at_reference: Sequence[Sequence[float]] | None = None
) -> tuple[Matrix, list[Expr]]:
    """X with A X = B, and all that was divided by: pivots, and the determinant of the last two rows."""
    size = len(A)
    width = len(B[0]) if B else 0
    rows = [[as_expr(entry) for entry in (*left, *right)] for left, right in zip(A, B, strict=True)]
    risk = [[_risk(entry) for entry in row[:size]] for row in rows]
    numbers = [[1.0] * size for _ in rows] if at_reference is None else [list(row) for row in at_reference]
    open_rows, open_columns = list(range(size)), list(range(size))
    order: list[tuple[int, int]] = []
    while open_rows:
        row, column = _pivot(rows, risk, numbers, open_rows, open_columns)
        if risk[row][column] and len(open_rows) == 2:
            break
        order.append((row, column))
        open_rows.remove(row)
        open_columns.remove(column)
        _clear(rows, risk, None if at_reference is None else numbers, (row, column), open_rows, open_columns, size)
    X: list[list[Any]] = [[as_expr(0)] * width for _ in range(size)]
    divisors = [as_expr(rows[row][column]) for row, column in order]
    if open_rows:
        left = [[rows[r][c] for c in open_columns] for r in open_rows]
        divisors.append(as_expr(left[0][0] * left[1][1] - left[0][1] * left[1][0]))
        solution = _by_determinant(left, [rows[r][size:] for r in open_rows])
        for column, values in zip(open_columns, solution, strict=True):
            X[column] = values
    for at, (row, column) in reversed(list(enumerate(order))):
        lead = 1 / rows[row][column]
        later = [c for c in (*(c for _, c in order[at + 1 :]), *open_columns) if not is_zero(rows[row][c])]
        for k in range(width):
            total = rows[row][size + k]
            for c in later:
                total = total - rows[row][c] * X[c][k]
            X[column][k] = total * lead
    return Matrix(X), divisors


def kernel(A: Sequence[Sequence[Any]], without_division: bool = False) -> Matrix:
    """A basis of Ker A at almost every point, a column each: the first columns of A are free, the last ones follow.

    `without_division`, columns that would have denominators are multiplied by all that was divided by.

    >>> kernel([[1, 0, 2], [0, 1, 0]])
    Matrix([[1], [0], [-1/2]])
    """
    width = len(A[0])
    rows = [A[k] for k in independent_columns(Matrix(A).T)]
    last = independent_columns([row[::-1] for row in rows]) if rows else []
    follow = sorted(width - 1 - k for k in last)
    free = [k for k in range(width) if k not in follow]
    solved, divisors = eliminate([[row[k] for k in follow] for row in rows], [[-row[k] for k in free] for row in rows])
    columns = dict(zip(follow, solved, strict=True))
    basis = Matrix([list(columns[k]) if k in columns else [int(k == j) for j in free] for k in range(width)])
    if not without_division:
        return basis.map(as_expr)
    divided = [any(not as_expr(entry).is_number for entry in column) for column in basis.columns]
    factors = [as_expr(prod(divisors)) if is_divided else as_expr(1) for is_divided in divided]
    return Matrix([[normal(entry * factor) for entry, factor in zip(row, factors, strict=True)] for row in basis])


def _clear(
    rows: list[list[Any]],
    risk: list[list[int]],
    numbers: list[list[float]] | None,
    pivot: tuple[int, int],
    among: Sequence[int],
    columns: Sequence[int],
    size: int,
) -> None:
    """Subtract multiples of the pivot's row from others, so that their column vanishes; right sides follow `size`."""
    row, column = pivot
    lead = 1 / rows[row][column]
    for r in among:
        if is_zero(rows[r][column]):
            continue
        factor = rows[r][column] * lead
        if numbers is not None and numbers[row][column]:
            scale = numbers[r][column] / numbers[row][column]
            numbers[r] = [a - scale * b for a, b in zip(numbers[r], numbers[row], strict=True)]
        for c in (*columns, *range(size, len(rows[row]))):
            if not is_zero(rows[row][c]):
                rows[r][c] = rows[r][c] - factor * rows[row][c]
                if c < size:
                    risk[r][c] = max(risk[r][c], risk[r][column], risk[row][c]) + 1


def regular_rows(A: Sequence[Sequence[Any]], at_reference: Sequence[Sequence[float]]) -> tuple[list[int], int]:
    """A square set of rows with pivots that depend least on moving symbols, and that measure (0: none vanishes)."""
    size = len(A[0])
    rows = [[as_expr(entry) for entry in row] for row in A]
    risk = [[_risk(entry) for entry in row] for row in rows]
    numbers = [list(row) for row in at_reference]
    open_rows, open_columns = list(range(len(rows))), list(range(size))
    chosen, total = [], 0
    while open_columns:
        row, column = _pivot(rows, risk, numbers, open_rows, open_columns)
        chosen.append(row)
        total += risk[row][column]
        open_rows.remove(row)
        open_columns.remove(column)
        _clear(rows, risk, numbers, (row, column), open_rows, open_columns, size)
    return sorted(chosen), total


def _by_determinant(A: list[list[Any]], B: list[list[Any]]) -> list[list[Any]]:
    """X with A X = B for two rows, by Cramer's rule."""
    (a, b), (c, d) = A
    scale = a * d - b * c
    if is_zero(scale):
        raise singular()
    lead = 1 / scale
    return [
        [(d * x - b * y) * lead for x, y in zip(*B, strict=True)],
        [(a * y - c * x) * lead for x, y in zip(*B, strict=True)],
    ]


def _risk(entry: Expr) -> int:
    """Number of moving symbols in an entry, the risk of a pivot: a number never vanishes."""
    return sum(x.data[0] != "parameter" for x in free_symbols([entry]))


def _pivot(
    rows: Sequence[Sequence[Any]],
    risk: Sequence[Sequence[int]],
    numbers: Sequence[Sequence[float]],
    among: Sequence[int],
    columns: Sequence[int],
) -> tuple[int, int]:
    """The entry that is surest not to vanish, and breaks the fewest zeros.

    Where all may vanish, it is one that is alone in its row or column, if there is one: where that vanishes, A is
    singular.
    """
    entries = [(r, c) for r in among for c in columns if not is_zero(rows[r][c])]
    if not entries:
        raise singular()
    rows_of, columns_of = Counter(r for r, _ in entries), Counter(c for _, c in entries)
    alone = [(r, c) for r, c in entries if rows_of[r] == 1 or columns_of[c] == 1]
    least = _SMALLER * max(abs(numbers[r][c]) for r, c in entries)
    entries = [(r, c) for r, c in entries if abs(numbers[r][c]) >= least]
    width = {r: sum(at[0] == r for at in entries) for r in among}
    height = {c: sum(at[1] == c for at in entries) for c in columns}
    best = min(entries, key=lambda at: (risk[at[0]][at[1]], (width[at[0]] - 1) * (height[at[1]] - 1), at))
    return alone[0] if risk[best[0]][best[1]] and alone else best  # a factor of the determinant


@dataclass(frozen=True)
class SymmetricFactors:
    """LDLᵀ of a symmetric matrix in its own order: the columns of L below the diagonal, and D."""

    columns: tuple[dict[int, Any], ...]
    pivots: tuple[Any, ...]
    reciprocals: tuple[Any, ...]

    def solve(self, f: Sequence[Any]) -> list[Any]:
        """x with S x = f."""
        x = [as_expr(entry) for entry in f]
        for k, column in enumerate(self.columns):
            for i, factor in column.items():
                x[i] = x[i] - factor * x[k]
        for k in reversed(range(len(x))):
            x[k] = x[k] * self.reciprocals[k]
            for i, factor in self.columns[k].items():
                x[k] = x[k] - factor * x[i]
        return x


def factor_symmetric(S: Sequence[Sequence[Any]]) -> SymmetricFactors:
    """LDLᵀ of a symmetric positive matrix, in its order."""
    size = len(S)
    A = [[as_expr(entry) for entry in row] for row in S]
    columns: list[dict[int, Any]] = []
    reciprocals: list[Any] = []
    for k in range(size):
        if is_zero(A[k][k]):
            raise singular()
        reciprocals.append(1 / A[k][k])
        columns.append({i: A[i][k] * reciprocals[k] for i in range(k + 1, size) if not is_zero(A[i][k])})
        for i, factor in columns[k].items():
            for j in range(k + 1, i + 1):
                if not is_zero(A[j][k]):
                    A[i][j] = A[j][i] = A[i][j] - factor * A[j][k]
    return SymmetricFactors(tuple(columns), tuple(A[k][k] for k in range(size)), tuple(reciprocals))


def solve_symmetric(S: Sequence[Sequence[Any]], f: Sequence[Any]) -> list[Any]:
    """x with S x = f for a symmetric positive matrix, by LDLᵀ in its order."""
    return factor_symmetric(S).solve(f)


@dataclass(frozen=True)
class TriangularFactors:
    """A = L U in an order of elimination: columns of L below the diagonal, rows of U beyond it, and 1/D."""

    order: tuple[int, ...]  # the first is eliminated first
    lower: tuple[dict[int, Any], ...]  # of each, what is subtracted from later ones
    upper: tuple[dict[int, Any], ...]
    reciprocals: tuple[Any, ...]

    def solve(self, right: Sequence[Any]) -> list[Any]:
        """x with A x = right."""
        x = [as_expr(entry) for entry in right]
        for k in self.order:
            for i, factor in self.lower[k].items():
                x[i] = x[i] - factor * x[k]
        for k in reversed(self.order):
            for j, entry in self.upper[k].items():
                x[k] = x[k] - entry * x[j]
            x[k] = x[k] * self.reciprocals[k]
        return x

    def solve_transposed(self, right: Sequence[Any]) -> list[Any]:
        """x with Aᵀ x = right."""
        x = [as_expr(entry) for entry in right]
        for k in self.order:
            x[k] = x[k] * self.reciprocals[k]
            for j, entry in self.upper[k].items():
                x[j] = x[j] - entry * x[k]
        for k in reversed(self.order):
            for i, factor in self.lower[k].items():
                x[k] = x[k] - factor * x[i]
        return x


def triangular_factors(A: Matrix, order: Sequence[int], names: Sequence[str]) -> TriangularFactors:
    """A = L U by least fill, among equals in `order`; raise, naming the speed, if a pivot vanishes identically."""
    rows = [[as_expr(entry) for entry in row] for row in A]
    lower: list[dict[int, Any]] = [{} for _ in order]
    upper: list[dict[int, Any]] = [{} for _ in order]
    shares: list[dict[int, Any]] = [{} for _ in order]
    reciprocals: list[Any] = [None] * len(order)
    left, taken = list(order), []
    while left:
        beyond = {k: [j for j in left if j != k and not is_zero(rows[k][j])] for k in left}
        below = {k: [i for i in left if i != k and not is_zero(rows[i][k])] for k in left}
        k = min(left, key=lambda speed: len(beyond[speed]) * len(below[speed]))
        left.remove(k)
        taken.append(k)
        reciprocals[k] = 1 / pivot_of(rows[k][k], k, shares, names)
        lower[k] = {i: rows[i][k] * reciprocals[k] for i in below[k]}
        upper[k] = {j: rows[k][j] for j in beyond[k]}
        shares[k] = {j: entry * reciprocals[k] for j, entry in upper[k].items()}
        for i, factor in lower[k].items():
            for j, entry in upper[k].items():
                rows[i][j] = rows[i][j] - factor * entry
    return TriangularFactors(tuple(taken), tuple(lower), tuple(upper), tuple(reciprocals))
