"""The length of a step, the first one and the next one after an error, and the detection of stiffness.

An explicit method whose steps are bounded by stability rather than by the error has h |λ| at the edge of its domain.
Two stages at the end of a step, of rates k and states y, give λ (Hairer and Wanner, *Solving ordinary differential
equations II*, IV.2):

    h |λ| ≈ h |k - k'| / |y - y'|.

A Taylor series of a motion that decays like λ has h |λ| ≈ h j |x_j| / |x_{j-1}| at its last orders j.

An implicit method could be replaced by an explicit one where h ρ(J) is small; ρ comes from the powers of J on one
vector, two at each step (`methods.jacobian`).
"""

from __future__ import annotations

from ..native.language import Array, blocks, fma, inline, largest, native, power, row, smallest
from .record import SNAP, Run
from .right_side import norm, scale_to_unit

_SAFETY, _LEAST_FACTOR = 0.8, 0.2
#: An attempt that is not finite is repeated with a tenth of the step, so many times.
MOST_RETRIES = 12


@inline
def first_step(run, order, rates):
    """The length of a first step, by the rates at the start and a little later (Hairer, Nørsett, Wanner, II.4)."""
    x, y, k = run.x, run.y, row(run.k, run, 0)
    size, speed = norm(run, run.x), norm(run, run.f)
    h = 0.01 * size / speed if (size >= 1e-5) & (speed >= 1e-5) else 1e-6
    h = smallest(smallest(h, run.h_max), run.t_end - run.t)
    for block in blocks(run):
        y[block] = fma(h, run.f[block], x[block])
    rates(run, run.t + h, y, k)
    for block in blocks(run):
        y[block] = k[block] - run.f[block]
    curve = norm(run, y) / h
    steepest = largest(speed, curve)
    other = power(0.01 / steepest, 1.0 / order) if steepest > 1e-15 else largest(1e-3 * h, 1e-6)
    return smallest(100.0 * h, other)


@inline
def begin_with(run, order, rates):
    """The rates at the start, and the first step's length where none is given; a reason, or 0."""
    reason = rates(run, run.t, run.x, run.f)
    if reason > 0:
        return reason
    if not run.h > 0.0:
        run.h = first_step(run, order, rates)
    return 0


@inline
def next_step(run):
    """The length of the next step; run.is_last is 1 for one that is cut to end at t_end."""
    if run.is_fixed > 0:
        end = fma(float(run.number + 1), run.h, run.origin)
        run.is_last = 1 if end - run.t_end > SNAP * run.h else 0
        whole = end - run.t if run.is_inside > 0 else run.h
        return run.t_end - run.t if run.is_last > 0 else whole
    h, room = smallest(smallest(run.h, run.h_max), run.h_cap), run.t_end - run.t
    run.is_last = 1 if h * 1.0000001 >= room else 0
    return room if run.is_last > 0 else h


@inline
def factor_of(run, error, order, safety=_SAFETY):
    """The factor by which the next step may be longer, for an error relative to the tolerance."""
    return run.growth if error <= 1e-14 else safety * power(error, -1.0 / order)


@inline
def longer_step(run, step, factor):
    """The step that is wanted after one that was accepted."""
    ceiling = 1.0 if run.after_rejection > 0 else run.growth
    return step * smallest(factor, ceiling)


@inline
def shorter_step(step, factor):
    """The step that is wanted after one that was refused."""
    return step * largest(factor, _LEAST_FACTOR)


#: The same of a series, over its order p: at the edge it is 0.43 p to 0.54 p, elsewhere seldom above 0.3 p.
SERIES_EDGE = 0.33
#: So many steps in a row that are not stiff reset the count of those that were.
_RESET = 6
#: Steps between two tests while no step was stiff.
_EVERY = 16


@inline
def note_if_stiff(run, is_stiff):
    """Count a step that stability bounds."""
    if is_stiff:
        run.quiet_steps = 0
        run.noted_steps += 1
    else:
        run.quiet_steps += 1
        if run.quiet_steps >= _RESET:
            run.noted_steps = 0


@inline
def is_due(run):
    """True if this step is tested."""
    return (run.stiffness_limit > 0) & ((run.noted_steps > 0) | (run.steps % _EVERY == 0))


# ---- fixed steps ----------------------------------------------------------------------------------------------------


@inline
def begin_on_grid(run):
    """Find the step in which the run stands."""
    number = int((run.t - run.origin) / run.h + SNAP)
    run.number = number
    run.is_inside = 1 if run.t - fma(float(number), run.h, run.origin) > SNAP * run.h else 0
    run.unprojected = 0


@inline
def time_in_step(run, step, part):
    """The time a part of the next step after its beginning; not behind a time event at which it ends."""
    is_whole = run.is_inside + run.is_last == 0
    t = fma(float(run.number) + part, run.h, run.origin) if is_whole else fma(part, step, run.t)
    return smallest(t, run.t_end) if run.has_schedule > 0 else t


@inline
def compensated_sum(x, more):
    """x + more, and what rounding leaves out of it (Knuth)."""
    total = x + more
    beyond = total - x
    return total, (x - (total - beyond)) + (more - beyond)


@native
def cubic_state_at(run: Run, t: float, out: Array) -> int:
    """The state at a time within the last step by Hermite's cubic, for which no rates are evaluated."""
    s = (t - run.t_old) / run.taken
    r = 1.0 - s
    begin, begin_slope = r * r * fma(2.0, s, 1.0), run.taken * (s * (r * r))
    end, end_slope = s * s * fma(2.0, r, 1.0), -run.taken * (r * (s * s))
    for block in blocks(run):
        at_begin = fma(begin_slope, run.f_old[block], begin * run.x_old[block])
        out[block] = fma(end_slope, run.f[block], fma(end, run.x[block], at_begin))
    scale_to_unit(run, out)
    return 0
