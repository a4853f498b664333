"""`load_sdf` and `read_sdf`: from an SDF model to a System, and to a report of what the System does not show.

SDF gives each link a pose in the model and each joint a pose in its child; in a System each has one in its neighbour.
A joint to a link that another joint carries already closes a loop.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from math import asin, atan2, cos, pi, sin
from os import PathLike

import numpy as np
from numpy.typing import NDArray

from ...errors import PolhodeError, path_of, shown, suggestion
from ...geometry.rotations.exact import nearest_angle
from ...model import System
from ..findings import Findings, Report, system_alone, told_at
from ..robot_file.assembly import LinkAssembly, Packages, tolerance
from ..robot_file.checks import check_inertials, check_limits
from ..robot_file.markup import Limits, list_unmodelled, parse_file
from ..robot_file.parts import ONE_FREEDOM, JointPart, Placement, Robot, Triple
from .grammar import KNOWN, parse_model

Matrix4 = NDArray[np.float64]
WORLD = "world"


def read_sdf(
    path: str | PathLike[str],
    *,
    base: str = "floating",
    symbolic: Sequence[str] = (),
    packages: Packages = None,
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
        cure = "Use 'floating' or 'fixed'."
        raise PolhodeError(f"base={shown(base)} is not a choice.", cure=cure, code="E-ROBOT-NAME")
    path = path_of(path)
    findings = Findings(path.name)
    document = parse_file(path, limits)
    model = parse_model(document, findings)
    list_unmodelled(document, findings, KNOWN, "W-ROBOT-READ")
    _check_references(model, findings)
    findings.raise_problems()
    tree, loops = _tree_and_loops(model, findings)
    findings.raise_problems()
    within = tolerance(snap, "E-ROBOT-NUMBER")
    poses = {link.name: _matrix(link.pose, within) for link in model.links}
    poses[WORLD] = _inverse(_matrix(model.pose, within))
    parts = {joint.name: _placed(joint, poses, within) for joint in model.joints}
    joints = [parts[joint.name] for joint in tree]
    check_limits(joints, dynamics, findings)
    accepted = check_inertials(model.links, inertia, findings)
    findings.raise_problems()
    assembly = LinkAssembly(model.name, symbolic, within, findings, model.links, path.parent, packages)
    for link in model.links:
        with told_at(findings.place(link.line, f"link '{link.name}'")):
            assembly.add_link(link, accepted)
    assembly.body_name[WORLD] = assembly.system.ground.name
    _join(assembly, model, joints, [parts[joint.name] for joint in loops], poses, base, dynamics)
    assembly.refuse_unused()
    if loops:
        said = f"these joints close loops and are constraints: {', '.join(joint.name for joint in loops)}."
        findings.notice((loops[0].line, ""), said, "N-ROBOT-DEPENDENCE")
    _tell_snapped(model, within, findings)
    carried = {joint.child for joint in tree}
    root = next((link.name for link in model.links if link.name not in carried), WORLD)
    facts = (joint.facts for joint in model.joints)
    return assembly.system, findings.report(model.name, root, facts, assembly.mesh_facts())


load_sdf = system_alone(read_sdf)


def _tell_snapped(model: Robot, snap: Fraction, findings: Findings) -> None:
    """One notice of all angles that are taken as right ones; those made on the way from pose to pose are exact."""
    findings.notices[:] = [each for each in findings.notices if each.code != "N-ROBOT-ANGLE"]
    placed = [*(link.pose for link in model.links), *(joint.in_child for joint in model.joints)]
    lines = [at.line for at in placed for angle in at.rpy if nearest_angle(angle, snap)[1]]
    if lines:
        said = f"{len(lines)} angles this near to a multiple of pi/2 ({float(snap):g}) are taken as that."
        findings.notice((lines[0], "<pose>"), said, "N-ROBOT-ANGLE")


def _check_references(model: Robot, findings: Findings) -> None:
    names = [link.name for link in model.links]
    if not names:
        findings.problem(findings.file, "there is no link in it.", "Add <link name=…>.", "E-ROBOT-MISSING")
    for joint in model.joints:
        for role, link in (("parent", joint.parent), ("child", joint.child)):
            if link and link not in names and not (role == "parent" and link == WORLD):
                at = (joint.line, f"joint '{joint.name}' <{role}>")
                findings.problem(at, f"there is no link '{link[:60]}'.", suggestion(link, names), "E-ROBOT-NAME")


def _tree_and_loops(model: Robot, findings: Findings) -> tuple[list[JointPart], list[JointPart]]:
    """The joints that carry links, parents first, and those that close loops.

    The first joint in the file to a link carries it; what cannot be reached from a link without a carrier is a cycle.
    """
    carrier: dict[str, JointPart] = {}
    loops: list[JointPart] = []
    for joint in model.joints:
        if joint.child in carrier:
            loops.append(joint)
        else:
            carrier[joint.child] = joint
    below: dict[str, list[JointPart]] = {}
    for joint in carrier.values():
        below.setdefault(joint.parent, []).append(joint)
    free = [link.name for link in model.links if link.name not in carrier]
    waiting = [*free[::-1], WORLD]
    order: list[JointPart] = []
    while waiting:
        following = below.get(waiting.pop(), [])
        order += following
        waiting += [joint.child for joint in reversed(following)]
    if len(order) < len(carrier):
        lost = next(joint for joint in carrier.values() if joint not in order)
        said, cure = "the links form a cycle without a root.", "Remove the joint whose child is to be the root."
        findings.problem((lost.line, f"joint '{lost.name}'"), said, cure, "E-ROBOT-TREE")
    return order, loops


def _placed(joint: JointPart, poses: Mapping[str, Matrix4], snap: Fraction) -> JointPart:
    """The joint as it sits in its two links, the axis in its own frame."""
    in_child = _matrix(joint.in_child, snap)
    in_model = poses[joint.child] @ in_child
    axis = joint.axis
    if joint.axis_in_model:
        axis = _exact((in_model[:3, :3].T @ np.array([float(entry) for entry in axis])).tolist())
    at = _placement(_inverse(poses[joint.parent]) @ in_model, joint.line)
    return replace(joint, at=at, axis=axis, in_child=_placement(in_child, joint.line))


def _join(
    assembly: LinkAssembly,
    model: Robot,
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
        if link.name not in carried:
            at = _placement(_inverse(poses[WORLD]) @ poses[link.name], link.pose.line)
            kind = "fixed" if model.static else base
            assembly.add_root(link.name, kind, taken, at)
            taken = [*assembly.system.model().joints, *taken]
    for joint in joints:
        with told_at(findings.place(joint.line, f"joint '{joint.name}'")):
            assembly.add_joint(joint, dynamics)
            if joint.stiffness and joint.kind in ONE_FREEDOM:
                assembly.system.joint_spring(joint.name, joint.stiffness, joint.rest, name=f"{joint.name} spring")
    for joint in loops:
        with told_at(findings.place(joint.line, f"joint '{joint.name}'")):
            assembly.add_loop(joint)
        if joint.stiffness or (dynamics and joint.facts.damping):
            said = "springs and damping of a joint that closes a loop are not modelled."
            findings.warn((joint.line, f"joint '{joint.name}'"), said, "", "W-ROBOT-UNSUPPORTED")


# ---- poses as numbers ------------------------------------------------------------------------------------------


def _matrix(at: Placement, snap: Fraction) -> Matrix4:
    """The pose as a matrix; an angle this near to a multiple of π/2 is taken to be one."""
    (cr, sr), (cp, sp), (cy, sy) = (_cos_sin(float(angle), float(snap)) for angle in at.rpy)
    made = np.eye(4)
    made[:3, :3] = [
        [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
        [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
        [-sp, cp * sr, cp * cr],
    ]
    made[:3, 3] = [float(entry) for entry in at.xyz]
    return made


def _cos_sin(angle: float, snap: float) -> tuple[float, float]:
    quarter = round(angle / (pi / 2))
    if abs(angle - quarter * pi / 2) <= snap:
        return ((1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0))[quarter % 4]
    return cos(angle), sin(angle)


def _placement(pose: Matrix4, line: int) -> Placement:
    """The pose as position and angles roll, pitch, yaw about fixed axes, to the digits of a double."""
    R = pose[:3, :3]
    pitch = asin(float(np.clip(-R[2, 0], -1.0, 1.0)))
    if abs(R[2, 0]) > 1 - 1e-12:  # roll and yaw turn about one axis: yaw does it all
        roll, yaw = 0.0, atan2(-R[0, 1], R[1, 1])
    else:
        roll, yaw = atan2(R[2, 1], R[2, 2]), atan2(R[1, 0], R[0, 0])
    return Placement(_exact(pose[:3, 3].tolist()), _exact([roll, pitch, yaw]), line)


def _inverse(pose: Matrix4) -> Matrix4:
    """(R, p)⁻¹ = (Rᵀ, -Rᵀ p)."""
    made = np.eye(4)
    made[:3, :3] = pose[:3, :3].T
    made[:3, 3] = -pose[:3, :3].T @ pose[:3, 3]
    return made


def _exact(values: list[float]) -> Triple:
    x, y, z = (Fraction(repr(round(value, 15))) for value in values)
    return x, y, z
