"""Runs of fixed steps on the one loop, in native code or in plain Python."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from polhode.native.compiled import Compiled
from polhode.ode import loop
from polhode.ode.native_code import MethodCode
from polhode.ode.native_run import NativeRun
from polhode.ode.plain_run import plain_fixed_run
from polhode.ode.record import Reason, Run

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
    run, states = plain_fixed_run(
        name, side, np.array(x), h=h, end=end, times=times, groups=groups, positions=positions, prepare=constrained
    )
    return run, states, Reason(loop.begin(run) or _advanced(lambda: loop.advance(run)))


def _advanced(advance: Callable[[], int]) -> Reason:
    """Go on where the loop returned only because state or rates are large."""
    while True:
        reason = Reason(advance())
        if reason != Reason.LOOK:
            return reason
