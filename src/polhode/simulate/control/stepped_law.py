"""A sampled law in a loop of one's own: every member of a batch has a clock, and states of the law, of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...compiled.functions import Functions
from ..initial_state import Floats
from .controlled import ClosedLoop

#: Times nearer to each other than this part of a sample are one.
_SAME = 1e-9


class SteppedLaw:
    """At t = 0, T, 2T, … the law gives controls, which hold in the rows of efforts and inputs after a delay."""

    def __init__(
        self,
        loop: ClosedLoop,
        functions: Functions,
        parameters: Mapping[str, Any],
        rows: Sequence[tuple[str, Sequence[str], Floats]],
        groups: Sequence[tuple[int, int]],
    ) -> None:
        how, planned, count = loop.how, loop.planned(functions.derivation), len(rows[0][2])
        law = functions.compiled(planned.program)
        self._law, self._values = law, functions.values_of(planned.parameters, parameters)
        self._every, self._delay, self._groups = how.sample_time, how.delay, groups
        self._spread, self._seed = np.array([*how.noise.values()]), how.seed or 0
        self._noise = [np.random.default_rng(self._seed + i) for i in range(count)]
        self.start = np.array([loop.starts.get(each.symbol.name, float(each.start)) for each in loop.law.states])
        self.states = np.tile(self.start, (count, 1))
        self.given = np.zeros(count, dtype=np.int64)  # how many samples there were
        self.acting = np.zeros(count, dtype=np.int64)  # and how many of them have come to act
        self.controls = np.zeros((count, int(how.delay / how.sample_time) + 2, len(loop.law.controls)))
        kinds = {kind: (names, array) for kind, names, array in rows}
        self._places = [(kinds[each.data[0]][1], kinds[each.data[0]][0].index(each.name)) for each in loop.law.controls]

    @property
    def next_times(self) -> Floats:
        """When something happens next to each member."""
        acts = np.where(self.acting < self.given, self.acting * self._every + self._delay, np.inf)
        found: Floats = np.minimum(self.given * self._every, acts)
        return found

    def pass_to(self, t: Floats, x: Floats, members: Any) -> None:
        """Sample and act, as it is due for members of a mask at their times and states."""
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
        """The arrays that it goes on from; noise begins anew."""
        return [self.states, self.given, self.acting, self.controls]

    def reset(self, members: Any) -> None:
        """Let members begin anew."""
        self.states[members] = self.start
        self.given[members] = self.acting[members] = 0
        for array, column in self._places:
            array[members, column] = 0.0
        for i in np.arange(len(self.given))[members]:
            self._noise[i] = np.random.default_rng(self._seed + int(i))
