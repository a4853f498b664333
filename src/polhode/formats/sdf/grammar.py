"""From the elements of an SDF model to the records of a robot file; poses stay in the frames that SDF gives them in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from ...errors import FormatError
from ...expr.rational import decimal
from ...model.reading import NAME_LIMIT
from ..findings import Findings, JointFacts
from ..markup import Element
from ..numbers import Triple, is_sane, written_color
from ..urdf.parts import ONE, ZERO, Geometry, Inertial, LinkPart, Placement

KINDS = ("fixed", "revolute", "continuous", "prismatic", "ball")
_SOLIDS = {"box": ("size",), "cylinder": ("radius", "length"), "capsule": ("radius", "length"), "sphere": ("radius",)}
_INERTIA = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
_Z: Triple = (Fraction(0), Fraction(0), Fraction(1))
#: SDF's word for a limit that is none.
_ENDLESS = Fraction(10) ** 15

_TEXT: tuple[set[str], set[str]] = (set(), set())
#: For each element that is read, the attributes and children that are understood.
KNOWN: dict[str, tuple[set[str], set[str]]] = {
    "sdf": ({"version"}, {"model", "world"}),
    "world": ({"name"}, {"model"}),
    "model": ({"name"}, {"link", "joint", "pose", "static", "self_collide"}),
    "link": ({"name"}, {"pose", "inertial", "visual", "collision"}),
    "inertial": (set(), {"pose", "mass", "inertia"}),
    "inertia": (set(), set(_INERTIA)),
    "visual": ({"name"}, {"pose", "geometry", "material"}),
    "collision": ({"name"}, {"pose", "geometry"}),
    "geometry": (set(), {*_SOLIDS, "mesh"}),
    "mesh": (set(), {"uri", "scale"}),
    "box": (set(), {"size"}),
    "cylinder": (set(), {"radius", "length"}),
    "capsule": (set(), {"radius", "length"}),
    "sphere": (set(), {"radius"}),
    "material": (set(), {"ambient", "diffuse"}),
    "joint": ({"name", "type"}, {"parent", "child", "pose", "axis"}),
    "axis": (set(), {"xyz", "limit", "dynamics", "use_parent_model_frame"}),
    "limit": (set(), {"lower", "upper", "effort", "velocity"}),
    "dynamics": (set(), {"damping", "friction", "spring_stiffness", "spring_reference"}),
    "pose": ({"frame", "relative_to"}, set()),
    "xyz": ({"expressed_in"}, set()),
    **dict.fromkeys(("static", "self_collide", "mass", *_INERTIA, "uri", "scale", "size", "radius", "length"), _TEXT),
    **dict.fromkeys(("ambient", "diffuse", "parent", "child", "use_parent_model_frame", "lower", "upper"), _TEXT),
    **dict.fromkeys(("effort", "velocity", "damping", "friction", "spring_stiffness", "spring_reference"), _TEXT),
}


@dataclass(frozen=True)
class SdfLink:
    """A <link>: what a URDF says of one, and its pose in the model."""

    part: LinkPart
    pose: Placement


@dataclass(frozen=True)
class SdfJoint:
    """A <joint>: its pose in the child, its axis in the joint's frame or the model's, and a spring if it has one."""

    name: str
    kind: str
    parent: str
    child: str
    pose: Placement
    axis: Triple
    axis_in_model: bool
    facts: JointFacts
    stiffness: Fraction
    rest: Fraction
    line: int


@dataclass(frozen=True)
class SdfModel:
    """A <model>."""

    name: str
    pose: Placement
    static: bool
    links: tuple[SdfLink, ...]
    joints: tuple[SdfJoint, ...]


def parse_model(root: Element, findings: Findings) -> SdfModel:
    """The one model of a document; problems are collected in `findings`."""
    if root.tag != "sdf":
        said = f"an SDF model begins with <sdf>, not with <{root.tag[:60]}>."
        cure = "Name the file after what it holds: .urdf for <robot>, .xml for <mujoco>."
        raise FormatError(said, place=findings.place(root.line), cure=cure, code="E-SDF-001")
    models = [*root.all("model"), *(model for world in root.all("world") for model in world.all("model"))]
    if len(models) != 1:
        said = f"there are {len(models)} models in it, not one."
        place = findings.place(root.line, root.shown())
        raise FormatError(said, place=place, cure="Keep one <model> in the file.", code="E-SDF-002")
    model = models[0]
    read = _Reader(findings)
    links = [link for element in model.all("link") if (link := read.link(element))]
    joints = [joint for element in model.all("joint") if (joint := read.joint(element))]
    named = (
        (what, each.attributes.get("name", ""), each.line) for what in ("link", "joint") for each in model.all(what)
    )
    seen: set[tuple[str, str]] = set()
    for what, name, line in named:
        if name and (what, name) in seen:
            read.problem(
                line, f"{what} '{name}'", f"there is already a {what} of this name.", "Rename it.", "E-SDF-003"
            )
        seen.add((what, name))
    name = model.attributes.get("name", "").strip() or "model"
    static = _text(model, "static").lower() in ("1", "true")
    return SdfModel(name[:NAME_LIMIT], read.pose(model, "model"), static, tuple(links), tuple(joints))


def _text(element: Element, tag: str) -> str:
    found = element.all(tag)
    return found[0].text.strip() if found else ""


class _Reader:
    """Reads elements one by one; what is wrong goes into the findings with its line."""

    def __init__(self, findings: Findings) -> None:
        self.findings = findings

    def problem(self, line: int, what: str, message: str, cure: str, code: str) -> None:
        self.findings.problem(self.findings.place(line, what), message, cure, code)

    def name(self, element: Element) -> str:
        name = element.attributes.get("name", "")
        if not name.strip() or len(name) > NAME_LIMIT:
            self.problem(element.line, element.shown(), "it has no name, or too long a one.", "Name it.", "E-SDF-004")
            return ""
        return name

    def numbers(self, element: Element, what: str, count: int) -> tuple[Fraction, ...]:
        """So many numbers between white space, or zeros and a problem."""
        values = [decimal(word) for word in element.text.split()]
        good = [value for value in values if value is not None and is_sane(value)]
        if len(good) != count or len(values) != count:
            words = f"{element.text.strip()[:40]!r} is not {'a number' if count == 1 else f'{count} numbers'}."
            self.problem(element.line, f"{what} <{element.tag}>", words, "Write finite decimals.", "E-SDF-005")
            return (Fraction(0),) * count
        return tuple(good)

    def number(self, element: Element | None, tag: str, what: str, default: Fraction | None = None) -> Fraction | None:
        found = element.all(tag) if element else []
        return self.numbers(found[0], what, 1)[0] if found else default

    def end(self, limit: Element | None, tag: str, what: str) -> Fraction | None:
        """A limit; infinity and what is as good as that are none."""
        if limit is None or _text(limit, tag).lower().removeprefix("-").removeprefix("+") in ("inf", "infinity"):
            return None
        value = self.number(limit, tag, what)
        return None if value is None or abs(value) >= _ENDLESS else value

    def largest(self, limit: Element | None, tag: str, what: str) -> Fraction | None:
        """The largest effort or velocity: in SDF a negative one is none."""
        value = self.end(limit, tag, what)
        return None if value is None or value < 0 else value

    def pose(self, element: Element, what: str) -> Placement:
        for found in element.all("pose"):
            frame = found.attributes.get("relative_to") or found.attributes.get("frame") or ""
            if frame and not (frame == "__model__" and element.tag == "link"):
                said = f"a pose in another frame, '{frame[:60]}', is not read."
                cure = "Write poses of links in the model's frame, and others in their link's."
                self.problem(found.line, f"{what} <pose>", said, cure, "E-SDF-006")
            x, y, z, roll, pitch, yaw = self.numbers(found, what, 6) if found.text.strip() else (Fraction(0),) * 6
            return Placement((x, y, z), (roll, pitch, yaw), found.line)
        return Placement(line=element.line)

    # ---- links -----------------------------------------------------------------------------------------------

    def link(self, element: Element) -> SdfLink | None:
        name = self.name(element)
        if not name:
            return None
        what = f"link '{name}'"
        shapes = [
            made
            for role in ("visual", "collision")
            for child in element.all(role)
            if (made := self.geometry(child, role, what))
        ]
        inertial = next((self.inertial(found, what) for found in element.all("inertial")), None)
        return SdfLink(LinkPart(name, inertial, tuple(shapes), element.line), self.pose(element, what))

    def inertial(self, element: Element, what: str) -> Inertial:
        one = Fraction(1)
        mass = self.number(element, "mass", what, one) or Fraction(0)
        inertia = next(iter(element.all("inertia")), None)
        unit = dict.fromkeys(_INERTIA[:3], one)
        entries = [self.number(inertia, tag, what, unit.get(tag)) or Fraction(0) for tag in _INERTIA]
        return Inertial(mass, tuple(entries), self.pose(element, what), element.line)

    def geometry(self, element: Element, role: str, what: str) -> Geometry | None:
        """What is to be drawn; what cannot be is a warning."""
        at = self.pose(element, what)
        solids = [
            each for holder in element.all("geometry") for each in holder.children if each.tag in (*_SOLIDS, "mesh")
        ]
        if len(solids) != 1:
            known = f"Known shapes are {', '.join(_SOLIDS)} and mesh."
            place = self.findings.place(element.line, f"{what} <{role}>")
            self.findings.warn(place, "its <geometry> holds no shape that is known, or several.", known, "W-SDF-002")
            return None
        solid = solids[0]
        color = next(
            (
                written_color(_text(each, tag))
                for each in element.all("material")
                for tag in ("diffuse", "ambient")
                if _text(each, tag)
            ),
            "",
        )
        if solid.tag == "mesh":
            scale = next((_triple(self.numbers(found, what, 3)) for found in solid.all("scale")), ONE)
            return Geometry(role, "mesh", scale, at, solid.line, _text(solid, "uri"), color)
        if solid.tag == "box":
            size: Sequence[Fraction] = next((self.numbers(found, what, 3) for found in solid.all("size")), ZERO)
        else:
            size = [self.number(solid, tag, what) or Fraction(0) for tag in _SOLIDS[solid.tag]]
        return Geometry(role, solid.tag, tuple(size), at, solid.line, "", color)

    # ---- joints ----------------------------------------------------------------------------------------------

    def joint(self, element: Element) -> SdfJoint | None:
        name = self.name(element)
        kind = element.attributes.get("type", "")
        what = f"joint '{name}'"
        if not name:
            return None
        if kind not in KINDS:
            place = self.findings.place(element.line, f"{what} {element.shown('type')}")
            known = f"Known types are {', '.join(KINDS)}."
            self.findings.warn(place, f"a joint of type {kind[:60]!r} is not read; it is left out.", known, "W-SDF-003")
            return None
        ends = {tag: _text(element, tag) for tag in ("parent", "child")}
        for tag, link in ends.items():
            if not link:
                self.problem(element.line, what, f"<{tag}> names no link.", f"Write <{tag}>…</{tag}>.", "E-SDF-007")
        axis = next(iter(element.all("axis")), None)
        limit, dynamics = (next(iter(axis.all(tag)), None) if axis else None for tag in ("limit", "dynamics"))
        direction = next(iter(axis.all("xyz")), None) if axis else None
        xyz = _triple(self.numbers(direction, what, 3)) if direction else _Z
        if not any(xyz):
            cure = "Give it a direction."
            self.problem(element.line, f"{what} <axis>", "the axis has zero length.", cure, "E-SDF-008")
            xyz = _Z
        frame = direction.attributes.get("expressed_in", "") if direction else ""
        if frame not in ("", "__model__"):
            said = f"an axis in the frame '{frame[:60]}' is not read."
            self.problem(element.line, f"{what} <xyz>", said, "Write it in the joint's.", "E-SDF-006")
        in_model = frame == "__model__" or (axis is not None and _text(axis, "use_parent_model_frame") in ("1", "true"))
        lower, upper = (self.end(limit, tag, what) for tag in ("lower", "upper"))
        bounded = lower is not None and upper is not None
        facts = JointFacts(
            name,
            kind,
            lower if bounded else None,
            upper if bounded else None,
            self.largest(limit, "velocity", what),
            self.largest(limit, "effort", what),
            self.number(dynamics, "damping", what),
            self.number(dynamics, "friction", what),
        )
        stiffness = self.number(dynamics, "spring_stiffness", what) or Fraction(0)
        rest = self.number(dynamics, "spring_reference", what) or Fraction(0)
        pose = self.pose(element, what)
        return SdfJoint(
            name, kind, ends["parent"], ends["child"], pose, xyz, in_model, facts, stiffness, rest, element.line
        )


def _triple(values: Sequence[Fraction]) -> Triple:
    x, y, z = values
    return x, y, z
