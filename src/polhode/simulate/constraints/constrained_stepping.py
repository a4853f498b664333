"""Steps of a mechanism with constraints, for a loop of one's own.

Steps to a tolerance are taken and projected by native code, and by Python where it cannot go on; fixed steps by Python.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ...codegen.fixed_steps import METHODS as TABLEAUX
from ...codegen.fixed_steps import Tableau
from ...compiled.functions import Functions
from ...constraints import Constraints
from ...errors import PolhodeError
from ...ode.native_run import NativeRun
from ...ode.record import CONSTRAINED_GROWTH, Reason
from ...ode_former.fixed_step import runge_kutta_step
from ..control.inputs import Signal
from ..guard import Stop
from ..initial_state import Floats, InitialState
from ..integrators.adaptive import METHODS as ADAPTIVE
from ..integrators.adaptive import Control
from ..rates import NonFinite, Rates
from .assembly import assembled
from .manifold import Manifold
from .projection import EmbeddedRates, ProjectedRates


class ConstrainedStepping:
    """One state that keeps its constraints: `begun` brings a state onto them, `step` takes it further."""

    shares_time = False

    def __init__(
        self,
        functions: Functions,
        constraints: Constraints,
        parameters: Mapping[str, Any] | None,
        tau: Signal,
        inputs: Signal,
        method: str,
        substeps: int,
        control: Control,
    ) -> None:
        equations = functions.equations
        self._functions, self._parameters, self._substeps, self._control = functions, parameters, substeps, control
        self._tableau = TABLEAUX.get(method)
        self._manifold = Manifold(functions, constraints, parameters)
        self.x, self.t = np.zeros((1, sum(map(len, (equations.q, equations.u, equations.z))))), np.zeros(1)
        self._tau, self._inputs = tau, inputs
        self.arrays: Mapping[str, Floats] = {"tau": tau.constant[None].copy(), "inputs": inputs.constant[None].copy()}
        self._rates: Rates | None = None
        self._run: NativeRun | None = None
        self._failed = np.zeros(1, dtype=np.bool_)

    def begun(self, first: InitialState) -> Floats:
        """A state near the one given that keeps the constraints."""
        made = assembled(self._manifold, first)
        given = self._functions, self._parameters, self._tau, self._inputs, self._manifold
        dependent = self._functions.equations.dependent_speeds
        self._rates = (
            ProjectedRates(*given, made.freedom.rows) if dependent is None else EmbeddedRates(*given, dependent)
        )
        self._run = None
        x = np.concatenate([made.q, made.u, made.z])
        self._rates.measure(0.0, x)
        return self._rates.on_a_branch(0.0, x)

    def _begun_run(self, rates: Rates, x: Floats) -> NativeRun:
        control = self._control
        run = NativeRun(control.method, x, rtol=control.rtol, atol=control.atol, groups=rates.groups)
        run.record.growth, run.record.bound = CONSTRAINED_GROWTH, np.inf
        rates.steps_natively(run)
        return run

    @property
    def failed(self) -> Any:
        return self._failed

    def revive(self, members: Any) -> None:
        self._failed[:] = False

    def step(self, dt: float) -> int:
        """A time dt further; 1 where that fails."""
        rates, t, x = self._rates, float(self.t[0]), self.x[0].copy()
        if rates is None or self._failed[0]:
            return 1
        rates.drive.tau[:], rates.drive.inputs[:] = self.arrays["tau"][0], self.arrays["inputs"][0]
        try:
            self.x[0] = (
                self._adaptive(rates, t, x, dt)
                if self._tableau is None
                else self._fixed(rates, self._tableau, t, x, dt)
            )
        except (NonFinite, Stop, PolhodeError):
            self._failed[0] = True
            return 1
        self.t[0] = t + dt
        return 0

    def _fixed(self, rates: Rates, tableau: Tableau, t: float, x: Floats, dt: float) -> Floats:
        h = dt / self._substeps
        for k in range(self._substeps):
            begin = t + k * h

            def rate(c: float, y: Floats, begin: float = begin) -> Floats:
                return rates(begin + c * h, y)

            x = runge_kutta_step(tableau, rate, x, h)
            if not np.isfinite(x).all():
                raise NonFinite(begin, x, x)
            x = rates.projected(begin + h, x)
        return x

    def _adaptive(self, rates: Rates, t: float, x: Floats, dt: float) -> Floats:
        control, end = self._control, t + dt
        if rates.can_step_natively:
            run = self._run = self._run or self._begun_run(rates, x)
            run.x[:], run.record.t = x, t
            reason = run.begin(end)
            while not reason and run.record.t < end:
                reason = run.advance(end, control.most_steps)
                reason = Reason.DONE if reason == Reason.LOOK else reason
            if not reason:
                return run.x.copy()
        make = ADAPTIVE[control.method].solver()
        solver = make(rates, t, x, end, max_step=np.inf, rtol=control.rtol, atol=control.atol)
        while solver.t < end:
            solver.step()
            if solver.status == "failed":
                raise NonFinite(float(solver.t), solver.y, solver.f)
            solver.y = rates.projected(float(solver.t), solver.y)
            solver.f = rates(float(solver.t), solver.y)
        made: Floats = solver.y
        return made
