"""Batches in native code: members side by side in lanes, or one after the other, in threads without the lock.

A member has the bits that it has alone: one after the other they are run by the very code that would run each alone,
and in lanes only where the right-hand side rounds there as it does for one state. One that native code does not bring
to its end, or that could not start, is left to `simulate`, which knows what to say of it.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass
from functools import partial
from threading import Event
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
from ...ode.record import CHANGES, GOES_ON, HEAD, Reason
from ..constraints.projection import ConstrainedMembers
from ..control.actuation import Signal
from ..events import Events, ParametricValues
from ..guard import SURE, Guard, Stop, moving_pivots
from ..initial_state import Floats, initial_state
from ..integrators.native import Switch, problem_for
from ..limits import grown, limits_of_members, noted_facts, watched_by_all
from ..rates import NonFinite, Rates
from ..run import problem_of
from ..settings import ADAPTIVE, EXPLICIT, Control, resolved, working
from ..trajectory.record import Record
from .batch import RunInfos
from .members import Members, Which

if TYPE_CHECKING:
    from ...formalisms.derivation import Derivation
    from ..discontinuities import Located

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
    facts: Mapping[str, float]  # of their steps
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

    def _events(self, run: NativeRun) -> EventMemory | None:
        """Events, and kinks of the rates."""
        effects = [*self.events.effects, *([] if self.located is None else self.located.effects)]
        if not effects:
            return None
        memory = EventMemory(self.events.compiled, effects, run.size, run.clock, logs=self.members.logs)
        self.rates.divide_steps(run, memory)
        return memory

    def _run(self) -> NativeRun:
        """The memory of one thread."""
        control, x, rates = self.control, self.members.starts[0], self.rates
        rows = np.ascontiguousarray(self.times[1:]), np.empty((len(self.times) - 1, len(x)))
        run = problem_for(
            rates, control, x, self.guard.bound, samples=rows, limits=self.members.limits, events=self._events,
            derivatives=None if control.may_switch else rates.differentiates_natively,
        ).run()  # fmt: skip
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
    parameters, sound = _parameters(members)
    if not duration > 0.0 or not sound.any():
        return None
    try:
        problem = problem_of(
            derivation, duration, **{**members.member(int(np.argmax(sound))), "functions": functions, "progress": None}
        )
    except PolhodeError:
        return None  # `simulate` says why
    equations, loop, control, events = derivation.equations, problem.loop, problem.control, problem.events
    method, tau, inputs = control.method, problem.tau, problem.inputs
    is_native = method in ("auto", *EXPLICIT) or (method in ADAPTIVE and ADAPTIVE[method].is_native)
    is_sampled = loop is not None and loop.sampling is not None
    if not is_native or is_sampled or problem.audit is not False or tau.asked or inputs.asked:
        return None
    if not _are_native(events) or (events and equations.constraints is not None):
        return None
    if any(each.is_watched for each in equations.system.constraints.values()) or moving_pivots(equations):
        return None
    own = {"tau": _rows(members, "tau", tau), "inputs": _rows(members, "inputs", inputs)}
    constrained: ConstrainedMembers | None = ConstrainedMembers.of(
        problem, lambda i: (_of_member(parameters, i), own["tau"][i], own["inputs"][i])
    )
    if constrained is not None:
        starts, can_start = _starts(derivation, members, parameters, constrained)
        rates = constrained.rates
        if rates is None or not constrained.signs or not constrained.is_native:
            return None
    else:
        rates = Rates(problem.functions, problem.parameters, tau, inputs)
    guard = Guard(rates, functions, dict)
    if not rates.can_step_natively or guard.angle_charts or guard.watches_steps or not len(equations.u):
        return None
    times = problem.span.times
    if constrained is None:
        starts, can_start = _starts(derivation, members, parameters)
    sound &= can_start
    if not sound.any():
        return None
    starts[~sound] = starts[np.argmax(sound)]
    rates.start(starts[0], float(times[-1]))
    if not control.fixed_step:
        control = resolved(control, rates, guard, bool(events))
    if events and rates.functions.laws is not None:
        return None
    if len(rates.breaks) or not (control.fixed_step or ADAPTIVE[working(control.method, rates)].is_native):
        return None
    is_implicit = not control.fixed_step and ADAPTIVE[control.method].is_implicit
    located = None if control.fixed_step else rates.located
    work = rates.rows_of_members(parameters, is_implicit)
    work |= rates.rows_of_switches(parameters) if located else {}
    wanted = {name: np.broadcast_to(each, (members.count, each.shape[1])) for name, each in work.items()}
    wanted |= {name: each for name, each in own.items() if name in rates.native.arrays}
    wanted |= event_rows(functions, events, members.count, parameters)
    readers = (["jacobian"] if is_implicit else []) + (["switches"] if located else [])
    wanted |= {f"{reader}.{name}": each for reader in readers for name, each in own.items()}
    limits = limits_of_members(functions, members.count, parameters)
    signs = None if constrained is None else constrained.rows_of_signs(members.count)
    logs = EventLogs.of(events.effects, *starts.shape) if events else None
    room = logs or (EventLogs.of((), *starts.shape) if located else None)
    memory = MemberRows.of(starts, wanted, len(times) - 1, watched_by_all(limits), signs, room)
    sound &= have_regular_masses(functions, starts[:, : len(equations.q)], parameters, own["inputs"])
    plan = _Plan(rates, guard, control, problem.facts, times, memory, sound, limits, constrained, events, logs, located)
    return plan, own["tau"], own["inputs"]


def _parameters(members: Members) -> tuple[dict[str, Any], NDArray[np.bool_]]:
    """Values by name, numbers or arrays with one for each member, and which members' are all finite."""
    varied = {str(name): rows for (option, name), rows in members.varied.items() if option == "parameters"}
    sound = np.ones(members.count, dtype=bool)
    for rows in varied.values():
        sound &= np.isfinite(rows)
    if sound.any():
        varied = {name: np.where(sound, rows, rows[np.argmax(sound)]) for name, rows in varied.items()}
    return {**(members.shared.get("parameters") or {}), **varied}, sound


def _of_member(parameters: Mapping[str, Any], i: int) -> dict[str, Any]:
    """The parameters of one member, in SI units."""
    from ...model.unit import Si

    return {name: Si(value[i]) if np.ndim(value) else value for name, value in parameters.items()}


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
                check_mass(mass, _of_member(parameters, i), f"body '{name}'")
        except (PolhodeError, Stop, NonFinite):
            sound[i] = False
    return starts, sound


def _filled_starts(derivation: Derivation, members: Members) -> tuple[Floats, NDArray[np.bool_]] | None:
    """The first member's state with columns of the others', where these are single values by name; else None."""
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


# ---- member events -------------------------------------------------------------------------------------------
# Events of the members of a batch, as native code handles them (`ode.native_events`), and what they leave.


def _are_native(events: Events) -> bool:
    """True if no event, and nothing that one changes, is Python's."""
    changes = [event.change for event in events.watched if event.change is not None]
    if (events and events.compiled is None) or any(change.compiled is None for change in changes):
        return False
    return events.compiled is None or events.compiled.backend != "numpy"


def event_rows(functions: Functions, events: Events, count: int, parameters: Mapping[str, Any]) -> dict[str, Floats]:
    """What events and changes make of the parameters of each member."""
    if not events or events.compiled is None:
        return {}
    asked = {"events.work": ParametricValues(events.compiled, events.parameters)}
    changes = {f"change {k}.work": event.change.compiled for k, event in enumerate(events.watched) if event.change}
    asked |= {name: values for name, values in changes.items() if values is not None}
    made = {}
    for name, values in asked.items():
        rows = np.atleast_2d(functions.values_of(values.names, parameters))
        work = values.function.native.setup(np.ascontiguousarray(rows))
        made[name] = np.broadcast_to(work, (count, work.shape[1]))
    return made


def samples_of(
    times: Floats, states: Floats, log: Floats, is_ended: bool, groups: Sequence[tuple[int, int]]
) -> tuple[Floats, Floats, int]:
    """Times and states of a member, those at its events included, and how many of the common times are among them."""
    n, made, done = states.shape[1], Record(states.shape[1]), 0
    for row in log[log[:, 2] > GOES_ON]:
        done, begin = 1 + int(row[3]), done
        made.add(times[begin:done], states[begin:done])
        before, after = both = row[HEAD:].reshape(2, n).copy()
        for first, count in groups:
            both[:, first : first + count] /= np.linalg.norm(both[:, first : first + count], axis=1, keepdims=True)
        if row[2] == CHANGES:
            made.jump(float(row[0]), before, after)
        else:
            made.end(float(row[0]), before)
    if not is_ended:
        made.add(times[done:], states[done:])
        done = len(times)
    return made.times, made.states, done


# ---- threads -------------------------------------------------------------------------------------------------
# Native code in threads without the interpreter's lock, a piece at a time, so that an interrupt is heard.

#: Goes on for about so many steps, and tells whether something may be left.
Advance = Callable[[int], bool]
#: A piece takes about this long, as the processor counts; this often it is looked how far all are.
_PIECE_SECONDS, _LOOK_SECONDS = 0.02, 0.05
_FIRST_STEPS, _MOST_STEPS = 256, 1 << 40


def run_in_threads(advances: Sequence[Advance], look: Callable[[], object]) -> bool:
    """Let each go on in a thread of its own until it has done, and `look` now and then; False where interrupted."""
    stop = Event()
    if len(advances) == 1:
        return _run(advances[0], stop, look)
    with ThreadPoolExecutor(len(advances)) as pool:
        waiting = {pool.submit(_run, advance, stop) for advance in advances}
        futures = list(waiting)
        try:
            while waiting:
                _, waiting = wait(waiting, timeout=_LOOK_SECONDS)
                look()
        except BaseException as problem:
            stop.set()
            if not isinstance(problem, KeyboardInterrupt):
                raise
        finished = [future.result() for future in futures]
        return all(finished)


def _run(advance: Advance, stop: Event, look: Callable[[], object] = lambda: None) -> bool:
    """Pieces until nothing is left, or somebody stops it."""
    steps = _FIRST_STEPS
    try:
        while not stop.is_set():
            began = time.thread_time()
            is_left = advance(steps)
            took = time.thread_time() - began
            look()
            if not is_left:
                return True
            if took < _PIECE_SECONDS:
                steps = min(2 * steps, _MOST_STEPS)
            elif took > 2 * _PIECE_SECONDS:
                steps = max(1, steps // 2)
    except KeyboardInterrupt:
        pass
    return False


# ---- regular masses ------------------------------------------------------------------------------------------
# Which of many mass matrices can surely be solved with.


def have_regular_masses(
    functions: Functions, q: Floats, parameters: Mapping[str, Any], inputs: Floats
) -> NDArray[np.bool_]:
    """Which members have a mass matrix at their start that can surely be solved with."""
    given: dict[str, Any] = {"t": 0.0, "inputs": inputs, "parameters": dict(parameters)}
    M = np.broadcast_to(functions.mass_matrix(q, **given), (len(q), *[len(functions.equations.u)] * 2))
    with np.errstate(all="ignore"):
        scale = np.sqrt(np.abs(np.diagonal(M, axis1=1, axis2=2)))
        scaled = M / (scale[:, :, None] * scale[:, None, :])
        sure = _are_surely_regular(scaled)
        rest = np.flatnonzero(~sure & np.isfinite(scaled).all(axis=(1, 2)))
    if len(rest):
        moments = np.linalg.eigvalsh(scaled[rest])
        sure[rest] = moments[:, 0] > SURE * moments[:, -1]
    return sure


def _are_surely_regular(M: Floats) -> NDArray[np.bool_]:
    """Which matrices (N, n, n) of unit diagonal have a determinant that rules out a moment near zero.

    The moments add up to n, so that the least is at least det ((n - 1) / n)^(n - 1) > det / e.
    """
    n = M.shape[-1]
    left, determinant = np.ascontiguousarray(M.transpose(1, 2, 0)), np.ones(len(M))
    sure = np.ones(len(M), dtype=bool)
    for k in range(n):
        pivot = left[k, k]
        sure &= pivot > 0.0
        determinant = determinant * pivot
        for i in range(k + 1, n):
            left[i, k + 1 :] -= left[i, k] / pivot * left[k, k + 1 :]
    return np.asarray(sure & (determinant > np.e * n * SURE))
