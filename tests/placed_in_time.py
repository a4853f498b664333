"""Random mechanisms whose joints are placed as functions of time, each also written with driven joints by hand."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

import polhode as ph
from polhode.expr import Vector, as_expr
from polhode.geometry import Pose, rotation
from polhode.model.model import Model
from polhode.model.samples.random_system import RandomChoices, random_system

AXES = ("x", "y", "z", (1, 2, 2), (3, 0, 4))


@dataclass(frozen=True)
class Motion:
    """A slide along an axis, then a turn about an axis, both functions of time."""

    along: Vector
    far: ph.Expr
    axis: object
    angle: ph.Expr

    @property
    def pose(self) -> Pose:
        return Pose(rotation((self.axis, self.angle)), self.along * self.far)


def random_motion(system: ph.System, dice: RandomChoices) -> Motion:
    t, size = system.time, dice.decimal(0.2, 1)
    signals = (size * ph.sin(2 * t), size * t**2 / 3, size * ph.cos(t) + t / 5, as_expr(Fraction(2, 7)))
    along = Vector(dice.pick(((1, 0, 0), (0, 1, 0), (0, 0, 1))))
    return Motion(along, dice.pick(signals), dice.pick(AXES), dice.pick(signals[:3]))


def carried(system: ph.System, on: str, at: Pose, motion: Motion, name: str) -> str:
    """A massless body that is moved on another as the motion says, by driven joints."""
    for suffix, kind, value in (
        ("slide", ph.Prismatic(motion.along), motion.far),
        ("turn", ph.Revolute(motion.axis), motion.angle),
    ):
        joint = system.joint(f"{name} {suffix}", on, system.body(f"{name} {suffix}"), kind, at=at.p, rotation=at.R)
        system.prescribe(joint, value)
        on, at = f"{name} {suffix}", Pose.identity()
    return on


def carrying(system: ph.System, on: str, child: str, motion: Motion, name: str) -> None:
    """A body that carries the other, moved against it as the motion says, backwards."""
    turn = system.joint(f"{name} turn", on, system.body(f"{name} turn"), ph.Revolute(motion.axis))
    slide = system.joint(f"{name} slide", f"{name} turn", child, ph.Prismatic(motion.along))
    system.prescribe(turn, -motion.angle)
    system.prescribe(slide, -motion.far)


def both_ways(system: ph.System, seed: int) -> tuple[ph.System, ph.System]:
    """The mechanism with some joints placed as functions of time, and the same with driven joints in their stead."""
    dice, model = RandomChoices.of(seed), system.model()
    moving: Model = model
    hand = ph.System.of(replace(model, joints={}, loads=(), constraints={}))
    order: dict[str, ph.Joint | None] = {}
    for number, joint in enumerate(model.joints.values()):
        kind = dice.whole(0, 3) if number else dice.whole(1, 3)
        placed, written = joint, joint
        if kind in (1, 3):
            motion = random_motion(system, dice)
            placed = replace(placed, in_parent=joint.in_parent @ motion.pose)
            on = carried(hand, joint.parent, joint.in_parent, motion, f"{joint.name} in parent")
            written = replace(written, parent=on, in_parent=Pose.identity())
        if kind in (2, 3):
            motion, massless = random_motion(system, dice), f"{joint.name} in child"
            placed = replace(placed, in_child=motion.pose @ joint.in_child)
            hand.body(massless)
            carrying(hand, massless, joint.child, motion, massless)
            written = replace(written, child=massless)
        moving = moving.with_record("joints", joint.name, placed)
        order |= {name: None for name in hand.joints if name not in order} | {joint.name: written}
    done = hand.model()
    joints = {name: written or done.joints[name] for name, written in order.items()}
    done = replace(done, joints=joints, loads=model.loads, constraints=model.constraints)
    return ph.System.of(moving), ph.System.of(done)


def with_moving_frame(moving: ph.System, hand: ph.System, seed: int, closing: ph.JointType | None = None) -> None:
    """A frame of time on a body of both, and what hangs on it; by hand it is a massless body on driven joints."""
    dice = RandomChoices.of(seed + 1000)
    on, other = dice.order([*moving.bodies])[:2]
    motion, at = random_motion(moving, dice), Pose(rotation(("y", dice.decimal(-1, 1))), Vector([1, 0, 2]))
    whole = at @ motion.pose
    moving.frame("eye", on, at=whole.p, rotation=whole.R)
    eye = {id(moving): "eye", id(hand): carried(hand, on, at, motion, "eye")}
    stiffness, damping = dice.decimal(1, 5), dice.decimal(0.1, 1)
    for system in (moving, hand):
        mine = eye[id(system)]
        system.spring(mine, other, stiffness, 0.5, damping, at_a=(0, 1, 0), at_b=(2, 3, 1), name="cord")
        system.force(mine, (1, ph.sin(system.time), 0), at=(0, 0, 1), frame=mine, name="push")
        if on != "ground":
            system.torque(on, (0, 2, 1), frame=mine, name="twist")
        if closing is not None:
            system.close("tie", mine, other, closing, at_a=(0, 1, 0), at_b=(1, -1, 2))


def random_pair(seed: int, **options: object) -> tuple[ph.System, ph.System]:
    """A random tree both ways."""
    return both_ways(random_system(seed, **{"bodies": 3, "max_speeds": 6, **options}), seed)  # type: ignore[arg-type]
