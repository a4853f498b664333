"""The System: what a user writes down about a mechanism."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from ..errors import ModelError
from ..expr import Expr, Matrix, Vector, as_expr, free_symbols, symbol, unit_symbols
from ..geometry import Pose
from ..geometry.rotation import as_rotation
from .body import Body, Frame, Shape, as_inertia, check_mass_and_inertia
from .force import BodyTorque, JointForce, Load, PointForce, PointSpring, Potential
from .joint_type import JointType, joint_type

if TYPE_CHECKING:
    from ..compare import Comparison
    from ..equations import Equations

NAME_LIMIT = 128
BODY_LIMIT = 2000
GROUND = "ground"


@dataclass(frozen=True)
class Parameter:
    """A symbol with an optional default value and unit."""

    symbol: Expr
    value: Fraction | None = None
    unit: str = ""


@dataclass(frozen=True)
class Coupling:
    """A joint that follows another: q = multiplier · q_leader + offset. It has no coordinate of its own."""

    follower: str
    leader: str
    multiplier: Expr
    offset: Expr


@dataclass(frozen=True)
class NamedPose:
    """A state to start from: coordinates and speeds by name."""

    coordinates: Mapping[str, float]
    speeds: Mapping[str, float]


@dataclass(frozen=True)
class Joint:
    """A joint between two bodies: where it sits in each, and its coordinates q, speeds u and efforts tau."""

    name: str
    type: JointType
    parent: str
    child: str
    in_parent: Pose
    in_child: Pose
    q: tuple[Expr, ...]
    u: tuple[Expr, ...]
    tau: tuple[Expr, ...]


class System:
    """A mechanism: bodies joined in a tree on the ground, and what acts on them.

    >>> import polhode as ph
    >>> pendulum = ph.System("pendulum")
    >>> l = pendulum.parameter("l", 1)
    >>> bob = pendulum.body("bob", mass=1, com=(0, 0, -l))
    >>> hinge = pendulum.joint("hinge", pendulum.ground, bob, ph.Revolute("y"))
    >>> hinge.q
    (hinge,)
    """

    def __init__(self, name: str = "system", gravity: Iterable[Any] = (0, 0, "-9.81")) -> None:
        self.name = _checked_name(name, "system")
        self.gravity = Vector([as_expr(Fraction(g) if isinstance(g, str) else g) for g in gravity])
        if len(self.gravity) != 3:
            raise ModelError("gravity has 3 components.", place=f"system '{name}'", code="E-MODEL-001")
        self.ground = Body(GROUND, as_expr(0), _zeros(), Matrix.zeros(3, 3).map(as_expr))
        self.time = symbol("t", "time")
        self.bodies: dict[str, Body] = {GROUND: self.ground}
        self.joints: dict[str, Joint] = {}
        self.frames: dict[str, Frame] = {}
        self.parameters: dict[str, Parameter] = {}
        self.inputs: dict[str, Parameter] = {}
        self.couplings: dict[str, Coupling] = {}
        self.loads: list[Load] = []
        self.poses: dict[str, NamedPose] = {}

    # ---- symbols ---------------------------------------------------------------------------------------------

    def parameter(self, name: str, value: Any = None, unit: str = "") -> Expr:
        """A constant that stays a symbol in the equations; its value can be given now or at run time."""
        return self._named_symbol(self.parameters, "parameter", name, value, unit)

    def input(self, name: str, value: Any = 0, unit: str = "") -> Expr:
        """A quantity that may vary during a run: a motor torque, a wind speed."""
        return self._named_symbol(self.inputs, "input", name, value, unit)

    def _named_symbol(self, table: dict[str, Parameter], kind: str, name: str, value: Any, unit: str) -> Expr:
        self._new_name(table, kind, name)
        number = None if value is None else as_expr(value)
        if number is not None and not number.is_number:
            raise ModelError(f"the value {value!r} is not a number.", place=f"{kind} '{name}'", code="E-MODEL-002")
        made = symbol(name, kind)
        table[name] = Parameter(made, None if number is None else number.data, unit)
        return made

    # ---- bodies and frames -----------------------------------------------------------------------------------

    def body(
        self,
        name: str,
        mass: Any = 0,
        com: Iterable[Any] = (0, 0, 0),
        inertia: Any = 0,
        shapes: Shape | Iterable[Shape] = (),
        check: bool = True,
    ) -> Body:
        """Add a rigid body: mass, mass centre, and inertia about the mass centre in the body's axes.

        An inertia that no body can have is refused; `check=False` takes it all the same, as some robot files need.
        """
        place = f"body '{name}'"
        self._new_name({**self.bodies, **self.frames}, "body", name)
        if len(self.bodies) > BODY_LIMIT:
            raise ModelError(f"more than {BODY_LIMIT} bodies.", place=place, code="E-MODEL-003")
        made = Body(
            name,
            as_expr(mass),
            _vector(com, f"{place} com"),
            as_inertia(inertia, f"{place} inertia"),
            (shapes,) if isinstance(shapes, Shape) else tuple(shapes),
        )
        if check:
            check_mass_and_inertia(made.mass, made.inertia, place)
        self.bodies[name] = made
        return made

    def frame(self, name: str, body: Body | str, at: Iterable[Any] = (0, 0, 0), rotation: Any = None) -> Frame:
        """Add a frame fixed in a body; its origin serves as a point."""
        place = f"frame '{name}'"
        self._new_name({**self.frames, **self.bodies}, "frame", name)
        made = Frame(name, self._body_name(body, place), _pose(at, rotation, place))
        self.frames[name] = made
        return made

    # ---- joints ----------------------------------------------------------------------------------------------

    def joint(
        self,
        name: str,
        parent: Body | Frame | str,
        child: Body | Frame | str,
        kind: JointType | str = "fixed",
        *,
        at: Iterable[Any] = (0, 0, 0),
        rotation: Any = None,
        child_at: Iterable[Any] = (0, 0, 0),
        child_rotation: Any = None,
        coordinates: Sequence[str] | None = None,
        speeds: Sequence[str] | None = None,
        **options: Any,
    ) -> Joint:
        """Join a child to a parent: `at` and `rotation` place the joint in the parent, `child_…` in the child."""
        place = f"joint '{name}'"
        self._new_name(self.joints, "joint", name)
        made_type = joint_type(kind, place, **options)
        parent_name, in_parent = self._place(parent, at, rotation, place)
        child_name, in_child = self._place(child, child_at, child_rotation, place)
        self._check_child(parent_name, child_name, place)
        q_names = _names(name, made_type.coordinate_labels(), coordinates, f"{place} coordinates")
        u_names = _names(name, made_type.speed_labels(), speeds, f"{place} speeds")
        self._check_fresh(q_names, u_names, place)
        made = Joint(
            name,
            made_type,
            parent_name,
            child_name,
            in_parent,
            in_child,
            _coordinate_symbols(made_type, q_names),
            tuple(symbol(speed, "speed") for speed in u_names),
            tuple(symbol(speed, "effort") for speed in u_names),
        )
        self.joints[name] = made
        return made

    def _check_child(self, parent: str, child: str, place: str) -> None:
        if child == GROUND:
            raise ModelError(
                "the ground cannot be a child.", place=place, cure="Swap parent and child.", code="E-MODEL-004"
            )
        if parent == child:
            raise ModelError(f"body '{child}' cannot be joined to itself.", place=place, code="E-MODEL-005")
        carrier = {joint.child: joint for joint in self.joints.values()}
        if child in carrier:
            raise ModelError(
                f"body '{child}' already hangs on joint '{carrier[child].name}'.",
                place=place,
                cure="In a tree each body has one parent; a second joint closes a loop.",
                code="E-MODEL-006",
            )
        body, path = parent, [parent]
        while body in carrier:
            body = carrier[body].parent
            path.append(body)
            if body == child:
                raise ModelError(
                    f"this joint closes a cycle: {' → '.join([child, *path[::-1][1:]])} → {child}.",
                    place=place,
                    cure="Join one of these bodies to the ground or to another body instead.",
                    code="E-MODEL-007",
                )

    def _check_fresh(self, q_names: list[str], u_names: list[str], place: str) -> None:
        for what, names, taken in (
            ("coordinate", q_names, [q.name for joint in self.joints.values() for q in joint.q]),
            ("speed", u_names, [u.name for joint in self.joints.values() for u in joint.u]),
        ):
            again = [name for k, name in enumerate(names) if name in taken or name in names[:k]]
            if again:
                raise ModelError(
                    f"the {what} name '{again[0]}' is already taken.",
                    place=place,
                    cure="Choose another.",
                    code="E-MODEL-008",
                )

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
        made = Coupling(after.name, before.name, as_expr(multiplier), as_expr(offset))
        if not made.multiplier:
            raise ModelError(
                "the multiplier is zero.",
                place=place,
                cure="Weld it with a fixed joint instead.",
                code="E-MODEL-043",
            )
        self.couplings[after.name] = made
        return made

    # ---- loads -----------------------------------------------------------------------------------------------

    def force(
        self,
        on: Body | Frame | str,
        vector: Iterable[Any],
        *,
        at: Iterable[Any] = (0, 0, 0),
        frame: Body | Frame | str = GROUND,
        name: str = "",
    ) -> None:
        """Apply a force at a point of a body; its components are along the axes of `frame` (the ground's)."""
        place = f"force {name!r}" if name else "force"
        body, pose = self._place(on, at, None, place)
        self.loads.append(PointForce(name, body, pose.p, _vector(vector, place), self._frame_name(frame, place)))

    def torque(
        self, on: Body | Frame | str, vector: Iterable[Any], *, frame: Body | Frame | str = GROUND, name: str = ""
    ) -> None:
        """Apply a pure torque to a body; its components are along the axes of `frame` (the ground's)."""
        place = f"torque {name!r}" if name else "torque"
        body, _ = self._place(on, (0, 0, 0), None, place)
        self.loads.append(BodyTorque(name, body, _vector(vector, place), self._frame_name(frame, place)))

    def joint_force(self, joint: Joint | str, value: Any, index: int = 0, name: str = "") -> None:
        """Add a generalized force (a torque for a rotation) to one speed of a joint: any expression."""
        found = self._joint(joint, "joint force")
        place = f"joint force on '{found.name}'"
        if not 0 <= index < len(found.u):
            raise ModelError(
                f"there is no speed number {index}; it has {len(found.u)}.", place=place, code="E-MODEL-009"
            )
        self.loads.append(JointForce(name, found.name, index, as_expr(value)))

    def joint_spring(
        self, joint: Joint | str, stiffness: Any, rest: Any = 0, damping: Any = 0, index: int = 0, name: str = ""
    ) -> None:
        """A spring and damper in a joint: potential ½ k (q - q0)² and the force -c u."""
        found = self._joint(joint, "joint spring")
        place = f"joint spring on '{found.name}'"
        if not 0 <= index < len(found.q):
            raise ModelError(
                f"there is no coordinate number {index}; it has {len(found.q)}.", place=place, code="E-MODEL-009"
            )
        if as_expr(damping) and len(found.q) != len(found.u):
            raise ModelError(
                f"its {len(found.q)} coordinates are not its {len(found.u)} speeds one by one.",
                place=place,
                cure="Give damping with joint_force, on a speed.",
                code="E-MODEL-017",
            )
        stretch = found.q[index] - as_expr(rest)
        if as_expr(stiffness):
            self.potential(as_expr(stiffness) * stretch**2 / 2, name)
        if as_expr(damping):
            self.joint_force(found, -as_expr(damping) * found.u[index], index, name)

    def spring(
        self,
        a: Body | Frame | str,
        b: Body | Frame | str,
        stiffness: Any,
        length: Any = 0,
        damping: Any = 0,
        *,
        at_a: Iterable[Any] = (0, 0, 0),
        at_b: Iterable[Any] = (0, 0, 0),
        name: str = "",
    ) -> None:
        """A spring and damper along the line between two points."""
        place = f"spring {name!r}" if name else "spring"
        body_a, pose_a = self._place(a, at_a, None, place)
        body_b, pose_b = self._place(b, at_b, None, place)
        if body_a == body_b:
            raise ModelError(f"both ends are on body '{body_a}'.", place=place, code="E-MODEL-010")
        self.loads.append(
            PointSpring(name, body_a, pose_a.p, body_b, pose_b.p, as_expr(stiffness), as_expr(length), as_expr(damping))
        )

    def potential(self, energy: Any, name: str = "") -> None:
        """Add a potential energy: any expression of coordinates, parameters and time."""
        made = as_expr(energy)
        wrong = [x for x in free_symbols([made]) if x.data[0] in ("speed", "effort", "acceleration")]
        if wrong:
            raise ModelError(
                f"a potential cannot depend on the {wrong[0].data[0]} '{wrong[0].name}'.",
                place=f"potential {name!r}" if name else "potential",
                cure="Use joint_force, force or torque for what depends on motion.",
                code="E-MODEL-018",
            )
        self.loads.append(Potential(name, made))

    # ---- poses and results -----------------------------------------------------------------------------------

    def pose(self, name: str, coordinates: Mapping[str, float], speeds: Mapping[str, float] | None = None) -> NamedPose:
        """Name a state to start from; coordinates that are not given stay at home, speeds at zero."""
        self._new_name(self.poses, "pose", name)
        place = f"pose '{name}'"
        q_names = [q.name for joint in self.joints.values() for q in joint.q]
        u_names = [u.name for joint in self.joints.values() for u in joint.u]
        for kind, given, known in (("coordinate", coordinates, q_names), ("speed", speeds or {}, u_names)):
            for key in given:
                if key not in known:
                    raise _unknown(kind, key, known, place)
        made = NamedPose(
            {key: float(value) for key, value in coordinates.items()},
            {key: float(value) for key, value in (speeds or {}).items()},
        )
        self.poses[name] = made
        return made

    def derive(self, formalism: str = "auto", passes: Iterable[str] | None = None) -> Equations:
        """The equations of motion, by a formalism named in `polhode.formalisms.names()`."""
        from ..formalisms import derive

        return derive(self, formalism, passes)

    def compare(self, formalisms: Sequence[str] | None = None, **options: Any) -> Comparison:
        """Every formalism beside the others: whether they agree, what they cost; see `polhode.compare.compare`."""
        from ..compare import compare

        return compare(self, formalisms, **options)

    # ---- looking things up -----------------------------------------------------------------------------------

    def _new_name(self, table: Mapping[str, object], kind: str, name: str) -> None:
        _checked_name(name, kind)
        if name in table:
            raise ModelError(
                f"there is already a {'body or frame' if kind in ('body', 'frame') else kind} of this name.",
                place=f"{kind} '{name}'",
                cure="Choose another.",
                code="E-MODEL-011",
            )

    def _body_name(self, body: Body | str, place: str) -> str:
        name = body.name if isinstance(body, Body) else str(body)
        if name not in self.bodies:
            raise _unknown("body", name, self.bodies, place)
        return name

    def _joint(self, joint: Joint | str, place: str) -> Joint:
        name = joint.name if isinstance(joint, Joint) else str(joint)
        if name not in self.joints:
            raise _unknown("joint", name, self.joints, place)
        return self.joints[name]

    def _place(self, on: Body | Frame | str, at: Iterable[Any], rotation: Any, place: str) -> tuple[str, Pose]:
        """The body and the pose in it that a body, a frame or a name with an offset stands for."""
        offset = _pose(at, rotation, place)
        if isinstance(on, str) and on not in self.bodies and on in self.frames:
            on = self.frames[on]
        if isinstance(on, Frame):
            if self.frames.get(on.name) is not on:
                raise _unknown("frame", on.name, self.frames, place)
            return on.body, on.pose @ offset
        return self._body_name(on, place), offset

    def _frame_name(self, frame: Body | Frame | str, place: str) -> str:
        name = frame if isinstance(frame, str) else frame.name
        if name not in self.bodies and name not in self.frames:
            raise _unknown("frame or body", name, [*self.bodies, *self.frames], place)
        return name


def _unknown(kind: str, name: str, known: Iterable[str], place: str) -> ModelError:
    known = list(known)
    close = get_close_matches(name, known, n=2)
    return ModelError(
        f"there is no {kind} '{name}'.",
        place=place,
        cure="Did you mean " + " or ".join(f"'{match}'" for match in close) + "?"
        if close
        else f"Known: {', '.join(known[:8])}{' …' if len(known) > 8 else ''}.",
        code="E-MODEL-012",
    )


def _checked_name(name: object, kind: str) -> str:
    if not isinstance(name, str) or not name.strip():
        raise ModelError(f"a {kind} needs a name, not {name!r}.", code="E-MODEL-013")
    if len(name) > NAME_LIMIT:
        raise ModelError(
            f"the name has {len(name)} characters, more than {NAME_LIMIT}.",
            place=f"{kind} '{name[:20]}…'",
            code="E-MODEL-014",
        )
    return name


def _zeros() -> Vector:
    return Vector([as_expr(0)] * 3)


def _vector(value: Iterable[Any], place: str) -> Vector:
    entries = [as_expr(entry) for entry in value]
    if len(entries) != 3:
        raise ModelError(f"a vector has 3 components, not {len(entries)}.", place=place, code="E-MODEL-015")
    return Vector(entries)


def _pose(at: Iterable[Any], rotation: Any, place: str) -> Pose:
    return Pose(as_rotation(rotation, f"{place} rotation"), _vector(at, f"{place} position"))


def _names(joint: str, labels: list[str], given: Sequence[str] | None, place: str) -> list[str]:
    if given is None:
        return [f"{joint}_{label}" if label else joint for label in labels]
    if len(given) != len(labels):
        raise ModelError(f"{len(given)} names for {len(labels)}.", place=place, code="E-MODEL-016")
    return [_checked_name(name, "coordinate") for name in given]


def _coordinate_symbols(kind: JointType, names: list[str]) -> tuple[Expr, ...]:
    made: list[Expr] = []
    for stage in kind.stages:
        own = names[len(made) : len(made) + stage.coordinates]
        if stage.storage == "quaternion":
            made += unit_symbols(own[:4], "coordinate")
            made += [symbol(name, "coordinate") for name in own[4:]]
        else:
            made += [symbol(name, "coordinate") for name in own]
    return tuple(made)
