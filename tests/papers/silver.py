"""Two ways to say how a body turns: the angular velocity ω, and the rate Ẇ of its rotation matrix.

W. M. Silver, MIT A.I. Memo 622 (1981), section 2, equations (2.1) to (2.11). W takes components in the body to
components in the ground; each way has its own inertia, I for ω and J for Ẇ, and both give one kinetic energy.
"""

from __future__ import annotations

from typing import Any

from polhode.expr import Matrix, Vector


def rotation_rate(w: Vector, W: Matrix) -> Matrix:
    """Ẇ_ij = P_ikl ω_k W_lj, which is ω × W, for ω in ground components; (2.5)."""
    return Matrix.columns_of([w.cross(column) for column in W.columns], 3)


def angular_velocity(W: Matrix, Wd: Matrix) -> Vector:
    """ω_i = ½ P_ijk W_jl Ẇ_kl in ground components; (2.6)."""
    product = W @ Wd.T
    cycle = [(1, 2), (2, 0), (0, 1)]
    return Vector([(product[j, k] - product[k, j]) / 2 for j, k in cycle])


def moments_of_inertia(I: Matrix) -> Matrix:
    """J = ½ tr(I) 1 - I, (2.11): from the inertia that ω meets to ∫ r rᵀ dm."""
    return Matrix.identity(3) * ((I[0, 0] + I[1, 1] + I[2, 2]) / 2) - I


def energy_by_rotation_rate(Wd: Matrix, J: Matrix) -> Any:
    """K = ½ tr(Ẇ J Ẇᵀ), with J in body components; (2.8)."""
    product = Wd @ J @ Wd.T
    return (product[0, 0] + product[1, 1] + product[2, 2]) / 2


def energy_by_angular_velocity(w: Vector, I: Matrix) -> Any:
    """K = ½ ω · I ω, both in one frame's components; (2.10)."""
    return w.dot(I @ w) / 2
