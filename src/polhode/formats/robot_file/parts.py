"""A robot file as plain records: what was written, exactly, with the lines where it was written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from ...expr.rational import SMALLEST, decimal
from ..findings import Findings, JointFacts
from .markup import Element

Triple = tuple[Fraction, Fraction, Fraction]
ZERO: Triple = (Fraction(0), Fraction(0), Fraction(0))
ONE: Triple = (Fraction(1), Fraction(1), Fraction(1))
#: Kinds of joints with one coordinate and one speed.
ONE_FREEDOM = ("revolute", "continuous", "prismatic")
#: The entries of an inertia in the order of `Inertial.inertia`, and the sizes of solids, as XML names them.
INERTIA = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
SOLIDS = {"box": ("size",), "cylinder": ("radius", "length"), "capsule": ("radius", "length"), "sphere": ("radius",)}
#: No length, mass or inertia of a robot is larger; their products stay within the range of floats.
LARGEST = Fraction(10) ** 60


@dataclass(frozen=True)
class Placement:
    """A pose: position and fixed-axis angles roll, pitch, yaw."""

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
    """A <visual> or <collision>: a solid with its sizes, or a mesh with its file name and scale; and its colour.

    In SDF a collision may state friction and restitution.
    """

    role: str
    kind: str
    size: tuple[Fraction, ...]
    at: Placement
    line: int
    filename: str = ""
    color: str = ""
    friction: Fraction | None = None
    restitution: Fraction | None = None
    name: str = ""


@dataclass(frozen=True)
class LinkPart:
    """A <link>; in an SDF model it has a pose in the model."""

    name: str
    inertial: Inertial | None
    geometry: tuple[Geometry, ...]
    line: int
    pose: Placement = Placement()


@dataclass(frozen=True)
class JointPart:
    """A <joint>: its type, links, pose in the parent (`at`) and child (`in_child`, in SDF), and its axis."""

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
    axis_in_model: bool = False
    stiffness: Fraction = Fraction(0)
    rest: Fraction = Fraction(0)


@dataclass(frozen=True)
class Robot:
    """A <robot> or <model>: its links and joints in the order of the file; a model has a pose, and may be static."""

    name: str
    links: tuple[LinkPart, ...]
    joints: tuple[JointPart, ...]
    pose: Placement = Placement()
    static: bool = False


class ElementReader:
    """Reads elements one by one; problems are noted in the findings with their lines."""

    def __init__(self, findings: Findings) -> None:
        self.findings = findings

    def problem(self, line: int, what: str, message: str, cure: str, code: str) -> None:
        self.findings.problem((line, what), message, cure, code)

    def shapes(self, link: Element, what: str) -> tuple[Geometry, ...]:
        """The shapes of a link for drawing and for collisions."""
        roles = ((role, child) for role in ("visual", "collision") for child in link.all(role))
        shapes = ((child.attributes.get("name", ""), self.geometry(child, role, what)) for role, child in roles)
        return tuple(replace(shape, name=name) for name, shape in shapes if shape)

    def geometry(self, element: Element, role: str, what: str) -> Geometry | None:
        """A shape for drawing; as it never enters the equations, one that cannot be drawn is a warning."""
        raise NotImplementedError  # each format has its own elements


def solids_of(holders: Sequence[Element]) -> list[Element]:
    """The shapes in <geometry> elements that are known."""
    return [child for holder in holders for child in holder.children if child.tag in (*SOLIDS, "mesh")]


def is_sane(value: Fraction) -> bool:
    """Whether a robot can have this number, and a double can hold it."""
    return not value or SMALLEST <= abs(value) <= LARGEST


def written_color(text: str) -> str:
    """Red, green and blue from 0 to 1, as files have them, in the form of a page; nothing where it is no colour.

    >>> written_color("1 0.5 0 1")
    '#ff8000'
    """
    parts = [decimal(word) for word in text.split()[:3]]
    if len(parts) < 3 or any(part is None or not 0 <= part <= 1 for part in parts):
        return ""
    return "#" + "".join(f"{int(255 * (part or 0) + Fraction(1, 2)):02x}" for part in parts)
