"""A right-hand side with unilateral rows, in modes that are held: u̇ = u̇₀ + R λ.

u̇₀ are the rates without forces in the rows, R what a unit of each adds, W u the velocities of the rows and W u̇ + γ
their accelerations; g are the gaps of groups. In a mode some rows have no acceleration, which determines λ:

    open       λ = 0
    sticking   no row of the group is accelerated
    slipping   its normal row is not; λ_T = -μ(|v_T|) λ_N v_T/|v_T|, or the bound in place of μ λ_N

Modes end where a guard of their group falls through zero: the gap or the normal force, and the margin
r² - |λ_T|² of what sticks or the speed of what slips, in the direction that it had. What comes then is decided outside.
"""

from __future__ import annotations

from ...native.language import Array, absolute, at, call, counted, exp, fma, largest, native, row, sqrt
from ..linear import REAL, factor, solve
from ..rates import copy
from ..record import Reason, Run
from .cone_problem import OPEN, SLIPPING, STICKING
from .record import Unilateral

#: Of the mean diagonal entry of G, what is added to the diagonal where forces are determined, and corrections for it.
_SHIFT, _CORRECTIONS = 1e-9, 3
#: Steps of a projection, and the gap or velocity, relative to the largest before, at which it ends.
_PROJECTIONS, _CLOSED = 6, 1e-14


@native
def fill(run: Run, rows: Unilateral, t: float, x: Array, out: Array) -> int:
    """G, b and W u at a state, out = ẋ without forces in the rows; a reason, or 0."""
    reason = call(rows.free_rates, run, t, x, out, returns=int)
    if reason > 0:
        return reason
    n, first, problem = rows.speeds, rows.first_speed, rows.problem
    for i in range(rows.size):
        line = at(rows.rows, i * n)
        velocity, acceleration = 0.0, rows.drift[i]
        for k in range(n):
            velocity = fma(line[k], x[first + k], velocity)
            acceleration = fma(line[k], out[first + k], acceleration)
        rows.velocities[i] = velocity
        problem.free[i] = acceleration
        entries = row(problem.matrix, problem, i)
        for j in range(rows.size):
            response, sum_ = at(rows.responses, j * n), 0.0
            for m in range(n):
                sum_ = fma(line[m], response[m], sum_)
            entries[j] = sum_
    return 0


@native
def slip_speed(rows: Unilateral, k: int) -> float:
    """The speed of a group's tangents."""
    problem = rows.problem
    i = problem.first[k] + problem.normals[k]
    if problem.tangents[k] == 0:
        return 0.0
    one = rows.velocities[i]
    two = 0.0
    if problem.tangents[k] == 2:
        two = rows.velocities[i + 1]
    return sqrt(one * one + two * two)


@native
def slip_along(rows: Unilateral, k: int) -> float:
    """The velocity of a group's tangents in the direction from which its mode began."""
    problem = rows.problem
    i = problem.first[k] + problem.normals[k]
    along = rows.velocities[i] * rows.directions[2 * k]
    if problem.tangents[k] == 2:
        along += rows.velocities[i + 1] * rows.directions[2 * k + 1]
    return along


@native
def slip_friction(rows: Unilateral, k: int) -> float:
    """μ, or the bound, at the slip speed of a group (Stribeck)."""
    kinetic, speed = rows.kinetic[k], rows.stribeck[k]
    if speed > 0.0:
        part = slip_speed(rows, k) / speed
        return kinetic + (rows.static[k] - kinetic) * exp(-part * part)
    return kinetic


@native
def _friction_direction(rows: Unilateral, k: int, entry: int) -> float:
    """An entry of the unit vector of the slip of a group; below its slow speed, of the direction that is held."""
    problem, speed = rows.problem, slip_speed(rows, k)
    if problem.tangents[k] == 1 or not speed > rows.slow[k]:
        return rows.directions[2 * k + entry]
    return rows.velocities[problem.first[k] + problem.normals[k] + entry] / speed


@native
def hold_modes(rows: Unilateral) -> int:
    """λ of the modes from G and b; 1 where they are not determined."""
    problem = rows.problem
    factors, unknowns, mean = problem.factors, 0, 0.0
    for i in range(rows.size):
        problem.force[i] = 0.0
        problem.velocity[i] = problem.free[i]  # accelerations by what is known of λ
        mean += row(problem.matrix, problem, i)[i]
    # near holds of each row what its unknown adds to λ_N: 1 for itself; dual the friction that goes with it
    for k in range(rows.count):
        first, normal, mode = problem.first[k], problem.normals[k], rows.modes[k]
        end = first + normal + problem.tangents[k]
        if mode == STICKING:
            for a in range(first, end):
                problem.active[unknowns] = a
                unknowns += 1
        if mode == SLIPPING:
            friction = slip_friction(rows, k)
            problem.friction[k] = friction
            for b in range(first + normal, end):
                force = -friction * _friction_direction(rows, k, b - first - normal)
                problem.dual[b] = force  # a unit of normal force
                if normal == 0:
                    problem.force[b] = force
                    for c in range(rows.size):
                        problem.velocity[c] = fma(row(problem.matrix, problem, c)[b], force, problem.velocity[c])
            if normal > 0:
                problem.active[unknowns] = first
                unknowns += 1
    if unknowns == 0:
        return 0
    factors.size = unknowns
    factors.blocks = (unknowns + 3) // 4
    shift = _SHIFT * mean / float(rows.size)
    for d in range(unknowns):
        line, below = row(factors.upper, factors, d), row(factors.lower, factors, d)
        for e in range(4 * factors.blocks):
            line[e] = 0.0
            below[e] = 0.0
        for f in range(unknowns):
            line[f] = _acceleration(rows, problem.active[d], problem.active[f])
        line[d] = line[d] + shift
    if factor(REAL, factors) > 0:
        return 1
    for _ in counted(_CORRECTIONS):
        for g in range(4 * factors.blocks):
            problem.change[g] = 0.0
        for h in range(unknowns):
            problem.change[h] = -problem.velocity[problem.active[h]]
        solve(REAL, factors, problem.change)
        for m in range(unknowns):
            _add_force(rows, problem.active[m], problem.change[m])
    return 0


@native
def _group_of(rows: Unilateral, i: int) -> int:
    """The group of a row."""
    problem = rows.problem
    k = 0
    while k + 1 < rows.count and problem.first[k + 1] <= i:
        k += 1
    return k


@native
def _acceleration(rows: Unilateral, i: int, j: int) -> float:
    """The acceleration of row i by a unit of an unknown force in row j and the friction that goes with it."""
    problem = rows.problem
    entries, k = row(problem.matrix, problem, i), _group_of(rows, j)
    total = entries[j]
    if rows.modes[k] == SLIPPING:
        for b in range(j + 1, j + 1 + problem.tangents[k]):
            total = fma(entries[b], problem.dual[b], total)
    return total


@native
def _add_force(rows: Unilateral, j: int, force: float) -> None:
    """Add to an unknown force, to the friction that goes with it, and to accelerations."""
    problem, k = rows.problem, _group_of(rows, j)
    problem.force[j] = problem.force[j] + force
    if rows.modes[k] == SLIPPING:
        for b in range(j + 1, j + 1 + problem.tangents[k]):
            problem.force[b] = fma(force, problem.dual[b], problem.force[b])
    for i in range(rows.size):
        problem.velocity[i] = fma(_acceleration(rows, i, j), force, problem.velocity[i])


@native
def rates_in_modes(run: Run, t: float, x: Array, out: Array) -> int:
    """The rates: what run.rates points to."""
    rows = run.unilateral
    reason = fill(run, rows, t, x, out)
    if reason > 0:
        return reason
    if hold_modes(rows) > 0:
        return Reason.NONFINITE
    for i in range(rows.size):
        force = rows.problem.force[i]
        if force != 0.0:
            response = at(rows.responses, i * rows.speeds)
            for k in range(rows.speeds):
                out[rows.first_speed + k] = fma(force, response[k], out[rows.first_speed + k])
    return 0


@native
def guards(run: Run, t: float, x: Array, values: Array) -> None:
    """Two values a group, positive while its mode may last; run.failed where they cannot be had."""
    rows, problem = run.unilateral, run.unilateral.problem
    reason = rates_in_modes(run, t, x, rows.rates_there)
    if reason == Reason.FAILED:
        run.failed = 1
    for k in range(rows.count):
        first, normal, mode = problem.first[k], problem.normals[k], rows.modes[k]
        one, two = 1.0, 1.0
        if normal > 0:
            one = rows.gaps[k] if mode == OPEN else problem.force[first]
        if mode == SLIPPING:
            two = slip_along(rows, k)
        if mode == STICKING and problem.tangents[k] > 0:
            radius = rows.static[k]
            if normal > 0:
                radius = radius * problem.force[first]
            two = radius * radius
            for i in range(first + normal, first + normal + problem.tangents[k]):
                two = fma(-problem.force[i], problem.force[i], two)
        values[2 * k] = one
        values[2 * k + 1] = two


# ---- projection ------------------------------------------------------------------------------------------------------


@native
def project_in_modes(run: Run, t: float, x: Array) -> int:
    """x becomes the nearest state, in the metric of M, whose closed gaps and rows without velocity vanish."""
    rows = run.unilateral
    if rows.is_constrained > 0:
        reason = call(rows.free_project, run, t, x, returns=int)
        if reason > 0:
            return reason
    before = 1e300
    for _ in counted(_PROJECTIONS):
        reason = fill(run, rows, t, x, rows.rates_there)
        if reason > 0:
            return reason
        worst = _correction(rows, 1)
        if worst <= _CLOSED or worst >= 0.5 * before:
            break
        before = worst
        # q moves by what q̇ would be of the correction as speeds, less what it is of none
        copy(run, x, rows.displacement)
        for k in range(rows.speeds):
            rows.displacement[rows.first_speed + k] = 0.0
        reason = call(rows.free_rates, run, t, rows.displacement, rows.rates_there, returns=int)
        if reason > 0:
            return reason
        for i in range(rows.first_speed):
            x[i] = x[i] - rows.rates_there[i]
        _spread(rows, at(rows.displacement, rows.first_speed))
        reason = call(rows.free_rates, run, t, rows.displacement, rows.rates_there, returns=int)
        if reason > 0:
            return reason
        for j in range(rows.first_speed):
            x[j] = x[j] + rows.rates_there[j]
    reason = fill(run, rows, t, x, rows.rates_there)
    if reason > 0:
        return reason
    _correction(rows, 0)
    _spread(rows, at(x, rows.first_speed))
    return 0


@native
def _correction(rows: Unilateral, of_gaps: int) -> float:
    """λ that bring gaps, or velocities, of closed groups to zero, into problem.force; the largest of them before."""
    problem, worst, unknowns, mean = rows.problem, 0.0, 0, 0.0
    factors = problem.factors
    for i in range(rows.size):
        problem.force[i] = 0.0
        problem.velocity[i] = 0.0
        mean += row(problem.matrix, problem, i)[i]
    for k in range(rows.count):
        first, normal, mode = problem.first[k], problem.normals[k], rows.modes[k]
        end = first + normal
        if of_gaps == 0 and mode == STICKING:
            end = end + problem.tangents[k]
        if mode != OPEN:
            for a in range(first, end):
                problem.velocity[a] = rows.gaps[k] if of_gaps > 0 else rows.velocities[a]
                worst = largest(worst, absolute(problem.velocity[a]))
                problem.active[unknowns] = a
                unknowns += 1
    if unknowns == 0:
        return 0.0
    factors.size = unknowns
    factors.blocks = (unknowns + 3) // 4
    shift = _SHIFT * mean / float(rows.size)
    for d in range(unknowns):
        line, below = row(factors.upper, factors, d), row(factors.lower, factors, d)
        entries = row(problem.matrix, problem, problem.active[d])
        for e in range(4 * factors.blocks):
            line[e] = 0.0
            below[e] = 0.0
        for f in range(unknowns):
            line[f] = entries[problem.active[f]]
        line[d] = line[d] + shift
    if factor(REAL, factors) > 0:
        return 0.0
    for _ in counted(_CORRECTIONS):
        for g in range(4 * factors.blocks):
            problem.change[g] = 0.0
        for h in range(unknowns):
            problem.change[h] = -problem.velocity[problem.active[h]]
        solve(REAL, factors, problem.change)
        for m in range(unknowns):
            j = problem.active[m]
            problem.force[j] = problem.force[j] + problem.change[m]
            for b in range(unknowns):
                c = problem.active[b]
                problem.velocity[c] = fma(row(problem.matrix, problem, c)[j], problem.change[m], problem.velocity[c])
    return worst


@native
def _spread(rows: Unilateral, speeds: Array) -> None:
    """Add to speeds what impulses of the rows, in problem.force, change of them."""
    for i in range(rows.size):
        force = rows.problem.force[i]
        if force != 0.0:
            response = at(rows.responses, i * rows.speeds)
            for k in range(rows.speeds):
                speeds[k] = fma(force, response[k], speeds[k])
