"""Sets of groups that act on each other, and the margin with which forces in their cones hold each set."""

from __future__ import annotations

from ...native.language import absolute, largest, native, row, smallest
from .cone_problem import SLIPPING, STICKING
from .feasibility import CLEAR, hold
from .record import LAWS, Unilateral

#: Groups act on each other by entries of G above this part of the largest.
_APART = 1e-12


@native
def find_margins(rows: Unilateral) -> int:
    """Sets of groups that stick or slip, by the number of each in rows.sets, and rows.set_margins; how many there are.

    G, b and friction of slipping groups are those of the last evaluation. A set whose forces are unique, or in which
    nothing sticks, is none: the number of its groups is -1. `margin` is the least.
    """
    sets = 0
    rows.margin = CLEAR
    for k in range(rows.count):
        takes_part = rows.modes[k] == STICKING or rows.modes[k] == SLIPPING
        rows.sets[k] = rows.count if takes_part else -1
    for first in range(rows.count):
        if rows.sets[first] == rows.count:
            has_stuck = _join(rows, first, sets)
            _fill(rows, sets)
            margin = hold(rows.holding)
            if rows.holding.rank < rows.holding.size and has_stuck > 0:
                for i in range(rows.holding.size):
                    rows.holding_forces[rows.members[i]] = rows.holding.near[i]
                rows.set_margins[sets] = margin
                rows.margin = smallest(rows.margin, margin)
                sets += 1
            else:
                for g in range(rows.count):
                    if rows.sets[g] == sets:
                        rows.sets[g] = -1
    return sets


@native
def _join(rows: Unilateral, first: int, number: int) -> int:
    """Number a group and all that act on each other with it; 1 if one of them sticks."""
    problem, has_grown, has_stuck = rows.problem, 1, 0
    rows.sets[first] = number
    while has_grown > 0:
        has_grown = 0
        for k in range(rows.count):
            if rows.sets[k] == number:
                if rows.modes[k] == STICKING:
                    has_stuck = 1
                most, ends = 0.0, problem.first[k] + problem.normals[k] + problem.tangents[k]
                for i in range(problem.first[k], ends):
                    for a in range(rows.closed_count):
                        most = largest(most, absolute(row(problem.matrix, problem, i)[rows.closed[a]]))
                for j in range(problem.first[k], ends):
                    for b in range(rows.closed_count):
                        group = rows.group_of[rows.closed[b]]
                        acts = absolute(row(problem.matrix, problem, j)[rows.closed[b]]) > _APART * most
                        if rows.sets[group] == rows.count and acts:
                            rows.sets[group] = number
                            has_grown = 1
    return has_stuck


@native
def _fill(rows: Unilateral, number: int) -> None:
    """The problem of a set: all rows of what sticks; the normal rows, with friction, of what slips."""
    problem, H, size, count = rows.problem, rows.holding, 0, 0
    for k in range(rows.count):
        if rows.sets[k] == number and rows.modes[k] == STICKING:
            H.normals[count] = size if problem.normals[k] > 0 else -1
            H.friction[count] = rows.laws[LAWS * k + 1]
            for b in range(2):
                H.tangents[2 * count + b] = size + problem.normals[k] + b if b < problem.tangents[k] else -1
            for i in range(problem.first[k], problem.first[k] + problem.normals[k] + problem.tangents[k]):
                rows.members[size] = i
                size += 1
            count += 1
        if rows.sets[k] == number and rows.modes[k] == SLIPPING and problem.normals[k] > 0:
            H.normals[count] = size
            H.tangents[2 * count] = -1
            H.tangents[2 * count + 1] = -1
            rows.members[size] = problem.first[k]
            size += 1
            count += 1
    H.size = size
    H.count = count
    for a in range(size):
        line, known = row(H.matrix, H, a), row(problem.matrix, problem, rows.members[a])
        H.near[a] = rows.holding_forces[rows.members[a]]
        H.free[a] = problem.free[rows.members[a]]
        for c in range(size):
            line[c] = known[rows.members[c]]
            group = rows.group_of[rows.members[c]]
            if rows.modes[group] == SLIPPING:
                for d in range(rows.members[c] + 1, rows.members[c] + 1 + problem.tangents[group]):
                    line[c] = line[c] + known[d] * problem.dual[d]
        for g in range(rows.count):
            if rows.modes[g] == SLIPPING and problem.normals[g] == 0:
                for e in range(problem.first[g], problem.first[g] + problem.tangents[g]):
                    H.free[a] = H.free[a] + known[e] * problem.dual[e]
