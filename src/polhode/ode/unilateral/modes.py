"""A right-hand side with unilateral rows, in modes that are held: u̇ = u̇₀ + R λ.

u̇₀ are the rates without forces in the rows, R what a unit of each adds, and W u̇ + γ the accelerations of the rows; g
are the gaps of groups. In a mode some rows have no acceleration, which determines λ:

    open       λ = 0
    sticking   no row of the group is accelerated
    slipping   its normal row is not; λ_T = -μ(|v_T|) λ_N v_T/|v_T|, or the bound in place of μ λ_N

Modes end where a guard of their group falls through zero: the gap or the normal force; the margin r² - |λ_T|² of what
sticks, relative to their sum; the speed of what slips. Friction turns a slow slip v_T of two rows, with acceleration
a_T, within |v_T|/|a_T|, which would be stiff: there λ_T is along -d, a unit vector that turns so that v_T + τ a_T has
no part across it. The lag τ grows from zero, and is short where friction would stop the slip before; the guard is the
speed along d. Where forces are not unique, groups that share them stick as long as some forces in their cones hold them
all (`feasibility`). What comes after a mode is decided outside (`transitions`).
"""

from __future__ import annotations

from ...native.language import NAN, Array, absolute, at, call, counted, exp, fma, largest, native, row, smallest, sqrt
from ..linear import REAL, factor, solve
from ..record import Reason, Run
from ..right_side import copy
from .any_rank import factor_any_rank, solve_any_rank
from .cone_problem import OPEN, SLIPPING, STICKING
from .cone_solution import solve_cones
from .margins import find_margins
from .record import AT_REST, BEHIND, GUARDS, LAWS, Unilateral
from .twists import combine, velocity_of

#: Corrections of forces at most, and the change of forces, as a part of them, after which they end.
_CORRECTIONS, _CORRECTED = 12, 1e-15
#: Steps of a projection, and the gap, in m or rad, at which it ends.
_PROJECTIONS, _CLOSED = 6, 1e-13
#: The lag τ of a slow slip, as a part of the time since it is slow; the largest, in s; as a part of the time in which a
#: slip of at least this part of the speed of slow ones stops; the part of what turns it back that counts there.
_LAG, _LONGEST_LAG, _STOPS, _RESOLVED, _BACK = 0.05, 1e-3, 0.25, 1e-4, 0.5
#: Rounds of lags and directions; of these Newton's steps, the largest turn in one, and the turn, in rad, that is
#: followed by none; nor is one below the last of these that is hardly smaller than the one before.
_ROUNDS, _TURNS, _TURN, _TURNED, _NEARLY = 2, 20, 0.5, 1e-8, 1e-5
#: A speed, in m/s, below which a slow slip does not turn; the cosine of a turn since the last change that ends a mode.
_LEAST, _FAR = 1e-13, 0.7
#: A slip speed, in m/s or rad/s, may be this much below zero by rounding.
_SLIP_SLACK = 1e-12
#: The square of the part of a normal force that tangent forces may be by rounding.
_FORCE_PART = 1e-18
#: A speed, in m/s or rad/s, with which a gap that has opened at rest closes.
_REST = 1e-9


@native
def fill(run: Run, rows: Unilateral, t: float, x: Array, out: Array, whole: int) -> int:
    """G and b at a state, of closed rows or of all, and out = ẋ without forces in the rows; a reason, or 0."""
    reason = call(rows.free_rates, run, t, x, out, returns=int)
    if reason > 0:
        return reason
    select(rows, whole)
    rows.time = t
    if rows.has_twists > 0:
        combine(rows)
    assemble(rows, at(out, rows.first_speed))
    return 0


@native
def select(rows: Unilateral, whole: int) -> None:
    """The rows of groups that are not open, or of all, are those that are closed."""
    problem, count = rows.problem, 0
    for k in range(rows.count):
        if whole > 0 or rows.modes[k] != OPEN:
            for r in range(problem.first[k], problem.first[k] + problem.normals[k] + problem.tangents[k]):
                rows.closed[count] = r
                count += 1
    rows.closed_count = count


@native
def assemble(rows: Unilateral, rates_of_speeds: Array) -> None:
    """G and b of closed rows from what the right-hand side has put out."""
    n, problem = rows.speeds, rows.problem
    for a in range(rows.closed_count):
        i = rows.closed[a]
        line, acceleration = at(rows.rows, i * n), rows.drift[i]
        for m in range(n):
            acceleration = fma(line[m], rates_of_speeds[m], acceleration)
        problem.free[i] = acceleration
        for b in range(a + 1):
            j = rows.closed[b]
            response, sum_ = at(rows.responses, j * n), 0.0
            for c in range(n):
                sum_ = fma(line[c], response[c], sum_)
            row(problem.matrix, problem, i)[j] = sum_
            row(problem.matrix, problem, j)[i] = sum_


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
def _slip_along(rows: Unilateral, k: int) -> float:
    """The velocity of a slow group's tangents along its direction."""
    problem = rows.problem
    i = problem.first[k] + problem.normals[k]
    along = rows.velocities[i] * rows.turned[2 * k]
    if problem.tangents[k] == 2:
        along += rows.velocities[i + 1] * rows.turned[2 * k + 1]
    return along


@native
def _slip_friction(rows: Unilateral, k: int) -> float:
    """μ, or the bound, at the slip speed of a group."""
    laws = at(rows.laws, LAWS * k)
    if laws[2] > 0.0:
        part = slip_speed(rows, k) / laws[2]
        return laws[0] + (laws[1] - laws[0]) * exp(-part * part)
    return laws[0]


@native
def _set_friction(rows: Unilateral, k: int) -> None:
    """Into problem.dual, the tangent forces of a slipping group for a unit of its normal force, or as they are."""
    problem = rows.problem
    friction, speed = _slip_friction(rows, k), slip_speed(rows, k)
    first = problem.first[k] + problem.normals[k]
    for b in range(problem.tangents[k]):
        direction = rows.turned[2 * k + b]
        if rows.held[k] == 0 and speed > 0.0:
            direction = rows.velocities[first + b] / speed
        problem.dual[first + b] = -friction * direction


@native
def _begin_forces(rows: Unilateral) -> None:
    """λ = 0 but for friction without a normal, in problem.velocity the accelerations by it; friction of all groups."""
    problem = rows.problem
    for a in range(rows.closed_count):
        i = rows.closed[a]
        problem.force[i] = 0.0
        problem.velocity[i] = problem.free[i]
    for k in range(rows.count):
        if rows.modes[k] == SLIPPING:
            _set_friction(rows, k)
            if problem.normals[k] == 0:
                for b in range(problem.first[k], problem.first[k] + problem.tangents[k]):
                    problem.force[b] = problem.dual[b]
                    for c in range(rows.closed_count):
                        m = rows.closed[c]
                        problem.velocity[m] = fma(
                            row(problem.matrix, problem, m)[b], problem.dual[b], problem.velocity[m]
                        )


@native
def hold_modes(rows: Unilateral) -> int:
    """λ of the modes from G and b, with directions of slow slips; 1 where they are not determined."""
    problem, unknowns, slow = rows.problem, 0, 0
    _begin_turns(rows)
    _begin_forces(rows)
    for k in range(rows.count):
        first, normal, mode = problem.first[k], problem.normals[k], rows.modes[k]
        end = first + normal
        if mode == STICKING:
            end = end + problem.tangents[k]
        if mode != OPEN:
            for a in range(first, end):
                problem.active[unknowns] = a
                unknowns += 1
        if mode == SLIPPING and rows.held[k] > 0 and problem.tangents[k] == 2:
            rows.reduced.active[slow] = k
            slow += 1
    if _annul(rows, unknowns, 1) > 0:
        return 1
    for _ in counted(_ROUNDS if slow > 0 else 0):  # lags by directions at the last change, then by those at hand
        _set_lags(rows, unknowns, slow)
        before = 1e300
        for _ in counted(_TURNS):
            turn = _turn(rows, unknowns, slow)
            if turn > 0.0:
                _begin_forces(rows)
                _annul(rows, unknowns, 1)
            if turn < _TURNED or (turn < _NEARLY and turn > 0.5 * before):
                break
            before = turn
    return 0


@native
def find_forces(rows: Unilateral) -> int:
    """λ of the modes from G, b, velocities and laws of all rows; 1 where they are not determined."""
    select(rows, 0)
    return hold_modes(rows)


@native
def _begin_turns(rows: Unilateral) -> None:
    """Directions of slow slips as they were at the last change."""
    for i in range(2 * rows.count):
        rows.turned[i] = rows.directions[i]


@native
def _turn(rows: Unilateral, unknowns: int, slow: int) -> float:
    """Turn the directions of slow slips by a Newton step for (v_T + τ a_T)·d⊥ = 0; the largest turn."""
    problem, work, factors, most = rows.problem, rows.reduced, rows.problem.factors, 0.0
    factors.size = slow
    factors.blocks = (slow + 3) // 4
    for a in range(slow):
        line, below = row(factors.upper, factors, a), row(factors.lower, factors, a)
        for n in range(4 * factors.blocks):
            line[n] = 0.0
            below[n] = 0.0
    for b in range(4 * factors.blocks):
        work.change[b] = 0.0
    for j in range(slow):
        k = work.active[j]
        own = problem.first[k] + problem.normals[k]
        d, load = at(rows.turned, 2 * k), _load(rows, k)
        x, y = load * d[1], -load * d[0]  # what λ_T is changed by, per rad
        _respond(rows, unknowns, own, x, y)
        for i in range(slow):
            g = work.active[i]
            first, lag, e = problem.first[g] + problem.normals[g], rows.lags[g], at(rows.turned, 2 * g)
            one, two = _turned(rows, unknowns, first, own, x, y), _turned(rows, unknowns, first + 1, own, x, y)
            line = row(factors.upper, factors, i)
            line[j] = lag * (two * e[0] - one * e[1])
            if i == j:
                one = rows.velocities[first] + lag * problem.velocity[first]
                two = rows.velocities[first + 1] + lag * problem.velocity[first + 1]
                line[j] = line[j] - one * e[0] - two * e[1] - _LEAST
                work.change[i] = one * e[1] - two * e[0]
    if factor(REAL, factors) > 0:
        return 0.0
    solve(REAL, factors, work.change)
    for m in range(slow):
        old, turn = at(rows.turned, 2 * work.active[m]), work.change[m]
        turn = _TURN if turn > _TURN else (-_TURN if turn < -_TURN else turn)
        most = largest(most, absolute(turn))
        x, y = old[0] - turn * old[1], old[1] + turn * old[0]
        size = sqrt(x * x + y * y)
        old[0] = x / size
        old[1] = y / size
    return most


@native
def _set_lags(rows: Unilateral, unknowns: int, slow: int) -> None:
    """τ of slow slips, by accelerations with the directions at hand.

    Where a slip is slowed down by c and turned back by k per rad, it would turn at once at v = τ (c - k).
    """
    for j in range(slow):
        k = rows.reduced.active[j]
        i, d = rows.problem.first[k] + rows.problem.normals[k], at(rows.turned, 2 * k)
        slows = -rows.problem.velocity[i] * d[0] - rows.problem.velocity[i + 1] * d[1]
        lag = smallest(_LAG * largest(rows.time - rows.since[k], 0.0), _LONGEST_LAG)
        if slows > 0.0:
            x, y = _load(rows, k) * d[1], -_load(rows, k) * d[0]
            _respond(rows, unknowns, i, x, y)
            one, two = _turned(rows, unknowns, i, i, x, y), _turned(rows, unknowns, i + 1, i, x, y)
            slows = largest(slows - _BACK * largest(one * d[1] - two * d[0], 0.0), 0.0)
            speed = _STOPS * largest(slip_speed(rows, k), _RESOLVED * rows.slow)
            lag = lag * speed / (speed + lag * slows)
        rows.lags[k] = lag


@native
def _load(rows: Unilateral, k: int) -> float:
    """The size of the friction of a slipping group."""
    load = _slip_friction(rows, k)
    if rows.problem.normals[k] > 0:
        load = load * rows.problem.force[rows.problem.first[k]]
    return load


@native
def _respond(rows: Unilateral, unknowns: int, own: int, x: float, y: float) -> None:
    """Into problem.change, the forces that annul active rows where tangent forces x and y act in two rows."""
    problem = rows.problem
    for c in range(4 * rows.active.blocks):
        problem.change[c] = 0.0
    for f in range(unknowns):
        line = row(problem.matrix, problem, problem.active[f])
        problem.change[f] = -line[own] * x - line[own + 1] * y
    if unknowns > 0:
        solve_any_rank(rows.active, problem.change)


@native
def _turned(rows: Unilateral, unknowns: int, i: int, own: int, x: float, y: float) -> float:
    """The acceleration of a row by tangent forces x and y of two rows, and by what then annuls active rows."""
    line = row(rows.problem.matrix, rows.problem, i)
    sum_ = line[own] * x + line[own + 1] * y
    for a in range(unknowns):
        sum_ = fma(_acceleration(rows, i, rows.problem.active[a], 1), rows.problem.change[a], sum_)
    return sum_


@native
def _annul(rows: Unilateral, unknowns: int, has_friction: int) -> int:
    """λ of active rows such that their problem.velocity vanishes; 1 where a matrix is singular."""
    problem, A = rows.problem, rows.active
    if unknowns == 0:
        return 0
    A.size = unknowns
    A.blocks = (unknowns + 3) // 4
    for d in range(unknowns):
        line = row(A.matrix, A, d)
        for e in range(unknowns, 4 * A.blocks):
            line[e] = 0.0
        for f in range(unknowns):
            line[f] = _acceleration(rows, problem.active[d], problem.active[f], has_friction)
    if factor_any_rank(A) > 0:
        return 1
    before = 1e300
    for _ in counted(_CORRECTIONS):
        change, most = 0.0, 0.0
        for h in range(unknowns, 4 * A.blocks):
            problem.change[h] = 0.0
        for i in range(unknowns):
            problem.change[i] = -problem.velocity[problem.active[i]]
        solve_any_rank(A, problem.change)
        for j in range(unknowns):
            _add_force(rows, problem.active[j], problem.change[j], has_friction)
            change = largest(change, absolute(problem.change[j]))
            most = largest(most, absolute(problem.force[problem.active[j]]))
        if change <= _CORRECTED * most or change > 0.5 * before:
            break
        before = change
    return 0


@native
def _acceleration(rows: Unilateral, i: int, j: int, has_friction: int) -> float:
    """The acceleration of row i by a unit of an unknown force in row j and the friction that goes with it."""
    problem, k = rows.problem, rows.group_of[j]
    entries = row(problem.matrix, problem, i)
    total = entries[j]
    if has_friction > 0 and rows.modes[k] == SLIPPING:
        for b in range(j + 1, j + 1 + problem.tangents[k]):
            total = fma(entries[b], problem.dual[b], total)
    return total


@native
def _add_force(rows: Unilateral, j: int, force: float, has_friction: int) -> None:
    """Add to an unknown force, to the friction that goes with it, and to accelerations."""
    problem, k = rows.problem, rows.group_of[j]
    problem.force[j] = problem.force[j] + force
    if has_friction > 0 and rows.modes[k] == SLIPPING:
        for b in range(j + 1, j + 1 + problem.tangents[k]):
            problem.force[b] = fma(force, problem.dual[b], problem.force[b])
    for a in range(rows.closed_count):
        i = rows.closed[a]
        problem.velocity[i] = fma(_acceleration(rows, i, j, has_friction), force, problem.velocity[i])


@native
def rates_in_modes(run: Run, t: float, x: Array, out: Array) -> int:
    """The rates: what run.rates points to."""
    rows = run.unilateral
    reason = fill(run, rows, t, x, out, 0)
    if reason > 0:
        return reason
    if hold_modes(rows) > 0:
        for k in range(run.size):  # what pads it stays zero
            out[k] = NAN
        return 0
    if rows.is_at_rest > 0:
        for i in range(rows.first_speed + rows.speeds):
            out[i] = 0.0
        return 0
    spread(rows, at(out, rows.first_speed))
    return 0


@native
def guards(run: Run, t: float, x: Array, values: Array) -> None:
    """The guards of all groups, and one of those that share forces: positive while modes may last."""
    rows, problem = run.unilateral, run.unilateral.problem
    reason = rates_in_modes(run, t, x, rows.rates_there)
    if reason == Reason.FAILED:
        run.failed = 1
    for k in range(rows.count):
        first, normal, mode = problem.first[k], problem.normals[k], rows.modes[k]
        one, two, three = 1.0, 1.0, 1.0
        if mode == OPEN:
            one = largest(rows.gaps[k] - rows.offsets[k], -rows.margins[k])
            if rows.held[k] == AT_REST:  # a gap below zero by rounding, which does not close, is none
                one = largest(one, velocity_of(rows, first) + _REST)
            if rows.held[k] == BEHIND:
                one = 1.0
        elif normal > 0 and rows.shared[k] == 0:
            one = problem.force[first] + rows.force_slack
        if mode == STICKING and problem.tangents[k] > 0 and rows.shared[k] == 0:
            radius = rows.laws[LAWS * k + 1]
            if normal > 0:
                radius = radius * problem.force[first]
            bound, held = radius * radius, 0.0
            for i in range(first + normal, first + normal + problem.tangents[k]):
                held = fma(problem.force[i], problem.force[i], held)
            slack = 1e-300
            if normal > 0:  # tangent forces by rounding, where there is no friction
                slack = largest(slack, _FORCE_PART * problem.force[first] * problem.force[first])
            two = (bound - held + slack) / largest(bound + held, slack)
        if mode == SLIPPING and problem.tangents[k] > 0:
            speed = slip_speed(rows, k)
            if rows.held[k] > 0:
                two = _slip_along(rows, k) - rows.offsets[k] + _SLIP_SLACK
                if problem.tangents[k] == 2:
                    d, e, slips = at(rows.directions, 2 * k), at(rows.turned, 2 * k), first + normal
                    grows = rows.lags[k] * (problem.velocity[slips] * e[0] + problem.velocity[slips + 1] * e[1])
                    two = largest(two - 2.0 * _SLIP_SLACK, grows)  # a slip may vanish without a change of sign
                    three = smallest(4.0 * rows.slow * rows.slow - speed * speed, d[0] * e[0] + d[1] * e[1] - _FAR)
            else:
                two = speed * speed - rows.slow * rows.slow
        values[GUARDS * k] = one
        values[GUARDS * k + 1] = two
        values[GUARDS * k + 2] = three
        values[GUARDS * k + 3] = 1.0 if mode == OPEN else rows.margins[k]
    values[GUARDS * rows.count] = 1.0
    if rows.is_shared > 0:
        find_margins(rows)
        values[GUARDS * rows.count] = rows.margin


# ---- accelerations ---------------------------------------------------------------------------------------------------


@native
def solve_closed(rows: Unilateral) -> int:
    """Solve the reduced problem with the accelerations at hand; 0, or 1 where it has no solution that is found."""
    reduced, problem = rows.reduced, rows.problem
    _begin_turns(rows)
    _begin_forces(rows)
    for i in range(reduced.size):
        source, line = rows.sources[i], row(reduced.matrix, reduced, i)
        reduced.free[i] = problem.velocity[source]
        for j in range(reduced.size):
            line[j] = _acceleration(rows, source, rows.sources[j], 1)
    return solve_cones(reduced, rows.linear)


# ---- projection ------------------------------------------------------------------------------------------------------


@native
def project_in_modes(run: Run, t: float, x: Array) -> int:
    """x becomes the nearest state, in the metric of M, whose closed gaps and rows without velocity vanish."""
    rows = run.unilateral
    if rows.is_at_rest > 0:
        return 0
    if rows.is_constrained > 0:
        reason = call(rows.free_project, run, t, x, returns=int)
        if reason > 0:
            return reason
    before = 1e300
    for _ in counted(_PROJECTIONS):
        reason = fill(run, rows, t, x, rows.rates_there, 0)
        if reason > 0:
            return reason
        if rows.closed_count == 0:
            return 0
        worst = _correction(rows, 1)
        if (worst <= _CLOSED and rows.only_gaps == 0) or worst >= 0.5 * before or worst == 0.0:
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
        spread(rows, at(rows.displacement, rows.first_speed))
        reason = call(rows.free_rates, run, t, rows.displacement, rows.rates_there, returns=int)
        if reason > 0:
            return reason
        for j in range(rows.first_speed):
            x[j] = x[j] + rows.rates_there[j]
    if rows.only_gaps == 0:
        _correction(rows, 0)
        spread(rows, at(x, rows.first_speed))
    return 0


@native
def _correction(rows: Unilateral, of_gaps: int) -> float:
    """λ that bring gaps, or velocities, of closed groups to zero, into problem.force; the largest of them before."""
    problem, worst, unknowns = rows.problem, 0.0, 0
    for i in range(rows.closed_count):
        problem.force[rows.closed[i]] = 0.0
        problem.velocity[rows.closed[i]] = 0.0
    for k in range(rows.count):
        first, normal, mode = problem.first[k], problem.normals[k], rows.modes[k]
        end = first + normal
        if of_gaps == 0 and mode == STICKING:
            end = end + problem.tangents[k]
        if mode != OPEN and rows.margins[k] > 0.0:  # beyond the edge of its surface a group is brought nowhere
            for a in range(first, end):
                problem.velocity[a] = rows.gaps[k] if of_gaps > 0 else rows.velocities[a]
                worst = largest(worst, absolute(problem.velocity[a]))
                problem.active[unknowns] = a
                unknowns += 1
    if _annul(rows, unknowns, 0) > 0:
        return 0.0
    return worst


@native
def spread(rows: Unilateral, speeds: Array) -> None:
    """Add to speeds, or to their rates, what problem.force changes of them."""
    for a in range(rows.closed_count):
        force = rows.problem.force[rows.closed[a]]
        if force != 0.0:
            response = at(rows.responses, rows.closed[a] * rows.speeds)
            for k in range(rows.speeds):
                speeds[k] = fma(force, response[k], speeds[k])
