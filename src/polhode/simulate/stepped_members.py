"""The members of a stepper: from options to memory that native code steps, and steps that are left to Python.

Steps are left to Python where constraints are ill conditioned, where a Python function changes the state at an event,
and where there is no native code: they are taken once more, by what takes those of a run.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ..codegen.fixed_steps import METHODS as TABLEAUX
from ..errors import PolhodeError
from ..ode.native_events import EventLogs, EventMemory
from ..ode.native_members import MemberRows
from ..ode.native_run import NativeRun
from ..ode.record import CONSTRAINED_GROWTH, Reason
from ..ode.stepping import MemberSteps, RowSteps, Stepping
from .batch.member_events import event_rows
from .constraints.constrained_members import ConstrainedMembers
from .control.stepped_law import SteppedLaw
from .events import Events
from .guard import Stop
from .initial_state import Floats, InitialState
from .integrators import adaptive
from .integrators.adaptive import Control
from .limits import watched_by_all
from .rates import NonFinite, Rates
from .run import Problem, on_constraints
from .settings import Even

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..compiled.functions import Functions
    from ..formalisms.derivation import Derivation
    from .control.controlled import ClosedLoop
    from .control.inputs import Signal

#: What an adaptive step of a member costs beside evaluations, in instructions.
_STEP_COST = 500
#: Why a step is left to Python.
_LEFT = [int(each) for each in (Reason.EVENT, Reason.ILL_CONDITIONED, Reason.PROJECT, Reason.SAMPLE)]


@dataclass(frozen=True, eq=False)
class Driven:
    """What is stepped, with its loop closed; `start` is as it was given."""

    derivation: Derivation
    functions: Functions
    parameters: dict[str, Any]
    tau: Signal
    inputs: Signal
    start: Any
    loop: ClosedLoop | None
    is_fixed: bool


class _InPython:
    """Members all of whose steps are left to Python."""

    shares_time = False

    def __init__(self, x: Floats) -> None:
        self.x, self.t, self.bounds = x, np.zeros(len(x)), np.full(len(x), np.inf)
        self.reasons: NDArray[np.int64] = np.zeros(len(x), dtype=np.int64)
        self.memory = [self.x, self.t, self.reasons]

    def step(self, dt: float) -> int:
        self.reasons[(self.reasons == 0) & (self.t < self.bounds)] = Reason.PROJECT
        return int((self.reasons > 0).sum())

    def revive(self, members: Any) -> None:
        self.reasons[members] = 0


class SteppedMembers:
    """So many members of a problem; `begin` with their first states, each brought onto its constraints by `begun`."""

    def __init__(
        self, problem: Driven, count: int, control: Control, events: Events, substeps: int, threads: int | None
    ) -> None:
        self.problem, self.count, self.control, self.events = problem, count, control, events
        self._substeps, self._threads = substeps, threads
        signals = problem.tau, problem.inputs
        self.arrays = {
            name: np.tile(each.constant, (count, 1)) for name, each in zip(("tau", "inputs"), signals, strict=True)
        }
        constraints = problem.derivation.equations.constraints if problem.derivation.synopsis.is_constrained else None
        self._constrained: ConstrainedMembers | None = None
        if constraints is not None and constraints.rows:
            self._constrained = ConstrainedMembers(
                problem.derivation, problem.functions, constraints, signals, 0.0, (),
                lambda i: (self.own(i), self.arrays["tau"][i], self.arrays["inputs"][i]),
            )  # fmt: skip
        self._by_python = np.zeros(count, dtype=np.bool_)  # members all of whose steps are left to Python
        self.happened: list[tuple[int, int, float]] = []  # member, event and time, in the last call
        self.law: SteppedLaw | None = None

    def own(self, i: int) -> dict[str, Any]:
        """The parameters of a member."""
        return {name: value[i] if np.ndim(value) else value for name, value in self.problem.parameters.items()}

    # ---- begin -------------------------------------------------------------------------------------------------

    def begun(self, members: Sequence[int], first: InitialState) -> Floats:
        """A state near the one given that keeps the constraints, for members that are alike."""
        if self._constrained is None:
            return np.concatenate([first.q, first.u, first.z])
        i = members[0]
        x = self._constrained.begun(i, first, at_singular_pose=True)
        self._by_python[members] = x is None
        if x is None:
            p = self.problem
            on, _, _ = on_constraints(p.derivation, p.functions, first, (), self.own(i))
            return np.concatenate([on.q, on.u, on.z])
        for k in members:
            self._constrained.signs[k] = self._constrained.signs[i]
            if "engine" in vars(self) and isinstance(self.engine, MemberSteps):
                self.engine.members.signs[k] = self._constrained.signs[i]
        return x

    def begin(self, x: Floats) -> None:
        """Make what steps members from these states (N, n)."""
        self._first = x
        _ = self.engine
        loop, known = self.problem.loop, self.problem.derivation.synopsis
        if loop is not None and loop.sampling is not None:
            rows = [
                ("effort", known.efforts, self.arrays["tau"]),
                ("input", tuple(known.inputs), self.arrays["inputs"]),
            ]
            self.law = SteppedLaw(loop, self.problem.functions, self.problem.parameters, rows, known.quaternion_groups)

    @cached_property
    def _rates(self) -> Rates:
        if self._constrained is not None and self._constrained.rates is not None:
            return self._constrained.rates
        return Rates(self.problem.functions, self.own(0), self.problem.tau, self.problem.inputs)

    @cached_property
    def engine(self) -> Stepping:
        """What takes steps."""
        x, p, rates, method = self._first, self.problem, self._rates, self.control.method
        is_native = rates.can_run_natively and (p.is_fixed or adaptive.working(method, rates).is_native)
        if not is_native or self._by_python.all():
            return _InPython(x)
        is_implicit = not p.is_fixed and adaptive.METHODS[method].is_implicit
        work = rates.rows_of_members(p.parameters, is_implicit)
        is_sampled = p.loop is not None and p.loop.sampling is not None
        if method in TABLEAUX and self._constrained is None and not self.events and not is_sampled:
            function, groups = rates.functions.native(rates.of), tuple(rates.groups)
            own = work["work"]
            made = RowSteps(
                function, method, groups, self.count, own if len(own) > 1 else own[0], self._substeps, self._threads
            )
            made.x[:] = x
            for name in ("tau", "inputs"):
                if name in made.arrays:
                    made.arrays[name][:] = self.arrays[name]
                    self.arrays[name] = made.arrays[name]
            return made
        rows = {name: each for name, each in work.items() if len(each) > 1} | self.arrays
        rows |= {f"jacobian.{name}": each for name, each in self.arrays.items()} if is_implicit else {}
        if self.count > 1 and any(map(np.ndim, p.parameters.values())):
            rows |= event_rows(p.functions, self.events, self.count, p.parameters)
        logs = EventLogs.of(self.events.effects, *x.shape) if self.events else None
        signs = self._constrained.rows_of_signs(self.count) if self._constrained is not None else None
        members = MemberRows.of(x, rows, 0, watched_by_all([()] * self.count), signs, logs)
        # Python functions are called by one thread
        threads = 1 if self.events and self.events.compiled is None else self._threads
        cost = self.count * (10.0 * rates.length + _STEP_COST)
        return MemberSteps(lambda: self._run(x, logs), members, self._substeps, self.control.most_steps, threads, cost)

    def _run(self, x: Floats, logs: EventLogs | None) -> NativeRun:
        """The memory of one thread."""
        rates, control, n = self._rates, self.control, x.shape[1]
        code = rates.fixed_stepper(control.method) if self.problem.is_fixed else rates.stepper(control.method)
        run = NativeRun(code, x[0], rtol=control.rtol, atol=control.atol, groups=rates.groups)
        run.record.bound, run.record.position_count = np.inf, rates.coordinates
        if self._constrained is not None:
            run.record.growth = CONSTRAINED_GROWTH
            if self.problem.is_fixed:
                run.sample(np.zeros(1), np.empty((1, n)))
        if logs is not None:
            values = self.events.compiled or self._event_values
            run.watch(EventMemory(values, self.events.effects, n, run.clock, callback=run.callback, logs=logs))
        rates.steps_natively(run, holds_signs=False)
        rates.differentiates_natively(run)
        return run

    def _event_values(self, t: float, x: Floats) -> list[float]:
        n = self._rates.coordinates
        return [float(each.value(t, x[:n].copy(), x[n:].copy())) for each in self.events.watched]

    # ---- steps -------------------------------------------------------------------------------------------------

    @property
    def step(self) -> Callable[[float], int]:
        """Takes every member a time further; how many have stopped, for `finish` to look into."""
        if self.law is not None:
            return self._sampled_step
        return self._step if self.events or self._by_python.any() else self.engine.step

    def _sampled_step(self, dt: float) -> int:
        """From one sample of the law to the next."""
        engine, law = self.engine, self.law
        if not isinstance(engine, MemberSteps | _InPython) or law is None:
            return 0
        self.happened.clear()
        end = engine.t + dt
        while True:
            goes_on = (engine.reasons == 0) & (engine.t < end)
            if not goes_on.any():
                break
            law.pass_to(engine.t, engine.x, goes_on)
            engine.bounds[:] = np.minimum(law.next_times, end)
            self._advance(dt)
        engine.bounds[:] = np.inf
        return int((engine.reasons > 0).sum())

    def _step(self, dt: float) -> int:
        if self.happened:
            self.happened.clear()
        return self._advance(dt)

    def _advance(self, dt: float) -> int:
        engine: Any = self.engine
        logs = engine.members.logs if self.events and isinstance(engine, MemberSteps) else None
        if logs is not None:
            logs.counts[:] = 0
        if not isinstance(engine, RowSteps):
            engine.reasons[self._by_python & (engine.reasons == 0) & (engine.t < engine.bounds)] = Reason.PROJECT
        stopped = int(engine.step(dt))
        if stopped:
            self.finish(dt)
        if logs is not None:
            for i in np.flatnonzero(logs.counts).tolist():
                self.happened += [(i, int(row[1]), float(row[0])) for row in logs.of_member(i)]
        return stopped

    def finish(self, dt: float) -> None:
        """Take by Python what steps are left to it; raise what a function has raised."""
        engine: Any = self.engine
        if isinstance(engine, RowSteps):
            return
        if isinstance(engine, MemberSteps) and (engine.reasons == Reason.FAILED).any():
            engine.reasons[engine.reasons == Reason.FAILED] = Reason.NAN_EVENT
            for run in engine.runs:
                run.raise_problem()
        for i in np.flatnonzero(np.isin(engine.reasons, _LEFT)).tolist():
            if isinstance(engine, MemberSteps) and engine.members.logs is not None:
                engine.members.logs.counts[i] = 0
            self._step_in_python(engine, i, dt)

    def _step_in_python(self, engine: Any, i: int, dt: float) -> None:
        t, p, x = float(engine.t[i]), self.problem, engine.x[i].copy()
        end, own, n = min(t + dt, float(engine.bounds[i])), self.own(i), self._rates.coordinates
        tau, inputs = (
            replace(signal, constant=self.arrays[name][i].copy())
            for name, signal in (("tau", p.tau), ("inputs", p.inputs))
        )
        control = replace(self.control, fixed_step=dt / self._substeps) if p.is_fixed else self.control
        m = n + len(p.derivation.synopsis.speeds)
        first = InitialState(x[:n], x[n:m], (), z=x[m:])
        try:
            on = on_constraints(p.derivation, p.functions, first, (), own)
            member = Problem(p.derivation, p.functions, own, tau, inputs, Even(end, 2), first, *on)
            record = member.go_on(t, end, control, self.events)
        except (NonFinite, Stop, PolhodeError):
            engine.reasons[i] = Reason.NONFINITE
            return
        engine.t[i], engine.x[i] = record.last
        engine.reasons[i] = Reason.ENDED if record.info["status"] == "event" else 0
        for number, times in enumerate(record.info.get("events", ())):
            self.happened += [(i, number, each) for each in times]

    @property
    def memory(self) -> list[Any]:
        """The arrays that a stepper goes on from."""
        return [*self.engine.memory, *self.arrays.values(), *([] if self.law is None else self.law.memory)]

    def revive(self, members: Any) -> None:
        """Let members go on from states that were written into their rows."""
        self.engine.revive(members)
        self.happened.clear()
        if self.law is not None:
            self.law.reset(members)
