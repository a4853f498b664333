"""Surfaces that bodies touch with: planes as one-sided patches, curves as slabs, heights as bars over a grid."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..expr import evaluate
from ..model.body import SPOT
from ..model.records import GROUND
from ..model.surface import Surface
from ..view.scene import PALETTE, Shape

Floats = NDArray[np.float64]
#: How thick discs, slabs and bars are, and how far planes and curves go, in sizes of the mechanism.
_THIN, _FAR = 0.01, 3.0
#: How many pieces a curve has along x, how many lines heights have along each axis.
_CHORDS, _LINES = 48, 9


def drawn_surface(
    surface: Surface, numbers: Callable[[Any], Floats], values: dict[Any, float], size: float
) -> list[Shape]:
    """The solids of a surface in its body, in a mechanism of a size; none of a hollow sphere."""
    R, p = numbers(surface.pose.R.entries()).reshape(3, 3), numbers(surface.pose.p)
    thin, far = _THIN * size, _FAR * size
    color = surface.shape.color or (PALETTE[6] if surface.body == GROUND else None)

    def solid(kind: str, sizes: Sequence[float], at: Sequence[float] = (0, 0, 0), turn: Any = None) -> Shape:
        return Shape(kind, tuple(sizes), (p + R @ at).tolist(), R if turn is None else R @ turn, color)

    def height(x: float, y: float) -> float:
        return float(evaluate(list(surface.shape.size), values | dict(zip(SPOT, (x, y), strict=True)))[0])

    if surface.kind == "plane":
        return [solid("patch", (2 * far, 2 * far))]
    if surface.kind == "curve":
        ends = [np.array([x, 0.0, height(x, 0.0)]) for x in np.linspace(-far, far, _CHORDS + 1)]
        return [
            solid("box", (float(np.linalg.norm(b - a)), far, thin), (a + b) / 2 - [0, 0, thin / 2], _along(b - a))
            for a, b in pairwise(ends)
        ]
    if surface.kind == "heights":
        ticks, fine = np.linspace(-far, far, _LINES), np.linspace(-far, far, 2 * _LINES)
        lines = [[(x, y) for x in fine] for y in ticks] + [[(x, y) for y in fine] for x in ticks]
        edges = []
        for line in lines:
            for a, b in pairwise(np.array([x, y, height(x, y)]) for x, y in line):
                edges.append(solid("box", (float(np.linalg.norm(b - a)), thin, thin), (a + b) / 2, _along(b - a)))
        return edges
    if surface.kind == "hollow":
        return []
    sizes = numbers(surface.shape.size).tolist()
    return [solid("cylinder", (*sizes, thin)) if surface.kind == "disc" else solid(surface.kind, sizes)]


def _along(direction: Floats) -> Floats:
    """A rotation that brings x along a direction, and y across z."""
    x = direction / np.linalg.norm(direction)
    y = np.array([-x[1], x[0], 0.0])
    y = y / np.linalg.norm(y)
    return np.column_stack([x, y, np.cross(x, y)])


def level(surface: Surface, numbers: Callable[[Any], Floats], up: Floats) -> float | None:
    """The height of a plane of the ground that is normal to a direction; None for other surfaces."""
    if surface.kind != "plane" or not np.any(up):
        return None
    normal, p = numbers(surface.pose.R.entries()).reshape(3, 3)[:, 2], numbers(surface.pose.p)
    return float(p @ up) if normal @ up > 1 - 1e-9 else None
