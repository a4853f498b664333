"""Lemke's method with lexicographic ratios for w = M z + q, 0 ≤ w ⊥ z ≥ 0; and cone problems on lines by it.

The tableau has a row an equation: the columns of w, of z, of the artificial variable z₀, and q (R. W. Cottle, J.-S.
Pang, R. E. Stone, *The Linear Complementarity Problem*, algorithms 4.4.1 and 4.9.4). Friction has two directions ±d_j
a tangent: λ_T = Σ β_j d_j, β ≥ 0, and a speed σ with 0 ≤ β_j ⊥ d_j w_T + σ ≥ 0, 0 ≤ σ ⊥ r - Σ β_j ≥ 0 (D. E. Stewart
and J. C. Trinkle, *Int. J. Numer. Methods Eng.* 39 (1996)). On a line that is exact; of a circle it is a square inside.
"""

from __future__ import annotations

from ...native.language import Array, Integers, Struct, absolute, at, largest, native, row
from .cone_problem import ConeProblem

#: Ratios this near to each other, relative to the larger or to one, are equal.
_EQUAL = 1e-12
#: A smaller entry of an entering column, relative to the largest, is no pivot.
_PIVOT = 1e-11


class LinearComplementarity(Struct):
    """A tableau of `size` rows and 2 size + 2 columns, `width` apart, and the variables of its basis."""

    size: int
    width: int
    tableau: Array
    basis: Integers
    solution: Array
    pivots: int


@native
def lemke(problem: LinearComplementarity) -> int:
    """Solve M z + q from a tableau with -M in the columns of z and q in the last; 0, or 1 where a ray is met."""
    n, width, tableau, basis = problem.size, problem.width, problem.tableau, problem.basis
    last = 2 * n + 1
    problem.pivots = 0
    leaving, least = -1, 0.0
    for i in range(n):
        line = at(tableau, i * width)
        basis[i] = i
        problem.solution[i] = 0.0
        for j in range(n):
            line[j] = 0.0
        line[i] = 1.0
        line[2 * n] = -1.0
        if line[last] < least:
            leaving, least = i, line[last]
    if leaving < 0:
        return 0
    entering = 2 * n
    for _ in range(50 * n + 50):
        _pivot(problem, leaving, entering)
        gone = basis[leaving]
        basis[leaving] = entering
        if gone == 2 * n:
            for k in range(n):
                if basis[k] >= n and basis[k] < 2 * n:
                    problem.solution[basis[k] - n] = at(tableau, k * width)[last]
            return 0
        entering = gone + n if gone < n else gone - n
        leaving = _leaving(problem, entering)
        if leaving < 0:
            return 1
    return 1


@native
def _pivot(problem: LinearComplementarity, leaving: int, entering: int) -> None:
    """Exchange the variable of a row with an entering one."""
    problem.pivots += 1
    columns = 2 * problem.size + 2
    pivot = at(problem.tableau, leaving * problem.width)
    reciprocal = 1.0 / pivot[entering]
    for j in range(columns):
        pivot[j] = pivot[j] * reciprocal
    pivot[entering] = 1.0
    for i in range(problem.size):
        if i != leaving:
            line = at(problem.tableau, i * problem.width)
            factor = line[entering]
            if factor != 0.0:
                for k in range(columns):
                    line[k] = line[k] - factor * pivot[k]
                line[entering] = 0.0


@native
def _leaving(problem: LinearComplementarity, entering: int) -> int:
    """The row of the lexicographically least ratio, z₀'s if its first entry is the least; -1 for none."""
    n, width, last = problem.size, problem.width, 2 * problem.size + 1
    most = 0.0
    for k in range(n):
        most = largest(most, absolute(at(problem.tableau, k * width)[entering]))
    best = -1
    for i in range(n):
        line = at(problem.tableau, i * width)
        if line[entering] > _PIVOT * most:
            if best < 0:
                best = i
            else:
                known = at(problem.tableau, best * width)
                one, two = line[last] / line[entering], known[last] / known[entering]
                difference = one - two
                is_equal = absolute(difference) <= _EQUAL * largest(absolute(one), absolute(two))
                if is_equal and problem.basis[i] == 2 * n:
                    best = i
                elif is_equal and problem.basis[best] != 2 * n:
                    j = 0
                    while is_equal and j < n:
                        one, two = line[j] / line[entering], known[j] / known[entering]
                        difference = one - two
                        is_equal = absolute(difference) <= _EQUAL * largest(absolute(one), absolute(two))
                        j += 1
                    if not is_equal and difference < 0.0:
                        best = i
                elif not is_equal and difference < 0.0:
                    best = i
    return best


@native
def start_on_lines(problem: ConeProblem, linear: LinearComplementarity) -> int:
    """Forces of a cone problem, exact without circles; 0, or 1 where a ray is met."""
    _fill(problem, linear)
    if lemke(linear) > 0:
        return 1
    z, place = linear.solution, 0
    for k in range(problem.count):
        first = problem.first[k]
        if problem.normals[k] > 0:
            problem.force[first] = z[place]
            place += 1
            first += 1
        for b in range(problem.tangents[k]):
            problem.force[first + b] = z[place] - z[place + 1]
            place += 2
        if problem.tangents[k] > 0:
            place += 1
    return 0


@native
def _fill(problem: ConeProblem, linear: LinearComplementarity) -> None:
    """-M and q of a cone problem: row by row, the columns of each group."""
    n, width = linear.size, linear.width
    for i in range(n):
        line = at(linear.tableau, i * width)
        for j in range(2 * n + 2):
            line[j] = 0.0
    place = 0
    for k in range(problem.count):
        normal, tangents, first = problem.normals[k], problem.tangents[k], problem.first[k]
        if normal > 0:
            _fill_row(problem, at(linear.tableau, place * width), n, first, 1.0)
            place += 1
        if tangents > 0:
            bound = at(linear.tableau, (place + 2 * tangents) * width)
            for m in range(2 * tangents):
                line = at(linear.tableau, (place + m) * width)
                _fill_row(problem, line, n, first + normal + m // 2, 1.0 - 2.0 * float(m % 2))
                line[n + place + 2 * tangents] = -1.0  # σ
                bound[n + place + m] = 1.0
            if normal > 0:
                bound[n + place - 1] = -problem.friction[k]
            else:
                bound[2 * n + 1] = problem.friction[k]
            place += 2 * tangents + 1


@native
def _fill_row(problem: ConeProblem, line: Array, n: int, i: int, side: float) -> None:
    """A row ±w_i of -M and q, with the columns of every group's unknowns."""
    given = row(problem.matrix, problem, i)
    line[2 * n + 1] = side * problem.free[i]
    column = n
    for k in range(problem.count):
        first = problem.first[k]
        if problem.normals[k] > 0:
            line[column] = -side * given[first]
            column += 1
            first += 1
        for b in range(problem.tangents[k]):
            line[column] = -side * given[first + b]
            line[column + 1] = side * given[first + b]
            column += 2
        if problem.tangents[k] > 0:
            column += 1
