"""Which way is up in COLLADA meshes: files say it, ROS does not listen, and some robots were made by tools that do.

Where a file says that y is up, its points may be meant as they are or turned to z. The mass centres decide, for the
whole robot: they lie where the meshes are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np

from ..expr import as_expr, evaluate, free_symbols
from ..geometry.rotations.exact import as_rotation
from ..model.model import Model
from ..simulate.initial_state import Floats
from ..view.mesh import Mesh

#: Turns y to z.
_UPRIGHT = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])
#: Meshes are turned where mass centres are then nearer by more than this.
_NEARER = 0.6


def upright(system: Model, meshes: Mapping[str, Mesh]) -> dict[str, Mesh]:
    """The meshes, those of which y is up turned to z if this brings them to the mass centres of their bodies."""
    pairs = list(_distances(system, meshes))
    as_they_are, turned = (sum(pair[k] for pair in pairs) for k in (0, 1))
    if not pairs or turned > _NEARER * as_they_are:
        return dict(meshes)
    return {file: _turned(mesh) if mesh.is_y_up else mesh for file, mesh in meshes.items()}


def _distances(system: Model, meshes: Mapping[str, Mesh]) -> Iterator[tuple[float, float]]:
    """How far the middle of each mesh of which y is up is from its body's mass centre: as it is, and turned."""
    for body in system.bodies.values():
        for shape in body.shapes:
            if shape.file not in meshes or not meshes[shape.file].is_y_up or not body.mass:
                continue
            turn = as_rotation(shape.rotation, f"shape of body '{body.name}'").entries()
            given = [as_expr(each) for each in (*body.com, *turn, *shape.at, *shape.size)]
            if free_symbols(given):
                continue
            com, rotation, at, scale = np.split(np.array(evaluate(given, {})), [3, 12, 15])
            middle = _middle(meshes[shape.file])
            places = (at + rotation.reshape(3, 3) @ (scale * each) for each in (middle, _UPRIGHT @ middle))
            as_it_is, turned = (float(np.linalg.norm(place - com)) for place in places)
            yield as_it_is, turned


def _middle(mesh: Mesh) -> Floats:
    points = np.concatenate([piece.points for piece in mesh.pieces])
    middle: Floats = (points.min(axis=0) + points.max(axis=0)) / 2
    return middle


def _turned(mesh: Mesh) -> Mesh:
    return replace(mesh, pieces=tuple(replace(piece, points=piece.points @ _UPRIGHT.T) for piece in mesh.pieces))
