"""The run behind a derivative: as any run, of expressions and constants alone, smooth between its events.

What is followed may be more than the state: variations of it, or an integral, come after it in one array, under the
same control of errors. Efforts and inputs may follow laws. Where one jumps at a given time, as held samples do, rates
jump and what is followed does not: steps end there, and a segment begins.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import repeat
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from ...codegen.passes.switches import jumping_tables, switched
from ...compiled.functions import Functions
from ...compiled.quantities import Asked
from ...errors import PolhodeError
from ...expr import Expr, evaluate, substitute
from ...expr.spelling import spelled
from ...ode.native_code import method_code
from ...ode.native_run import NativeRun
from ...ode.record import CONSTRAINED_GROWTH, GOES_ON
from ..control.actuation import Actuation
from ..events import Events
from ..guard import Guard, Stop
from ..initial_state import Floats
from ..integrators.adaptive import Control
from ..integrators.native import Integration
from ..rates import Rates
from ..run import Problem, problem_of, stopped
from ..settings import closing, control_of
from ..state_changes import StateChange
from ..trajectory.record import Record, Report
from ..trajectory.trajectory import Trajectory
from .jumps import Jump, expressed, read_jumps

if TYPE_CHECKING:
    from ...formalisms.derivation import Derivation


def closing_smoothly(derivation: Derivation, options: dict[str, Any]) -> tuple[Derivation, dict[str, Any]]:
    """The derivation and the options of a run with its loop closed in continuous time, where there is a controller."""
    derivation, closed = closing(derivation, **options)
    loop = closed.pop("controller", None)
    if loop is not None and loop.sampling is not None:
        raise PolhodeError(
            "a run with a sampled law has no derivatives here.",
            place="controller",
            cure="Give a law in continuous time.",
            code="E-SENS-014",
        )
    return derivation, closed


@dataclass(frozen=True, eq=False)
class Occurrence:
    """An event that happened: which, when, and all that was followed before and, where it changed, after it."""

    jump: Jump
    number: int
    t: float
    before: Floats
    after: Floats | None = None


@dataclass(frozen=True, eq=False)
class Segment:
    """The ends of the steps between two events or time events, and the event that it follows, if one."""

    times: Floats
    states: Floats
    event: Occurrence | None


#: The state and what is followed beside it on the constraints, at a time; and behind an event that changed the state.
Projection: TypeAlias = Callable[[float, Floats], Floats]
Change: TypeAlias = Callable[[Occurrence, Floats], Floats]


class FollowedRates(Rates):
    """The rates of the state and of what is followed beside it; `project` brings both back to the constraints."""

    def __init__(self, run: SmoothRun, of: Asked, project: Projection | None = None) -> None:
        problem = run.problem
        super().__init__(run.functions, problem.parameters, problem.tau, problem.inputs, of)
        self.groups, self._project, self.size = [], project, len(run.x)

    def _signs(self, values: Floats) -> None:
        """A derivative may have signs in it; where the rates have none it does not jump in what follows from it."""

    @property
    def is_constrained(self) -> bool:
        return self._project is not None

    def projected(self, t: float, x: Floats) -> Floats:
        return x if self._project is None else self._project(t, x)

    def within(self, t: float) -> float:
        """Any time: derivatives are evaluated after the run too, and those of adjoints are functions of -t."""
        return t

    def _arguments(self, t: float, x: Floats, ask: bool = True) -> list[Floats]:
        given = {"x": x, "t": np.array([t]), **self._held}
        return [given[name] for name in self.native.arrays]

    def pass_to(self, number: int, states: Floats) -> None:
        super().pass_to(number, states[:, : self.size])

    def steps_natively(self, run: NativeRun, holds_signs: bool = True) -> None:
        if self.can_run_natively:
            super().steps_natively(run)
        else:
            run.use(run.python(self))
        if self._project is not None:
            run.project_by(self._project)
        run.record.growth = CONSTRAINED_GROWTH


@dataclass(frozen=True, eq=False)
class Followed:
    """What was followed: the motion, all of it at the samples, the events in their order, and the steps that were kept.

    A step is a row of t, h and all that was followed at its begin.
    """

    trajectory: Trajectory
    states: Floats
    events: tuple[Occurrence, ...] = ()
    steps: Floats | None = None

    def segments(self) -> list[Segment]:
        """The steps, divided where the state or its rates jump."""
        acted, steps = self.trajectory.acted, self.steps
        if acted is None or steps is None:
            return []
        size = acted.states.shape[1]
        jumps: list[tuple[float, float, Floats, Occurrence | None]]  # where the next segment begins, and this one ends
        jumps = [*zip(acted.times[1:], acted.before[1:], acted.states[1:], repeat(None), strict=False)]
        jumps += [(each.t, each.t, each.before, each) for each in self.events if each.after is not None]
        jumps.sort(key=lambda jump: jump[0])
        jumps.append((np.inf, min(self.trajectory.t[-1], acted.last), self.states[-1], None))
        segments, first, event = [], 0, None
        for next_begin, end, x, next_event in jumps:
            last = int(np.searchsorted(steps[:, 0], next_begin))
            states = np.vstack([steps[first:last, 2 : 2 + size], x[:size]])
            segments.append(Segment(np.append(steps[first:last, 0], end), states, event))
            first, event = last, next_event
        return segments


@dataclass(frozen=True, eq=False)
class SmoothRun:
    """A run that can be differentiated: where it begins, what acts, how it is stepped, where it jumps."""

    problem: Problem  # with functions of independent constraints
    events: Events
    jumps: tuple[Jump, ...]
    control: Control

    @classmethod
    def of(
        cls,
        derivation: Derivation,
        duration: float,
        by: Sequence[Expr],
        *,
        step: float | None = None,
        rtol: float = 1e-9,
        atol: float = 1e-9,
        max_step: float | None = None,
        max_steps: int = 1_000_000,
        events: Sequence[Any] = (),
        until: Any = None,
        on: Mapping[Any, Mapping[Any, Any]] | None = None,
        **options: Any,
    ) -> SmoothRun:
        """Read the options of a run; see `polhode.simulate.simulate`."""
        problem = problem_of(derivation, duration, **options)
        for signal in (problem.tau, problem.inputs):
            if signal.asked:
                raise PolhodeError(
                    f"{signal.asked[0].words} is a Python function, which has no derivative.",
                    place=signal.what,
                    cure="Write it as an expression of coordinates, speeds, time and parameters, or as samples.",
                    code="E-SENS-005",
                )
        functions, manifold = problem.functions, problem.manifold
        if manifold is not None and problem.assembly is not None:
            rows = problem.assembly.freedom.rows
            if derivation.equations.dependent_speeds is None and len(rows) < len(manifold.names):
                functions = functions.keeping(rows)
        driven = Actuation(functions, problem.parameters, problem.tau, problem.inputs).driving(functions)
        _check_by(driven, by)
        _check_smooth(driven)
        watched, jumps = read_jumps(functions.derivation, events, until, on, problem.parameters, by)
        control = control_of("DOP853", rtol, atol, step, max_steps, max_step)
        _check_native(control.method)
        return cls(replace(problem, functions=functions), watched, tuple(jumps), control)

    @property
    def functions(self) -> Functions:
        """The functions of the mechanism, without laws."""
        return self.problem.functions

    @property
    def x(self) -> Floats:
        """The first state."""
        start = self.problem.start
        return np.concatenate([start.q, start.u, start.z])

    @cached_property
    def rates(self) -> Rates:
        """The rates of the state alone, and its projection."""
        return self.problem.rates(self.control.method)

    @property
    def laws(self) -> Mapping[Expr, Expr]:
        """What some efforts and inputs are."""
        laws = self.rates.functions.laws
        return {} if laws is None else laws.given

    def expressed(self, expression: Any, place: str) -> Expr:
        """An expression in the symbols of the run, laws put in."""
        return substitute([expressed(self.functions.equations, expression, place)], self.laws)[0]

    def projected(self, t: float, x: Floats) -> Floats:
        """All that is followed, with the state on its constraints and quaternions of unit length."""
        new, size = x.copy(), len(self.x)
        new[:size] = self.rates.unit(self.rates.projected(t, x[:size]))[0]
        return new

    def known(self, t: float, x: Floats) -> dict[Expr, float]:
        """The values of all symbols at a state."""
        equations = self.functions.equations
        symbols = [equations.system.time, *equations.q, *equations.u, *equations.z, *equations.tau]
        numbers = [t, *x.tolist(), *self.problem.tau.constant.tolist()]
        found = self.problem.values() | dict(zip(symbols, numbers, strict=True))
        return {**found, **dict(zip(self.laws, evaluate(self.laws.values(), found), strict=True))}

    def follow(
        self, rates: FollowedRates, beside: Floats, changed: Change | None = None, *, keeps_steps: bool = False
    ) -> Followed:
        """Run to the end with what is followed beside the state, and `changed` behind an event that changes that."""
        size, whole = len(self.x), Record(len(self.x) + len(beside))
        whole.add(np.zeros(1), np.concatenate([self.x, beside])[None, :])
        followed: list[Integration] = []

        def go(state: Rates, guard: Guard, record: Record, report: Report) -> str:
            record.info |= {"rtol": self.control.rtol, "atol": self.control.atol}
            whole.restart(np.concatenate([record.last[1], beside]))
            rates.drive, rates.breaks = state.drive, state.breaks
            try:
                events = self.events if changed is None else self._with_changes(changed)
                made = Integration(rates, guard, whole, self.problem.span.times, self.control, events)
                followed.append(made)
                made.run.most_kept = np.inf if keeps_steps else 0.0
                return made.go(report)
            finally:
                record.pieces[:] = [(t, x[:, :size].copy()) for t, x in whole.pieces]
                record.info |= whole.info
                record.notices += whole.notices
                record.steps, state.evaluations = whole.steps, rates.evaluations

        trajectory = self.problem.execute(go, self.control.method, rates=self.rates)
        if not followed:
            return Followed(trajectory, whole.states)
        run = followed[0].run
        log = run.events.entries(0) if self.events else ()
        events = tuple(
            Occurrence(self.jumps[number], number, t, rates.projected(t, x) if kind == GOES_ON else x, after)
            for t, number, kind, _, x, after in log
        )
        return Followed(trajectory, whole.states, events, run.kept_steps)

    def _with_changes(self, changed: Change) -> Events:
        """The events; those that change the state change what is followed beside it too."""
        watched = list(self.events.watched)
        for number, event in enumerate(watched):
            if event.change is not None:
                watched[number] = replace(event, change=self._whole_change(number, event.change, changed))
        return replace(self.events, watched=tuple(watched))

    def _whole_change(self, number: int, change: StateChange, changed: Change) -> StateChange:
        def values(t: float, q: Floats, rest: Floats) -> Mapping[int, float]:
            before = np.concatenate([q, rest])
            after, size = before.copy(), len(self.x)
            after[:size] = self.rates.projected(t, change.applied(t, before[:size]))
            return dict(enumerate(changed(Occurrence(self.jumps[number], number, t, before), after).tolist()))

        return StateChange(int, values, change.coordinates)

    @contextmanager
    def telling(self, trajectory: Trajectory) -> Iterator[None]:
        """Raise what has no derivative as the end of the run."""
        try:
            yield
        except Stop as stop:
            raise stopped(stop, replace(trajectory, status=stop.status, message=stop.message)) from None


def _check_by(functions: Functions, by: Sequence[Expr]) -> None:
    """Refuse derivatives by what follows a law."""
    laws = {} if functions.laws is None else functions.laws.given
    driven = [spelled(each) for each in by if each in laws]
    if driven:
        raise PolhodeError(
            f"'{driven[0]}' follows a law, and so is nothing to differentiate by.",
            place="by",
            cure="Name a parameter that is in the law.",
            code="E-SENS-012",
        )


def _check_native(method: str) -> None:
    """Refuse to differentiate where native code cannot be made."""
    try:
        method_code(method)
    except OSError as problem:
        raise PolhodeError(
            f"derivatives of a run need native code, which does not work here ({problem}).",
            cure="Take differences of runs, which SciPy can make.",
            code="E-SENS-015",
        ) from None


def _check_smooth(functions: Functions) -> None:
    """Refuse rates that jump by themselves."""
    program = functions.program("state_rates")
    tables = jumping_tables(program)
    if tables is not None:
        raise PolhodeError(
            f"{tables[1][0][0]} jumps at values of something other than the time, which is not differentiated.",
            place=f"system '{functions.equations.system.name}'",
            cure='Take a table of the kind "linear", "cubic" or "pchip".',
            code="E-SENS-013",
        )
    if switched(program) is not None or any(step.op == "floor" for step in program.run):
        raise PolhodeError(
            "a force jumps with the sign of something, or with its whole part, which is not differentiated.",
            place=f"system '{functions.equations.system.name}'",
            cure="Make it smooth, as tanh(v/0.001) instead of sign(v).",
            code="E-SENS-006",
        )
