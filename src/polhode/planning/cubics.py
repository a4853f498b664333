"""Segments of a spline on SO(3): cubics in a chart of the turn from a reference orientation.

Every formula here is rational but for square roots, so that it serves complex numbers as well; a small imaginary part
then carries a derivative along, exactly. With the displacement of a rigid motion as that derivative, turns become
motions on SE(3) (the principle of transference): that is how `pose_spline` uses these lines.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import PolhodeError
from .charts import Chart, Floats, times
from .knot_velocities import KnotEquations, knot_velocities
from .quaternions import conjugate, matrices, product, unit


@dataclass(frozen=True, eq=False)
class RotationMotion:
    """Orientation, angular velocity and angular acceleration at the times that were asked for."""

    _chart: Chart
    _reference: Any
    #: The cubic of each time's segment, from the highest power down, where in the segment it is, and its length.
    _cubic: Any
    _s: Floats
    _h: Floats

    @cached_property
    def _c(self) -> Any:
        x, y, z, c0 = self._cubic
        return ((x * self._s + y) * self._s + z) * self._s + c0

    @cached_property
    def quaternion(self) -> Any:
        """The orientation as a unit quaternion, scalar first."""
        return unit(product(self._reference, self._chart.quaternion(self._c)))

    @cached_property
    def R(self) -> Any:
        """The rotation matrix, from body to fixed components."""
        return matrices(self.quaternion)

    @cached_property
    def w(self) -> Any:
        """ω in body components, rad/s."""
        x, y, z, _ = self._cubic
        return self._chart.velocity(self._c, ((3 * x * self._s + 2 * y) * self._s + z) / self._h)

    @cached_property
    def wdot(self) -> Any:
        """ω̇ in body components, rad/s²."""
        x, y, *_ = self._cubic
        return self._chart.angular_acceleration(self._c, (6 * x * self._s + 2 * y) / self._h**2, self.w)

    @property
    def w_fixed(self) -> Floats:
        """ω in the fixed frame's components."""
        return times(self.R, self.w)

    @property
    def wdot_fixed(self) -> Floats:
        """ω̇ in the fixed frame's components: the same vector, for ω × ω = 0."""
        return times(self.R, self.wdot)


@dataclass(frozen=True, eq=False)
class Cubics:
    """The segments' cubics in a chart: their reference orientations, and coefficients from the highest power down."""

    chart: Chart
    t: Floats
    reference: Any
    coefficients: Any

    def at(self, t: Floats, segment: NDArray[np.intp]) -> RotationMotion:
        begin = self.t[segment]
        h = (self.t[segment + 1] - begin)[..., None]
        return RotationMotion(
            self.chart, self.reference[segment], self.coefficients[:, segment], (t - begin)[..., None] / h, h
        )


def cubics_through(chart: Chart, t: Floats, knots: Any, start: Any, end: Any, place: str) -> Cubics:
    """The cubics through unit quaternions at the knots, each on the side of the one before it.

    Where numbers are complex, the imaginary parts of the velocities follow from one step of Newton's, which is exact.
    """
    h = np.diff(t)
    turns = product(conjugate(knots[:-1]), knots[1:])
    if chart.from_middle:  # half of a turn is a unit quaternion's mean with that of no turn
        half = unit(turns + np.array([1.0, 0, 0, 0]))
        reference, c1 = product(knots[:-1], half), chart.of_quaternion(half)
        c0 = -c1
    else:
        reference, c1 = knots[:-1], chart.of_quaternion(turns)
        c0 = np.zeros_like(c1)
    mean = 2 * turns[:, 1:] / h[:, None]  # roughly: where Newton's method begins
    w = np.concatenate([mean[:1], (mean[:-1] + mean[1:]) / 2, mean[-1:]])
    for knot, given in ((0, start), (-1, end)):
        if given is not None:
            w[knot] = given
    held = (start is not None, end is not None)
    found: Any = knot_velocities(KnotEquations(chart, h, c0.real, c1.real, held), w.real)
    step: Any = None
    if found is not None and np.iscomplexobj(knots):
        found = found + 1j * w.imag
        left = KnotEquations(chart, h, c0, c1, held).residual(found)
        step = KnotEquations(chart, h, c0.real, c1.real, held).step(found.real, left.imag)
        found = None if step is None else found + 1j * step
    if found is None:
        raise PolhodeError(
            "no angular velocities at the knots make the angular acceleration continuous.",
            place=place,
            cure='Put knots nearer to each other, or leave out chart="vector", which serves small turns.',
            code="E-PATH-003",
        )
    v0, v1 = chart.rate(c0, found[:-1]) * h[:, None], chart.rate(c1, found[1:]) * h[:, None]
    cubic = np.stack([2 * (c0 - c1) + v0 + v1, 3 * (c1 - c0) - 2 * v0 - v1, v0, c0])
    return Cubics(chart, t, reference, cubic)
