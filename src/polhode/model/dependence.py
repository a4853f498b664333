"""What a value of a model may depend on: one rule, for Python and for model files.

    what a body or joint is   mass, mass centre, inertia, shapes; axes, pitch, joint maps; radii    parameters
    where something sits      joints, frames, closures, the ends of springs                         parameters, time
    what is kept at zero      points and directions of contacts                   parameters, time, coordinates
    what acts                 force laws                         all but accelerations and multipliers

A placement that depends on time is a prescribed motion, with its rates. Of anything else the equations would hold the
value and not the rates: it is refused.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from ..errors import ModelError
from ..expr import Expr, free_symbols
from .constraints.protocol import Constraint, ContactConstraint, CoordinateConstraint
from .expressions import expressions_in
from .fields import Field
from .smoothness import check_smooth

_JOINT = "what moves is a joint: add one, and prescribe, couple or constrain it."


class Rule(NamedTuple):
    """The kinds of symbols, beside parameters, that a value may hold, and what to write instead of others."""

    kinds: tuple[str, ...]
    cure: str


CONSTANT = Rule((), f"Use numbers and parameters; {_JOINT}")
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
    return PLACED if field.is_placed and not issubclass(element, ContactConstraint) else CONSTANT


def check_dependence(table: str, name: str, record: Any) -> None:
    """Refuse a record of the model in which a value depends on what it may not, or a motion needs an impulse."""
    words, attributes = _TABLES.get(table, ("", ()))
    place = getattr(record, "place", f"{words} '{name}'")
    for what, rule, attribute in attributes:
        check_kinds(getattr(record, attribute), what, rule, place)
        if rule in (PLACED, MOTION) and table != "frames":
            check_smooth(expressions_in(getattr(record, attribute)), slopes=1, place=place)
    for field in getattr(record, "fields", ()):
        rule, value = rule_of(field, type(record)), getattr(record, field.name)
        own = (*field.own_symbols.values(), *getattr(record, "coordinates", ()))
        check_kinds(value, field.name.replace("_", " "), rule, place, own)
        if rule is PLACED:
            check_smooth(expressions_in(value), slopes=table != "loads", place=place)
    if isinstance(record, CoordinateConstraint):
        check_smooth(record.positions.values(), slopes=1, place=place)
        check_smooth(record.speeds.values(), slopes=0, place=place)


def check_kinds(value: Any, what: str, rule: Rule, place: str, own: tuple[Expr, ...] = ()) -> None:
    """Refuse a value with symbols that a rule does not allow; `own` are the arguments of its law."""
    for x in free_symbols(list(expressions_in(value))):
        kind = x.data[0]
        if kind in _CHANGING and kind not in rule.kinds and x not in own:
            raise ModelError(
                f"the {what} cannot depend on the {kind} '{x.name}'.", place=place, cure=rule.cure, code="E-MODEL-099"
            )
