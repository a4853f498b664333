"""The constraints there are; a new one is its file and its line in CONSTRAINTS."""

from __future__ import annotations

from .closure import Closure
from .condition import Condition
from .contact import Contact
from .dry_friction import DryFriction
from .protocol import Constraint
from .rolling import Ball, DiscOnCurve, KnifeEdge, NoSlip, Wheel
from .stop import Stop

__all__ = [
    "CONSTRAINTS", "Ball", "Closure", "Condition", "Constraint", "Contact", "DiscOnCurve", "DryFriction",
    "KnifeEdge", "NoSlip", "Stop", "Wheel",
]  # fmt: skip

#: Each by its type in model files, in the order in which they list them.
CONSTRAINTS: dict[str, type[Constraint]] = {
    each.kind: each
    for each in (Closure, Condition, Wheel, Ball, DiscOnCurve, KnifeEdge, NoSlip, Contact, Stop, DryFriction)
}
