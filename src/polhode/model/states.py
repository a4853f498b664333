"""States without mass: ż = rate(q, u, z, t, parameters, inputs), such as a motor's current or what a filter remembers.

A rate may hold the state itself and whatever is declared after it: so it can be given later, and is looked at as a
whole when equations are derived.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ..errors import ModelError, listed, shown
from ..expr import Expr, as_expr, free_symbols, symbol
from .lookup import check_new, tell_apart
from .reading import number_of, result_of, stated_value, unknown
from .records import State

if TYPE_CHECKING:
    from .builder import Builder
    from .model import Model

#: What a rate may be written with.
_KNOWN = ("coordinate", "speed", "state", "time", "parameter", "input")
_CURES = {
    "acceleration": "Accelerations follow from the forces, which may hold this state; use coordinates and speeds.",
    "effort": "Use an input for what is commanded, and give it to the joint as a joint_force.",
}


def add_state(system: Builder, name: str, rate: Any, start: Any, unit: str) -> Expr:
    """A new state, with its rate if that is known already; its symbol is returned."""
    check_new("state", name, system.states)
    place = f"state '{name}'"
    if isinstance(start, Expr) and not start.is_number:
        raise ModelError(
            f"the start {shown(start)} is not a number.",
            place=place,
            cure="Give a number here, and another for a run: simulate(…, start={…}).",
            code="E-MODEL-094",
        )
    begin, unit = stated_value(start, unit, f"{place} start")
    made = symbol(name, "state")
    law = None if rate is None else _rate_of(made, rate, place)
    tell_apart(system, [made], place)
    system._add("states", name, State(made, law, begin, unit))
    return made


def set_rate(system: Builder, state: Expr | str, rate: Any) -> None:
    """Give a state its rate; each has one."""
    is_symbol = isinstance(state, Expr) and isinstance(state.data, tuple) and state.data[:1] == ("state",)
    name = state.name if is_symbol and isinstance(state, Expr) else state
    if not isinstance(name, str) or name not in system.states:
        raise unknown("state", name if isinstance(name, str) else shown(name), system.states, "state_rate")
    now, place = system.states[name], f"state '{name}'"
    if now.rate is not None:
        raise ModelError(
            f"it has a rate already: {shown(now.rate)}.",
            place=place,
            cure="Give one rate, the sum of all that changes it.",
            code="E-MODEL-095",
        )
    system._add("states", name, State(now.symbol, _rate_of(now.symbol, rate, place), now.start, now.unit))


def _rate_of(state: Expr, rate: Any, place: str) -> Expr:
    """The rate as an expression; a function gets the state's own symbol."""
    if callable(rate) and not isinstance(rate, Expr):
        rate = result_of(rate, (state,), f"{place} rate")
    made = number_of(rate, f"{place} rate")
    for x in free_symbols([made]):
        if x.data[0] not in _KNOWN:
            raise ModelError(
                f"its rate cannot depend on the {x.data[0]} '{x.name}'.",
                place=place,
                cure=_CURES.get(x.data[0], "Declare it with system.parameter, input or state."),
                code="E-MODEL-096",
            )
    return made


# ---- as a whole --------------------------------------------------------------------------------------------------


def check_states(model: Model) -> None:
    """Refuse states without a rate, and rates with symbols of another system."""
    lacking = [name for name, state in model.states.items() if state.rate is None]
    if lacking:
        raise ModelError(
            f"{'the state' if len(lacking) == 1 else 'the states'} {listed([repr(name) for name in lacking])} "
            f"{'has' if len(lacking) == 1 else 'have'} no rate.",
            place=f"system '{model.name}'",
            cure=f"Give it with state_rate({lacking[0]!r}, …).",
            code="E-MODEL-097",
        )
    known = {*_symbols(model)} if model.states else set()
    for name, state in model.states.items():
        for x in free_symbols([as_expr(state.rate)]):
            if x not in known:
                raise ModelError(
                    f"its rate depends on the {x.data[0]} '{x.name}', which is not in the system '{model.name}'.",
                    place=f"state '{name}'",
                    cure=f"Declare it with system.{x.data[0]}, or use a symbol of this system."
                    if x.data[0] in ("parameter", "input", "state")
                    else "Use a symbol of this system.",
                    code="E-MODEL-098",
                )


def _symbols(model: Model) -> Iterator[Expr]:
    for table in (model.parameters, model.inputs):
        yield from (each.symbol for each in table.values())
    yield from (state.symbol for state in model.states.values())
    for joint in model.joints.values():
        yield from (*joint.q, *joint.u)
    for constraint in model.constraints.values():
        yield from constraint.coordinates
    yield model.time
