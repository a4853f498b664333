"""The rank of [B, AB, A²B, …], the linear test of controllability, and of observability with Aᵀ and Cᵀ."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..expr import Matrix, as_expr
from ..expr.field import P, inverse
from .at_state import AtState, numeric_rank

Floats = NDArray[np.float64]


def linear_rank(A: Matrix, B: Sequence[Sequence[Any]], state: AtState) -> int:
    """The rank of [B, AB, …], B given by its columns: over the field, and not more than eigenvalues say in numbers."""
    size = len(A)
    exact = _krylov_rank(A, B)
    a, b = (state.numbers([entry for row in rows for entry in row]) for rows in (A, B))
    if exact < size or a is None or b is None:
        return exact
    numbers, driven = np.array(a).reshape(size, size), np.array(b).reshape(-1, size).T
    return exact - min(exact, sum(_is_lost(numbers, driven, mode) for mode in np.linalg.eigvals(numbers)))


def _krylov_rank(A: Matrix, B: Sequence[Sequence[Any]]) -> int:
    rows = [[as_expr(entry).fp for entry in row] for row in A]
    fresh = [[as_expr(entry).fp for entry in column] for column in B]
    basis: list[tuple[int, list[int]]] = []
    while fresh:
        kept = []
        for vector in fresh:
            left = _reduced(vector, basis)
            pivot = next((k for k, entry in enumerate(left) if entry), None)
            if pivot is not None:
                basis.append((pivot, [entry * inverse(left[pivot]) % P for entry in left]))
                kept.append(vector)
        fresh = [[sum(a * x for a, x in zip(row, vector, strict=True)) % P for row in rows] for vector in kept]
    return len(basis)


def _reduced(vector: Sequence[int], basis: Sequence[tuple[int, Sequence[int]]]) -> list[int]:
    left = list(vector)
    for pivot, row in basis:
        if factor := left[pivot]:
            left = [(a - factor * b) % P for a, b in zip(left, row, strict=True)]
    return left


def _is_lost(A: Floats, B: Floats, mode: complex) -> bool:
    """Whether no input moves a mode: rank [A - λ, B] < n (Popov, Belevitch, Hautus), written in real numbers."""
    size = len(A)
    left = np.hstack([A - mode.real * np.eye(size), B])
    left[np.abs(left) < 1e-9 * np.abs(A).max()] = 0.0
    turn = np.hstack([mode.imag * np.eye(size), np.zeros_like(B)])
    return numeric_rank(np.block([[left, turn], [-turn, left]])) < 2 * size
