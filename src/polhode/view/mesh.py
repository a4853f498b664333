"""Triangles to be drawn: pieces of one colour each, fewer where there are too many, and small enough for a page.

Mesh files as triangles, read by trimesh: STL, OBJ, COLLADA and glTF, of bounded size, with colours as far as given.

A file may name others (materials, buffers, pictures): they are read from its own folder alone. Nothing in it is run.
"""

from __future__ import annotations

import itertools
import logging
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polhode.errors import PolhodeError
from polhode.files.reading import MESH_KINDS, TooLarge, locate, read_file
from polhode.view.scene import NO_TURN, ORIGIN, Floats

from ..errors import installed

MOST_BYTES = 100_000_000
MOST_TRIANGLES = 2_000_000
_FARTHEST = 1e6
#: As many colours on faces as are kept apart; more are averaged.
_MOST_COLORS = 8

_UNIT = re.compile(rb"<unit\b[^>]*\bmeter\s*=\s*[\"']([-+.0-9eE]+)[\"']")
_Y_UP = re.compile(rb"<up_axis>\s*Y_UP\s*</up_axis>")
_PICTURES = [re.compile(rb"<%s\b.*?</%s>" % (tag, tag), re.DOTALL) for tag in (b"library_images", b"newparam")]
_TEXTURE = re.compile(rb"<texture\b[^>]*/>|<texture\b.*?</texture>", re.DOTALL)
_COLOR = re.compile(rb"<color\b")


def read_mesh(path: Path) -> Mesh:
    """Triangles of a file, in metres if it states its unit; raises if they cannot be drawn."""
    kind = path.suffix.lower()
    if kind not in MESH_KINDS:
        kinds = ", ".join(MESH_KINDS)
        raise _refused(f"{kind!r} is no kind of mesh that is drawn", f"Convert it to one of {kinds}.", "E-FILE-NAME")
    try:
        content = read_file(path, MOST_BYTES)
    except TooLarge as error:
        raise _refused(str(error.strerror), "Simplify it first.", "E-FILE-SIZE") from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise _refused(f"the file cannot be read: {reason}", "Check its name.", "E-FILE-READ") from None
    if kind == ".dae" and (b"<!DOCTYPE" in content or b"<!ENTITY" in content or b"\0" in content):
        raise _refused("a DOCTYPE, or what is no UTF-8, is not allowed in COLLADA", "Save it again.", "E-FILE-READ")
    mesh = _load(content, kind, path)
    if kind == ".dae" and b"<texture" in content and not mesh.count:
        # A picture that is not declared takes all that wears it with it; without pictures the form is there.
        mesh = replace(_load(_plain(content), kind, path), lacks_pictures=True)
    mesh = replace(_checked(mesh), is_y_up=kind == ".dae" and _Y_UP.search(content) is not None)
    matched = _UNIT.search(content[:20_000]) if kind == ".dae" else None
    return mesh if matched is None else _scaled(mesh, float(matched.group(1)))


def surface_of(path: Path) -> tuple[Floats, Integers]:
    """The points of a file's triangles, and these by the numbers of their points."""
    corners = np.concatenate([piece.points[piece.triangles].reshape(-1, 3) for piece in read_mesh(path).pieces])
    return corners, np.arange(len(corners)).reshape(-1, 3)


def _plain(content: bytes) -> bytes:
    """COLLADA without its pictures, grey where they were."""
    for pattern in _PICTURES:
        content = pattern.sub(b"", content)
    return _TEXTURE.sub(b"<color>0.35 0.35 0.35 1</color>", content)


def _refused(message: str, cure: str, code: str) -> PolhodeError:
    return PolhodeError(f"{message}.", cure=cure, code=code)


def _load(content: bytes, kind: str, path: Path) -> Mesh:
    trimesh = library("trimesh")
    if kind == ".dae":
        library("collada")
    log = logging.getLogger("trimesh")
    if not log.handlers:
        log.addHandler(logging.NullHandler())  # missing parts are reported below, in one sentence
    try:
        with np.errstate(all="ignore"):
            scene = trimesh.load_scene(BytesIO(content), file_type=kind[1:], resolver=_Beside(path.parent))
        nodes = [(name, *scene.graph[name]) for name in scene.graph.nodes_geometry]
        total = sum(len(getattr(scene.geometry[name], "faces", ())) for _, _, name in nodes)
        if total > MOST_TRIANGLES:
            raise _refused(f"it has {total:,} triangles, more than {MOST_TRIANGLES:,}", "Simplify it.", "E-FILE-SIZE")
        pieces = []
        for _, placing, name in nodes:
            geometry = scene.geometry[name]
            if len(getattr(geometry, "faces", ())) == 0:
                continue
            points = np.asarray(geometry.vertices, dtype=float) @ placing[:3, :3].T + placing[:3, 3]
            triangles = np.asarray(geometry.faces, dtype=np.int64)
            has_colors = kind != ".dae" or _COLOR.search(content) is not None
            for faces, color, shades in _colored(geometry.visual, has_colors):
                pieces.append(Piece(points, triangles[faces], color, shades))
    except PolhodeError:
        raise
    except (MemoryError, RecursionError):
        raise _refused("it is too large", "Simplify it.", "E-FILE-SIZE") from None
    except Exception as error:  # a broken file may raise anything in a reader that is not ours
        words = " ".join(str(error).split())[:120] or type(error).__name__
        raise _refused(f"the file is broken: {words}", "Export it again.", "E-FILE-READ") from None
    lacks = kind == ".dae" and b"<texture" in content and all(piece.shades is None for piece in pieces)
    return Mesh(tuple(pieces), lacks)


def _colored(visual: Any, has_colors: bool) -> Iterator[tuple[Any, str | None, Any]]:
    """Triangles by colour, None if the file has none; and colours of points, if these differ."""
    if visual.kind is None:
        yield slice(None), None, None
        return
    if visual.kind == "texture":
        material = visual.material
        picture = getattr(material, "image", None) or getattr(material, "baseColorTexture", None)
        if picture is None or visual.uv is None:
            flat = [float(part) / 255 for part in material.main_color[:3]]
            yield slice(None), hex_color(flat) if has_colors else None, None
        else:
            yield _shaded(visual.to_color().vertex_colors)
        return
    colors = np.asarray(visual.face_colors)[:, :3]
    kept, which = np.unique(colors, axis=0, return_inverse=True)
    if len(kept) > _MOST_COLORS:
        yield _shaded(visual.vertex_colors)
        return
    for k, color in enumerate(kept):
        yield which.reshape(-1) == k, hex_color(color / 255), None


def _shaded(colors: Any) -> tuple[Any, str, Any]:
    """Colours of points, and their average."""
    shades = np.asarray(colors)[:, :3].astype(np.uint8)
    return slice(None), hex_color(shades.mean(axis=0) / 255), shades


def _checked(mesh: Mesh) -> Mesh:
    if not mesh.count:
        raise _refused("there is no triangle in it", "Export it again.", "E-FILE-READ")
    for piece in mesh.pieces:
        used = (
            piece.points[piece.triangles.reshape(-1)] if piece.triangles.max() < len(piece.points) else np.array(np.nan)
        )
        if piece.triangles.min() < 0 or not np.isfinite(used).all() or np.abs(used).max() > _FARTHEST:
            raise _refused("it has points that are nowhere, or too far away", "Export it again.", "E-FILE-READ")
    return mesh


def _scaled(mesh: Mesh, unit: float) -> Mesh:
    if not 1e-6 <= unit <= 1e3 or unit == 1:
        return mesh
    return replace(mesh, pieces=tuple(replace(piece, points=unit * piece.points) for piece in mesh.pieces))


class _Beside:
    """Gives a mesh the files that it names, from its own folder only."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def get(self, name: str) -> bytes:
        _, path, reason = locate(str(name).strip(), self.folder, {})
        if path is None:
            raise ValueError(f"{str(name)[:60]}: {reason}")
        return read_file(path, MOST_BYTES)

    __getitem__ = get  # as readers of OBJ ask for materials

    def namespaced(self, _: str) -> _Beside:
        return self

    def keys(self) -> list[str]:
        return []


Integers = NDArray[np.int64]

GREY = "#b4b8be"
"""The colour of a mesh that has none."""

_STEPS = 65_535
#: A piece keeps at least so many triangles, so that no bolt becomes a hole.
_FEWEST = 16


@dataclass(frozen=True, eq=False)
class Piece:
    """Triangles: points (n, 3), numbers of points (m, 3), a colour, or None for the colour of the body."""

    points: Floats
    triangles: Integers
    color: str | None = None
    shades: NDArray[np.uint8] | None = None


@dataclass(frozen=True, eq=False)
class Mesh:
    """The pieces of a mesh, in its own axes; `lacks_pictures` where it has textures that cannot be read."""

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
    """A mesh on a body: the fine form, and a coarse one for picking and for slow drawing."""

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
    """The piece with points rounded to a grid of 16 bits an axis, without duplicates and flat triangles."""
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
    """The farthest points of a mesh in twenty-six directions, without duplicates: they bound its size.

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
    """Number of triangles each mesh may keep: all if it has few, else an equal share of the rest.

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
    return installed(name, "meshes", f"{name.replace('_', '-')}, which meshes need,", code="E-FILE-READ")


def hex_color(rgb: Sequence[float]) -> str:
    """Red, green and blue from 0 to 1 as a page writes them."""
    r, g, b = (round(255 * min(1.0, max(0.0, float(part)))) for part in list(rgb)[:3])
    return f"#{r:02x}{g:02x}{b:02x}"
