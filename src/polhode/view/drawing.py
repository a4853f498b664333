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
AZIMUTH, ELEVATION = -0.95, 0.36
SUN = np.array([-0.28, -0.62, 1.05]) / np.linalg.norm([-0.28, -0.62, 1.05])
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
    solids = [(corners @ turn.T, colors) for corners, colors in _solids(scene, motion)]
    every = np.concatenate([corners.reshape(-1, 3) for corners, _ in solids] or [np.array([[-1.0] * 3, [1.0] * 3])])
    low, high = every.min(axis=0), every.max(axis=0)
    solids += [_floor(scene, low, high)] if scene.floor else []
    camera = _camera()
    seen = every @ camera.T
    middle, size = (seen.min(axis=0) + seen.max(axis=0)) / 2, np.maximum(np.ptp(seen, axis=0), 1e-9)
    width, height = WIDTH * SAMPLES, HEIGHT * SAMPLES
    scale = (1 - 2 * MARGIN) * min(width / size[0], height / size[1])
    corners = np.concatenate([np.zeros((0, 3, 3)), *(each for each, _ in solids)])
    flat = (corners @ camera.T - middle) * [scale, -scale, 1.0] + [width / 2, height / 2, 0.0]
    owner = _nearest(flat, width, height)
    colors = np.vstack(
        [_lit(corners, np.concatenate([np.zeros((0, 3)), *(each for _, each in solids)]), camera[2]), np.ones(3)]
    )
    image = colors[owner]
    parts = np.append(np.repeat(np.arange(len(solids)), [len(each) for each, _ in solids]), len(solids))[owner]
    solid = parts < len(solids) - scene.floor
    for axis in (0, 1):  # outlines, where one sample is of a body and its neighbour of another, or of none
        edge = (np.diff(parts, axis=axis, append=parts[-1:] if axis == 0 else parts[:, -1:]) != 0) & solid
        image[edge] *= _OUTLINE
    return _png(image.reshape(HEIGHT, SAMPLES, WIDTH, SAMPLES, 3).mean(axis=(1, 3)))


def _turned(direction: Floats) -> Floats:
    """The rotation that brings a direction to z by the shortest way."""
    x, y, z = direction / np.linalg.norm(direction)
    if z < -1 + 1e-12:
        return np.diag([1.0, -1.0, -1.0])
    cross = np.array([[0.0, 0.0, -x], [0.0, 0.0, -y], [x, y, 0.0]])
    return np.eye(3) + cross + cross @ cross / (1 + z)


def _camera() -> Floats:
    """Rows: to the right, upwards and towards the viewer, where z is up."""
    (c, s), (ce, se) = ((np.cos(x), np.sin(x)) for x in (AZIMUTH, ELEVATION))
    back, right = np.array([ce * c, ce * s, se]), np.array([-s, c, 0.0])
    return np.array([right, np.cross(back, right), back])


def _nearest(triangles: Floats, width: int, height: int) -> Any:
    """The number of the triangle that is seen at each sample, -1 for none; x and y in samples, z towards the viewer."""
    depth, owner = np.full((height, width), -np.inf), np.full((height, width), -1)
    down, across = np.arange(height)[:, None] + 0.5, np.arange(width) + 0.5
    first = np.clip(np.floor(triangles[:, :, :2].min(axis=1)), 0, [width, height]).astype(int)
    last = np.clip(np.ceil(triangles[:, :, :2].max(axis=1)), 0, [width, height]).astype(int)
    for k, ((ax, ay, az), (bx, by, bz), (cx, cy, cz)) in enumerate(triangles.tolist()):
        area = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)
        window = slice(first[k, 1], last[k, 1]), slice(first[k, 0], last[k, 0])
        if abs(area) < 1e-9:
            continue
        x, y = across[window[1]] - ax, down[window[0]] - ay
        b, c = (x * (cy - ay) - y * (cx - ax)) / area, ((bx - ax) * y - (by - ay) * x) / area
        z = az + b * (bz - az) + c * (cz - az)
        nearer = (b >= 0) & (c >= 0) & (b + c <= 1) & (z > depth[window])
        depth[window][nearer], owner[window][nearer] = z[nearer], k
    return owner


def _lit(triangles: Floats, colors: Floats, back: Floats) -> Floats:
    """The colours of triangles in the light, of the sides that are turned to the viewer."""
    normals = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-300)
    normals *= np.where(normals @ back < 0, -1.0, 1.0)[:, None]
    light = 0.5 + 0.16 * normals[:, 2] + 0.42 * np.maximum(0.0, normals @ SUN)
    return np.minimum(1.0, colors * light[:, None] + 0.06)


def _floor(scene: Scene, low: Floats, high: Floats) -> Triangles:
    """A round grid: where the scene says, else at zero, or just beneath what dips below it or flies far above."""
    reach, middle = float(np.linalg.norm(high - low)) / 2 or 1.0, (low + high) / 2
    beneath = low[2] < -0.002 * reach or low[2] > 2 * reach
    level = scene.ground if scene.ground is not None else low[2] - 0.12 * reach if beneath else 0.0
    power = 10.0 ** np.floor(np.log10(reach / 3))
    cell = power * next(m for m in (1, 2, 5, 10) if m * power >= reach / 3 * 0.9999)
    strips, far, pieces = [], 1.5 * reach, np.linspace(-1, 1, _PIECES + 1)
    strip = np.array([[0, -1], [1, -1], [1, 1], [0, -1], [1, 1], [0, 1]])  # along and across, two triangles
    for axis in (0, 1):
        for at in cell * np.arange(np.ceil((middle[axis] - far) / cell), (middle[axis] + far) / cell):
            along = middle[1 - axis] + np.sqrt(max(far**2 - (at - middle[axis]) ** 2, 0.0)) * pieces
            corners = np.full((_PIECES, 6, 3), level)
            corners[:, :, axis] = at + 0.0025 * reach * strip[:, 1]
            corners[:, :, 1 - axis] = np.where(strip[:, 0], along[1:, None], along[:-1, None])
            strips.append(corners.reshape(-1, 3, 3))
    lines = np.concatenate(strips)
    return lines, np.tile(_rgb(_GRID), (len(lines), 1))


def _solids(scene: Scene, motion: Motion) -> Iterator[Triangles]:
    """The triangles of each body, line and bent bar."""
    poses = [(_matrix(turn), at) for turn, at in zip(motion.quaternions[0], motion.positions[0], strict=True)]
    for index, (body, (turn, at)) in enumerate(zip(scene.bodies, poses, strict=True)):
        if body.shapes:
            shapes = [_shape(shape, body.color(index)) for shape in body.shapes]
            corners, colors = (np.concatenate(each) for each in zip(*shapes, strict=True))
            yield corners @ turn.T + at, colors
    lines = [
        ([poses[k][0] @ point + poses[k][1] for k, point in each.ends], each.radius, each.color) for each in scene.lines
    ]
    lines += [(each.ends[0], each.radius, each.color) for each in motion.lines]
    yield from (_bar(np.array(ends), *more) for ends, *more in lines if np.isfinite(ends).all())


def _bar(ends: Floats, radius: float, color: str) -> Triangles:
    along = ends[1] - ends[0]
    length = float(np.linalg.norm(along))
    corners = _corners("cylinder", (radius, length))
    return corners @ (_turned(along) if length else np.eye(3)) + ends.mean(axis=0), np.tile(
        _rgb(color), (len(corners), 1)
    )


def _shape(shape: Shape | MeshShape, color: str) -> Triangles:
    """The triangles of a shape in the axes of its body."""
    if isinstance(shape, MeshShape):
        pieces = shape.fine.pieces
        corners = np.concatenate([piece.points[piece.triangles] for piece in pieces]) * shape.scale
        colors = np.concatenate([
            np.tile(_rgb(piece.color or shape.own_color or GREY), (len(piece.triangles), 1))
            if piece.shades is None else piece.shades[piece.triangles].mean(axis=1) / 255 for piece in pieces
        ])  # fmt: skip
    elif shape.kind == "frame":
        axes = [
            _bar(np.array([0 * axis, axis]), 0.03 * shape.size[0], each)
            for axis, each in zip(shape.size[0] * np.eye(3), _AXES, strict=True)
        ]
        corners, colors = (np.concatenate(each) for each in zip(*axes, strict=True))
    else:
        corners = _corners(shape.kind, shape.size)
        colors = np.tile(_rgb(shape.color or color), (len(corners), 1))
    return corners @ _matrix(shape.rotation).T + np.array(shape.position), colors


def _corners(kind: str, size: Sequence[float]) -> Floats:
    """The triangles of a solid that is centred, round ones about z."""
    if kind == "box":
        square = np.array([[[-1, -1], [1, -1], [1, 1]], [[-1, -1], [1, 1], [-1, 1]]])
        faces = [np.insert(square, axis, side, axis=2) for axis in range(3) for side in (-1, 1)]
        return np.concatenate(faces) * np.array(size) / 2
    arc = np.linspace(-np.pi / 2, np.pi / 2, _ROUND // 2 + 2)  # none at zero, where a capsule is parted
    circle = np.column_stack([np.cos(arc), np.sin(arc)])
    if kind in ("sphere", "ellipsoid"):
        return _revolved(circle) * np.array(size)
    radius, length = size
    if kind == "capsule":
        return _revolved(radius * circle + np.outer(np.sign(arc), [0, length / 2]))
    end = 0.0 if kind == "cone" else radius
    return _revolved(np.array([[0, -length / 2], [radius, -length / 2], [end, length / 2], [0, length / 2]]))


def _revolved(profile: Floats) -> Floats:
    """The triangles of a surface of revolution about z from its profile (radius, height)."""
    angle = np.linspace(0, 2 * np.pi, _ROUND + 1)[:, None]
    lengths = np.linalg.norm(np.diff(profile, axis=0), axis=1)  # long triangles would take long to draw
    steps = np.maximum(1, np.rint(_PIECES * lengths / lengths.sum())).astype(int)
    radius, height = np.vstack(
        [*map(partial(np.linspace, endpoint=False), profile, profile[1:], steps), profile[-1:]]
    ).T
    grid = np.stack([np.cos(angle) * radius, np.sin(angle) * radius, height + 0 * angle], axis=-1)
    a, b, c, d = grid[:-1, :-1], grid[1:, :-1], grid[1:, 1:], grid[:-1, 1:]
    return np.stack([a, b, c, a, c, d], axis=2).reshape(-1, 3, 3)


def _matrix(quaternion: Any) -> Floats:
    """The rotation matrix of a unit quaternion (w, x, y, z)."""
    w, x, y, z = quaternion
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.asarray(np.eye(3) + 2 * (w * cross + cross @ cross))


def _rgb(color: str) -> Floats:
    return np.array([int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)])


def _png(image: Floats) -> bytes:
    """Colours from 0 to 1 as a PNG file of eight bits a channel."""
    height, width, _ = image.shape
    rows = np.insert(np.rint(255 * image).astype(np.uint8).reshape(height, -1), 0, 0, axis=1)
    parts = (
        (b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)),
        (b"IDAT", zlib.compress(rows.tobytes(), 9)),
    )
    chunks = [
        struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
        for kind, content in (*parts, (b"IEND", b""))
    ]
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)
