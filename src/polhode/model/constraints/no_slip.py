"""No slip where two bodies meet, along some directions."""

from __future__ import annotations

from dataclasses import dataclass

from ...expr import Vector
from .protocol import NOWHERE, Contact, ContactConstraint, Mark, Moving, given


@dataclass(frozen=True, kw_only=True)
class NoSlip(ContactConstraint):
    """Where two bodies meet, their points have one velocity along some directions; these and `at` are in a frame."""

    kind = "no_slip"
    table = "rolling"

    a: str = given("body")
    b: str = given("body", "ground")
    frame: str = given("frame", "ground")
    at: Vector = given("vector", (0, 0, 0), of="frame", free=True, unit="m")
    directions: tuple[Vector, ...] = given("direction", ("x", "y", "z"), free=True, many=True)

    @property
    def drawing(self) -> tuple[Mark, ...]:
        return tuple(Mark("plane", body, NOWHERE) for body in self.bodies)

    def contact(self, moving: Moving) -> Contact:
        frame = moving.pose(self.frame)
        along = [frame.R @ moving.given(d) for d in self.directions]
        names = [""] if len(along) == 1 else [str(k) for k in range(1, len(along) + 1)]
        return Contact(frame.point(moving.given(self.at)), dict(zip(names, along, strict=True)))
