"""Rates and projections by the functions of native code in plain Python, where there is no compiler."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np

from ..native.arrays import Floats
from ..native.compiled import Compiled
from .methods.registry import method_named
from .record import Reason, Run, padded
from .right_side import checked_projection, checked_rates, move_to_branch, rates_as_given

#: ẋ, pivots, displacement and change of speeds at a time and a state.
Evaluate = Callable[[float, Floats], tuple[Floats, Floats, Floats, Floats]]


class PlainRun:
    """The record of a run in plain Python, at its start; what it evaluates is what `NativeRun` does."""

    def __init__(self, evaluate: Evaluate, x: Floats, groups: Sequence[tuple[int, int]] = (), t: float = 0.0) -> None:
        self.size, self.x = len(x), x
        _, pivots, displacement, change = evaluate(t, x)
        self.pivot_signs = np.ones(len(pivots))
        self.record = _record(
            x, groups, t=t, at=self._at, arguments=[x, x], is_constrained=1,
            pivots=pivots, pivot_count=len(pivots), pivot_signs=self.pivot_signs, usual_pivots=np.zeros(len(pivots)),
            displacement=displacement, coordinate_count=len(displacement), change=change, speed_count=len(change),
        )  # fmt: skip
        self._evaluate = evaluate

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


def _record(x: Floats, groups: Sequence[tuple[int, int]], **more: Any) -> Run:
    """The record of a run at a state, with arrays of its length."""
    width = padded(len(x))
    names = ("x", "x_old", "f", "f_old", "y", "unit", "residual", "state_on", "pose")
    run = Run(
        size=len(x), blocks=width // 4, out_index=1, **{name: np.zeros(width) for name in names},
        nodes=np.zeros(8 * width), groups=[*sum(groups, ())], group_count=len(groups), lengths=np.ones(len(groups)),
        **more,
    )  # fmt: skip
    run.x[: len(x)] = x
    return run


def plain_fixed_run(
    name: str,
    side: Callable[[float, Floats], Floats],
    x: Floats,
    *,
    h: float,
    end: float,
    times: Floats,
    groups: Sequence[tuple[int, int]] = (),
    positions: int = 0,
    prepare: Callable[[Run], None] | None = None,
) -> tuple[Run, Floats]:
    """The record of a run of fixed steps that is ready to begin, and its samples; `prepare` fills what is beside."""
    method, size = method_named(name), len(x)
    width = padded(size)
    states = np.full((len(times), size), np.nan)
    run = _record(
        x, groups, h=h, t_end=end, is_fixed=1, budget=10**9, bound=1e12, position_count=positions,
        times=np.array(times), samples=states.reshape(-1), sample_count=len(times), arguments=[None, None],
        rates=rates_as_given if method.keeps_length else checked_rates, project=checked_projection,
        k=np.zeros(method.stages * width),
    )  # fmt: skip
    if method.memory is not None:
        struct, rows = method.memory
        run.memory = struct(**{field: np.zeros(count * width) for field, count in rows.items()})

    def at(arguments: Any) -> None:
        arguments[1][:size] = side(run.clock, arguments[0][:size])

    run.at = at
    module = import_module(f".methods.{method.module}", __package__)
    for field, part in (("begin_method", "begin"), ("attempt", "attempt"), ("state_at", "state_at")):
        setattr(run, field, partial(getattr(module, part), *method.static))
    if prepare is not None:
        prepare(run)
    return run, states


def advance_plainly(run: Run) -> Reason:
    """Begin, and take all steps, in plain Python."""
    from .event_handling import begin
    from .loop import advance

    reason = Reason(begin(run))
    while reason == Reason.DONE and run.t < run.t_end:
        reason = Reason(advance(run))
        if reason == Reason.LOOK:
            reason = Reason.DONE
    return reason
