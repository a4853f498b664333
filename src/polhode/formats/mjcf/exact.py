"""The compiler's doubles as exact numbers: decimals, unit axes, and rotations that are exactly orthogonal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import product
from math import isfinite

from ...errors import FormatError
from ...expr import Matrix, Vector, as_expr
from ...geometry import unit_axis
from ...geometry.rotation import from_vector_parameter

#: What is shorter than this, in metres, is a zero that was rounded.
_NOTHING = Fraction(1, 10**15)
#: A turn smaller than this, in radians, is a zero that was rounded.
ROUNDING = Fraction(1, 10**12)
_DIGITS = 10**17

Quaternion = tuple[Fraction, Fraction, Fraction, Fraction]

#: The 24 rotations that take a cube to itself, as quaternions of any length.
_CUBE = [
    q
    for q in product((0, 1, -1), repeat=4)
    if sum(map(abs, q)) in (1, 2, 4) and next(entry for entry in q if entry) > 0
]


def decimal(value: float) -> Fraction:
    """The rational that the shortest decimal of a double spells.

    >>> decimal(0.1), decimal(1e-3)
    (Fraction(1, 10), Fraction(1, 1000))
    """
    if not isfinite(value):
        raise FormatError(
            f"the compiled model holds the number {value}.",
            cure="Give every attribute finite numbers.",
            code="E-MJCF-013",
        )
    return Fraction(repr(float(value)))


def place(values: Iterable[float]) -> list[Fraction]:
    """A position, free of the dust of rounding."""
    return [entry if abs(entry) > _NOTHING else Fraction(0) for entry in map(decimal, values)]


def axis(values: Iterable[float], snap: Fraction) -> tuple[Vector, Fraction]:
    """An exactly unit direction, and the largest component that was taken for zero on the way."""
    entries = [decimal(value) for value in values]
    bound = snap * max(map(abs, entries))
    dropped = max((abs(entry) for entry in entries if abs(entry) <= bound), default=Fraction(0))
    return unit_axis([entry if abs(entry) > bound else Fraction(0) for entry in entries]), dropped


def rotation(quaternion: Sequence[float], snap: Fraction) -> tuple[Matrix, Fraction]:
    """An exactly orthogonal rational matrix next to a rounded quaternion, and the largest angle taken for zero.

    The rotation is split into the nearest of the cube's 24 rotations and a rest of at most 63 degrees,
    whose vector-parameter tan(θ/2) a is rational. A rest about one coordinate axis keeps its zeros, so
    that right angles stay right.

    >>> rotation((0.5, 0.5, 0.5, 0.5), ROUNDING)[0]
    Matrix([[0, 0, 1], [1, 0, 0], [0, 1, 0]])
    """
    w, x, y, z = map(decimal, quaternion)
    q = (w, x, y, z)
    cube = max(_CUBE, key=lambda c: _dot(c, q) ** 2 / Fraction(_dot(c, c)))
    r, *vector = _after(cube, q)
    dropped = Fraction(0)
    rest = []
    for entry in vector:
        tangent = Fraction(round(entry / r * _DIGITS), _DIGITS)
        if abs(2 * tangent) <= snap:
            dropped = max(dropped, abs(2 * tangent))
            tangent = Fraction(0)
        rest.append(tangent)
    a, b, c, d = map(Fraction, cube)
    square = _dot(cube, cube)
    turned = Matrix([
        [a * a + b * b - c * c - d * d, 2 * (b * c - a * d), 2 * (b * d + a * c)],
        [2 * (b * c + a * d), a * a - b * b + c * c - d * d, 2 * (c * d - a * b)],
        [2 * (b * d - a * c), 2 * (c * d + a * b), a * a - b * b - c * c + d * d],
    ]).map(lambda entry: entry / square)  # fmt: skip
    made: Matrix = turned @ from_vector_parameter(rest)
    return made.map(as_expr), dropped


def _dot(p: Sequence[int], q: Sequence[Fraction | int]) -> Fraction:
    return sum((Fraction(a * b) for a, b in zip(p, q, strict=True)), Fraction(0))


def _after(cube: Sequence[int], q: Quaternion) -> Quaternion:
    """The conjugate of one quaternion times another."""
    a, b, c, d = cube
    w, x, y, z = q
    return (
        a * w + b * x + c * y + d * z,
        a * x - b * w - c * z + d * y,
        a * y + b * z - c * w - d * x,
        a * z - b * y + c * x - d * w,
    )


def inertia(moments: Iterable[float], quaternion: Sequence[float]) -> list[Fraction]:
    """(xx, yy, zz, xy, xz, yz) in the body's axes, R diag(moments) Rᵀ, to the digits of a double."""
    R, _ = rotation(quaternion, ROUNDING)
    principal = [decimal(moment) for moment in moments]
    largest = max(principal)

    def entry(i: int, j: int) -> Fraction:
        exact = sum((R[i, k].data * principal[k] * R[j, k].data for k in range(3)), Fraction(0))
        return decimal(float(exact)) if abs(exact) > _NOTHING * largest else Fraction(0)

    return [entry(i, j) for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))]
