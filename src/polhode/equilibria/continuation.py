"""Pseudo-arclength continuation: a curve F(x) = 0 of n rows in n + 1 variables, followed step by step.

H. B. Keller, *Numerical solution of bifurcation and nonlinear eigenvalue problems* (1977); E. Allgower, K. Georg,
*Numerical Continuation Methods* (1990). A step goes along the tangent t, and Newton's method comes back to the curve in
the plane normal to it:

    x⁰ = x + h t,        F(x) = 0,  t·(x - x⁰) = 0

so that turning points are passed. The last variable is the parameter. On the way

    t_p changes sign                at a fold
    det [F_x; tᵀ] changes sign      at a branch point

A branch point is a singular point of the curve, near which the iteration above loses digits. It is found as a regular
solution of Moore's system instead, with the left null vector w as an unknown and a slack μ that vanishes:

    F(x) + μ w = 0,    F_xᵀ w = 0,    w·w = 1

G. Moore, *The numerical treatment of non-trivial bifurcation points* (1980). Directions of the branches through it
solve the algebraic bifurcation equation w·F_xx v v = 0 on the null space of F_x.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
#: F and F_x.
Function: TypeAlias = Callable[[Floats], tuple[Floats, Floats]]

_MOST_STEPS = 12
#: The part of its size that a step of Newton's method has when it is rounding.
_ROUNDING = 1e-13
#: The largest turn of the tangent in one step, as a cosine.
_STRAIGHT = 0.95
#: The step by which derivatives of F_x are taken, for directions and for Newton's method alone.
_ASIDE = 1e-5


@dataclass(frozen=True, eq=False)
class Point:
    """A point of a curve, its tangent, and the sign of the determinant."""

    x: Floats
    tangent: Floats
    sign: float


def tangent_of(slopes: Floats, like: Floats) -> tuple[Floats, float]:
    """The unit tangent that points as another does, and the sign of det [F_x; tᵀ]."""
    if len(slopes) == 0:
        return like / np.linalg.norm(like), 1.0
    null = np.linalg.svd(slopes)[2][-1]
    null = null if null @ like >= 0.0 else -null
    return null, float(np.linalg.slogdet(np.vstack([slopes, null]))[0])


def corrected(
    function: Function, x: Floats, tangent: Floats, rounding: float = _ROUNDING, reach: float = 10.0
) -> Floats | None:
    """The point of the curve in the plane through x normal to the tangent; None if Newton's method fails."""
    begin = x
    for _ in range(_MOST_STEPS):
        rows, slopes = function(x)
        if not (np.isfinite(rows).all() and np.isfinite(slopes).all()):
            return None
        right = np.append(-rows, -(tangent @ (x - begin)))
        try:
            step = np.linalg.solve(np.vstack([slopes, tangent]), right)
        except np.linalg.LinAlgError:
            return None
        x = x + step
        if float(np.linalg.norm(x - begin)) > reach:
            return None
        if float(np.abs(step).max()) <= rounding * (1.0 + float(np.abs(x).max())):
            return x
    rows, slopes = function(x)
    return x if float(np.abs(rows).max(initial=0.0)) <= 1e-10 * (1.0 + float(np.abs(slopes).max(initial=0.0))) else None


class Curve:
    """A curve that is followed from a point in one direction, with steps that adapt to how it bends."""

    def __init__(
        self, function: Function, x: Floats, like: Floats, longest: float, rounding: float = _ROUNDING
    ) -> None:
        self.function, self.longest, self.rounding = function, longest, rounding
        self.step = longest / 4
        self.shortest = longest * 1e-6
        tangent, sign = tangent_of(function(x)[1], like)
        self.point = Point(x, tangent, sign)

    def advance(self) -> Point | None:
        """The next point; None if even the shortest step does not converge."""
        here = self.point
        while self.step >= self.shortest:
            result = self.at(here, self.step)
            if result is not None and result.tangent @ here.tangent >= _STRAIGHT:
                grow = 1.5 if result.tangent @ here.tangent > 0.99 else 1.0
                self.step = min(self.longest, grow * self.step)
                self.point = result
                return result
            self.step /= 2.0
        return None

    def at(self, here: Point, step: float) -> Point | None:
        """The point at a distance along the tangent of another."""
        begin = here.x + step * here.tangent
        x = corrected(self.function, begin, here.tangent, self.rounding, 0.5 * abs(step) + 1e-9)
        if x is None:
            return None
        tangent, sign = tangent_of(self.function(x)[1], here.tangent)
        return Point(x, tangent, sign)

    def zero(self, here: Point, new: Point, of: Callable[[Point], float]) -> Point | None:
        """The point of a step at which a function of points changes its sign."""
        from scipy.optimize import brentq

        length = float(here.tangent @ (new.x - here.x))

        def point(step: float) -> Point:
            result = self.at(here, step) if 0.0 < step < length else new if step else here
            if result is None:
                raise ArithmeticError
            return result

        try:
            return point(
                float(
                    brentq(
                        lambda step: of(point(step)), 0.0, length, xtol=0.01 * self.rounding, rtol=1e-15, maxiter=200
                    )
                )
            )
        except (ArithmeticError, RuntimeError, ValueError):
            return None


# ---- branch points ---------------------------------------------------------------------------------------------


def branch_point(function: Function, x: Floats) -> tuple[Floats, Floats] | None:
    """The branch point near x and its left null vector, by Newton's method on Moore's system."""
    n = len(x) - 1
    w = np.linalg.svd(function(x)[1])[0][:, -1]
    y = np.concatenate([x, [0.0], w])

    def system(y: Floats) -> Floats:
        x, slack, w = y[: n + 1], y[n + 1], y[n + 2 :]
        rows, slopes = function(x)
        return np.concatenate([rows + slack * w, slopes.T @ w, [w @ w - 1.0]])

    for _ in range(_MOST_STEPS):
        x, slack, w = y[: n + 1], y[n + 1], y[n + 2 :]
        slopes = function(x)[1]
        matrix = np.zeros((2 * n + 2, 2 * n + 2))
        matrix[:n, : n + 1], matrix[:n, n + 1], matrix[:n, n + 2 :] = slopes, w, slack * np.eye(n)
        matrix[n : 2 * n + 1, : n + 1] = _bend(function, x, w)
        matrix[n : 2 * n + 1, n + 2 :] = slopes.T
        matrix[-1, n + 2 :] = 2.0 * w
        left = system(y)
        if not (np.isfinite(matrix).all() and np.isfinite(left).all()):
            return None
        step = np.linalg.lstsq(matrix, -left, rcond=1e-13)[0]
        y = y + step
        if float(np.abs(step).max()) <= 1e-14 * (1.0 + float(np.abs(y).max())):
            break
    if float(np.abs(system(y)).max()) > 1e-9 * (1.0 + float(np.abs(slopes).max())):
        return None
    return y[: n + 1], y[n + 2 :]


def _bend(function: Function, x: Floats, w: Floats) -> Floats:
    """The derivatives of F_xᵀ w by x."""
    size = len(x)
    result = np.empty((size, size))
    for k in range(size):
        aside = np.zeros(size)
        aside[k] = _ASIDE * (1.0 + abs(x[k]))
        result[:, k] = (function(x + aside)[1] - function(x - aside)[1]).T @ w / (2.0 * aside[k])
    return (result + result.T) / 2.0


def other_direction(function: Function, x: Floats, w: Floats, tangent: Floats) -> Floats | None:
    """The direction of the other branch through a simple branch point; None where there is no single one."""
    null = np.linalg.svd(function(x)[1])[2][-2:]
    form = null @ _bend(function, x, w) @ null.T
    a, b, c = form[0, 0], form[0, 1], form[1, 1]
    inside = b * b - a * c
    scale = float(np.abs(form).max())
    if not inside > 1e-8 * scale * scale:
        return None
    if abs(a) < 1e-9 * scale:
        pairs = [(1.0, 0.0), (-c, 2.0 * b)]
    else:
        pairs = [((-b + sign * np.sqrt(inside)) / a, 1.0) for sign in (1.0, -1.0)]
    ways = [(u * null[0] + v * null[1]) / np.hypot(u, v) for u, v in pairs]
    direction: Floats = min(ways, key=lambda direction: abs(float(direction @ tangent)))
    return direction
