"""Curves on SO(3) through given orientations, twice differentiable, with chosen angular velocities at their ends.

C. D. Mladenova, section 9.2: on each segment R(t) = R_ref R(c(t)) with c a cubic, (389)–(397). Frames do not matter:
the same curve comes out however the fixed and the body frame are turned (bi-invariance).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..errors import unknown
from .charts import CHARTS, Floats
from .cubics import cubics_through
from .knots import end_vector, knot_times, place_in, unit_quaternions

_PLACE = "RotationSpline"


class RotationSpline:
    """A curve through rotations R at times t with continuous angular velocity and acceleration.

    `R` is an array of n matrices, or rotations (`ph.Rotation`, SciPy's): one object, or a list. `start` and `end` are
    the angular velocities at the ends in body components; where one is not given, the angular acceleration is nought
    there. Consecutive orientations are less than half a turn apart. `chart="vector"` writes each segment as a cubic in
    the vector-parameter from its start, (389), which serves small turns; the default, the vector-parameter of half the
    turn from its middle, any. `least="acceleration"` is the curve with the smallest ∫ |ω̇|² dt of all through the knots.

    >>> import numpy as np
    >>> quarter = np.array([[0.0, -1, 0], [1, 0, 0], [0, 0, 1]])
    >>> curve = RotationSpline([0, 1, 3], [np.eye(3), quarter, np.eye(3)], start=(0, 0, 0), end=(0, 0, 0))
    >>> curve(1).R.round(6).astype(int).tolist(), curve(0.5).w.round(3).tolist()
    ([[0, -1, 0], [1, 0, 0], [0, 0, 1]], [0.0, 0.0, 2.086])

    >>> curve.knots.shape, [end.tolist() for end in curve.ends], round(curve.effort(), 3)
    ((3, 4), [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]], 25.014)
    """

    def __init__(
        self,
        t: ArrayLike,
        R: Any,
        *,
        start: ArrayLike | None = None,
        end: ArrayLike | None = None,
        chart: str = "half",
        least: str | None = None,
    ) -> None:
        if chart not in CHARTS:
            raise unknown("chart", chart, CHARTS, code="E-PATH-001", place=_PLACE)
        if least not in (None, "acceleration"):
            raise unknown("aim", least, ["acceleration"], code="E-PATH-002", place=_PLACE)
        self.t = knot_times(t, _PLACE)
        self._knots = unit_quaternions(R, len(self.t), _PLACE)
        self._start, self._end = end_vector(start, "start", _PLACE), end_vector(end, "end", _PLACE)
        self._segments: Any = cubics_through(CHARTS[chart], self.t, self._knots, self._start, self._end, _PLACE)
        if least is not None:
            from .minimum_acceleration import extremal

            self._segments = extremal(self)

    def __repr__(self) -> str:
        return f"RotationSpline({len(self.t)} rotations from {self.t[0]:g} to {self.t[-1]:g} s)"

    def __call__(self, t: ArrayLike) -> Any:
        """The motion at a time or an array of times: `.R`, `.quaternion`, `.w`, `.wdot`, `.w_fixed`, `.wdot_fixed`."""
        times, segment = place_in(self.t, t, _PLACE)
        return self._segments.at(times, segment)

    @property
    def knots(self) -> Floats:
        """The orientations that it goes through, as unit quaternions, scalar first."""
        return self._knots

    @property
    def ends(self) -> tuple[Floats | None, Floats | None]:
        """The angular velocities that were asked for at its ends."""
        return self._start, self._end

    def effort(self, nodes: int = 12) -> float:
        """∫ |ω̇|² dt, by Gauss's rule with this many nodes on each segment: what `least="acceleration"` makes least."""
        place, weight = np.polynomial.legendre.leggauss(nodes)
        h = np.diff(self.t)[:, None]
        at = self.t[:-1, None] + h * (place + 1) / 2
        square = np.sum(self(at.ravel()).wdot ** 2, axis=-1).reshape(at.shape)
        return float(np.sum(square * weight * h / 2))
