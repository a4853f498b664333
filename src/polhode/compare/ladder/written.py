"""Operations as a method states them: its own lines, run on scalars that only count."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ...expr import Matrix, Vector
from ...formalisms import hollerbach_3x3, hollerbach_4x4, silver, uicker_kahn
from ...formalisms.short import newton_euler
from ...geometry import Inertia, Pose
from ...kinematics.tree import Tree
from .arms import chain
from .table_3 import known


@dataclass(frozen=True)
class Count:
    """Multiplications and additions of one evaluation of inverse dynamics."""

    multiplications: int
    additions: int

    def __str__(self) -> str:
        return f"{self.multiplications} / {self.additions}"


@dataclass
class Tally:
    """How often scalars made by it were multiplied and added."""

    multiplications: int = 0
    additions: int = 0

    def scalar(self) -> Scalar:
        return Scalar(self)

    def vector(self, size: int) -> Vector:
        return Vector([Scalar(self) for _ in range(size)])

    def matrix(self, size: int) -> Matrix:
        return Matrix([self.vector(size) for _ in range(size)])


class Scalar:
    """A number of which nothing is known: arithmetic with it only counts.

    The whole numbers 0 and 1 in a method's own text (a base at rest, an axis z) cost nothing; signs cost nothing.

    >>> tally = Tally()
    >>> _ = tally.matrix(4) @ tally.matrix(4)
    >>> tally.multiplications, tally.additions
    (64, 48)
    """

    __slots__ = ("_tally",)

    def __init__(self, tally: Tally) -> None:
        self._tally = tally

    def __add__(self, other: Any) -> Any:
        if isinstance(other, int) and other == 0:
            return self
        self._tally.additions += 1
        return Scalar(self._tally)

    __radd__ = __sub__ = __rsub__ = __add__

    def __mul__(self, other: Any) -> Any:
        if isinstance(other, int) and other in (0, 1):
            return self if other else 0
        self._tally.multiplications += 1
        return Scalar(self._tally)

    __rmul__ = __mul__

    def __neg__(self) -> Scalar:
        return self


def as_written(formalism: str, n: int) -> Count:
    """What a formalism's lines say for a general arm of n joints, each operation counted.

    >>> as_written("uicker_kahn", 6)
    Count(multiplications=80348, additions=61669)
    """
    tally = Tally()
    _RUN[known(formalism)](n, tally)
    return Count(tally.multiplications, tally.additions)


def _rates(n: int, tally: Tally) -> tuple[Vector, Vector, Vector]:
    """q̇, q̈ and gravity."""
    return tally.vector(n), tally.vector(n), tally.vector(3)


def _by_4x4(inverse_dynamics: Callable[..., list[Any]]) -> Callable[[int, Tally], None]:
    def run(n: int, tally: Tally) -> None:
        made = [
            uicker_kahn.Segment(k - 1, k, tally.matrix(4), tally.matrix(4), tally.matrix(4), tally.matrix(4))
            for k in range(n)
        ]
        inverse_dynamics(made, *_rates(n, tally))

    return run


def _by_3x3(n: int, tally: Tally) -> None:
    still = Vector([0, 0, 0])  # a joint that turns does not move its origin
    made = []
    for k in range(n):
        A, A_D_q, A_D_qq = tally.matrix(3), tally.matrix(3), tally.matrix(3)
        segment = hollerbach_3x3.Segment(
            k - 1, k, A, A_D_q, A_D_qq, tally.vector(3), still, still, _dense_inertia(tally)
        )
        made.append(segment)
    hollerbach_3x3.inverse_dynamics(made, *_rates(n, tally))


def _by_newton_euler(n: int, tally: Tally) -> None:
    u, ud, gravity = _rates(n, tally)
    tree = _dense_tree(n, tally)
    newton_euler.efforts_of(tree, newton_euler.accelerate(tree, u, ud, gravity), _no_wrenches(n))


def _by_silver(n: int, tally: Tally) -> None:
    u, ud, gravity = _rates(n, tally)
    inertias = [silver.CentralInertia(tally.scalar(), tally.vector(3), tally.matrix(3)) for _ in range(n)]
    silver.inverse_dynamics(_dense_tree(n, tally), inertias, u, ud, _no_wrenches(n), gravity)


_RUN: dict[str, Callable[[int, Tally], None]] = {
    "uicker_kahn": _by_4x4(uicker_kahn.inverse_dynamics),
    "hollerbach_4x4": _by_4x4(hollerbach_4x4.inverse_dynamics),
    "hollerbach_3x3": _by_3x3,
    "silver": _by_silver,
    "newton_euler": _by_newton_euler,
}


def _no_wrenches(n: int) -> list[tuple[Vector, Vector]]:
    return [(Vector([0, 0, 0]), Vector([0, 0, 0]))] * n


def _dense_inertia(tally: Tally) -> Inertia:
    return Inertia(tally.scalar(), tally.vector(3), tally.matrix(3))


def _dense_tree(n: int, tally: Tally) -> Tree:
    still = Vector([0, 0, 0])
    segments = [
        (Pose(Matrix.identity(3), tally.vector(3)), Pose(tally.matrix(3), still), _dense_inertia(tally))
        for _ in range(n)
    ]
    return chain(segments, tally.vector(n), tally.vector(n), tally.vector(3))
