"""Joints that a user locks: each is welded where its coordinate has a given value, and what is coupled to it too."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from ...errors import FormatError, shown, suggestion, understood
from ...expr.rational import decimal
from .mimic import Law, law_of
from .number import is_sane
from .parts import JointPart
from .report import Findings

#: Names of joints, locked at zero; or values by name.
Locked = str | Iterable[str] | Mapping[str, Any]


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
            findings.problem(
                by_name[name].line,
                f"joint '{name}'",
                f"it cannot be locked at {float(value):g}: it is coupled to '{first}', which puts it at "
                f"{float(wanted):g}.",
                f"Lock '{first}' alone.",
                "E-URDF-065",
            )
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
        findings.notice(joint.line, what, "it is to be locked, and is fixed anyway.", "N-URDF-010")
        return joint
    if value and joint.kind in ("floating", "planar"):
        findings.problem(
            joint.line,
            what,
            f"a {joint.kind} joint has no single coordinate to be {float(value):g}.",
            "Lock it at 0.",
            "E-URDF-066",
        )
    lower, upper = joint.facts.lower, joint.facts.upper
    if (lower is not None and value < lower) or (upper is not None and value > upper):
        findings.warn(joint.line, what, f"it is locked at {float(value):g}, outside its limits.", "", "W-URDF-013")
    cause = "" if joint.name in given else f", as it is coupled to '{by}'"
    findings.notice(joint.line, what, f"it is locked at {float(value):g}{cause}.", "N-URDF-009")
    return replace(joint, kind="fixed", locked=value)


def _values(locked: Locked, by_name: Mapping[str, JointPart], findings: Findings) -> dict[str, Fraction]:
    """The value of each locked joint."""
    with understood("a list of joints", locked, place="locked", cure="Give names, or a mapping from names to numbers."):
        names = [locked] if isinstance(locked, str) else list(locked)
    values: dict[str, Fraction] = {}
    for name in names:
        if not isinstance(name, str) or name not in by_name:
            raise FormatError(
                f"there is no joint {shown(name)} to lock.",
                place=findings.file,
                cure=suggestion(name, by_name),
                code="E-URDF-063",
            )
        wanted = locked[name] if isinstance(locked, Mapping) else 0
        value = wanted if isinstance(wanted, Fraction) else decimal(str(wanted))
        if value is None or not is_sane(value):
            raise FormatError(
                f"{str(wanted)[:40]!r} is not a number to lock joint '{name}' at.",
                place=findings.file,
                cure="Give a finite number, in radians or metres.",
                code="E-URDF-064",
            )
        values[name] = value
    return values
