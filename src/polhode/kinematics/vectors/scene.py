"""The frames of a System and how they are turned against each other, by the joints between them alone.

A frame is known by its key: a body or frame by its name, an inner stage of a compound joint by the joint's name and a
number. Only such frames have unit vectors, so that every axis about which or along which a joint moves has a name.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from ...errors import PolhodeError, check_kind, shown
from ...expr import Expr, Matrix, Vector, as_expr, symbol, topological
from ...expr.spelling import acceleration_of
from ...geometry import Pose
from ...model.body import Frame
from ...model.builder import Builder
from ...model.directions import Directions
from ...model.model import Model
from ...model.reading import unknown
from ...model.records import GROUND, Joint
from ..passes.merge import merge
from ..prescribed import moves_in
from ..tree import Link, Tree, Turn, build_tree
from ..tree_paths import common_ancestor, turn_inward

Key = str | tuple[str, int]
Axis = tuple[Key, int]

TIME = symbol("t", "time")
#: Kinds of symbols that do not change during a motion.
CONSTANT = ("parameter", "symbol")


@dataclass(frozen=True)
class Stage:
    """One simple motion between two frames, and the components of its directions in both."""

    link: Link
    inner: Key
    outer: Key
    R_inner: Matrix
    R_outer: Matrix
    before: Stage | None  # the motion of the same joint further in

    def native(self, h: Vector) -> tuple[Key, Vector]:
        """A direction of the joint map (link components) in a body's frame where it is constant and shortest."""
        return min([*self._inward(h), (self.outer, self.R_outer @ h)], key=_rank)

    def _inward(self, h: Vector) -> list[tuple[Key, Vector]]:
        """The frames further in, innermost first, in which a direction stays as well."""
        frames: list[tuple[Key, Vector]] = []
        stage: Stage | None = self
        while stage is not None and all(a == b for a, b in zip(stage.link.motion.R @ h, h, strict=True)):
            h = stage.R_inner @ h
            frames.append((stage.inner, h))
            stage = stage.before
        return frames[::-1]

    @cached_property
    def shift(self) -> tuple[Key, Vector]:
        """How far the origin has moved, in the frame where that is the shorter expression."""
        p = self.link.motion.p
        inside, outside = self.R_inner @ p, self.R_outer @ (self.link.motion.R.T @ p)
        if _size(outside) < _size(inside):
            return self.outer, outside
        further = [] if self.before is None else self.before._inward(inside)
        return min([*further, (self.inner, inside)], key=_rank)


def _rank(candidate: tuple[Key, Vector]) -> tuple[bool, int]:
    """Bodies before inner stages, then fewer components; among equals the first is taken."""
    key, vector = candidate
    return isinstance(key, tuple), sum(bool(entry) for entry in vector)


def _size(vector: Vector) -> int:
    return len(topological([as_expr(entry) for entry in vector]))


@dataclass(frozen=True, eq=False)
class Scene:
    """The frames of a System as it stands: where each sits on the tree, and the path to it."""

    tree: Tree
    frames: Mapping[str, Frame]
    joints: Mapping[str, Joint]
    carrier: Mapping[str, Joint]  # for each body the joint that carries it
    stages: Mapping[str, tuple[Stage, ...]]  # for each joint, and frame that moves, its motions from the parent outward
    link_poses: Mapping[Key, tuple[int, Pose]]
    link_keys: Mapping[int, Key]  # for each link, and the base, a frame on it
    _turned: dict[tuple[Key, Key], Matrix] = field(default_factory=dict, repr=False)
    _ways: dict[tuple[int, int], Matrix] = field(default_factory=dict, repr=False)

    def link_and_pose(self, key: Key) -> tuple[int, Pose]:
        """The link that a frame is fixed to, and its pose there."""
        if key not in self.link_poses:
            cure = "Join it, and what carries it, before asking how it moves."
            raise PolhodeError(f"body '{key}' hangs on no joint yet.", "vectors", cure, "E-VECTOR-TREE")
        return self.link_poses[key]

    def rotation(self, a: Key, b: Key) -> Matrix:
        """R_ab, from components in frame b to components in frame a."""
        if (a, b) not in self._turned:
            (i_a, X_a), (i_b, X_b) = self.link_and_pose(a), self.link_and_pose(b)
            top = common_ancestor(self.tree, i_a, i_b)
            between = self._from(top, i_a).T @ self._from(top, i_b)
            R = (X_a.R.T @ (between @ X_b.R)).map(as_expr)
            self._turned[a, b], self._turned[b, a] = R, R.T
        return self._turned[a, b]

    def _from(self, inner: int, outer: int) -> Matrix:
        """The rotation from a link to one that it carries, by the links between."""
        waiting: list[tuple[int, Turn]] = []
        i = outer
        while i != inner and (inner, i) not in self._ways:
            turn = turn_inward(self.tree, i, inner)
            waiting.append((i, turn))
            i = turn.anchor
        R = self._ways.get((inner, i), Matrix.identity(3))
        for i, turn in reversed(waiting):
            R = R @ (turn.fixed @ turn.motion)
            self._ways[inner, i] = R
        return R

    def moves(self, pose: Pose) -> bool:
        """Whether a placement depends on time."""
        return moves_in(pose, TIME)

    def body_of(self, key: Key) -> str:
        """The body that a frame is fixed in; for an inner stage, the one that carries the joint."""
        if isinstance(key, tuple):
            return self.joints[key[0]].parent
        return self.frames[key].body if key in self.frames else key

    def path(self, body: str) -> list[str]:
        """The bodies from the ground to a body."""
        self.link_and_pose(body)
        bodies = [body]
        while bodies[-1] in self.carrier:
            bodies.append(self.carrier[bodies[-1]].parent)
        return bodies[::-1]

    @cached_property
    def rates(self) -> dict[Expr, Any]:
        """How symbols move: q̇ = Γ u, u̇ its acceleration symbol, ṫ = 1."""
        table: dict[Expr, Any] = dict(zip(self.tree.q, self.tree.coordinate_rates(), strict=True))
        table |= {u: acceleration_of(u) for u in self.tree.u}
        return table | {TIME: as_expr(1)}


def scene_of(system: Builder) -> Scene:
    """The frames of a System; cached until a frame is added."""
    if system.scene is None:
        system.scene = _build(system.model())
    scene: Scene = system.scene
    return scene


def _build(model: Model) -> Scene:
    carrier = {joint.child: joint for joint in model.joints.values()}
    tree = merge(build_tree(_joined(model, carrier)))
    links: dict[str, list[Link]] = {}
    link_poses: dict[Key, tuple[int, Pose]] = {}
    link_keys: dict[int, Key] = {}
    for i, link in enumerate(tree.links):
        joint_links = links.setdefault(link.joint, [])
        joint = model.joints.get(link.joint)
        number = len(joint_links) + (joint is None or not moves_in(joint.in_parent, TIME))  # stages are counted from 1
        joint_links.append(link)
        link_poses[link.joint, number] = (i, Pose.identity())
        link_keys[i] = (link.joint, number)
    link_poses.update(tree.bodies.items())
    link_keys |= {i: body for body, (i, _) in reversed([*tree.bodies.items()])}  # the first body on a link
    for frame in model.frames.values():
        if frame.body in tree.bodies and frame.name not in tree.bodies:
            i, X = tree.bodies[frame.body]
            link_poses[frame.name] = (i, X @ frame.pose)
    stages = {joint.name: _stages(joint, links.get(joint.name, [])) for joint in model.joints.values()}
    unit = Matrix.identity(3)
    moving = [frame for frame in model.frames.values() if frame.name in tree.bodies]
    stages |= {mover.name: (Stage(links[mover.name][0], mover.body, mover.name, unit, unit, None),) for mover in moving}
    return Scene(tree, model.frames, model.joints, carrier, stages, link_poses, link_keys)


def _joined(model: Model, carrier: Mapping[str, Joint]) -> Model:
    """The model without the bodies that cannot be reached from the ground yet."""
    children: dict[str, list[str]] = {}
    for child, joint in carrier.items():
        children.setdefault(joint.parent, []).append(child)
    reached, waiting = {GROUND}, [GROUND]
    while waiting:
        outer = children.get(waiting.pop(), [])
        reached.update(outer)
        waiting.extend(outer)
    return replace(model, bodies={name: body for name, body in model.bodies.items() if name in reached})


def _stages(joint: Joint, links: list[Link]) -> tuple[Stage, ...]:
    stages: list[Stage] = []
    unit = Matrix.identity(3)
    R_parent, R_child = (unit if moves_in(X, TIME) else X.R for X in (joint.in_parent, joint.in_child))
    start = 1 - moves_in(joint.in_parent, TIME)
    for count, link in enumerate(links, start):
        inner: tuple[Key, Matrix] = (joint.parent, R_parent) if count == start else ((joint.name, count - 1), unit)
        last = link is links[-1]
        outer: tuple[Key, Matrix] = (joint.child, R_child) if last else ((joint.name, count), unit)
        stages.append(Stage(link, inner[0], outer[0], inner[1], outer[1], stages[-1] if stages else None))
    return tuple(stages)


Anchor = Directions | str


def home_of(owner: Directions) -> Builder:
    """The System that a body or frame belongs to."""
    check_kind(Directions, "a body or frame", owner, "vectors", "Give what system.body(…) or system.frame(…) made.")
    if owner.home is None:
        message = f"'{owner.name}' belongs to no system, so that its axes point nowhere."
        raise PolhodeError(message, "vectors", "Make it with system.body(…) or system.frame(…).", "E-VECTOR-TREE")
    return owner.home


def key_of(system: Builder, frame: Directions | Key | None, place: str) -> Key:
    """The key of a body or frame of a system; nothing given means the ground."""
    if frame is None:
        return GROUND
    if isinstance(frame, tuple) and len(frame) == 2 and frame[0] in system.model().joints:
        return frame
    name = frame.name if isinstance(frame, Directions) else frame if isinstance(frame, str) else shown(frame)
    if isinstance(frame, Directions) and home_of(frame) is not system:
        message = f"'{name}' is of system '{home_of(frame).name}', not of '{system.name}'."
        raise PolhodeError(message, place, "Write both with the bodies of one system.", "E-VECTOR-TREE")
    if name not in system.bodies and name not in system.frames:
        raise unknown("body or frame", name, [*system.bodies, *system.frames], place)
    return name


@dataclass(frozen=True)
class Arm:
    """A step within a rigid body, in the components of a frame."""

    key: Key
    step: Vector


def common_body(scene: Scene, a: Key, b: Key) -> str:
    """The outermost body that carries two frames."""
    path_a, path_b = scene.path(scene.body_of(a)), scene.path(scene.body_of(b))
    return [one for one, other in zip(path_a, path_b, strict=False) if one == other][-1]


def walk(scene: Scene, top: str, key: Key) -> Iterator[Arm | Stage]:
    """From a body's origin to the origin of a frame that it carries."""
    body = scene.body_of(key)
    path = scene.path(body)
    for name in path[path.index(top) + 1 :]:
        joint = scene.carrier[name]
        yield from _seat(scene, joint.parent, joint.in_parent)
        yield from scene.stages[joint.name]
        if not scene.moves(joint.in_child):
            yield Arm(joint.child, -joint.in_child.p)
    if isinstance(key, tuple):
        joint = scene.joints[key[0]]
        yield from _seat(scene, body, joint.in_parent)
        yield from scene.stages[joint.name][: key[1] + scene.moves(joint.in_parent)]
    elif key in scene.frames:
        yield from _seat(scene, body, scene.frames[key].pose)
        yield from scene.stages.get(key, ())


def _seat(scene: Scene, body: str, pose: Pose) -> Iterator[Arm]:
    """Position of a placement that is fixed on its body."""
    if not scene.moves(pose):
        yield Arm(body, pose.p)


def spin(scene: Scene, stage: Stage) -> Iterator[tuple[Axis, Expr]]:
    """The angular velocity of a simple motion: Σ u h₁, each in the frame with fewest components."""
    if stage.link.drive is not None:
        yield from along(*stage.native(stage.link.drive.w))
    for speed, (h, _) in zip(stage.link.speeds, stage.link.H, strict=True):
        yield from along(*stage.native(h), scene.tree.u[speed])


def slide(scene: Scene, stage: Stage) -> Iterator[tuple[Axis, Expr]]:
    """The velocity of the origin that a simple motion adds: Σ u h₂."""
    if stage.link.drive is not None:
        yield from along(*stage.native(stage.link.drive.v))
    for speed, (_, h) in zip(stage.link.speeds, stage.link.H, strict=True):
        yield from along(*stage.native(h), scene.tree.u[speed])


def along(key: Key, vector: Vector, scale: Any = 1) -> Iterator[tuple[Axis, Expr]]:
    """A vector's terms along the axes of a frame."""
    for index, entry in enumerate(vector):
        if entry:
            yield (key, index), as_expr(entry * scale)


def gathered(terms: Iterable[tuple[Any, Any]]) -> dict[Any, Expr]:
    """Like terms added, in order of first occurrence, without those that vanish."""
    total: dict[Any, Expr] = {}
    for unit, coefficient in terms:
        term = as_expr(coefficient)
        total[unit] = total[unit] + term if unit in total else term
    return {unit: coefficient for unit, coefficient in total.items() if coefficient}


def spin_between(scene: Scene, a: Key, b: Key) -> dict[Axis, Expr]:
    """The angular velocity of frame b relative to frame a, in native form: (5) of Sayers."""
    top = common_body(scene, a, b)
    outward = (term for step in walk(scene, top, b) if isinstance(step, Stage) for term in spin(scene, step))
    back = (term for step in walk(scene, top, a) if isinstance(step, Stage) for term in spin(scene, step))
    return gathered([*outward, *((axis, -coefficient) for axis, coefficient in back)])
