"""Whose axes and points are meant: a body or frame of a System, by itself or by its name."""

from __future__ import annotations

from ...errors import PolhodeError, check_kind, shown
from ...model.builder import Builder
from ...model.directions import Directions
from ...model.reading import unknown
from ...model.records import GROUND
from .scene import Key

Anchor = Directions | str


def home_of(owner: Directions) -> Builder:
    """The System that a body or frame belongs to."""
    check_kind(Directions, "a body or frame", owner, "vectors", "Give what system.body(…) or system.frame(…) made.")
    if owner.home is None:
        raise PolhodeError(
            f"'{owner.name}' belongs to no system, so that its axes point nowhere.",
            place="vectors",
            cure="Make it with system.body(…) or system.frame(…).",
            code="E-VECTOR-008",
        )
    return owner.home


def key_of(system: Builder, frame: Directions | Key | None, place: str) -> Key:
    """The key of a body or frame of a system; nothing given means the ground."""
    if frame is None:
        return GROUND
    if isinstance(frame, tuple) and len(frame) == 2 and frame[0] in system.model().joints:
        return frame
    name = frame.name if isinstance(frame, Directions) else frame if isinstance(frame, str) else shown(frame)
    if isinstance(frame, Directions) and home_of(frame) is not system:
        raise PolhodeError(
            f"'{name}' is of system '{home_of(frame).name}', not of '{system.name}'.",
            place=place,
            cure="Write both with the bodies of one system.",
            code="E-VECTOR-003",
        )
    if name not in system.bodies and name not in system.frames:
        raise unknown("body or frame", name, [*system.bodies, *system.frames], place)
    return name
