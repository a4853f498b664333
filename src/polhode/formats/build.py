"""From records to a System: references are followed, and every mistake is noted with its line."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path as FilePath
from typing import Any

from ..errors import FormatError, PolhodeError
from ..expr import Expr, Matrix
from ..files.reading import locate_mesh
from ..model import Shape as ModelShape
from ..model import System, body
from ..model.constraints import CONSTRAINTS
from ..model.equipment import EQUIPMENT
from ..model.forces import FORCES
from ..model.lookup import units_by_name
from ..model.motor import Motor
from ..model.reading import unknown
from ..model.records import GROUND, Joint
from . import records
from .document import Document, Path
from .fields import BESIDE, Values, read_fields, read_motion
from .flexible import add_flexible
from .names import Scope, quoted, scope_of
from .surfaces import add_surfaces
from .tables import read_tables

#: The sections of a model file whose entries are names in expressions.
_DECLARING = {"parameters", "inputs", "states", "tables", "flexible", "joints", "couplings", "motors", "expressions"}


def build(document: Document, model: records.Model, name: str) -> System:
    """The System that a record describes; raises everything that is wrong with it at once."""
    values = Values(document)
    system = System()
    with values.noting(("name",)):
        system = System(model.name if model.name is not None else name)
    _add_quantities(system, values, model)
    _add_states(system, values, model)
    functions = read_tables(values, model)
    for key, table in functions.items():
        system._add("tables", key, table)

    def names(*kinds: str, **how: bool) -> Scope:
        return replace(scope_of(system, *kinds, **how), functions=functions)

    values.scope = names("parameter", "input", now=True)
    system.gravity = values.vector(("gravity",), model.gravity)
    values.scope = names("parameter", now=True)  # where time may not be used, the system refuses it
    add_flexible(system, replace(values, scope=names("parameter")), model)
    for key, body_record in model.bodies.items():
        _add_body(system, values, ("bodies", key), key, body_record)
    for key, frame in model.frames.items():
        _add_frame(system, values, ("frames", key), key, frame)
    for key, joint in model.joints.items():
        _add_joint(system, values, ("joints", key), key, joint)
    _add_motors(system, values, model)
    for key, coupling in model.couplings.items():
        _add_coupling(system, values, model, key, coupling)
    _check_bodies_hang(values, model)
    _add_prescribed(system, values, model)
    if not document.problems:
        _check_joints_carry_mass(system, values)
    # After a problem in a section that declares names, unknown names below may follow from it and are not noted.
    lenient = bool(document.sections & _DECLARING)
    spoiled = lenient or any(key not in system.bodies for key in model.bodies) or "frames" in document.sections
    values.scope, free = names("parameter", lenient=lenient, now=True), names(lenient=lenient, now=True)
    free = _with_expressions(values, model, free)
    _add_rates(system, values, model, free)
    if not spoiled:
        add_surfaces(system, values, model)
        spoiled = "surfaces" in document.sections
    for index, load in enumerate(model.loads):
        _add_load(None if spoiled else system, values, ("loads", index), load, free)
    _add_equipment(system, values, model, free)
    values.scope = free
    _add_constraints(None if spoiled else system, values, model, values.scope)
    for key, pose in model.poses.items():
        _add_pose(None if spoiled else system, values, ("poses", key), key, pose)
    document.check()
    return system


def _add_quantities(system: System, values: Values, model: records.Model) -> None:
    for table, declare, default in (("parameters", system.parameter, None), ("inputs", system.input, 0)):
        records_by_name: Mapping[str, Any] = getattr(model, table)
        for key, record in records_by_name.items():
            has_unit = isinstance(record, records.Quantity)
            text, unit = (record.value, record.unit) if has_unit else (record, "")
            path: Path = (table, key, "value") if has_unit else (table, key)
            value: Any = default if text is None else values.quantity(path, text)
            with values.noting((table, key)):
                declare(key, value, unit)
        _warn_of_look_alikes(values, table, records_by_name)


def _add_states(system: System, values: Values, model: records.Model) -> None:
    """First-order states, so that they have a symbol; their rates follow when all has one."""
    for key, state in model.states.items():
        record = state if isinstance(state, records.State) else records.State(rate=state)
        start = values.quantity(("states", key, "start"), record.start)
        with values.noting(("states", key)):
            system.state(key, None, start, record.unit)
    _warn_of_look_alikes(values, "states", model.states)


def _add_rates(system: System, values: Values, model: records.Model, scope: Scope) -> None:
    """The rates of the first-order states."""
    for key, state in model.states.items():
        has_unit = isinstance(state, records.State)
        path: Path = ("states", key, "rate") if has_unit else ("states", key)
        text = state.rate if isinstance(state, records.State) else state
        before = len(values.document.problems)
        rate = replace(values, scope=scope).number(path, text)
        if key in system.states and not scope.lenient and len(values.document.problems) == before:
            with values.noting(path):
                system.state_rate(key, rate)


def _add_body(system: System, values: Values, path: Path, key: str, record: records.Body) -> None:
    mass = values.number((*path, "mass"), record.mass)
    com = values.vector((*path, "com"), record.com)
    inertia: Any = 0
    if record.inertia is not None and record.solid is not None:
        message = "give an inertia or a solid, not both."
        values.document.problem(path, message, "Remove one of them.", "E-MODELFILE-TWICE")
    elif record.inertia is not None:
        inertia = values.nested((*path, "inertia"), record.inertia)
    elif record.solid is not None:
        inertia = _solid(values, (*path, "solid"), mass, record.solid)
    about = None if record.about is None else values.vector((*path, "about"), record.about)
    if about is not None and record.inertia is None:
        message = "it says about which point an inertia is given."
        values.document.problem((*path, "about"), message, "Give an inertia.", "E-MODELFILE-MISSING")
        about = None
    drawn = [_shape(values, (*path, "shapes", k), shape) for k, shape in enumerate(record.shapes)]
    shapes = [shape for shape in drawn if shape is not None]
    with values.noting(path):
        system.body(key, mass, com, inertia, shapes, about=about)
        return
    with suppress(PolhodeError):
        system.body(key)  # so that the joints which name it are not wrong as well


def _solid(values: Values, path: Path, mass: Expr, record: Any) -> Any:
    sizes = {
        key: values.nested((*path, key), value)
        for key, value in record.model_dump().items()
        if key not in ("type", "axis")
    }
    with values.noting(path):
        if record.type == "box":
            return body.box(mass, *sizes["size"])
        if record.type == "sphere":
            return body.sphere(mass, sizes["radius"])
        makers: dict[str, Callable[..., Matrix]] = {"rod": body.rod, "cylinder": body.cylinder, "disc": body.disc}
        return makers[record.type](mass, **sizes, axis=values.axis((*path, "axis"), record.axis))
    return 0


def _shape(values: Values, path: Path, record: Any) -> ModelShape | None:
    file = lacking = ""
    if record.type == "mesh":
        size = tuple(values.vector((*path, "scale"), record.scale))
        folder = FilePath(values.document.file).parent
        status, mesh, reason = locate_mesh(record.file, folder, {})
        file, lacking = str(mesh or record.file), "" if mesh else f"{status}: {reason}"
    elif record.type == "hull":
        size = tuple(x for k, point in enumerate(record.points) for x in values.vector((*path, "points", k), point))
    elif hasattr(record, "size"):
        size = tuple(values.vector((*path, "size"), record.size))
    else:
        keys = [key for key in ("radius", "length") if hasattr(record, key)]
        size = tuple(values.number((*path, key), getattr(record, key)) for key in keys)
    at = tuple(values.vector((*path, "at"), record.at))
    turn = values.rotation((*path, "rotation"), record.rotation)
    with values.noting(path):
        return ModelShape(record.type, size, at, turn, record.color, file, lacking)
    return None


def _add_frame(system: System, values: Values, path: Path, key: str, record: records.Frame) -> None:
    at = values.vector((*path, "at"), record.at)
    rotation = values.rotation((*path, "rotation"), record.rotation)
    with values.noting(path):
        system.frame(key, values.body(record.body), at, rotation)


def _add_joint(system: System, values: Values, path: Path, key: str, record: records.Joint) -> None:
    before = len(values.document.problems)
    kind = read_motion(values, path, record)
    at = values.vector((*path, "at"), record.at)
    rotation = values.rotation((*path, "rotation"), record.rotation)
    child_at = values.vector((*path, "child_at"), record.child_at)
    child_rotation = values.rotation((*path, "child_rotation"), record.child_rotation)
    kinds = ("limits", "speed_limits", "effort_limits")
    limits = {kind: values.nested((*path, kind), getattr(record, kind)) for kind in kinds}
    stop: Any = record.stop
    if isinstance(stop, dict):
        stop = {name: values.number((*path, "stop", name), text) for name, text in stop.items()}
    elif stop in ("true", "false"):
        stop = stop == "true"
    elif stop is not None:
        stop = values.number((*path, "stop"), stop)
    if len(values.document.problems) > before:
        return
    with values.noting(path):
        system.joint(
            key,
            values.body(record.parent),
            values.body(record.child),
            kind,
            at=at,
            rotation=rotation,
            child_at=child_at,
            child_rotation=child_rotation,
            coordinates=record.coordinates,
            speeds=record.speeds,
            small=record.small,
            stop=stop,
            **limits,
        )


def _add_coupling(system: System, values: Values, model: records.Model, key: str, record: records.Coupling) -> None:
    path: Path = ("couplings", key)
    before = len(values.document.problems)
    multiplier = values.number((*path, "multiplier"), record.multiplier)
    offset = values.number((*path, "offset"), record.offset)
    # The problem of a joint that could not be built is noted already.
    spoiled = any(name in model.joints and name not in system.joints for name in (key, record.leader))
    if spoiled or len(values.document.problems) > before:
        return
    with values.noting(path):
        system.couple(key, record.leader, multiplier, offset)


def _with_expressions(values: Values, model: records.Model, free: Scope) -> Scope:
    """The names that laws may use, with the expressions that the file names: each may use those before it."""
    for key, text in model.expressions.items():
        path: Path = ("expressions", key)
        with values.noting(path):
            if free.knows(key):
                cure = "Give the expression another name."
                raise FormatError("something else has this name.", cure=cure, code="E-MODELFILE-TWICE")
        read = Values(values.document, free).number(path, text)
        free = replace(free, expressions={**free.expressions, key: read})
    return free


def _add_load(system: System | None, values: Values, path: Path, record: Any, free: Scope) -> None:
    element, before = FORCES[record.type], len(values.document.problems)
    values_by_field = read_fields(values, path, element.fields, record, free)
    if system is not None and len(values.document.problems) == before:
        with values.noting(path):
            system.apply(element, **values_by_field)


def _add_equipment(system: System, values: Values, model: records.Model, free: Scope) -> None:
    """Actuators, sensors and other records; after a problem each is only checked by itself."""
    for table, kind in EQUIPMENT.items():
        for key, record in getattr(model, table).items():
            entries = read_fields(values, (table, key), kind.fields, record, free)
            if not values.document.problems:
                with values.noting((table, key)):
                    system.equip(table, key, **entries)


def _add_pose(system: System | None, values: Values, path: Path, key: str, record: records.Pose) -> None:
    units = units_by_name(system) if system is not None else {}
    coordinates, speeds, states = (
        {
            name: float(values.constant((*path, table, name), text, units.get(table[:-1], {}).get(name, "")))
            for name, text in getattr(record, table).items()
        }
        for table in ("coordinates", "speeds", "states")
    )
    if system is None:
        return
    _check_pose_leads(system, values, path, coordinates, speeds)
    with values.noting(path):
        system.pose(key, coordinates, speeds, states)


def _add_motors(system: System, values: Values, model: records.Model) -> None:
    """The motors of a file, each on the joint that its key names."""
    motors: Mapping[str, Any] = getattr(model, "motors", {})  # a section that the vocabulary adds
    for key, record in motors.items():
        path: Path = ("motors", key)
        before = len(values.document.problems)
        free = replace(scope_of(system, now=True), functions=values.scope.functions)
        entries = read_fields(values, path, Motor.fields, record, free)
        if len(values.document.problems) > before or (key in model.joints and key not in system.joints):
            continue  # noted already
        with values.noting(path):
            system.motor(key, **entries)


def _add_prescribed(system: System, values: Values, model: records.Model) -> None:
    """Motions that are known in time, by the coordinate's name, or the joint's if it has one coordinate."""
    for key, text in model.prescribed.items():
        path: Path = ("prescribed", key)
        before = len(values.document.problems)
        motion = values.number(path, text)
        if len(values.document.problems) > before or (key in model.joints and key not in system.joints):
            continue  # noted already
        with values.noting(path):
            joint, index = _coordinate(system, key)
            system.prescribe(joint, motion, index)


def _coordinate(system: System, key: str) -> tuple[str, int]:
    """The joint and the index in it of a coordinate; a joint's name means its first."""
    joints = system.model().joints
    for joint in joints.values():
        for index, q in enumerate(joint.q):
            if q.name == key:
                return joint.name, index
    if key in joints and len(joints[key].q) == 1:
        return key, 0
    names = [q.name for joint in joints.values() for q in joint.q]
    raise unknown("coordinate", key, [name for name in names if name.startswith(key)] or names, "prescribed motion")


def _add_constraints(system: System | None, values: Values, model: records.Model, everything: Scope) -> None:
    """Constraints of every kind; without a system each is only checked by itself."""
    parameters = {"parameter": everything.tables.get("parameter", {})}
    fixed = replace(values, scope=replace(everything, tables=parameters, now=None))
    for table in dict.fromkeys(kind.table for kind in CONSTRAINTS.values()):
        kinds = [kind for kind in CONSTRAINTS.values() if kind.table == table]
        for key, record in getattr(model, table).items():
            kind = kinds[0] if kinds[0].alone else CONSTRAINTS[record.type]
            path: Path = (table, key)
            before = len(values.document.problems)
            stated = read_fields(fixed, path, (*kind.fields, *BESIDE.get(kind.kind, ())), record, everything)
            if system is None or len(values.document.problems) > before:
                continue
            written = record.model_fields_set
            with values.noting((*path, *written) if len(written) == 1 else path):
                if kind.kind in BESIDE:
                    system.friction(name=key, **stated)
                else:
                    system.constraint(key, kind, **stated)


# ---- checks that need the whole model ------------------------------------------------------------------------


def _check_bodies_hang(values: Values, model: records.Model) -> None:
    """A body that no joint carries is a root of its own; the ground is the only one."""
    flexible: Mapping[str, Any] = getattr(model, "flexible", {})
    for table in ("bodies", "flexible", "frames", "joints"):
        _warn_of_look_alikes(values, table, getattr(model, table))
    carried = {joint.child for joint in model.joints.values()}
    carried |= {model.frames[child].body for child in carried if child in model.frames}
    for key in (*model.bodies, *flexible):
        if key not in carried and key != GROUND:
            at = ("flexible" if key in flexible else "bodies", key)
            cure = "Add a joint with this child; a free joint to the ground lets it float."
            values.document.problem(at, "this body hangs on no joint.", cure, "E-MODEL-TREE")


def _check_joints_carry_mass(system: System, values: Values) -> None:
    """A joint that moves no mass makes the mass matrix singular, unless one that is coupled to it moves some."""
    heavy = {key for key, b in system.bodies.items() if not b.is_massless}
    idle: list[Joint] = []
    busy: set[str] = set()
    for joint in reversed(_outward(system)):
        if joint.child in heavy:
            heavy.add(joint.parent)
            busy.add(_leader(system, joint))
        elif joint.u:
            idle.append(joint)
    driven = {motion.joint for motion in system.prescribed.values()}
    for joint in idle:
        if not {_leader(system, joint), joint.name} & {*busy, *driven}:
            message = f"this joint moves no mass: body '{joint.child}' and all that it carries have none."
            cure = "Give it a mass or an inertia, or weld it with `type: fixed`."
            values.document.problem(("joints", joint.name), message, cure, "E-MODEL-SINGULAR")


def _leader(system: System, joint: Joint) -> str:
    """The joint that a joint follows in the end; its own name, if it follows none."""
    name = joint.name
    while name in system.couplings:
        name = system.couplings[name].leader
    return name


def _check_pose_leads(
    system: System, values: Values, path: Path, coordinates: Mapping[str, float], speeds: Mapping[str, float]
) -> None:
    """A joint that follows another has no state of its own."""
    joints = system.model().joints
    for coupling in system.couplings.values():
        joint = joints[coupling.follower]
        leader = joints[_leader(system, joint)]
        for table, start, symbol, other in (
            ("coordinates", coordinates, joint.q[0], leader.q[0]),
            ("speeds", speeds, joint.u[0], leader.u[0]),
        ):
            if symbol.name in start:
                at = (*path, table, symbol.name)
                message = f"joint '{joint.name}' follows '{leader.name}' and has no state of its own."
                values.document.problem(at, message, f"Give {quoted(other.name)} instead.", "E-MODELFILE-TWICE")


def _outward(system: System) -> list[Joint]:
    """The joints, each after the one that carries its parent."""
    by_parent: dict[str, list[Joint]] = {}
    for joint in system.model().joints.values():
        by_parent.setdefault(joint.parent, []).append(joint)
    order: list[Joint] = []
    stack = list(by_parent.get(GROUND, []))
    while stack:
        joint = stack.pop()
        order.append(joint)
        stack.extend(by_parent.get(joint.child, []))
    return order


def _warn_of_look_alikes(values: Values, table: str, names: Iterable[str]) -> None:
    seen: dict[str, str] = {}
    for name in names:
        first = seen.setdefault(unicodedata.normalize("NFKC", name), name)
        if first != name:
            values.document.finding(
                (table, name), f"this name looks like another one, {first!r}, but is spelled with different characters."
            )
