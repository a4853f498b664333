"""What bodies look like: their own shapes, or shapes made up from joints, mass centres and inertia."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from ..dynamics.equations import EquationsOfMotion
from ..expr import Expr, as_expr, evaluate
from ..geometry.exact_rotation import as_rotation
from ..model.body import Body
from ..model.constraints.protocol import Mark
from ..model.model import Model
from ..model.records import GROUND
from .state import Floats

#: Radius of made-up bars, and of balls for an average mass, relative to the mechanism's size.
_BAR, _BALL = 0.02, 0.05
#: The colour of what stands still.
_STAND = "#7a8088"
#: How many bars a curve is drawn by, and how much farther than discs come on it.
_CHORDS, _BEYOND = 60, 0.1


@dataclass(frozen=True, eq=False)
class Piece:
    """A solid fixed to a body; round ones have their axis along z before `rotation`."""

    kind: str
    size: tuple[float, ...]
    position: list[float]
    rotation: Floats
    color: str | None = None


@dataclass(frozen=True, eq=False)
class DrawnBody:
    """A body's name, its pieces, and the point of it that is farthest out."""

    name: str
    pieces: tuple[Piece, ...]
    tip: list[float]


@dataclass(frozen=True, eq=False)
class Scenery:
    """All bodies, the ground first, which way is up, and how high the ground is that they roll or glide on, if any."""

    bodies: tuple[DrawnBody, ...]
    up: list[float]
    ground: float | None = None

    @staticmethod
    def of(
        equations: EquationsOfMotion,
        parameters: Mapping[str, Any],
        reach: Mapping[str, tuple[float, float]] | None = None,
    ) -> Scenery:
        """The looks of a mechanism with these parameters; `reach` says between which values coordinates move."""
        return _Painter(equations.system, parameters, reach or {}).scenery()


def quaternions_of(rotations: Floats) -> Floats:
    """Rotation matrices (…, 3, 3) as quaternions (…, 4), scalar first."""
    from scipy.spatial.transform import Rotation

    flat = rotations.reshape(-1, 3, 3)
    if not len(flat):
        return np.zeros((*rotations.shape[:-2], 4))
    made = Rotation.from_matrix(flat).as_quat()
    return np.asarray(made[:, [3, 0, 1, 2]], dtype=np.float64).reshape(*rotations.shape[:-2], 4)


class _Painter:
    def __init__(self, system: Model, parameters: Mapping[str, Any], reach: Mapping[str, tuple[float, float]]) -> None:
        self.system, self.reach = system, reach
        table = system.parameters
        self.values: dict[Expr, float] = {p.symbol: float(p.value) for p in table.values() if p.value is not None}
        self.values |= {table[name].symbol: float(value) for name, value in parameters.items() if name in table}
        self.values |= {p.symbol: float(p.value or 0) for p in system.inputs.values()} | {system.time: 0.0}
        self.joints = {name: self._joint_points(name) for name in system.bodies}
        self.closures = {name: self._closing_points(name) for name in system.bodies}
        self.com = {name: self.numbers(body.com) for name, body in system.bodies.items()}
        self.mass = {name: self.numbers([body.mass])[0] for name, body in system.bodies.items()}
        self.size = self._typical_size()

    def numbers(self, entries: Any) -> Floats:
        return np.array(evaluate([as_expr(entry) for entry in entries], self.values))

    def scenery(self) -> Scenery:
        bodies = tuple(self._drawn(body) for body in self.system.bodies.values())
        pull = self.numbers(self.system.gravity)
        up = -pull if np.abs(pull).max() > 0 else np.array([0.0, 0.0, 1.0])
        return Scenery(bodies, up.tolist(), self._height(up / np.linalg.norm(up)))

    def _height(self, up: Floats) -> float | None:
        """How high the plane is on which something rolls; gliding is taken to be at the height of the origin."""
        return min((float(self.numbers(mark.place) @ up) for mark in self._marks("plane", GROUND)), default=None)

    def _marks(self, kind: str, body: str) -> list[Mark]:
        """What is seen on a body of constraints."""
        marks = (mark for constraint in self.system.constraints.values() for mark in constraint.drawing)
        return [mark for mark in marks if (mark.kind, mark.body) == (kind, body)]

    def _joint_points(self, name: str) -> list[Floats]:
        """Where joints sit on a body, the one that carries it first."""
        own = [self.numbers(j.in_child.p) for j in self.system.joints.values() if j.child == name]
        return own + [self.numbers(j.in_parent.p) for j in self.system.joints.values() if j.parent == name]

    def _closing_points(self, name: str) -> list[Floats]:
        """Where loops are closed on a body."""
        return [self.numbers(mark.place) for mark in self._marks("end", name)]

    def _typical_size(self) -> float:
        reach = [0.0]
        for name, points in self.joints.items():
            if name == GROUND or not points:
                continue
            ends = [*points, *self.closures[name], self.com[name]]
            reach += [float(np.linalg.norm(point - points[0])) for point in ends]
            reach.append(float(max(self._box_of_inertia(self.system.bodies[name])[0], default=0.0)))
        return max(reach) or 1.0

    def _drawn(self, body: Body) -> DrawnBody:
        points, closing = self.joints[body.name], self.closures[body.name]
        tracks = self._tracks(body.name)
        if body.name == GROUND:
            # no stands where things roll
            made_up = () if tracks or self._height(np.zeros(3)) is not None else self._bases(points)
            return DrawnBody(GROUND, (*(self._given(body) or made_up), *tracks), [0.0, 0.0, 0.0])
        start = points[0] if points else np.zeros(3)
        marks = [*points[1:], *closing, self.com[body.name]] + [
            self.numbers(frame.pose.p) for frame in self.system.frames.values() if frame.body == body.name
        ]
        tip = max(marks, key=lambda point: float(np.linalg.norm(point - start)))
        pieces = self._given(body) or self._made_up(body, start, [*points[1:], *closing])
        return DrawnBody(body.name, (*pieces, *tracks), tip.tolist())

    def _tracks(self, name: str) -> list[Piece]:
        """The curves of a body that discs roll on, as far as they come and a little farther."""
        made: list[Piece] = []
        for curve in self._marks("curve", name):
            if curve.parameter is None or curve.parameter.name not in self.reach:
                continue
            low, high = self.reach[curve.parameter.name]
            beyond = _BEYOND * (high - low) + abs(self.numbers([curve.margin])[0])
            line = [as_expr(entry) for entry in curve.place]
            values = [self.values | {curve.parameter: s} for s in np.linspace(low - beyond, high + beyond, _CHORDS + 1)]
            points = [np.array(evaluate(line, each)) for each in values]
            made += [bar(a, b, _BAR * self.size / 2) for a, b in pairwise(points) if np.linalg.norm(b - a) > 0]
        return [replace(piece, color=_STAND) for piece in made]

    def _given(self, body: Body) -> list[Piece]:
        made = []
        for shape in body.shapes:
            turn = as_rotation(shape.rotation, f"shape of body '{body.name}'")
            rotation = self.numbers(turn.entries()).reshape(3, 3)
            made.append(
                Piece(shape.kind, tuple(self.numbers(shape.size).tolist()), self.numbers(shape.at).tolist(), rotation)
            )
        return made

    def _made_up(self, body: Body, start: Floats, onward: Sequence[Floats]) -> list[Piece]:
        """Bars to the next joints and the mass centre; there a box of the same inertia, or a ball for a thin body."""
        radius, com = _BAR * self.size, self.com[body.name]
        massive = self.mass[body.name] > 0
        lengths, axes = self._box_of_inertia(body)
        thick = min(lengths) > 4 * radius
        ends = [*onward, *([com] if massive and not thick else [])]
        bars = [bar(start, end, radius) for end in ends if np.linalg.norm(end - start) > 2 * radius]
        if not massive:
            return bars or [_ball(start, radius)]
        if thick:
            return [*bars, Piece("box", lengths, com.tolist(), axes)]
        heavy = [mass for name, mass in self.mass.items() if name != GROUND and mass > 0]
        share = float(np.cbrt(self.mass[body.name] / np.mean(heavy)))
        return [*bars, _ball(com, _BALL * self.size * min(2.0, max(0.5, share)))]

    def _box_of_inertia(self, body: Body) -> tuple[tuple[float, ...], Floats]:
        """Edges and axes of the solid box that has a body's mass and inertia: a² = 6 (Iy + Iz - Ix) / m."""
        mass = self.mass[body.name]
        if mass <= 0:
            return (0.0, 0.0, 0.0), np.eye(3)
        moments, axes = np.linalg.eigh(self.numbers(body.inertia.entries()).reshape(3, 3))
        if np.linalg.det(axes) < 0:
            axes[:, 0] *= -1
        squares = 6.0 * (moments.sum() - 2.0 * moments) / mass
        return tuple(np.sqrt(np.maximum(squares, 0.0)).tolist()), axes

    def _bases(self, points: Sequence[Floats]) -> tuple[Piece, ...]:
        fixed = [joint for joint in self.system.joints.values() if joint.parent == GROUND]
        held = [point for joint, point in zip(fixed, points, strict=True) if joint.type.name != "free"]
        return tuple(_ball(point, 2.2 * _BAR * self.size, _STAND) for point in [*held, *self.closures[GROUND]])


def bar(start: Floats, end: Floats, radius: float) -> Piece:
    """A round-ended bar between two points."""
    along = end - start
    length = float(np.linalg.norm(along))
    z = along / length
    x = np.cross(z, [0.0, 1.0, 0.0] if abs(z[1]) < 0.9 else [1.0, 0.0, 0.0])
    x /= np.linalg.norm(x)
    return Piece("capsule", (radius, length), ((start + end) / 2).tolist(), np.column_stack([x, np.cross(z, x), z]))


def _ball(at: Floats, radius: float, color: str | None = None) -> Piece:
    return Piece("sphere", (radius,), at.tolist(), np.eye(3), color)
