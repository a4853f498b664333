"""Batches in native code: members side by side in lanes, or one after the other, in threads without the lock.

A member has the bits that it has alone: one after the other they are run by the very code that would run each alone,
and in lanes only where the right-hand side rounds there as it does for one state. One that native code does not bring
to its end, or that could not start, is left to `simulate`, which knows what to say of it.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...compiled.functions import Functions
from ...dynamics.synopsis import SeenLimit
from ...errors import PolhodeError, warn
from ...expr import free_symbols
from ...model.body import check_mass
from ...ode.native_events import EventLogs, EventMemory
from ...ode.native_lanes import LaneCode, LaneRuns
from ...ode.native_members import MemberRows
from ...ode.native_run import NativeRun
from ...ode.record import HEAD, Reason
from ..constraints.regular_masses import have_regular_masses
from ..control.inputs import Signal, read_efforts, read_inputs
from ..events import Events
from ..grown_variables import grown
from ..guard import Guard, Stop, moving_pivots
from ..initial_state import Floats, initial_state
from ..integrators import adaptive, fixed
from ..integrators.adaptive import Control
from ..integrators.native import native_run
from ..integrators.stiff import Switch
from ..limits import limits_seen, noted_facts, watched_by_all
from ..rates import NonFinite, Rates
from ..settings import check_held, span_of, steps_of
from .member_events import event_logs, event_rows, events_of
from .members import Members, Which
from .run_infos import RunInfos
from .threads import run_in_threads

if TYPE_CHECKING:
    from ...formalisms.derivation import Derivation
    from ..constraints.constrained_members import ConstrainedMembers
    from ..switching import Located

#: Options under which members can run in native code.
_KNOWN = frozenset((
    "parameters", "start", "speeds", "inputs", "tau", "method", "step", "samples", "rate", "rtol", "atol", "max_step",
    "max_steps", "progress", "functions", "watch_energy", "hold", "events", "until", "on",
    "controller",
))  # fmt: skip
#: From so many members on they go side by side, where they may: fewer do not pay for the code in lanes.
_LANES_FROM = 16
#: The reason of a member that no thread brought to its end.
_NOT_RUN = -1


@dataclass(frozen=True, eq=False)
class NativeRuns:
    """What became of the members: their states at the samples, whether each got to its end, and facts of the runs."""

    times: Floats
    states: Floats  # (N, T, n), the start first
    tau: Floats  # (N, T, efforts), as they acted
    inputs: Floats  # (N, T, inputs)
    parameters: Mapping[str, Any]  # of all members; where one's were none that can be used, another's
    done: NDArray[np.bool_]
    left: NDArray[np.bool_]  # those that an interrupt left undone
    infos: RunInfos
    ended: NDArray[np.bool_]  # those that an event ended
    logs: EventLogs | None
    groups: Sequence[tuple[int, int]]  # where quaternions are in the state

    @property
    def changes_states(self) -> bool:
        """Whether the state jumps at some events."""
        return self.logs is not None and any(each.change is not None for each in self.logs.effects)


@dataclass(frozen=True, eq=False)
class _Plan:
    """All that members share, as numbers, and what each has of its own."""

    rates: Rates
    guard: Guard
    control: Control
    facts: Mapping[str, float]  # of its steps
    times: Floats
    members: MemberRows
    sound: NDArray[np.bool_]  # members that can start
    limits: Sequence[Sequence[SeenLimit]]  # of each member
    constrained: ConstrainedMembers | None
    events: Events
    logs: EventLogs | None  # of what happened to each, where there are events
    located: Located | None  # kinks of the rates, at which steps of chosen length are divided

    def run(self, report: Callable[[float], object], threads: int | None) -> bool:
        """Run the members, in as many threads as there are cores unless fewer are asked for; whether all were run."""
        count = len(self.members.starts)
        code = self._lane_code()
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        threads = max(1, min(threads or cores, count // (code.lanes if code else 1)))
        runners = [self._runner(code) for _ in range(threads)]
        end, most = float(self.times[-1]), self.control.most_steps
        return run_in_threads(
            [partial(each.advance_members, end, most) for each in runners],
            lambda: report(min(1.0, int(self.members.next[0]) / count)),
        )

    def _lane_code(self) -> LaneCode | None:
        """The code of the method in lanes, where runs may go side by side and are enough."""
        are_enough = len(self.members.starts) >= _LANES_FROM and not self.rates.is_constrained
        is_plain = self.logs is None and self.located is None
        return self.rates.stepper_in_lanes(self.control.method) if are_enough and is_plain else None

    def _runner(self, code: LaneCode | None) -> NativeRun | LaneRuns:
        """The memory of one thread, with the members that all share."""
        run = self._run()
        if code is not None:
            return self.rates.steps_in_lanes(code, run, self.members)
        run.begin_members(self.members)
        return run

    def _run(self) -> NativeRun:
        """The memory of one thread."""
        control, x = self.control, self.members.starts[0]
        run = native_run(self.rates, self.guard, control, 0.0, x)
        run.sample(np.ascontiguousarray(self.times[1:]), np.empty((len(self.times) - 1, len(x))))
        run.watch_limits(self.members.limits)
        located = self.located
        effects = [*self.events.effects, *([] if located is None else located.effects)]
        if effects:
            memory = EventMemory(self.events.compiled, effects, len(x), run.clock, logs=self.members.logs)
            self.rates.divide_steps(run, memory)
            run.watch(memory)
        self.rates.steps_natively(run)
        if not control.may_switch:
            self.rates.differentiates_natively(run)
        if control.may_switch:  # a member that is stiff is left to `simulate`
            Switch(control.method).watch(run)
        return run


def run_natively(
    derivation: Derivation,
    duration: float,
    members: Members,
    functions: Functions,
    report: Callable[[float], object],
    threads: int | None = None,
) -> NativeRuns | None:
    """All members in native code; None where something in them is Python's."""
    planned = _plan(derivation, duration, members, functions)
    if planned is None:
        return None
    plan, tau, inputs = planned
    memory = plan.members
    memory.reasons[:] = _NOT_RUN
    began = time.perf_counter()
    is_whole = plan.run(report, threads)
    seconds = (time.perf_counter() - began) / members.count
    ended = plan.sound & (memory.reasons == Reason.ENDED)
    done = plan.sound & (memory.reasons == Reason.DONE) | ended
    states = memory.states
    if plan.logs is not None:
        for i in np.flatnonzero(ended).tolist():
            # behind its end a member has no samples; whoever looks at all of them sees its last state
            last = plan.logs.of_member(i)[-1]
            states[i, 1 + int(last[3]) :] = last[HEAD : HEAD + states.shape[2]]
    for first, count in plan.rates.groups:
        part = states[:, :, first : first + count]
        part /= np.linalg.norm(part, axis=-1, keepdims=True)
    parameters, _ = _parameters(members)
    tau, inputs = _acted(plan, tau, inputs, states, parameters)
    control, groups = plan.control, plan.rates.groups
    infos = RunInfos(
        {
            "method": control.method, **plan.facts, "wall_time": seconds,
            "quaternions": "of unit length inside the equations; samples scaled to unit length" if groups else "",
        },
        {
            "steps": memory.steps, "evaluations": memory.evaluations,
            "steps_per_second": memory.steps / seconds if seconds > 0 else np.zeros(members.count),
        },
        more=_More(plan.limits, memory.limits.noted, _notices(plan, derivation, states), plan.logs),
    )  # fmt: skip
    told = {} if plan.constrained is None else plan.constrained.warnings
    for i in np.flatnonzero(done).tolist():
        for sentence in told.get(i, ()):
            warn(sentence)
    left = plan.sound & (memory.reasons == _NOT_RUN) & (not is_whole)
    return NativeRuns(plan.times, states, tau, inputs, parameters, done, left, infos, ended, plan.logs, groups)


@dataclass(frozen=True, eq=False)
class _More:
    """Facts of single runs: notices, events, and the limits that they passed."""

    limits: Sequence[Sequence[SeenLimit]]
    noted: Floats  # (N, L, 2)
    notices: Mapping[int, Sequence[str]]
    logs: EventLogs | None

    def __call__(self, i: int) -> dict[str, Any]:
        made: dict[str, Any] = {"notices": [*self.notices[i]]} if i in self.notices else {}
        if self.logs is not None:
            rows = self.logs.of_member(i)
            made["events"] = [rows[rows[:, 1] == k, 0].tolist() for k in range(len(self.logs.effects))]
        return {**made, **noted_facts(self.limits[i], self.noted[i])}


def _notices(plan: _Plan, derivation: Derivation, states: Floats) -> Mapping[int, Sequence[str]]:
    """What a reader of single runs should know."""
    known, at_start = derivation.synopsis, {} if plan.constrained is None else plan.constrained.notices
    if not known.small_angles:
        return at_start
    coordinates = len(known.coordinates)
    return {i: [*at_start.get(i, ()), *grown(known, x[:, :coordinates])] for i, x in enumerate(states)}


def _acted(
    plan: _Plan, tau: Floats, inputs: Floats, states: Floats, parameters: Mapping[str, Any]
) -> tuple[Floats, Floats]:
    """Efforts and inputs at every sample: what each member was given, or what their laws say there."""
    count, samples, _ = states.shape
    plain = tuple(np.broadcast_to(each[:, None, :], (count, samples, each.shape[1])) for each in (tau, inputs))
    functions = plan.rates.functions
    if functions.laws is None:
        return plain[0], plain[1]
    rows = [np.ascontiguousarray(each).reshape(count * samples, -1) for each in (states, *plain)]
    repeated = {name: np.repeat(value, samples) if np.ndim(value) else value for name, value in parameters.items()}
    found = functions.evaluate("actuation", *rows, t=np.tile(plan.times, count), parameters=repeated)
    by_tau, by_inputs = (np.broadcast_to(each, (len(rows[0]), each.shape[-1])) for each in found)
    return by_tau.reshape(plain[0].shape), by_inputs.reshape(plain[1].shape)


def _plan(
    derivation: Derivation, duration: float, members: Members, functions: Functions
) -> tuple[_Plan, Floats, Floats] | None:
    options, equations = members.shared, derivation.equations
    loop = options.get("controller")
    if not options.keys() <= _KNOWN or not duration > 0.0 or (loop is not None and loop.sampling is not None):
        return None
    check_held(options.get("hold", ()), "simulate")
    method = options.get("method", "auto")
    found = adaptive.METHODS.get(method)
    if method != "auto" and method not in fixed.EXPLICIT and (found is None or not found.is_native):
        return None
    first = members.member(0)
    tau = read_efforts(derivation, first.get("tau"))
    inputs = read_inputs(derivation, first.get("inputs"), functions.input_values())
    if tau.asked or inputs.asked:
        return None
    parameters, sound = _parameters(members)
    if not sound.any():
        return None
    events = events_of(
        derivation, options, {name: _of(value, int(np.argmax(sound))) for name, value in parameters.items()}
    )
    if events is None or (events and equations.constraints is not None):
        return None
    if any(each.is_watched for each in equations.system.constraints.values()) or moving_pivots(equations):
        return None
    own = {"tau": _rows(members, "tau", tau), "inputs": _rows(members, "inputs", inputs)}
    constrained = _constrained(derivation, duration, members, functions, (tau, inputs), parameters, own)
    if constrained is not None:
        starts, can_start = _starts(derivation, members, parameters, constrained)
        rates = constrained.rates
        if rates is None or not constrained.signs or not constrained.is_native:
            return None
    else:
        rates = Rates(functions, {name: _of(value, 0) for name, value in parameters.items()}, tau, inputs)
    guard = Guard(rates, functions, dict)
    if not rates.can_step_natively or guard.angle_charts or guard.watches_steps or not len(equations.u):
        return None
    times = span_of(duration, options.get("samples"), options.get("rate"), 1).times
    control, facts, _ = steps_of(
        method, float(times[-1]), options.get("step"), options.get("rtol", 1e-9), options.get("atol", 1e-9),
        options.get("max_steps", 1_000_000), options.get("max_step"),
    )  # fmt: skip
    if constrained is None:
        starts, can_start = _starts(derivation, members, parameters)
    sound &= can_start
    if not sound.any():
        return None
    starts[~sound] = starts[np.argmax(sound)]
    rates.start(starts[0], float(times[-1]))
    if not control.fixed_step:
        control = adaptive.resolved(control, rates, guard, bool(events))
    if events and rates.functions.laws is not None:
        return None
    if len(rates.breaks) or not (control.fixed_step or adaptive.working(control.method, rates).is_native):
        return None
    is_implicit = not control.fixed_step and adaptive.METHODS[control.method].is_implicit
    located = None if control.fixed_step else rates.located
    work = rates.rows_of_members(parameters, is_implicit)
    work |= rates.rows_of_switches(parameters) if located else {}
    wanted = {name: np.broadcast_to(each, (members.count, each.shape[1])) for name, each in work.items()}
    wanted |= {name: each for name, each in own.items() if name in rates.native.arrays}
    wanted |= event_rows(functions, events, members.count, parameters)
    readers = (["jacobian"] if is_implicit else []) + (["switches"] if located else [])
    wanted |= {f"{reader}.{name}": each for reader in readers for name, each in own.items()}
    limits = _limits(functions, members.count, parameters)
    signs = None if constrained is None else constrained.rows_of_signs(members.count)
    logs = event_logs(events, starts) if events else None
    room = logs or (EventLogs.of((), *starts.shape) if located else None)
    memory = MemberRows.of(starts, wanted, len(times) - 1, watched_by_all(limits), signs, room)
    sound &= have_regular_masses(functions, starts[:, : len(equations.q)], parameters, own["inputs"])
    plan = _Plan(rates, guard, control, facts, times, memory, sound, limits, constrained, events, logs, located)
    return plan, own["tau"], own["inputs"]


def _constrained(
    derivation: Derivation,
    duration: float,
    members: Members,
    functions: Functions,
    signals: tuple[Signal, Signal],
    parameters: Mapping[str, Any],
    own: Mapping[str, Floats],
) -> ConstrainedMembers | None:
    """What brings members to their constraints; None where there are none."""
    constraints = derivation.equations.constraints
    if constraints is None or not constraints.rows:
        return None
    from ..constraints.constrained_members import ConstrainedMembers

    def of_member(i: int) -> tuple[Mapping[str, Any], Floats, Floats]:
        return {name: _of(value, i) for name, value in parameters.items()}, own["tau"][i], own["inputs"][i]

    hold = members.shared.get("hold", ())
    return ConstrainedMembers(derivation, functions, constraints, signals, duration, hold, of_member)


def _limits(functions: Functions, count: int, parameters: Mapping[str, Any]) -> Sequence[Sequence[SeenLimit]]:
    """The limits of each member; none where they are not at the same places for all."""
    if not functions.derivation.synopsis.has_limits_of_parameters:
        return [functions.derivation.synopsis.limits] * count
    made = [limits_seen(functions, {key: _of(value, i) for key, value in parameters.items()}) for i in range(count)]
    alike = len({tuple((each.kind, each.name, each.side) for each in limits) for limits in made}) == 1
    return made if alike else [()] * count


def _parameters(members: Members) -> tuple[dict[str, Any], NDArray[np.bool_]]:
    """Values by name, numbers or arrays with one for each member, and which members' are all finite.

    Those of the others are replaced, so that one that is none stops nobody else.
    """
    varied = {str(name): rows for (option, name), rows in members.varied.items() if option == "parameters"}
    sound = np.ones(members.count, dtype=bool)
    for rows in varied.values():
        sound &= np.isfinite(rows)
    if sound.any():
        varied = {name: np.where(sound, rows, rows[np.argmax(sound)]) for name, rows in varied.items()}
    return {**(members.shared.get("parameters") or {}), **varied}, sound


def _of(value: Any, i: int) -> Any:
    """The value of a parameter in one member, in SI units."""
    from ...model.unit import Si

    return Si(value[i]) if np.ndim(value) else value


def _starts(
    derivation: Derivation,
    members: Members,
    parameters: Mapping[str, Any],
    constrained: ConstrainedMembers | None = None,
) -> tuple[Floats, NDArray[np.bool_]]:
    """The first states (N, n), and which members can start with theirs and with their masses."""
    equations = derivation.equations
    table = equations.system.parameters
    varied = {table[name].symbol for name, value in parameters.items() if name in table}
    heavy = [
        (name, body.mass) for name, body in equations.system.bodies.items() if varied & set(free_symbols([body.mass]))
    ]
    filled = _filled_starts(derivation, members) if constrained is None else None
    starts, sound = filled or (np.zeros((members.count, len(equations.q) + len(equations.u) + len(equations.z))), None)
    if sound is not None and not heavy:
        return starts, sound
    sound = np.ones(members.count, dtype=bool) if sound is None else sound
    for i in range(members.count):
        if constrained is not None and not constrained.is_native:
            break
        try:
            if filled is None:
                given = members.member(i)
                begin = initial_state(derivation, given.get("start"), given.get("speeds"), given.get("parameters"))
                x: Floats | None = np.concatenate([begin.q, begin.u, begin.z])
                if constrained is not None:
                    x = constrained.begun(i, begin)
                sound[i] = x is not None and (constrained is not None or not begin.notices)
                starts[i] = 0.0 if x is None else x
            for name, mass in heavy:
                check_mass(mass, {key: _of(value, i) for key, value in parameters.items()}, f"body '{name}'")
        except (PolhodeError, Stop, NonFinite):
            sound[i] = False
    return starts, sound


def _filled_starts(derivation: Derivation, members: Members) -> tuple[Floats, NDArray[np.bool_]] | None:
    """The first member's state with columns of the others', where these are single values by name; else None.

    A quaternion is more than its columns: it has unit length. So is a link that a rotor starts with.
    """
    equations = derivation.equations
    own = {which: rows for which, rows in members.varied.items() if which[0] in ("start", "speeds")}
    columns: dict[Which, int] = {("start", name): k for k, name in enumerate(equations.coordinates)}
    columns |= {("speeds", name): len(equations.q) + k for k, name in enumerate(equations.speeds)}
    columns |= {("start", name): len(equations.q) + len(equations.u) + k for k, name in enumerate(equations.states)}
    if equations.quaternions or derivation.synopsis.has_elastic_gears:
        return None
    if not all(which in columns for which in own):
        return None
    first = next((i for i in range(members.count) if all(np.isfinite(rows[i]) for rows in own.values())), None)
    if first is None:
        return None
    given = members.member(first)
    begin = initial_state(derivation, given.get("start"), given.get("speeds"))
    starts = np.tile(np.concatenate([begin.q, begin.u, begin.z]), (members.count, 1))
    for which, rows in own.items():
        starts[:, columns[which]] = rows
    return starts, np.isfinite(starts).all(axis=1) & (not begin.notices)


def _rows(members: Members, option: str, signal: Signal) -> Floats:
    """Efforts or inputs of each member (N, …)."""
    rows = np.tile(signal.constant, (members.count, 1))
    for (given, name), values in members.varied.items():
        if given == option and isinstance(name, str):
            rows[:, signal.names.index(name)] = values
        elif given == option:
            rows[:] = values
    return rows
