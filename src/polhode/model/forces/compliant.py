"""Compliant stops and contacts: forces that grow with the depth x to which one body enters another.

    linear           N = max(k x + c ẋ, 0) where x > 0
    Hunt–Crossley    N = k xⁿ max(1 + c ẋ, 0), which is continuous where they touch

Friction is opposite to the slip v, μ(|v|) N v/√(v² + v_t²): it creeps, at a part of the transition speed v_t. Both are
forces like any other, without events: for gradients, and for stiff integrators.

Bristles of a joint (P. Dupont, V. Hayward, B. Armstrong, F. Altpeter, "Single state elastoplastic friction models",
IEEE Transactions on Automatic Control 47 (2002) 787–792) have a deflection z, of which the force is σ₀ z + σ₁ ż:

    ż = v (1 - α |z|/z_ss),  z_ss = f(v)/σ₀,  α = 0 where z v ≤ 0 or |z| ≤ z_ba, 1 where |z| ≥ z_ss, a sine in between

Below the break-away deflection z_ba they are elastic: nothing drifts. In a contact z has a component along each
tangent, σ₀ and σ₁ are those of a unit of the normal force N: the friction is -N (σ₀ z + σ₁ ż), z_ss = μ(v)/σ₀, and

    ż = v - α max(v·z, 0) z/(|z| z_ss),    σ₀ z + σ₁ ż = 0 where nothing touches
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import count
from typing import Any

from ...errors import ModelError
from ...expr import (
    Expr,
    Vector,
    as_expr,
    exp,
    free_symbols,
    is_zero,
    log,
    maximum,
    minimum,
    pi,
    sign,
    sin,
    sqrt,
    symbol,
)
from ...registry import registered
from ..constraints.contact import Contact, Meeting
from ..constraints.pairs import warn_of_bulges
from ..constraints.protocol import check_bodies
from ..constraints.stop import check_bounds
from ..constraints.unilateral import check_laws
from ..reading import positive_of, rated_names
from ..surface import Surface
from .protocol import GROUND, ForceElement, Mechanism, PointForce, PrimitiveLoad, SpeedForce, given

#: Added to what is under a root, so that its derivatives have values where nothing touches.
_TINY = Fraction(1, 10**40)
#: The part of the kinetic friction up to which bristles are elastic.
_BREAKING = Fraction(9, 10)
_ONE = as_expr(1)
LAWS = ("hunt_crossley", "linear")


def normal_force(law: str, x: Expr, rate: Expr, stiffness: Expr, damping: Expr, exponent: Expr) -> Expr:
    """The force at a depth x, zero where x is negative, that grows at a rate."""
    depth = as_expr(maximum(x, 0))
    if law == "linear":
        return as_expr(maximum(stiffness * depth + damping * rate, 0) * maximum(sign(x), 0))
    return as_expr(stiffness * _power(depth, exponent) * maximum(1 + damping * rate, 0))


def _power(x: Expr, exponent: Expr) -> Expr:
    """xⁿ, by products and a root where 2 n is a whole number."""
    twice = 2 * exponent
    if free_symbols([exponent]) or not twice.is_number or twice.data.denominator != 1:
        return as_expr(exp(exponent * log(x + _TINY)))
    n, half = divmod(int(twice.data), 2)
    power = as_expr(sqrt(x + _TINY) if half else 1)
    for _ in range(n):
        power = power * x
    return power


def bristle_rates(z: Vector, v: Vector, bound: Expr, coulomb: Expr, stiffness: Expr) -> Vector:
    """ż of bristles at a velocity v, `bound` the friction f(v) of a steady motion; z_ba is 0.9 coulomb/σ₀."""
    steady, breaking = bound / stiffness, _BREAKING * coulomb / stiffness
    size = sqrt(as_expr(z.dot(z) + _TINY))
    part = minimum(maximum((size - breaking) / (steady - breaking), 0), 1)
    alpha = (1 + sin(pi * (part - Fraction(1, 2)))) / 2
    return Vector(v - z * (alpha * maximum(z.dot(v), 0) / (size * steady)))


@dataclass(frozen=True)
class Push:
    """A candidate of a compliant contact, or a side of a stop: gap, normal force, friction and slip along tangents."""

    part: str
    gap: Expr
    normal: Expr
    margin: Expr
    friction: tuple[Expr, ...] = ()
    slip: tuple[Expr, ...] = ()


@dataclass(frozen=True, kw_only=True)
class CompliantStop(ForceElement):
    """Compliant stops of a coordinate of a joint: the force max(k x + c ẋ, 0) back, at a depth x > 0 beyond a bound."""

    kind = "compliant_stop"
    unique = True

    joint: str = given("joint")
    index: int = given("count", None, of="coordinate")
    lower: Expr | None = given("number", None, unit="m or rad")
    upper: Expr | None = given("number", None, unit="m or rad")
    stiffness: Expr = given("number", unit="N/m or N·m/rad", positive=True)
    damping: Expr = given("number", 0, unit="N·s/m or N·m·s/rad")

    def __post_init__(self) -> None:
        self.check()

    def check(self) -> None:
        super().check()
        check_bounds(self.lower, self.upper, self.place)
        check_laws(self.place, damping=self.damping)

    def loads(self, model: Mechanism) -> tuple[PrimitiveLoad, ...]:
        joint = model.joints[self.joint]
        q = joint.q[self.index]
        rates = rated_names(joint.type, [x.name for x in joint.q])
        if self.index >= len(rates) or rates[self.index] != q.name:
            message = f"no speed of the joint is the rate of its coordinate '{q.name}'."
            cure = "Use a joint whose speeds are rates, such as a compound of revolutes and prismatics."
            raise ModelError(message, self.place, cure, "E-MODEL-UNSUPPORTED")
        effort = sum((side * push.normal for side, push in self._sides(model)), as_expr(0))
        return (SpeedForce(self.joint, self.index, effort),)

    def _sides(self, model: Mechanism) -> Iterator[tuple[int, Push]]:
        q, u = (values[self.index] for values in (model.joints[self.joint].q, model.joints[self.joint].u))
        for part, bound, side in (("lower", self.lower, 1), ("upper", self.upper, -1)):
            if bound is not None:
                depth = as_expr(side * (bound - q))
                push = normal_force("linear", depth, -side * u, self.stiffness, self.damping, _ONE)
                yield side, Push(part, as_expr(-depth), push, _ONE)

    def pushes(self, model: Mechanism) -> list[Push]:
        """What each side exerts."""
        return [push for _, push in self._sides(model)]


@dataclass(frozen=True, kw_only=True)
class CompliantContact(ForceElement):
    """A compliant contact of a point `at` of a body, or a surface, with a surface, and regularised friction.

    The damping of Hunt and Crossley's law is in s/m, that of the linear law in N·s/m; the exponent is 3/2 and 1.
    """

    kind = "compliant_contact"
    unique = True

    a: Surface = given("surface", doc="A surface, or a body or frame for its point `at`.")
    at: Vector = given("point", (0, 0, 0), of="a", unit="m")  # in the body
    b: Surface = given("surface", doc="A surface.")
    stiffness: Expr = given("number", positive=True)
    damping: Expr = given("number", 0)
    exponent: Expr | None = given("number", None, positive=True)
    law: str = given("word", "hunt_crossley", choices=LAWS)
    friction: Expr = given("number", 0, unit="1")
    static: Expr | None = given("number", None, unit="1")
    stribeck: Expr = given("number", 0, unit="m/s")
    transition_speed: Expr = given("number", "0.01", unit="m/s", positive=True)
    bristle: tuple[Expr, ...] | None = given(
        "number",
        None,
        many=True,
        count=2,
        doc="Stiffness, 1/m, and damping, s/m, of bristles for a normal force of 1.",
    )

    def __post_init__(self) -> None:
        self.check()
        contact = self.contact
        check_bodies(contact)
        warn_of_bulges(contact.a, contact.b, self.place)

    def check(self) -> None:
        super().check()
        self._check_bristle()
        check_laws(self.place, self.friction, self.static, self.stribeck, damping=self.damping)
        if self.law == "linear" and self.exponent is not None and not is_zero(self.exponent - 1):
            message = f"the exponent of the linear law is 1, not {self.exponent!r}."
            raise ModelError(message, self.place, 'Leave it out, or law="hunt_crossley".', "E-MODEL-TWICE")

    def _check_bristle(self) -> None:
        if self.bristle is None:
            return
        needed = [*zip(self.bristle, ("stiffness of bristles", "damping of bristles"), strict=True)]
        needed += [(self.friction, "friction")] + [(self.stribeck, "speed stribeck")] * (self.static is not None)
        for value, what in needed:
            positive_of(value, what, self.place)
        if not is_zero(self.transition_speed - Fraction("0.01")):
            message, cure = "friction of bristles has no transition speed.", "Leave one of both out."
            raise ModelError(message, self.place, cure, "E-MODEL-TWICE")

    @property
    def units(self) -> dict[str, str]:
        """The units of what depends on the law."""
        return {"stiffness": "N/m", "damping": "N·s/m"} if self.law == "linear" else {"damping": "s/m"}

    @property
    def contact(self) -> Contact:
        """The rigid contact of the same surfaces."""
        return Contact(name=self.name, a=self.a, at=self.at, b=self.b, friction=self.friction)

    def loads(self, model: Mechanism) -> tuple[PrimitiveLoad, ...]:
        moving = registered("Model.moving")(model)
        pushes: list[PrimitiveLoad] = []
        for meeting, z in self._meetings(moving):
            force = meeting.R @ self._force(meeting, z)
            for (body, arm), side in zip(meeting.ends, (1, -1), strict=True):
                if body != GROUND:
                    pushes.append(PointForce(body, moving.pose(body).R.T @ arm, force * side))
        return tuple(pushes)

    def pushes(self, model: Mechanism) -> list[Push]:
        """What each candidate exerts, with signs as of a rigid contact."""
        made = []
        for each, z in self._meetings(registered("Model.moving")(model)):
            force, margin = self._force(each, z), _ONE if each.touch.margin is None else each.touch.margin
            along = [(as_expr(t.dot(force)), as_expr(t.dot(each.velocity))) for t in each.tangents]
            friction, slip = zip(*along, strict=True) if along else ((), ())
            made.append(Push(self.contact.part_of(each), each.touch.gap, self._push(each), margin, friction, slip))
        return made

    def rates(self, model: Mechanism) -> dict[str, Expr]:
        if self.bristle is None:
            return {}
        meetings = self._meetings(registered("Model.moving")(model))
        pairs = (zip(z, self._bristle_rates(meeting, z), strict=True) for meeting, z in meetings)
        return {z.name: as_expr(rate) for pair in pairs for z, rate in pair}

    def _meetings(self, moving: Any) -> Iterator[tuple[Meeting, Vector]]:
        """The candidates, each with the deflections of its bristles along its tangents."""
        number = count(1)
        for meeting in self.contact.meetings(moving):
            states = [] if self.bristle is None else meeting.tangents
            yield meeting, Vector([symbol(f"{self.name} bristle {next(number)}", "state") for _ in states])

    def _bristle_rates(self, meeting: Meeting, z: Vector) -> Vector:
        """ż along the tangents."""
        stiffness, damping = self.bristle or (_ONE, _ONE)
        slip = Vector([t.dot(meeting.velocity) for t in meeting.tangents])
        touches = as_expr(1)
        for positive in self._touching(meeting):
            touches = as_expr(touches * maximum(sign(positive), 0))
        moving = bristle_rates(z, slip, self._friction(slip.dot(slip)), self.friction, stiffness)
        return Vector(moving * touches - z * ((1 - touches) * stiffness / damping))

    def _friction(self, square: Expr) -> Expr:
        """μ(v) at a slip of a square."""
        mu = self.friction
        if self.static is not None and self.stribeck:
            mu = mu + (self.static - mu) * exp(-square / (self.stribeck * self.stribeck))
        return as_expr(mu)

    def _touching(self, meeting: Meeting) -> list[Expr]:
        """What is positive where there is a normal force, each with a sign of its own for a run to find."""
        depth, rate = -meeting.touch.gap, -as_expr(meeting.touch.normal.dot(meeting.velocity))
        grows = self.damping * rate + (self.stiffness * depth if self.law == "linear" else 1)
        return [depth, as_expr(grows), *([] if meeting.touch.margin is None else [meeting.touch.margin])]

    def _push(self, meeting: Meeting) -> Expr:
        """The normal force."""
        rate = as_expr(meeting.touch.normal.dot(meeting.velocity))
        exponent = self.exponent or as_expr(1 if self.law == "linear" else Fraction(3, 2))
        push = normal_force(self.law, -meeting.touch.gap, -rate, self.stiffness, self.damping, exponent)
        return push if meeting.touch.margin is None else as_expr(push * maximum(sign(meeting.touch.margin), 0))

    def _force(self, meeting: Meeting, z: Vector) -> Vector:
        """On the body of the candidate, in the frame of the surface."""
        n, v, push = meeting.touch.normal, meeting.velocity, self._push(meeting)
        if self.bristle is not None:
            stiffness, damping = self.bristle
            drags = z * stiffness + self._bristle_rates(meeting, z) * damping
            return Vector(sum((t * (-d * push) for t, d in zip(meeting.tangents, drags, strict=True)), n * push))
        slip = v - n * n.dot(v)
        square = as_expr(slip.dot(slip))
        drag = as_expr(
            self._friction(square) * push / sqrt(as_expr(square + self.transition_speed * self.transition_speed))
        )
        return Vector(n * push - slip * drag)
