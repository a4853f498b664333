"""Where meshes lie that a robot file names: as other files, or in the folders above the file, as packages lie there."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from urllib.parse import unquote

from .reading import Located, inside, locate

#: The kinds of mesh that are drawn, by the ends of their names; no other file is taken from above a robot's folder.
MESH_KINDS = (".stl", ".obj", ".dae", ".glb", ".gltf")
#: How many folders above the robot's own are looked into.
_LEVELS = 8

_PACKAGE = re.compile(r"(?:package|model)://")


def locate_mesh(filename: str, folder: Path, packages: Mapping[str, Path]) -> Located:
    """As `locate`, and where that finds nothing, by walking up from the file.

    `package://arm/meshes/link.stl` is looked for as `arm/meshes/link.stl` in each folder above, and as
    `meshes/link.stl` in one that is called `arm`; `../meshes/link.stl` where it says. Only meshes are looked for so,
    what links lead out of the folder found is refused, and nothing is opened.
    """
    first = locate(filename, folder, packages)
    package = _PACKAGE.match(filename)
    plain = os.path.normpath(unquote(filename[package.end() :]).lstrip("/") if package else filename)
    if first[1] is not None or not _is_mesh(plain) or (not package and not _is_relative(filename)):
        return first
    try:
        above = [folder.resolve(), *folder.resolve().parents][:-1][: _LEVELS + 1]  # never the root of all
    except OSError:
        return first
    climbs = sum(part == ".." for part in PurePosixPath(plain).parts)
    if climbs:
        places = (
            [] if package else [(top, os.sep.join(PurePosixPath(plain).parts[climbs:])) for top in above[climbs:][:1]]
        )
    else:
        places = [(top, plain) for top in above]
        name, _, rest = plain.partition("/")
        places += [(top, rest) for top in above if package and rest and top.name == name]
    found = (inside(top, rest) for top, rest in places)
    return next((each for each in found if each[1] is not None and _is_mesh(each[1].name)), first)


def _is_mesh(name: str) -> bool:
    return PurePosixPath(name).suffix.lower() in MESH_KINDS


def _is_relative(filename: str) -> bool:
    return not (PurePosixPath(filename).is_absolute() or "://" in filename or "\\" in filename or filename[1:2] == ":")
