"""Contact forces, impacts and time steps at one state, without the modes of a run before it.

They take what the right-hand side has put out there (`Unilateral`), and are the same in native code, in plain Python
and in exported C (`in_c`).
"""

from __future__ import annotations

from ...native.language import Array, absolute, at, counted, largest, native, row, sqrt
from .cone_problem import OPEN, SLIPPING, STICKING
from .cone_solution import solve_cones
from .modes import assemble, select, slip_speed, solve_closed, spread
from .record import LAWS, Unilateral

#: Gaps, in m or rad, and speeds, relative to the largest or to one, that are zero; accelerations alike, to the loads.
_TOUCHING, _RESTING, _UNMOVED = 1e-9, 1e-9, 1e-9
#: So many solutions follow each other where static friction breaks.
_BREAKS = 30
#: What a function returns: all is well; no forces that fit are found; an impact comes first.
SOLVED, UNSOLVED, APPROACHING = 0, 1, 2


@native
def accelerate(rows: Unilateral, accelerations: Array) -> int:
    """Forces of closed groups, into rows.problem.force, and the accelerations of speeds with them.

    A group at rest sticks as long as its static friction can hold it; the others slip along their velocity.
    """
    problem, reduced, slow = rows.problem, rows.reduced, _RESTING * _fastest(rows)
    _clear(rows)
    for k in range(rows.count):
        first, mode = problem.first[k], STICKING
        if problem.normals[k] > 0:
            if rows.gaps[k] > _TOUCHING or rows.margins[k] <= 0.0 or rows.velocities[first] > slow:
                mode = OPEN
            elif rows.velocities[first] < -slow:
                return APPROACHING
        if mode == STICKING and slip_speed(rows, k) > slow:
            mode = SLIPPING
        rows.modes[k] = mode
        rows.held[k] = 0
        problem.friction[k] = rows.laws[LAWS * k + 1]
    select(rows, 0)
    assemble(rows, accelerations)
    broken = 1
    for _ in counted(_BREAKS):
        if broken > 0:
            _reduce(rows)
            if solve_closed(rows) > 0:
                return UNSOLVED
            broken = _break(rows)
    for i in range(reduced.size):
        source, force = rows.sources[i], reduced.force[i]
        problem.force[source] = force
        group = rows.group_of[source]
        if rows.modes[group] == SLIPPING:
            for b in range(source + 1, source + 1 + problem.tangents[group]):
                problem.force[b] = force * problem.dual[b]
    spread(rows, accelerations)
    return SOLVED


@native
def strike(rows: Unilateral, speeds: Array) -> int:
    """Impulses of closed groups by Moreau's law, into rows.problem.force, and the speeds after them."""
    problem, reduced = rows.problem, rows.reduced
    for k in range(rows.count):
        is_closed = problem.normals[k] > 0 and rows.gaps[k] <= _TOUCHING and rows.margins[k] > 0.0
        rows.modes[k] = STICKING if is_closed else OPEN
        problem.friction[k] = rows.laws[LAWS * k]
    _clear(rows)
    select(rows, 0)
    assemble(rows, speeds)
    _reduce(rows)
    for i in range(reduced.size):
        source = rows.sources[i]
        reduced.free[i] = (1.0 + rows.laws[LAWS * rows.group_of[source] + 3]) * rows.velocities[source]
    return _impel(rows, speeds)


@native
def advance(rows: Unilateral, accelerations: Array, speeds: Array, step: float) -> int:
    """Speeds after a time step, by Moreau's rule of first order, and the impulses, into rows.problem.force.

    Groups whose gaps would close within the step take part, with kinetic friction, whose bounds are those of the step.
    """
    problem, reduced = rows.problem, rows.reduced
    for k in range(rows.count):
        first, mode = problem.first[k], STICKING
        will_touch = rows.margins[k] > 0.0 and rows.gaps[k] + step * rows.velocities[first] <= 0.0
        if problem.normals[k] > 0 and not will_touch:
            mode = OPEN
        rows.modes[k] = mode
        problem.friction[k] = rows.laws[LAWS * k]
        if problem.normals[k] == 0:
            problem.friction[k] = step * rows.laws[LAWS * k]
    _clear(rows)
    select(rows, 0)
    assemble(rows, accelerations)
    _reduce(rows)
    for i in range(reduced.size):
        source = rows.sources[i]
        restitution = rows.laws[LAWS * rows.group_of[source] + 3]
        reduced.free[i] = (1.0 + restitution) * rows.velocities[source] + step * problem.free[source]
    for j in range(rows.speeds):
        speeds[j] = speeds[j] + step * accelerations[j]
    return _impel(rows, speeds)


@native
def _fastest(rows: Unilateral) -> float:
    """The largest velocity of a row, at least one."""
    most = 1.0
    for i in range(rows.size):
        most = largest(most, absolute(rows.velocities[i]))
    return most


@native
def _clear(rows: Unilateral) -> None:
    """No forces, and none to begin with."""
    for i in range(rows.size):
        rows.problem.force[i] = 0.0
        rows.reduced.force[i] = 0.0


@native
def _reduce(rows: Unilateral) -> None:
    """The groups of the reduced problem: those that are not open; of one that slips the normal row alone."""
    problem, reduced, size, count, unknowns = rows.problem, rows.reduced, 0, 0, 0
    for k in range(rows.count):
        tangents = problem.tangents[k] if rows.modes[k] == STICKING else 0
        if rows.modes[k] != OPEN and problem.normals[k] + tangents > 0:
            reduced.first[count] = size
            reduced.normals[count] = problem.normals[k]
            reduced.tangents[count] = tangents
            reduced.friction[count] = problem.friction[k]
            count += 1
            for i in range(problem.first[k], problem.first[k] + problem.normals[k] + tangents):
                rows.sources[size] = i
                size += 1
            unknowns += problem.normals[k]
            if tangents > 0:
                unknowns += 2 * tangents + 1
    reduced.size = size
    reduced.count = count
    rows.linear.size = unknowns
    rows.linear.width = 2 * unknowns + 2


@native
def _break(rows: Unilateral) -> int:
    """How many groups leave their static friction for the kinetic, which is theirs from now on."""
    problem, reduced, most, broken = rows.problem, rows.reduced, 0.0, 0
    for i in range(reduced.size):
        most = largest(most, absolute(reduced.free[i]))
    for k in range(reduced.count):
        first = reduced.first[k] + reduced.normals[k]
        if reduced.modes[k] == SLIPPING and reduced.tangents[k] > 0:
            one, two = reduced.velocity[first], 0.0
            if reduced.tangents[k] == 2:
                two = reduced.velocity[first + 1]
            group = rows.group_of[rows.sources[first]]
            laws = at(rows.laws, LAWS * group)
            is_broken = sqrt(one * one + two * two) > _UNMOVED * most and laws[2] == 0.0
            if is_broken and problem.friction[group] > laws[0]:
                problem.friction[group] = laws[0]
                broken += 1
    return broken


@native
def _impel(rows: Unilateral, speeds: Array) -> int:
    """Impulses by the reduced problem, whose free velocities are known, and what they change of speeds."""
    problem, reduced = rows.problem, rows.reduced
    for i in range(reduced.size):
        line, known = row(reduced.matrix, reduced, i), row(problem.matrix, problem, rows.sources[i])
        for j in range(reduced.size):
            line[j] = known[rows.sources[j]]
    if solve_cones(reduced, rows.linear) > 0:
        return UNSOLVED
    for k in range(reduced.size):
        problem.force[rows.sources[k]] = reduced.force[k]
    spread(rows, speeds)
    return SOLVED
