"""Joints that follow another: q = multiplier · leader + offset, checked to make sense."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from ...errors import suggestion
from .parts import JointPart
from .report import Findings

_ONE_FREEDOM = ("revolute", "continuous", "prismatic")


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
            findings.warn(joint.mimic_line, what, "the joint is fixed and follows nothing.", "", "W-URDF-014")
        elif treatment == "independent":
            findings.warn(
                joint.mimic_line,
                what,
                f"the coupling {law} is set aside: the joint moves on its own.",
                "Command both joints alike to keep them together.",
                "W-URDF-004",
            )
        elif fault := _fault(joint, by_name):
            findings.problem(joint.mimic_line, what, *fault, "E-URDF-051")
        elif treatment == "refuse":
            findings.problem(
                joint.mimic_line,
                what,
                f"the coupling {law} is refused, as was asked.",
                'Pass mimic="couple" to keep it, or mimic="independent" to give the joint a coordinate of its own.',
                "E-URDF-050",
            )
        else:
            coupled.append(joint)
            findings.notice(joint.mimic_line, what, f"it has no coordinate of its own: {law}.", "N-URDF-008")
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
        if one.kind not in _ONE_FREEDOM:
            return (
                f"joint '{one.name}' is {one.kind}; only a joint with one freedom can lead or follow.",
                "Name a revolute, continuous or prismatic joint.",
            )
    if multiplier == 0:
        return "the multiplier is 0, so the joint would never move.", "Make the joint fixed instead."
    path = [joint.name]
    while (further := by_name[path[-1]].facts.mimics) is not None and further[0] in by_name:
        if further[0] in path:
            return (
                f"the joints follow each other: {' → '.join([*path, further[0]])}.",
                "Let one of them lead.",
            )
        path.append(further[0])
    return None
