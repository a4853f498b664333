"""The constraints there are; a new one is its file and one entry here."""

from __future__ import annotations

from .ball import Ball
from .closure import Closure
from .condition import Condition
from .disc_on_curve import DiscOnCurve
from .knife_edge import KnifeEdge
from .no_slip import NoSlip
from .protocol import Constraint
from .wheel import Wheel

__all__ = ["CONSTRAINTS", "Ball", "Closure", "Condition", "DiscOnCurve", "KnifeEdge", "NoSlip", "Wheel"]

#: Each by its name, in the order in which model files list them.
CONSTRAINTS: dict[str, type[Constraint]] = {
    each.kind: each for each in (Closure, Condition, Wheel, Ball, DiscOnCurve, KnifeEdge, NoSlip)
}
