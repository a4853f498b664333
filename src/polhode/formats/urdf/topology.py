"""How the links hang together: references that exist, one parent for each link, one root, no cycle."""

from __future__ import annotations

from ...errors import suggestion
from ..findings import Findings
from .parts import JointPart, LinkPart, Robot


def check_references(robot: Robot, findings: Findings) -> None:
    """Every joint names two links of the file."""
    names = [link.name for link in robot.links]
    known = set(names)
    for joint in robot.joints:
        for role, link in (("parent", joint.parent), ("child", joint.child)):
            if link and link not in known:
                place = findings.place(joint.line, f"joint '{joint.name}' <{role} link=\"{link[:60]}\">")
                findings.problem(place, f"there is no link '{link[:60]}'.", suggestion(link, names), "E-URDF-040")


def check_parents(robot: Robot, findings: Findings) -> None:
    """No link is its own ancestor, and no link has two parents."""
    carrier: dict[str, JointPart] = {}
    for joint in robot.joints:
        what = f"joint '{joint.name}'"
        if joint.parent == joint.child and joint.parent:
            place = findings.place(joint.line, what)
            findings.problem(place, f"link '{joint.child}' is its own parent.", "Name another parent.", "E-URDF-041")
        elif joint.child in carrier:
            first = carrier[joint.child]
            said = f"link '{joint.child}' already hangs on joint '{first.name}' of line {first.line}."
            cure = "A second parent closes a loop, which URDF cannot say; remove one of the two joints."
            findings.problem(findings.place(joint.line, what), said, cure, "E-URDF-042")
        else:
            carrier[joint.child] = joint
    _refuse_cycles(carrier, findings)


def _refuse_cycles(carrier: dict[str, JointPart], findings: Findings) -> None:
    settled: set[str] = set()
    for start in carrier:
        path: list[str] = []
        link = start
        while link in carrier and link not in settled and link not in path:
            path.append(link)
            link = carrier[link].parent
        if link in path:
            cycle = path[path.index(link) :]
            place = findings.place(carrier[link].line, f"joint '{carrier[link].name}'")
            said = f"the links form a cycle: {' → '.join([link, *cycle[:0:-1], link])}."
            findings.problem(place, said, "A URDF is a tree; let one of these links hang elsewhere.", "E-URDF-043")
        settled.update(path)


def find_root(robot: Robot, wanted: str | None, findings: Findings) -> str:
    """The one link that is no joint's child, or the wanted one."""
    carried = {joint.child for joint in robot.joints}
    roots = [link for link in robot.links if link.name not in carried]
    listed = ", ".join(f"'{link.name}' (line {link.line})" for link in roots[:8]) + (" …" if len(roots) > 8 else "")
    if wanted is not None:
        if any(link.name == wanted for link in robot.links):
            return wanted
        place = findings.place(1, f"root '{wanted}'")
        findings.problem(place, "there is no such link.", f"Links without a parent: {listed}.", "E-URDF-044")
    elif not roots and robot.links:
        place = findings.place(1, f"robot '{robot.name}'")
        findings.problem(place, "every link has a parent.", "One link must be the root.", "E-URDF-045")
    elif len(roots) > 1:
        place = findings.place(roots[1].line, f"link '{roots[1].name}'")
        said = f"there are {len(roots)} links without a parent: {listed}."
        findings.problem(place, said, "Join them, or choose one tree with root=….", "E-URDF-046")
    return roots[0].name if roots else ""


def reached_from(robot: Robot, root: str, findings: Findings) -> tuple[list[LinkPart], list[JointPart]]:
    """The links and joints of the tree on a root, parents first; what is left out is listed."""
    links = {link.name: link for link in robot.links}
    below: dict[str, list[JointPart]] = {}
    for joint in robot.joints:
        below.setdefault(joint.parent, []).append(joint)
    order: list[JointPart] = []
    waiting = below.get(root, [])[::-1]
    while waiting:
        joint = waiting.pop()
        order.append(joint)
        waiting.extend(below.get(joint.child, [])[::-1])
    reached = {root, *(joint.child for joint in order)}
    left_out = [link for link in robot.links if link.name not in reached]
    if left_out:
        said = (
            f"{len(left_out)} links are not carried by root '{root}' and are left out: "
            f"{', '.join(link.name for link in left_out[:8])}{' …' if len(left_out) > 8 else ''}."
        )
        findings.warn(findings.place(left_out[0].line, f"link '{left_out[0].name}'"), said, "", "W-URDF-003")
    return [links[root], *(links[joint.child] for joint in order)], order
