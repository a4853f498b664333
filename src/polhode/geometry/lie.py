"""The Lie algebra of rigid motions: twists (ω, v), their bracket, and what they generate."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..expr import Matrix, Vector, as_expr, rank, skew
from .pose import Pose


def bracket(a: Sequence[Any], b: Sequence[Any]) -> Vector:
    """[a, b] of two twists: (ω_a × ω_b, ω_a × v_b - ω_b × v_a)."""
    wa, va, wb, vb = Vector(a[:3]), Vector(a[3:]), Vector(b[:3]), Vector(b[3:])
    return Vector([*wa.cross(wb), *(wa.cross(vb) - wb.cross(va))])


def dual_bracket(twist: Sequence[Any], wrench: Sequence[Any]) -> Vector:
    """The rate of a wrench (n, f) that is carried along by a twist (ω, v): (ω × n + v × f, ω × f)."""
    w, v, n, f = Vector(twist[:3]), Vector(twist[3:]), Vector(wrench[:3]), Vector(wrench[3:])
    return Vector([*(w.cross(n) + v.cross(f)), *w.cross(f)])


def change_of_frame(X: Pose) -> Matrix:
    """The 6×6 matrix [[Rᵀ, 0], [-Rᵀ p̂, Rᵀ]] that takes a twist from frame A to frame B, where X is the pose X_AB.

    Its transpose takes a wrench from B to A, for the power is the same in both.
    """
    turn = X.R.T
    shift = turn @ skew(X.p)
    return Matrix([[*turn[i], 0, 0, 0] for i in range(3)] + [[*-shift[i], *turn[i]] for i in range(3)])


def generated_subalgebra(columns: Sequence[Sequence[Any]]) -> list[Vector]:
    """The columns, extended by brackets until the span is closed; a joint whose columns are closed is holonomic."""
    vectors = [Vector(map(as_expr, column)) for column in columns]
    closed = list(vectors)
    pair = 0
    while pair < len(closed):
        for other in range(pair):
            _extend(closed, bracket(closed[other], closed[pair]))
        pair += 1
    basis = list(vectors)
    for unit in Matrix.identity(6):  # of the possible new columns take the plainest: turns about new axes, then shifts
        turns = [column[:3] for column in basis]
        is_new_turn = any(unit[:3]) and rank([*turns, unit[:3]]) > rank(turns)
        if rank([*closed, unit]) == len(closed) and (is_new_turn or any(unit[3:])):
            _extend(basis, Vector(map(as_expr, unit)))
    for column in closed:
        _extend(basis, column)
    return basis


def _extend(basis: list[Vector], column: Vector) -> None:
    """Append a column that the others do not span."""
    if rank([*basis, column]) > len(basis):
        basis.append(column)


def left_inverse(H: Matrix) -> Matrix:
    """(HᵀH)⁻¹Hᵀ of a matrix with independent columns."""
    from ..expr.inverse import inverse

    return inverse(H.T @ H) @ H.T
