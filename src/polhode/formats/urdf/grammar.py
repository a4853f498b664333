"""From XML elements to the records of a robot file: names, references, numbers and vectors, each checked."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
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

KINDS = ("fixed", "revolute", "continuous", "prismatic", "floating", "planar")
_AXIS: Triple = (Fraction(1), Fraction(0), Fraction(0))
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
    "geometry": (set(), {*SOLIDS, "mesh"}),
    "material": ({"name"}, {"color", "texture"}),
    "joint": ({"name", "type"}, {"origin", "parent", "child", "axis", "limit", "dynamics", "mimic"}),
    "origin": ({"xyz", "rpy"}, set()),
    "mass": ({"value"}, set()),
    "inertia": (set(INERTIA), set()),
    "parent": ({"link"}, set()),
    "child": ({"link"}, set()),
    "axis": ({"xyz"}, set()),
    "limit": ({"lower", "upper", "effort", "velocity"}, set()),
    "dynamics": ({"damping", "friction"}, set()),
    "mimic": ({"joint", "multiplier", "offset"}, set()),
    **{solid: (set(sizes), set()) for solid, sizes in SOLIDS.items()},
    "mesh": ({"filename", "scale"}, set()),
    "color": ({"rgba"}, set()),
    "texture": ({"filename"}, set()),
}


def parse_robot(root: Element, findings: Findings) -> Robot:
    """The robot that a document describes; problems are collected in `findings`."""
    if root.tag != "robot":
        known = _OTHER_FORMATS.get(root.tag.lower())
        said = f"this looks like {known}, not like a URDF." if known else "a URDF begins with <robot name=…>."
        cure = "Convert it to URDF, or describe the mechanism in a polhode model file (ph.load)."
        raise FormatError(said, place=findings.place(root.line, root.shown()), cure=cure, code="E-ROBOT-READ")
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
    return Robot(name[:NAME_LIMIT], tuple(links), tuple(joints))


def _refuse_twice(what: str, named: Iterable[tuple[str, int]], findings: Findings) -> None:
    """A name given twice is a problem; two names that a reader cannot tell apart are a warning."""
    lines: dict[str, int] = {}
    alike: dict[str, str] = {}
    for name, line in named:
        at = (line, f"{what} '{name}'")
        if name in lines:
            said = f"there is already a {what} of this name in line {lines[name]}."
            findings.problem(at, said, "Rename one of them.", "E-ROBOT-TWICE")
            continue
        lines[name] = line
        folded = unicodedata.normalize("NFKC", name).casefold()
        if folded in alike:
            first = alike[folded]
            said = f"its name looks like '{first}' of line {lines[first]}; they are kept apart."
            findings.warn(at, said, "Rename one of them if they are meant to be one.", "W-ROBOT-NAME")
        alike.setdefault(folded, name)


def _named_colors(root: Element) -> dict[str, str]:
    """Colours by the names of materials, those of the robot first, then those that links define on the way."""
    visuals = [visual for link in root.all("link") for visual in link.all("visual")]
    made: dict[str, str] = {}
    for material in (*root.all("material"), *(material for visual in visuals for material in visual.all("material"))):
        color = _color_of(material.all("color"))
        if color:
            made.setdefault(material.attributes.get("name", ""), color)
    return made


def _color_of(elements: Sequence[Element]) -> str:
    """The colour of the first <color rgba=…>; what is no colour is none, as no equation depends on it."""
    return written_color(elements[0].attributes.get("rgba", "")) if elements else ""


class _Reader(ElementReader):
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
            said = f"the name has {len(name):,} characters, more than {NAME_LIMIT}."
            self.problem(element.line, element.shown("name"), said, "Shorten it.", "E-ROBOT-SIZE")
            return None
        return name

    def single(self, element: Element, tag: str, what: str) -> Element | None:
        """The only child of a tag, if there is one."""
        found = element.all(tag)
        if len(found) > 1:
            said = f"there is already a <{tag}> in line {found[0].line}."
            self.problem(found[1].line, f"{what} <{tag}>", said, "Keep one of them.", "E-ROBOT-TWICE")
        return found[0] if found else None

    # ---- links -----------------------------------------------------------------------------------------------

    def link(self, element: Element) -> LinkPart | None:
        name = self.name(element)
        if name is None:
            return None
        what = f"link '{name}'"
        inertial = self.single(element, "inertial", what)
        geometry = self.shapes(element, what)
        return LinkPart(name, self.inertial(inertial, what) if inertial else None, geometry, element.line)

    def placement(self, element: Element, what: str) -> Placement:
        origin = self.single(element, "origin", what)
        if origin is None:
            return Placement(line=element.line)
        return Placement(self.vector(origin, "xyz", what, ZERO), self.vector(origin, "rpy", what, ZERO), origin.line)

    def inertial(self, element: Element, what: str) -> Inertial:
        mass, inertia = self.single(element, "mass", what), self.single(element, "inertia", what)
        for tag, found in (("mass", mass), ("inertia", inertia)):
            if found is None:
                said, cure = f"there is no <{tag}> in it.", f"Add <{tag} …/>."
                self.problem(element.line, f"{what} <inertial>", said, cure, "E-ROBOT-MISSING")
        return Inertial(
            self.required(mass, "value", what) if mass else Fraction(0),
            tuple(self.required(inertia, entry, what) for entry in INERTIA) if inertia else (Fraction(0),) * 6,
            self.placement(element, what),
            element.line,
        )

    def geometry(self, element: Element, role: str, what: str) -> Geometry | None:
        holder = self.single(element, "geometry", what)
        solids = solids_of([holder] if holder else [])
        if len(solids) != 1:
            said = "its <geometry> holds several shapes." if solids else "its <geometry> holds no shape that is known."
            cure = f"Known shapes are {', '.join(SOLIDS)} and mesh."
            self.findings.warn((element.line, f"{what} <{role}>"), said, cure, "W-ROBOT-READ")
            return None
        solid = solids[0]
        at = self.placement(element, what)
        material = element.all("material")[:1]
        color = "".join(
            _color_of(m.all("color")) or self.colors.get(m.attributes.get("name", ""), "") for m in material
        )
        if solid.tag == "mesh":
            scale = self.vector(solid, "scale", what, ONE)
            return Geometry(role, "mesh", scale, at, solid.line, solid.attributes.get("filename", ""), color)
        size: tuple[Fraction, ...]
        if solid.tag == "box":
            size = self.vector(solid, "size", what, ZERO)
        else:
            size = tuple(self.required(solid, entry, what) for entry in SOLIDS[solid.tag])
        if any(entry <= 0 for entry in size):
            said = "a size is not positive; it is not drawn."
            self.findings.warn((solid.line, f"{what} <{solid.tag}>"), said, "", "W-ROBOT-READ")
        return Geometry(role, solid.tag, size, at, solid.line, "", color)

    # ---- joints ----------------------------------------------------------------------------------------------

    def joint(self, element: Element) -> JointPart | None:
        name = self.name(element)
        if name is None:
            return None
        what = f"joint '{name}'"
        kind = element.attributes.get("type", "")
        if kind not in KINDS:
            said = f"there is no joint type {kind!r}." if kind else "the joint has no type."
            cure = f"Choose one of {', '.join(KINDS)}."
            self.problem(element.line, f"{what} {element.shown('type')}", said, cure, "E-ROBOT-NAME")
        axis, mimic = self.single(element, "axis", what), self.single(element, "mimic", what)
        return JointPart(
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
        found = self.single(element, tag, what)
        link = found.attributes.get("link", "") if found else ""
        if not link:
            said = f"<{tag}> {'names no link' if found else 'is missing'}."
            cure = f'Write <{tag} link="…"/>.'
            self.problem(found.line if found else element.line, what, said, cure, "E-ROBOT-MISSING")
        return link

    def axis(self, element: Element, kind: str, what: str) -> Triple:
        axis = self.vector(element, "xyz", what, _AXIS)
        if any(axis):
            return axis
        if kind not in ("fixed", "floating"):
            cure = f'A {kind} joint needs a direction. Did you mean xyz="0 0 1"?'
            said = f"{what} {element.shown('xyz')}"
            self.problem(element.line, said, "the axis has zero length.", cure, "E-ROBOT-NUMBER")
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
        if attribute not in element.attributes:
            said, cure = f"the attribute {attribute} is missing.", f'Write {attribute}="…".'
            self.problem(element.line, f"{what} {element.shown()}", said, cure, "E-ROBOT-MISSING")
        return self.scalar(element, attribute, what) or Fraction(0)

    def scalar(self, element: Element, attribute: str, what: str, default: Fraction | None = None) -> Fraction | None:
        """A number attribute; the default where it is not given, a problem where it is no number."""
        text = element.attributes.get(attribute)
        value = default if text is None else self.number(text, element, attribute, what)
        return default if value is None else value

    def vector(self, element: Element, attribute: str, what: str, default: Triple) -> Triple:
        """Three numbers between white space."""
        text = element.attributes.get(attribute)
        if text is None:
            return default
        words = text.split()
        if len(words) != 3:
            said, cure = f"a vector has 3 components, not {len(words)}.", 'Write three numbers, for example "0 0 1".'
            self.problem(element.line, f"{what} {element.shown(attribute)}", said, cure, "E-ROBOT-SHAPE")
            return default
        x, y, z = (self.number(word, element, attribute, what) for word in words)
        return default if x is None or y is None or z is None else (x, y, z)

    def number(self, text: str, element: Element, attribute: str, what: str) -> Fraction | None:
        """A number of sane size, or a problem and None."""
        value = decimal(text)
        if value is None or not is_sane(value):
            said = f"{text[:40]!r} is not a number{'' if value is None else ' that a robot can have'}."
            cure = "Write a finite decimal with a point, such as 1.5 or 2e-3, and no unit."
            self.problem(element.line, f"{what} {element.shown(attribute)}", said, cure, "E-ROBOT-NUMBER")
            return None
        return value
