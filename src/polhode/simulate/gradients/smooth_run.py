"""The run behind a derivative: as any run, of expressions and constants alone, smooth between its jumps and breaks.

What is followed may be more than the state: variations of it, or an integral, come after it in one array, under the
same control of errors. Efforts and inputs may follow laws. Where one jumps at a given time, as held samples do, rates
jump and what is followed does not: steps end there, and a piece begins.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ...codegen.passes.switches import jumping_tables, switched
from ...compiled.functions import Functions
from ...compiled.quantities import Asked
from ...errors import PolhodeError, SimulationError, warn
from ...expr import Expr, evaluate, substitute
from ...expr.spelling import spelled
from ..constraints.assembly import Assembly, assembled
from ..constraints.manifold import Manifold
from ..constraints.projection import EmbeddedRates, ProjectedRates
from ..control.actuation import Actuation
from ..control.inputs import Signal, read_efforts, read_inputs
from ..events import EventLocator, Events
from ..events import Met as Located
from ..guard import Guard, Stop
from ..initial_state import Floats, InitialState, initial_state
from ..integrators.adaptive import Control, changed
from ..rates import NonFinite, Rates
from ..settings import check_held, closing, control_of, span_of
from ..trajectory.record import Record
from ..trajectory.trajectory import Trajectory
from .jumps import Jump, expressed, read_jumps
from .stepping import RightSide, Step, Stepper

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
class Met:
    """An event that happened: which, when, all that was followed just before, and the state just behind it."""

    jump: Jump
    number: int
    t: float
    before: Floats
    after: Floats


@dataclass(eq=False)
class Followed:
    """What was followed: samples, the ends of all steps between jumps, the jumps, and events that change nothing.

    A piece begins at the start, behind a jump, or at a break; `behind` has the jump, None where there is none.
    """

    times: list[float] = field(default_factory=list)
    samples: list[Floats] = field(default_factory=list)
    pieces: list[tuple[list[float], list[Floats]]] = field(default_factory=list)
    behind: list[Met | None] = field(default_factory=list)
    met: list[Met] = field(default_factory=list)
    noted: list[Met] = field(default_factory=list)
    status: str = "done"
    steps: int = 0
    before: int = 0  # evaluations of steppers that came before the one at work
    stepper: Stepper | None = None
    began: float = field(default_factory=time.perf_counter)

    @property
    def evaluations(self) -> int:
        """How often rates were asked for."""
        return self.before + (0 if self.stepper is None else self.stepper.evaluations)

    def stepping(self, stepper: Stepper) -> Stepper:
        """The stepper that goes on from here."""
        self.before, self.stepper = self.evaluations, stepper
        return stepper

    def add(self, t: float, x: Floats) -> None:
        """One more sample."""
        self.times.append(t)
        self.samples.append(x)

    def sample_at(self, t: float, x: Floats) -> None:
        """A sample at an event, unless there is one."""
        if self.times[-1] < t:
            self.add(t, x)

    def begin(self, t: float, x: Floats, behind: Met | None = None) -> None:
        """A piece begins here."""
        self.pieces.append(([t], [x]))
        self.behind.append(behind)

    def reach(self, t: float, x: Floats) -> None:
        """A step ends here."""
        self.pieces[-1][0].append(t)
        self.pieces[-1][1].append(x)


@dataclass(frozen=True, eq=False)
class SmoothRun:
    """A run that can be differentiated: where it begins, what acts, how it is stepped, where it jumps."""

    functions: Functions
    parameters: dict[str, Any]
    tau: Signal
    inputs: Signal
    given: InitialState  # as the user gave it
    start: InitialState  # on the constraints
    manifold: Manifold | None
    assembly: Assembly | None
    hold: tuple[str, ...]
    events: Events
    jumps: tuple[Jump, ...]
    control: Control
    times: Floats

    @classmethod
    def of(
        cls,
        derivation: Derivation,
        duration: float,
        by: Sequence[Expr],
        *,
        start: Any = None,
        speeds: Any = None,
        parameters: Mapping[str, Any] | None = None,
        inputs: Any = None,
        tau: Any = None,
        step: float | None = None,
        samples: Any = None,
        rate: float | None = None,
        rtol: float = 1e-9,
        atol: float = 1e-9,
        max_step: float | None = None,
        max_steps: int = 1_000_000,
        events: Sequence[Any] = (),
        until: Any = None,
        on: Mapping[Any, Mapping[Any, Any]] | None = None,
        hold: Sequence[str] = (),
        functions: Functions | None = None,
    ) -> SmoothRun:
        """Read the options of a run; see `polhode.simulate.simulate`."""
        equations = derivation.equations
        check_held(hold, "hold")
        functions = functions or Functions(derivation)
        functions.values_of((), parameters)
        changed = dict(parameters or {})
        signals = (
            read_efforts(derivation, tau),
            read_inputs(derivation, inputs, functions.input_values()),
        )
        for signal in signals:
            if signal.asked:
                raise PolhodeError(
                    f"{signal.asked[0].words} is a Python function, which has no derivative.",
                    place=signal.what,
                    cure="Write it as an expression of coordinates, speeds, time and parameters, or as samples.",
                    code="E-SENS-005",
                )
        span = span_of(duration, samples, rate, 1 + len(equations.q) + len(equations.u) + len(equations.z))
        given = initial_state(derivation, start, speeds, changed)
        begin, manifold, assembly = given, None, None
        if equations.constraints is not None and equations.constraints.rows:
            manifold = Manifold(functions, equations.constraints, changed)
            assembly = assembled(manifold, given, hold)
            begin = InitialState(assembly.q, assembly.u, assembly.notices, z=assembly.z)
            for told in assembly.warnings(given):
                warn(told)
            rows = assembly.freedom.rows
            if equations.dependent_speeds is None and len(rows) < len(manifold.names):
                functions = functions.keeping(rows)
        driven = Actuation(functions, changed, *signals).driving(functions)
        _check_by(driven, by)
        _check_smooth(driven)
        watched, jumps = read_jumps(functions.derivation, events, until, on, changed, by)
        control = control_of("DOP853", rtol, atol, step, max_steps, max_step)
        return cls(
            functions, changed, *signals, given, begin, manifold, assembly, tuple(hold), watched, tuple(jumps), control,
            span.times,
        )  # fmt: skip

    @property
    def x(self) -> Floats:
        """The first state."""
        return np.concatenate([self.start.q, self.start.u, self.start.z])

    @cached_property
    def rates(self) -> Rates:
        """The rates of the state alone, and its projection."""
        given = self.functions, self.parameters, self.tau, self.inputs
        if self.manifold is None or self.assembly is None:
            return Rates(*given)
        dependent = self.functions.equations.dependent_speeds
        if dependent is not None:
            return EmbeddedRates(*given, self.manifold, dependent)
        return ProjectedRates(*given, self.manifold, self.assembly.freedom.rows)

    @cached_property
    def driven(self) -> Functions:
        """The functions with the laws of efforts and inputs in them."""
        return self.rates.drive.driving(self.functions)

    @property
    def laws(self) -> Mapping[Expr, Expr]:
        """What some efforts and inputs are."""
        return {} if self.driven.laws is None else self.driven.laws.given

    def expressed(self, expression: Any, place: str) -> Expr:
        """An expression in the symbols of the run, laws put in."""
        return substitute([expressed(self.functions.equations, expression, place)], self.laws)[0]

    def right_side(self, asked: Asked) -> RightSide:
        """A native function of one array `x`, at this run's parameters, efforts and inputs."""
        native = self.driven.native(asked)
        values = self.driven.parameter_values(asked, self.parameters)
        given = {"tau": self.tau.constant, "inputs": self.inputs.constant}
        return RightSide(native.with_parameters(values) if len(values) else native, given)

    def known(self, t: float, x: Floats) -> dict[Expr, float]:
        """The values of all symbols at a state."""
        equations = self.functions.equations
        system = equations.system
        values = {p.symbol: float(p.value) for p in system.parameters.values() if p.value is not None}
        values |= {system.parameters[name].symbol: float(value) for name, value in self.parameters.items()}
        symbols = [*equations.q, *equations.u, *equations.z, *equations.tau]
        symbols += [each.symbol for each in system.inputs.values()]
        numbers = np.concatenate([x, self.tau.constant, self.inputs.constant]).tolist()
        found = {**values, system.time: t, **dict(zip(symbols, numbers, strict=True))}
        return {**found, **dict(zip(self.laws, evaluate(self.laws.values(), found), strict=True))}

    # ---- following -------------------------------------------------------------------------------------------

    def follow(
        self,
        rates: RightSide,
        x: Floats,
        projected: Callable[[float, Floats], Floats],
        struck: Callable[[Met], Floats],
    ) -> Followed:
        """Step all that is followed from x to the end of the run; `struck` says what is there behind a jump."""
        made = Followed()
        with self.telling(made):
            self._follow(made, rates, x, projected, struck)
        return made

    @contextmanager
    def telling(self, made: Followed) -> Iterator[None]:
        """Whatever ends the run before its time is told with the motion so far."""
        try:
            yield
        except Stop as stop:
            raise self._error(stop, made) from None
        except NonFinite as found:
            raise self._error(self._guard.nonfinite(found), made) from None

    @cached_property
    def _guard(self) -> Guard:
        return Guard(self.rates, self.functions, lambda: self.known(0.0, self.x))

    def _follow(
        self,
        made: Followed,
        rates: RightSide,
        x: Floats,
        projected: Callable[[float, Floats], Floats],
        struck: Callable[[Met], Floats],
    ) -> None:
        size, end, recorded = len(self.x), float(self.times[-1]), 1
        record = Record(size)
        self._guard.start(0.0, x[:size])
        self.rates.measure(0.0, x[:size])
        t = 0.0
        self.rates.start(x[:size], end)
        made.add(t, x)
        made.begin(t, x)
        locator = EventLocator(self.events, len(self.functions.equations.q), record, t, x[:size])
        stepper = made.stepping(Stepper(rates, t, x, self._goal(end), self.control))
        while t < end:
            step = stepper.step()
            made.steps += 1
            located = self._located(locator, step, projected, made)
            t = step.t if located is None else located.t
            while recorded < len(self.times) and self.times[recorded] <= t:
                when = float(self.times[recorded])
                made.add(when, projected(when, step.x if when == step.t else step.interpolant(when)))
                recorded += 1
            if located is None:
                x = projected(t, step.x)
                made.reach(t, x)
                if x is not step.x:
                    stepper.restate(x)
                self._guard.step(t, x[:size], stepper.rate[:size])
                if self._goal(end) <= t < end:
                    t = self.rates.next_break
                    while recorded < len(self.times) and self.times[recorded] <= t:
                        made.add(float(self.times[recorded]), x)
                        recorded += 1
                    if t < end:
                        self.rates.begin(t, x[:size])
                        made.begin(t, x)
                        stepper = made.stepping(Stepper(rates, t, x, self._goal(end), self.control))
                continue
            x = projected(t, step.interpolant(t))
            made.reach(t, x)
            made.sample_at(t, x)
            after = changed(self.rates, record, located, x[:size])
            met = Met(self.jumps[located.number], located.number, t, x, after)
            made.met.append(met)
            if located.event.change is None:
                made.status = "event"
                return
            x = struck(met)
            made.add(float(np.nextafter(t, np.inf)), x)
            made.begin(t, x, met)
            locator.restart(t, x[:size], located)
            if t < end:
                stepper = made.stepping(Stepper(rates, t, x, self._goal(end), self.control))

    def _goal(self, end: float) -> float:
        """The end, or the last time before the next break: no step sees what holds after it."""
        return min(self.rates.before_break, end)

    def _located(
        self, locator: EventLocator, step: Step, projected: Callable[[float, Floats], Floats], made: Followed
    ) -> Located | None:
        """The first event in a step that interrupts the run; those before it that do not are noted."""
        if not self.events:
            return None
        size, counts = len(self.x), [len(times) for times in locator.found]
        found = locator.locate(lambda t: step.interpolant(t)[:size], step.t_old, step.t, step.x[:size])
        for number, count in enumerate(counts):
            for t in locator.found[number][count:] if not self.events.watched[number].interrupts else ():
                x = projected(t, step.interpolant(t))
                made.noted.append(Met(self.jumps[number], number, t, x, x[:size]))
        return found

    # ---- what is left ----------------------------------------------------------------------------------------

    def trajectory(self, made: Followed, message: str = "") -> Trajectory:
        """The motion that was followed."""
        equations = self.functions.equations
        x = np.array(made.samples)[:, : len(self.x)]
        q, u, z = np.split(x, [len(equations.q), len(equations.q) + len(equations.u)], axis=1)
        events: list[list[float]] = [[] for _ in self.jumps]
        for met in (*made.met, *made.noted):
            events[met.number].append(met.t)
        info = {
            "method": self.control.method, "rtol": self.control.rtol, "atol": self.control.atol, "steps": made.steps,
            "notices": [*self.start.notices, *self._guard.notices, *self.rates.drive.notices(made.times[-1])],
            "events": events, "evaluations": made.evaluations, "wall_time": time.perf_counter() - made.began,
        }  # fmt: skip
        record = Record(len(self.x))
        times = np.array(made.times)
        record.add(times, x)
        acted = self.rates.drive.acted(record)
        tau, inputs = acted.along(times, x)
        return Trajectory(
            times, q, u, tuple(equations.coordinates), tuple(equations.speeds), made.status, message, info,
            inputs=inputs, tau=tau, acted=acted, efforts=self.tau.names, input_names=self.inputs.names,
            functions=self.functions, parameters=self.parameters, z=z, states=tuple(equations.states),
        )  # fmt: skip

    def _error(self, stop: Stop, made: Followed) -> SimulationError:
        made.status = stop.status
        found = self.trajectory(made, stop.message) if made.samples else None
        return SimulationError(stop.message, trajectory=found, cure=stop.cure, code=f"E-SIM-{stop.status.upper()}")


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
