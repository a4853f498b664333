"""Batches in native code: members side by side in lanes, or one after the other, in threads without the lock.

A member has the bits that it has alone: one after the other they are run by the code of a run alone, and in lanes only
where the right-hand side rounds there as it does for one state. A member that native code does not bring to its end, or
that could not start, is left to `simulate`, which has the message for it.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from functools import cached_property, partial
from threading import Event
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...compiled.functions import Functions
from ...dynamics.synopsis import SeenLimit
from ...errors import PolhodeError, warn
from ...expr import free_symbols
from ...model.body import check_values
from ...model.unit import Si
from ...native.compiled import cores
from ...ode.native_events import EventLogs, EventMemory
from ...ode.native_lanes import LaneCode, LaneRuns
from ...ode.native_members import MemberRows
from ...ode.native_run import NativeRun
from ...ode.record import CHANGES, GOES_ON, HEAD, Reason
from ..constraints.projection import ConstrainedMembers
from ..control.actuation import Signal, read_efforts, read_inputs
from ..events import Events, ParametricValues
from ..guard import SURE, Guard, Stop, moving_pivots
from ..initial_state import Floats, initial_state
from ..integrators.native import Switch, problem_for
from ..limits import grown, limits_of_members, noted_facts, watched_by_all
from ..rates import NonFinite, Rates
from ..run import Problem, problem_of, simulate
from ..settings import ADAPTIVE, EXPLICIT, Control, resolved, working
from ..trajectory.energy import is_conservative, may_drift
from ..trajectory.record import Record
from .batch import INTERRUPTED, NOT_RUN, Batch, RunInfos
from .members import Members, Which, array_names, labelled

if TYPE_CHECKING:
    from ...formalisms.derivation import Derivation
    from ..discontinuities import Located

#: From so many members on they go side by side, where they may: fewer do not pay for the code in lanes.
_LANES_FROM = 16
#: The reason of a member that no thread has reached.
_NOT_REACHED = -1


@dataclass(frozen=True, eq=False)
class _Plan:
    """Numbers that all members share, and the rows of each."""

    parameters: Mapping[str, Any]  # of all members; where one's cannot be used, another's
    tau: Floats  # (N, efforts)
    inputs: Floats  # (N, inputs)
    rates: Rates
    guard: Guard
    control: Control
    problem: Problem  # of the first of them
    members: MemberRows
    sound: NDArray[np.bool_]  # members that can start
    limits: Sequence[Sequence[SeenLimit]]  # of each member
    constrained: ConstrainedMembers | None
    logs: EventLogs | None  # of what happened to each, where there are events
    located: Located | None  # kinks of the rates, at which steps of chosen length are divided

    def run(self, report: Callable[[float], object], threads: int | None) -> bool:
        """Run the members in as many `threads` as there are cores by default; False where interrupted."""
        count, control = len(self.members.starts), self.control
        are_enough = count >= _LANES_FROM and not self.rates.is_constrained
        is_plain = self.logs is None and self.located is None
        code = self.rates.stepper_in_lanes(control.method) if are_enough and is_plain else None
        threads = max(1, min(threads or cores(), count // (code.lanes if code else 1)))
        runners = [self._runner(code) for _ in range(threads)]
        return run_in_threads(
            [partial(runner.advance_members, float(self.problem.times[-1]), control.most_steps) for runner in runners],
            lambda: report(min(1.0, int(self.members.next[0]) / count)),
        )

    def _runner(self, code: LaneCode | None) -> NativeRun | LaneRuns:
        """The memory of one thread, with the members that all share."""
        control, x, rates = self.control, self.members.starts[0], self.rates
        rows = np.ascontiguousarray(self.problem.times[1:]), np.empty((len(self.problem.times) - 1, len(x)))
        run = problem_for(
            rates, control, x, self.guard.bound, samples=rows, limits=self.members.limits, events=self._events,
            derivatives=None if control.may_switch else rates.differentiates_natively,
        ).run()  # fmt: skip
        if control.may_switch:  # a member that is stiff is left to `simulate`
            Switch(control.method).watch(run)
        if code is not None:
            return rates.steps_in_lanes(code, run, self.members)
        run.begin_members(self.members)
        return run

    def _events(self, run: NativeRun) -> EventMemory | None:
        """Events, and kinks of the rates."""
        effects = [*self.problem.events.effects, *([] if self.located is None else self.located.effects)]
        if not effects:
            return None
        memory = EventMemory(self.problem.events.compiled, effects, run.size, run.clock, logs=self.members.logs)
        self.rates.divide_steps(run, memory)
        return memory


def run_natively(
    derivation: Derivation,
    duration: float,
    members: Members,
    functions: Functions,
    report: Callable[[float], object],
    threads: int | None = None,
) -> tuple[Batch, NDArray[np.int64]] | None:
    """All members in native code, and which are to be run by `simulate`; None where something in them is Python's."""
    plan = _plan(derivation, duration, members, functions)
    if plan is None:
        return None
    memory, count, logs, groups = plan.members, members.count, plan.logs, plan.rates.groups
    memory.reasons[:] = _NOT_REACHED
    began = time.perf_counter()
    is_whole = plan.run(report, threads)
    seconds = (time.perf_counter() - began) / count
    ended = plan.sound & (memory.reasons == Reason.ENDED)
    done = plan.sound & (memory.reasons == Reason.DONE) | ended
    states = memory.states
    for i in np.flatnonzero(ended).tolist():
        if logs is not None:
            last = logs.of_member(i)[-1]  # behind its end a member has its last state
            states[i, 1 + int(last[3]) :] = last[HEAD : HEAD + states.shape[2]]
    for first, size in groups:
        part = states[:, :, first : first + size]
        part /= np.linalg.norm(part, axis=-1, keepdims=True)
    shared = {
        "method": plan.control.method, **plan.problem.facts, "wall_time": seconds,
        "quaternions": "of unit length inside the equations; samples scaled to unit length" if groups else "",
    }  # fmt: skip
    columns = {
        "steps": memory.steps, "evaluations": memory.evaluations,
        "steps_per_second": memory.steps / seconds if seconds > 0 else np.zeros(count),
    }  # fmt: skip
    synopsis = derivation.synopsis
    notices: Mapping[int, Sequence[str]] = {} if plan.constrained is None else plan.constrained.notices
    if synopsis.small_angles:
        q = states[:, :, : len(synopsis.coordinates)]
        notices = {i: [*notices.get(i, ()), *grown(synopsis, coordinates)] for i, coordinates in enumerate(q)}
    more = partial(_facts, plan.limits, memory.limits.noted, notices, logs)
    sentences = {} if plan.constrained is None else plan.constrained.warnings
    for sentence in (line for i in np.flatnonzero(done).tolist() for line in sentences.get(i, ())):
        warn(sentence)
    left = plan.sound & (memory.reasons == _NOT_REACHED) & (not is_whole)
    status = np.where(ended, "event", np.where(done, "done", NOT_RUN)).astype(f"<U{len(INTERRUPTED)}")
    messages = ["" if is_done else "it was not run." for is_done in done.tolist()]
    if left.any():
        status[np.argmax(left)], messages[np.argmax(left)] = INTERRUPTED, "the run was interrupted."
    equations = derivation.equations
    tau, inputs = _acted(plan)
    q, u, z = np.split(states, np.cumsum([len(equations.q), len(equations.u)]), axis=2)
    times = plan.problem.times
    batch = Batch(
        times, {"q": q, "u": u, "z": z, "inputs": inputs, "tau": tau}, np.full(count, len(times)), status,
        tuple(messages), array_names(equations), labelled(equations, members), members.parameters,
        RunInfos(shared, columns, more=more), {}, functions,
        partial(RerunInterpolant, derivation, duration, members, functions), members.shared.get("controller"),
    )  # fmt: skip
    again = np.flatnonzero(~done)
    if left.any():
        again = again[:0]
    elif members.shared.get("watch_energy", True) and all(e.change is None for e in plan.problem.events.effects):
        again = np.union1d(again, _may_lose_energy(plan, batch))
    return _with_events(plan, batch, done, ended), again


def _with_events(plan: _Plan, batch: Batch, done: NDArray[np.bool_], ended: NDArray[np.bool_]) -> Batch:
    """With the samples at the events of each member, and none behind its end, nor of members that were not run."""
    reached, own_samples = np.where(done, batch.reached, 0), {}
    width = np.cumsum([batch.q.shape[2], batch.u.shape[2]])
    logs, groups = plan.logs, plan.rates.groups
    for i in np.flatnonzero(done).tolist():
        if logs is None:
            break
        t, x, reached[i] = samples_of(batch.t, plan.members.states[i], logs.of_member(i), bool(ended[i]), groups)
        if len(t) > reached[i]:
            held = {name: np.repeat(batch.arrays[name][i, :1], len(t), axis=0) for name in ("tau", "inputs")}
            own_samples[i] = {"t": t, **dict(zip("quz", np.split(x, width, axis=1), strict=True)), **held}
    if done.all() and not ended.any():
        return replace(batch, reached=reached).with_own(own_samples)
    arrays = {name: np.array(array) for name, array in batch.arrays.items()}
    for i in np.flatnonzero(~done | ended).tolist():
        for array in arrays.values():
            array[i, reached[i] :] = np.nan
    return replace(batch, arrays=arrays, reached=reached).with_own(own_samples)


def _may_lose_energy(plan: _Plan, batch: Batch) -> NDArray[np.int64]:
    """Members whose energy may drift by more than a run alone warns of."""
    functions, inputs = plan.rates.functions, batch.arrays["inputs"]
    signals = read_efforts(functions.derivation, None), read_inputs(functions.derivation, None, inputs[0, 0])
    varies = batch.arrays["tau"].any() or (inputs.shape[2] and (inputs != inputs[:, :1]).any())
    if varies or not is_conservative(functions, *signals):
        return np.zeros(0, dtype=np.int64)
    shape = batch.q.shape[:2]
    rows = [array.reshape(shape[0] * shape[1], -1) for array in (batch.q, batch.u, inputs)]
    energies = functions.energy(*rows[:2], parameters=_repeated(plan.parameters, shape[1]), inputs=rows[2])
    kinetic, potential = (np.broadcast_to(energy, shape[0] * shape[1]).reshape(shape) for energy in energies)
    return np.flatnonzero(may_drift(batch.q, batch.u, kinetic, potential, batch.infos[0]))


def _repeated(parameters: Mapping[str, Any], samples: int) -> dict[str, Any]:
    """Parameters of every sample of every member."""
    return {name: np.repeat(value, samples) if np.ndim(value) else value for name, value in parameters.items()}


@dataclass(eq=False)
class RerunInterpolant:
    """States of a member between its samples: it is run again, alone, for its dense output."""

    derivation: Derivation
    duration: float
    members: Members
    functions: Functions
    number: int

    @cached_property
    def _interpolant(self) -> Callable[[Floats], Floats]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            run = simulate(self.derivation, self.duration, **self.members.member(self.number, self.functions))
        return run.interpolant or (lambda t: run.at(t).x)

    def __call__(self, times: Floats) -> Floats:
        """States (T, n) at times (T,)."""
        return self._interpolant(times)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(None), ()


def _facts(
    limits: Sequence[Sequence[SeenLimit]], noted: Floats, notices: Mapping[int, Any], logs: EventLogs | None, i: int
) -> dict[str, Any]:
    """Notices and events of a member, and the limits that it passed."""
    facts: dict[str, Any] = {"notices": [*notices[i]]} if i in notices else {}
    if logs is not None:
        rows = logs.of_member(i)
        facts["events"] = [rows[rows[:, 1] == k, 0].tolist() for k in range(len(logs.effects))]
    return {**facts, **noted_facts(limits[i], noted[i])}


def _acted(plan: _Plan) -> tuple[Floats, Floats]:
    """Efforts and inputs (N, T, …) at every sample: given ones, or those of the laws."""
    states, functions = plan.members.states, plan.rates.functions
    count, samples, _ = states.shape
    tau, inputs = (np.broadcast_to(x[:, None, :], (count, samples, x.shape[1])) for x in (plan.tau, plan.inputs))
    if functions.laws is None:
        return tau, inputs
    rows = [np.ascontiguousarray(array).reshape(count * samples, -1) for array in (states, tau, inputs)]
    times, parameters = np.tile(plan.problem.times, count), _repeated(plan.parameters, samples)
    acting = functions.evaluate("actuation", *rows, t=times, parameters=parameters)
    by_tau, by_inputs = (np.broadcast_to(columns, (len(rows[0]), columns.shape[-1])) for columns in acting)
    return by_tau.reshape(tau.shape), by_inputs.reshape(inputs.shape)


def _plan(derivation: Derivation, duration: float, members: Members, functions: Functions) -> _Plan | None:
    """The plan of a batch in native code; None where something in it is Python's, or no member can start."""
    varied = {str(name): rows for (option, name), rows in members.varied.items() if option == "parameters"}
    sound = np.asarray(np.isfinite([np.zeros(members.count), *varied.values()]).all(axis=0))
    if not duration > 0.0 or not sound.any() or derivation.synopsis.contacts:
        return None
    usable = {name: np.where(sound, rows, rows[np.argmax(sound)]) for name, rows in varied.items()}
    parameters = {**members.parameters, **usable}
    try:
        problem = problem_of(derivation, duration, **members.member(int(np.argmax(sound)), functions))
    except PolhodeError:
        return None  # `simulate` says why
    equations, loop, control, events = derivation.equations, problem.loop, problem.control, problem.events
    method, tau, inputs = control.method, problem.tau, problem.inputs
    is_native = method in ("auto", *EXPLICIT) or (method in ADAPTIVE and ADAPTIVE[method].is_native)
    is_sampled = loop is not None and loop.sampling is not None
    if not is_native or is_sampled or problem.audit is not False or tau.functions or inputs.functions:
        return None
    changes = [event.change.compiled for event in events.watched if event.change is not None]
    if (events and events.compiled is None) or None in changes or (events and equations.constraints is not None):
        return None
    if events.compiled is not None and events.compiled.backend == "numpy":
        return None
    if any(constraint.is_watched for constraint in equations.system.constraints.values()) or moving_pivots(equations):
        return None
    acting = {"tau": _rows(members, "tau", tau), "inputs": _rows(members, "inputs", inputs)}
    constrained: ConstrainedMembers | None = ConstrainedMembers.of(
        problem, lambda i: (_of_member(parameters, i), acting["tau"][i], acting["inputs"][i])
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
    times = problem.times
    if constrained is None:
        starts, can_start = _starts(derivation, members, parameters)
    sound &= can_start
    if not sound.any():
        return None
    starts[~sound] = starts[np.argmax(sound)]
    parameters = {
        **parameters,
        **{name: np.where(sound, rows, rows[np.argmax(sound)]) for name, rows in varied.items()},
    }
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
    rows = {name: np.broadcast_to(array, (members.count, array.shape[1])) for name, array in work.items()}
    rows |= {name: array for name, array in acting.items() if name in rates.native.arrays}
    rows |= event_rows(functions, events, members.count, parameters)
    readers = (["jacobian"] if is_implicit else []) + (["switches"] if located else [])
    rows |= {f"{reader}.{name}": array for reader in readers for name, array in acting.items()}
    limits = limits_of_members(functions, members.count, parameters)
    signs = None if constrained is None else constrained.rows_of_signs(members.count)
    logs = EventLogs.of(events.effects, *starts.shape) if events else None
    room = logs or (EventLogs.of((), *starts.shape) if located else None)
    memory = MemberRows.of(starts, rows, len(times) - 1, watched_by_all(limits), signs, room)
    sound &= have_regular_masses(functions, starts[:, : len(equations.q)], parameters, acting["inputs"])
    return _Plan(
        parameters, acting["tau"], acting["inputs"], rates, guard, control, problem, memory, sound, limits, constrained,
        logs, located,
    )  # fmt: skip


def _of_member(parameters: Mapping[str, Any], i: int) -> dict[str, Any]:
    """The parameters of one member, in SI units."""
    return {name: Si(value[i]) if np.ndim(value) else value for name, value in parameters.items()}


def _starts(
    derivation: Derivation,
    members: Members,
    parameters: Mapping[str, Any],
    constrained: ConstrainedMembers | None = None,
) -> tuple[Floats, NDArray[np.bool_]]:
    """The first states (N, n), and which members can start with theirs and with their parameters."""
    equations, model = derivation.equations, derivation.model
    varied = {model.parameters[name].symbol for name, value in parameters.items() if name in model.parameters}
    checked = [body.mass for body in model.bodies.values()] + [x for _, numbers in model.parametric for x in numbers]
    is_checked = bool(varied & set(free_symbols(checked)))
    filled = _filled_starts(derivation, members) if constrained is None else None
    starts, sound = filled or (np.zeros((members.count, len(equations.q) + len(equations.u) + len(equations.z))), None)
    if sound is not None and not is_checked:
        return starts, sound
    sound = np.ones(members.count, dtype=bool) if sound is None else sound
    for i in range(members.count):
        if constrained is not None and not constrained.is_native:
            break
        try:
            if filled is None:
                member = members.member(i)
                begin = initial_state(derivation, member.get("start"), member.get("speeds"), member.get("parameters"))
                x: Floats | None = np.concatenate([begin.q, begin.u, begin.z])
                if constrained is not None:
                    x = constrained.begun(i, begin)
                sound[i] = x is not None and (constrained is not None or not begin.notices)
                starts[i] = 0.0 if x is None else x
            if is_checked:
                check_values(model, _of_member(parameters, i))
        except (PolhodeError, Stop, NonFinite):
            sound[i] = False
    return starts, sound


def _filled_starts(derivation: Derivation, members: Members) -> tuple[Floats, NDArray[np.bool_]] | None:
    """The first member's state with columns of the others', where these are single values by name; else None."""
    equations = derivation.equations
    varied = {which: rows for which, rows in members.varied.items() if which[0] in ("start", "speeds")}
    parts = [("start", equations.coordinates), ("speeds", equations.speeds), ("start", equations.states)]
    order: list[Which] = [(option, name) for option, names in parts for name in names]
    if equations.quaternions or derivation.synopsis.has_elastic_gears or not all(which in order for which in varied):
        return None
    first = next((i for i in range(members.count) if all(np.isfinite(rows[i]) for rows in varied.values())), None)
    if first is None:
        return None
    options = members.member(first)
    begin = initial_state(derivation, options.get("start"), options.get("speeds"))
    starts = np.tile(np.concatenate([begin.q, begin.u, begin.z]), (members.count, 1))
    for which, rows in varied.items():
        starts[:, order.index(which)] = rows
    return starts, np.isfinite(starts).all(axis=1) & (not begin.notices)


def _rows(members: Members, option: str, signal: Signal) -> Floats:
    """Efforts or inputs of each member (N, …)."""
    rows = np.tile(signal.constant, (members.count, 1))
    for (kind, name), values in members.varied.items():
        if kind == option and isinstance(name, str):
            rows[:, signal.names.index(name)] = values
        elif kind == option:
            rows[:] = values
    return rows


def event_rows(functions: Functions, events: Events, count: int, parameters: Mapping[str, Any]) -> dict[str, Floats]:
    """Set-up rows of events and changes for the parameters of each member."""
    if not events or events.compiled is None:
        return {}
    compiled = {"events.work": ParametricValues(events.compiled, events.parameters)}
    changes = {f"change {k}.work": event.change.compiled for k, event in enumerate(events.watched) if event.change}
    compiled |= {name: values for name, values in changes.items() if values is not None}
    work_rows = {}
    for name, values in compiled.items():
        rows = np.atleast_2d(functions.values_of(values.names, parameters))
        work = values.function.native.setup(np.ascontiguousarray(rows))
        work_rows[name] = np.broadcast_to(work, (count, work.shape[1]))
    return work_rows


def samples_of(
    times: Floats, states: Floats, log: Floats, is_ended: bool, groups: Sequence[tuple[int, int]]
) -> tuple[Floats, Floats, int]:
    """Times and states of a member, those at its events included, and how many of the common times are among them."""
    n, record, done = states.shape[1], Record(states.shape[1]), 0
    for row in log[log[:, 2] > GOES_ON]:
        done, begin = 1 + int(row[3]), done
        record.add(times[begin:done], states[begin:done])
        before, after = both = row[HEAD:].reshape(2, n).copy()
        for first, count in groups:
            both[:, first : first + count] /= np.linalg.norm(both[:, first : first + count], axis=1, keepdims=True)
        if row[2] == CHANGES:
            record.jump(float(row[0]), before, after)
        else:
            record.end(float(row[0]), before)
    if not is_ended:
        record.add(times[done:], states[done:])
        done = len(times)
    return record.times, record.states, done


#: Advance by about so many steps; True if something may be left.
Advance = Callable[[int], bool]
#: A piece takes about this long, as the processor counts; this often it is looked how far all are.
_PIECE_SECONDS, _LOOK_SECONDS = 0.02, 0.05
_FIRST_STEPS, _MOST_STEPS = 256, 1 << 40


def run_in_threads(advances: Sequence[Advance], look: Callable[[], object]) -> bool:
    """Advance each in its thread until nothing is left, calling `look` now and then; False where interrupted."""
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
    """Advance until nothing is left, or `stop` is set."""
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


def have_regular_masses(
    functions: Functions, q: Floats, parameters: Mapping[str, Any], inputs: Floats
) -> NDArray[np.bool_]:
    """Members whose mass matrix at the start is regular with a margin."""
    arguments: dict[str, Any] = {"t": 0.0, "inputs": inputs, "parameters": dict(parameters)}
    M = np.broadcast_to(functions.mass_matrix(q, **arguments), (len(q), *[len(functions.equations.u)] * 2))
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
