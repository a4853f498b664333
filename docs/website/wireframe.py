"""Frames of a mechanism in motion, drawn as lines from the data in its page; for machines without a browser."""

from __future__ import annotations

import base64
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

Floats = NDArray[np.float64]
PAPER, SHARPNESS = "#eef1f4", 2


def frames(page: Path, size: tuple[int, int], count: int, seconds: float) -> list[Image.Image]:
    """Some seconds of the motion, or all of a shorter one."""
    data = data_of(page)
    bodies = len(data["bodies"])
    positions = packed(data["positions"]).reshape(-1, bodies, 3)
    turns = packed(data["quaternions"]).reshape(-1, bodies, 4)
    last = min(data["frames"] - 1, round(seconds / data["step"])) if data["step"] else 0
    lines = [
        (k, body["color"], line) for k, body in enumerate(data["bodies"]) for s in body["shapes"] for line in outline(s)
    ]
    drawn = []
    for frame in np.linspace(0, last, count, endpoint=False).astype(int):
        placed = [(color, turned(line, turns[frame, k]) + positions[frame, k]) for k, color, line in lines]
        drawn.append([(color, seen(line, np.array(data["up"]))) for color, line in placed])
    points = np.concatenate([line for frame in drawn for _, line in frame] or [np.zeros((1, 2))])
    middle, extent = (points.max(0) + points.min(0)) / 2, max(np.ptp(points, axis=0).max(), 1e-9)
    wide = np.array(size) * SHARPNESS
    scale = 0.85 * wide.min() / extent

    def picture(frame: list[tuple[str, Floats]]) -> Image.Image:
        image = Image.new("RGB", tuple(map(int, wide)), PAPER)
        pen = ImageDraw.Draw(image)
        for color, line in frame:
            shown = wide / 2 + (line - middle) * (scale, -scale)
            pen.line([tuple(point) for point in shown], fill=color, width=2 * SHARPNESS)
        return image.resize(size, Image.Resampling.LANCZOS)

    return [picture(frame) for frame in drawn]


def data_of(page: Path) -> dict[str, Any]:
    """The scene and motion that a page holds."""
    found = re.search(r'id="data">(.*?)</script>', page.read_text(encoding="utf-8"), flags=re.DOTALL)
    return dict(json.loads(found[1])) if found else {}


def packed(text: str) -> Floats:
    return np.frombuffer(base64.b64decode(text), "<f4").astype(float)


def outline(shape: dict[str, Any]) -> list[Floats]:
    """A shape as lines in its body's frame; meshes as their boxes are left out."""
    size = shape["size"]
    ring = np.array([[np.cos(a), np.sin(a), 0] for a in np.linspace(0, 2 * np.pi, 25)])
    if shape["kind"] == "box":
        corners = np.array(np.meshgrid(*[(-s / 2, s / 2) for s in size])).reshape(3, -1).T
        lines = [np.array(pair) for pair in edges(corners)]
    elif shape["kind"] in {"cylinder", "capsule", "cone"}:
        radius, length = size
        ends = [radius * ring + (0, 0, z) for z in (-length / 2, length / 2)]
        lines = [*ends, *(np.array([ends[0][k], ends[1][k]]) for k in (0, 6, 12, 18))]
    elif shape["kind"] in {"sphere", "ellipsoid"}:
        radii = np.broadcast_to(size, 3)
        lines = [ring[:, order] * radii for order in ([0, 1, 2], [2, 0, 1], [1, 2, 0])]
    elif shape["kind"] == "frame":
        lines = [np.array([np.zeros(3), size[0] * axis]) for axis in np.eye(3)]
    else:
        lines = []
    return [turned(line, np.array(shape["rotation"])) + shape["position"] for line in lines]


def edges(corners: Floats) -> list[tuple[Floats, Floats]]:
    """The edges of a box: pairs of corners that differ in one coordinate."""
    pairs = [(a, b) for k, a in enumerate(corners) for b in corners[k + 1 :]]
    return [(a, b) for a, b in pairs if np.count_nonzero(a != b) == 1]


def turned(points: Floats, quaternion: Floats) -> Floats:
    """Points after a turn, v + 2 w (r × v) + 2 r × (r × v)."""
    w, r = quaternion[0], quaternion[1:]
    once = 2 * np.cross(r, points)
    return points + w * once + np.cross(r, once)


def seen(points: Floats, up: Floats) -> Floats:
    """Points as they are seen from aside and above, without perspective."""
    from_where = np.array([0.75, -1.0, 0.0]) if abs(up[2]) > 0.5 else np.array([0.5, 0.5, 1.0])
    view = from_where - up * (from_where @ up) + 0.5 * up * np.linalg.norm(from_where)
    view = view / np.linalg.norm(view)
    right = np.cross(up, view)
    right = right / np.linalg.norm(right)
    return np.stack([points @ right, points @ np.cross(view, right)], axis=-1)
