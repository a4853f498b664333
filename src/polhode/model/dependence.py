"""What a value of a model may depend on: one rule, for Python and for model files.

    what a body or joint is   mass, mass centre, inertia, shapes; axes, pitch, joint maps; radii    parameters
    where something sits      joints, frames, closures, the ends of springs                         parameters, time
    what is kept at zero      points and directions of contacts                   parameters, time, coordinates
    what acts                 force laws                         all but accelerations and multipliers

A placement that depends on time is a prescribed motion, with its rates. Of anything else the equations would hold the
value and not the rates: it is refused.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from ..errors import ModelError
from ..expr import free_symbols
from .constraints.protocol import Constraint, ContactConstraint, CoordinateConstraint
from .expressions import expressions_in
from .fields import Field
from .forces.protocol import ForceElement
from .motor import Motor
from .smoothness import check_smooth

_JOINT = "what moves is a joint: add one, and prescribe, couple or constrain it."
_MASS = "for mass that leaves, give a body of constant mass the force of what leaves it."


class Rule(NamedTuple):
    """The kinds of symbols, beside parameters, that a value may hold, and what to write instead of others."""

    kinds: tuple[str, ...]
    cure: str


CONSTANT = Rule((), f"Use numbers and parameters; {_JOINT}")
MASS = Rule((), f"Use numbers and parameters; {_MASS}")
PLACED = Rule(("time",), f"Use numbers, parameters and time; {_JOINT}")
KEPT = Rule(("time", "coordinate"), "Use numbers, parameters, time and coordinates: the rates of others are not known.")
LINEAR = Rule((*KEPT.kinds, "speed"), KEPT.cure)
LAW = Rule(
    ("time", "coordinate", "speed", "state", "input", "effort"),
    "Use coordinates, speeds, states, inputs and time: accelerations and reactions follow from the forces. An inertia "
    "is given to a body.",
)
#: The kinds of symbols that change during a motion, and those that are the arguments of a law.
CHANGING = frozenset({*LAW.kinds, "acceleration", "multiplier", "line", "position", "velocity"})


def rule_of(field: Field, element: type) -> Rule:
    """The rule for a field of a kind of force, constraint or motor."""
    if field.free and not issubclass(element, Constraint):
        return LAW
    if field.free:
        return LINEAR if issubclass(element, CoordinateConstraint) else KEPT
    return PLACED if field.is_placed and not issubclass(element, ContactConstraint) else CONSTANT


def check_dependence(table: str, name: str, record: Any) -> None:
    """Refuse a record of the model in which a value depends on what it may not, or a motion needs an impulse."""
    for place, what, rule, own, part in _parts(table, name, record):
        for x in free_symbols(list(expressions_in(part))):
            kind = x.data[0]
            if kind in CHANGING and kind not in rule.kinds and x not in own:
                raise ModelError(
                    f"the {what} cannot depend on the {kind} '{x.name}'.",
                    place=place,
                    cure=rule.cure,
                    code="E-MODEL-099",
                )
        if rule is PLACED and table != "frames":
            check_smooth(expressions_in(part), slopes=table != "loads", place=place)
    if isinstance(record, CoordinateConstraint):
        check_smooth(record.positions.values(), slopes=1, place=record.place)
        check_smooth(record.speeds.values(), slopes=0, place=record.place)
    if table == "prescribed":
        check_smooth([record.motion], slopes=1, place=f"prescribed motion of '{record.joint}'")


def _parts(table: str, name: str, record: Any) -> Iterator[tuple[str, str, Rule, tuple[Any, ...], Any]]:
    """The values of a record: where, what it is, its rule, the arguments of its law, and its expressions."""
    if isinstance(record, ForceElement | Constraint | Motor):
        place = f"motor of joint '{name}'" if isinstance(record, Motor) else record.place
        for field in record.fields:
            rule, own = rule_of(field, type(record)), tuple(field.own_symbols.values())
            if field.kind not in ("variable", "curve"):  # a curve has a rule of its own: `track`
                value = getattr(record, field.name)
                part = value.stages if field.kind == "motion" else value
                yield place, field.name.replace("_", " "), rule, own, part
        return
    whats: dict[str, tuple[tuple[str, Rule, Any], ...]] = {}
    if table == "bodies":
        whats[f"body '{name}'"] = (
            ("mass", MASS, record.mass),
            ("mass centre", CONSTANT, record.com),
            ("inertia", CONSTANT, record.inertia),
            ("size or place of a shape", CONSTANT, record.shapes),
        )
    elif table == "frames":
        whats[f"frame '{name}'"] = (("place", PLACED, record.pose),)
    elif table == "joints":
        poses = (record.in_parent, record.in_child)
        whats[f"joint '{name}'"] = (("place", PLACED, poses), ("axis, pitch or map", CONSTANT, record.type.stages))
    for place, values in whats.items():
        for what, rule, part in values:
            yield place, what, rule, (), part
