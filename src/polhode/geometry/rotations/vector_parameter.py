"""The vector-parameter c = a tan(θ/2) (Rodrigues' or Gibbs' vector); Mladenova (65)-(67), (72), (79)-(81).

Rational both ways, with the shortest composition of all charts; infinite at a half turn.
"""

from __future__ import annotations

from ...expr import Matrix, Vector, skew
from .chart import Chart
from .quaternion import lift_acceleration
from .scalars import Components, Numbers, absolute, cross, dot


def from_vector_parameter(c: Numbers) -> Matrix:
    """The rotation with vector-parameter c = a tan(θ/2); Mladenova (65)."""
    vector = Vector(c)
    square = dot(vector, vector)
    hat = skew(vector)
    return Matrix([
        [((1 - square if i == j else 0) + 2 * (vector[i] * vector[j]) + 2 * hat[i, j]) / (1 + square) for j in range(3)]
        for i in range(3)
    ])  # fmt: skip


def vector_parameter_rate(c: Numbers) -> Matrix:
    """ċ = ½ (1 + c cᵀ + ĉ) ω for the angular velocity in body components; Mladenova (81), body form."""
    vector = Vector(c)
    hat = skew(vector)
    return Matrix(
        [[((1 if i == j else 0) + vector[i] * vector[j] + hat[i, j]) / 2 for j in range(3)] for i in range(3)]
    )


def vector_parameter_velocity(c: Numbers) -> Matrix:
    """ω = 2/(1 + c²) (1 - ĉ) ċ in body components: the inverse of `vector_parameter_rate`."""
    vector = Vector(c)
    scale = 2 / (1 + dot(vector, vector))
    hat = skew(vector)
    return Matrix([[((1 if i == j else 0) - hat[i, j]) * scale for j in range(3)] for i in range(3)])


def composed(c1: Numbers, c2: Numbers) -> Components:
    """⟨c1, c2⟩ = (c1 + c2 + c1 × c2) / (1 - c1·c2), (67): R(⟨c1, c2⟩) = R(c1) R(c2); none at a half turn."""
    turned = cross(c1, c2)
    scale = 1 - dot(c1, c2)
    return tuple((c1[k] + c2[k] + turned[k]) / scale for k in range(3))


VECTOR_PARAMETER = Chart(
    name="vector",
    labels=("c1", "c2", "c3"),
    rotation=from_vector_parameter,
    rate=vector_parameter_rate,
    velocity=vector_parameter_velocity,
    lift=lambda c: (1, *c),
    coordinates=lambda q: tuple(q[k] / q[0] for k in (1, 2, 3)),  # (72)
    acceleration=lambda c, cd, cdd: lift_acceleration((1, *c), (0, *cd), (0, *cdd)),
    condition=lambda q: 1 / absolute(q[0]),
    singular="at every half turn, where it is infinite",
)
