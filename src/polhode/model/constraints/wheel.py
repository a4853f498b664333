"""A thin wheel that rolls on a plane: the lowest point of its rim touches, and does not slip along or across."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ...errors import ModelError
from ...expr import Expr, Matrix, Vector, as_expr, is_zero, sqrt
from ...geometry import Pose
from .protocol import Contact, ContactConstraint, Fault, Mark, Moving, given


@dataclass(frozen=True, kw_only=True)
class Wheel(ContactConstraint):
    """A thin wheel that rolls on the plane z = 0 of a body or frame, which `at` and `rotation` place there."""

    kind = "wheel"
    table = "rolling"

    body: str = given("body")
    radius: Expr = given("number", unit="m", positive=True)
    axis: Vector = given("axis", "y", of="body", doc="The axis about which it rolls.")  # of unit length
    upright: Expr | None = given("number", None, free=True, doc="The cosine of its lean, positive while it stands.")
    centre: Vector = given("point", (0, 0, 0), of="body", unit="m")
    on: str = given("body", "ground", doc="What it moves on.")
    at: Vector = given("point", (0, 0, 0), of="on", unit="m")
    rotation: Matrix = given("rotation", None, of="on")

    @property
    def plane(self) -> Pose:
        """The frame whose plane z = 0 it rolls on, in the body that has it."""
        return Pose(self.rotation, self.at)

    @property
    def drawing(self) -> tuple[Mark, ...]:
        return (Mark("plane", self.on, self.at),)

    def contact(self, moving: Moving) -> Contact:
        """The lowest point of the rim is at -r (n - (n·a) a)/s from the centre, s² = 1 - (n·a)².

        With the unit vector h = a × n/s, along which it heads, (n - (n·a) a)/s is h × a.
        """
        plane = moving.pose(self.on) @ self.plane
        X = moving.pose(self.body)
        n, a = plane.R @ Vector([0, 0, 1]), X.R @ self.axis
        centre = X.point(self.centre)
        lean = as_expr(n.dot(a))
        if is_zero(1 - lean * lean):
            raise ModelError(
                "the wheel always lies flat: its axis is the plane's normal.",
                place=self.place,
                cure="Give the axis about which it rolls.",
                code="E-CLOSE-003",
            )
        along = a.cross(n)
        if self.upright is None:
            s = sqrt(as_expr(1 - lean * lean))
            reach = (n - a * lean) * (self.radius / s)
        else:
            s = moving.given(self.upright)
            self._check_upright(s * s + lean * lean - 1)
            along = along / s
            reach = along.cross(a) * self.radius
        return Contact(
            centre - reach,
            {"height": n, "along": along, "across": n.cross(along)},
            {"height": as_expr((centre - plane.p).dot(n) - self.radius * s)},
        )

    def _check_upright(self, gap: Expr) -> None:
        if not is_zero(gap):
            raise ModelError(
                f"upright = {self.upright!r} is not the cosine of its lean: its square is not 1 - (n·a)².",
                place=self.place,
                cure="Give the cosine of the angle between the wheel and the plane's normal, or leave it out.",
                code="E-CLOSE-005",
            )

    @property
    def is_watched(self) -> bool:
        return self.upright is not None

    def fault(self, number: Callable[[Any], float]) -> Fault | None:
        if self.upright is None or (value := number(self.upright)) > 0:
            return None
        said = f"{self.place} has turned over: {self.upright!r} = {value:.4g}, which `upright` promised to be positive."
        return Fault("turned_over", said, "Start it upright and stop before, or leave `upright` out.")
