"""Batches in native code: members one after the other, threads without the interpreter's lock.

A member is run by the very code that would run it alone, and so gives the same bits. One that native code does not
bring to its end, or that could not start, is left to `simulate`, which knows what to say of it.
"""

from __future__ import annotations

import os
import queue
import time
from collections.abc import Callable, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..compiled.functions import Functions
from ..compiled.native import stepper
from ..compiled.native.stepper import NativeRun
from ..errors import PolhodeError
from ..expr import free_symbols
from ..model.body import check_mass
from .guard import Guard
from .initial_state import Floats, initial_state
from .inputs import Signal, read_efforts, read_inputs
from .integrators import adaptive
from .integrators.adaptive import Control
from .integrators.stiff import Switch
from .members import Members, Which
from .rates import Rates
from .settings import control_of, span_of

if TYPE_CHECKING:
    from ..formalisms.derivation import Derivation

#: Options under which members can run in native code.
_KNOWN = frozenset((
    "parameters", "start", "speeds", "inputs", "tau", "method", "step", "samples", "rate", "rtol", "atol", "max_steps",
    "progress", "functions", "watch_energy",
))  # fmt: skip
#: A smallest moment of a mass matrix of unit diagonal, beside the largest, with which it is surely regular.
SURE = 1e-10
#: So many members are run before somebody may interrupt.
_CHUNK = 32


@dataclass(frozen=True, eq=False)
class NativeRuns:
    """What became of the members: their states at the samples, whether each got to its end, and facts of the runs."""

    times: Floats
    states: Floats  # (N, T, n), the start first
    tau: Floats  # (N, T, efforts), as they acted
    inputs: Floats  # (N, T, inputs)
    done: NDArray[np.bool_]
    info: Callable[[int], dict[str, Any]]


@dataclass(frozen=True, eq=False)
class _Plan:
    """All that members share, as numbers, and what each has of its own."""

    rates: Rates
    guard: Guard
    control: Control
    times: Floats
    members: stepper.Members
    sound: NDArray[np.bool_]  # members that can start

    def run(self, spans: list[range], report: Callable[[float], object], threads: int | None) -> None:
        """Run the members of these spans, in as many threads as there are cores unless fewer are asked for."""
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        threads = max(1, min(threads or cores, len(spans)))
        idle: queue.SimpleQueue[NativeRun] = queue.SimpleQueue()
        for _ in range(threads):
            idle.put(self._run())

        def one(span: range) -> None:
            run = idle.get()
            run.members(self.members, span, float(self.times[-1]), self.control.most_steps)
            idle.put(run)

        if threads == 1:
            for number, span in enumerate(spans):
                one(span)
                report((number + 1) / len(spans))
            return
        with ThreadPoolExecutor(threads) as pool:
            waiting: set[Future[None]] = {pool.submit(one, span) for span in spans}
            try:
                while waiting:
                    _, waiting = wait(waiting, timeout=0.1, return_when=FIRST_COMPLETED)
                    report(1.0 - len(waiting) / len(spans))
            except KeyboardInterrupt:
                for future in waiting:
                    future.cancel()
                raise

    def _run(self) -> NativeRun:
        """The memory of one thread."""
        control, x = self.control, self.members.starts[0]
        code = self.rates.stepper(control.method)
        run = NativeRun(code, x, rtol=control.rtol, atol=control.atol, groups=self.rates.groups)
        run.record.h_max, run.record.bound = control.largest_step, self.guard.bound
        run.sample(np.ascontiguousarray(self.times[1:]), np.empty((len(self.times) - 1, len(x))))
        self.rates.steps_natively(run)
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
    spans = [range(k, min(k + _CHUNK, members.count)) for k in range(0, members.count, _CHUNK)]
    memory.reasons[:] = -1
    began = time.perf_counter()
    plan.run(spans, report, threads)
    seconds = (time.perf_counter() - began) / members.count
    done = plan.sound & (memory.reasons == 0)
    states = np.concatenate([memory.starts[:, None, :], memory.samples], axis=1)
    for first, count in plan.rates.groups:
        part = states[:, :, first : first + count]
        part /= np.linalg.norm(part, axis=-1, keepdims=True)
    tau, inputs = _acted(plan, tau, inputs, states, _parameters(members)[0])
    control, groups = plan.control, plan.rates.groups

    def info(i: int) -> dict[str, Any]:
        steps = int(memory.steps[i])
        return {
            "method": control.method, "notices": [], "rtol": control.rtol, "atol": control.atol, "wall_time": seconds,
            "steps": steps, "evaluations": int(memory.evaluations[i]),
            "steps_per_second": steps / seconds if seconds > 0 else 0.0,
            "quaternions": "of unit length inside the equations; samples scaled to unit length" if groups else "",
        }  # fmt: skip

    return NativeRuns(plan.times, states, tau, inputs, done, info)


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
    if not options.keys() <= _KNOWN or equations.constraints is not None or not duration > 0.0:
        return None
    method = options.get("method", "auto")
    found = adaptive.METHODS.get(method)
    if method != "auto" and (found is None or not found.is_native or found.is_implicit):
        return None
    first = members.member(0)
    tau = read_efforts(derivation, first.get("tau"))
    inputs = read_inputs(derivation, first.get("inputs"), functions.input_values())
    if tau.asked or inputs.asked:
        return None
    parameters, sound = _parameters(members)
    if not sound.any():
        return None
    rates = Rates(functions, {name: _of(value, 0) for name, value in parameters.items()}, tau, inputs)
    guard = Guard(rates, functions, dict)
    if not rates.can_step_natively or guard.angle_charts or guard.watches_steps or not len(equations.u):
        return None
    times = span_of(duration, options.get("samples"), options.get("rate"), 1).times
    control = control_of(
        method, options.get("rtol", 1e-9), options.get("atol", 1e-9), options.get("step"),
        options.get("max_steps", 1_000_000),
    )  # fmt: skip
    starts, can_start = _starts(derivation, members, parameters)
    sound &= can_start
    if not sound.any():
        return None
    starts[~sound] = starts[np.argmax(sound)]
    rates.start(starts[0], float(times[-1]))
    control = adaptive.resolved(control, rates, guard.watches_charts)
    if len(rates.breaks) or not adaptive.working(control.method, rates).is_native:
        return None
    rows = rates.functions.parameter_values(rates.of, parameters)
    if rows.ndim == 1:
        rows = np.tile(rows, (members.count, 1))
    own = {"work": rates.work_rows(rows), "tau": _rows(members, "tau", tau), "inputs": _rows(members, "inputs", inputs)}
    wanted = {name: each for name, each in own.items() if name == "work" or name in rates.native.arrays}
    memory = stepper.Members.of(starts, wanted, len(times) - 1)
    sound &= _has_regular_masses(functions, starts[:, : len(equations.q)], parameters, own["inputs"])
    return _Plan(rates, guard, control, times, memory, sound), own["tau"], own["inputs"]


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
    return value[i] if np.ndim(value) else value


def _starts(
    derivation: Derivation, members: Members, parameters: Mapping[str, Any]
) -> tuple[Floats, NDArray[np.bool_]]:
    """The first states (N, n), and which members can start with theirs and with their masses."""
    equations = derivation.equations
    table = equations.system.parameters
    varied = {table[name].symbol for name, value in parameters.items() if name in table}
    heavy = [
        (name, body.mass) for name, body in equations.system.bodies.items() if varied & set(free_symbols([body.mass]))
    ]
    filled = _filled_starts(derivation, members)
    starts, sound = filled or (np.zeros((members.count, len(equations.q) + len(equations.u) + len(equations.z))), None)
    if sound is not None and not heavy:
        return starts, sound
    sound = np.ones(members.count, dtype=bool) if sound is None else sound
    for i in range(members.count):
        try:
            if filled is None:
                given = members.member(i)
                begin = initial_state(derivation, given.get("start"), given.get("speeds"))
                sound[i] = not begin.notices
                starts[i] = np.concatenate([begin.q, begin.u, begin.z])
            for name, mass in heavy:
                check_mass(mass, {key: _of(value, i) for key, value in parameters.items()}, f"body '{name}'")
        except PolhodeError:
            sound[i] = False
    return starts, sound


def _filled_starts(derivation: Derivation, members: Members) -> tuple[Floats, NDArray[np.bool_]] | None:
    """The first member's state with columns of the others', where these are single values by name; else None.

    A quaternion is more than its columns: it has unit length.
    """
    equations = derivation.equations
    own = {which: rows for which, rows in members.varied.items() if which[0] in ("start", "speeds")}
    columns: dict[Which, int] = {("start", name): k for k, name in enumerate(equations.coordinates)}
    columns |= {("speeds", name): len(equations.q) + k for k, name in enumerate(equations.speeds)}
    columns |= {("start", name): len(equations.q) + len(equations.u) + k for k, name in enumerate(equations.states)}
    if equations.tree.quaternions or not all(which in columns for which in own):
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


def _has_regular_masses(
    functions: Functions, q: Floats, parameters: Mapping[str, Any], inputs: Floats
) -> NDArray[np.bool_]:
    """Which members have a mass matrix at their start that can surely be solved with."""
    given: dict[str, Any] = {"t": 0.0, "inputs": inputs, "parameters": dict(parameters)}
    M = np.broadcast_to(functions.mass_matrix(q, **given), (len(q), *[len(functions.equations.u)] * 2))
    with np.errstate(all="ignore"):
        scale = np.sqrt(np.abs(np.diagonal(M, axis1=1, axis2=2)))
        scaled = M / (scale[:, :, None] * scale[:, None, :])
        finite = np.isfinite(scaled).all(axis=(1, 2))
        moments = np.linalg.eigvalsh(np.where(finite[:, None, None], scaled, 0.0))
    return np.asarray(finite & (moments[:, 0] > SURE * moments[:, -1]))
