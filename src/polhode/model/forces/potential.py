"""A potential energy of the coordinates."""

from __future__ import annotations

from dataclasses import dataclass

from ...expr import Expr
from .protocol import ForceElement, Mechanism, PotentialEnergy, PrimitiveLoad, given


@dataclass(frozen=True, kw_only=True)
class Potential(ForceElement):
    """A potential energy, as any expression of coordinates, parameters and time."""

    kind = "potential"

    energy: Expr = given("number", free=True, unit="J")

    def loads(self, model: Mechanism) -> tuple[PrimitiveLoad, ...]:
        return (PotentialEnergy(self.energy),)
