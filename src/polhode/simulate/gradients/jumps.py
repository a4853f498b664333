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
from typing import TYPE_CHECKING, Any

import numpy as np

from ...dynamics.equations import EquationsOfMotion
from ...errors import PolhodeError
from ...expr import Expr, as_expr, evaluate, free_symbols, jacobian, substitute
from ...expr.spelling import described
from ..events import Crossing, Events, read_events
from ..guard import Stop
from ..initial_state import Floats
from ..state_changes import place_of

if TYPE_CHECKING:
    from ...formalisms.derivation import Derivation


@dataclass(frozen=True, eq=False)
class Jump:
    """An event of a run: where it happens, what it does, and the derivatives of both by state, time and `by`."""

    equations: EquationsOfMotion
    condition: Expr
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
        return list(jacobian([self.condition], self._variables).entries())

    @cached_property
    def _change_slopes(self) -> list[Expr]:
        """The derivatives of the new entries, row by row."""
        entries = [] if self.changes is None else list(self.changes.values())
        return list(jacobian(entries, self._variables).entries()) if entries else []

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

    def after_slopes(self, known: Mapping[Expr, float]) -> tuple[Floats, Floats, Floats]:
        """∂g/∂x, ∂g/∂t and ∂g/∂p."""
        size, width = len(self.state), len(self._variables)
        whole = np.zeros((size, width))
        whole[:, :size] = np.eye(size)
        if self.changes:
            whole[list(self.changes)] = np.array(evaluate(self._change_slopes, known)).reshape(-1, width)
        return whole[:, :size], whole[:, size], whole[:, size + 1 :]


def read_jumps(
    derivation: Derivation,
    events: Sequence[Any],
    until: Any,
    on: Mapping[Any, Any] | None,
    parameters: Mapping[str, Any],
    by: Sequence[Expr],
) -> tuple[Events, list[Jump]]:
    """The events of a run as it watches them, and each as a jump; they must be expressions."""
    equations = derivation.equations
    watched = read_events(derivation, events, until, parameters, on)
    asked = [*((event, None) for event in events), *(on or {}).items(), *([] if until is None else [(until, None)])]
    jumps = []
    for event, changes in asked:
        condition = expressed(equations, _condition(event), "events")
        jumps.append(Jump(equations, condition, tuple(by), None if changes is None else _changes(equations, changes)))
    return watched, jumps


def _condition(event: Any) -> Expr:
    if isinstance(event, Expr):
        return event
    if isinstance(event, Crossing):
        return event.expression
    raise _no_expression(event, "events")


def _no_expression(given: Any, place: str) -> PolhodeError:
    return PolhodeError(
        f"{given!r} is no expression, and only expressions can be differentiated.",
        place=place,
        cure="Write it as an expression of coordinates, speeds, time and parameters.",
        code="E-SENS-001",
    )


def _changes(equations: EquationsOfMotion, given: Any) -> dict[int, Expr]:
    """New entries of the state by place, in symbols of the run; with multipliers, speeds that keep the constraints."""
    if not isinstance(given, Mapping):
        raise _no_expression(given, "on")
    made = {place_of(equations, key): expressed(equations, value, "on") for key, value in given.items()}
    constraints = equations.constraints
    if constraints is None or not constraints.rows:
        return made
    size = len(equations.q)
    moved = [k for k in made if k < size]
    if moved:
        raise PolhodeError(
            f"an event that moves '{equations.coordinates[moved[0]]}' of a mechanism with constraints is not "
            "differentiated.",
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
