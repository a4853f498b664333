"""`load_mjcf` and `read_mjcf`: from an MJCF file, by MuJoCo's compiler, to a System and a report of what it omits.

The compiler would read any file that a model names. So its text names only files that have been read here, from inside
the model's folder: a mesh whose bodies all state their inertia is replaced by a tetrahedron, and elements for cameras
and sensors are left out. Errors are given with the lines of the user's file.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from fractions import Fraction
from math import prod
from os import PathLike
from pathlib import Path, PurePosixPath
from threading import Lock
from typing import Any
from xml.sax.saxutils import quoteattr

from ...errors import FormatError, LimitError, check_kind, installed, path_of
from ...expr.rational import decimal
from ...model import Joint, System
from ...model.reading import NAME_LIMIT
from ..findings import Findings, JointFacts, Report, located_at, system_alone, tell
from ..robot_file.assembly import tolerance
from ..robot_file.markup import Limits, limits_of, read_bytes
from ..robot_file.parts import LARGEST
from ..touching import Contacts, touch
from . import assemble, exact
from .document import MeshAsset, Part, located_file, mesh_assets, places_in, read_document
from .equality import add_equalities
from .equipment import add_equipment

#: Elements that no motion depends on.
UNSEEN = frozenset((
    "visual", "statistic", "size", "custom", "texture", "layer", "skin", "light", "camera",
    "lengthrange",
))  # fmt: skip
_UNSEEN_ATTRIBUTES = frozenset(("user", "meshdir", "texturedir", "assetdir", "strippath"))

_LEFT_OUT = {
    "plugin": "plugins are code that polhode does not have",
    "extension": "plugins are code that polhode does not have",
    **dict.fromkeys(("flex", "flexcomp", "flexvert", "flexstrain"), "flexible bodies are not read"),
}
_NO_NUMBERS = frozenset(sign + word for sign in ("", "+", "-") for word in ("nan", "inf", "infinity"))
_MAY_BE_BLANK = frozenset(("name", "class", "childclass", "model"))
#: Attributes that hold numbers wherever they stand, and how many: MuJoCo takes some that are cut short.
_NUMBERS: dict[str, tuple[int, int]] = {
    "pos": (3, 3), "quat": (4, 4), "axisangle": (4, 4), "xyaxes": (6, 6), "zaxis": (3, 3), "euler": (3, 3),
    "axis": (3, 3), "anchor": (3, 3), "relpose": (7, 7), "polycoef": (1, 5), "gravity": (3, 3), "fromto": (6, 6),
    "diaginertia": (3, 3), "fullinertia": (6, 6), "mass": (1, 1), "density": (1, 1), "size": (1, 4), "ref": (1, 1),
    "springref": (1, 1), "armature": (1, 1), "range": (2, 2), "gravcomp": (1, 1), "timestep": (1, 1),
    "qpos": (1, 10**6), "qvel": (1, 10**6), "vertex": (1, 10**6), "scale": (1, 3), "wind": (3, 3),
}  # fmt: skip
_TETRAHEDRON = "0 0 0  1 0 0  0 1 0  0 0 1"
_MESH_FORMATS = (".stl", ".obj", ".msh")

_LINE = re.compile(r",? ?\bline (\d+)")

# MuJoCo has one warning handler for the whole process.
_one_at_a_time = Lock()


@dataclass(frozen=True)
class PlainModel:
    """The text, the element that each of its lines came from, the meshes by the names the text gives them."""

    text: str
    lines: tuple[Part, ...]
    meshes: dict[str, bytes]


def plain_model(
    root: Part, path: Path, limits: Limits, findings: Findings, outer: Sequence[Path] = (), files: Any = None
) -> PlainModel:
    """The model for MuJoCo's compiler; `outer` are the enclosing models, `files` the dict of their files."""
    _check_copies(root, limits)
    result = _Plain(root, (*outer, path), limits, findings, {} if files is None else files)
    result.write(root)
    for reason, parts in result.left_out.items():
        message = f"{reason}; {len(parts)} elements are left out."
        findings.warn(f"{parts[0].place}: <{parts[0].tag}>", message, "", "W-ROBOT-UNSUPPORTED")
    return PlainModel("\n".join(result.text), tuple(result.lines), result.meshes)


def _check_copies(root: Part, limits: Limits) -> None:
    """Count the copies that a file requests, which are not bounded by its size, before they are made."""
    total, waiting = 0, [(root, 1)]
    while waiting:
        part, copies = waiting.pop()
        total += copies
        if part.tag in ("replicate", "composite"):
            counts = [decimal(word) for word in part.attributes.get("count", "").split()]
            copies *= prod(int(count) for count in counts if count and count > 1)
            total += copies
        if total > limits.elements:
            message = f"with its copies the model has more than {limits.elements:,} elements."
            cure = "Lower the count, or pass limits=Limits(elements=…)."
            raise LimitError(message, place=f"{part.place}: <{part.tag}>", cure=cure, code="E-ROBOT-SIZE")
        waiting += [(child, copies) for child in part.children]


def _meshes_that_weigh(root: Part) -> set[str]:
    """The meshes from which the compiler works out a mass: those of bodies that do not state their own."""
    always = any(part.attributes.get("inertiafromgeom") == "true" for part in root.walk() if part.tag == "compiler")
    names: set[str] = set()
    waiting = [(root, True)]
    while waiting:
        part, weighs = waiting.pop()
        if part.tag == "geom" and weighs:
            names.add(part.attributes.get("mesh", ""))
        if part.tag == "body":
            weighs = always or all(child.tag != "inertial" for child in part.children)
        elif part.tag == "worldbody":
            weighs = False
        waiting += [(child, weighs) for child in part.children]
    return names


class _Plain:
    """Writes one element a line, so that a line number in the compiler's message identifies a line of the file."""

    def __init__(
        self, root: Part, chain: tuple[Path, ...], limits: Limits, findings: Findings, files: dict[str, bytes]
    ) -> None:
        self.chain = chain
        self.folder = chain[-1].parent
        self.findings = findings
        self.limits = limits
        self.text: list[str] = []
        self.lines: list[Part] = []
        self.meshes = files
        self.left_out: dict[str, list[Part]] = {}
        self.weighing = _meshes_that_weigh(root)
        settings = root.settings()
        self.mesh_folder = settings.get("meshdir", settings.get("assetdir", ""))
        self.strip_path = settings.get("strippath") == "true"

    def write(self, part: Part) -> None:
        if part.tag in UNSEEN or part.tag == "camprojection" or "camera" in part.attributes.values():
            return
        if part.tag in _LEFT_OUT:
            self.left_out.setdefault(_LEFT_OUT[part.tag], []).append(part)
            return
        seen = {key: value for key, value in part.attributes.items() if key not in _UNSEEN_ATTRIBUTES}
        # After some blank attributes MuJoCo reads no further model in this process: it must not see one.
        attributes = {key: value for key, value in seen.items() if key in _MAY_BE_BLANK or value.strip()}
        if blank := [key for key in seen if key not in attributes]:
            place = f"{part.place}: <{part.tag} {blank[0][:60]}=…>"
            self.findings.notice(place, "the attribute is blank, and taken as absent.", "N-ROBOT-NUMBER")
        if part.tag == "mesh":
            attributes = self._mesh(part, attributes)
        elif part.tag == "model":
            attributes = self._model(part, attributes)
        elif part.tag == "material":  # its colour is drawn, its picture is not
            attributes = {key: value for key, value in attributes.items() if key in ("name", "class", "rgba")}
        elif part.tag == "hfield":
            attributes = _flat_field(attributes)
        for key, value in attributes.items():
            if key in _NUMBERS and part.tag != "flag":
                _check_numbers(part, key, value)
            if key != "name" and not _NO_NUMBERS.isdisjoint(value.lower().split()):
                message = f"{value[:60]!r} holds what is no number."
                place = f"{part.place}: <{part.tag} {key[:60]}=…>"
                raise FormatError(message, place=place, cure="Write finite decimals.", code="E-ROBOT-NUMBER")
            if key.startswith("file") and part.tag not in ("mesh", "model"):
                place = f"{part.place}: <{part.tag} {key[:60]}=…>"
                raise FormatError("no file of this kind is read.", place=place, cure="Remove it.", code="E-ROBOT-READ")
        written = "".join(f" {key}={quoteattr(value)}" for key, value in attributes.items())
        self._line(part, f"<{part.tag}{written}>")
        if part.tag == "compiler":
            # Otherwise the compiler simulates every muscle to find how long it can become.
            self._line(part, '<lengthrange mode="none"/>')
        for child in part.children:
            self.write(child)
        self._line(part, f"</{part.tag}>")

    def _line(self, part: Part, text: str) -> None:
        self.text.append(text)
        self.lines.append(part)

    def _mesh(self, part: Part, attributes: dict[str, str]) -> dict[str, str]:
        filename = attributes.get("file", "")
        name = attributes.get("name") or PurePosixPath(filename).stem
        if not name:  # a default for meshes
            return attributes
        if name not in self.weighing:
            return {"name": name, "vertex": _TETRAHEDRON}
        if not filename:
            return attributes
        if self.strip_path:
            filename = PurePosixPath(filename).name
        suffix = PurePosixPath(filename).suffix.lower()
        inside = str(PurePosixPath(self.mesh_folder) / filename)
        status, file, reason = located_file(inside, part.file, self.folder, _MESH_FORMATS)
        place = f'{part.place}: <mesh file="{filename[:60]}">'
        if file is None or suffix not in _MESH_FORMATS:
            raise FormatError(
                f"the mesh is {status}: {reason}." if file is None else f"{suffix!r} is no mesh format that is read.",
                place=place,
                cure="A body takes its inertia from it; put it into the model's folder as .stl, .obj or .msh, or "
                "write <inertial> for the body.",
                code="E-ROBOT-READ",
            )
        own_name = f"mesh{len(self.meshes)}{suffix}"
        self.meshes[own_name] = read_bytes(file, self.limits)
        kept = {key: value for key, value in attributes.items() if key != "content_type"}
        return {**kept, "name": name, "file": own_name}

    def _model(self, part: Part, attributes: dict[str, str]) -> dict[str, str]:
        """A model within this one, as a plain one of its own."""
        _, file, reason = located_file(attributes.get("file", ""), part.file, self.folder, (".xml",))
        if file is None or file in self.chain:
            message = "the model contains itself." if file else f"the model is not found: {reason}."
            cure = "Name an .xml file by a path relative to this one."
            raise FormatError(message, f"{part.place}: <model>", cure, "E-ROBOT-READ")
        root = read_document(file, self.limits)
        plain = plain_model(root, file, self.limits, self.findings, self.chain, self.meshes)
        name = f"model{len(self.meshes)}.xml"
        self.meshes[name] = plain.text.encode()
        return {"name": attributes.get("name", root.attributes.get("model", "")), "file": name}


def _check_numbers(part: Part, key: str, text: str) -> None:
    """Raise unless the text is a list of so many numbers, before the compiler reads it."""
    values = [decimal(word) for word in text.split()]
    fewest, most = _NUMBERS[key]
    wrong = [word for word, value in zip(text.split(), values, strict=True) if value is None or abs(value) > LARGEST]
    if wrong or not fewest <= len(values) <= most:
        count = f"{fewest}" if fewest == most else f"{fewest} to {most}"
        message = (
            f"{wrong[0][:40]!r} is not a number that a model can have."
            if wrong
            else f"it has {len(values)} numbers, not {count}."
        )
        place = f'{part.place}: <{part.tag} {key}="{text[:60]}">'
        raise FormatError(message, place, "Write finite decimals with blanks between them.", "E-ROBOT-NUMBER")


def _flat_field(attributes: dict[str, str]) -> dict[str, str]:
    """Terrain is fixed and weighs nothing; any will do."""
    name = attributes.get("name") or PurePosixPath(attributes.get("file", "")).stem
    size = {"size": attributes["size"]} if "size" in attributes else {}
    return {"name": name, "nrow": "2", "ncol": "2", **size}


def mujoco_module() -> Any:
    """The `mujoco` package, an optional dependency."""
    return installed("mujoco", "mujoco", "MuJoCo, which compiles MJCF,", code="E-ROBOT-MISSING")


def compile_model(plain: PlainModel, file: str) -> tuple[Any, list[str]]:
    """The compiled model, and the compiler's warnings."""
    mujoco = mujoco_module()
    warnings: list[str] = []
    with _one_at_a_time:
        before = mujoco.get_mju_user_warning()
        mujoco.set_mju_user_warning(lambda message: warnings.append(_words(message)))
        try:
            model = mujoco.MjModel.from_xml_string(plain.text, plain.meshes)
        except (ValueError, mujoco.FatalError) as error:
            raise _refusal(str(error), plain, file) from None
        finally:
            mujoco.set_mju_user_warning(before)
    return model, warnings


def _words(message: str | bytes) -> str:
    text = message.decode(errors="replace") if isinstance(message, bytes) else str(message)
    return " ".join(text.split())


def _refusal(message: str, plain: PlainModel, file: str) -> FormatError:
    """`Error: …, line 7` of the plain text, with the place where the user wrote it."""
    match = _LINE.search(message)
    number = int(match.group(1)) if match else 0
    part = plain.lines[number - 1] if 0 < number <= len(plain.lines) else None
    refusal = _words(_LINE.sub("", message)).removeprefix("XML ").removeprefix("Error: ").removeprefix("Error: ")
    words = f"MuJoCo refuses the model: {refusal}."
    cure = "Mend the element so that MuJoCo itself loads the file."
    return FormatError(words, place=f"{part.place}: <{part.tag}>" if part else file, cure=cure, code="E-ROBOT-READ")


def read_mjcf(
    path: str | PathLike[str],
    *,
    symbolic: Sequence[str] = (),
    ignore: Collection[str] = (),
    snap: float | str = "1e-6",
    limits: Limits | None = None,
    contacts: Contacts = False,
    stops: Any = None,
    friction: bool = True,
) -> tuple[System, Report]:
    """Read an MJCF file through MuJoCo's compiler: the System, and a report of warnings, notices and joint limits.

    Bodies, joints, sites (as frames) and keyframes (as poses) keep their names; the pose "qpos0" is the one in which
    the file describes the model. Included files and meshes are read from the file's folder alone.

    - symbolic: patterns of numbers that become parameters: "mass:forearm", "com:*", "inertia:*", "length:*", "gravity".
    - ignore: effects to leave out: "equality" (closures, couplings and conditions), "armature" (of hinges and slides,
      where it is a motor with a decoupled rotor), "tendon" (springs and dampers of fixed tendons). What polhode does
      not model is left out always, with a warning: "fluid", "spring" and "armature" in ball and free joints, "damping"
      that is not linear. Actuators, sensors, tendons and geoms are in `system.equipment`.
    - snap: turns this close to a multiple of π/2, and axes this close to x, y or z, are taken to be exact.
    - limits: of the file's size and nesting.
    - contacts: True adds contacts of geoms with what stands still, "all" those of bodies with each other too; a mapping
      has laws for all: friction, static, stribeck, restitution. A file without a plane gets the floor z = 0.
    - stops: a restitution, or what `System.stop` takes, with which limits of joints become stops.
    - friction: dry friction of joints acts.
    """
    within = _checked(ignore, snap)
    path = path_of(path)
    limits = limits_of(limits)
    root = read_document(path, limits)
    findings = Findings(root.file, places_in(root))
    model, warnings = compile_model(plain_model(root, path.resolve(), limits, findings), path.name)
    for warning in warnings:
        findings.warn(path.name, f"MuJoCo warns: {warning}", "", "W-ROBOT-UNSUPPORTED")
    _note_unseen(root, findings)
    name = (root.attributes.get("model", "").strip() or path.stem)[:NAME_LIMIT]
    touches = contacts, stops, friction and "friction" not in ignore
    return _built(model, name, symbolic, ignore, within, findings, mesh_assets(root, path.parent), touches)


load_mjcf = system_alone(read_mjcf)


def from_mujoco(
    model: Any,
    *,
    symbolic: Sequence[str] = (),
    ignore: Collection[str] = (),
    snap: float | str = "1e-6",
    contacts: Contacts = False,
    stops: Any = None,
    friction: bool = True,
) -> System:
    """The System of a `mujoco.MjModel`, as it is now; meshes are not drawn. Options are those of `load_mjcf`.

    system = ph.from_mujoco(mujoco.MjModel.from_xml_path("arm.xml"))
    """
    within = _checked(ignore, snap)
    check_kind(mujoco_module().MjModel, "a compiled model", model, "from_mujoco")
    name = bytes(model.names).partition(b"\0")[0].decode(errors="replace").strip() or "model"
    touches = contacts, stops, friction and "friction" not in ignore
    system, report = _built(model, name[:NAME_LIMIT], symbolic, ignore, within, Findings(name), {}, touches)
    tell(report.doubts)
    return system


def _checked(ignore: Collection[str], snap: float | str) -> Fraction:
    assemble.check_ignored(ignore)
    return tolerance(snap, "E-ROBOT-NUMBER")


def _built(
    model: Any,
    name: str,
    symbolic: Sequence[str],
    ignore: Collection[str],
    snap: Fraction,
    findings: Findings,
    meshes: Mapping[str, MeshAsset],
    touches: tuple[Contacts, Any, bool],
) -> tuple[System, Report]:
    """The System of a compiled model, and the report of its omissions."""
    mujoco = mujoco_module()
    assemble.warn_of_effects(mujoco, model, ignore, findings)
    efforts = assemble.effort_ranges(mujoco, model)
    assembly = assemble.Assembly(model, name, symbolic, snap, findings, meshes, efforts)
    contacts, stops, rubs = touches
    _assemble(assembly, mujoco, ignore)
    with located_at(findings.file):
        add_equipment(assembly, mujoco, ignore, {"geoms": contacts is not False, "limits": stops is not None})
    assembly.refuse_unused()
    if contacts is not False and assemble.disabled(mujoco, model, "CONSTRAINT", "CONTACT"):
        findings.notice(findings.file, "no contacts are added: its flags disable them.", "N-ROBOT-UNSUPPORTED")
        contacts = False
    if stops is not None and assemble.disabled(mujoco, model, "CONSTRAINT", "LIMIT"):
        findings.notice(findings.file, "no stops are added: its flags disable limits.", "N-ROBOT-UNSUPPORTED")
        stops = None
    facts = (_facts(model, j, joint) for j, joint in enumerate(assembly.joints))
    report = findings.report(name, "world", facts)
    rubs = rubs and not assemble.disabled(mujoco, model, "CONSTRAINT", "FRICTIONLOSS")
    return assembly.system, touch(assembly.system, report, contacts, stops, rubs, links=False)


def _assemble(assembly: assemble.Assembly, mujoco: Any, ignore: Collection[str]) -> None:
    model, findings = assembly.model, assembly.findings

    def located(tag: str, name: str) -> AbstractContextManager[None]:
        """Give problems the line of an element."""
        return located_at(findings.place_of(tag, name))

    with located("option", ""):
        assembly.set_gravity([0, 0, 0] if assemble.disabled(mujoco, model, "GRAVITY") else model.opt.gravity)
    for k in range(1, model.nbody):
        with located("body", model.body(k).name):
            assembly.add_body(k)
    for j in range(model.njnt):
        with located("joint", model.joint(j).name):
            if not assemble.disabled(mujoco, model, "SPRING", "PASSIVE"):
                assembly.add_spring(j)
            if not assemble.disabled(mujoco, model, "DAMPER", "PASSIVE"):
                assembly.add_damper(j)
            assembly.add_motor(j, assemble.actuators_of(mujoco, model, j), "armature" not in ignore)
    for k in range(model.nsite):
        with located("site", model.site(k).name):
            assembly.add_site(k)
    add_equalities(assembly, mujoco, ignore)
    with located("keyframe", ""):
        assemble.add_poses(assembly.system, model, assembly.joints)


def _note_unseen(root: Part, findings: Findings) -> None:
    """One notice of all that has no part in the motion."""
    counts = Counter(part.tag for part in root.walk() if part.tag in UNSEEN)
    if counts:
        listed = ", ".join(f"<{tag}> ({count})" for tag, count in counts.items())
        findings.notice(
            root.file, f"these have no part in the motion and are not read: {listed}.", "N-ROBOT-UNSUPPORTED"
        )


def _facts(model: Any, j: int, joint: Joint) -> JointFacts:
    limited = bool(model.jnt_limited[j])
    d = model.jnt_dofadr[j]
    return JointFacts(
        joint.name,
        joint.type.kind,
        lower=exact.decimal(model.jnt_range[j][0]) if limited else None,
        upper=exact.decimal(model.jnt_range[j][1]) if limited else None,
        damping=exact.decimal(model.dof_damping[d]) or None,
        friction=exact.decimal(model.dof_frictionloss[d]) or None,
    )
