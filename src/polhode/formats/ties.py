"""What ties motions together in a model file, in and out: prescribed motions, closures, conditions, rolling."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ..expr import Expr, as_expr, free_symbols, same
from ..geometry import Pose, unit_axis
from ..model import System
from ..model.constraint import Ball, Closure, Condition, Disc, Slip, Wheel
from ..model.reading import unknown
from ..model.records import GROUND
from . import records
from .document import Path
from .motion import describe_motion, read_motion
from .names import Scope
from .spelling import describe_axis, describe_rotation, spell
from .tracks import add_disc, describe_disc, frame_of
from .values import Values

# ---- in ------------------------------------------------------------------------------------------------------


def add_prescribed(system: System, values: Values, model: records.Model) -> None:
    """Motions that are known in time, by the coordinate's name, or the joint's if it has one coordinate."""
    for key, text in model.prescribed.items():
        path: Path = ("prescribed", key)
        before = len(values.document.problems)
        motion = values.number(path, text)
        if len(values.document.problems) > before or (key in model.joints and key not in system.joints):
            continue  # told already
        with values.noting(path):
            joint, index = _coordinate(system, key)
            system.prescribe(joint, motion, index)


def _coordinate(system: System, key: str) -> tuple[str, int]:
    """The joint and the place in it of a coordinate; a joint's name stands for its first."""
    for joint in system.joints.values():
        for index, q in enumerate(joint.q):
            if q.name == key:
                return joint.name, index
    if key in system.joints and len(system.joints[key].q) == 1:
        return key, 0
    names = [q.name for joint in system.joints.values() for q in joint.q]
    raise unknown("coordinate", key, [name for name in names if name.startswith(key)] or names, "prescribed motion")


def add_ties(system: System | None, values: Values, model: records.Model, everything: Scope) -> None:
    """Closures, conditions and rolling; without a system, only what can be told of each by itself is checked."""
    fixed = replace(everything, tables=_only(everything, "parameter"), now=None)
    for key, closure in model.closures.items():
        values.scope = fixed
        _add_closure(system, values, ("closures", key), key, closure)
    for key, condition in model.conditions.items():
        values.scope = everything
        _add_condition(system, values, ("conditions", key), key, condition)
    for key, rolling in model.rolling.items():
        values.scope = everything if isinstance(rolling, records.NoSlip) else fixed
        path: Path = ("rolling", key)
        if isinstance(rolling, records.Track):
            add_disc(system, values, path, key, rolling, everything.now)
        else:
            _add_rolling(system, values, path, key, rolling, everything)
    values.scope = everything


def _only(scope: Scope, *kinds: str) -> dict[str, Mapping[str, Expr]]:
    return {kind: table for kind, table in scope.tables.items() if kind in kinds}


def _add_closure(system: System | None, values: Values, path: Path, key: str, record: records.Closure) -> None:
    before = len(values.document.problems)
    kind = read_motion(values, path, record)
    placed: dict[str, Any] = {end: values.vector((*path, end), getattr(record, end)) for end in ("at_a", "at_b")}
    placed |= {end: values.rotation((*path, end), getattr(record, end)) for end in ("rotation_a", "rotation_b")}
    if system is None or len(values.document.problems) > before:
        return
    with values.noting(path):
        system.close(key, record.a, record.b, kind, **placed)


def _add_condition(system: System | None, values: Values, path: Path, key: str, record: records.Condition) -> None:
    levels = [level for level in ("position", "speed") if getattr(record, level) is not None]
    if len(levels) != 1:
        values.document.problem(
            path,
            f"a condition has one of position and speed, not {' and '.join(levels) or 'none of them'}.",
            "Write for example `position: x**2 + y**2 - l**2`.",
            "E-YAML-050",
        )
        return
    before = len(values.document.problems)
    value = values.number((*path, levels[0]), getattr(record, levels[0]))
    if system is None or len(values.document.problems) > before:
        return
    with values.noting((*path, levels[0])):
        (system.constrain if levels[0] == "position" else system.constrain_speed)(value, key)


def _add_rolling(system: System | None, values: Values, path: Path, key: str, record: Any, everything: Scope) -> None:
    before = len(values.document.problems)
    given: dict[str, Any] = {}
    for name, value in record.model_dump().items():
        if name in ("at", "centre"):
            given[name] = values.vector((*path, name), value)
        elif name in ("radius", "other_radius"):
            given[name] = None if value is None else values.number((*path, name), value)
        elif name == "upright":
            inside = replace(values, scope=everything)
            given[name] = None if value is None else inside.number((*path, name), value)
        elif name in ("axis", "across"):
            given[name] = values.axis((*path, name), value)
        elif name == "rotation":
            given[name] = values.rotation((*path, name), value)
        elif name == "directions":
            given[name] = [
                values.axis((*path, name, k), each) if isinstance(each, str) else values.vector((*path, name, k), each)
                for k, each in enumerate(value)
            ]
        elif name != "type":
            given[name] = value
    if system is None or len(values.document.problems) > before:
        return
    with values.noting(path):
        if record.type == "no_slip":
            system.no_slip(key, **given)
            return
        body = given.pop("body")
        makers: dict[str, Any] = {
            "wheel": system.roll_wheel,
            "ball": system.roll_ball,
            "knife_edge": system.knife_edge,
        }
        makers[record.type](key, body, **given)


# ---- out -----------------------------------------------------------------------------------------------------


def describe_prescribed(system: System, moved: Scope) -> dict[str, str]:
    """Prescribed motions by their coordinates' names."""
    return {key: spell(each.motion, moved) for key, each in system.prescribed.items()}


def describe_ties(system: System, fixed: Scope, free: Scope) -> dict[str, dict[str, Any]]:
    """Closures, conditions and rolling, each in its section."""
    made: dict[str, dict[str, Any]] = {"closures": {}, "conditions": {}, "rolling": {}}
    for key, each in system.constraints.items():
        if isinstance(each, Closure):
            made["closures"][key] = _closure(each, fixed)
        elif isinstance(each, Condition):
            made["conditions"][key] = {"speed" if each.on_speeds else "position": spell(each.value, free)}
        elif isinstance(each, Slip):
            made["rolling"][key] = _slip(each, fixed, free)
        else:
            made["rolling"][key] = _rolling(each, fixed, free, system.time)
    return made


def _closure(closure: Closure, scope: Scope) -> dict[str, Any]:
    motion, _ = describe_motion(closure.type, scope, f"closure '{closure.name}'")
    return {
        "a": closure.body_a,
        "b": closure.body_b,
        **motion,
        **_placed(closure.pose_a, scope, "at_a", "rotation_a"),
        **_placed(closure.pose_b, scope, "at_b", "rotation_b"),
    }


def _rolling(contact: Wheel | Ball | Disc, scope: Scope, free: Scope, now: Expr) -> dict[str, Any]:
    if isinstance(contact, Disc):
        made, plane = describe_disc(contact, scope, now), frame_of(contact)
    else:
        made, plane = _on_plane(contact, scope), contact.plane
    if isinstance(contact, Wheel) and contact.upright is not None:
        made["upright"] = spell(contact.upright, free)
    made |= _vector("centre", contact.centre, scope)
    made |= {} if contact.on == GROUND else {"on": contact.on}
    return made | _placed(plane, scope, "at", "rotation")


def _on_plane(contact: Wheel | Ball, scope: Scope) -> dict[str, Any]:
    made: dict[str, Any] = {
        "type": "wheel" if isinstance(contact, Wheel) else "ball",
        "body": contact.body,
        "radius": spell(contact.radius, scope),
    }
    if isinstance(contact, Wheel):
        made["axis"] = describe_axis(contact.axis, scope)
    elif contact.other_radius is not None:
        made["other_radius"] = spell(contact.other_radius, scope)
    return made


def _slip(slip: Slip, fixed: Scope, free: Scope) -> dict[str, Any]:
    """A knife edge where it is one, and otherwise directions without slip."""
    entries = [as_expr(entry) for vector in (slip.point, *slip.directions) for entry in vector]
    still = all(x.data[0] == "parameter" for x in free_symbols(entries))
    if len(slip.directions) == 1 and slip.frame == slip.body_a and still and _is_unit(slip.directions[0]):
        made: dict[str, Any] = {"type": "knife_edge", "body": slip.body_a}
        made["across"] = describe_axis(slip.directions[0], fixed)
        made |= _vector("at", slip.point, fixed)
        return made | ({} if slip.body_b == GROUND else {"on": slip.body_b})
    made = {"type": "no_slip", "a": slip.body_a}
    made |= {} if slip.body_b == GROUND else {"b": slip.body_b}
    made |= {} if slip.frame == GROUND else {"frame": slip.frame}
    made |= _vector("at", slip.point, free)
    return {**made, "directions": [describe_axis(direction, free) for direction in slip.directions]}


def _is_unit(direction: Any) -> bool:
    return any(direction) and same(unit_axis(direction), direction)


def _placed(pose: Pose, scope: Scope, at: str, rotation: str) -> dict[str, Any]:
    turned = describe_rotation(pose.R, scope)
    return {**_vector(at, pose.p, scope), **({} if turned is None else {rotation: turned})}


def _vector(key: str, entries: Any, scope: Scope) -> dict[str, list[str]]:
    """A vector under its key, unless it is zero."""
    listed = [as_expr(entry) for entry in entries]
    return {key: [spell(entry, scope) for entry in listed]} if any(listed) else {}
