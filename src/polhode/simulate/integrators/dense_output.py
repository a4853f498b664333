"""Dense output of a run that is over: a step that is asked for is taken once more."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...ode.native_run import NativeRun
from ..initial_state import Floats
from ..rates import Rates


class DenseOutput:
    """The states between the steps of a run: the step around a time is taken once more, and its polynomial asked.

    It stays with the process that ran: a trajectory that is sent elsewhere goes without.
    """

    def __init__(self, pieces: Sequence[tuple[NativeRun, Floats]], rates: Rates) -> None:
        self.rates = rates
        self.steps = pieces[0][1] if len(pieces) == 1 else np.concatenate([steps for _, steps in pieces])
        self.runs = [run for run, _ in pieces]
        self.owners = np.repeat(np.arange(len(pieces)), [len(steps) for _, steps in pieces])
        self._at = -1

    def __call__(self, times: Floats) -> Floats:
        """States (T, n) at times (T,)."""
        places = np.clip(np.searchsorted(self.steps[:, 0], times, side="right") - 1, 0, len(self.steps) - 1)
        made = np.empty((len(times), self.runs[0].size))
        for k in np.argsort(places, kind="stable").tolist():
            made[k] = self._state(float(times[k]), int(places[k]))
        return made

    def _state(self, t: float, place: int) -> Floats:
        run, rates = self.runs[self.owners[place]], self.rates
        if place != self._at:
            rates.steps_natively(run)
            run.retake(self.steps[place])
            self._at = place
        row = self.steps[place]
        x = row[2:].copy() if t <= row[0] else run.state_at(min(t, float(row[0] + row[1])))
        return rates.unit(rates.projected(t, x))[0]

    def __reduce__(self) -> tuple[Any, ...]:
        return type(None), ()
