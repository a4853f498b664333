"""Gradients of a functional of a run by its adjoint: one run forwards, one backwards, however many parameters.

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
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from ...compiled.quantities import Asked
from ...compiled.variations import AdjointRates, IntegratedRates
from ...errors import PolhodeError, unknown
from ...expr import Expr, as_expr, evaluate, jacobian
from ...expr.spelling import spelled
from ...notebook import Cell, Shown, Table
from ...ode.driver import Driver
from ...ode.native_run import NativeRun
from ...ode.record import CONSTRAINED_GROWTH, Reason
from ..initial_state import Floats
from ..settings import SmoothOptions, refuse_others, too_many, underflow
from ..trajectory.trajectory import Trajectory
from .smooth_run import Followed, FollowedRates, Occurrence, Segment, SmoothRun, start_variations

if TYPE_CHECKING:
    from ...formalisms.derivation import Derivation


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
    derivation: Derivation,
    duration: float,
    by: Sequence[Any],
    *,
    of: Any = None,
    integrand: Any = None,
    **options: Unpack[SmoothOptions],
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
    run = SmoothRun.of(derivation, duration, by, options)
    return _Adjoint(run, run.symbols, of, integrand).gradient()


class _Adjoint:
    """One functional of one run."""

    def __init__(self, run: SmoothRun, symbols: list[Expr], of: Any, integrand: Any) -> None:
        equations = run.functions.equations
        self.run, self.symbols, self.size = run, symbols, len(run.x)
        state = [*equations.q, *equations.u, *equations.z]
        self.varies = np.array([each not in state for each in symbols])
        self.final = as_expr(0) if of is None else run.expressed(of, "of")
        self.final_slopes = list(jacobian([self.final], [*state, equations.system.time, *symbols]).entries())
        along = None if integrand is None else run.expressed(integrand, "integrand")
        asked: Asked = "state_rates" if along is None else IntegratedRates(along)
        is_kept = run.problem.manifold is not None or bool(run.rates.groups)
        self.forward = FollowedRates(run, asked, run.projected if is_kept else None)
        names = tuple(spelled(each) for each, varies in zip(symbols, self.varies, strict=True) if varies)
        self.backward = FollowedRates(run, AdjointRates(names, along))
        self.has_integral = along is not None

    def gradient(self) -> Gradient:
        run = self.run
        made = run.follow(self.forward, np.zeros(int(self.has_integral)), keeps_steps=True)
        last = made.states[-1]
        known = run.known(float(made.trajectory.t[-1]), last[: self.size])
        value = evaluate([self.final], known)[0] + (float(last[-1]) if self.has_integral else 0.0)
        with run.telling(made.trajectory):
            adjoint, own = self._pulled_back(made, known)
        slopes = adjoint @ start_variations(run, self.symbols)
        slopes[self.varies] += own
        return Gradient(float(value), tuple(spelled(each) for each in self.symbols), slopes, made.trajectory)

    def _pulled_back(self, made: Followed, known: Mapping[Expr, float]) -> tuple[Floats, Floats]:
        """λ(0), and what parameters have gathered on the way."""
        slopes = np.array(evaluate(self.final_slopes, known))
        adjoint, own = slopes[: self.size].copy(), slopes[self.size + 1 :][self.varies]
        if made.trajectory.status == "event":
            event = made.events[-1]
            rates = self.forward(event.t, event.before)
            gain = adjoint @ rates[: self.size] + slopes[self.size] + self._integrand(rates)
            by_x, by_p = event.jump.time_slopes(known, rates[: self.size])
            adjoint, own = adjoint + gain * by_x, own + gain * by_p[self.varies]
        for segment in reversed(made.segments()):
            adjoint, own = self._along(segment, adjoint, own)
            if segment.event is not None and segment.event.after is not None:
                adjoint, own = self._across(segment.event, segment.event.after, adjoint, own)
        return adjoint, own

    def _along(self, segment: Segment, adjoint: Floats, own: Floats) -> tuple[Floats, Floats]:
        """λ and what parameters gather at the beginning of a segment, from those at its end."""
        control, times, states = self.run.control, segment.times, segment.states
        x = np.concatenate([states[-1], adjoint, own])
        run = NativeRun(control.method, x, t=-float(times[-1]), rtol=control.rtol, atol=control.atol)
        run.record.h_max, run.record.bound, run.most_kept = control.largest_step, np.inf, 0.0
        self.backward.steps_natively(run)
        run.begin(-float(times[0]))
        driver = Driver(control.most_steps)
        for t, state in zip((-times[-2::-1]).tolist(), states[-2::-1], strict=True):
            while (reason := driver.advance(run, t)) != Reason.DONE:
                self._check(reason, run)
            run.x[: self.size] = state
            run.record.h = min(run.record.h, CONSTRAINED_GROWTH * run.record.taken)
            run.begin(t)
        return run.x[self.size : 2 * self.size].copy(), run.x[2 * self.size :].copy()

    def _check(self, reason: Reason, run: NativeRun) -> None:
        """Raise what ends the backward run."""
        t, control = -float(run.record.t), self.run.control
        if reason in (Reason.UNDERFLOW, Reason.NONFINITE):
            raise underflow(t, control, "the step is swallowed by rounding")
        if reason == Reason.BUDGET and run.record.steps >= control.most_steps:
            raise too_many(t, control)
        if reason == Reason.INTERRUPTED:
            raise KeyboardInterrupt

    def _across(self, event: Occurrence, after: Floats, adjoint: Floats, own: Floats) -> tuple[Floats, Floats]:
        """The same before an event, from behind it."""
        known = self.run.known(event.t, event.before[: self.size])
        before, behind = self.forward(event.t, event.before), self.forward(event.t, after)
        g_x, g_t, g_p = event.jump.after_slopes(known)
        by_x, by_p = event.jump.time_slopes(known, before[: self.size])
        gain = adjoint @ (g_x @ before[: self.size] + g_t - behind[: self.size])
        gain += self._integrand(before) - self._integrand(behind)
        return adjoint @ g_x + gain * by_x, own + (adjoint @ g_p + gain * by_p)[self.varies]

    def _integrand(self, rates: Floats) -> float:
        return float(rates[-1]) if self.has_integral else 0.0
