"""Silver."""

from .counts import Count, as_written, as_written_on, customised, general_arm, on_the_graph, puma_like_arm
from .newton_euler import equivalence
from .proof import Case, Proof, Step
from .rungs import (
    Difference,
    Ladder,
    OwnLadder,
    OwnRung,
    Reading,
    Rung,
    differences,
    ladder,
    ladder_of,
)  # fmt: skip
from .table_3 import OURS, TABLE_3, Formula, Method, fitted

__all__ = [
    "OURS", "TABLE_3", "Case", "Count", "Difference", "Formula", "Ladder", "Method", "OwnLadder", "OwnRung", "Proof",
    "Reading", "Rung", "Step", "as_written", "as_written_on", "customised", "differences", "equivalence", "fitted",
    "general_arm", "ladder", "ladder_of", "on_the_graph", "puma_like_arm",
]  # fmt: skip
__dir__ = __all__.copy
