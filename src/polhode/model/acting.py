"""Putting a force element on a System: what a user gave is read, and what it comes to is checked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..errors import ModelError
from ..expr import derivative, free_symbols
from .field_values import check_element, completed, field_values
from .forces.protocol import LENGTH, RATE, ForceElement, LineTension, PotentialEnergy, PrimitiveLoad
from .lookup import joint_named
from .reading import checked_name

if TYPE_CHECKING:
    from .builder import Builder


def apply(system: Builder, kind: type[ForceElement], given: Mapping[str, Any]) -> None:
    """Add an element to a system's loads."""
    check_element(kind, ForceElement, "a force element")
    given = completed(kind.fields, given, kind.title())
    if not isinstance(given["name"], str) or given["name"]:
        checked_name(given["name"], kind.title())
    joints = [joint_named(system, given[each.name], kind.title()) for each in kind.fields if each.kind == "joint"]
    place = kind.place_of(given["name"], *(joint.name for joint in joints))
    made = kind(**field_values(system, kind.fields, given, place))
    _check_ends(made)
    for load in made.loads(system.model()):
        _check(made, load)
    system._add("loads", made.name, made)


def _check_ends(element: ForceElement) -> None:
    """Refuse what acts between a body and itself."""
    bodies = [getattr(element, each.name) for each in element.fields if each.kind == "body"]
    again = [body for k, body in enumerate(bodies) if body in bodies[:k]]
    if again:
        raise ModelError(f"both ends are on body '{again[0]}'.", place=element.place, code="E-MODEL-010")


def _check(element: ForceElement, load: PrimitiveLoad) -> None:
    """Refuse energies that depend on the motion, and tensions that do not follow from their energy."""
    if isinstance(load, PotentialEnergy | LineTension):
        moving = {"speed", "effort", "acceleration"} | ({"coordinate"} if isinstance(load, LineTension) else set())
        wrong = [x for x in free_symbols([load.energy]) if x.data[0] in moving or x is RATE]
        if wrong:
            raise ModelError(
                f"a potential cannot depend on the {wrong[0].data[0]} '{wrong[0].name}'.",
                place=element.place,
                cure="Use joint_force, force, torque or line_force for what depends on motion.",
                code="E-MODEL-018",
            )
    if isinstance(load, LineTension) and derivative([load.energy], LENGTH)[0] != load.elastic:
        raise ModelError(
            f"the elastic tension {load.elastic} is not the slope of the stored energy {load.energy}.",
            place=element.place,
            cure="Give its derivative by LENGTH, and what is not elastic as the tension.",
            code="E-MODEL-090",
        )
