"""The record of unilateral rows, which native code and Python share."""

from __future__ import annotations

from ...native.kinds import Array, Code, Integers, Struct
from .any_rank import AnyRank
from .cone_problem import ConeProblem
from .feasibility import Holding
from .lemke import LinearComplementarity

#: Guards of a group: of its normal, of its friction, of the speed at which a direction of slip is held no longer, and
#: of the edge of the surface.
GUARDS = 4
#: Numbers of a group in `laws`: kinetic and static friction, Stribeck's speed, restitution.
LAWS = 4
#: What is held of an open group: it opened at rest, and closes with a speed; or it is deep behind another that touches,
#: at the edge of its surface, and does not close before it has been beyond that edge.
AT_REST, BEHIND = 1, 2


class Unilateral(Struct):
    """The rows of a run: what its right-hand side puts out of them, their laws and their modes."""

    count: int  # groups
    size: int  # rows
    first_speed: int  # in the state
    speeds: int
    free_rates: Code
    free_project: Code
    is_constrained: int  # 1 if there are other constraints
    rows: Array  # W: `speeds` numbers a row
    responses: Array  # what a unit of force in each row adds to u̇, alike
    velocities: Array  # of the rows
    drift: Array  # their accelerations at u̇ = 0
    # twists of which rows are combinations, where some are; for each row its place among these, its axis and its arm
    has_twists: int
    twist_rows: Array
    twist_responses: Array
    twists: Array
    twist_drift: Array
    axes: Array
    axes_rates: Array
    arms: Array
    arms_rates: Array
    twist_of: Integers
    axis_of: Integers
    arm_of: Integers
    gaps: Array
    offsets: Array  # gaps below zero, by rounding, from which open groups began; slips of those that slip alike
    margins: Array  # positive where a closed group is inside of the edge of its surface
    laws: Array
    problem: ConeProblem  # G, b and λ of all rows
    active: AnyRank  # the equations for forces of rows without motion
    group_of: Integers  # of each row
    closed: Integers  # the rows of groups that are not open
    closed_count: int
    modes: Integers
    held: Integers  # 1 for a slip that is slow, or of one row; of an open group `AT_REST`, `BEHIND` or 0
    directions: Array  # of slip at the last change, two numbers a group
    turned: Array  # those of slow slips, at the last evaluation
    since: Array  # the time at which a slip became slow
    lags: Array  # of the direction of slow slips, in s
    time: float  # of the last evaluation
    slow: float  # the slip speed below which a direction is held
    near: float  # guards this small are zero by rounding where they begin
    force_slack: float  # a normal force may be this much below zero by rounding
    # groups whose forces are not unique: they stick while some forces in their cones hold them
    shared: Integers
    is_shared: int
    margin: float
    sets: Integers  # of each group: the number of its set, or -1
    set_margins: Array
    members: Integers  # the rows of the unknowns of `holding`
    holding_forces: Array  # with which searches ended, by rows
    holding: Holding
    reduced: ConeProblem  # of closed groups; of a slipping one the normal row alone
    linear: LinearComplementarity
    sources: Integers  # the row of each row of it
    only_gaps: int  # 1 where a projection leaves the speeds as they are
    is_at_rest: int  # 1 where all speeds stay zero
    is_undecided: int  # where a step begins: 1 if a mode does not hold, 2 if an event has changed the state
    displacement: Array  # of the state's length
    rates_there: Array
