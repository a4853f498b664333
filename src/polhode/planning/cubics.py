"""Segments of a spline on SO(3): cubics in a chart of the turn from a reference orientation.

Every formula here is rational but for square roots, so that it serves complex numbers as well; a small imaginary part
then carries a derivative along, exactly. With the displacement of a rigid motion as that derivative, turns become
motions on SE(3) (the principle of transference): that is how `PoseSpline` uses these lines.

The angular velocities at the knots make the angular acceleration continuous: on a segment of length h the chart's
coordinates are the cubic with c₀, c₁ at its ends and ċ = A⁻¹ ω there, so that

    at its start  ω̇ = A₀ (6 (c₁ - c₀) - 4 ċ₀ h - 2 ċ₁ h)/h² + κ |ω₀|² c₀ - (c₀·ω₀) ω₀
    at its end    ω̇ = A₁ (6 (c₀ - c₁) + 2 ċ₀ h + 4 ċ₁ h)/h² + κ |ω₁|² c₁ - (c₁·ω₁) ω₁

Equal on both sides of every knot, these are equations that couple neighbours only: linear but for the turning of a
knot's own velocity. They are solved together, by Newton's method on a block tridiagonal matrix. (Mladenova's recursion
goes from knot to knot; its errors grow by -(2 + √3) at each.)
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import comb, factorial
from typing import Any

import numpy as np
from numpy.polynomial.polynomial import polyder, polyval
from numpy.typing import NDArray

from ..constraints.newton import solve
from ..errors import PolhodeError, shown
from ..geometry.rotations import Rotation, values
from .charts import Chart, Floats, conjugate, dot, matrices, matrix_of, product, times, unit

#: Two orientations as near to half a turn apart as this have no shorter way between them.
_OPPOSITE = 1e-9


def numbers(values: Any, what: str, place: str) -> Floats:
    """An array of finite floats."""
    try:
        array = np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        cure = "Give an array of numbers."
        raise PolhodeError(f"{what}: {shown(values)} are not numbers.", place, cure, "E-PLANNING-NUMBER") from None
    if not np.isfinite(array).all():
        raise PolhodeError(f"{what} must be finite numbers.", place, "Remove NaN and infinity.", "E-PLANNING-NUMBER")
    return array


def knot_times(t: Any, place: str) -> Floats:
    """Two times or more, increasing."""
    knots = numbers(t, "the knots' times", place)
    if knots.ndim != 1 or len(knots) < 2 or not (np.diff(knots) > 0).all():
        cure = "Sort them."
        raise PolhodeError("the knots' times must be two or more and increase.", place, cure, "E-PLANNING-NUMBER")
    return knots


def unit_quaternions(R: Any, count: int, place: str) -> Floats:
    """The knots' orientations as unit quaternions, each on the side of the one before it."""
    if not isinstance(R, Rotation):
        matrices = [values.matrix_of(turn) for turn in R] if isinstance(R, list | tuple) else values.matrix_of(R)
        R = Rotation.from_matrix(numbers(matrices, "the orientations", place))
    q = R.quaternion
    if np.shape(q) != (count, 4):
        cure = "Give an array of as many rotation matrices."
        raise PolhodeError(f"there are not {count} orientations, one for each time.", place, cure, "E-PLANNING-SHAPE")
    opposite = np.flatnonzero(np.abs(product(conjugate(q[:-1]), q[1:])[:, 0]) < _OPPOSITE)
    if len(opposite):
        message = f"orientations {opposite[0]} and {opposite[0] + 1} are half a turn apart: either way is as short."
        cure = "Put an orientation between them that says which way to turn."
        raise PolhodeError(message, place, cure, "E-PLANNING-FAILED")
    return on_one_side(np.asarray(q))


def on_one_side(q: Floats) -> Floats:
    """Quaternions of the same rotations, each on the side of the one before it."""
    signs = np.where(np.sum(q[:-1] * q[1:], axis=1) < 0, -1.0, 1.0)
    return np.asarray(q * np.cumprod(np.concatenate([[1.0], signs]))[:, None])


def end_vector(value: Any, what: str, place: str) -> Floats | None:
    """An angular velocity at an end, or None."""
    if value is None:
        return None
    vector = numbers(value, what, place)
    if vector.shape != (3,):
        cure = "Give an angular velocity in body components."
        raise PolhodeError(f"{what} has the shape {vector.shape}, not (3,).", place, cure, "E-PLANNING-SHAPE")
    return vector


def place_in(knots: Floats, t: Any, place: str) -> tuple[Floats, NDArray[np.intp]]:
    """Times as an array, and the segment of each; the last segment includes its end."""
    requested = numbers(t, "times", place)
    low, high = float(knots[0]), float(knots[-1])
    slack = 1e-12 * (high - low)
    if requested.size and (requested.min() < low - slack or requested.max() > high + slack):
        cure = "Ask between the first and the last knot."
        raise PolhodeError(f"a time lies outside of the knots' {low:g} … {high:g}.", place, cure, "E-PLANNING-NUMBER")
    return requested, np.searchsorted(knots[1:-1], requested, side="right")


_MOST_STEPS = 40
#: A segment is written as so many polynomials at most.
_MOST_PARTS = 1024


@dataclass(frozen=True, eq=False)
class KnotEquations:
    """Equations of the knots; at `held` ends the velocity is given, at others the angular acceleration is zero."""

    chart: Chart
    h: Floats
    c0: Any
    c1: Any
    held: tuple[bool, bool]

    @cached_property
    def _blocks(self) -> tuple[Any, Any, Any, Any]:
        """Blocks before, on (their number times the unit matrix) and after the diagonal, and the right-hand side."""
        chart, h = self.chart, self.h[:, None, None]
        (A0, A1), (B0, B1) = ([matrix_of(pair, c) for c in (self.c0, self.c1)] for pair in (chart.velocity, chart.rate))
        bend = 6 * (self.c1 - self.c0)
        diagonal = np.zeros(len(h) + 1)
        diagonal[:-1] += 4 / self.h
        diagonal[1:] += 4 / self.h
        right = np.zeros((len(h) + 1, 3), dtype=bend.dtype)
        right[:-1] += times(A0 / h**2, bend)
        right[1:] += times(A1 / h**2, bend)
        return 2 * A1 @ B0 / h, diagonal, 2 * A0 @ B1 / h, right

    @cached_property
    def _bend(self) -> Any:
        """c at the end of the segment before a knot, less that at the start of the one after it."""
        bend = np.zeros((len(self.h) + 1, 3), dtype=np.result_type(self.c0, self.c1))
        bend[1:] += self.c1
        bend[:-1] -= self.c0
        return bend

    @cached_property
    def _fixed(self) -> NDArray[np.bool_]:
        fixed = np.zeros(len(self.h) + 1, dtype=bool)
        fixed[0], fixed[-1] = self.held
        return fixed

    def scale(self, w: Floats) -> float:
        """Size of the terms of the equations."""
        _, diagonal, _, right = self._blocks
        return float(np.abs(right).max()) + float(np.abs(diagonal[:, None] * w).max())

    def residual(self, w: Any) -> Any:
        """Differences of angular accelerations between the two sides of each knot."""
        before, diagonal, after, right = self._blocks
        left = diagonal[:, None] * w - right + self.chart.turning(self._bend, w)
        left[1:] += times(before, w[:-1])
        left[:-1] += times(after, w[1:])
        left[self._fixed] = 0
        return left

    def step(self, w: Floats, left: Floats) -> Floats | None:
        """Newton's step; None where the matrix is singular."""
        from scipy.linalg import solve_banded

        before, centre, after, _ = self._blocks
        before, after = before.copy(), after.copy()
        diagonal = centre[:, None, None] * np.eye(3) + self.chart.turning_D_w(self._bend, w)
        diagonal[self._fixed] = np.eye(3)
        if self.held[0]:
            after[0] = 0
        if self.held[1]:
            before[-1] = 0
        try:
            change = -np.asarray(solve_banded((5, 5), banded(before, diagonal, after), left.ravel())).reshape(-1, 3)
        except np.linalg.LinAlgError:
            return None
        change[self._fixed] = 0  # exactly
        return change


def knot_velocities(equations: KnotEquations, guess: Floats) -> Floats | None:
    """ω at each knot, from a guess that has those which are given; None where Newton's method finds none."""

    def step(flat: Floats, left: Floats) -> Floats | None:
        change = equations.step(flat.reshape(-1, 3), left)
        return None if change is None else change.ravel()

    scale = equations.scale(guess)
    solution = solve(
        lambda flat: equations.residual(flat.reshape(-1, 3)).ravel(), step, np.add, guess.ravel(),
        tolerance=1e-14 * scale, most_steps=_MOST_STEPS, shortest=1e-3,
    )  # fmt: skip
    return solution.q.reshape(-1, 3) if solution.size <= 1e-10 * scale else None


def banded(before: Floats, diagonal: Floats, after: Floats) -> Floats:
    """The eleven diagonals of a block tridiagonal matrix of 3×3 blocks, as LAPACK stores them."""
    rows = np.zeros((11, 3 * len(diagonal)))
    for i in range(3):
        for j in range(3):
            rows[5 + i - j, j::3] = diagonal[:, i, j]
            rows[2 + i - j, 3 + j :: 3] = after[:, i, j]
            rows[8 + i - j, j:-3:3] = before[:, i, j]
    return rows


class Motion:
    """Orientation, angular velocity and angular acceleration at given times."""

    quaternion: Any
    w: Any
    wdot: Any

    @cached_property
    def R(self) -> Any:
        """The rotation matrix, from body to fixed components."""
        return matrices(self.quaternion)

    @property
    def w_fixed(self) -> Any:
        """ω in the fixed frame's components."""
        return times(self.R, self.w)

    @property
    def wdot_fixed(self) -> Any:
        """ω̇ in the fixed frame's components: the same vector, for ω × ω = 0."""
        return times(self.R, self.wdot)


@dataclass(frozen=True, eq=False)
class RotationMotion(Motion):
    """A motion along cubics in a chart."""

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
    def w(self) -> Any:
        """ω in body components, rad/s."""
        x, y, z, _ = self._cubic
        return self._chart.velocity(self._c, ((3 * x * self._s + 2 * y) * self._s + z) / self._h)

    @cached_property
    def wdot(self) -> Any:
        """ω̇ in body components, rad/s²."""
        x, y, *_ = self._cubic
        return self._chart.angular_acceleration(self._c, (6 * x * self._s + 2 * y) / self._h**2, self.w)


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

    @cached_property
    def polynomials(self) -> tuple[Floats, Any]:
        """Knots and coefficients of a quaternion between them, by powers of τ from 0 to 1, constant first.

        The quaternion n of c has another length on either side of a knot. Times the quintic that has value, slope and
        curvature of 1/|n| at both ends it is twice continuously differentiable, as n/|n| is. Segments are divided until
        each coefficient of the quintic in Bernstein's form, and so the quintic itself, is positive.
        """
        c, k = self.coefficients[::-1], self.chart.k
        n = np.zeros((7, *c.shape[1:-1], 4), dtype=c.dtype)  # 1 - k c², (1 + k) c
        n[0, ..., 0], n[:4, ..., 1:] = 1, (1 + k) * c
        for power, factor in enumerate(c):
            n[power : power + 4, ..., 0] -= k * (factor * c).sum(axis=-1)
        t, n = self.t, product(self.reference, n)
        while True:
            rates = [polyder(n, order) for order in range(7)]
            (p, v, a), (P, V, A) = (_inverse_length(*(polyval(at, r) for r in rates[:3])) for at in (0.0, 1.0))
            controls = np.stack([p, p + v / 5, p + 2 * v / 5 + a / 20, P - 2 * V / 5 + A / 20, P - V / 5, P])
            if (controls.real > 0).all():
                break
            if len(t) > _MOST_PARTS * len(self.t):
                cure = "Put knots nearer to each other, or take smaller coefficients."
                raise PolhodeError("the curve turns too fast to be an expression.", "spline", cure, "E-PLANNING-FAILED")
            halves = [[polyval(at, r) / (factorial(k) * 2.0**k) for k, r in enumerate(rates)] for at in (0.0, 0.5)]
            n = np.swapaxes(halves, 0, 1).swapaxes(1, 2).reshape(7, -1, 4)
            t = np.append(np.stack([t[:-1], (t[:-1] + t[1:]) / 2], axis=1), t[-1])
        polynomials = np.zeros((12, *n.shape[1:]), dtype=n.dtype)
        for power in range(6):
            share = [(-1) ** (power - j) * comb(5, power) * comb(power, j) for j in range(power + 1)]
            polynomials[power : power + 7] += np.tensordot(share, controls[: power + 1], 1) * n
        return t, polynomials


def _inverse_length(n: Any, rate: Any, second: Any) -> tuple[Any, Any, Any]:
    """1/|n| and its first two derivatives."""
    s, sd = dot(n, n), dot(n, rate)
    return s**-0.5, -sd * s**-1.5, 3 * sd**2 * s**-2.5 - (dot(rate, rate) + dot(n, second)) * s**-1.5


def cubics_through(
    chart: Chart, t: Floats, knots: Any, start: Any, end: Any, place: str, acceleration: Floats | None = None
) -> Cubics:
    """Cubics through unit quaternions of continuous sign; imaginary parts follow by one exact Newton step.

    With an angular acceleration at the start, each segment continues the one before it.
    """
    h = np.diff(t)
    turns = product(conjugate(knots[:-1]), knots[1:])
    if chart.k:  # half of a turn is a unit quaternion's mean with that of no turn
        half = unit(turns + np.array([1.0, 0, 0, 0]))
        reference, c1 = product(knots[:-1], half), chart.of_quaternion(half)
        c0 = -c1
    else:
        reference, c1 = knots[:-1], chart.of_quaternion(turns)
        c0 = np.zeros_like(c1)
    if acceleration is not None:
        return Cubics(chart, t, reference, _recursion(chart, h, c0, c1, start, acceleration))
    mean = 2 * turns[:, 1:] / h[:, None]  # roughly: where Newton's method begins
    w = np.concatenate([mean[:1], (mean[:-1] + mean[1:]) / 2, mean[-1:]])
    for knot, velocity in ((0, start), (-1, end)):
        if velocity is not None:
            w[knot] = velocity
    held = (start is not None, end is not None)
    w_knots: Any = knot_velocities(KnotEquations(chart, h, c0.real, c1.real, held), w.real)
    step: Any = None
    if w_knots is not None and np.iscomplexobj(knots):
        w_knots = w_knots + 1j * w.imag
        left = KnotEquations(chart, h, c0, c1, held).residual(w_knots)
        step = KnotEquations(chart, h, c0.real, c1.real, held).step(w_knots.real, left.imag)
        w_knots = None if step is None else w_knots + 1j * step
    if w_knots is None:
        message = "no angular velocities at the knots make the angular acceleration continuous."
        cure = 'Put knots nearer to each other, or leave out chart="vector", which serves small turns.'
        raise PolhodeError(message, place, cure, "E-PLANNING-FAILED")
    v0, v1 = chart.rate(c0, w_knots[:-1]) * h[:, None], chart.rate(c1, w_knots[1:]) * h[:, None]
    cubic = np.stack([2 * (c0 - c1) + v0 + v1, 3 * (c1 - c0) - 2 * v0 - v1, v0, c0])
    return Cubics(chart, t, reference, cubic)


def _recursion(chart: Chart, h: Floats, c0: Floats, c1: Floats, w: Floats, wdot: Floats) -> Floats:
    """Coefficients of cubics from (ω, ω̇) at the start of each segment, that of the next being those at its end."""
    rows = []
    for length, begin, end in zip(h, c0, c1, strict=True):
        z = chart.rate(begin, w) * length
        y = chart.rate(begin, wdot - chart.turning(begin, w)) * length**2 / 2
        x = end - begin - z - y
        rows.append([x, y, z, begin])
        w = chart.velocity(end, 3 * x + 2 * y + z) / length
        wdot = chart.angular_acceleration(end, (6 * x + 2 * y) / length**2, w)
    return np.moveaxis(np.array(rows), 0, 1)
