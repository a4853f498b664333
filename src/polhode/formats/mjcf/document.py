"""A model file with the files that it includes, as one tree of elements with their places, and the meshes it names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from os.path import relpath
from pathlib import Path, PurePosixPath

from ...errors import FormatError, LimitError
from ...expr.rational import decimal
from ...files.reading import MESH_KINDS, Located, locate, locate_mesh
from ..robot_file.markup import Element, Limits, parse_xml, read_bytes


@dataclass(frozen=True)
class Part:
    """An element of the model: its tag, attributes and children, and the file and line on which it begins."""

    tag: str
    attributes: Mapping[str, str]
    file: str
    line: int
    children: list[Part] = field(default_factory=list)

    @property
    def place(self) -> str:
        """`arm.xml:41`."""
        return f"{self.file}:{self.line}"

    def walk(self) -> Iterator[Part]:
        """This part and all below it, in the order of the file."""
        waiting = [self]
        while waiting:
            part = waiting.pop()
            yield part
            waiting.extend(part.children[::-1])

    def settings(self) -> dict[str, str]:
        """The attributes of all <compiler> elements; the last of a name holds."""
        return {key: value for part in self.walk() if part.tag == "compiler" for key, value in part.attributes.items()}


def places_in(root: Part) -> dict[tuple[str, str], str]:
    """The place of each element in the files, by its tag, or that of its section, and name; a free joint is a joint."""
    places: dict[tuple[str, str], str] = {}
    counts: dict[str, int] = {}  # of elements in each section: one without a name goes by its number
    for part in root.walk():
        tag = "joint" if part.tag == "freejoint" else part.tag
        places.setdefault((tag, part.attributes.get("name", "")), part.place)
        for child in part.children if tag in ("equality", "tendon", "actuator") else ():
            number = counts[tag] = counts.get(tag, -1) + 1
            places.setdefault((tag, child.attributes.get("name") or f"#{number}"), child.place)
    return places


def read_document(path: Path, limits: Limits) -> Part:
    """The model of a file with included files inserted: .xml files of its folder, or by a path with `..`."""
    root = _parse(path, str(path), path.name, limits)
    if root.tag != "mujoco":
        message = f"an MJCF model begins with <mujoco>, not with <{root.tag[:60]}>."
        cure = (
            "A URDF begins with <robot>: read it with polhode.formats.load_urdf."
            if root.tag == "robot"
            else "Give the path of an MJCF file."
        )
        raise FormatError(message, place=f"{path.name}:{root.line}", cure=cure, code="E-ROBOT-READ")
    return _Splicer(path, limits).splice(root, path.name, (path.resolve(),), 1)


def _parse(path: Path, place: str, name: str, limits: Limits) -> Element:
    if path.is_dir():
        raise FormatError("this is a folder, not a model file.", place, "Name a file in it.", "E-ROBOT-READ")
    if not path.exists():
        raise FormatError("there is no such file.", place, "Give the path of an MJCF file.", "E-ROBOT-NAME")
    if path.is_file() and path.stat().st_size == 0:
        raise FormatError("the file is empty.", place, "An MJCF model begins with <mujoco>.", "E-ROBOT-MISSING")
    return parse_xml(read_bytes(path, limits), name, limits)


def located_file(name: str, file: str, folder: Path, kinds: tuple[str, ...]) -> Located:
    """Where a file lies, by its path from the model's folder or from that of the file which names it."""
    beside = str(PurePosixPath(file).parent / name)
    tried = (locate_mesh(candidate, folder, {}, kinds) for candidate in (name, beside))
    return next((located for located in tried if located[1]), locate(name, folder, {}))


class _Splicer:
    """Replaces <include file=…/>, at any depth, by the children of the included file's root."""

    def __init__(self, main: Path, limits: Limits) -> None:
        self.folder = main.parent
        self.limits = limits
        self.count = 0

    def splice(self, element: Element, file: str, chain: tuple[Path, ...], depth: int) -> Part:
        self.count += 1
        for what, value in (("elements", self.count), ("depth", depth)):
            if value > getattr(self.limits, what):
                message = f"with what it includes the model is too large: {value:,} ({what})."
                cure = f"If this is meant, pass limits=Limits({what}=…)."
                raise LimitError(message, place=f"{file}:{element.line}", cure=cure, code="E-ROBOT-SIZE")
        children: list[Part] = []
        for child in element.children:
            if child.tag == "include":
                children += self._included(child, file, chain, depth)
            else:
                children.append(self.splice(child, file, chain, depth + 1))
        return Part(element.tag, dict(element.attributes), file, element.line, children)

    def _included(self, include: Element, file: str, chain: tuple[Path, ...], depth: int) -> list[Part]:
        name = include.attributes.get("file", "")
        place = f"{file}:{include.line}: {include.shown('file')}"
        status, included, reason = located_file(name, file, self.folder, (".xml",))
        if included is None:
            cure = "Include files of the model's own folder, by a path relative to it."
            raise FormatError(f"the file is {status}: {reason}.", place=place, cure=cure, code="E-ROBOT-READ")
        if included in chain:
            raise FormatError("the file includes itself.", place, "Remove one of the includes.", "E-ROBOT-READ")
        shown = Path(relpath(included, self.folder.resolve())).as_posix()
        root = _parse(included, place, shown, self.limits)
        return self.splice(root, shown, (*chain, included), depth + 1).children


# ---- meshes, to be drawn: the compiler need not see them --------------------------------------------------------


@dataclass(frozen=True)
class MeshAsset:
    """A mesh by its file, or why that is not to be opened, and its scale."""

    file: str
    lacking: str
    scale: tuple[Fraction, ...]


def mesh_assets(root: Part, folder: Path) -> dict[str, MeshAsset]:
    """The meshes of files by their names; those written out in the model itself have none."""
    settings = root.settings()
    home = PurePosixPath(settings.get("meshdir", settings.get("assetdir", "")))
    scales = _default_scales(root)
    result: dict[str, MeshAsset] = {}
    for part in root.walk():
        filename = part.attributes.get("file", "")
        if part.tag != "mesh" or not filename:
            continue
        plain = PurePosixPath(filename).name if settings.get("strippath") == "true" else filename
        status, file, reason = located_file(str(home / plain), part.file, folder, MESH_KINDS)
        scale = _numbers(part.attributes.get("scale", "")) or scales.get(part.attributes.get("class", ""), scales[""])
        name = part.attributes.get("name") or PurePosixPath(filename).stem
        result[name] = MeshAsset(str(file or plain), "" if file else f"{status}: {reason}", scale)
    return result


def _default_scales(root: Part) -> dict[str, tuple[Fraction, ...]]:
    """The scale of meshes in each class of defaults, its parents' where it has none; the main class is ''."""
    scales: dict[str, tuple[Fraction, ...]] = {"": (Fraction(1),) * 3}
    waiting = [(part, "") for part in root.children if part.tag == "default"]
    while waiting:
        part, parent = waiting.pop(0)
        listed = [_numbers(child.attributes.get("scale", "")) for child in part.children if child.tag == "mesh"]
        scale = next(filter(None, listed), scales[parent])
        name = part.attributes.get("class", "") if parent or part.attributes.get("class", "main") != "main" else ""
        scales[name] = scale
        waiting += [(child, name) for child in part.children if child.tag == "default"]
    return scales


def _numbers(text: str) -> tuple[Fraction, ...]:
    values = [decimal(word) for word in text.split()]
    return tuple(value for value in values if value) if len(values) == 3 and all(values) else ()
