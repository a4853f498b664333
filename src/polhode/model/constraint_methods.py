"""The methods of a System that constrain its motions; each hands over to the module that owns the constraint."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from .builder import Builder

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Unpack

    from .body import Body, Frame
    from .constraints import Ball, Closure, Condition, DiscOnCurve, KnifeEdge, NoSlip, Wheel
    from .constraints.protocol import Constraint
    from .joints import JointType
    from .joints.protocol import JointOptions
    from .records import Coupling, Joint, Prescribed

    FrameOf: TypeAlias = Body | Frame | str
    Components: TypeAlias = Iterable[Any]

C = TypeVar("C", bound="Constraint")


class ConstraintMethods(Builder):
    """Couplings, prescribed motions, loops, conditions, rolling: what a user calls to constrain a system.

    A `value` is an expression that stays zero. What rolls has a `radius`, in metres, and a `centre` in its body, on the
    plane or ball (of `other_radius`) of the frame at `at`, turned by `rotation`, on another body; `b` is the other
    body.
    """

    def couple(self, follower: Joint | str, leader: Joint | str, multiplier: Any = 1, offset: Any = 0) -> Coupling:
        """Let a joint, the follower, follow the `leader`, as gears and mimic joints do: q_follower = multiplier ·
        q_leader + offset.

        Both must have one coordinate. The follower's coordinate, speed and effort leave the equations; its symbols may
        still be used in expressions and stand for what they follow.
        """
        from .elements import couple

        return couple(self, follower, leader, multiplier, offset)

    def prescribe(self, joint: Joint | str, motion: Any, index: int = 0) -> Prescribed:
        """Give the motion of a coordinate as an expression of time: q = f(t). It leaves the unknowns."""
        from .elements import prescribe

        return prescribe(self, joint, motion, index)

    def constraint(self, name: str, kind: type[C], /, **given: Any) -> C:
        """Add a constraint of any kind by the values of its fields (`given`), as the methods below do for those listed
        here.
        """
        from .elements import constraint

        return constraint(self, name, kind, given)

    def close(
        self, name: FrameOf, a: FrameOf, b: FrameOf | None = None, joint: JointType | str = "revolute", *,
        at_a: Components = (0, 0, 0), at_b: Components = (0, 0, 0), rotation_a: Any = None, rotation_b: Any = None,
        **options: Unpack[JointOptions],
    ) -> Closure:  # fmt: skip
        """Close a loop: frame b, on one body, moves against frame a, on another, as the joint allows.

        A compound joint, and others whose conditions need it, bring coordinates of their own: `pin 1`, `pin 2`, ….
        The name may be left out: `close(a, b, joint=...)`. `at_a`, `rotation_a`, `at_b` and `rotation_b` place the
        frames; other options are those of the type of joint, as of `joint`.
        """
        from .constraints import Closure
        from .joints import joint_type
        from .reading import checked_name

        first, second = (name, a) if b is None else (a, b)
        label = f"loop {len(self.constraints) + 1}" if b is None else checked_name(name, "constraint")
        kind = joint_type(joint, Closure.place_of(label), **options)
        return self.constraint(
            label, Closure, a=first, b=second, joint=kind,
            at_a=at_a, at_b=at_b, rotation_a=rotation_a, rotation_b=rotation_b,
        )  # fmt: skip

    def constrain(self, name: Any = "", value: Any = None) -> Condition:
        """Keep an expression of coordinates, parameters and time, the `value`, at zero; the name may be left out."""
        return self._condition(name, "position", value)

    def constrain_speed(self, name: Any = "", value: Any = None) -> Condition:
        """Keep an expression f of coordinates, speeds, parameters and time, the `value`, at zero; the name is optional.

        Where f is not linear in the speeds, the forces that keep it are λ ∂f/∂u (Chetaev's rule). Constraints are
        then kept by multipliers alone, and not where ∂f/∂u vanishes, as at rest where f is a square.

        >>> import polhode as ph
        >>> s = ph.System("Appell and Hamel")
        >>> slides = ph.Compound(*map(ph.Prismatic, "xyz"))
        >>> vx, vy, vz = s.joint("slide", s.ground, s.body("mass", 2), slides, speeds=["vx", "vy", "vz"]).u
        >>> _ = s.constrain_speed("machine", vx**2 + vy**2 - vz**2 / 4)
        >>> s.derive().constraints.A
        Matrix([[2*vx, 2*vy, -vz/2]])
        """
        return self._condition(name, "speed", value)

    def _condition(self, name: Any, level: str, value: Any) -> Condition:
        from .constraints import Condition
        from .reading import number_of

        if not isinstance(name, str) and (value is None or isinstance(value, str)):
            name, value = value or "", name  # the name is left out, or stands behind
        label = f"condition {len(self.constraints) + 1}" if isinstance(name, str) and not name else name
        return self.constraint(label, Condition, **{level: number_of(value, Condition.place_of(label))})

    def roll_wheel(
        self, name: str, wheel: FrameOf, radius: Any, axis: Any = "y", *, centre: Components = (0, 0, 0),
        on: FrameOf = "ground", at: Components = (0, 0, 0), rotation: Any = None, upright: Any = None,
    ) -> Wheel:  # fmt: skip
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
        from .constraints import Wheel

        return self.constraint(
            name, Wheel, body=wheel, radius=radius, axis=axis, upright=upright, centre=centre,
            on=on, at=at, rotation=rotation,
        )  # fmt: skip

    def roll_ball(
        self, name: str, ball: FrameOf, radius: Any, *, centre: Components = (0, 0, 0), on: FrameOf = "ground",
        at: Components = (0, 0, 0), rotation: Any = None, other_radius: Any = None,
    ) -> Ball:  # fmt: skip
        """Let a ball roll on the plane z = 0 of a frame, or on a ball about its origin (inside, if negative).

        A disc that rolls on a circle in its plane is this too.
        """
        from .constraints import Ball

        return self.constraint(
            name, Ball, body=ball, radius=radius, other_radius=other_radius, centre=centre,
            on=on, at=at, rotation=rotation,
        )  # fmt: skip

    def roll_disc(
        self, name: str, disc: FrameOf, radius: Any, curve: Any, axis: Any = "y", *, centre: Components = (0, 0, 0),
        on: FrameOf = "ground", at: Components = (0, 0, 0), rotation: Any = None, slips: bool = False,
    ) -> DiscOnCurve:  # fmt: skip
        """Let a disc roll on a curve: its centre stays at P(s) + r n(s), and it does not slip where it touches.

        The curve is a function that gives x and z for a parameter s, or the height z for x, in the plane x, z of a
        frame, across the disc's axis y (x, y for the axis z; y, z for the axis x). The disc is to the left of the way
        in which s grows, above a curve of heights; a negative radius puts it on the other side. With `slips` it
        touches without friction, and may be a point: radius 0 is a bead on a wire. Where it touches is the coordinate
        "<name> place".
        """
        from .constraints import DiscOnCurve

        return self.constraint(
            name, DiscOnCurve, body=disc, radius=radius, curve=curve, axis=axis, slips=slips, centre=centre,
            on=on, at=at, rotation=rotation,
        )  # fmt: skip

    def knife_edge(
        self, name: str, body: FrameOf, across: Any = "y", *, at: Components = (0, 0, 0), on: FrameOf = "ground"
    ) -> KnifeEdge:
        """Let a point of a body not move sideways: a skate, a sleigh's runner. `across` is a direction of the body."""
        from .constraints import KnifeEdge

        return self.constraint(name, KnifeEdge, body=body, across=across, at=at, on=on)

    def no_slip(
        self, name: str, a: FrameOf, b: FrameOf = "ground", *, frame: FrameOf = "ground", at: Components = (0, 0, 0),
        directions: Sequence[Any] = ("x", "y", "z"),
    ) -> NoSlip:  # fmt: skip
        """Where two bodies meet, let their points have one velocity along some directions.

        The place `at` and the directions are components in `frame`; both may depend on coordinates.
        """
        from .constraints import NoSlip

        return self.constraint(name, NoSlip, a=a, b=b, frame=frame, at=at, directions=directions)
