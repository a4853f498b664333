"""Transmissions: a joint behind a gear is a joint with a motor.

A `<transmission>` of one joint and one actuator says by its `<mechanicalReduction>` how often the rotor turns for one
turn of the joint; Drake's `<drake:gear_ratio>` says the same, and `<drake:rotor_inertia>` the rotor's inertia. Without
that the motor has no rotor, and the equations do not know of it. Of those of several joints it is told that they are
left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from ...expr.rational import decimal
from ...model import System
from ..findings import Findings
from ..markup import Element
from ..numbers import is_sane
from .parts import ONE_FREEDOM, JointPart


@dataclass(frozen=True)
class Transmission:
    """A joint, what its motor turns for one turn of it, and the rotor's inertia."""

    joint: str
    reduction: Fraction
    inertia: Fraction
    line: int


def parse_transmissions(root: Element, findings: Findings) -> list[Transmission]:
    """The simple transmissions of a document; of the others one warning tells that they are left out."""
    found = [(element, _simple(element, findings)) for element in root.all("transmission")]
    lines = [element.line for element, made in found if made is None]
    if lines:
        listed = ", ".join(map(str, lines[:12])) + (" …" if len(lines) > 12 else "")
        said = f"only transmissions of one joint and one actuator are modelled (lines {listed})."
        findings.warn(findings.place(lines[0], "<transmission>"), said, "", "W-URDF-015")
    return [made for _, made in found if made is not None]


def _simple(element: Element, findings: Findings) -> Transmission | None:
    joints, actuators = element.all("joint"), element.all("actuator")
    if len(joints) != 1 or len(actuators) != 1 or not joints[0].attributes.get("name"):
        return None
    holders = (actuators[0], joints[0], element)
    reduction = _value(holders, {"mechanicalReduction": None, "drake:gear_ratio": "value"}, Fraction(1), findings)
    inertia = _value(holders, {"drake:rotor_inertia": "value"}, Fraction(0), findings)
    return Transmission(joints[0].attributes["name"], reduction, inertia, element.line)


def _value(
    holders: Iterable[Element], tags: Mapping[str, str | None], otherwise: Fraction, findings: Findings
) -> Fraction:
    """The first number that one of the elements holds under one of the tags, as its text or an attribute."""
    for child in (child for holder in holders for tag in tags for child in holder.all(tag)):
        attribute = tags[child.tag]
        text = child.text if attribute is None else child.attributes.get(attribute, "")
        value = decimal(text.strip())
        if value is not None and is_sane(value):
            return value
        said = f"{text.strip()[:40]!r} is not a number; {otherwise} is taken."
        findings.warn(findings.place(child.line, child.shown()), said, "", "W-URDF-016")
    return otherwise


def add_motors(
    system: System, transmissions: Sequence[Transmission], joints: Sequence[JointPart], findings: Findings
) -> None:
    """A motor on each joint that a transmission drives; its rotor is decoupled, as reflected inertia is."""
    kinds = {joint.name: joint.kind for joint in joints}
    geared: list[str] = []
    for each in transmissions:
        place = findings.place(each.line, f"transmission of joint '{each.joint}'")
        if each.joint not in kinds:
            findings.warn(place, "there is no such joint in what was read; it is left out.", "", "W-URDF-017")
        elif kinds[each.joint] not in ONE_FREEDOM or not each.reduction or each.inertia < 0:
            reason = f"a {kinds[each.joint]} joint" if kinds[each.joint] not in ONE_FREEDOM else "such a gear"
            findings.warn(place, f"{reason} has no motor; it is left out.", "", "W-URDF-017")
        elif each.joint in system.motors:
            findings.warn(place, "the joint has a motor already; this one is left out.", "", "W-URDF-017")
        else:
            system.motor(each.joint, each.reduction, inertia=each.inertia, coupling="reduced")
            geared += [] if each.inertia else [each.joint]
    if geared:
        said = f"{len(geared)} transmissions say no rotor inertia; efforts are those on the joints."
        findings.notice(findings.file, said, "N-URDF-011")
