"""The constraints there are; a new one is its file and its line in CONSTRAINTS."""

from __future__ import annotations

from .ball import Ball
from .closure import Closure
from .condition import Condition
from .disc_on_curve import DiscOnCurve
from .knife_edge import KnifeEdge
from .no_slip import NoSlip
from .protocol import Constraint
from .wheel import Wheel

__all__ = [
    "CONSTRAINTS", "Ball", "Closure", "Condition", "Constraint", "DiscOnCurve", "KnifeEdge", "NoSlip", "Wheel",
]  # fmt: skip

#: Each by its type in model files, in the order in which they list them.
CONSTRAINTS: dict[str, type[Constraint]] = {
    each.kind: each
    for each in (
        Closure,
        Condition,
        Wheel,
        Ball,
        DiscOnCurve,
        KnifeEdge,
        NoSlip,
    )
}
