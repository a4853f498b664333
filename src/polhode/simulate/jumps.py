"""Jumps of a motion at zeros of expressions, and what they do to its variations.

Where h(x, t; p) passes through zero the state becomes g(x, t; p). The time of that depends on all that varies, so that

    t′ = -(h_x S + h_p) / ḣ,    S⁺ = g_x S + g_p + (g_x f⁻ + g_t - f⁺) t′

f⁻ and f⁺ being the rates before and after, ḣ = h_x f⁻ + h_t, and S and p′ the variation and how parameters move along
it. At an event that ends the run, the last state varies by S + f t′. An event that changes nothing has a time, and t′.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..dynamics.equations import EquationsOfMotion
from ..errors import PolhodeError, understood, unknown
from ..expr import Expr, as_expr, evaluate, free_symbols, jacobian, substitute
from ..expr.spelling import described, spelled
from .events import Crossing, Event, read_events
from .guard import Stop
from .initial_state import Floats


@dataclass(frozen=True, eq=False)
class Jump:
    """An event of a run: where it happens, what it does, and the derivatives of both by state, time and `by`."""

    equations: EquationsOfMotion
    crossing: Crossing
    value: Event
    by: tuple[Expr, ...]  # what varies beside the state
    changes: Mapping[int, Expr] | None  # new entries of the state, by place; None where nothing changes

    @cached_property
    def state(self) -> list[Expr]:
        """The symbols of the state."""
        return [*self.equations.q, *self.equations.u, *self.equations.z]

    @property
    def _variables(self) -> list[Expr]:
        return [*self.state, self.equations.system.time, *self.by]

    @cached_property
    def _slopes(self) -> list[Expr]:
        condition = expressed(self.equations, self.crossing.expression, "events")
        return list(jacobian([condition], self._variables).entries())

    @cached_property
    def _after(self) -> tuple[list[Expr], list[Expr]]:
        """The new entries, and their derivatives row by row."""
        entries = [] if self.changes is None else list(self.changes.values())
        return entries, list(jacobian(entries, self._variables).entries()) if entries else []

    def time_slopes(self, known: Mapping[Expr, float], rates: Floats) -> tuple[Floats, Floats]:
        """∂t/∂x and ∂t/∂p of the time at which it happens."""
        slopes = np.array(evaluate(self._slopes, known))
        size = len(self.state)
        by_x, by_t, by_p = slopes[:size], slopes[size], slopes[size + 1 :]
        rate = float(by_x @ rates + by_t)
        if not abs(rate) > 0.0:
            raise Stop(
                "grazing",
                f"at t = {known[self.equations.system.time]:.6g} s an event is zero and does not change there: "
                "its time has no derivative.",
                "Choose an event that passes through zero at some rate.",
            )
        return -by_x / rate, -by_p / rate

    def after(self, known: Mapping[Expr, float], x: Floats) -> Floats:
        """The state behind it."""
        new = x.copy()
        if self.changes is not None:
            new[list(self.changes)] = evaluate(self._after[0], known)
        return new

    def after_slopes(self, known: Mapping[Expr, float]) -> tuple[Floats, Floats, Floats]:
        """∂g/∂x, ∂g/∂t and ∂g/∂p."""
        size, width = len(self.state), len(self._variables)
        whole = np.zeros((size, width))
        whole[:, :size] = np.eye(size)
        if self.changes:
            whole[list(self.changes)] = np.array(evaluate(self._after[1], known)).reshape(-1, width)
        return whole[:, :size], whole[:, size], whole[:, size + 1 :]


def read_jumps(
    equations: EquationsOfMotion,
    events: Sequence[Any],
    until: Any,
    on: Mapping[Any, Mapping[Any, Any]] | None,
    parameters: Mapping[str, Any],
    by: Sequence[Expr],
) -> list[Jump]:
    """Events, the end of the run and changes of the state, each as a jump; they must be expressions."""
    with understood("a list of events", events, place="events", cure="Give events=[…]."):
        asked: list[tuple[Any, Any]] = [(event, None) for event in events]
    if until is not None:
        end = _crossing(until)
        asked.append((Crossing(end.expression, end.direction, terminal=True), None))
    with understood("changes by event", on, place="on", cure="Give on={event: {speed: expression}}."):
        if not isinstance(on, Mapping | None):
            raise TypeError
        asked += (on or {}).items()
    crossings = [_crossing(event) for event, _ in asked]
    watched = read_events(equations, crossings, None, parameters).watched
    return [
        Jump(equations, crossing, each.value, tuple(by), None if changes is None else _changes(equations, changes))
        for (_, changes), crossing, each in zip(asked, crossings, watched, strict=True)
    ]


def _crossing(event: Any) -> Crossing:
    if isinstance(event, Expr):
        return Crossing(event)
    if isinstance(event, Crossing):
        return event
    raise PolhodeError(
        f"{event!r} is no expression, and only expressions can be differentiated.",
        place="events",
        cure="Write the event as an expression of coordinates, speeds, time and parameters.",
        code="E-SENS-001",
    )


def _changes(equations: EquationsOfMotion, given: Any) -> dict[int, Expr]:
    """New entries of the state by place, in symbols of the run; with multipliers, speeds that keep the constraints."""
    state = [*equations.q, *equations.u, *equations.z]
    names = {spelled(x): k for k, x in enumerate(state)}
    names = {**{u.name: len(equations.q) + k for k, u in enumerate(equations.u)}, **names}
    places = {**{x: k for k, x in enumerate(state)}, **names}
    made: dict[int, Expr] = {}
    with understood("new values by name", given, place="on", cure='Give {"v": expression}.'):
        if not isinstance(given, Mapping):
            raise TypeError
        for name, value in given.items():
            if name not in places:
                raise unknown("coordinate or speed", name, names, place="on", code="E-SENS-002")
            made[places[name]] = expressed(equations, as_expr(value), "on")
    constraints = equations.constraints
    if constraints is None or not constraints.rows:
        return made
    size = len(equations.q)
    moved = [k for k in made if k < size]
    if moved:
        raise PolhodeError(
            f"an event cannot move '{equations.coordinates[moved[0]]}' of a mechanism with constraints.",
            place="on",
            cure="Change speeds alone.",
            code="E-SENS-003",
        )
    if equations.dependent_speeds is not None:
        return made
    struck = {u: made.get(size + k, u) for k, u in enumerate(equations.u)}
    change = substitute(list(equations.projection_step[1]), struck)
    return {**made, **{size + k: struck[u] + change[k] for k, u in enumerate(equations.u)}}


def expressed(equations: EquationsOfMotion, expression: Any, place: str) -> Expr:
    """An expression in the symbols of a run; what coupled, driven and dependent joints follow is put in."""
    (value,) = substitute([as_expr(expression)], equations.tree.followed)
    (value,) = equations.in_independent_speeds([value])
    system = equations.system
    given = [each.symbol for table in (system.parameters, system.inputs) for each in table.values()]
    known = {*equations.q, *equations.u, *equations.z, *equations.tau, system.time, *given}
    strange = [symbol for symbol in free_symbols([value]) if symbol not in known]
    if strange:
        raise PolhodeError(
            f"it depends on the {described(strange[0])}, which the run does not know.",
            place=place,
            cure="Use coordinates, speeds, efforts, inputs, time and parameters of this system.",
            code="E-SENS-004",
        )
    return as_expr(value)
