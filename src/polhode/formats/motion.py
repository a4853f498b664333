"""How a joint moves, in the model file's words: named where a name says it all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..errors import FormatError, PolhodeError
from ..expr import Matrix, Vector, as_expr, same
from ..geometry import unit_axis
from ..model import JointType
from ..model.joint_type import BY_NAME, Compound, Fixed, JointMap, joint_type
from ..model.stage import Stage
from . import records
from .document import Path
from .names import Scope
from .spelling import LETTERS, describe_axis, spell
from .values import Values

_OPTIONS = ("axis", "pitch", "first", "second", "normal", "storage", "translations", "rotations", "reference")


def describe_motion(kind: JointType, scope: Scope, place: str) -> tuple[dict[str, Any], bool]:
    """The keys that say how a joint moves, and whether they bring the usual names of its coordinates along."""
    if not kind.stages:
        return {"type": "fixed"}, True
    named = _named(kind, kind.name, scope)
    if named is not None:
        return named, True
    if kind.outermost_first and all(stage.storage == "angles" for stage in kind.stages):
        return _map(kind.stages, scope), all(not stage.coordinate_labels for stage in kind.stages)
    if kind.outermost_first and len(kind.stages) > 1:
        raise FormatError(
            "a joint of several stages, listed from the child, stores an orientation as a quaternion or vector.",
            place=place,
            cure="Write it as Compound(...), from the parent to the child.",
            code="E-YAML-044",
        )
    return {"sequence": [_stage(stage, scope) for stage in kind.stages]}, False


def _stage(stage: Stage, scope: Scope) -> dict[str, Any]:
    alone = JointType("stage", (stage,))
    for name in BY_NAME:
        named = _named(alone, name, scope)
        if named is not None:
            return named
    return _map([stage], scope)


def _map(stages: Sequence[Stage], scope: Scope) -> dict[str, Any]:
    rows = [[spell(entry, scope) for stage in stages for entry in stage.H[i]] for i in range(6)]
    groups = [str(stage.speeds) for stage in stages]
    return {"map": rows, **({"groups": groups} if len(groups) > 1 else {})}


def _named(kind: JointType, name: str, scope: Scope) -> dict[str, Any] | None:
    """The joint as a type with options, if that type with those options is this very joint."""
    options = _options(kind, name)
    if options is None:
        return None
    try:
        made = joint_type(name, **options)
    except PolhodeError:
        return None
    if not _same_joint(made, kind):
        return None
    return {"type": name, **{key: _option(key, value, scope) for key, value in options.items()}}


def _options(kind: JointType, name: str) -> dict[str, Any] | None:
    """The options with which a type of this name could be this joint."""
    if name == "building_block":
        return _block(kind.stages)
    first = kind.stages[0]
    column = first.H.columns[0]
    turning, sliding = Vector(column[:3]), Vector(column[3:])
    if name == "universal" and len(kind.stages) == 2:
        return {"first": turning, "second": Vector(kind.stages[1].H.columns[0][:3])}
    if len(kind.stages) != 1:
        return None
    options: dict[str, dict[str, Any]] = {
        "revolute": {"axis": turning},
        "prismatic": {"axis": sliding},
        "screw": {"axis": turning, "pitch": as_expr(sliding.dot(turning))},
        "cylindrical": {"axis": turning},
        "planar": {"normal": turning},
        "spherical": {"storage": first.storage},
        "free": {"storage": first.storage},
    }
    return options.get(name)


def _block(stages: Sequence[Stage]) -> dict[str, Any] | None:
    """Directions and axis indices with which a building block could have these stages."""
    directions: list[Vector] = []
    indices: list[int] = []
    for stage in stages:
        for column in stage.H.columns:
            if not any(column[:3]):
                directions.append(Vector(column[3:]))
            elif not stage.stores_orientation:
                indices += [axis for axis in (1, 2, 3) if same(column[:3], unit_axis(LETTERS[axis - 1]))]
        if stage.stores_orientation and stage.storage.isdigit():
            indices += [int(digit) for digit in stage.storage]
    return {"translations": directions, "rotations": indices}


def _same_joint(a: JointType, b: JointType) -> bool:
    return len(a.stages) == len(b.stages) and all(
        one.storage == other.storage and one.H.shape == other.H.shape and same(one.H.entries(), other.H.entries())
        for one, other in zip(a.stages, b.stages, strict=True)
    )


def _option(key: str, value: Any, scope: Scope) -> Any:
    if key == "storage":
        return value
    if key == "pitch":
        return spell(value, scope)
    if key == "rotations":
        return [str(index) for index in value]
    if key == "translations":
        return [describe_axis(direction, scope) for direction in value]
    return describe_axis(value, scope)


# ---- in -------------------------------------------------------------------------------------------------------


def read_motion(values: Values, path: Path, record: records.Motion) -> JointType:
    """A joint type from a name with options, a joint map, or a sequence."""
    forms = [form for form in ("type", "map", "sequence") if getattr(record, form) is not None]
    if len(forms) != 1:
        values.document.problem(
            path,
            f"a joint has one of type, map and sequence, not {' and '.join(forms) or 'none of them'}.",
            "Write for example `type: revolute`.",
            "E-YAML-022",
        )
        return Fixed()
    form = forms[0]
    options = [key for key in _OPTIONS if getattr(record, key) is not None]
    strange = [] if form == "type" else list(options)
    if form != "map" and record.groups is not None:
        strange.append("groups")
    for key in strange:
        values.document.problem((*path, key), f"this does not go with `{form}`.", "Remove it.", "E-YAML-023")
    with values.noting((*path, form)):
        if record.sequence is not None:
            return Compound(
                *(read_motion(values, (*path, "sequence", k), part) for k, part in enumerate(record.sequence))
            )
        if record.map is not None:
            entries = Matrix(values.nested((*path, "map"), record.map))
            groups = [values.count((*path, "groups", k), text) for k, text in enumerate(record.groups or ())]
            return JointMap(entries, groups or None)
        given = {key: _read_option(values, (*path, key), key, getattr(record, key)) for key in options}
        return joint_type(str(record.type), **given)
    return Fixed()


def _read_option(values: Values, path: Path, key: str, value: Any) -> Any:
    if key == "pitch":
        return values.number(path, value)
    if key == "translations":
        return [values.axis((*path, k), direction) for k, direction in enumerate(value)]
    if key == "rotations":
        return [values.count((*path, k), index) for k, index in enumerate(value)]
    return value if key == "storage" else values.axis(path, value)
