"""What a file contains that a System does not: listed, so that nothing is left out in silence."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..findings import Findings
from ..markup import Element

#: For each element that is read, the attributes and children that are understood.
KNOWN: dict[str, tuple[set[str], set[str]]] = {
    "robot": ({"name", "version"}, {"link", "joint", "material", "transmission"}),
    "link": ({"name"}, {"inertial", "visual", "collision"}),
    "inertial": (set(), {"origin", "mass", "inertia"}),
    "visual": ({"name"}, {"origin", "geometry", "material"}),
    "collision": ({"name"}, {"origin", "geometry"}),
    "geometry": (set(), {"box", "cylinder", "capsule", "sphere", "mesh"}),
    "material": ({"name"}, {"color", "texture"}),
    "joint": ({"name", "type"}, {"origin", "parent", "child", "axis", "limit", "dynamics", "mimic"}),
    "origin": ({"xyz", "rpy"}, set()),
    "mass": ({"value"}, set()),
    "inertia": ({"ixx", "iyy", "izz", "ixy", "ixz", "iyz"}, set()),
    "parent": ({"link"}, set()),
    "child": ({"link"}, set()),
    "axis": ({"xyz"}, set()),
    "limit": ({"lower", "upper", "effort", "velocity"}, set()),
    "dynamics": ({"damping", "friction"}, set()),
    "mimic": ({"joint", "multiplier", "offset"}, set()),
    "box": ({"size"}, set()),
    "cylinder": ({"radius", "length"}, set()),
    "capsule": ({"radius", "length"}, set()),
    "sphere": ({"radius"}, set()),
    "mesh": ({"filename", "scale"}, set()),
    "color": ({"rgba"}, set()),
    "texture": ({"filename"}, set()),
}

#: What has a reader of its own, which tells what it leaves out.
READ_ELSEWHERE = {"transmission"}


def list_unmodelled(
    root: Element, findings: Findings, known: Mapping[str, tuple[set[str], set[str]]] = KNOWN, code: str = "W-URDF-005"
) -> None:
    """One warning for each kind of element or attribute that is not read, with all its lines.

    An unexpanded macro may stand for links and joints, so it is a problem, not a warning.
    """
    lines: dict[str, list[int]] = {}
    for what, line in _unknown(root, known):
        lines.setdefault(what, []).append(line)
    for what, found in lines.items():
        if what.startswith("<xacro:"):
            place = findings.place(found[0], what)
            said = "this is a macro that has not been expanded."
            findings.problem(place, said, "Run xacro on the file first and read its result.", "E-URDF-018")
            continue
        listed = ", ".join(str(line) for line in found[:12]) + (" …" if len(found) > 12 else "")
        count = "once" if len(found) == 1 else f"{len(found)} times, lines {listed}"
        findings.warn(findings.place(found[0], what), f"this is not modelled ({count}).", "", code)


def _unknown(root: Element, known: Mapping[str, tuple[set[str], set[str]]]) -> Iterator[tuple[str, int]]:
    waiting = [root]
    while waiting:
        element = waiting.pop()
        attributes, children = known[element.tag]
        for name in element.attributes:
            if name not in attributes and not name.startswith("xmlns"):
                yield f"<{element.tag} {name}=…>", element.line
        for child in element.children:
            if child.tag not in children:
                named = child.tag if child.tag.startswith("xacro:") else f"{child.tag}> in <{element.tag}"
                yield f"<{named}>", child.line
        waiting.extend(child for child in element.children[::-1] if child.tag in children - READ_ELSEWHERE)
