"""`load_urdf` and `read_urdf`: from a robot file to a System, and to a report of what the System does not show."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike

from ...errors import ModelError, PolhodeError, Problem, path_of, shown, suggestion
from ...model import System
from ..findings import Findings, Report, system_alone
from ..robot_file.assembly import LinkAssembly, Packages, tolerance
from ..robot_file.checks import check_inertials, check_limits, check_moving_masses
from ..robot_file.markup import Limits, list_unmodelled, parse_file
from ..robot_file.parts import JointPart, LinkPart, Robot
from .grammar import KNOWN, parse_robot
from .joints import Locked, add_motors, check_mimics, lock_joints, parse_transmissions

_CHOICES = {
    "base": ("fixed", "floating"),
    "mimic": ("couple", "independent", "refuse"),
    "inertia": ("lenient", "strict", "any"),
    "massless": ("refuse", "report"),
}


def read_urdf(
    path: str | PathLike[str],
    *,
    base: str = "fixed",
    symbolic: Sequence[str] = (),
    packages: Packages = None,
    root: str | None = None,
    dynamics: bool = False,
    mimic: str = "couple",
    locked: Locked = (),
    inertia: str = "lenient",
    massless: str = "refuse",
    snap: float | str = "1e-6",
    limits: Limits | None = None,
    content: bytes | None = None,
) -> tuple[System, Report]:
    """Read a URDF file: the System, and a report of warnings, notices, joint limits and meshes.

    Links become bodies and joints keep their names; a joint of one freedom gives its name to its coordinate.

    - base: "fixed" welds the root link to the ground, "floating" lets it move freely (quaternion and position).
    - symbolic: patterns of numbers that become parameters: "mass:forearm", "com:*", "inertia:*", "length:*", "gravity".
    - packages: folders that `package://name/…` may point into; without them it is looked for in the folders above the
      file. Meshes are opened when they are drawn.
    - root: the root link, if the file has several trees.
    - dynamics: add each joint's damping as a force; dry friction is recorded only.
    - mimic: "couple" a joint that follows another, so that it has no coordinate of its own, make it "independent", or
      "refuse" it.
    - locked: names of joints to weld at zero, or a mapping from names to where (in radians or metres). What is coupled
      to a locked joint is locked with it.
    - inertia: what to do with inertias that no body can have: "strict" refuses them, "lenient" uses them with a
      warning unless a principal moment is negative, "any" uses even those.
    - massless: "refuse" joints that move no mass, or "report" them (the mass matrix is then singular).
    - snap: angles this close to a multiple of π/2, and axes this close to x, y or z, are taken to be exact.
    - limits: of the file's size and nesting.
    - content: what is in the file, if it was read before; the path then only names it.
    """
    for option, value in {"base": base, "mimic": mimic, "inertia": inertia, "massless": massless}.items():
        if not isinstance(value, str) or value not in _CHOICES[option]:
            allowed = " or ".join(repr(choice) for choice in _CHOICES[option])
            raise PolhodeError(f"{option}={shown(value)} is not a choice.", cure=f"Use {allowed}.", code="E-ROBOT-NAME")
    path = path_of(path)
    findings = Findings(path.name)
    document = parse_file(path, limits, content)
    robot = parse_robot(document, findings)
    list_unmodelled(document, findings, KNOWN, "W-ROBOT-READ")
    transmissions = parse_transmissions(document, findings)
    _check_references(robot, findings)
    _check_parents(robot, findings)
    findings.raise_problems()
    top = _find_root(robot, root, findings)
    findings.raise_problems()
    links, joints = _reached_from(robot, top, findings)
    joints = lock_joints(joints, locked, mimic != "independent", findings)
    coupled = check_mimics(joints, mimic, findings)
    check_limits(joints, dynamics, findings)
    accepted = check_inertials(links, inertia, findings)
    check_moving_masses(top, links, joints, coupled, massless, findings)
    findings.raise_problems()
    snapped = tolerance(snap, "E-ROBOT-NUMBER")
    assembly = LinkAssembly(robot.name, symbolic, snapped, findings, links, path.parent, packages)
    _assemble(assembly, joints, coupled, accepted, base, dynamics)
    add_motors(assembly.system, transmissions, joints, findings)
    assembly.refuse_unused()
    return assembly.system, findings.report(robot.name, top, (joint.facts for joint in joints), assembly.mesh_facts())


load_urdf = system_alone(read_urdf)


def _assemble(
    assembly: LinkAssembly,
    joints: Sequence[JointPart],
    coupled: Sequence[JointPart],
    accepted: set[str],
    base: str,
    dynamics: bool,
) -> None:
    """Add all parts; what the model refuses is reported with the line it came from."""
    links, place = assembly.links, assembly.findings.place
    line = links[0].line
    try:
        for link in links:
            line = link.line
            assembly.add_link(link, accepted)
        assembly.add_root(links[0].name, base, [joint.name for joint in joints])
        for joint in joints:
            line = joint.line
            assembly.add_joint(joint, dynamics)
        for joint in coupled:
            line = joint.mimic_line
            assembly.add_coupling(joint)
    except ModelError as error:
        found = [Problem(each.message, place(line, each.place), each.cure, each.code) for each in error.problems]
        raise ModelError(problems=found) from None


# ---- how the links hang together: references that exist, one parent for each link, one root, no cycle -----------


def _check_references(robot: Robot, findings: Findings) -> None:
    """Every joint names two links of the file."""
    names = [link.name for link in robot.links]
    known = set(names)
    for joint in robot.joints:
        for role, link in (("parent", joint.parent), ("child", joint.child)):
            if link and link not in known:
                at = (joint.line, f"joint '{joint.name}' <{role} link=\"{link[:60]}\">")
                findings.problem(at, f"there is no link '{link[:60]}'.", suggestion(link, names), "E-ROBOT-NAME")


def _check_parents(robot: Robot, findings: Findings) -> None:
    """No link is its own ancestor, and no link has two parents."""
    carrier: dict[str, JointPart] = {}
    for joint in robot.joints:
        what = f"joint '{joint.name}'"
        if joint.parent == joint.child and joint.parent:
            at = (joint.line, what)
            findings.problem(at, f"link '{joint.child}' is its own parent.", "Name another parent.", "E-ROBOT-TREE")
        elif joint.child in carrier:
            first = carrier[joint.child]
            said = f"link '{joint.child}' already hangs on joint '{first.name}' of line {first.line}."
            cure = "A second parent closes a loop, which URDF cannot say; remove one of the two joints."
            findings.problem((joint.line, what), said, cure, "E-ROBOT-TREE")
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
            at = (carrier[link].line, f"joint '{carrier[link].name}'")
            said = f"the links form a cycle: {' → '.join([link, *cycle[:0:-1], link])}."
            findings.problem(at, said, "A URDF is a tree; let one of these links hang elsewhere.", "E-ROBOT-TREE")
        settled.update(path)


def _find_root(robot: Robot, wanted: str | None, findings: Findings) -> str:
    """The one link that is no joint's child, or the wanted one."""
    carried = {joint.child for joint in robot.joints}
    roots = [link for link in robot.links if link.name not in carried]
    listed = ", ".join(f"'{link.name}' (line {link.line})" for link in roots[:8]) + (" …" if len(roots) > 8 else "")
    if wanted is not None:
        if any(link.name == wanted for link in robot.links):
            return wanted
        at = (1, f"root '{wanted}'")
        findings.problem(at, "there is no such link.", f"Links without a parent: {listed}.", "E-ROBOT-NAME")
    elif not roots and robot.links:
        at = (1, f"robot '{robot.name}'")
        findings.problem(at, "every link has a parent.", "One link must be the root.", "E-ROBOT-TREE")
    elif len(roots) > 1:
        at = (roots[1].line, f"link '{roots[1].name}'")
        said = f"there are {len(roots)} links without a parent: {listed}."
        findings.problem(at, said, "Join them, or choose one tree with root=….", "E-ROBOT-TREE")
    return roots[0].name if roots else ""


def _reached_from(robot: Robot, root: str, findings: Findings) -> tuple[list[LinkPart], list[JointPart]]:
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
        findings.warn((left_out[0].line, f"link '{left_out[0].name}'"), said, "", "W-ROBOT-TREE")
    return [links[root], *(links[joint.child] for joint in order)], order
