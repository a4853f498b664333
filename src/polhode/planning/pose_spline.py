"""Curves on SE(3) through given poses: orientation and place apart, or together as screw motions.

Apart, the origin of the moving frame goes along a cubic spline and the frame turns by a `RotationSpline`: the origin's
way does not depend on the turns, but another point of the body as origin gives another motion. Together (`coupling=
"screw"`), the formulas of the turns are taken over dual numbers, a turn by an angle becoming a screw by an angle and a
distance (the principle of transference; Mladenova, section 4.2): the body's motion is then the same whichever of its
points, and whichever fixed frame, is taken. There is no third way that has both.

The dual part of a number is carried as a tiny imaginary part, along which every formula is differentiated exactly.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..errors import PolhodeError, unknown
from ..geometry.pose import pose_parts
from .charts import CHARTS, Floats, conjugate, cross, product, times
from .cubics import RotationMotion, cubics_through, end_vector, knot_times, numbers, place_in, unit_quaternions
from .rotation_spline import RotationSpline

_PLACE = "PoseSpline"
_EPSILON = 1e-40
_CURE = "Give poses, pairs (R, p) or (p, R), or 4×4 matrices, one for each time."


@dataclass(frozen=True, eq=False)
class PoseMotion:
    """Pose, velocities and accelerations at the times that were asked for.

    `R` takes body to fixed components; `w` and `wdot` are in body components, `p`, `v` and `a` (place, velocity and
    acceleration of the moving frame's origin) in those of the fixed frame.
    """

    R: Floats
    p: Floats
    w: Floats
    wdot: Floats
    v: Floats
    a: Floats

    @property
    def twist(self) -> Floats:
        """(ω, v) of the moving frame in its own components."""
        return np.concatenate([self.w, times(np.swapaxes(self.R, -1, -2), self.v)], axis=-1)

    @cached_property
    def matrix(self) -> Floats:
        """The homogeneous 4×4 matrices."""
        X = np.zeros((*self.p.shape[:-1], 4, 4))
        X[..., :3, :3], X[..., :3, 3], X[..., 3, 3] = self.R, self.p, 1.0
        return X


class PoseSpline:
    """A curve through poses at times t, twice differentiable.

    `poses` are 4×4 matrices, pairs (R, p) or (p, R), R a matrix or a Rotation, `ph.Pose`, or what has a `rotation` and
    a `translation`, as Pinocchio's SE3. `start` and `end` are pairs (ω in body components, velocity of
    the origin in the fixed frame); where one is not given, accelerations (of a screw, the rate of the twist) are nought
    there. `coupling="separate"` takes turns and places apart, `"screw"` together: see the module.

    >>> import numpy as np
    >>> poses = [(np.eye(3), (0, 0, 0)), ([[0, -1, 0], [1, 0, 0], [0, 0, 1]], (1, 1, 0.5))]
    >>> curve = PoseSpline([0, 2], poses, coupling="screw")  # a quarter turn about (0, 1) while it rises
    >>> curve(1).p.round(6).tolist()
    [0.707107, 0.292893, 0.25]
    """

    def __init__(
        self,
        t: ArrayLike,
        poses: Any,
        *,
        start: tuple[ArrayLike, ArrayLike] | None = None,
        end: tuple[ArrayLike, ArrayLike] | None = None,
        coupling: str = "separate",
    ) -> None:
        if coupling not in ("separate", "screw"):
            raise unknown("coupling", coupling, ["separate", "screw"], code="E-PATH-005", place=_PLACE)
        self.t = knot_times(t, _PLACE)
        R, p = _read(poses, len(self.t))
        ends = [_end(given, what) for given, what in ((start, "start"), (end, "end"))]
        self._curve: Any = (_Apart if coupling == "separate" else _Screws)(self.t, R, p, ends)
        self._coupling = coupling

    def __repr__(self) -> str:
        return f"PoseSpline({len(self.t)} poses from {self.t[0]:g} to {self.t[-1]:g} s, {self._coupling})"

    def __call__(self, t: ArrayLike) -> PoseMotion:
        """The motion at a time or an array of times: `.R`, `.p`, `.w`, `.wdot`, `.v`, `.a`, `.twist`, `.matrix`."""
        times_, segment = place_in(self.t, t, _PLACE)
        motion: PoseMotion = self._curve.at(times_, segment)
        return motion


class _Apart:
    """A spline of the orientation and one of the origin's place."""

    def __init__(self, t: Floats, R: Floats, p: Floats, ends: list[Any]) -> None:
        from scipy.interpolate import CubicSpline

        (w0, v0), (w1, v1) = ((None, None) if each is None else each for each in ends)
        self._turns = RotationSpline(t, R, start=w0, end=w1)
        free = (2, np.zeros(3))
        conditions = (free if v0 is None else (1, v0), free if v1 is None else (1, v1))
        self._places = CubicSpline(t, p, bc_type=conditions)

    def at(self, t: Floats, segment: Any) -> PoseMotion:
        turn = self._turns(t)
        return PoseMotion(turn.R, self._places(t), turn.w, turn.wdot, self._places(t, 1), self._places(t, 2))


class _Screws:
    """Cubics over dual numbers."""

    def __init__(self, t: Floats, R: Floats, p: Floats, ends: list[Any]) -> None:
        q = unit_quaternions(R, len(t), _PLACE)
        place = np.concatenate([np.zeros_like(p[:, :1]), p], axis=-1)
        knots = q + 1j * _EPSILON * product(place, q) / 2  # the unit dual quaternion of a pose: q + μ p q / 2
        start, end = (
            None if each is None else each[0] + 1j * _EPSILON * (R[k].T @ each[1])
            for k, each in ((0, ends[0]), (-1, ends[1]))
        )
        self._cubics = cubics_through(CHARTS["half"], t, knots, start, end, _PLACE)

    def at(self, t: Floats, segment: Any) -> PoseMotion:
        motion: RotationMotion = self._cubics.at(t, segment)
        q, w, wdot = ((each.real, each.imag / _EPSILON) for each in (motion.quaternion, motion.w, motion.wdot))
        R = motion.R.real
        place = 2 * product(q[1], conjugate(q[0]))[..., 1:]
        return PoseMotion(R, place, w[0], wdot[0], times(R, w[1]), times(R, wdot[1] + cross(w[0], w[1])))


def _end(given: Any, what: str) -> tuple[Floats, Floats] | None:
    """An end's (ω, v)."""
    if given is None:
        return None
    try:
        w, v = given
    except (TypeError, ValueError):
        raise PolhodeError(
            f"{what} is not a pair of velocities.", place=_PLACE, cure="Give (angular velocity, velocity).",
            code="E-PATH-018",
        ) from None  # fmt: skip
    pair = end_vector(w, f"the angular velocity of {what}", _PLACE), end_vector(v, f"the velocity of {what}", _PLACE)
    if pair[0] is None or pair[1] is None:
        return _end((), what)
    return pair[0], pair[1]


def _read(poses: Any, count: int) -> tuple[Floats, Floats]:
    """Rotation matrices and places of poses in any of their forms."""
    try:
        listed = list(poses)
    except TypeError:
        raise PolhodeError("the poses are not a list.", place=_PLACE, cure=_CURE, code="E-PATH-019") from None
    pairs = [_pair(each, k) for k, each in enumerate(listed)]
    if len(pairs) != count:
        raise PolhodeError(
            f"there are {len(pairs)} poses and {count} times.", place=_PLACE, cure=_CURE, code="E-PATH-020"
        )
    return np.stack([R for R, _ in pairs]), np.stack([p for _, p in pairs])


def _pair(pose: Any, number: int) -> tuple[Floats, Floats]:
    parts = pose_parts(pose)
    if parts is not None:
        R, p = (numbers(part, f"pose {number}", _PLACE) for part in parts)
    else:
        X = numbers(pose, f"pose {number}", _PLACE)
        if X.shape != (4, 4) or np.abs(X[3] - [0, 0, 0, 1]).max() > 0:
            raise PolhodeError(f"pose {number} is none.", place=_PLACE, cure=_CURE, code="E-PATH-021")
        R, p = X[:3, :3], X[:3, 3]
    if R.shape != (3, 3) or p.shape != (3,):
        raise PolhodeError(f"pose {number} is none.", place=_PLACE, cure=_CURE, code="E-PATH-021")
    return R, p
