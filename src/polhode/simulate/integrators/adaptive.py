"""Runs with step-size control: in native code where nothing of Python's has a say, else one accepted step at a time.

Between steps the run can be watched, interrupted and recorded. Samples come from the solver's own interpolant, so that
the times at which one looks do not change the motion. Under a controller steps end at the samples, so that what is
recorded there did act; multistep methods choose their own, and what acted is interpolated between their steps.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from ...codegen.taylor.cost_model import is_taylor_faster
from ...errors import PolhodeError
from ...native.backends import say_once
from ...ode.driver import Driver
from ...ode.native_code import method_code
from ...ode.native_events import MOST_AT_ONCE
from ...ode.record import CONSTRAINED_GROWTH, SWALLOWED, ZENO
from ..control.callables import ControllerFailed
from ..events import EventLocator, Events, Met, goes_through
from ..guard import Guard, Stop
from ..initial_state import Floats
from ..rates import NonFinite, Rates
from ..trajectory.record import Record, Report
from . import native

TAYLOR = "taylor"
#: So far beyond a jump, as a part of the step, events are looked for.
_BEYOND = 1e-9
#: So many steps in a row that rounding swallows end a run.
_MOST_SWALLOWED = 50
#: Discontinuities that stand in the equations are found; those inside a user's own code are not.
_SMOOTH = "A controller or function of your own that jumps, such as np.sign, must be made smooth: no method helps."


@dataclass(frozen=True)
class Method:
    """A solver with step-size control: how to get it, whether it is implicit, and whether it uses earlier steps.

    Those that do are never given a projected state, which their earlier steps would not fit. A native one can take
    whole runs by itself. One that needs series takes rates that are all in the equations, and smooth.
    """

    solver: Callable[[], Callable[..., Any]] | None = None
    is_implicit: bool = False
    is_multistep: bool = False
    is_native: bool = False
    needs_series: bool = False


def _scipy(name: str) -> Callable[[], Callable[..., Any]]:
    def solver() -> Callable[..., Any]:
        from scipy import integrate

        found: Callable[..., Any] = getattr(integrate, name)
        return found

    return solver


def _sundials(name: str) -> Callable[[], Callable[..., Any]]:
    def solver() -> Callable[..., Any]:
        from . import sundials

        return sundials.solver(name)

    return solver


#: Native methods by their names, those of SciPy behind "scipy.".
METHODS = {
    "TP86": Method(is_native=True),
    "DOP853": Method(is_native=True),
    "RK45": Method(is_native=True),
    "RK23": Method(is_native=True),
    "taylor": Method(is_native=True, needs_series=True),
    "Rodas5P": Method(is_implicit=True, is_native=True),
    "Radau": Method(is_implicit=True, is_native=True),
    "scipy.DOP853": Method(_scipy("DOP853")),
    "scipy.RK45": Method(_scipy("RK45")),
    "scipy.RK23": Method(_scipy("RK23")),
    "scipy.LSODA": Method(_scipy("LSODA"), is_implicit=True, is_multistep=True),
    "scipy.Radau": Method(_scipy("Radau"), is_implicit=True),
    "scipy.BDF": Method(_scipy("BDF"), is_implicit=True, is_multistep=True),
    "ida": Method(_sundials("ida"), is_implicit=True, is_multistep=True),
    "cvode": Method(_sundials("BDF"), is_implicit=True, is_multistep=True),
    "cvode.Adams": Method(_sundials("Adams"), is_implicit=True, is_multistep=True),
}
#: What SciPy has in the place of a native method that it does not have.
_SCIPYS = {"Rodas5P": "Radau"}


@dataclass(frozen=True)
class Control:
    """How a run with step-size control goes about it."""

    method: str = "auto"
    rtol: float = 1e-9
    atol: float = 1e-9
    largest_step: float = np.inf
    most_steps: int = 1_000_000
    may_switch: bool = False  # to a method for stiff mechanisms, and back
    fixed_step: float = 0.0  # its length, where a method has fixed steps
    spectral_radius: float | None = None  # of fast oscillations, where a method has one to choose


def integrate(
    rates: Rates,
    guard: Guard,
    record: Record,
    times: Floats,
    control: Control,
    events: Events,
    report: Report,
) -> str:
    """Go from the record's first state to the last of `times`; the state at each of them goes into the record.

    Returns "done", or "event" where a terminal event ended the run; raises Stop otherwise.
    """
    if control.fixed_step:
        return native.integrate(rates, guard, record, times, control, events, report)
    is_auto = control.method == "auto"
    control = resolved(control, rates, guard, bool(events))
    record.info["method"] = control.method
    method = working(control.method, rates)
    if method.is_native and rates.can_run_natively:
        begun = list(record.pieces)
        try:
            return native.integrate(rates, guard, record, times, control, events, report)
        except (Stop, NonFinite):
            if not is_auto or control.method != TAYLOR:
                raise
        # a series may end where the motion does not, or leap over the place where it does
        control = replace(control, method=_explicit(rates, guard))
        record.pieces[:], record.steps, record.info["method"] = begun, 0, control.method
        return native.integrate(rates, guard, record, times, control, events, report)
    driver = Driver(control.most_steps)
    return driver.interruptible(
        lambda: _by_solver(method, rates, guard, record, times, control, events, report, driver)
    )  # fmt: skip


def _by_solver(
    method: Method,
    rates: Rates,
    guard: Guard,
    record: Record,
    times: Floats,
    control: Control,
    events: Events,
    report: Report,
    driver: Driver,
) -> str:
    """The same by a solver that takes one step after another, in Python."""
    t, x = record.last
    solver_of = method.solver or _scipy("DOP853")
    make = partial(solver_of(), rates, max_step=control.largest_step, rtol=control.rtol, atol=control.atol)
    jumps, driven = guard.discontinuities, not rates.is_autonomous
    bounds = np.union1d(times if driven and not method.is_multistep else times[-1:], rates.breaks.times)

    def bound(t: float) -> float:
        """Where the next steps must not pass."""
        return float(bounds[np.searchsorted(bounds, t, side="right")])

    solver = make(t, x, bound(t))
    watched = EventLocator(events, rates.coordinates, record, t, x)
    recorded, swallowed = 1, 0
    while t < times[-1]:
        if solver.status == "finished":
            solver.t_bound, solver.status = bound(t), "running"
        wanted = getattr(solver, "h_abs", 0.0)
        try:
            driver.raise_interrupt()
            message = solver.step()
        except BaseException:
            record.end(float(solver.t), solver.y)
            raise
        swallowed = swallowed + 1 if solver.t - solver.t_old <= SWALLOWED * abs(solver.t) else 0
        if solver.status == "failed" or swallowed > _MOST_SWALLOWED:
            record.end(float(solver.t), solver.y)
            message = message or "its steps are swallowed by rounding"
            raise guard.explain(float(solver.t), solver.y, underflow(float(solver.t), control, message))
        x, t = solver.y, float(solver.t)
        if not np.isfinite(x).all():
            raise Stop(
                "nonfinite",
                f"after t = {solver.t_old:.6g} s the method {control.method} returned a state that is not finite.",
                "Use DOP853 or Radau, or tighter tolerances.",
            )
        record.steps += 1
        acting = rates.actuation(t, x) if driven else None
        if not method.is_implicit:
            solver.h_abs = min(solver.h_abs, CONSTRAINED_GROWTH * (t - float(solver.t_old)))
            if t == solver.t_bound:  # a step that was cut short is no reason to go on with short ones
                solver.h_abs = max(solver.h_abs, wanted)
        last = int(np.searchsorted(times, t, side="right"))
        at_end = last == recorded + 1 and times[recorded] == t
        asked = watched.events or jumps or (last > recorded and not at_end)
        interpolant = solver.dense_output() if asked else None
        met = None
        if jumps and interpolant is not None:
            met = jumps.locate(interpolant, float(solver.t_old), t)
            if met is not None:  # events at the jump itself still happen
                t = min(t, met + _BEYOND * (t - float(solver.t_old)))
                x = interpolant(t)
                last = int(np.searchsorted(times, met, side="right"))
        ended = watched.locate(interpolant, float(solver.t_old), t, x) if watched.events else None
        if ended is not None:
            last = int(np.searchsorted(times, ended.t, side="right"))
        if last > recorded:
            states = x[None, :] if interpolant is None else interpolant(times[recorded:last]).T
            record.add(times[recorded:last], _projected(rates, times[recorded:last], states))
            recorded = last
        if ended is not None and interpolant is not None:
            t, x = ended.t, rates.projected(ended.t, interpolant(ended.t))
            record.end(t, x)
            if ended.event.change is None:
                return "event"
            before, x = x, changed(rates, record, ended, x)
            watched.restart(t, x, ended, goes_through(ended.event, rates, rates.coordinates, t, before, x))
            if jumps:
                jumps.start(t, x)
            if t < times[-1]:
                solver = make(t, x, bound(t))
            continue
        report(t)
        if jumps and met is not None and interpolant is not None:
            t, x = met, rates.projected(met, interpolant(met))
            record.end(t, x)
            jumps.count(t, x)
            jumps.switch(t, x)
            acting = rates.actuation(t, x) if driven else None
            if t < times[-1]:
                solver = make(t, x, bound(t))
        elif rates.is_constrained and not method.is_multistep:
            x = solver.y = rates.projected(t, x)
            if jumps and jumps.is_old:
                jumps.start(t, x)
            acting = rates.actuation(t, x) if driven else None
            solver.f = rates(t, x)
        elif jumps and jumps.is_old:  # by a sample that was projected
            jumps.start(t, x)
        try:
            if t < times[-1] and rates.begin(t, x):
                if jumps:
                    jumps.start(t, x)
                if method.is_multistep:
                    x = rates.projected(t, x)
                    solver = make(t, x, bound(t))
                else:
                    solver.f = rates(t, x)
            rate = solver.f if isinstance(getattr(solver, "f", None), np.ndarray) else rates(t, x)
            if acting is not None:
                record.add_actuation(t, acting)
            guard.step(t, x, rate)
        except (Stop, ControllerFailed, KeyboardInterrupt):
            record.end(t, x)
            raise
        if record.steps >= control.most_steps:
            record.end(t, x)
            raise too_many(t, control)
    return "done"


def changed(rates: Rates, record: Record, met: Met, x: Floats) -> Floats:
    """The state after an event that changes it, on the constraints; it goes into the record."""
    if met.event.change is None:
        return x
    last, number, count = record.changed
    count = count + 1 if met.t - last <= ZENO * max(1.0, abs(met.t)) else 0
    if count and (number == met.number or count > MOST_AT_ONCE):
        raise Stop(
            "event_stuck",
            f"at t = {met.t:.6g} s event {met.number} follows itself without end.",
            "Let the motion come to rest, or end the run, where it is slow: with a terminal event of the speed, say.",
        )
    record.changed = met.t, met.number, count
    new = met.event.change.applied(met.t, x)
    after = rates.projected(met.t, new)
    record.add(np.array([np.nextafter(met.t, np.inf)]), after[None, :])
    return after


def resolved(control: Control, rates: Rates, guard: Guard, has_events: bool = False) -> Control:
    """With the method that "auto" takes: Taylor series for small smooth rates of which each step needs no look."""
    if control.method != "auto":
        return control
    is_watched = has_events or guard.watches_charts or guard.watches_steps
    can_be = not is_watched and not len(rates.breaks) and np.isinf(control.largest_step)
    is_best = can_be and is_taylor_faster(rates.length, control.rtol) and rates.has_series
    return replace(control, method=TAYLOR if is_best else _explicit(rates, guard), may_switch=True)


def _explicit(rates: Rates, guard: Guard) -> str:
    """TP86 for smooth rates.

    DOP853 is the more careful of the two where a kink or the end of a chart is to be felt, and has no stage beyond the
    end of its step, which would see what does not yet hold.
    """
    is_rough = len(rates.breaks) or guard.watches_charts or not rates.is_smooth
    return "DOP853" if is_rough else "TP86"


def working(name: str, rates: Rates) -> Method:
    """The method of a name; SciPy's, of the same name if there is one, where native code cannot be made: told once."""
    method = METHODS[name]
    if method.is_native:
        if method.needs_series:
            _check_series(name, rates)
        try:
            code = rates.stepper(name)
            if isinstance(code, str):
                method_code(code)
        except OSError as problem:
            theirs = _SCIPYS.get(name, name if f"scipy.{name}" in METHODS else "DOP853")
            say_once(f"the run is by SciPy's {theirs}: native code does not work here ({problem}).")
            return METHODS[f"scipy.{theirs}"]
    return method


def _check_series(name: str, rates: Rates) -> None:
    """Refuse rates that have no series; those with a corner are told where the code is made."""
    told = {
        "there are constraints": rates.is_constrained,
        "a controller in Python acts": not rates.is_autonomous,
        "there are forces that jump": rates.signs is not None,
    }
    for what, is_so in told.items():
        if is_so:
            raise PolhodeError(
                f"the method {name!r} needs smooth rates, all in the equations, but {what}.",
                cure='Take method="DOP853".',
                code="E-SIM-081",
            )


def _projected(rates: Rates, times: Floats, states: Floats) -> Floats:
    """The states at some times, each on the constraints."""
    if not rates.is_constrained:
        return states
    return np.array([rates.projected(t, x) for t, x in zip(times.tolist(), states, strict=True)])


def underflow(t: float, control: Control, message: str | None) -> Stop:
    """Why a run ended where no step was short enough."""
    advice = (
        f"{_SMOOTH} Or allow larger rtol and atol."
        if METHODS[control.method].is_implicit
        else f'The mechanism may be stiff: then take method="Rodas5P" or "Radau". {_SMOOTH}'
    )
    reason = (message or "the solver gave up").rstrip(".")
    return Stop(
        "step_underflow",
        f"at t = {t:.6g} s {control.method} found no step small enough ({reason[0].lower()}{reason[1:]}).",
        advice,
    )


def too_many(t: float, control: Control) -> Stop:
    """Why a run ended that took as many steps as it may."""
    return Stop(
        "too_many_steps",
        f"at t = {t:.6g} s the run had taken {control.most_steps:,} steps, as many as allowed.",
        f'Allow more with max_steps; a stiff mechanism needs method="Rodas5P" or "Radau" instead. {_SMOOTH}'
        if not METHODS[control.method].is_implicit
        else f"Allow more with max_steps, or larger rtol and atol. {_SMOOTH}",
    )
