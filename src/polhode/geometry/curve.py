"""A plane curve by its parameter σ: place P = (x, z), tangent, normal and curvature, all by derivatives on the graph.

    t = P'/|P'|,    n = (-z', x')/|P'|,    κ = (x' z'' - z' x'')/|P'|³

The normal is to the left of the way in which σ grows (above a curve whose x grows); where κ > 0 the curve bends
towards it. A disc of radius r that touches has its centre at P + r n, which is one place only while r κ < 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from ..expr import Expr, Vector, as_expr, derivative, sqrt


@dataclass(frozen=True)
class Curve:
    """A curve in the plane y = 0 of a frame, in the components of that frame."""

    parameter: Expr
    x: Expr
    z: Expr

    @cached_property
    def place(self) -> Vector:
        """P(σ)."""
        return Vector([self.x, as_expr(0), self.z])

    @cached_property
    def slope(self) -> Vector:
        """P'(σ), along the curve."""
        return self._by(self.place, self.parameter)

    @cached_property
    def bend(self) -> Vector:
        """P''(σ)."""
        return self._by(self.slope, self.parameter)

    @cached_property
    def pace(self) -> Expr:
        """|P'(σ)|: arc length per unit of the parameter."""
        return as_expr(sqrt(as_expr(self.slope.dot(self.slope))))

    @cached_property
    def tangent(self) -> Vector:
        """t, of unit length."""
        return self.slope / self.pace

    @cached_property
    def normal(self) -> Vector:
        """n, of unit length, to the left."""
        dx, _, dz = self.slope
        return Vector([-dz, as_expr(0), dx]) / self.pace

    @cached_property
    def curvature(self) -> Expr:
        """κ: one over the radius of the circle that fits best, positive if its centre is where the normal points."""
        return as_expr(self.normal.dot(self.bend) / self.slope.dot(self.slope))

    def drift(self, time: Expr) -> Vector:
        """∂P/∂t: the velocity of the curve's own points, where it moves by itself."""
        return self._by(self.place, time)

    @staticmethod
    def _by(vector: Vector, variable: Expr) -> Vector:
        return Vector(derivative(list(vector), variable))
