"""Adding constraints and force elements to a System: what a user gave is read and checked."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, TypeVar

from ..errors import ModelError
from ..expr import as_expr, derivative, free_symbols, gradient, is_zero
from .body import Frame
from .builder import Builder
from .constraints.protocol import Constraint, ContactConstraint, check_bodies
from .field_values import check_element, completed, field_values
from .forces import protocol as p
from .forces.protocol import EnergyStore, ForceElement, LineTension, PointForce, PotentialEnergy, PrimitiveLoad
from .joints import JointType
from .lookup import check_new, check_spellings, joint_named
from .reading import checked_name, index_of, number_of
from .records import Coupling, Joint, Prescribed

C = TypeVar("C", bound=Constraint)


def couple(
    system: Builder, follower: Joint | str, leader: Joint | str, multiplier: Any = 1, offset: Any = 0
) -> Coupling:
    after, before = joint_named(system, follower, "coupling"), joint_named(system, leader, f"coupling of '{follower}'")
    place = f"coupling of '{after.name}' to '{before.name}'"
    for joint in (after, before):
        if len(joint.q) != 1 or len(joint.u) != 1 or joint.type.kind == "elastic":
            kind = " elastic" if joint.type.kind == "elastic" else ""
            message = f"joint '{joint.name}' has {len(joint.q)}{kind} coordinates."
            cure = "Only joints with one coordinate, that is not elastic, can be coupled."
            raise ModelError(message, place, cure, "E-MODEL-SHAPE")
        if joint.stores_tangent(0):
            message = f"joint '{joint.name}' stores tan(θ/2), which is not proportional to its angle."
            raise ModelError(message, place, 'Store it as an angle: storage="angles".', "E-MODEL-UNSUPPORTED")
    if after.name in system.couplings:
        message = f"it already follows '{system.couplings[after.name].leader}'."
        raise ModelError(message, place, "Couple a joint once.", "E-MODEL-TWICE")
    at: str | None = before.name
    while at is not None:
        if at == after.name:
            raise ModelError("a joint cannot follow itself.", place, "Break the circle.", "E-MODEL-TREE")
        at = system.couplings[at].leader if at in system.couplings else None
    coupling = Coupling(after.name, before.name, number_of(multiplier, place), number_of(offset, place))
    if not coupling.multiplier:
        raise ModelError("the multiplier is zero.", place, "Weld it with a fixed joint instead.", "E-MODEL-NUMBER")
    system._add("couplings", after.name, coupling)
    return coupling


def prescribe(system: Builder, joint: Joint | str, motion: Any, index: int = 0) -> Prescribed:
    record = joint_named(system, joint, "prescribed motion")
    place = f"prescribed motion of '{record.name}'"
    index = index_of(index, len(record.q), "coordinate", place)
    if not _stands_alone(record.type, index):
        message = f"coordinate number {index} of this {record.type.kind} joint cannot be prescribed alone."
        cure = (
            "Prescribe revolute, prismatic or screw joints, or a compound of them; or weld it at=…, rotation=… of time."
        )
        raise ModelError(message, place, cure, "E-MODEL-UNSUPPORTED")
    name = record.q[index].name
    if name in system.prescribed or record.name in system.couplings:
        cure = "Prescribe or couple it once."
        raise ModelError(f"the motion of '{name}' is already given.", place, cure, "E-MODEL-TWICE")
    prescribed = Prescribed(record.name, name, number_of(motion, place))
    system._add("prescribed", name, prescribed)
    return prescribed


def constraint(system: Builder, name: str, kind: type[C], given: Mapping[str, Any]) -> C:
    check_element(kind, Constraint, "a constraint")
    place = kind.place_of(name)
    check_new("constraint", name, *_names(system))
    given = completed(kind.fields, given, place)
    if issubclass(kind, ContactConstraint):
        _check_frames(system, [given[field.name] for field in kind.fields if field.kind == "body"], place)
    values = field_values(system, kind.fields, given, place, name)
    if any(field.of == "coordinate" for field in kind.fields):
        _check_coordinate(joint_named(system, values["joint"], place), values["index"], place)
    record = kind.of(name, values, given)
    check_bodies(record)
    check_spellings(system, record.coordinates, place)
    system._add(kind.store, name, record)
    _warn_of_bends(system, record)
    return record


def _names(system: Builder) -> tuple[Collection[str], ...]:
    """The names of constraints, contacts and stops."""
    return system.constraints, system.contacts, [load.name for load in system.loads if load.unique]


def _warn_of_bends(system: Builder, element: Constraint | ForceElement) -> None:
    """Warn where surfaces that touch are a ball and heights that bend more sharply."""
    surfaces = [getattr(element, field.name) for field in element.fields if field.kind == "surface"]
    if surfaces:
        from .constraints.bends import warn_of_bends

        values = {each.symbol: float(each.value) for each in system.parameters.values() if each.value is not None}
        warn_of_bends(surfaces[0], surfaces[1], values, element.place)


def _check_coordinate(joint: Joint, index: int, place: str) -> None:
    """Refuse a coordinate that is a part of an orientation."""
    if not joint.type.alone[index]:
        message = f"the coordinate '{joint.q[index].name}' is a part of an orientation, and has no stops alone."
        raise ModelError(message, place, 'Store it as angles: storage="angles".', "E-MODEL-UNSUPPORTED")


def _check_frames(system: Builder, ends: Sequence[Any], place: str) -> None:
    """Refuse frames that move on their bodies where bodies touch."""
    for end in ends:
        frame = end if isinstance(end, Frame) else system.frames.get(end) if isinstance(end, str) else None
        if frame is not None and system.time in free_symbols(map(as_expr, (*frame.pose.R.entries(), *frame.pose.p))):
            message = f"the frame '{frame.name}' moves on its body in time, and it is bodies that touch."
            cure = "Make it a body on a joint, and prescribe that joint's motion."
            raise ModelError(message, place, cure, "E-CONSTRAINT-UNSUPPORTED")


def _stands_alone(kind: JointType, index: int) -> bool:
    """Whether a coordinate is the only one of its stage, and its rate the only speed."""
    first = 0
    for stage in kind.stages:
        if first == index:
            return stage.coordinates == stage.speeds == 1
        first += stage.coordinates
    return False


def apply(system: Builder, kind: type[ForceElement], given: Mapping[str, Any]) -> None:
    """Add an element to a system's loads."""
    check_element(kind, ForceElement, "a force element")
    given = completed(kind.fields, given, kind.title())
    if not isinstance(given["name"], str) or given["name"]:
        checked_name(given["name"], kind.title())
        if kind.unique:
            check_new(kind.title(), given["name"], *_names(system))
    joints = [joint_named(system, given[field.name], kind.title()) for field in kind.fields if field.kind == "joint"]
    place = kind.place_of(given["name"], *(joint.name for joint in joints))
    element = kind(**field_values(system, kind.fields, given, place))
    _check_ends(element)
    for load in element.loads(system.model()):
        _check(element, load)
    system._add("loads", element.name, element)
    _warn_of_bends(system, element)


def _check_ends(element: ForceElement) -> None:
    """Refuse a force element between a body and itself."""
    bodies = [getattr(element, field.name) for field in element.fields if field.kind == "body"]
    again = [body for k, body in enumerate(bodies) if body in bodies[:k]]
    if again:
        cure = "Give two bodies, or a body and the ground."
        raise ModelError(f"both ends are on body '{again[0]}'.", element.place, cure, "E-MODEL-TREE")


def _check(element: ForceElement, load: PrimitiveLoad) -> None:
    """Refuse energies that depend on the motion, and tensions that do not follow from their energy."""
    if isinstance(load, EnergyStore) and load.energy is not None:
        moving = {"speed", "effort", "acceleration", "velocity"}
        moving |= set() if isinstance(load, PotentialEnergy) else {"coordinate"}
        wrong = [x for x in free_symbols([load.energy]) if x.data[0] in moving or x is p.RATE]
        if wrong:
            message = f"a potential cannot depend on the {wrong[0].data[0]} '{wrong[0].name}'."
            cure = "Use joint_force, force, torque or line_force for what depends on motion."
            raise ModelError(message, element.place, cure, "E-MODEL-DEPENDENCE")
    if isinstance(load, PointForce) and load.energy is not None:
        slope = gradient(load.energy, list(p.POSITION))
        if load.frame != p.GROUND or not all(is_zero(f + s) for f, s in zip(load.vector, slope, strict=True)):
            message = f"the force on '{load.body}' is not the downward slope -∂V/∂r of its potential."
            raise ModelError(message, element.place, "Give the potential alone.", "E-MODEL-DEPENDENCE")
    if isinstance(load, LineTension) and derivative([load.energy], p.LENGTH)[0] != load.elastic:
        message = f"the elastic tension {load.elastic} is not the slope of the stored energy {load.energy}."
        cure = "Give its derivative by LENGTH, and what is not elastic as the tension."
        raise ModelError(message, element.place, cure, "E-MODEL-DEPENDENCE")
