"""Sensitivities: how a run varies with parameters, inputs, efforts and start values.

The variational equations Ṡ = ∂f/∂x S + ∂f/∂p are integrated together with the motion, as one state (x, S) under one
control of errors, by one native function. At events S jumps (`jumps`); with constraints, S is brought back after every
step to variations that keep them, as the state is (`dynamics.variations`), and begins as the assembled start varies
(`start_variations`).

Gradients of a functional of a run by its adjoint: one run forwards, one backwards, however many parameters.

    J = Φ(x(T), T; p) + ∫ L(x, t; p) dt,    H = λ·f + L

    λ̇ = -∂H/∂x,  λ(T) = ∂Φ/∂x,     dJ/dp = λ(0)·∂x(0)/∂p + ∂Φ/∂p + ∫ ∂H/∂p dt

Backwards, the state is integrated once more beside λ, by one native function of (x, λ, ∫), and set back to what it was
at the end of each step of the run: so it is as exact as the run, without an interpolant, and cannot drift from it. At
an event, with t_x and t_p the derivatives of its time by state and parameters (`jumps`),

    λ⁻ = g_xᵀλ⁺ + c t_x,    c = λ⁺·(g_x f⁻ + g_t - f⁺) + L⁻ - L⁺,

and where the run ends at one, c = Φ_x f + Φ_t + L. With constraints f is that of the equations with A u̇ + γ = 0 solved,
along which a motion keeps them, and so does each of its neighbours: nothing more is needed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ...compiled.variations import AdjointRates, IntegratedRates, TangentVariations, VariationalRates
from ...errors import PolhodeError, unknown
from ...expr import Expr, as_expr, evaluate, jacobian, substitute
from ...expr.spelling import spelled
from ...notebook import Cell, Shown, Table
from ...ode.native_run import Driver, NativeRun
from ...ode.record import CONSTRAINED_GROWTH, Reason
from ..initial_state import Floats
from ..settings import SmoothOptions, refuse_others, too_many, underflow
from ..trajectory.trajectory import Trajectory
from .smooth_run import Followed, FollowedRates, Occurrence, Projection, SmoothRun, expressed, start_variations

if TYPE_CHECKING:
    from ...formalisms.derivation import Derivation


@dataclass(frozen=True, eq=False)
class Sensitivities(Shown):
    """A run and its derivatives by what `by` names, at every sample: dq (T, n, p), du (T, m, p), dz of other states.

    Times stay where they are: dq[k] is the derivative at the time t[k]. Where the run ended at an event, `end_time`
    (p,) is the derivative of that time, and `end_q`, `end_u`, `end_z` are those of the state that the run ended with.
    `values` are those of `expressions`, with their derivatives.

    >>> import polhode as ph
    >>> s = ph.System("pendulum")
    >>> _ = s.joint("hinge", s.ground, s.body("bob", 1, (0, 0, -s.parameter("l", 1))), ph.Revolute("y"))
    >>> found = s.derive().sensitivities(1, ["l"], start={"hinge": 1}, samples=5)
    >>> found.t.tolist(), found["hinge", "l"].shape
    ([0.0, 0.25, 0.5, 0.75, 1.0], (5,))
    """

    trajectory: Trajectory
    by: tuple[str, ...]
    dq: Floats
    du: Floats
    dz: Floats
    event_times: tuple[tuple[Floats, ...], ...]  # for each event, for each time it happened, the derivative (p,)
    end_time: Floats
    end_q: Floats
    end_u: Floats
    end_z: Floats
    symbols: tuple[Expr, ...]

    @property
    def t(self) -> Floats:
        """The times of the samples."""
        return self.trajectory.t

    def __getitem__(self, names: tuple[Any, Any]) -> Floats:
        """∂(a coordinate or speed)/∂(what it varies with) over time, both by name or symbol."""
        of, by = names
        equations = self.trajectory.equations.record
        row = _index(of, [*equations.q, *equations.u, *equations.z], "coordinate or speed")
        return np.asarray(self._state_slopes[:, row, _index(by, self.symbols, "derivative by")])

    @property
    def _state_slopes(self) -> Floats:
        """The derivatives of the whole state."""
        return np.concatenate([self.dq, self.du, self.dz], axis=1)

    def values(self, *expressions: Any) -> Floats:
        """The derivatives (T, p) of an expression along the run, or (T, k, p) of several."""
        equations = self.trajectory.equations.record
        acted = self.trajectory.acted
        laws = acted.functions.laws if acted is not None else None
        entries = [expressed(equations, expression, "values") for expression in expressions]
        entries = entries if laws is None else substitute(entries, laws.given)
        state = [*equations.q, *equations.u, *equations.z]
        slopes = jacobian(entries, [*state, *(symbol for symbol in self.symbols if symbol not in state)])
        columns = self.trajectory.values(*slopes.entries()).T.reshape(len(self.t), len(entries), -1)
        values: Floats = columns[:, :, : len(state)] @ self._state_slopes
        values[:, :, [symbol not in state for symbol in self.symbols]] += columns[:, :, len(state) :]
        return values[:, 0] if len(expressions) == 1 else values

    def _cell(self) -> Cell:
        """The derivatives of the state at the end."""
        run = self.trajectory
        names = [*run.coordinates, *(f"u({name})" for name in run.speeds), *run.states]
        last = self._state_slopes[-1] if len(self.t) else self._state_slopes[:0].reshape(0, len(self.by))
        rows = [(name, *(f"{value:.6g}" for value in row)) for name, row in zip(names, last.tolist(), strict=False)]
        head = ["at the end", *(f"by {name}" for name in self.by)]
        return Cell(f"Sensitivities: {run.summary()}", [Table(head, rows, numbers_from=1)])

    def __repr__(self) -> str:
        return f"Sensitivities({self.trajectory.summary()}; by {', '.join(self.by)})"


def _index(name: Any, symbols: Sequence[Expr], kind: str) -> int:
    for index, symbol in enumerate(symbols):
        if name is symbol or (isinstance(name, str) and name in (spelled(symbol), symbol.name)):
            return index
    raise unknown(kind, name, [spelled(symbol) for symbol in symbols], place="sensitivities", code="E-SENSITIVITY-NAME")


def sensitivities(derivation: Derivation, duration: float, by: Sequence[Any], options: SmoothOptions) -> Sensitivities:
    """Run a mechanism and the derivatives of its motion by all that `by` names.

    by              parameters, inputs, and, for their values at the start, coordinates and speeds: by name (the speed
                    that is the rate of a coordinate `theta` is `theta'`), or as symbols; so are constant efforts
    options         those of `simulate`, but for Python functions and the choice of a method: efforts and inputs are
                    numbers, expressions (of the state too) and samples; events are expressions, and
                    on={event: {speed: expression}} changes the state where one passes through zero
    """
    refuse_others(options, SmoothOptions, "sensitivities")
    run = SmoothRun.of(derivation, duration, by, options)
    if derivation.synopsis.contacts:
        from .saltation import SwitchingRun

        switching = SwitchingRun(run)
        trajectory, S, end, _ = switching.follow()
        return _result(run, trajectory, S, switching.event_times, switching.end_time, end)
    return _Sensitive(run).followed()


def _result(run: SmoothRun, trajectory: Trajectory, S: Floats, times: Any, moved: Floats, end: Floats) -> Sensitivities:
    equations = run.functions.equations
    parts = [len(equations.q), len(equations.q) + len(equations.u)]
    by, when = tuple(spelled(symbol) for symbol in run.symbols), tuple(map(tuple, times))
    (dq, du, dz), (end_q, end_u, end_z) = np.split(S, parts, axis=1), np.split(end, parts)
    return Sensitivities(trajectory, by, dq, du, dz, when, moved, end_q, end_u, end_z, tuple(run.symbols))


class _Sensitive:
    """(x, S), an array of the state and then a column of S after the other."""

    def __init__(self, run: SmoothRun) -> None:
        self.run, self.size, self.columns = run, len(run.x), len(run.symbols)
        equations = run.functions.equations
        self.is_start = np.array([symbol in {*equations.q, *equations.u, *equations.z} for symbol in run.symbols])
        # symbols that rates depend on come first among the columns; `order` is the column of each symbol
        first = np.argsort(self.is_start, kind="stable")
        self.order = np.argsort(first).tolist()
        varying = tuple(spelled(run.symbols[k]) for k in first if not self.is_start[k])
        projected: Projection | None = None
        if run.problem.manifold is not None or equations.quaternions:
            tangent = FollowedRates(run, TangentVariations(varying, self.columns))

            def projected(t: float, x: Floats) -> Floats:
                return tangent(t, run.projected(t, x))

        self.rates = FollowedRates(run, VariationalRates(varying, self.columns), projected)
        self.event_times: list[list[Floats]] = [[] for _ in run.jumps]

    def followed(self) -> Sensitivities:
        run = self.run
        followed = run.follow(self.rates, self._in_columns(start_variations(run)), self._changed)
        S = self._variations(followed.states)
        end_time, end = np.zeros(self.columns), S[-1]
        with run.ending(followed.trajectory):
            for event in followed.events:
                if event.after is None:
                    last, time = event, self._time_variation(event)
            if followed.trajectory.status == "event":
                end_time, end = time, end + np.outer(self.rates(last.t, last.before)[: self.size], time)
        return _result(run, followed.trajectory, S, self.event_times, end_time, end)

    def _in_columns(self, S: Floats) -> Floats:
        """S (n, p) in columns, as stored behind the state."""
        columns = np.empty((self.columns, self.size))
        columns[self.order] = S.T
        return columns.ravel()

    def _variations(self, x: Floats) -> Floats:
        """S (…, n, p), in the order of the symbols, of states with their variations (…, n (1 + p))."""
        columns = x[..., self.size :].reshape(*x.shape[:-1], self.columns, self.size)
        return np.swapaxes(columns[..., self.order, :], -1, -2)

    def _time_variation(self, event: Occurrence) -> Floats:
        """The variation of the time of an event."""
        x = event.before[: self.size]
        by_x, by_p = event.jump.time_slopes(self.run.known(event.t, x), self.rates(event.t, event.before)[: self.size])
        varied: Floats = by_x @ self._variations(event.before) + np.where(self.is_start, 0.0, by_p)
        self.event_times[event.number].append(varied)
        return varied

    def _changed(self, event: Occurrence, new: Floats) -> Floats:
        """The state and its variations behind an event."""
        time = self._time_variation(event)
        by_x, by_t, by_p = event.jump.after_slopes(self.run.known(event.t, event.before[: self.size]))
        by_p[:, self.is_start] = 0.0
        before, after = (self.rates(event.t, x)[: self.size] for x in (event.before, new))
        S = by_x @ self._variations(event.before) + by_p + np.outer(by_x @ before + by_t - after, time)
        return np.concatenate([new[: self.size], self._in_columns(S)])


@dataclass(frozen=True, eq=False)
class Gradient(Shown, Mapping[str, float]):
    """The value of a functional of a run, its derivatives by name, and the run.

    >>> import polhode as ph
    >>> s = ph.System("pendulum")
    >>> hinge = s.joint("hinge", s.ground, s.body("bob", 1, (0, 0, -s.parameter("l", 1))), ph.Revolute("y"))
    >>> slope = s.derive().gradient(1, ["l"], of=hinge.q[0], start={"hinge": 1})
    >>> list(slope)
    ['l']
    """

    value: float
    by: tuple[str, ...]
    slopes: Floats
    trajectory: Trajectory

    def __getitem__(self, name: str) -> float:
        if name not in self.by:
            raise unknown("derivative by", name, self.by, place="gradient", code="E-SENSITIVITY-NAME")
        return float(self.slopes[self.by.index(name)])

    def __iter__(self) -> Any:
        return iter(self.by)

    def __len__(self) -> int:
        return len(self.by)

    def _cell(self) -> Cell:
        rows = [(name, f"{slope:.9g}") for name, slope in self.items()]
        return Cell(f"gradient of {self.value:.9g}", [Table(["by", "derivative"], rows, numbers_from=1)])

    def __repr__(self) -> str:
        slopes = ", ".join(f"{name}: {slope:.9g}" for name, slope in self.items())
        return f"Gradient({self.value:.9g}; {slopes})"


def gradient(
    derivation: Derivation, duration: float, by: Sequence[Any], of: Any, integrand: Any, options: SmoothOptions
) -> Gradient:
    """The value of Φ + ∫ L dt and its derivatives by parameters, inputs, constant efforts and start values.

    of              Φ: an expression of the state, time and parameters, at the end of the run
    integrand       L: an expression of the state, time and parameters along it
    by, options     as `sensitivities` takes them
    """
    if of is None and integrand is None:
        cure = "Give of=… at the end of the run, integrand=… along it, or both."
        raise PolhodeError("there is nothing to differentiate.", "gradient", cure, "E-SENSITIVITY-NAME")
    refuse_others(options, SmoothOptions, "gradient")
    adjoint = _Adjoint(SmoothRun.of(derivation, duration, by, options), of, integrand)
    return adjoint.gradient_through_contacts() if derivation.synopsis.contacts else adjoint.gradient()


class _Adjoint:
    """One functional of one run."""

    def __init__(self, run: SmoothRun, of: Any, integrand: Any) -> None:
        equations = run.functions.equations
        self.run, self.size, self.has_integral = run, len(run.x), integrand is not None
        state = [*equations.q, *equations.u, *equations.z]
        self.varies = np.array([symbol not in state for symbol in run.symbols])
        self.final = as_expr(0) if of is None else run.expressed(of, "of")
        self.final_slopes = list(jacobian([self.final], [*state, equations.system.time, *run.symbols]).entries())
        self.along = along = None if integrand is None else run.expressed(integrand, "integrand")
        if run.functions.derivation.synopsis.contacts:
            return
        is_kept = run.problem.manifold is not None or bool(run.rates.groups)
        forward = "state_rates" if along is None else IntegratedRates(along)
        self.forward = FollowedRates(run, forward, run.projected if is_kept else None)
        names = tuple(spelled(symbol) for symbol in run.symbols if symbol not in state)
        self.backward = FollowedRates(run, AdjointRates(names, along))

    def gradient(self) -> Gradient:
        run = self.run
        followed = run.follow(self.forward, np.zeros(int(self.has_integral)), keeps_steps=True)
        last = followed.states[-1]
        values = run.known(float(followed.trajectory.t[-1]), last[: self.size])
        value = evaluate([self.final], values)[0] + (float(last[-1]) if self.has_integral else 0.0)
        with run.ending(followed.trajectory):
            adjoint, explicit = self._pulled_back(followed, values)
        slopes = adjoint @ start_variations(run)
        slopes[self.varies] += explicit
        return Gradient(float(value), tuple(spelled(symbol) for symbol in run.symbols), slopes, followed.trajectory)

    def gradient_through_contacts(self) -> Gradient:
        """The same by variations of the state and the integral."""
        from .saltation import SwitchingRun

        run, switching = self.run, SwitchingRun(self.run, self.along)
        trajectory, _, S, x = switching.follow(inside=False)
        values = run.known(float(trajectory.t[-1]), x[: self.size])
        by_x, by_t, by_p = np.split(np.array(evaluate(self.final_slopes, values)), [self.size, self.size + 1])[:3]
        slopes = by_x @ S[: self.size] + by_t * switching.end_time + np.where(self.varies, by_p, 0.0)
        slopes += S[self.size :].sum(axis=0)
        value = evaluate([self.final], values)[0] + float(x[self.size :].sum())
        return Gradient(value, tuple(spelled(symbol) for symbol in run.symbols), slopes, trajectory)

    def _pulled_back(self, followed: Followed, values: Mapping[Expr, float]) -> tuple[Floats, Floats]:
        """λ(0), and the integral ∫ ∂H/∂p dt with what events add to it."""
        slopes = np.array(evaluate(self.final_slopes, values))
        adjoint, explicit = slopes[: self.size].copy(), slopes[self.size + 1 :][self.varies]
        if followed.trajectory.status == "event":
            event = followed.events[-1]
            rates = self.forward(event.t, event.before)
            gain = adjoint @ rates[: self.size] + slopes[self.size] + self._integrand(rates)
            by_x, by_p = event.jump.time_slopes(values, rates[: self.size])
            adjoint, explicit = adjoint + gain * by_x, explicit + gain * by_p[self.varies]
        for times, states, before in reversed(followed.segments()):
            adjoint, explicit = self._along(times, states, adjoint, explicit)
            if before is not None and before.after is not None:
                adjoint, explicit = self._across(before, before.after, adjoint, explicit)
        return adjoint, explicit

    def _along(self, times: Floats, states: Floats, adjoint: Floats, explicit: Floats) -> tuple[Floats, Floats]:
        """Both at the beginning of a segment, from those at its end."""
        control, size = self.run.problem.control, self.size
        x = np.concatenate([states[-1], adjoint, explicit])
        run = NativeRun(control.method, x, t=-float(times[-1]), rtol=control.rtol, atol=control.atol)
        run.record.h_max, run.record.bound, run.most_kept = control.largest_step, np.inf, 0.0
        self.backward.steps_natively(run)
        run.begin(-float(times[0]))
        driver = Driver(control.most_steps)
        for t, state in zip((-times[-2::-1]).tolist(), states[-2::-1], strict=True):
            while (reason := driver.advance(run, t)) != Reason.DONE:
                at = -float(run.record.t)
                if reason in (Reason.UNDERFLOW, Reason.NONFINITE):
                    raise underflow(at, control, "the step is swallowed by rounding")
                if reason == Reason.BUDGET and run.record.steps >= control.most_steps:
                    raise too_many(at, control)
                if reason == Reason.INTERRUPTED:
                    raise KeyboardInterrupt
            run.x[:size] = state
            run.record.h = min(run.record.h, CONSTRAINED_GROWTH * run.record.taken)
            run.begin(t)
        return run.x[size : 2 * size].copy(), run.x[2 * size :].copy()

    def _across(self, event: Occurrence, after: Floats, adjoint: Floats, explicit: Floats) -> tuple[Floats, Floats]:
        """The same before an event, from behind it."""
        values = self.run.known(event.t, event.before[: self.size])
        before, behind = self.forward(event.t, event.before), self.forward(event.t, after)
        g_x, g_t, g_p = event.jump.after_slopes(values)
        by_x, by_p = event.jump.time_slopes(values, before[: self.size])
        gain = adjoint @ (g_x @ before[: self.size] + g_t - behind[: self.size])
        gain += self._integrand(before) - self._integrand(behind)
        return adjoint @ g_x + gain * by_x, explicit + (adjoint @ g_p + gain * by_p)[self.varies]

    def _integrand(self, rates: Floats) -> float:
        return float(rates[-1]) if self.has_integral else 0.0
