"""A mode of contacts as a mechanism: what is closed becomes constraints, what is open is left out.

A group that sticks keeps its gap and has no tangent velocities; one that slips without friction keeps its gap. Linear
models, equilibria, reactions, gradients and optimal control of the mode are those of a system with such constraints.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeVar

from ..errors import ModelError, check_kind, listed, unknown
from ..expr import is_zero
from ..registry import registered

if TYPE_CHECKING:
    from .constraints.unilateral import Group
    from .contact_methods import ContactMethods

S = TypeVar("S", bound="ContactMethods")
_MODES = ("stick", "slip")


def with_contacts(system: S, closed: Mapping[str, str]) -> S:
    """A system whose closed contacts, stops and stuck joints, by name with a mode each, are constraints."""
    check_kind(
        Mapping,
        "modes by the names of contacts",
        closed,
        "with_contacts",
        'Give a mapping, such as {"toe": "stick"}; {} leaves all out.',
    )
    model = system.model()
    moving = registered("Model.moving")(model)
    groups: dict[str, Group] = {}
    parts: dict[str, list[str]] = {}
    for name, element in model.contacts.items():
        for group in element.groups(moving):
            label = f"{name} {group.part}" if group.part else name
            groups[label] = group
            parts.setdefault(name, []).append(label)
    constrained = type(system).of(replace(model, contacts=MappingProxyType({})))
    for name, mode in closed.items():
        labels = parts.get(name, [name])
        if len(labels) > 1:
            message = f"it has several parts, and not all of them are closed: {listed(list(map(repr, labels)))}."
            raise ModelError(message, f"contact '{name}'", "Name those that are.", "E-MODEL-NAME")
        if labels[0] not in groups:
            raise unknown("contact", name, groups, place="with_contacts", code="E-MODEL-NAME")
        if mode not in _MODES:
            raise unknown("mode", mode, _MODES, place=f"contact '{name}'", code="E-MODEL-NAME")
        _constrain(constrained, labels[0], groups[labels[0]], mode)
    return constrained


def _constrain(system: ContactMethods, name: str, group: Group, mode: str) -> None:
    """The constraints of a closed group."""
    tangents = group.rates[len(group.rates) - group.tangents :]
    if mode == "slip" and tangents and not (is_zero(group.kinetic) and is_zero(group.static)):
        message = "it slips with friction, which follows from its normal force and is no constraint."
        cure = "Have it stick, give it no friction, or make it compliant: stiffness=…."
        raise ModelError(message, f"contact '{name}'", cure, "E-CONSTRAINT-UNSUPPORTED")
    if group.gap is not None:
        system.constrain(f"{name} gap", group.gap)
    for k, rate in enumerate(tangents if mode == "stick" else ()):
        system.constrain_speed(f"{name} slip {k + 1}" if len(tangents) > 1 else f"{name} slip", rate)
