"""The path from one frame to another: rigid arms and simple motions, one after the other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from ...expr import Expr, Vector, as_expr
from ...geometry import Pose
from .scene import Axis, Key, Scene, Stage


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
    """The angular velocity that a simple motion adds: Σ u h₁, each where it takes fewest components."""
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
    """Terms added up by what they multiply, in the order of their coming, without those that vanish."""
    total: dict[Any, Expr] = {}
    for unit, coefficient in terms:
        made = as_expr(coefficient)
        total[unit] = total[unit] + made if unit in total else made
    return {unit: coefficient for unit, coefficient in total.items() if coefficient}


def spin_between(scene: Scene, a: Key, b: Key) -> dict[Axis, Expr]:
    """The angular velocity of frame b relative to frame a, in native form: (5) of Sayers."""
    top = common_body(scene, a, b)
    outward = (term for step in walk(scene, top, b) if isinstance(step, Stage) for term in spin(scene, step))
    back = (term for step in walk(scene, top, a) if isinstance(step, Stage) for term in spin(scene, step))
    return gathered([*outward, *((axis, -coefficient) for axis, coefficient in back)])
