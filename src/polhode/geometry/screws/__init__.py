"""Screws: the axis, the angle and the pitch of a rigid motion, and of the velocity of a body.

C. Mladenova, "Group Theory in the Problems of Modeling and Control of Multi-Body Systems", section 4.1, with the
corrections listed in docs/errata.md:

    L = 2c,  L' = p - c × p - ν c,  ν = c·p/c²      Plücker vectors of the axis of a motion O(c), p    (141, corrected)
    L = ω,   L' = v - σ ω,          σ = ω·v/ω²      those of a velocity, v = ṗ - ω × p being the origin's         (142)
"""

from __future__ import annotations

from typing import Any

from ...errors import PolhodeError, understood
from ...expr import Matrix, Vector, as_expr
from ..dual import Dual, dual_part, real_part
from ..pose import Pose
from ..rotations.exact import as_rotation
from ..rotations.scalars import is_array
from ..rotations.values import is_rounded, matrix_of
from .motion import ScrewMotion, of_pose, of_twist

__all__ = ["ScrewMotion", "screw_of"]
__dir__ = __all__.copy

#: Squares of larger numbers are out of the range of a double.
_LARGEST = 1e150
_CURE = "Give a Pose, a pair (R, p), a 4×4 matrix, or the six numbers (ω, v) of a twist."


def screw_of(motion: Any) -> ScrewMotion:
    """The screw of a motion (a `Pose`, a pair (R, p) or a 4×4 matrix) or of a velocity (the six numbers of a twist).

    Exact where expressions, vectors or matrices are given, with branches decided by fingerprint; of other numbers NumPy
    arrays, with any leading batch axes. A twist is (ω, v), v the velocity of the body's point at the origin; a vector
    of three dual numbers ω + μ v is one too. The screw of a wrench is that of (force, torque). A motion that does not
    turn has an axis in its direction, through the origin, and an infinite pitch.

    >>> from polhode.expr import symbols
    >>> from polhode.geometry import Pose, rotation
    >>> q, r = symbols("q r")
    >>> k = screw_of(Pose(rotation(("z", q)), Vector([0, 0, q * r])))
    >>> k.axis, k.angle, k.pitch
    (Vector([0, 0, 1]), q, r)
    >>> screw_of(Vector([0, 0, 2, 0, -6, 1])).point
    Vector([3, 0, 0])
    """
    with understood("a motion", motion, place="screw_of", cure=_CURE):
        if isinstance(motion, Pose):
            return _of_motion(motion.R, motion.p)
        if is_array(motion):
            return _of_array(motion)
        parts = list(motion)
        if len(parts) == 2:
            return _of_motion(*parts)
        if len(parts) == 3 and all(isinstance(entry, Dual) for entry in parts):
            return _of_twist(real_part(Vector(parts)), dual_part(Vector(parts)))
        return _of_numbers(parts) if is_rounded(motion) else _of_exact(parts)


def _of_numbers(parts: list[Any]) -> ScrewMotion:
    import numpy as np

    return _of_array(np.asarray(parts, dtype=np.float64))


def _of_exact(parts: list[Any]) -> ScrewMotion:
    if len(parts) == 6:
        return _of_twist(Vector(parts[:3]), Vector(parts[3:]))
    if len(parts) != 4:
        raise ValueError
    rows = Matrix(parts)
    if rows.shape != (4, 4) or list(rows[3]) != [0, 0, 0, 1]:
        raise ValueError
    return _of_motion(rows[:3, :3], rows[:3, 3])


def _of_array(array: Any) -> ScrewMotion:
    if array.shape[-1:] == (6,):
        return _of_twist(array[..., :3], array[..., 3:])
    if array.shape[-2:] != (4, 4) or (array[..., 3, :] != [0, 0, 0, 1]).any():
        raise ValueError
    return _of_motion(array[..., :3, :3], array[..., :3, 3])


def _of_motion(R: Any, p: Any) -> ScrewMotion:
    R = matrix_of(R)
    if is_rounded(R) and is_rounded(p):
        from . import numeric

        return numeric.of_pose(*_arrays(R, p, (3, 3)))
    shift = Vector(map(as_expr, p))
    if len(shift) != 3:
        raise ValueError
    return of_pose(as_rotation(R, "screw_of"), shift)


def _of_twist(w: Any, v: Any) -> ScrewMotion:
    if is_rounded(w) and is_rounded(v):
        from . import numeric

        return numeric.of_twist(*_arrays(w, v, (3,)))
    return of_twist(Vector(map(as_expr, w)), Vector(map(as_expr, v)))


def _arrays(first: Any, second: Any, shape: tuple[int, ...]) -> tuple[Any, Any]:
    """Two parts as arrays of finite floats with the same leading axes."""
    import numpy as np

    a, b = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    if a.shape[-len(shape) :] != shape or b.shape[-1:] != (3,):
        raise ValueError
    if not ((np.abs(a) < _LARGEST).all() and (np.abs(b) < _LARGEST).all()):
        message = f"it holds a number that is not finite, or beyond {_LARGEST:g}."
        raise PolhodeError(message, cure="Look for NaN, inf and wrong units.", code="E-ROTATION-NUMBER")
    lead = np.broadcast_shapes(a.shape[: a.ndim - len(shape)], b.shape[:-1])
    return np.broadcast_to(a, (*lead, *shape)), np.broadcast_to(b, (*lead, 3))
