"""One step after another of a native right-hand side, each with what lies between its ends.

This is the one place behind a differentiated run that knows who integrates: native DOP853, or SciPy's where native code
cannot be made.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...ode.record import CONSTRAINED_GROWTH
from ..initial_state import Floats
from ..integrators.adaptive import Control, too_many, underflow, working
from ..integrators.native_solver import NativeSolver
from ..rates import NonFinite


@dataclass(frozen=True, eq=False)
class RightSide:
    """A native function of one array `x`, and of time, with all else it takes held still."""

    native: Any
    given: Mapping[str, Floats]

    def __call__(self, t: float, x: Floats) -> Floats:
        known = {**self.given, "t": np.array([t])}
        found: Floats = self.native(x, *(known[name] for name in self.native.arrays[1:]))
        return found


@dataclass(frozen=True, eq=False)
class Step:
    """An accepted step; the interpolant is to be asked before the next one."""

    t_old: float
    t: float
    x: Floats
    interpolant: Callable[[float], Floats]


class Stepper:
    """Steps of a right-hand side from a time and a state on, under control of their errors."""

    def __init__(self, rates: RightSide, t: float, x: Floats, end: float, control: Control) -> None:
        self._rates, self._control = rates, control
        self.steps = 0
        self._restated = 0
        self._solver = working(control.method).solver()(
            rates, t, x, end, max_step=control.largest_step, rtol=control.rtol, atol=control.atol
        )
        if isinstance(self._solver, NativeSolver) and rates.native.backend != "numpy":
            run = self._solver.run
            run.use(run.compiled(rates.native, rates.given))

    @property
    def t(self) -> float:
        return float(self._solver.t)

    @property
    def x(self) -> Floats:
        found: Floats = self._solver.y
        return found

    @property
    def rate(self) -> Floats:
        """The rates at the end of the last step."""
        found: Floats = self._solver.f
        return found

    @property
    def evaluations(self) -> int:
        """How often the rates were asked for."""
        own = self._solver.run.record.evaluations if isinstance(self._solver, NativeSolver) else self._solver.nfev
        return int(own) + self._restated

    def step(self) -> Step:
        """One step; a Stop where there is none small enough, or too many were taken."""
        if self.steps >= self._control.most_steps:
            raise too_many(self.t, self._control)
        solver = self._solver
        message = solver.step()
        if solver.status == "failed":
            raise underflow(self.t, self._control, message)
        if not np.isfinite(solver.y).all():
            raise NonFinite(self.t, solver.y, solver.f)
        self.steps += 1
        solver.h_abs = min(solver.h_abs, CONSTRAINED_GROWTH * (self.t - float(solver.t_old)))
        found: list[Any] = []

        def interpolant(t: float) -> Floats:
            if not found:  # more stages, if anybody asks
                found.append(solver.dense_output())
            state: Floats = found[0](t)
            return state

        return Step(float(solver.t_old), self.t, solver.y, interpolant)

    def restate(self, x: Floats) -> None:
        """Go on from another state, near the one reached."""
        self._restated += 1
        self._solver.y, self._solver.f = x, self._rates(self.t, x)

    def reach(self, end: float) -> Floats:
        """All steps to a time, and the state there."""
        solver = self._solver
        if solver.t_bound != end or solver.status != "running":
            solver.t_bound, solver.status = end, "running"
        while self.t < end:
            self.step()
        return self.x
