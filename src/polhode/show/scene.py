"""The scene of a mechanism: the shapes of its bodies, or shapes made up from joints, mass centres and inertia; force
elements as their drawing says.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np

from ..dynamics.equations import EquationsOfMotion
from ..errors import PolhodeError, name_list, understood, unknown
from ..expr import Expr, as_expr, evaluate, free_symbols
from ..geometry import Pose
from ..geometry.polytope import convex_hull
from ..geometry.rotations.exact import as_rotation
from ..kinematics.prescribed import moves_in
from ..kinematics.vectors.point import Point
from ..model.body import Body, Frame
from ..model.body import Shape as ModelShape
from ..model.constraints.hulls import corners
from ..model.constraints.protocol import LoopConstraint, Mark
from ..model.flexible.mounting import added
from ..model.flexible.record import Flexibility, Segment
from ..model.joints.protocol import JointType, Solid
from ..model.model import Model
from ..model.records import GROUND
from ..simulate.initial_state import Floats
from ..simulate.trajectory.trajectory import Trajectory
from ..view.mesh import Mesh, MeshShape, Piece
from ..view.scene import PALETTE, Motion, MovingLine, Scene, SceneBody, SceneLine, SceneTrace, Shape
from .mesh_assets import MeshAssets
from .surfaces import drawn_surface, level

#: A point to be traced: the origin of a body or frame, or by its name, a point of a body, or a body and a point in it.
Traced: TypeAlias = "str | Body | Frame | Point | tuple[str | Body, Sequence[float]]"
Traces: TypeAlias = "Traced | Sequence[Traced] | Mapping[str, Traced]"
#: How long axes are, in the mechanism's size.
_AXES = 0.3


def with_axes(run: Trajectory, scene: Scene, wanted: bool | Sequence[str]) -> Scene:
    """The scene with the axes of the named bodies and frames, or of all frames that were given a name (True)."""
    system = run.mechanism.equations.system
    offered = [*system.frames, *system.bodies]
    if isinstance(wanted, bool):
        names = (list(system.frames) or [name for name in system.bodies if name != GROUND]) if wanted else []
    else:
        names = name_list(wanted, "True or a list of frames", place="frames", cure='Give ["tip"].')
    painter = Painter(system, run.parameters, {})
    added: dict[str, list[Shape]] = {}
    for name in names:
        if name not in offered:
            raise unknown("body or frame", name, offered, place="frames", code="E-PICTURE-NAME")
        if name in system.frames and not painter.moves(system.frames[name].pose):
            frame = system.frames[name]
            turn = painter.numbers(frame.pose.R.entries()).reshape(3, 3)
            shape = Shape("frame", (_AXES * painter.size,), painter.numbers(frame.pose.p).tolist(), turn)
            added.setdefault(frame.body, []).append(shape)
        else:
            added.setdefault(name, []).append(Shape("frame", (_AXES * painter.size,)))
    bodies = [replace(body, shapes=(*body.shapes, *added.get(body.name, ()))) for body in scene.bodies]
    return replace(scene, bodies=bodies)


def with_traces(run: Trajectory, scene: Scene, wanted: Traces) -> Scene:
    """The scene with points whose paths are drawn."""
    system = run.mechanism.equations.system
    painter = Painter(system, run.parameters, {})
    numbers = {body.name: k for k, body in enumerate(scene.bodies)}
    cure = 'Give ["tip", arm.point((1, 0, 0)), ("arm", (1, 0, 0))].'
    with understood("a list of points", wanted, place="traces", cure=cure):
        entries: list[tuple[str, Any]]
        if isinstance(wanted, Mapping):
            entries = list(wanted.items())
        else:
            entries = [("", x) for x in ([wanted] if isinstance(wanted, str | Body | Frame | Point) else wanted)]
    traces = []
    for label, entry in entries:
        with understood("a point: a body, a frame, or (body, point)", entry, place="traces", cure=cure):
            body, point, name = _placed(system, entry)
            if system.time in free_symbols(map(as_expr, point)):
                message = f"the point of '{body}' moves on it in time, and is not traced."
                cure = "Make it a frame: system.frame(name, body, at=…)."
                raise PolhodeError(message, "traces", cure, "E-PICTURE-UNSUPPORTED")
            if body not in numbers:
                raise unknown("body or frame", body, numbers, place="traces", code="E-PICTURE-NAME")
            traces.append(SceneTrace(str(label) or name, numbers[body], painter.numbers(point).tolist()))
    return replace(scene, traces=traces)


def _placed(system: Model, item: Any) -> tuple[str, Any, str]:
    """The body of a point, where it is in that body, and what it is called."""
    if isinstance(item, Point):
        return item.body, item.offset, f"point of {item.body}"
    if isinstance(item, str | Body | Frame):
        name = item if isinstance(item, str) else item.name
        frame = system.frames.get(name)
        stays = frame is not None and not moves_in(frame.pose, system.time)
        return (frame.body, frame.pose.p, name) if frame is not None and stays else (name, (0, 0, 0), name)
    body, point = item
    name = body if isinstance(body, str) else body.name
    return name, tuple(point), f"point of {name}"


#: How many bars a flexible body is drawn by, and their radius in the mechanism's size.
_BARS, _RADIUS = 24, 0.016


def bent_lines(run: Trajectory, painter: Painter, positions: Floats, rotations: Floats) -> list[MovingLine]:
    """Bars along the centre lines of the flexible bodies, given where all bodies but the ground are."""
    lines: list[MovingLine] = []
    for number, flexibility, fields in centre_lines(painter):
        inboard = list(painter.system.bodies).index(painter.system.joints[flexibility.joint].parent)
        local = np.einsum("ta,kax->tkx", run.values(*flexibility.amplitudes).T, fields)
        points = positions[:, number, None] + np.einsum("tij,tkj->tki", rotations[:, number], local)
        for a, b in pairwise(range(points.shape[1])):
            ends = np.stack([points[:, a], points[:, b]], axis=1)
            lines.append(MovingLine("", ends, _RADIUS * painter.size, PALETTE[inboard % len(PALETTE)]))
    return lines


def centre_lines(painter: Painter) -> Iterator[tuple[int, Flexibility, Floats]]:
    """For each centre line the number of its body, not counting the ground, and its fields: (points, amplitudes, 3)."""
    names = [name for name in painter.system.bodies if name != GROUND]
    for number, name in enumerate(names):
        flexibility = painter.system.bodies[name].flexibility
        chains: list[list[Segment]] = []  # a line goes on where a segment starts at the end of the one before
        for segment in () if flexibility is None else flexibility.segments:
            if chains and segment.start == chains[-1][-1].end:
                chains[-1].append(segment)
            else:
                chains.append([segment])
        if flexibility is not None:
            yield from ((number, flexibility, _fields(chain, painter)) for chain in chains)


def _fields(segments: Sequence[Segment], painter: Painter) -> Floats:
    """The fields of a body at points of a centre line, (points, amplitudes, 3)."""
    start, end = float(segments[0].start), float(segments[-1].end)
    rows = []
    for xi in np.linspace(start, end, _BARS + 1):
        segment = next(segment for segment in segments if xi <= float(segment.end) or segment is segments[-1])
        rows.append(
            [[sum(c * xi**k for k, c in enumerate(painter.numbers(row))) for row in field] for field in segment.centre]
        )
    return np.array(rows)


#: Radius of made-up bars, and of balls for an average mass, relative to the mechanism's size.
_BAR, _BALL = 0.02, 0.05
#: The colour of what stands still.
_STAND = "#7a8088"
#: How many bars a curve is drawn by, and how much farther than discs come on it.
_CHORDS, _BEYOND = 60, 0.1


def size_of(equations: EquationsOfMotion, parameters: Mapping[str, Any]) -> float:
    """Length of the longest body, in metres, to which drawings are scaled."""
    return Painter(equations.system, parameters, {}).size


def drawn_motion(trajectory: Trajectory, assets: MeshAssets | None = None) -> tuple[Scene, Motion]:
    """The scene of a trajectory and the motion of its bodies; a ground of which nothing is drawn is left out."""
    ends = zip(trajectory.q.min(0).tolist(), trajectory.q.max(0).tolist(), strict=True)
    reach = dict(zip(trajectory.coordinates, ends, strict=True))
    system = trajectory.mechanism.equations.system
    painter = Painter(system, trajectory.parameters, reach, assets)
    scene = painter.scene(trajectory.title or system.name)
    positions, rotations = trajectory.poses()
    bent = bent_lines(trajectory, painter, positions, rotations)
    moving = [trajectory.pose(body.name) for body in scene.bodies if body.name in system.frames]
    positions = np.concatenate([positions, *(p[:, None] for p, _ in moving)], axis=1)
    rotations = np.concatenate([rotations, *(R[:, None] for _, R in moving)], axis=1)
    if scene.bodies[0].shapes or any(body == 0 for line in scene.lines for body, _ in line.ends):
        times = len(trajectory.t)
        positions = np.concatenate([np.zeros((times, 1, 3)), positions], axis=1)
        rotations = np.concatenate([np.broadcast_to(np.eye(3), (times, 1, 3, 3)), rotations], axis=1)
    else:
        lines = [replace(line, ends=[(body - 1, point) for body, point in line.ends]) for line in scene.lines]
        scene = replace(scene, bodies=scene.bodies[1:], lines=lines)
    return scene, Motion(trajectory.t, positions, quaternions_of(rotations), bent)


def _hull(shape: ModelShape, at: Sequence[float], turn: Floats) -> MeshShape:
    """A hull as triangles."""
    hull = convex_hull(corners(shape.size))
    mesh = Mesh((Piece(hull.points, hull.triangles),))
    return MeshShape(mesh, mesh, position=at, rotation=quaternions_of(turn).tolist(), own_color=shape.color or None)


def quaternions_of(rotations: Floats) -> Floats:
    """Rotation matrices (…, 3, 3) as quaternions (…, 4), scalar first."""
    from scipy.spatial.transform import Rotation

    flat = rotations.reshape(-1, 3, 3)
    if not len(flat):
        return np.zeros((*rotations.shape[:-2], 4))
    quaternions = Rotation.from_matrix(flat).as_quat()
    return np.asarray(quaternions[:, [3, 0, 1, 2]], dtype=np.float64).reshape(*rotations.shape[:-2], 4)


class Painter:
    def __init__(
        self,
        system: Model,
        parameters: Mapping[str, Any],
        reach: Mapping[str, tuple[float, float]],
        assets: MeshAssets | None = None,
    ) -> None:
        self.system, self.reach = system, reach
        self.meshes = assets.meshes if assets else {}
        table = system.parameters
        self.values: dict[Expr, float] = {p.symbol: float(p.value) for p in table.values() if p.value is not None}
        self.values |= {table[name].symbol: float(value) for name, value in parameters.items() if name in table}
        self.values |= {p.symbol: float(p.value or 0) for p in system.inputs.values()} | {system.time: 0.0}
        self.joints = {name: self._joint_points(name) for name in system.bodies}
        self.closures = {name: self._closing_points(name) for name in system.bodies}
        self.com = {name: self.numbers(body.com) for name, body in system.bodies.items()}
        self.mass = {name: self.numbers([body.mass])[0] for name, body in system.bodies.items()}
        self.unseen = {motor.rotor for motor in system.motors.values() if motor.is_placeless}
        internal = [added(record)["bodies"] for record in system.flexible.values()]
        self.stations = {station for _, _, *stations in internal for station in stations}
        self.size = self._typical_size()
        pull = self.numbers(system.gravity)
        self.falls = bool(np.abs(pull).max() > 0)
        self.up = -pull / np.linalg.norm(pull) if self.falls else np.array([0.0, 0.0, 1.0])

    def numbers(self, entries: Any) -> Floats:
        return np.array(evaluate([as_expr(entry) for entry in entries], self.values))

    def moves(self, pose: Pose) -> bool:
        """Whether a placement depends on time: then nothing of it is drawn on its body."""
        return moves_in(pose, self.system.time)

    def scene(self, title: str) -> Scene:
        bodies = [self._drawn(body) for body in self.system.bodies.values()]
        bodies += [SceneBody(frame.name) for frame in self.system.frames.values() if self.moves(frame.pose)]
        pull = self.numbers(self.system.gravity)
        up = -pull if self.falls else self.up
        height = self._height(self.up)
        # nothing stands on a floor where nothing falls, unless something rolls there
        return Scene(title, bodies, up.tolist(), height, self._lines(), floor=self.falls or height is not None)

    def _lines(self) -> list[SceneLine]:
        """Lines of loads between two bodies."""
        index = {name: k for k, name in enumerate(self.system.bodies)}
        return [
            SceneLine(name, [(index[body], point) for body, point in ends], _BAR * self.size / 3)
            for name, ends in self._acting("line")
        ]

    def _acting(self, shape: str) -> Iterator[tuple[str, tuple[tuple[str, list[float]], ...]]]:
        """Loads drawn in this shape: their names, and the bodies with the points that they act on."""
        for load in self.system.acting:
            element = load.element
            at = {field.of: field.name for field in element.fields if field.kind == "point"}
            for drawn, *held in element.drawing:
                points = [getattr(element, at[field]) for field in held]
                symbols = {*free_symbols(as_expr(x) for point in points for x in point)}
                if drawn == shape and symbols <= {*self.values} - {self.system.time}:
                    ends = zip(held, points, strict=True)
                    yield load.name, tuple((getattr(element, field), self.numbers(p).tolist()) for field, p in ends)

    def _height(self, up: Floats) -> float | None:
        """The height of a rolling plane of the ground, or of its lowest surface; None if there are none."""
        rolled = [float(self.numbers(mark.place) @ up) for mark in self._constraint_marks("plane", GROUND)]
        heights = [level(x, self.numbers, up) for x in self.system.surfaces.values() if x.body == GROUND]
        return min((*rolled, *(height for height in heights if height is not None)), default=None)

    def _constraint_marks(self, kind: str, body: str) -> list[Mark]:
        """Marks of constraints of a kind on a body."""
        marks = (mark for constraint in self.system.constraints.values() for mark in constraint.drawing)
        return [mark for mark in marks if (mark.kind, mark.body) == (kind, body)]

    def _joint_points(self, name: str) -> list[Floats]:
        """Points of a body at which joints are, first that of its own joint."""
        poses = [joint.in_child for joint in self.system.joints.values() if joint.child == name]
        poses += [joint.in_parent for joint in self.system.joints.values() if joint.parent == name]
        return [self.numbers(pose.p) for pose in poses if not self.moves(pose)]

    def _closing_points(self, name: str) -> list[Floats]:
        """Points of a body at which loops are closed."""
        places = [mark.place for mark in self._constraint_marks("end", name)]
        return [self.numbers(point) for point in places if self.system.time not in free_symbols(map(as_expr, point))]

    def _typical_size(self) -> float:
        reach = [0.0]
        for name, points in self.joints.items():
            if name == GROUND or not points:
                continue
            ends = [*points, *self.closures[name], self.com[name]]
            reach += [float(np.linalg.norm(point - points[0])) for point in ends]
            reach.append(float(max(self._box_of_inertia(self.system.bodies[name])[0], default=0.0)))
        return max(reach) or 1.0

    def _drawn(self, body: Body) -> SceneBody:
        points, closing = self.joints[body.name], self.closures[body.name]
        tracks = self._tracks(body.name)
        extras = [*tracks, *self._force_marks(body.name)]
        if body.name == GROUND:
            # no stands where things roll, nor under what has its own shapes
            bare = bool(tracks or self.meshes) or self._height(self.up) is not None
            made_up = [] if bare else self._joint_marks(GROUND, _STAND)
            return SceneBody(GROUND, (*(self._user_shapes(body) or made_up), *extras), [0.0, 0.0, 0.0])
        start = points[0] if points else np.zeros(3)
        bends = body.flexibility is not None and bool(body.flexibility.segments)
        if body.name in self.unseen or (bends and not body.shapes):  # what bends is drawn by lines
            return SceneBody(body.name, (), start.tolist(), listed=not bends)
        marks = [*points[1:], *closing, self.com[body.name]] + [
            self.numbers(frame.pose.p)
            for frame in self.system.frames.values()
            if frame.body == body.name and not self.moves(frame.pose)
        ]
        tip = max(marks, key=lambda point: float(np.linalg.norm(point - start)))
        pieces = self._user_shapes(body)
        # Where others have meshes, a body without shapes is not drawn: it is a frame, or hidden in its neighbour.
        if not pieces and not (self.meshes and not body.shapes):
            made_up = [] if body.name in self.stations else self._made_up(body, start, [*points[1:], *closing])
            pieces = [*made_up, *self._joint_marks(body.name)]
        return SceneBody(body.name, (*pieces, *extras), tip.tolist(), bool(pieces) or body.name not in self.stations)

    def _force_marks(self, name: str) -> list[Shape]:
        """Balls at the points where loads act on a body."""
        points = [np.array(point) for _, ((body, point),) in self._acting("mark") if body == name]
        return [_ball(point, 1.5 * _BAR * self.size) for point in points]

    def _tracks(self, name: str) -> list[Shape]:
        """The curves of a body on which discs roll, with some length beyond their contacts."""
        tracks: list[Shape] = []
        for curve in self._constraint_marks("curve", name):
            if curve.parameter is None or curve.parameter.name not in self.reach:
                continue
            low, high = self.reach[curve.parameter.name]
            beyond = _BEYOND * (high - low) + abs(self.numbers([curve.margin])[0])
            line = [as_expr(entry) for entry in curve.place]
            values = [self.values | {curve.parameter: s} for s in np.linspace(low - beyond, high + beyond, _CHORDS + 1)]
            points = [np.array(evaluate(line, value)) for value in values]
            radius = _BAR * self.size / 2
            tracks += [_bar(a, b, radius, _STAND) for a, b in pairwise(points) if np.linalg.norm(b - a) > 0]
        return tracks

    def _user_shapes(self, body: Body) -> list[Shape | MeshShape]:
        shapes: list[Shape | MeshShape] = []
        for shape in body.shapes:
            turn = as_rotation(shape.rotation, f"shape of body '{body.name}'")
            rotation = self.numbers(turn.entries()).reshape(3, 3)
            size, at = tuple(self.numbers(shape.size).tolist()), self.numbers(shape.at).tolist()
            if shape.kind == "hull":
                shapes.append(_hull(shape, at, rotation))
            elif shape.kind != "mesh":
                shapes.append(Shape(shape.kind, size, at, rotation, shape.color or None))
            elif shape.file in self.meshes:
                quaternion = quaternions_of(rotation).tolist()
                shapes.append(MeshShape(*self.meshes[shape.file], size, at, quaternion, shape.color or None))
        for surface in self.system.surfaces.values():
            is_floor = body.name == GROUND and level(surface, self.numbers, self.up) is not None
            if surface.body == body.name and surface.kind == "hull":
                R, p = self.numbers(surface.pose.R.entries()).reshape(3, 3), self.numbers(surface.pose.p).tolist()
                shapes.append(_hull(surface.shape, p, R))
            elif surface.body == body.name and not is_floor:
                new = drawn_surface(surface, self.numbers, self.values, self.size)
                shapes += [shape for shape in new if shape not in shapes]
        return shapes

    def _made_up(self, body: Body, start: Floats, onward: Sequence[Floats]) -> list[Shape]:
        """Bars to the next joints and the mass centre; there a box of the same inertia, or a ball for a thin body."""
        radius, com = _BAR * self.size, self.com[body.name]
        massive = self.mass[body.name] > 0
        lengths, axes = self._box_of_inertia(body)
        thick = min(lengths) > 4 * radius
        ends = [*onward, *([com] if massive and not thick else [])]
        bars = [_bar(start, end, radius) for end in ends if np.linalg.norm(end - start) > 2 * radius]
        if not massive:
            return bars or [_ball(start, radius)]
        if thick:
            return [*bars, Shape("box", lengths, com.tolist(), axes)]
        heavy = [mass for name, mass in self.mass.items() if name != GROUND and mass > 0]
        share = float(np.cbrt(self.mass[body.name] / np.mean(heavy))) * (0.5 if self.meshes else 1.0)
        return [*bars, _ball(com, _BALL * self.size * min(2.0, max(0.25 if self.meshes else 0.5, share)))]

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

    def _joint_marks(self, name: str, color: str | None = None) -> list[Shape]:
        """Shapes of the joints at a body; joints that close a loop are drawn on the ground or on body a."""
        seen = (joint for joint in self.system.joints.values() if joint.child not in {*self.unseen, *self.stations})
        held = [
            (joint.type, joint.child, joint.in_child) if self.moves(joint.in_parent)
            else (joint.type, joint.parent, joint.in_parent) for joint in seen
        ]  # fmt: skip
        for loop in self.system.constraints.values():
            if isinstance(loop, LoopConstraint) and loop.closing_joint is not None:
                end = (loop.b, loop.pose_b) if loop.b == GROUND else (loop.a, loop.pose_a)
                held.append((loop.closing_joint, *end))
        marks = [(kind, pose) for kind, on, pose in held if on == name and not self.moves(pose)]
        return [self._solid(solid, kind, pose, color) for kind, pose in marks for solid in kind.drawing]

    def _solid(self, solid: Solid, kind: JointType, pose: Pose, color: str | None) -> Shape:
        turn = self.numbers(pose.R.entries()).reshape(3, 3)
        if solid.along:
            turn = _turned_to(turn @ self.numbers(getattr(kind, solid.along)))
        size = tuple(_BAR * self.size * entry for entry in solid.size)
        return Shape(solid.kind, size, self.numbers(pose.p).tolist(), turn, color)


def _bar(start: Floats, end: Floats, radius: float, color: str | None = None) -> Shape:
    """A round-ended bar between two points."""
    along = end - start
    length = float(np.linalg.norm(along))
    return Shape("capsule", (radius, length), ((start + end) / 2).tolist(), _turned_to(along / length), color)


def _turned_to(z: Floats) -> Floats:
    """A rotation that brings the axis z along a direction."""
    x = np.cross(z, [0.0, 1.0, 0.0] if abs(z[1]) < 0.9 else [1.0, 0.0, 0.0])
    x /= np.linalg.norm(x)
    return np.column_stack([x, np.cross(z, x), z])


def _ball(at: Floats, radius: float) -> Shape:
    return Shape("sphere", (radius,), at.tolist(), np.eye(3))
