"""Lines and rigid motions in dual numbers: Plücker coordinates, dual orthogonal matrices, dual vector-parameters.

C. Mladenova, "Group Theory in the Problems of Modeling and Control of Multi-Body Systems", (146) to (156):

    Ê = E + μ X × E                           the line through X along E                               (148)
    Ô = O + μ p̂ O,    Ô Ôᵀ = 1                 the motion by which lines go from one frame to another    (151)
    ĉ = k̂ tan(ϑ̂/2)                            its dual vector-parameter                                 (153)
    ĉ' = (ĉ₁ + ĉ₂ + ĉ₁ × ĉ₂)/(1 - ĉ₁ ĉ₂)      one motion after another                             (67), (156)

k̂ is the screw axis, a line, and ϑ̂ the angle + μ the distance of the screw motion. From ĉ or from k̂ and ϑ̂ to Ô go
`from_vector_parameter` and `about`, which are those of rotations, as is `composed`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..errors import PolhodeError
from ..expr import Expr, Matrix, Vector, atan2, skew, sqrt
from .dual import Dual, dual, dual_part, has_zero, real_part, some
from .pose import Pose
from .rotations.matrix import lift_of, nine
from .rotations.scalars import is_rounded
from .rotations.vector_parameter import composed

#: Lines with a smaller sin² of their angle are parallel, where numbers are rounded.
_PARALLEL = 1e-24
#: 2 cos(θ/2) of rounded numbers below which the angle is π, as far as they can tell.
_HALF_TURN = 1e-14


def line_through(point: Sequence[Any], direction: Sequence[Any]) -> Vector:
    """The line through a point along a direction, a dual vector: direction + μ point × direction; (148)."""
    along = Vector(direction)
    return dual(along, Vector(point).cross(along))


def dual_orthogonal(X: Pose) -> Matrix:
    """Ô_AB = R + μ p̂ R, which takes lines, velocity screws and force screws from frame B to frame A; (151)."""
    return dual(X.R, skew(X.p) @ X.R)


def pose_of(O: Matrix) -> Pose:
    """The pose of which a dual orthogonal matrix is made: R is its real part, and Ô Rᵀ = 1 + μ p̂."""
    R = real_part(O)
    shift = dual_part(O @ dual(R.T))
    return Pose(R, Vector([shift[2, 1], shift[0, 2], shift[1, 0]]))


def vector_parameter_of(R: Matrix) -> Vector:
    """c of a rotation matrix, ĉ of a dual one: c^× = (R - Rᵀ)/(1 + tr R); (66).

    Of numbers it is the vector part of the quaternion over its scalar, which keeps digits near a half turn, where
    1 + tr R loses them: the relative error at an angle π - ε is about 1e-16/ε.
    """
    bottom, *vector = lift_of(nine(R), real_part)
    scalar: Any = real_part(bottom)
    if has_zero(scalar) or (is_rounded(scalar) and some(abs(scalar) < _HALF_TURN)):
        cure = "Use a quaternion or a screw axis."
        raise PolhodeError("a half turn has no vector-parameter.", cure=cure, code="E-ROTATION-SINGULAR")
    return Vector([entry / bottom for entry in vector])


def joint_displacement(theta: Any, d: Any, alpha: Any, a: Any) -> Vector:
    """ĉ = ⟨ĉ_ϑ, ĉ_α⟩ of a cylindric joint and the link after it, by their dual angles ϑ + μ d and α + μ a; (153).

    ϑ and d are about and along z, then α and a about and along x, as Denavit and Hartenberg have them.
    """
    turn, twist = Dual(theta, d), Dual(alpha, a)
    return Vector(composed((Dual(0), Dual(0), (turn / 2).tan()), ((twist / 2).tan(), Dual(0), Dual(0))))


def angle_between(first: Vector, second: Vector) -> Dual:
    """φ + μ φ_o of two lines along unit vectors: angle and distance, the latter along E₁ × E₂; (152).

    Ê₁·Ê₂ = cos φ̂ and Ê₁ × Ê₂ = sin φ̂ times the line of the common normal. Parallel lines have a distance, not a sign.
    """
    cosine, normal = first.dot(second), first.cross(second)
    along = real_part(normal)
    square = along.dot(along)
    parallel = not square if type(square) is Expr else square < _PARALLEL
    if parallel:
        apart = dual_part(normal)
        return Dual(atan2(0, real_part(cosine)), sqrt(apart.dot(apart)))
    sine = sqrt(square)
    return Dual(atan2(sine, real_part(cosine)), -dual_part(cosine) / sine)
