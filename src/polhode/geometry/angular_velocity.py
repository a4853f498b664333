"""Two ways to say how a body turns: the angular velocity ω, and the rate Ẇ of its rotation matrix.

W. M. Silver, MIT A.I. Memo 622 (1981), section 2, equations (2.1) to (2.11). W takes components in the body to
components in the ground; each way has its own inertia, I for ω and J for Ẇ, and both give one kinetic energy.
"""

from __future__ import annotations

from typing import Any

from ..expr import Matrix, Vector

_AXES = range(3)


def permutation(i: int, j: int, k: int) -> int:
    """P_ijk: 1 for an even permutation of 0, 1, 2, -1 for an odd one, 0 otherwise.

    >>> permutation(0, 1, 2), permutation(1, 0, 2), permutation(0, 0, 2)
    (1, -1, 0)
    """
    return (i - j) * (j - k) * (k - i) // 2


def rotation_rate(w: Vector, W: Matrix) -> Matrix:
    """Ẇ_ij = P_ikl ω_k W_lj, which is ω × W, for ω in ground components; (2.5)."""
    return Matrix.columns_of([w.cross(column) for column in W.columns], 3)


def angular_velocity(W: Matrix, Wd: Matrix) -> Vector:
    """ω_i = ½ P_ijk W_jl Ẇ_kl in ground components; (2.6).

    >>> from polhode.expr import Matrix, symbols, sin, cos
    >>> q, u = symbols("q u")
    >>> W = Matrix([[cos(q), -sin(q), 0], [sin(q), cos(q), 0], [0, 0, 1]])
    >>> Wd = Matrix([[-sin(q) * u, -cos(q) * u, 0], [cos(q) * u, -sin(q) * u, 0], [0, 0, 0]])
    >>> angular_velocity(W, Wd) == (0, 0, u)
    True
    """
    product = W @ Wd.T
    cycle = [(1, 2), (2, 0), (0, 1)]
    return Vector([(product[j, k] - product[k, j]) / 2 for j, k in cycle])


def inertia_of_moments(J: Matrix) -> Matrix:
    """I = tr(J) 1 - J, (2.11): from ∫ r rᵀ dm to the inertia that ω meets."""
    return _turned_over(J, J[0, 0] + J[1, 1] + J[2, 2])


def moments_of_inertia(I: Matrix) -> Matrix:
    """J = ½ tr(I) 1 - I, (2.11): from the inertia that ω meets to ∫ r rᵀ dm.

    >>> moments_of_inertia(inertia_of_moments(Matrix([[3, 1, 0], [1, 5, 2], [0, 2, 7]]))) == (
    ...     (3, 1, 0), (1, 5, 2), (0, 2, 7))
    True
    """
    return _turned_over(I, (I[0, 0] + I[1, 1] + I[2, 2]) / 2)


def _turned_over(A: Matrix, trace: Any) -> Matrix:
    return Matrix([[trace - A[i, j] if i == j else -A[i, j] for j in _AXES] for i in _AXES])


def energy_by_rotation_rate(Wd: Matrix, J: Matrix) -> Any:
    """K = ½ tr(Ẇ J Ẇᵀ), with J in body components; (2.8)."""
    product = Wd @ J @ Wd.T
    return (product[0, 0] + product[1, 1] + product[2, 2]) / 2


def energy_by_angular_velocity(w: Vector, I: Matrix) -> Any:
    """K = ½ ω · I ω, both in one frame's components; (2.10)."""
    return w.dot(I @ w) / 2
