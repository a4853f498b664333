"""Changes of the state at an event: new values of some coordinates, speeds and states without mass."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from ..dynamics.equations import EquationsOfMotion
from ..errors import PolhodeError, ValueMissing, check_kind, unknown
from ..expr import Expr, as_expr, free_symbols
from ..native.compiled import Compiled
from .control.callbacks import with_rest
from .initial_state import Floats

_WORDS = {"events": "an event", "on": "a new value"}


@dataclass(frozen=True, eq=False)
class ParametricValues:
    """Expressions as one function of x and t, with the parameters of a run, and the names of these in order."""

    function: Compiled
    names: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class StateChange:
    """What becomes of the state at an event."""

    place_of: Callable[[Any], int]
    values: Callable[[float, Floats, Floats], Mapping[Any, float]]
    coordinates: int
    compiled: ParametricValues | None = None  # of the new values, where they are expressions
    places: tuple[int, ...] = ()  # where these go

    def applied(self, t: float, x: Floats) -> Floats:
        """The state after the event."""
        new = x.copy()
        for key, value in self.values(t, x[: self.coordinates].copy(), x[self.coordinates :].copy()).items():
            new[self.place_of(key)] = float(value)
        return new


def read_change(equations: EquationsOfMotion, given: Any, parameters: Mapping[str, Any]) -> StateChange:
    """New values by name or symbol, as numbers or expressions, or a function f(t, q, u) that returns them so."""
    place = partial(place_of, equations)
    if callable(given):
        return StateChange(place, with_rest(given, equations), len(equations.q))
    cure = 'Give new values by name, on={event: {"v": -0.8 * v}}, or a function that returns them.'
    check_kind(Mapping, "a change of the state", given, "on", cure)
    order = tuple(given)
    for key in order:
        place(key)
    made = compiled_values(equations, [as_expr(value) for value in given.values()], parameters, "on")
    compiled = made.function
    time = np.zeros(1)

    def values(t: float, q: Floats, rest: Floats) -> Mapping[Any, float]:
        time[0] = t
        return dict(zip(order, compiled(np.concatenate([q, rest]), time).tolist(), strict=True))

    return StateChange(place, values, len(equations.q), made, tuple(place(key) for key in order))


def place_of(equations: EquationsOfMotion, key: Any) -> int:
    """Where in the state a coordinate, speed or state without mass stands."""
    symbols = [*equations.q, *equations.u, *equations.z]
    found = [place for place, symbol in enumerate(symbols) if symbol is key or symbol.name == key]
    if not found:
        raise unknown(
            "coordinate, speed or state", key, [symbol.name for symbol in symbols], place="on", code="E-SIM-070"
        )
    if len(found) > 1:
        raise PolhodeError(
            f"'{key}' is a coordinate and a speed.",
            place="on",
            cure="Say which by its symbol, as in on={event: {joint.u[0]: 0}}.",
            code="E-SIM-073",
        )
    return found[0]


def compiled_values(
    equations: EquationsOfMotion, expressions: Sequence[Expr], parameters: Mapping[str, Any], place: str
) -> ParametricValues:
    """Expressions of the state as one function of x and t; coupled, driven and dependent symbols stand for others."""
    from ..codegen.plan import plan
    from ..expr import substitute
    from ..native import compile_program

    values = equations.in_independent_speeds(substitute(list(expressions), equations.tree.followed))
    system = equations.system
    arrays = [("x", [*equations.q, *equations.u, *equations.z]), ("t", [system.time])]
    table = {p.symbol: name for name, p in system.parameters.items()}
    met = list(free_symbols(values))
    known = {symbol for _, symbols in arrays for symbol in symbols} | table.keys()
    strange = [symbol for symbol in met if symbol not in known]
    if strange:
        raise PolhodeError(
            f"{_WORDS[place]} depends on the {strange[0].data[0]} '{strange[0].name}', which the run does not know.",
            place=place,
            cure="Use coordinates, speeds, states, time and parameters of this system.",
            code="E-SIM-021",
        )
    used = [symbol for symbol in table if symbol in met]
    program = plan(place, arrays, [("values", (len(values),), list(values))], used)
    given = {name: parameters.get(name, system.parameters[name].value) for name in (table[each] for each in used)}
    missing = [name for name, value in given.items() if value is None]
    if missing:
        raise ValueMissing(
            f"the parameter '{missing[0]}' of {_WORDS[place]} has no value.", place=place, code="E-VALUE-009"
        )
    compiled = compile_program(program, parameters=np.array([float(value) for value in given.values()]))
    return ParametricValues(compiled, tuple(given))
