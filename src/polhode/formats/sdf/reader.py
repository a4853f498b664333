"""`load_sdf` and `read_sdf`: from an SDF model to a System, and to a report of what the System does not show.

SDF gives each link a pose in the model and each joint a pose in its child. A joint to a link that another joint carries
already closes a loop.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from os import PathLike
from pathlib import Path

from ...errors import PolhodeError, path_of, shown, suggestion, understood
from ...files.mesh_paths import locate_mesh
from ...geometry.rotations.exact import nearest_angle
from ...model import System
from ..findings import Findings, Report, system_alone, told_at
from ..markup import Limits, limits_of, parse_xml, read_bytes
from ..numbers import tolerance
from ..urdf.assemble import Assembly
from ..urdf.inertia import check_inertials
from ..urdf.joints import check_limits
from ..urdf.parts import ONE_FREEDOM, JointPart
from ..urdf.reader import mesh_facts
from ..urdf.unmodelled import list_unmodelled
from .grammar import KNOWN, SdfJoint, SdfModel, parse_model
from .poses import Matrix4, inverse, matrix_of, placement_of, turned

WORLD = "world"


def read_sdf(
    path: str | PathLike[str],
    *,
    base: str = "floating",
    symbolic: Sequence[str] = (),
    packages: Mapping[str, str | PathLike[str]] | None = None,
    dynamics: bool = False,
    inertia: str = "lenient",
    snap: float | str = "1e-5",
    limits: Limits | None = None,
) -> tuple[System, Report]:
    """Read an SDF file that holds one model: the System, and a report of warnings, notices, joint limits and meshes.

    Links become bodies and joints keep their names; joints that close loops become constraints, springs of joints act.
    All coordinates are zero as the file has it.

    - base: a link that no joint carries is free to move where the model is not static; "fixed" welds it to the ground.
    - symbolic, packages, dynamics, inertia, snap, limits: as in `load_urdf`.
    """
    if base not in ("floating", "fixed"):
        raise PolhodeError(f"base={shown(base)} is not a choice.", cure="Use 'floating' or 'fixed'.", code="E-SDF-009")
    path = path_of(path)
    findings = Findings(path.name)
    limits = limits_of(limits)
    document = parse_xml(read_bytes(path, limits), path.name, limits)
    model = parse_model(document, findings)
    list_unmodelled(document, findings, KNOWN, "W-SDF-001")
    _check_references(model, findings)
    findings.raise_problems()
    tree, loops = _tree_and_loops(model, findings)
    findings.raise_problems()
    within = tolerance(snap, "E-SDF-010")
    poses = {link.part.name: matrix_of(link.pose, within) for link in model.links} | {
        WORLD: inverse(matrix_of(model.pose, within))
    }
    parts = {joint.name: _part(joint, poses, within) for joint in model.joints}
    links = [link.part for link in model.links]
    joints = [parts[joint.name] for joint in tree]
    check_limits(joints, dynamics, findings)
    accepted = check_inertials(links, inertia, findings)
    findings.raise_problems()
    with understood("a mapping from packages to folders", packages, place="packages", cure="Give {'name': folder}."):
        folders = {str(name): Path(folder) for name, folder in dict(packages or {}).items()}
    named = dict.fromkeys(part.filename for link in links for part in link.geometry if part.kind == "mesh")
    places = {filename: locate_mesh(filename, path.parent, folders) for filename in named}
    assembly = Assembly(model.name, symbolic, within, findings, places)
    for link in links:
        with told_at(findings.place(link.line, f"link '{link.name}'")):
            assembly.add_link(link, accepted)
    assembly.body_name[WORLD] = assembly.system.ground.name
    _join(assembly, model, joints, [parts[joint.name] for joint in loops], poses, base, dynamics)
    assembly.numbers.refuse_unused(path.name)
    if loops:
        names = ", ".join(joint.name for joint in loops)
        findings.notice(
            findings.place(loops[0].line), f"these joints close loops and are constraints: {names}.", "N-SDF-001"
        )
    _tell_snapped(model, within, findings)
    meshes = mesh_facts(links, places, findings)
    carried = {joint.child for joint in tree}
    return assembly.system, Report(
        path.name,
        model.name,
        next((link.name for link in links if link.name not in carried), WORLD),
        notices=tuple(findings.notices),
        warnings=tuple(findings.warnings),
        joints=tuple(joint.facts for joint in model.joints),
        meshes=meshes,
    )


load_sdf = system_alone(read_sdf)


def _tell_snapped(model: SdfModel, snap: Fraction, findings: Findings) -> None:
    """One notice of all angles that are taken as right ones; those made on the way from pose to pose are exact."""
    findings.notices[:] = [each for each in findings.notices if each.code != "N-URDF-002"]
    placed = [*(link.pose for link in model.links), *(joint.pose for joint in model.joints)]
    lines = [at.line for at in placed for angle in at.rpy if nearest_angle(angle, snap)[1]]
    if lines:
        said = f"{len(lines)} angles this near to a multiple of pi/2 ({float(snap):g}) are taken as that."
        findings.notice(findings.place(lines[0], "<pose>"), said, "N-SDF-002")


def _check_references(model: SdfModel, findings: Findings) -> None:
    names = [link.part.name for link in model.links]
    if not names:
        findings.problem(findings.file, "there is no link in it.", "Add <link name=…>.", "E-SDF-011")
    for joint in model.joints:
        for role, link in (("parent", joint.parent), ("child", joint.child)):
            if link and link not in names and not (role == "parent" and link == WORLD):
                place = findings.place(joint.line, f"joint '{joint.name}' <{role}>")
                findings.problem(place, f"there is no link '{link[:60]}'.", suggestion(link, names), "E-SDF-012")


def _tree_and_loops(model: SdfModel, findings: Findings) -> tuple[list[SdfJoint], list[SdfJoint]]:
    """The joints that carry links, parents first, and those that close loops.

    The first joint in the file to a link carries it; what cannot be reached from a link without a carrier is a cycle.
    """
    carrier: dict[str, SdfJoint] = {}
    loops: list[SdfJoint] = []
    for joint in model.joints:
        if joint.child in carrier:
            loops.append(joint)
        else:
            carrier[joint.child] = joint
    below: dict[str, list[SdfJoint]] = {}
    for joint in carrier.values():
        below.setdefault(joint.parent, []).append(joint)
    free = [link.part.name for link in model.links if link.part.name not in carrier]
    waiting = [*free[::-1], WORLD]
    order: list[SdfJoint] = []
    while waiting:
        following = below.get(waiting.pop(), [])
        order += following
        waiting += [joint.child for joint in reversed(following)]
    if len(order) < len(carrier):
        lost = next(joint for joint in carrier.values() if joint not in order)
        place = findings.place(lost.line, f"joint '{lost.name}'")
        findings.problem(
            place, "the links form a cycle that hangs on nothing.", "Let one of them be nobody's child.", "E-SDF-013"
        )
    return order, loops


def _part(joint: SdfJoint, poses: Mapping[str, Matrix4], snap: Fraction) -> JointPart:
    """The joint as it sits in its two links, the axis in its own frame."""
    in_child = matrix_of(joint.pose, snap)
    in_model = poses[joint.child] @ in_child
    axis = turned(in_model, joint.axis) if joint.axis_in_model else joint.axis
    return JointPart(
        joint.name,
        joint.kind,
        joint.parent,
        joint.child,
        placement_of(inverse(poses[joint.parent]) @ in_model, joint.line),
        axis,
        joint.facts,
        joint.line,
        joint.line,
        joint.line,
        None,
        placement_of(in_child, joint.line),
    )


def _join(
    assembly: Assembly,
    model: SdfModel,
    joints: Sequence[JointPart],
    loops: Sequence[JointPart],
    poses: Mapping[str, Matrix4],
    base: str,
    dynamics: bool,
) -> None:
    """Add roots, joints with their springs, and loops."""
    findings = assembly.findings
    taken = [joint.name for joint in model.joints]
    carried = {joint.child for joint in joints}
    for link in model.links:
        if link.part.name not in carried:
            at = placement_of(inverse(poses[WORLD]) @ poses[link.part.name], link.pose.line)
            kind = "fixed" if model.static else base
            assembly.add_root(link.part.name, kind, taken, at)
            taken = [*assembly.system.model().joints, *taken]
    springs = {joint.name: (joint.stiffness, joint.rest) for joint in model.joints}
    for joint in joints:
        with told_at(findings.place(joint.line, f"joint '{joint.name}'")):
            assembly.add_joint(joint, dynamics)
            stiffness, rest = springs[joint.name]
            if stiffness and joint.kind in ONE_FREEDOM:
                assembly.system.joint_spring(joint.name, stiffness, rest, name=f"{joint.name} spring")
    for joint in loops:
        with told_at(findings.place(joint.line, f"joint '{joint.name}'")):
            assembly.add_loop(joint)
        if springs[joint.name][0] or (dynamics and joint.facts.damping):
            place = findings.place(joint.line, f"joint '{joint.name}'")
            findings.warn(place, "springs and damping of a joint that closes a loop are not modelled.", "", "W-SDF-004")
