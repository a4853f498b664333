"""What a value of a model may depend on: one rule, for Python and for model files.

    what a body or joint is   mass, mass centre, inertia, shapes; axes, pitch, joint maps; radii    parameters
    where something sits      joints, frames, closures, the ends of springs                         parameters, time
    what is kept at zero      points and directions of contacts                   parameters, time, coordinates
    what acts                 force laws                         all but accelerations and multipliers

A placement that depends on time is a prescribed motion, with its rates. Of anything else the equations would hold the
value and not the rates: it is refused.

Motions that jump or have a corner: at such an instant a prescribed motion needs an impulse, which a run would lose. So
does a body on a curve or height with a corner.

A position that is kept must have a continuous value and slope, a speed that is kept a continuous value. Where a
function such as |g| changes its form, at g = 0, the two forms of the whole expression are compared there: so
max(t - 1, 0)**2 is smooth enough, and max(t - 1, 0) is not.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import inf
from typing import Any, NamedTuple

from ..errors import ModelError, PolhodeError
from ..expr import Expr, as_expr, constant_sign, derivative, free_symbols, is_zero, substitute, symbol
from ..expr.graph import rebuild, topological
from ..expr.node import CALL
from ..expr.opaque.table import Table
from ..expr.ranges import range_of
from .body import SPOT
from .constraints.protocol import Constraint, ContactConstraint, CoordinateConstraint
from .constraints.unilateral import UnilateralElement
from .expressions import expressions_in
from .fields import Field

_JOINT = "what moves is a joint: add one, and prescribe, couple or constrain it."


class Rule(NamedTuple):
    """The kinds of symbols, beside parameters, that a value may contain, and the cure for others."""

    kinds: tuple[str, ...]
    cure: str


CONSTANT = Rule((), f"Use numbers and parameters; {_JOINT}")
TOUCHING = Rule(
    (),
    "Use numbers and parameters. For friction that changes, such as that of a brake, press a contact of two bodies "
    "together by a force; for a stop that moves, lay it on a body whose motion is prescribed.",
)
MASS = Rule((), "Use numbers; for mass that leaves, give a body of constant mass the force of what leaves it.")
PLACED = Rule(("time",), f"Use numbers, parameters and time; {_JOINT}")
MOTION = Rule(("time",), "Use time, parameters and numbers; for a relation of coordinates use couple or constrain.")
CURVE = Rule(("time",), "Use its parameter, numbers, parameters and time; to move the curve, lay it on a body.")
KEPT = Rule(("time", "coordinate"), "Use numbers, parameters, time and coordinates: the rates of others are not known.")
LINEAR = Rule((*KEPT.kinds, "speed"), KEPT.cure)
GRAVITY = Rule(("time", "input"), "Use gravity_field for a field that depends on the position.")
LAW = Rule(
    ("time", "coordinate", "speed", "state", "input", "effort"),
    "Use coordinates, speeds, states, inputs and time: accelerations and reactions follow from the forces. An inertia "
    "is given to a body.",
)
#: The kinds of symbols that change during a motion, and those that are the arguments of a law.
_CHANGING = frozenset({*LAW.kinds, "acceleration", "multiplier", "line", "position", "velocity"})
#: For tables of the model what a record of it is called, and its values: in words, by rule, by attribute.
_TABLES: dict[str, tuple[str, tuple[tuple[str, Rule, str], ...]]] = {
    "bodies": ("body", (
        ("mass", MASS, "mass"), ("mass centre", CONSTANT, "com"), ("inertia", CONSTANT, "inertia"),
        ("size or place of a shape", CONSTANT, "shapes"),
    )),
    "frames": ("frame", (("place", PLACED, "pose"),)),
    "joints": ("joint", (
        ("place", PLACED, "in_parent"), ("place", PLACED, "in_child"), ("axis, pitch or map", CONSTANT, "type"),
    )),
    "surfaces": ("surface", (("place or size", CONSTANT, "shape"),)),
    "couplings": ("coupling of", (("multiplier", CONSTANT, "multiplier"), ("offset", CONSTANT, "offset"))),
    "prescribed": ("prescribed motion of", (("motion", MOTION, "motion"),)),
    "motors": ("motor of joint", ()),
}  # fmt: skip


def rule_of(field: Field, element: type) -> Rule:
    """The rule for a field of a kind of force, constraint or motor."""
    if field.kind == "curve":
        return CURVE
    if field.free and not issubclass(element, Constraint):
        return LAW
    if field.free:
        return LINEAR if issubclass(element, CoordinateConstraint) else KEPT
    if issubclass(element, UnilateralElement):
        return TOUCHING
    return PLACED if field.is_placed and not issubclass(element, ContactConstraint) else CONSTANT


def check_dependence(table: str, name: str, record: Any) -> None:
    """Refuse a record whose values depend on symbols of a wrong kind, or whose motion needs an impulse."""
    words, attributes = _TABLES.get(table, ("", ()))
    place = getattr(record, "place", f"{words} '{name}'")
    for what, rule, attribute in attributes:
        check_kinds(getattr(record, attribute), what, rule, place, SPOT if table == "surfaces" else ())
        if table == "surfaces" or (rule in (PLACED, MOTION) and table != "frames"):
            check_smooth(expressions_in(getattr(record, attribute)), slopes=1, place=place)
    for field in (part for part in getattr(record, "fields", ()) if part.kind != "surface"):
        rule, value = rule_of(field, type(record)), getattr(record, field.name)
        allowed = (*field.own_symbols.values(), *getattr(record, "coordinates", ()))
        check_kinds(value, field.name.replace("_", " "), rule, place, allowed)
        if rule is PLACED:
            check_smooth(expressions_in(value), slopes=table != "loads", place=place)
    if isinstance(record, CoordinateConstraint):
        check_smooth(record.positions.values(), slopes=1, place=place)
        check_smooth(record.speeds.values(), slopes=0, place=place)


def check_kinds(value: Any, what: str, rule: Rule, place: str, arguments: tuple[Expr, ...] = ()) -> None:
    """Refuse a value with symbols that a rule does not allow; `arguments` are those of its law."""
    for x in free_symbols(list(expressions_in(value))):
        kind = x.data[0]
        if kind in _CHANGING and kind not in rule.kinds and x not in arguments:
            cure = rule.cure
            raise ModelError(f"the {what} cannot depend on the {kind} '{x.name}'.", place, cure, "E-MODEL-DEPENDENCE")


#: Symbols that vary during a run and may be in a motion or a height.
_VARYING = ("time", "coordinate", "speed", "position")
_GAP, _WHOLE = symbol("gap", "gap"), symbol("whole", "gap")


def check_smooth(values: Iterable[Expr], slopes: int, place: str) -> None:
    """Refuse values that jump in time or, with `slopes` 1, whose slope does."""
    for value in values:
        for node in topological([value]):
            order = _broken_order(value, node)
            if order is not None and order <= slopes:
                what = "a corner" if order else "a jump"
                message = f"it has {what} where {node!r} has one, and the impulse there would be lost."
                cure = (
                    'Round it off, as sqrt(x**2 + small**2) for abs(x); of a table take kind="cubic", outside="line".'
                )
                raise ModelError(message, place, cure, "E-CONSTRAINT-UNSUPPORTED")


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
        for order, difference in enumerate((above - below, *derivative([above - below], _GAP))):
            if not is_zero(_folded(substitute([difference], {_GAP: 0})[0])):
                return order
    except (PolhodeError, ZeroDivisionError):
        return 0
    return None


def _angle_order(node: Expr) -> int | None:
    """The same of an angle: asin and acos have corners at ±1, atan2(y, x) jumps at y = 0 where x < 0."""
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
    forms = {
        "abs": (x, x, -x), "sign": (x, 1, -1), "floor": (x - _WHOLE, _WHOLE, _WHOLE - 1),
        "max": (x - y, x, y), "min": (x - y, y, x),
    }[node.op]  # fmt: skip
    return as_expr(forms[0]), as_expr(forms[1]), as_expr(forms[2])


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
    smooth = table.points.smoothness - sum(table.orders)
    if smooth < 1:
        return max(smooth + 1, 0)
    if table.points.outside != "hold" or table.arity > 1:
        return None
    first, last = table.points.axes[0][0], table.points.axes[0][-1]
    ends = [last] if argument.op == "symbol" and argument.data[0] == "time" and first <= 0 else [first, last]
    slope, size = table.partial(0), max(map(abs, table.points.values)) / (last - first)
    return 1 if slope and any(abs(slope.at(end)) > 1e-9 * size for end in ends) else None
