"""Events: where along a run a function of its state, or an expression, passes through zero, and what happens there.

Expressions are compiled together, as one function of state and time, which native runs evaluate after each step; a
function of the user's is asked in Python. A zero is found on the interpolant of the step.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from inspect import signature
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy as np

from ..errors import PolhodeError, ValueMissing, check_kind, shown, understood, unknown
from ..native import compile_program
from ..native.compiled import Compiled
from .guard import Stop
from .initial_state import Floats

if TYPE_CHECKING:
    from ..dynamics.equations import EquationsOfMotion
    from ..expr import Expr
    from ..formalisms.derivation import Derivation
    from ..ode.native_events import Effect

Event = Callable[[float, Floats, Floats], float]


@dataclass(frozen=True)
class Crossing:
    """An expression of coordinates, speeds, states, time and parameters whose zeros are events.

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
    given: tuple[Any, str, int] = (None, "events", 0)  # what was given, in which option, and its number there

    @property
    def name(self) -> str:
        """The event's name in messages."""
        event, option, number = self.given
        text = str(event.expression) if isinstance(event, Crossing) else getattr(event, "__name__", shown(event))
        return f"event {number} of {option}, {shown(text)},"

    @property
    def effect(self) -> Effect:
        """The event's effect as a record for native code."""
        change = self.change
        compiled = None if change is None or change.compiled is None else change.compiled.function
        places = () if change is None else change.places
        by_python = change is not None and compiled is None
        ends = self.terminal and change is None
        from ..ode.native_events import Effect

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
        """The effects of all events as records for native code."""
        return [event.effect for event in self.watched]

    @property
    def changes_states(self) -> bool:
        """Whether the state jumps at some of them."""
        return any(event.change is not None for event in self.watched)


def read_events(
    derivation: Derivation,
    events: Sequence[Any],
    until: Any,
    parameters: Mapping[str, Any],
    on: Mapping[Any, Any] | None = None,
) -> Events:
    """Functions, crossings and expressions to watch for; `until` is one more, which ends the run."""
    if events == () and until is None and on is None:
        return Events()
    with understood("a list of events", events, place="events", cure="Give events=[…]."):
        listed = list(events)
    with understood("a mapping from events to new values", on, place="on", cure="Give on={event: {name: value}}."):
        changes = dict(on or {})
    if not listed and not changes and until is None:
        return Events()

    equations = derivation.equations
    entries: list[tuple[Any, str, int, StateChange | None]] = [(x, "events", k, None) for k, x in enumerate(listed)]
    for k, (event, change) in enumerate(changes.items()):
        entries.append((event, "on", k, read_change(equations, change, parameters)))
    entries += [] if until is None else [(until, "until", 0, None)]
    crossings = [_as_crossing(event, option) for event, option, _, _ in entries]
    expressions = [event.expression for event in crossings if isinstance(event, Crossing)]
    place = "events" if listed or changes else "until"
    values = compiled_values(equations, expressions, parameters, place) if expressions else None
    compiled = None if values is None else values.function
    all_watched, number = [], 0
    for event, (_, option, k, change) in zip(crossings, entries, strict=True):
        if isinstance(event, Crossing) and compiled is not None:
            function, number = _entry(compiled, number), number + 1
        else:
            function = with_rest(event, equations, option)
        direction, terminal = getattr(event, "direction", 0), bool(getattr(event, "terminal", False))
        if direction not in (-1, 0, 1):
            cure = "Give 1 for rising zeros, -1 for falling ones, 0 for both."
            raise PolhodeError(f"{shown(direction)} is no direction of an event.", place, cure, "E-RUN-NUMBER")
        ends = terminal or option == "until"
        watched = Watched(function, float(direction), ends, change, isinstance(event, Crossing), (event, option, k))
        all_watched.append(watched if watched.is_expression else replace(watched, value=_number_of(watched)))
    if values is None or len(expressions) < len(crossings):
        return Events(tuple(all_watched))
    return Events(tuple(all_watched), values.function, values.names)


def _number_of(event: Watched) -> Callback:
    """The values of an event function of Python, which are numbers: a truth value has no zeros."""

    def value(t: float, q: Floats, rest: Floats) -> float:
        try:
            number: Any = event.value(t, q, rest)
        except Exception as error:
            raise event_failed(f"at t = {t:.6g} s {event.name} raised {type(error).__name__}: {error}") from error
        with suppress(TypeError, ValueError):
            if isinstance(number, float) or (np.ndim(number) == 0 and not isinstance(number, bool | np.bool_ | str)):
                return float(number)
        raise event_failed(f"at t = {t:.6g} s {event.name} returned {shown(number)}, which is no number.")

    return value


def _as_crossing(event: Any, place: str) -> Any:
    """An expression as a crossing; what is neither that nor a function is refused."""
    from ..expr import Expr

    if isinstance(event, Expr):
        return Crossing(event)
    if not isinstance(event, Crossing) and not callable(event):
        cure = "Give an expression, a crossing, or a function g(t, q, u) that returns one number."
        raise PolhodeError(f"{shown(event)} is no event.", place, cure, "E-RUN-TYPE")
    return event


def _entry(compiled: Compiled, number: int) -> Event:
    """One of the compiled values as a function of its own; its x may have entries behind the state."""
    time, size = np.zeros(1), compiled.outline.arrays[0].size

    def event(t: float, q: Floats, rest: Floats) -> float:
        time[0] = t
        return float(compiled(np.concatenate([q, rest])[:size], time)[number])

    return event


def event_failed(message: str) -> Stop:
    """A run that ends since an event has no value."""
    return Stop("event_failed", message, "An event is a function g(t, q, u) that returns one number.")


# ---- state changes -------------------------------------------------------------------------------------------
# Changes of the state at an event: new values of some coordinates, speeds and first-order states.

#: Functions of expressions that were compiled last, of each mechanism.
_COMPILED: WeakKeyDictionary[EquationsOfMotion, dict[tuple[Any, ...], tuple[Compiled, tuple[str, ...]]]] = (
    WeakKeyDictionary()
)
_MOST_KEPT = 16
_WORDS = {"events": "an event", "until": "an event", "on": "a new value"}


@dataclass(frozen=True, eq=False)
class ParametricValues:
    """Expressions as one function of x and t, with the parameters of a run, and the names of these in order."""

    function: Compiled
    names: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class StateChange:
    """Change of the state at an event."""

    place_of: Callable[[Any], int]
    values: Callback
    coordinates: int
    compiled: ParametricValues | None = None  # of the new values, where they are expressions
    places: tuple[int, ...] = ()  # where these go

    def applied(self, t: float, x: Floats) -> Floats:
        """The state after the event."""
        new, values = x.copy(), self.values(t, x[: self.coordinates].copy(), x[self.coordinates :].copy())
        if not isinstance(values, Mapping):
            message = f"at t = {t:.6g} s a change of the state returned {shown(values)}, which is no mapping."
            raise Stop("event_failed", message, 'Return new values by name, {"v": 0}.')
        for key, value in values.items():
            new[self.place_of(key)] = float(value)
        return new


def read_change(equations: EquationsOfMotion, change: Any, parameters: Mapping[str, Any]) -> StateChange:
    """New values by name or symbol, as numbers or expressions, or a function f(t, q, u) that returns them so."""
    from ..expr import as_expr

    index_of = partial(place_of, equations)
    if callable(change):
        return StateChange(index_of, with_rest(change, equations, "on"), len(equations.q))
    cure = 'Give new values by name, on={event: {"v": -0.8 * v}}, or a function that returns them.'
    check_kind(Mapping, "a change of the state", change, "on", cure)
    order = tuple(change)
    for key in order:
        index_of(key)
    new = []
    for key, value in change.items():
        with understood("a number or an expression", value, place=f"on '{getattr(key, 'name', key)}'"):
            new.append(as_expr(value))
    compiled_change = compiled_values(equations, new, parameters, "on")
    compiled = compiled_change.function
    time = np.zeros(1)

    def values(t: float, q: Floats, rest: Floats) -> Mapping[Any, float]:
        time[0] = t
        return dict(zip(order, compiled(np.concatenate([q, rest]), time).tolist(), strict=True))

    return StateChange(index_of, values, len(equations.q), compiled_change, tuple(index_of(key) for key in order))


def place_of(equations: EquationsOfMotion, key: Any) -> int:
    """Index in the state of a coordinate, speed or first-order state."""
    from ..expr.spelling import spelled

    symbols = [*equations.q, *equations.u, *equations.z]
    indices = [index for index, symbol in enumerate(symbols) if symbol is key or symbol.name == key]
    indices = indices or [index for index, symbol in enumerate(symbols) if spelled(symbol) == key]
    if not indices:
        raise unknown(
            "coordinate, speed or state", key, [symbol.name for symbol in symbols], place="on", code="E-RUN-NAME"
        )
    if len(indices) > 1:
        cure = f"Write {key}' for the speed, or give the symbol, as in on={{event: {{joint.u[0]: 0}}}}."
        raise PolhodeError(f"'{key}' is a coordinate and a speed.", "on", cure, "E-RUN-TWICE")
    return indices[0]


def compiled_values(
    equations: EquationsOfMotion, expressions: Sequence[Expr], parameters: Mapping[str, Any], place: str
) -> ParametricValues:
    """Expressions of the state as one function of x and t; those compiled last are kept for the next run."""
    kept, key = _COMPILED.setdefault(equations, {}), (place, *expressions)
    if key not in kept:
        if len(kept) >= _MOST_KEPT:
            kept.pop(next(iter(kept)))
        kept[key] = _compile(equations, expressions, place)
    function, names = kept[key]
    values = {name: parameters.get(name, equations.system.parameters[name].value) for name in names}
    missing = [name for name, value in values.items() if value is None]
    if missing:
        message = f"the parameter '{missing[0]}' of {_WORDS[place]} has no value."
        cure = f"Give parameters={{{missing[0]!r}: …}}, or a default in the model."
        raise ValueMissing(message, place, cure, "E-VALUE-MISSING")
    return ParametricValues(function.with_parameters(np.array([float(value) for value in values.values()])), names)


def _compile(equations: EquationsOfMotion, expressions: Sequence[Expr], place: str) -> tuple[Compiled, tuple[str, ...]]:
    """One native function of x and t, and its parameters; dependent and driven symbols are substituted."""
    from ..codegen.plan import plan
    from ..expr import free_symbols, substitute

    values = equations.in_independent_speeds(substitute(list(expressions), equations.tree.followed))
    system = equations.system
    arrays = [("x", [*equations.q, *equations.u, *equations.z]), ("t", [system.time])]
    table = {p.symbol: name for name, p in system.parameters.items()}
    met = list(free_symbols(values))
    arguments = {symbol for _, symbols in arrays for symbol in symbols} | table.keys()
    foreign = [symbol for symbol in met if symbol not in arguments]
    if foreign:
        kind = foreign[0].data[0]
        why = "is no part of the state" if kind in ("input", "effort") else "this run does not have"
        message = f"{_WORDS[place]} depends on the {kind} '{foreign[0].name}', which {why}."
        cure = "Use coordinates, speeds, states, time and parameters of this system, or a Python function."
        raise PolhodeError(message, place, cure, "E-RUN-DEPENDENCE")
    used = [symbol for symbol in table if symbol in met]
    program = plan(place.replace("until", "events"), arrays, [("values", (len(values),), list(values))], used)
    return compile_program(program), tuple(table[symbol] for symbol in used)


# ---- callbacks -----------------------------------------------------------------------------------------------
# A user's functions of the state as a run calls them: f(t, q, u) or, with first-order states, f(t, q, u, z).
#
# A run holds its state in one array x = (q, u, z). It hands over q and the rest; what is here parts that into u and z.

Callback = Callable[[float, Floats, Floats], Any]


def with_rest(function: Callable[..., Any], equations: EquationsOfMotion, place: str) -> Callback:
    """A function of time, q and the rest of the state; one that cannot be called with these is refused."""
    has_z = bool(equations.states) and _takes(function, 4)
    if not has_z and not _takes(function, 3):
        arguments = "(t, q, u) or (t, q, u, z)" if equations.states else "(t, q, u)"
        message = f"the function {getattr(function, '__name__', shown(function))} does not take {arguments}."
        raise PolhodeError(message, place, f"Give a function of {arguments}.", "E-RUN-TYPE")
    end = len(equations.u)

    def called(t: float, q: Floats, rest: Floats) -> Any:
        return function(t, q, rest[:end], rest[end:]) if has_z else function(t, q, rest[:end])

    return called if equations.states else function


def _takes(function: Callable[..., Any], count: int) -> bool:
    """True if a function accepts so many arguments; for built-in functions without a signature, True for three."""
    try:
        signature(function).bind(*range(count))
    except TypeError:
        return False
    except ValueError:
        return count == 3
    return True
