"""Joints beyond their motion: followers (q = multiplier · leader + offset), locked ones, and those behind a gear.

A `<transmission>` of one joint and one actuator makes a motor: its `<mechanicalReduction>` or Drake's
`<drake:gear_ratio>` is how often the rotor turns for one turn of the joint, `<drake:rotor_inertia>` its inertia.
Without that the motor has no rotor, and the equations do not depend on it. Those of several joints are left out.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, NamedTuple

from ...errors import FormatError, suggestion, understood, unknown
from ...expr.rational import decimal
from ...model import System
from ..findings import Findings
from ..robot_file.markup import Element
from ..robot_file.parts import ONE_FREEDOM, JointPart, is_sane

#: Names of joints, locked at zero; or values by name.
Locked = str | Iterable[str] | Mapping[str, Any]


# ---- joints that follow another -------------------------------------------------------------------------------


class Law(NamedTuple):
    """The joint that a joint follows in the end, and how: q = multiplier · leader + offset."""

    leader: str
    multiplier: Fraction
    offset: Fraction


def check_mimics(joints: Sequence[JointPart], treatment: str, findings: Findings) -> list[JointPart]:
    """The joints to couple: all that mimic others for "couple", none for "independent", a problem for "refuse"."""
    by_name = {joint.name: joint for joint in joints}
    coupled: list[JointPart] = []
    for joint in joints:
        if joint.facts.mimics is None or joint.locked is not None:
            continue
        leader, multiplier, offset = joint.facts.mimics
        what = f"joint '{joint.name}' <mimic joint=\"{leader}\">"
        law = f"{joint.name} = {float(multiplier):g}·{leader} + {float(offset):g}"
        if joint.kind == "fixed":
            message = "the joint is fixed and follows nothing."
            findings.warn((joint.mimic_line, what), message, "", "W-ROBOT-UNSUPPORTED")
        elif treatment == "independent":
            at = (joint.mimic_line, what)
            message = f"the coupling {law} is set aside: the joint moves on its own."
            findings.warn(at, message, "Command both joints alike to keep them together.", "W-ROBOT-UNSUPPORTED")
        elif (fault := _fault(joint, by_name)) and treatment != "refuse":
            message, cure = fault
            message = f"{message} The joint moves on its own."
            findings.warn((joint.mimic_line, what), message, cure, "W-ROBOT-UNSUPPORTED")
        elif fault:
            findings.problem((joint.mimic_line, what), *fault, "E-ROBOT-UNSUPPORTED")
        elif treatment == "refuse":
            at = (joint.mimic_line, what)
            cure = 'Pass mimic="couple" to keep it, or mimic="independent" to give the joint a coordinate of its own.'
            findings.problem(at, f'the coupling {law} is refused by mimic="refuse".', cure, "E-ROBOT-UNSUPPORTED")
        else:
            coupled.append(joint)
            findings.notice((joint.mimic_line, what), f"it has no coordinate of its own: {law}.", "N-ROBOT-DEPENDENCE")
    return coupled


def without_idle(
    joints: Sequence[JointPart], coupled: Sequence[JointPart], idle: Collection[str]
) -> tuple[list[JointPart], list[JointPart]]:
    """The joints and followers, with idle ones, their leaders among them, locked where their leaders are at zero."""
    by_name = {joint.name: joint for joint in joints}
    held = [
        replace(joint, kind="fixed", locked=law_of(joint, by_name).offset) if joint.name in idle else joint
        for joint in joints
    ]
    return held, [joint for joint in coupled if joint.name not in idle]


def law_of(joint: JointPart, by_name: Mapping[str, JointPart]) -> Law:
    """How a joint follows the first of its leaders that follows nothing; a senseless coupling counts for nothing."""
    name, factor, shift = joint.name, Fraction(1), Fraction(0)
    while (mimics := by_name[name].facts.mimics) is not None and _fault(by_name[name], by_name) is None:
        name, multiplier, offset = mimics
        shift += factor * offset
        factor *= multiplier
    return Law(name, factor, shift)


def _fault(joint: JointPart, by_name: Mapping[str, JointPart]) -> tuple[str, str] | None:
    """What makes a coupling senseless, and the cure."""
    leader, multiplier, _ = joint.facts.mimics or ("", 0, 0)
    if leader not in by_name:
        return f"there is no joint '{leader}'.", suggestion(leader, by_name, "Name a joint.")
    if leader == joint.name:
        return "a joint cannot follow itself.", "Name another joint."
    for one in (joint, by_name[leader]):
        if one.kind not in ONE_FREEDOM:
            return (
                f"joint '{one.name}' is {one.kind}; only a joint with one freedom can lead or follow.",
                "Name a revolute, continuous or prismatic joint.",
            )
    if multiplier == 0:
        return "the multiplier is 0, so the joint would never move.", "Make the joint fixed instead."
    path = [joint.name]
    while (further := by_name[path[-1]].facts.mimics) is not None and further[0] in by_name:
        if further[0] in path:
            return (f"the joints follow each other: {' → '.join([*path, further[0]])}.", "Remove one of the couplings.")
        path.append(further[0])
    return None


# ---- joints that are locked -----------------------------------------------------------------------------------


def lock_joints(joints: Sequence[JointPart], locked: Locked, coupled: bool, findings: Findings) -> list[JointPart]:
    """The joints, locked ones as fixed; with `coupled` a joint is locked with its followers, consistently."""
    by_name = {joint.name: joint for joint in joints}
    value_of = _values(locked, by_name, findings)
    alone = {name: Law(name, Fraction(1), Fraction(0)) for name in by_name}
    laws = {name: law_of(joint, by_name) for name, joint in by_name.items()} if coupled else alone
    lead: dict[str, tuple[str, Fraction]] = {}  # leader -> who locked it, and where it is then
    for name, value in value_of.items():
        law = laws[name]
        position = (value - law.offset) / law.multiplier
        first, held = lead.setdefault(law.leader, (name, position))
        if held != position:
            wanted = law.multiplier * held + law.offset
            at = (by_name[name].line, f"joint '{name}'")
            message = (
                f"it cannot be locked at {float(value):g}: it is coupled to '{first}', which puts it at "
                f"{float(wanted):g}."
            )
            findings.problem(at, message, f"Lock '{first}' alone.", "E-ROBOT-TWICE")
    return [_lock(joint, laws[joint.name], value_of, lead, findings) for joint in joints]


def _lock(
    joint: JointPart,
    law: Law,
    value_of: Mapping[str, Fraction],
    lead: Mapping[str, tuple[str, Fraction]],
    findings: Findings,
) -> JointPart:
    if law.leader not in lead:
        return joint
    what = f"joint '{joint.name}'"
    by, held = lead[law.leader]
    value = law.multiplier * held + law.offset
    if joint.kind == "fixed":
        findings.notice((joint.line, what), "it is to be locked, and is fixed anyway.", "N-ROBOT-DEPENDENCE")
        return joint
    if value and joint.kind in ("floating", "planar"):
        message = f"a {joint.kind} joint has no single coordinate to be {float(value):g}."
        findings.problem((joint.line, what), message, "Lock it at 0.", "E-ROBOT-UNSUPPORTED")
    lower, upper = joint.facts.lower, joint.facts.upper
    if (lower is not None and value < lower) or (upper is not None and value > upper):
        message = f"it is locked at {float(value):g}, outside its limits."
        findings.warn((joint.line, what), message, "", "W-ROBOT-NUMBER")
    cause = "" if joint.name in value_of else f", as it is coupled to '{by}'"
    findings.notice((joint.line, what), f"it is locked at {float(value):g}{cause}.", "N-ROBOT-DEPENDENCE")
    return replace(joint, kind="fixed", locked=value)


def _values(locked: Locked, by_name: Mapping[str, JointPart], findings: Findings) -> dict[str, Fraction]:
    """The value of each locked joint."""
    with understood("a list of joints", locked, place="locked", cure="Give names, or a mapping from names to numbers."):
        names = [locked] if isinstance(locked, str) else list(locked)
    values: dict[str, Fraction] = {}
    for name in names:
        if not isinstance(name, str) or name not in by_name:
            raise unknown("joint to lock", name, by_name, place=findings.file, code="E-ROBOT-NAME", error=FormatError)
        wanted = locked[name] if isinstance(locked, Mapping) else 0
        value = wanted if isinstance(wanted, Fraction) else decimal(str(wanted))
        if value is None or not is_sane(value):
            message = f"{str(wanted)[:40]!r} is not a number to lock joint '{name}' at."
            raise FormatError(message, findings.file, "Give a finite number, in radians or metres.", "E-ROBOT-NUMBER")
        values[name] = value
    return values


# ---- joints with a motor ---------------------------------------------------------------------------------------


class Transmission(NamedTuple):
    """A joint, the motor's turns for one of it, and the rotor's inertia."""

    joint: str
    reduction: Fraction
    inertia: Fraction
    line: int


def parse_transmissions(root: Element, findings: Findings) -> list[Transmission]:
    """The simple transmissions of a document; one warning lists the others."""
    read = [(element, _simple(element, findings)) for element in root.all("transmission")]
    lines = [element.line for element, result in read if result is None]
    if lines:
        listed = ", ".join(map(str, lines[:12])) + (" …" if len(lines) > 12 else "")
        message = f"only transmissions of one joint and one actuator are modelled (lines {listed})."
        findings.warn((lines[0], "<transmission>"), message, "", "W-ROBOT-UNSUPPORTED")
    return [result for _, result in read if result is not None]


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
        message = f"{text.strip()[:40]!r} is not a number; {otherwise} is taken."
        findings.warn((child.line, child.shown()), message, "", "W-ROBOT-NUMBER")
    return otherwise


def add_motors(
    system: System, transmissions: Sequence[Transmission], joints: Sequence[JointPart], findings: Findings
) -> None:
    """A motor on each joint that a transmission drives; its rotor is decoupled, as reflected inertia is."""
    kinds = {joint.name: joint.kind for joint in joints}
    geared: list[str] = []
    for gear in transmissions:
        at = (gear.line, f"transmission of joint '{gear.joint}'")
        if gear.joint not in kinds:
            findings.warn(at, "there is no such joint in what was read; it is left out.", "", "W-ROBOT-NAME")
        elif kinds[gear.joint] not in ONE_FREEDOM or not gear.reduction or gear.inertia < 0:
            reason = f"a {kinds[gear.joint]} joint" if kinds[gear.joint] not in ONE_FREEDOM else "such a gear"
            findings.warn(at, f"{reason} has no motor; it is left out.", "", "W-ROBOT-NAME")
        elif gear.joint in system.motors:
            findings.warn(at, "the joint has a motor already; this one is left out.", "", "W-ROBOT-NAME")
        else:
            system.motor(gear.joint, gear.reduction, inertia=gear.inertia, coupling="reduced")
            geared += [] if gear.inertia else [gear.joint]
    if geared:
        message = f"{len(geared)} transmissions say no rotor inertia; efforts are those on the joints."
        findings.notice(findings.file, message, "N-ROBOT-UNSUPPORTED")
