"""The common joints: of one axis, universal, planar, spherical, free, fixed, and joints one after the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from operator import index
from typing import Any

from ...errors import ModelError, check_kind, understood
from ...expr import Expr, Matrix, as_expr, free_symbols
from ...expr.length import exact_length
from ...expr.normal_form import normal
from ...geometry import unit_axis
from ...geometry.elimination import kernel
from .protocol import (
    STORAGES,
    TURN_STORAGES,
    XYZ,
    ElasticStage,
    JointType,
    Solid,
    Stage,
    given,
    orientation_labels,
    stage,
    twist,
)


@dataclass(frozen=True)
class OneAxis(JointType):
    """A joint with an axis."""

    axis: Any = given("axis", "z", doc="a direction that is fixed in both bodies")

    drawing = (Solid("cylinder", (1.6, 7), "axis"),)


@dataclass(frozen=True)
class Revolute(OneAxis):
    """One rotation about an axis fixed in both bodies; its coordinate is the angle θ, or with "vector" tan(θ/2).

    >>> Revolute("y").stages[0].speeds
    1
    >>> Revolute((0, "3/5", "4/5")).axis
    Vector([0, 0.6, 0.8])
    """

    storage: str = given("word", "angles", doc="how the turn is stored", choices=TURN_STORAGES)

    kind = "revolute"

    @cached_property
    def stages(self) -> tuple[Stage, ...]:
        return (stage([twist(self.axis)], self.storage),)


@dataclass(frozen=True)
class Prismatic(OneAxis):
    """One translation along an axis fixed in both bodies."""

    kind = "prismatic"
    drawing = (Solid("box", (3, 3, 7), "axis"),)

    @cached_property
    def stages(self) -> tuple[Stage, ...]:
        return (stage([twist(translation=self.axis)]),)


@dataclass(frozen=True)
class Screw(OneAxis):
    """Rotation about an axis with `pitch` metres of advance for each radian."""

    pitch: Any = given("number", 0, doc="metres of advance for each radian", unit="m/rad")

    kind = "screw"

    @cached_property
    def stages(self) -> tuple[Stage, ...]:
        return (stage([twist(self.axis, self.axis * self.pitch)]),)


@dataclass(frozen=True)
class Cylindrical(OneAxis):
    """Rotation about and translation along one axis, independently.

    >>> Cylindrical("z").coordinates, Cylindrical("z").speeds
    (2, 2)
    """

    kind = "cylindrical"

    @cached_property
    def stages(self) -> tuple[Stage, ...]:
        labels = ("angle", "slide")
        columns = [twist(self.axis), twist(translation=self.axis)]
        return (stage(columns, coordinate_labels=labels, speed_labels=labels),)


@dataclass(frozen=True)
class Fixed(JointType):
    """A weld.

    >>> Fixed().coordinates
    0
    """

    kind = "fixed"

    @property
    def stages(self) -> tuple[Stage, ...]:
        return ()


@dataclass(frozen=True)
class Universal(JointType):
    """Two successive revolutes, stored alike: `first` is fixed in the parent, `second` in the child."""

    first: Any = given("axis", "x", doc="the axis that is fixed in the parent")
    second: Any = given("axis", "y", doc="the axis that is fixed in the child")
    storage: str = given("word", "angles", doc="how the turns are stored", choices=TURN_STORAGES)

    kind = "universal"
    outermost_first = False

    @cached_property
    def stages(self) -> tuple[Stage, ...]:
        return tuple(stage([twist(axis)], self.storage) for axis in (self.first, self.second))


@dataclass(frozen=True)
class Planar(JointType):
    """Rotation about a normal and translation in the plane; the speeds are body-fixed components.

    >>> Planar("z").coordinates
    3
    """

    normal: Any = given("axis", "z", doc="a direction across the plane")

    kind = "planar"

    @cached_property
    def stages(self) -> tuple[Stage, ...]:
        x, y = _plane_axes(self.normal)
        columns = [twist(self.normal), twist(translation=x), twist(translation=y)]
        return (stage(columns, coordinate_labels=("angle", "x", "y"), speed_labels=("w", "vx", "vy")),)


def _plane_axes(n: Any) -> tuple[Any, Any]:
    start = next(unit_axis(letter) for letter in XYZ if unit_axis(letter).dot(n) == 0 or letter == "z")
    if start.dot(n) == 0:
        x = start
    else:
        x = unit_axis(unit_axis("x" if n[0] != 1 else "y").cross(n))
    return x, n.cross(x)


_TURNS = [twist(unit_axis(letter)) for letter in XYZ]
_SLIDES = [twist(translation=unit_axis(letter)) for letter in XYZ]


@dataclass(frozen=True)
class Oriented(JointType):
    """A joint with three rotational freedoms."""

    storage: str = given("word", "quaternion", doc="how the orientation is stored", choices=STORAGES)


@dataclass(frozen=True)
class Spherical(Oriented):
    """All rotations; the speeds are the angular velocity's body components."""

    kind = "spherical"

    @cached_property
    def stages(self) -> tuple[Stage, ...]:
        labels = orientation_labels(self.storage)
        return (stage(_TURNS, self.storage, coordinate_labels=labels, speed_labels=("wx", "wy", "wz")),)


@dataclass(frozen=True)
class Free(Oriented):
    """All motions; coordinates are orientation and position in the parent, speeds are body components."""

    kind = "free"
    drawing = ()

    @cached_property
    def stages(self) -> tuple[Stage, ...]:
        labels = (*orientation_labels(self.storage), *XYZ)
        speeds = ("wx", "wy", "wz", "vx", "vy", "vz")
        return (stage([*_TURNS, *_SLIDES], self.storage, coordinate_labels=labels, speed_labels=speeds),)


@dataclass(frozen=True)
class Elastic(JointType):
    """Coordinates that bend the child and do not move its frame in the parent; `System.beam` adds such a joint."""

    count: int
    labels: tuple[str, ...] = ()
    units: tuple[str, ...] = ()

    kind = "elastic"
    drawing = ()

    @cached_property
    def stages(self) -> tuple[Stage, ...]:
        H, labels = Matrix.zeros(6, self.count), self.labels
        return (ElasticStage(H, coordinate_labels=labels, speed_labels=labels, units=self.units),)


@dataclass(frozen=True, init=False)
class Compound(JointType):
    """Successive joints without bodies between them, from the parent to the child.

    >>> from polhode.model.joints import Prismatic, Revolute
    >>> Compound(Revolute("z"), Prismatic("x")).speeds
    2
    """

    joints: tuple[JointType, ...]

    kind = "compound"
    outermost_first = False

    def __init__(self, *joints: JointType) -> None:
        object.__setattr__(self, "joints", joints)
        for joint in joints:
            _check_part(joint)

    @cached_property
    def stages(self) -> tuple[Stage, ...]:
        return tuple(joint.stages[k] for joint in self.joints for k in joint.from_parent)


def _check_part(joint: Any) -> None:
    cure = 'Give joint types, for example Compound(Revolute("x"), Prismatic("z")).'
    check_kind(JointType, "a joint type", joint, "compound joint", cure)
    if joint.nominal is not None:
        raise ModelError(
            f"a {joint.kind} with a nominal orientation cannot be a part of a compound joint.",
            cure="Leave out its axis and reference, or put a massless body between.",
            code="E-JOINT-UNSUPPORTED",
        )


@dataclass(frozen=True)
class JointMap(JointType):
    """Any joint by its 6×r map, columns outermost first as in Kwatny and Blankenship.

    `groups` splits the columns into successive simple joints: (1, 1, 1) is a compound joint of three, (3,) or None
    one simple joint. Axes need be neither orthogonal nor of unit length, but each must have an exact one: a number,
    or a symbol times a number. How a column slides, and where its axis is, may be any expression.

    >>> screw = JointMap([[0], [0], [1], [0], [0], ["1/20"]])
    >>> screw.coordinates, screw.is_holonomic
    (1, True)
    """

    H: Any
    groups: Any = None

    kind = "map"

    def __post_init__(self) -> None:
        H, groups = _read(self.H, self.groups)
        object.__setattr__(self, "H", H)
        object.__setattr__(self, "groups", groups)
        super().__post_init__()

    @classmethod
    def of_constraint(cls, A: Any, groups: Any = None) -> JointMap:
        """The joint of a constraint A p = 0 on p = (ω, v) in the outer body: H is a basis of Ker A, (5)-(9).

        Angular velocities are free where they can be, the others follow: the speed of a screw is that of its angle.

        >>> nut = JointMap.of_constraint([
        ...     [1, 0, 0, 0, 0, 0], [0, 1, 0, 0, 0, 0], [0, 0, 0, 1, 0, 0], [0, 0, 0, 0, 1, 0], [0, 0, 1, 0, 0, -20]])
        >>> nut.H.T
        Matrix([[0, 0, 1, 0, 0, 0.05]])
        """
        cure = "Give rows of six: three for the angular velocity and three for the velocity, in the outer body."
        with understood("a matrix of 6 columns", A, place="joint constraint", cure=cure):
            rows = Matrix(A).map(as_expr)
            if not rows.shape[0] or rows.shape[1] != 6:
                raise ValueError
        kinds = ("coordinate", "speed", "time", "input", "state")
        moving = [x for x in free_symbols(rows.entries()) if x.data[0] in kinds]
        if moving:
            message = f"it depends on '{moving[0].name}', and that of a simple joint is constant."
            cure = "Give a free joint, and keep the rows of A p by constrain_speed."
            raise ModelError(message, "joint constraint", cure, "E-JOINT-UNSUPPORTED")
        H = kernel(rows).map(normal)
        if not H.shape[1]:
            message = "the constraint leaves no speed free."
            raise ModelError(message, "joint constraint", "Use Fixed(), or fewer rows.", "E-JOINT-SHAPE")
        return cls(Matrix.columns_of([_with_exact_length(h, rows) for h in H.columns], 6), groups)

    @cached_property
    def stages(self) -> tuple[Stage, ...]:
        return simple_joints(self.H, self.groups)


def _with_exact_length(h: Sequence[Any], rows: Matrix) -> list[Expr]:
    """A column of a map, times an entry of its constraint where only that makes the length of its axis exact."""
    factors = sorted(filter(None, rows.entries()), key=lambda entry: str(entry).startswith("-"))
    scaled = ([normal(entry * factor) for entry in h] for factor in factors)
    trials = ([as_expr(entry) for entry in h], *scaled) if exact_length(h[:3]) is None else ()
    return next((trial for trial in trials if exact_length(trial[:3]) is not None), [as_expr(entry) for entry in h])


def simple_joints(H: Any, groups: Any = None) -> tuple[Stage, ...]:
    """The successive simple joints of a map, whose axes may have any length."""
    columns, counts = _read(H, groups)
    ends = accumulate(counts)
    return tuple(Stage(columns[:, end - count : end]) for count, end in zip(counts, ends, strict=True))


def _read(rows: Any, given_groups: Any) -> tuple[Matrix, tuple[int, ...]]:
    cure = "Give six rows, a column for each speed."
    with understood("a matrix of 6 rows", rows, place="joint map", cure=cure):
        H = Matrix(rows).map(as_expr)
    cure, columns = "Give for example (1, 2).", H.shape[1]
    with understood("a list of whole numbers", given_groups, place="groups of a joint map", cure=cure):
        groups = (columns,) if given_groups is None else tuple(map(index, given_groups))
    if sum(groups) != columns or any(count < 1 for count in groups):
        message = f"the groups {groups} do not add up to the map's {columns} columns."
        raise ModelError(message, cure="Give a positive number of columns for each stage.", code="E-JOINT-SHAPE")
    return H, groups
