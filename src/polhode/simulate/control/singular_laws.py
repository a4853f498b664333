"""Whether a law came to where it does not hold: what vanishes there, at the samples of the run."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...dynamics.equations import EquationsOfMotion
from ...expr import Expr, free_symbols, substitute
from ...expr.calls import sampled
from ...expr.evaluation import Evaluator
from ..initial_state import Floats

if TYPE_CHECKING:
    from .controlled import ClosedLoop
    from .under_control import ControllerLog

#: What is below this part of its usual size is near zero; and where a run broke off.
_NEAR, _NEAR_THE_END = 0.01, 0.1
#: How many random states tell the usual size.
_STATES = 15


def conditions_met(
    made: Sequence[tuple[str, Expr]],
    equations: EquationsOfMotion,
    t: Floats,
    values: Callable[..., Floats],
    is_done: bool = True,
) -> Iterator[str]:
    """A sentence for each condition of a law that its run met, or came near; `values` gives expressions at times t.

    A run that is not done may have ended before the next sample: there what is near is seen from further away.
    """
    if not made or not len(t):
        return
    expressions = [each for _, each in made]
    rows, usual = values(*expressions), _usual(expressions, equations)
    for (words, _), row, size in zip(made, rows, usual, strict=True):
        told = _told(t, row, size, _NEAR if is_done else _NEAR_THE_END)
        if told:
            yield f"the law does not hold where {words}; {told}."


def vanishing(loop: ClosedLoop, time: Expr, log: ControllerLog | None) -> list[tuple[str, Expr]]:
    """Where a law does not hold, in words, and what vanishes there, as expressions of the mechanism and of time."""
    law = loop.law
    put: dict[Expr, Any] = {**loop.curves, **law.measured}
    if log is not None and len(log.times) > 1:
        for state, column in zip(law.states, log.states.T, strict=True):
            put[state.symbol] = sampled(log.times, column, "held")(time)
    made = substitute([each for _, each in law.singular], put)
    return [(words, each) for (words, _), each in zip(law.singular, made, strict=True)]


def _usual(made: Sequence[Expr], equations: EquationsOfMotion) -> list[float]:
    """The size that each has at random states, in the middle."""
    dice, symbols = np.random.default_rng(0), free_symbols(made)
    values = {
        each.symbol: float(1 if each.value is None else each.value) for each in equations.system.parameters.values()
    }
    function = Evaluator(made)
    moving = [x for x in symbols if x not in values]
    rows = []
    for _ in range(_STATES):
        rows.append(function({**values, **dict(zip(moving, dice.standard_normal(len(moving)).tolist(), strict=True))}))
    sizes = np.abs(np.array(rows).reshape(_STATES, -1))
    return [float(np.median(each[np.isfinite(each)])) if np.isfinite(each).any() else 0.0 for each in sizes.T]


def _told(t: Floats, row: Floats, size: float, near: float) -> str:
    """When a condition was met, or nearly; nothing where it was not."""
    signs = np.sign(row)
    crossed = np.flatnonzero(signs[:-1] * signs[1:] < 0)
    if len(crossed):
        k = int(crossed[0])
        at = float(t[k] + (t[k + 1] - t[k]) * row[k] / (row[k] - row[k + 1]))
        often = "" if len(crossed) == 1 else f", and {len(crossed) - 1} times more"
        return f"the run came through there at t = {at:.4g} s (from {row[k]:.3g} to {row[k + 1]:.3g}){often}"
    size = max(size, float(np.abs(row).max()))
    k = int(np.abs(row).argmin())
    if abs(float(row[k])) <= near * size:
        return f"the run came near at t = {t[k]:.4g} s ({row[k]:.3g}, where {size:.3g} is usual)"
    return ""
