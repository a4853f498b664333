"""Events: where along a run a function of its state, or an expression, passes through zero, and what happens there.

Expressions are compiled together, as one function of state and time, which native runs evaluate after each step; a
function of the user's is asked in Python. A zero is found on the interpolant of the step.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import PolhodeError, understood
from ..native.compiled import Compiled
from ..ode.native_events import Effect
from ..ode.record import ZENO
from .guard import Stop
from .initial_state import Floats
from .trajectory.record import Record

if TYPE_CHECKING:
    from ..expr import Expr
    from ..formalisms.derivation import Derivation
    from .state_changes import StateChange

Event = Callable[[float, Floats, Floats], float]

#: So often a step is halved to find where an event has left the zero at its begin.
_HALVINGS = 40
#: The time, in seconds, over which it is tested where an event goes, and the part of its speed that is none.
_SHORT, _AT_REST = 1e-7, 1e-6


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
    from ..expr import as_expr

    return Crossing(as_expr(expression), direction, terminal)


@dataclass(frozen=True, eq=False)
class Watched:
    """An event as a run watches it: its value, and what it does to the run."""

    value: Callable[[float, Floats, Floats], float]
    direction: float = 0.0
    terminal: bool = False
    change: StateChange | None = None

    is_expression: bool = False

    @property
    def interrupts(self) -> bool:
        """Whether the run ends at it, or goes on from another state."""
        return self.terminal or self.change is not None

    @property
    def effect(self) -> Effect:
        """What it does, as native code sees it."""
        change = self.change
        compiled = None if change is None or change.compiled is None else change.compiled.function
        places = () if change is None else change.places
        by_python = change is not None and compiled is None
        ends = self.terminal and change is None
        return Effect(self.direction, ends, compiled, places, by_python, self.is_expression)


@dataclass(frozen=True, eq=False)
class Events:
    """All events of a run; `compiled` gives the values of all of them, where all are expressions."""

    watched: tuple[Watched, ...] = ()
    compiled: Compiled | None = None
    parameters: tuple[str, ...] = ()  # of the compiled function, in order

    def __bool__(self) -> bool:
        return bool(self.watched)

    @property
    def effects(self) -> list[Effect]:
        """What each does, as native code sees it."""
        return [each.effect for each in self.watched]

    @property
    def changes_states(self) -> bool:
        """Whether the state jumps at some of them."""
        return any(each.change is not None for each in self.watched)


def read_events(
    derivation: Derivation,
    events: Sequence[Any],
    until: Any,
    parameters: Mapping[str, Any],
    on: Mapping[Any, Any] | None = None,
) -> Events:
    """Functions, crossings and expressions to watch for; `until` is one more, which ends the run.

    So are those of `on`, at each of which some coordinates, speeds or states take other values.
    """
    with understood("a list of events", events, place="events", cure="Give events=[…]."):
        listed = list(events)
    with understood("a mapping from events to new values", on, place="on", cure="Give on={event: {name: value}}."):
        changes = dict(on or {})
    if not listed and not changes and until is None:
        return Events()
    from .control.callbacks import with_rest
    from .state_changes import compiled_values, read_change

    equations = derivation.equations
    given: list[tuple[Any, bool, StateChange | None]] = [(event, False, None) for event in listed]
    given += [(event, False, read_change(equations, change, parameters)) for event, change in changes.items()]
    given += [] if until is None else [(until, True, None)]
    known = [_as_crossing(event) for event, _, _ in given]
    expressions = [event.expression for event in known if isinstance(event, Crossing)]
    values = compiled_values(equations, expressions, parameters, "events") if expressions else None
    compiled = None if values is None else values.function
    made, number = [], 0
    for event, (_, ends, change) in zip(known, given, strict=True):
        if isinstance(event, Crossing) and compiled is not None:
            function, number = _entry(compiled, number), number + 1
        else:
            function = with_rest(event, equations)
        direction, terminal = float(getattr(event, "direction", 0)), bool(getattr(event, "terminal", False))
        made.append(Watched(function, direction, terminal or ends, change, isinstance(event, Crossing)))
    if values is None or len(expressions) < len(known):
        return Events(tuple(made))
    return Events(tuple(made), values.function, values.names)


def _as_crossing(event: Any) -> Any:
    """An expression as a crossing; what is neither that nor a function is refused."""
    from ..expr import Expr

    if isinstance(event, Expr):
        return Crossing(event)
    if not isinstance(event, Crossing) and not callable(event):
        raise PolhodeError(
            f"{event!r} is no event.",
            place="events",
            cure="Give an expression, a crossing, or a function g(t, q, u) that returns one number.",
            code="E-SIM-020",
        )
    return event


def _entry(compiled: Compiled, number: int) -> Event:
    """One of the compiled values as a function of its own."""
    time = np.zeros(1)

    def event(t: float, q: Floats, rest: Floats) -> float:
        time[0] = t
        return float(compiled(np.concatenate([q, rest]), time)[number])

    return event


@dataclass(frozen=True)
class Met:
    """An event that interrupts a run: when, which, and on which side of its zero the motion came."""

    t: float
    event: Watched
    number: int
    side: float


class EventLocator:
    """Zero crossings of functions of the state, found on the solver's interpolant."""

    def __init__(self, events: Events, coordinates: int, record: Record, t: float, x: Floats) -> None:
        self.events, self.coordinates = events, coordinates
        self.values = [self.value(number, t, x) for number in range(len(events.watched))]
        self.sides = [0.0] * len(events.watched)  # the side that an event left when it changed the state
        self.standing: tuple[float, dict[int, float]] = (-np.inf, {})  # when the state was last changed, and by which
        self.late: dict[int, float] = {}  # events at the time of one that changed the state, and how they came
        self.found: list[list[float]] = [[] for _ in events.watched]
        if events:
            record.info["events"] = self.found

    def value(self, number: int, t: float, x: Floats) -> float:
        """The value of an event at a state."""
        try:
            value = float(
                self.events.watched[number].value(t, x[: self.coordinates].copy(), x[self.coordinates :].copy())
            )
        except Exception as error:
            raise event_failed(f"at t = {t:.6g} s an event function raised {type(error).__name__}: {error}") from error
        if np.isnan(value):
            raise event_failed(f"at t = {t:.6g} s event {number} is nan, which no zero can be found of.")
        return value

    def locate(self, interpolant: Any, t_old: float, t: float, x: Floats) -> Met | None:
        """Note the crossings of a step; the first one that ends the run or changes the state, or None."""
        met: list[tuple[float, int, float]] = []
        for number, event in enumerate(self.events.watched):
            before, after = self.values[number], self.value(number, t, x)
            self.values[number] = after
            when: float | None = None
            if before == 0.0 and number in self.late and self.late[number] * after < 0.0:
                when, self.sides[number] = t_old, self.late[number]
            elif before == 0.0 and self.sides[number] * after < 0.0:
                when = self._once_more(number, interpolant, t_old, t)
            elif (before * after < 0.0 or (after == 0.0 and before != 0.0)) and event.direction * (after - before) >= 0:
                when = t if after == 0.0 else self._zero(number, interpolant, t_old, t)
            if when is not None:
                met.append((float(when), number, float(np.sign(before)) or self.sides[number]))
            self.sides[number] = 0.0 if after else self.sides[number]
        self.late, met = {}, sorted(met)
        for k, (when, number, side) in enumerate(met):
            self.found[number].append(when)
            if self.events.watched[number].interrupts:
                soon = when + ZENO * max(1.0, abs(when))
                self.late = {other: sign for time, other, sign in met[k + 1 :] if time <= soon}
                return Met(when, self.events.watched[number], number, side)
        return None

    def restart(self, t: float, x: Floats, met: Met, is_passed: bool) -> None:
        """Go on from another state: the event that changed it is at its zero, and is watched for from there on."""
        self.values = [self.value(number, t, x) for number in range(len(self.events.watched))]
        when, standing = self.standing
        standing = standing if t - when <= ZENO * max(1.0, abs(t)) else {}
        self.standing = t, {**standing, met.number: -met.side if is_passed else met.side}
        for number, side in {**dict.fromkeys(self.late, 0.0), **self.standing[1]}.items():
            if number == met.number or abs(self.values[number]) <= ZENO:
                self.values[number], self.sides[number] = 0.0, side

    def _zero(self, number: int, interpolant: Any, t_old: float, t: float) -> float:
        """Where the event is zero in a step; at its begin, if bringing the state back made it pass there."""
        from .roots import find_root

        return find_root(lambda s: self.value(number, s, interpolant(s)), t_old, t)

    def _once_more(self, number: int, interpolant: Any, t_old: float, t: float) -> float:
        """The next zero of an event that had one at the step's begin, and has passed it again at its end."""
        from .roots import find_root

        s, side = t, self.sides[number]
        for _ in range(_HALVINGS):
            s = 0.5 * (t_old + s)
            if side * self.value(number, s, interpolant(s)) > 0.0:
                return find_root(lambda s: self.value(number, s, interpolant(s)), s, t)
        raise Stop(
            "event_stuck",
            f"at t = {t_old:.6g} s event {number} changed the state, and the motion goes on through it.",
            "Let the change turn the motion back, or end the run there (terminal=True).",
        )


def goes_through(
    event: Watched, rates: Callable[[float, Floats], Floats], n: int, t: float, before: Floats, after: Floats
) -> bool:
    """Whether an event that changed the state from `before` to `after`, of n coordinates, passes its zero all the same.

    It does if the function goes on the way that it came, with more than rounding of its speed.
    """

    def slope(x: Floats) -> float:
        later = x + _SHORT * rates(t, x.copy())
        return event.value(t + _SHORT, later[:n].copy(), later[n:].copy()) - event.value(t, x[:n].copy(), x[n:].copy())

    came = slope(before)
    return slope(after) * came > _AT_REST * came * came


def event_failed(message: str) -> Stop:
    """A run that ends since an event has no value."""
    return Stop("event_failed", message, "An event is a function g(t, q, u) that returns one number.")
