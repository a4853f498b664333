"""A scene at one moment as a picture, without a browser: flat-shaded triangles in parallel projection, a depth buffer.

The direction of view, the light and the floor are those with which a page opens (`script/camera.js`, `extent.js`).
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from polhode.view.mesh import GREY, MeshShape
from polhode.view.scene import Floats, Motion, Scene, Shape

#: Width and height in pixels, samples of a pixel along each, and the share that is left free on each side.
WIDTH, HEIGHT, SAMPLES, MARGIN = 1000, 560, 2, 0.08
#: Directions to the right, upwards and towards the viewer, where z is up; the direction to the sun.
_RIGHT, _BACK = np.array([0.8134, 0.5817, 0.0]), np.array([0.5444, -0.7613, 0.3523])
CAMERA = np.array([_RIGHT, np.cross(_BACK, _RIGHT), _BACK])
_SUN = np.array([-0.224, -0.495, 0.839])
#: Parts of the circle of a round shape, and of its length; the colours of axes and of the grid; how dark outlines are.
_ROUND, _PIECES, _AXES, _GRID, _OUTLINE = 32, 16, ("#cc3311", "#009988", "#0077bb"), "#d0d6dd", 0.45
#: Corners of triangles (n, 3, 3), and their colours (n, 3) from 0 to 1.
Triangles = tuple[Floats, Floats]


def png_of(scene: Scene, motion: Motion) -> bytes:
    """The scene at the first time of its motion as a PNG file; the same scene gives the same bytes.

    >>> from polhode.view.scene import SceneBody
    >>> ball = Scene("ball", [SceneBody("ball", [Shape("sphere", (0.1,))])])
    >>> png_of(ball, Motion([0.0], np.zeros((1, 1, 3)), [[[1, 0, 0, 0]]]))[1:4]
    b'PNG'
    """
    turn = _turned(np.array(scene.up, dtype=float))
    nothing = np.zeros((0, 3, 3)), np.zeros((0, 3))
    solids = [nothing, *((corners @ turn.T, colors) for corners, colors in _solids(scene, motion))]
    points = np.concatenate([corners for corners, _ in solids]).reshape(-1, 3)
    points = points if len(points) else np.array([[-1.0] * 3, [1.0] * 3])
    solids.append(_floor(scene, points.min(axis=0), points.max(axis=0)) if scene.floor else nothing)
    corners, colors = (np.concatenate(arrays) for arrays in zip(*solids, strict=True))
    width, height, seen = WIDTH * SAMPLES, HEIGHT * SAMPLES, points @ CAMERA.T
    size, middle = np.maximum(np.ptp(seen, axis=0), 1e-9), (seen.min(axis=0) + seen.max(axis=0)) / 2
    scale = (1 - 2 * MARGIN) * min(width / size[0], height / size[1])
    flat = (corners @ CAMERA.T - middle) * [scale, -scale, 1.0] + [width / 2, height / 2, 0.0]
    owner = _nearest(flat, width, height)
    image = np.vstack([_lit(corners, colors), np.ones(3)])[owner]
    part = np.append(np.repeat(np.arange(len(solids)), [len(corners) for corners, _ in solids]), len(solids))[owner]
    for axis in (0, 1):  # outlines, where a sample is of a solid and its neighbour is not
        differs = np.diff(part, axis=axis, append=len(solids)) != 0
        image[differs & (part < len(solids) - 1)] *= _OUTLINE
    return _png(image.reshape(HEIGHT, SAMPLES, WIDTH, SAMPLES, 3).mean(axis=(1, 3)))


def _turned(direction: Floats) -> Floats:
    """The rotation that brings a direction to z by the shortest way."""
    x, y, z = direction / np.linalg.norm(direction)
    cross = np.array([[0.0, 0.0, -x], [0.0, 0.0, -y], [x, y, 0.0]])
    shortest = np.eye(3) + cross + cross @ cross / max(1 + z, 1e-12)
    return np.asarray(shortest if z > -1 + 1e-9 else np.diag([1.0, -1.0, -1.0]))


def _nearest(triangles: Floats, width: int, height: int) -> Any:
    """The number of the triangle that is seen at each sample, -1 for none; x and y in samples, z towards the viewer."""
    depth, owner = np.full((height, width), -np.inf), np.full((height, width), -1)
    down, across = np.arange(height)[:, None] + 0.5, np.arange(width) + 0.5
    first = np.clip(np.floor(triangles[:, :, :2].min(axis=1)), 0, [width, height]).astype(int)
    last = np.clip(np.ceil(triangles[:, :, :2].max(axis=1)), 0, [width, height]).astype(int)
    for k, ((ax, ay, az), (bx, by, bz), (cx, cy, cz)) in enumerate(triangles.tolist()):
        area = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)
        if abs(area) < 1e-9:
            continue
        window = slice(first[k, 1], last[k, 1]), slice(first[k, 0], last[k, 0])
        x, y = across[window[1]] - ax, down[window[0]] - ay
        b, c = (x * (cy - ay) - y * (cx - ax)) / area, ((bx - ax) * y - (by - ay) * x) / area
        z = az + b * (bz - az) + c * (cz - az)
        nearer = (b >= 0) & (c >= 0) & (b + c <= 1) & (z > depth[window])
        depth[window][nearer], owner[window][nearer] = z[nearer], k
    return owner


def _lit(triangles: Floats, colors: Floats) -> Floats:
    """The colours of triangles in the light, of the sides that are turned to the viewer."""
    normals = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-300)
    normals *= np.where(normals @ _BACK < 0, -1.0, 1.0)[:, None]
    light = 0.5 + 0.16 * normals[:, 2] + 0.42 * np.maximum(0.0, normals @ _SUN)
    return np.asarray(np.minimum(1.0, colors * light[:, None] + 0.06))


def _floor(scene: Scene, low: Floats, high: Floats) -> Triangles:
    """A round grid at the scene's ground, else at zero, or below the motion if that dips below zero or is far above."""
    reach, middle = float(np.linalg.norm(high - low)) / 2 or 1.0, (low + high) / 2
    beneath = low[2] < -0.002 * reach or low[2] > 2 * reach
    level = scene.ground if scene.ground is not None else low[2] - 0.12 * reach if beneath else 0.0
    cell = 10.0 ** np.floor(np.log10(reach / 2))
    cell *= 5 if 5 * cell < reach / 1.5 else 2 if 2 * cell < reach / 1.5 else 1
    strips, far, strip = [], 1.5 * reach, np.array([[0, -1], [1, -1], [1, 1], [0, -1], [1, 1], [0, 1]])
    for axis in (0, 1):
        for at in cell * np.arange(np.ceil((middle[axis] - far) / cell), (middle[axis] + far) / cell):
            half = np.sqrt(max(far**2 - (at - middle[axis]) ** 2, 0.0))
            along = middle[1 - axis] + half * np.linspace(-1, 1, _PIECES + 1)
            corners = np.full((_PIECES, 6, 3), level)
            corners[:, :, axis] = at + 0.0025 * reach * strip[:, 1]
            corners[:, :, 1 - axis] = np.where(strip[:, 0], along[1:, None], along[:-1, None])
            strips.append(corners.reshape(-1, 3, 3))
    return _colored(np.concatenate(strips), _GRID)


def _solids(scene: Scene, motion: Motion) -> Iterator[Triangles]:
    """The triangles of each body, line and bent bar."""
    poses = [(_matrix(turn), at) for turn, at in zip(motion.quaternions[0], motion.positions[0], strict=True)]
    for index, (body, (turn, at)) in enumerate(zip(scene.bodies, poses, strict=True)):
        shapes = [_shape(shape, body.color(index)) for shape in body.shapes]
        yield from ((corners @ turn.T + at, colors) for corners, colors in _joined(shapes))
    for line in scene.lines:
        yield _bar(np.array([poses[k][0] @ point + poses[k][1] for k, point in line.ends]), line.radius, line.color)
    for bar in motion.lines:
        if np.isfinite(bar.ends[0]).all():
            yield _bar(bar.ends[0], bar.radius, bar.color)


def _joined(parts: Sequence[Triangles]) -> list[Triangles]:
    """The triangles of several parts as those of one; of none, none."""
    return [(np.concatenate([a for a, _ in parts]), np.concatenate([b for _, b in parts]))] if parts else []


def _colored(corners: Floats, color: str) -> Triangles:
    return corners, np.tile([int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)], (len(corners), 1))


def _bar(ends: Floats, radius: float, color: str) -> Triangles:
    along = ends[1] - ends[0]
    length = float(np.linalg.norm(along))
    turn = _turned(along) if length else np.eye(3)
    return _colored(_corners("cylinder", (radius, length)) @ turn + ends.mean(axis=0), color)


def _shape(shape: Shape | MeshShape, color: str) -> Triangles:
    """The triangles of a shape in the axes of its body."""
    if isinstance(shape, MeshShape):
        pieces = [
            _colored(piece.points[piece.triangles] * shape.scale, piece.color or shape.own_color or GREY)
            for piece in shape.fine.pieces
        ]
    elif shape.kind == "frame":
        ends = [np.array([0 * axis, axis]) for axis in shape.size[0] * np.eye(3)]
        pieces = [_bar(end, 0.03 * shape.size[0], color) for end, color in zip(ends, _AXES, strict=True)]
    else:
        pieces = [_colored(_corners(shape.kind, shape.size), shape.color or color)]
    ((corners, colors),) = _joined(pieces)
    return corners @ _matrix(shape.rotation).T + np.array(shape.position), colors


def _corners(kind: str, size: Sequence[float]) -> Floats:
    """The triangles of a solid that is centred, round ones about z."""
    if kind == "box":
        square = np.array([[[-1, -1], [1, -1], [1, 1]], [[-1, -1], [1, 1], [-1, 1]]])
        faces = [np.insert(square, axis, side, axis=2) for axis in range(3) for side in (-1, 1)]
        return np.asarray(np.concatenate(faces) * np.array(size) / 2)
    arc = np.linspace(-np.pi / 2, np.pi / 2, _ROUND // 2 + 2)  # none at zero, where a capsule is parted
    circle = np.column_stack([np.cos(arc), np.sin(arc)])
    if kind in ("sphere", "ellipsoid"):
        return np.asarray(_revolved(circle) * np.array(size))
    radius, length = size
    if kind == "capsule":
        return _revolved(radius * circle + np.outer(np.sign(arc), [0, length / 2]))
    end = 0.0 if kind == "cone" else radius
    return _revolved(np.array([[0, -length / 2], [radius, -length / 2], [end, length / 2], [0, length / 2]]))


def _revolved(profile: Floats) -> Floats:
    """The triangles of a surface of revolution about z from its profile (radius, height), long parts cut in pieces."""
    angle = np.linspace(0, 2 * np.pi, _ROUND + 1)[:, None]
    lengths = np.linalg.norm(np.diff(profile, axis=0), axis=1)
    steps = np.maximum(1, np.rint(_PIECES * lengths / lengths.sum())).astype(int)
    pieces = map(partial(np.linspace, endpoint=False), profile, profile[1:], steps)
    radius, height = np.vstack([*pieces, profile[-1:]]).T
    grid = np.stack([np.cos(angle) * radius, np.sin(angle) * radius, height + 0 * angle], axis=-1)
    a, b, c, d = grid[:-1, :-1], grid[1:, :-1], grid[1:, 1:], grid[:-1, 1:]
    return np.stack([a, b, c, a, c, d], axis=2).reshape(-1, 3, 3)


def _matrix(quaternion: Any) -> Floats:
    """The rotation matrix of a unit quaternion (w, x, y, z)."""
    w, x, y, z = quaternion
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.asarray(np.eye(3) + 2 * (w * cross + cross @ cross))


def _png(image: Floats) -> bytes:
    """Colours from 0 to 1 as a PNG file of eight bits a channel."""
    height, width, _ = image.shape
    rows = np.insert(np.rint(255 * image).astype(np.uint8).reshape(height, -1), 0, 0, axis=1)
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    png = b"\x89PNG\r\n\x1a\n"
    for kind, content in ((b"IHDR", head), (b"IDAT", zlib.compress(rows.tobytes(), 9)), (b"IEND", b"")):
        png += struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
    return png
