"""Adding to a System: parameters, bodies, frames, joints, poses, each checked before it enters the model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..errors import ModelError, check_kind, understood
from ..expr import Expr, Matrix, Vector, as_expr, symbol, symbols
from ..expr.spelling import acceleration_of, told_apart
from ..geometry import Pose
from .body import Body, Frame, Shape, about_centre, check_inertia, check_mass, inertia_of, shapes_of
from .dependence import GRAVITY, check_kinds
from .joints import JointType, joint_type
from .limits import limits_of, rated_limits
from .lookup import body_name, check_new, placed, tell_apart, units_by_name
from .model import Model
from .reading import (
    checked_name,
    coordinate_symbols,
    flag_of,
    names_of,
    number_of,
    numbers_by_name,
    pose_of,
    speed_roles,
    stated_value,
    unknown,
    vector_of,
    zeros,
)
from .records import GROUND, Joint, NamedPose, Parameter, State
from .unit import unit_of

if TYPE_CHECKING:
    from .builder import Builder

BODY_LIMIT = 2000


def empty(system: Builder, name: str, gravity: Any) -> Model:
    """The model of a System with the ground alone."""
    checked_name(name, "system")
    ground = Body(GROUND, as_expr(0), zeros(), Matrix.zeros(3, 3).map(as_expr), home=system)
    return Model(name=name, gravity=gravity_of(gravity, ground, name), bodies={GROUND: ground})


def adopted(system: Builder, model: Model) -> Model:
    """A model with its bodies and frames belonging to a System."""
    check_kind(Model, "a model", model, "system")
    bodies = {name: replace(body, home=system) for name, body in model.bodies.items()}
    frames = {name: replace(frame, home=system) for name, frame in model.frames.items()}
    return replace(model, bodies=bodies, frames=frames)


def gravity_of(given: Any, ground: Body, name: str) -> Vector:
    """The acceleration of free fall in ground components."""
    cure = "Give three components, for example (0, 0, -9.81)."
    with understood("an acceleration of free fall", given, place=f"system '{name}' gravity", cure=cure):
        if hasattr(given, "components"):
            given = given.components(ground)
        if isinstance(given, str | bytes):
            raise TypeError
        made = Vector([as_expr(g) for g in given])
    if len(made) != 3:
        raise ModelError("gravity has 3 components.", place=f"system '{name}'", code="E-MODEL-001")
    check_kinds(made, "gravity", GRAVITY, f"system '{name}'")
    return made


def spellings_of(model: Model) -> dict[tuple[str, str], Expr]:
    """How the symbols of a model are written, in each notation."""
    tables: tuple[Mapping[str, Parameter | State], ...] = (model.parameters, model.inputs, model.states)
    named = [each.symbol for table in tables for each in table.values()]
    moved = [x for joint in model.joints.values() for x in (*joint.q, *joint.u, *joint.tau)]
    rates = [acceleration_of(u) for joint in model.joints.values() for u in joint.u]
    own = [q for constraint in model.constraints.values() for q in constraint.coordinates]
    return told_apart([*named, *moved, *rates, *own])


def named_symbol(system: Builder, table: str, kind: str, name: str, value: Any, unit: str) -> Expr:
    check_new(kind, name, (name,) if isinstance(name, str) and system._has(table, name) else ())
    place = f"{kind} '{name}'"
    if isinstance(value, Expr) and not value.is_number:
        raise ModelError(f"the value {value!r} is not a number.", place=place, code="E-MODEL-002")
    unit_of(unit, place)
    number, unit = (None, unit) if value is None else stated_value(value, unit, place)
    made = symbol(name, kind)
    tell_apart(system, [made], place)
    system._add(table, name, Parameter(made, number, unit))
    return made


def body(
    system: Builder,
    name: str,
    mass: Any,
    com: Iterable[Any],
    inertia: Any,
    shapes: Shape | Iterable[Shape],
    check: bool,
    about: Iterable[Any] | None,
) -> Body:
    place = f"body '{name}'"
    check_new("body", name, system.bodies, system.frames)
    if len(system.bodies) > BODY_LIMIT:
        raise ModelError(f"more than {BODY_LIMIT} bodies.", place=place, code="E-MODEL-003")
    heavy, centre = number_of(mass, f"{place} mass"), vector_of(com, f"{place} com")
    moments = inertia_of(inertia, f"{place} inertia")
    if about is not None:
        moments = about_centre(moments, heavy, centre - vector_of(about, f"{place} about"))
    made = Body(name, heavy, centre, moments, shapes_of(shapes, place), home=system)
    if check:
        check_mass(made.mass, {key: each.value for key, each in system.parameters.items()}, place)
        check_inertia(made.inertia, place)
    system._add("bodies", name, made)
    return made


def frame(system: Builder, name: str, body: Body | str, at: Iterable[Any], rotation: Any) -> Frame:
    place = f"frame '{name}'"
    check_new("frame", name, system.frames, system.bodies)
    made = Frame(name, body_name(system, body, place), pose_of(at, rotation, place), home=system)
    system._add("frames", name, made)
    return made


def joint(
    system: Builder,
    name: str,
    parent: Body | Frame | str,
    child: Body | Frame | str,
    kind: JointType | str,
    *,
    at: Iterable[Any],
    rotation: Any,
    child_at: Iterable[Any],
    child_rotation: Any,
    coordinates: Sequence[str] | None,
    speeds: Sequence[str] | None,
    limits: Any,
    options: Mapping[str, Any],
    small: bool = False,
    speed_limits: Any = None,
    effort_limits: Any = None,
) -> Joint:
    place = f"joint '{name}'"
    check_new("joint", name, system.model().joints)
    made_type = joint_type(kind, place, **options)
    parent_name, in_parent = placed(system, parent, at, rotation, place)
    if made_type.nominal is not None:
        in_parent = in_parent @ Pose(made_type.nominal, zeros())
        made_type = made_type.in_nominal_frame()
    child_name, in_child = placed(system, child, child_at, child_rotation, place)
    _check_child(system, parent_name, child_name, place)
    q_names = names_of(name, made_type.coordinate_labels(), coordinates, f"{place} coordinates")
    u_names = names_of(name, made_type.speed_labels(), speeds, f"{place} speeds")
    _check_fresh(system, q_names, u_names, place)
    q, tau = coordinate_symbols(made_type, q_names), symbols(u_names, "effort")
    roles = speed_roles(made_type, q_names, u_names)
    u = tuple(symbol(speed, "speed", role) for speed, role in zip(u_names, roles, strict=True))
    tell_apart(system, [*q, *u, *tau, *map(acceleration_of, u)], place)
    ends = limits_of(limits, made_type, q_names, place)
    rated = [rated_limits(speed_limits, "speed", u_names, place), rated_limits(effort_limits, "effort", u_names, place)]
    flag = flag_of(small, "small", place)
    made = Joint(name, made_type, parent_name, child_name, in_parent, in_child, q, u, tau, ends, flag, *rated)
    if made.small and not q:
        raise ModelError("a joint that does not move cannot be small.", place=place, code="E-MODEL-084")
    system._add("joints", name, made)
    return made


def _check_child(system: Builder, parent: str, child: str, place: str) -> None:
    if child == GROUND:
        raise ModelError(
            "the ground cannot be a child.", place=place, cure="Swap parent and child.", code="E-MODEL-004"
        )
    if parent == child:
        raise ModelError(f"body '{child}' cannot be joined to itself.", place=place, code="E-MODEL-005")
    carrier = {joint.child: joint for joint in system.model().joints.values()}
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


def _check_fresh(system: Builder, q_names: list[str], u_names: list[str], place: str) -> None:
    for what, names, taken in (
        ("coordinate", q_names, [q.name for joint in system.model().joints.values() for q in joint.q]),
        ("speed", u_names, [u.name for joint in system.model().joints.values() for u in joint.u]),
    ):
        again = [name for k, name in enumerate(names) if name in taken or name in names[:k]]
        if again:
            raise ModelError(
                f"the {what} name '{again[0]}' is already taken.",
                place=place,
                cure="Choose another.",
                code="E-MODEL-008",
            )


def pose(
    system: Builder,
    name: str,
    coordinates: Mapping[str, float],
    speeds: Mapping[str, float] | None,
    states: Mapping[str, float] | None,
) -> NamedPose:
    check_new("pose", name, system.poses)
    place = f"pose '{name}'"
    units = units_by_name(system)
    made = NamedPose(
        numbers_by_name(coordinates, f"{place} coordinates", units.get("coordinate")),
        numbers_by_name({} if speeds is None else speeds, f"{place} speeds", units.get("speed")),
        numbers_by_name({} if states is None else states, f"{place} states", units.get("state")),
    )
    own = [q.name for constraint in system.constraints.values() for q in constraint.coordinates]
    q_names = [*(q.name for joint in system.model().joints.values() for q in joint.q), *own]
    u_names = [u.name for joint in system.model().joints.values() for u in joint.u]
    for kind, given, known in (
        ("coordinate", made.coordinates, q_names),
        ("speed", made.speeds, u_names),
        ("state", made.states, list(system.states)),
    ):
        for key in given:
            if key not in known:
                raise unknown(kind, key, known, place)
    system._add("poses", name, made)
    return made
