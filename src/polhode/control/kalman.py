"""Observers of linear equations: the stationary Kalman filter, and Luenberger's observer with given poles.

R. E. Kalman and R. S. Bucy, *New results in linear filtering and prediction theory* (1961); D. G. Luenberger,
*Observing the state of a linear system* (1964).

    continuous               ẋ = A x + B δc + L (y - y₀ - C x)
    from sample to sample    x⁺ = A (x + L ν) + B δc,    ν = y - y₀ - C x;   the estimate is x + L ν

x are deviations from the operating point of `linearize`; L is that of the dual Riccati equation, or places poles.

The high-gain observer of speeds from measured coordinates: H. K. Khalil, *High-gain observers in nonlinear feedback
control* (2008); F. Esfandiari and H. K. Khalil, *Output feedback stabilization of fully linearizable systems* (1992).

    q̂̇ = Γ(q̂) û + (α₁/ε) (y - q̂),     û̇ = f(q̂, û, c) + (α₂/ε²) Γ⁻(q̂) (y - q̂),     y = q

The error decays as the roots of s² + α₁ s + α₂, ε times faster; noise is amplified by 1/ε. First-order states are
copied, ẑ̇ = their rates, with no correction.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..dynamics.equations import EquationsOfMotion
from ..errors import PolhodeError, check_kind, listed, number, understood
from ..expr import Expr, Vector, as_expr, substitute, symbol
from ..formalisms.derivation import Derived
from ..laws.controller import (
    Estimator,
    Observer,
    check_measurable,
    estimate_symbol,
    measured_symbols,
    named_numbers,
    starts_of,
)
from ..laws.law import ControllerState, sample_time_of
from ..linear.displacements import read_outputs
from ..linear.linear import Linear
from ..model.reading import list_of
from ..model.records import Parameter
from ..notebook import Cell, Table, complex_text
from .lqr import Deviations, deviations, held, solve_riccati, unreached
from .state_equations import state_equations
from .weights import Floats, weights


class LinearObserver(Observer):
    """An observer with a constant gain L about an operating point, as `gain` returns it."""

    def __init__(
        self,
        linear: Linear,
        outputs: Any,
        inputs: Sequence[str] | None = None,
        *,
        sample_time: float | None = None,
        start: Mapping[str, float] | None = None,
    ) -> None:
        check_kind(Linear, "a set of linear equations, as equations.linearize(…) returns it", linear, self.name)
        super().__init__(linear.equations, parameters=linear.given)
        self.linear = linear.with_ports(inputs, outputs)
        self._observed = self.linear.observed or read_outputs(
            self.equations, self.linear.moved, self.linear.states, "outputs"
        )
        check_measurable(self._observed, self.name)
        self.deviations: Deviations = deviations(self.linear, inputs, None, self.name)
        self.sample_time = None if sample_time is None else sample_time_of(sample_time, self.name)
        A, B = self.deviations.A, self.deviations.B
        self.A, self.B = (A, B) if self.sample_time is None else held(A, B, self.sample_time)
        self.C = self.linear.numbers("C")
        if self.linear.numbers("D").any():
            cure = "Measure coordinates, speeds and states."
            raise PolhodeError("an output depends on an input at once.", self.name, cure, "E-OBSERVER-UNSUPPORTED")
        for mode in unreached(self.A.T, self.C.T, self.is_sampled):
            blind = f"the outputs {', '.join(self.outputs)} do not observe the mode with the"
            message = f"{blind} {mode.in_words(self.states, self.is_sampled)}, which does not decay."
            raise PolhodeError(message, self.name, "Measure one of these states as well.", "E-OBSERVER-SINGULAR")
        starts = named_numbers(start, "state", self.states, f"{self.name} start")
        self._start = [starts.get(name, Fraction(0)) for name in self.states]
        self.L = self.gain()

    @abstractmethod
    def gain(self) -> Floats:
        """L: a row for each state, a column for each output."""

    @property
    def is_sampled(self) -> bool:
        """True for an observer in discrete time."""
        return self.sample_time is not None

    @property
    def states(self) -> tuple[str, ...]:
        """Names of the deviations that are estimated."""
        return self.deviations.names

    @property
    def outputs(self) -> list[str]:
        """Names of the outputs, the columns of L."""
        return self.linear.outputs

    @property
    def poles(self) -> NDArray[np.complex128]:
        """The eigenvalues of the error's motion; from sample to sample, with a sample time."""
        error = self.A - self.A @ self.L @ self.C if self.is_sampled else self.A - self.L @ self.C
        values = np.linalg.eigvals(error).astype(np.complex128)
        return values[np.argsort(-(np.abs(values) if self.is_sampled else values.real), kind="stable")]

    def _cell(self) -> Cell:
        rows = [
            (name, *(f"{entry:.6g}" for entry in row)) for name, row in zip(self.states, self.L.tolist(), strict=True)
        ]
        gain = Table(["gain L", *(f"by {name}" for name in self.outputs)], rows, numbers_from=1)
        poles = f"poles of the error: {', '.join(map(complex_text, self.poles.tolist()))}"
        return Cell(repr(self), [gain, poles, "" if self.sample_time is None else f"every {self.sample_time:g} s"])

    def design(self) -> Estimator:
        """Estimates of coordinates are q₀ + D δs, those of speeds and states u₀ + δu, z₀ + δz."""
        deviation, point = self.deviations, self.linear.point
        estimates = [estimate_symbol(name) for name in deviation.names]
        observed = self._observed
        y = measured_symbols(observed)
        at_rest = substitute([*observed.values()], point.values)
        surprise = [
            as_expr(a - b - _sum(row, estimates)) for a, b, row in zip(y, at_rest, self.C.tolist(), strict=True)
        ]  # fmt: skip
        corrected = [as_expr(x + _sum(row, surprise)) for x, row in zip(estimates, self.L.tolist(), strict=True)]
        pushed = [as_expr(c - c0) for c, c0 in zip(deviation.inputs.values(), deviation.steady, strict=True)]
        state = corrected if self.is_sampled else estimates
        change = [
            as_expr(_sum(a, state) + _sum(b, pushed)) for a, b in zip(self.A.tolist(), self.B.tolist(), strict=True)
        ]
        if not self.is_sampled:
            change = [as_expr(x + _sum(row, surprise)) for x, row in zip(change, self.L.tolist(), strict=True)]
        states = tuple(
            ControllerState(x, start, update=x_next) if self.is_sampled else ControllerState(x, start, rate=x_next)
            for x, start, x_next in zip(estimates, self._start, change, strict=True)
        )
        measured = dict(zip(y, observed.values(), strict=True))
        return Estimator(
            self._estimates(state), states, measured, tuple(deviation.inputs.values()), sample_time=self.sample_time
        )

    def _estimates(self, change: Sequence[Expr]) -> dict[Expr, Expr]:
        equations, at, moved = self.equations, self.linear.point.values, self.linear.moved
        count = len(moved.names)
        values = {x: at[x] for x in equations.tree.q}
        for direction, step in zip(moved.directions, change[:count], strict=True):
            slopes = substitute([as_expr(entry) for entry in direction], at)
            values = {x: as_expr(value + s * step) for (x, value), s in zip(values.items(), slopes, strict=True)}
        others = [*equations.u, *equations.z]
        return values | {x: as_expr(at[x] + step) for x, step in zip(others, change[count:], strict=True)}


class KalmanFilter(LinearObserver):
    """The stationary Kalman filter of linear equations.

    `process_noise` W is the covariance that a second of noise adds to the states; `measurement_noise` V is the density
    of the outputs' noise in continuous time, and with `sample_time` the covariance of a sample.

    >>> from polhode.model.samples.underactuated import cart_pole
    >>> linear = cart_pole().derive().linearize()
    >>> made = KalmanFilter(linear, ["x"], process_noise=1, measurement_noise=0.01)
    >>> made.L.shape, bool(made.poles.real.max() < 0), made.gain().shape
    ((4, 1), True, (4, 1))
    """

    def __init__(
        self,
        linear: Linear,
        outputs: Any,
        *,
        process_noise: Any,
        measurement_noise: Any,
        inputs: Sequence[str] | None = None,
        sample_time: float | None = None,
        start: Mapping[str, float] | None = None,
    ) -> None:
        self._noise = (process_noise, measurement_noise)
        super().__init__(linear, outputs, inputs, sample_time=sample_time, start=start)

    def gain(self) -> Floats:
        """L of the dual Riccati equation; `P` is the covariance of the error, before a sample where it is sampled."""
        W = weights("process_noise", self._noise[0], self.states, self.name) * (self.sample_time or 1.0)
        V = weights("measurement_noise", self._noise[1], self.outputs, self.name, positive=True)
        for mode in unreached(self.A, W, self.is_sampled):
            if mode.is_at_edge(self.is_sampled):
                still = f"no noise drives the mode with the {mode.in_words(self.states, self.is_sampled)}"
                message = f"{still}, which keeps its size: its estimate would never settle."
                raise PolhodeError(message, self.name, "Give one of these states process noise.", "E-OBSERVER-SINGULAR")
        riccati = solve_riccati(self.A.T, self.C.T, W, V, self.states, self.name, self.is_sampled)
        self.P: Floats = riccati.P
        if not self.is_sampled:
            return riccati.K.T
        return np.asarray(np.linalg.solve(self.C @ self.P @ self.C.T + V, self.C @ self.P).T, dtype=np.float64)


class Luenberger(LinearObserver):
    """An observer of linear equations whose error moves with given `poles`, as many as there are states.

    >>> from polhode.model.samples.underactuated import cart_pole
    >>> linear = cart_pole().derive().linearize()
    >>> made = Luenberger(linear, ["x", "theta"], poles=[-4, -5, -6, -7])
    >>> made.poles.real.round(6).tolist()
    [-4.0, -5.0, -6.0, -7.0]
    """

    def __init__(
        self,
        linear: Linear,
        outputs: Any,
        *,
        poles: Sequence[complex],
        inputs: Sequence[str] | None = None,
        start: Mapping[str, float] | None = None,
    ) -> None:
        self._poles = poles
        super().__init__(linear, outputs, inputs, start=start)

    def gain(self) -> Floats:
        """L by A. L. Tits and Y. Yang's choice of eigenvectors (1996)."""
        from scipy.signal import place_poles

        poles = list_of(self._poles, "a list of poles", f"{self.name} poles")
        with understood("poles", poles, place=self.name, cure="Give numbers, conjugate ones in pairs."):
            wanted = np.array(poles, dtype=np.complex128)
        if wanted.shape != (len(self.A),) or not (np.isfinite(wanted).all() and wanted.real.max() < 0):
            message = f"{len(self.A)} poles with negative real parts are needed."
            raise PolhodeError(message, self.name, "Give as many as there are states.", "E-OBSERVER-NUMBER")
        try:
            placed = place_poles(self.A.T, self.C.T, wanted)
        except ValueError as error:
            message = f"these poles cannot be placed: {str(error).rstrip('.')}."
            cure = "Give conjugate poles in pairs, and no pole more often than there are outputs."
            raise PolhodeError(message, self.name, cure, "E-OBSERVER-SINGULAR") from error
        return np.asarray(placed.gain_matrix.T, dtype=np.float64)


def _sum(row: Sequence[float], values: Sequence[Expr]) -> Expr:
    return as_expr(Vector([as_expr(entry) for entry in row]).dot(Vector(values)))


class HighGain(Observer):
    """A high-gain observer of a mechanism whose coordinates are all measured.

    `epsilon` is the time in seconds in which the error decays, `gains` are α₁ and α₂.

    >>> from polhode.model.samples.underactuated import cart_pole
    >>> HighGain(cart_pole().derive(), ["x", "theta"], epsilon=0.01)
    HighGain(of 'cart-pole' by y_x and y_theta)
    """

    def __init__(
        self,
        equations: Derived | EquationsOfMotion,
        outputs: Sequence[str] | None = None,
        epsilon: float = 0.01,
        *,
        gains: Sequence[float] = (2.0, 1.0),
        inputs: Sequence[str] | None = None,
        start: Mapping[str, float] | None = None,
        parameters: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(equations, parameters=parameters)
        record = self.equations
        named = (
            record.coordinates if outputs is None else list_of(outputs, "a list of coordinates", f"{self.name} outputs")
        )
        if record.quaternions or {*map(str, named)} != {*record.coordinates} or len(named) != len(record.coordinates):
            every = f"a high-gain observer measures every coordinate ({listed(record.coordinates)})"
            message = f"{every}, none of them a quaternion's, and nothing else."
            raise PolhodeError(message, self.name, "Name all coordinates, or take an EKF.", "E-OBSERVER-UNSUPPORTED")
        read = [epsilon, *list_of(gains, "two gains", f"{self.name} gains")]
        with understood("positive numbers", read, place=self.name, cure="Give epsilon in seconds and gains=(2, 1)."):
            self.epsilon, first, second = (number(x, "a number > 0", above=0.0, place=self.name) for x in read)
        self.gains = [first, second]
        self.plant = state_equations(record, inputs, self.name)
        self.start = starts_of(record, start, self.name)

    def design(self) -> Estimator:
        """The copy of the mechanism with its corrections."""
        e, plant = self.equations, self.plant
        seen = {x: estimate_symbol(name) for x, name in zip(plant.x, plant.spellings, strict=True)}
        y = measured_symbols(e.coordinates)
        names = ("high gain epsilon", "high gain 1", "high gain 2")
        epsilon, a1, a2 = (symbol(name, "parameter") for name in names)
        off = Vector([as_expr(a - b) for a, b in zip(y, e.q, strict=True)])
        turned = e.tree.kinematic_left_inverse() @ off
        corrections = [*off * (a1 / epsilon), *turned * (a2 / (epsilon * epsilon)), *[as_expr(0)] * len(e.z)]
        rates = substitute([as_expr(f + c) for f, c in zip(plant.rates, corrections, strict=True)], seen)
        states = tuple(
            ControllerState(seen[x], self.start[x], rate=rate) for x, rate in zip(plant.x, rates, strict=True)
        )
        values = (self.epsilon, *self.gains)
        parameters = {p.name: Parameter(p, Fraction(value)) for p, value in zip((epsilon, a1, a2), values, strict=True)}
        estimates: dict[Expr, Expr] = dict(seen)
        return Estimator(estimates, states, dict(zip(y, e.q, strict=True)), tuple(plant.inputs.values()), parameters)
