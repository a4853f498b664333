"""One damped step that leads a frame towards a pose, as a graph: what a solver repeats, compiled as a whole.

    e = (log(R* Rᵀ), p* - p, -φ)                      what is left to do: to turn, to go, to close
    (J W Jᵀ + λ 1) y = e - J W d,   λ = μ |e|² + tiny
    δ = W (d + Jᵀ y)                                  the speeds nearest to d that do it, damped

K. Levenberg (1944) and D. Marquardt (1963), in the form that solves as many equations as there are conditions; damping
by the square of what is left keeps the convergence quadratic, at singular poses too (N. Yamashita, M. Fukushima, 2001;
T. Sugihara, IEEE Trans. Robotics 27, 2011). W is 1 for speeds that are free and 0 for those of coordinates that stay at
a limit; d is the secondary task of a redundant mechanism.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..dynamics.equations import EquationsOfMotion
from ..errors import PolhodeError, ShapeError, check_known, understood
from ..expr import Expr, Matrix, Vector, as_expr, atan2, is_zero, maximum, quiet_collector, sqrt, symbol
from ..geometry.elimination import solve_symmetric
from ..geometry.pose import pose_parts
from ..geometry.rotations.values import matrix_of
from ..kinematics.motion import body_pose, frame_jacobian
from ..kinematics.tree import Tree

Floats = NDArray[np.float64]

#: The targets of a frame, and which rows of the Jacobian (angular velocity, velocity) that takes.
TARGETS = {"pose": range(6), "orientation": range(3), "position": range(3, 6)}
#: Damping that is always there, as a part of the mean square of J: pivots of dependent conditions stay positive.
_TINY = Fraction(1, 10**15)
#: No step turns joints further, all together.
_LONGEST = Fraction(3, 2)
#: What keeps θ / sin θ a number where nothing is to be turned.
_NO_TURN = Fraction(1, 10**300)
#: How far the rows of a rotation matrix may be from orthonormal.
_ROUGH = 1e-6
_PLACE = "inverse_kinematics"


@dataclass(frozen=True)
class PoseStep:
    """A step as expressions of q, and of symbols for the target, μ, W and d."""

    target: tuple[Expr, ...]
    """p* and the rows of R*, twelve in all, whatever the target."""
    damping: Expr
    free: tuple[Expr, ...]
    wish: tuple[Expr, ...]
    square: Expr
    """|e|²"""
    change: tuple[Expr, ...]
    """Γ δ, and what auxiliary coordinates lack: to be added to q."""
    slope: tuple[Expr, ...]
    """Jᵀe: the speeds along which |e|² falls fastest."""


def check_target(of: Any, place: str) -> None:
    """Refuse an unknown kind of target."""
    check_known("kind of target", [of], TARGETS, place=place, code="E-POSE-NAME")


def step_symbols(tree: Tree) -> dict[str, list[Expr]]:
    """Symbols of a step besides the coordinates, by array."""
    size = len(tree.u)
    words = {"target": 12, "damping": 1, "free": size, "wish": size}
    return {word: [symbol(f"{word} {k}", "variation") for k in range(count)] for word, count in words.items()}


def pose_step(equations: EquationsOfMotion, name: str, of: str = "pose") -> PoseStep:
    """The Newton step of a body or frame towards a pose, position or orientation, with loops closed."""
    check_target(of, "inverse_kinematics")
    with quiet_collector():
        body, within = equations.located(name)
        constraints = equations.constraints
        tree = equations.tree
        arrays = step_symbols(tree)
        target, (damping,), free, secondary = arrays["target"], arrays["damping"], arrays["free"], arrays["wish"]
        X = body_pose(tree, body) @ within
        full = frame_jacobian(tree, body, within.p)
        left = [*_turn(target[3:], X.R), *(a - b for a, b in zip(target, X.p, strict=False))]
        rows = [(left[k], full[k]) for k in TARGETS[of]]
        if constraints is not None:
            closing = [constraints.A[k] for k in constraints.positions]
            rows += [(-value, row) for value, row in zip(constraints.values, closing, strict=True)]
        rows = [(as_expr(value), [as_expr(x) for x in row]) for value, row in rows]
        e, J = [value for value, _ in rows], [row for _, row in rows]
        JW = [[x * w for x, w in zip(row, free, strict=True)] for row in J]
        square = _sum(x * x for x in e)
        S = [[_dot(a, b) for b in J] for a in JW]
        damped = damping * square + _TINY / len(e) * _sum(S[k][k] for k in range(len(e))) + _NO_TURN
        for k in range(len(e)):
            S[k][k] = S[k][k] + damped
        y = solve_symmetric(S, [x - _dot(row, secondary) for x, row in zip(e, JW, strict=True)])
        delta = [w * (d + _dot(column, y)) for w, d, column in zip(free, secondary, zip(*J, strict=True), strict=True)]
        turned = [delta[k] for link in tree.links for k, (hw, _) in zip(link.speeds, link.H, strict=True) if any(hw)]
        part = 1 / maximum(1, sqrt(_sum(x * x for x in dict.fromkeys(turned))) / _LONGEST) if turned else 1
        delta = [x * part for x in delta]
        change = [as_expr(x) for x in tree.kinematic_matrix() @ Vector(delta)]
        if constraints is not None and constraints.definitions:
            start = tree.auxiliary_coordinates.start
            change[start:] = [a + b for a, b in zip(change[start:], constraints.definition_steps, strict=True)]
            square = square + _sum(as_expr(x) * x for x in constraints.definition_values)
        slope = [_dot(column, e) for column in zip(*J, strict=True)]
    return PoseStep(tuple(target), damping, tuple(free), tuple(secondary), square, tuple(change), tuple(slope))


def _turn(target: list[Expr], R: Matrix) -> list[Any]:
    """log(R* Rᵀ): axis times angle of the turn that is left to make, in ground components."""
    E = Matrix([target[0:3], target[3:6], target[6:9]]) @ R.T
    twice = [E[2, 1] - E[1, 2], E[0, 2] - E[2, 0], E[1, 0] - E[0, 1]]
    sine = sqrt(_sum(x * x for x in twice) / 4 + _NO_TURN)
    angle = atan2(sine, (E[0, 0] + E[1, 1] + E[2, 2] - 1) / 2)
    return [x * (angle / (2 * sine)) for x in twice]


def _dot(a: Any, b: Any) -> Expr:
    return _sum(x * y for x, y in zip(a, b, strict=True) if not is_zero(x) and not is_zero(y))


def _sum(entries: Any) -> Expr:
    total = as_expr(0)
    for entry in entries:
        total = total + entry
    return total


def read_target(pose: Any, of: str) -> Floats:
    """The target as numbers (…, 12): position, and the rows of the rotation matrix."""
    cure = {
        "pose": "Give a Pose, (position, rotation matrix) in either order, or a 4×4 matrix, or arrays of such.",
        "position": "Give three numbers, or an array (…, 3).",
        "orientation": "Give a 3×3 matrix, or an array (…, 3, 3).",
    }[of]
    with understood(f"a {of}" if of != "orientation" else "an orientation", pose, place=_PLACE, cure=cure):
        parts = _parts(pose)
        if parts is not None and (of == "pose" or not isinstance(pose, tuple | list)):
            p, R = parts
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
        raise ShapeError(f"that is no {of}: shapes {p.shape} and {R.shape}.", _PLACE, cure, "E-POSE-SHAPE")
    if not (np.isfinite(p).all() and np.isfinite(R).all()):
        raise PolhodeError(f"the {of} is not all finite numbers.", place=_PLACE, cure=cure, code="E-POSE-NUMBER")
    rough = np.abs(R @ np.swapaxes(R, -1, -2) - np.eye(3)).max(initial=0.0)
    if rough > _ROUGH or (np.linalg.det(R) < 0).any():
        message = "a rotation matrix has orthonormal rows and determinant 1, which the one given has not."
        raise PolhodeError(message, _PLACE, "Normalise it, or make it with polhode.rotation.", "E-POSE-NUMBER")
    return np.concatenate([p, R.reshape(*p.shape[:-1], 9)], axis=-1)


def _parts(pose: Any) -> tuple[Floats, Floats] | None:
    """Positions and rotation matrices of a pose, or of a list of them, where it is in two parts."""
    parts = pose_parts(pose)
    if parts is not None:
        R, p = (np.asarray(part, dtype=np.float64) for part in parts)
        return p, R
    if not isinstance(pose, list | tuple) or not pose:
        return None
    result = []
    for row in pose:
        one = _parts(row)
        if one is None:
            return None
        result.append(one)
    return np.stack([p for p, _ in result]), np.stack([R for _, R in result])


def _no_pose(shape: tuple[int, ...], cure: str) -> ShapeError:
    message = f"an array of shape {shape} is no pose"
    if shape[-1:] == (3,) and shape[-2:] != (3, 3):
        text = f"{message}, but a position."
        return ShapeError(text, place=_PLACE, cure=f'Ask for of="position". {cure}', code="E-POSE-SHAPE")
    return ShapeError(f"{message}.", place=_PLACE, cure=cure, code="E-POSE-SHAPE")
