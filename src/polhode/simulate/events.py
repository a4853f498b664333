"""Events: where along a run a function of its state, or an expression, passes through zero."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..dynamics.equations import EquationsOfMotion
from ..errors import PolhodeError, ValueMissing, understood
from ..expr import Expr, as_expr, free_symbols
from .callbacks import with_rest
from .guard import Stop
from .initial_state import Floats
from .record import Record

Event = Callable[[float, Floats, Floats], float]


@dataclass(frozen=True)
class Crossing:
    """An expression of coordinates, speeds, states, time and parameters whose zeros are looked for.

    `direction` is 1 for rising zeros, -1 for falling ones, 0 for both; a `terminal` one ends the run.
    """

    expression: Expr
    direction: int = 0
    terminal: bool = False


def crossing(expression: Any, direction: int = 0, terminal: bool = False) -> Crossing:
    """An event where an expression passes through zero.

    >>> import polhode as ph
    >>> s = ph.System("falling")
    >>> z = s.joint("z", s.ground, s.body("stone", 1), ph.Prismatic("z"))
    >>> run = s.derive().simulate(10, start={"z": 4.905}, events=[crossing(z.q[0], terminal=True)])
    >>> round(float(run.t[-1]), 9)
    1.0
    """
    return Crossing(as_expr(expression), direction, terminal)


def read_events(
    equations: EquationsOfMotion, events: Sequence[Any], until: Any, parameters: Mapping[str, Any]
) -> tuple[Event, ...]:
    """Functions, crossings and expressions as functions `g(t, q, rest)`; `until` is one more, which ends the run."""
    with understood("a list of events", events, place="events", cure="Give events=[…]."):
        listed = list(events)
    made = [_as_function(equations, event, parameters) for event in listed]
    if until is not None:
        last = _as_function(equations, until, parameters)
        made.append(_marked(last, getattr(last, "direction", 0), terminal=True))
    return tuple(made)


def _as_function(equations: EquationsOfMotion, event: Any, parameters: Mapping[str, Any]) -> Event:
    if isinstance(event, Expr):
        event = Crossing(event)
    if isinstance(event, Crossing):
        return _marked(_evaluated(equations, event.expression, parameters), event.direction, event.terminal)
    if not callable(event):
        raise PolhodeError(
            f"{event!r} is no event.",
            place="events",
            cure="Give an expression, a crossing, or a function g(t, q, u) that returns one number.",
            code="E-SIM-020",
        )
    return with_rest(event, equations)


def _marked(function: Event, direction: int, terminal: bool) -> Event:
    def event(t: float, q: Floats, u: Floats) -> float:
        return function(t, q, u)

    event.direction, event.terminal = direction, terminal  # type: ignore[attr-defined] # as SciPy's events are marked
    return event


def _evaluated(equations: EquationsOfMotion, expression: Expr, parameters: Mapping[str, Any]) -> Event:
    """An expression as a function; symbols of coupled, driven and dependent joints stand for what they follow."""
    from ..codegen.plan import plan
    from ..compiled.native import compile_program
    from ..expr import substitute

    (value,) = substitute([expression], equations.tree.followed)
    (value,) = equations.in_independent_speeds([value])
    system = equations.system
    arrays = [("q", list(equations.q)), ("rest", [*equations.u, *equations.z]), ("t", [system.time])]
    table = {p.symbol: name for name, p in system.parameters.items()}
    met = list(free_symbols([value]))
    known = {symbol for _, symbols in arrays for symbol in symbols} | table.keys()
    strange = [symbol for symbol in met if symbol not in known]
    if strange:
        raise PolhodeError(
            f"an event depends on the {strange[0].data[0]} '{strange[0].name}', which the run does not know.",
            place="events",
            cure="Use coordinates, speeds, states, time and parameters of this system.",
            code="E-SIM-021",
        )
    used = [symbol for symbol in table if symbol in met]
    program = plan("event", arrays, [("value", (1,), [value])], used)
    given = {name: parameters.get(name, system.parameters[name].value) for name in (table[each] for each in used)}
    missing = [name for name, value in given.items() if value is None]
    if missing:
        raise ValueMissing(
            f"the parameter '{missing[0]}' of an event has no value.", place="events", code="E-VALUE-009"
        )
    native = compile_program(program, parameters=np.array([float(value) for value in given.values()]))
    time = np.zeros(1)

    def event(t: float, q: Floats, rest: Floats) -> float:
        time[0] = t
        return float(native(q, rest, time)[0])

    return event


class EventLocator:
    """Zero crossings of functions of the state, found on the solver's interpolant."""

    def __init__(self, events: Sequence[Event], coordinates: int, record: Record, t: float, x: Floats) -> None:
        self.events, self.coordinates = tuple(events), coordinates
        self.values = [self._value(event, t, x) for event in self.events]
        self.found: list[list[float]] = [[] for _ in self.events]
        if self.events:
            record.info["events"] = self.found

    def _value(self, event: Event, t: float, x: Floats) -> float:
        try:
            value = float(event(t, x[: self.coordinates].copy(), x[self.coordinates :].copy()))
        except Exception as error:
            raise _failed(f"at t = {t:.6g} s an event function raised {type(error).__name__}: {error}") from error
        if np.isnan(value):
            raise _failed(f"at t = {t:.6g} s event {self.events.index(event)} is nan, which no zero can be found of.")
        return value

    def locate(self, interpolant: Any, t_old: float, t: float, x: Floats) -> float | None:
        """Note the crossings of a step; the time of the first one that ends the run, or None."""
        met: list[tuple[float, int]] = []
        for number, event in enumerate(self.events):
            before, after = self.values[number], self._value(event, t, x)
            self.values[number] = after
            direction = float(getattr(event, "direction", 0))
            if before * after < 0.0 or (after == 0.0 and before != 0.0):
                if direction * (after - before) < 0.0:
                    continue
                when = t if after == 0.0 else self._zero(event, interpolant, t_old, t)
                met.append((float(when), number))
        for when, number in sorted(met):
            self.found[number].append(when)
            if getattr(self.events[number], "terminal", False):
                return when
        return None

    def _zero(self, event: Event, interpolant: Any, t_old: float, t: float) -> float:
        """Where the event is zero in a step; at its begin, if bringing the state back made it pass there."""
        return find_root(lambda s: self._value(event, s, interpolant(s)), t_old, t)


def _failed(message: str) -> Stop:
    return Stop("event_failed", message, "An event is a function g(t, q, u) that returns one number.")


# ---- roots ---------------------------------------------------------------------------------------------------


#: A zero is known to this, in seconds, and to this part of the time.
_CLOSE, _PART = 1e-15, 1e-14


def find_root(value: Callable[[float], float], before: float, after: float) -> float:
    """The time at which a value is zero, between two; the first of them if its sign is the same at both.

    By Brent's method, and by halving where that is slow, as at a zero of third order.

    >>> round(find_root(lambda t: (t - 1) ** 3, 0.0, 1.7), 9)
    1.0
    >>> find_root(lambda t: t, 1.0, 2.0)
    1.0
    """
    from scipy.optimize import brentq

    begin, end = value(before), value(after)
    if not (begin < 0.0 < end or end < 0.0 < begin):
        return float(before)
    found, told = brentq(value, before, after, xtol=_CLOSE, rtol=_PART, full_output=True, disp=False)
    if told.converged:
        return float(found)
    while after - before > _CLOSE + _PART * abs(after):
        middle = 0.5 * (before + after)
        if value(middle) * begin > 0.0:
            before = middle
        else:
            after = middle
    return float(after)
