"""What acts on bodies and joints, as plain records; the formalisms decide what they make of them."""

from __future__ import annotations

from dataclasses import dataclass

from ..expr import Expr, Vector, symbol, symbols

#: What the law of a line force is written with: the distance of its ends and the rate of that distance.
LENGTH, RATE = symbol("length", "line"), symbol("rate", "line")
#: What the law of a gravity field is written with: the ground components of a mass centre's position.
POSITION = Vector(symbols(["x", "y", "z"], "position"))


@dataclass(frozen=True)
class PointForce:
    """A force on a body at a point (in the body's frame), its components given in a frame."""

    name: str
    body: str
    point: Vector
    vector: Vector
    frame: str


@dataclass(frozen=True)
class BodyTorque:
    """A pure torque on a body, its components given in a frame."""

    name: str
    body: str
    vector: Vector
    frame: str


@dataclass(frozen=True)
class JointForce:
    """A generalized force on one speed of a joint."""

    name: str
    joint: str
    index: int
    value: Expr


@dataclass(frozen=True)
class Potential:
    """A potential energy as an expression of coordinates (and parameters and time)."""

    name: str
    energy: Expr


@dataclass(frozen=True)
class PointSpring:
    """A spring and damper between two points: tension k (L - L0) + c dL/dt along the line that joins them."""

    name: str
    body_a: str
    point_a: Vector
    body_b: str
    point_b: Vector
    stiffness: Expr
    length: Expr
    damping: Expr


@dataclass(frozen=True)
class LineForce:
    """A tension along the line between two points, an expression in `LENGTH`, `RATE` and all that a force may use."""

    name: str
    body_a: str
    point_a: Vector
    body_b: str
    point_b: Vector
    tension: Expr


@dataclass(frozen=True)
class GravityField:
    """An acceleration of every mass, an expression in `POSITION`, in ground components."""

    name: str
    acceleration: Vector


Load = PointForce | BodyTorque | JointForce | Potential | PointSpring | LineForce | GravityField
