"""Outputs: functions of the state, by names of its entries or as expressions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..errors import PolhodeError, understood, unknown
from ..expr import Expr, as_expr, free_symbols, substitute
from ..expr.spelling import spelled
from .affine import Plant

#: An output with a longer text is named by its number.
_SHORT = 60


def outputs_of(plant: Plant, outputs: Any) -> dict[str, Expr]:
    """The outputs by name: a list of names and expressions, or a mapping from names to expressions.

    Expressions of all speeds are brought to those of the equations; parameters may stand in them, inputs not.
    """
    equations, place = plant.equations, f"{plant.place} outputs"
    entries = dict(outputs) if isinstance(outputs, Mapping) else dict(enumerate(_listed(outputs, place)))
    known = {spelled(x): x for x in plant.variables}
    found: dict[str, Expr] = {}
    for key, entry in entries.items():
        if isinstance(entry, str) and entry not in known:
            raise unknown("state", entry, known, place=place, code="E-GEOMETRY-005")
        with understood("an expression of the state", entry, place=place, cure="Give expressions, or names of states."):
            made = known[entry] if isinstance(entry, str) else as_expr(entry)
        (made,) = equations.in_independent_speeds(substitute([made], equations.tree.followed))
        name = key if isinstance(key, str) else _name(entry, key)
        if name in found or as_expr(made) in found.values():
            raise PolhodeError(
                f"the output '{name}' is given twice.", place=place, cure="Give it once.", code="E-GEOMETRY-006"
            )
        found[name] = as_expr(made)
    if not found:
        raise PolhodeError("no output is given.", place=place, cure="Give a list of outputs.", code="E-GEOMETRY-007")
    allowed = {*plant.variables, *(entry.symbol for entry in equations.system.parameters.values())}
    for name, made in found.items():
        for strange in [x for x in free_symbols([made]) if x not in allowed]:
            raise PolhodeError(
                f"the output '{name}' depends on {spelled(strange)}, which is no part of the state.",
                place=place,
                cure="Give expressions of coordinates, speeds, states and parameters.",
                code="E-GEOMETRY-008",
            )
    given = {x: value for x, value in plant.held.items() if x.data[0] == "parameter"}
    return dict(zip(found, substitute([*found.values()], given), strict=True))


def _name(entry: Any, place: int) -> str:
    """An expression's own text, where it is short."""
    text = str(entry)
    return text if len(text) <= _SHORT and "…" not in text else f"output {place + 1}"


def _listed(outputs: Any, place: str) -> list[Any]:
    if isinstance(outputs, str | Expr):
        return [outputs]
    with understood("a list of outputs", outputs, place=place, cure="Give names of states and expressions."):
        return list(outputs)
