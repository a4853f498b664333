"""The compiler's doubles as exact numbers: decimals, unit axes, and rotations that are exactly orthogonal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import lru_cache
from math import isfinite

from ...errors import FormatError
from ...expr import Matrix, Vector
from ...geometry import unit_axis
from ...geometry.rotations.exact import ROUNDING, from_rounded_quaternion

#: What is shorter than this, in metres, is a zero that was rounded.
_NOTHING = Fraction(1, 10**15)


def decimal(value: float) -> Fraction:
    """The rational that the shortest decimal of a double spells.

    >>> decimal(0.1), decimal(1e-3)
    (Fraction(1, 10), Fraction(1, 1000))
    """
    if not isfinite(value):
        message = f"the compiled model holds the number {value}."
        raise FormatError(message, cure="Give every attribute finite numbers.", code="E-ROBOT-NUMBER")
    return Fraction(repr(float(value)))


def point(values: Iterable[float]) -> list[Fraction]:
    """A position; entries as small as rounding are zero."""
    return [entry if abs(entry) > _NOTHING else Fraction(0) for entry in map(decimal, values)]


def axis(values: Iterable[float], snap: Fraction) -> tuple[Vector, Fraction]:
    """An exactly unit direction, and the largest component that was rounded to zero."""
    entries = [decimal(value) for value in values]
    bound = snap * max(map(abs, entries))
    dropped = max((abs(entry) for entry in entries if abs(entry) <= bound), default=Fraction(0))
    return unit_axis([entry if abs(entry) > bound else Fraction(0) for entry in entries]), dropped


def rotation(quaternion: Sequence[float], snap: Fraction) -> tuple[Matrix, Fraction]:
    """An exactly orthogonal matrix next to a rounded quaternion, and the largest angle rounded to zero."""
    return _rotation(tuple(float(entry) for entry in quaternion), snap)


@lru_cache(maxsize=1024)  # most geoms and sites of a file are turned alike, or not at all
def _rotation(quaternion: tuple[float, ...], snap: Fraction) -> tuple[Matrix, Fraction]:
    return from_rounded_quaternion([decimal(entry) for entry in quaternion], snap)


def inertia(moments: Iterable[float], quaternion: Sequence[float]) -> list[Fraction]:
    """(xx, yy, zz, xy, xz, yz) in the body's axes, R diag(moments) Rᵀ, to the digits of a double."""
    R, _ = rotation(quaternion, ROUNDING)
    principal = [decimal(moment) for moment in moments]
    largest = max(principal)

    def entry(i: int, j: int) -> Fraction:
        exact = sum((R[i, k].data * principal[k] * R[j, k].data for k in range(3)), Fraction(0))
        return decimal(float(exact)) if abs(exact) > _NOTHING * largest else Fraction(0)

    return [entry(i, j) for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))]
