"""A constraint from outside the package: a massless rod with ball joints, that keeps two points of two bodies apart.

(p·p - l²)/2 = 0,    p from the point of one body to that of the other
"""

from dataclasses import dataclass

from polhode.expr import Expr, as_expr
from polhode.geometry import Pose
from polhode.model.constraints.protocol import LoopConstraint, given


@dataclass(frozen=True, kw_only=True)
class Rod(LoopConstraint):
    """A massless rod between two points of two bodies."""

    kind = "rod"

    length: Expr = given("number", doc="How far apart the points are.", unit="m", positive=True)

    def conditions(self, X: Pose) -> dict[str, Expr]:
        return {"length": as_expr((X.p.dot(X.p) - self.length * self.length) / 2)}
