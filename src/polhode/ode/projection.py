"""Projection onto the constraints: Newton's method with what the right-hand side puts out beside ẋ.

    q ← q + Γ(q) δ,    A δ = -φ,    then    u ← u + δu,    A (u + δu) + a = 0

The second is one step; where rows are not linear in u, A = ∂f/∂u, it is repeated until f = 0.

δ and δu are the least in the metric of the masses. The right-hand side gives Γ δ (`displacement`), δu (`change`) and
the pivots of A M⁻¹ Aᵀ, each the squared distance of a row of A from those before it. A row is weak where its pivot is
small beside what it was before, at first beside those of other rows. It need not be ill conditioned: a row is long in
the metric where it moves light bodies, and turns with them. So weak rows are only the reason to search for a singular
pose (`right_side`).

Auxiliary coordinates, which have no inertia, are moved to where their definitions ψ(q, t) = 0 put them.
"""

from __future__ import annotations

from ..native.language import Array, call, inline, largest, native
from .rates import largest_entry, plain_rates, scale_to_unit
from .record import Reason, Run

#: A state this near to its constraints stays where it is; so does one that comes no nearer, as rounding leaves ε/σ.
NEAR, NO_NEARER = 1e-14, 1e-10
MOST_STEPS = 5
#: Auxiliary coordinates this near to their definitions are left where they are.
DEFINED = 1e-15
#: The largest residual of all rows, those included that the right-hand side does not have.
OFF = 1e-10
#: Pivots below this part of their usual size are weak.
WEAK = 6e-4
#: A row at which no singular pose was found is weak again where its pivot is less than this part.
_WEAKER = 0.25


@native
def rates_by_rows(run: Run, t: float, x: Array, out: Array) -> int:
    """The rates by elimination with the rows as they are; run.weakness is the least pivot by its usual size."""
    reason = plain_rates(run, t, x, out)
    if reason > 0:
        return reason
    run.weakness = 1e300
    most = 0.0
    for i in range(run.pivot_count):
        most = largest(most, run.pivots[i] * run.pivot_signs[i])
    for i in range(run.pivot_count):
        pivot = run.pivots[i] * run.pivot_signs[i]
        usual = largest(run.usual_pivots[i], pivot) if run.usual_pivots[i] > 0.0 else most
        if run.is_searching == 0 or not run.usual_pivots[i] > 0.0:
            run.usual_pivots[i] = usual
        if pivot < run.weakness * usual:
            run.weakness = pivot / usual
            run.weak_row = i
        if not pivot > 0.0 and run.passes_poses > 0 and reason == 0:
            # those after it are nan
            reason = Reason.ILL_CONDITIONED
            run.weakness = 0.0
            run.weak_row = i
    return reason


@inline
def accept_weak_rows(run):
    """Take pivots that are weak for usual from now on."""
    for i in range(run.pivot_count):
        pivot = run.pivots[i]
        if pivot > 0.0 and pivot < WEAK * run.usual_pivots[i]:
            run.usual_pivots[i] = pivot * (_WEAKER / WEAK)


@native
def projection_by_rows(run: Run, t: float, x: Array) -> int:
    """x becomes the nearest state on the constraints, by elimination with the rows as they are; a reason, or 0."""
    scale_to_unit(run, x)
    satisfy_definitions(run, t, x)
    left = 1e300
    steps = 0
    while True:
        reason = rates_by_rows(run, t, x, run.residual)
        if reason > 0:
            return reason
        size = largest_entry(run.displacement, 0, run.coordinate_count)
        if size <= NEAR:
            break
        if not size < left or steps >= MOST_STEPS:
            if size <= NO_NEARER:
                break
            return Reason.ILL_CONDITIONED
        left = size
        steps += 1
        for i in range(run.coordinate_count):
            x[i] = x[i] + run.displacement[i]
        scale_to_unit(run, x)
        satisfy_definitions(run, t, x)
    steps = 0
    while True:
        for i in range(run.speed_count):
            x[run.coordinate_count + i] = x[run.coordinate_count + i] + run.change[i]
        if run.is_curved == 0 or steps >= MOST_STEPS or largest_entry(run.change, 0, run.speed_count) <= NEAR:
            break
        steps += 1
        reason = rates_by_rows(run, t, x, run.residual)
        if reason > 0:
            return reason
    if run.check_count > 0:
        run.check_arguments[0] = x
        call(run.check_at, run.check_arguments)
        if not largest_entry(run.check_values, 0, run.check_count) <= OFF:
            return Reason.ILL_CONDITIONED
    return 0


@inline
def satisfy_definitions(run, t, x):
    """Move auxiliary coordinates by Newton's steps, none longer than one, until they come no nearer."""
    left = 1e300
    steps = 0
    while run.auxiliary_count > 0 and steps < MOST_STEPS:
        run.clock = t
        run.definition_arguments[0] = x
        call(run.definition_at, run.definition_arguments)
        size = largest_entry(run.definition_steps, 0, run.auxiliary_count)
        if not size < left or size <= DEFINED:
            break
        for i in range(run.auxiliary_count):
            place = run.auxiliary_first + i
            x[place] = x[place] + run.definition_steps[i] / largest(size, 1.0)
        scale_to_unit(run, x)
        left = size
        steps += 1
