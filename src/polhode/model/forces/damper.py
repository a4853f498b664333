"""A damper between two points."""

from __future__ import annotations

from dataclasses import dataclass

from ...expr import Expr
from .protocol import RATE, LineElement, Mechanism, PrimitiveLoad, given


@dataclass(frozen=True, kw_only=True)
class Damper(LineElement):
    """A damper along the line between two points: the tension c dL/dt."""

    kind = "damper"

    damping: Expr = given("number", free=True, unit="N·s/m")

    def loads(self, model: Mechanism) -> tuple[PrimitiveLoad, ...]:
        return self.pull(self.damping * RATE)
