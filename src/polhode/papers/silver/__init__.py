"""Silver: Lagrange and Newton-Euler are one computation.

W. M. Silver, "On the representation of angular velocity and its effect on the efficiency of manipulator dynamics
computation", MIT A.I. Memo 622 (1981). `ph.equivalence` carries the argument out on a mechanism, each equation with the
fingerprints of both sides; the ladder counts what the methods of its time cost. The commands are `polhode prove FILE`
and `polhode ladder FILE`, the tutorial is docs/equivalence.md.

    paper                             here
    1.1, (1.1)                        `system.derive("poincare")`
    1.2, (1.2): Uicker and Kahn       `system.derive("uicker_kahn")`
    1.3, (1.3), steps 1-4             `system.derive("stepanenko_vukobratovic")`: all in fixed coordinates
    1.3: Orin and others              `system.derive("orin")`: forces and moments in link coordinates
    1.3: Luh, Walker, Paul            `system.derive("newton_euler")`, `system.derive("silver")`
    1.4: Hollerbach                   `system.derive("hollerbach_4x4")`, `system.derive("hollerbach_3x3")`
    1, operation counts               `ladder`, `ladder_of`, `as_written`; `differences` of two counts of Luh's
                                      recursion; Mladenova's Table 3 is `TABLE_3`
    2.1-2.3, (2.1)-(2.6): ω and Ẇ     `ph.rotation_rate`, `ph.angular_velocity`
    2.4, (2.7)-(2.11)                 `polhode.geometry.second_moments`, `polhode.geometry.rotational_energy`
    3.1, (3.1)-(3.11)                 `ph.equivalence(system)["3.1"]` to `["3.11"]`
    3.2, (3.12)-(3.16), gravity       `ph.equivalence(system)["3.12"]` to `["3.16"]`, `["§3.2, gravity"]`
    Appendix A, (A.1)-(A.3)           `ph.equivalence(system)["A.1"]` to `["A.3"]`
"""

from .counts import (
    OURS,
    TABLE_3,
    Count,
    Formula,
    Method,
    as_written,
    as_written_on,
    customised,
    fitted,
    general_arm,
    on_the_graph,
    puma_like_arm,
)
from .newton_euler import equivalence
from .proof import Case, Proof, Step
from .rungs import Difference, Ladder, OwnLadder, OwnRung, Reading, Rung, differences, ladder, ladder_of

__all__ = [
    "OURS", "TABLE_3", "Case", "Count", "Difference", "Formula", "Ladder", "Method", "OwnLadder", "OwnRung", "Proof",
    "Reading", "Rung", "Step", "as_written", "as_written_on", "customised", "differences", "equivalence", "fitted",
    "general_arm", "ladder", "ladder_of", "on_the_graph", "puma_like_arm",
]  # fmt: skip
__dir__ = __all__.copy
