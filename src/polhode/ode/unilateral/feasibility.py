"""Whether forces in their cones can hold what sticks, and with which margin.

Where forces are not unique, λ = λ₀ + N y for any y. The margin is the largest s such that for some y

    μ λ_N - s ≥ |λ_T|  of groups that stick,    bound - s ≥ |λ_T|  of those without a normal,    λ_N - s ≥ 0  of others

It is negative if and only if no admissible forces hold them; of one that is positive a lower bound serves. The maximum
is found by Newton's method with a logarithmic barrier (S. Boyd and L. Vandenberghe, *Convex Optimization*, chapter 11).
"""

from __future__ import annotations

from ...native.language import Array, Integers, Struct, absolute, counted, fma, largest, native, row, smallest, sqrt
from ..linear import REAL, Factors, factor, solve

#: Pivots below this part of the largest are none; accelerations that are left, relative to the largest, as well.
_RANK, _LEFT = 1e-9, 1e-8
#: The gap, relative to the loads, at which the maximum is known; by how much the barrier falls at once; Newton's steps,
#: and their decrease, relative to the barrier, at which it falls.
_GAP, _FASTER, _STEPS, _CENTRED = 1e-13, 200.0, 60, 1e-2
#: A margin is known up to this size: a guard that is far from zero is constant.
CLEAR = 1e-4
#: A search ends at forces with this margin, which hold a while longer.
_AMPLE = 3e-4
#: The part of a step that stays inside of the cones, and the least part that is taken.
_INSIDE, _LEAST = 0.95, 1e-12
#: The margin of equations without a solution; so often the barrier falls at most.
_NONE, _FALLS = -1.0, 20


class Holding(Struct):
    """Forces λ in cones with matrix λ + free = 0; `near` is where the search begins, and then where it ended."""

    size: int
    blocks: int  # of a row of one number more than the size
    count: int  # cones
    normals: Integers  # the unknown of each cone, -1 for none
    tangents: Integers  # two of each
    friction: Array  # μ, or the bound of a cone without a normal
    matrix: Array
    free: Array
    near: Array
    # work
    rank: int
    rows: Integers
    columns: Integers
    start: Array  # λ₀
    null: Array  # N, a row for each unknown
    slopes: Array  # three rows a cone: of a and b, by y and s
    offset: Array
    z: Array  # (a, b) of each cone, inside of a ≥ |b|
    there: Array
    moved: Array
    y: Array
    gradient: Array
    step: Array
    factors: Factors


@native
def hold(H: Holding) -> float:
    """The margin, relative to the loads and at most `CLEAR`; `_NONE` where no forces solve the equations."""
    n, scale, load = H.size, 0.0, 1e-300
    for i in range(n):
        scale = largest(scale, absolute(H.free[i]))
    _eliminate(H)
    for k in range(H.rank, n):
        if absolute(H.step[k]) > _LEFT * largest(scale, 1e-300):
            return _NONE
    _find_forces(H)
    for j in range(n):
        load = largest(load, absolute(H.start[j]))
    for c in range(H.count):
        if H.normals[c] < 0:
            load = largest(load, H.friction[c])
    _begin(H, load)
    margin = _search(H, n - H.rank)
    for m in range(n):
        H.near[m] = H.start[m]
        line = row(H.null, H, m)
        for d in range(n - H.rank):
            H.near[m] = H.near[m] + load * line[d] * H.y[d]
    return margin


@native
def _eliminate(H: Holding) -> None:
    """L and U over the matrix, with complete pivoting, and the right-hand side -free, reduced alike, in `step`."""
    n, most = H.size, 0.0
    H.rank = n
    for i in range(n):
        H.rows[i] = i
        H.columns[i] = i
        H.step[i] = -H.free[i]
    for k in range(n):
        best, at_row, at_column = -1.0, k, k
        for a in range(k, n):
            line = row(H.matrix, H, a)
            for b in range(k, n):
                if absolute(line[b]) > best:
                    best, at_row, at_column = absolute(line[b]), a, b
        if k == 0:
            most = best
        if not best > _RANK * most:
            H.rank = k
            return
        pivot, other = row(H.matrix, H, k), row(H.matrix, H, at_row)
        for c in range(n):
            kept = 1.0 * pivot[c]
            pivot[c] = other[c]
            other[c] = kept
        right = 1.0 * H.step[k]
        H.step[k] = H.step[at_row]
        H.step[at_row] = right
        for d in range(n):
            exchanged = row(H.matrix, H, d)
            moved = 1.0 * exchanged[k]
            exchanged[k] = exchanged[at_column]
            exchanged[at_column] = moved
        first = H.columns[k]
        H.columns[k] = H.columns[at_column]
        H.columns[at_column] = first
        for e in range(k + 1, n):
            below = row(H.matrix, H, e)
            multiplier = below[k] / pivot[k]
            for f in range(k, n):
                below[f] = fma(-multiplier, pivot[f], below[f])
            H.step[e] = fma(-multiplier, H.step[k], H.step[e])


@native
def _find_forces(H: Holding) -> None:
    """λ₀, the least forces, and N, with the unknowns that have no pivot as y."""
    n, r = H.size, H.rank
    for k in range(n):
        line = row(H.null, H, H.columns[k])
        H.start[H.columns[k]] = 0.0
        for d in range(n - r):
            line[d] = 1.0 if d == k - r else 0.0
    for back in range(r):
        i = r - 1 - back
        above, own, value = row(H.matrix, H, i), row(H.null, H, H.columns[i]), H.step[i]
        for j in range(i + 1, r):
            value = fma(-above[j], H.start[H.columns[j]], value)
        H.start[H.columns[i]] = value / above[i]
        for e in range(n - r):
            entry = -above[r + e]
            for m in range(i + 1, r):
                entry = fma(-above[m], row(H.null, H, H.columns[m])[e], entry)
            own[e] = entry / above[i]
    _clear(H, n - r)
    for a in range(n - r):
        line, sum_ = row(H.factors.upper, H.factors, a), 0.0
        for f in range(n):
            known = row(H.null, H, f)
            sum_ = fma(known[a], H.start[f], sum_)
            for b in range(n - r):
                line[b] = fma(known[a], known[b], line[b])
        H.step[a] = sum_
    if factor(REAL, H.factors) == 0:
        solve(REAL, H.factors, H.step)
        for g in range(n):
            for c in range(n - r):
                H.start[g] = fma(-row(H.null, H, g)[c], H.step[c], H.start[g])


@native
def _clear(H: Holding, size: int) -> None:
    """Zeros in factors and steps of this size."""
    H.factors.size = size
    H.factors.blocks = (size + 3) // 4
    for i in range(size):
        line, below = row(H.factors.upper, H.factors, i), row(H.factors.lower, H.factors, i)
        for j in range(4 * H.factors.blocks):
            line[j] = 0.0
            below[j] = 0.0
    for k in range(4 * H.factors.blocks):
        H.step[k] = 0.0
        H.gradient[k] = 0.0


@native
def _begin(H: Holding, load: float) -> None:
    """(a, b) of all cones by y and s, relative to the load, and y of the forces that are near."""
    dimension = H.size - H.rank
    for c in range(H.count):
        for part in range(3):
            line = row(H.slopes, H, 3 * c + part)
            unknown, factor_ = H.normals[c], 1.0
            if part > 0:
                unknown = H.tangents[2 * c + part - 1]
            elif H.tangents[2 * c] >= 0:
                factor_ = H.friction[c]
            H.offset[3 * c + part] = 0.0
            if unknown >= 0:
                H.offset[3 * c + part] = factor_ * H.start[unknown] / load
            elif part == 0:
                H.offset[3 * c] = H.friction[c] / load
            for d in range(dimension):
                line[d] = 0.0
                if unknown >= 0:
                    line[d] = factor_ * row(H.null, H, unknown)[d]
            line[dimension] = -1.0 if part == 0 else 0.0
    for e in range(dimension):
        own = H.columns[H.rank + e]
        H.y[e] = (H.near[own] - H.start[own]) / load


@native
def _set_z(H: Holding, dimension: int) -> None:
    """(a, b) at y and s."""
    for i in range(3 * H.count):
        line, sum_ = row(H.slopes, H, i), H.offset[i]
        for d in range(dimension + 1):
            sum_ = fma(line[d], H.y[d], sum_)
        H.z[i] = sum_


@native
def _margin(H: Holding, z: Array) -> float:
    """The least a - |b|."""
    least = 1e300
    for c in range(H.count):
        one, two = z[3 * c + 1], z[3 * c + 2]
        least = smallest(least, z[3 * c] - sqrt(one * one + two * two))
    return least


@native
def _search(H: Holding, dimension: int) -> float:
    """The largest s ≤ 1 with |b| ≤ a - s for all cones, as far as it matters; y becomes what it is at."""
    H.y[dimension] = 0.0
    _set_z(H, dimension)
    least = _margin(H, H.z)
    if dimension == 0 or least > CLEAR:
        return smallest(least, CLEAR)
    H.y[dimension] = smallest(least, 1.0) - 0.5
    _set_z(H, dimension)
    weight, last = 1.0, 2.0 * float(H.count + 1) / _GAP
    for _ in counted(_FALLS):
        for _ in counted(_STEPS):
            decrease = _newton(H, dimension, weight)
            part = _part(H, dimension)
            if part <= _LEAST:
                break
            for d in range(dimension + 1):
                H.y[d] = fma(part, H.step[d], H.y[d])
            for i in range(3 * H.count):
                H.z[i] = fma(part, H.moved[i], H.z[i])
            if H.y[dimension] > _AMPLE or decrease < _CENTRED:
                break
        s, gap = H.y[dimension], 2.0 * float(H.count + 1) / weight
        if weight >= last or s > _AMPLE or s + 2.0 * gap < -CLEAR:
            return largest(smallest(s, CLEAR), -CLEAR)
        weight = smallest(_FASTER * weight, last)
    return _NONE


@native
def _newton(H: Holding, dimension: int, weight: float) -> float:
    """Newton's step for the barrier, and what it moves (a, b) by; the decrease that it promises."""
    size = dimension + 1
    _clear(H, size)
    for c in range(H.count):
        a, one, two = H.z[3 * c], H.z[3 * c + 1], H.z[3 * c + 2]
        b = sqrt(one * one + two * two)
        inside = (a - b) * (a + b)  # not 0 by cancellation
        first, second, third = row(H.slopes, H, 3 * c), row(H.slopes, H, 3 * c + 1), row(H.slopes, H, 3 * c + 2)
        for i in range(size):
            turned = -2.0 * (a * first[i] - one * second[i] - two * third[i]) / inside
            H.gradient[i] = H.gradient[i] + turned
            line = row(H.factors.upper, H.factors, i)
            for j in range(size):
                other = -2.0 * (a * first[j] - one * second[j] - two * third[j]) / inside
                bent = first[i] * first[j] - second[i] * second[j] - third[i] * third[j]
                line[j] = line[j] + turned * other - 2.0 * bent / inside
    rest = 1.0 - H.y[dimension]
    H.gradient[dimension] = H.gradient[dimension] + 1.0 / rest - weight
    corner = row(H.factors.upper, H.factors, dimension)
    corner[dimension] = corner[dimension] + 1.0 / (rest * rest)
    for k in range(size):
        line = row(H.factors.upper, H.factors, k)
        line[k] = line[k] * (1.0 + 1e-15)
        H.step[k] = -H.gradient[k]
    if factor(REAL, H.factors) > 0:
        for m in range(size):
            H.step[m] = 0.0
        return 0.0
    solve(REAL, H.factors, H.step)
    decrease = 0.0
    for d in range(size):
        decrease = fma(-H.gradient[d], H.step[d], decrease)
    for n in range(3 * H.count):
        line, sum_ = row(H.slopes, H, n), 0.0
        for e in range(size):
            sum_ = fma(line[e], H.step[e], sum_)
        H.moved[n] = sum_
    return decrease


@native
def _part(H: Holding, dimension: int) -> float:
    """The part of a step that stays inside of all cones: all of it, or halves."""
    part, taken, is_inside = 1.0, 1.0, 0
    while is_inside == 0 and part > _LEAST:
        for i in range(3 * H.count):
            H.there[i] = fma(taken, H.moved[i], H.z[i])
        if H.y[dimension] + part * H.step[dimension] < 1.0 and _margin(H, H.there) > 0.0:
            is_inside = 1
        else:
            part = 0.5 * part
            taken = _INSIDE * part
    return taken if is_inside > 0 else 0.0
