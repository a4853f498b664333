"""`load_mjcf` and `read_mjcf`: from an MJCF file, by MuJoCo's compiler, to a System and a report of what it omits.

The compiler would read any file that a model names. So its text names only files that have been read here, from inside
the model's folder: a mesh whose bodies all state their inertia is replaced by a tetrahedron, and elements for cameras
and sensors are left out. Errors are given with the lines of the user's file.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from math import prod
from os import PathLike
from pathlib import Path, PurePosixPath
from threading import Lock
from typing import Any
from xml.sax.saxutils import quoteattr

from ...errors import FormatError, LimitError, installed, path_of
from ...expr.rational import decimal
from ...files.reading import locate
from ...model import Joint, System
from ...model.reading import NAME_LIMIT
from ..findings import Findings, JointFacts, Report, located_at, system_alone
from ..robot_file.assembly import tolerance
from ..robot_file.markup import Limits, limits_of, read_bytes
from ..robot_file.parts import LARGEST
from ..touching import Contacts, touch
from . import assemble, exact
from .document import Part, mesh_assets, places_in, read_document
from .touching import touching_of

#: Elements that no motion depends on.
UNSEEN = frozenset((
    "visual", "statistic", "size", "custom", "sensor", "texture", "layer", "skin", "light", "camera",
    "lengthrange",
))  # fmt: skip
_UNSEEN_ATTRIBUTES = frozenset(("user", "meshdir", "texturedir", "assetdir", "strippath"))

_REFUSED = {
    "plugin": "plugins are code that polhode does not have",
    "flex": "a flexible body is not a rigid one",
    "flexcomp": "a flexible body is not a rigid one",
    "attach": "a model within a model is not read",
    "model": "a model within a model is not read",
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


def plain_model(root: Part, folder: Path, limits: Limits) -> PlainModel:
    """The model as MuJoCo's compiler may see it."""
    _check_copies(root, limits)
    result = _Plain(root, folder, limits)
    result.write(root)
    return PlainModel("\n".join(result.text), tuple(result.lines), result.meshes)


def _check_copies(root: Part, limits: Limits) -> None:
    """A short file may ask for any number of copies; count them before they are made."""
    total, waiting = 0, [(root, 1)]
    while waiting:
        part, copies = waiting.pop()
        total += copies
        if part.tag in ("replicate", "composite"):
            counts = [decimal(word) for word in part.attributes.get("count", "").split()]
            copies *= prod(int(count) for count in counts if count and count > 1)
            total += copies
        if total > limits.elements:
            said = f"with its copies the model has more than {limits.elements:,} elements."
            cure = "Lower the count, or pass limits=Limits(elements=…)."
            raise LimitError(said, place=f"{part.place}: <{part.tag}>", cure=cure, code="E-ROBOT-SIZE")
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
    """Writes one element a line, so that a line number in the compiler's message leads back to the file."""

    def __init__(self, root: Part, folder: Path, limits: Limits) -> None:
        self.folder = folder
        self.limits = limits
        self.text: list[str] = []
        self.lines: list[Part] = []
        self.meshes: dict[str, bytes] = {}
        self.weighing = _meshes_that_weigh(root)
        settings = root.settings()
        self.mesh_folder = settings.get("meshdir", settings.get("assetdir", ""))
        self.strip_path = settings.get("strippath") == "true"

    def write(self, part: Part) -> None:
        if part.tag in UNSEEN:
            return
        if part.tag in _REFUSED:
            cure = "Remove it; MuJoCo's own save (mj_saveLastXML) writes a model as one plain file."
            raise FormatError(f"{_REFUSED[part.tag]}.", f"{part.place}: <{part.tag}>", cure, "E-ROBOT-READ")
        attributes = {key: value for key, value in part.attributes.items() if key not in _UNSEEN_ATTRIBUTES}
        if part.tag == "mesh":
            attributes = self._mesh(part, attributes)
        elif part.tag == "material":  # its colour is drawn, its picture is not
            attributes = {key: value for key, value in attributes.items() if key in ("name", "class", "rgba")}
        elif part.tag == "hfield":
            attributes = _flat_field(attributes)
        for key, value in attributes.items():
            # After some blank attributes MuJoCo reads no further model in this process: it must not see one.
            if key not in _MAY_BE_BLANK and not value.strip():
                place = f"{part.place}: <{part.tag} {key[:60]}=…>"
                raise FormatError("the attribute is blank.", place, "Give it a value, or remove it.", "E-ROBOT-MISSING")
            if key in _NUMBERS and part.tag != "flag":
                _check_numbers(part, key, value)
            if key != "name" and not _NO_NUMBERS.isdisjoint(value.lower().split()):
                said = f"{value[:60]!r} holds what is no number."
                place = f"{part.place}: <{part.tag} {key[:60]}=…>"
                raise FormatError(said, place=place, cure="Write finite decimals.", code="E-ROBOT-NUMBER")
            if key.startswith("file") and part.tag != "mesh":
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
        status, found, reason = locate(str(PurePosixPath(self.mesh_folder) / filename), self.folder, {})
        place = f'{part.place}: <mesh file="{filename[:60]}">'
        if found is None or suffix not in _MESH_FORMATS:
            raise FormatError(
                f"the mesh is {status}: {reason}." if found is None else f"{suffix!r} is no mesh format that is read.",
                place=place,
                cure="A body takes its inertia from it; put it into the model's folder as .stl, .obj or .msh, or "
                "write <inertial> for the body.",
                code="E-ROBOT-READ",
            )
        own_name = f"mesh{len(self.meshes)}{suffix}"
        self.meshes[own_name] = read_bytes(found, self.limits)
        kept = {key: value for key, value in attributes.items() if key != "content_type"}
        return {**kept, "name": name, "file": own_name}


def _check_numbers(part: Part, key: str, text: str) -> None:
    """Refuse what is no list of so many numbers before the compiler sees it."""
    values = [decimal(word) for word in text.split()]
    fewest, most = _NUMBERS[key]
    wrong = [word for word, value in zip(text.split(), values, strict=True) if value is None or abs(value) > LARGEST]
    if wrong or not fewest <= len(values) <= most:
        count = f"{fewest}" if fewest == most else f"{fewest} to {most}"
        said = (
            f"{wrong[0][:40]!r} is not a number that a model can have."
            if wrong
            else f"it has {len(values)} numbers, not {count}."
        )
        place = f'{part.place}: <{part.tag} {key}="{text[:60]}">'
        raise FormatError(said, place, "Write finite decimals with blanks between them.", "E-ROBOT-NUMBER")


def _flat_field(attributes: dict[str, str]) -> dict[str, str]:
    """Terrain is fixed and weighs nothing; any will do."""
    name = attributes.get("name") or PurePosixPath(attributes.get("file", "")).stem
    size = {"size": attributes["size"]} if "size" in attributes else {}
    return {"name": name, "nrow": "2", "ncol": "2", **size}


def mujoco_module() -> Any:
    """The `mujoco` package, an optional dependency."""
    return installed("mujoco", "mujoco", "MuJoCo, which compiles MJCF,", code="E-ROBOT-MISSING")


def compile_model(plain: PlainModel, file: str) -> tuple[Any, list[str]]:
    """The compiled model, and what the compiler warned of."""
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
    found = _LINE.search(message)
    number = int(found.group(1)) if found else 0
    part = plain.lines[number - 1] if 0 < number <= len(plain.lines) else None
    said = _words(_LINE.sub("", message)).removeprefix("XML ").removeprefix("Error: ").removeprefix("Error: ")
    words = f"MuJoCo refuses the model: {said}."
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
    - ignore: effects to leave out that would otherwise be refused: "friction", "tendon", "fluid", "spring" and
      "armature" (in ball and free joints), "damping" (not linear); or that would be kept: "equality" (connect, weld and
      joint), "armature" (in hinges and slides, where it is a motor with a decoupled rotor).
      Actuators are left out always, with a warning; what these can exert becomes limits of efforts.
    - snap: turns this close to a multiple of π/2, and axes this close to x, y or z, are taken to be exact.
    - limits: of the file's size and nesting.
    - contacts: True adds contacts of geoms with what stands still, "all" those of bodies with each other too; a mapping
      has laws for all: friction, static, stribeck, restitution. A file without a plane gets the floor z = 0.
    - stops: a restitution, or what `System.stop` takes, with which limits of joints become stops.
    - friction: dry friction of joints acts.
    """
    assemble.check_ignored(ignore)
    within = tolerance(snap, "E-ROBOT-NUMBER")
    path = path_of(path)
    limits = limits_of(limits)
    root = read_document(path, limits)
    findings = Findings(root.file, places_in(root))
    mujoco = mujoco_module()
    model, warnings = compile_model(plain_model(root, path.parent, limits), path.name)
    for warning in warnings:
        findings.warn(path.name, f"MuJoCo warns: {warning}", "", "W-ROBOT-UNSUPPORTED")
    acting = {"contacts": contacts is not False, "limits": stops is not None}
    assemble.check_effects(mujoco, model, ignore, findings, acting)
    _note_unseen(root, findings)
    findings.raise_problems()
    name = (root.attributes.get("model", "").strip() or path.stem)[:NAME_LIMIT]
    efforts, meshes = assemble.effort_ranges(mujoco, model), mesh_assets(root, path.parent)
    assembly = assemble.Assembly(model, name, symbolic, within, findings, meshes, efforts)
    _assemble(assembly, mujoco, with_equality="equality" not in ignore, with_armature="armature" not in ignore)
    assembly.refuse_unused()
    facts = (_facts(model, j, joint) for j, joint in enumerate(assembly.joints))
    report = findings.report(name, "world", facts)
    rubs = friction and "friction" not in ignore and not assemble.disabled(mujoco, model, "CONSTRAINT", "FRICTIONLOSS")
    return assembly.system, touch(assembly.system, report, touching_of(assembly), contacts, stops, rubs)


load_mjcf = system_alone(read_mjcf)


def _assemble(assembly: assemble.Assembly, mujoco: Any, with_equality: bool, with_armature: bool) -> None:
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
            assembly.add_motor(j, assemble.actuators_of(mujoco, model, j), with_armature)
    for k in range(model.nsite):
        with located("site", model.site(k).name):
            assembly.add_site(k)
    active = [
        k for k in range(model.neq) if assemble.is_active(mujoco, model, k) and assemble.kind_of(mujoco, model, k)
    ]
    for k in active if with_equality else ():
        with located("equality", model.equality(k).name):
            assemble.add_equality(assembly, mujoco, k)
    _note_equality(findings, len(active), with_equality)
    with located("keyframe", ""):
        assemble.add_poses(assembly.system, model, assembly.joints)


def _note_equality(findings: Findings, count: int, kept: bool) -> None:
    """Note that MuJoCo's constraints are soft, and these are not."""
    if not count:
        return
    what = f"{count} equality {'constraint' if count == 1 else 'constraints'}"
    if kept:
        findings.notice(findings.file, f"{what} kept exactly; MuJoCo lets them give a little.", "N-ROBOT-UNSUPPORTED")
    else:
        findings.warn(findings.file, f"{what} left out.", "", "W-ROBOT-UNSUPPORTED")


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
