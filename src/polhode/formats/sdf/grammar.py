"""From the elements of an SDF model to the records of a robot file; poses stay in the frames that SDF gives them in."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from ...errors import FormatError
from ...expr.rational import decimal
from ...model.reading import NAME_LIMIT
from ..findings import Findings, JointFacts
from ..robot_file.markup import Element, Known
from ..robot_file.parts import (
    INERTIA,
    ONE,
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
    "collision": ({"name"}, {"pose", "geometry"}),
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
    **dict.fromkeys(("effort", "velocity", "damping", "friction", "spring_stiffness", "spring_reference"), _TEXT),
}


def parse_model(root: Element, findings: Findings) -> Robot:
    """The one model of a document; problems are collected in `findings`."""
    if root.tag != "sdf":
        said = f"an SDF model begins with <sdf>, not with <{root.tag[:60]}>."
        cure = "Name the file after what it holds: .urdf for <robot>, .xml for <mujoco>."
        raise FormatError(said, place=findings.place(root.line), cure=cure, code="E-ROBOT-READ")
    models = [*root.all("model"), *(model for world in root.all("world") for model in world.all("model"))]
    if len(models) != 1:
        said = f"there are {len(models)} models in it, not one."
        place = findings.place(root.line, root.shown())
        raise FormatError(said, place=place, cure="Keep one <model> in the file.", code="E-ROBOT-TWICE")
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
            said = f"{what} '{name}'"
            read.problem(line, said, f"there is already a {what} of this name.", "Rename it.", "E-ROBOT-TWICE")
        seen.add((what, name))
    name = model.attributes.get("name", "").strip() or "model"
    static = _text(model, "static").lower() in ("1", "true")
    return Robot(name[:NAME_LIMIT], tuple(links), tuple(joints), read.pose(model, "model"), static)


def _text(element: Element, tag: str) -> str:
    found = element.all(tag)
    return found[0].text.strip() if found else ""


class _Reader(ElementReader):
    """Reads the elements of an SDF model, whose values are the texts of elements."""

    def name(self, element: Element) -> str:
        name = element.attributes.get("name", "")
        if not name.strip() or len(name) > NAME_LIMIT:
            said = "it has no name, or too long a one."
            self.problem(element.line, element.shown(), said, "Name it.", "E-ROBOT-SIZE")
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
                self.problem(found.line, f"{what} <pose>", said, cure, "E-ROBOT-UNSUPPORTED")
            x, y, z, roll, pitch, yaw = self.numbers(found, what, 6) if found.text.strip() else (Fraction(0),) * 6
            return Placement((x, y, z), (roll, pitch, yaw), found.line)
        return Placement(line=element.line)

    # ---- links -----------------------------------------------------------------------------------------------

    def link(self, element: Element) -> LinkPart | None:
        name = self.name(element)
        if not name:
            return None
        what = f"link '{name}'"
        geometry = self.shapes(element, what)
        inertial = next((self.inertial(found, what) for found in element.all("inertial")), None)
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
            said = "its <geometry> holds no shape that is known, or several."
            cure = f"Known shapes are {', '.join(SOLIDS)} and mesh."
            self.findings.warn((element.line, f"{what} <{role}>"), said, cure, "W-ROBOT-READ")
            return None
        solid = solids[0]
        colors = (_text(each, tag) for each in element.all("material") for tag in ("diffuse", "ambient"))
        color = next((written_color(text) for text in colors if text), "")
        if solid.tag == "mesh":
            scale = next((_triple(self.numbers(found, what, 3)) for found in solid.all("scale")), ONE)
            return Geometry(role, "mesh", scale, at, solid.line, _text(solid, "uri"), color)
        if solid.tag == "box":
            size: Sequence[Fraction] = next((self.numbers(found, what, 3) for found in solid.all("size")), ZERO)
        else:
            size = [self.number(solid, tag, what) or Fraction(0) for tag in SOLIDS[solid.tag]]
        return Geometry(role, solid.tag, tuple(size), at, solid.line, "", color)

    # ---- joints ----------------------------------------------------------------------------------------------

    def joint(self, element: Element) -> JointPart | None:
        name = self.name(element)
        kind = element.attributes.get("type", "")
        what = f"joint '{name}'"
        if not name:
            return None
        if kind not in KINDS:
            said, cure = (
                f"a joint of type {kind[:60]!r} is not read; it is left out.",
                f"Known types are {', '.join(KINDS)}.",
            )
            self.findings.warn((element.line, f"{what} {element.shown('type')}"), said, cure, "W-ROBOT-UNSUPPORTED")
            return None
        ends = {tag: _text(element, tag) for tag in ("parent", "child")}
        for tag, link in ends.items():
            if not link:
                said = f"<{tag}> names no link."
                self.problem(element.line, what, said, f"Write <{tag}>…</{tag}>.", "E-ROBOT-MISSING")
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
            said = f"an axis in the frame '{frame[:60]}' is not read."
            self.problem(element.line, f"{what} <xyz>", said, "Write it in the joint's.", "E-ROBOT-UNSUPPORTED")
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
