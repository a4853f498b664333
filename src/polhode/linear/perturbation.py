"""The matrices of small motions about any steady state of a family, as graphs of what is left open.

Displacements that nothing depends on, such as the place and heading of what rolls on a plane, have eigenvalues zero
whatever the state: their columns vanish, and they are left out, one after the other.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..expr import Matrix, Vector, as_expr, is_zero
from ..expr.spelling import spelled
from .linear import at_values
from .linearize import matrices_about
from .operating_point import OperatingPoint

_LETTERS = ("P", "R", "M", "C", "K", "L", "S", "U", "Z")


def small_motions(point: OperatingPoint) -> tuple[list[str], list[int], Mapping[str, Matrix]]:
    """The states' names, which of them others depend on, and P, R, M, C, K, L, S, U, Z (`SecondOrder`) at u̇ = 0."""
    equations = point.equations
    M = at_values(equations.mass_matrix, point.values)
    moved, form = matrices_about(point, M, Vector([as_expr(0)] * len(equations.u)), None)
    names = [*moved.names, *map(spelled, equations.u), *equations.states]
    matrices = {letter: getattr(form, letter) for letter in _LETTERS}
    return names, _felt(matrices, len(moved.names), len(names)), matrices


def _felt(matrices: Mapping[str, Matrix], displaced: int, size: int) -> list[int]:
    """The states that are left when displacements that no other state depends on are taken away."""
    P, K, S = (matrices[letter] for letter in "PKS")
    pulls = {k for k in range(displaced) if any(not is_zero(row[k]) for rows in (K, S) for row in rows)}
    left = [*range(size)]
    while True:
        kept = [
            k for k in left if k >= displaced or k in pulls or any(i < displaced and not is_zero(P[i][k]) for i in left)
        ]
        if kept == left:
            return left
        left = kept
