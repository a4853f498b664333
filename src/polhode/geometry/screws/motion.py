"""A motion along a screw, the pose and the twist that it is, and screws of exact motions and velocities."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
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
from ...expr.typeset import Typeset
from ..dual import Dual, dual, dual_part, real_part
from ..dual_motion import pose_of
from ..pose import Pose
from ..rotations.quaternion import from_quaternion


@dataclass(frozen=True, repr=False)
class ScrewMotion(Typeset):
    """A turn by `angle` about an axis, and a `translation` along it.

    `axis` is a unit vector and `moment` that of the axis about the origin, point × axis. Of a velocity, angle and
    translation are rates. All are expressions, or NumPy arrays with leading batch axes.

    >>> from polhode.geometry.screws import screw_of
    >>> k = screw_of(Vector([0, 0, 2, 0, -6, 1]))  # angular over linear velocity
    >>> k.axis, k.pitch, k.point, k.twist
    (Vector([0, 0, 1]), 1/2, Vector([3, 0, 0]), Vector([0, 0, 2, 0, -6, 1]))
    >>> k.line, k.dual_angle, k.pose.p[2], k.matrix.shape
    (Vector([0, μ*(-3), 1]), 2 + μ*(1), 1, (4, 4))
    """

    axis: Any
    moment: Any
    angle: Any
    translation: Any

    def __repr__(self) -> str:
        return (
            f"ScrewMotion(axis={self.axis}, moment={self.moment}, angle={self.angle}, translation={self.translation})"
        )

    def _formulas(self) -> list[tuple[str, Any]]:
        formulas = [("a", self.axis), ("m", self.moment), (r"\theta", self.angle), ("d", self.translation)]
        return formulas if self._is_exact else []

    def _sentences(self) -> list[str]:
        return ["A turn by θ about the axis a, with the moment m about the origin, and a translation d along it."]

    @property
    def pitch(self) -> Any:
        """translation/angle in metres per radian; infinite where nothing turns."""
        if self._is_exact:
            return math.inf if is_zero(self.angle) else self.translation / self.angle
        import numpy as np

        still = self.angle == 0
        return np.where(still, np.inf, self.translation / np.where(still, 1, self.angle))[()]

    @property
    def point(self) -> Any:
        """The point of the axis that is nearest to the origin: axis × moment."""
        if self._is_exact:
            return self.axis.cross(self.moment)
        import numpy as np

        return np.cross(self.axis, self.moment)

    @property
    def line(self) -> Vector:
        """The axis as a dual vector, axis + μ moment."""
        return dual(self._components(self.axis), self._components(self.moment))

    @property
    def dual_angle(self) -> Dual:
        """angle + μ translation."""
        return Dual(self.angle, self.translation)

    @property
    def twist(self) -> Any:
        """(ω, v): a velocity as given; for a motion the velocity that gives it in a unit of time."""
        twist = self.line * self.dual_angle
        return self._gathered(Vector([*real_part(twist), *dual_part(twist)]))

    @property
    def pose(self) -> Pose:
        """The motion: the rotation about the line by the dual angle; for a velocity, that after a unit of time."""
        motion = self._motion()
        return Pose(self._gathered(motion.R), self._gathered(motion.p))

    @property
    def matrix(self) -> Any:
        """The same as a homogeneous 4×4 matrix."""
        return self._gathered(self._motion().matrix())

    def _motion(self) -> Pose:
        """By the dual quaternion cos(ϑ̂/2) + k̂ sin(ϑ̂/2), which rounds nothing off where angles are small."""
        half = self.dual_angle / 2
        return pose_of(from_quaternion((half.cos(), *(self.line * half.sin()))))

    @property
    def _is_exact(self) -> bool:
        return isinstance(self.axis, Vector)

    def _components(self, vector: Any) -> Vector:
        return Vector(vector if self._is_exact else [vector[..., k] for k in range(3)])

    def _gathered(self, value: Any) -> Any:
        """Move the batch axis of component-wise results to the front."""
        if self._is_exact:
            return value
        import numpy as np

        if isinstance(value, Matrix):
            return np.stack([self._gathered(row) for row in value], axis=-2)
        return np.stack([np.broadcast_to(entry, np.shape(self.angle)) for entry in value], axis=-1).astype(np.float64)


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
        i = next(j for j in range(3) if not is_zero(R[j, j] + 1))
        k, _ = direction(R.columns[i] + Matrix.identity(3)[i])
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
    rational = [ratio for ratio in ratios if ratio is not None]
    if len(rational) < len(ratios):
        length = sqrt(as_expr(vector.dot(vector)))
        return _exact(vector / length), as_expr(length)
    norm = sqrt(as_expr(sum((ratio * ratio for ratio in rational), Fraction(0))))
    signed = as_expr(lead * norm)
    sign = -1 if not free_symbols([signed]) and float(signed) < 0 else 1
    return Vector([as_expr(ratio) * sign / norm for ratio in rational]), signed * sign


def angle_of(sine: Any, cosine: Any) -> Expr:
    """The angle of a sine and a cosine: one that occurs in them, a part of π, or atan2."""
    standing = [node.args[0] for node in topological([as_expr(sine), as_expr(cosine)]) if node.op in ("sin", "cos")]
    for x in (multiple * angle for angle in dict.fromkeys(standing) for multiple in (1, 2)):  # half angles in tan(ϑ/2)
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
