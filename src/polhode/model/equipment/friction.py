"""Dry friction of a joint."""

from __future__ import annotations

from dataclasses import dataclass

from ...expr import Expr
from ..fields import given
from .protocol import Equipment


@dataclass(frozen=True, kw_only=True)
class JointFriction(Equipment):
    """Dry friction in the joint of this name: the effort against each of its speeds, and that which sticking bears."""

    table = "friction"
    effort: Expr = given("number", doc="N·m of a turn, N of a slide")
