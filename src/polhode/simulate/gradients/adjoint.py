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
from ..initial_state import Floats
from ..settings import SmoothOptions
from ..trajectory.trajectory import Trajectory
from .sensitivities import read_by
from .smooth_run import Followed, Met, SmoothRun, closing_smoothly
from .start_variations import start_variations
from .stepping import Stepper

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
            raise unknown("derivative by", name, self.by, place="gradient", code="E-SENS-010")
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

    >>> import polhode as ph
    >>> s = ph.System("oscillator", gravity=(0, 0, 0))
    >>> k = s.parameter("k", 4)
    >>> x = s.joint("x", s.ground, s.body("block", 1), ph.Prismatic("x"))
    >>> s.joint_spring(x, k)
    >>> end = s.derive().gradient(1, by=["k", "x"], of=x.q[0], start={"x": 1})  # x = cos(√k t)
    >>> round(end.value, 7), round(end["k"], 7), round(end["x"], 7)
    (-0.4161468, -0.2273244, -0.4161468)
    """
    if of is None and integrand is None:
        raise PolhodeError(
            "there is nothing to differentiate.",
            place="gradient",
            cure="Give of=… at the end of the run, integrand=… along it, or both.",
            code="E-SENS-011",
        )
    derivation, closed = closing_smoothly(derivation, {**options})
    symbols = read_by(derivation.equations, by)
    run = SmoothRun.of(derivation, duration, symbols, **closed)
    return _Adjoint(run, symbols, of, integrand).gradient()


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
        self.forward = run.right_side(asked)
        names = tuple(spelled(each) for each, varies in zip(symbols, self.varies, strict=True) if varies)
        self.backward = run.right_side(AdjointRates(names, along))
        self.has_integral = along is not None

    def gradient(self) -> Gradient:
        run = self.run
        begin = np.append(run.x, 0.0) if self.has_integral else run.x
        made = run.follow(self.forward, begin, self._projected, self._struck)
        trajectory = run.trajectory(made)
        last = made.samples[-1]
        known = run.known(made.times[-1], last[: self.size])
        value = evaluate([self.final], known)[0] + (float(last[-1]) if self.has_integral else 0.0)
        with run.telling(made):
            adjoint, own = self._pulled_back(made, known)
        slopes = adjoint @ start_variations(run, self.symbols)
        slopes[self.varies] += own
        return Gradient(float(value), tuple(spelled(each) for each in self.symbols), slopes, trajectory)

    # ---- forwards --------------------------------------------------------------------------------------------

    def _projected(self, t: float, x: Floats) -> Floats:
        rates = self.run.rates
        if not rates.is_constrained and not rates.groups:
            return x
        new = x.copy()
        new[: self.size] = rates.unit(rates.projected(t, x[: self.size]))[0]
        return new

    def _struck(self, met: Met) -> Floats:
        new = met.before.copy()
        new[: self.size] = met.after
        return new

    # ---- backwards -------------------------------------------------------------------------------------------

    def _pulled_back(self, made: Followed, known: Mapping[Expr, float]) -> tuple[Floats, Floats]:
        """λ(0), and what parameters have gathered on the way."""
        slopes = np.array(evaluate(self.final_slopes, known))
        adjoint, own = slopes[: self.size].copy(), slopes[self.size + 1 :][self.varies]
        if made.status == "event":
            met = made.met[-1]
            rates = self.forward(met.t, met.before)
            gain = adjoint @ rates[: self.size] + slopes[self.size] + self._integrand(rates)
            by_x, by_p = met.jump.time_slopes(known, rates[: self.size])
            adjoint, own = adjoint + gain * by_x, own + gain * by_p[self.varies]
        for number in reversed(range(len(made.pieces))):
            adjoint, own = self._along(*made.pieces[number], adjoint, own)
            jump = made.behind[number]
            if jump is not None:
                adjoint, own = self._across(jump, made.pieces[number][1][0], adjoint, own)
        return adjoint, own

    def _along(
        self, times: Sequence[float], states: Sequence[Floats], adjoint: Floats, own: Floats
    ) -> tuple[Floats, Floats]:
        """λ and what parameters gather at the beginning of a smooth piece, from those at its end."""
        x = np.concatenate([states[-1][: self.size], adjoint, own])
        if len(times) > 1:
            stepper = Stepper(self.backward, -times[-1], x, -times[0], self.run.control)
            for t, state in zip(times[-2::-1], states[-2::-1], strict=True):
                x = stepper.reach(-t)
                x[: self.size] = state[: self.size]
                stepper.restate(x)
        return x[self.size : 2 * self.size], x[2 * self.size :]

    def _across(self, met: Met, after: Floats, adjoint: Floats, own: Floats) -> tuple[Floats, Floats]:
        """The same before a jump, from behind it."""
        known = self.run.known(met.t, met.before[: self.size])
        before, behind = self.forward(met.t, met.before), self.forward(met.t, after)
        g_x, g_t, g_p = met.jump.after_slopes(known)
        by_x, by_p = met.jump.time_slopes(known, before[: self.size])
        gain = adjoint @ (g_x @ before[: self.size] + g_t - behind[: self.size])
        gain += self._integrand(before) - self._integrand(behind)
        return adjoint @ g_x + gain * by_x, own + (adjoint @ g_p + gain * by_p)[self.varies]

    def _integrand(self, rates: Floats) -> float:
        return float(rates[-1]) if self.has_integral else 0.0
