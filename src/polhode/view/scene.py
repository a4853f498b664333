"""What is to be drawn, as plain data: shapes on bodies, bodies in a scene, a scene in motion.

Lengths are in metres, times in seconds; quaternions are (w, x, y, z) and turn a body's axes into the world's.
Nothing here knows about screens: `page` and `plot` do.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from polhode.errors import PolhodeError, ShapeError

from ..errors import check_known

if TYPE_CHECKING:
    from polhode.view.mesh import MeshShape

Floats = NDArray[np.float64]
Vector = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]

PALETTE = ("#0077bb", "#ee7733", "#009988", "#cc3311", "#33bbee", "#ee3377", "#7a8088")
"""Seven colours that stay apart under every common colour blindness (after Paul Tol's "vibrant" set)."""

SIZES: dict[str, tuple[str, ...]] = {
    "box": ("length x", "length y", "length z"),
    "cylinder": ("radius", "length"),
    "cone": ("radius", "length"),
    "capsule": ("radius", "length"),
    "sphere": ("radius",),
    "ellipsoid": ("radius x", "radius y", "radius z"),
    "frame": ("length",),
    "patch": ("length x", "length y"),
}
"""Every kind of shape and what its sizes mean; shapes are centred, and round ones have their axis along z."""

NO_TURN: Quaternion = (1.0, 0.0, 0.0, 0.0)
ORIGIN: Vector = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Shape:
    """A solid fixed to a body; `rotation`, a quaternion or a 3x3 matrix, is kept as a quaternion.

    >>> Shape("cylinder", (0.05, 0.4), rotation=[[0, 0, 1], [1, 0, 0], [0, 1, 0]]).rotation
    (0.5, 0.5, 0.5, 0.5)
    """

    kind: str
    size: Sequence[float]
    position: Sequence[float] = ORIGIN
    rotation: ArrayLike = NO_TURN
    color: str | None = None

    def __post_init__(self) -> None:
        place = f"shape {self.kind!r}"
        check_known("shape", [self.kind], SIZES, place=place, code="E-PICTURE-NAME")
        meaning = SIZES[self.kind]
        size = _numbers(self.size, (len(meaning),), place, f"size ({', '.join(meaning)})")
        if not (size > 0).all():
            raise PolhodeError(
                "every size must be positive.", place, f"Sizes: {', '.join(meaning)}.", "E-PICTURE-NUMBER"
            )
        if self.color is not None and not re.fullmatch(r"#[0-9a-fA-F]{6}", str(self.color)):
            raise PolhodeError(
                f"the color {self.color!r} is not understood.", place, "Write it as '#0077bb'.", "E-PICTURE-NUMBER"
            )
        position = _numbers(self.position, (3,), place, "position")
        object.__setattr__(self, "size", tuple(size.tolist()))
        object.__setattr__(self, "position", tuple(position.tolist()))
        object.__setattr__(self, "rotation", _as_quaternion(self.rotation, place))


@dataclass(frozen=True)
class SceneBody:
    """A named body and the shapes that move with it; `tracer` is the point of it whose path may be drawn."""

    name: str
    shapes: Sequence[Shape | MeshShape] = ()
    tracer: Sequence[float] = ORIGIN
    listed: bool = True

    def __post_init__(self) -> None:
        tracer = _numbers(self.tracer, (3,), f"body {self.name!r}", "tracer")
        object.__setattr__(self, "shapes", tuple(self.shapes))
        object.__setattr__(self, "tracer", tuple(tracer.tolist()))

    def color(self, index: int) -> str:
        """The body's colour in lists: that of its first coloured shape, else the palette's at `index`."""
        colors = (shape.color for shape in self.shapes if shape.color is not None)
        return next(colors, PALETTE[index % len(PALETTE)])


@dataclass(frozen=True)
class SceneLine:
    """A line between points of two bodies, each by its number in the scene; it follows them and changes its length."""

    name: str
    ends: Sequence[tuple[int, Sequence[float]]]
    radius: float
    color: str = PALETTE[3]

    def __post_init__(self) -> None:
        place = f"line {self.name!r}"
        ends = tuple((body, tuple(_numbers(point, (3,), place, "point").tolist())) for body, point in self.ends)
        object.__setattr__(self, "ends", ends)


@dataclass(frozen=True)
class SceneTrace:
    """A named point of a body, by its number in the scene, whose path is drawn."""

    name: str
    body: int
    point: Sequence[float] = ORIGIN

    def __post_init__(self) -> None:
        point = _numbers(self.point, (3,), f"trace {self.name!r}", "point")
        object.__setattr__(self, "point", tuple(point.tolist()))


@dataclass(frozen=True)
class Scene:
    """Bodies to be drawn together, lines between them, points whose paths are drawn, and which way is up.

    The ground is drawn at height `ground` along `up`; left out, it lies at zero, or just beneath a motion
    that dips below zero or flies far above it. Without a `floor`, as where nothing falls, there is none.
    """

    title: str
    bodies: Sequence[SceneBody]
    up: Sequence[float] = (0.0, 0.0, 1.0)
    ground: float | None = None
    lines: Sequence[SceneLine] = ()
    floor: bool = True
    traces: Sequence[SceneTrace] = ()

    def __post_init__(self) -> None:
        up = _numbers(self.up, (3,), "scene", "up")
        length = float(np.linalg.norm(up))
        if length == 0.0:
            raise PolhodeError(
                "the up direction has zero length.", "scene", "For example (0, 0, 1).", "E-PICTURE-NUMBER"
            )
        if self.ground is not None:
            object.__setattr__(self, "ground", float(_numbers(self.ground, (), "scene", "ground")))
        object.__setattr__(self, "bodies", tuple(self.bodies))
        object.__setattr__(self, "lines", tuple(self.lines))
        object.__setattr__(self, "traces", tuple(self.traces))
        object.__setattr__(self, "up", tuple((up / length).tolist()))


@dataclass(frozen=True, eq=False)
class MovingLine:
    """A line that moves by itself, such as a screw axis: its ends (T, 2, 3) over time; NaN where there is none.

    An arrow has its tip at the second end; `told` says what it stands for, such as "1 m is 20 N". With an `opening`,
    the tangent of its half-angle, it is a faint cone about the line with its apex at the first end. Lines of one
    name are one in the list of the page; without a name they are not listed.
    """

    name: str
    ends: Floats
    radius: float
    color: str = PALETTE[3]
    arrow: bool = False
    told: str = ""
    opening: float = 0.0

    def __post_init__(self) -> None:
        ends = np.array(self.ends, dtype=float)
        if ends.ndim != 3 or ends.shape[1:] != (2, 3) or np.isinf(ends).any():
            cure = f"They have shape {ends.shape}."
            message = "the ends must be two points for each time, without infinities."
            raise ShapeError(message, f"line {self.name!r}", cure, "E-PICTURE-SHAPE")
        ends.setflags(write=False)
        object.__setattr__(self, "ends", ends)

    def at(self, wanted: Floats, time: Floats) -> MovingLine:
        """The line at other times, its ends on straight lines between samples."""
        flat = self.ends.reshape(len(time), 6)
        ends = np.stack([np.interp(wanted, time, flat[:, k]) for k in range(6)], axis=1)
        return replace(self, ends=ends.reshape(-1, 2, 3))


@dataclass(frozen=True, eq=False)
class Motion:
    """Poses: `time` (T,), `positions` (T, bodies, 3), unit `quaternions` (T, bodies, 4), and lines that move."""

    time: Floats
    positions: Floats
    quaternions: Floats
    lines: Sequence[MovingLine] = ()

    def __post_init__(self) -> None:
        time = checked_times(self.time, "motion")
        positions = np.asarray(self.positions, dtype=float)
        bodies = positions.shape[1] if positions.ndim == 3 else 0
        positions = _numbers(positions, (len(time), bodies, 3), "motion", "positions (times, bodies, 3)")
        quaternions = _numbers(self.quaternions, (len(time), bodies, 4), "motion", "quaternions (times, bodies, 4)")
        length = np.linalg.norm(quaternions, axis=2, keepdims=True)
        if not (length > 0).all():
            sample, body, _ = np.argwhere(~(length > 0))[0]
            message = f"the quaternion of body number {body} is zero at time {time[sample]:g}."
            raise PolhodeError(message, "motion", "A quaternion at rest is (1, 0, 0, 0).", "E-PICTURE-NUMBER")
        for name, array in (
            ("time", time),
            ("positions", positions),
            ("quaternions", _continuous(quaternions / length)),
        ):
            frozen = array.copy()
            frozen.setflags(write=False)
            object.__setattr__(self, name, frozen)
        object.__setattr__(self, "lines", tuple(self.lines))

    def at(self, time: ArrayLike) -> Motion:
        """The motion at other times: positions on straight lines, orientations on great arcs between samples.

        >>> half_turn = Motion([0, 1], np.zeros((2, 1, 3)), [[[1, 0, 0, 0]], [[0, 0, 0, 1]]])
        >>> half_turn.at([0.5]).quaternions.round(4).tolist()
        [[[0.7071, 0.0, 0.0, 0.7071]]]
        """
        wanted = checked_times(time, "motion")
        right = np.clip(np.searchsorted(self.time, wanted, side="right"), 1, max(len(self.time) - 1, 1))
        right = np.minimum(right, len(self.time) - 1)
        left = np.maximum(right - 1, 0)
        gap = self.time[right] - self.time[left]
        share = np.clip((wanted - self.time[left]) / np.where(gap > 0, gap, 1.0), 0.0, 1.0)[:, None, None]
        positions = self.positions[left] * (1 - share) + self.positions[right] * share
        lines = [line.at(wanted, self.time) for line in self.lines]
        return Motion(wanted, positions, _slerp(self.quaternions[left], self.quaternions[right], share), lines)


#: Units whose values are numbers of words.
WORDS = {"mode": ("open", "stick", "slip")}


@dataclass(frozen=True, eq=False)
class Channel:
    """A named quantity over the motion's times, for the strip chart; NaN leaves a gap in its line."""

    name: str
    unit: str
    values: Floats
    beside: Sequence[Floats] = ()

    def __post_init__(self) -> None:
        columns = [np.array(values, dtype=float) for values in (self.values, *self.beside)]
        for values in columns:
            if values.ndim != 1 or values.shape != columns[0].shape or np.isinf(values).any():
                cure = f"They have shape {values.shape}."
                message = "the values must be one finite number for each time."
                raise ShapeError(message, f"channel {self.name!r}", cure, "E-PICTURE-SHAPE")
            values.setflags(write=False)
        object.__setattr__(self, "values", columns[0])
        object.__setattr__(self, "beside", tuple(columns[1:]))

    def at(self, time: Floats, times: Floats) -> list[Floats]:
        """Its values, and those beside, at other times: on lines between samples, words as at the sample before."""
        if self.unit in WORDS:
            times = time[np.maximum(0, np.searchsorted(time, times, side="right") - 1)]
        return [np.interp(times, time, values) for values in (self.values, *self.beside)]


@dataclass(frozen=True, eq=False)
class Ghost:
    """Another run that is drawn, pale, over the one that is shown."""

    name: str
    scene: Scene
    motion: Motion


@dataclass(frozen=True)
class Sheet:
    """Formulas about a body, by its number in the scene: lines of words and MathML."""

    body: int
    lines: Sequence[tuple[str, str]]


def checked_times(value: ArrayLike, place: str) -> Floats:
    """The times as an array, refused when they are none, not finite or run backwards."""
    array = np.asarray(value, dtype=float)
    time = _numbers(array, (array.size,), place, "time (times,)")
    if array.size == 0:
        raise ShapeError("there is no time at all.", place, "Give at least one sample.", "E-PICTURE-SHAPE")
    if (np.diff(time) < 0).any():
        cure = "Sort the samples by time."
        raise PolhodeError(
            f"time runs backwards after {time[int(np.argmax(np.diff(time) < 0))]:g}.", place, cure, "E-PICTURE-NUMBER"
        )
    return time


def _numbers(value: ArrayLike, shape: tuple[int, ...], place: str, what: str) -> Floats:
    try:
        array = np.array(value, dtype=float)
    except (TypeError, ValueError) as error:
        raise ShapeError(f"{what} must be numbers.", place, str(error), "E-PICTURE-SHAPE") from error
    if array.shape != shape:
        raise ShapeError(f"{what} must have shape {shape}.", place, f"It has shape {array.shape}.", "E-PICTURE-SHAPE")
    if not np.isfinite(array).all():
        raise PolhodeError(
            f"{what} holds a number that is not finite.", place, "Look for NaN or inf.", "E-PICTURE-NUMBER"
        )
    return array


def _as_quaternion(rotation: ArrayLike, place: str) -> Quaternion:
    array = np.asarray(rotation, dtype=float)
    if array.shape == (3, 3):
        R = _numbers(array, (3, 3), place, "rotation")
        if np.abs(R @ R.T - np.eye(3)).max() > 1e-6 or np.linalg.det(R) < 0:
            cure = "Its columns must be unit vectors at right angles, in right-handed order."
            raise PolhodeError("the rotation matrix is not a rotation.", place, cure, "E-PICTURE-NUMBER")
        quaternion = _quaternion_of(R)
    else:
        quaternion = _numbers(array, (4,), place, "rotation (a quaternion w, x, y, z or a 3x3 matrix)")
    length = float(np.linalg.norm(quaternion))
    if length == 0.0:
        raise PolhodeError("the quaternion is zero.", place, "No rotation is (1, 0, 0, 0).", "E-PICTURE-NUMBER")
    return cast(Quaternion, tuple((quaternion / length).tolist()))


def _quaternion_of(R: Floats) -> Floats:
    """The quaternion of a rotation matrix: the longest row of 4 q qᵀ, which no rotation makes vanish."""
    t = np.trace(R)
    wx, wy, wz = R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]
    xy, xz, yz = R[0, 1] + R[1, 0], R[0, 2] + R[2, 0], R[1, 2] + R[2, 1]
    outer = np.array(
        [
            [1 + t, wx, wy, wz],
            [wx, 1 + 2 * R[0, 0] - t, xy, xz],
            [wy, xy, 1 + 2 * R[1, 1] - t, yz],
            [wz, xz, yz, 1 + 2 * R[2, 2] - t],
        ]
    )
    return cast(Floats, outer[int(np.argmax(np.diag(outer)))])


def _continuous(quaternions: Floats) -> Floats:
    """The same rotations with q(k)·q(k+1) ≥ 0, so that no sample flips to the far side of the sphere."""
    dots = np.einsum("tbi,tbi->tb", quaternions[:-1], quaternions[1:])
    signs = np.cumprod(np.where(dots < 0, -1.0, 1.0), axis=0)
    return np.concatenate([quaternions[:1], quaternions[1:] * signs[:, :, None]])


def _slerp(a: Floats, b: Floats, share: Floats) -> Floats:
    """sin((1−s)θ)/sin θ · a + sin(sθ)/sin θ · b, where cos θ = a·b; a straight line where θ is tiny."""
    theta = np.arccos(np.clip(np.einsum("tbi,tbi->tb", a, b), -1.0, 1.0))[:, :, None]
    near = theta < 1e-4
    safe = np.where(near, 1.0, theta)
    wa = np.where(near, 1 - share, np.sin((1 - share) * safe) / np.sin(safe))
    wb = np.where(near, share, np.sin(share * safe) / np.sin(safe))
    return wa * a + wb * b
