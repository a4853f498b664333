"""Rates and projection as every method calls them: by elimination, and past a singular pose by polynomials.

Quaternions are used at unit length, and their rates multiplied by the lengths that they have.

Where rows of the constraints depend on each other for a moment, as in a parallelogram that lies flat, singular values σ
of their matrix pass through zero, and rounding by ε leaves ε/σ³ undetermined in the accelerations. The motion is
smooth all the same. A state x near such a pose is moved along its own velocity to twelve nodes on both sides; each is
projected and has its rates there, where σ is large enough; x and ẋ are the values at s = 0 of the polynomials through
them. Nodes are halved until ten of them give the same, or as long as that brings the two nearer to each other: the
difference is truncation, which falls by 2¹⁰ at each halving, or rounding, which grows.

The pose is where the pivot of the weakest row, σ² to first order, has its minimum along the velocity: two of Newton's
steps for dσ²/ds = 0, with differences. Where that minimum is not zero, or nodes lie on no smooth curve, none is passed.

Projection onto the constraints: Newton's method with what the right-hand side puts out beside ẋ.

    q ← q + Γ(q) δ,    A δ = -φ,    then    u ← u + δu,    A (u + δu) + a = 0

The second is one step; where rows are not linear in u, A = ∂f/∂u, it is repeated until f = 0.

δ and δu are the least in the metric of the masses. The right-hand side gives Γ δ (`displacement`), δu (`change`) and
the pivots of A M⁻¹ Aᵀ, each the squared distance of a row of A from those before it. A row is weak where its pivot is
small beside what it was before, at first beside those of other rows. It need not be ill conditioned: a row is long in
the metric where it moves light bodies, and turns with them. So weak rows are only the reason to search for a singular
pose.

Auxiliary coordinates, which have no inertia, are moved to where their definitions ψ(q, t) = 0 put them.
"""

from __future__ import annotations

from math import prod

from ..codegen.fixed_steps import MOST_STEPS, NEAR, OFF
from ..native.language import (
    NAN,
    Array,
    absolute,
    blocks,
    call,
    fma,
    greatest,
    inline,
    largest,
    native,
    row,
    sqrt,
    total,
    vector,
)
from .record import Reason, Run

_SIDE = (0.2, 0.275, 0.35, 0.425, 0.5, 0.575)
#: Nodes in units of the distance in which singular values grow to one.
NODES = (*(-node for node in reversed(_SIDE)), *_SIDE)
_HALVINGS = 3
#: Farther from a pose than this, in the same units, it is not passed.
_CLOSE = 0.2
#: By this, and this part of the speed, polynomials may differ from those without the outermost nodes, whose error is
#: the larger one. Rounding alone gives up to 3e-11 in a row of forty parallelograms.
_SMOOTH = 3e-11
#: Where they differ by more, nodes lie on different branches.
_OTHER_BRANCH = 1e-9
#: The largest displacement by which derivatives of pivots are taken, and the part of a pivot that it changes at least.
_SMALL, _LEAST_CHANGE = 1e-4, 1e-12
#: At a pose the weakest pivot is below this part of what is weak.
_VANISHES = 1e-2
#: A state that comes no nearer to its constraints than this, as rounding leaves ε/σ, stays where it is.
NO_NEARER = 1e-10
#: Auxiliary coordinates this near to their definitions are left where they are.
DEFINED = 1e-15
#: Pivots below this part of their usual size are weak.
WEAK = 6e-4
#: A row at which no singular pose was found is weak again where its pivot is less than this part.
_WEAKER = 0.25


@inline
def call_python_or_native(run, function, arguments, is_python):
    """Call a function, unless one has failed: run.failed stays set until Python has raised what went wrong."""
    if run.failed == 0:
        run.failed = is_python
        call(function, arguments)


@native
def rates_as_given(run: Run, t: float, x: Array, out: Array) -> int:
    """out = ẋ(t, x) of a right-hand side that is called with quaternions of any length."""
    run.clock = t
    run.evaluations += 1
    arguments = run.arguments
    arguments[run.x_index] = x
    arguments[run.out_index] = out
    call_python_or_native(run, run.at, arguments, run.calls_python)
    return Reason.FAILED if run.failed > 0 else 0


@native
def plain_rates(run: Run, t: float, x: Array, out: Array) -> int:
    """out = ẋ(t, x); a reason where there is none, else 0."""
    run.clock = t
    run.evaluations += 1
    arguments = run.arguments
    arguments[run.x_index] = x
    if run.group_count > 0:
        copy(run, x, run.unit)
        scale_to_unit(run, run.unit)
        if run.has_partners > 0:
            scale_momenta(run, run.unit, False)
        arguments[run.x_index] = run.unit
    arguments[run.out_index] = out
    call_python_or_native(run, run.at, arguments, run.calls_python)
    if run.failed > 0:
        return Reason.FAILED
    stretch(run, out)
    if run.has_partners > 0:
        scale_momenta(run, out, True)
    return 0


@inline
def scale_to_unit(run, x):
    """Scale quaternions to unit length; run.lengths become the lengths that they had."""
    for number in range(run.group_count):
        first, count = run.groups[number * 2], run.groups[number * 2 + 1]
        square = 0.0
        for i in range(first, first + count):
            square = fma(x[i], x[i], square)
        length = sqrt(square)
        run.lengths[number] = length
        for i in range(first, first + count):
            x[i] = x[i] / length


@inline
def stretch(run, out):
    """Multiply the rates of quaternions, which were used at unit length, by the lengths that they have."""
    for number in range(run.group_count):
        length = run.lengths[number]
        first, count = run.groups[number * 2], run.groups[number * 2 + 1]
        for i in range(first, first + count):
            out[i] = out[i] * length


@inline
def scale_momenta(run, x, is_rate):
    """Multiply the momentum P of each quaternion e by |e|, or its rate by 1/|e|: those of H(e/|e|, |e| P)."""
    for number in range(run.group_count):
        first, length = run.partners[number], run.lengths[number]
        factor = 1.0 / length if is_rate else length
        if first >= 0:
            for i in range(first, first + run.groups[number * 2 + 1]):
                x[i] = x[i] * factor


@inline
def copy(run, source, target):
    """Copy an array of the state's length."""
    for block in blocks(run):
        target[block] = source[block]


@inline
def are_finite(run, array):
    """True if all entries are finite."""
    zero = vector(0.0)
    for block in blocks(run):
        zero = fma(0.0, array[block], zero)
    return total(zero) == 0.0


@inline
def largest_of(run, array):
    """The largest size of an entry."""
    found = vector(0.0)
    for block in blocks(run):
        found = largest(found, absolute(array[block]))
    return greatest(found)


@inline
def largest_entry(array, first, end):
    """The largest size of some entries; 1e300 where one is nan."""
    found = 0.0
    for i in range(first, end):
        size = absolute(array[i])
        found = found if size <= found else (size if size == size else 1e300)
    return found


@inline
def norm(run, array, new=None):
    """Root of the mean square of the entries over atol + rtol |x|, or the larger of |x| and |new|."""
    square, x, rtol, atol = vector(0.0), run.x, run.rtol, run.atol
    for block in blocks(run):
        size = absolute(x[block])
        if new is not None:
            size = largest(size, absolute(new[block]))
        part = array[block] / fma(rtol, size, atol)
        square = fma(part, part, square)
    return sqrt(total(square) / float(run.size))


# ---- projection ----------------------------------------------------------------------------------------------------


@native
def rates_by_rows(run: Run, t: float, x: Array, out: Array) -> int:
    """The rates by elimination with the rows as they are; run.weakness is the least pivot by its usual size."""
    reason = plain_rates(run, t, x, out)
    if reason > 0:
        return reason
    run.weakness = 1e300
    most = 0.0
    for i in range(run.pivot_count):
        most = largest(most, run.pivots[i] * run.pivot_signs[i])
    for i in range(run.pivot_count):
        pivot = run.pivots[i] * run.pivot_signs[i]
        usual = largest(run.usual_pivots[i], pivot) if run.usual_pivots[i] > 0.0 else most
        if run.is_searching == 0 or not run.usual_pivots[i] > 0.0:
            run.usual_pivots[i] = usual
        if pivot < run.weakness * usual:
            run.weakness = pivot / usual
            run.weak_row = i
        if not pivot > 0.0 and run.passes_poses > 0 and reason == 0:
            # those after it are nan
            reason = Reason.ILL_CONDITIONED
            run.weakness = 0.0
            run.weak_row = i
    return reason


@inline
def accept_weak_rows(run):
    """Take pivots that are weak for usual from now on."""
    for i in range(run.pivot_count):
        pivot = run.pivots[i]
        if pivot > 0.0 and pivot < WEAK * run.usual_pivots[i]:
            run.usual_pivots[i] = pivot * (_WEAKER / WEAK)


@native
def projection_by_rows(run: Run, t: float, x: Array) -> int:
    """x becomes the nearest state on the constraints, by elimination with the rows as they are; a reason, or 0."""
    scale_to_unit(run, x)
    satisfy_definitions(run, t, x)
    left = 1e300
    steps = 0
    while True:
        reason = rates_by_rows(run, t, x, run.residual)
        if reason > 0:
            return reason
        size = largest_entry(run.displacement, 0, run.coordinate_count)
        if size <= NEAR:
            break
        if not size < left or steps >= MOST_STEPS:
            if size <= NO_NEARER:
                break
            return Reason.ILL_CONDITIONED
        left = size
        steps += 1
        for i in range(run.coordinate_count):
            x[i] = x[i] + run.displacement[i]
        scale_to_unit(run, x)
        satisfy_definitions(run, t, x)
    steps = 0
    while True:
        for i in range(run.speed_count):
            x[run.coordinate_count + i] = x[run.coordinate_count + i] + run.change[i]
        if run.is_curved == 0 or steps >= MOST_STEPS or largest_entry(run.change, 0, run.speed_count) <= NEAR:
            break
        steps += 1
        reason = rates_by_rows(run, t, x, run.residual)
        if reason > 0:
            return reason
    if run.check_count > 0:
        run.check_arguments[0] = x
        call(run.check_at, run.check_arguments)
        if not largest_entry(run.check_values, 0, run.check_count) <= OFF:
            return Reason.ILL_CONDITIONED
    return 0


@inline
def satisfy_definitions(run, t, x):
    """Move auxiliary coordinates by Newton's steps, none longer than one, until they come no nearer."""
    left = 1e300
    steps = 0
    while run.auxiliary_count > 0 and steps < MOST_STEPS:
        run.clock = t
        run.definition_arguments[0] = x
        call(run.definition_at, run.definition_arguments)
        size = largest_entry(run.definition_steps, 0, run.auxiliary_count)
        if not size < left or size <= DEFINED:
            break
        for i in range(run.auxiliary_count):
            place = run.auxiliary_first + i
            x[place] = x[place] + run.definition_steps[i] / largest(size, 1.0)
        scale_to_unit(run, x)
        left = size
        steps += 1


# ---- singular poses ------------------------------------------------------------------------------------------------


@native
def passes_pose(run: Run, t: float, x: Array, out: Array) -> bool:
    """True if there is a singular pose to pass near x; then out and run.state_on are rates and state."""
    if run.passes_poses == 0:
        return False
    velocity = row(run.nodes, run, 2)
    copy(run, out, velocity)
    run.is_searching = 1
    is_passed = False
    if run.pose_reach > 0.0:
        is_passed = _across(run, t, x, out)
    if not is_passed:
        run.pose_reach = 0.0
        if _find(run, t, x):
            is_passed = _across(run, t, x, out)
            if not is_passed:
                run.pose_reach = 0.0
    run.is_searching = 0
    return is_passed


@native
def _find(run: Run, t: float, x: Array) -> bool:
    """True if the weakest row vanishes near x on the way along the velocity: at run.pose."""
    node, rate, velocity = row(run.nodes, run, 0), row(run.nodes, run, 1), row(run.nodes, run, 2)
    weak, usual = run.weak_row, 0.0
    speed = largest_entry(velocity, 0, run.coordinate_count)
    if not (speed > 0.0 and speed < 1e300):
        return False
    step = _SMALL / speed
    pose, unit, here = 0.0, 0.0, 0.0
    for _ in range(2):
        before, after = 0.0, 0.0
        for side in (-1.0, 0.0, 1.0):
            s = fma(side, step, pose)
            copy(run, x, node)
            for i in range(run.coordinate_count):
                node[i] = fma(s, velocity[i], node[i])
            if rates_by_rows(run, t + s, node, rate) == Reason.FAILED:
                return False
            before, here, after = here, after, run.pivots[weak]
        usual = run.usual_pivots[weak]
        change = after - 2.0 * here + before
        if not change > _LEAST_CHANGE * here:
            return False
        unit = step * sqrt(2.0 * usual / change)
        pose = pose - 0.5 * step * (after - before) / change
        if not absolute(pose) <= _CLOSE * unit:
            return False
    if not here <= _VANISHES * WEAK * usual:
        return False
    square = 0.0
    for i in range(run.coordinate_count):
        run.pose[i] = fma(pose, velocity[i], x[i])
        square = fma(velocity[i], velocity[i], square)
    run.pose_reach = unit * sqrt(square)
    return True


@native
def _across(run: Run, t: float, x: Array, out: Array) -> bool:
    """True if the pose at run.pose is passed; then out and run.state_on are rates and state on its branch."""
    velocity = row(run.nodes, run, 2)
    square, along = 0.0, 0.0
    for i in range(run.coordinate_count):
        square = fma(velocity[i], velocity[i], square)
        along = fma(run.pose[i] - x[i], velocity[i], along)
    if not square > 0.0:
        return False
    pose, unit = along / square, run.pose_reach / sqrt(square)
    if absolute(pose) > _CLOSE * unit:
        return False
    best, scale, is_rounding = 1e300, 1.0, False
    for _ in range(_HALVINGS + 1):
        if not (best <= _SMOOTH or is_rounding):
            error = _interpolated(run, t, x, pose, unit * scale)
            is_rounding = best < 1e300 and not error < best
            if error < best:
                best = error
                copy(run, row(run.nodes, run, 5), run.state_on)
                copy(run, row(run.nodes, run, 6), out)
            scale = 0.5 * scale
    return best <= _OTHER_BRANCH


@native
def _interpolated(run: Run, t: float, x: Array, pose: float, unit: float) -> float:
    """State and rates at s = 0 of the polynomials through the nodes; the difference of ten nodes from all twelve."""
    node, rate, velocity = row(run.nodes, run, 0), row(run.nodes, run, 1), row(run.nodes, run, 2)
    state, rates_on = row(run.nodes, run, 5), row(run.nodes, run, 6)
    fewer, fewer_rates = row(run.nodes, run, 3), row(run.nodes, run, 7)
    weights, inner = _lagrange(NODES, -pose / unit), _lagrange(NODES[1:-1], -pose / unit)
    for block in blocks(run):
        for array in (state, rates_on, fewer, fewer_rates):
            array[block] = 0.0
    for number, place in enumerate(NODES):
        s = fma(place, unit, pose)
        copy(run, x, node)
        for i in range(run.coordinate_count):
            node[i] = fma(s, velocity[i], node[i])
        if projection_by_rows(run, t + s, node) > 0:
            return 1e300
        if rates_by_rows(run, t + s, node, rate) > 0 or run.weakness < WEAK:
            return 1e300
        for block in blocks(run):
            state[block] = fma(weights[number], node[block], state[block])
            rates_on[block] = fma(weights[number], rate[block], rates_on[block])
            if 0 < number < len(NODES) - 1:
                fewer[block] = fma(inner[number - 1], node[block], fewer[block])
                fewer_rates[block] = fma(inner[number - 1], rate[block], fewer_rates[block])
    size, end = run.coordinate_count, run.coordinate_count + run.speed_count
    speed, strongest = largest_entry(x, size, end), largest_entry(rates_on, size, end)
    error = largest_difference(state, fewer, 0, size)
    error = largest(error, largest_difference(state, fewer, size, end) / speed)
    return largest(error, largest_difference(rates_on, fewer_rates, size, end) / (strongest + speed * speed))


@inline
def largest_difference(one, other, first, end):
    """The largest difference between the entries of two arrays."""
    found = 0.0
    for i in range(first, end):
        found = largest(found, absolute(one[i] - other[i]))
    return found


@inline
def _lagrange(nodes, at):
    """The weights of values at the nodes in the value of their polynomial at another point, in barycentric form."""
    shares = [1.0 / prod(a - b for b in nodes if b != a) for a in nodes]
    parts = [share / (at - node) for share, node in zip(shares, nodes, strict=True)]
    together = parts[0]
    for part in parts[1:]:
        together = together + part
    return [part / together for part in parts]


#: Where a projection past a pose changes speeds by more than this part, the motion is on no branch through it.
_CHANGED = 0.1


@inline
def rates(run, t, x, out):
    """out = ẋ(t, x), nan where constraints lock each other; a reason where a function failed, else 0."""
    return call(run.rates, run, t, x, out, returns=int)


@native
def checked_rates(run: Run, t: float, x: Array, out: Array) -> int:
    """The rates: what run.rates points to."""
    reason = rates_by_rows(run, t, x, out)
    if reason == Reason.FAILED or (reason == 0 and is_sound(run)):
        return reason
    if passes_pose(run, t, x, out) and has_speeds(run, x):
        return 0
    if rates_by_rows(run, t, x, out) == Reason.FAILED:
        return Reason.FAILED
    accept_weak_rows(run)
    if run.weakness > 0.0:
        return 0
    for i in range(run.size):  # what pads it stays zero
        out[i] = NAN
    return 0


@inline
def is_sound(run):
    """True if no row was weak in the last evaluation."""
    return not run.weakness < WEAK or run.passes_poses == 0


@inline
def has_speeds(run, x):
    """True if the state on a branch has the speeds of x, but for what a step may be off."""
    first, end = run.coordinate_count, run.coordinate_count + run.speed_count
    return not largest_difference(run.state_on, x, first, end) > _CHANGED * largest_entry(x, first, end)


@inline
def project(run, t, x):
    """x becomes the nearest state on the constraints; a reason where there is none, else 0."""
    return call(run.project, run, t, x, returns=int)


@native
def checked_projection(run: Run, t: float, x: Array) -> int:
    """The projection: what run.project points to."""
    before = row(run.nodes, run, 4)
    copy(run, x, before)
    reason = projection_by_rows(run, t, x)
    if reason == Reason.FAILED:
        return reason
    if reason == 0 and is_sound(run):
        return 0 if run.passes_poses > 0 or keeps_determinant(run) else Reason.ILL_CONDITIONED
    copy(run, before, x)
    if rates_by_rows(run, t, x, run.residual) == Reason.FAILED:
        return Reason.FAILED
    if passes_pose(run, t, x, run.residual) and has_speeds(run, x):
        copy(run, run.state_on, x)
        return 0
    reason = projection_by_rows(run, t, x)
    accept_weak_rows(run)
    return reason


@inline
def keeps_determinant(run):
    """True if the determinant of dependent speeds has the sign that it had; one that has not is beyond a dead point."""
    sign = 1.0
    for i in range(run.pivot_count):
        if run.pivots[i] * run.pivot_signs[i] < 0.0:
            sign = -sign
    if sign > 0.0:
        for i in range(run.pivot_count):
            run.pivot_signs[i] = -1.0 if run.pivots[i] < 0.0 else 1.0
    return sign > 0.0


@native
def move_to_branch(run: Run, t: float, x: Array) -> int:
    """Near a singular pose x becomes the state of a motion through it: a pose may allow speeds that no motion has."""
    reason = rates_by_rows(run, t, x, run.residual)
    if reason == Reason.FAILED:
        return reason
    if (reason > 0 or not is_sound(run)) and passes_pose(run, t, x, run.residual):
        copy(run, run.state_on, x)
        return 0
    return Reason.ILL_CONDITIONED
