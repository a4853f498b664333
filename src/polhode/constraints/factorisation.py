"""One factorisation of a constraint matrix, for one pose or many: what rows ask of speeds, and what forces keep them.

In the metric of the masses, M = L Lᵀ, each row divided by the length that it has in general:

    W = D⁻¹ A L⁻ᵀ = U S Vᵀ,    A M⁻¹ Aᵀ = D W Wᵀ D

A small singular value shows that a row depends on others, or vanishes. It is left out, so that

    motion    A δ = r                            has the answer of least δᵀ M δ
    forces    M u̇ = f + Aᵀ λ,  A u̇ + γ = 0       have the multipliers of least size
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..errors import PolhodeError
from .newton import Floats

#: Singular values below this are none, where rows are of the length that they have in general.
DEPENDENT = 1e-7
#: Condition number from which on a mass matrix is singular.
_SINGULAR = 1e13
#: Levenberg's damping of a step where the right-hand side is one or more.
_DAMPING = 1e-2


@dataclass(frozen=True, eq=False)
class Factorisation:
    """Rows A (…, m, n), the metric's factor L, and W = D⁻¹ A L⁻ᵀ."""

    A: Floats
    M: Floats | None
    L: Floats | None
    W: Floats
    scale: Floats

    @staticmethod
    def of(A: Floats, M: Floats | None = None, scale: Floats | None = None) -> Factorisation:
        """Factorise the rows of A in the metric of M (1 if absent or singular), scaled by `scale` or the longest."""
        L: Floats | None = None
        if M is not None:
            try:
                L = np.asarray(np.linalg.cholesky(M), dtype=np.float64)
            except np.linalg.LinAlgError:
                L = None
        W = A if L is None else _turned(np.asarray(np.linalg.solve(L, _turned(A))))
        if scale is None:
            longest = np.linalg.norm(W, axis=-1).max(axis=-1, initial=0.0)
            scale = np.repeat(np.where(longest > 0.0, longest, 1.0)[..., None], A.shape[-2], axis=-1)
        return Factorisation(A, M, L, W / scale[..., None], scale)

    @property
    def lengths(self) -> Floats:
        """Lengths of the rows before scaling."""
        return np.asarray(np.linalg.norm(self.W, axis=-1) * self.scale)

    @cached_property
    def _factors(self) -> tuple[Floats, Floats, Floats]:
        return np.linalg.svd(self.W, full_matrices=False)

    @property
    def singular_values(self) -> Floats:
        """The singular values, largest first."""
        return self._factors[1]

    @cached_property
    def rank(self) -> int:
        return int((self._factors[1] > DEPENDENT).sum())

    @cached_property
    def chosen(self) -> list[int]:
        """Rows that carry the rank: the pivots of a rank-revealing factorisation."""
        from scipy.linalg import qr

        order = qr(self.W.T, mode="r", pivoting=True)[1]
        return sorted(int(k) for k in order[: self.rank])

    @cached_property
    def redundant(self) -> list[int]:
        """Rows that are combinations of the chosen ones."""
        return [k for k in range(len(self.A)) if k not in self.chosen]

    @cached_property
    def free(self) -> Floats:
        """Motions that keep all rows, a column for each, of unit length in the metric."""
        _, _, V = np.linalg.svd(self.W)
        return self._unmeasured(V[self.rank :].T)

    def _unmeasured(self, y: Floats) -> Floats:
        """L⁻ᵀ y, for columns y."""
        return y if self.L is None else np.asarray(np.linalg.solve(_turned(self.L), y))

    def least(self, b: Floats, damping: float = 0.0) -> Floats:
        """Least-norm least-squares solution δ of A δ = b; with damping μ, of |W y - r|² + μ |y|²."""
        U, s, V = self._factors
        share = np.divide(s, s * s + damping, out=np.zeros_like(s), where=s > DEPENDENT)
        y = _times(_turned(V), share * _times(_turned(U), b / self.scale))
        return np.asarray(self._unmeasured(y[..., None])[..., 0])

    def damped(self, b: Floats) -> Floats:
        """Levenberg-Marquardt step with μ ~ |r|² (Yamashita and Fukushima 2001): quadratic also where rank is lost."""
        is_large = float(np.abs(b).max(initial=0.0)) >= 1.0  # its square might overflow
        return self.least(b, _DAMPING * (1.0 if is_large else min(1.0, float(b @ b))))

    def multipliers(self, force: Floats) -> Floats:
        """The smallest λ with Aᵀ λ = force."""
        multipliers = np.linalg.pinv(_turned(self.A), rcond=DEPENDENT) @ force[..., None]
        return np.asarray(multipliers[..., 0])

    def accelerations(self, force: Floats, gamma: Floats) -> Floats:
        """u̇ with M u̇ - force in the range of Aᵀ and A u̇ + γ = 0 (least squares); M = 1 if absent."""
        if self.M is None:
            alone = force
        elif self.L is not None or (np.isfinite(self.M).all() and np.linalg.cond(self.M).max() < _SINGULAR):
            forces = np.broadcast_to(force, np.broadcast_shapes(force.shape, self.M.shape[:-1]))
            alone = np.asarray(np.linalg.solve(self.M, forces[..., None])[..., 0])
        else:
            message = "the mass matrix is singular or has no value: no accelerations follow from the forces."
            raise PolhodeError(message, "constraints", "Give the bodies that move some inertia.", "E-MODEL-SINGULAR")
        b = -(_times(self.A, alone) + gamma)
        if self.M is None or self.L is not None:
            return np.asarray(alone + self.least(b))
        by_force = np.asarray(np.linalg.solve(self.M, _turned(self.A)))  # M is indefinite: M⁻¹ Aᵀ
        return np.asarray(alone + _times(by_force @ np.linalg.pinv(self.A @ by_force, rcond=DEPENDENT), b))

    def motion(self, force: Floats, gamma: Floats) -> tuple[Floats, Floats]:
        """u̇ and the smallest λ of M u̇ = force + Aᵀ λ, A u̇ + γ = 0."""
        udot = self.accelerations(force, gamma)
        return udot, self.multipliers((udot if self.M is None else _times(self.M, udot)) - force)

    def residual(self, b: Floats) -> Floats:
        """The residual of A δ = b, row by row."""
        return np.asarray(b - self.A @ self.least(b))

    def clashing(self, index: int) -> list[int]:
        """The rows of a combination that is as short as a singular value is."""
        weights = np.abs(self._factors[0][:, index])
        return [k for k, weight in enumerate(weights) if weight > 0.1 * weights.max()]

    def sources(self, row: int) -> list[int]:
        """The chosen rows whose combination a redundant one is."""
        weights, *_ = np.linalg.lstsq(self.W[self.chosen].T, self.W[row], rcond=None)
        return [k for k, weight in zip(self.chosen, weights, strict=True) if abs(weight) > 1e-6]


def _turned(X: Floats) -> Floats:
    """The transpose of a matrix, or of each of many."""
    return np.swapaxes(X, -1, -2)


def _times(X: Floats, y: Floats) -> Floats:
    """A matrix by a vector, or many by many."""
    return np.asarray((X @ y[..., None])[..., 0])
