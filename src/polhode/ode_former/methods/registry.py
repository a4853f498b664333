"""Native integrators by their names: what writes their code, and the memory that it wants."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from ...ode.methods.tableaux import PAIRS
from ..pair_arithmetic import dense_rows
from .runge_kutta import runge_kutta_module


@dataclass(frozen=True)
class Stepper:
    """A native integrator: `module(fused=…)` is its IR.

    With its `allowance` (a, p), an estimate of the error may be a ε^-p times the tolerance ε.
    `lane_module(lanes, fused=…)` is that of the same steps of several runs side by side, where there is one.
    """

    module: Callable[..., str]
    stages: int
    dense_rows: int
    lane_module: Callable[..., str] | None = None
    allowance: tuple[float, float] = (1.0, 0.0)


STEPPERS = {
    name: Stepper(
        partial(runge_kutta_module, pair),
        pair.all_stages,
        dense_rows(pair),
        allowance=pair.allowance,
    )
    for name, pair in PAIRS.items()
}
