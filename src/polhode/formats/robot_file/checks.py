"""Whether masses, inertias and limits can be those of real robots, and whether what moves has any mass."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from math import pi

import numpy as np

from ...errors import listed
from ...geometry.inertia import impossible_inertia, nearest_inertia, nearest_inertia_matrix
from ..findings import Findings, counted
from .parts import ONE_FREEDOM, JointPart, LinkPart

#: An inertia that is impossible by a smaller part of its size is a possible one that was rounded.
_NEARLY = 1e-3
_ENTRIES = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))
#: A microgram, in kg: no joint of a machine moves less.
_TINY = 1e-9


# ---- masses and inertias ---------------------------------------------------------------------------------------


def check_inertials(links: Sequence[LinkPart], inertia: str, findings: Findings) -> tuple[list[LinkPart], set[str]]:
    """Check each <inertial>; returns the links, some with the nearest possible inertia, and those with impossible ones.

    Unless `inertia` is "strict" or "any", one that is impossible by less than 1e-3 of its size, or negative, becomes
    the nearest possible one.
    """
    result: list[LinkPart] = []
    accepted: set[str] = set()
    for link in links:
        result.append(link)
        inertial = link.inertial
        if inertial is None:
            continue
        at = (inertial.line, f"link '{link.name}' <inertial>")
        if inertial.mass < 0:
            sentence = f"the mass {float(inertial.mass):g} is negative."
            findings.problem(at, sentence, "Give a mass ≥ 0.", "E-ROBOT-NUMBER")
        xx, yy, zz, xy, xz, yz = (float(entry) for entry in inertial.inertia)
        matrix = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        fault = impossible_inertia(matrix)
        if fault is None:
            continue
        message = (
            f"the inertia is not positive: its principal moments are {fault.moments}"
            if fault.negative
            else f"the principal moments {fault.moments} are impossible: the largest exceeds the sum of the others"
        )
        cure = f"The nearest possible inertia is {nearest_inertia(matrix)}."
        nearest = nearest_inertia_matrix(matrix)
        is_near = np.linalg.norm(nearest - matrix) < _NEARLY * np.linalg.norm(matrix)
        if inertia == "strict":
            sentence, cure = f"{message}.", f'{cure} To use it as it stands, pass inertia="any".'
            findings.problem(at, sentence, cure, "E-ROBOT-NUMBER")
        elif inertia == "any" or not (is_near or fault.negative):
            accepted.add(link.name)
            findings.warn(at, f"{message}; it is used as it stands.", cure, "W-ROBOT-NUMBER")
        else:
            entries = tuple(Fraction(repr(float(nearest[k]))) for k in _ENTRIES)
            result[-1] = replace(link, inertial=replace(inertial, inertia=entries))
            sentence = f"{message}; the nearest possible one is taken."
            if is_near:
                findings.notice(at, sentence, "N-ROBOT-NUMBER")
            else:
                findings.warn(at, sentence, cure, "W-ROBOT-NUMBER")
    return result, accepted


def check_moving_masses(
    root: str,
    links: Sequence[LinkPart],
    joints: Sequence[JointPart],
    coupled: Sequence[JointPart],
    massless: str,
    findings: Findings,
) -> set[str]:
    """The joints to lock, as they move no mass, directly or by coupled joints: the mass matrix would be singular."""
    mass = {link.name: link.inertial.mass if link.inertial else 0 for link in links}
    spin = {link.name: bool(link.inertial and any(link.inertial.inertia)) for link in links}
    carrier = {joint.child: joint for joint in joints}
    for joint in reversed(joints):
        mass[joint.parent] += mass[joint.child]
        spin[joint.parent] = spin[joint.parent] or spin[joint.child]
    leader = _leaders(joints, coupled)
    idle = {joint.name for joint in joints if not _resists(joint, mass[joint.child], spin[joint.child])}
    busy = {leader[joint.name] for joint in joints if joint.name not in idle}
    locked: set[str] = set()
    for joint in joints:
        at = (joint.line, f"joint '{joint.name}'")
        if 0 < mass[joint.child] < _TINY and joint.kind != "fixed":
            sentence = f"all that it moves is {float(mass[joint.child]):g} kg; accelerations will be inaccurate."
            findings.warn(at, sentence, f"Check the mass of link '{joint.child}'.", "W-ROBOT-SINGULAR")
        if joint.name not in idle or leader[joint.name] in busy:
            continue
        path = [joint.name]
        link = joint.parent
        while link != root:
            path.append(carrier[link].name)
            link = carrier[link].parent
        message = f"nothing that it moves has mass, so the mass matrix is singular (joints {' → '.join(path[::-1])})"
        cure = f"Give link '{joint.child}' an <inertial>, or make the joint fixed."
        if massless == "lock":
            locked.add(joint.name)
            findings.warn(at, f"{message}; it is locked.", cure, "W-ROBOT-SINGULAR")
        elif massless == "report":
            findings.warn(at, f"{message}.", cure, "W-ROBOT-SINGULAR")
        else:
            cure += ' To study motion without dynamics, pass massless="report".'
            findings.problem(at, f"{message}.", cure, "E-MODEL-SINGULAR")
    return locked


def _resists(joint: JointPart, mass: Fraction | int, spin: bool) -> bool:
    """Whether all that a joint carries has inertia against its motion; True for a joint that does not move."""
    return joint.kind == "fixed" or mass > 0 or (spin and joint.kind in ("revolute", "continuous"))


def _leaders(joints: Sequence[JointPart], coupled: Sequence[JointPart]) -> dict[str, str]:
    """For each joint the one that it follows in the end: itself, if it follows none."""
    follows = {joint.name: joint.facts.mimics[0] for joint in coupled if joint.facts.mimics}
    leaders: dict[str, str] = {}
    for joint in joints:
        name = joint.name
        while name in follows:
            name = follows[name]
        leaders[joint.name] = name
    return leaders


# ---- limits, friction and damping ------------------------------------------------------------------------------


def check_limits(joints: Sequence[JointPart], dynamics: bool, findings: Findings) -> list[JointPart]:
    """The joints without empty ranges; recorded entries that do not act are noticed."""
    joints = [_with_sane_limits(joint, findings) for joint in joints]
    _notice_silent(joints, findings)
    wide = [joint for joint in joints if joint.kind == "revolute" and _beyond_a_turn(joint)]
    if wide:
        message = f"the limits go beyond a full turn: {', '.join(joint.name for joint in wide)}."
        findings.warn(
            (wide[0].line, f"{counted(len(wide), 'joint')} <limit>"), message, "Are they in degrees?", "W-ROBOT-NUMBER"
        )
    _notice_losses(joints, dynamics, findings)
    return joints


def _with_sane_limits(joint: JointPart, findings: Findings) -> JointPart:
    """A joint without a lower limit above the upper one, and without a negative effort or velocity."""
    facts, at = joint.facts, (joint.line, f"joint '{joint.name}' <limit>")
    if facts.lower is not None and facts.upper is not None and facts.lower > facts.upper:
        message = f"the lower limit {float(facts.lower):g} is above the upper limit {float(facts.upper):g}"
        findings.warn(at, f"{message}; both are left out.", "Swap them.", "W-ROBOT-NUMBER")
        facts = replace(facts, lower=None, upper=None)
    elif joint.kind in ("revolute", "prismatic") and facts.lower is None:
        findings.notice(at, "there are no limits; the joint moves freely.", "N-ROBOT-NUMBER")
    for name in ("effort", "velocity") if joint.kind in ONE_FREEDOM else ():
        value = getattr(facts, name)
        if value is not None and value < 0:
            cure = "Give the largest one, which holds in both directions."
            message = f"the {name} {float(value):g} is negative, and left out."
            findings.warn(at, message, cure, "W-ROBOT-NUMBER")
            facts = replace(facts, effort=None) if name == "effort" else replace(facts, velocity=None)
    return replace(joint, facts=facts)


def _notice_silent(joints: Sequence[JointPart], findings: Findings) -> None:
    """Notice efforts or velocities of 0, which stand for missing ones in many files."""
    rated = [joint for joint in joints if joint.kind in ONE_FREEDOM]
    silent = {joint.name: joint.line for joint in rated if 0 in (joint.facts.effort, joint.facts.velocity)}
    if silent:
        message = f"an effort or velocity of 0 is taken as not stated: {listed(silent)}."
        findings.notice(
            (next(iter(silent.values())), f"{counted(len(silent), 'joint')} <limit>"), message, "N-ROBOT-NUMBER"
        )


def _beyond_a_turn(joint: JointPart) -> bool:
    return max(abs(float(limit or 0)) for limit in (joint.facts.lower, joint.facts.upper)) > 2 * pi + 1e-6


def _notice_losses(joints: Sequence[JointPart], dynamics: bool, findings: Findings) -> None:
    damped = [joint for joint in joints if joint.facts.damping]
    if damped and not dynamics:
        message = "damping is recorded but does not act; pass dynamics=True to add it."
        findings.notice((damped[0].line, f"{counted(len(damped), 'joint')} <dynamics>"), message, "N-ROBOT-UNSUPPORTED")
    for joint in damped if dynamics else ():
        if joint.locked is None and joint.kind not in ONE_FREEDOM:
            message = f"damping of a {joint.kind} joint is not modelled."
            findings.warn((joint.line, f"joint '{joint.name}' <dynamics>"), message, "", "W-ROBOT-UNSUPPORTED")
