"""Forces along the line between two points: springs, dampers, and any law of length and rate."""

from __future__ import annotations

from dataclasses import dataclass

from ...expr import Expr
from .protocol import LENGTH, RATE, LineElement, Mechanism, PrimitiveLoad, given


@dataclass(frozen=True, kw_only=True)
class Spring(LineElement):
    """A spring and damper along the line between two points: the tension k (L - length) + c dL/dt."""

    kind = "spring"

    stiffness: Expr = given("number", free=True, unit="N/m")
    length: Expr = given("number", 0, free=True, unit="m")
    damping: Expr = given("number", 0, free=True, unit="N·s/m")

    def loads(self, model: Mechanism) -> tuple[PrimitiveLoad, ...]:
        k, stretch = self.stiffness, LENGTH - self.length
        return self.pull(self.damping * RATE, elastic=k * stretch, energy=k * stretch**2 / 2)


@dataclass(frozen=True, kw_only=True)
class Damper(LineElement):
    """A damper along the line between two points: the tension c dL/dt."""

    kind = "damper"

    damping: Expr = given("number", free=True, unit="N·s/m")

    def loads(self, model: Mechanism) -> tuple[PrimitiveLoad, ...]:
        return self.pull(self.damping * RATE)


@dataclass(frozen=True, kw_only=True)
class LineForce(LineElement):
    """A tension along the line between two points, as an expression of its `length` and its `rate`."""

    kind = "line_force"

    tension: Expr = given("number", free=True, unit="N", arguments=(LENGTH, RATE))

    def loads(self, model: Mechanism) -> tuple[PrimitiveLoad, ...]:
        return self.pull(self.tension)
