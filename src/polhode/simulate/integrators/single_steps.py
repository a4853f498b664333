"""Ways to take fixed steps: what they have in common, and steps in Python."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Protocol

import numpy as np

from ...codegen.fixed_steps import METHODS as TABLEAUX
from ...codegen.fixed_steps import Tableau
from ...ode_former.fixed_step import runge_kutta_step
from ..control.callables import ControllerFailed
from ..discontinuities import Discontinuities
from ..guard import Stop
from ..initial_state import Floats
from ..rates import NonFinite, Rates
from ..trajectory.record import Record

#: A break this near to the end of a step, as a part of the step, is at its end.
SNAP = 1e-9


class Stepper(Protocol):
    """A way to take fixed steps; `last` is the state that it has reached."""

    last: Floats

    def advance(self, x: Floats, done: int, records: int, every: int) -> tuple[int, Floats]:
        """Up to `records` records of `every` steps each: steps taken, and the recorded states."""

    def reason(self, done: int) -> BaseException:
        """Why no step was taken after `done` of them."""


class Ended(Exception):
    """A terminal event ended the run here."""

    def __init__(self, t: float, x: Floats) -> None:
        super().__init__()
        self.t, self.x = t, x


class SingleSteps(ABC):
    """Steps one by one; what ends them early is kept, so that the states before it are."""

    last: Floats
    stopped: BaseException = KeyboardInterrupt()

    def advance(self, x: Floats, done: int, records: int, every: int) -> tuple[int, Floats]:
        states = np.full((records, len(x)), np.nan)
        self.last = x
        for k in range(records * every):
            try:
                self.last = self.take(self.last, done + k, k % every == 0)
            except (NonFinite, ControllerFailed, KeyboardInterrupt, Stop, Ended) as stopped:
                self.stopped = stopped
                return k, states
            if (k + 1) % every == 0:
                states[k // every] = self.last
        return records * every, states

    @abstractmethod
    def take(self, x: Floats, k: int, recorded: bool) -> Floats:
        """One step from the state at time k h, which may be recorded."""

    def reason(self, done: int) -> BaseException:
        return self.stopped


class PythonSteps(SingleSteps):
    """Steps in Python: a controller is asked at every stage, and signs are fixed in each step."""

    def __init__(
        self,
        rates: Rates,
        h: float,
        method: str,
        discontinuities: Discontinuities | None = None,
        driven: Record | None = None,
    ) -> None:
        self.rates, self.h, self.discontinuities, self.driven = rates, h, discontinuities, driven
        self.tableau: Tableau = TABLEAUX[method]

    def take(self, x: Floats, k: int, recorded: bool) -> Floats:
        self.rates.begin(k * self.h, x, SNAP * self.h)
        if self.driven is not None and recorded:
            self.driven.add_actuation(k * self.h, self.rates.actuation(k * self.h, x))
        new = self.step(x, k)
        if self.discontinuities:
            self.discontinuities.step((k + 1) * self.h, new)
        return new

    def step(self, x: Floats, k: int) -> Floats:
        """One step of the method, in parts where there are breaks inside it."""
        t, end = k * self.h, (k + 1) * self.h
        while self.rates.next_break < end - SNAP * self.h:
            at = self.rates.next_break
            x = self.part(x, t, at, at - t)
            self.rates.begin(at, x)
            t = at
        return self.part(x, t, end, self.h if t == k * self.h else end - t)

    def part(self, x: Floats, t: float, end: float, h: float) -> Floats:
        """The method from one time to another, projected."""
        new = runge_kutta_step(self.tableau, lambda c, x: self.rates(end if c == 1.0 else t + c * h, x), x, h)
        if self.rates.is_constrained and np.isfinite(new).all():
            return self.rates.projected(end, new)
        return self.rates.unit(new)[0] if self.rates.groups else new
