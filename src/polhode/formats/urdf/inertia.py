"""Whether masses and inertias can be those of real bodies, and whether what moves has any."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from ...geometry.inertia import impossible_inertia, nearest_inertia
from ..findings import Findings
from .parts import Inertial, JointPart, LinkPart

#: A milligram a millimetre away, in kg m²: a negative moment below this is a zero that was rounded.
_NEGLIGIBLE = 1e-12
#: A microgram, in kg: no joint of a machine moves less.
_TINY = 1e-9


@dataclass(frozen=True)
class Fault:
    """Why no body has an inertia, the nearest possible one, and whether it could make a mass matrix indefinite."""

    message: str
    cure: str
    negative: bool


def check_inertials(links: Sequence[LinkPart], inertia: str, findings: Findings) -> set[str]:
    """Judge each <inertial>; returns the links whose inertia is impossible but used as it stands.

    Robot files that people use contain inertias that no body can have, by rounding or by guess, and other engines
    compute with them. "strict" refuses them all; "lenient" uses them with a warning as long as no principal moment
    is negative; "any" uses even those.
    """
    accepted: set[str] = set()
    for link in links:
        inertial = link.inertial
        if inertial is None:
            continue
        what = f"link '{link.name}' <inertial>"
        if inertial.mass < 0:
            place = findings.place(inertial.line, what)
            findings.problem(place, f"the mass {float(inertial.mass):g} is negative.", "Give a mass ≥ 0.", "E-URDF-070")
        fault = _fault(inertial)
        if not fault:
            continue
        if inertia == "any" or (inertia == "lenient" and not fault.negative):
            accepted.add(link.name)
            place = findings.place(inertial.line, what)
            findings.warn(place, f"{fault.message}; it is used as it stands.", fault.cure, "W-URDF-006")
        else:
            way = "any" if fault.negative else "lenient"
            cure = f'{fault.cure} To use it as it stands, pass inertia="{way}".'
            findings.problem(findings.place(inertial.line, what), f"{fault.message}.", cure, "E-URDF-071")
    return accepted


def _fault(inertial: Inertial) -> Fault | None:
    """What is wrong with the principal moments, if anything is."""
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
    cure = f"The nearest possible inertia is {nearest_inertia(matrix)}."
    return Fault(message, cure, negative=found.negative < -_NEGLIGIBLE)


def check_moving_masses(
    root: str,
    links: Sequence[LinkPart],
    joints: Sequence[JointPart],
    coupled: Sequence[JointPart],
    massless: str,
    findings: Findings,
) -> None:
    """What a joint moves must resist it, else the mass matrix is singular: name the joints on the way there.

    Coupled joints move together, and it is enough that one of them moves a mass.
    """
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
        if 0 < mass[joint.child] < _TINY and joint.kind != "fixed":
            place = findings.place(joint.line, f"joint '{joint.name}'")
            said = f"all that it moves is {float(mass[joint.child]):g} kg; accelerations will be inaccurate."
            findings.warn(place, said, f"Check the mass of link '{joint.child}'.", "W-URDF-012")
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
            findings.warn(findings.place(joint.line, f"joint '{joint.name}'"), f"{message}.", cure, "W-URDF-007")
        else:
            cure += ' To study motion without dynamics, pass massless="report".'
            findings.problem(findings.place(joint.line, f"joint '{joint.name}'"), f"{message}.", cure, "E-URDF-072")


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
