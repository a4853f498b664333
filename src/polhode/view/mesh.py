"""Triangles to be drawn: pieces of one colour each, fewer where there are too many, and small enough for a page."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polhode.view.scene import NO_TURN, ORIGIN, Floats

from ..errors import installed

Integers = NDArray[np.int64]

GREY = "#b4b8be"
"""The colour of a mesh that has none."""

_STEPS = 65_535
#: A piece keeps at least so many triangles, so that no bolt becomes a hole.
_FEWEST = 16


@dataclass(frozen=True, eq=False)
class Piece:
    """Triangles: points (n, 3), numbers of points (m, 3), a colour; no colour is that of whoever draws it.

    `shades` (n, 3), red, green and blue from 0 to 255, are the colours of its points where a picture gives them.
    """

    points: Floats
    triangles: Integers
    color: str | None = None
    shades: NDArray[np.uint8] | None = None


@dataclass(frozen=True, eq=False)
class Mesh:
    """The pieces of a mesh, in its own axes; `lacks_pictures` where it has textures that cannot be read.

    `is_y_up` where a COLLADA file says that y is up, which its points may or may not heed.
    """

    pieces: tuple[Piece, ...]
    lacks_pictures: bool = False
    is_y_up: bool = False

    @property
    def count(self) -> int:
        """How many triangles there are."""
        return sum(len(piece.triangles) for piece in self.pieces)

    @property
    def color(self) -> str | None:
        """The colour of most triangles."""
        return max(self.pieces, key=lambda piece: len(piece.triangles)).color


@dataclass(frozen=True, eq=False)
class MeshShape:
    """A mesh on a body: as it is looked at, and a coarse form to be pointed at and drawn where drawing is slow."""

    fine: Mesh
    coarse: Mesh
    scale: Sequence[float] = (1.0, 1.0, 1.0)
    position: Sequence[float] = ORIGIN
    rotation: Sequence[float] = NO_TURN
    own_color: str | None = None

    @property
    def color(self) -> str:
        """Its colour in lists: that of the file, else the one that was given."""
        return self.fine.color or self.own_color or GREY


def welded(piece: Piece, low: Floats, step: Floats) -> Piece:
    """The piece on a grid of 16 bits an axis, points that fall together made one, flat triangles left out."""
    grid = np.clip(np.rint((piece.points - low) / step), 0, _STEPS).astype(np.int64)
    keys = (grid[:, 0] << 32) | (grid[:, 1] << 16) | grid[:, 2]
    kept, first, index = np.unique(keys, return_index=True, return_inverse=True)
    triangles = index.reshape(-1)[piece.triangles]
    a, b, c = triangles.T
    triangles = triangles[(a != b) & (b != c) & (c != a)]
    used, index = np.unique(triangles, return_inverse=True)
    kept = kept[used]
    points = np.stack([kept >> 32, (kept >> 16) & _STEPS, kept & _STEPS], axis=1) * step + low
    shades = None if piece.shades is None else piece.shades[first[used]]
    return replace(piece, points=points, triangles=index.reshape(-1, 3).astype(np.int64), shades=shades)


def grid_of(mesh: Mesh) -> tuple[Floats, Floats]:
    """The lowest corner of a mesh, and the step of the grid of 16 bits an axis that spans it."""
    points = np.concatenate([piece.points for piece in mesh.pieces])
    low, high = points.min(axis=0), points.max(axis=0)
    return low, np.maximum((high - low) / _STEPS, 1e-12)


def outline(mesh: Mesh) -> Floats:
    """The farthest points of a mesh in twenty-six directions, each once: enough to know how large it looks.

    >>> corners = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [0.2, 0.2, 0.2]], dtype=float)
    >>> len(outline(Mesh((Piece(corners, np.array([[0, 1, 2], [1, 2, 3], [2, 3, 4]])),))))
    4
    """
    points = np.concatenate([piece.points for piece in mesh.pieces])
    directions = np.array([d for d in itertools.product((-1, 0, 1), repeat=3) if any(d)])
    kept: Floats = points[np.unique((points @ directions.T).argmax(axis=0))]
    return kept


def simplified(mesh: Mesh, most: int) -> Mesh:
    """The mesh with about as many triangles at most, by edges that collapse where this changes the surface least."""
    low, step = grid_of(mesh)
    pieces = [welded(piece, low, step) for piece in mesh.pieces]
    pieces = [piece for piece in pieces if len(piece.triangles)]
    count = sum(len(piece.triangles) for piece in pieces)
    if count > most:
        pieces = [_collapsed(piece, max(_FEWEST, len(piece.triangles) * most // count)) for piece in pieces]
        pieces = [welded(piece, low, step) for piece in pieces]
    return replace(mesh, pieces=tuple(piece for piece in pieces if len(piece.triangles)))


def _collapsed(piece: Piece, most: int) -> Piece:
    if len(piece.triangles) <= most:
        return piece
    quadrics = library("fast_simplification")
    # In units of its own size: the collapse stops at an absolute error.
    low, step = grid_of(Mesh((piece,)))
    size = float(step.max()) * _STEPS
    points, triangles = quadrics.simplify(
        ((piece.points - low) / size).astype(np.float32), piece.triangles.astype(np.int32), target_count=most
    )
    moved = points.astype(float) * size + low
    shades = None
    if piece.shades is not None:
        from scipy.spatial import cKDTree

        shades = piece.shades[cKDTree(piece.points).query(moved)[1]]
    return replace(piece, points=moved, triangles=triangles.astype(np.int64), shades=shades)


def shares(counts: Sequence[int], most: int) -> list[int]:
    """How many triangles each mesh may keep: all if it has few, else the same number as every other that has many.

    >>> shares([10, 500, 900], 610)
    [10, 300, 300]
    """
    left, level, waiting = most, 0, len(counts)
    for count in sorted(counts):
        level = left // waiting
        if count > level:
            break
        left, waiting = left - count, waiting - 1
    else:
        return list(counts)
    return [min(count, level) for count in counts]


def library(name: str) -> Any:
    """An optional package that meshes need."""
    return installed(name, "meshes", f"{name.replace('_', '-')}, which meshes need,", code="E-MESH-001")


def hex_color(rgb: Sequence[float]) -> str:
    """Red, green and blue from 0 to 1 as a page writes them.

    >>> hex_color((1, 0.5, 0))
    '#ff8000'
    """
    r, g, b = (round(255 * min(1.0, max(0.0, float(part)))) for part in list(rgb)[:3])
    return f"#{r:02x}{g:02x}{b:02x}"
