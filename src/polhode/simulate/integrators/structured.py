"""Fixed steps that keep the structure of a motion, in native code around compiled rates, or around Python's.

Gauss' methods step coordinates and momenta (`dynamics.canonical`) where a mechanism has them and nothing of Python's
has a say: then they are symplectic. Elsewhere they step coordinates and speeds, and are symmetric.
"""

from __future__ import annotations

import numpy as np

from ...dynamics.canonical import why_not_canonical
from ...errors import PolhodeError
from ...ode_former.run_record import Reason
from ...ode_former.step_run import StepRun, step_code
from ..guard import Guard, Stop
from ..initial_state import Floats
from ..rates import NonFinite, Rates
from ..trajectory.record import Record
from .single_steps import PythonSteps, Stepper

#: A step this much shorter is tried where one has no finite end.
_SHORT = 1e-3


def gauss_steps(rates: Rates, guard: Guard, record: Record, h: float, method: str) -> Stepper:
    """Steps of one of Gauss' methods."""
    _check_native(method)
    law = "an effort or input follows a law" if rates.drive.laws is not None else ""
    why_not = why_not_canonical(rates.functions.equations) or law or _python_has_a_say(rates, guard)
    if why_not:
        record.notices.append(f"{method} steps speeds, not momenta, and is symmetric but not symplectic: {why_not}.")
        return _steps_of_speeds(rates, guard, record, h, method)
    record.info["variables"] = "q, p"
    return MomentumSteps(rates, h, method)


def lie_steps(rates: Rates, guard: Guard, record: Record, h: float, method: str) -> Stepper:
    """Steps of a method that turns quaternions."""
    _check_native(method)
    return _steps_of_speeds(rates, guard, record, h, method)


def _steps_of_speeds(rates: Rates, guard: Guard, record: Record, h: float, method: str) -> Stepper:
    record.info["variables"] = "q, u"
    if _python_has_a_say(rates, guard):
        return CalledSteps(rates, h, method, guard, None if rates.is_autonomous else record)
    return StructuredSteps(rates, h, method)


def _python_has_a_say(rates: Rates, guard: Guard) -> str:
    if guard.discontinuities:
        return "a force jumps"
    if len(rates.breaks):
        return "what acts on it changes suddenly"
    return "" if rates.can_step_natively else "a controller drives it"


def _check_native(method: str) -> None:
    try:
        step_code(method)
    except OSError as problem:
        raise PolhodeError(
            f"the method {method} needs native code, which does not work here ({problem}).",
            cure='Use method="rk4".',
            code="E-SIM-102",
        ) from None


class StructuredSteps:
    """Steps of coordinates and speeds in native code; they go on with what rounding left out of the last state."""

    def __init__(self, rates: Rates, h: float, method: str) -> None:
        self.rates, self.h, self.method = rates, h, method
        self.last: Floats = np.zeros(0)
        self.why = Reason.BUDGET
        self.run: StepRun | None = None

    def advance(self, x: Floats, done: int, records: int, every: int) -> tuple[int, Floats]:
        if self.run is None or not np.array_equal(x, self.last):
            self.run = self.begun(x, done)
        before = int(self.run.record.evaluations)
        taken, states, self.why = self.run.take(records, every)
        self.rates.evaluations += int(self.run.record.evaluations) - before
        self.last = self.stepped(self.run.x[None, :].copy())[0]
        return taken, self.stepped(states)

    def begun(self, x: Floats, done: int) -> StepRun:
        """A native run at a state, from which the next step is the given one."""
        run = StepRun(self.method, x, h=self.h, groups=self.rates.groups)
        self.rates.steps_natively(run)
        run.start(x, done)
        return run

    def stepped(self, states: Floats) -> Floats:
        """States as they are stepped as states of the run."""
        return states

    def reason(self, done: int) -> BaseException:
        return why_no_step(self.rates, self.h, self.method, self.why, done, self.last)


class MomentumSteps(StructuredSteps):
    """Steps of coordinates and momenta."""

    def __init__(self, rates: Rates, h: float, method: str) -> None:
        super().__init__(rates, h, method)
        self.n, self.m = rates.coordinates, len(rates.functions.equations.u)
        self.canonical_rates, self.momenta, self.speeds = (
            rates.functions.native(name).with_parameters(rates.functions.parameter_values(name, rates.given))
            for name in ("canonical_rates", "canonical_momenta", "canonical_speeds")
        )

    def begun(self, x: Floats, done: int) -> StepRun:
        rates, n, m = self.rates, self.n, self.m
        x = np.concatenate([x[:n], self.momenta(x[:n], x[n : n + m]), x[n + m :]])
        run = StepRun(self.method, x, h=self.h, groups=rates.groups, partners=[first + n for first, _ in rates.groups])
        known = {"tau": rates.drive.tau, "inputs": rates.drive.inputs}
        run.use(run.compiled(self.canonical_rates, known, state="canonical"))
        run.start(x, done)
        return run

    def stepped(self, states: Floats) -> Floats:
        n = self.n
        return np.concatenate([states[:, :n], self.speeds(states), states[:, 2 * n :]], axis=1)


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

    def part(self, x: Floats, t: float, end: float, h: float) -> Floats:
        """The method from one time to another; whole steps go on with what rounding left out of the last."""
        run = self.run if self.run is not None and h == self.h else self._begun(x, h)
        if not np.array_equal(x, self.reached):
            run.start(x, 0, t)
        taken, states, why = run.take(1, 1)
        if not taken:
            raise why_no_step(self.rates, h, self.method, why, round(t / h), x)
        if h == self.h:
            self.run, self.reached = run, np.asarray(states[0])
        return np.asarray(states[0])

    def _begun(self, x: Floats, h: float) -> StepRun:
        run = StepRun(self.method, x, h=h, groups=self.rates.groups)
        run.use(run.python(self.rates))
        self.reached = np.zeros(0)
        return run
