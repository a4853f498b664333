"""How an orientation can be stored: as a unit quaternion, a vector-parameter, or three angles of an Euler sequence.

Each way gives the rotation matrix R of its coordinates, the matrix Γ with rates = Γ ω, and a left inverse of Γ, with
ω in body components. A sequence is named by its axes, "123" or "313": R = R_i(a) R_j(b) R_k(c), each turn about an axis
that the turns before it have moved.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import Any

from ..expr import Matrix, cos, sin
from .rotation import (
    about,
    from_quaternion,
    from_vector_parameter,
    quaternion_rate,
    unit_axis,
    vector_parameter_rate,
    vector_parameter_velocity,
)

Numbers = Sequence[Any]


@dataclass(frozen=True)
class Orientation:
    """A way to store an orientation: its labels, R, Γ and the left inverse of Γ as functions of its coordinates."""

    labels: tuple[str, ...]
    rotation: Callable[[Numbers], Matrix]
    rate: Callable[[Numbers], Matrix]
    velocity: Callable[[Numbers], Matrix]


def permutation(i: int, j: int, k: int) -> int:
    """P_ijk: 1 for an even permutation of 0, 1, 2, -1 for an odd one, 0 otherwise.

    >>> permutation(0, 1, 2), permutation(1, 0, 2), permutation(0, 0, 2)
    (1, -1, 0)
    """
    return (i - j) * (j - k) * (k - i) // 2


def _axes(sequence: str) -> tuple[int, int, int]:
    i, j, k = (int(digit) - 1 for digit in sequence)
    return i, j, k


def from_sequence(sequence: str, angles: Numbers) -> Matrix:
    """R = R_i(a) R_j(b) R_k(c).

    >>> from polhode.expr import pi
    >>> from_sequence("313", (pi / 2, pi / 2, 0))
    Matrix([[0, 0, 1], [1, 0, 0], [0, 1, 0]])
    """
    first, second, third = (
        about(unit_axis("xyz"[axis]), angle) for axis, angle in zip(_axes(sequence), angles, strict=True)
    )
    return first @ second @ third


def sequence_velocity(sequence: str, angles: Numbers) -> Matrix:
    """ω = a' R_kᵀ R_jᵀ e_i + b' R_kᵀ e_j + c' e_k in body components; (26) of Sayers."""
    i, j, k = _axes(sequence)
    _, b, c = angles
    second, third = about(unit_axis("xyz"[j]), b), about(unit_axis("xyz"[k]), c)
    unit = Matrix.identity(3)
    return Matrix.columns_of([third.T @ (second.T @ unit[i]), third.T @ unit[j], unit[k]], 3)


def sequence_rate(sequence: str, angles: Numbers) -> Matrix:
    """The inverse of `sequence_velocity`, with e = ±1 the sign of the permutation and n the axis besides i and j.

    Three axes:  a' = (cos c ω_i - e sin c ω_j) / cos b,  b' = e sin c ω_i + cos c ω_j,  c' = ω_k - e sin b a'.
    Two axes:    a' = (sin c ω_j + e cos c ω_n) / sin b,  b' = cos c ω_j - e sin c ω_n,  c' = ω_i - cos b a'.

    >>> from polhode.expr import symbols
    >>> sequence_rate("123", symbols("q4 q5 q6"))[0]
    Vector([cos(q6)/cos(q5), -sin(q6)/cos(q5), 0])
    """
    i, j, k = _axes(sequence)
    _, b, c = angles
    n = 3 - i - j
    e = permutation(i, j, n)
    rows: list[list[Any]] = [[0, 0, 0] for _ in range(3)]
    if i == k:
        rows[0][j], rows[0][n] = sin(c) / sin(b), e * (cos(c) / sin(b))
        rows[1][j], rows[1][n] = cos(c), -e * sin(c)
        carried = cos(b)
    else:
        rows[0][i], rows[0][j] = cos(c) / cos(b), -e * (sin(c) / cos(b))
        rows[1][i], rows[1][j] = e * sin(c), cos(c)
        carried = e * sin(b)
    rows[2] = [(1 if axis == k else 0) - carried * entry for axis, entry in enumerate(rows[0])]
    return Matrix(rows)


#: The twelve sequences: no axis follows itself.
SEQUENCES = tuple("".join(word) for word in product("123", repeat=3) if word[0] != word[1] != word[2])

ORIENTATIONS: dict[str, Orientation] = {
    "quaternion": Orientation(
        ("e0", "e1", "e2", "e3"), from_quaternion, quaternion_rate, lambda e: quaternion_rate(e).T * 4
    ),
    "vector": Orientation(("c1", "c2", "c3"), from_vector_parameter, vector_parameter_rate, vector_parameter_velocity),
    **{
        word: Orientation(
            ("a1", "a2", "a3"),
            partial(from_sequence, word),
            partial(sequence_rate, word),
            partial(sequence_velocity, word),
        )
        for word in SEQUENCES
    },
}
