"""Whether masses, inertias and limits can be those of real robots, and whether what moves has any mass."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import pi

from ...errors import listed
from ...geometry.inertia import impossible_inertia, nearest_inertia
from ..findings import Findings
from .parts import ONE_FREEDOM, Inertial, JointPart, LinkPart

#: A milligram a millimetre away, in kg m²: a negative moment below this is a zero that was rounded.
_NEGLIGIBLE = 1e-12
#: A microgram, in kg: no joint of a machine moves less.
_TINY = 1e-9


# ---- masses and inertias ---------------------------------------------------------------------------------------


def check_inertials(links: Sequence[LinkPart], inertia: str, findings: Findings) -> set[str]:
    """Check each <inertial>; returns the links whose inertia is impossible but used."""
    accepted: set[str] = set()
    for link in links:
        inertial = link.inertial
        if inertial is None:
            continue
        at = (inertial.line, f"link '{link.name}' <inertial>")
        if inertial.mass < 0:
            said = f"the mass {float(inertial.mass):g} is negative."
            findings.problem(at, said, "Give a mass ≥ 0.", "E-ROBOT-NUMBER")
        fault = _fault(inertial)
        if not fault:
            continue
        message, cure, is_negative = fault
        if inertia == "any" or (inertia == "lenient" and not is_negative):
            accepted.add(link.name)
            findings.warn(at, f"{message}; it is used as it stands.", cure, "W-ROBOT-NUMBER")
        else:
            way = "any" if is_negative else "lenient"
            said = f"{message}."
            findings.problem(at, said, f'{cure} To use it as it stands, pass inertia="{way}".', "E-ROBOT-NUMBER")
    return accepted


def _fault(inertial: Inertial) -> tuple[str, str, bool] | None:
    """Why no body has an inertia, the nearest possible one, and whether it could make a mass matrix indefinite."""
    xx, yy, zz, xy, xz, yz = (float(entry) for entry in inertial.inertia)
    matrix = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]
    found = impossible_inertia(matrix)
    if found is None:
        return None
    message = (
        f"the inertia is not positive: its principal moments are {found.moments}"
        if found.negative
        else f"the principal moments {found.moments} are impossible: the largest exceeds the sum of the others"
    )
    return message, f"The nearest possible inertia is {nearest_inertia(matrix)}.", found.negative < -_NEGLIGIBLE


def check_moving_masses(
    root: str,
    links: Sequence[LinkPart],
    joints: Sequence[JointPart],
    coupled: Sequence[JointPart],
    massless: str,
    findings: Findings,
) -> None:
    """Report joints that move no mass, directly or by coupled joints: the mass matrix is then singular."""
    mass = {link.name: link.inertial.mass if link.inertial else 0 for link in links}
    spin = {link.name: bool(link.inertial and any(link.inertial.inertia)) for link in links}
    carrier = {joint.child: joint for joint in joints}
    for joint in reversed(joints):
        mass[joint.parent] += mass[joint.child]
        spin[joint.parent] = spin[joint.parent] or spin[joint.child]
    leader = _leaders(joints, coupled)
    idle = {joint.name for joint in joints if not _resists(joint, mass[joint.child], spin[joint.child])}
    busy = {leader[joint.name] for joint in joints if joint.name not in idle}
    for joint in joints:
        at = (joint.line, f"joint '{joint.name}'")
        if 0 < mass[joint.child] < _TINY and joint.kind != "fixed":
            said = f"all that it moves is {float(mass[joint.child]):g} kg; accelerations will be inaccurate."
            findings.warn(at, said, f"Check the mass of link '{joint.child}'.", "W-ROBOT-SINGULAR")
        if joint.name not in idle or leader[joint.name] in busy:
            continue
        path = [joint.name]
        link = joint.parent
        while link != root:
            path.append(carrier[link].name)
            link = carrier[link].parent
        message = f"nothing that it moves has mass, so the mass matrix is singular (joints {' → '.join(path[::-1])})"
        cure = f"Give link '{joint.child}' an <inertial>, or make the joint fixed."
        if massless == "report":
            findings.warn(at, f"{message}.", cure, "W-ROBOT-SINGULAR")
        else:
            cure += ' To study motion without dynamics, pass massless="report".'
            findings.problem(at, f"{message}.", cure, "E-MODEL-SINGULAR")


def _resists(joint: JointPart, mass: Fraction | int, spin: bool) -> bool:
    """Whether what a joint carries resists its motion; a joint that does not move needs nothing."""
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


def check_limits(joints: Sequence[JointPart], dynamics: bool, findings: Findings) -> None:
    """Limits must leave a way between them; what is recorded but does not act is noticed."""
    for joint in joints:
        lower, upper = joint.facts.lower, joint.facts.upper
        at = (joint.line, f"joint '{joint.name}' <limit>")
        if lower is not None and upper is not None and lower > upper:
            said = f"the lower limit {float(lower):g} is above the upper limit {float(upper):g}."
            findings.problem(at, said, "Swap them.", "E-ROBOT-NUMBER")
        if joint.kind in ("revolute", "prismatic") and lower is None:
            findings.notice(at, "there are no limits; the joint moves freely.", "N-ROBOT-NUMBER")
    _check_rated(joints, findings)
    wide = [joint for joint in joints if joint.kind == "revolute" and _beyond_a_turn(joint)]
    if wide:
        said = f"the limits go beyond a full turn: {', '.join(joint.name for joint in wide)}."
        findings.warn((wide[0].line, f"{len(wide)} joints <limit>"), said, "Are they in degrees?", "W-ROBOT-NUMBER")
    _notice_losses(joints, dynamics, findings)


def _check_rated(joints: Sequence[JointPart], findings: Findings) -> None:
    """The largest effort and velocity are not negative; 0 stands in files whose makers do not state them."""
    silent: dict[str, int] = {}
    for joint in joints:
        for name in ("effort", "velocity") if joint.kind in ONE_FREEDOM else ():
            value = getattr(joint.facts, name)
            if value is not None and value < 0:
                at = (joint.line, f"joint '{joint.name}' <limit>")
                cure = "Give the largest one, which holds in both directions."
                findings.problem(at, f"the {name} {float(value):g} is negative.", cure, "E-ROBOT-NUMBER")
            elif value == 0:
                silent.setdefault(joint.name, joint.line)
    if silent:
        said = f"an effort or velocity of 0 is taken as not stated: {listed(silent)}."
        findings.notice((next(iter(silent.values())), f"{len(silent)} joints <limit>"), said, "N-ROBOT-NUMBER")


def _beyond_a_turn(joint: JointPart) -> bool:
    return max(abs(float(limit or 0)) for limit in (joint.facts.lower, joint.facts.upper)) > 2 * pi + 1e-6


def _notice_losses(joints: Sequence[JointPart], dynamics: bool, findings: Findings) -> None:
    damped = [joint for joint in joints if joint.facts.damping]
    if damped and not dynamics:
        said = "damping is recorded but does not act; pass dynamics=True to add it."
        findings.notice((damped[0].line, f"{len(damped)} joints <dynamics>"), said, "N-ROBOT-UNSUPPORTED")
    for joint in damped if dynamics else ():
        if joint.locked is None and joint.kind not in ONE_FREEDOM:
            said = f"damping of a {joint.kind} joint is not modelled."
            findings.warn((joint.line, f"joint '{joint.name}' <dynamics>"), said, "", "W-ROBOT-UNSUPPORTED")
