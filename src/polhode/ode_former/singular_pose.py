"""Through a singular pose, as native code: rates and projection by polynomials through states beside it.

Where a parallelogram lies flat, the singular values σ of its constraint matrix pass through zero, and rounding by ε
leaves ε/σ³ undetermined in the accelerations. The motion is smooth all the same. A state x near such a pose is moved
along its own velocity to twelve nodes on both sides; each is projected and has its rates there, where σ is large
enough; x and ẋ are the values at s = 0 of the polynomials through them. Nodes are halved until ten of them say the
same.

Where the pose lies, and how far from it σ has grown to one (`pose_reach`), is found by Python once for each passage.
"""

from __future__ import annotations

from math import prod

from ..codegen.llvm.builder import BLOCK, DOUBLE, INTEGER, POINTER, Function, Record, Value
from .run_record import RUN, Reason, copy, largest_entry

_SIDE = (0.2, 0.275, 0.35, 0.425, 0.5, 0.575)
#: Nodes in units of the distance in which singular values grow to one.
NODES = (*(-node for node in reversed(_SIDE)), *_SIDE)
_HALVINGS = 3
#: So far from a pose, in the same units, there is no need to be carried over it.
_NEAR = 0.2
#: By this, and this part of the speed, polynomials may differ from those without the outermost nodes.
_SMOOTH = 1e-12
#: Where they differ by more, nodes lie on different branches; where speeds change by this part, the motion is on none.
_OTHER_BRANCH, _CHANGED = 1e-4, 0.1


def passing_functions(fused: bool) -> list[Function]:
    """ph_rates and ph_project: the plain ones, and across a known singular pose where these cannot be trusted."""
    return [_across(fused), _rates(fused), _project(fused)]


def _rates(fused: bool) -> Function:
    f = Function("ph_rates", returns=INTEGER, fused=fused, internal=True, run=POINTER, t=DOUBLE, x=POINTER, out=POINTER)
    run, own = Record(RUN, f.arguments["run"]), f.arguments
    reason = f.call("ph_plain_rates", INTEGER, own["run"], own["t"], own["x"], own["out"])
    with f.when(reason.equals(Reason.ILL_CONDITIONED) & (run.pose_known > 0)):
        f.give(f.call("ph_across", INTEGER, own["run"], own["t"], own["x"], own["out"]))
    f.give(reason)
    return f


def _project(fused: bool) -> Function:
    f = Function("ph_project", returns=INTEGER, fused=fused, internal=True, run=POINTER, t=DOUBLE, x=POINTER)
    run, own = Record(RUN, f.arguments["run"]), f.arguments
    first, last = run.state_on, run.nodes.at(run.blocks * 4, BLOCK)
    copy(f, run, own["x"], last)
    reason = f.call("ph_plain_projection", INTEGER, own["run"], own["t"], own["x"])
    with f.when(~((reason > 0) & (run.pose_known > 0))):
        f.give(reason)
    copy(f, run, last, own["x"])
    across = f.call("ph_across", INTEGER, own["run"], own["t"], own["x"], run.residual)
    with f.when(across.equals(0)):
        copy(f, run, first, own["x"])
    f.give(across)
    return f


def _across(fused: bool) -> Function:
    """ph_across(run, t, x, f): f and run.state_on are rates and state on the branch through the pose."""
    f = Function(
        "ph_across", returns=INTEGER, fused=fused, internal=True, run=POINTER, t=DOUBLE, x=POINTER, out=POINTER
    )
    run, own = Record(RUN, f.arguments["run"]), f.arguments
    t, x, out, state_on = own["t"], own["x"], own["out"], run.state_on
    node, rate, velocity = (run.nodes.at(run.blocks * k, BLOCK) for k in range(3))
    # q̇ is right whatever the pivots are
    copy(f, run, out, velocity)
    square, along = f.variable(0.0), f.variable(0.0)
    with f.loop(run.coordinate_count) as i:
        square.value = f.fma(velocity[i], velocity[i], square.value)
        along.value = f.fma(run.pose[i] - x[i], velocity[i], along.value)
    with f.when(~(square.value > 0.0)):
        f.give(Reason.ILL_CONDITIONED)
    pose, unit = along.value / square.value, run.pose_reach / f.sqrt(square.value)
    with f.when(f.absolute(pose) > _NEAR * unit):
        f.give(Reason.ILL_CONDITIONED)
    best, halved, scale = f.variable(1e300), f.variable(0), f.variable(1.0)
    with f.repeat():
        error = _interpolated(f, run, t, x, (node, rate, velocity), pose, unit * scale.value)
        # the last columns of `nodes` hold what this try came to
        with f.when(error < best.value):
            best.value = error
            copy(f, run, run.nodes.at(run.blocks * 5, BLOCK), state_on)
            copy(f, run, run.nodes.at(run.blocks * 6, BLOCK), out)
        f.leave_if((best.value <= _SMOOTH) | (halved.value >= _HALVINGS))
        halved.value = halved.value + 1
        scale.value = 0.5 * scale.value
    with f.when(~(best.value <= _OTHER_BRANCH)):
        f.give(Reason.ILL_CONDITIONED)
    size = run.coordinate_count
    end = size + run.speed_count
    with f.when(_apart(f, state_on, x, size, end) > _CHANGED * largest_entry(f, x, size, end)):
        f.give(Reason.ILL_CONDITIONED)
    f.give(0)
    return f


def _interpolated(
    f: Function, run: Record, t: Value, x: Value, work: tuple[Value, Value, Value], pose: Value, unit: Value
) -> Value:
    """State and rates at s = 0 of the polynomials through the nodes; how much the inner ten nodes differ from all."""
    node, rate, velocity = work
    state, rates, fewer, fewer_rates = (run.nodes.at(run.blocks * k, BLOCK) for k in (5, 6, 3, 7))
    at = -pose / unit
    weights, inner = _lagrange(f, NODES, at), _lagrange(f, NODES[1:-1], at)
    zero = f.of_kind(BLOCK, 0.0)
    with f.loop(run.blocks) as block:
        for array in (state, rates, fewer, fewer_rates):
            array.store_block(block, zero)
    failed = f.variable(0)
    for number, place in enumerate(NODES):
        s = f.fma(place, unit, pose)
        copy(f, run, x, node)
        with f.loop(run.coordinate_count) as i:
            node[i] = f.fma(s, velocity[i], node[i])
        off = f.call("ph_plain_projection", INTEGER, f.arguments["run"], t + s, node)
        reason = f.call("ph_plain_rates", INTEGER, f.arguments["run"], t + s, node, rate)
        with f.when((off > 0) | (reason > 0)):
            failed.value = 1
        with f.loop(run.blocks) as block:
            state.store_block(block, f.fma(weights[number], node.block(block), state.block(block)))
            rates.store_block(block, f.fma(weights[number], rate.block(block), rates.block(block)))
            if 0 < number < len(NODES) - 1:
                fewer.store_block(block, f.fma(inner[number - 1], node.block(block), fewer.block(block)))
                of_rates = f.fma(inner[number - 1], rate.block(block), fewer_rates.block(block))
                fewer_rates.store_block(block, of_rates)
    size = run.coordinate_count
    end = size + run.speed_count
    speed, strongest = largest_entry(f, x, size, end), largest_entry(f, rates, size, end)
    error = _apart(f, state, fewer, f.integer(0), size)
    error = f.largest(error, _apart(f, state, fewer, size, end) / speed)
    error = f.largest(error, _apart(f, rates, fewer_rates, size, end) / (strongest + speed * speed))
    return f.select(failed.value > 0, 1e300, error)


def _apart(f: Function, one: Value, other: Value, first: Value, end: Value) -> Value:
    """The largest difference between the entries of two arrays."""
    found = f.variable(0.0)
    with f.loop(end, first) as i:
        found.value = f.largest(found.value, f.absolute(one[i] - other[i]))
    largest: Value = found.value
    return largest


def _lagrange(f: Function, nodes: tuple[float, ...], at: Value) -> list[Value]:
    """The weights of values at the nodes in the value of their polynomial at another point, by barycentric form."""
    shares = [1.0 / prod(a - b for b in nodes if b != a) for a in nodes]
    parts = [share / (at - node) for share, node in zip(shares, nodes, strict=True)]
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    return [part / total for part in parts]
