"""Splines as expressions of time: prescribed motions, references of controllers, programmes.

A segment's orientation is n/|n| with n a polynomial of four components. Tables of these polynomials are functions that
derivatives and native code take as they are, exactly:

    R = R(n),    ω = 2 vec(n* ∘ n')/|n|²,    ω̇ = 2 vec(n* ∘ n'')/|n|² - 2 (n·n')/|n|² ω

Over dual numbers n + ε m is a screw motion, and p = 2 vec(m ∘ n*)/|n|². Beyond its knots a table goes on in a straight
line: a motion that ends at rest stays where it is.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from ..expr import Expr, Matrix, Vector, as_expr, derivative, sqrt, substitute, symbol, table
from ..expr.calls import Function
from ..geometry.rotations.quaternion import from_lift
from .charts import Floats

_ARGUMENT = symbol("tau", "argument")


def functions_of(name: str, t: Floats, coefficients: Floats) -> list[Function]:
    """Functions of time, one a component, of coefficients by powers of τ in (0, 1) on each segment, constant first."""
    h = np.diff(t)
    rows = np.moveaxis(coefficients / (h ** np.arange(len(coefficients))[:, None])[..., None], (2, 1), (0, 1))
    return [table(t, each, name=f"{name}_{k}", kind="polynomial", outside="line") for k, each in enumerate(rows)]


def _vec(n: Vector, m: Vector) -> Vector:
    """The vector part of n* ∘ m."""
    a, b = Vector(n[1:]), Vector(m[1:])
    return Vector(b * n[0] - a * m[0] - a.cross(b))


class RotationExpressions:
    """Orientation of a spline, and its rates by the argument, as expressions of it."""

    def __init__(self, t: Expr, n: list[Function]) -> None:
        self._t = t
        rates = [each.derivative() for each in n]
        orders = (n, rates, [each.derivative() for each in rates])
        self._n, self._n1, self._n2 = (Vector([each(t) for each in order]) for order in orders)
        self._square = self._n.dot(self._n)

    @cached_property
    def quaternion(self) -> Vector:
        """The unit quaternion, scalar first."""
        return Vector([as_expr(x / sqrt(self._square)) for x in self._n])

    @cached_property
    def R(self) -> Matrix:
        """The rotation matrix, from body to fixed components."""
        return from_lift(tuple(self._n)).map(as_expr)

    @cached_property
    def w(self) -> Vector:
        """ω in body components."""
        return Vector(_vec(self._n, self._n1) * (2 / self._square))

    @cached_property
    def wdot(self) -> Vector:
        """ω̇ in body components."""
        return Vector((_vec(self._n, self._n2) - self.w * self._n.dot(self._n1)) * (2 / self._square))

    @property
    def w_fixed(self) -> Vector:
        """ω in the fixed frame's components."""
        return self.R @ self.w

    @property
    def wdot_fixed(self) -> Vector:
        """ω̇ in the fixed frame's components."""
        return self.R @ self.wdot


class PoseExpressions(RotationExpressions):
    """Pose of a spline, velocities and accelerations by the argument, as expressions of it."""

    def __init__(self, t: Expr, n: list[Function], m: list[Function], is_dual: bool) -> None:
        super().__init__(t, n)
        real, other = (Vector([each(_ARGUMENT) for each in part]) for part in (n, m))
        if is_dual:  # 2 vec(m ∘ n*)/|n|²
            a, b = Vector(real[1:]), Vector(other[1:])
            other = Vector(b * real[0] - a * other[0] + a.cross(b)) * (2 / real.dot(real))
        self._place = [as_expr(x) for x in other]

    def _at(self, order: int) -> Vector:
        value = self._place
        for _ in range(order):
            value = derivative(value, _ARGUMENT)
        return Vector(substitute(value, {_ARGUMENT: self._t}))

    @cached_property
    def p(self) -> Vector:
        """Position of the origin in the fixed frame."""
        return self._at(0)

    @cached_property
    def v(self) -> Vector:
        """Velocity of the origin in the fixed frame."""
        return self._at(1)

    @cached_property
    def a(self) -> Vector:
        """Acceleration of the origin in the fixed frame."""
        return self._at(2)

    @property
    def twist(self) -> Vector:
        """(ω, v) of the moving frame in its own components."""
        return Vector([*self.w, *(self.R.T @ self.v)])

    @property
    def matrix(self) -> Matrix:
        """The homogeneous 4×4 matrix."""
        return Matrix([*([*row, x] for row, x in zip(self.R, self.p, strict=True)), [0, 0, 0, 1]])
