"""Inverse kinematics by number: coordinates that bring a frame to a pose, limits kept, loops closed, for many poses.

Steps are those of `pose_step`, compiled; `Search` repeats them and begins again where they lead nowhere. A
redundant mechanism may use what is left free: with prefer="near" it comes as near to the start as it can, with
prefer="limits" as near to the middle of its limits, by steps in the null space of J (A. Liégeois, 1977), each brought
back to the pose.

All rows of a batch take a step together, each with its own damping, and leave when they are done. A step that makes
what is left no smaller is halved. A row that gets no nearer begins again at a random place within the limits.
Coordinates stop at their limits: the speed of one that is pressed against its limit is not free, until the slope leads
it away.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..compiled.functions import Functions
from ..dynamics.equations import EquationsOfMotion
from ..dynamics.joint_limits import seen_limits
from ..dynamics.whole import check_all_coordinates, check_not_of_time
from ..errors import PolhodeError, check_known, understood, unknown, whole_number
from ..expr import is_zero
from ..notebook import Cell, Shown, Table
from .pose_step import check_target, read_target
from .quantities import PoseStepOf

_PLACE = "inverse_kinematics"
PREFERENCES = ("near", "limits")
#: Steps along what is left free, the longest of them, and when one is too short to go on.
_ROUNDS, _FAR, _SHORT = 60, 0.5, 1e-9


@dataclass(frozen=True, eq=False, repr=False)
class Reached(Shown):
    """Coordinates `q` (…, n) that bring a frame to its target; NumPy reads the record as that array.

    `residual` (…) is how far off it still is, in metres and radians, gaps of loops included; `solved` (…) whether that
    is within the tolerance; `restarts` (…) how often a search began again.
    """

    q: Floats
    residual: Floats
    solved: Flags
    restarts: NDArray[np.int64]
    names: tuple[str, ...]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return np.array(self.q, dtype=dtype) if copy else np.asarray(self.q, dtype=dtype)

    @property
    def coordinates(self) -> dict[str, Any]:
        """The coordinates by name."""
        return {name: self.q[..., k] if self.q.ndim > 1 else float(self.q[k]) for k, name in enumerate(self.names)}

    def __repr__(self) -> str:
        if self.q.ndim == 1:
            return f"Reached({self.coordinates}, residual={float(self.residual):.1e})"
        return f"Reached({int(self.solved.sum())} of {self.solved.size} poses, residual={self.residual.max():.1e})"

    def _cell(self) -> Cell:
        if self.q.ndim == 1:
            rows = [(name, f"{value:.9g}") for name, value in self.coordinates.items()]
            message = "reached" if self.solved else "NOT reached"
            title = f"{message}: {float(self.residual):.1e} off"
            return Cell(title, [Table(["coordinate", "value"], rows, numbers_from=1)])
        flat = self.q.reshape(-1, self.q.shape[-1]).tolist()
        table = [
            [*(f"{value:.6g}" for value in row), f"{off:.1e}", "yes" if solved else "NO"]
            for row, off, solved in zip(flat, self.residual.ravel(), self.solved.ravel(), strict=True)
        ]
        title = f"{int(self.solved.sum())} of {self.solved.size} poses reached"
        return Cell(title, [Table([*self.names, "off", "reached"], table, numbers_from=0)])


def inverse_kinematics(
    functions: Functions, name: str, pose: Any, near: Any, of: str, *, limits: bool, prefer: str | None,
    parameters: Mapping[str, Any] | None, tolerance: float, restarts: int, seed: int,
) -> Reached:  # fmt: skip
    """Coordinates that bring a body or frame to a pose; see `Equations.inverse_kinematics`."""
    check_target(of, _PLACE)
    equations, step = functions.equations, PoseStepOf(name, of)

    def evaluate(*arrays: Floats) -> Any:
        return functions.evaluate(step, *arrays, parameters=parameters)

    check_all_coordinates(equations, "inverse kinematics")
    at = equations.pose(name)
    parts = {"position": at.p, "orientation": at.R.entries(), "pose": (*at.p, *at.R.entries())}
    check_not_of_time(equations, name, of, parts[of])
    for name_of, value in (("restarts", restarts), ("seed", seed)):
        whole_number(value, "a whole number, 0 or more", least=0, place=f"{_PLACE} {name_of}")
    if prefer is not None and prefer not in PREFERENCES:
        raise unknown("preference", prefer, PREFERENCES, place=_PLACE, code="E-POSE-NAME")
    target = read_target(pose, of)
    batch = target.shape[:-1]
    names = tuple(equations.coordinates)
    start = _start(equations, near, batch, names)
    coordinates = coordinates_of(equations, limits, parameters or {})
    rows = int(np.prod(batch))
    flat, goals = start.reshape(rows, len(names)), target.reshape(rows, 12)
    search = Search(evaluate, coordinates, tolerance, restarts=restarts, seed=seed)
    solution = search(flat, goals)
    q, left = solution.q, solution.left
    if prefer is not None:
        q, left = _preferred(search, q, left, goals, flat if prefer == "near" else coordinates.middle)
    result = Reached(
        q.reshape(start.shape), left.reshape(batch), (left <= tolerance).reshape(batch),
        solution.restarts.reshape(batch), names,
    )  # fmt: skip
    if not batch and not result.solved:
        searches = f"{restarts + 1} searches" if restarts else "one search"
        message = (
            f"'{name}' did not reach its target; the nearest that {searches} came is {left[0]:.3g} "
            f"away, at {', '.join(f'{name} = {value:.4g}' for name, value in zip(names, q[0], strict=True))}."
        )
        cure = "Check that the place is within reach and limits, or start elsewhere: near=…."
        raise PolhodeError(message, place=f"system '{equations.system.name}'", cure=cure, code="E-POSE-FAILED")
    return result


def _start(equations: EquationsOfMotion, near: Any, batch: tuple[int, ...], names: Sequence[str]) -> Floats:
    """Start values, by name or number; others are those of the zero configuration."""
    home = np.zeros(len(names))
    home[list(equations.tree.quaternions)] = 1.0
    if near is None:
        return np.broadcast_to(home, (*batch, len(names))).copy()
    cure = f"Give {len(names)} numbers, or a mapping from names of coordinates to numbers."
    if isinstance(near, Mapping):
        for key, value in near.items():
            check_known("coordinate", [key], names, place="near", code="E-POSE-NAME")
            with understood("a number", value, place="near", cure=cure):
                home[names.index(key)] = float(value)
        near = home
    with understood("coordinates", near, place="near", cure=cure):
        start = np.broadcast_to(np.asarray(near, dtype=np.float64), (*batch, len(names))).copy()
    if not np.isfinite(start).all():
        raise PolhodeError("near is not all finite numbers.", place="near", cure=cure, code="E-POSE-NUMBER")
    return start


def _preferred(search: Search, q: Floats, left: Floats, target: Floats, wanted: Floats) -> tuple[Floats, Floats]:
    """Solutions moved along what is left free, towards wanted coordinates, while they stay solutions."""
    coordinates = search.coordinates
    rows = np.flatnonzero(left <= search.tolerance)
    wanted = np.broadcast_to(wanted, q.shape)
    indices = np.flatnonzero((coordinates.speed >= 0) & np.isfinite(wanted).all(axis=0))
    back = replace(search, restarts=0)
    q, left, part = q.copy(), left.copy(), np.ones(len(q))
    for _ in range(_ROUNDS):
        if not len(rows):
            break
        gap = wanted[rows][:, indices] - q[rows][:, indices]
        secondary = np.zeros((len(rows), coordinates.speeds))
        secondary[:, coordinates.speed[indices]] = gap
        free = coordinates.free(q[rows], secondary)
        _, change, _ = search.evaluate(q[rows], target[rows], np.zeros((len(rows), 1)), free, secondary)
        length = np.abs(change).max(axis=1)
        step = part[rows] * np.minimum(1.0, _FAR / np.maximum(length, 1e-300))
        trial = back(coordinates.held(q[rows] + step[:, None] * change), target[rows])
        closer = np.linalg.norm(wanted[rows][:, indices] - trial.q[:, indices], axis=1) < np.linalg.norm(gap, axis=1)
        good = closer & (trial.left <= search.tolerance)
        q[rows[good]], left[rows[good]] = trial.q[good], trial.left[good]
        part[rows] = np.where(good, np.minimum(1.0, 2 * part[rows]), part[rows] / 4)
        rows = rows[(length > _SHORT) & (part[rows] > _SHORT)]
    return q, left


Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

#: Damping at a start, and its factors after a step that helped and after one that did not.
_DAMPING, _LESS, _MORE = 0.1, 0.5, 4.0
#: Of Newton's step, the least part that is tried.
_SHORTEST = 1.0 / 64.0
#: A step that leaves more than this part of |e|² is slow; after so many in a row a search begins again.
_SLOW, _PATIENCE = 0.8, 6
#: Where |e|² is below this any step is taken: at a singular solution they overshoot, and come back nearer.
_CLOSE = 1e-8
#: Within this part of its limit, or of one, a coordinate is at its limit.
_AT_LIMIT = 1e-12
#: Rows that are searched at once: what they need stays near the processor.
_MANY = 1024
#: When few are left, each lost search is followed by so many.
_TOGETHER = 16


@dataclass(frozen=True, eq=False)
class Coordinates:
    """Data on coordinates for a search: limits, the speed that is the rate of each (or -1), angles, quaternions."""

    lower: Floats
    upper: Floats
    speed: NDArray[np.int64]
    turns: Flags
    quaternions: tuple[int, ...]
    speeds: int

    @cached_property
    def has_limits(self) -> bool:
        """Whether a coordinate has one."""
        return bool(np.isfinite(self.lower).any() or np.isfinite(self.upper).any())

    def held(self, q: Floats) -> Floats:
        """Within the limits, quaternions of length one."""
        q = np.minimum(np.maximum(q, self.lower), self.upper)
        for first in self.quaternions:
            q[..., first : first + 4] /= np.linalg.norm(q[..., first : first + 4], axis=-1, keepdims=True)
        return q

    @property
    def middle(self) -> Floats:
        """Half way between two limits; no number for a coordinate that lacks one."""
        with np.errstate(invalid="ignore"):
            return np.where(np.isfinite(self.lower + self.upper), (self.lower + self.upper) / 2, np.nan)

    def random(self, near: Floats, rng: np.random.Generator) -> Floats:
        """Places to begin: anywhere within limits, any angle, any orientation; without an end, near the start."""
        bounded = np.isfinite(self.lower) & np.isfinite(self.upper)
        low = np.where(bounded, self.lower, np.where(self.turns, -np.pi, near - 1.0))
        high = np.where(bounded, self.upper, np.where(self.turns, np.pi, near + 1.0))
        wide = bounded & self.turns & (high - low > 2 * np.pi)  # one turn has all there is
        low, high = np.where(wide, np.maximum(low, -np.pi), low), np.where(wide, np.minimum(high, np.pi), high)
        result = low + rng.random(near.shape) * (high - low)
        for first in self.quaternions:
            result[..., first : first + 4] = rng.normal(size=(*near.shape[:-1], 4))
        return self.held(result)

    @cached_property
    def _limited(self) -> tuple[Any, Any, Floats, Floats]:
        """The coordinates that have limits and a speed of their own, those speeds, and where limits begin."""
        at = np.flatnonzero((self.speed >= 0) & (np.isfinite(self.lower) | np.isfinite(self.upper)))
        with np.errstate(invalid="ignore"):  # an end that is infinite stays so
            low, high = (
                np.where(np.isfinite(end[at]), end[at] + side * np.maximum(1.0, np.abs(end[at])), end[at])
                for end, side in ((self.lower, _AT_LIMIT), (self.upper, -_AT_LIMIT))
            )
        everything = slice(None)
        covers = len(at) == len(self.lower) == self.speeds and (self.speed == np.arange(self.speeds)).all()
        return (everything, everything, low, high) if covers else (at, self.speed[at], low, high)

    def free(self, q: Floats, slope: Floats) -> Floats:
        """1 for speeds that may be used and 0 for those that press a coordinate against its limit."""
        at, speeds, low, high = self._limited
        q, slope = q[:, at], slope[:, speeds]
        pressed = ((q <= low) & (slope < 0)) | ((q >= high) & (slope > 0))
        free = np.ones((len(q), self.speeds))
        free[:, speeds] -= pressed
        return free


def coordinates_of(equations: EquationsOfMotion, limits: bool, parameters: Mapping[str, Any]) -> Coordinates:
    """Limits, speeds and turns of the coordinates, as a search uses them."""
    tree = equations.tree
    count = len(tree.q)
    lower, upper = np.full(count, -np.inf), np.full(count, np.inf)
    speed, turns = np.full(count, -1), np.zeros(count, dtype=bool)
    for link in tree.links:
        if link.stage.speeds_are_rates:
            for k, number, (hw, hv) in zip(link.coordinates, link.speeds, link.H, strict=False):
                speed[k], turns[k] = number, any(hw) and is_zero(hw.dot(hv))
    for seen in seen_limits(equations, parameters, ["coordinate"]) if limits else ():
        end = (seen.limit - seen.offset) / seen.factor
        if (seen.side == "lower") == (seen.factor > 0):
            lower[seen.place] = max(lower[seen.place], end)
        else:
            upper[seen.place] = min(upper[seen.place], end)
    crossed = np.flatnonzero(lower > upper)
    if len(crossed):
        message = f"the limits leave no place for the coordinate '{equations.coordinates[crossed[0]]}'."
        cure = "Look at the limits of the joint and of those that follow it, or give limits=False."
        raise PolhodeError(message, "inverse_kinematics", cure, "E-POSE-NUMBER")
    return Coordinates(lower, upper, speed, turns, tuple(tree.quaternions), len(tree.u))


@dataclass(frozen=True, eq=False)
class SearchResult:
    """Results of searches: coordinates (N, n), residuals |e| (N,), and numbers of restarts."""

    q: Floats
    left: Floats
    restarts: NDArray[np.int64]


@dataclass(frozen=True)
class Search:
    """Damped Newton search until |e| ≤ `tolerance`, with `steps` from each start and `restarts` new starts."""

    evaluate: Callable[..., Any]  # |e|², the change of q, and the slope: `pose_step`, compiled
    coordinates: Coordinates
    tolerance: float = 1e-10
    steps: int = 60
    restarts: int = 200
    seed: int = 0

    def __call__(self, start: Floats, target: Floats) -> SearchResult:
        """Coordinates (N, n) that bring frames to targets (N, 12), from starts (N, n); else the nearest reached."""
        rng = np.random.default_rng(self.seed)
        result = SearchResult(start.copy(), np.full(len(start), np.inf), np.zeros(len(start), dtype=np.int64))
        waiting = 0
        now = self._begun(np.zeros(0, dtype=np.int64), start[:0], target[:0])
        while len(now.row) or waiting < len(start):
            if len(now.row) < _MANY // 2 and waiting < len(start):
                more = np.arange(waiting, min(waiting + _MANY - len(now.row), len(start)))
                waiting = int(more[-1]) + 1
                now = now.with_more(self._begun(more, self.coordinates.held(start[more]), target[more]))
            ended, lost = self._stepped(now)
            if not ended.any():
                continue
            _keep(result, now, np.flatnonzero(ended))
            unsolved = result.left > self.tolerance
            anew = now.row[lost & unsolved[now.row]]
            if waiting == len(start) and len(now.row) < _MANY // 8:  # those that are left begin at many places at once
                anew = np.repeat(np.unique(anew), min(_TOGETHER, _MANY // (8 * len(now.row))))
            anew = anew[result.restarts[anew] < self.restarts]
            now = now.without(ended | ~unsolved[now.row])
            if len(anew):
                np.add.at(result.restarts, anew, 1)
                places = self.coordinates.random(start[anew], rng)
                now = now.with_more(self._begun(anew, places, target[anew]))
        return result

    @np.errstate(all="ignore")  # where a step is no number it does not help, and that is all
    def _stepped(self, now: _Now) -> tuple[Flags, Flags]:
        """One step of all rows; returns those that have ended, and those that have failed."""
        x = now.q + now.length[:, None] * now.change
        x = self.coordinates.held(x)
        square, change, slope = self.evaluate(x, now.target, now.damping[:, None], now.free, now.wish)
        better = square < now.square
        better |= now.again
        better |= np.maximum(square, now.square) < _CLOSE
        now.slow += 1
        now.slow[square < _SLOW * now.square] = 0
        row = better[:, None]
        np.copyto(now.q, x, where=row)
        np.copyto(now.change, change, where=row)
        np.copyto(now.square, square, where=better)
        now.damping *= np.where(better, _LESS, _MORE)
        now.length = np.where(better, 1.0, 0.5 * now.length)
        now.taken += 1
        if self.coordinates.has_limits:
            free = self.coordinates.free(x, slope)
            now.again = better & (free != now.free).any(axis=1) & ~now.again
            np.copyto(now.free, free, where=row)
            now.length[now.again] = 0.0
        done = now.square <= self.tolerance**2
        lost = ((now.length < _SHORTEST) & ~now.again) | (now.slow > _PATIENCE) | (now.taken > self.steps)
        return done | lost, lost & ~done

    def _begun(self, row: NDArray[np.int64], q: Floats, target: Floats) -> _Now:
        """Rows at the beginning of a search."""
        count, speeds = len(q), self.coordinates.speeds
        return _Now(
            row, target, q.copy(), np.zeros_like(q), np.ones((count, speeds)), np.zeros((count, speeds)),
            np.full(count, np.inf), np.ones(count), np.full(count, _DAMPING), np.zeros(count, dtype=np.int64),
            np.zeros(count, dtype=np.int64), np.zeros(count, dtype=bool),
        )  # fmt: skip


def _keep(result: SearchResult, now: _Now, at: NDArray[np.int64]) -> None:
    """Store the nearest results so far; of several searches for one row the nearest."""
    at = at[np.argsort(-now.square[at], kind="stable")]
    row, left = now.row[at], np.sqrt(now.square[at])
    nearer = left < result.left[row]
    result.q[row[nearer]], result.left[row[nearer]] = now.q[at][nearer], left[nearer]


@dataclass(eq=False)
class _Now:
    """State of the searches: the best pose of each row, its residual, the step from it and its length."""

    row: NDArray[np.int64]
    target: Floats
    q: Floats
    change: Floats
    free: Floats
    wish: Floats
    square: Floats
    length: Floats
    damping: Floats
    slow: NDArray[np.int64]
    taken: NDArray[np.int64]
    again: Flags

    def without(self, gone: Flags) -> _Now:
        kept = np.flatnonzero(~gone)
        return _Now(*(getattr(self, field.name)[kept] for field in fields(self)))

    def with_more(self, other: _Now) -> _Now:
        return _Now(*(np.concatenate([getattr(self, f.name), getattr(other, f.name)]) for f in fields(self)))
