"""Lemke's method with lexicographic ratios for w = M z + q, 0 ≤ w ⊥ z ≥ 0; and cone problems in polygons by it.

The tableau has a row an equation: the columns of w, of z, of the artificial variable z₀, and q (R. W. Cottle, J.-S.
Pang, R. E. Stone, *The Linear Complementarity Problem*, algorithms 4.4.1 and 4.9.4). Friction in a polygon of p
directions d_j has λ_T = Σ β_j d_j, β ≥ 0, and a speed σ with 0 ≤ β_j ⊥ d_j·w_T + σ ≥ 0, 0 ≤ σ ⊥ r - Σ β_j ≥ 0 (D. E.
Stewart and J. C. Trinkle, *Int. J. Numer. Methods Eng.* 39 (1996)): with two directions on a line it is Coulomb's law,
with eight in a plane a start for circles.
"""

from __future__ import annotations

import math

from ...native.language import Array, Integers, Struct, absolute, at, largest, native, row
from .cone_problem import ConeProblem

#: Ratios this near to each other, relative to the larger or to one, are equal.
_EQUAL = 1e-12
#: A smaller entry of an entering column, relative to the largest, is no pivot.
_PIVOT = 1e-11
#: Directions of a polygon: on a line, and in a plane.
LINE, PLANE = 2, 8
#: Their cosines; sines are the cosines a quarter turn before.
_HALF = math.sqrt(0.5)


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
def _cosine(directions: int, j: int) -> float:
    """The first part of a direction of a polygon."""
    if directions == LINE:
        return 1.0 if j == 0 else -1.0
    k = j % PLANE
    if k % 4 == 2:
        return 0.0
    size = 1.0 if k % 4 == 0 else _HALF
    return -size if k > 2 and k < 6 else size


@native
def polygon(tangents: int) -> int:
    """Unknowns of a group's friction: directions and a speed."""
    if tangents == 0:
        return 0
    return LINE + 1 if tangents == 1 else PLANE + 1


@native
def start_in_polygons(problem: ConeProblem, linear: LinearComplementarity) -> int:
    """Forces of a cone problem with polygons in place of circles, exact on a line; 0, or 1 where a ray is met."""
    _fill(problem, linear)
    if lemke(linear) > 0:
        return 1
    at_ = 0
    for k in range(problem.count):
        first = problem.first[k]
        if problem.normals[k] > 0:
            problem.force[first] = linear.solution[at_]
            at_ += 1
            first += 1
        if problem.tangents[k] > 0:
            directions = LINE if problem.tangents[k] == 1 else PLANE
            one, two = 0.0, 0.0
            for j in range(directions):
                one += _cosine(directions, j) * linear.solution[at_ + j]
                two += _cosine(directions, j + 6) * linear.solution[at_ + j]
            problem.force[first] = one
            if problem.tangents[k] == 2:
                problem.force[first + 1] = two
            at_ += directions + 1
    return 0


@native
def _fill(problem: ConeProblem, linear: LinearComplementarity) -> None:
    """-M and q of a cone problem in polygons: row by row, the columns of each group."""
    n, width = linear.size, linear.width
    for i in range(n):
        line = at(linear.tableau, i * width)
        for j in range(2 * n + 2):
            line[j] = 0.0
    row_at = 0
    for k in range(problem.count):
        normal, tangents = problem.normals[k], problem.tangents[k]
        directions = 0 if tangents == 0 else (LINE if tangents == 1 else PLANE)
        for r in range(normal + directions):
            line, first = at(linear.tableau, row_at * width), problem.first[k]
            if normal > 0 and r == 0:
                _fill_row(problem, line, n, first, -1, 1.0, 0.0)
            else:
                c = _cosine(directions, r - normal)
                s = 0.0
                second = -1
                if tangents == 2:
                    s = _cosine(directions, r - normal + 6)
                    second = first + normal + 1
                _fill_row(problem, line, n, first + normal, second, c, s)
                line[n + row_at - r + normal + directions] = -1.0  # σ
            row_at += 1
        if tangents > 0:
            line = at(linear.tableau, row_at * width)
            for r in range(directions):
                line[n + row_at - directions + r] = 1.0
            if normal > 0:
                line[n + row_at - directions - 1] = -problem.friction[k]
            else:
                line[2 * n + 1] = problem.friction[k]
            row_at += 1


@native
def _fill_row(problem: ConeProblem, line: Array, n: int, i: int, j: int, c: float, s: float) -> None:
    """A row c w_i + s w_j of -M and q, with the columns of every group's unknowns."""
    one = row(problem.matrix, problem, i)
    q = c * problem.free[i]
    other = i
    if j >= 0:
        other = j
        q += s * problem.free[j]
    two = row(problem.matrix, problem, other)
    line[2 * n + 1] = q
    column = n
    for k in range(problem.count):
        first = problem.first[k]
        if problem.normals[k] > 0:
            line[column] = -(c * one[first] + s * two[first])
            column += 1
            first += 1
        if problem.tangents[k] > 0:
            directions = LINE if problem.tangents[k] == 1 else PLANE
            for d in range(directions):
                a = _cosine(directions, d)
                value = a * (c * one[first] + s * two[first])
                if problem.tangents[k] == 2:
                    value += _cosine(directions, d + 6) * (c * one[first + 1] + s * two[first + 1])
                line[column] = -value
                column += 1
            column += 1
