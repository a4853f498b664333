"""The meshes of a mechanism, read once each and made small enough for a page; and what became of them, in words.

Which way is up in COLLADA meshes: files say it, ROS does not listen, and some robots were made by tools that do.

Where a file says that y is up, its points may be meant as they are or turned to z. The mass centres decide, for the
whole robot: they lie where the meshes are.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from ..errors import PolhodeError, listed
from ..expr import as_expr, evaluate, free_symbols
from ..geometry.rotations.exact import as_rotation
from ..model.body import Shape
from ..model.model import Model
from ..simulate.initial_state import Floats
from ..view.mesh import Mesh, library, read_mesh, shares, simplified

#: Turns y to z.
_UPRIGHT = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])
#: Meshes are turned where mass centres are then nearer by more than this.
_NEARER = 0.6


def upright(system: Model, meshes: Mapping[str, Mesh]) -> dict[str, Mesh]:
    """The meshes; those marked as y up are turned to z up if this brings them to the mass centres of their bodies."""
    pairs = list(_distances(system, meshes))
    as_they_are, turned = (sum(pair[k] for pair in pairs) for k in (0, 1))
    if not pairs or turned > _NEARER * as_they_are:
        return dict(meshes)
    result = dict(meshes)
    for file, mesh in meshes.items():
        if mesh.is_y_up:
            pieces = tuple(replace(piece, points=piece.points @ _UPRIGHT.T) for piece in mesh.pieces)
            result[file] = replace(mesh, pieces=pieces)
    return result


def _distances(system: Model, meshes: Mapping[str, Mesh]) -> Iterator[tuple[float, float]]:
    """Distances from mass centres to the middles of meshes marked as y up: as they are, and turned to z up."""
    for body in system.bodies.values():
        for shape in body.shapes:
            if shape.file not in meshes or not meshes[shape.file].is_y_up or not body.mass:
                continue
            turn = as_rotation(shape.rotation, f"shape of body '{body.name}'").entries()
            entries = [as_expr(x) for x in (*body.com, *turn, *shape.at, *shape.size)]
            if free_symbols(entries):
                continue
            com, rotation, at, scale = np.split(np.array(evaluate(entries, {})), [3, 12, 15])
            points = np.concatenate([piece.points for piece in meshes[shape.file].pieces])
            middle: Floats = (points.min(axis=0) + points.max(axis=0)) / 2
            places = (at + rotation.reshape(3, 3) @ (scale * point) for point in (middle, _UPRIGHT @ middle))
            as_it_is, turned = (float(np.linalg.norm(point - com)) for point in places)
            yield as_it_is, turned


MOST_TRIANGLES = 60_000
"""As many triangles as a page holds: some nine hundred kilobytes, drawn at once without a graphics card too."""
_COARSE = 240


@dataclass(frozen=True)
class MeshAssets:
    """Meshes by file, each fine and coarse, and sentences on simplifications."""

    meshes: dict[str, tuple[Mesh, Mesh]] = field(default_factory=dict)
    notices: tuple[str, ...] = ()


def mesh_assets_of(system: Model, most: int = MOST_TRIANGLES) -> MeshAssets:
    """The meshes of a model's bodies, with a sentence for each that cannot be drawn."""
    wanted = [shape for body in system.bodies.values() for shape in body.shapes if shape.kind == "mesh"]
    if not wanted:
        return MeshAssets()
    read, failed = _read(wanted)
    read = upright(system, read)
    uses = [file for file in (shape.file for shape in wanted) if file in read]
    allowed = dict(zip(uses, shares([read[file].count for file in uses], most), strict=True))
    levels: dict[str, tuple[Mesh, Mesh]] = {}
    for file, mesh in read.items():
        fine = simplified(mesh, allowed[file])
        if fine.pieces:
            levels[file] = (fine, simplified(fine, _COARSE))
        else:
            failed.setdefault("nothing is left of it at this size.", []).append(file)
    notices = [f"{_names(files)} not drawn: {reason}" for reason, files in failed.items()]
    times = Counter(uses)
    before = sum(read[file].count * times[file] for file in levels)
    after = sum(fine.count * times[file] for file, (fine, _) in levels.items())
    if any(allowed[file] < read[file].count for file in levels):
        notices.append(f"Meshes are simplified: {before:,} triangles are drawn as {after:,}.")
    if any(piece.shades is not None for fine, _ in levels.values() for piece in fine.pieces):
        notices.append("Textures are drawn as the colours of points.")
    if any(read[file].lacks_pictures for file in levels):
        notices.append("Textures that cannot be read are drawn in one colour.")
    return MeshAssets(levels, tuple(notices))


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
    """The cure that locates the package of a mesh."""
    matched = re.match(r"(?:package|model)://([^/]+)/", file)
    if not matched:
        return ""
    name = matched[1]
    return (
        "It was looked for beside the robot's file and in the folders above it. "
        f"Name its folder: packages={{{name!r}: …}}, or --package {name}=FOLDER."
    )


def _names(files: list[str]) -> str:
    names = list(dict.fromkeys(file.replace("\\", "/").rsplit("/", 1)[-1][:60] for file in files))
    return f"{listed(names)} {'is' if len(names) == 1 else 'are'}"
