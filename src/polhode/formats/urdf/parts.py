"""A robot file as plain records: what was written, with the lines where it was written."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from ..findings import JointFacts
from ..numbers import Triple

ZERO: Triple = (Fraction(0), Fraction(0), Fraction(0))
ONE: Triple = (Fraction(1), Fraction(1), Fraction(1))
#: Kinds of joints with one coordinate and one speed.
ONE_FREEDOM = ("revolute", "continuous", "prismatic")


@dataclass(frozen=True)
class Placement:
    """An <origin>: position and fixed-axis angles roll, pitch, yaw."""

    xyz: Triple = ZERO
    rpy: Triple = ZERO
    line: int = 0


@dataclass(frozen=True)
class Inertial:
    """An <inertial>: mass, and the inertia (xx, yy, zz, xy, xz, yz) about the mass centre in the placed axes."""

    mass: Fraction
    inertia: tuple[Fraction, ...]
    at: Placement
    line: int


@dataclass(frozen=True)
class Geometry:
    """A <visual> or <collision>: a solid with its sizes, or a mesh with its file name and scale; and its colour."""

    role: str
    kind: str
    size: tuple[Fraction, ...]
    at: Placement
    line: int
    filename: str = ""
    color: str = ""


@dataclass(frozen=True)
class LinkPart:
    """A <link>."""

    name: str
    inertial: Inertial | None
    geometry: tuple[Geometry, ...]
    line: int


@dataclass(frozen=True)
class JointPart:
    """A <joint>: its type, the two links, where it sits in the parent, its axis.

    A joint that was locked is fixed at the place `locked` of its coordinate; `facts.kind` keeps the file's type.
    In a URDF a joint sits at its child's origin; elsewhere it may sit at `in_child`.
    """

    name: str
    kind: str
    parent: str
    child: str
    at: Placement
    axis: Triple
    facts: JointFacts
    line: int
    axis_line: int
    mimic_line: int
    locked: Fraction | None = None
    in_child: Placement = Placement()


@dataclass(frozen=True)
class Robot:
    """A <robot>: its links and joints in the order of the file."""

    name: str
    links: tuple[LinkPart, ...]
    joints: tuple[JointPart, ...]
