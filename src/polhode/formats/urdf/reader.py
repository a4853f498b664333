"""`load_urdf` and `read_urdf`: from a robot file to a System, and to a report of what the System does not show."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from os import PathLike
from typing import Any

from ...errors import FormatError, ModelError, PolhodeError, Problem, path_of, shown, suggestion
from ...expr.rational import decimal
from ...model import System
from ...model.reading import NAME_LIMIT
from ..findings import Findings, JointFacts, Report, system_alone
from ..robot_file import parts
from ..robot_file.assembly import LinkAssembly, Packages, tolerance
from ..robot_file.checks import check_inertials, check_limits, check_moving_masses
from ..robot_file.markup import Element, Known, Limits, list_unmodelled, parse_file
from ..touching import Contacts, touch
from .joints import Locked, add_motors, check_mimics, lock_joints, parse_transmissions, without_idle
from .srdf import add_srdf

KINDS = ("fixed", "revolute", "continuous", "prismatic", "floating", "planar")
_AXIS: parts.Triple = (Fraction(1), Fraction(0), Fraction(0))
_OTHER_FORMATS = {
    "sdf": "an SDF model",
    "mujoco": "a MuJoCo (MJCF) model",
    "mujocoinclude": "a part of a MuJoCo (MJCF) model",
    "html": "a web page",
    "collada": "a COLLADA mesh",
    "opensimdocument": "an OpenSim model",
    "model": "an SDF model",
}
KNOWN: Known = {
    "robot": ({"name", "version"}, {"link", "joint", "material", "transmission"}),
    "link": ({"name"}, {"inertial", "visual", "collision"}),
    "inertial": (set(), {"origin", "mass", "inertia"}),
    "visual": ({"name"}, {"origin", "geometry", "material"}),
    "collision": ({"name"}, {"origin", "geometry"}),
    "geometry": (set(), {*parts.SOLIDS, "mesh"}),
    "material": ({"name"}, {"color", "texture"}),
    "joint": ({"name", "type"}, {"origin", "parent", "child", "axis", "limit", "dynamics", "mimic"}),
    "origin": ({"xyz", "rpy"}, set()),
    "mass": ({"value"}, set()),
    "inertia": (set(parts.INERTIA), set()),
    "parent": ({"link"}, set()),
    "child": ({"link"}, set()),
    "axis": ({"xyz"}, set()),
    "limit": ({"lower", "upper", "effort", "velocity"}, set()),
    "dynamics": ({"damping", "friction"}, set()),
    "mimic": ({"joint", "multiplier", "offset"}, set()),
    **{solid: (set(sizes), set()) for solid, sizes in parts.SOLIDS.items()},
    "mesh": ({"filename", "scale"}, set()),
    "color": ({"rgba"}, set()),
    "texture": ({"filename"}, set()),
}


def parse_robot(root: Element, findings: Findings) -> parts.Robot:
    """The robot that a document describes; problems are collected in `findings`."""
    if root.tag != "robot":
        other = _OTHER_FORMATS.get(root.tag.lower())
        message = f"this looks like {other}, not like a URDF." if other else "a URDF begins with <robot name=…>."
        cure = "Convert it to URDF, or describe the mechanism in a polhode model file (ph.load)."
        raise FormatError(message, place=findings.place(root.line, root.shown()), cure=cure, code="E-ROBOT-READ")
    name = root.attributes.get("name", "").strip() or "robot"
    read = _Reader(findings, _named_colors(root))
    links = [link for element in root.all("link") if (link := read.link(element))]
    joints = [joint for element in root.all("joint") if (joint := read.joint(element))]
    _refuse_twice("link", ((link.name, link.line) for link in links), findings)
    _refuse_twice("joint", ((joint.name, joint.line) for joint in joints), findings)
    materials = ((element.attributes.get("name", ""), element.line) for element in root.all("material"))
    _refuse_twice("material", materials, findings)
    if not links:
        at = (root.line, f"robot '{name}'")
        findings.problem(at, "there is no link in it.", "Add <link name=…/> elements.", "E-ROBOT-MISSING")
    return parts.Robot(name[:NAME_LIMIT], tuple(links), tuple(joints))


def _refuse_twice(what: str, named: Iterable[tuple[str, int]], findings: Findings) -> None:
    """A repeated name is a problem; two names that look alike are a warning."""
    lines: dict[str, int] = {}
    alike: dict[str, str] = {}
    for name, line in named:
        at = (line, f"{what} '{name}'")
        if name in lines:
            message = f"there is already a {what} of this name in line {lines[name]}."
            findings.problem(at, message, "Rename one of them.", "E-ROBOT-TWICE")
            continue
        lines[name] = line
        folded = unicodedata.normalize("NFKC", name).casefold()
        if folded in alike:
            first = alike[folded]
            message = f"its name looks like '{first}' of line {lines[first]}; they are kept apart."
            findings.warn(at, message, "Rename one of them if they are meant to be one.", "W-ROBOT-NAME")
        alike.setdefault(folded, name)


def _named_colors(root: Element) -> dict[str, str]:
    """Colours by the names of materials, those of the robot first, then those that links define on the way."""
    visuals = [visual for link in root.all("link") for visual in link.all("visual")]
    result: dict[str, str] = {}
    for material in (*root.all("material"), *(material for visual in visuals for material in visual.all("material"))):
        color = _color_of(material.all("color"))
        if color:
            result.setdefault(material.attributes.get("name", ""), color)
    return result


def _color_of(elements: Sequence[Element]) -> str:
    """The colour of the first <color rgba=…>, or "" if it is invalid, as no equation depends on it."""
    return parts.written_color(elements[0].attributes.get("rgba", "")) if elements else ""


class _Reader(parts.ElementReader):
    """Reads the elements of a URDF, whose values are attributes."""

    def __init__(self, findings: Findings, colors: Mapping[str, str]) -> None:
        super().__init__(findings)
        self.colors = colors

    def name(self, element: Element) -> str | None:
        name = element.attributes.get("name")
        if name is None or not name.strip():
            cure = f'Write <{element.tag} name="…">.'
            self.problem(element.line, element.shown(), "it has no name.", cure, "E-ROBOT-MISSING")
            return None
        if len(name) > NAME_LIMIT:
            message = f"the name has {len(name):,} characters, more than {NAME_LIMIT}."
            self.problem(element.line, element.shown("name"), message, "Shorten it.", "E-ROBOT-SIZE")
            return None
        return name

    def single(self, element: Element, tag: str, what: str) -> Element | None:
        """The only child of a tag, if there is one."""
        children = element.all(tag)
        if len(children) > 1:
            message = f"there is already a <{tag}> in line {children[0].line}."
            self.problem(children[1].line, f"{what} <{tag}>", message, "Keep one of them.", "E-ROBOT-TWICE")
        return children[0] if children else None

    # ---- links -----------------------------------------------------------------------------------------------

    def link(self, element: Element) -> parts.LinkPart | None:
        name = self.name(element)
        if name is None:
            return None
        what = f"link '{name}'"
        inertial = self.single(element, "inertial", what)
        geometry = self.shapes(element, what)
        return parts.LinkPart(name, self.inertial(inertial, what) if inertial else None, geometry, element.line)

    def placement(self, element: Element, what: str) -> parts.Placement:
        origin = self.single(element, "origin", what)
        if origin is None:
            return parts.Placement(line=element.line)
        return parts.Placement(
            self.vector(origin, "xyz", what, parts.ZERO), self.vector(origin, "rpy", what, parts.ZERO), origin.line
        )

    def inertial(self, element: Element, what: str) -> parts.Inertial:
        mass, inertia = self.single(element, "mass", what), self.single(element, "inertia", what)
        for tag, part in (("mass", mass), ("inertia", inertia)):
            if part is None:
                message, cure = f"there is no <{tag}> in it.", f"Add <{tag} …/>."
                self.problem(element.line, f"{what} <inertial>", message, cure, "E-ROBOT-MISSING")
        return parts.Inertial(
            self.required(mass, "value", what) if mass else Fraction(0),
            tuple(self.required(inertia, entry, what) for entry in parts.INERTIA) if inertia else (Fraction(0),) * 6,
            self.placement(element, what),
            element.line,
        )

    def geometry(self, element: Element, role: str, what: str) -> parts.Geometry | None:
        holder = self.single(element, "geometry", what)
        solids = parts.solids_of([holder] if holder else [])
        if len(solids) != 1:
            message = (
                "its <geometry> holds several shapes." if solids else "its <geometry> holds no shape that is known."
            )
            cure = f"Known shapes are {', '.join(parts.SOLIDS)} and mesh."
            self.findings.warn((element.line, f"{what} <{role}>"), message, cure, "W-ROBOT-READ")
            return None
        solid = solids[0]
        at = self.placement(element, what)
        material = element.all("material")[:1]
        color = "".join(
            _color_of(m.all("color")) or self.colors.get(m.attributes.get("name", ""), "") for m in material
        )
        if solid.tag == "mesh":
            scale = self.vector(solid, "scale", what, parts.ONE)
            return parts.Geometry(role, "mesh", scale, at, solid.line, solid.attributes.get("filename", ""), color)
        size: tuple[Fraction, ...]
        if solid.tag == "box":
            size = self.vector(solid, "size", what, parts.ZERO)
        else:
            size = tuple(self.required(solid, entry, what) for entry in parts.SOLIDS[solid.tag])
        if any(entry <= 0 for entry in size):
            message = "a size is not positive; it is not drawn."
            self.findings.warn((solid.line, f"{what} <{solid.tag}>"), message, "", "W-ROBOT-READ")
        return parts.Geometry(role, solid.tag, size, at, solid.line, "", color)

    # ---- joints ----------------------------------------------------------------------------------------------

    def joint(self, element: Element) -> parts.JointPart | None:
        name = self.name(element)
        if name is None:
            return None
        what = f"joint '{name}'"
        kind = element.attributes.get("type", "")
        if kind not in KINDS:
            message = f"there is no joint type {kind!r}." if kind else "the joint has no type."
            cure = f"Choose one of {', '.join(KINDS)}."
            self.problem(element.line, f"{what} {element.shown('type')}", message, cure, "E-ROBOT-NAME")
        axis, mimic = self.single(element, "axis", what), self.single(element, "mimic", what)
        return parts.JointPart(
            name,
            kind,
            self.reference(element, "parent", what),
            self.reference(element, "child", what),
            self.placement(element, what),
            self.axis(axis, kind, what) if axis else _AXIS,
            self.facts(element, name, kind, mimic, what),
            element.line,
            axis.line if axis else element.line,
            mimic.line if mimic else element.line,
        )

    def reference(self, element: Element, tag: str, what: str) -> str:
        child = self.single(element, tag, what)
        link = child.attributes.get("link", "") if child else ""
        if not link:
            message = f"<{tag}> {'names no link' if child else 'is missing'}."
            cure = f'Write <{tag} link="…"/>.'
            self.problem(child.line if child else element.line, what, message, cure, "E-ROBOT-MISSING")
        return link

    def axis(self, element: Element, kind: str, what: str) -> parts.Triple:
        axis = self.vector(element, "xyz", what, _AXIS)
        if any(axis):
            return axis
        if kind not in ("fixed", "floating"):
            cure = f'A {kind} joint needs a direction. Did you mean xyz="0 0 1"?'
            message = f"{what} {element.shown('xyz')}"
            self.problem(element.line, message, "the axis has zero length.", cure, "E-ROBOT-NUMBER")
        return _AXIS

    def facts(self, element: Element, name: str, kind: str, mimic: Element | None, what: str) -> JointFacts:
        limit, dynamics = self.single(element, "limit", what), self.single(element, "dynamics", what)
        bounded = limit if kind in ("revolute", "prismatic") else None
        zero = Fraction(0)

        def value(element: Element | None, attribute: str, default: Fraction | None = None) -> Fraction | None:
            return self.scalar(element, attribute, what, default) if element is not None else None

        ends = (value(bounded, "lower", zero), value(bounded, "upper", zero))
        stated = (value(limit, "velocity"), value(limit, "effort"))
        lost = (value(dynamics, "damping"), value(dynamics, "friction"))
        follows = None
        if mimic is not None:
            multiplier, offset = value(mimic, "multiplier", Fraction(1)), value(mimic, "offset", zero)
            follows = (mimic.attributes.get("joint", ""), multiplier or zero, offset or zero)
        return JointFacts(name, kind, *ends, *stated, *lost, follows)

    # ---- numbers ---------------------------------------------------------------------------------------------

    def required(self, element: Element, attribute: str, what: str) -> Fraction:
        if not element.attributes.get(attribute, "").strip():
            message, cure = f"the attribute {attribute} is missing.", f'Write {attribute}="…".'
            self.problem(element.line, f"{what} {element.shown()}", message, cure, "E-ROBOT-MISSING")
        return self.scalar(element, attribute, what) or Fraction(0)

    def scalar(self, element: Element, attribute: str, what: str, default: Fraction | None = None) -> Fraction | None:
        """A number attribute; the default where it is not given, a problem where it is no number."""
        text = element.attributes.get(attribute, "").strip()
        value = self.number(text, element, attribute, what) if text else default
        return default if value is None else value

    def vector(self, element: Element, attribute: str, what: str, default: parts.Triple) -> parts.Triple:
        """Three numbers between white space."""
        words = element.attributes.get(attribute, "").split()
        if not words:  # blank or absent
            return default
        if len(words) != 3:
            message, cure = f"a vector has 3 components, not {len(words)}.", 'Write three numbers, for example "0 0 1".'
            self.problem(element.line, f"{what} {element.shown(attribute)}", message, cure, "E-ROBOT-SHAPE")
            return default
        x, y, z = (self.number(word, element, attribute, what) for word in words)
        return default if x is None or y is None or z is None else (x, y, z)

    def number(self, text: str, element: Element, attribute: str, what: str) -> Fraction | None:
        """A number of sane size, or a problem and None."""
        value = decimal(text)
        if value is None or not parts.is_sane(value):
            message = f"{text[:40]!r} is not a number{'' if value is None else ' that a robot can have'}."
            cure = "Write a finite decimal with a point, such as 1.5 or 2e-3, and no unit."
            self.problem(element.line, f"{what} {element.shown(attribute)}", message, cure, "E-ROBOT-NUMBER")
            return None
        return value


_CHOICES = {
    "base": ("fixed", "floating"),
    "mimic": ("couple", "independent", "refuse"),
    "inertia": ("lenient", "strict", "any"),
    "massless": ("lock", "report", "refuse"),
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
    massless: str = "lock",
    snap: float | str = "1e-6",
    limits: Limits | None = None,
    content: bytes | None = None,
    srdf: str | PathLike[str] | None = None,
    contacts: Contacts = False,
    stops: Any = None,
    friction: bool = True,
) -> tuple[System, Report]:
    """Read a URDF file: the System, and a report of warnings, notices, joint limits and meshes.

    Links become bodies and joints keep their names; a joint of one freedom gives its name to its coordinate.

    - base: "fixed" welds the root link to the ground, "floating" lets it move freely (quaternion and position).
    - symbolic: patterns of numbers that become parameters: "mass:forearm", "com:*", "inertia:*", "length:*", "gravity".
    - packages: folders that `package://name/…` may point into; without them it is looked for in the folders above the
      file. Meshes are opened when they are drawn.
    - root: the root link, if the file has several trees.
    - dynamics: add each joint's damping as a force.
    - mimic: "couple" a joint that follows another, so that it has no coordinate of its own, make it "independent", or
      "refuse" it.
    - locked: names of joints to weld at zero, or a mapping from names to where (in radians or metres). What is coupled
      to a locked joint is locked with it.
    - inertia: what to do with inertias that no body can have: "lenient" takes the nearest possible one where they are
      off by less than 1e-3 or negative, and uses others with a warning; "any" uses all, "strict" refuses them.
    - massless: "lock" joints that move no mass at zero, "report" them (the mass matrix is then singular), or "refuse"
      them.
    - snap: angles this close to a multiple of π/2, and axes this close to x, y or z, are taken to be exact.
    - limits: of the file's size and nesting.
    - content: what is in the file, if it was read before; the path then only names it.
    - srdf: a file whose group states become poses, and whose disabled collisions exclusions.
    - contacts: True adds contacts of collision shapes with the floor z = 0, "all" those of links with each other too; a
      mapping has laws for all: friction, static, stribeck, restitution.
    - stops: a restitution, or what `System.stop` takes, with which limits of joints become stops.
    - friction: dry friction of joints acts.
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
    joints = check_limits(joints, dynamics, findings)
    links, accepted = check_inertials(links, inertia, findings)
    idle = check_moving_masses(top, links, joints, coupled, massless, findings)
    joints, coupled = without_idle(joints, coupled, idle)
    findings.raise_problems()
    snapped = tolerance(snap, "E-ROBOT-NUMBER")
    assembly = LinkAssembly(robot.name, symbolic, snapped, findings, links, path.parent, packages)
    _assemble(assembly, joints, coupled, accepted, base, dynamics)
    add_motors(assembly.system, transmissions, joints, findings)
    if srdf is not None:
        add_srdf(assembly.system, srdf, limits, findings)
    assembly.refuse_unused()
    report = findings.report(
        robot.name, top, (joint.facts for joint in joints), assembly.mesh_facts(contacts is not False)
    )
    return assembly.system, touch(assembly.system, report, contacts, stops, friction)


load_urdf = system_alone(read_urdf)


def _assemble(
    assembly: LinkAssembly,
    joints: Sequence[parts.JointPart],
    coupled: Sequence[parts.JointPart],
    accepted: set[str],
    base: str,
    dynamics: bool,
) -> None:
    """Add all parts; errors of the model are reported with the line of their part."""
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
        located = [Problem(p.message, place(line, p.place), p.cure, p.code) for p in error.problems]
        raise ModelError(problems=located) from None


# ---- how the links hang together: references that exist, one parent for each link, one root, no cycle -----------


def _check_references(robot: parts.Robot, findings: Findings) -> None:
    """Every joint names two links of the file."""
    names = [link.name for link in robot.links]
    links = set(names)
    for joint in robot.joints:
        for role, link in (("parent", joint.parent), ("child", joint.child)):
            if link and link not in links:
                at = (joint.line, f"joint '{joint.name}' <{role} link=\"{link[:60]}\">")
                findings.problem(at, f"there is no link '{link[:60]}'.", suggestion(link, names), "E-ROBOT-NAME")


def _check_parents(robot: parts.Robot, findings: Findings) -> None:
    """No link is its own ancestor, and no link has two parents."""
    carrier: dict[str, parts.JointPart] = {}
    for joint in robot.joints:
        what = f"joint '{joint.name}'"
        if joint.parent == joint.child and joint.parent:
            at = (joint.line, what)
            findings.problem(at, f"link '{joint.child}' is its own parent.", "Name another parent.", "E-ROBOT-TREE")
        elif joint.child in carrier:
            first = carrier[joint.child]
            message = f"link '{joint.child}' already hangs on joint '{first.name}' of line {first.line}."
            cure = "A second parent closes a loop, which URDF cannot say; remove one of the two joints."
            findings.problem((joint.line, what), message, cure, "E-ROBOT-TREE")
        else:
            carrier[joint.child] = joint
    _refuse_cycles(carrier, findings)


def _refuse_cycles(carrier: dict[str, parts.JointPart], findings: Findings) -> None:
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
            message = f"the links form a cycle: {' → '.join([link, *cycle[:0:-1], link])}."
            findings.problem(at, message, "A URDF is a tree; attach one of these links elsewhere.", "E-ROBOT-TREE")
        settled.update(path)


def _find_root(robot: parts.Robot, wanted: str | None, findings: Findings) -> str:
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
        message = f"there are {len(roots)} links without a parent: {listed}."
        findings.problem(at, message, "Join them, or choose one tree with root=….", "E-ROBOT-TREE")
    return roots[0].name if roots else ""


def _reached_from(
    robot: parts.Robot, root: str, findings: Findings
) -> tuple[list[parts.LinkPart], list[parts.JointPart]]:
    """The links and joints of the tree on a root, parents first; others are listed in a warning."""
    links = {link.name: link for link in robot.links}
    below: dict[str, list[parts.JointPart]] = {}
    for joint in robot.joints:
        below.setdefault(joint.parent, []).append(joint)
    order: list[parts.JointPart] = []
    waiting = below.get(root, [])[::-1]
    while waiting:
        joint = waiting.pop()
        order.append(joint)
        waiting.extend(below.get(joint.child, [])[::-1])
    reached = {root, *(joint.child for joint in order)}
    left_out = [link for link in robot.links if link.name not in reached]
    if left_out:
        message = (
            f"{len(left_out)} links are not carried by root '{root}' and are left out: "
            f"{', '.join(link.name for link in left_out[:8])}{' …' if len(left_out) > 8 else ''}."
        )
        findings.warn((left_out[0].line, f"link '{left_out[0].name}'"), message, "", "W-ROBOT-TREE")
    return [links[root], *(links[joint.child] for joint in order)], order
