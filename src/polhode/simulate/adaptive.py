"""Runs with step-size control, by SciPy's solvers, one accepted step at a time.

Between steps the run can be watched, interrupted and recorded. Samples come from the solver's own interpolant, so that
the times at which one looks do not change the motion.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .events import Event, Watch
from .guard import Guard, Stop
from .ida import solver_by_ida
from .rates import Rates
from .record import Record, Told
from .state import Floats

METHODS = ("DOP853", "RK45", "RK23", "LSODA", "Radau", "BDF", "ida")
IMPLICIT = ("LSODA", "Radau", "BDF", "ida")
#: Those that remember steps, and would not know a state that was corrected.
REMEMBERING = ("LSODA", "BDF", "ida")


@dataclass(frozen=True)
class Control:
    """How a run with step-size control goes about it."""

    method: str = "DOP853"
    rtol: float = 1e-9
    atol: float = 1e-9
    largest_step: float = np.inf
    most_steps: int = 1_000_000


def integrate(
    rates: Rates,
    guard: Guard,
    record: Record,
    times: Floats,
    control: Control,
    events: Sequence[Event],
    told: Told,
) -> str:
    """Go from the record's first state to the last of `times`; the state at each of them goes into the record.

    Returns "done", or "event" where a terminal event ended the run; raises Stop otherwise.
    """
    from scipy import integrate as scipy_integrate

    t, x = record.last
    make = solver_by_ida() if control.method == "ida" else getattr(scipy_integrate, control.method)
    solver = make(rates, t, x, float(times[-1]), max_step=control.largest_step, rtol=control.rtol, atol=control.atol)
    watched = Watch(events, rates.coordinates, record, t, x)
    place = 1
    while solver.status == "running":
        try:
            message = solver.step()
        except BaseException:
            record.end(float(solver.t), solver.y)
            raise
        if solver.status == "failed":
            record.end(float(solver.t), solver.y)
            raise guard.explain(float(solver.t), solver.y, _underflow(solver, control, message))
        x, t = solver.y, float(solver.t)
        if not np.isfinite(x).all():
            raise Stop(
                "nonfinite",
                f"after t = {solver.t_old:.6g} s the method {control.method} returned a state that is not finite.",
                "Use DOP853 or Radau, or tighter tolerances.",
            )
        record.steps += 1
        last = int(np.searchsorted(times, t, side="right"))
        between = solver.dense_output() if last > place or watched.events else None
        ended = watched.look(between, float(solver.t_old), t, x) if watched.events else None
        if ended is not None:
            last = int(np.searchsorted(times, ended, side="right"))
        if last > place and between is not None:
            record.add(times[place:last], _sampled(rates, times[place:last], between))
            place = last
        if ended is not None and between is not None:
            record.end(ended, rates.settled(ended, between(ended)))
            return "event"
        told(t)
        if rates.is_kept and control.method not in REMEMBERING:
            x = solver.y = rates.settled(t, x)
            solver.f = rates(t, x)
        try:
            guard.step(t, x, solver.f if isinstance(getattr(solver, "f", None), np.ndarray) else rates(t, x))
        except Stop:
            record.end(t, x)
            raise
        if record.steps >= control.most_steps:
            record.end(t, x)
            raise _too_many(t, control)
    return "done"


def _sampled(rates: Rates, times: Floats, between: Any) -> Floats:
    """The states at some times, each on the constraints."""
    states: Floats = between(times).T
    if not rates.is_kept:
        return states
    return np.array([rates.settled(t, x) for t, x in zip(times.tolist(), states, strict=True)])


def _underflow(solver: Any, control: Control, message: str | None) -> Stop:
    advice = (
        "The motion may be discontinuous there: look for forces that jump, or allow larger rtol and atol."
        if control.method in IMPLICIT
        else 'The mechanism may be stiff: try method="Radau" or "LSODA"; or a force jumps there.'
    )
    reason = (message or "the solver gave up").rstrip(".")
    return Stop(
        "step_underflow",
        f"at t = {solver.t:.6g} s {control.method} found no step small enough ({reason[0].lower()}{reason[1:]}).",
        advice,
    )


def _too_many(t: float, control: Control) -> Stop:
    return Stop(
        "too_many_steps",
        f"at t = {t:.6g} s the run had taken {control.most_steps:,} steps, as many as allowed.",
        'Allow more with max_steps; a stiff mechanism needs method="Radau" or "LSODA" instead.'
        if control.method not in IMPLICIT
        else "Allow more with max_steps, or larger rtol and atol.",
    )
