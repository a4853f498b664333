"""Opaque functions as plain records for JSON, in and out: tables by their numbers, a user's functions by name alone."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ...errors import PolhodeError
from .function import Opaque
from .table import KINDS, OUTSIDE, ExtendedTable, Table, checked
from .user import UserFunction, known


def record_of(function: Opaque) -> dict[str, Any]:
    """A record that `function_of` understands; it never holds source code."""
    if isinstance(function, UserFunction):
        return {"function": function.name, "digest": function.digest}
    if not isinstance(function, Table):
        raise PolhodeError(f"a {type(function).__name__} cannot be kept.", code="E-FUNCTION-UNSUPPORTED")
    points = function.points
    return {
        "table": function.name,
        "axes": [[x.hex() for x in axis] for axis in points.axes],
        "values": [y.hex() for y in points.values],
        "kind": points.kind,
        "outside": points.outside,
        "orders": list(function.orders),
        **({"extended": True} if function.is_extended else {}),
    }


def function_of(record: Any) -> Opaque:
    """The function of a record; ValueError or a PolhodeError where it is none."""
    if "function" in record:
        return known(str(record["function"]), str(record["digest"]))
    axes = [[float.fromhex(x) for x in axis] for axis in record["axes"]]
    values = [float.fromhex(y) for y in record["values"]]
    orders = tuple(record["orders"])
    if record["kind"] not in KINDS or record["outside"] not in OUTSIDE or len(orders) != len(axes):
        raise ValueError("not the record of a table")
    width = len(axes[-1])
    rows = [values[k : k + width] for k in range(0, len(values), width)] if len(axes) == 2 else values
    base = checked(
        tuple(axes) if len(axes) == 2 else axes[0],
        rows,
        name=str(record["table"]),
        kind=record["kind"],
        outside=record["outside"],
    )
    if not all(type(order) is int and -1 <= order <= base.points.degree for order in orders):
        raise ValueError("not the orders of a table")
    extended = ExtendedTable(base.points, orders, base.name)
    return extended if record.get("extended") is True else replace(base, orders=orders)
