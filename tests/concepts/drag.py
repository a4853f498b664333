"""A force element from outside the package: the drag of air on a point of a body, against its speed squared."""

from dataclasses import dataclass

from polhode.expr import Expr, Vector, sqrt
from polhode.model.forces.protocol import VELOCITY, ForceElement, Mechanism, PointForce, PrimitiveLoad, given


@dataclass(frozen=True, kw_only=True)
class Drag(ForceElement):
    """The drag of air on a point of a body: -c |v| v, with v its velocity in the wind."""

    kind = "drag"
    drawing = (("mark", "on"),)

    on: str = given("body")
    at: Vector = given("point", (0, 0, 0), of="on", unit="m")
    coefficient: Expr = given("number", doc="½ ρ A c_w.", unit="kg/m")
    wind: Vector = given("vector", (0, 0, 0), free=True, unit="m/s")

    def loads(self, model: Mechanism) -> tuple[PrimitiveLoad, ...]:
        v = VELOCITY - self.wind
        return (PointForce(self.on, self.at, -v * (self.coefficient * sqrt(v.dot(v)))),)
