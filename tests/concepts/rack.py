"""A constraint from outside the package: a pinion of one body and a rack of another have one velocity at the mesh."""

from dataclasses import dataclass

from polhode.expr import Expr, Vector
from polhode.model.constraints.protocol import Contact, ContactConstraint, Mark, Moving, given


@dataclass(frozen=True, kw_only=True)
class Rack(ContactConstraint):
    """A pinion that rolls on a rack: they mesh at axis × along times the radius from the pinion's centre."""

    kind = "rack"

    body: str = given("body", doc="The body of the pinion.")
    radius: Expr = given("number", unit="m", positive=True)
    axis: Vector = given("axis", "y", of="body")
    centre: Vector = given("point", (0, 0, 0), of="body", unit="m")
    on: str = given("body", doc="The body of the rack.")
    along: Vector = given("axis", "x", of="on")

    @property
    def drawing(self) -> tuple[Mark, ...]:
        return (Mark("end", self.body, self.centre),)

    def contact(self, moving: Moving) -> Contact:
        X, along = moving.pose(self.body), moving.pose(self.on).R @ self.along
        arm = (X.R @ self.axis).cross(along) * self.radius
        return Contact(X.point(self.centre) + arm, {"mesh": along})
