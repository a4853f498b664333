"""Curves on SO(3) through given orientations, twice differentiable, with chosen angular velocities at their ends.

C. D. Mladenova, section 9.2: on each segment R(t) = R_ref R(c(t)) with c a cubic, (389)–(397). Frames do not matter:
the same curve comes out however the fixed and the body frame are turned (bi-invariance).

The curve of least ∫ |ω̇|² dt satisfies ω⃛ = ω̈ × ω between knots, with ω in body components (L. Noakes, G. Heinzinger,
B. Paden, Cubic splines on curved spaces, 1989); ω and ω̇ are continuous at the knots, ω̈ jumps; an end whose velocity
is free has ω̇ = 0. This boundary-value problem is solved by multiple shooting: each segment is cut into a few
intervals, and orientation, ω, ω̇ and ω̈ at their nodes are found by Newton's method from the flows over the intervals.
The equation is polynomial, so a flow is a Taylor series whose coefficients follow by recurrence; its derivatives are
exact by a complex step.

Curves on SE(3) through given poses: apart, the origin of the moving frame goes along a cubic spline and the frame turns
by a `RotationSpline`: the origin's way does not depend on the turns, but another point of the body as origin gives
another motion. Together (`coupling= "screw"`), the formulas of the turns are taken over dual numbers, a turn by an
angle becoming a screw by an angle and a distance (the principle of transference; Mladenova, section 4.2): the body's
motion is then the same whichever of its points, and whichever fixed frame, is taken. There is no third way that has
both.

The dual part of a number is carried as a tiny imaginary part, along which every formula is differentiated exactly.

Splines as expressions of time: prescribed motions, references of controllers, programmes.

A segment's orientation is n/|n| with n a polynomial of four components. Tables of these polynomials are functions that
derivatives and native code take as they are, exactly:

    R = R(n),    ω = 2 vec(n* ∘ n')/|n|²,    ω̇ = 2 vec(n* ∘ n'')/|n|² - 2 (n·n')/|n|² ω

Over dual numbers n + ε m is a screw motion, and p = 2 vec(m ∘ n*)/|n|². Beyond its knots a table goes on in a straight
line: a motion that ends at rest stays where it is.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..constraints.newton import solve
from ..errors import PolhodeError, check_known, unknown
from ..expr import Expr, Matrix, Vector, as_expr, derivative, sqrt, substitute, symbol, table
from ..expr.calls import Function
from ..geometry.pose import pose_parts
from ..geometry.rotations.quaternion import from_lift
from ..laws.law import Curve
from .charts import CHARTS, Floats, conjugate, cross, dot, from_turn, matrices, product, times, unit
from .cubics import (
    Cubics,
    Motion,
    RotationMotion,
    cubics_through,
    end_vector,
    knot_times,
    numbers,
    on_one_side,
    place_in,
    unit_quaternions,
)

_PLACE = "RotationSpline"


class RotationSpline(Curve):
    """A curve through rotations R at times t with continuous angular velocity and acceleration.

    `R` is an array of n matrices, or rotations (`ph.Rotation`, SciPy's): one object, or a list. `start` and `end` are
    the angular velocities at the ends in body components; where one is not given, the angular acceleration is nought
    there. Consecutive orientations are less than half a turn apart. `chart="vector"` writes each segment as a cubic in
    the vector-parameter from its start, (389), which serves small turns; the default, the vector-parameter of half the
    turn from its middle, any. `least="acceleration"` is the curve with the smallest ∫ |ω̇|² dt of all through the knots.
    With `start` and `start_acceleration` each segment continues the one before it, as in Mladenova's section 9.2.3:
    deviations grow by -(2 + √3) a knot. Called with an expression, such as `system.time`, it gives expressions.

    >>> import numpy as np
    >>> quarter = np.array([[0.0, -1, 0], [1, 0, 0], [0, 0, 1]])
    >>> curve = RotationSpline([0, 1, 3], [np.eye(3), quarter, np.eye(3)], start=(0, 0, 0), end=(0, 0, 0))
    >>> curve(1).R.round(6).astype(int).tolist(), curve(0.5).w.round(3).tolist()
    ([[0, -1, 0], [1, 0, 0], [0, 0, 1]], [0.0, 0.0, 2.086])
    """

    def __init__(
        self,
        t: ArrayLike,
        R: Any,
        *,
        start: ArrayLike | None = None,
        end: ArrayLike | None = None,
        start_acceleration: ArrayLike | None = None,
        chart: str = "half",
        least: str | None = None,
    ) -> None:
        check_known("chart", [chart], CHARTS, place=_PLACE, code="E-PLANNING-NAME")
        if least not in (None, "acceleration"):
            raise unknown("aim", least, ["acceleration"], code="E-PLANNING-NAME", place=_PLACE)
        self.t = knot_times(t, _PLACE)
        self._knots = unit_quaternions(R, len(self.t), _PLACE)
        self._start, self._end = end_vector(start, "start", _PLACE), end_vector(end, "end", _PLACE)
        acceleration = end_vector(start_acceleration, "start_acceleration", _PLACE)
        if acceleration is not None and (start is None or end is not None or least is not None):
            message = "an angular acceleration at the start goes with an angular velocity there, and with nothing else."
            cure = "Give start=… and leave out end and least."
            raise PolhodeError(message, _PLACE, cure, "E-PLANNING-TYPE")
        self._segments: Any = cubics_through(
            CHARTS[chart], self.t, self._knots, self._start, self._end, _PLACE, acceleration
        )
        if least is not None:
            self._segments = extremal(self)

    def __repr__(self) -> str:
        return f"RotationSpline({len(self.t)} rotations from {self.t[0]:g} to {self.t[-1]:g} s)"

    def __call__(self, t: ArrayLike | Expr) -> Any:
        """The motion at a time or an array of times: `.R`, `.quaternion`, `.w`, `.wdot`, `.w_fixed`, `.wdot_fixed`."""
        if isinstance(t, Expr):
            return motion_of(t, self._functions)
        times, segment = place_in(self.t, t, _PLACE)
        return self._segments.at(times, segment)

    @classmethod
    def from_coefficients(cls, t: ArrayLike, R: Any, x: ArrayLike, y: ArrayLike, z: ArrayLike) -> RotationSpline:
        """The curve from R at t[0] whose segments are R_k R(c), c = x_k τ³ + y_k τ² + z_k τ, τ from 0 to 1, (390).

        c are vector-parameters; `x`, `y` and `z` have a row of three for each segment, which begins where
        the one before it ends. Velocities are continuous where the coefficients make them so.
        """
        spline, chart = cls.__new__(cls), CHARTS["vector"]
        spline.t = knot_times(t, _PLACE)
        cubic = np.zeros((4, len(spline.t) - 1, 3))
        for k, coefficients in enumerate((x, y, z)):
            rows = numbers(coefficients, "the coefficients", _PLACE)
            if rows.shape != cubic[k].shape:
                message = f"the coefficients have the shape {rows.shape}, not {cubic[k].shape}."
                raise PolhodeError(message, _PLACE, "Give a row for each segment.", "E-PLANNING-SHAPE")
            cubic[k] = rows
        knots = [unit_quaternions([R], 1, _PLACE)[0]]
        for turn in unit(chart.quaternion(cubic.sum(axis=0))):
            knots.append(product(knots[-1], turn))
        spline._knots, spline._start, spline._end = np.array(knots), None, None
        spline._segments = Cubics(chart, spline.t, spline._knots[:-1], cubic)
        return spline

    @property
    def coefficients(self) -> tuple[Floats, Floats, Floats]:
        """x, y, z of c = x τ³ + y τ² + z τ on each segment, τ from 0 to 1, (390); of `chart="vector"`."""
        cubics = self._segments
        if not isinstance(cubics, Cubics) or cubics.chart.k:
            message = "the segments are no cubics in the vector-parameter from their start."
            raise PolhodeError(message, _PLACE, 'Make the spline with chart="vector".', "E-PLANNING-TYPE")
        x, y, z, _ = cubics.coefficients
        return x, y, z

    @cached_property
    def _functions(self) -> list[Function]:
        """Components of a quaternion along the curve, twice continuously differentiable, not of unit length."""
        return functions_of("orientation", *self._segments.polynomials)

    @property
    def knots(self) -> Floats:
        """Orientations at the knots, as unit quaternions, scalar first."""
        return self._knots

    @property
    def ends(self) -> tuple[Floats | None, Floats | None]:
        """The given angular velocities at its ends."""
        return self._start, self._end

    def effort(self, nodes: int = 12) -> float:
        """∫ |ω̇|² dt, by Gauss's rule with this many nodes on each segment: what `least="acceleration"` makes least."""
        abscissa, weight = np.polynomial.legendre.leggauss(nodes)
        h = np.diff(self.t)[:, None]
        at = self.t[:-1, None] + h * (abscissa + 1) / 2
        square = np.sum(self(at.ravel()).wdot ** 2, axis=-1).reshape(at.shape)
        return float(np.sum(square * weight * h / 2))


#: Intervals in a segment, and terms of the series in each: with two turns a segment, what is left out is below 1e-16.
_INTERVALS, _TERMS = 4, 22
_COMPLEX_STEP = 1e-40
_MOST_STEPS = 60


@dataclass(frozen=True, eq=False)
class ExtremalMotion(Motion):
    """A motion along series."""

    _q: Floats
    _w: Floats
    _s: Floats
    _h: Floats

    @cached_property
    def quaternion(self) -> Any:
        """The orientation as a unit quaternion, scalar first."""
        q = _horner(self._q, self._s)
        return q / np.linalg.norm(q, axis=-1, keepdims=True)

    @cached_property
    def w(self) -> Any:
        """ω in body components, rad/s."""
        return _horner(self._w, self._s) / self._h

    @cached_property
    def wdot(self) -> Any:
        """ω̇ in body components, rad/s²."""
        powers = np.arange(1, len(self._w)).reshape(-1, *[1] * (self._w.ndim - 1))
        return _horner(self._w[1:] * powers, self._s) / self._h**2


@dataclass(frozen=True, eq=False)
class Extremal:
    """Series of q and ω for each interval, by time in units of its length."""

    t: Floats
    q: Floats
    w: Floats

    @property
    def polynomials(self) -> tuple[Floats, Floats]:
        """Nodes and coefficients of the quaternion between them, constant first."""
        return self.t, self.q

    def at(self, t: Floats, segment: NDArray[np.intp]) -> ExtremalMotion:
        inner = np.searchsorted(self.t, t, side="right") - 1
        k = np.clip(inner, _INTERVALS * segment, _INTERVALS * (segment + 1) - 1)
        h = (self.t[k + 1] - self.t[k])[..., None]
        return ExtremalMotion(self.q[:, k], self.w[:, k], (t - self.t[k])[..., None] / h, h)


def extremal(spline: RotationSpline) -> Extremal:
    """The curve of least ∫ |ω̇|² dt through the knots of a spline, which is where the search begins."""
    part = np.arange(_INTERVALS) / _INTERVALS
    inner = (spline.t[:-1, None] + np.diff(spline.t)[:, None] * part).ravel()
    t = np.concatenate([inner, spline.t[-1:]])
    problem = _Shooting(t, *spline.ends)
    guess, h = spline(t), problem.h
    late = spline(t[:-1] + 1e-3 * h[:, 0])
    q = guess.quaternion
    q[::_INTERVALS] = spline.knots
    begin = _Nodes(on_one_side(q), guess.w, guess.wdot, (late.wdot - guess.wdot[:-1]) / (1e-3 * h))
    solution = solve(
        problem.residual, problem.step, problem.moved, problem.clamped(begin).flat,
        tolerance=1e-13, most_steps=_MOST_STEPS, shortest=1e-4,
    )  # fmt: skip
    if not solution.size <= 1e-9:
        cure = 'Put knots nearer to each other, or leave out least="acceleration".'
        raise PolhodeError("no curve of least acceleration was found.", "RotationSpline", cure, "E-PLANNING-FAILED")
    nodes = _Nodes.of(solution.q)
    turns, w = _series(problem.begins(nodes))
    return Extremal(t, product(nodes.q[:-1], turns), w)


@dataclass(frozen=True, eq=False)
class _Nodes:
    """Orientation, ω and ω̇ at each node, and ω̈ at the start of each interval."""

    q: Any
    w: Any
    a: Any
    j: Any

    @property
    def flat(self) -> Any:
        return np.concatenate([part.ravel() for part in (self.q, self.w, self.a, self.j)])

    @classmethod
    def of(cls, flat: Any) -> _Nodes:
        count = (len(flat) + 3) // 13
        q, w, a, j = np.split(flat, np.cumsum([4 * count, 3 * count, 3 * count]))
        return cls(q.reshape(-1, 4), *(part.reshape(-1, 3) for part in (w, a, j)))


@dataclass(frozen=True, eq=False)
class _Shooting:
    """The nodes' times and the velocities at the ends: what the flows over the intervals have to meet."""

    t: Floats
    start: Floats | None
    end: Floats | None

    @cached_property
    def h(self) -> Floats:
        return np.diff(self.t)[:, None]

    @property
    def _ends(self) -> tuple[tuple[int, Floats | None], ...]:
        return (0, self.start), (-1, self.end)

    def clamped(self, nodes: _Nodes) -> _Nodes:
        """With the velocities that are given, or else no acceleration, at the ends."""
        w, a = nodes.w.copy(), nodes.a.copy()
        for end, velocity in self._ends:
            if velocity is None:
                a[end] = 0
            else:
                w[end] = velocity
        return _Nodes(nodes.q, w, a, nodes.j)

    @cached_property
    def _free(self) -> NDArray[np.intp]:
        """Indices of unknown turns, ω and ω̇ at the nodes and ω̈ in the intervals; knots do not turn."""
        count = len(self.t)
        turns, w, a = np.ones((3, count, 3), dtype=bool)
        turns[::_INTERVALS] = False
        for end, velocity in self._ends:
            (a if velocity is None else w)[end] = False
        return np.flatnonzero(np.concatenate([turns, w, a, np.ones((count - 1, 3), dtype=bool)]))

    @cached_property
    def _inner(self) -> Any:
        """The intervals that end within a segment, where ω̈ is continuous too."""
        return np.arange(1, len(self.t)) % _INTERVALS != 0

    def begins(self, nodes: _Nodes) -> Any:
        """(ω, ω̇, ω̈) at the start of each interval, in units of its length."""
        return np.stack([nodes.w[:-1] * self.h, nodes.a[:-1] * self.h**2, nodes.j * self.h**3])

    @np.errstate(over="ignore", invalid="ignore")  # a step that is far too long is halved
    def residual(self, flat: Floats) -> Floats:
        """Differences between the ends of intervals and the next nodes."""
        nodes, h = _Nodes.of(flat), self.h
        turns, ends = _flow(self.begins(nodes))
        gaps = [_gap(nodes, turns), ends[0] - nodes.w[1:] * h, ends[1] - nodes.a[1:] * h**2]
        jump = ends[2][:-1] - nodes.j[1:] * h[:-1] ** 3
        return np.concatenate([*(gap.ravel() for gap in gaps), jump[self._inner[:-1]].ravel()])

    def step(self, flat: Floats, left: Floats) -> Floats | None:
        """Newton's step, by the exact derivatives of the flows; None where there is none."""
        from scipy.sparse.linalg import splu

        try:
            step = splu(self._jacobian(_Nodes.of(flat))).solve(-left)
        except RuntimeError:  # singular
            return None
        full = np.zeros(3 * (4 * len(self.t) - 1))
        full[self._free] = step
        return full

    def moved(self, flat: Floats, step: Floats) -> Any:
        """The variables after a step: nodes turn, the others are added."""
        nodes = _Nodes.of(flat)
        count = len(self.t)
        turns, w, a, j = np.split(step.reshape(-1, 3), [count, 2 * count, 3 * count])
        q = nodes.q.copy()
        inner = np.arange(count) % _INTERVALS != 0
        q[inner] = product(q[inner], from_turn(turns[inner]))
        return _Nodes(q, nodes.w + w, nodes.a + a, nodes.j + j).flat

    def _jacobian(self, nodes: _Nodes) -> Any:
        """The residual's derivative by what is free."""
        from scipy.sparse import csc_array

        begin, h, count = self.begins(nodes), self.h[:, 0], len(self.h)
        moved = np.repeat(begin[:, None].astype(complex), 9, axis=1)
        for k in range(9):
            moved[k // 3, k, :, k % 3] += 1j * _COMPLEX_STEP
        turns, ends = _flow(moved)
        flows = np.concatenate([_gap(nodes, turns), *ends], axis=-1).imag / _COMPLEX_STEP  # (9, intervals, 12)
        flows = np.moveaxis(flows, 0, -1)
        at = np.arange(count)
        entries: list[tuple[Any, Any, Any]] = []

        def add(row: Any, column: Any, blocks: Any) -> None:
            rows = 3 * np.asarray(row)[:, None, None] + np.arange(3)[:, None]
            columns = 3 * np.asarray(column)[:, None, None] + np.arange(3)
            row_of, column_of, values = (array.ravel() for array in np.broadcast_arrays(rows, columns, blocks))
            entries.append((row_of, column_of, values))

        inner = np.flatnonzero(self._inner[:-1])
        jump_rows = 3 * count + np.arange(len(inner))
        for k in range(3):  # by ω, ω̇, ω̈ at the start of the interval
            column = (k + 1) * (count + 1) + at
            by = flows[..., 3 * k : 3 * k + 3] * h[:, None, None] ** (k + 1)
            for row in range(3):
                add(row * count + at, column, by[:, 3 * row : 3 * row + 3])
            add(jump_rows, column[inner], by[inner, 9:])
        for k in (1, 2):  # by ω and ω̇ at its end
            add(k * count + at, k * (count + 1) + at + 1, -(h[:, None, None] ** k) * np.eye(3))
        add(jump_rows, 3 * (count + 1) + inner + 1, -(h[inner, None, None] ** 3) * np.eye(3))
        early, late = _gap_by_turns(nodes, turns[0].real)
        add(at, at, early)
        add(at, at + 1, late)
        rows, columns, values = (np.concatenate(parts) for parts in zip(*entries, strict=True))
        shape = (3 * (3 * count + len(inner)), 3 * (4 * (count + 1) - 1))
        return csc_array((values, (rows, columns)), shape=shape)[:, self._free]


def _gap(nodes: _Nodes, turns: Any) -> Any:
    """Twice the vector of the rotation from the next node to the end of an interval."""
    return 2 * product(product(conjugate(nodes.q[1:]), nodes.q[:-1]), turns)[..., 1:]


def _gap_by_turns(nodes: _Nodes, turns: Floats) -> tuple[Floats, Floats]:
    """The derivatives of `_gap` by turns of an interval's first and last node."""
    between = product(conjugate(nodes.q[1:]), nodes.q[:-1])
    units = np.eye(4)[1:, None]
    early = product(product(between, units), turns)[..., 1:]
    late = -product(units, product(between, turns))[..., 1:]
    return np.moveaxis(early, 0, -1), np.moveaxis(late, 0, -1)


def _series(begin: Any) -> tuple[Any, Any]:
    """Coefficients by powers of the turn since the start of an interval, as a quaternion, and of ω."""
    shape, dtype = begin.shape[1:-1], begin.dtype
    q = np.empty((_TERMS + 1, *shape, 4), dtype=dtype)
    w = np.empty((_TERMS + 1, *shape, 3), dtype=dtype)
    weights = _powers(w) * (_powers(w) - 1)
    q[0] = np.array([1.0, 0, 0, 0])
    w[0], w[1], w[2] = begin[0], begin[1], begin[2] / 2
    for k in range(_TERMS):
        if k + 3 <= _TERMS:  # ω⃛ = ω̈ × ω, by powers
            bends = cross(weights[2 : k + 3] * w[2 : k + 3], w[k::-1]).sum(axis=0)
            w[k + 3] = bends / ((k + 1) * (k + 2) * (k + 3))
        q[k + 1] = _times_vector(q[: k + 1], w[k::-1]).sum(axis=0) / (2 * (k + 1))  # q̇ = q ω / 2
    return q, w


def _powers(coefficients: Any) -> Floats:
    return np.arange(float(len(coefficients))).reshape(-1, *[1] * (coefficients.ndim - 1))


def _flow(begin: Any) -> tuple[Any, tuple[Any, Any, Any]]:
    """Ends of intervals: the rotation since their start, and (ω, ω̇, ω̈)."""
    q, w = _series(begin)
    power = _powers(w)
    return q.sum(axis=0), (w.sum(axis=0), (power * w).sum(axis=0), (power * (power - 1) * w).sum(axis=0))


def _horner(coefficients: Any, s: Any) -> Any:
    total = coefficients[-1]
    for coefficient in coefficients[-2::-1]:
        total = total * s + coefficient
    return total


def _times_vector(q: Any, w: Any) -> Any:
    """q (0, w)."""
    a, u = q[..., :1], q[..., 1:]
    return np.concatenate([-dot(u, w), a * w + cross(u, w)], axis=-1)


_POSES = "PoseSpline"
_EPSILON = 1e-40
_CURE = "Give poses, pairs (R, p) or (p, R), or 4×4 matrices, one for each time."


@dataclass(frozen=True, eq=False)
class PoseMotion(Motion):
    """Pose, velocities and accelerations at given times.

    `quaternion`, scalar first, and `R` take body to fixed components; `w` and `wdot` are in body components, `p`, `v`
    and `a` (place, velocity and acceleration of the moving frame's origin) in those of the fixed frame.
    """

    quaternion: Floats
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


class PoseSpline(Curve):
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
            raise unknown("coupling", coupling, ["separate", "screw"], code="E-PLANNING-NAME", place=_POSES)
        self.t = knot_times(t, _POSES)
        R, p = _read(poses, len(self.t))
        ends = [_end(velocity, what) for velocity, what in ((start, "start"), (end, "end"))]
        self._curve: Any = (_Apart if coupling == "separate" else _Screws)(self.t, R, p, ends)
        self._coupling = coupling

    def __repr__(self) -> str:
        return f"PoseSpline({len(self.t)} poses from {self.t[0]:g} to {self.t[-1]:g} s, {self._coupling})"

    def __call__(self, t: ArrayLike | Expr) -> Any:
        """The motion at a time or an array of times: `.R`, `.quaternion`, `.p`, `.w`, `.wdot`, `.v`, `.a`, `.twist`,
        `.matrix`; as expressions, of an expression such as `system.time`.
        """
        if isinstance(t, Expr):
            return motion_of(t, *self._curve.functions)
        return self._curve.at(*place_in(self.t, t, _POSES))


class _Apart:
    """A spline of the orientation and one of the origin's place."""

    def __init__(self, t: Floats, R: Floats, p: Floats, ends: list[Any]) -> None:
        from scipy.interpolate import CubicSpline

        (w0, v0), (w1, v1) = ((None, None) if end is None else end for end in ends)
        self._turns = RotationSpline(t, R, start=w0, end=w1)
        free = (2, np.zeros(3))
        conditions = (free if v0 is None else (1, v0), free if v1 is None else (1, v1))
        self._places = CubicSpline(t, p, bc_type=conditions)

    @cached_property
    def functions(self) -> tuple[list[Function], list[Function], bool]:
        """The orientation's quaternion and the position as functions of time."""
        c = self._places.c[::-1] * np.diff(self._places.x)[:, None] ** np.arange(4)[:, None, None]
        return self._turns._functions, functions_of("position", self._places.x, c), False

    def at(self, t: Floats, segment: Any) -> PoseMotion:
        turn = self._turns(t)
        return PoseMotion(turn.quaternion, self._places(t), turn.w, turn.wdot, self._places(t, 1), self._places(t, 2))


class _Screws:
    """Cubics over dual numbers."""

    def __init__(self, t: Floats, R: Floats, p: Floats, ends: list[Any]) -> None:
        q = unit_quaternions(R, len(t), _POSES)
        dual = np.concatenate([np.zeros_like(p[:, :1]), p], axis=-1)
        knots = q + 1j * _EPSILON * product(dual, q) / 2  # the unit dual quaternion of a pose: q + μ p q / 2
        start, end = (
            None if velocity is None else velocity[0] + 1j * _EPSILON * (R[k].T @ velocity[1])
            for k, velocity in ((0, ends[0]), (-1, ends[1]))
        )
        self._cubics = cubics_through(CHARTS["half"], t, knots, start, end, _POSES)

    @cached_property
    def functions(self) -> tuple[list[Function], list[Function], bool]:
        """Real and dual part of a dual quaternion along the curve."""
        t, n = self._cubics.polynomials
        real, dual = functions_of("orientation", t, n.real), functions_of("dual", t, n.imag / _EPSILON)
        return real, dual, True

    def at(self, t: Floats, segment: Any) -> PoseMotion:
        motion: RotationMotion = self._cubics.at(t, segment)
        q, w, wdot = ((order.real, order.imag / _EPSILON) for order in (motion.quaternion, motion.w, motion.wdot))
        R = matrices(q[0])
        position = 2 * product(q[1], conjugate(q[0]))[..., 1:]
        return PoseMotion(q[0], position, w[0], wdot[0], times(R, w[1]), times(R, wdot[1] + cross(w[0], w[1])))


def _end(value: Any, what: str) -> tuple[Floats, Floats] | None:
    """An end's (ω, v)."""
    if value is None:
        return None
    try:
        w, v = value
    except (TypeError, ValueError):
        raise PolhodeError(
            f"{what} is not a pair of velocities.", place=_POSES, cure="Give (angular velocity, velocity).",
            code="E-PLANNING-TYPE",
        ) from None  # fmt: skip
    pair = (end_vector(w, f"the angular velocity of {what}", _POSES), end_vector(v, f"the velocity of {what}", _POSES))
    if pair[0] is None or pair[1] is None:
        return _end((), what)
    return pair[0], pair[1]


def _read(poses: Any, count: int) -> tuple[Floats, Floats]:
    """Rotation matrices and places of poses in any of their forms."""
    try:
        listed = list(poses)
    except TypeError:
        raise PolhodeError("the poses are not a list.", place=_POSES, cure=_CURE, code="E-PLANNING-TYPE") from None
    pairs = [_pair(value, k) for k, value in enumerate(listed)]
    if len(pairs) != count:
        raise PolhodeError(f"there are {len(pairs)} poses and {count} times.", _POSES, _CURE, "E-PLANNING-SHAPE")
    return np.stack([R for R, _ in pairs]), np.stack([p for _, p in pairs])


def _pair(pose: Any, number: int) -> tuple[Floats, Floats]:
    parts = pose_parts(pose)
    if parts is not None:
        R, p = (numbers(part, f"pose {number}", _POSES) for part in parts)
    else:
        X = numbers(pose, f"pose {number}", _POSES)
        if X.shape != (4, 4) or np.abs(X[3] - [0, 0, 0, 1]).max() > 0:
            raise PolhodeError(f"pose {number} is none.", place=_POSES, cure=_CURE, code="E-PLANNING-TYPE")
        R, p = X[:3, :3], X[:3, 3]
    if R.shape != (3, 3) or p.shape != (3,):
        raise PolhodeError(f"pose {number} is none.", place=_POSES, cure=_CURE, code="E-PLANNING-TYPE")
    return R, p


_ARGUMENT = symbol("tau", "argument")


@dataclass(frozen=True, eq=False, repr=False)
class RotationExpressions:
    """Orientation of a spline, ω and ω̇ in body components, as expressions of its argument; rates are by that."""

    quaternion: Vector
    R: Matrix
    w: Vector
    wdot: Vector

    def as_matrix(self) -> Matrix:
        """R, wherever a rotation is taken."""
        return self.R


@dataclass(frozen=True, eq=False, repr=False)
class PoseExpressions(RotationExpressions):
    """The same with position, velocity and acceleration of the origin in the fixed frame."""

    p: Vector
    v: Vector
    a: Vector


def functions_of(name: str, t: Floats, coefficients: Floats) -> list[Function]:
    """Functions of time, one a component, of coefficients by powers of τ in (0, 1) on each segment, constant first."""
    scales = np.diff(t) ** np.arange(len(coefficients))[:, None]
    rows = np.moveaxis(coefficients / scales[..., None], (2, 1), (0, 1))
    return [table(t, row, name=f"{name}_{k}", kind="polynomial", outside="line") for k, row in enumerate(rows)]


def motion_of(t: Expr, n: list[Function], m: list[Function] | None = None, is_dual: bool = False) -> Any:
    """The motion with the quaternion n of any length and the position m, or its dual part m, at an expression."""
    orders = [[as_expr(n_k(_ARGUMENT)) for n_k in n]]
    orders += [derivative(orders[0], _ARGUMENT)]
    orders += [derivative(orders[1], _ARGUMENT)]
    q, rate, second = map(Vector, orders)
    square = q.dot(q)
    w = _vec(q, rate) * (2 / square)
    wdot = (_vec(q, second) - w * q.dot(rate)) * (2 / square)
    parts = [[x / sqrt(square) for x in q], from_lift(tuple(q)).entries(), w, wdot]
    if m is not None:
        p = Vector([as_expr(m_k(_ARGUMENT)) for m_k in m])
        if is_dual:
            p = from_lift(tuple(q)) @ _vec(q, p) * (2 / square)  # vec(m ∘ n*) is vec(n* ∘ m), turned
        v = derivative(list(map(as_expr, p)), _ARGUMENT)
        parts += [p, v, derivative(v, _ARGUMENT)]
    e, R, *others = ([*substitute([as_expr(x) for x in part], {_ARGUMENT: t})] for part in parts)
    kind = RotationExpressions if m is None else PoseExpressions
    return kind(Vector(e), Matrix([R[:3], R[3:6], R[6:]]), *map(Vector, others))


def _vec(n: Vector, m: Vector) -> Vector:
    """The vector part of n* ∘ m."""
    a, b = Vector(n[1:]), Vector(m[1:])
    return Vector(b * n[0] - a * m[0] - a.cross(b))
