"""What constrains motions in a model file, in and out: prescribed motions, and constraints of every kind."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ..model import System
from ..model.constraints import CONSTRAINTS
from ..model.reading import unknown
from . import records
from .document import Path
from .fields import describe_fields, read_fields
from .names import Scope
from .spelling import spell
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
    joints = system.model().joints
    for joint in joints.values():
        for index, q in enumerate(joint.q):
            if q.name == key:
                return joint.name, index
    if key in joints and len(joints[key].q) == 1:
        return key, 0
    names = [q.name for joint in joints.values() for q in joint.q]
    raise unknown("coordinate", key, [name for name in names if name.startswith(key)] or names, "prescribed motion")


def add_constraints(system: System | None, values: Values, model: records.Model, everything: Scope) -> None:
    """Constraints of every kind; without a system, only what can be told of each by itself is checked."""
    parameters = {"parameter": everything.tables.get("parameter", {})}
    fixed = replace(values, scope=replace(everything, tables=parameters, now=None))
    for table in dict.fromkeys(kind.table for kind in CONSTRAINTS.values()):
        kinds = [kind for kind in CONSTRAINTS.values() if kind.table == table]
        for key, record in getattr(model, table).items():
            kind = kinds[0] if kinds[0].alone else CONSTRAINTS[record.type]
            path: Path = (table, key)
            before = len(values.document.problems)
            given = read_fields(fixed, path, kind.fields, record, everything)
            if system is None or len(values.document.problems) > before:
                continue
            written = record.model_fields_set
            with values.noting((*path, *written) if len(written) == 1 else path):
                system.constraint(key, kind, **given)


# ---- out -----------------------------------------------------------------------------------------------------


def describe_prescribed(system: System, moved: Scope) -> dict[str, str]:
    """Prescribed motions by their coordinates' names."""
    return {key: spell(each.motion, moved) for key, each in system.prescribed.items()}


def describe_constraints(system: System, fixed: Scope, free: Scope) -> dict[str, dict[str, Any]]:
    """Constraints of every kind, each in its table."""
    made: dict[str, dict[str, Any]] = {kind.table: {} for kind in CONSTRAINTS.values()}
    for key, each in system.constraints.items():
        named = {} if each.alone else {"type": each.kind}
        made.setdefault(each.table, {})[key] = {**named, **describe_fields(each.fields, each, fixed, free)}
    return made
