"""The joint types there are; a new one is its file and its line in JOINTS."""

from __future__ import annotations

from typing import Any

from ...errors import ModelError, suggestion, unknown
from .basic import (
    Compound,
    Cylindrical,
    Fixed,
    Free,
    JointMap,
    Planar,
    Prismatic,
    Revolute,
    Screw,
    Spherical,
    Universal,
)
from .building_block import BuildingBlock
from .protocol import JointType

__all__ = [
    "JOINTS", "BuildingBlock", "Compound", "Cylindrical", "Fixed", "Free", "JointMap", "JointType", "Planar",
    "Prismatic", "Revolute", "Screw", "Spherical", "Universal", "joint_type",
]  # fmt: skip

#: Each by its type in model files; maps and sequences have forms of their own there.
JOINTS: dict[str, type[JointType]] = {
    kind.kind: kind for kind in (
        Fixed, Revolute, Prismatic, Screw, Cylindrical, Universal, Planar, Spherical, Free, BuildingBlock,
    )
}  # fmt: skip
#: Options of every joint.
_PLACING = ("at", "rotation", "child_at", "child_rotation", "coordinates", "speeds", "limits", "speed_limits",
            "effort_limits", "small")  # fmt: skip


def joint_type(kind: str | JointType, place: str = "", **options: Any) -> JointType:
    """A joint type by its name, `joint_type("revolute", axis="y")`, or as it is."""
    if isinstance(kind, JointType):
        if options:
            message = f"{', '.join(options)} cannot be given beside a ready joint type."
            cure = suggestion(next(iter(options)), _PLACING, "Give it to the joint type, as Revolute(axis).")
            raise ModelError(message, place, cure, "E-JOINT-TWICE")
        return kind
    record = JOINTS.get(kind) if isinstance(kind, str) else None
    if record is None:
        raise unknown("joint type", kind, JOINTS, place=place, code="E-JOINT-NAME", error=ModelError)
    names = [field.name for field in record.fields]
    strange = [name for name in options if name not in names]
    if strange:
        cure = suggestion(strange[0], names, f"It takes {', '.join(names) or 'nothing'}.")
        raise ModelError(f"a {kind} joint does not take {', '.join(strange)}.", place, cure, "E-JOINT-NAME")
    missing = [field.name for field in record.fields if field.is_required and field.name not in options]
    if missing:
        cure = f"Give {record.fields[names.index(missing[0])].doc}."
        raise ModelError(f"a {kind} joint needs {', '.join(missing)}.", place, cure, "E-JOINT-MISSING")
    return record(**options)
