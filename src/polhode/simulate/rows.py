"""The rows of a constraint matrix at one pose: which depend on others, and the least motion that answers them.

In the metric of the masses, W = A L⁻ᵀ with M = L Lᵀ, each row by the length that it has in general. A singular value
that is small tells that a row depends on others or vanishes; it is left out, and what is left is of least size.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from .state import Floats

#: Singular values below this are none, where rows are of the length that they have in general.
DEPENDENT = 1e-7


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows A, the metric's factor L, and W = A L⁻ᵀ with each row scaled.

    >>> rows = Rows.of(np.array([[1.0, 0.0], [2.0, 0.0]]))
    >>> rows.rank, rows.chosen, rows.spare
    (1, [1], [0])
    >>> rows.least(np.array([3.0, 6.0])).round(12).tolist()
    [3.0, 0.0]
    """

    A: Floats
    L: Floats | None
    W: Floats
    scale: Floats

    @staticmethod
    def of(A: Floats, M: Floats | None = None, scale: Floats | None = None) -> Rows:
        """The rows of A with the mass matrix M, or as they are where there is none or it is singular."""
        L: Floats | None = None
        if M is not None:
            try:
                L = np.asarray(np.linalg.cholesky(M), dtype=np.float64)
            except np.linalg.LinAlgError:
                L = None
        W = A if L is None else np.linalg.solve(L, A.T).T
        if scale is None:
            scale = np.full(len(A), float(np.linalg.norm(W, axis=1).max(initial=0.0)) or 1.0)
        return Rows(A, L, W / scale[:, None], scale)

    @property
    def lengths(self) -> Floats:
        """The lengths of the rows before they were scaled."""
        return np.asarray(np.linalg.norm(self.W, axis=1) * self.scale)

    @cached_property
    def _factors(self) -> tuple[Floats, Floats, Floats]:
        return np.linalg.svd(self.W, full_matrices=False)

    @property
    def strengths(self) -> Floats:
        """The singular values, largest first."""
        return self._factors[1]

    @cached_property
    def rank(self) -> int:
        return int((self._factors[1] > DEPENDENT).sum())

    @cached_property
    def chosen(self) -> list[int]:
        """Rows that carry the rank: the pivots of a rank-revealing factorization."""
        from scipy.linalg import qr

        order = qr(self.W.T, mode="r", pivoting=True)[1]
        return sorted(int(k) for k in order[: self.rank])

    @cached_property
    def spare(self) -> list[int]:
        """Rows that say what the chosen ones say."""
        return [k for k in range(len(self.A)) if k not in self.chosen]

    @cached_property
    def directions(self) -> Floats:
        """Motions that keep all rows, a column for each, of unit length in the metric."""
        _, _, V = np.linalg.svd(self.W)
        return self._unmeasured(V[self.rank :].T)

    def _unmeasured(self, y: Floats) -> Floats:
        return y if self.L is None else np.asarray(np.linalg.solve(self.L.T, y))

    def least(self, wanted: Floats) -> Floats:
        """The smallest δ that answers A δ = wanted as well as can be."""
        U, s, V = self._factors
        r = self.rank
        return self._unmeasured(V[:r].T @ ((U[:, :r].T @ (wanted / self.scale)) / s[:r]))

    def multipliers(self, force: Floats) -> Floats:
        """The smallest λ with Aᵀ λ = force."""
        return np.asarray(np.linalg.lstsq(self.A.T, force, rcond=DEPENDENT)[0])

    def unanswered(self, wanted: Floats) -> Floats:
        """What no motion can answer, row by row."""
        return np.asarray(wanted - self.A @ self.least(wanted))

    def combined(self, others: Rows, indices: list[int]) -> Floats:
        """Other rows, combined as those here are that belong to some singular values."""
        return np.asarray(self._factors[0][:, indices].T @ others.W)

    def clashing(self, index: int) -> list[int]:
        """The rows of a combination that is as short as a singular value is."""
        weights = np.abs(self._factors[0][:, index])
        return [k for k, weight in enumerate(weights) if weight > 0.1 * weights.max()]

    def sources(self, row: int) -> list[int]:
        """The chosen rows that a spare one is made of."""
        weights, *_ = np.linalg.lstsq(self.W[self.chosen].T, self.W[row], rcond=None)
        return [k for k, weight in zip(self.chosen, weights, strict=True) if abs(weight) > 1e-6]
