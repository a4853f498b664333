"""Runs of fixed steps on the one loop, in native code or in plain Python."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np

from polhode.native.compiled import Compiled
from polhode.ode import loop, right_side
from polhode.ode.methods.registry import method_named
from polhode.ode.native_code import MethodCode
from polhode.ode.native_run import NativeRun
from polhode.ode.rates import rates_as_given
from polhode.ode.record import Reason, Run, padded

Side = Compiled | Callable[[float, Any], Any]
Result = tuple[Any, Any, Reason]


def native_run(
    method: str | MethodCode, side: Side, x: Sequence[float], *, h: float, end: float, times: Any = (),
    given: Any = None, groups: Sequence[tuple[int, int]] = (), positions: int = 0, budget: int = 10**9,
    bound: float = 1e12,
) -> Result:  # fmt: skip
    """A run at its end, the samples, and why it ended."""
    run = NativeRun(method, np.array(x, dtype=np.float64), rtol=1e-9, atol=1e-9, groups=groups)
    state = next(name for name in side.arrays if name in ("x", "canonical")) if isinstance(side, Compiled) else ""
    run.use(run.compiled(side, given or {}, state=state) if isinstance(side, Compiled) else run.python(side))
    states = np.full((len(times), len(x)), np.nan)
    run.sample(np.array(times, dtype=np.float64), states)
    record = run.record
    record.h, record.position_count, record.bound = h, positions, bound
    reason = run.begin(end) or _advanced(lambda: run.advance(end, budget))
    return run, states, reason


def plain_run(
    name: str, side: Callable[[float, Any], Any], x: Sequence[float], *, h: float, end: float, times: Any = (),
    groups: Sequence[tuple[int, int]] = (), positions: int = 0, constrained: Callable[[Run], None] | None = None,
) -> Result:  # fmt: skip
    """The same in plain Python; `constrained` fills what the record has beside for constraints."""
    method, size = method_named(name), len(x)
    width = padded(size)
    states = np.full((len(times), size), np.nan)
    run = Run(
        h=h, t_end=end, is_fixed=1, size=size, blocks=width // 4, budget=10**9, bound=1e12, position_count=positions,
        times=np.array(times), samples=states.reshape(-1), sample_count=len(times), arguments=[None, None], out_index=1,
        groups=np.array(groups, dtype=np.int64).reshape(-1), group_count=len(groups), lengths=np.ones(len(groups)),
        rates=rates_as_given if method.keeps_length else right_side.checked_rates,
        project=right_side.checked_projection, k=np.zeros(method.stages * width),
    )  # fmt: skip
    for field in ("x", "x_old", "f", "f_old", "y", "unit", "residual"):
        setattr(run, field, np.zeros(width))
    run.x[:size] = x
    if method.memory is not None:
        struct, rows = method.memory
        run.memory = struct(**{field: np.zeros(count * width) for field, count in rows.items()})

    def at(arguments: Any) -> None:
        arguments[1][:size] = side(run.clock, arguments[0][:size])

    run.at = at
    module = import_module(f"polhode.ode.methods.{method.module}")
    for field, part in (("begin_method", "begin"), ("attempt", "attempt"), ("state_at", "state_at")):
        setattr(run, field, partial(getattr(module, part), *method.static))
    if constrained is not None:
        constrained(run)
    return run, states, Reason(loop.begin(run) or _advanced(lambda: loop.advance(run)))


def _advanced(advance: Callable[[], int]) -> Reason:
    """Go on where the loop returned only because state or rates are large."""
    while True:
        reason = Reason(advance())
        if reason != Reason.LOOK:
            return reason
