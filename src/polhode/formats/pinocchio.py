"""`from_pinocchio`: a Pinocchio model as a System.

A joint k stands in its parent at `jointPlacements[k]` and carries the body whose inertia is `inertias[k]`, with the
links that are welded to it; frames become frames. Coordinates are those of polhode: an angle where Pinocchio stores its
cosine and sine, the scalar part of a quaternion first, orientation before position. Damping acts on nothing, here as
there; dry friction acts.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import atan2
from typing import Any

from ..errors import FormatError, check_kind, installed
from ..expr import Matrix, Vector, as_expr
from ..model import Body, Compound, Free, Joint, JointType, Planar, Prismatic, Revolute, Screw, Spherical, System
from ..model import Universal as Universal
from .findings import Findings
from .mjcf import exact
from .robot_file.assembly import Assembly, free_name, tolerance

#: A limit beyond this stands for none.
_UNLIMITED = 1e16
#: Joints along an axis by the names of Pinocchio, without "JointModel" and the letter of an axis.
_AXIAL: dict[str, Any] = {
    "R": Revolute, "RUB": Revolute, "RevoluteUnaligned": Revolute, "RevoluteUnboundedUnaligned": Revolute,
    "P": Prismatic, "PrismaticUnaligned": Prismatic, "H": Screw, "HelicalUnaligned": Screw,
}  # fmt: skip
_OTHERS: dict[str, JointType] = {
    "FreeFlyer": Free(), "Spherical": Spherical(), "SphericalZYX": Compound(*map(Revolute, "zyx")),
    "Translation": Compound(*map(Prismatic, "xyz")), "Planar": Planar("z"),
}  # fmt: skip


def _type_of(joint: Any, name: str) -> JointType:
    kind = joint.shortname().removeprefix("JointModel")
    if kind in _OTHERS:
        return _OTHERS[kind]
    detail = joint.extract()
    if kind == "Universal":
        return Universal(_axis(detail.axis1), _axis(detail.axis2))
    family, axis = (kind[:-1], kind[-1].lower()) if kind[:-1] in _AXIAL else (kind, "")
    if family not in _AXIAL:
        cure = f"Known types are {', '.join([*_OTHERS, 'Universal', *_AXIAL])}."
        raise FormatError(f"a joint of type {kind} is not read.", f"joint '{name}'", cure, "E-ROBOT-UNSUPPORTED")
    pitch = [exact.decimal(detail.pitch)] if _AXIAL[family] is Screw else []
    result: JointType = _AXIAL[family](axis or _axis(detail.axis), *pitch)
    return result


def _axis(values: Any) -> Vector:
    return exact.axis([float(value) for value in values], Fraction(1, 10**13))[0]


def from_pinocchio(model: Any, *, symbolic: Sequence[str] = (), snap: float | str = "1e-6") -> System:
    """The System of a `model`, a `pinocchio.Model`; reference configurations become poses.

    `symbolic` and `snap` are as in `load_urdf`; numbers are named after bodies and joints.

        system = ph.from_pinocchio(pinocchio.buildModelFromUrdf("arm.urdf"))
    """
    pin = installed("pinocchio", "test", "Pinocchio", code="E-ROBOT-MISSING")
    check_kind(pin.Model, "a Pinocchio model", model, "from_pinocchio")
    name = model.name or "model"
    built = _Assembly(name, symbolic, tolerance(snap, "E-ROBOT-NUMBER"), Findings(name))
    system = built.system
    system.gravity = Vector(built.numbers("gravity", "", exact.point(model.gravity.linear)))
    links = {frame.parentJoint: frame.name for frame in reversed(model.frames) if frame.type == pin.FrameType.BODY}
    bodies: list[Body] = [system.ground]
    for k in range(1, model.njoints):
        body_name = free_name(links.get(k, model.names[k]), system.bodies)
        bodies.append(built.add_body(body_name, model.inertias[k]))
        built.add_joint(pin, model, k, bodies[model.parents[k]], bodies[k])
    for frame in model.frames:
        if frame.type != pin.FrameType.JOINT and not {frame.name} & {*system.bodies, *system.frames}:
            R, at = built.placement(pin, frame.placement)
            system.frame(frame.name, bodies[frame.parentJoint], at, R)
    built.refuse_unused()
    for entry in model.referenceConfigurations:
        system.pose(entry.key(), _coordinates(model, built.joints, [float(x) for x in entry.data()]))
    return system


class _Assembly(Assembly):
    """Builds the System of a Pinocchio model."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.joints: list[Joint] = []

    def placement(self, pin: Any, X: Any) -> tuple[Matrix, list[Fraction]]:
        x, y, z, w = (float(coeff) for coeff in pin.Quaternion(X.rotation).coeffs())
        return exact.rotation([w, x, y, z], self.snap)[0].map(as_expr), exact.point(X.translation)

    def add_body(self, name: str, inertia: Any) -> Body:
        """A body whose inertia is used as it stands, possible or not, as Pinocchio does."""
        mass = self.number("mass", name, "", exact.decimal(inertia.mass))
        I = inertia.inertia
        entries = [I[0, 0], I[1, 1], I[2, 2], I[0, 1], I[0, 2], I[1, 2]]
        moments = self.numbers("inertia", name, [exact.decimal(entry) for entry in entries])
        com = self.numbers("com", name, exact.point(inertia.lever))
        return self.system.body(name, mass, com, moments, check=False)

    def add_joint(self, pin: Any, model: Any, k: int, parent: Body, child: Body) -> None:
        """Joint k with its limits, dry friction and armature."""
        joint, name, system = model.joints[k], model.names[k], self.system
        R, at = self.placement(pin, model.jointPlacements[k])
        q, v = joint.idx_q, joint.idx_v
        more: dict[str, Any] = {"at": self.numbers("length", name, at), "rotation": R}
        if joint.nv == 1:
            ends = {"speed_limits": ("VelocityLimit", v), "effort_limits": ("EffortLimit", v)}
            ends |= {"limits": ("PositionLimit", q)} if joint.nq == 1 else {}
            more |= {key: _ends(model, *where) for key, where in ends.items()}
        record = system.joint(name, parent, child, _type_of(joint, name), **more)
        self.joints.append(record)
        armature, friction = exact.decimal(model.armature[v]), exact.decimal(model.upperDryFrictionLimit[v])
        if armature and joint.nv == 1:
            system.motor(record, inertia=armature, coupling="reduced")
        for index in range(joint.nv if friction else 0):
            system.friction(record, friction, index=index)


def _ends(model: Any, what: str, k: int) -> tuple[Fraction | None, Fraction | None] | None:
    lower, upper = (
        exact.decimal(limit) if abs(limit) < _UNLIMITED else None
        for limit in (float(getattr(model, f"{side}{what}")[k]) for side in ("lower", "upper"))
    )
    return None if lower == upper else (lower, upper)


def _coordinates(model: Any, joints: Sequence[Joint], q: Sequence[float]) -> dict[str, float]:
    """Coordinates by name from a configuration of Pinocchio's."""
    result: dict[str, float] = {}
    for joint in joints:
        other = model.joints[model.getJointId(joint.name)]
        values = list(q[other.idx_q : other.idx_q + other.nq])
        if joint.type.kind in ("free", "spherical"):
            *at, x, y, z, w = values
            values = [w, x, y, z, *at]
        elif joint.type.kind == "planar":
            values = [atan2(values[3], values[2]), *values[:2]]
        elif other.nq == 2 and other.nv == 1:
            values = [atan2(values[1], values[0])]
        result |= {symbol.name: value for symbol, value in zip(joint.q, values, strict=True)}
    return result
