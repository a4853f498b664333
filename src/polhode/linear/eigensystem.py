"""Eigenvalues with their right and left eigenvectors, and eigenvalues followed from matrix to matrix.

    A v = λ v,    wᴴ A = λ wᴴ,    wᴴ v = 1

A change of A to A + ΔA moves a simple λ by wᴴ ΔA v, but for terms of second order.

Stability from eigenvalues: which grow, which decay, and which do neither, by structure or within an error bound.

An eigenvalue λ of A lies on the edge of stability, the imaginary axis (the unit circle for Floquet multipliers), if

    structure    its block of A is the number 0, or the spectrum is symmetric about the edge and no other eigenvalue is
                 near enough to be, or to become, the mirror image of λ: conservative systems, also gyroscopic ones
    error bound  a change of A no larger than the error of A moves λ to the nearest point z of the edge:
                 σ_min(A - z) ≤ δ, and at points between λ and z; it holds for multiple eigenvalues too

A is taken apart into its strongly connected blocks, each balanced, so that a stiff part hides nothing elsewhere.
L. N. Trefethen and M. Embree, *Spectra and Pseudospectra* (2005), chapters 2 and 52.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import PolhodeError, numbers
from ..notebook import complex_text

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
        """True for simple eigenvalues, within rounding."""
        size = max(float(np.abs(self.values).max(initial=0.0)), 1e-300)
        apart = np.abs(self.values[:, None] - self.values) + np.where(np.eye(len(self.values)), np.inf, 0.0)
        return np.asarray((self.cosines > _DEFECTIVE) & (apart.min(axis=1, initial=np.inf) > _NEAR * size))

    def moved_by(self, change: Floats) -> Complexes:
        """wᴴ ΔA v of every eigenvalue; not a number where it is not simple."""
        product = np.einsum("ik,ij,jk->k", self.left.conj(), change, self.right)
        cosine = np.einsum("ik,ik->k", self.left.conj(), self.right)
        moved = np.full(len(self.values), np.nan + 0j)
        np.divide(product, cosine, out=moved, where=self.are_simple)
        return moved

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
    branches = [at.values]
    for before, value in pairwise(values):
        A, at = _stepped(matrix, float(before), A, at, float(value))
        branches.append(at.values)
    return np.array(branches)


def _stepped(
    matrix: Callable[[float], Floats], start: float, A: Floats, at: EigenSystem, end: float
) -> tuple[Floats, EigenSystem]:
    """The eigensystem at `end`, in steps short enough to match eigenvalues with those of the step before."""
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
    matched = after.taken(order)
    off = np.abs(matched.values - expected)
    others = np.abs(expected[:, None] - after.values[order]) + np.where(np.eye(len(off)), np.inf, 0.0)
    size = max(float(np.abs(after.values).max(initial=0.0)), 1e-300)
    return matched, bool(np.all((off <= 0.5 * others.min(axis=1, initial=np.inf)) | (off <= _SMALL_MOVE * size)))


def numbers_along(values: Any, what: str, place: str) -> Floats:
    """Numbers (N,) that a user gave to go along, finite and one or more."""
    cure = "Give numbers in order: np.linspace(0, 10, 101)."
    array: Floats = numbers(values, f"a list of {what}, all finite", dims=[1], place=place, cure=cure)
    if not len(array):
        raise PolhodeError(f"there are no {what}.", place=place, cure=cure, code="E-LINEAR-MISSING")
    return array


#: Relative error of the entries of a matrix, where no other is known.
ROUNDING = 1e-13


class Stability(str):
    """The word "stable", "unstable", "neutral" or "unknown", with the `reason` for it in a sentence."""

    reason: str

    def __new__(cls, word: str, reason: str = "") -> Stability:
        stability = super().__new__(cls, word)
        stability.reason = reason
        return stability


CHANGES = Stability("unknown", "the equations change along the motion: the multipliers of an orbit decide.")


@dataclass(frozen=True, eq=False)
class Spectrum:
    """Eigenvalues (n,), fastest growing first, with the sign of their growth: 1, 0 on the edge of stability, or -1.

    `is_steady` marks eigenvalues 0 (multipliers 1), `by_structure` those whose growth is exactly 0; `bounds` are the
    changes of their balanced blocks that were allowed for.
    """

    values: Complexes
    growth: NDArray[np.int_]
    is_steady: NDArray[np.bool_]
    by_structure: NDArray[np.bool_]
    bounds: Floats
    on_circle: bool = False

    def of(self, values: Complexes) -> Spectrum:
        """The same for the same eigenvalues in another order, computed in another way."""
        from scipy.optimize import linear_sum_assignment

        _, k = linear_sum_assignment(np.abs(values[:, None] - self.values))
        return Spectrum(values, self.growth[k], self.is_steady[k], self.by_structure[k], self.bounds[k], self.on_circle)

    def stability(self, running: int = 0) -> Stability:
        """The verdict; so many zero eigenvalues belong to a family of motions and do not count."""
        edge = "unit circle" if self.on_circle else "imaginary axis"
        if not np.isfinite(self.values).all():
            return Stability("unknown", "the equations have no linear terms here.")
        lasting = np.flatnonzero(self.growth == 0)
        if (self.growth > 0).any():
            first = complex_text(complex(self.values[np.argmax(self.growth > 0)]))
            return Stability("unstable", f"{first} grows, beyond its error bound.")
        if self.is_steady[lasting].all() and len(lasting) <= running:
            return Stability("stable", f"all {'others ' * bool(len(lasting))}decay, beyond their error bounds.")
        k = lasting[np.argmin(self.by_structure[lasting])]
        first = complex_text(complex(self.values[k]))
        if self.by_structure[k]:
            return Stability("neutral", f"by structure: {first} and its like lie on the {edge}.")
        return Stability("neutral", f"within the error bound {self.bounds[k]:.1e}: {first} may lie on the {edge}.")


def spectrum_of(
    A: Floats, error: Floats | float = ROUNDING, *, is_symmetric: bool = False, on_circle: bool = False
) -> Spectrum:
    """The eigenvalues of a matrix with their growth."""
    from scipy.sparse.csgraph import connected_components

    size = len(A)
    if not np.isfinite(A).all():
        nothing = np.zeros(size, dtype=bool)
        values = np.full(size, complex(np.nan, np.nan))
        return Spectrum(values, np.zeros(size, dtype=int), nothing, nothing, np.full(size, np.inf))
    errors = np.abs(A) * error if np.ndim(error) == 0 else np.asarray(error)
    labels = connected_components((A != 0.0) | (errors > 0.0), connection="strong")[1] if size else np.zeros(0, int)
    insides = [np.ix_(labels == k, labels == k) for k in np.unique(labels)]
    blocks = [_Block(A[inside], errors[inside], on_circle) for inside in insides]
    values = np.concatenate([np.zeros(0, dtype=np.complex128), *(block.values for block in blocks)])
    rows: list[tuple[int, bool, bool, float]] = []
    for block in blocks:
        elsewhere = np.delete(values, np.s_[len(rows) : len(rows) + len(block.values)])
        rows += block.decided(elsewhere if is_symmetric else None)
    order = np.lexsort((-values.imag, -np.abs(values))) if on_circle else in_order(values)
    kinds = ((0, int), (1, bool), (2, bool), (3, float))
    growth, steady, certain, bounds = (np.array([row[k] for row in rows], kind)[order] for k, kind in kinds)
    return Spectrum(values[order], growth, steady, certain, bounds, on_circle)


class _Block:
    """A strongly connected block of a matrix, balanced, with its eigenvalues and the error δ of the block."""

    def __init__(self, A: Floats, errors: Floats, on_circle: bool) -> None:
        from scipy.linalg import matrix_balance

        self.B, (scale, _) = matrix_balance(A, permute=False, separate=True)
        size = float(np.linalg.norm(self.B, 2))
        self.delta = float(np.linalg.norm(errors / scale[:, None] * scale, 2)) + 1e-15 * size
        self.values = np.linalg.eigvals(self.B).astype(np.complex128)
        self.on_circle = on_circle
        self.is_exact_zero = len(A) == 1 and A[0, 0] == errors[0, 0] == 0.0 and not on_circle
        self.is_symmetric = not on_circle and _is_bipartite((A != 0.0) | (errors > 0.0))

    def reaches(self, value: complex, end: complex) -> bool:
        """Whether a change of the block by δ moves an eigenvalue to a point."""
        points, eye = (end, (value + end) / 2, value + (end - value) / 4), np.eye(len(self.B))
        return all(float(np.linalg.svd(self.B - z * eye, compute_uv=False)[-1]) <= self.delta for z in points)

    def decided(self, mirrors: Complexes | None) -> list[tuple[int, bool, bool, float]]:
        """Growth, whether it is steady, whether the growth is by structure, and δ, of each eigenvalue."""
        rest = 1.0 if self.on_circle else 0.0
        rows = []
        for k, value in enumerate(map(complex, self.values)):
            end = value / (abs(value) or 1.0) if self.on_circle else 1j * value.imag
            off = abs(value) - 1.0 if self.on_circle else value.real
            near = np.delete(self.values, k)
            others = near if self.is_symmetric or mirrors is None else np.append(near, mirrors)
            certain = self.is_exact_zero or (
                (self.is_symmetric or mirrors is not None)
                and len(others) > 0
                and float(np.abs(others - value).min()) > 4.0 * abs(off)
                and not (len(near) and self.reaches(value, complex(near[np.argmin(np.abs(near - value))])))
            )
            on_edge = certain or self.reaches(value, end)
            steady = on_edge and (value == rest or self.reaches(value, rest))
            rows.append((0 if on_edge else 1 if off > 0.0 else -1, steady, certain, self.delta))
        return rows


def _is_bipartite(nonzero: NDArray[np.bool_]) -> bool:
    """Whether signs S = diag(±1) exist with S A S = -A, by the entries of A that may be nonzero: λ comes with -λ."""
    from scipy.sparse.csgraph import shortest_path

    linked = nonzero | nonzero.T
    odd = shortest_path(linked, unweighted=True, indices=0) % 2 == 1
    return not (linked & (odd[:, None] == odd)).any()
