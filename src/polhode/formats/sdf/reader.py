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
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import FormatError, PolhodeError, path_of, shown, suggestion
from ...expr.rational import decimal
from ...geometry.rotations.exact import nearest_angle
from ...model import System
from ...model.reading import NAME_LIMIT
from ..findings import Findings, JointFacts, Report, located_at, system_alone
from ..robot_file.assembly import LinkAssembly, Packages, tolerance
from ..robot_file.checks import check_inertials, check_limits
from ..robot_file.markup import Element, Known, Limits, list_unmodelled, parse_file
from ..robot_file.parts import (
    INERTIA,
    ONE,
    ONE_FREEDOM,
    SOLIDS,
    ZERO,
    ElementReader,
    Geometry,
    Inertial,
    JointPart,
    LinkPart,
    Placement,
    Robot,
    Triple,
    is_sane,
    solids_of,
    written_color,
)
from ..touching import Contacts, touch

KINDS = ("fixed", "revolute", "continuous", "prismatic", "ball")
_Z: Triple = (Fraction(0), Fraction(0), Fraction(1))
#: SDF's word for a limit that is none.
_ENDLESS = Fraction(10) ** 15

_TEXT: tuple[set[str], set[str]] = (set(), set())
KNOWN: Known = {
    "sdf": ({"version"}, {"model", "world"}),
    "world": ({"name"}, {"model"}),
    "model": ({"name"}, {"link", "joint", "pose", "static", "self_collide"}),
    "link": ({"name"}, {"pose", "inertial", "visual", "collision"}),
    "inertial": (set(), {"pose", "mass", "inertia"}),
    "inertia": (set(), set(INERTIA)),
    "visual": ({"name"}, {"pose", "geometry", "material"}),
    "collision": ({"name"}, {"pose", "geometry", "surface"}),
    "surface": (set(), {"friction", "bounce"}),
    "friction": (set(), {"ode"}),
    "ode": (set(), {"mu"}),
    "bounce": (set(), {"restitution_coefficient"}),
    "geometry": (set(), {*SOLIDS, "mesh"}),
    "mesh": (set(), {"uri", "scale"}),
    **{solid: (set(), set(sizes)) for solid, sizes in SOLIDS.items()},
    "material": (set(), {"ambient", "diffuse"}),
    "joint": ({"name", "type"}, {"parent", "child", "pose", "axis"}),
    "axis": (set(), {"xyz", "limit", "dynamics", "use_parent_model_frame"}),
    "limit": (set(), {"lower", "upper", "effort", "velocity"}),
    "dynamics": (set(), {"damping", "friction", "spring_stiffness", "spring_reference"}),
    "pose": ({"frame", "relative_to"}, set()),
    "xyz": ({"expressed_in"}, set()),
    **dict.fromkeys(("static", "self_collide", "mass", *INERTIA, "uri", "scale", "size", "radius", "length"), _TEXT),
    **dict.fromkeys(("ambient", "diffuse", "parent", "child", "use_parent_model_frame", "lower", "upper"), _TEXT),
    **dict.fromkeys(("effort", "velocity", "damping", "spring_stiffness", "spring_reference"), _TEXT),
    **dict.fromkeys(("mu", "restitution_coefficient"), _TEXT),
}


def parse_model(root: Element, findings: Findings) -> Robot:
    """The one model of a document; problems are collected in `findings`."""
    if root.tag != "sdf":
        message = f"an SDF model begins with <sdf>, not with <{root.tag[:60]}>."
        cure = "Name the file after what it holds: .urdf for <robot>, .xml for <mujoco>."
        raise FormatError(message, place=findings.place(root.line), cure=cure, code="E-ROBOT-READ")
    models = [*root.all("model"), *(model for world in root.all("world") for model in world.all("model"))]
    if len(models) != 1:
        message = f"there are {len(models)} models in it, not one."
        place = findings.place(root.line, root.shown())
        raise FormatError(message, place=place, cure="Keep one <model> in the file.", code="E-ROBOT-TWICE")
    model = models[0]
    read = _Reader(findings)
    links = [link for element in model.all("link") if (link := read.link(element))]
    joints = [joint for element in model.all("joint") if (joint := read.joint(element))]
    named = (
        (what, part.attributes.get("name", ""), part.line) for what in ("link", "joint") for part in model.all(what)
    )
    seen: set[tuple[str, str]] = set()
    for what, name, line in named:
        if name and (what, name) in seen:
            message = f"{what} '{name}'"
            read.problem(line, message, f"there is already a {what} of this name.", "Rename it.", "E-ROBOT-TWICE")
        seen.add((what, name))
    name = model.attributes.get("name", "").strip() or "model"
    static = _text(model, "static").lower() in ("1", "true")
    return Robot(name[:NAME_LIMIT], tuple(links), tuple(joints), read.pose(model, "model"), static)


def _text(element: Element, tag: str) -> str:
    children = element.all(tag)
    return children[0].text.strip() if children else ""


class _Reader(ElementReader):
    """Reads the elements of an SDF model, whose values are the texts of elements."""

    def name(self, element: Element) -> str:
        name = element.attributes.get("name", "")
        if not name.strip() or len(name) > NAME_LIMIT:
            message = "it has no name, or too long a one."
            self.problem(element.line, element.shown(), message, "Name it.", "E-ROBOT-SIZE")
            return ""
        return name

    def numbers(self, element: Element, what: str, count: int) -> tuple[Fraction, ...]:
        """So many numbers between white space, or zeros and a problem."""
        values = [decimal(word) for word in element.text.split()]
        good = [value for value in values if value is not None and is_sane(value)]
        if len(good) != count or len(values) != count:
            words = f"{element.text.strip()[:40]!r} is not {'a number' if count == 1 else f'{count} numbers'}."
            self.problem(element.line, f"{what} <{element.tag}>", words, "Write finite decimals.", "E-ROBOT-NUMBER")
            return (Fraction(0),) * count
        return tuple(good)

    def number(self, element: Element | None, tag: str, what: str, default: Fraction | None = None) -> Fraction | None:
        children = element.all(tag) if element else []
        return self.numbers(children[0], what, 1)[0] if children else default

    def end(self, limit: Element | None, tag: str, what: str) -> Fraction | None:
        """A limit; None for infinity and numbers of that size."""
        if limit is None or _text(limit, tag).lower().removeprefix("-").removeprefix("+") in ("inf", "infinity"):
            return None
        value = self.number(limit, tag, what)
        return None if value is None or abs(value) >= _ENDLESS else value

    def largest(self, limit: Element | None, tag: str, what: str) -> Fraction | None:
        """The largest effort or velocity: in SDF a negative one is none."""
        value = self.end(limit, tag, what)
        return None if value is None or value < 0 else value

    def pose(self, element: Element, what: str) -> Placement:
        for child in element.all("pose"):
            frame = child.attributes.get("relative_to") or child.attributes.get("frame") or ""
            if frame and not (frame == "__model__" and element.tag == "link"):
                message = f"a pose in another frame, '{frame[:60]}', is not read."
                cure = "Write poses of links in the model's frame, and others in their link's."
                self.problem(child.line, f"{what} <pose>", message, cure, "E-ROBOT-UNSUPPORTED")
            x, y, z, roll, pitch, yaw = self.numbers(child, what, 6) if child.text.strip() else (Fraction(0),) * 6
            return Placement((x, y, z), (roll, pitch, yaw), child.line)
        return Placement(line=element.line)

    # ---- links -----------------------------------------------------------------------------------------------

    def link(self, element: Element) -> LinkPart | None:
        name = self.name(element)
        if not name:
            return None
        what = f"link '{name}'"
        geometry = self.shapes(element, what)
        inertial = next((self.inertial(child, what) for child in element.all("inertial")), None)
        return LinkPart(name, inertial, geometry, element.line, self.pose(element, what))

    def inertial(self, element: Element, what: str) -> Inertial:
        one = Fraction(1)
        mass = self.number(element, "mass", what, one) or Fraction(0)
        inertia = next(iter(element.all("inertia")), None)
        unit = dict.fromkeys(INERTIA[:3], one)
        entries = [self.number(inertia, tag, what, unit.get(tag)) or Fraction(0) for tag in INERTIA]
        return Inertial(mass, tuple(entries), self.pose(element, what), element.line)

    def geometry(self, element: Element, role: str, what: str) -> Geometry | None:
        at = self.pose(element, what)
        solids = solids_of(element.all("geometry"))
        if len(solids) != 1:
            message = "its <geometry> holds no shape that is known, or several."
            cure = f"Known shapes are {', '.join(SOLIDS)} and mesh."
            self.findings.warn((element.line, f"{what} <{role}>"), message, cure, "W-ROBOT-READ")
            return None
        solid = solids[0]
        colors = (_text(material, tag) for material in element.all("material") for tag in ("diffuse", "ambient"))
        color = next((written_color(text) for text in colors if text), "")
        if solid.tag == "mesh":
            scale = next((_triple(self.numbers(child, what, 3)) for child in solid.all("scale")), ONE)
            return Geometry(role, "mesh", scale, at, solid.line, _text(solid, "uri"), color)
        if solid.tag == "box":
            size: Sequence[Fraction] = next((self.numbers(child, what, 3) for child in solid.all("size")), ZERO)
        else:
            size = [self.number(solid, tag, what) or Fraction(0) for tag in SOLIDS[solid.tag]]
        surfaces = element.all("surface")
        rubs = [ode for surface in surfaces for part in surface.all("friction") for ode in part.all("ode")]
        bounces = [part for surface in surfaces for part in surface.all("bounce")]
        mu, bounce = (
            next((self.number(element_with, tag, what) for element_with in elements), None)
            for tag, elements in (("mu", rubs), ("restitution_coefficient", bounces))
        )
        return Geometry(role, solid.tag, tuple(size), at, solid.line, "", color, mu, bounce)

    # ---- joints ----------------------------------------------------------------------------------------------

    def joint(self, element: Element) -> JointPart | None:
        name = self.name(element)
        kind = element.attributes.get("type", "")
        what = f"joint '{name}'"
        if not name:
            return None
        if kind not in KINDS:
            message, cure = (
                f"a joint of type {kind[:60]!r} is not read; it is left out.",
                f"Known types are {', '.join(KINDS)}.",
            )
            self.findings.warn((element.line, f"{what} {element.shown('type')}"), message, cure, "W-ROBOT-UNSUPPORTED")
            return None
        ends = {tag: _text(element, tag) for tag in ("parent", "child")}
        for tag, link in ends.items():
            if not link:
                message = f"<{tag}> names no link."
                self.problem(element.line, what, message, f"Write <{tag}>…</{tag}>.", "E-ROBOT-MISSING")
        axis = next(iter(element.all("axis")), None)
        limit, dynamics = (next(iter(axis.all(tag)), None) if axis else None for tag in ("limit", "dynamics"))
        direction = next(iter(axis.all("xyz")), None) if axis else None
        xyz = _triple(self.numbers(direction, what, 3)) if direction else _Z
        if not any(xyz):
            cure = "Give it a direction."
            self.problem(element.line, f"{what} <axis>", "the axis has zero length.", cure, "E-ROBOT-NUMBER")
            xyz = _Z
        frame = direction.attributes.get("expressed_in", "") if direction else ""
        if frame not in ("", "__model__"):
            message = f"an axis in the frame '{frame[:60]}' is not read."
            self.problem(element.line, f"{what} <xyz>", message, "Write it in the joint's.", "E-ROBOT-UNSUPPORTED")
        in_model = frame == "__model__" or (axis is not None and _text(axis, "use_parent_model_frame") in ("1", "true"))
        limits = [self.end(limit, tag, what) for tag in ("lower", "upper")]
        lower, upper = (None, None) if None in limits else limits
        rated = (self.largest(limit, "velocity", what), self.largest(limit, "effort", what))
        lost = (self.number(dynamics, "damping", what), self.number(dynamics, "friction", what))
        facts = JointFacts(name, kind, lower, upper, *rated, *lost)
        stiffness = self.number(dynamics, "spring_stiffness", what) or Fraction(0)
        rest = self.number(dynamics, "spring_reference", what) or Fraction(0)
        lines = (element.line,) * 3
        seat, spring = self.pose(element, what), (stiffness, rest)
        return JointPart(
            name, kind, ends["parent"], ends["child"], Placement(), xyz, facts, *lines, None, seat, in_model, *spring
        )


def _triple(values: Sequence[Fraction]) -> Triple:
    x, y, z = values
    return x, y, z


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
    contacts: Contacts = False,
    stops: Any = None,
    friction: bool = True,
) -> tuple[System, Report]:
    """Read an SDF file that holds one model: the System, and a report of warnings, notices, joint limits and meshes.

    Links become bodies and joints keep their names; joints that close loops become constraints, springs of joints act.
    All coordinates are zero as the file has it.

    - base: a link that no joint carries is free to move where the model is not static; "fixed" welds it to the ground.
    - symbolic, packages, dynamics, inertia, snap, limits, contacts, stops, friction: as in `load_urdf`; the laws of
      contacts are those of the surfaces of collisions.
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
    joints = check_limits(joints, dynamics, findings)
    links, accepted = check_inertials(model.links, inertia, findings)
    model = replace(model, links=tuple(links))
    findings.raise_problems()
    assembly = LinkAssembly(model.name, symbolic, within, findings, model.links, path.parent, packages)
    for link in model.links:
        with located_at(findings.place(link.line, f"link '{link.name}'")):
            assembly.add_link(link, accepted)
    assembly.body_name[WORLD] = assembly.system.ground.name
    _join(assembly, model, joints, [parts[joint.name] for joint in loops], poses, base, dynamics)
    assembly.refuse_unused()
    if loops:
        message = f"these joints close loops and are constraints: {', '.join(joint.name for joint in loops)}."
        findings.notice((loops[0].line, ""), message, "N-ROBOT-DEPENDENCE")
    _note_snapped(model, within, findings)
    carried = {joint.child for joint in tree}
    root = next((link.name for link in model.links if link.name not in carried), WORLD)
    facts = (joint.facts for joint in model.joints)
    report = findings.report(model.name, root, facts, assembly.mesh_facts(contacts is not False))
    return assembly.system, touch(assembly.system, report, contacts, stops, friction)


load_sdf = system_alone(read_sdf)


def _note_snapped(model: Robot, snap: Fraction, findings: Findings) -> None:
    """One notice of all angles rounded to right ones; those from composition of poses are exact."""
    findings.notices[:] = [notice for notice in findings.notices if notice.code != "N-ROBOT-ANGLE"]
    placed = [*(link.pose for link in model.links), *(joint.in_child for joint in model.joints)]
    lines = [at.line for at in placed for angle in at.rpy if nearest_angle(angle, snap)[1]]
    if lines:
        message = f"{len(lines)} angles this near to a multiple of pi/2 ({float(snap):g}) are taken as that."
        findings.notice((lines[0], "<pose>"), message, "N-ROBOT-ANGLE")


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
    """Joints of the tree, parents first, and joints that close loops: those to links that have a joint already."""
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
        message, cure = "the links form a cycle without a root.", "Remove the joint whose child is to be the root."
        findings.problem((lost.line, f"joint '{lost.name}'"), message, cure, "E-ROBOT-TREE")
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
        with located_at(findings.place(joint.line, f"joint '{joint.name}'")):
            assembly.add_joint(joint, dynamics)
            if joint.stiffness and joint.kind in ONE_FREEDOM:
                assembly.system.joint_spring(joint.name, joint.stiffness, joint.rest, name=f"{joint.name} spring")
    for joint in loops:
        with located_at(findings.place(joint.line, f"joint '{joint.name}'")):
            assembly.add_loop(joint)
        if joint.stiffness or (dynamics and joint.facts.damping):
            message = "springs and damping of a joint that closes a loop are not modelled."
            findings.warn((joint.line, f"joint '{joint.name}'"), message, "", "W-ROBOT-UNSUPPORTED")


# ---- poses as numbers ------------------------------------------------------------------------------------------


def _matrix(at: Placement, snap: Fraction) -> Matrix4:
    """The pose as a matrix; an angle this near to a multiple of π/2 is rounded to it."""
    (cr, sr), (cp, sp), (cy, sy) = (_cos_sin(float(angle), float(snap)) for angle in at.rpy)
    result = np.eye(4)
    result[:3, :3] = [
        [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
        [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
        [-sp, cp * sr, cp * cr],
    ]
    result[:3, 3] = [float(entry) for entry in at.xyz]
    return result


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
    result = np.eye(4)
    result[:3, :3] = pose[:3, :3].T
    result[:3, 3] = -pose[:3, :3].T @ pose[:3, 3]
    return result


def _exact(values: list[float]) -> Triple:
    x, y, z = (Fraction(repr(round(value, 15))) for value in values)
    return x, y, z
