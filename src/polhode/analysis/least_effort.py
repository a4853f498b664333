"""The least efforts that meet conditions, where there are more efforts than conditions.

    min ½ Uᵀ W U  with  G U + g = 0:     U = -W⁻¹ Gᵀ (G W⁻¹ Gᵀ)⁻¹ g

W, symmetric and positive, says how dear efforts are; the unit matrix, where none is given. G W⁻¹ Gᵀ is positive
wherever G has full rank, so that it is eliminated on the graph without a choice of pivots.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..errors import fault_at, understood, unknown
from ..expr import Expr, Matrix, Vector, as_expr, evaluate, free_symbols
from ..geometry.elimination import solve_columns, solve_symmetric

_PLACE = "programme weights"
fault = fault_at(_PLACE)


def least_efforts(G: Matrix, g: Sequence[Any], weights: Matrix | None = None) -> Vector:
    """The U of least ½ Uᵀ W U with G U + g = 0.

    >>> least_efforts(Matrix([[1, 2]]), [-5])
    Vector([1, 2])
    >>> least_efforts(Matrix([[1, 2]]), [-5], Matrix([[1, 0], [0, 4]]))
    Vector([5/2, 5/4])
    """
    reached = G.T if weights is None else solve_columns(weights, G.T)  # W⁻¹ Gᵀ
    multipliers = Vector(solve_symmetric(G @ reached, [-as_expr(entry) for entry in g]))
    return Vector([as_expr(entry) for entry in reached @ multipliers])


def weights_of(given: Any, actuators: Sequence[str]) -> Matrix:
    """W from a weight for each actuator, by name (1 where none is given) or in order, or from a whole matrix."""
    count = len(actuators)
    if isinstance(given, Mapping):
        for name in given:
            if name not in actuators:
                raise unknown("actuator", name, actuators, place=_PLACE, code="E-PROG-009")
        given = [given.get(name, 1) for name in actuators]
    with understood("weights", given, place=_PLACE, cure="Give a number for each actuator, or a square matrix."):
        rows = [list(entry) if isinstance(entry, Vector | list | tuple | np.ndarray) else entry for entry in given]
        if not any(isinstance(row, list) for row in rows):
            rows = [[entry if i == j else 0 for j in range(len(rows))] for i, entry in enumerate(rows)]
        W = [[as_expr(entry) for entry in row] for row in rows]
    if [len(row) for row in W] != [count] * count:
        raise fault(
            f"the weights do not fit {count} actuators.",
            f"Give {count} numbers, or a matrix of {count} × {count}.",
            "E-PROG-010",
        )
    if any(W[i][j] != W[j][i] for i in range(count) for j in range(i)) or not _is_positive(W):
        raise fault(
            "the weights are not a symmetric positive matrix: some effort would cost nothing, or less.",
            "Give positive numbers, or the matrix of a positive quadratic form.",
            "E-PROG-011",
        )
    return Matrix(W)


def _is_positive(W: Sequence[Sequence[Expr]]) -> bool:
    """Whether all principal minors are; weights that are expressions of parameters are taken at their word."""
    entries = [entry for row in W for entry in row]
    if free_symbols(entries):
        return True
    numbers = np.array(evaluate(entries, {})).reshape(len(W), len(W))
    return bool(np.linalg.eigvalsh(numbers).min() > 0)
