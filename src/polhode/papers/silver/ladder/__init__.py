"""The historical ladder of inverse dynamics: what each method costs, as printed, as written and as we write it.

C. Mladenova's Table 3 compares the operations that an arm of n joints takes, from Uicker and Kahn's n⁴ to recursions
that grow with n. Here every method of it that polhode has is counted three times:

    as written    the formalism's own lines run on scalars that only count: every sum and product that the method
                  states, no zero used, nothing shared that the method does not share
    on the graph  the same arm derived as equations and planned: shared, but with no zero to use either
    customised    a real arm, whose zeros and right angles the plan uses

The same for a mechanism of one's own: `ladder_of` (as written, with its zeros, planned). `differences` tells what lies
between the count that Hollerbach prints for Luh's recursion and that of Silver's lines.

The arm is general: dense rotations of independent entries, dense offsets and inertias, joints that turn about z. As
written, the rotation from link to link is given; on the graph it is made from the joint's angle.
"""

from .arms import general_arm, puma_like_arm
from .luh import Difference, Reading, differences
from .own import OwnLadder, OwnRung, ladder_of
from .planned import customised, on_the_graph
from .report import Ladder, Rung, ladder
from .table_3 import OURS, TABLE_3, Formula, Method, fitted
from .written import Count, as_written, as_written_on

__all__ = [
    "OURS", "TABLE_3", "Count", "Difference", "Formula", "Ladder", "Method", "OwnLadder", "OwnRung", "Reading", "Rung",
    "as_written", "as_written_on", "customised", "differences", "fitted", "general_arm", "ladder", "ladder_of",
    "on_the_graph", "puma_like_arm",
]  # fmt: skip
__dir__ = __all__.copy
