"""The semi-implicit Euler method: the new speeds are in the rates of the coordinates.

    u⁺ = u + h u̇(t, q, u),    q⁺ = q + h q̇(t, q, u⁺)

where q are the first run.position_count entries of the state. It is of order one, and symplectic where q̇ depends on u
and u̇ on q alone (E. Hairer, C. Lubich, G. Wanner, "Geometric Numerical Integration", VI.3).
"""

from __future__ import annotations

from ...native.language import Array, blocks, fma, inline, native, row
from ..record import Run
from ..right_side import copy, rates
from ..step_control import time_in_step
from .runge_kutta_fixed import begin_steps, finish_step, normalise


@native
def begin(run: Run) -> int:
    """The rates at the start."""
    return begin_steps(run)


@native
def attempt(run: Run, step: float) -> int:
    """A step to run.y."""
    reason = _step(run, time_in_step(run, step, 0.0), run.x, run.f, step, run.y)
    if reason > 0:
        return reason
    return finish_step(run, step)


@native
def state_at(run: Run, t: float, out: Array) -> int:
    """The state at a time within the last step."""
    return _step(run, run.t_old, run.x_old, run.f_old, t - run.t_old, out)


@inline
def _step(run, t, x, f, h, out):
    """out is the state a step of length h from x, where the rates are f."""
    y, k = run.y, row(run.k, run, 1)
    for block in blocks(run):
        y[block] = fma(h, f[block], x[block])
    for i in range(run.position_count):
        y[i] = x[i]
    reason = rates(run, t, y, k)
    for i in range(run.position_count):
        y[i] = fma(h, k[i], x[i])
    copy(run, y, out)
    normalise(run, out)
    return reason
