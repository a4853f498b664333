"""A law that is sampled: at t = 0, T, 2T, … it is given what is measured, and what it gives is held.

    c_k = κ(y(t_k), r(t_k), ξ_k, t_k)    acts from t_k + delay until t_{k+1} + delay
    ξ_{k+1} = ψ(y(t_k), r(t_k), ξ_k, t_k)

A state with a rate φ is stepped by Euler's rule, ξ_{k+1} = ξ_k + T φ, or by Runge's four
stages, in which the measurement is held.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ...compiled.functions import Functions
from ...errors import LimitError, number, unknown, whole_number
from ...expr import Expr
from ...laws.law import rule_of
from ...laws.named_symbols import Named, numbers_of
from ...ode.native_schedule import SampledLaw
from ..guard import Stop
from ..initial_state import Floats
from ..settings import MOST_BYTES
from .actuation import Breaks, ControllerFailed, sample_times
from .under_control import ControllerLog

if TYPE_CHECKING:
    from ...dynamics.synopsis import Synopsis
    from ...laws.law import Law
    from .controlled import ClosedLoop

#: Times nearer to each other than this part of a sample are one.
_SAME = 1e-9


@dataclass(frozen=True, eq=False)
class Sampling:
    """Sample time and delay in seconds, quantisation and noise of measurements and controls, and the discretisation."""

    sample_time: float
    delay: float = 0.0
    quantisation: Mapping[Expr, float] = field(default_factory=dict)
    noise: Mapping[Expr, float] = field(default_factory=dict)
    seed: int | None = None
    discretisation: str = "euler"


def sampling_of(law: Law, options: Mapping[str, Any], synopsis: Synopsis) -> Sampling:
    """How a law is sampled, as the options of a run say."""
    measured = Named.measurements(law)
    seed, delay, rule = (options.get(name) for name in ("seed", "delay", "discretisation"))
    both, smallest = measured | Named.controls(law, synopsis.joints), np.finfo(float).tiny
    return Sampling(
        law.sample_time_as(options.get("sample_time")) or 0.0,
        number(0.0 if delay is None else delay, "a time ≥ 0 in seconds", least=0.0, place="delay"),
        numbers_of(options.get("quantisation"), both, "quantisation", "a step > 0", least=smallest),
        numbers_of(options.get("noise"), measured, "noise", "a standard deviation ≥ 0"),
        None if seed is None else whole_number(seed, "a whole number ≥ 0", least=0, place="seed"),
        "euler" if rule is None else rule_of(rule),
    )


def starting(loop: ClosedLoop, start: Any, synopsis: Synopsis) -> tuple[ClosedLoop, Any]:
    """A sampled loop whose states start where a run says, and the start of the mechanism alone."""
    if loop.sampling is None or not loop.law.states:
        return loop, start
    names = [state.symbol.name for state in loop.law.states]
    if isinstance(start, Mapping):
        law_states = {*names} - {*synopsis.coordinates, *synopsis.states}
        given_starts = {name: value for name, value in start.items() if name in law_states}
        rest: Any = {name: value for name, value in start.items() if name not in law_states}
        every = {*synopsis.coordinates, *synopsis.states, *synopsis.speeds, *synopsis.omitted}
        strays = [name for name in rest if name not in every]
        if strays:
            what = "coordinate, state or state of the controller"
            names = [*synopsis.coordinates, *synopsis.states, *names]
            raise unknown(what, strays[0], names, place="start", code="E-CONTROL-NAME")
    elif isinstance(start, tuple) and len(start) == 3 and np.shape(start[2]) == (len(synopsis.states) + len(names),):
        given_starts = dict(zip(names, start[2][len(synopsis.states) :], strict=True))
        rest = (*start[:2], start[2][: len(synopsis.states)])
    else:
        return loop, start
    starts = {name: number(value, place=f"start of '{name}'") for name, value in given_starts.items()}
    return (replace(loop, starts=starts) if starts else loop), rest


class SampledLoop:
    """A sampled law in a run: when it is evaluated and when it acts, the noise of measurements, and its log."""

    def __init__(self, loop: ClosedLoop, functions: Functions, parameters: Mapping[str, Any], end: float) -> None:
        self.loop, self.sampling = loop, loop.how
        times = sample_times(self.sampling.sample_time, end, f"the controller '{loop.controller}'")
        times = np.concatenate([[0.0], times])
        width = len(functions.equations.q) + len(functions.equations.u) + len(loop.law.controls) + len(loop.law.states)
        if 8.0 * len(times) * width > MOST_BYTES:
            message = f"{len(times):,} samples of {width} numbers would take {8e-9 * len(times) * width:.3g} GB."
            raise LimitError(message, "sample_time", "Give a longer sample time, or a shorter run.", "E-RUN-SIZE")
        law, names = loop.compiled(functions)
        spread = np.array([*self.sampling.noise.values()])
        noise = np.random.default_rng(self.sampling.seed or 0).standard_normal((len(times), len(spread))) * spread
        law = law.with_parameters(functions.values_of(names, parameters))
        self.law = SampledLaw(law, times, _first_states(loop), noise)
        self.acting, self.count = -1, 0  # the row that acts, and how many are filled
        self._names: tuple[str, ...] = ()
        self._acts_at_once = self.sampling.delay <= _SAME * self.sampling.sample_time

    @property
    def log(self) -> ControllerLog:
        """Controls and states of the controller up to now."""
        law, count, of = self.law, self.count, self.loop.law
        names = tuple(control.name for control in of.controls), tuple(state.symbol.name for state in of.states)
        return ControllerLog(law.times[:count], law.controls[:count].copy(), law.states[:count].copy(), *names)

    @property
    def clocks(self) -> list[Floats]:
        """The times at which the law is evaluated, and those at which its controls begin to act."""
        times = self.law.times
        return [times] if self._acts_at_once else [times, times + self.sampling.delay]

    def connect(self, values: Floats, names: tuple[str, ...], breaks: Breaks) -> None:
        """Let controls hold among the efforts and inputs of a run that has these breaks."""
        columns = [names.index(f"{control.data[0]} '{control.name}'") for control in self.loop.law.controls]
        self._names = tuple(names[column] for column in columns)
        values[columns] = 0.0
        same, rows, at_breaks = _SAME * self.sampling.sample_time, np.arange(len(self.law.times)), []
        for times in (self.law.times, self.law.times + self.sampling.delay):
            at = np.searchsorted(breaks.times, times - same)
            inside = (at < len(breaks)) & (times > same)
            at_breaks.append(np.full(len(breaks), -1, dtype=np.int64))
            at_breaks[-1][at[inside]] = rows[inside]
        self.law.connect(values, np.array(columns), *at_breaks)

    def begin(self, number: int, x: Floats) -> None:
        """Evaluate the law or apply its controls, whichever is due at a break; the start is break -1."""
        asks, acts = (0, 0 if self._acts_at_once else -1)
        if number >= 0:
            asks, acts = int(self.law.asks[number]), int(self.law.acts[number])
        if asks >= 0:
            controls = self.law.ask(asks, x)
            wrong = np.flatnonzero(~np.isfinite(controls))
            if len(wrong):
                at = f"at t = {self.law.times[asks]:.6g} s."
                raise ControllerFailed(f"the law of {self._names[wrong[0]]} gave no finite number, {at}")
            self.count = max(self.count, asks + 1)
        if acts >= 0:
            self.law.act(acts)
            self.acting = acts

    def passed(self, first: int, values: Floats) -> None:
        """Write what held after breaks that native code has passed, from a first one on, into rows of values."""
        last = first + len(values)
        rows = np.maximum(np.maximum.accumulate(self.law.acts[first:last]), self.acting)
        acted = rows >= 0
        values[np.ix_(acted, self.law.columns)] = self.law.controls[rows[acted]]
        values[np.ix_(~acted, self.law.columns)] = 0.0
        self.acting = int(rows[-1])
        self.count = max(self.count, int(self.law.asks[first:last].max()) + 1)


def _first_states(loop: ClosedLoop) -> Floats:
    return np.array([loop.starts.get(state.symbol.name, float(state.start)) for state in loop.law.states])


class SteppedLaw:
    """A sampled law in a stepper: every member has its clock and states; `rows` are (kind, names, array) to act in."""

    def __init__(
        self,
        loop: ClosedLoop,
        functions: Functions,
        parameters: Mapping[str, Any],
        rows: Sequence[tuple[str, Sequence[str], Floats]],
        groups: Sequence[tuple[int, int]],
    ) -> None:
        how, count, (law, names) = loop.how, len(rows[0][2]), loop.compiled(functions)
        self._law, self._values = law, functions.values_of(names, parameters)
        self._every, self._delay, self._groups = how.sample_time, how.delay, groups
        self._spread, self._seed = np.array([*how.noise.values()]), how.seed or 0
        self._noise = [np.random.default_rng(self._seed + i) for i in range(count)]
        self.start = _first_states(loop)
        self.states = np.tile(self.start, (count, 1))
        self.given = np.zeros(count, dtype=np.int64)  # how many samples there were
        self.acting = np.zeros(count, dtype=np.int64)  # and how many of them have come to act
        self.controls = np.zeros((count, int(how.delay / how.sample_time) + 2, len(loop.law.controls)))
        kinds = {kind: (names, array) for kind, names, array in rows}
        self._places = [(kinds[x.data[0]][1], kinds[x.data[0]][0].index(x.name)) for x in loop.law.controls]

    @property
    def next_times(self) -> Floats:
        """Time of each member's next sample or action."""
        acts = np.where(self.acting < self.given, self.acting * self._every + self._delay, np.inf)
        return np.asarray(np.minimum(self.given * self._every, acts))

    def pass_to(self, t: Floats, x: Floats, members: Any) -> None:
        """Sample the law and apply controls for the members of a mask that are due at their times."""
        late, depth = t + _SAME * self._every, self.controls.shape[1]
        while True:
            due = np.flatnonzero(members & (self.next_times <= late))
            if not len(due):
                return
            sampled = due[self.given[due] * self._every <= late[due]]
            if len(sampled):
                self._sample(sampled, x, depth)
            is_late = self.acting * self._every + self._delay <= late
            acts = due[(is_late & (self.acting < self.given))[due]]
            for k, (array, column) in enumerate(self._places):
                array[acts, column] = self.controls[acts, self.acting[acts] % depth, k]
            self.acting[acts] += 1

    def _sample(self, rows: Any, x: Floats, depth: int) -> None:
        """Fill the next sample of some members."""
        state = x[rows]
        for first, count in self._groups:
            state[:, first : first + count] /= np.linalg.norm(state[:, first : first + count], axis=1, keepdims=True)
        noise = np.array([self._noise[i].standard_normal(len(self._spread)) for i in rows]) * self._spread
        times = (self.given[rows] * self._every)[:, None]
        values = self._values[rows] if self._values.ndim == 2 else self._values
        controls, states = self._law(state, times, self.states[rows], noise, parameters=values)
        self.controls[rows, self.given[rows] % depth] = controls
        self.states[rows] = states
        self.given[rows] += 1

    @property
    def memory(self) -> list[Any]:
        """Arrays from which the law continues; noise begins anew."""
        return [self.states, self.given, self.acting, self.controls]

    def reset(self, members: Any) -> None:
        """Reset members to the start of the law."""
        self.states[members] = self.start
        self.given[members] = self.acting[members] = 0
        for array, column in self._places:
            array[members, column] = 0.0
        for i in np.arange(len(self.given))[members]:
            self._noise[i] = np.random.default_rng(self._seed + int(i))


# ---- unstable loop -------------------------------------------------------------------------------------------
# In an unstable sampled loop each control is larger than the last, with the other sign. States reach no bound for a
# long time, since fast motions take ever more steps; the controls show it after a few samples.

#: Speeds that lead, within a sample, so many times further than the mechanism was from its zero, are no motion.
_BEYOND = 1e3
#: Controls that grow by this factor from sample to sample, over as many samples.
_GROWTH, _SAMPLES = 1.1, 8
#: Fewer samples show no growth.
_FEWEST = 3


def growth_of(controls: Floats) -> float:
    """Growth factor of controls (K, …) from sample to sample; 1 if the last are not the largest."""
    sizes = np.abs(controls).max(axis=1, initial=0.0)
    count = min(_SAMPLES, len(sizes) - 1)
    if len(sizes) < _FEWEST or sizes[-1] < sizes.max() or not sizes[-1 - count] > 0.0:
        return 1.0
    return float((sizes[-1] / sizes[-1 - count]) ** (1.0 / count))


def unstable_loop(
    controls: Floats, start: tuple[Floats, Floats], t: float, speeds: Mapping[str, float], sample_time: float
) -> Stop | None:
    """Why a sampled law that gave these controls (K, …), from coordinates and speeds at the start, ends a run here."""
    if not speeds:
        return None
    q, u = (float(np.abs(values).max(initial=0.0)) for values in start)
    worst = max(speeds, key=lambda name: abs(speeds[name]))
    growth = growth_of(controls)
    if abs(speeds[worst]) <= _BEYOND * max(u, (1.0 + q) / sample_time) or growth < _GROWTH:
        return None
    return Stop(
        "diverged",
        f"at t = {t:.6g} s the sampled loop is unstable: its controls grow by a factor of {growth:.3g} at each "
        f"sample, and '{worst}' is {speeds[worst]:.3g}.",
        f"Sample faster than every {sample_time:g} s, or lower the gains.",
    )
