"""Inverse kinematics by least squares, for redundant chains and closed ones.

Y. Tokad (1992), section 2.3: the motion of the load port is x_(m+1) = K'S x, (36) to (39); when it is prescribed there
are in general more joint velocities than conditions, and the generalized inverse gives the ones of least squares.

    u = J⁺ x    the least uᵀu among all u that make |J u - x| least

Steps of that kind lead a frame to a pose, Gauss and Newton's way; loops are kept closed by their own rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...constraints import Constraints, constraints_of
from ...constraints.auxiliary import fitted
from ...constraints.factorisation import Factorisation
from ...constraints.newton import solve
from ...errors import PolhodeError, ShapeError, ValueMissing
from ...expr import Expr, as_expr, evaluate, free_symbols
from ...geometry import Pose
from ...kinematics.motion import body_pose, frame_jacobian
from ...kinematics.tree import Tree, build_tree
from ...model.model import Model
from ...model.reading import unknown

Floats = NDArray[np.float64]

_LONGEST_STEP = 0.5
_NEGLIGIBLE = 1e-10  # of the largest singular value


@dataclass(frozen=True)
class Reached:
    """Coordinates at which the frame is where it was wanted, how far off it still is, and how many steps it took."""

    coordinates: dict[str, float]
    residual: float
    steps: int


def least_speeds(jacobian: ArrayLike, velocity: ArrayLike) -> Floats:
    """The speeds of least squares that give a port its velocity, J⁺ x.

    >>> least_speeds([[1, 1]], [2]).round(9).tolist()
    [1.0, 1.0]
    """
    J, x = np.asarray(jacobian, dtype=float), np.asarray(velocity, dtype=float)
    if J.ndim != 2 or x.shape != J.shape[:1]:
        raise ShapeError(f"a Jacobian of shape {J.shape} does not give velocities {x.shape}.", code="E-NET-012")
    return np.asarray(np.linalg.lstsq(J, x, rcond=_NEGLIGIBLE)[0])


def inverse_kinematics(
    system: Model,
    frame: str,
    position: Iterable[float] | None = None,
    rotation: Any = None,
    *,
    start: Mapping[str, float] | None = None,
    parameters: Mapping[str, float] | None = None,
    tolerance: float = 1e-10,
    steps: int = 200,
) -> Reached:
    """Coordinates that bring a body or frame to a position, an orientation (3×3 matrix) or both, in the ground.

    `start` gives coordinates by name, the rest is at home; each step is the smallest that does what is wanted, so that
    of many solutions one near the start is found.

    >>> import polhode as ph
    >>> arm = ph.System("arm")
    >>> link = arm.body("link", mass=1)
    >>> hinge = arm.joint("hinge", arm.ground, link, ph.Revolute("z"))
    >>> tip = arm.frame("tip", link, at=(2, 0, 0))
    >>> round(inverse_kinematics(arm, "tip", (0, 2, 0)).coordinates["hinge"], 9)
    1.570796327
    """
    task = _Task(system, frame, position, rotation, parameters or {})
    found = solve(
        task.error, task.step, task.moved, task.start(start or {}),
        tolerance=tolerance / np.sqrt(task.size), most_steps=steps, shortest=1e-3, longest=_LONGEST_STEP,
    )  # fmt: skip
    left = float(np.linalg.norm(found.residual))
    if left <= tolerance:
        return Reached(dict(zip(task.names, found.q.tolist(), strict=True)), left, found.steps)
    raise PolhodeError(
        f"'{frame}' could not be brought where it was wanted; it stays {left:.3g} away.",
        place=f"system '{system.name}'",
        cure="Check that the place is within reach, or start from other coordinates.",
        code="E-NET-013",
    )


class _Task:
    """What is wanted of a frame, as numbers at given coordinates."""

    def __init__(
        self, system: Model, frame: str, position: Any, rotation: Any, parameters: Mapping[str, float]
    ) -> None:
        constraints = constraints_of(system, build_tree(system)) if system.constraints else None
        self.tree = build_tree(system) if constraints is None else constraints.tree
        self.names = self.tree.coordinates
        self.target, self.R_target = _target(position, rotation)
        X, jacobian = _frame(system, self.tree, frame)
        self._given = _values(system, parameters)
        self._loops = [] if constraints is None else [*constraints.values, *constraints.definition_values]
        gamma = self.tree.kinematic_matrix()
        rows = [*jacobian, *_loop_rows(constraints)]
        self._shape = len(rows), len(self.tree.u)
        self._where = [as_expr(entry) for entry in (*X.p, *X.R.entries(), *self._loops)]
        self._slope = [as_expr(entry) for row in (*rows, *gamma) for entry in row]
        missing = [
            x for x in free_symbols([*self._where, *self._slope]) if x not in self._given and x not in self.tree.q
        ]
        if missing:
            raise ValueMissing(
                f"the {missing[0].data[0]} '{missing[0].name}' has no value.",
                cure=f"Give it: parameters={{'{missing[0].name}': …}}.",
                code="E-NET-014",
            )

    def start(self, given: Mapping[str, float]) -> Floats:
        q = np.zeros(len(self.names))
        q[self.tree.quaternions] = 1.0
        for name, value in given.items():
            if name not in self.names:
                raise unknown("coordinate", name, self.names, "start")
            q[self.names.index(name)] = value
        return self._scaled(q)

    def _scaled(self, q: Floats) -> Floats:
        """Quaternions of length one, and auxiliary coordinates in their place."""
        for first in self.tree.quaternions:
            q[first : first + 4] /= np.linalg.norm(q[first : first + 4])
        if self.tree.auxiliary:
            placed = fitted(self.tree, {**self._given, **dict(zip(self.tree.q, q.tolist(), strict=True))})
            q = np.array([placed[each] for each in self.tree.q])
        return q

    def _numbers(self, roots: list[Expr], q: Floats) -> Floats:
        return np.array(evaluate(roots, {**self._given, **dict(zip(self.tree.q, q.tolist(), strict=True))}))

    def error(self, q: Floats) -> Floats:
        """What is left to do: the way to go, the turn to make, and the closure errors of loops."""
        from scipy.spatial.transform import Rotation

        where = self._numbers(self._where, q)
        parts = [] if self.target is None else [self.target - where[:3]]
        if self.R_target is not None:
            turn = self.R_target @ where[3:12].reshape(3, 3).T
            parts.append(np.asarray(Rotation.from_matrix(turn).as_rotvec()))
        return np.concatenate([*parts, -where[12:]])

    @property
    def size(self) -> int:
        """How many conditions there are."""
        return 3 * (self.target is not None) + 3 * (self.R_target is not None) + len(self._loops)

    def _slopes(self, q: Floats) -> tuple[Floats, Floats]:
        """How the frame and the gaps of loops move with the speeds, and Γ."""
        flat = self._numbers(self._slope, q)
        rows, size = self._shape
        J, gamma = flat[: rows * size].reshape(rows, size), flat[rows * size :].reshape(len(self.names), size)
        wanted = [
            *(() if self.target is None else (J[3:6],)),
            *(() if self.R_target is None else (J[:3],)),
            J[6:],
        ]
        return np.vstack(wanted), gamma

    def step(self, q: Floats, error: Floats) -> Floats:
        """The speeds of least squares that do what is left to do, damped while that is much."""
        return Factorisation.of(self._slopes(q)[0]).damped(error)

    def moved(self, q: Floats, step: Floats) -> Floats:
        """Where a step leads."""
        return self._scaled(q + self._slopes(q)[1] @ step)


def _target(position: Any, rotation: Any) -> tuple[Floats | None, Floats | None]:
    if position is None and rotation is None:
        raise PolhodeError(
            "nothing is wanted of the frame.", cure="Give a position, a rotation or both.", code="E-NET-015"
        )
    p = None if position is None else np.asarray([float(x) for x in position])
    R = None if rotation is None else np.asarray([[float(x) for x in row] for row in rotation])
    if (p is not None and p.shape != (3,)) or (R is not None and R.shape != (3, 3)):
        raise ShapeError("a position has 3 components and a rotation is a 3×3 matrix.", code="E-NET-016")
    return p, R


def _frame(system: Model, tree: Tree, name: str) -> tuple[Pose, Any]:
    """Where a body or frame is, and its Jacobian, angular over linear."""
    if name in system.frames:
        frame = system.frames[name]
        return body_pose(tree, frame.body) @ frame.pose, frame_jacobian(tree, frame.body, frame.pose.p)
    if name in system.bodies:
        return body_pose(tree, name), frame_jacobian(tree, name)
    raise unknown("body or frame", name, [*system.bodies, *system.frames], f"system '{system.name}'")


def _loop_rows(constraints: Constraints | None) -> list[Any]:
    """How closure errors change with the speeds; definitions of auxiliary coordinates change with none."""
    if constraints is None:
        return []
    return [
        *(constraints.A[k] for k in constraints.positions),
        *([as_expr(0)] * len(constraints.tree.u) for _ in constraints.definitions),
    ]


def _values(system: Model, parameters: Mapping[str, float]) -> dict[Expr, float]:
    """Values of parameters, as given or by default, and time zero."""
    for name in parameters:
        if name not in system.parameters:
            raise unknown("parameter", name, system.parameters, f"system '{system.name}'")
    table: dict[Expr, float] = {system.time: 0.0}
    for name, entry in system.parameters.items():
        if name in parameters:
            table[entry.symbol] = float(parameters[name])
        elif entry.value is not None:
            table[entry.symbol] = float(entry.value)
    return table
