"""The angular velocity ω and the rate Ẇ of the rotation matrix: two ways to say how a body turns, each from the other.

W. M. Silver, "On the Representation of Angular Velocity and its Effect on the Efficiency of Manipulator Dynamics
Computation", MIT A.I. Memo 622 (1981), section 2. W takes components in the body to components in the frame that stays
(2.1); ω and its rate are in components of the frame that stays. Each way has an inertia of its own, I for ω and
J = ∫ r rᵀ dm for Ẇ, and both give one kinetic energy. All functions take expressions, exact numbers or floats.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from ...errors import understood
from ...expr import Matrix, Vector, as_expr

_CYCLE = ((1, 2), (2, 0), (0, 1))


def rotation_rate(W: Any, w: Any) -> Matrix:
    """Ẇ = ω × W, with ω given as w, each column turning with ω: Ẇ_ij = P_ikl ω_k W_lj; (2.5)."""
    spin = _vector(w)
    return Matrix.columns_of([spin.cross(column) for column in _matrix(W).columns], 3)


def rotation_second_rate(W: Any, w: Any, wd: Any) -> Matrix:
    """Ẅ = ω̇ × W + ω × (ω × W), the rate of (2.5)."""
    return rotation_rate(W, wd) + rotation_rate(rotation_rate(W, w), w)


def angular_velocity(W: Any, Wd: Any) -> Vector:
    """ω_i = ½ P_ijk W_jl Ẇ_kl: the vector of Ẇ Wᵀ, of a matrix W and its rate Wd; (2.6), the inverse of (2.5)."""
    product = _matrix(W) @ _matrix(Wd).T
    return Vector([_half(product[j, k] - product[k, j]) for j, k in _CYCLE])


def second_moments(I: Any) -> Matrix:
    """J = ½ tr(I) 1 - I, (2.11): second moments ∫ r rᵀ dm from the inertia."""
    I = _matrix(I)
    half = _half(_trace(I))
    return Matrix([[(half if i == j else 0) - I[i, j] for j in range(3)] for i in range(3)])


def rotational_energy(w: Any, I: Any) -> Any:
    """K = ½ ω · I · ω, both in one frame's components; (2.10)."""
    spin = _vector(w)
    return _half(spin.dot(_matrix(I) @ spin))


def rotational_energy_of_rate(Wd: Any, J: Any) -> Any:
    """K = ½ tr(Ẇ J Ẇᵀ), with J in body components; (2.8)."""
    Wd = _matrix(Wd)
    return _half(_trace(Wd @ _matrix(J) @ Wd.T))


def _trace(matrix: Matrix) -> Any:
    return matrix[0, 0] + matrix[1, 1] + matrix[2, 2]


def _half(value: Any) -> Any:
    """Half of a value; of a sum without terms, which is the whole number 0, that."""
    return value and value / 2


def _vector(vector: Any) -> Vector:
    with understood("a vector", vector, cure="Give three numbers or expressions."):
        x, y, z = vector
        return Vector([_exact(x), _exact(y), _exact(z)])


def _matrix(matrix: Any) -> Matrix:
    with understood("a matrix of three rows and columns", matrix, cure="Give three rows of three numbers each."):
        x, y, z = matrix
        return Matrix([_vector(x), _vector(y), _vector(z)])


def _exact(entry: Any) -> Any:
    """A number as it is; whole ones and fractions exactly, so that halves are."""
    return as_expr(entry) if isinstance(entry, int | Fraction) else entry
