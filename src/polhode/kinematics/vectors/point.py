"""Points and how they move: position, velocity and acceleration relative to any frame, (3) and (4) of Sayers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from ...expr import Vector
from ...geometry import Pose
from ...model.builder import Builder
from ...model.directions import Directions
from ...model.reading import vector_of
from .arrow import Arrow
from .combination import same_system
from .scene import (
    Anchor,
    Key,
    Scene,
    Stage,
    along,
    common_body,
    gathered,
    home_of,
    key_of,
    scene_of,
    slide,
    spin,
    spin_between,
    walk,
)


@dataclass(frozen=True)
class Point:
    """A point of a body, at `offset` from the body's origin in its axes.

    The offset may depend on coordinates and time; then the point also moves in the body.

    >>> import polhode as ph
    >>> s = ph.System()
    >>> l, arm = s.parameter("l"), s.body("A")
    >>> _ = s.joint("q", s.ground, arm, ph.Revolute("z"), speeds=["u"])
    >>> P = arm.point((l, 0, 0))
    >>> P.position(), P.velocity(), P.acceleration()
    (l*a_x, l*u*a_y, l*u'*a_y - l*u**2*a_x)
    """

    system: Builder
    body: str
    offset: Vector

    @property
    def _arm(self) -> Arrow:
        return Arrow(self.system, dict(along(self.body, self.offset)))

    def position(self, from_: Point | Anchor | None = None) -> Arrow:
        """The arrow to this point from another point `from_`, or from the origin of a body or frame (the ground's)."""
        other = self._other(from_)
        scene = scene_of(self.system)
        top = common_body(scene, other.body, self.body)
        out, back = (_relative_motion(self.system, scene, top, point.body)[0] for point in (self, other))
        return out + self._arm - (back + other._arm)

    def velocity(self, frame: Anchor | None = None) -> Arrow:
        """The velocity relative to a body or frame (the ground), in native form."""
        scene, key = scene_of(self.system), key_of(self.system, frame, "velocity")
        top = common_body(scene, key, self.body)
        r, w, v = _relative_motion(self.system, scene, top, self.body)
        arm = self._arm
        total: Arrow = v + w.cross(arm) + arm.dt(self.body)
        if top != key:
            r_frame, w_frame, v_frame = _relative_motion(self.system, scene, top, key)
            total = total - v_frame - w_frame.cross(r + arm - r_frame)
        return total

    def acceleration(self, frame: Anchor | None = None) -> Arrow:
        """The rate of the velocity, both relative to a body or frame (the ground)."""
        return self.velocity(frame).dt(frame)

    def _other(self, other: Point | Anchor | None) -> Point:
        if not isinstance(other, Point):
            key = key_of(self.system, other, "position")
            owner = self.system.bodies.get(str(key)) or self.system.frames[str(key)]
            return point_of(owner)
        same_system(self.system, other.system)
        return other

    def __repr__(self) -> str:
        return f"Point({self.body!r}, {self.offset!r})"


def _relative_motion(system: Builder, scene: Scene, top: str, key: Key) -> tuple[Arrow, Arrow, Arrow]:
    """Position, angular velocity and velocity of the origin of a frame relative to a body that carries it."""
    nothing = Arrow(system, {})
    r, w, v = nothing, nothing, nothing
    for step in walk(scene, top, key):
        anchor, vector = step.shift if isinstance(step, Stage) else (step.key, step.step)
        arm = Arrow(system, dict(along(anchor, vector)))
        r, v = r + arm, v + w.cross(arm)
        if isinstance(step, Stage):
            v = v + Arrow(system, gathered(slide(scene, step)))
            w = w + Arrow(system, gathered(spin(scene, step)))
    return r, w, v


def point_of(owner: Directions, at: Iterable[Any] | Arrow = (0, 0, 0)) -> Point:
    """The point of a body or frame with these coordinates, or at the end of an arrow from its origin."""
    system = home_of(owner)
    name = str(key_of(system, owner, "point"))
    if isinstance(at, Arrow):
        same_system(system, at.system)
        offset = at.components(name)
    else:
        offset = vector_of(at, f"point of '{name}'")
    pose = Pose.identity()
    if name in system.frames:
        name, pose = system.frames[name].body, system.frames[name].pose
    return Point(system, name, pose.point(offset))


def angular_velocity(body: Directions, in_: Anchor | None = None) -> Arrow:
    """The angular velocity of a body relative to another (the ground), in native form: (5)."""
    system = home_of(body)
    key = key_of(system, in_, "angular velocity")
    return Arrow(system, spin_between(scene_of(system), key, body.name))


def angular_acceleration(body: Directions, in_: Anchor | None = None) -> Arrow:
    """The rate of the angular velocity, both relative to a body or frame (the ground)."""
    return angular_velocity(body, in_).dt(in_)


def incremental_velocity(start: Point, end: Point) -> Arrow:
    """v^{AB} = v^B - v^A, both absolute (3): not the velocity of B relative to the frame of A."""
    return end.velocity() - start.velocity()


def incremental_acceleration(start: Point, end: Point) -> Arrow:
    """a^{AB} = a^B - a^A, both absolute."""
    return end.acceleration() - start.acceleration()


def incremental_angular_acceleration(start: Directions, end: Directions) -> Arrow:
    """α^{AB} = α^B - α^A, both absolute (4)."""
    return angular_acceleration(end) - angular_acceleration(start)
