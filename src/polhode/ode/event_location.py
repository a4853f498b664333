"""Zeros of event functions g(t, x) inside a step, on its dense output, in their order.

An interval of the step is tested by the quartic through g at five times, checked at four more, in Bernstein's form: its
coefficients bound it and its slope. Where they exclude a zero, or show that g is monotone, also by its slopes next to
both ends, the interval is settled; else it is divided. Two zeros of one event closer than 2^-20 of the step, or than
1e-10 s, count as none: touching zero is no event. Of a Python function, whose smoothness is not known, sign changes at
eighths of the step and at the samples inside it are found. A change of sign through infinity is no zero.

The sign of g before a time is that of its last value that was not zero: the event of a function that stays at zero for
a while is where it leaves with the other sign. An event that changed the state stands at its zero with the sign from
which it came.

Corners of the tables that a run reads: in each step a table is read within the segment that its argument lies in.

The corners that bound it are events, so that steps end at them. Where a step would pass many of them tables are read as
they are.
"""

from __future__ import annotations

import itertools
from math import comb

import numpy as np

from ..native.language import NAN, absolute, at, blocks, call, fma, inline, is_nan, largest, native, smallest
from .record import ENDS, FAR, SEARCH_ROOM, SWITCHES, ZENO, Run
from .right_side import call_python_or_native, copy, project, scale_to_unit
from .step_control import next_step

#: A zero is located to this, in seconds, and to this part of the time.
CLOSE, PART = 1e-15, 1e-14
#: An interval is divided so often at most, and down to this, in s; so many intervals of a step are tested.
_DEPTH, _SHORTEST, _MOST_INTERVALS = 20, 1e-10, 400
#: Times inside of a step at which values are kept.
KEPT = 1024
#: Errors of the fit count so many times, and those of its slope.
_DOUBT, _SLOPE_DOUBT = 4.0, 16.0
#: Rounding of g, as a part of its size in the interval.
_ROUNDING = 1e-13
#: Where |g| is so many times larger beside a change of sign than around it, or larger than this, there is a pole.
_POLE, _HUGE = 10.0, 1e200
#: The last part of a step, in which a function that is zero at its end was not.
_LAST_PART = 2.0**-10
#: An event that stays at zero is at most so many times farther away from it inside of a step than at its ends.
_INSIDE = 1e4
#: No common divisor: at equal distances an oscillation is not told from a slower one, which has other zeros.
_NODES = (0.0, 0.2113, 0.4871, 0.7713, 1.0)
_CHECKS = (0.1127, 0.3457, 0.6311, 0.9031)
#: Next to the ends, where a distance falls and grows again before the next node.
_BESIDE = (2.0**-10, 1.0 - 2.0**-10)


def _bernstein() -> tuple[tuple[float, ...], ...]:
    """Bernstein's coefficients of the quartic through values at the nodes."""
    basis = [[comb(4, k) * s**k * (1.0 - s) ** (4 - k) for k in range(5)] for s in _NODES]
    return tuple(tuple(line) for line in np.linalg.inv(np.array(basis)).tolist())


def _predictions() -> tuple[tuple[float, ...], ...]:
    """The weights of values at the nodes in the quartic at the times of the checks."""
    return tuple(tuple(float(np.prod([(s - b) / (a - b) for b in _NODES if b != a])) for a in _NODES) for s in _CHECKS)


_BERNSTEIN, _PREDICTIONS = _bernstein(), _predictions()


@inline
def evaluate_events(run, t, x):
    """Values of all event functions at a state, in run.events.values."""
    events = run.events
    run.clock = t
    events.arguments[0] = x
    if run.event_count > events.switch_count + events.guard_count:
        call_python_or_native(run, events.at, events.arguments, events.calls_python)
    if events.guard_count > 0:
        first = run.event_count - events.switch_count - events.guard_count
        call(events.guard_at, run, t, x, at(events.values, first))
    if events.switch_count > 0:
        evaluate_switches(run, t, x)


@inline
def evaluate_switches(run, t, x):
    """The last of these values, which the right-hand side has, and the arguments of its tables."""
    events = run.events
    run.clock = t
    events.switch_arguments[events.switch_x_index] = x
    if run.group_count > 0:
        copy(run, x, run.unit)
        scale_to_unit(run, run.unit)
        events.switch_arguments[events.switch_x_index] = run.unit
    call(events.switch_at, events.switch_arguments)


@native
def event_value(run: Run, number: int, t: float) -> float:
    """The value of one event on the dense output of the last step; nan where it has none."""
    if t >= run.t:
        evaluate_events(run, run.t, run.x)
        return NAN if run.failed > 0 else run.events.values[number]
    events = run.events
    if events.guard_count > 0:
        for k in range(events.kept_count):
            if events.kept_times[k] == t:
                return events.kept_values[k * run.event_count + number]
    reason = call(run.state_at, run, t, run.y, returns=int)
    if reason > 0:
        return NAN
    evaluate_events(run, t, run.y)
    _keep_values(run, t)
    return NAN if run.failed > 0 else events.values[number]


@inline
def _keep_values(run, t):
    """Keep the values of all events at a time inside of the last step, where guards are among them."""
    events = run.events
    if events.guard_count > 0 and events.kept_count < KEPT:
        events.kept_times[events.kept_count] = t
        kept = at(events.kept_values, events.kept_count * run.event_count)
        for i in range(run.event_count):
            kept[i] = events.values[i]
        events.kept_count += 1


@native
def scan(run: Run) -> int:
    """Test all events over the whole step; times become t_old for those that may have zeros in it, else nan."""
    events = run.events
    events.kept_count = 0
    h, found = run.t - run.t_old, 0
    for node, part in enumerate((*_NODES[1:-1], *_CHECKS, *_BESIDE)):
        t = fma(part, h, run.t_old)
        run.takes_rough = int(events.guard_count > 0)  # guards cost an evaluation each; near zero they are taken again
        reason = call(run.state_at, run, t, run.y, returns=int)
        run.takes_rough = 0
        if reason > 0:
            return -1
        evaluate_events(run, t, run.y)
        if run.failed > 0:
            return -1
        for i in range(events.active):
            events.work[i * SEARCH_ROOM + 1 + node] = events.values[i]
    evaluate_events(run, run.t, run.x)
    if run.failed > 0:
        return -1
    for i in range(events.active):
        inside = [events.work[i * SEARCH_ROOM + 1 + node] for node in range(SEARCH_ROOM - 1)]
        before, after, near = events.before[i], events.values[i], events.near[i]
        verdict = _verdict((before, *inside[:3], after), inside[3:7], inside[7:])
        events.work[i * SEARCH_ROOM] = events.sides[i]
        events.times[i] = NAN
        is_sure = (verdict == 1) & (_sign(after, near, events.sides[i]) * events.sides[i] >= 0.0)
        is_sure = is_sure | ((verdict == 2) & (_sign(before, 0.0, events.sides[i]) * after > 0.0))
        is_sure = is_sure & (_crossed_at_begin(run, i) == 0)
        reaches = _is_last(run, i, run.t, after) and _reaches_zero(run, i, 1.0 - _CHECKS[-1], inside[6], after)
        if not is_sure or events.smooth[i] == 0 or reaches:
            stays = largest(absolute(before), absolute(after)) <= near
            if stays and absolute(inside[1]) > _INSIDE * near:
                stays = run.is_constrained > 0 and _stays_on_constraints(run, i)
            if not stays:
                events.times[i] = run.t_old
                found += 1
    return found


@inline
def _crossed_at_begin(run, number):
    """1 if an impact at the begin of the step has moved a user's event across zero, else 0."""
    events = run.events
    is_user = number < run.event_count - events.switch_count - events.guard_count
    is_across = events.sides[number] * _sign(events.before[number], events.near[number], events.sides[number]) < 0.0
    return int((events.guard_count > 0) & is_user & is_across)


@native
def _stays_on_constraints(run: Run, number: int) -> bool:
    """True if an event is zero inside of the step at the state on the constraints that is nearest to dense output."""
    events, t = run.events, fma(_NODES[2], run.t - run.t_old, run.t_old)
    value = NAN
    if call(run.state_at, run, t, run.y, returns=int) == 0 and project(run, t, run.y) == 0:
        evaluate_events(run, t, run.y)
        value = absolute(events.values[number])
        evaluate_events(run, run.t, run.x)
    return value <= _INSIDE * events.near[number]


@inline
def _reaches_zero(run, number, part, before, end):
    """True if an event, which had a value before the last part of the step, is zero to rounding at its end."""
    change, seconds = end - before, part * (run.t - run.t_old)
    is_near = absolute(end) * seconds <= ZENO * largest(1.0, absolute(run.t)) * absolute(change)
    return is_near and (end * change <= 0.0 or absolute(end) <= run.events.near[number]) and change != 0.0


@inline
def _is_last(run, number, t, end):
    """True where a run ends; for a change of the state, and for what is zero exactly, where a segment of it ends."""
    is_change = (run.events.kinds[number] > ENDS) & (run.events.kinds[number] < SWITCHES)
    return t >= (run.t_end if is_change or end == 0.0 else run.t_final)


@native
def _ends_at_zero(run: Run, number: int, b: float, end: float) -> bool:
    """True if the run, or a segment of it, ends at b, and an event becomes zero there."""
    if _is_last(run, number, b, end):
        before = event_value(run, number, fma(1.0 - _LAST_PART, run.t - run.t_old, run.t_old))
        return _reaches_zero(run, number, _LAST_PART, before, end)
    return False


@inline
def _sign(value, near, otherwise):
    """1.0 or -1.0, of a value that counts as zero another sign."""
    return otherwise if absolute(value) <= near else (1.0 if value > 0.0 else -1.0)


@inline
def _verdict(values, checks, beside):
    """1: no zero between; 2: monotone between; 0: not known. By values at nodes, at checks, and next to both ends."""
    size, off = 0.0, 0.0
    for value in values:
        size = largest(size, absolute(value))
    for weights, checked in zip(_PREDICTIONS, checks, strict=True):
        off = largest(off, absolute(_weighted(weights, values) - checked))
    margin = fma(_DOUBT, off, _ROUNDING * size)
    coefficients = [_weighted(weights, values) for weights in _BERNSTEIN]
    least, most = coefficients[0], coefficients[0]
    for each in coefficients[1:]:
        least, most = smallest(least, each), largest(most, each)
    slopes = [two - one for one, two in itertools.pairwise(coefficients)]
    flattest, steepest = slopes[0], slopes[0]
    for each in slopes[1:]:
        flattest, steepest = smallest(flattest, each), largest(steepest, each)
    slope_margin = fma(_SLOPE_DOUBT, off, _ROUNDING * size)
    if is_nan(off + size + _weighted(_PREDICTIONS[0], values)):
        return 0
    if size == 0.0 and off == 0.0:
        return 1
    if least > margin or most < -margin:
        return 1
    begins, ends = beside[0] - values[0], values[-1] - beside[1]
    if flattest > slope_margin and smallest(begins, ends) >= -_ROUNDING * size:
        return 2
    if steepest < -slope_margin and largest(begins, ends) <= _ROUNDING * size:
        return 2
    return 0


@inline
def _weighted(weights, values):
    made = weights[0] * values[0]
    for weight, value in zip(weights[1:], values[1:], strict=True):
        made = fma(weight, value, made)
    return made


@native
def next_zero(run: Run, number: int, begin: float, sign: float) -> float:
    """The first zero of an event in (begin, run.t], where it comes with a sign; nan for none, inf for nan."""
    events = run.events
    if begin <= run.t_old and _crossed_at_begin(run, number) > 0:
        return begin
    stack, depth, left = events.nodes, 0, _MOST_INTERVALS
    stack[0] = run.t
    a, side, has_left = begin, sign, False
    smallest_part = largest((run.t - run.t_old) * 2.0**-_DEPTH, largest(_SHORTEST, PART * absolute(run.t)))
    while depth >= 0 and a < smallest(run.t, events.limit):
        b = stack[depth]
        h = b - a
        events.sides[number] = side  # behind a pole another
        end = event_value(run, number, b)
        if is_nan(end):
            return 1e300
        verdict = 0
        is_smallest = h <= smallest_part or left <= 0 or depth >= 60
        if not is_smallest:
            left -= 1
            first = event_value(run, number, a)
            inner = [event_value(run, number, fma(part, h, a)) for part in _NODES[1:-1]]
            checks = [event_value(run, number, fma(part, h, a)) for part in _CHECKS]
            beside = [event_value(run, number, fma(part, h, a)) for part in _BESIDE]
            verdict = _verdict((first, *inner, end), checks, beside)
        if verdict == 0 and not is_smallest:
            depth += 1
            stack[depth] = fma(0.5, h, a)
        else:
            now = _sign(end, events.near[number], side)
            if b > begin and side != 0.0 and _ends_at_zero(run, number, b, end):
                return b  # what comes behind the end of a run is not known
            if side * now < 0.0:
                # where there is no zero inside, it lies at the begin, at which g vanishes to rounding
                zero = a if has_left else begin
                if verdict != 1:
                    zero = zero_between(run, number, a, b, side)
                if not is_nan(zero):
                    return zero
                side = now
            if side == 0.0 or verdict == 1:
                side = now
            has_left = has_left or absolute(end) > events.near[number]
            a = b
            depth -= 1
    return NAN


@native
def next_sign_change(run: Run, number: int, begin: float, sign: float) -> float:
    """The same for a function of which nothing is known: at eighths of the step and at samples inside it."""
    events, a, side, sample = run.events, begin, sign, run.next_sample
    if begin <= run.t_old and _crossed_at_begin(run, number) > 0:
        return begin
    while a < run.t:
        b = run.t
        events.sides[number] = side
        for part in (0.125, 0.25, 0.375, 0.5, 0.625, 0.75, 0.875):
            node = fma(part, run.t - run.t_old, run.t_old)
            if node > a and node < b:
                b = node
        while sample < run.sample_count and run.times[sample] <= a:
            sample += 1
        if sample < run.sample_count and run.times[sample] < b:
            b = run.times[sample]
        end = event_value(run, number, b)
        if is_nan(end):
            return 1e300
        if b > begin and side != 0.0 and _ends_at_zero(run, number, b, end):
            return b
        now = _sign(end, events.near[number], side)
        if side * now < 0.0:
            zero = zero_between(run, number, a, b, side)
            if not is_nan(zero):
                return zero
        side = now
        a = b
    return NAN


@native
def zero_between(run: Run, number: int, before: float, after: float, sign: float) -> float:
    """The zero between two times at which an event has opposite signs, by Chandrupatla's method.

    The end of the interval in which g is zero; nan for a pole; 1e300 where g is nan.
    """
    a, b, c = after, before, before
    fa, fb, fc = event_value(run, number, after), event_value(run, number, before), 0.0
    if is_nan(fa) or is_nan(fb):
        return 1e300
    if fa == 0.0:
        return after
    if fb == 0.0:
        return _end_of_zeros(run, number, before, after)
    if fb * sign < 0.0 or fa * fb > 0.0:
        return before
    part, low, high, usual = 0.5, smallest(absolute(fa), absolute(fb)), largest(absolute(fa), absolute(fb)), -1.0
    while True:
        t = a + part * (b - a)
        ft = event_value(run, number, t)
        if is_nan(ft):
            return 1e300
        if largest(absolute(ft), high) > _HUGE:
            return NAN
        if ft == 0.0:
            return _end_of_zeros(run, number, t, largest(a, b))
        if usual < 0.0:
            usual = largest(low, smallest(high, absolute(ft)))  # one end, or the middle, may be at the zero or pole
        if (ft > 0.0) == (fa > 0.0):
            c, fc = a, fa
        else:
            c, fc = b, fb
            b, fb = a, fa
        a, fa = t, ft
        best = a if absolute(fa) < absolute(fb) else b
        close = 1.0 if b == a else (CLOSE + PART * absolute(best)) / absolute(b - a)
        if close >= 0.5:
            return NAN if smallest(absolute(fa), absolute(fb)) > _POLE * usual else best
        xi = (a - b) / (c - b)
        phi = 2.0 if fc == fb else (fa - fb) / (fc - fb)
        part = 0.5
        if phi * phi < xi and (1.0 - phi) * (1.0 - phi) < 1.0 - xi:
            across = (c - a) / (b - a) * fa / (fc - fa)
            part = fa / (fb - fa) * fc / (fb - fc) + across * fb / (fc - fb)
        part = part if part > close else close
        part = part if part < 1.0 - close else 1.0 - close


@native
def _end_of_zeros(run: Run, number: int, zero: float, after: float) -> float:
    """The last time at which an event is zero, from a time at which it is to one at which it has the other sign."""
    a, b = zero, after
    close = 4.0 * (CLOSE + PART * absolute(zero))
    if b - a > close and event_value(run, number, a + close) == 0.0:
        while b - a > close:
            t = 0.5 * (a + b)
            if event_value(run, number, t) == 0.0:
                a = t
            else:
                b = t
    return a


# ---- corners of tables ----------------------------------------------------------------------------------------------

#: The time, in seconds, over which it is tested where a switch or an argument goes.
LITTLE = 1e-6
#: Tables are read as they are in steps in which an argument passes more segments than this. Where such steps are
#: refused, more and more corners are located before the next one, up to so many, in steps of at most so many segments.
_DENSE, _MOST_LOCATED, _SEGMENTS = 3.0, 64, 2.0


@native
def hold_segments(run: Run) -> int:
    """Read tables in the segments between corners that their arguments lie in; nothing to return for, 0."""
    events = run.events
    evaluate_switches(run, run.t, run.x)
    for k in range(events.corner_count):
        low, high = events.corner_first[k], events.corner_end[k]
        while low < high:
            middle = (low + high) // 2
            if events.corners[middle] <= events.table_arguments[k]:
                low = middle + 1
            else:
                high = middle
        _set_bounds(run, k, events.corners[low - 1], events.corners[low])
    events.are_held = 1
    return 0


@inline
def _set_bounds(run, k, low, high):
    """Read a table between two corners; beyond the first ends of the bounds its argument has left them."""
    bounds, width = at(run.events.bounds, 4 * k), run.events.corner_widths[k]
    bounds[0] = low + 0.5 * width
    bounds[1] = high - 0.5 * width
    bounds[2] = low - width
    bounds[3] = high + width


@inline
def note_refused_corners(run):
    """A step over corners that were not located was refused: locate twice as many as the last time."""
    events = run.events
    if events.are_held == 0:
        events.refused_corners = 2 * events.refused_corners + 2
        if events.refused_corners > _MOST_LOCATED:
            events.refused_corners = _MOST_LOCATED
        events.located_corners = events.refused_corners


@native
def step_between_corners(run: Run) -> float:
    """The length of the next step, for which tables are read in segments, or as they are where it would pass many."""
    events, most = run.events, 0.0
    hold_segments(run)
    for k in range(events.corner_count):
        events.slopes[k] = events.table_arguments[k]
    for block in blocks(run):
        run.y[block] = fma(LITTLE, run.f[block], run.x[block])
    evaluate_switches(run, run.t + LITTLE, run.y)
    for k in range(events.corner_count):
        bounds = at(events.bounds, 4 * k)
        events.slopes[k] = absolute(events.table_arguments[k] - events.slopes[k]) / (LITTLE * (bounds[3] - bounds[2]))
        most = largest(most, events.slopes[k])
    if events.located_corners > 0 and run.h_cap * most > _SEGMENTS:
        run.h_cap = _SEGMENTS / most
    step = next_step(run)
    if step * most > _DENSE:
        events.are_held = 0
        for k in range(events.corner_count):
            if step * events.slopes[k] > _DENSE:
                _set_bounds(run, k, -FAR, FAR)
            else:
                events.are_held = 1
    return step


@inline
def argument_slope(run, k):
    """How much the argument of a table changes a little later."""
    evaluate_switches(run, run.t, run.x)
    now = run.events.table_arguments[k]
    for block in blocks(run):
        run.y[block] = fma(LITTLE, run.f[block], run.x[block])
    evaluate_switches(run, run.t + LITTLE, run.y)
    return run.events.table_arguments[k] - now
