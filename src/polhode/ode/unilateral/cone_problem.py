"""Forces in friction cones: the one-step problem of contacts, stops and dry friction.

Rows come in groups. A group has a normal row or none, and tangent rows: none, one or two. With w = G λ + b, where G is
symmetric and positive semidefinite, λ is sought such that for every group

    0 ≤ λ_N ⊥ w_N ≥ 0                                      (Signorini)
    |λ_T| ≤ r,  λ_T = -r w_T/|w_T| where w_T is not zero    (Coulomb, and maximum dissipation)

with r = μ λ_N, or a given bound for a group without a normal row. Units are those of G: λ are forces and w
accelerations, or λ impulses and w velocities.

The natural map λ - P(λ - ρ w), P the projection onto λ_N ≥ 0 and onto the disc of radius r, vanishes at solutions and
is piecewise smooth; Newton's method on it ends after a few steps from a near start (P. Alart and A. Curnier, *Comput.
Methods Appl. Mech. Eng.* 92 (1991)). A small multiple of the identity is added to G in its matrix, not in its
residual, so that forces that G does not determine stay near those of the start. Where it does not converge, steps by
splitting come first, and then what is added is in proportion to the residual (Levenberg's way, which is as fast near
solutions that are not isolated: J.-Y. Fan and Y.-X. Yuan, *Computing* 74 (2005)).
"""

from __future__ import annotations

from ...native.language import Array, Integers, Struct, absolute, at, largest, native, row, sqrt
from ..linear import REAL, Factors, factor, solve

#: Modes of a group: open (no force), sticking (w_T = 0), slipping (|λ_T| = r).
OPEN, STICKING, SLIPPING = 0, 1, 2
#: Residual, relative to the loads, at which a solution is accepted.
ACCURACY = 1e-12
#: One that is taken where rounding of what forces cannot change leaves no smaller one.
ACCEPTED = 1e-10
#: Of the mean diagonal entry of G, what is at least added to the diagonal of Newton's matrix.
_SHIFT = 1e-7
#: Of scaled blocks of G, the first weight of splitting, and what is added to their diagonal besides.
_SPLITTING, _LITTLE = 0.3, 1e-6


class ConeProblem(Struct):
    """G, b and the cones; `force` is the start, and then the solution, with `velocity` = G λ + b."""

    size: int
    blocks: int  # of a row of G, padded
    count: int  # groups
    first: Integers
    normals: Integers  # 1 for a group with a normal row
    tangents: Integers
    friction: Array  # μ, or the bound of a group without a normal row
    matrix: Array
    free: Array
    force: Array
    velocity: Array
    modes: Integers
    residual: float  # of the natural map, relative to the loads
    steps: int  # Newton's
    splittings: int  # steps by splitting
    # work
    factors: Factors
    active: Integers  # rows of Newton's matrix
    change: Array
    before: Array
    start: Array
    near: Array  # forces in their cones, and the dual cones' velocities, of steps by splitting
    dual: Array
    scales: Array  # ρ of each group


@native
def begin_cones(problem: ConeProblem) -> int:
    """Scales, and velocities and residual at problem.force; how many groups have friction in a plane."""
    problem.steps = 0
    problem.splittings = 0
    _scale(problem)
    update(problem)
    circles = 0
    for k in range(problem.count):
        if problem.tangents[k] == 2:
            circles += 1
    return circles


@native
def _scale(problem: ConeProblem) -> None:
    """ρ of each group."""
    for k in range(problem.count):
        first, rows = problem.first[k], problem.normals[k] + problem.tangents[k]
        trace = 0.0
        for i in range(first, first + rows):
            trace += row(problem.matrix, problem, i)[i]
        problem.scales[k] = float(rows) / trace if trace > 0.0 else 1.0


@native
def update(problem: ConeProblem) -> None:
    """Velocities and the residual at problem.force."""
    _velocities(problem)
    problem.residual = _residual(problem)


@native
def newton(problem: ConeProblem, most: int, shift: float) -> None:
    """Newton steps, until the residual is small, the matrix is singular, or there are too many.

    `shift` times the residual is added to the diagonal of G, relative to its mean.
    """
    for _ in range(most):
        if problem.residual <= ACCURACY or _newton_step(problem, shift) > 0:
            break
        update(problem)


@native
def _mean(problem: ConeProblem) -> float:
    """The mean diagonal entry of G."""
    sum_ = 0.0
    for i in range(problem.size):
        sum_ += row(problem.matrix, problem, i)[i]
    return sum_ / float(problem.size)


@native
def _velocities(problem: ConeProblem) -> None:
    """w = G λ + b, four sums at once."""
    whole = problem.size // 4
    force = problem.force
    for i in range(problem.size):
        line = row(problem.matrix, problem, i)
        one, two, three, four = problem.free[i], 0.0, 0.0, 0.0
        for m in range(whole):
            part, other = at(line, 4 * m), at(force, 4 * m)
            one += part[0] * other[0]
            two += part[1] * other[1]
            three += part[2] * other[2]
            four += part[3] * other[3]
        for j in range(4 * whole, problem.size):
            one += line[j] * force[j]
        problem.velocity[i] = (one + two) + (three + four)


@native
def _radius(problem: ConeProblem, k: int) -> float:
    """The radius of a group's disc of friction forces."""
    if problem.normals[k] == 0:
        return problem.friction[k]
    return problem.friction[k] * largest(problem.force[problem.first[k]], 0.0)


@native
def _residual(problem: ConeProblem) -> float:
    """The largest entry of the natural map, relative to the loads, both as forces."""
    worst, load = 0.0, 0.0
    for k in range(problem.count):
        i, scale = problem.first[k], problem.scales[k]
        if problem.normals[k] > 0:
            normal = problem.force[i]
            worst = largest(worst, absolute(normal - largest(normal - scale * problem.velocity[i], 0.0)))
            load = largest(load, largest(absolute(scale * problem.free[i]), absolute(normal)))
            i += 1
        r = _radius(problem, k)
        if problem.tangents[k] == 1:
            z = problem.force[i] - scale * problem.velocity[i]
            near = r if z > r else (-r if z < -r else z)
            worst = largest(worst, absolute(problem.force[i] - near))
            load = largest(load, largest(absolute(scale * problem.free[i]), absolute(problem.force[i])))
        if problem.tangents[k] == 2:
            z = problem.force[i] - scale * problem.velocity[i]
            z2 = problem.force[i + 1] - scale * problem.velocity[i + 1]
            size = sqrt(z * z + z2 * z2)
            part = r / size if size > r else 1.0
            worst = largest(worst, absolute(problem.force[i] - part * z))
            worst = largest(worst, absolute(problem.force[i + 1] - part * z2))
            load = largest(load, absolute(scale * problem.free[i]) + absolute(scale * problem.free[i + 1]))
            load = largest(load, absolute(problem.force[i]) + absolute(problem.force[i + 1]))
    return worst / load if load > 0.0 else 0.0


@native
def choose_modes(problem: ConeProblem) -> int:
    """The mode of each group by the piece of the natural map at hand; how many rows are not open."""
    rows = 0
    for k in range(problem.count):
        first, scale = problem.first[k], problem.scales[k]
        i, mode = first, STICKING
        if problem.normals[k] > 0:
            if problem.force[i] - scale * problem.velocity[i] <= 0.0:
                mode = OPEN
            i += 1
        if mode != OPEN and problem.tangents[k] > 0:
            z = problem.force[i] - scale * problem.velocity[i]
            size = absolute(z)
            if problem.tangents[k] == 2:
                z2 = problem.force[i + 1] - scale * problem.velocity[i + 1]
                size = sqrt(z * z + z2 * z2)
            if size > _radius(problem, k):
                mode = SLIPPING
        problem.modes[k] = mode
        for j in range(first, first + problem.normals[k] + problem.tangents[k]):
            if mode == OPEN:
                problem.force[j] = 0.0
            else:
                problem.active[rows] = j
                rows += 1
    return rows


@native
def _newton_step(problem: ConeProblem, shift: float) -> int:
    """One Newton step, to other forces, with a shift by the residual; 1 where its matrix is singular."""
    problem.steps += 1
    rows = choose_modes(problem)
    _velocities(problem)
    factors, change = problem.factors, problem.change
    added = largest(_SHIFT, shift * problem.residual) * _mean(problem)
    factors.size = rows
    factors.blocks = (rows + 3) // 4
    for a in range(rows):
        i = problem.active[a]
        line, given, below = (
            row(factors.upper, factors, a),
            row(problem.matrix, problem, i),
            row(factors.lower, factors, a),
        )
        for j in range(4 * factors.blocks):
            line[j] = 0.0
            below[j] = 0.0
        for b in range(rows):
            line[b] = given[problem.active[b]]
        line[a] = line[a] + added
        change[a] = -problem.velocity[i]
    for a in range(rows, 4 * factors.blocks):
        change[a] = 0.0
    a = 0
    for k in range(problem.count):
        if problem.modes[k] != OPEN:
            if problem.modes[k] == SLIPPING:
                _slip_rows(problem, k, a)
            a += problem.normals[k] + problem.tangents[k]
    if rows > 0:
        if factor(REAL, factors) > 0:
            return 1
        solve(REAL, factors, change)
    for b in range(rows):
        problem.force[problem.active[b]] = problem.force[problem.active[b]] + change[b]
    return 0


@native
def _slip_rows(problem: ConeProblem, k: int, a: int) -> None:
    """Newton's rows of λ_T = r z/|z|, z = λ_T - ρ w_T, for a slipping group whose first row there is a; over ρ."""
    factors, scale, mu = problem.factors, problem.scales[k], problem.friction[k]
    has_normal, i = problem.normals[k], problem.first[k] + problem.normals[k]
    columns, r, t = factors.size, _radius(problem, k), a + has_normal
    z = problem.force[i] - scale * problem.velocity[i]
    line = row(factors.upper, factors, t)
    if problem.tangents[k] == 1:
        side = 1.0 if z > 0.0 else -1.0
        for b in range(columns):
            line[b] = 0.0
        line[t] = 1.0 / scale
        if has_normal > 0:
            line[a] = -mu * side / scale
        problem.change[t] = (r * side - problem.force[i]) / scale
    else:
        z2 = problem.force[i + 1] - scale * problem.velocity[i + 1]
        line2 = row(factors.upper, factors, t + 1)
        size = sqrt(z * z + z2 * z2)
        c, s, part = z / size, z2 / size, r / size
        # (I - s sᵀ) r/|z| applied to dz = dλ - ρ G dλ
        cc, cs, ss = part * (1.0 - c * c), -part * c * s, part * (1.0 - s * s)
        for b in range(columns):
            one, two = line[b], line2[b]  # of G
            line[b] = cc * one + cs * two
            line2[b] = cs * one + ss * two
        line[t] = line[t] + (1.0 - cc) / scale
        line[t + 1] = line[t + 1] - cs / scale
        line2[t] = line2[t] - cs / scale
        line2[t + 1] = line2[t + 1] + (1.0 - ss) / scale
        if has_normal > 0:
            line[a] = line[a] - mu * c / scale
            line2[a] = line2[a] - mu * s / scale
        problem.change[t] = (r * c - problem.force[i]) / scale
        problem.change[t + 1] = (r * s - problem.force[i + 1]) / scale


# ---- splitting -------------------------------------------------------------------------------------------------------


@native
def split(problem: ConeProblem, most: int) -> None:
    """Steps by splitting (ADMM) for λ in the cones, with De Saxcé's shift μ|w_T| of the normal velocities.

    J. Carpentier, Q. Le Lidec, L. Montaut, "From compliant to rigid contact simulation", 2024. Rows are scaled so that
    blocks of G have traces alike.
    """
    factors, n, weight = problem.factors, problem.size, _SPLITTING
    begin_split(problem, weight)
    for step in range(most):
        problem.splittings += 1
        for k in range(problem.count):
            first, normal, scale = problem.first[k], problem.normals[k], sqrt(problem.scales[k])
            for i in range(first, first + normal + problem.tangents[k]):
                known = weight * problem.near[i] + problem.dual[i] + _LITTLE * problem.before[i]
                problem.change[i] = known - scale * problem.free[i]
            if normal > 0 and problem.tangents[k] > 0:
                slip = absolute(problem.dual[first + 1])
                if problem.tangents[k] == 2:
                    two = problem.dual[first + 2]
                    slip = sqrt(slip * slip + two * two)
                problem.change[first] = problem.change[first] - problem.friction[k] * slip
        solve(REAL, factors, problem.change)
        primal, dual = 0.0, 0.0
        for j in range(n):
            problem.before[j] = problem.change[j]
            problem.velocity[j] = problem.near[j]
            problem.near[j] = problem.change[j] - problem.dual[j] / weight
        for m in range(problem.count):
            _project(problem, m)
        for h in range(n):
            apart = problem.change[h] - problem.near[h]
            problem.dual[h] = problem.dual[h] - weight * apart
            primal = largest(primal, absolute(apart))
            dual = largest(dual, weight * absolute(problem.near[h] - problem.velocity[h]))
        if step % 20 == 19:
            if primal > 10.0 * dual:
                weight = 4.0 * weight
                _factor_split(problem, weight)
            elif dual > 10.0 * primal:
                weight = 0.25 * weight
                _factor_split(problem, weight)
    for g in range(problem.count):
        first, scale = problem.first[g], sqrt(problem.scales[g])
        for e in range(first, first + problem.normals[g] + problem.tangents[g]):
            problem.force[e] = scale * problem.near[e]
    update(problem)


@native
def begin_split(problem: ConeProblem, weight: float) -> None:
    """Factor the matrix, and begin with forces in their cones and no dual velocities."""
    _factor_split(problem, weight)
    for k in range(problem.count):
        first, scale = problem.first[k], sqrt(problem.scales[k])
        for i in range(first, first + problem.normals[k] + problem.tangents[k]):
            problem.near[i] = problem.force[i] / scale
            problem.before[i] = problem.near[i]
            problem.dual[i] = 0.0


@native
def _factor_split(problem: ConeProblem, weight: float) -> None:
    """Factor the scaled G and the weight."""
    factors, n = problem.factors, problem.size
    factors.size = n
    factors.blocks = problem.blocks
    for k in range(problem.count):
        first, scale = problem.first[k], sqrt(problem.scales[k])
        for i in range(first, first + problem.normals[k] + problem.tangents[k]):
            line, given, below = (
                row(factors.upper, factors, i),
                row(problem.matrix, problem, i),
                row(factors.lower, factors, i),
            )
            for j in range(4 * factors.blocks):
                line[j] = 0.0
                below[j] = 0.0
            for m in range(problem.count):
                other = sqrt(problem.scales[m])
                for h in range(problem.first[m], problem.first[m] + problem.normals[m] + problem.tangents[m]):
                    line[h] = scale * other * given[h]
            line[i] = line[i] + weight + _LITTLE
    factor(REAL, factors)


@native
def _project(problem: ConeProblem, k: int) -> None:
    """Project a group of `near` onto its cone, or onto its disc."""
    first, mu, i = problem.first[k], problem.friction[k], problem.first[k] + problem.normals[k]
    size = 0.0
    if problem.tangents[k] == 1:
        size = absolute(problem.near[i])
    if problem.tangents[k] == 2:
        size = sqrt(problem.near[i] * problem.near[i] + problem.near[i + 1] * problem.near[i + 1])
    radius = mu / sqrt(problem.scales[k])
    if problem.normals[k] > 0:
        normal = problem.near[first]
        radius = mu * normal
        if mu * size <= -normal or problem.tangents[k] == 0:
            problem.near[first] = largest(normal, 0.0) if problem.tangents[k] == 0 else 0.0
            radius = 0.0
        elif size > radius:
            problem.near[first] = (normal + mu * size) / (1.0 + mu * mu)
            radius = mu * problem.near[first]
    part = radius / size if size > radius else 1.0
    for j in range(i, i + problem.tangents[k]):
        problem.near[j] = part * problem.near[j]
