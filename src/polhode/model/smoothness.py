"""Motions that jump or have a corner: at such an instant a prescribed motion needs an impulse, which a run would lose.

A position that is kept must have a continuous value and slope, a speed that is kept a continuous value. Where a
function such as |g| changes its form, at g = 0, the two forms of the whole expression are compared there: so
max(t - 1, 0)**2 is smooth enough, and max(t - 1, 0) is not.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import inf

from ..errors import ModelError, PolhodeError
from ..expr import Expr, as_expr, constant_sign, derivative, free_symbols, is_zero, substitute, symbol
from ..expr.graph import rebuild, topological
from ..expr.node import CALL
from ..expr.opaque.table import Table
from ..expr.ranges import range_of

#: Symbols that vary during a run and may be in a motion.
_VARYING = ("time", "coordinate", "speed")
#: How often a kind of table can be differentiated with a continuous result.
_SMOOTH = {"held": -1, "linear": 0, "pchip": 1, "cubic": 2}
_GAP, _WHOLE = symbol("gap", "gap"), symbol("whole", "gap")


def check_smooth(values: Iterable[Expr], slopes: int, place: str) -> None:
    """Refuse values that jump in time or, with `slopes` 1, whose slope does.

    >>> from polhode.expr import absolute, symbol
    >>> t = symbol("t", "time")
    >>> check_smooth([t * absolute(t)], 1, "motion")
    >>> check_smooth([absolute(t)], 1, "motion")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    polhode.errors.ModelError: motion: it has a corner where abs(t) has one, and the impulse there would be lost.
      Round it off, as sqrt(x**2 + small**2) for abs(x); ...  [E-MODEL-104]
    """
    for value in values:
        for node in topological([value]):
            order = _broken_order(value, node)
            if order is not None and order <= slopes:
                what = "a corner" if order else "a jump"
                raise ModelError(
                    f"it has {what} where {node!r} has one, and the impulse there would be lost.",
                    place=place,
                    cure="Round it off, as sqrt(x**2 + small**2) for abs(x); of a table take "
                    'kind="cubic", outside="line".',
                    code="E-MODEL-104",
                )


def _broken_order(value: Expr, node: Expr) -> int | None:
    """0 if a value jumps where a node changes its form, 1 if its slope does, None if neither."""
    if node.op == CALL and isinstance(node.data, Table) and _varies(node):
        return _table_order(node.data, node.args[0])
    if node.op in ("asin", "acos", "atan2") and _varies(node):
        return _angle_order(node)
    forms = _forms(node)
    if forms is None or not _varies(forms[0]):
        return None
    try:
        above, below = (_on_side(value, node.args[0], forms[0], side) for side in (1, -1))
        for order, each in enumerate((above - below, *derivative([above - below], _GAP))):
            if not is_zero(_folded(substitute([each], {_GAP: 0})[0])):
                return order
    except (PolhodeError, ZeroDivisionError):
        return 0
    return None


def _angle_order(node: Expr) -> int | None:
    """The same of an angle: asin and acos have corners at ±1, atan2(y, x) jumps at y = 0 where x < 0.

    Bounds of the operands decide; where none are known, as with a parameter for a radius, it counts as smooth.
    """
    y, x = range_of(node.args[0]), range_of(node.args[-1])
    if node.op == "atan2":
        return 0 if -inf < x.low < 0 and -inf < y.low < 0 < y.high < inf else None
    return 1 if -inf < y.low <= -1 or 1 <= y.high < inf else None


def _varies(node: Expr) -> bool:
    return any(x.data[0] in _VARYING for x in free_symbols([node]))


def _forms(node: Expr) -> tuple[Expr, Expr, Expr] | None:
    """The gap, which is zero where a node changes its form, and the form above and below."""
    if node.op not in ("abs", "sign", "floor", "min", "max"):
        return None
    x, y = node.args[0], node.args[-1]
    made = {
        "abs": (x, x, -x), "sign": (x, 1, -1), "floor": (x - _WHOLE, _WHOLE, _WHOLE - 1),
        "max": (x - y, x, y), "min": (x - y, y, x),
    }[node.op]  # fmt: skip
    return as_expr(made[0]), as_expr(made[1]), as_expr(made[2])


def _on_side(value: Expr, first: Expr, gap: Expr, side: int) -> Expr:
    """A value in terms of the gap, with each node that changes its form there as it is on one side."""
    chosen: dict[int, Expr] = {}
    for node in topological([value]):
        forms = _forms(node)
        if forms is not None and forms[0] in (gap, -gap):
            chosen[id(node)] = forms[1 if side * (1 if forms[0] == gap else -1) > 0 else 2]
    for x in free_symbols([gap]):
        (slope,) = derivative([gap], x)
        if x.data[0] in _VARYING and x not in free_symbols([slope]):  # linear in x: x is known by the gap
            return substitute([_replaced(value, chosen)], {x: (_GAP - substitute([gap], {x: 0})[0]) / slope})[0]
    base = {id(first): as_expr(first - gap + _GAP)}
    return _replaced(value, base | {key: _replaced(form, base) for key, form in chosen.items()})


def _replaced(value: Expr, replacements: Mapping[int, Expr]) -> Expr:
    """A value with nodes replaced."""
    table = dict(replacements)
    for node in topological([value]):
        if id(node) not in table:
            args = [table[id(arg)] for arg in node.args]
            table[id(node)] = rebuild(node, args) if args else node
    return table[id(value)]


def _folded(value: Expr) -> Expr:
    """A value with nodes of numbers alone as they are there: min(0, 1) is 0."""
    table: dict[int, Expr] = {}
    for node in topological([value]):
        here = rebuild(node, [table[id(arg)] for arg in node.args]) if node.args else node
        gap, above, below = _forms(here) or (_GAP, here, here)
        side = 0 if free_symbols([gap]) else constant_sign(gap)
        table[id(node)] = above if side > 0 else below if side < 0 else here
    return table[id(value)]


def _table_order(table: Table, argument: Expr) -> int | None:
    """The same of a table: between its points by its kind, and at its ends where it is held beyond them."""
    smooth = _SMOOTH[table.points.kind] - sum(table.orders)
    if smooth < 1:
        return max(smooth + 1, 0)
    if table.points.outside != "hold" or table.arity > 1:
        return None
    first, last = table.points.axes[0][0], table.points.axes[0][-1]
    ends = [last] if argument.op == "symbol" and argument.data[0] == "time" and first <= 0 else [first, last]
    slope, size = table.partial(0), max(map(abs, table.points.values)) / (last - first)
    return 1 if slope and any(abs(slope.at(end)) > 1e-9 * size for end in ends) else None
