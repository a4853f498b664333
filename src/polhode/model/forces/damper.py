"""A damper between two points."""

from __future__ import annotations

from dataclasses import dataclass

from ...expr import Expr
from .protocol import RATE, Field, LineElement, Mechanism, PrimitiveLoad


@dataclass(frozen=True, kw_only=True)
class Damper(LineElement):
    """A damper along the line between two points: the tension c dL/dt."""

    kind = "damper"
    fields = (
        *LineElement.fields,
        Field("damping", "number", free=True, unit="N·s/m"),
    )

    damping: Expr

    def loads(self, model: Mechanism) -> tuple[PrimitiveLoad, ...]:
        return self.pull(self.damping * RATE)
