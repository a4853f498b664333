"""From XML elements to the records of `parts`: names, references, numbers and vectors, each checked where it stands."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from ...errors import FormatError
from ...expr.rational import decimal
from ...model.reading import NAME_LIMIT
from ..findings import Findings, JointFacts
from ..markup import Element
from ..numbers import Triple, is_sane, written_color
from .parts import ONE, ZERO, Geometry, Inertial, JointPart, LinkPart, Placement, Robot

KINDS = ("fixed", "revolute", "continuous", "prismatic", "floating", "planar")
_AXIS: Triple = (Fraction(1), Fraction(0), Fraction(0))
_INERTIA = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
_SOLIDS = {"box": ("size",), "cylinder": ("radius", "length"), "capsule": ("radius", "length"), "sphere": ("radius",)}
_OTHER_FORMATS = {
    "sdf": "an SDF model",
    "mujoco": "a MuJoCo (MJCF) model",
    "mujocoinclude": "a part of a MuJoCo (MJCF) model",
    "html": "a web page",
    "collada": "a COLLADA mesh",
    "opensimdocument": "an OpenSim model",
    "model": "an SDF model",
}


def parse_robot(root: Element, findings: Findings) -> Robot:
    """The robot that a document describes; problems are collected in `findings`."""
    if root.tag != "robot":
        known = _OTHER_FORMATS.get(root.tag.lower())
        said = f"this looks like {known}, not like a URDF." if known else "a URDF begins with <robot name=…>."
        cure = "Convert it to URDF, or describe the mechanism in a polhode model file (ph.load)."
        raise FormatError(said, place=findings.place(root.line, root.shown()), cure=cure, code="E-URDF-010")
    name = root.attributes.get("name", "").strip() or "robot"
    named = _named_colors(root)
    links = [link for element in root.all("link") if (link := _link(element, named, findings))]
    joints = [joint for element in root.all("joint") if (joint := _joint(element, findings))]
    _refuse_twice("link", ((link.name, link.line) for link in links), findings)
    _refuse_twice("joint", ((joint.name, joint.line) for joint in joints), findings)
    materials = ((element.attributes.get("name", ""), element.line) for element in root.all("material"))
    _refuse_twice("material", materials, findings)
    if not links:
        place = findings.place(root.line, f"robot '{name}'")
        findings.problem(place, "there is no link in it.", "Add <link name=…/> elements.", "E-URDF-011")
    return Robot(name[:NAME_LIMIT], tuple(links), tuple(joints))


# ---- names ---------------------------------------------------------------------------------------------------


def _name(element: Element, findings: Findings) -> str | None:
    name = element.attributes.get("name")
    if name is None or not name.strip():
        place = findings.place(element.line, element.shown())
        findings.problem(place, "it has no name.", f'Write <{element.tag} name="…">.', "E-URDF-012")
        return None
    if len(name) > NAME_LIMIT:
        said = f"the name has {len(name):,} characters, more than {NAME_LIMIT}."
        findings.problem(findings.place(element.line, element.shown("name")), said, "Shorten it.", "E-URDF-013")
        return None
    return name


def _refuse_twice(what: str, named: Iterable[tuple[str, int]], findings: Findings) -> None:
    """A name given twice is a problem; two names that a reader cannot tell apart are a warning."""
    lines: dict[str, int] = {}
    alike: dict[str, str] = {}
    for name, line in named:
        if name in lines:
            said = f"there is already a {what} of this name in line {lines[name]}."
            findings.problem(findings.place(line, f"{what} '{name}'"), said, "Rename one of them.", "E-URDF-014")
            continue
        lines[name] = line
        folded = unicodedata.normalize("NFKC", name).casefold()
        if folded in alike:
            first = alike[folded]
            place = findings.place(line, f"{what} '{name}'")
            said = f"its name looks like '{first}' of line {lines[first]}; they are kept apart."
            findings.warn(place, said, "Rename one of them if they are meant to be one.", "W-URDF-001")
        alike.setdefault(folded, name)


def _single(element: Element, tag: str, what: str, findings: Findings) -> Element | None:
    """The only child of a tag, if there is one."""
    found = element.all(tag)
    if len(found) > 1:
        said = f"there is already a <{tag}> in line {found[0].line}."
        findings.problem(findings.place(found[1].line, f"{what} <{tag}>"), said, "Keep one of them.", "E-URDF-015")
    return found[0] if found else None


# ---- links ---------------------------------------------------------------------------------------------------


def _link(element: Element, named: Mapping[str, str], findings: Findings) -> LinkPart | None:
    name = _name(element, findings)
    if name is None:
        return None
    what = f"link '{name}'"
    inertial = _single(element, "inertial", what, findings)
    geometry = [
        replace(made, color=_color(child, named))
        for role in ("visual", "collision")
        for child in element.all(role)
        if (made := _geometry(child, role, what, findings))
    ]
    return LinkPart(name, _inertial(inertial, what, findings) if inertial else None, tuple(geometry), element.line)


def _placement(element: Element, what: str, findings: Findings) -> Placement:
    origin = _single(element, "origin", what, findings)
    if origin is None:
        return Placement(line=element.line)
    return Placement(
        _vector(origin, "xyz", what, findings, ZERO), _vector(origin, "rpy", what, findings, ZERO), origin.line
    )


def _required(element: Element, attribute: str, what: str, findings: Findings) -> Fraction:
    if attribute not in element.attributes:
        place = findings.place(element.line, f"{what} {element.shown()}")
        findings.problem(place, f"the attribute {attribute} is missing.", f'Write {attribute}="…".', "E-URDF-016")
    return _scalar(element, attribute, what, findings) or Fraction(0)


def _inertial(element: Element, what: str, findings: Findings) -> Inertial:
    mass = _single(element, "mass", what, findings)
    inertia = _single(element, "inertia", what, findings)
    for tag, found in (("mass", mass), ("inertia", inertia)):
        if found is None:
            place = findings.place(element.line, f"{what} <inertial>")
            findings.problem(place, f"there is no <{tag}> in it.", f"Add <{tag} …/>.", "E-URDF-017")
    return Inertial(
        _required(mass, "value", what, findings) if mass else Fraction(0),
        tuple(_required(inertia, entry, what, findings) for entry in _INERTIA) if inertia else (Fraction(0),) * 6,
        _placement(element, what, findings),
        element.line,
    )


def _geometry(element: Element, role: str, what: str, findings: Findings) -> Geometry | None:
    """What is to be drawn; as it never enters the equations, what cannot be drawn is a warning."""
    holder = _single(element, "geometry", what, findings)
    solids = [child for child in (holder.children if holder else []) if child.tag in _SOLIDS or child.tag == "mesh"]
    if len(solids) != 1:
        place = findings.place(element.line, f"{what} <{role}>")
        said = "its <geometry> holds no shape that is known." if not solids else "its <geometry> holds several shapes."
        findings.warn(place, said, f"Known shapes are {', '.join(_SOLIDS)} and mesh.", "W-URDF-002")
        return None
    solid = solids[0]
    at = _placement(element, what, findings)
    if solid.tag == "mesh":
        scale = _vector(solid, "scale", what, findings, ONE)
        return Geometry(role, "mesh", scale, at, solid.line, solid.attributes.get("filename", ""))
    size: tuple[Fraction, ...]
    if solid.tag == "box":
        size = _vector(solid, "size", what, findings, ZERO)
    else:
        size = tuple(_required(solid, entry, what, findings) for entry in _SOLIDS[solid.tag])
    if any(entry <= 0 for entry in size):
        place = findings.place(solid.line, f"{what} <{solid.tag}>")
        findings.warn(place, "a size is not positive; it is not drawn.", "", "W-URDF-011")
    return Geometry(role, solid.tag, size, at, solid.line)


def _named_colors(root: Element) -> dict[str, str]:
    """Colours by the names of materials, those of the robot first, then those that links define on the way."""
    inner = [
        material for link in root.all("link") for visual in link.all("visual") for material in visual.all("material")
    ]
    made: dict[str, str] = {}
    for material in (*root.all("material"), *inner):
        color = color_of(material.all("color")[:1])
        if color:
            made.setdefault(material.attributes.get("name", ""), color)
    return made


def _color(visual: Element, named: Mapping[str, str]) -> str:
    for material in visual.all("material")[:1]:
        return color_of(material.all("color")[:1]) or named.get(material.attributes.get("name", ""), "")
    return ""


def color_of(elements: Sequence[Element]) -> str:
    """The colour of a <color rgba=…>; what is no colour is none, as no equation depends on it."""
    for element in elements:
        return written_color(element.attributes.get("rgba", ""))
    return ""


# ---- joints --------------------------------------------------------------------------------------------------


def _joint(element: Element, findings: Findings) -> JointPart | None:
    name = _name(element, findings)
    if name is None:
        return None
    what = f"joint '{name}'"
    kind = element.attributes.get("type", "")
    if kind not in KINDS:
        place = findings.place(element.line, f"{what} {element.shown('type')}")
        said = f"there is no joint type {kind!r}." if kind else "the joint has no type."
        findings.problem(place, said, f"Choose one of {', '.join(KINDS)}.", "E-URDF-030")
    axis = _single(element, "axis", what, findings)
    mimic = _single(element, "mimic", what, findings)
    return JointPart(
        name,
        kind,
        _reference(element, "parent", what, findings),
        _reference(element, "child", what, findings),
        _placement(element, what, findings),
        _axis(axis, kind, what, findings) if axis else _AXIS,
        _facts(element, name, kind, mimic, what, findings),
        element.line,
        axis.line if axis else element.line,
        mimic.line if mimic else element.line,
    )


def _reference(element: Element, tag: str, what: str, findings: Findings) -> str:
    found = _single(element, tag, what, findings)
    link = found.attributes.get("link", "") if found else ""
    if not link:
        place = findings.place(found.line if found else element.line, what)
        said = f"<{tag}> {'names no link' if found else 'is missing'}."
        findings.problem(place, said, f'Write <{tag} link="…"/>.', "E-URDF-031")
    return link


def _axis(element: Element, kind: str, what: str, findings: Findings) -> Triple:
    axis = _vector(element, "xyz", what, findings, _AXIS)
    if any(axis):
        return axis
    if kind in ("fixed", "floating"):
        return _AXIS
    place = findings.place(element.line, f"{what} {element.shown('xyz')}")
    said = "the axis has zero length."
    findings.problem(place, said, f'A {kind} joint needs a direction. Did you mean xyz="0 0 1"?', "E-URDF-032")
    return _AXIS


def _facts(element: Element, name: str, kind: str, mimic: Element | None, what: str, findings: Findings) -> JointFacts:
    limit = _single(element, "limit", what, findings)
    dynamics = _single(element, "dynamics", what, findings)
    bounded = limit is not None and kind in ("revolute", "prismatic")
    zero = Fraction(0)

    def value(element: Element | None, attribute: str, default: Fraction | None = None) -> Fraction | None:
        return _scalar(element, attribute, what, findings, default) if element is not None else None

    return JointFacts(
        name,
        kind,
        value(limit, "lower", zero) if bounded else None,
        value(limit, "upper", zero) if bounded else None,
        value(limit, "velocity"),
        value(limit, "effort"),
        value(dynamics, "damping"),
        value(dynamics, "friction"),
        None
        if mimic is None
        else (
            mimic.attributes.get("joint", ""),
            value(mimic, "multiplier", Fraction(1)) or zero,
            value(mimic, "offset", zero) or zero,
        ),
    )


# ---- numbers -------------------------------------------------------------------------------------------------


def _scalar(
    element: Element, attribute: str, what: str, findings: Findings, default: Fraction | None = None
) -> Fraction | None:
    """A number attribute; the default where it is not given, a problem where it is no number."""
    text = element.attributes.get(attribute)
    value = default if text is None else _number(text, element, attribute, what, findings)
    return default if value is None else value


def _vector(element: Element, attribute: str, what: str, findings: Findings, default: Triple) -> Triple:
    """Three numbers between white space."""
    text = element.attributes.get(attribute)
    if text is None:
        return default
    words = text.split()
    if len(words) != 3:
        place = findings.place(element.line, f"{what} {element.shown(attribute)}")
        said = f"a vector has 3 components, not {len(words)}."
        findings.problem(place, said, 'Write three numbers, for example "0 0 1".', "E-URDF-021")
        return default
    x, y, z = (_number(word, element, attribute, what, findings) for word in words)
    return default if x is None or y is None or z is None else (x, y, z)


def _number(text: str, element: Element, attribute: str, what: str, findings: Findings) -> Fraction | None:
    """A number of sane size, or a problem and None."""
    value = decimal(text)
    if value is None or not is_sane(value):
        said = f"{text[:40]!r} is not a number{'' if value is None else ' that a robot can have'}."
        cure = "Write a finite decimal with a point, such as 1.5 or 2e-3, and no unit."
        findings.problem(findings.place(element.line, f"{what} {element.shown(attribute)}"), said, cure, "E-URDF-020")
        return None
    return value
