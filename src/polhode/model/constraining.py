"""The part of a System that ties motions together: couplings, prescribed motions, loops, conditions, rolling."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..errors import ModelError
from ..expr import Expr, derivative, free_symbols, is_zero, symbol
from ..geometry import Pose, unit_axis
from .body import Body, Frame
from .constraint import Ball, Closure, Condition, Constraint, Disc, Slip, Wheel
from .joint_type import JointType, joint_type
from .reading import checked_name, flag_of, index_of, list_of, number_of, radius_of, vector_of, zeros
from .records import GROUND, Coupling, Joint, Prescribed
from .track import curve_of, plane_across

Place = Body | Frame | str


class Constraining:
    """Methods that add ties between motions; `System` provides what they look up."""

    joints: dict[str, Joint]
    couplings: dict[str, Coupling]
    prescribed: dict[str, Prescribed]
    constraints: dict[str, Constraint]

    if TYPE_CHECKING:

        def _place(self, on: Place, at: Iterable[Any], rotation: Any, place: str) -> tuple[str, Pose]: ...
        def _frame_name(self, frame: Place, place: str) -> str: ...
        def _joint(self, joint: Joint | str, place: str) -> Joint: ...
        def _new_name(self, table: Mapping[str, object], kind: str, name: str) -> None: ...
        def _tell_apart(self, made: Iterable[Expr], place: str) -> None: ...

    def couple(self, follower: Joint | str, leader: Joint | str, multiplier: Any = 1, offset: Any = 0) -> Coupling:
        """Let a joint follow another, as gears and mimic joints do: q_follower = multiplier · q_leader + offset.

        Both must have one coordinate. The follower's coordinate, speed and effort leave the equations; its symbols may
        still be used in expressions and stand for what they follow.
        """
        after, before = self._joint(follower, "coupling"), self._joint(leader, f"coupling of '{follower}'")
        place = f"coupling of '{after.name}' to '{before.name}'"
        for joint in (after, before):
            if len(joint.q) != 1 or len(joint.u) != 1:
                raise ModelError(
                    f"joint '{joint.name}' has {len(joint.q)} coordinates.",
                    place=place,
                    cure="Only joints with one coordinate can be coupled.",
                    code="E-MODEL-040",
                )
        if after.name in self.couplings:
            raise ModelError(
                f"it already follows '{self.couplings[after.name].leader}'.", place=place, code="E-MODEL-041"
            )
        at: str | None = before.name
        while at is not None:
            if at == after.name:
                raise ModelError(
                    "a joint cannot follow itself.",
                    place=place,
                    cure="Break the circle.",
                    code="E-MODEL-042",
                )
            at = self.couplings[at].leader if at in self.couplings else None
        made = Coupling(after.name, before.name, number_of(multiplier, place), number_of(offset, place))
        wrong = [x for x in free_symbols([made.multiplier, made.offset]) if x.data[0] != "parameter"]
        if wrong:
            raise ModelError(
                f"the {wrong[0].data[0]} '{wrong[0].name}' is not constant.",
                place=place,
                cure="Use numbers and parameters.",
                code="E-MODEL-044",
            )
        if not made.multiplier:
            raise ModelError(
                "the multiplier is zero.",
                place=place,
                cure="Weld it with a fixed joint instead.",
                code="E-MODEL-043",
            )
        self.couplings[after.name] = made
        return made

    def prescribe(self, joint: Joint | str, motion: Any, index: int = 0) -> Prescribed:
        """Give the motion of a coordinate as an expression of time: q = f(t). It leaves the unknowns.

        >>> import polhode as ph
        >>> s = ph.System("swing")
        >>> slide = s.joint("slide", s.ground, s.body("cart", 1), ph.Prismatic("x"))
        >>> hinge = s.joint("hinge", "cart", s.body("bob", 1, com=(0, 0, -1)), ph.Revolute("y"))
        >>> s.prescribe("slide", ph.sin(3 * s.time)).coordinate
        'slide'
        >>> s.derive().coordinates
        ['hinge']
        """
        found = self._joint(joint, "prescribed motion")
        place = f"prescribed motion of '{found.name}'"
        index = index_of(index, len(found.q), "coordinate", place)
        if not _stands_alone(found.type, index):
            raise ModelError(
                f"coordinate number {index} of this {found.type.name} joint cannot be prescribed alone.",
                place=place,
                cure="Prescribe revolute, prismatic or screw joints, or a compound of them.",
                code="E-MODEL-050",
            )
        name = found.q[index].name
        if name in self.prescribed or found.name in self.couplings:
            raise ModelError(f"the motion of '{name}' is already given.", place=place, code="E-MODEL-051")
        value = number_of(motion, place)
        wrong = [x for x in free_symbols([value]) if x.data[0] not in ("parameter", "time")]
        if wrong:
            raise ModelError(
                f"the {wrong[0].data[0]} '{wrong[0].name}' is not known beforehand.",
                place=place,
                cure="Use time, parameters and numbers; for a tie between coordinates use couple or constrain.",
                code="E-MODEL-052",
            )
        made = Prescribed(found.name, name, value)
        self.prescribed[name] = made
        return made

    def close(
        self,
        name: Place,
        a: Place,
        b: Place | None = None,
        joint: JointType | str = "revolute",
        *,
        at_a: Iterable[Any] = (0, 0, 0),
        at_b: Iterable[Any] = (0, 0, 0),
        rotation_a: Any = None,
        rotation_b: Any = None,
        **options: Any,
    ) -> Closure:
        """Close a loop: frame b, on one body, moves against frame a, on another, as the joint allows.

        A compound joint, and others whose conditions need it, bring coordinates of their own: `pin 1`, `pin 2`, ….
        The name may be left out: `close(a, b, joint=...)`.

        >>> import polhode as ph
        >>> s = ph.System("gate")
        >>> s.close(s.ground, s.body("leaf", 1), joint="revolute", axis="z").name
        'loop 1'
        """
        first, second = (name, a) if b is None else (a, b)
        label = f"loop {len(self.constraints) + 1}" if b is None else checked_name(name, "constraint")
        place = f"closure '{label}'"
        self._new_name(self.constraints, "constraint", label)
        body_a, pose_a = self._place(first, at_a, rotation_a, place)
        body_b, pose_b = self._place(second, at_b, rotation_b, place)
        if body_a == body_b:
            raise ModelError(f"both frames are on body '{body_a}'.", place=place, code="E-MODEL-053")
        kind = joint_type(joint, place, **options)
        if kind.nominal is not None:
            pose_a, kind = pose_a @ Pose(kind.nominal, zeros()), replace(kind, nominal=None)
        made = Closure(label, kind, body_a, pose_a, body_b, pose_b)
        self.constraints[label] = made
        return made

    def constrain(self, value: Any, name: str = "") -> Condition:
        """Keep an expression of coordinates, parameters and time at zero."""
        return self._condition(value, name, on_speeds=False)

    def constrain_speed(self, value: Any, name: str = "") -> Condition:
        """Keep an expression that is linear in the speeds at zero: a condition on the velocities."""
        return self._condition(value, name, on_speeds=True)

    def _condition(self, value: Any, name: str, on_speeds: bool) -> Condition:
        if isinstance(name, str):
            name = name or f"condition {len(self.constraints) + 1}"
        self._new_name(self.constraints, "constraint", name)
        place = f"constraint '{name}'"
        made = number_of(value, place)
        allowed = ("coordinate", "parameter", "time", *(("speed",) if on_speeds else ()))
        wrong = [x for x in free_symbols([made]) if x.data[0] not in allowed]
        if wrong:
            raise ModelError(
                f"it depends on the {wrong[0].data[0]} '{wrong[0].name}'.",
                place=place,
                cure="Use constrain_speed for what depends on speeds."
                if wrong[0].data[0] == "speed"
                else f"Use {', '.join(allowed[:-1])} and {allowed[-1]}.",
                code="E-MODEL-054",
            )
        speeds = [x for x in free_symbols([made]) if x.data[0] == "speed"]
        for speed in speeds:
            slope = derivative([made], speed)
            if any(x.data[0] == "speed" for x in free_symbols(slope)):
                raise ModelError(
                    f"it is not linear in the speed '{speed.name}'.",
                    place=place,
                    cure="Only conditions that are linear in the speeds can be kept by forces that do no work.",
                    code="E-MODEL-055",
                )
        condition = Condition(name, made, on_speeds)
        self.constraints[name] = condition
        return condition

    # ---- rolling ---------------------------------------------------------------------------------------------

    def roll_wheel(
        self,
        name: str,
        wheel: Place,
        radius: Any,
        axis: Any = "y",
        *,
        centre: Iterable[Any] = (0, 0, 0),
        on: Place = GROUND,
        at: Iterable[Any] = (0, 0, 0),
        rotation: Any = None,
        upright: Any = None,
    ) -> Wheel:
        """Let a thin wheel roll on the plane z = 0 of a frame: it touches, and does not slip along or across.

        How far it leans enters as √(1 - (n·a)²), with n the plane's normal and a the axis. Where that is the cosine of
        a coordinate, `upright=ph.cos(lean)` says so, and the equations read as in the textbooks. They then hold while
        it is positive; a run in which the wheel turns over is stopped.

        >>> import polhode as ph
        >>> s = ph.System("disc")
        >>> six = ph.Compound(*map(ph.Prismatic, "xyz"), *map(ph.Revolute, "zxy"))
        >>> names = ["x", "y", "z", "yaw", "lean", "spin"]
        >>> flight = s.joint("flight", s.ground, s.body("disc", 1, inertia=(1, 2, 1)), six, coordinates=names)
        >>> _ = s.roll_wheel("contact", "disc", 1, upright=ph.cos(flight.q[4]))
        >>> s.derive().constraints.values
        Vector([z - cos(lean)])
        """
        body, pose, carrier, plane = self._rolling(name, f"wheel '{name}'", wheel, centre, on, at, rotation)
        place = f"wheel '{name}'"
        stands = None if upright is None else number_of(upright, place)
        wrong = [
            x
            for x in free_symbols([] if stands is None else [stands])
            if x.data[0] not in ("coordinate", "parameter", "time")
        ]
        if wrong:
            raise ModelError(
                f"`upright` depends on the {wrong[0].data[0]} '{wrong[0].name}'.",
                place=place,
                cure="Give the cosine of its lean, such as cos(lean).",
                code="E-MODEL-080",
            )
        size = radius_of(radius, place)
        made = Wheel(name, body, pose.p, pose.R @ unit_axis(axis), size, carrier, plane, stands)
        self.constraints[name] = made
        return made

    def roll_ball(
        self,
        name: str,
        ball: Place,
        radius: Any,
        *,
        centre: Iterable[Any] = (0, 0, 0),
        on: Place = GROUND,
        at: Iterable[Any] = (0, 0, 0),
        rotation: Any = None,
        other_radius: Any = None,
    ) -> Ball:
        """Let a ball roll on the plane z = 0 of a frame, or on a ball about its origin (inside, if negative).

        A disc that rolls on a circle in its plane is this too.
        """
        place = f"ball '{name}'"
        body, pose, carrier, plane = self._rolling(name, place, ball, centre, on, at, rotation)
        other = None if other_radius is None else number_of(other_radius, place)
        made = Ball(name, body, pose.p, radius_of(radius, place), carrier, plane, other)
        self.constraints[name] = made
        return made

    def roll_disc(
        self,
        name: str,
        disc: Place,
        radius: Any,
        curve: Any,
        axis: Any = "y",
        *,
        centre: Iterable[Any] = (0, 0, 0),
        on: Place = GROUND,
        at: Iterable[Any] = (0, 0, 0),
        rotation: Any = None,
        slips: bool = False,
    ) -> Disc:
        """Let a disc roll on a curve: its centre stays at P(s) + r n(s), and it does not slip where it touches.

        The curve is a function that gives x and z for a parameter s, or the height z for x, in the plane x, z of a
        frame, across the disc's axis y (x, y for the axis z; y, z for the axis x). The disc is to the left of the way
        in which s grows, above a curve of heights; a negative radius puts it on the other side. With `slips` it
        touches without friction, and may be a point: radius 0 is a bead on a wire. Where it touches is the coordinate
        "<name> place".

        >>> import polhode as ph
        >>> s = ph.System("bead on a parabola", gravity=(0, 0, "-9.81"))
        >>> _ = s.joint("move", s.ground, s.body("bead", 1), ph.Compound(ph.Prismatic("x"), ph.Prismatic("z")))
        >>> s.roll_disc("wire", "bead", 0, lambda x: x**2, slips=True).curve
        (wire place, wire place**2)
        """
        place = f"disc '{name}'"
        body, pose, carrier, track = self._rolling(name, place, disc, centre, on, at, rotation)
        size = number_of(radius, place)
        slips = flag_of(slips, "slips", place)
        if is_zero(size) and not slips:
            raise ModelError(
                "a disc of radius zero cannot roll.",
                place=place,
                cure="Give it a radius, or slips=True for a bead on a wire.",
                code="E-MODEL-066",
            )
        along = symbol(f"{name} place", "coordinate")
        direction = unit_axis(axis)
        plane = track @ Pose(plane_across(direction), zeros())
        made = Disc(
            name,
            body,
            pose.p,
            pose.R @ direction,
            size,
            carrier,
            plane,
            along,
            curve_of(curve, along, place),
            slips,
        )
        self._tell_apart([along], place)
        self.constraints[name] = made
        return made

    @property
    def places(self) -> list[str]:
        """The names of the coordinates that tell where discs touch their curves."""
        return [tie.parameter.name for tie in self.constraints.values() if isinstance(tie, Disc)]

    def knife_edge(
        self, name: str, body: Place, across: Any = "y", *, at: Iterable[Any] = (0, 0, 0), on: Place = GROUND
    ) -> Slip:
        """Let a point of a body not move sideways: a skate, a sleigh's runner. `across` is a direction of the body."""
        place = f"knife edge '{name}'"
        found, pose = self._place(body, at, None, place)
        return self.no_slip(name, found, on, frame=found, at=pose.p, directions=[pose.R @ unit_axis(across)])

    def no_slip(
        self,
        name: str,
        a: Place,
        b: Place = GROUND,
        *,
        frame: Place = GROUND,
        at: Iterable[Any] = (0, 0, 0),
        directions: Sequence[Any] = ("x", "y", "z"),
    ) -> Slip:
        """Where two bodies meet, let their points have one velocity along some directions.

        The place `at` and the directions are components in `frame`; both may depend on coordinates.
        """
        place = f"no slip '{name}'"
        self._new_name(self.constraints, "constraint", name)
        body_a, _ = self._place(a, (0, 0, 0), None, place)
        body_b, _ = self._place(b, (0, 0, 0), None, place)
        self._two_bodies(body_a, body_b, place)
        listed = list_of(directions, "a list of directions", place)
        along = tuple(unit_axis(d) if isinstance(d, str) else vector_of(d, place) for d in listed)
        made = Slip(name, body_a, body_b, self._frame_name(frame, place), vector_of(at, place), along)
        self.constraints[name] = made
        return made

    def _rolling(
        self, name: str, place: str, body: Place, centre: Iterable[Any], on: Place, at: Iterable[Any], rotation: Any
    ) -> tuple[str, Pose, str, Pose]:
        """What rolls and the pose of its centre, what it rolls on and the frame there."""
        self._new_name(self.constraints, "constraint", name)
        found, pose = self._place(body, centre, None, place)
        carrier, frame = self._place(on, at, rotation, place)
        self._two_bodies(found, carrier, place)
        return found, pose, carrier, frame

    @staticmethod
    def _two_bodies(a: str, b: str, place: str) -> None:
        if a == b:
            raise ModelError(f"body '{a}' cannot touch itself.", place=place, code="E-MODEL-056")


def _stands_alone(kind: JointType, index: int) -> bool:
    """Whether a coordinate is the only one of its stage, and its rate the only speed."""
    first = 0
    for stage in kind.stages:
        if first == index:
            return stage.coordinates == stage.speeds == 1
        first += stage.coordinates
    return False
