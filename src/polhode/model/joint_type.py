"""Joints by name: names for common joint maps, and any map or sequence of maps besides."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from operator import index
from typing import Any

from ..errors import ModelError, shown, suggestion, understood
from ..expr import Matrix, as_expr, same
from ..geometry import unit_axis
from ..geometry.orientation import ORIENTATIONS
from .building_block import checked_rotations, nominal_orientation, unit_direction
from .stage import Stage

_XYZ = ("x", "y", "z")


@dataclass(frozen=True)
class JointType:
    """A joint: its simple stages, listed as their coordinates are.

    A sequence of stages is a compound joint. `outermost_first` tells which way the list runs: the paper counts from
    the child to the parent (26); a user who writes `Compound(...)` thinks from the parent to the child. A `nominal`
    orientation turns the joint's frame in the parent, after the rotation that a user gives to place it.
    """

    name: str
    stages: tuple[Stage, ...]
    outermost_first: bool = True
    nominal: Matrix | None = None

    @property
    def from_parent(self) -> list[int]:
        """The stages in the order in which they are met from the parent to the child."""
        places = list(range(len(self.stages)))
        return places[::-1] if self.outermost_first else places

    @property
    def coordinates(self) -> int:
        return sum(stage.coordinates for stage in self.stages)

    @property
    def speeds(self) -> int:
        return sum(stage.speeds for stage in self.stages)

    @property
    def is_holonomic(self) -> bool:
        return all(stage.is_holonomic for stage in self.stages)

    def coordinate_labels(self) -> list[str]:
        """Suffixes for coordinate names; a single coordinate carries the joint's own name."""
        return _labels([(stage.coordinate_labels, stage.coordinates) for stage in self.stages])

    def speed_labels(self) -> list[str]:
        """Suffixes for speed names."""
        return _labels([(stage.speed_labels, stage.speeds) for stage in self.stages])


def _labels(stages: list[tuple[tuple[str, ...], int]]) -> list[str]:
    if sum(count for _, count in stages) == 1:
        return [""]
    result: list[str] = []
    for place, (labels, count) in enumerate(stages, start=1):
        own = labels if len(labels) == count else tuple(str(k) for k in range(1, count + 1))
        if len(stages) == 1:
            result += own
        else:
            result += [str(place)] if count == 1 else [f"{place}{label}" for label in own]
    return result


def _twist(rotation: Iterable[Any] = (0, 0, 0), translation: Iterable[Any] = (0, 0, 0)) -> list[Any]:
    return [*rotation, *translation]


def _stage(columns: Sequence[Sequence[Any]], storage: str = "angles", **labels: tuple[str, ...]) -> Stage:
    return Stage(Matrix.columns_of(columns, 6), storage, **labels)


def Fixed() -> JointType:
    """A weld."""
    return JointType("fixed", ())


def Revolute(axis: Any = "z") -> JointType:
    """One rotation about an axis fixed in both bodies."""
    return JointType("revolute", (_stage([_twist(unit_axis(axis))]),))


def Prismatic(axis: Any = "z") -> JointType:
    """One translation along an axis fixed in both bodies."""
    return JointType("prismatic", (_stage([_twist(translation=unit_axis(axis))]),))


def Screw(axis: Any = "z", pitch: Any = 0) -> JointType:
    """Rotation about an axis with `pitch` metres of advance for each radian."""
    a = unit_axis(axis)
    with understood("a pitch", pitch, place="screw joint", cure="Give metres of advance for each radian."):
        return JointType("screw", (_stage([_twist(a, a * as_expr(pitch))]),))


def Cylindrical(axis: Any = "z") -> JointType:
    """Rotation about and translation along one axis, independently."""
    a = unit_axis(axis)
    columns = [_twist(a), _twist(translation=a)]
    labels = ("angle", "slide")
    return JointType("cylindrical", (_stage(columns, coordinate_labels=labels, speed_labels=labels),))


def Universal(first: Any = "x", second: Any = "y") -> JointType:
    """Two successive revolutes: `first` is fixed in the parent, `second` in the child."""
    return Compound(Revolute(first), Revolute(second), name="universal")


def Planar(normal: Any = "z") -> JointType:
    """Rotation about a normal and translation in the plane; the speeds are body-fixed components."""
    n = unit_axis(normal)
    x, y = _plane_axes(n)
    columns = [_twist(n), _twist(translation=x), _twist(translation=y)]
    return JointType(
        "planar",
        (_stage(columns, coordinate_labels=("angle", "x", "y"), speed_labels=("w", "vx", "vy")),),
    )


def _plane_axes(n: Any) -> tuple[Any, Any]:
    start = next(unit_axis(letter) for letter in "xyz" if unit_axis(letter).dot(n) == 0 or letter == "z")
    if start.dot(n) == 0:
        x = start
    else:
        x = unit_axis(unit_axis("x" if n[0] != 1 else "y").cross(n))
    return x, n.cross(x)


def _orientation_labels(storage: object) -> tuple[str, ...]:
    """Names for the coordinates of an orientation; of an unknown storage none, as the stage will refuse it."""
    if not isinstance(storage, str):
        return ()
    if storage == "angles":
        return ("ax", "ay", "az")
    return ORIENTATIONS[storage].labels if storage in ORIENTATIONS else ()


def Spherical(storage: str = "quaternion") -> JointType:
    """All rotations; the speeds are the angular velocity's body components."""
    columns = [_twist(unit_axis(letter)) for letter in _XYZ]
    labels = _orientation_labels(storage)
    return JointType(
        "spherical", (_stage(columns, storage, coordinate_labels=labels, speed_labels=("wx", "wy", "wz")),)
    )


def Free(storage: str = "quaternion") -> JointType:
    """All motions; coordinates are orientation and position in the parent, speeds are body components."""
    columns = [_twist(unit_axis(letter)) for letter in _XYZ]
    columns += [_twist(translation=unit_axis(letter)) for letter in _XYZ]
    labels = (*_orientation_labels(storage), *_XYZ)
    speeds = ("wx", "wy", "wz", "vx", "vy", "vz")
    return JointType("free", (_stage(columns, storage, coordinate_labels=labels, speed_labels=speeds),))


def JointMap(H: Any, groups: Sequence[int] | None = None, name: str = "map") -> JointType:
    """Any joint by its 6×r map, columns outermost first as in Kwatny and Blankenship.

    `groups` splits the columns into successive simple joints: (1, 1, 1) is a compound joint of three, (3,) or None
    one simple joint. Axes need be neither orthogonal nor of unit length, but each must have a length that is known
    exactly (not a symbol); how a column slides, and where its axis is, may be symbols.
    """
    with understood("a matrix of 6 rows", H, place="joint map", cure="Give six rows, a column for each speed."):
        H = Matrix(H).map(as_expr)
    with understood("a list of whole numbers", groups, place="groups of a joint map", cure="Give for example (1, 2)."):
        groups = (H.shape[1],) if groups is None else tuple(map(index, groups))
    if sum(groups) != H.shape[1] or any(count < 1 for count in groups):
        raise ModelError(
            f"the groups {tuple(groups)} do not add up to the map's {H.shape[1]} columns.",
            cure="Give a positive number of columns for each stage.",
            code="E-JOINT-005",
        )
    stages, start = [], 0
    for count in groups:
        stages.append(Stage(H[:, start : start + count]))
        start += count
    return JointType(name, tuple(stages))


def Compound(*joints: JointType, name: str = "compound") -> JointType:
    """Successive joints without bodies between them, from the parent to the child."""
    stages: list[Stage] = []
    for joint in joints:
        if not isinstance(joint, JointType):
            raise ModelError(
                f"{shown(joint)} is not a joint type.",
                place="compound joint",
                cure='Give joint types, for example Compound(Revolute("x"), Prismatic("z")).',
                code="E-JOINT-011",
            )
        if joint.nominal is not None:
            raise ModelError(
                f"a {joint.name} with a nominal orientation cannot be a part of a compound joint.",
                cure="Leave out its axis and reference, or put a massless body between.",
                code="E-BLOCK-006",
            )
        stages += [joint.stages[place] for place in joint.from_parent]
    return JointType(name, tuple(stages), outermost_first=False)


def BuildingBlock(
    translations: Iterable[Any] = (), rotations: Iterable[int] = (), axis: Any = None, reference: Any = None
) -> JointType:
    """Sayers' joint, Table 1: up to three translations fixed in the parent, then up to three rotations by axis index.

    `axis` and `reference` are d_rot and d_ref, fixed in the parent: they give the nominal orientation, Table 3. Three
    translations along the axes of the nominal frame with three rotations are a free joint whose speeds are body
    components; other speeds are the rates of the coordinates, but for three rotations the angular velocity's body
    components. Coordinates and speeds of translation come first.

    >>> block = BuildingBlock("xyz", (1, 2, 3))
    >>> block.coordinate_labels(), block.speed_labels()
    (['x', 'y', 'z', 'a1', 'a2', 'a3'], ['vx', 'vy', 'vz', 'wx', 'wy', 'wz'])
    """
    name = "building_block"
    indices = checked_rotations(rotations)
    nominal = nominal_orientation(indices, axis, reference)
    with understood("a list of directions", translations, place="building block", cure='Give for example "xyz".'):
        directions = [nominal.T @ unit_direction(direction, "direction of translation") for direction in translations]
    turned = None if same(nominal.entries(), Matrix.identity(3).entries()) else nominal
    columns = [_twist(translation=direction) for direction in directions]
    word = "".join(map(str, indices))
    if len(columns) == len(indices) == 3 and same(Matrix(directions).entries(), Matrix.identity(3).entries()):
        free = Free(word).stages[0]
        labels = {"coordinate_labels": free.coordinate_labels, "speed_labels": free.speed_labels}
        swapped = {key: own[3:] + own[:3] for key, own in labels.items()}
        turns = [_twist(unit_axis(letter)) for letter in _XYZ]
        return JointType(name, (_stage([*columns, *turns], word, **swapped),), nominal=turned)
    stages = [_stage(columns)] if columns else []
    if len(indices) == 3:
        stages += Spherical(word).stages
    else:
        stages += [_stage([_twist(unit_axis(_XYZ[index - 1]))]) for index in indices]
    return JointType(name, tuple(stages), outermost_first=False, nominal=turned)


BY_NAME: dict[str, Callable[..., JointType]] = {
    "fixed": Fixed, "revolute": Revolute, "prismatic": Prismatic, "screw": Screw, "cylindrical": Cylindrical,
    "universal": Universal, "planar": Planar, "spherical": Spherical, "free": Free, "building_block": BuildingBlock,
}  # fmt: skip


def joint_type(kind: str | JointType, place: str = "", **options: Any) -> JointType:
    """A joint type by its name, `joint_type("revolute", axis="y")`, or as it is."""
    if isinstance(kind, JointType):
        if options:
            raise ModelError(
                f"{', '.join(options)} cannot be given beside a ready joint type.", place=place, code="E-JOINT-006"
            )
        return kind
    maker = BY_NAME.get(kind) if isinstance(kind, str) else None
    if maker is None:
        raise ModelError(
            f"there is no joint type {shown(kind)}.",
            place=place,
            cure=suggestion(kind, BY_NAME, f"Choose one of {', '.join(BY_NAME)}."),
            code="E-JOINT-007",
        )
    try:
        return maker(**options)
    except TypeError:
        raise ModelError(
            f"a {kind} joint does not take {', '.join(options)}.", place=place, code="E-JOINT-008"
        ) from None
