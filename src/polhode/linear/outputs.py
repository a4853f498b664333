"""Outputs of linear equations: what a user names or writes, and how it changes with states and inputs.

y = h(q, u, z, c),        δy = C x + D δc
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..dynamics.equations import EquationsOfMotion
from ..errors import PolhodeError, unknown
from ..expr import Expr, Matrix, as_expr, directional, free_symbols, jacobian, substitute, symbol
from ..expr.spelling import spelled
from ..model.reading import list_of
from .displacements import Displacements


def read_outputs(equations: EquationsOfMotion, moved: Displacements, outputs: Any, place: str) -> dict[str, Expr]:
    """Outputs by name: expressions by their names, names of states, or expressions."""
    if isinstance(outputs, Mapping):
        return {str(name): as_expr(entry) for name, entry in outputs.items()}
    named = [outputs] if isinstance(outputs, str | Expr) else outputs
    known = _state_symbols(equations, moved)
    found: dict[str, Expr] = {}
    for each in list_of(named, "a list of states or expressions", f"{place} outputs"):
        if isinstance(each, str) and each not in known:
            raise unknown("state", each, known, place=f"{place} outputs", code="E-LIN-011")
        entry = known[each] if isinstance(each, str) else as_expr(each)
        found[each if isinstance(each, str) else str(each)] = as_expr(entry)
    return found


def _state_symbols(equations: EquationsOfMotion, moved: Displacements) -> dict[str, Expr]:
    """The symbols that states are changes of, by name; a small turn has one of its own."""
    coordinates = {spelled(q): q for q in equations.q}
    found = {name: coordinates.get(name, _turn(name)) for name in moved.names}
    return found | {spelled(u): u for u in equations.u} | dict(zip(equations.states, equations.z, strict=True))


def _turn(name: str) -> Expr:
    return symbol(name, "displacement")


def output_rates(
    equations: EquationsOfMotion,
    moved: Displacements,
    observed: Mapping[str, Expr],
    controls: Sequence[Expr],
    known: Iterable[Expr],
    place: str,
) -> tuple[Matrix, Matrix]:
    """C and D of outputs that depend on nothing but what is `known` and parameters, as graphs of the state."""
    entries = substitute([*observed.values()], equations.tree.followed)
    if equations.dependent_speeds is not None:
        entries = equations.dependent_speeds.in_independent_speeds(entries)
    _check(equations, observed, entries, [*known, *map(_turn, moved.names)], place)
    along = [
        {**dict(zip(equations.tree.q, direction, strict=True)), _turn(name): as_expr(1)}
        for name, direction in zip(moved.names, moved.directions, strict=True)
    ]
    columns = [directional(entries, step) for step in along]
    columns += [list(column) for column in jacobian(entries, [*equations.u, *equations.z, *controls]).columns]
    size, height = len(columns) - len(controls), len(entries)
    return Matrix.columns_of(columns[:size], height), Matrix.columns_of(columns[size:], height)


def _check(
    equations: EquationsOfMotion,
    observed: Mapping[str, Expr],
    entries: Sequence[Expr],
    known: Iterable[Expr],
    place: str,
) -> None:
    allowed = {*known, *(entry.symbol for entry in equations.system.parameters.values())}
    for name, entry in zip(observed, entries, strict=True):
        strange = [x for x in free_symbols([entry]) if x not in allowed]
        if strange:
            raise PolhodeError(
                f"the output '{name}' depends on {strange[0]}, which is no part of the state.",
                place=f"{place} outputs",
                cure="Give expressions of coordinates, speeds, states, efforts, inputs and parameters.",
                code="E-LIN-012",
            )
