"""Constraints as plain records: loop-closing joints, scalar conditions, rolling contacts."""

from __future__ import annotations

from dataclasses import dataclass

from ..expr import Expr, Vector
from ..geometry import Pose
from .joints import JointType


@dataclass(frozen=True)
class Closure:
    """A joint that closes a loop: frame b moves against frame a as the joint allows."""

    name: str
    type: JointType
    body_a: str
    pose_a: Pose
    body_b: str
    pose_b: Pose


@dataclass(frozen=True)
class Condition:
    """An expression that stays zero: of coordinates and time, or, on the level of speeds, linear in the speeds too."""

    name: str
    value: Expr
    on_speeds: bool


@dataclass(frozen=True)
class Wheel:
    """A thin disc that rolls on a plane of another body: z = 0 of `plane`. The axis is a unit vector of the body.

    `upright` is the cosine of its lean, positive while it stands, where the user has said it.
    """

    name: str
    body: str
    centre: Vector
    axis: Vector
    radius: Expr
    on: str
    plane: Pose
    upright: Expr | None = None


@dataclass(frozen=True)
class Ball:
    """A ball that rolls on a plane, or on a ball of `other_radius` about the plane's origin (negative: inside it)."""

    name: str
    body: str
    centre: Vector
    radius: Expr
    on: str
    plane: Pose
    other_radius: Expr | None = None


@dataclass(frozen=True)
class Disc:
    """A disc that touches a curve in the plane y = 0 of `plane`, and rolls on it unless it slips.

    The curve is (x, z) over `parameter`, a coordinate that no mass hangs on. The disc is to the left of the way in
    which it grows (right, if the radius is negative). The axis is a unit vector of the body.
    """

    name: str
    body: str
    centre: Vector
    axis: Vector
    radius: Expr
    on: str
    plane: Pose
    parameter: Expr
    curve: tuple[Expr, Expr]
    slips: bool


@dataclass(frozen=True)
class Slip:
    """Directions in which the points of two bodies that meet at a place do not slip on each other.

    Place and directions are components in `frame`, and may depend on coordinates.
    """

    name: str
    body_a: str
    body_b: str
    frame: str
    point: Vector
    directions: tuple[Vector, ...]


Constraint = Closure | Condition | Wheel | Ball | Disc | Slip
