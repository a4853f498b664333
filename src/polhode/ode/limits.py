"""Limits of a state: when each was first passed, and how far a run went beyond it.

Nothing acts at a limit, and a run goes on. A limit is c x[k] + d ≤ 0, for one entry of the state. It is tested at the
end of each step, and where the cubic through both ends of the step has its peak beyond the limit, or nearly so, or
beyond what was reached before. A passage is located on the dense output of the step, by bisection, and the largest
value by golden section.

The functions are for one run beside so many others: arrays have the numbers of all lanes beside each other. The state
at run.limit_probe is computed by the caller, as lanes need it for all of them at once.
"""

from __future__ import annotations

from typing import Any

from ..native.language import Array, call, fma, inline, is_nan, largest, native, sqrt
from .record import Run

#: So often a step is halved to find where a limit is passed.
HALVINGS = 48
#: The cubic's rise above both ends may be wrong by so much of itself.
_DOUBT = 1.0
#: So often a larger value than the peak's is sought, and the golden section.
_TRIALS, _GOLDEN = 32, 0.3819660112501051
#: Rates inside of a step are differences over this part of it.
_PART = 1e-6


@native
def note_limits(run: Run) -> int:
    """Test the limits from the last test to run.t, where the run has run.x and run.f; a reason where that fails."""
    is_needed = test_limits(run, 0, 1)
    while is_needed > 0:
        reason = call(run.state_at, run, run.limit_probe, run.y, returns=int)
        if reason > 0:
            return reason
        is_needed = probed_limit(run, 0, run.y, 1)
    return 0


@native
def note_limits_inside(run: Run) -> int:
    """The same where the last step is cut off, at run.t and run.x: the rates there are those of its dense output."""
    part = _PART * run.taken
    reason = call(run.state_at, run, run.t - part, run.y, returns=int)
    if reason > 0:
        return reason
    for i in range(run.size):
        run.f[i] = (run.x[i] - run.y[i]) / part
    return note_limits(run)


@native
def begin_limits(run: Run, lane: int, lanes: Any) -> None:
    """Test the limits at a state from which a run begins."""
    for i in range(run.limit_count):
        beyond, rate = _beyond(run, i, run.x, lane, lanes), _rate(run, i, lane, lanes)
        run.limits_before[i * 2] = beyond
        run.limits_before[i * 2 + 1] = rate
        _note_farthest(run, i, beyond)
        if beyond > 0.0 and is_nan(run.limits_noted[i * 2]):
            run.limits_noted[i * 2] = run.t
    run.limits_seen = run.t
    run.limit_next = 0


@native
def test_limits(run: Run, lane: int, lanes: Any) -> int:
    """Test the limits at the end of a step; 1 where the state at run.limit_probe is needed."""
    # the arrays are read once: what is written in the loop might be the record, as far as a compiler can see
    x, f, count, places, limits = run.x, run.f, run.limit_count, run.limit_places, run.limits
    noted, before, begin = run.limits_noted, run.limits_before, largest(run.limits_seen, run.t_old)
    for i in range(run.limit_next, count):
        place, factor = places[i] * lanes + lane, limits[i * 2]
        beyond, rate = fma(factor, x[place], limits[i * 2 + 1]), factor * f[place]
        was, rate_was = before[i * 2], before[i * 2 + 1]
        before[i * 2] = beyond
        before[i * 2 + 1] = rate
        noted[i * 2 + 1] = largest(noted[i * 2 + 1], beyond)
        if rate_was > 0.0 and rate < 0.0:
            h = run.t - begin
            part, peak = _peak(h, was, rate_was, beyond, rate)
            rise = peak - largest(was, beyond)
            if peak + _DOUBT * rise > (0.0 if is_nan(noted[i * 2]) else noted[i * 2 + 1]):
                run.limit_next = i + 1
                _probe_peak(run, i, begin, begin + part * h)
                return 1
        if is_nan(noted[i * 2]) and beyond > 0.0:
            run.limit_next = i + 1
            _bisect(run, i, begin, run.t)
            return 1
    run.limit_next = 0
    run.limits_seen = run.t
    return 0


@native
def probed_limit(run: Run, lane: int, state: Array, lanes: Any) -> int:
    """Go on with the state at run.limit_probe; 1 where another is needed."""
    i, probe = run.limit_sought, run.limit_probe
    beyond = _beyond(run, i, state, lane, lanes)
    if run.limit_halvings == 0:
        _narrow(run, probe, beyond)
        if run.limit_trials < _TRIALS:
            low, top, high = run.limit_low, run.limit_top, run.limit_high
            is_left = top - low > high - top
            run.limit_probe = fma(_GOLDEN, low - top, top) if is_left else fma(_GOLDEN, high - top, top)
            return 1
        _note_farthest(run, i, run.limit_largest)
        if is_nan(run.limits_noted[i * 2]) and run.limits_noted[i * 2 + 1] > 0.0:
            end = run.limit_top if run.limit_largest > 0.0 else run.t
            _bisect(run, i, largest(run.limits_seen, run.t_old), end)
            return 1
        return test_limits(run, lane, lanes)
    if beyond > 0.0:
        run.limit_high = probe
    else:
        run.limit_low = probe
    run.limit_halvings -= 1
    if run.limit_halvings > 0:
        run.limit_probe = 0.5 * (run.limit_low + run.limit_high)
        return 1
    run.limits_noted[i * 2] = run.limit_high
    return test_limits(run, lane, lanes)


@inline
def _bisect(run, i, low, high):
    """Search for the passage between two times."""
    run.limit_sought = i
    run.limit_low = low
    run.limit_high = high
    run.limit_halvings = HALVINGS
    run.limit_probe = 0.5 * (low + high)


@inline
def _probe_peak(run, i, begin, at):
    """Search the dense output for the largest value, from a time inside of the step on."""
    run.limit_sought = i
    run.limit_low = begin
    run.limit_high = run.t
    run.limit_halvings = 0
    run.limit_trials = 0
    run.limit_probe = at


@inline
def _narrow(run, probe, beyond):
    """Keep the part of the interval around the largest value so far."""
    if run.limit_trials == 0 or beyond > run.limit_largest:
        if run.limit_trials > 0 and probe > run.limit_top:
            run.limit_low = run.limit_top
        elif run.limit_trials > 0:
            run.limit_high = run.limit_top
        run.limit_top = probe
        run.limit_largest = beyond
    elif probe > run.limit_top:
        run.limit_high = probe
    else:
        run.limit_low = probe
    run.limit_trials += 1


@inline
def _peak(h, b0, r0, b1, r1):
    """Where a cubic that rises at its begin and falls at its end is highest, as a part of the step, and how high.

    With a = h r0, c = 3 (b1 - b0) - h (2 r0 + r1), e = h (r0 + r1) - 2 (b1 - b0) it is b0 + a s + c s² + e s³, and the
    root of a + 2 c s + 3 e s² in (0, 1) is a / (√(c² - 3 a e) - c), for a > 0 without cancellation where c < 0.
    """
    a, difference = h * r0, b1 - b0
    c = 3.0 * difference - h * (2.0 * r0 + r1)
    e = h * (r0 + r1) - 2.0 * difference
    root = sqrt(largest(c * c - 3.0 * a * e, 0.0))
    part = a / (root - c)
    s = part if (part > 0.0) & (part < 1.0) else 0.5
    return s, b0 + s * (a + s * (c + s * e))


@inline
def _beyond(run, i, x, lane, lanes):
    """c x[k] + d."""
    return fma(run.limits[i * 2], x[run.limit_places[i] * lanes + lane], run.limits[i * 2 + 1])


@inline
def _rate(run, i, lane, lanes):
    return run.limits[i * 2] * run.f[run.limit_places[i] * lanes + lane]


@inline
def _note_farthest(run, i, beyond):
    run.limits_noted[i * 2 + 1] = largest(run.limits_noted[i * 2 + 1], beyond)
