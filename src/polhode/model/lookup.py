"""Looking up what a user means, by name or by the object itself: a body, a joint, a frame, a place on a body."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING, Any

from ..errors import ModelError, shown
from ..expr import Expr
from ..expr.spelling import distinct_spellings
from ..geometry import Pose
from .body import Body, Frame
from .reading import checked_name, pose_of, unknown
from .records import Joint
from .stage import ANGLE, LENGTH

if TYPE_CHECKING:
    from .builder import Builder
    from .model import Model


def check_new(kind: str, name: str, *tables: Collection[str]) -> None:
    """Refuse a name that is none, or that a table has already."""
    checked_name(name, kind)
    if any(name in table for table in tables):
        word = "body, frame or surface" if kind in ("body", "frame", "surface") else kind
        message = f"there is already a {word} of this name."
        raise ModelError(message, f"{kind} '{name}'", "Choose another.", "E-MODEL-TWICE")


def label(value: Any) -> str:
    """What a message calls a value: its name, if it is text or part of a mechanism."""
    named = getattr(value, "name", None) if hasattr(value, "__dataclass_fields__") else value
    return named if isinstance(named, str) else shown(value)


def check_spellings(system: Builder, symbols: Iterable[Expr], place: str) -> None:
    """Raise if symbols would be written like others."""
    system.spellings.update(distinct_spellings(symbols, system.spellings, place))


def symbol_units(model: Builder | Model) -> dict[Expr, str]:
    """SI units of the symbols of a model, where known."""
    units = {model.time: "s"}
    for joint in model.joints.values():
        units |= joint.units
    for constraint in model.constraints.values():
        units |= {x: unit for x, unit in constraint.coordinates.items() if unit in (ANGLE, LENGTH)}
    for table in (model.parameters, model.inputs, model.states):
        units |= {record.symbol: record.si_unit for record in table.values()}
    return units


def units_by_name(model: Builder | Model) -> dict[str, dict[str, str]]:
    """The same by kind, such as "coordinate", and name."""
    units: dict[str, dict[str, str]] = {}
    for x, unit in symbol_units(model).items():
        units.setdefault(x.data[0], {})[x.name] = unit
    return units


def body_name(system: Builder, body: Body | str, place: str) -> str:
    """The name of a body of the system."""
    name = label(body)
    if name not in system.bodies or not isinstance(body, Body | str):
        raise unknown("body", name, system.bodies, place)
    if isinstance(body, Body) and system.bodies[name] is not body:
        message = f"the body '{name}' is not in the system '{system.name}', which has another of this name."
        raise ModelError(message, place, f"Give the body of '{system.name}', or its name.", "E-MODEL-TREE")
    bending = system.bodies[name].flexibility
    if bending is not None:
        holder = system.model().joints[bending.joint].parent
        cure = f"Give a section of it: {holder}.at(…), in a file '{holder} at …'."
        raise ModelError(f"'{name}' bends, and has no fixed places.", place, cure, "E-FLEX-UNSUPPORTED")
    return name


def joint_named(system: Builder, joint: Joint | str, place: str) -> Joint:
    """The joint of the system with this name, or the joint itself if it is of the system."""
    name, joints = label(joint), system.model().joints
    if name not in joints or not isinstance(joint, Joint | str):
        raise unknown("joint", name, joints, place)
    return joints[name]


def placed(system: Builder, on: Body | Frame | str, at: Iterable[Any], rotation: Any, place: str) -> tuple[str, Pose]:
    """The body, and the pose in it, of a body, a frame or a name with an offset."""
    offset = pose_of(at, rotation, place)
    if isinstance(on, str) and on not in system.bodies and on in system.frames:
        on = system.frames[on]
    if isinstance(on, Frame):
        if system.frames.get(on.name) is not on:
            raise unknown("frame", on.name, system.frames, place)
        return on.body, on.pose @ offset
    return body_name(system, on, place), offset


def frame_name(system: Builder, frame: Body | Frame | str, place: str) -> str:
    """The name of a body or frame of the system."""
    name = frame.name if isinstance(frame, Body | Frame) else frame if isinstance(frame, str) else shown(frame)
    if name not in system.bodies and name not in system.frames:
        raise unknown("frame or body", name, [*system.bodies, *system.frames], place)
    return body_name(system, frame, place) if isinstance(frame, Body) else name
