"""A curve that something rolls on, as a user gives it: places in a plane over a parameter, or heights over x."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..errors import ModelError
from ..expr import Expr, derivative, is_zero, topological
from ..expr.node import CALL
from ..expr.opaque.table import Table
from .reading import number_of, result_of


def curve_of(curve: Any, parameter: Expr, place: str) -> tuple[Expr, Expr]:
    """The coordinates x and z of a curve at a parameter: what a callable gives for it, or heights z over x.

    >>> from polhode.expr import cos, symbol
    >>> curve_of(cos, symbol("s", "coordinate"), "disc 'tyre'")
    (s, cos(s))
    """
    if not callable(curve):
        raise ModelError(
            f"a curve is a function of a parameter, not {curve!r}.",
            place=place,
            cure="Give lambda s: (x, z), or lambda x: z.",
            code="E-MODEL-057",
        )
    made = result_of(curve, (parameter,), place)
    entries = tuple(made) if isinstance(made, Iterable) else (parameter, made)
    found = tuple(number_of(entry, place) for entry in entries)
    if len(found) != 2:
        raise ModelError(
            f"the curve has {len(found)} coordinates.",
            place=place,
            cure="Give x and z, in the plane that the disc rolls in, or the height z alone.",
            code="E-MODEL-058",
        )
    x, z = found
    _check_smooth([x, z], place)
    if all(is_zero(slope) for slope in derivative([x, z], parameter)):
        raise ModelError(
            "the curve is a point: it does not depend on its parameter.",
            place=place,
            cure="Use the parameter that the function is called with.",
            code="E-MODEL-059",
        )
    return x, z


def _check_smooth(curve: list[Expr], place: str) -> None:
    """No corners: where a table bends, its slope jumps, and the curve has no tangent."""
    for node in topological(curve):
        if node.op == CALL and isinstance(node.data, Table) and node.data.points.kind == "linear":
            raise ModelError(
                f"table '{node.data.label}' has corners, where the curve has no tangent.",
                place=place,
                cure="Give the table kind='cubic' or kind='pchip'.",
                code="E-MODEL-065",
            )
