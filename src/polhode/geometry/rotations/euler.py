"""Three angles of an Euler sequence; Mladenova (71), (73), (74).

A sequence is named by its axes, "123" or "xyz": R = R_i(a) R_j(b) R_k(c), each turn about an axis that the turns before
it have moved (intrinsic). About axes that stay (extrinsic) the same angles are the reversed sequence of the reversed
angles, R = R_k(c) R_j(b) R_i(a).

Three different axes are singular at b = ±π/2, two at b = 0 and π (gimbal lock): there the first and the last turn have
one axis, and only their sum or difference is known.
"""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from itertools import product as every
from typing import Any

from ...errors import PolhodeError, shown, understood
from ...expr import Matrix, is_zero, pi
from .chart import Chart
from .quaternion import product
from .scalars import Components, Numbers, atan2, cos, cross, dot, is_array, maximum, minimum, scaled, sin, sqrt, total
from .turns import about, unit_axis

#: The twelve sequences: no axis follows itself.
SEQUENCES = tuple("".join(word) for word in every("123", repeat=3) if word[0] != word[1] != word[2])
#: Below this the cosine or sine of half the middle angle is a zero that was rounded.
_LOCKED = 1e-15


def permutation(i: int, j: int, k: int) -> int:
    """P_ijk of indices 0, 1, 2: 1 for an even permutation of them, -1 for an odd one, 0 otherwise."""
    with understood("three of the indices 0, 1, 2", (i, j, k), place="permutation"):
        if not {i, j, k} <= {0, 1, 2}:
            raise ValueError
    return (i - j) * (j - k) * (k - i) // 2


@cache
def digits_of(sequence: str) -> str:
    """A sequence of one to three axes as digits: "zxz" and "ZXZ" are "313"."""
    digits = "".join("123"["xyz".find(axis)] if axis in "xyz" else axis for axis in str(sequence).lower())
    if not 1 <= len(digits) <= 3 or set(digits) - set("123") or any(a == b for a, b in pairwise(digits)):
        cure = 'Name up to three axes of which none follows itself, for example "zxz", "xyz" or "313".'
        raise PolhodeError(f"{shown(sequence)} is no sequence of axes.", cure=cure, code="E-ROTATION-NAME")
    return digits


def three_digits_of(sequence: str) -> str:
    """A sequence of three axes as digits."""
    word = digits_of(sequence)
    if len(word) != 3:
        cure = 'A rotation is three turns, for example "zxz" or "xyz".'
        raise PolhodeError(f"{shown(sequence)} names {len(word)} of three axes.", cure=cure, code="E-ROTATION-NAME")
    return word


def axes_of(sequence: str) -> tuple[int, ...]:
    """The axes of a sequence as numbers from 0 to 2."""
    return tuple(int(digit) - 1 for digit in digits_of(sequence))


def from_sequence(sequence: str, angles: Numbers) -> Matrix:
    """R = R_i(a) R_j(b) R_k(c)."""
    turns = [about(unit_axis("xyz"[axis]), angle) for axis, angle in zip(axes_of(sequence), angles, strict=True)]
    R = turns[0]
    for turn in turns[1:]:
        R = R @ turn
    return R


def sequence_lift(sequence: str, angles: Numbers) -> Components:
    """The unit quaternion of a sequence: the product of those of its turns."""
    quaternion: Components = ()
    for axis, angle in zip(axes_of(sequence), angles, strict=True):
        turn = (cos(angle / 2), *(sin(angle / 2) if axis == k else 0 for k in range(3)))
        quaternion = product(quaternion, turn) if quaternion else turn
    return quaternion


def _turned_back(axis: int, angle: Any, v: Numbers) -> Components:
    """R_axisᵀ(angle) v."""
    s, c = sin(angle), cos(angle)
    one, two = (axis + 1) % 3, (axis + 2) % 3
    result = list(v)
    result[one], result[two] = dot((c, s), (v[one], v[two])), dot((c, -s), (v[two], v[one]))
    return tuple(result)


def sequence_velocity(sequence: str, angles: Numbers) -> Matrix:
    """ω = a' R_kᵀ R_jᵀ e_i + b' R_kᵀ e_j + c' e_k in body components; (26) of Sayers."""
    i, j, k = axes_of(sequence)
    _, b, c = angles
    e = Matrix.identity(3)
    first = _turned_back(k, c, _turned_back(j, b, e[i]))
    return Matrix.columns_of([first, _turned_back(k, c, e[j]), e[k]], 3)


def sequence_rate(sequence: str, angles: Numbers) -> Matrix:
    """The inverse of `sequence_velocity`, with e = ±1 the sign of the permutation and n the axis besides i and j.

    Three axes:  a' = (cos c ω_i - e sin c ω_j) / cos b,  b' = e sin c ω_i + cos c ω_j,  c' = ω_k - e sin b a'.
    Two axes:    a' = (sin c ω_j + e cos c ω_n) / sin b,  b' = cos c ω_j - e sin c ω_n,  c' = ω_i - cos b a'.
    """
    i, j, k = axes_of(sequence)
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


def sequence_acceleration(sequence: str, angles: Numbers, rates: Numbers, seconds: Numbers) -> Components:
    """ω̇ in body components, turn by turn: with v = Rᵀ ω of the turns before, ω̇ becomes Rᵀ ω̇ + v × a' e + a'' e."""
    w: Components = (0, 0, 0)
    wd: Components = (0, 0, 0)
    for axis, angle, rate, second in zip(axes_of(sequence), angles, rates, seconds, strict=True):
        e = [int(axis == n) for n in range(3)]
        v = _turned_back(axis, angle, w)
        wd = total(_turned_back(axis, angle, wd), cross(v, scaled(rate, e)), scaled(second, e))
        w = total(v, scaled(rate, e))
    return wd


def _as_two_axes(sequence: str, q: Numbers) -> tuple[Components, int]:
    """(cos b'/2 cos, sin of (a + c)/2; sin b'/2 cos, sin of (a - c)/2) and the sign of b' (three axes: b - eπ/2)."""
    i, j, k = axes_of(sequence)
    n = 3 - i - j
    e = permutation(i, j, n)
    if i == k:
        return (q[0], q[1 + i], q[1 + j], e * q[1 + n]), 1
    p = product(q, (1, *(-e if axis == j else 0 for axis in range(3))))
    return (p[0], p[1 + i], -e * p[1 + j], -p[1 + n]), -e


def sequence_angles(sequence: str, q: Numbers) -> Components:
    """Angles of a unit quaternion, the outer ones in [-π, π], by half sum and difference; the last is zero in lock."""
    i, _, k = axes_of(sequence)
    parts, sign = _as_two_axes(sequence, q)
    c1, s1, c2, s2 = parts
    upright, level = sqrt(c1 * c1 + s1 * s1), sqrt(c2 * c2 + s2 * s2)  # cos b'/2, sin |b'|/2
    if any(map(is_array, parts)):
        import numpy as np

        half_sum, half_difference = np.arctan2(s1, c1), np.arctan2(s2, c2)
        half_difference = np.where(level < _LOCKED, half_sum, half_difference)
        half_sum = np.where(upright < _LOCKED, half_difference, half_sum)
        first, last = (_wrapped(np, half_sum + half_difference), _wrapped(np, half_sum - half_difference))
    else:
        half_sum = half_difference = None
        if not (is_zero(s1) and is_zero(c1)):
            half_sum = half_difference = atan2(s1, c1)
        if not (is_zero(s2) and is_zero(c2)):
            half_difference = atan2(s2, c2)
            half_sum = half_difference if half_sum is None else half_sum
        first, last = half_sum + half_difference, half_sum - half_difference
    middle = 2 * atan2(level, upright)
    if i != k:
        middle = sign * (middle - (float(pi) if is_array(middle) else pi) / 2)
    return (first, middle, last)


def _wrapped(np: Any, angle: Any) -> Any:
    """An angle in [-π, π]."""
    return angle - 2 * np.pi * np.round(angle / (2 * np.pi))


def _condition(sequence: str, q: Numbers) -> Any:
    """cot of half the middle angle's distance from the lock."""
    (c1, s1, c2, s2), _ = _as_two_axes(sequence, q)
    upright, level = sqrt(c1 * c1 + s1 * s1), sqrt(c2 * c2 + s2 * s2)
    return maximum(upright, level) / minimum(upright, level)


@cache
def sequence_chart(sequence: str, extrinsic: bool) -> Chart:
    """The chart of a sequence of three axes."""
    word = three_digits_of(sequence)
    lock = "the middle angle 0 or π" if word[0] == word[2] else "the middle angle ±π/2"
    if extrinsic:
        return _reversed(sequence_chart(word[::-1], False))
    return Chart(
        name=word,
        labels=("a1", "a2", "a3"),
        rotation=lambda x: from_sequence(word, x),
        rate=lambda x: sequence_rate(word, x),
        velocity=lambda x: sequence_velocity(word, x),
        lift=lambda x: sequence_lift(word, x),
        coordinates=lambda q: sequence_angles(word, q),
        acceleration=lambda x, xd, xdd: sequence_acceleration(word, x, xd, xdd),
        condition=lambda q: _condition(word, q),
        singular=f"at {lock}, where the first and the last turn have one axis",
    )


def _reversed(inner: Chart) -> Chart:
    """The extrinsic sequence of an intrinsic one: the same with its coordinates in reversed order."""
    return Chart(
        name=inner.name[::-1],
        labels=inner.labels,
        rotation=lambda x: inner.rotation(x[::-1]),
        rate=lambda x: Matrix(inner.rate(x[::-1])[::-1]),
        velocity=lambda x: Matrix([row[::-1] for row in inner.velocity(x[::-1])]),
        lift=lambda x: inner.lift(x[::-1]),
        coordinates=lambda q: inner.coordinates(q)[::-1],
        acceleration=lambda x, xd, xdd: inner.acceleration(x[::-1], xd[::-1], xdd[::-1]),
        condition=inner.condition,
        singular=inner.singular,
        extrinsic=True,
    )
