"""Rates and projections by the functions of native code in plain Python, where there is no compiler."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ..native.arrays import Floats
from ..native.compiled import Compiled
from .record import Reason, Run, padded
from .right_side import checked_projection, checked_rates, move_to_branch

#: ẋ, pivots, displacement and change of speeds at a time and a state.
Evaluate = Callable[[float, Floats], tuple[Floats, Floats, Floats, Floats]]


class PlainRun:
    """The record of a run in plain Python, at its start; what it evaluates is what `NativeRun` does."""

    def __init__(self, evaluate: Evaluate, x: Floats, groups: Sequence[tuple[int, int]] = (), t: float = 0.0) -> None:
        self.size, self.x = len(x), x
        _, pivots, displacement, change = evaluate(t, x)
        width = padded(self.size)
        states = {name: np.zeros(width) for name in ("unit", "residual", "state_on", "pose")}
        self.pivot_signs = np.ones(len(pivots))
        self.record = record = Run(
            t=t, size=self.size, blocks=width // 4, nodes=np.zeros(8 * width), **states,
            at=self._at, arguments=[x, x], x_index=0, out_index=1,
            groups=[*sum(groups, ())], group_count=len(groups), lengths=np.ones(len(groups)),
            pivots=pivots, pivot_count=len(pivots), pivot_signs=self.pivot_signs, usual_pivots=np.zeros(len(pivots)),
            displacement=displacement, coordinate_count=len(displacement), change=change, speed_count=len(change),
        )  # fmt: skip
        self._evaluate = evaluate
        record.is_constrained = 1

    def _at(self, arguments: list[Floats]) -> None:
        record = self.record
        rate, pivots, displacement, change = self._evaluate(record.clock, arguments[0][: self.size])
        arguments[1][: self.size] = rate
        record.pivots, record.displacement, record.change = pivots, displacement, change

    def check(self, function: Compiled) -> None:
        """Evaluate all values of the constraints after each projection: a compiled function of q (and t)."""
        record = self.record
        record.check_count = int(np.prod(function.outline.outputs[0][1]))
        record.check_values, record.check_arguments = np.zeros(record.check_count), [self.x]
        record.check_at = self._into(function, record.check_values)

    def define(self, function: Compiled, first: int) -> None:
        """Move auxiliary coordinates from a first one on by these steps to their definitions, at each projection."""
        record = self.record
        record.auxiliary_first, record.auxiliary_count = first, int(np.prod(function.outline.outputs[0][1]))
        record.definition_steps, record.definition_arguments = np.zeros(record.auxiliary_count), [self.x]
        record.definition_at = self._into(function, record.definition_steps)

    def _into(self, function: Compiled, values: Floats) -> Callable[[list[Floats]], None]:
        def at(arguments: list[Floats]) -> None:
            q, times = arguments[0][: self.record.coordinate_count], [np.array([self.record.clock])]
            values[:] = np.ravel(function(q, *times * (len(function.arrays) - 1)))

        return at

    def rates_at(self, t: float, x: Floats) -> Floats:
        """ẋ(t, x); nan where constraints lock each other."""
        rate = np.zeros(padded(self.size))
        checked_rates(self.record, t, self._padded(x), rate)
        return rate[: self.size]

    def projected(self, t: float, x: Floats) -> Floats | None:
        """The nearest state on the constraints; None where there is none."""
        return self._moved(checked_projection, t, x)

    def on_branch(self, t: float, x: Floats) -> Floats | None:
        """Near a singular pose the state of a motion through it; None elsewhere."""
        return self._moved(move_to_branch, t, x)

    def _moved(self, function: Callable[[Run, float, Floats], int], t: float, x: Floats) -> Floats | None:
        state = self._padded(x)
        return None if Reason(function(self.record, t, state)) else state[: self.size]

    def _padded(self, x: Floats) -> Floats:
        state = np.zeros(padded(self.size))
        state[: self.size] = x
        return state
