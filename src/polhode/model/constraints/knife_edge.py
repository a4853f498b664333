"""A knife edge: a point of a body that does not move sideways, as of a skate or a sleigh's runner."""

from __future__ import annotations

from dataclasses import dataclass

from ...expr import Vector
from .protocol import NOWHERE, Contact, ContactConstraint, Mark, Moving, given


@dataclass(frozen=True, kw_only=True)
class KnifeEdge(ContactConstraint):
    """A point of a body that does not move sideways, along `across`, a direction of the body."""

    kind = "knife_edge"
    table = "rolling"

    body: str = given("body")
    across: Vector = given("axis", "y", of="body")  # of unit length
    at: Vector = given("point", (0, 0, 0), of="body", unit="m")
    on: str = given("body", "ground", doc="What it moves on.")

    @property
    def drawing(self) -> tuple[Mark, ...]:
        return tuple(Mark("plane", body, NOWHERE) for body in self.bodies)

    def contact(self, moving: Moving) -> Contact:
        X = moving.pose(self.body)
        return Contact(X.point(moving.given(self.at)), {"": X.R @ moving.given(self.across)})
