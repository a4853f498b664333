"""A ball that rolls on a plane, or on another ball: they touch on the line between the centres."""

from __future__ import annotations

from dataclasses import dataclass

from ...expr import Expr, Matrix, Vector, as_expr
from ...geometry import Pose
from .protocol import Contact, ContactConstraint, Mark, Moving, given


@dataclass(frozen=True, kw_only=True)
class Ball(ContactConstraint):
    """A ball that rolls on the plane z = 0 of a body or frame, or on a ball about its origin (inside, if negative)."""

    kind = "ball"
    table = "rolling"

    body: str = given("body")
    radius: Expr = given("number", unit="m", positive=True)
    other_radius: Expr | None = given("number", None, doc="Of the ball that it rolls on.", unit="m")
    centre: Vector = given("point", (0, 0, 0), of="body", unit="m")
    on: str = given("body", "ground", doc="What it moves on.")
    at: Vector = given("point", (0, 0, 0), of="on", unit="m")
    rotation: Matrix = given("rotation", None, of="on")

    @property
    def plane(self) -> Pose:
        """The frame whose plane z = 0 it rolls on, or about whose origin the other ball is."""
        return Pose(self.rotation, self.at)

    @property
    def drawing(self) -> tuple[Mark, ...]:
        return (Mark("plane", self.on, self.at),) if self.other_radius is None else ()

    def contact(self, moving: Moving) -> Contact:
        plane = moving.pose(self.on) @ self.plane
        centre = moving.pose(self.body).point(self.centre)
        apart = centre - plane.p
        x, y, n = plane.R.columns
        if self.other_radius is None:
            touching = {"height": as_expr(apart.dot(n) - self.radius)}
            return Contact(centre - n * self.radius, {"height": n, "x": x, "y": y}, touching)
        distance = self.radius + self.other_radius
        touching = {"touch": as_expr((apart.dot(apart) - distance * distance) / 2)}
        directions = {"touch": apart, "x": x.cross(apart), "y": y.cross(apart), "z": n.cross(apart)}
        return Contact(plane.p + apart * (self.other_radius / distance), directions, touching)
