"""The meshes that an MJCF model names, to be drawn: their files and scales. The compiler need not see them."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path, PurePosixPath

from ...expr.rational import decimal
from ...files.mesh_paths import locate_mesh
from .document import Part


@dataclass(frozen=True)
class MeshAsset:
    """A mesh by its file, or why that is not to be opened, and its scale."""

    file: str
    lacking: str
    scale: tuple[Fraction, ...]


def mesh_assets(root: Part, folder: Path) -> dict[str, MeshAsset]:
    """The meshes of files by their names; those written out in the model itself have none."""
    settings: dict[str, str] = {}
    for part in root.walk():
        if part.tag == "compiler":
            settings |= part.attributes
    home = PurePosixPath(settings.get("meshdir", settings.get("assetdir", "")))
    scales = _default_scales(root)
    made: dict[str, MeshAsset] = {}
    for part in root.walk():
        filename = part.attributes.get("file", "")
        if part.tag != "mesh" or not filename:
            continue
        plain = PurePosixPath(filename).name if settings.get("strippath") == "true" else filename
        status, found, reason = locate_mesh(str(home / plain), folder, {})
        scale = _numbers(part.attributes.get("scale", "")) or scales.get(part.attributes.get("class", ""), scales[""])
        name = part.attributes.get("name") or PurePosixPath(filename).stem
        made[name] = MeshAsset(str(found or plain), "" if found else f"{status}: {reason}", scale)
    return made


def _default_scales(root: Part) -> dict[str, tuple[Fraction, ...]]:
    """The scale that each class of defaults gives meshes, its parents' where it says nothing; the main one is ''."""
    scales: dict[str, tuple[Fraction, ...]] = {"": (Fraction(1),) * 3}
    waiting = [(part, "") for part in root.children if part.tag == "default"]
    while waiting:
        part, parent = waiting.pop(0)
        own = [_numbers(child.attributes.get("scale", "")) for child in part.children if child.tag == "mesh"]
        scale = next(filter(None, own), scales[parent])
        name = part.attributes.get("class", "") if parent or part.attributes.get("class", "main") != "main" else ""
        scales[name] = scale
        waiting += [(child, name) for child in part.children if child.tag == "default"]
    return scales


def _numbers(text: str) -> tuple[Fraction, ...]:
    values = [decimal(word) for word in text.split()]
    return tuple(value for value in values if value) if len(values) == 3 and all(values) else ()
