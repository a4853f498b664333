"""The model file's vocabulary: one record for each thing that can be written, checked by pydantic.

Scalars are kept as text; what they mean is the grammar's business. The published schema is made from these records.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from annotated_types import Len
from pydantic import BaseModel, ConfigDict, Discriminator, Field, Tag, WithJsonSchema
from typing_extensions import TypeAliasType

Number = TypeAliasType(
    "Number",
    Annotated[
        str,
        WithJsonSchema(
            {
                "type": ["number", "string"],
                "description": "A number, or an expression of numbers, names, + - * / **, pi and functions.",
            }
        ),
    ],
)
Count = TypeAliasType("Count", Annotated[str, WithJsonSchema({"type": "integer", "minimum": 0})])
Name = TypeAliasType("Name", Annotated[str, Field(min_length=1, max_length=128)])
Vector3 = TypeAliasType("Vector3", Annotated[tuple[Number, ...], Len(3, 3)])
Matrix3 = TypeAliasType("Matrix3", Annotated[tuple[Vector3, ...], Len(3, 3)])
Letter = Annotated[str, WithJsonSchema({"enum": ["x", "y", "z", "-x", "-y", "-z", "+x", "+y", "+z"]})]


def _is_list(value: Any) -> bool:
    return isinstance(value, list | tuple)


def _listed(value: Any) -> str:
    return "list" if _is_list(value) else "one"


def _mapped(value: Any) -> str:
    return "mapping" if isinstance(value, dict | Record) else "one"


Axis = TypeAliasType(
    "Axis", Annotated[Annotated[Letter, Tag("one")] | Annotated[Vector3, Tag("list")], Discriminator(_listed)]
)


def rotation_form(value: Any) -> str:
    """Which of its three forms a rotation has: one turn, several turns, or a matrix."""
    if not _is_list(value) or not value or not _is_list(value[0]):
        return "turn"
    return "matrix" if len(value[0]) == 3 and len(value) == 3 else "turns"


Turn = TypeAliasType("Turn", tuple[Axis, Number])
Rotation = TypeAliasType(
    "Rotation",
    Annotated[
        Annotated[Turn, Tag("turn")] | Annotated[tuple[Turn, ...], Tag("turns")] | Annotated[Matrix3, Tag("matrix")],
        Discriminator(rotation_form),
    ],
)


def _inertia_form(value: Any) -> str:
    if _is_list(value) and value and _is_list(value[0]):
        return "matrix"
    return "six" if _is_list(value) and len(value) == 6 else "moments"


Inertia = TypeAliasType(
    "Inertia",
    Annotated[
        Annotated[Vector3, Tag("moments")]
        | Annotated[Annotated[tuple[Number, ...], Len(6, 6)], Tag("six")]
        | Annotated[Matrix3, Tag("matrix")],
        Discriminator(_inertia_form),
    ],
)


class Record(BaseModel):
    """A mapping with these keys and no others."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Quantity(Record):
    """A parameter's or an input's value and unit."""

    value: Number | None = None
    unit: str = ""


QuantityOrNumber = Annotated[
    Annotated[Number | None, Tag("one")] | Annotated[Quantity, Tag("mapping")], Discriminator(_mapped)
]


class State(Record):
    """A first-order state: its rate, an expression of coordinates, speeds, states, time, parameters and inputs."""

    rate: Number
    start: Number = "0"
    unit: str = ""


StateOrRate = Annotated[Annotated[Number, Tag("one")] | Annotated[State, Tag("mapping")], Discriminator(_mapped)]


class Rod(Record):
    """A slender bar of the body's mass about its centre."""

    type: Literal["rod"]
    length: Number
    axis: Axis = "z"


class Cylinder(Record):
    """A solid cylinder of the body's mass about its centre."""

    type: Literal["cylinder"]
    radius: Number
    length: Number
    axis: Axis = "z"


class Disc(Record):
    """A thin disc of the body's mass about its centre."""

    type: Literal["disc"]
    radius: Number
    axis: Axis = "z"


class Sphere(Record):
    """A solid ball of the body's mass about its centre."""

    type: Literal["sphere"]
    radius: Number


class Box(Record):
    """A solid box of the body's mass about its centre."""

    type: Literal["box"]
    size: Vector3


Solid = Annotated[Rod | Cylinder | Disc | Sphere | Box, Field(discriminator="type")]


class Placed(Record):
    """What sits somewhere in a body."""

    at: Vector3 = ("0", "0", "0")
    rotation: Rotation | None = None


class Seen(Placed):
    """What is drawn of a body, in a colour such as "#0077bb"."""

    color: str = ""


class BoxShape(Seen):
    type: Literal["box"]
    size: Vector3


class EllipsoidShape(Seen):
    type: Literal["ellipsoid"]
    size: Vector3


class CylinderShape(Seen):
    type: Literal["cylinder"]
    radius: Number
    length: Number


class CapsuleShape(Seen):
    type: Literal["capsule"]
    radius: Number
    length: Number


class SphereShape(Seen):
    type: Literal["sphere"]
    radius: Number


class FrameShape(Seen):
    type: Literal["frame"]
    length: Number


class MeshShape(Seen):
    type: Literal["mesh"]
    file: str
    scale: Vector3 = ("1", "1", "1")


class HullShape(Seen):
    """The convex hull of points."""

    type: Literal["hull"]
    points: list[Vector3]


Shape = Annotated[
    BoxShape | EllipsoidShape | CylinderShape | CapsuleShape | SphereShape | FrameShape | MeshShape | HullShape,
    Field(discriminator="type"),
]


class PlaneShape(Seen):
    """The plane through the origin across a normal."""

    type: Literal["plane"]
    normal: Axis = "z"


class HollowShape(Seen):
    """A sphere that is touched from inside."""

    type: Literal["hollow"]
    radius: Number


class DiscShape(Seen):
    """A thin disc across z."""

    type: Literal["disc"]
    radius: Number


class CurveShape(Seen):
    """The surface z = height, an expression of x, straight along y."""

    type: Literal["curve"]
    height: Number


class HeightsShape(Seen):
    """The surface z = height, an expression of x and y."""

    type: Literal["heights"]
    height: Number


class TouchingMesh(MeshShape):
    """A closed convex mesh, or the convex hull of one; with `most` of so many vertices."""

    hull: bool = False
    most: int | None = None


class Surface(Record):
    """A shape fixed in a body, which contacts are between."""

    body: Name
    shape: Annotated[
        PlaneShape | SphereShape | HollowShape | CapsuleShape | BoxShape | CylinderShape | DiscShape | CurveShape
        | HeightsShape | EllipsoidShape | HullShape | TouchingMesh,
        Field(discriminator="type"),
    ]  # fmt: skip


class Body(Record):
    """A rigid body; its inertia is about its mass centre or a point `about`, given outright or as that of a solid."""

    mass: Number = "0"
    com: Vector3 = ("0", "0", "0")
    inertia: Inertia | None = None
    about: Vector3 | None = None
    solid: Solid | None = None
    shapes: tuple[Shape, ...] = ()


class Frame(Placed):
    """A frame fixed in a body."""

    body: Name


#: A lower and an upper limit, nothing for an end that is open.
Ends = TypeAliasType("Ends", Annotated[tuple[Number | None, ...], Len(2, 2)])


#: A number b for ±b, or a list: of one speed its ends, of several one entry for each.
Rated = TypeAliasType(
    "Rated",
    Annotated[
        Annotated[Number, Tag("one")] | Annotated[tuple[Number | Ends | None, ...], Tag("list")], Discriminator(_listed)
    ],
)


class Motion(Record):
    """The motion of a joint: a type with its fields, a joint map, a constraint, or a sequence from parent to child."""

    type: str | None = None
    map: Annotated[tuple[tuple[Number, ...], ...], Len(6, 6)] | None = None
    groups: tuple[Count, ...] | None = None
    constraint: tuple[Annotated[tuple[Number, ...], Len(6, 6)], ...] | None = None
    sequence: tuple[Motion, ...] | None = None


#: A coefficient of restitution, true for 0, or a mapping with all that a stop takes.
_Bounce = Annotated[str, WithJsonSchema({"type": ["number", "string", "boolean"]})]
Stops = Annotated[
    Annotated[_Bounce | None, Tag("one")] | Annotated[dict[Name, Number], Tag("mapping")], Discriminator(_mapped)
]


class Joint(Motion):
    """A joint between a parent and a child, each a body or a frame."""

    parent: Name
    child: Name
    at: Vector3 = ("0", "0", "0")
    rotation: Rotation | None = None
    child_at: Vector3 = ("0", "0", "0")
    child_rotation: Rotation | None = None
    coordinates: tuple[Name, ...] | None = None
    speeds: tuple[Name, ...] | None = None
    limits: tuple[Number | Ends | None, ...] | None = None
    speed_limits: Rated | None = None
    effort_limits: Rated | None = None
    stop: Stops = None
    small: bool = False


class Station(Record):
    """A station of a flexible body; with `static: false` it has no static shapes and only looks."""

    at: Number
    static: bool = True


def _station_form(value: Any) -> str:
    return "position" if _is_list(value) else "station" if isinstance(value, dict | Station) else "at"


#: A distance along a beam, the name of a node, or a position.
Stations = TypeAliasType(
    "Stations",
    tuple[
        Annotated[
            Annotated[Number, Tag("at")] | Annotated[Vector3, Tag("position")] | Annotated[Station, Tag("station")],
            Discriminator(_station_form),
        ],
        ...,
    ],
)


class Node(Record):
    """A node of a flexible body: its position, how each shape moves and turns it, and its mass."""

    at: Vector3
    shapes: tuple[Vector3, ...]
    turns: tuple[Vector3, ...] = ()
    mass: Number = "0"


#: One number for all, or a list.
Ratios = TypeAliasType(
    "Ratios",
    Annotated[Annotated[Number, Tag("one")] | Annotated[tuple[Number, ...], Tag("list")], Discriminator(_listed)],
)


class ModalBody(Record):
    """A flexible body by its shapes: functions of x, y, z over points and bars, values at nodes, or a data file."""

    type: Literal["modal"]
    mass: Number | None = None
    com: Vector3 | None = None
    inertia: Inertia | None = None
    shapes: tuple[Vector3, ...] | None = None
    material: tuple[tuple[Number | Vector3, ...], ...] | None = None
    nodes: dict[Name, Node] | None = None
    modal_mass: tuple[Number, ...] | None = None
    stiffness: tuple[Number | tuple[Number, ...], ...] | None = None
    damping: Ratios = "0"
    rayleigh: Annotated[tuple[Number, ...], Len(2, 2)] | None = None
    data: str | None = None
    stations: Stations = ()


#: The number of normal modes of each deformation, or a mapping from deformations to numbers.
Modes = TypeAliasType(
    "Modes",
    Annotated[Annotated[Count, Tag("one")] | Annotated[dict[Name, Count], Tag("mapping")], Discriminator(_mapped)],
)


class Coupling(Record):
    """What a joint follows: q = multiplier · q of the leader + offset. Both joints have one coordinate."""

    leader: Name
    multiplier: Number = "1"
    offset: Number = "0"


class Table(Record):
    """An interpolated function y(x) or z(x, y); `orders` are those of a derivative, -1 of the antiderivative."""

    x: tuple[Number, ...]
    y: tuple[Number, ...]
    z: tuple[tuple[Number, ...], ...] | None = None
    kind: Annotated[str, WithJsonSchema({"enum": ["linear", "cubic", "pchip", "held", "polynomial"]})] = "linear"
    outside: Annotated[str, WithJsonSchema({"enum": ["hold", "line", "error"]})] = "hold"
    orders: tuple[Annotated[str, WithJsonSchema({"type": "integer", "minimum": -1})], ...] | None = None


class Pose(Record):
    """A state to start from; what is not given is zero, first-order states where they start by themselves."""

    coordinates: dict[Name, Number] = {}
    speeds: dict[Name, Number] = {}
    states: dict[Name, Number] = {}


class Model(Record):
    """A mechanism: bodies joined in a tree on the ground, what constrains their motions, and what acts on them."""

    polhode: Annotated[Literal["1"], WithJsonSchema({"const": 1, "description": "The format's version."})] = "1"
    name: Name | None = None
    gravity: Vector3 = ("0", "0", "-9.81")
    parameters: dict[Name, QuantityOrNumber] = {}
    inputs: dict[Name, QuantityOrNumber] = {}
    states: dict[Name, StateOrRate] = {}
    tables: dict[Name, Table] = {}
    expressions: dict[Name, Number] = {}
    bodies: dict[Name, Body] = {}
    frames: dict[Name, Frame] = {}
    joints: dict[Name, Joint] = {}
    couplings: dict[Name, Coupling] = {}
    prescribed: dict[Name, Number] = {}
    surfaces: dict[Name, Surface] = {}
    loads: tuple[Any, ...] = ()  # of the force elements that are registered: see `fields.model_record`
    poses: dict[Name, Pose] = {}
