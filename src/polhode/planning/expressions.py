"""Splines as expressions of time: prescribed motions, references of controllers, programmes.

A segment's orientation is n/|n| with n a polynomial of four components. Tables of these polynomials are functions that
derivatives and native code take as they are, exactly:

    R = R(n),    ω = 2 vec(n* ∘ n')/|n|²,    ω̇ = 2 vec(n* ∘ n'')/|n|² - 2 (n·n')/|n|² ω

Over dual numbers n + ε m is a screw motion, and p = 2 vec(m ∘ n*)/|n|². Beyond its knots a table goes on in a straight
line: a motion that ends at rest stays where it is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..expr import Expr, Matrix, Vector, as_expr, derivative, sqrt, substitute, symbol, table
from ..expr.calls import Function
from ..geometry.rotations.quaternion import from_lift
from .charts import Floats

_ARGUMENT = symbol("tau", "argument")


@dataclass(frozen=True, eq=False, repr=False)
class RotationExpressions:
    """Orientation of a spline, ω and ω̇ in body components, as expressions of its argument; rates are by that."""

    quaternion: Vector
    R: Matrix
    w: Vector
    wdot: Vector

    def as_matrix(self) -> Matrix:
        """R, wherever a rotation is taken."""
        return self.R


@dataclass(frozen=True, eq=False, repr=False)
class PoseExpressions(RotationExpressions):
    """The same with position, velocity and acceleration of the origin in the fixed frame."""

    p: Vector
    v: Vector
    a: Vector


def functions_of(name: str, t: Floats, coefficients: Floats) -> list[Function]:
    """Functions of time, one a component, of coefficients by powers of τ in (0, 1) on each segment, constant first."""
    scales = np.diff(t) ** np.arange(len(coefficients))[:, None]
    rows = np.moveaxis(coefficients / scales[..., None], (2, 1), (0, 1))
    return [table(t, each, name=f"{name}_{k}", kind="polynomial", outside="line") for k, each in enumerate(rows)]


def motion_of(t: Expr, n: list[Function], m: list[Function] | None = None, is_dual: bool = False) -> Any:
    """The motion with the quaternion n of any length and the position m, or its dual part m, at an expression."""
    orders = [[as_expr(each(_ARGUMENT)) for each in n]]
    orders += [derivative(orders[0], _ARGUMENT)]
    orders += [derivative(orders[1], _ARGUMENT)]
    q, rate, second = map(Vector, orders)
    square = q.dot(q)
    w = _vec(q, rate) * (2 / square)
    wdot = (_vec(q, second) - w * q.dot(rate)) * (2 / square)
    made = [[x / sqrt(square) for x in q], from_lift(tuple(q)).entries(), w, wdot]
    if m is not None:
        p = Vector([as_expr(each(_ARGUMENT)) for each in m])
        if is_dual:
            p = from_lift(tuple(q)) @ _vec(q, p) * (2 / square)  # vec(m ∘ n*) is vec(n* ∘ m), turned
        v = derivative(list(map(as_expr, p)), _ARGUMENT)
        made += [p, v, derivative(v, _ARGUMENT)]
    e, R, *others = ([*substitute([as_expr(x) for x in each], {_ARGUMENT: t})] for each in made)
    kind = RotationExpressions if m is None else PoseExpressions
    return kind(Vector(e), Matrix([R[:3], R[3:6], R[6:]]), *map(Vector, others))


def _vec(n: Vector, m: Vector) -> Vector:
    """The vector part of n* ∘ m."""
    a, b = Vector(n[1:]), Vector(m[1:])
    return Vector(b * n[0] - a * m[0] - a.cross(b))
