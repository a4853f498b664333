"""A law that is sampled: at t = 0, T, 2T, … it is given what is measured, and what it gives is held.

    c_k = κ(y(t_k), r(t_k), ξ_k, t_k)    acts from t_k + delay until t_{k+1} + delay
    ξ_{k+1} = ψ(y(t_k), r(t_k), ξ_k, t_k)

A state with a rate φ is stepped by Euler's rule, ξ_{k+1} = ξ_k + T φ, or by Runge's four
stages, in which the measurement is held.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ...compiled.functions import Functions
from ...errors import LimitError, number, unknown, whole_number
from ...expr import Expr
from ...laws.discretisation import rule_of
from ...laws.named_symbols import Named, numbers_of
from ...ode.native_schedule import SampledLaw
from ..breaks import Breaks
from ..initial_state import Floats
from ..settings import MOST_BYTES
from .callables import ControllerFailed, sample_times
from .under_control import ControllerLog

if TYPE_CHECKING:
    from ...dynamics.synopsis import Synopsis
    from ...laws.law import Law
    from .controlled import ClosedLoop

#: Times nearer to each other than this part of a sample are one.
_SAME = 1e-9


@dataclass(frozen=True, eq=False)
class Sampling:
    """When a law is asked and when it acts, in seconds, and what stands between it and the mechanism."""

    sample_time: float
    delay: float = 0.0
    quantisation: Mapping[Expr, float] = field(default_factory=dict)
    noise: Mapping[Expr, float] = field(default_factory=dict)
    seed: int | None = None
    discretisation: str = "euler"


def sampling_of(law: Law, options: Mapping[str, Any], known: Synopsis) -> Sampling:
    """How a law is sampled, as the options of a run say."""
    sample_time = law.sample_time_as(options.get("sample_time")) or 0.0
    measured = Named.measurements(law)
    seed, delay = options.get("seed"), options.get("delay")
    discretisation = options.get("discretisation")
    discretisation = "euler" if discretisation is None else rule_of(discretisation)
    both = measured | Named.controls(law, known.joints)
    return Sampling(
        sample_time,
        number(0.0 if delay is None else delay, "a time ≥ 0 in seconds", least=0.0, place="delay"),
        numbers_of(options.get("quantisation"), both, "quantisation", "a step > 0", least=np.finfo(float).tiny),
        numbers_of(options.get("noise"), measured, "noise", "a standard deviation ≥ 0"),
        None if seed is None else whole_number(seed, "a whole number ≥ 0", least=0, place="seed"),
        discretisation,
    )


def starting(loop: ClosedLoop, start: Any, known: Synopsis) -> tuple[ClosedLoop, Any]:
    """A sampled loop whose states start where a run says, and the start of the mechanism alone.

    In continuous time the controller's states are the mechanism's, and there is nothing to tell apart.
    """
    if loop.sampling is None or not loop.law.states:
        return loop, start
    names = [each.symbol.name for each in loop.law.states]
    if isinstance(start, Mapping):
        own = {*names} - {*known.coordinates, *known.states}
        given = {name: value for name, value in start.items() if name in own}
        rest: Any = {name: value for name, value in start.items() if name not in own}
        every = {*known.coordinates, *known.states, *known.speeds, *known.omitted}
        strays = [name for name in rest if name not in every]
        if strays:
            what = "coordinate, state or state of the controller"
            raise unknown(
                what, strays[0], [*known.coordinates, *known.states, *names], place="start", code="E-LOOP-033"
            )
    elif isinstance(start, tuple) and len(start) == 3 and np.shape(start[2]) == (len(known.states) + len(names),):
        given = dict(zip(names, start[2][len(known.states) :], strict=True))
        rest = (*start[:2], start[2][: len(known.states)])
    else:
        return loop, start
    starts = {name: number(value, place=f"start of '{name}'") for name, value in given.items()}
    return (replace(loop, starts=starts) if starts else loop), rest


class SampledLoop:
    """A sampled law in a run: when it is asked and when it acts, what noise it sees, and the log of what it gave."""

    def __init__(self, loop: ClosedLoop, functions: Functions, parameters: Mapping[str, Any], end: float) -> None:
        self.loop, self.sampling = loop, loop.how
        sampling = self.sampling
        every = sampling.sample_time
        times = np.concatenate([[0.0], sample_times(every, end, f"the controller '{loop.controller}'")])
        width = len(functions.equations.q) + len(functions.equations.u) + len(loop.law.controls) + len(loop.law.states)
        if 8.0 * len(times) * width > MOST_BYTES:
            raise LimitError(
                f"{len(times):,} samples of {width} numbers would take {8e-9 * len(times) * width:.3g} GB.",
                place="sample_time",
                cure="Give a longer sample time, or a shorter run.",
                code="E-LOOP-035",
            )
        planned = loop.planned(functions.derivation)
        law = functions.compiled(planned.program).with_parameters(functions.values_of(planned.parameters, parameters))
        spread = np.array([*sampling.noise.values()])
        noise = np.random.default_rng(sampling.seed or 0).standard_normal((len(times), len(spread))) * spread
        start = np.array([loop.starts.get(each.symbol.name, float(each.start)) for each in loop.law.states])
        self.law = SampledLaw(law, times, start, noise)
        self.acting, self.asked = -1, 0  # the row that acts, and how many are filled
        self._names: tuple[str, ...] = ()

    @property
    def log(self) -> ControllerLog:
        """What it gave so far."""
        controls, states = self.law.controls[: self.asked], self.law.states[: self.asked]
        of = self.loop.law
        names = tuple(each.name for each in of.controls), tuple(each.symbol.name for each in of.states)
        return ControllerLog(self.law.times[: self.asked], controls.copy(), states.copy(), *names)

    @property
    def _acts_at_once(self) -> bool:
        return self.sampling.delay <= _SAME * self.sampling.sample_time

    @property
    def clocks(self) -> list[Floats]:
        """The times at which the law is asked, and those at which what it gave begins to act."""
        asked = self.law.times
        return [asked] if self._acts_at_once else [asked, asked + self.sampling.delay]

    def connect(self, values: Floats, names: tuple[str, ...], breaks: Breaks) -> None:
        """Let controls hold among the efforts and inputs of a run that has these breaks."""
        columns = [names.index(f"{each.data[0]} '{each.name}'") for each in self.loop.law.controls]
        self._names = tuple(names[column] for column in columns)
        values[columns] = 0.0
        same = _SAME * self.sampling.sample_time
        rows = np.arange(len(self.law.times))
        made = []
        for times in (self.law.times, self.law.times + self.sampling.delay):
            at = np.searchsorted(breaks.times, times - same)
            found = np.full(len(breaks), -1, dtype=np.int64)
            inside = (at < len(breaks)) & (times > same)
            found[at[inside]] = rows[inside]
            made.append(found)
        self.law.connect(values, np.array(columns), made[0], made[1])

    def begin(self, number: int, x: Floats) -> None:
        """Ask and act, as it is due at a break; the start is break -1."""
        asks, acts = (0, 0 if self._acts_at_once else -1)
        if number >= 0:
            asks, acts = int(self.law.asks[number]), int(self.law.acts[number])
        if asks >= 0:
            found = self.law.ask(asks, x)
            wrong = np.flatnonzero(~np.isfinite(found))
            if len(wrong):
                raise ControllerFailed(
                    f"the law of {self._names[wrong[0]]} gave no finite number, at t = {self.law.times[asks]:.6g} s."
                )
            self.asked = max(self.asked, asks + 1)
        if acts >= 0:
            self.law.act(acts)
            self.acting = acts

    def passed(self, first: int, values: Floats) -> None:
        """Write what held after breaks that native code has passed, from a first one on, into rows of values."""
        last = first + len(values)
        rows = self.law.held_after(first, last, self.acting)
        acted = rows >= 0
        values[np.ix_(acted, self.law.columns)] = self.law.controls[rows[acted]]
        values[np.ix_(~acted, self.law.columns)] = 0.0
        self.acting = int(rows[-1])
        self.asked = max(self.asked, int(self.law.asks[first:last].max()) + 1)
