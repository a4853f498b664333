"""Joint limits, damping and friction: recorded for others, checked for sense."""

from __future__ import annotations

from collections.abc import Sequence
from math import pi

from .parts import JointPart
from .report import Findings


def check_limits(joints: Sequence[JointPart], dynamics: bool, findings: Findings) -> None:
    """Limits must leave a way between them; what is recorded but does not act is noticed."""
    for joint in joints:
        facts = joint.facts
        what = f"joint '{joint.name}' <limit>"
        if facts.lower is not None and facts.upper is not None and facts.lower > facts.upper:
            findings.problem(
                joint.line,
                what,
                f"the lower limit {float(facts.lower):g} is above the upper limit {float(facts.upper):g}.",
                "Swap them.",
                "E-URDF-033",
            )
        if joint.kind in ("revolute", "prismatic") and facts.lower is None:
            findings.notice(joint.line, what, "there are no limits; the joint moves freely.", "N-URDF-005")
    wide = [joint for joint in joints if joint.kind == "revolute" and _beyond_a_turn(joint)]
    if wide:
        findings.warn(
            wide[0].line,
            f"{len(wide)} joints <limit>",
            f"the limits go beyond a full turn: {', '.join(joint.name for joint in wide)}.",
            "Are they in degrees?",
            "W-URDF-009",
        )
    _notice_losses(joints, dynamics, findings)


def _beyond_a_turn(joint: JointPart) -> bool:
    return max(abs(float(limit or 0)) for limit in (joint.facts.lower, joint.facts.upper)) > 2 * pi + 1e-6


def _notice_losses(joints: Sequence[JointPart], dynamics: bool, findings: Findings) -> None:
    damped = [joint for joint in joints if joint.facts.damping]
    rubbing = [joint for joint in joints if joint.facts.friction]
    if damped and not dynamics:
        findings.notice(
            damped[0].line,
            f"{len(damped)} joints <dynamics>",
            "damping is recorded but does not act; pass dynamics=True to add it.",
            "N-URDF-006",
        )
    for joint in damped if dynamics else ():
        if joint.locked is None and joint.kind not in ("revolute", "continuous", "prismatic"):
            findings.warn(
                joint.line,
                f"joint '{joint.name}' <dynamics>",
                f"damping of a {joint.kind} joint is not modelled.",
                "",
                "W-URDF-010",
            )
    if rubbing:
        findings.notice(
            rubbing[0].line,
            f"{len(rubbing)} joints <dynamics>",
            "dry friction is recorded but does not act.",
            "N-URDF-007",
        )
