"""Inverse kinematics by number: coordinates that bring a frame to a pose, limits kept, loops closed, for many poses.

Steps are those of `pose_step`, compiled; `pose_search` repeats them and begins again where they lead nowhere. A
redundant mechanism may use what is left free: with prefer="near" it comes as near to the start as it can, with
prefer="limits" as near to the middle of its limits, by steps in the null space of J (A. Liégeois, 1977), each brought
back to the pose.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..dynamics.equations import EquationsOfMotion
from ..dynamics.whole import check_all_coordinates, check_not_of_time
from ..errors import PolhodeError, ShapeError, understood, unknown, whole_number
from ..geometry.pose_parts import pose_parts
from ..geometry.rotations.values import matrix_of
from ..notebook import Cell, Shown, Table
from .pose_search import Evaluate, Flags, Floats, Search, coordinates_of
from .pose_step import check_asked

_PLACE = "inverse_kinematics"
PREFERENCES = ("near", "limits")
#: Steps along what is left free, the longest of them, and when one is too short to go on.
_ROUNDS, _FAR, _SHORT = 60, 0.5, 1e-9
#: How far the rows of a rotation matrix may be from orthonormal.
_ROUGH = 1e-6


@dataclass(frozen=True, eq=False, repr=False)
class Reached(Shown):
    """Coordinates `q` (…, n) that bring a frame where it was wanted; NumPy takes the record as that array.

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
            told = "reached" if self.solved else "NOT reached"
            title = f"{told}: {float(self.residual):.1e} off"
            return Cell(title, [Table(["coordinate", "value"], rows, numbers_from=1)])
        flat = self.q.reshape(-1, self.q.shape[-1]).tolist()
        table = [
            [*(f"{value:.6g}" for value in row), f"{off:.1e}", "yes" if solved else "NO"]
            for row, off, solved in zip(flat, self.residual.ravel(), self.solved.ravel(), strict=True)
        ]
        title = f"{int(self.solved.sum())} of {self.solved.size} poses reached"
        return Cell(title, [Table([*self.names, "off", "reached"], table, numbers_from=0)])


def inverse_kinematics(
    equations: EquationsOfMotion,
    evaluate: Evaluate,
    name: str,
    pose: Any,
    near: Any = None,
    of: str = "pose",
    *,
    limits: bool = True,
    prefer: str | None = None,
    parameters: Mapping[str, Any] | None = None,
    tolerance: float = 1e-10,
    restarts: int = 200,
    seed: int = 0,
) -> Reached:
    """Coordinates that bring a body or frame to a pose; see `Equations.inverse_kinematics`."""
    check_asked(of, _PLACE)
    check_all_coordinates(equations, "inverse kinematics")
    at = equations.pose(name)
    parts = {"position": at.p, "orientation": at.R.entries(), "pose": (*at.p, *at.R.entries())}
    check_not_of_time(equations, name, of, parts[of])
    for name_of, value in (("restarts", restarts), ("seed", seed)):
        whole_number(value, "a whole number, 0 or more", least=0, place=f"{_PLACE} {name_of}")
    if prefer is not None and prefer not in PREFERENCES:
        raise unknown("preference", prefer, PREFERENCES, place=_PLACE, code="E-IK-003")
    target = read_target(pose, of)
    batch = target.shape[:-1]
    names = tuple(equations.coordinates)
    start = _start(equations, near, batch, names)
    known = coordinates_of(equations, limits, parameters or {})
    rows = int(np.prod(batch))
    flat, goals = start.reshape(rows, len(names)), target.reshape(rows, 12)
    search = Search(evaluate, known, tolerance, restarts=restarts, seed=seed)
    found = search(flat, goals)
    q, left = found.q, found.left
    if prefer is not None:
        q, left = _preferred(search, q, left, goals, flat if prefer == "near" else known.middle)
    made = Reached(
        q.reshape(start.shape), left.reshape(batch), (left <= tolerance).reshape(batch),
        found.restarts.reshape(batch), names,
    )  # fmt: skip
    if not batch and not made.solved:
        searches = f"{restarts + 1} searches" if restarts else "one search"
        raise PolhodeError(
            f"'{name}' could not be brought where it was wanted; the nearest that {searches} came is {left[0]:.3g} "
            f"away, at {', '.join(f'{each} = {value:.4g}' for each, value in zip(names, q[0], strict=True))}.",
            place=f"system '{equations.system.name}'",
            cure="Check that the place is within reach and limits, or start elsewhere: near=….",
            code="E-IK-004",
        )
    return made


def read_target(pose: Any, of: str) -> Floats:
    """What is wanted as numbers (…, 12): position, and the rows of the rotation matrix."""
    cure = {
        "pose": "Give a Pose, (position, rotation matrix) in either order, or a 4×4 matrix, or arrays of such.",
        "position": "Give three numbers, or an array (…, 3).",
        "orientation": "Give a 3×3 matrix, or an array (…, 3, 3).",
    }[of]
    with understood(f"a {of}" if of != "orientation" else "an orientation", pose, place=_PLACE, cure=cure):
        given = _parts(pose)
        if given is not None and (of == "pose" or not isinstance(pose, tuple | list)):
            p, R = given
        elif of == "position":
            p = np.asarray(pose, dtype=np.float64)
        elif of == "orientation":
            R = np.asarray(matrix_of(pose), dtype=np.float64)
        else:
            X = np.asarray(pose, dtype=np.float64)
            if X.shape[-2:] != (4, 4):
                raise _no_pose(X.shape, cure)
            p, R = X[..., :3, 3], X[..., :3, :3]
        if of == "position":
            R = np.broadcast_to(np.eye(3), (*p.shape[:-1], 3, 3))
        elif of == "orientation":
            p = np.zeros((*R.shape[:-2], 3))
    if p.shape[-1:] != (3,) or R.shape[-2:] != (3, 3) or p.shape[:-1] != R.shape[:-2]:
        raise ShapeError(f"that is no {of}: shapes {p.shape} and {R.shape}.", place=_PLACE, cure=cure, code="E-IK-005")
    if not (np.isfinite(p).all() and np.isfinite(R).all()):
        raise PolhodeError(f"the {of} is not all finite numbers.", place=_PLACE, cure=cure, code="E-IK-006")
    rough = np.abs(R @ np.swapaxes(R, -1, -2) - np.eye(3)).max(initial=0.0)
    if rough > _ROUGH or (np.linalg.det(R) < 0).any():
        raise PolhodeError(
            "a rotation matrix has orthonormal rows and determinant 1, which the one given has not.",
            place=_PLACE,
            cure="Normalise it, or make it with polhode.rotation.",
            code="E-IK-007",
        )
    return np.concatenate([p, R.reshape(*p.shape[:-1], 9)], axis=-1)


def _parts(pose: Any) -> tuple[Floats, Floats] | None:
    """Positions and rotation matrices of a pose, or of a list of them, where it is in two parts."""
    found = pose_parts(pose)
    if found is not None:
        R, p = (np.asarray(part, dtype=np.float64) for part in found)
        return p, R
    if not isinstance(pose, list | tuple) or not pose:
        return None
    made = []
    for each in pose:
        one = _parts(each)
        if one is None:
            return None
        made.append(one)
    return np.stack([p for p, _ in made]), np.stack([R for _, R in made])


def _no_pose(shape: tuple[int, ...], cure: str) -> ShapeError:
    told = f"an array of shape {shape} is no pose"
    if shape[-1:] == (3,) and shape[-2:] != (3, 3):
        return ShapeError(
            f"{told}, but a position.", place=_PLACE, cure=f'Ask for of="position". {cure}', code="E-IK-005"
        )
    return ShapeError(f"{told}.", place=_PLACE, cure=cure, code="E-IK-005")


def _start(equations: EquationsOfMotion, near: Any, batch: tuple[int, ...], names: Sequence[str]) -> Floats:
    """Where to start: as given, by name or by number; the rest at home."""
    home = np.zeros(len(names))
    home[list(equations.tree.quaternions)] = 1.0
    if near is None:
        return np.broadcast_to(home, (*batch, len(names))).copy()
    cure = f"Give {len(names)} numbers, or a mapping from names of coordinates to numbers."
    if isinstance(near, Mapping):
        for key, value in near.items():
            if key not in names:
                raise unknown("coordinate", key, names, place="near", code="E-IK-008")
            with understood("a number", value, place="near", cure=cure):
                home[names.index(key)] = float(value)
        near = home
    with understood("coordinates", near, place="near", cure=cure):
        start = np.broadcast_to(np.asarray(near, dtype=np.float64), (*batch, len(names))).copy()
    if not np.isfinite(start).all():
        raise PolhodeError("near is not all finite numbers.", place="near", cure=cure, code="E-IK-009")
    return start


def _preferred(search: Search, q: Floats, left: Floats, target: Floats, wanted: Floats) -> tuple[Floats, Floats]:
    """Solutions moved along what is left free, towards wanted coordinates, while they stay solutions.

    A coordinate without a wanted value has no wish; neither has one whose rate is no speed.
    """
    known = search.coordinates
    rows = np.flatnonzero(left <= search.tolerance)
    wanted = np.broadcast_to(wanted, q.shape)
    own = np.flatnonzero((known.speed >= 0) & np.isfinite(wanted).all(axis=0))
    back = replace(search, restarts=0)
    q, left, part = q.copy(), left.copy(), np.ones(len(q))
    for _ in range(_ROUNDS):
        if not len(rows):
            break
        gap = wanted[rows][:, own] - q[rows][:, own]
        wish = np.zeros((len(rows), known.speeds))
        wish[:, known.speed[own]] = gap
        free = known.free(q[rows], wish)
        _, change, _ = search.evaluate(q[rows], target[rows], np.zeros((len(rows), 1)), free, wish)
        length = np.abs(change).max(axis=1)
        step = part[rows] * np.minimum(1.0, _FAR / np.maximum(length, 1e-300))
        trial = back(known.held(q[rows] + step[:, None] * change), target[rows])
        closer = np.linalg.norm(wanted[rows][:, own] - trial.q[:, own], axis=1) < np.linalg.norm(gap, axis=1)
        good = closer & (trial.left <= search.tolerance)
        q[rows[good]], left[rows[good]] = trial.q[good], trial.left[good]
        part[rows] = np.where(good, np.minimum(1.0, 2 * part[rows]), part[rows] / 4)
        rows = rows[(length > _SHORT) & (part[rows] > _SHORT)]
    return q, left
