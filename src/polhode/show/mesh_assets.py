"""The meshes of a mechanism, read once each and made small enough for a page; and what became of them, in words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from ..errors import PolhodeError, listed
from ..model.body import Shape
from ..model.model import Model
from ..view.mesh import Mesh, library, shares, simplified
from ..view.mesh_files import read_mesh
from .up_axis import upright

MOST_TRIANGLES = 60_000
"""As many triangles as a page holds: some nine hundred kilobytes, drawn at once without a graphics card too."""
_COARSE = 240


@dataclass(frozen=True)
class Looks:
    """Meshes by their files, each in a fine and a coarse form, and sentences on what is not drawn as it is."""

    meshes: dict[str, tuple[Mesh, Mesh]] = field(default_factory=dict)
    told: tuple[str, ...] = ()


def looks_of(system: Model, most: int = MOST_TRIANGLES) -> Looks:
    """Read the meshes of a model's bodies; one that cannot be drawn is told of, and the others are drawn."""
    wanted = [shape for body in system.bodies.values() for shape in body.shapes if shape.kind == "mesh"]
    if not wanted:
        return Looks()
    read, failed = _read(wanted)
    read = upright(system, read)
    uses = [file for file in (shape.file for shape in wanted) if file in read]
    allowed = dict(zip(uses, shares([read[file].count for file in uses], most), strict=True))
    made: dict[str, tuple[Mesh, Mesh]] = {}
    for file, mesh in read.items():
        fine = simplified(mesh, allowed[file])
        if fine.pieces:
            made[file] = (fine, simplified(fine, _COARSE))
        else:
            failed.setdefault("nothing is left of it at this size.", []).append(file)
    told = [f"{_names(files)} not drawn: {reason}" for reason, files in failed.items()]
    times = Counter(uses)
    before, after = (
        sum(count * times[file] for file, count in each)
        for each in (
            [(file, read[file].count) for file in made],
            [(file, fine.count) for file, (fine, _) in made.items()],
        )
    )
    if any(allowed[file] < read[file].count for file in made):
        told.append(f"Meshes are simplified: {before:,} triangles are drawn as {after:,}.")
    if any(piece.shades is not None for fine, _ in made.values() for piece in fine.pieces):
        told.append("Textures are drawn as the colours of points.")
    if any(read[file].lacks_pictures for file in made):
        told.append("Textures that cannot be read are drawn in one colour.")
    return Looks(made, tuple(told))


def _read(wanted: Iterable[Shape]) -> tuple[dict[str, Mesh], dict[str, list[str]]]:
    """The meshes by their files, and the files of those that cannot be drawn by the reason."""
    read: dict[str, Mesh] = {}
    failed: dict[str, list[str]] = {}
    for file, lacking in dict.fromkeys((shape.file, shape.lacking) for shape in wanted):
        try:
            if lacking:
                raise PolhodeError(f"{lacking.removesuffix('.')}.", cure=_cure(file))
            library("trimesh"), library("fast_simplification")
            read[file] = read_mesh(Path(file))
        except PolhodeError as error:
            problem = error.problems[0]
            failed.setdefault(f"{problem.message} {problem.cure}".strip(), []).append(file)
    return read, failed


def _cure(file: str) -> str:
    """What finds a mesh of a package.

    >>> _cure("package://arm/meshes/a.stl")[-62:]
    "Name its folder: packages={'arm': …}, or --package arm=FOLDER."
    """
    found = re.match(r"(?:package|model)://([^/]+)/", file)
    if not found:
        return ""
    name = found[1]
    return (
        "It was looked for beside the robot's file and in the folders above it. "
        f"Name its folder: packages={{{name!r}: …}}, or --package {name}=FOLDER."
    )


def _names(files: list[str]) -> str:
    names = list(dict.fromkeys(file.replace("\\", "/").rsplit("/", 1)[-1][:60] for file in files))
    return f"{listed(names)} {'is' if len(names) == 1 else 'are'}"
