"""simulate: from equations and a start to a trajectory."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Unpack, cast

import numpy as np

from ..compiled.functions import Functions
from ..dynamics.synopsis import Synopsis
from ..errors import PolhodeError, SimulationError, by_name, listed, unknown, warn
from ..native.arrays import scale_quaternions
from .batch.members import Members
from .control.actuation import ControllerFailed, Signal, read_efforts, read_inputs
from .events import Events, read_events
from .guard import Guard, Stop
from .initial_state import Floats, InitialState, by_kind, initial_state
from .integrators import native
from .progress import reporting
from .rates import NonFinite, Rates
from .settings import (
    ADAPTIVE,
    DEFAULTS,
    IMPACT_LAWS,
    Control,
    RunOptions,
    check_fit,
    check_held,
    check_kinds,
    closing,
    refuse_others,
    row_width,
    steps_of,
    times_of,
)  # fmt: skip
from .trajectory.energy import check_energy
from .trajectory.record import Record, Report
from .trajectory.trajectory import Trajectory

if TYPE_CHECKING:
    from ..formalisms.derivation import Derivation
    from .batch.batch import Batch
    from .constraints.assembly import Assembly
    from .constraints.manifold import Manifold
    from .control.controlled import ClosedLoop

#: glibc returns freed memory to the system beyond twice the largest block that was freed, and each page that the next
#: run touches then costs a fault: after this block (2 MB) it keeps what most runs need.
np.empty(1 << 18)
#: The rate, in 1/s, at which implicit methods in Python draw the state to its constraints.
_ATTRACTION = 10.0


def simulate(derivation: Derivation, duration: float, **options: Unpack[RunOptions]) -> Trajectory:
    """Run a mechanism for `duration` seconds and return its trajectory; options as of `Equations.simulate`."""
    problem = problem_of(derivation, duration, **options)
    trajectory = problem.execute()
    try:
        if problem.watch_energy and not problem.events.changes_states and problem.loop is None:
            trajectory = check_energy(trajectory, problem.tau, problem.inputs)
        return trajectory if problem.audit is False else _audited(trajectory, problem.audit)
    except KeyboardInterrupt:
        stop = _interrupted(float(trajectory.t[-1]))
        raise stopped(stop, replace(trajectory, status=stop.status, message=stop.message)) from None


def _audited(run: Trajectory, audit: bool | float) -> Trajectory:
    """A run whose balance of power is tested."""
    from .trajectory.power_audit import TOLERANCE

    tolerance, power_audit = TOLERANCE if audit is True else float(audit), run.power_audit()
    power_audit.check(tolerance, run)
    for notice in power_audit.notices(tolerance):
        warn(notice)
        run = replace(run, info={**run.info, "notices": [*run.info.get("notices", ()), notice]})
    return run


def run_or_batch(derivation: Derivation, duration: float, options: RunOptions) -> Trajectory | Batch:
    """One run or, where some option has a value for each of several, all of them."""
    derivation, closed = closing(derivation, **options)
    options = cast("RunOptions", closed)
    if isinstance(options.get("start"), Mapping) or isinstance(options.get("speeds"), Mapping):
        names = by_kind(derivation.synopsis, options.get("start"), options.get("speeds"))
        options["start"], options["speeds"] = names
    members = Members.of(options)
    if members is None:
        return simulate(derivation, duration, **options)
    from .batch.running import simulate_batch

    return simulate_batch(derivation, duration, members)


def problem_of(derivation: Derivation, duration: float, **options: Unpack[RunOptions]) -> Problem:
    """Read the options of a run, a member of a batch, a stepper, or a run with derivatives, its loop closed."""
    chosen: dict[str, Any] = {**DEFAULTS, **options}
    if len(chosen) > len(DEFAULTS):
        refuse_others(options, RunOptions, "simulate")
    check_kinds(chosen["functions"], chosen["progress"], chosen["audit"])
    derivation, chosen = closing(derivation, **chosen)
    start, loop, method, hold = chosen["start"], chosen["controller"], chosen["method"], chosen["hold"]
    if loop is not None and loop.sampling is not None:
        from .control.sampled_law import starting

        loop, start = starting(loop, start, derivation.synopsis)
    check_fit(method, derivation)
    if chosen["impacts"] not in IMPACT_LAWS:
        raise unknown("law of impact", chosen["impacts"], IMPACT_LAWS, place="impacts", code="E-RUN-NAME")
    if chosen["impacts"] != DEFAULTS["impacts"] and not derivation.synopsis.contacts:
        message = "this system has no contacts and stops with impacts."
        cure = "Leave out impacts, or add a contact or stop; one with a stiffness is a force."
        raise PolhodeError(message, "impacts", cure, "E-RUN-UNSUPPORTED")
    check_held(hold, "simulate", derivation.synopsis.coordinates)
    times = times_of(duration, chosen["samples"], chosen["rate"], row_width(derivation.synopsis))
    functions = chosen["functions"] or Functions(derivation)
    changed = by_name(chosen["parameters"], "parameters")
    if changed or derivation.synopsis.has_parametric_elements:
        from ..model.body import check_values

        check_values(derivation.model, changed)
    acting = read_inputs(derivation, chosen["inputs"], functions.input_values())
    efforts = read_efforts(derivation, chosen["tau"])
    return Problem(
        derivation, functions, changed, efforts, acting, times, *steps_of(float(times[-1]), chosen), start,
        chosen["speeds"], (chosen["events"], chosen["until"], chosen["on"]), tuple(hold), loop, chosen["progress"],
        chosen["audit"], chosen["watch_energy"], chosen["impacts"],
    )  # fmt: skip


@dataclass(frozen=True, eq=False)
class Problem:
    """One run, from its first state to the trajectory or to the error that holds it; its options, as they were read."""

    derivation: Derivation
    functions: Functions
    parameters: dict[str, Any]
    tau: Signal
    inputs: Signal
    times: Floats  # of the samples, from 0 to the end
    control: Control
    facts: Mapping[str, float]  # of its steps
    notices: tuple[str, ...]
    first: Any  # start and speeds, as the user gave them
    speeds: Any
    given_events: tuple[Any, Any, Any]  # events, until and on
    hold: tuple[str, ...] = ()
    loop: ClosedLoop | None = None
    progress: bool | Callable[[float], object] | None = None
    audit: bool | float = False
    watch_energy: bool = True
    impacts: str = "moreau"

    @cached_property
    def events(self) -> Events:
        """Events of the run."""
        events, until, on = self.given_events
        parameters = {name: value[0] if np.ndim(value) else value for name, value in self.parameters.items()}
        return read_events(self.derivation, events, until, parameters, on)

    @cached_property
    def given(self) -> InitialState:
        """The first state as the user gave it."""
        if isinstance(self.first, InitialState):
            return self.first
        return initial_state(self.derivation, self.first, self.speeds, self.parameters)

    @property
    def begun(self) -> tuple[InitialState, Manifold | None, Assembly | None]:
        """The first state on the constraints; what the user gave and did not get is warned of."""
        kept: dict[str, Any] = vars(self)  # a warning points at the first line outside of the package
        if "_begun_at" not in kept:
            kept["_begun_at"] = on_constraints(self.derivation, self.functions, self.given, self.hold, self.parameters)
        begun: tuple[InitialState, Manifold | None, Assembly | None] = kept["_begun_at"]
        return begun

    @property
    def start(self) -> InitialState:
        """The first state."""
        return self.begun[0]

    @property
    def manifold(self) -> Manifold | None:
        """The constraints, where there are any."""
        return self.begun[1]

    @property
    def assembly(self) -> Assembly | None:
        """How the first state was brought to the constraints; None without constraints."""
        return self.begun[2]

    @property
    def known(self) -> Synopsis:
        """Names, and what kinds of things are in the equations."""
        return self.derivation.synopsis

    def rates(self, method: str) -> Rates:
        """The right-hand side of the state, as a method steps it."""
        arguments = self.functions, self.parameters, self.tau, self.inputs
        if self.manifold is None or self.assembly is None:
            return Rates(*arguments)
        from .constraints.projection import EmbeddedRates, ProjectedRates

        dependent_speeds = self.derivation.equations.dependent_speeds
        if dependent_speeds is not None:
            return EmbeddedRates(arguments, self.manifold, dependent_speeds)
        rates = ProjectedRates(arguments, self.manifold, self.assembly.freedom.rows)
        adaptive = ADAPTIVE.get(method)
        if adaptive is not None and adaptive.is_implicit and not (adaptive.is_native and rates.can_run_natively):
            rates.attraction = _ATTRACTION
        return rates

    def _go(self, rates: Rates, guard: Guard, record: Record, report: Report) -> str:
        return native.integrate(rates, guard, record, self.times, self.control, self.events, report)

    def execute(
        self, go: Callable[[Rates, Guard, Record, Report], str] | None = None, rates: Rates | None = None
    ) -> Trajectory:
        """The trajectory, or what `go` makes; raise SimulationError with all of it that there is."""
        _ = self.given, self.events  # so that what is wrong with them is found first
        duration, rates, go = float(self.times[-1]), rates or self.rates(self.control.method), go or self._go
        rates.impacts = self.impacts
        if self.loop is not None and self.loop.sampling is not None:
            from .control.sampled_law import SampledLoop

            rates.drive.sampled = SampledLoop(self.loop, self.functions, self.parameters, duration)
        guard = Guard(rates, self.functions, self.values)
        if self.parameters:
            _ = guard.values  # so that errors in them are raised here
        x = np.concatenate([self.start.q, self.start.u, self.start.z])
        record = Record(len(x))
        record.info |= {"method": self.control.method, "notices": record.notices, **self.facts}
        record.notices += (*self.start.notices, *self.notices)
        record.add(np.zeros(1), x[None, :])
        began = time.perf_counter()
        stop: Stop | None = None
        status = "done"
        cause: BaseException | None = None
        try:
            with reporting(self.progress, f"simulating {self.known.system}", duration) as report:
                guard.start(0.0, x)
                record.notices += guard.notices
                rates.measure(0.0, x)
                x = self._begun(rates, record, x)
                rates.start(x, duration)
                if rates.signs is not None:
                    from .discontinuities import Discontinuities

                    guard.discontinuities = Discontinuities(rates, guard, record, duration)
                    guard.discontinuities.start(0.0, x)
                rates(0.0, x)
                if not rates.is_autonomous:
                    record.add_actuation(0.0, rates.actuation(0.0, x))
                if duration > 0.0 and len(x):
                    status = go(rates, guard, record, report)
                elif duration > 0.0:
                    record.end(duration, x)
                if not rates.is_autonomous and record.actuation[-1][0] != record.last[0]:
                    record.add_actuation(record.last[0], rates.actuation(*record.last))
        except Stop as found:
            stop = found
        except NonFinite as found:
            stop = guard.nonfinite(found)
        except ControllerFailed as failed:
            cause = failed.__cause__
            stop = Stop("controller", f"after t = {record.last[0]:.6g} s {failed}", "Mend the controller.")
        except KeyboardInterrupt:
            stop = _interrupted(record.last[0])
        record.info["wall_time"] = time.perf_counter() - began
        jumped = guard.discontinuities.summary() if guard.discontinuities else ""
        if jumped:
            record.notices.append(jumped)
        try:
            trajectory = self._trajectory(record, rates, status if stop is None else stop.status, stop)
        except KeyboardInterrupt:
            stop = _interrupted(record.last[0])
            trajectory = self._trajectory(record, rates, stop.status, stop)
        if stop is not None:
            raise stopped(stop, trajectory) from cause
        return trajectory

    def go_on(self, t: float, end: float, events: Events) -> Record:
        """Integrate from a time to another or to a terminal event; raises Stop, NonFinite or PolhodeError."""
        rates, guard, record = self._from(t, end)
        times = np.array([t, end])
        record.info["status"] = native.integrate(rates, guard, record, times, self.control, events, lambda _: None)
        return record

    def integration(self, t: float, end: float, events: Events) -> native.Integration:
        """The same, to be taken on to one end after the other."""
        return native.Integration(*self._from(t, end), np.array([t, end]), self.control, events)

    def _from(self, t: float, end: float) -> tuple[Rates, Guard, Record]:
        rates = self.rates(self.control.method)
        rates.impacts = self.impacts
        guard = Guard(rates, self.functions, self.values)
        x = np.concatenate([self.start.q, self.start.u, self.start.z])
        record = Record(len(x))
        record.add(np.array([t]), x[None, :])
        rates.measure(t, x)
        if rates.signs is not None:
            from .discontinuities import Discontinuities

            guard.discontinuities = Discontinuities(rates, guard, record, end)
            guard.discontinuities.start(t, x)
        return rates, guard, record

    def _begun(self, rates: Rates, record: Record, x: Floats) -> Floats:
        """The first state, on a branch of the motion; warn of given speeds that no motion can have."""
        on = rates.on_a_branch(0.0, x)
        if on is x:
            return x
        record.restart(on)
        gone = [
            f"'{name}' from {was:.6g} to {now:.6g}"
            for name, was, now in zip(self.known.speeds, x[rates.coordinates :], on[rates.coordinates :], strict=False)
            if abs(was - now) > 1e-6
        ]
        if not gone:
            return on
        record.notices.append(f"no motion leaves the singular pose at the start with the speeds given: {listed(gone)}.")
        warn(record.notices[-1])
        return on

    def values(self) -> dict[Any, float]:
        """The values of parameters and constant inputs."""
        system = self.derivation.model
        values = {p.symbol: float(p.value) for p in system.parameters.values() if p.value is not None}
        for name, value in self.parameters.items():
            try:
                values[system.parameters[name].symbol] = float(value)
            except (TypeError, ValueError):
                message, place = f"{value!r} is not a number.", f"parameter '{name}'"
                raise PolhodeError(message, place, "Give a number.", "E-RUN-NUMBER") from None
        symbols = [entry.symbol for entry in system.inputs.values()]
        return values | dict(zip(symbols, self.inputs.constant.tolist(), strict=True))

    def _trajectory(self, record: Record, rates: Rates, status: str, stop: Stop | None) -> Trajectory:
        t, x = record.times, record.states
        scale_quaternions(x, rates.groups)
        first, second = rates.coordinates, rates.coordinates + len(self.known.speeds)
        q, u, z = x[:, :first], x[:, first:second], x[:, second:]
        acted = rates.drive.acted(record)
        tau, inputs = acted.along(t, x)
        wall = record.info["wall_time"]
        info = record.info | {
            "steps": record.steps,
            "evaluations": rates.evaluations,
            "steps_per_second": record.steps / wall if wall > 0 else 0.0,
            "quaternions": "of unit length inside the equations; samples scaled to unit length" if rates.groups else "",
        }
        controls = () if self.loop is None else self.loop.law.controls
        notices = rates.drive.notices(float(t[-1]), controls)
        if not rates.is_surely_smooth:
            from .discontinuities import table_jumps

            notices = [*table_jumps(rates, t, x, np.hstack((tau, inputs))), *notices]
        if self.known.small_angles:
            from .limits import grown

            notices += grown(self.known, q)
        record.notices += notices
        return Trajectory(
            t, q, u, self.known.coordinates, self.known.speeds, status,
            "" if stop is None else stop.message, info,
            inputs=inputs, tau=tau, acted=acted, interpolant=record.interpolant,
            efforts=self.tau.names, input_names=self.inputs.names,
            functions=self.functions, parameters=self.parameters, z=z, states=tuple(self.known.states),
            loop=self.loop, controller=None if rates.drive.sampled is None else rates.drive.sampled.log,
        )  # fmt: skip


def _interrupted(t: float) -> Stop:
    return Stop(
        "interrupted", f"the run was interrupted after t = {t:.6g} s.", "error.trajectory holds the run until then."
    )


def stopped(stop: Stop, trajectory: Trajectory) -> SimulationError:
    """The error of a run that could not go on."""
    met = " ".join(f"{words[0].upper()}{words[1:]}" for words in trajectory.conditions_met)
    cure, code = f"{met} {stop.cure}".strip(), f"E-RUN-{stop.status.upper()}"
    return SimulationError(stop.message, trajectory=trajectory, cure=cure, code=code)


def first_state(
    derivation: Derivation,
    functions: Functions,
    start: Any,
    speeds: Any,
    hold: Sequence[str] = (),
    parameters: Mapping[str, Any] | None = None,
) -> tuple[InitialState, Manifold | None, Assembly | None]:
    """The first state, on the constraints if there are any; what the user gave and did not get is warned of."""
    return on_constraints(derivation, functions, initial_state(derivation, start, speeds, parameters), hold, parameters)


def on_constraints(
    derivation: Derivation,
    functions: Functions,
    begin: InitialState,
    hold: Sequence[str] = (),
    parameters: Mapping[str, Any] | None = None,
) -> tuple[InitialState, Manifold | None, Assembly | None]:
    """The same from a state as it was given."""
    notices = [*begin.notices]
    manifold: Manifold | None = None
    assembly: Assembly | None = None
    constraints = derivation.equations.constraints if derivation.synopsis.is_constrained else None
    if constraints is not None and constraints.rows:
        from .constraints.assembly import assembled
        from .constraints.manifold import Manifold

        manifold = Manifold(functions, constraints, parameters)
        assembly = assembled(manifold, begin, hold)
        notices += assembly.warnings(begin)
        begin = InitialState(assembly.q, assembly.u, (*constraints.notices, *assembly.notices), z=assembly.z)
    for notice in notices:
        warn(notice)
    return begin, manifold, assembly
