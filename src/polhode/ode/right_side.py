"""Rates and projection as every method calls them: by elimination, and past a singular pose by its neighbourhood."""

from __future__ import annotations

from ..native.language import NAN, Array, blocks, call, inline, native, row
from .projection import WEAK, accept_weak_rows, projection_by_rows, rates_by_rows
from .rates import copy, largest_entry
from .record import Reason, Run
from .singular_pose import largest_difference, passes_pose

#: Where a projection past a pose changes speeds by more than this part, the motion is on no branch through it.
_CHANGED = 0.1


@inline
def rates(run, t, x, out):
    """out = ẋ(t, x), nan where constraints lock each other; a reason where a function failed, else 0."""
    return call(run.rates, run, t, x, out, returns=int)


@native
def checked_rates(run: Run, t: float, x: Array, out: Array) -> int:
    """The rates: what run.rates points to."""
    reason = rates_by_rows(run, t, x, out)
    if reason == Reason.FAILED or (reason == 0 and is_sound(run)):
        return reason
    if passes_pose(run, t, x, out) and has_speeds(run, x):
        return 0
    if rates_by_rows(run, t, x, out) == Reason.FAILED:
        return Reason.FAILED
    accept_weak_rows(run)
    if run.weakness > 0.0:
        return 0
    for block in blocks(run):
        out[block] = NAN
    return 0


@inline
def is_sound(run):
    """True if no row was weak in the last evaluation."""
    return not run.weakness < WEAK or run.passes_poses == 0


@inline
def has_speeds(run, x):
    """True if the state on a branch has the speeds of x, but for what a step may be off."""
    first, end = run.coordinate_count, run.coordinate_count + run.speed_count
    return not largest_difference(run.state_on, x, first, end) > _CHANGED * largest_entry(x, first, end)


@inline
def project(run, t, x):
    """x becomes the nearest state on the constraints; a reason where there is none, else 0."""
    return call(run.project, run, t, x, returns=int)


@native
def checked_projection(run: Run, t: float, x: Array) -> int:
    """The projection: what run.project points to."""
    before = row(run.nodes, run, 4)
    copy(run, x, before)
    reason = projection_by_rows(run, t, x)
    if reason == Reason.FAILED:
        return reason
    if reason == 0 and is_sound(run):
        return 0 if run.passes_poses > 0 or keeps_determinant(run) else Reason.ILL_CONDITIONED
    copy(run, before, x)
    if rates_by_rows(run, t, x, run.residual) == Reason.FAILED:
        return Reason.FAILED
    if passes_pose(run, t, x, run.residual) and has_speeds(run, x):
        copy(run, run.state_on, x)
        return 0
    reason = projection_by_rows(run, t, x)
    accept_weak_rows(run)
    return reason


@inline
def keeps_determinant(run):
    """True if the determinant of dependent speeds has the sign that it had; one that has not is beyond a dead point.

    Two pivots may change their signs at once, as they do where the elimination, and not the mechanism, is singular.
    """
    sign = 1.0
    for i in range(run.pivot_count):
        if run.pivots[i] * run.pivot_signs[i] < 0.0:
            sign = -sign
    if sign > 0.0:
        for i in range(run.pivot_count):
            run.pivot_signs[i] = -1.0 if run.pivots[i] < 0.0 else 1.0
    return sign > 0.0


@native
def move_to_branch(run: Run, t: float, x: Array) -> int:
    """Near a singular pose x becomes the state of a motion through it: a pose may allow speeds that no motion has.

    A reason where there is no such pose, else 0.
    """
    reason = rates_by_rows(run, t, x, run.residual)
    if reason == Reason.FAILED:
        return reason
    if (reason > 0 or not is_sound(run)) and passes_pose(run, t, x, run.residual):
        copy(run, run.state_on, x)
        return 0
    return Reason.ILL_CONDITIONED
