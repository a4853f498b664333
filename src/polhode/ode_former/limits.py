"""Limits of a state, as native code notes them: when each was first passed, and how far a run went beyond it.

Nothing acts at a limit, and a run goes on. A limit is c x[k] + d ≤ 0, for one entry of the state. It is looked at after
each step, at its end, and where the cubic through both ends of the step has its peak beyond the limit, or nearly so. A
passage is located on the interpolant of the step, by halving.

    ph_begin_limits(run, lane)          at a state from which a run begins
    ph_look_at_limits(run, lane)        at the end of a step; 1 where the interpolant is asked for at run.limit_probe
    ph_probed_limit(run, lane, x)       with its state there; 1 where it is asked again
    ph_note_limits(run)                 all of it, from the last look to run.t, where one run has run.x and run.f
    ph_break_limits(run)                the same where the last step is broken off, at run.t and run.x

In lanes, arrays have the numbers of all lanes beside each other (`lane_members`).
"""

from __future__ import annotations

from ..codegen.llvm.builder import INTEGER, POINTER, Function, Layout, Record, Value

#: What a run has of limits: places in the state, rows (c, d), rows (time of the first passage, largest c x + d) as
#: noted, rows (c x + d, c ẋ) at the end of the last step and when that was; and the search for a passage.
LIMITS = Layout(
    limit_count=INTEGER, limit_places=POINTER, limits=POINTER, limits_noted=POINTER, limits_before=POINTER,
    limits_seen="double", limit_next=INTEGER, limit_sought=INTEGER, limit_probe="double", limit_low="double",
    limit_high="double", limit_halvings=INTEGER,
)  # fmt: skip
#: So often a step is halved to find where a limit is passed.
HALVINGS = 48
#: The cubic's rise above both ends may be wrong by so much of itself.
_DOUBT = 1.0
#: Rates inside of a step are differences over this part of it.
_LITTLE = 1e-6


def limit_functions(layout: Layout, lanes: int = 1, *, fused: bool = True) -> list[Function]:
    """What looks at the limits of one run, whose record has this layout, beside so many others."""
    return [_begin(layout, lanes, fused), _look(layout, lanes, fused), _probed(layout, lanes, fused)]


def note_limits_functions(layout: Layout, fused: bool) -> list[Function]:
    """ph_note_limits and ph_break_limits."""
    return [_note(layout, fused), _note_at_break(layout, fused)]


def _note(layout: Layout, fused: bool) -> Function:
    f = Function("ph_note_limits", returns=INTEGER, fused=fused, run=POINTER)
    place, lane = f.arguments["run"], f.integer(0)
    run = Record(layout, place)
    wanted = f.variable(f.call("ph_look_at_limits", INTEGER, place, lane))
    with f.repeat():
        f.leave_if(wanted.value.equals(0))
        reason = f.call("ph_state_at", INTEGER, place, run.limit_probe, run.y)
        with f.when(reason > 0):
            f.give(reason)
        wanted.value = f.call("ph_probed_limit", INTEGER, place, lane, run.y)
    f.give(0)
    return f


def _note_at_break(layout: Layout, fused: bool) -> Function:
    """The rates where the last step is broken off are those of its interpolant."""
    f = Function("ph_break_limits", returns=INTEGER, fused=fused, run=POINTER)
    place = f.arguments["run"]
    run = Record(layout, place)
    little = _LITTLE * run.taken
    reason = f.call("ph_state_at", INTEGER, place, run.t - little, run.y)
    with f.when(reason > 0):
        f.give(reason)
    with f.loop(run.size) as i:
        run.f[i] = (run.x[i] - run.y[i]) / little
    f.give(f.call("ph_note_limits", INTEGER, place))
    return f


def note_limits(f: Function, run: Record) -> None:
    """Look at the limits, where there are any and the last step was not looked at; come back where that fails."""
    with f.when((run.limit_count > 0) & (run.limits_seen < run.t)):
        reason = f.call("ph_note_limits", INTEGER, f.arguments["run"])
        with f.when(reason > 0):
            f.give(reason)


def begin_limits(f: Function, run: Record) -> None:
    """Look at the state from which a run begins."""
    with f.when(run.limit_count > 0):
        f.call("ph_begin_limits", "void", f.arguments["run"], f.integer(0))


def _begin(layout: Layout, lanes: int, fused: bool) -> Function:
    f = Function("ph_begin_limits", fused=fused, internal=True, run=POINTER, lane=INTEGER)
    run, lane = Record(layout, f.arguments["run"]), f.arguments["lane"]
    with f.loop(run.limit_count) as i:
        beyond, rate = _beyond(f, run, i, run.x, lane, lanes), _rate(f, run, i, lane, lanes)
        _remember(run, i, beyond, rate)
        _note_farthest(f, run, i, beyond)
        with f.when((beyond > 0.0) & _is_new(run, i)):
            run.limits_noted[i * 2] = run.t
    run.limits_seen = run.t
    run.limit_next = 0
    return f


def _look(layout: Layout, lanes: int, fused: bool) -> Function:
    f = Function("ph_look_at_limits", returns=INTEGER, fused=fused, internal=True, run=POINTER, lane=INTEGER)
    run, lane = Record(layout, f.arguments["run"]), f.arguments["lane"]
    with f.repeat():
        i = run.limit_next
        f.leave_if(~(i < run.limit_count))
        run.limit_next = i + 1
        beyond, rate = _beyond(f, run, i, run.x, lane, lanes), _rate(f, run, i, lane, lanes)
        was, rate_was = run.limits_before[i * 2], run.limits_before[i * 2 + 1]
        _remember(run, i, beyond, rate)
        _note_farthest(f, run, i, beyond)
        begin = f.largest(run.limits_seen, run.t_old)
        with f.when(_is_new(run, i)):
            with f.when(beyond > 0.0):
                _halve(run, i, begin, run.t)
                f.give(1)
            with f.when((rate_was > 0.0) & (rate < 0.0)):
                h = run.t - begin
                at, peak = _peak(f, h, was, rate_was, beyond, rate)
                rise = peak - f.largest(was, beyond)
                with f.when(peak + _DOUBT * rise > 0.0):
                    _probe_peak(run, i, begin, begin + at * h)
                    f.give(1)
    run.limit_next = 0
    run.limits_seen = run.t
    f.give(0)
    return f


def _probed(layout: Layout, lanes: int, fused: bool) -> Function:
    f = Function(
        "ph_probed_limit", returns=INTEGER, fused=fused, internal=True, run=POINTER, lane=INTEGER, state=POINTER
    )
    run, lane = Record(layout, f.arguments["run"]), f.arguments["lane"]
    i, probe = run.limit_sought, run.limit_probe
    beyond = _beyond(f, run, i, f.arguments["state"], lane, lanes)
    is_beyond = beyond > 0.0
    with f.when(run.limit_halvings.equals(0)):
        _note_farthest(f, run, i, beyond)
        with f.when(is_beyond):
            _halve(run, i, run.limit_low, probe)
            f.give(1)
        f.give(f.call("ph_look_at_limits", INTEGER, f.arguments["run"], lane))
    run.limit_low = f.select(is_beyond, run.limit_low, probe)
    run.limit_high = f.select(is_beyond, probe, run.limit_high)
    run.limit_halvings = run.limit_halvings - 1
    with f.when(run.limit_halvings > 0):
        run.limit_probe = 0.5 * (run.limit_low + run.limit_high)
        f.give(1)
    run.limits_noted[i * 2] = run.limit_high
    f.give(f.call("ph_look_at_limits", INTEGER, f.arguments["run"], lane))
    return f


def _halve(run: Record, i: Value, low: Value, high: Value) -> None:
    """Search for the passage between two times."""
    run.limit_sought = i
    run.limit_low = low
    run.limit_high = high
    run.limit_halvings = HALVINGS
    run.limit_probe = 0.5 * (low + high)


def _probe_peak(run: Record, i: Value, begin: Value, at: Value) -> None:
    """Look whether the interpolant is beyond the limit at a time inside of the step."""
    run.limit_sought = i
    run.limit_low = begin
    run.limit_halvings = 0
    run.limit_probe = at


def _peak(f: Function, h: Value, b0: Value, r0: Value, b1: Value, r1: Value) -> tuple[Value, Value]:
    """Where a cubic that rises at its begin and falls at its end is highest, as a part of the step, and how high.

    With a = h r0, c = 3 (b1 - b0) - h (2 r0 + r1), e = h (r0 + r1) - 2 (b1 - b0) it is b0 + a s + c s² + e s³, and the
    root of a + 2 c s + 3 e s² in (0, 1) is a / (√(c² - 3 a e) - c), for a > 0 without cancellation where c < 0.
    """
    a, difference = h * r0, b1 - b0
    c = 3.0 * difference - h * (2.0 * r0 + r1)
    e = h * (r0 + r1) - 2.0 * difference
    root = f.sqrt(f.largest(c * c - 3.0 * a * e, 0.0))
    s = a / (root - c)
    s = f.select((s > 0.0) & (s < 1.0), s, 0.5)
    return s, b0 + s * (a + s * (c + s * e))


def _beyond(f: Function, run: Record, i: Value, x: Value, lane: Value, lanes: int) -> Value:
    """c x[k] + d."""
    place = run.limit_places.load(i, INTEGER)
    return f.fma(run.limits[i * 2], x[place * lanes + lane], run.limits[i * 2 + 1])


def _rate(f: Function, run: Record, i: Value, lane: Value, lanes: int) -> Value:
    place = run.limit_places.load(i, INTEGER)
    rate: Value = run.limits[i * 2] * run.f[place * lanes + lane]
    return rate


def _remember(run: Record, i: Value, beyond: Value, rate: Value) -> None:
    run.limits_before[i * 2] = beyond
    run.limits_before[i * 2 + 1] = rate


def _note_farthest(f: Function, run: Record, i: Value, beyond: Value) -> None:
    run.limits_noted[i * 2 + 1] = f.largest(run.limits_noted[i * 2 + 1], beyond)


def _is_new(run: Record, i: Value) -> Value:
    """Whether no passage was noted: then its time is nan."""
    noted = run.limits_noted[i * 2]
    return ~noted.equals(noted)
