"""A potential energy of the coordinates."""

from __future__ import annotations

from dataclasses import dataclass

from ...expr import Expr
from .protocol import Field, ForceElement, Mechanism, PotentialEnergy, PrimitiveLoad


@dataclass(frozen=True, kw_only=True)
class Potential(ForceElement):
    """A potential energy, as any expression of coordinates, parameters and time."""

    kind = "potential"
    fields = (
        *ForceElement.fields,
        Field("energy", "number", free=True, unit="J"),
    )

    energy: Expr

    def loads(self, model: Mechanism) -> tuple[PrimitiveLoad, ...]:
        return (PotentialEnergy(self.energy),)
