"""Adding to a System: parameters, bodies, frames, joints, poses, each checked before it enters the model.

How far the coordinates of a joint are meant to go, (1) and (109) of Mladenova: q_min ≤ q ≤ q_max.

Nothing acts at a limit: a run says when one is passed, and a workspace lies within them. They hold for the coordinate
as it is stored: an angle, a length, or tan(θ/2). Speeds and efforts have limits too, as a motor or a gear sets them.

First-order states: ż = rate(q, u, z, t, parameters, inputs), such as a motor's current or what a filter remembers.

A rate may hold the state itself and whatever is declared after it: so it can be given later, and is looked at as a
whole when equations are derived.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from math import isinf
from typing import Any

from ..errors import ModelError, check_kind, listed, shown, speed_named, understood
from ..expr import Expr, Matrix, Vector, as_expr, constant_sign, free_symbols, same, symbol, symbols
from ..expr.spelling import acceleration_of, distinct_spellings
from ..geometry import Pose
from .body import Body, Frame, Shape, about_centre, check_inertia, check_mass, inertia_of, shapes_of
from .builder import Builder
from .dependence import GRAVITY, check_kinds
from .joints import JointType, joint_type
from .lookup import body_name, check_new, check_spellings, placed, units_by_name
from .model import Model
from .reading import (
    checked_name,
    coordinate_symbols,
    flag_of,
    names_of,
    number_of,
    numbers_by_name,
    pose_of,
    rated_names,
    result_of,
    speed_roles,
    stated_value,
    unknown,
    vector_of,
    zeros,
)
from .records import GROUND, Joint, Limits, NamedPose, Parameter, State
from .unit import unit_of

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
        vector = Vector([as_expr(g) for g in given])
    if len(vector) != 3:
        place, cure = f"system '{name}'", "Give three, as gravity=(0, 0, -9.81)."
        raise ModelError(f"gravity has 3 components, not {len(vector)}.", place, cure, "E-MODEL-SHAPE")
    check_kinds(vector, "gravity", GRAVITY, f"system '{name}'")
    return vector


def spellings_of(model: Model) -> dict[tuple[str, str], Expr]:
    """How the symbols of a model are written, in each notation."""
    tables: tuple[Mapping[str, Parameter | State], ...] = (model.parameters, model.inputs, model.states)
    named = [record.symbol for table in tables for record in table.values()]
    moved = [x for joint in model.joints.values() for x in (*joint.q, *joint.u, *joint.tau)]
    rates = [acceleration_of(u) for joint in model.joints.values() for u in joint.u]
    constraint_coordinates = [q for constraint in model.constraints.values() for q in constraint.coordinates]
    return distinct_spellings([*named, *moved, *rates, *constraint_coordinates])


def named_symbol(system: Builder, table: str, kind: str, name: str, value: Any, unit: str) -> Expr:
    check_new(kind, name, (name,) if isinstance(name, str) and system._has(table, name) else ())
    place = f"{kind} '{name}'"
    if isinstance(value, Expr) and not value.is_number:
        raise ModelError(f"the value {value!r} is not a number.", place, "Give a number, or none.", "E-MODEL-NUMBER")
    unit_of(unit, place)
    number, unit = (None, unit) if value is None else stated_value(value, unit, place)
    x = symbol(name, kind)
    check_spellings(system, [x], place)
    system._add(table, name, Parameter(x, number, unit))
    return x


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
    check_new("body", name, system.bodies, system.frames, system.surfaces)
    if len(system.bodies) > BODY_LIMIT:
        raise ModelError(f"more than {BODY_LIMIT} bodies.", place, "Join rigid parts into one body.", "E-MODEL-SIZE")
    heavy, centre = number_of(mass, f"{place} mass"), vector_of(com, f"{place} com")
    moments = inertia_of(inertia, f"{place} inertia")
    if about is not None:
        moments = about_centre(moments, heavy, centre - vector_of(about, f"{place} about"))
    record = Body(name, heavy, centre, moments, shapes_of(shapes, place), home=system)
    if check:
        check_mass(record.mass, {key: parameter.value for key, parameter in system.parameters.items()}, place)
        check_inertia(record.inertia, place)
    system._add("bodies", name, record)
    return record


def frame(system: Builder, name: str, body: Body | str, at: Iterable[Any], rotation: Any) -> Frame:
    place = f"frame '{name}'"
    check_new("frame", name, system.frames, system.bodies, system.surfaces)
    record = Frame(name, body_name(system, body, place), pose_of(at, rotation, place), home=system)
    system._add("frames", name, record)
    return record


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
    rates = () if coordinates is None else rated_names(made_type, q_names)
    u_names = names_of(name, made_type.speed_labels(), speeds, f"{place} speeds", rates)
    _check_fresh(system, q_names, u_names, place)
    q, tau = coordinate_symbols(made_type, q_names), symbols(u_names, "effort")
    roles = speed_roles(made_type, q_names, u_names)
    u = tuple(symbol(speed, "speed", role) for speed, role in zip(u_names, roles, strict=True))
    check_spellings(system, [*q, *u, *tau, *map(acceleration_of, u)], place)
    ends = limits_of(limits, made_type, q_names, place)
    rated = [rated_limits(speed_limits, "speed", u_names, place), rated_limits(effort_limits, "effort", u_names, place)]
    flag = flag_of(small, "small", place)
    record = Joint(name, made_type, parent_name, child_name, in_parent, in_child, q, u, tau, ends, flag, *rated)
    if record.small and not q:
        message = "a joint that does not move cannot be small."
        raise ModelError(message, place, "Leave `small` out.", "E-MODEL-UNSUPPORTED")
    system._add("joints", name, record)
    return record


def _check_child(system: Builder, parent: str, child: str, place: str) -> None:
    if child == GROUND:
        raise ModelError("the ground cannot be a child.", place, "Swap parent and child.", "E-MODEL-TREE")
    if parent == child:
        cure = "Give two bodies, or the ground as parent."
        raise ModelError(f"body '{child}' cannot be joined to itself.", place, cure, "E-MODEL-TREE")
    carrier = {joint.child: joint for joint in system.model().joints.values()}
    if child in carrier:
        cure = "In a tree each body has one parent; a second joint closes a loop."
        raise ModelError(f"body '{child}' already hangs on joint '{carrier[child].name}'.", place, cure, "E-MODEL-TREE")
    body, path = parent, [parent]
    while body in carrier:
        body = carrier[body].parent
        path.append(body)
        if body == child:
            message = f"this joint closes a cycle: {' → '.join([child, *path[::-1][1:]])} → {child}."
            cure = "Join one of these bodies to the ground or to another body instead."
            raise ModelError(message, place, cure, "E-MODEL-TREE")


def _check_fresh(system: Builder, q_names: list[str], u_names: list[str], place: str) -> None:
    for what, names, taken in (
        ("coordinate", q_names, [q.name for joint in system.model().joints.values() for q in joint.q]),
        ("speed", u_names, [u.name for joint in system.model().joints.values() for u in joint.u]),
    ):
        again = [name for k, name in enumerate(names) if name in taken or name in names[:k]]
        if again:
            cure = "Choose another."
            raise ModelError(f"the {what} name '{again[0]}' is already taken.", place, cure, "E-MODEL-TWICE")


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
    constraint_coordinates = [q.name for constraint in system.constraints.values() for q in constraint.coordinates]
    q_names = [*(q.name for joint in system.model().joints.values() for q in joint.q), *constraint_coordinates]
    u_names = [u.name for joint in system.model().joints.values() for u in joint.u]
    moving = {} if speeds is None else speeds
    if isinstance(moving, Mapping):
        moving = {speed_named(key, u_names, q_names) or key: value for key, value in moving.items()}
    record = NamedPose(
        numbers_by_name(coordinates, f"{place} coordinates", units.get("coordinate")),
        numbers_by_name(moving, f"{place} speeds", units.get("speed")),
        numbers_by_name({} if states is None else states, f"{place} states", units.get("state")),
    )
    for kind, stated, names in (
        ("coordinate", record.coordinates, q_names),
        ("speed", record.speeds, u_names),
        ("state", record.states, list(system.states)),
    ):
        for key in stated:
            if key not in names:
                raise unknown(kind, key, names, place)
    system._add("poses", name, record)
    return record


def limits_of(given: Any, kind: JointType, names: Sequence[str], place: str) -> tuple[Limits, ...]:
    """The limits of each coordinate, none where nothing was given: a pair for one, a list of pairs for several."""
    if given is None:
        return ()
    place = f"{place} limits"
    with understood("a pair of limits", given, place=place, cure=_cure(len(names))):
        entries = list(given)
        pairs = [entries] if len(names) == 1 and len(entries) == 2 and not _is_pair(entries[0]) else entries
        if isinstance(given, str | bytes) or not all(pair is None or _is_pair(pair) for pair in pairs):
            raise TypeError
    if len(pairs) != len(names):
        cure = _cure(len(names)) if names else "This joint does not move: leave them out."
        raise ModelError(f"{len(pairs)} pairs of limits for {len(names)} coordinates.", place, cure, "E-MODEL-SHAPE")
    bounds = tuple(_limits(pair, name, place) for pair, name in zip(pairs, names, strict=True))
    held = [name for name, limit, alone in zip(names, bounds, kind.alone, strict=True) if limit.are_given and not alone]
    if held:
        message = f"the coordinate '{held[0]}' is a part of an orientation and has no limits of its own."
        cure = "Give None in its place, or make the joint a universal one or a compound of revolutes."
        raise ModelError(message, place, cure, "E-MODEL-UNSUPPORTED")
    return bounds


def rated_limits(given: Any, what: str, names: Sequence[str], place: str) -> tuple[Limits, ...]:
    """Limits (lower, upper) or None of each speed or effort; a number b is ±b, a single pair serves one speed."""
    if given is None:
        return ()
    place = f"{place} {what}_limits"
    if not names:
        message = f"{what} limits for a joint without speeds."
        raise ModelError(message, place, "This joint does not move: leave them out.", "E-MODEL-SHAPE")
    cure = f"Give the largest {what}, which holds for both signs, or (lower, upper); for several a list of these."
    entries: list[Any] = [given] * len(names)
    if not _is_one(given):
        with understood(f"{what} limits", given, place=place, cure=cure):
            entries = list(given)
        if len(names) == 1 and len(entries) == 2 and not any(map(_is_pair, entries)):
            entries = [entries]
    if len(entries) != len(names):
        mismatch = f"{len(entries)} {what} limits for {len(names)} {'speed' if len(names) == 1 else 'speeds'}."
        raise ModelError(mismatch, place=place, cure=cure, code="E-MODEL-SHAPE")
    rated = tuple(_rated(entry, what, name, place, cure) for entry, name in zip(entries, names, strict=True))
    return rated if any(limit.are_given for limit in rated) else ()


def _rated(limit: Any, what: str, name: str, place: str, cure: str) -> Limits:
    """±b, or (lower, upper), of one speed or effort."""
    if limit is None:
        return Limits()
    if not _is_one(limit):
        with understood(f"a limit of '{name}'", limit, place=place, cure=cure):
            lower, upper = limit
        return _limits((lower, upper), name, place)
    size = _end(limit, place, cure)
    if size is not None and not free_symbols([size]) and constant_sign(size) < 0:
        message = f"the {what} limit {size!r} of '{name}' is negative."
        cure = f"Give the largest {what}, which holds for both signs, or (lower, upper)."
        raise ModelError(message, place, cure, "E-MODEL-NUMBER")
    return Limits() if size is None else Limits(-size, size)


def _is_one(value: Any) -> bool:
    """Whether this is one number, expression or text, and no list."""
    return isinstance(value, str | bytes) or not hasattr(value, "__iter__")


def _cure(count: int) -> str:
    pair = "(lower, upper), with None for an end that is open"
    return f"Give {pair}." if count == 1 else f"Give a list of {count}: for each coordinate {pair}, or None."


def _is_pair(value: Any) -> bool:
    return hasattr(value, "__len__") and not isinstance(value, str | bytes) and len(value) == 2


def _limits(pair: Any, name: str, place: str) -> Limits:
    lower, upper = (None, None) if pair is None else (_end(value, place) for value in pair)
    if lower is not None and upper is not None:
        gap = upper - lower
        if not free_symbols([gap]) and constant_sign(gap) < 0:
            message = f"the lower limit {lower!r} of '{name}' is above the upper limit {upper!r}."
            raise ModelError(message, place, "Swap them.", "E-MODEL-NUMBER")
    return Limits(lower, upper)


def _end(value: Any, place: str, cure: str = "Give (lower, upper).") -> Expr | None:
    """A limit: a number or an expression of parameters; None and infinity are none."""
    if value is None or (isinstance(value, float) and isinf(value)):
        return None
    with understood("a number or an expression", value, place=place, cure=cure):
        bound = as_expr(value)
    moving = [x for x in free_symbols([bound]) if x.data[0] != "parameter"]
    if moving:
        message = f"a limit cannot depend on the {moving[0].data[0]} '{moving[0].name}'."
        raise ModelError(message, place, "Use numbers and parameters.", "E-MODEL-DEPENDENCE")
    return bound


#: What a rate may be written with.
_KNOWN = ("coordinate", "speed", "state", "time", "parameter", "input")
_CURES = {
    "acceleration": "Accelerations follow from the forces, which may hold this state; use coordinates and speeds.",
    "effort": "Use an input for what is commanded, and give it to the joint as a joint_force.",
}


def add_state(system: Builder, name: str, rate: Any, start: Any, unit: str) -> Expr:
    """A new state, with its rate if that is known already; its symbol is returned."""
    check_new("state", name, system.states)
    place = f"state '{name}'"
    if isinstance(start, Expr) and not start.is_number:
        cure = "Give a number here, and another for a run: simulate(…, start={…})."
        raise ModelError(f"the start {shown(start)} is not a number.", place, cure, "E-MODEL-NUMBER")
    begin, unit = stated_value(start, unit, f"{place} start")
    x = symbol(name, "state")
    law = None if rate is None else _rate_of(x, rate, place)
    check_spellings(system, [x], place)
    system._add("states", name, State(x, law, begin, unit))
    return x


def set_rate(system: Builder, state: Expr | str, rate: Any) -> None:
    """Give a state its rate; each has one."""
    is_symbol = isinstance(state, Expr) and isinstance(state.data, tuple) and state.data[:1] == ("state",)
    name = state.name if is_symbol and isinstance(state, Expr) else state
    if not isinstance(name, str) or name not in system.states:
        raise unknown("state", name if isinstance(name, str) else shown(name), system.states, "state_rate")
    now, place = system.states[name], f"state '{name}'"
    if now.rate is not None:
        cure = "Give one rate, the sum of all that changes it."
        raise ModelError(f"it has a rate already: {shown(now.rate)}.", place, cure, "E-MODEL-TWICE")
    system._add("states", name, State(now.symbol, _rate_of(now.symbol, rate, place), now.start, now.unit))


def _rate_of(state: Expr, rate: Any, place: str) -> Expr:
    """The rate as an expression; a function gets the state's own symbol."""
    if callable(rate) and not isinstance(rate, Expr):
        rate = result_of(rate, (state,), f"{place} rate")
    law = number_of(rate, f"{place} rate")
    for x in free_symbols([law]):
        if x.data[0] not in _KNOWN:
            message = f"its rate cannot depend on the {x.data[0]} '{x.name}'."
            cure = _CURES.get(x.data[0], "Declare it with system.parameter, input or state.")
            raise ModelError(message, place, cure, "E-MODEL-DEPENDENCE")
    return law


# ---- as a whole --------------------------------------------------------------------------------------------------


def with_inner_states(model: Model) -> Model:
    """The model with the states of its force elements; it is itself where these are there or none has any."""
    inner: dict[str, State] = {}
    for load in model.loads:
        for name, rate in load.rates(model).items():
            is_there = name in model.states and same([as_expr(model.states[name].rate or 0)], [rate])
            if name in inner or (name in model.states and not is_there):
                message = f"its state '{name}' has the name of another."
                raise ModelError(message, load.place, "Rename one of both.", "E-MODEL-NAME")
            if not is_there:
                inner[name] = State(symbol(name, "state"), rate)
    return model.with_records({"states": {**model.states, **inner}}) if inner else model


def check_states(model: Model) -> None:
    """Refuse states without a rate, and rates with symbols of another system."""
    lacking = [name for name, state in model.states.items() if state.rate is None]
    if lacking:
        message = (
            f"{'the state' if len(lacking) == 1 else 'the states'} {listed([repr(name) for name in lacking])} "
            f"{'has' if len(lacking) == 1 else 'have'} no rate."
        )
        cure = f"Give it with state_rate({lacking[0]!r}, …)."
        raise ModelError(message, f"system '{model.name}'", cure, "E-MODEL-MISSING")
    declared = {*_symbols(model)} if model.states else set()
    for name, state in model.states.items():
        for x in free_symbols([as_expr(state.rate)]):
            if x not in declared:
                message = f"its rate depends on the {x.data[0]} '{x.name}', which is not in the system '{model.name}'."
                cure = (
                    f"Declare it with system.{x.data[0]}, or use a symbol of this system."
                    if x.data[0] in ("parameter", "input", "state")
                    else "Use a symbol of this system."
                )
                raise ModelError(message, f"state '{name}'", cure, "E-MODEL-DEPENDENCE")


def _symbols(model: Model) -> Iterator[Expr]:
    for table in (model.parameters, model.inputs):
        yield from (record.symbol for record in table.values())
    yield from (state.symbol for state in model.states.values())
    for joint in model.joints.values():
        yield from (*joint.q, *joint.u)
    for constraint in model.constraints.values():
        yield from constraint.coordinates
    yield model.time
