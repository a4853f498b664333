"""The Lie algebra of rigid motions: twists (ω, v), their bracket, and what they generate."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..expr import Matrix, Vector, as_expr, rank


def bracket(a: Sequence[Any], b: Sequence[Any]) -> Vector:
    """[a, b] of two twists: (ω_a × ω_b, ω_a × v_b - ω_b × v_a)."""
    wa, va, wb, vb = Vector(a[:3]), Vector(a[3:]), Vector(b[:3]), Vector(b[3:])
    return Vector([*wa.cross(wb), *(wa.cross(vb) - wb.cross(va))])


def generated_subalgebra(columns: Sequence[Sequence[Any]]) -> list[Vector]:
    """The columns, extended by brackets until the span is closed.

    A joint whose columns are closed is holonomic. The two fixed axes of Kwatny and Blankenship's "simple universal"
    joint are not: they generate all rotations.

    >>> len(generated_subalgebra([(0, 1, 0, 0, 0, 0), (0, 0, 1, 0, 0, 0)]))
    3
    """
    basis = [Vector(map(as_expr, column)) for column in columns]
    pair = 0
    while pair < len(basis):
        for other in range(pair):
            new = bracket(basis[other], basis[pair])
            if rank([*basis, new]) > len(basis):
                basis.append(new)
        pair += 1
    return basis


def left_inverse(H: Matrix) -> Matrix:
    """(HᵀH)⁻¹Hᵀ of a matrix with independent columns."""
    from .linear import inverse

    return inverse(H.T @ H) @ H.T
