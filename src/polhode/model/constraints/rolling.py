"""Contacts without slip: wheels and balls that roll on a plane, knife edges, points of two bodies, discs on curves.

A disc on a curve: where it touches, and what keeps it there.

With c the disc's centre and P(σ), n(σ), t(σ) of the curve, all in the components of the curve's frame,

    definition of σ    (c - P)·P' = 0
    position           (c - P)·n = r,    c·y = 0,    a·x = a·z = 0 for the disc's axis a
    speed              v·t = 0, v the velocity of the disc's point at c - r n against the curve's

The definition makes the first position's rate ċ·n: where the disc touches moves along the curve only.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from ...errors import ModelError
from ...expr import Expr, Matrix, Vector, as_expr, is_zero, same, sqrt
from ...geometry import Pose, unit_axis
from ...geometry.curve import Curve
from .protocol import NOWHERE, Contact, ContactConstraint, Fault, Mark, Moving, given


@dataclass(frozen=True, kw_only=True)
class OnFrame(ContactConstraint):
    """A body that rolls about a centre on the plane z = 0, a ball or a curve of a frame on another body."""

    table = "rolling"

    body: str = given("body")
    centre: Vector = given("point", (0, 0, 0), of="body", unit="m")
    on: str = given("body", "ground", doc="What it moves on.")
    at: Vector = given("point", (0, 0, 0), of="on", unit="m")
    rotation: Matrix = given("rotation", None, of="on")

    @property
    def plane(self) -> Pose:
        """The frame that it rolls on, in the body that has it."""
        return Pose(self.rotation, self.at)

    @property
    def drawing(self) -> tuple[Mark, ...]:
        return (Mark("plane", self.on, self.at),)


@dataclass(frozen=True, kw_only=True)
class Wheel(OnFrame):
    """A thin wheel that rolls on the plane z = 0 of a body or frame, which `at` and `rotation` place there."""

    kind = "wheel"

    radius: Expr = given("number", unit="m", positive=True)
    axis: Vector = given("axis", "y", of="body", doc="The axis about which it rolls.")  # of unit length
    upright: Expr | None = given("number", None, free=True, doc="The cosine of its lean, positive while it stands.")

    def contact(self, moving: Moving) -> Contact:
        """The lowest point of the rim is at -r (n - (n·a) a)/s = -r h × a, with s² = 1 - (n·a)² and h = a × n/s."""
        plane = moving.pose(self.on) @ self.plane
        X = moving.pose(self.body)
        n, a = plane.R @ Vector([0, 0, 1]), X.R @ self.axis
        centre = X.point(self.centre)
        lean = as_expr(n.dot(a))
        if is_zero(1 - lean * lean):
            message = "the wheel always lies flat: its axis is the plane's normal."
            raise ModelError(message, self.place, "Give the axis about which it rolls.", "E-CONSTRAINT-SINGULAR")
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
            message = f"upright = {self.upright!r} is not the cosine of its lean: its square is not 1 - (n·a)²."
            cure = "Give the cosine of the angle between the wheel and the plane's normal, or leave it out."
            raise ModelError(message, self.place, cure, "E-CONSTRAINT-NUMBER")

    @property
    def is_watched(self) -> bool:
        return self.upright is not None

    def fault(self, number: Callable[[Any], float]) -> Fault | None:
        if self.upright is None or (value := number(self.upright)) > 0:
            return None
        said = f"{self.place} has turned over: {self.upright!r} = {value:.4g}, which `upright` promised to be positive."
        return Fault("turned_over", said, "Start it upright and stop before, or leave `upright` out.")


@dataclass(frozen=True, kw_only=True)
class Ball(OnFrame):
    """A ball that rolls on the plane z = 0 of a body or frame, or on a ball about its origin (inside, if negative)."""

    kind = "ball"

    radius: Expr = given("number", unit="m", positive=True)
    other_radius: Expr | None = given("number", None, doc="Of the ball that it rolls on.", unit="m")

    @property
    def drawing(self) -> tuple[Mark, ...]:
        return super().drawing if self.other_radius is None else ()

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


#: How near κ r may come to one.
_TIGHT = 1e-3


@dataclass(frozen=True, kw_only=True)
class DiscOnCurve(OnFrame):
    """A disc that rolls on a curve (x, z) over a parameter, in the plane x, z of a body or frame, across its axis.

    It is to the left of the direction of growing parameter, to the right if its radius is negative.
    """

    kind = "disc"

    radius: Expr = given("number", unit="m")
    parameter: Expr = given("variable", "s", doc="What the curve calls its parameter.")
    curve: tuple[Expr, Expr] = given("curve", of="parameter")  # x and z over the parameter
    axis: Vector = given("axis", "y", of="body")  # of unit length
    slips: bool = given("flag", False, doc="Whether it touches without rolling.")

    @classmethod
    def of(cls, name: str, values: Mapping[str, Any], given: Mapping[str, Any]) -> Self:
        if is_zero(values["radius"]) and not values["slips"]:
            cure = "Give it a radius, or slips=True for a bead on a wire."
            raise ModelError("a disc of radius zero cannot roll.", cls.place_of(name), cure, "E-CONSTRAINT-NUMBER")
        # The plane is across the axis as it was given, which in a frame that stands for the body may be another letter.
        turned = plane_across(unit_axis(given["axis"])) @ plane_across(values["axis"]).T
        return cls(name=name, **{**values, "rotation": values["rotation"] @ turned})

    @property
    def plane(self) -> Pose:
        """The frame in whose plane y = 0 the curve is: that which was given, turned across the disc's axis."""
        return Pose(self.rotation @ plane_across(self.axis), self.at)

    @property
    def coordinates(self) -> dict[Expr, str]:
        return {self.parameter: "m" if self._is_of_heights else "of a curve"}

    @property
    def _is_of_heights(self) -> bool:
        return self.curve[0] is self.parameter

    @property
    def line(self) -> Curve:
        """The curve."""
        return Curve(self.parameter, *self.curve)

    @property
    def drawing(self) -> tuple[Mark, ...]:
        return (Mark("curve", self.on, self.plane.point(self.line.place), self.parameter, self.radius),)

    def _seen(self, moving: Moving) -> Pose:
        """The pose of the disc's body in the curve's frame."""
        return self.plane.inverse() @ moving.relative(self.on, self.body)

    def definitions(self, moving: Moving) -> dict[str, Expr]:
        """At the point of contact the tangent of the curve is perpendicular to the line to the disc's centre."""
        line = self.line
        return {"place": as_expr((self._seen(moving).point(self.centre) - line.place).dot(line.slope))}

    def guess(self, moving: Moving) -> Sequence[Expr]:
        """Below its centre, if the curve is one of heights over x."""
        return [as_expr(self._seen(moving).point(self.centre)[0])] if self._is_of_heights else []

    def contact(self, moving: Moving) -> Contact:
        line = self.line
        seen = self._seen(moving)
        local = seen.point(self.centre)
        track = moving.pose(self.on) @ self.plane
        body = moving.pose(self.body)
        x, y, z = track.R.columns
        t, n = track.R @ line.tangent, track.R @ line.normal
        positions = {"touch": as_expr((local - line.place).dot(line.normal) - self.radius), "off": as_expr(local[1])}
        directions = {"touch": n, "off": y} if self.slips else {"touch": n, "off": y, "along": t}
        turns = {"off": n.cross(y) * self.radius}  # it is the centre that stays in the plane
        if not is_zero(self.radius):  # a bead may turn as it likes
            axis, upright = body.R @ self.axis, seen.R @ self.axis
            positions |= {"tilt 1": as_expr(upright[0]), "tilt 2": as_expr(upright[2])}
            turns |= {"tilt 1": axis.cross(x), "tilt 2": axis.cross(z)}
        place = body.point(self.centre) - n * self.radius
        return Contact(place, directions, positions, turns, track.R @ line.drift(moving.time))

    def fault(self, number: Callable[[Any], float]) -> Fault | None:
        """Where κ r > 1 curve and rim intersect beside the contact; at κ r = 1 the contact moves without bound."""
        radius, curvature = number(self.radius), number(self.line.curvature)
        if radius * curvature <= 1.0 - _TIGHT:
            return None
        said = (
            f"{self.place} does not fit its curve: at '{self.parameter.name}' = {number(self.parameter):.6g} the "
            f"curve's radius is {1.0 / abs(curvature):.6g}, the disc's {abs(radius):.6g}."
        )
        return Fault("tight_curve", said, "Make the disc smaller or the curve flatter, or keep away from there.")


def plane_across(axis: Vector) -> Matrix:
    """Rotation of the plane x, z of a frame across an axis of it: x, y for the axis z; y, z for the axis x."""
    x, y, z = (unit_axis(letter) for letter in "xyz")
    for normal, first, second in ((z, x, y), (x, y, z)):
        if same(axis, normal) or same(axis, -normal):
            return Matrix.columns_of([first, -normal, second], 3)
    return Matrix.columns_of([x, y, z], 3)
