"""Screws of exact motions and velocities: expressions, with branches decided by fingerprint."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import atan2 as float_atan2
from math import pi as float_pi
from typing import Any

from ...errors import PolhodeError
from ...expr import (
    Expr,
    Matrix,
    Vector,
    as_expr,
    atan2,
    constant_ratio,
    cos,
    free_symbols,
    is_zero,
    pi,
    sin,
    sqrt,
    topological,
)
from .motion import ScrewMotion

#: An angle is taken for a fraction of π with a denominator up to this, if its sine and cosine are exactly those.
_PARTS_OF_PI = 360
_NOTHING = as_expr(0)


def of_pose(R: Matrix, p: Vector) -> ScrewMotion:
    """The screw of (R, p): k sin ϑ from R - Rᵀ, the moment ½ (p × k + cot(ϑ/2) (p - k (k·p))) from (141)."""
    turning = Vector([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]]) / 2
    cosine = (R[0, 0] + R[1, 1] + R[2, 2] - 1) / 2
    if any(turning):
        k, sine = direction(turning)
        half_cotangent, angle = (1 + cosine) / sine, angle_of(sine, cosine)
    elif is_zero(cosine - 1):
        return translation_along(p)
    else:  # R = 2 k kᵀ - 1
        own = next(j for j in range(3) if not is_zero(R[j, j] + 1))
        k, _ = direction(R.columns[own] + Matrix.identity(3)[own])
        half_cotangent, angle = _NOTHING, pi
    along = k.dot(p)
    moment = (p.cross(k) + (p - k * along) * half_cotangent) / 2
    return ScrewMotion(k, _exact(moment), angle, as_expr(along))


def of_twist(w: Vector, v: Vector) -> ScrewMotion:
    """The screw of an angular velocity and the velocity of the origin, (142); σ takes no root."""
    if not any(w):
        return translation_along(v)
    pitch = w.dot(v) / w.dot(w)
    k, rate = direction(w)
    return ScrewMotion(k, _exact((v - w * pitch) / rate), rate, as_expr(pitch * rate))


def translation_along(p: Vector) -> ScrewMotion:
    """The screw of a pure translation: an axis in its direction, through the origin."""
    if not any(p):
        raise no_axis()
    k, length = direction(p)
    return ScrewMotion(k, Vector([_NOTHING] * 3), _NOTHING, length)


def no_axis(place: str = "screw_of") -> PolhodeError:
    """The error of a motion that is none."""
    return PolhodeError(
        "what neither turns nor moves has no screw axis.",
        place=place,
        cure="Give a pose that is not the identity, or a twist that is not zero.",
        code="E-ROTATION-SINGULAR",
    )


def direction(vector: Vector) -> tuple[Vector, Expr]:
    """k and a length with vector = length k; k is constant if the direction is rational, else the length is a root."""
    lead = next(entry for entry in vector if not is_zero(entry))
    ratios = [constant_ratio(entry / lead) for entry in vector]
    known = [ratio for ratio in ratios if ratio is not None]
    if len(known) < len(ratios):
        length = sqrt(as_expr(vector.dot(vector)))
        return _exact(vector / length), as_expr(length)
    norm = sqrt(as_expr(sum((ratio * ratio for ratio in known), Fraction(0))))
    signed = as_expr(lead * norm)
    sign = -1 if not free_symbols([signed]) and float(signed) < 0 else 1
    return Vector([as_expr(ratio) * sign / norm for ratio in known]), signed * sign


def angle_of(sine: Any, cosine: Any) -> Expr:
    """The angle of a sine and a cosine: one that stands in them, a part of π, or atan2."""
    standing = [node.args[0] for node in topological([as_expr(sine), as_expr(cosine)]) if node.op in ("sin", "cos")]
    for x in (multiple * each for each in dict.fromkeys(standing) for multiple in (1, 2)):  # half angles in tan(ϑ/2)
        if cos(x) == cosine and sin(x) in (sine, -sine):
            return x if sin(x) == sine else -x
    if not free_symbols([as_expr(sine), as_expr(cosine)]):
        turn = float_atan2(float(sine), float(cosine)) / float_pi
        guess = pi * Fraction(turn).limit_denominator(_PARTS_OF_PI)
        if cos(guess) == cosine and sin(guess) == sine:
            return guess
    return as_expr(atan2(as_expr(sine), as_expr(cosine)))


def _exact(vector: Sequence[Any]) -> Vector:
    return Vector(map(as_expr, vector))
