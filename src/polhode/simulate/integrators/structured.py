"""Fixed steps that keep the structure of a motion, in native code around compiled rates, or around Python's.

Gauss' methods step coordinates and momenta (`dynamics.canonical`) where a mechanism has them and nothing of Python's
has a say: then they are symplectic. Elsewhere they step coordinates and speeds, and are symmetric.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...codegen.steppers.run_record import Reason
from ...compiled.native.step_run import StepRun, step_code
from ...dynamics.canonical import why_not_canonical
from ...errors import PolhodeError
from ..guard import Guard, Stop
from ..initial_state import Floats
from ..rates import NonFinite, Rates
from ..record import Record
from .single_steps import PythonSteps, Stepper

#: A step this much shorter is tried where one has no finite end.
_SHORT = 1e-3


class StructuredSteps:
    """Steps in native code; the run goes on where it was left, with what rounding left out of its state."""

    def __init__(self, rates: Rates, h: float, method: str, variables: str) -> None:
        self.rates, self.h, self.method, self.variables = rates, h, method, variables
        self.last: Floats = np.zeros(0)
        self.why = Reason.BUDGET
        self.run: StepRun | None = None

    @classmethod
    def made(cls, rates: Rates, guard: Guard, record: Record, h: float, method: str) -> Stepper:
        """Steps of a method for a run."""
        try:
            step_code(method)
        except OSError as problem:
            raise PolhodeError(
                f"the method {method} needs native code, which does not work here ({problem}).",
                cure='Use method="rk4".',
                code="E-SIM-062",
            ) from None
        if guard.discontinuities or not rates.can_step_natively:
            record.info["variables"] = "q, u"
            return CalledSteps(rates, h, method, guard, None if rates.is_autonomous else record)
        reason = why_not_canonical(rates.functions.equations) if method.startswith("gauss") else "its group is stepped"
        record.info["variables"] = "q, u" if reason else "q, p"
        if reason and method.startswith("gauss"):
            record.notices.append(f"{method} is symmetric here, not symplectic: {reason}.")
        return cls(rates, h, method, record.info["variables"])

    def advance(self, x: Floats, done: int, records: int, every: int) -> tuple[int, Floats]:
        if self.run is None or not np.array_equal(x, self.last):
            self.run = self._begun(x, done)
        before = int(self.run.record.evaluations)
        taken, states, self.why = self.run.take(records, every)
        self.rates.evaluations += int(self.run.record.evaluations) - before
        states = self._states(states)
        whole = taken == records * every
        self.last = states[-1] if whole else self._states(self.run.x[None, :].copy())[0]
        return taken, states

    def _begun(self, x: Floats, done: int) -> StepRun:
        rates, n = self.rates, self.rates.coordinates
        known: dict[str, Any] = {"tau": rates.tau.constant, "inputs": rates.inputs.constant}
        if self.variables == "q, u":
            run = StepRun(self.method, x, h=self.h, groups=rates.groups)
            rates.steps_natively(run)
        else:
            values = rates.functions.parameter_values("canonical_rates", rates.given)
            momenta = rates.functions.evaluate(
                "canonical_momenta", x[:n], x[n : n + self._speeds], parameters=rates.given
            )
            x = np.concatenate([x[:n], momenta, x[n + self._speeds :]])
            partners = [first + n for first, _ in rates.groups]
            run = StepRun(self.method, x, h=self.h, groups=rates.groups, partners=partners)
            native = rates.functions.native("canonical_rates").with_parameters(values)
            run.use(run.compiled(native, known, state="canonical"))
        run.start(x, done)
        return run

    @property
    def _speeds(self) -> int:
        return len(self.rates.functions.equations.u)

    def _states(self, states: Floats) -> Floats:
        """Coordinates and speeds of some states as they are stepped."""
        if self.variables == "q, u":
            return states
        n = self.rates.coordinates
        u = self.rates.functions.evaluate("canonical_speeds", states, parameters=self.rates.given)
        return np.concatenate([states[:, :n], u, states[:, 2 * n :]], axis=1)

    def reason(self, done: int) -> BaseException:
        return why_no_step(self.rates, self.h, self.method, self.why, done, self.last)


def why_no_step(rates: Rates, h: float, method: str, why: Reason, done: int, x: Floats) -> BaseException:
    """Why native code did not take the next step."""
    if why == Reason.NONFINITE:
        try:  # a short step tells whether the equations are to blame or the length of the step
            PythonSteps(rates, _SHORT * h, "rk4").step(x, round(done / _SHORT))
        except NonFinite as found:
            return found
    return Stop(
        "not_converged",
        f"after t = {done * h:.6g} s the stages of {method} were not found: the step of {h:g} s is too long.",
        "Give a shorter step.",
    )


class CalledSteps(PythonSteps):
    """Steps in native code one by one, which asks Python for the rates: for controllers, and signs that are held."""

    def __init__(self, rates: Rates, h: float, method: str, guard: Guard, driven: Record | None) -> None:
        super().__init__(rates, h, "rk4", guard.discontinuities, driven)
        self.method = method
        self.run: StepRun | None = None
        self.reached: Floats = np.zeros(0)

    def step(self, x: Floats, k: int) -> Floats:
        """One step of the method."""
        if self.run is None:
            self.run = StepRun(self.method, x, h=self.h)
            self.run.use(self.run.python(self.rates))
        if not np.array_equal(x, self.reached):
            self.run.start(x, k)
        taken, states, why = self.run.take(1, 1)
        if not taken:
            raise why_no_step(self.rates, self.h, self.method, why, k, x)
        self.reached = np.asarray(states[0])
        return self.reached
