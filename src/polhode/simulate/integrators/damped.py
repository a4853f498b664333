"""Steps by the generalised-α method around compiled equations: for stiff structures, with constraints."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ...compiled.functions import Functions
from ...errors import PolhodeError
from ...native.compiled import Compiled
from ...ode.native_run import NativeRun
from ...ode.record import Reason
from ...ode.second_order import SecondOrderMemory, SecondOrderSystem
from ..guard import Guard, Stop
from ..initial_state import Floats
from ..rates import Rates
from ..trajectory.record import Record
from .single_steps import PythonSteps, Stepper

#: The spectral radius of fast oscillations where none is given.
SPECTRAL_RADIUS = 0.8
#: The arrays and outputs of the compiled functions, and the method's names for them.
_NAMES = {
    "q": "pose", "u": "turn", "x": "state", "t": "clock", "qdot": "pose_rate", "rates": "accelerations",
    "independent_multipliers": "multipliers",
    **{name: name for name in ("balance", "row_rates", "row_values", "matrix")},
}  # fmt: skip


def system_of(
    functions: Functions, parameters: Mapping[str, Any] | None, tau: Floats, inputs: Floats
) -> SecondOrderSystem:
    """The equations of compiled functions as the method takes them, under efforts and inputs that may change."""

    def compiled(name: str) -> Compiled:
        made: Compiled = functions.native(name)
        return made.with_parameters(functions.parameter_values(name, parameters))

    stabilisation = functions.equations.recipe.stabilisation
    rows = () if stabilisation is None else stabilisation.rows.rows
    return SecondOrderSystem(
        compiled("coordinate_rates"),
        compiled("residual"),
        compiled("constraint_normals") if rows else None,
        _NAMES,
        {"tau": tau, "inputs": inputs},
        [number for number, row in enumerate(rows) if row.is_position],
    )


def alpha_steps(rates: Rates, guard: Guard, record: Record, h: float, method: str) -> Stepper:
    """Steps of the method, with the spectral radius that the record has."""
    if not rates.is_autonomous:
        raise PolhodeError(
            f"the method {method} steps compiled equations, and a function in Python drives this run.",
            place="method",
            cure='Use method="auto", hold what the function returns (ph.held), or give a law as an expression.',
            code="E-SIM-120",
        )
    return AlphaSteps(rates, h, method, float(record.info["spectral_radius"]))


class AlphaSteps(PythonSteps):
    """Steps in native code; they begin anew where what acts changes suddenly."""

    def __init__(self, rates: Rates, h: float, method: str, radius: float) -> None:
        super().__init__(rates, h, "rk4")
        self.method, self.radius = method, radius
        self.run: NativeRun | None = None
        self.functions, self.passed = rates.functions, 0

    def advance(self, x: Floats, done: int, records: int, every: int) -> tuple[int, Floats]:
        if len(self.rates.breaks):
            return super().advance(x, done, records, every)
        states = np.full((records, len(x)), np.nan)
        self.last = x
        for k in range(records):
            taken = self._take((done + k * every) * self.h, self.h, every)
            if taken < every:
                return k * every + taken, states
            states[k] = self.last
        return records * every, states

    def part(self, x: Floats, t: float, end: float, h: float) -> Floats:
        """One step, perhaps a shorter one that ends a few last bits before a break."""
        self.last = x
        last = self.rates.within(end)
        if not self._take(t, h if last == end else last - t, 1):
            raise self.reason(round(t / self.h))
        return self.last

    def _take(self, t: float, h: float, count: int) -> int:
        """Take steps from the last state; the number of those taken."""
        run, rates = self.run, self.rates
        is_new = run is None or self.functions is not rates.functions or self.passed != rates.passed
        if run is None or is_new:
            self.run = run = self._made()
        run.record.t, run.record.h, run.record.origin, run.record.number = t, h, t, 0
        if is_new or not np.array_equal(self.last, run.x):
            run.x[:] = self.last
            run.begin(np.inf)
        before, evaluations = run.record.steps, run.record.evaluations
        while (left := count - (run.record.steps - before)) and run.advance(np.inf, left) != Reason.NOT_FOUND:
            pass  # it returned for states or rates that are large, which the guard looks at
        taken = int(run.record.steps - before)
        rates.evaluations += int(run.record.evaluations - evaluations)
        if rates.is_constrained and taken == count:
            run.x[:] = rates.projected(float(run.record.t), run.x.copy())
        self.last = run.x.copy()
        return taken

    def _made(self) -> NativeRun:
        """A run of the functions that the rates have now, about to begin."""
        rates = self.rates
        self.functions, self.passed = rates.functions, rates.passed
        system = system_of(rates.functions, rates.given, rates.drive.tau, rates.drive.inputs)
        run = NativeRun(self.method, self.last, rtol=1.0, atol=1.0, groups=rates.groups)
        run.use(run.python(rates))  # the rates at the start alone
        run.record.is_fixed = 1
        run.remember(SecondOrderMemory(system, self.radius))
        return run

    def reason(self, done: int) -> BaseException:
        return Stop(
            "not_converged",
            f"after t = {done * self.h:.6g} s the iteration of {self.method} did not converge: the step of"
            f" {self.h:g} s is too long.",
            "Give a shorter step.",
        )
