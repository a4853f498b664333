"""Native integrators one step at a time, as SciPy's solvers are used, with a right-hand side in Python.

They are for controllers, events and constraints that are Python's.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ...ode.native_run import NativeRun
from ...ode.record import Reason
from ..initial_state import Floats
from ..rates import NonFinite, Rates

#: So many times ten steps ahead the first rate that is not finite is looked for.
_AHEAD = 12


def nonfinite_ahead(rates: Rates, run: NativeRun) -> NonFinite | None:
    """The first rate that is not finite a little ahead of the run, if there is one, found once more by Python."""
    t, x, f, h = float(run.record.t), run.x.copy(), run.f.copy(), float(run.record.h)
    for ahead in (0.0, *(10.0**tens * h for tens in range(_AHEAD + 1))):
        try:
            rates(t + ahead, x + ahead * f if ahead else x)
        except NonFinite as found:
            return found
    return None


class NativeSolver:
    """A native integrator one step at a time, as SciPy's solvers are used."""

    def __init__(
        self, rates: Any, t: float, x: Floats, t_bound: float, *, method: str, max_step: float, rtol: float, atol: float
    ) -> None:
        self.rates, self.t_bound, self.status = rates, t_bound, "running"
        groups = rates.groups if isinstance(rates, Rates) else ()
        self.run = NativeRun(method, x, t=t, rtol=rtol, atol=atol, groups=groups)
        self.run.use(self.run.python(rates))
        if isinstance(rates, Rates):
            rates.differentiates_natively(self.run)
        self.run.record.h_max = max_step
        self.run.begin(t_bound)

    @property
    def t(self) -> float:
        return float(self.run.record.t)

    @property
    def t_old(self) -> float:
        return float(self.run.record.t_old)

    @property
    def y(self) -> Floats:
        return self.run.x.copy()

    @y.setter
    def y(self, x: Floats) -> None:
        self.run.x[:] = x

    @property
    def f(self) -> Floats:
        return self.run.f.copy()

    @f.setter
    def f(self, rate: Floats) -> None:
        self.run.f[:] = rate

    @property
    def h_abs(self) -> float:
        """The length of the next step."""
        return float(self.run.record.h)

    @h_abs.setter
    def h_abs(self, h: float) -> None:
        self.run.record.h = h

    def step(self) -> str | None:
        """One step; a sentence where there is none that is good enough."""
        reason = self.run.advance(self.t_bound, 1)
        self.run.record.pending = 0
        if reason in (Reason.NONFINITE, Reason.UNDERFLOW):
            found = nonfinite_ahead(self.rates, self.run)
            if found is not None:
                raise found
            self.status = "failed"
            return "the step is swallowed by rounding"
        self.status = "finished" if self.t >= self.t_bound else "running"
        return None

    def dense_output(self) -> Callable[[Any], Floats]:
        """The state at one time within the last step, or at several, a column each."""

        def interpolant(t: Any) -> Floats:
            if np.ndim(t) == 0:
                return self.run.state_at(float(t))
            return np.array([self.run.state_at(float(each)) for each in t]).T

        return interpolant


class TaylorSolver(NativeSolver):
    """Taylor steps one at a time: Python looks at each, but has no say in the rates."""

    def __init__(
        self, rates: Rates, t: float, x: Floats, t_bound: float, *, max_step: float, rtol: float, atol: float
    ) -> None:
        self.rates, self.t_bound, self.status = rates, t_bound, "running"
        self.run = NativeRun(rates.stepper("taylor"), x, t=t, rtol=rtol, atol=atol, groups=rates.groups)
        rates.steps_natively(self.run)
        self.run.record.h_max = max_step
        self.run.begin(t_bound)

    def step(self) -> str | None:
        self.rates.evaluations += 1
        return super().step()


def solver(method: str) -> Callable[[], Callable[..., NativeSolver]]:
    """How `adaptive` gets the solver of a native method."""
    return lambda: partial(NativeSolver, method=method)
