"""What a force element is, and the few primitive loads that all of them come to.

A new force element is one file with a frozen dataclass that extends `ForceElement`, and one entry of FORCES. Its
attributes are what a user gives; its one method, `loads`, says what it comes to. The primitive loads are all that
dynamics, networks, power and the reference derivation understand.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

from ...expr import Expr, Vector, as_expr, symbol, symbols
from ..fields import GivenFields, check_positive, given
from ..records import GROUND

__all__ = [
    "GROUND", "LENGTH", "POSITION", "RATE", "VELOCITY", "BodyTorque", "CoordinateForce", "ForceElement", "LineElement",
    "LineTension", "Mechanism", "PointForce", "PotentialEnergy", "PrimitiveLoad", "SpeedForce", "given",
]  # fmt: skip

#: What the law of a tension is written with: the distance of its ends and the rate of that distance.
LENGTH, RATE = symbol("length", "line"), symbol("rate", "line")
#: What the law of a force is written with: place and velocity of the point where it acts, in ground components.
POSITION, VELOCITY = Vector(symbols(["x", "y", "z"], "position")), Vector(symbols(["vx", "vy", "vz"], "velocity"))

# ---- primitive loads ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class PointForce:
    """A force on a body at a point of it, its components given in a frame; a law may use `POSITION`, `VELOCITY`.

    With an `energy`, a law of `POSITION`, time and parameters, the force is -∂energy/∂POSITION in ground components.
    """

    body: str
    point: Vector
    vector: Vector
    frame: str = GROUND
    energy: Expr | None = None


@dataclass(frozen=True)
class BodyTorque:
    """A pure torque on a body, its components given in a frame."""

    body: str
    vector: Vector
    frame: str = GROUND


@dataclass(frozen=True)
class SpeedForce:
    """A generalized force on one speed of a joint."""

    joint: str
    index: int
    value: Expr


@dataclass(frozen=True)
class CoordinateForce:
    """A generalized force on one coordinate of a joint: its power is its value times the coordinate's rate."""

    joint: str
    index: int
    value: Expr


@dataclass(frozen=True)
class PotentialEnergy:
    """A potential energy as an expression of coordinates (and parameters and time)."""

    energy: Expr


@dataclass(frozen=True)
class LineTension:
    """A tension, a law of `LENGTH` and `RATE`, between two points; `elastic` is the slope of the stored `energy`."""

    body_a: str
    point_a: Vector
    body_b: str
    point_b: Vector
    tension: Expr
    elastic: Expr
    energy: Expr


#: Loads that may store energy.
EnergyStore = PotentialEnergy | LineTension | PointForce
PrimitiveLoad = PointForce | BodyTorque | SpeedForce | CoordinateForce | PotentialEnergy | LineTension

# ---- force elements ----------------------------------------------------------------------------------------------


class Mechanism(Protocol):
    """The bodies and joints of a model, by name, and which of them follow others or move as prescribed."""

    @property
    def bodies(self) -> Mapping[str, Any]: ...

    @property
    def joints(self) -> Mapping[str, Any]: ...

    @property
    def couplings(self) -> Mapping[str, Any]: ...

    @property
    def prescribed(self) -> Mapping[str, Any]: ...


@dataclass(frozen=True, kw_only=True)
class ForceElement(ABC):
    """What acts on a mechanism; its attributes are what a user gave, bodies for frames and points in the bodies.

    The docstring of a class and its fields are what the schema of model files says of it. `drawing` says what pages
    show: ("line", a, b) is a line between the points on two bodies, ("mark", body) a mark at the point on one, each
    named by the field that holds the body.
    """

    kind: ClassVar[str]  # the `type` in model files
    fields: ClassVar = GivenFields()
    drawing: ClassVar[tuple[tuple[str, ...], ...]] = ()
    unique: ClassVar[bool] = False  # whether its name is that of no other contact or stop

    name: str = given("label", "")

    @abstractmethod
    def loads(self, model: Mechanism) -> tuple[PrimitiveLoad, ...]:
        """The primitive loads of the element in a mechanism."""

    def check(self) -> None:
        """Refuse numbers that cannot be; what depends on parameters is checked once these have values."""
        check_positive(self)

    def rates(self, model: Mechanism) -> Mapping[str, Expr]:
        """The rates of first-order states that the element has in a mechanism, by their names."""
        return {}

    @classmethod
    def title(cls) -> str:
        """Its kind in words."""
        return cls.kind.replace("_", " ")

    @classmethod
    def place_of(cls, name: str, *joints: str) -> str:
        """The name of the element in messages, as "joint spring on 'hip' 'stop'"."""
        return " ".join([cls.title(), *(f"on '{joint}'" for joint in joints), *([repr(name)] if name else [])])

    @property
    def place(self) -> str:
        """The name of the element in messages."""
        return self.place_of(self.name, *(getattr(self, field.name) for field in self.fields if field.kind == "joint"))


@dataclass(frozen=True, kw_only=True)
class LineElement(ForceElement):
    """An element that acts along the line between points of two bodies."""

    drawing = (("line", "a", "b"),)

    a: str = given("body")
    b: str = given("body")
    at_a: Vector = given("point", (0, 0, 0), of="a", unit="m")
    at_b: Vector = given("point", (0, 0, 0), of="b", unit="m")

    def pull(self, tension: Any, elastic: Any = 0, energy: Any = 0) -> tuple[PrimitiveLoad, ...]:
        """A tension along the line."""
        laws = (as_expr(law) for law in (tension, elastic, energy))
        return (LineTension(self.a, self.at_a, self.b, self.at_b, *laws),)
