"""Joints that follow another: q = multiplier · leader + offset, checked to make sense."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches

from .parts import JointPart
from .report import Findings

_ONE_FREEDOM = ("revolute", "continuous", "prismatic")


def check_mimics(joints: Sequence[JointPart], treatment: str, findings: Findings) -> None:
    """A follower needs a leader that moves and does not follow it in turn; then `treatment` says what becomes of it.

    A System has no coupled coordinates, so a follower is refused, or on request ("independent") given a coordinate of
    its own, as Pinocchio does by default.
    """
    by_name = {joint.name: joint for joint in joints}
    followers = [joint for joint in joints if joint.facts.mimics is not None]
    sound = [joint for joint in followers if _is_sound(joint, by_name, findings)]
    for joint in sound:
        leader, multiplier, offset = joint.facts.mimics or ("", 0, 0)
        law = f"{joint.name} = {float(multiplier):g}·{leader} + {float(offset):g}"
        if treatment == "refuse":
            findings.problem(
                joint.mimic_line,
                f"joint '{joint.name}' <mimic>",
                f"the coupling {law} cannot be modelled.",
                'Pass mimic="independent" to give the joint a coordinate of its own.',
                "E-URDF-050",
            )
        else:
            findings.warn(
                joint.mimic_line,
                f"joint '{joint.name}' <mimic>",
                f"the coupling {law} is left out: the joint moves on its own.",
                "Command both joints alike to keep them together.",
                "W-URDF-004",
            )


def _is_sound(joint: JointPart, by_name: dict[str, JointPart], findings: Findings) -> bool:
    if joint.facts.mimics is None:
        return False
    leader, multiplier, _ = joint.facts.mimics

    def refuse(message: str, cure: str) -> bool:
        findings.problem(
            joint.mimic_line, f'joint \'{joint.name}\' <mimic joint="{leader}">', message, cure, "E-URDF-051"
        )
        return False

    if leader not in by_name:
        close = get_close_matches(leader, by_name, n=1)
        return refuse(f"there is no joint '{leader}'.", f"Did you mean '{close[0]}'?" if close else "Name a joint.")
    if leader == joint.name:
        return refuse("a joint cannot follow itself.", "Name another joint.")
    for follower in (joint, by_name[leader]):
        if follower.kind not in _ONE_FREEDOM:
            return refuse(
                f"joint '{follower.name}' is {follower.kind}, and only a joint with one freedom can lead or follow.",
                "Name a revolute, continuous or prismatic joint.",
            )
    if multiplier == 0:
        return refuse("the multiplier is 0, so the joint would never move.", "Make the joint fixed instead.")
    path = [joint.name]
    while (next_one := by_name[path[-1]].facts.mimics) is not None and next_one[0] in by_name:
        if next_one[0] in path:
            return refuse(f"the joints follow each other: {' → '.join([*path, next_one[0]])}.", "Let one of them lead.")
        path.append(next_one[0])
    return True
