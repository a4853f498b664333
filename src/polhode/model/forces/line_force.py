"""A force along the line between two points, by any law of its length."""

from __future__ import annotations

from dataclasses import dataclass

from ...expr import Expr
from .protocol import LENGTH, RATE, LineElement, Mechanism, PrimitiveLoad, given


@dataclass(frozen=True, kw_only=True)
class LineForce(LineElement):
    """A tension along the line between two points, as an expression of its `length` and its `rate`."""

    kind = "line_force"

    tension: Expr = given("number", free=True, unit="N", arguments=(LENGTH, RATE))

    def loads(self, model: Mechanism) -> tuple[PrimitiveLoad, ...]:
        return self.pull(self.tension)
