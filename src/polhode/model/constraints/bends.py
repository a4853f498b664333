"""Where a curve or heights bend more sharply than the ball that touches them, which then rests inside of them.

The heights z = h(x, y) have, with w² = 1 + |∇h|², the mean and Gaussian curvatures

    2 M = (h_xx (1 + h_y²) - 2 h_xy h_x h_y + h_yy (1 + h_x²))/w³,    K = (h_xx h_yy - h_xy²)/w⁴

and upwards the principal curvature κ = M + √(M² - K). A ball of radius r touches them at one point if r κ ≤ 1.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ...errors import warn
from ...expr import Expr, as_expr, derivative, free_symbols
from ...expr.evaluation import Evaluator
from ...expr.graph import topological
from ...expr.node import CALL
from ...expr.opaque.table import Table
from ..body import SPOT
from ..surface import Surface
from .pairs import _gradient, ways

Floats: TypeAlias = NDArray[np.float64]

#: Distances from the origin at which curvatures are sampled, in m: the nearest, the farthest, and how many, by axes.
_NEAREST, _FARTHEST, _COUNTS = 1e-3, 100.0, {1: 2000, 2: 60}
#: The shapes with round candidates, in words.
_ROUND = {
    "sphere": "a sphere", "capsule": "the end of a capsule", "ellipsoid": "an ellipsoid where it is flattest",
    "disc": "the rim of a disc", "cylinder": "the rim of a cylinder",
}  # fmt: skip
#: The largest r κ of a ball that fits.
_FITS = 1.0 + 1e-6
#: So often the point that is the sharpest is looked for nearer by.
_ROUNDS = 4


def warn_of_bends(a: Surface, b: Surface, parameters: Mapping[Expr, float], place: str) -> None:
    """Warn of a ball on a surface by heights that curves upwards more sharply, for values of parameters."""
    ball, surface = ways(a, b, place)[0]
    if surface.kind not in ("curve", "heights") or ball.kind not in _ROUND:
        return
    sizes = [as_expr(each) for each in ball.shape.size]
    height = surface.shape.size[0]
    if not {*free_symbols([height, *sizes])} <= {*SPOT, *parameters}:
        return
    values = Evaluator(sizes)(parameters)
    radius = max(values) ** 2 / min(values) if ball.kind == "ellipsoid" else values[0]
    spot, curvature = _sharpest(height, SPOT[: 1 + (surface.kind == "heights")], parameters)
    if not radius * curvature > _FITS:
        return
    where = ", ".join(f"{x.name} = {value:.4g} m" for x, value in zip(SPOT, spot, strict=False))
    message = (
        f"at {where} '{surface.name}' curves upwards with a radius of {1.0 / curvature:.4g} m, "
        f"below {radius:.4g} m: {_ROUND[ball.kind]} touches it at one point, and enters it there."
    )
    cure = "Take a smaller one, or contacts of several points."
    warn(message, place=place, cure=cure, code="W-CONSTRAINT-UNSUPPORTED")


def _sharpest(height: Expr, over: Sequence[Expr], parameters: Mapping[Expr, float]) -> tuple[list[float], float]:
    """The point at which sampled heights curve upwards most, in m, and the curvature there, in 1/m."""
    (xx, xy), (_, yy) = (_gradient(slope, SPOT) for slope in _gradient(height, SPOT))
    evaluator = Evaluator([*_gradient(height, SPOT), xx, xy, yy])

    def sharpest(axes: Sequence[Floats]) -> tuple[list[float], float]:
        spots = np.stack([each.ravel() for each in np.meshgrid(*axes)])
        x, y, h_xx, h_xy, h_yy = evaluator.on_arrays({**parameters, **dict(zip(over, spots, strict=True))})
        with np.errstate(all="ignore"):
            w = np.sqrt(1.0 + x * x + y * y)
            mean = (h_xx * (1.0 + y * y) - 2.0 * h_xy * x * y + h_yy * (1.0 + x * x)) / (2.0 * w**3)
            gaussian = (h_xx * h_yy - h_xy * h_xy) / w**4
            upwards = mean + np.sqrt(np.maximum(mean * mean - gaussian, 0.0))
        upwards = np.nan_to_num(np.broadcast_to(upwards, spots.shape[1:]), nan=0.0, posinf=0.0, neginf=0.0)
        at = int(np.argmax(upwards))
        return spots[:, at].tolist(), float(upwards[at])

    count = _COUNTS[len(over)]
    distances = np.geomspace(_NEAREST, _FARTHEST, count)
    axes = [np.concatenate([-distances, [0.0], distances, *_knots(height, x, parameters, count)]) for x in over]
    spot, curvature = sharpest(axes)
    for k in range(_ROUNDS):
        reach = [(_NEAREST + abs(x) * (distances[1] / distances[0] - 1.0)) / 8.0**k for x in spot]
        near = sharpest([x + r * np.linspace(-1.0, 1.0, 21) for x, r in zip(spot, reach, strict=True)])
        spot, curvature = near if near[1] > curvature else (spot, curvature)
    return spot, curvature


def _knots(height: Expr, x: Expr, parameters: Mapping[Expr, float], most: int) -> Iterator[Floats]:
    """Where x takes tables to their abscissae, and in between; of many so many."""
    for node in topological([height]):
        if node.op != CALL or not isinstance(node.data, Table):
            continue
        for arg, axis in zip(node.args, node.data.points.axes, strict=False):
            is_line = not {*SPOT} & {*free_symbols(derivative([arg], x))}
            if is_line and {*SPOT} & {*free_symbols([arg])} == {x}:
                zero, one = (Evaluator([arg])({**parameters, x: value})[0] for value in (0.0, 1.0))
                knots = np.array(axis)[:: len(axis) // most + 1]
                parts = np.array([0.0, 0.5] if most < len(axis) else [0.0, 1e-6, 0.25, 0.5, 0.75, 1.0 - 1e-6])
                inside = (knots[:-1, None] + np.diff(knots)[:, None] * parts).ravel()
                yield (np.append(inside, knots[-1]) - zero) / (one - zero)
