"""Eigenvalues with their right and left eigenvectors, and eigenvalues followed from matrix to matrix.

    A v = λ v,    wᴴ A = λ wᴴ,    wᴴ v = 1

A change of A to A + ΔA moves a simple λ by wᴴ ΔA v, but for terms of second order.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import PolhodeError, numbers

Floats = NDArray[np.float64]
Complexes = NDArray[np.complex128]

#: Below this cosine between left and right eigenvectors an eigenvalue is as good as a multiple one.
_DEFECTIVE = 1e-6
#: Eigenvalues nearer than this, relative to the largest, are not distinguished.
_NEAR = 1e-7
#: Moves smaller than this, relative to the largest eigenvalue, are followed without a closer look.
_SMALL_MOVE = 1e-3
#: How often a step between two matrices is halved, to follow its eigenvalues.
_HALVINGS = 8


@dataclass(frozen=True, eq=False)
class EigenSystem:
    """Eigenvalues (n,), those that grow fastest first, right eigenvectors and left ones, each a column of unit length.

    `cosines` are |wᴴ v|; a small one means that the eigenvalue is sensitive, none that it has too few eigenvectors.
    """

    values: Complexes
    right: Complexes
    left: Complexes

    @classmethod
    def of(cls, A: Floats) -> EigenSystem:
        """The eigenvalues and eigenvectors of a matrix."""
        from scipy.linalg import eig

        values, left, right = eig(A, left=True, right=True)
        order = in_order(values)
        return cls(values[order].astype(np.complex128), right[:, order] + 0j, left[:, order] + 0j)

    @property
    def cosines(self) -> Floats:
        return np.asarray(np.abs(np.einsum("ik,ik->k", self.left.conj(), self.right)))

    @property
    def are_simple(self) -> NDArray[np.bool_]:
        """Which eigenvalues are simple, as far as numbers tell."""
        size = max(float(np.abs(self.values).max(initial=0.0)), 1e-300)
        apart = np.abs(self.values[:, None] - self.values) + np.where(np.eye(len(self.values)), np.inf, 0.0)
        return np.asarray((self.cosines > _DEFECTIVE) & (apart.min(axis=1, initial=np.inf) > _NEAR * size))

    def moved_by(self, change: Floats) -> Complexes:
        """wᴴ ΔA v of every eigenvalue; not a number where it is not simple."""
        product = np.einsum("ik,ij,jk->k", self.left.conj(), change, self.right)
        cosine = np.einsum("ik,ik->k", self.left.conj(), self.right)
        found = np.full(len(self.values), np.nan + 0j)
        np.divide(product, cosine, out=found, where=self.are_simple)
        return found

    def taken(self, order: Sequence[int]) -> EigenSystem:
        """The same in another order."""
        chosen = list(order)
        return EigenSystem(self.values[chosen], self.right[:, chosen], self.left[:, chosen])


def in_order(values: Any) -> NDArray[np.intp]:
    """The order of eigenvalues: those that grow fastest first, of a pair the upper one."""
    return np.lexsort((-values.imag, -values.real))


def followed(matrix: Callable[[float], Floats], values: Floats) -> Complexes:
    """The eigenvalues (N, n) of matrix(value) as branches: a column follows one eigenvalue.

    From matrix to matrix, eigenvalues are where wᴴ ΔA v takes them; where two could be meant, the step is halved.
    """
    A = matrix(float(values[0]))
    at = EigenSystem.of(A)
    found = [at.values]
    for before, value in pairwise(values):
        A, at = _stepped(matrix, float(before), A, at, float(value))
        found.append(at.values)
    return np.array(found)


def _stepped(
    matrix: Callable[[float], Floats], start: float, A: Floats, at: EigenSystem, end: float
) -> tuple[Floats, EigenSystem]:
    """From one value to another, by as many steps as it takes to tell the eigenvalues apart."""
    goals = [(end, 0)]
    while goals:
        value, depth = goals[-1]
        B = matrix(value)
        after, is_clear = _matched(at, A, B)
        if is_clear or depth >= _HALVINGS or start in (value, (start + value) / 2):
            goals.pop()
            start, A, at = value, B, after
        else:
            goals[-1] = (value, depth + 1)
            goals.append(((start + value) / 2, depth + 1))
    return A, at


def _matched(at: EigenSystem, A: Floats, B: Floats) -> tuple[EigenSystem, bool]:
    """The eigenvalues of B in the order of those of A that they come from, and whether that is clear."""
    from scipy.optimize import linear_sum_assignment

    after = EigenSystem.of(B)
    expected = at.values + np.nan_to_num(at.moved_by(B - A))
    _, order = linear_sum_assignment(np.abs(expected[:, None] - after.values))
    found = after.taken(order)
    off = np.abs(found.values - expected)
    others = np.abs(expected[:, None] - after.values[order]) + np.where(np.eye(len(off)), np.inf, 0.0)
    size = max(float(np.abs(after.values).max(initial=0.0)), 1e-300)
    return found, bool(np.all((off <= 0.5 * others.min(axis=1, initial=np.inf)) | (off <= _SMALL_MOVE * size)))


def numbers_along(values: Any, what: str, place: str) -> Floats:
    """Numbers (N,) that a user gave to go along, finite and one or more."""
    cure = "Give numbers in order: np.linspace(0, 10, 101)."
    found: Floats = numbers(values, f"a list of {what}, all finite", dims=[1], place=place, cure=cure)
    if not len(found):
        raise PolhodeError(f"there are no {what}.", place=place, cure=cure, code="E-LINEAR-MISSING")
    return found
