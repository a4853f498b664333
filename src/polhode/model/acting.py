"""What acts on a System: forces, torques, springs, potentials; each function adds one to its loads."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from ..errors import ModelError
from ..expr import Expr, Vector, free_symbols
from .body import Body, Frame
from .force import (
    LENGTH,
    POSITION,
    RATE,
    BodyTorque,
    GravityField,
    JointForce,
    LineForce,
    PointForce,
    PointSpring,
    Potential,
)
from .lookup import frame_name, joint_named, placed
from .reading import index_of, number_of, result_of, titled, vector_of
from .records import GROUND, Joint
from .system import vectors

if TYPE_CHECKING:
    from ..kinematics.vectors import Arrow, Point
    from .builder import Builder


def force(
    system: Builder,
    on: Body | Frame | Point | str,
    vector: Arrow | Iterable[Any],
    *,
    at: Point | Iterable[Any] = (0, 0, 0),
    frame: Body | Frame | str | None = None,
    name: str = "",
) -> None:
    place = titled("force", name)
    body, point = _spot(system, on, at, place)
    system.add("loads", name, PointForce(name, body, point, *_given_vector(system, vector, frame, place)))


def torque(
    system: Builder,
    on: Body | Frame | str,
    vector: Arrow | Iterable[Any],
    *,
    frame: Body | Frame | str | None = None,
    name: str = "",
) -> None:
    place = titled("torque", name)
    body, _ = placed(system, on, (0, 0, 0), None, place)
    system.add("loads", name, BodyTorque(name, body, *_given_vector(system, vector, frame, place)))


def _spot(system: Builder, on: Any, at: Any, place: str) -> tuple[str, Vector]:
    """The body that is meant, and the point in its components."""
    if isinstance(on, vectors().Point):
        on, at = _own_body(system, on, place), on
    if not isinstance(at, vectors().Point):
        body, pose = placed(system, on, at, None, place)
        return body, pose.p
    body, _ = placed(system, on, (0, 0, 0), None, place)
    if body != _own_body(system, at, place):
        raise ModelError(
            f"the point is on body '{at.body}', not on '{body}'.",
            place=place,
            cure=f"Give a point of '{body}', or apply it to '{at.body}'.",
            code="E-MODEL-060",
        )
    return body, at.offset


def _own_body(system: Builder, point: Point, place: str) -> str:
    """The body of a point, which must belong to this system."""
    _check_home(system, "point", point.system, place)
    return point.body


def _check_home(system: Builder, what: str, home: Builder, place: str) -> None:
    """Refuse a point or arrow of another system."""
    if home is not system:
        raise ModelError(
            f"the {what} is of system '{home.name}', not of '{system.name}'.",
            place=place,
            cure=f"Write it with the bodies of '{system.name}'.",
            code="E-MODEL-062",
        )


def _given_vector(system: Builder, vector: Any, frame: Body | Frame | str | None, place: str) -> tuple[Vector, str]:
    """Components and the frame they are in: for an arrow that asked for or, if it is in one frame, its own."""
    wanted = None if frame is None else frame_name(system, frame, place)
    if not isinstance(vector, vectors().Arrow):
        return vector_of(vector, place), wanted or GROUND
    _check_home(system, "arrow", vector.system, place)
    if wanted is None:
        used = list(vector.by_frame)
        wanted = used[0] if len(used) == 1 and isinstance(used[0], str) else GROUND
    return vector.components(wanted), wanted


def joint_force(system: Builder, joint: Joint | str, value: Any, index: int = 0, name: str = "") -> None:
    found = joint_named(system, joint, "joint force")
    place = titled(f"joint force on '{found.name}'", name)
    k = index_of(index, len(found.u), "speed", place)
    system.add("loads", name, JointForce(name, found.name, k, number_of(value, place)))


def joint_spring(
    system: Builder, joint: Joint | str, stiffness: Any, rest: Any = 0, damping: Any = 0, index: int = 0, name: str = ""
) -> None:
    found = joint_named(system, joint, "joint spring")
    place = titled(f"joint spring on '{found.name}'", name)
    k = index_of(index, len(found.q), "coordinate", place)
    stiff, home, c = (number_of(given, place) for given in (stiffness, rest, damping))
    if c and len(found.q) != len(found.u):
        raise ModelError(
            f"its {len(found.q)} coordinates are not its {len(found.u)} speeds one by one.",
            place=place,
            cure="Give damping with joint_force, on a speed.",
            code="E-MODEL-017",
        )
    if stiff:
        potential(system, stiff * (found.q[k] - home) ** 2 / 2, name)
    if c:
        joint_force(system, found, -c * found.u[k], k, name)


def spring(
    system: Builder,
    a: Body | Frame | Point | str,
    b: Body | Frame | Point | str,
    stiffness: Any,
    length: Any = 0,
    damping: Any = 0,
    *,
    at_a: Point | Iterable[Any] = (0, 0, 0),
    at_b: Point | Iterable[Any] = (0, 0, 0),
    name: str = "",
) -> None:
    place = titled("spring", name)
    ends = _ends(system, a, at_a, b, at_b, place)
    k, l, c = (number_of(given, place) for given in (stiffness, length, damping))
    system.add("loads", name, PointSpring(name, *ends, k, l, c))


def damper(
    system: Builder,
    a: Body | Frame | Point | str,
    b: Body | Frame | Point | str,
    damping: Any,
    *,
    at_a: Point | Iterable[Any] = (0, 0, 0),
    at_b: Point | Iterable[Any] = (0, 0, 0),
    name: str = "",
) -> None:
    spring(system, a, b, 0, damping=damping, at_a=at_a, at_b=at_b, name=name)


def line_force(
    system: Builder,
    a: Body | Frame | Point | str,
    b: Body | Frame | Point | str,
    law: Callable[[Expr, Expr], Any],
    *,
    at_a: Point | Iterable[Any] = (0, 0, 0),
    at_b: Point | Iterable[Any] = (0, 0, 0),
    name: str = "",
) -> None:
    place = titled("line force", name)
    ends = _ends(system, a, at_a, b, at_b, place)
    tension = result_of(law, (LENGTH, RATE), place)
    if hasattr(tension, "__iter__") or hasattr(tension, "terms"):
        raise ModelError(
            f"the law gives {tension!r}, which is no number or expression.",
            place=place,
            cure="Give the tension alone; its direction is the line.",
            code="E-MODEL-061",
        )
    system.add("loads", name, LineForce(name, *ends, number_of(tension, place)))


def _ends(
    system: Builder, a: Any, at_a: Point | Iterable[Any], b: Any, at_b: Point | Iterable[Any], place: str
) -> tuple[str, Vector, str, Vector]:
    body_a, point_a = _spot(system, a, at_a, place)
    body_b, point_b = _spot(system, b, at_b, place)
    if body_a == body_b:
        raise ModelError(f"both ends are on body '{body_a}'.", place=place, code="E-MODEL-010")
    return body_a, point_a, body_b, point_b


def gravity_field(system: Builder, law: Callable[[Vector], Iterable[Any]], name: str = "") -> None:
    place = titled("gravity field", name)
    system.add("loads", name, GravityField(name, vector_of(result_of(law, (POSITION,), place), place)))


def potential(system: Builder, energy: Any, name: str = "") -> None:
    place = titled("potential", name)
    made = number_of(energy, place)
    wrong = [x for x in free_symbols([made]) if x.data[0] in ("speed", "effort", "acceleration")]
    if wrong:
        raise ModelError(
            f"a potential cannot depend on the {wrong[0].data[0]} '{wrong[0].name}'.",
            place=place,
            cure="Use joint_force, force or torque for what depends on motion.",
            code="E-MODEL-018",
        )
    system.add("loads", name, Potential(name, made))
