"""Rates and projection onto the constraints, as every method calls them; across a singular pose by its neighbourhood.

Projection is Newton's method with what the right-hand side puts out beside ẋ,

    q ← q + Γ(q) δ,    A δ = -φ,    then    u ← u + δu,    A (u + δu) + a = 0.

δ and δu are the least in the metric of the masses. The right-hand side gives Γ δ (`displacement`) and δu (`change`).

Where rows of the constraints depend on each other for a moment, the singular values σ of their matrix pass through
zero, and rounding by ε leaves ε/σ³ undetermined in the accelerations. The motion is smooth all the same. A state x near
such a pose is moved along its own velocity to twelve nodes on both sides; each is projected and has its rates there,
where σ is large enough; x and ẋ are the values at s = 0 of the polynomials through them. Nodes are halved until ten of
them give the same.
"""

from __future__ import annotations

from math import prod

from ..native.language import Array, absolute, blocks, call, fma, inline, largest, native, row, sqrt
from .rates import copy, largest_entry, plain_rates, scale_to_unit
from .record import Reason, Run

#: A state this near to its constraints is left where it is; so is one at a hundred times that which comes no nearer.
NEAR = 1e-14
MOST_STEPS = 5
#: The largest residual of all rows, those included that the right-hand side does not have.
OFF = 1e-10
_SIDE = (0.2, 0.275, 0.35, 0.425, 0.5, 0.575)
#: Nodes in units of the distance in which singular values grow to one.
NODES = (*(-node for node in reversed(_SIDE)), *_SIDE)
_HALVINGS = 3
#: Farther from a pose than this, in the same units, rates and projection are the plain ones.
_CLOSE = 0.2
#: By this, and this part of the speed, polynomials may differ from those without the outermost nodes.
_SMOOTH = 1e-12
#: Where they differ by more, nodes lie on different branches; where speeds change by this part, the motion is on none.
_OTHER_BRANCH, _CHANGED = 1e-4, 0.1


@inline
def rates(run, t, x, out):
    """out = ẋ(t, x); a reason where there is none, else 0."""
    return call(run.rates, run, t, x, out, returns=int)


@native
def checked_rates(run: Run, t: float, x: Array, out: Array) -> int:
    """The rates, across a singular pose where the plain ones are ill conditioned: what run.rates points to."""
    reason = plain_rates(run, t, x, out)
    if reason == Reason.ILL_CONDITIONED and run.pose_known > 0:
        return across(run, t, x, out)
    return reason


@inline
def project(run, t, x):
    """x becomes the nearest state on the constraints; a reason where there is none, else 0."""
    return call(run.project, run, t, x, returns=int)


@native
def checked_projection(run: Run, t: float, x: Array) -> int:
    """The projection, across a singular pose where the plain one fails: what run.project points to."""
    if run.pose_known == 0:
        return plain_projection(run, t, x)
    first, last = run.state_on, row(run.nodes, run, 4)
    copy(run, x, last)
    reason = plain_projection(run, t, x)
    if reason == 0:
        return 0
    copy(run, last, x)
    reason = across(run, t, x, run.residual)
    if reason == 0:
        copy(run, first, x)
    return reason


@native
def plain_projection(run: Run, t: float, x: Array) -> int:
    """The projection where the constraints are well conditioned."""
    scale_to_unit(run, x)
    left = 1e300
    steps = 0
    while True:
        reason = plain_rates(run, t, x, run.residual)
        if reason > 0:
            return reason
        size = largest_entry(run.displacement, 0, run.coordinate_count)
        if size <= NEAR:
            break
        if not size < left or steps >= MOST_STEPS:
            # rounding keeps it from coming nearer
            if size <= 1e2 * NEAR:
                break
            return Reason.ILL_CONDITIONED
        left = size
        steps += 1
        for i in range(run.coordinate_count):
            x[i] = x[i] + run.displacement[i]
        scale_to_unit(run, x)
    for i in range(run.speed_count):
        x[run.coordinate_count + i] = x[run.coordinate_count + i] + run.change[i]
    if run.check_count > 0:
        run.check_arguments[0] = x
        call(run.check_at, run.check_arguments)
        if not largest_entry(run.check_values, 0, run.check_count) <= OFF:
            return Reason.ILL_CONDITIONED
    return 0


@native
def across(run: Run, t: float, x: Array, out: Array) -> int:
    """out and run.state_on are rates and state on the branch through the pose."""
    velocity = row(run.nodes, run, 2)
    # q̇ is right whatever the pivots are
    copy(run, out, velocity)
    square, along = 0.0, 0.0
    for i in range(run.coordinate_count):
        square = fma(velocity[i], velocity[i], square)
        along = fma(run.pose[i] - x[i], velocity[i], along)
    if not square > 0.0:
        return Reason.ILL_CONDITIONED
    pose, unit = along / square, run.pose_reach / sqrt(square)
    if absolute(pose) > _CLOSE * unit:
        return Reason.ILL_CONDITIONED
    best, scale, halved = 1e300, 1.0, 0
    while True:
        error = _interpolated(run, t, x, pose, unit * scale)
        if error < best:
            best = error
            copy(run, row(run.nodes, run, 5), run.state_on)
            copy(run, row(run.nodes, run, 6), out)
        if best <= _SMOOTH or halved >= _HALVINGS:
            break
        halved += 1
        scale = 0.5 * scale
    if not best <= _OTHER_BRANCH:
        return Reason.ILL_CONDITIONED
    size, end = run.coordinate_count, run.coordinate_count + run.speed_count
    if _difference(run.state_on, x, size, end) > _CHANGED * largest_entry(x, size, end):
        return Reason.ILL_CONDITIONED
    return 0


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
    failed = 0
    for number, place in enumerate(NODES):
        s = fma(place, unit, pose)
        copy(run, x, node)
        for i in range(run.coordinate_count):
            node[i] = fma(s, velocity[i], node[i])
        off = plain_projection(run, t + s, node)
        reason = plain_rates(run, t + s, node, rate)
        if off > 0 or reason > 0:
            failed = 1
        for block in blocks(run):
            state[block] = fma(weights[number], node[block], state[block])
            rates_on[block] = fma(weights[number], rate[block], rates_on[block])
            if 0 < number < len(NODES) - 1:
                fewer[block] = fma(inner[number - 1], node[block], fewer[block])
                fewer_rates[block] = fma(inner[number - 1], rate[block], fewer_rates[block])
    size, end = run.coordinate_count, run.coordinate_count + run.speed_count
    speed, strongest = largest_entry(x, size, end), largest_entry(rates_on, size, end)
    error = _difference(state, fewer, 0, size)
    error = largest(error, _difference(state, fewer, size, end) / speed)
    error = largest(error, _difference(rates_on, fewer_rates, size, end) / (strongest + speed * speed))
    return 1e300 if failed > 0 else error


@inline
def _difference(one, other, first, end):
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
