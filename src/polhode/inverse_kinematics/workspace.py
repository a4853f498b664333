"""The workspace of a frame: where its origin can be while every coordinate keeps its limits.

C. Mladenova, section 1, (1) to (3), and section 3, (109) to (111): X = {F(q); q_min ≤ q ≤ q_max}. Points of it are
drawn at random, evenly in the angles and lengths of the joints. Its boundary is where the points next to it that cannot
be reached have their nearest points: a grid is laid over what was drawn, and from every empty cell that touches a full
one

    least |F(q) - y|²,    q_min ≤ q ≤ q_max

is found from the nearest samples, by damped Gauss-Newton steps that stop at the limits. A cell that is reached after
all is ignored; else the nearest point lies on the boundary, also on that of a hole.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import combinations
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..compiled.functions import Functions
from ..dynamics.equations import EquationsOfMotion
from ..dynamics.whole import check_all_coordinates, check_not_of_time
from ..errors import PolhodeError, fault_at, understood, whole_number
from ..expr import Expr, evaluate, free_symbols, is_zero
from ..kinematics.tree import BASE, Link, Tree
from ..model.records import Limits
from ..notebook import Cell, Shown, Table
from ..view.plot import INK, frame, nothing_to_plot, picture, saved
from ..view.scene import PALETTE

if TYPE_CHECKING:
    from matplotlib.figure import Figure


Floats = NDArray[np.float64]

_PLACE = "workspace"
fault = fault_at(_PLACE)
#: Extents below this part of the largest are none.
_FLAT = 1e-9
#: Samples for each cell of the grid, on the average of its box.
_PER_CELL = 6
#: Starts for each nearest point, steps from each, and when a step is too short to go on.
_STARTS, _STEPS, _SHORT = 3, 60, 1e-12
#: A point that is nearer than this part of the extent is reached.
_REACHED = 1e-6


@dataclass(frozen=True)
class Box:
    """Ranges of joints: bounds of angles and lengths, and which coordinates are stored as tan(θ/2)."""

    lower: Floats
    upper: Floats
    closed: NDArray[np.bool_]  # those that stop at their ends; the others turn around
    tangent: NDArray[np.bool_]
    speed: NDArray[np.int64]  # the speed that is the rate of each; -1 where the frame does not move with it

    def coordinates(self, theta: Floats) -> Floats:
        """Coordinates, stored ones, of angles and lengths."""
        return np.where(self.tangent, np.tan(theta / 2), theta)

    def slopes(self, by_speed: Floats) -> Floats:
        """Derivatives (N, 3, speeds) as derivatives by the angles and lengths."""
        return np.where(self.speed >= 0, by_speed[..., self.speed], 0.0)

    def held(self, theta: Floats) -> Floats:
        """The nearest values within the limits."""
        return np.where(self.closed, np.clip(theta, self.lower, self.upper), theta)


@dataclass(frozen=True, eq=False, repr=False)
class Workspace(Shown):
    """Where the origin of a frame can be, in ground components: `points` (N, 3) at the coordinates `q` (N, n).

    `boundary` (M, 3) are points on the boundary, at `boundary_q`; `axes` (f, 3) span the space, plane or line in which
    all of them lie, through `centre`.
    """

    frame: str
    coordinates: tuple[str, ...]
    points: Floats
    q: Floats
    boundary: Floats
    boundary_q: Floats
    centre: Floats
    axes: Floats
    _nearest: Callable[[Floats], tuple[Floats, Floats]] = field(repr=False)

    def __repr__(self) -> str:
        span = {3: "space", 2: "a plane", 1: "a line"}.get(len(self.axes), "a point")
        message = f"{len(self.points)} points, {len(self.boundary)} on the boundary"
        return f"Workspace('{self.frame}' in {span}: {message})"

    def _cell(self) -> Cell:
        rows = [(axis, f"{low:.6g}", f"{high:.6g}") for axis, low, high in zip("xyz", *self.extent, strict=True)]
        return Cell(repr(self), [Table(["", "from", "to"], rows, numbers_from=1), "plot() draws it."])

    @property
    def extent(self) -> Floats:
        """The least and the largest x, y and z, (2, 3)."""
        every = np.concatenate([self.points, self.boundary])
        return np.array([every.min(axis=0), every.max(axis=0)])

    def distance(self, points: ArrayLike) -> Floats:
        """How far points (k, 3) are from the workspace; zero for those in it, to a millionth of its size."""
        with understood("an array of points (k, 3)", points, place="distance"):
            targets = np.asarray(points, dtype=np.float64).reshape(-1, 3)
        nearest, _ = self._nearest(targets)
        gap = np.linalg.norm(nearest - targets, axis=1)
        return np.where(gap < _REACHED * float(np.ptp(self.extent, axis=0).max()), 0.0, gap)

    def plot(self, path: str | os.PathLike[str] | None = None) -> Any:
        """Points and boundary as a matplotlib figure, saved to `path`: in their plane, or seen along each axis."""
        title = f"workspace of {self.frame}"
        return saved(plot_workspace(self.points, self.boundary, self.centre, self.axes, title), path)

    @classmethod
    def of(
        cls,
        functions: Functions,
        name: str,
        samples: int = 20_000,
        seed: int = 0,
        parameters: Mapping[str, Any] | None = None,
    ) -> Self:
        """The workspace of a body or frame; see `Equations.workspace`."""
        samples = whole_number(samples, "a hundred samples or more", least=100, place=f"{_PLACE} samples")
        seed = whole_number(seed, "a whole number, 0 or more", least=0, place=f"{_PLACE} seed")
        equations = functions.equations
        check_all_coordinates(equations, "a workspace")
        box = box_of(equations, name, parameters or {})
        rng = np.random.default_rng(seed)
        theta = box.lower + rng.random((samples, len(box.lower))) * (box.upper - box.lower)

        def put(theta: Floats) -> Floats:
            position = functions.pose(name, box.coordinates(theta), parameters=parameters)[0]
            return np.broadcast_to(position, (len(theta), 3))

        def bend(theta: Floats) -> Floats:
            J = functions.jacobian(name, box.coordinates(theta), parameters=parameters)
            result = box.slopes(J[..., 3:, :])
            return np.broadcast_to(result, (len(theta), *result.shape[-2:]))

        points = put(theta)
        nearest = _Nearest(box, put, bend, theta, points)
        centre, axes = _span(points)
        outside = _cells_outside((points - centre) @ axes.T) @ axes + centre
        reached, at = nearest(outside)
        away = np.linalg.norm(reached - outside, axis=1) > _REACHED * float(np.ptp(points, axis=0).max())
        q = box.coordinates
        return cls(
            name, tuple(equations.coordinates), points, q(theta), reached[away], q(at[away]), centre, axes,
            lambda wanted: nearest(wanted),
        )  # fmt: skip


# ---- limits ---------------------------------------------------------------------------------------------------


def box_of(equations: EquationsOfMotion, name: str, parameters: Mapping[str, Any]) -> Box:
    """Ranges of angles and lengths within limits; turns without limits have a whole turn."""
    tree, system = equations.tree, equations.system
    if equations.constraints is not None and equations.constraints.rows:
        message = "the workspace of a mechanism with constraints is not supported."
        cure = "Open its loops, or see system.diagnose(pose)."
        raise PolhodeError(message, f"system '{system.name}'", cure, "E-POSE-UNSUPPORTED")
    check_not_of_time(equations, name, "position", equations.pose(name).p)
    values = {parameter.symbol: parameter.value for parameter in system.parameters.values()}
    values |= {system.parameters[key].symbol: value for key, value in parameters.items() if key in system.parameters}
    limits = {q: limit for joint in system.joints.values() for q, limit in zip(joint.q, joint.limits, strict=False)}
    count = len(tree.q)
    lower, upper = np.full(count, -np.inf), np.full(count, np.inf)
    tangent, turns = np.zeros((2, count), dtype=bool)
    speed = np.full(count, -1)
    link = tree.bodies[equations.located(name)[0]][0]
    sliding = _sliding_speeds(tree, link)
    for here in _carriers(tree, link):
        if not (here.stage.speeds_are_rates or here.stage.is_vector_turn):
            message = "a workspace needs joints each coordinate of which moves by itself."
            cure = "Write it as a compound of revolute and prismatic joints."
            raise PolhodeError(message, f"joint '{here.joint}'", cure, "E-POSE-UNSUPPORTED")
        for k, number in zip(here.coordinates, here.speeds, strict=True):
            speed[k], turns[k], tangent[k] = number, number not in sliding, here.stage.is_vector_turn
    moves = speed >= 0
    for symbol, limit in limits.items():
        meaning = tree.followed.get(symbol, symbol)
        leaders = [q for q in tree.q if q in free_symbols([meaning])]
        if len(leaders) == 1:
            k = tree.coordinates.index(leaders[0].name)
            low, high = _ends(limit, meaning, leaders[0], values)
            lower[k], upper[k] = max(lower[k], low), min(upper[k], high)
    lower, upper = (np.where(tangent, 2 * np.arctan(end), end) for end in (lower, upper))
    closed = np.isfinite(lower) & np.isfinite(upper) & ~(tangent & (upper - lower > 2 * np.pi - 1e-12))
    loose = [name for name, ok, turn, used in zip(tree.coordinates, closed, turns, moves, strict=True)
             if used and not ok and not turn]  # fmt: skip
    if loose:
        message = f"the coordinate '{loose[0]}' slides without limits, so that its workspace has no end."
        raise fault(message, "Give the joint limits=(lower, upper).", "E-POSE-UNSUPPORTED")
    crossed = np.flatnonzero(lower > upper)
    if len(crossed):
        message = f"the limits leave no place for the coordinate '{tree.coordinates[crossed[0]]}'."
        raise fault(message, "Look at the limits of the joint and of those that follow it.", "E-POSE-NUMBER")
    home = np.zeros(count)
    home[tree.quaternions] = 1.0
    lower, upper = (
        np.where(moves, np.where(closed, end, turn), home) for end, turn in ((lower, -np.pi), (upper, np.pi))
    )
    return Box(lower, upper, closed | ~moves, tangent, speed)


def _sliding_speeds(tree: Tree, link: int) -> set[int]:
    """The speeds that move a link ever farther: of slides and screws, and of what such follow."""
    speeds: set[int] = set()
    while link != BASE:
        here = tree.links[link]
        speeds |= {k for k, (hw, hv) in zip(here.speeds, here.H, strict=True) if not any(hw) or not is_zero(hw.dot(hv))}
        link = here.parent
    return speeds


def _carriers(tree: Tree, link: int) -> list[Link]:
    """The links whose coordinates move a link: those that carry it, and those that such follow."""
    speeds: set[int] = set()
    while link != BASE:
        speeds |= {*tree.links[link].speeds}
        link = tree.links[link].parent
    return [link for link in tree.links if link.coordinates and speeds & {*link.speeds}]


def _ends(limits: Limits, meaning: Expr, leader: Expr, symbols: Mapping[Expr, Any]) -> tuple[float, float]:
    """Limits of a leading coordinate from those of one that follows it: meaning = slope · leader + offset."""
    values = {symbol: float(value) for symbol, value in symbols.items() if value is not None}
    bounds = [limits.lower, limits.upper]
    low, high = (
        limit if end is None else evaluate([end], values)[0]
        for end, limit in zip(bounds, (-np.inf, np.inf), strict=True)
    )
    if meaning is leader:
        return low, high
    offset, end = (evaluate([meaning], {**values, leader: at})[0] for at in (0.0, 1.0))
    slope = end - offset
    ends = sorted(((low - offset) / slope, (high - offset) / slope))
    return ends[0], ends[1]


# ---- the boundary -----------------------------------------------------------------------------------------------


def _span(points: Floats) -> tuple[Floats, Floats]:
    """The middle of points, and the axes along which they extend."""
    centre = points.mean(axis=0)
    _, sizes, axes = np.linalg.svd(points - centre, full_matrices=False)
    flat = sizes > max(_FLAT * sizes[0], 1e-300)
    kept = axes[flat]
    upright = np.eye(3)[np.abs(kept).sum(axis=0) > _FLAT] if len(kept) < 3 else np.eye(3)
    return centre, upright if len(upright) == len(kept) else kept


def _cells_outside(points: Floats) -> Floats:
    """The middles of empty cells of a grid that touch a full one."""
    size = points.shape[1]
    if not size:
        return np.zeros((0, 0))
    low, high = points.min(axis=0), points.max(axis=0)
    edge = float((np.prod(high - low) * _PER_CELL / len(points)) ** (1.0 / size))
    full = np.unique(np.floor((points - low) / edge).astype(int), axis=0)
    steps = np.concatenate([np.eye(size, dtype=int), -np.eye(size, dtype=int)])
    around = np.unique((full[:, None, :] + steps).reshape(-1, size), axis=0)
    taken = set(map(tuple, full.tolist()))
    empty = np.array([cell for cell in around.tolist() if tuple(cell) not in taken], dtype=float)
    return np.asarray(low + (empty + 0.5) * edge)


@dataclass(frozen=True, eq=False)
class _Nearest:
    """The nearest points that can be reached, from the nearest samples."""

    box: Box
    put: Callable[[Floats], Floats]
    bend: Callable[[Floats], Floats]
    theta: Floats
    points: Floats

    def __call__(self, wanted: Floats) -> tuple[Floats, Floats]:
        """Points (k, 3) and the angles and lengths (k, n) there."""
        from scipy.spatial import cKDTree

        if not len(wanted):
            return wanted, np.zeros((0, self.theta.shape[1]))
        _, near = cKDTree(self.points).query(wanted, k=_STARTS)
        targets = np.repeat(wanted, _STARTS, axis=0)
        theta = self._descended(self.theta[near.reshape(-1)], targets)
        positions = self.put(theta)
        gap = np.linalg.norm(positions - targets, axis=1).reshape(-1, _STARTS)
        best = np.arange(len(wanted)) * _STARTS + gap.argmin(axis=1)
        return positions[best], theta[best]

    def _descended(self, theta: Floats, targets: Floats) -> Floats:
        """Levenberg–Marquardt steps; joints that would exceed their limits are held."""
        box, count = self.box, theta.shape[1]
        error = self.put(theta) - targets
        cost = (error * error).sum(axis=1)
        damping = np.full(len(theta), 1e-3)
        for _ in range(_STEPS):
            J = self.bend(theta)
            downhill = -np.einsum("kij,ki->kj", J, error)
            stuck = box.closed & (((theta <= box.lower) & (downhill < 0.0)) | ((theta >= box.upper) & (downhill > 0.0)))
            J = np.where(stuck[:, None, :], 0.0, J)
            downhill = np.where(stuck, 0.0, downhill)
            normal = np.einsum("kij,kil->kjl", J, J)
            scale = np.einsum("kjj->k", normal)[:, None, None] + 1e-300
            normal = normal + (damping[:, None, None] + 1e-12) * scale * np.eye(count)
            step = np.linalg.solve(normal, downhill[..., None])[..., 0]
            tried = box.held(theta + step)
            new_error = self.put(tried) - targets
            new_cost = (new_error * new_error).sum(axis=1)
            better = new_cost < cost
            moved = np.abs(np.where(better[:, None], tried - theta, 0.0)).max(initial=0.0)
            theta = np.where(better[:, None], tried, theta)
            error, cost = np.where(better[:, None], new_error, error), np.where(better, new_cost, cost)
            damping = np.clip(np.where(better, damping / 5.0, damping * 4.0), 1e-9, 1e9)
            if moved < _SHORT and (damping > 1e6).all():
                break
        return theta


_PANEL = 4.2  # inches


def plot_workspace(
    points: ArrayLike, boundary: ArrayLike, centre: ArrayLike, axes: ArrayLike, title: str = ""
) -> Figure:
    """Draw points (N, 3) and boundary points (M, 3): along each of the `axes` that span them, two at a time."""
    inner, outer, span = (np.asarray(array, dtype=float) for array in (points, boundary, axes))
    if not len(inner):
        raise nothing_to_plot("Give at least one point.")
    upright = [np.flatnonzero(np.abs(axis) > 1 - 1e-9) for axis in span]
    named = [f"{'xyz'[int(k[0])]}, m" if len(k) else f"axis {i + 1}, m" for i, k in enumerate(upright)]
    shift = np.where(np.array([len(k) > 0 for k in upright]), 0.0, span @ np.asarray(centre, dtype=float))
    inner, outer = (array @ span.T - shift for array in (inner, outer))
    views = list(combinations(range(len(span)), 2)) or [(0, 0)] * bool(len(span))
    with picture(_PANEL * max(len(views), 1), _PANEL + (0.5 if title else 0.1), title) as figure:
        for number, (i, k) in enumerate(views, start=1):
            panel = figure.add_subplot(1, len(views), number)
            frame(panel)
            panel.plot(inner[:, i], inner[:, k], ".", color=PALETTE[0], markersize=1.2, alpha=0.25, rasterized=True)
            if len(outer) and len(span) < 3:  # in space, the boundary would cover what is behind it
                panel.plot(outer[:, i], outer[:, k], ".", color=INK, markersize=2.2)
            panel.set_aspect("equal", adjustable="datalim")
            panel.set_xlabel(named[i], fontsize=9, loc="right")
            panel.set_ylabel(named[k], fontsize=9, loc="top")
    return figure
