"""Joints beyond their motion: limits and losses, followers (q = multiplier · leader + offset), and those locked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from math import pi
from typing import Any, NamedTuple

from ...errors import FormatError, listed, suggestion, understood, unknown
from ...expr.rational import decimal
from ..findings import Findings
from ..numbers import is_sane
from .parts import ONE_FREEDOM, JointPart

#: Names of joints, locked at zero; or values by name.
Locked = str | Iterable[str] | Mapping[str, Any]


# ---- limits, friction and damping -----------------------------------------------------------------------------


def check_limits(joints: Sequence[JointPart], dynamics: bool, findings: Findings) -> None:
    """Limits must leave a way between them; what is recorded but does not act is noticed."""
    for joint in joints:
        facts = joint.facts
        what = f"joint '{joint.name}' <limit>"
        if facts.lower is not None and facts.upper is not None and facts.lower > facts.upper:
            said = f"the lower limit {float(facts.lower):g} is above the upper limit {float(facts.upper):g}."
            findings.problem(findings.place(joint.line, what), said, "Swap them.", "E-URDF-033")
        if joint.kind in ("revolute", "prismatic") and facts.lower is None:
            findings.notice(
                findings.place(joint.line, what), "there are no limits; the joint moves freely.", "N-URDF-005"
            )
    _check_rated(joints, findings)
    wide = [joint for joint in joints if joint.kind == "revolute" and _beyond_a_turn(joint)]
    if wide:
        place = findings.place(wide[0].line, f"{len(wide)} joints <limit>")
        said = f"the limits go beyond a full turn: {', '.join(joint.name for joint in wide)}."
        findings.warn(place, said, "Are they in degrees?", "W-URDF-009")
    _notice_losses(joints, dynamics, findings)


def _check_rated(joints: Sequence[JointPart], findings: Findings) -> None:
    """The largest effort and velocity are not negative; 0 stands in files whose makers do not state them."""
    silent: dict[str, int] = {}
    for joint in joints:
        for name in ("effort", "velocity") if joint.kind in ONE_FREEDOM else ():
            value = getattr(joint.facts, name)
            if value is not None and value < 0:
                place = findings.place(joint.line, f"joint '{joint.name}' <limit>")
                cure = "Give the largest one, which holds in both directions."
                findings.problem(place, f"the {name} {float(value):g} is negative.", cure, "E-URDF-034")
            elif value == 0:
                silent.setdefault(joint.name, joint.line)
    if silent:
        place = findings.place(next(iter(silent.values())), f"{len(silent)} joints <limit>")
        said = f"an effort or velocity of 0 is taken as not stated: {listed(silent)}."
        findings.notice(place, said, "N-URDF-012")


def _beyond_a_turn(joint: JointPart) -> bool:
    return max(abs(float(limit or 0)) for limit in (joint.facts.lower, joint.facts.upper)) > 2 * pi + 1e-6


def _notice_losses(joints: Sequence[JointPart], dynamics: bool, findings: Findings) -> None:
    damped = [joint for joint in joints if joint.facts.damping]
    rubbing = [joint for joint in joints if joint.facts.friction]
    if damped and not dynamics:
        place = findings.place(damped[0].line, f"{len(damped)} joints <dynamics>")
        findings.notice(place, "damping is recorded but does not act; pass dynamics=True to add it.", "N-URDF-006")
    for joint in damped if dynamics else ():
        if joint.locked is None and joint.kind not in ONE_FREEDOM:
            place = findings.place(joint.line, f"joint '{joint.name}' <dynamics>")
            findings.warn(place, f"damping of a {joint.kind} joint is not modelled.", "", "W-URDF-010")
    if rubbing:
        place = findings.place(rubbing[0].line, f"{len(rubbing)} joints <dynamics>")
        findings.notice(place, "dry friction is recorded but does not act.", "N-URDF-007")


# ---- joints that follow another -------------------------------------------------------------------------------


class Law(NamedTuple):
    """The joint that a joint follows in the end, and how: q = multiplier · leader + offset."""

    leader: str
    multiplier: Fraction
    offset: Fraction


def check_mimics(joints: Sequence[JointPart], treatment: str, findings: Findings) -> list[JointPart]:
    """The joints that are to be coupled; says what becomes of each joint that is meant to follow another.

    "couple" makes it follow, so that it has no coordinate of its own; "independent" gives it one, as Pinocchio does
    by default, and lists the coupling that is set aside; "refuse" makes it a problem. A locked joint follows nothing.
    """
    by_name = {joint.name: joint for joint in joints}
    coupled: list[JointPart] = []
    for joint in joints:
        if joint.facts.mimics is None or joint.locked is not None:
            continue
        leader, multiplier, offset = joint.facts.mimics
        what = f"joint '{joint.name}' <mimic joint=\"{leader}\">"
        law = f"{joint.name} = {float(multiplier):g}·{leader} + {float(offset):g}"
        if joint.kind == "fixed":
            findings.warn(
                findings.place(joint.mimic_line, what), "the joint is fixed and follows nothing.", "", "W-URDF-014"
            )
        elif treatment == "independent":
            place = findings.place(joint.mimic_line, what)
            said = f"the coupling {law} is set aside: the joint moves on its own."
            findings.warn(place, said, "Command both joints alike to keep them together.", "W-URDF-004")
        elif fault := _fault(joint, by_name):
            findings.problem(findings.place(joint.mimic_line, what), *fault, "E-URDF-051")
        elif treatment == "refuse":
            place = findings.place(joint.mimic_line, what)
            cure = 'Pass mimic="couple" to keep it, or mimic="independent" to give the joint a coordinate of its own.'
            findings.problem(place, f"the coupling {law} is refused, as was asked.", cure, "E-URDF-050")
        else:
            coupled.append(joint)
            findings.notice(
                findings.place(joint.mimic_line, what), f"it has no coordinate of its own: {law}.", "N-URDF-008"
            )
    return coupled


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
            return (f"the joints follow each other: {' → '.join([*path, further[0]])}.", "Let one of them lead.")
        path.append(further[0])
    return None


# ---- joints that are locked -----------------------------------------------------------------------------------


def lock_joints(joints: Sequence[JointPart], locked: Locked, coupled: bool, findings: Findings) -> list[JointPart]:
    """The joints, those that are locked as fixed ones.

    With `coupled`, a joint and its followers are one freedom: to lock one of them is to lock them all, each where the
    coupling puts it, and values that contradict it are a problem.
    """
    by_name = {joint.name: joint for joint in joints}
    given = _values(locked, by_name, findings)
    alone = {name: Law(name, Fraction(1), Fraction(0)) for name in by_name}
    laws = {name: law_of(joint, by_name) for name, joint in by_name.items()} if coupled else alone
    lead: dict[str, tuple[str, Fraction]] = {}  # leader -> who locked it, and where it is then
    for name, value in given.items():
        law = laws[name]
        found = (value - law.offset) / law.multiplier
        first, held = lead.setdefault(law.leader, (name, found))
        if held != found:
            wanted = law.multiplier * held + law.offset
            place = findings.place(by_name[name].line, f"joint '{name}'")
            said = (
                f"it cannot be locked at {float(value):g}: it is coupled to '{first}', which puts it at "
                f"{float(wanted):g}."
            )
            findings.problem(place, said, f"Lock '{first}' alone.", "E-URDF-065")
    return [_lock(joint, laws[joint.name], given, lead, findings) for joint in joints]


def _lock(
    joint: JointPart,
    law: Law,
    given: Mapping[str, Fraction],
    lead: Mapping[str, tuple[str, Fraction]],
    findings: Findings,
) -> JointPart:
    if law.leader not in lead:
        return joint
    what = f"joint '{joint.name}'"
    by, held = lead[law.leader]
    value = law.multiplier * held + law.offset
    if joint.kind == "fixed":
        findings.notice(findings.place(joint.line, what), "it is to be locked, and is fixed anyway.", "N-URDF-010")
        return joint
    if value and joint.kind in ("floating", "planar"):
        said = f"a {joint.kind} joint has no single coordinate to be {float(value):g}."
        findings.problem(findings.place(joint.line, what), said, "Lock it at 0.", "E-URDF-066")
    lower, upper = joint.facts.lower, joint.facts.upper
    if (lower is not None and value < lower) or (upper is not None and value > upper):
        findings.warn(
            findings.place(joint.line, what), f"it is locked at {float(value):g}, outside its limits.", "", "W-URDF-013"
        )
    cause = "" if joint.name in given else f", as it is coupled to '{by}'"
    findings.notice(findings.place(joint.line, what), f"it is locked at {float(value):g}{cause}.", "N-URDF-009")
    return replace(joint, kind="fixed", locked=value)


def _values(locked: Locked, by_name: Mapping[str, JointPart], findings: Findings) -> dict[str, Fraction]:
    """The value of each locked joint."""
    with understood("a list of joints", locked, place="locked", cure="Give names, or a mapping from names to numbers."):
        names = [locked] if isinstance(locked, str) else list(locked)
    values: dict[str, Fraction] = {}
    for name in names:
        if not isinstance(name, str) or name not in by_name:
            raise unknown("joint to lock", name, by_name, place=findings.file, code="E-URDF-063", error=FormatError)
        wanted = locked[name] if isinstance(locked, Mapping) else 0
        value = wanted if isinstance(wanted, Fraction) else decimal(str(wanted))
        if value is None or not is_sane(value):
            said = f"{str(wanted)[:40]!r} is not a number to lock joint '{name}' at."
            cure = "Give a finite number, in radians or metres."
            raise FormatError(said, place=findings.file, cure=cure, code="E-URDF-064")
        values[name] = value
    return values
