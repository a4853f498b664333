"""The small records of a System: parameters, states, joints, couplings, prescribed motions, named poses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import accumulate
from typing import TYPE_CHECKING

from ..expr import Expr, atan
from ..geometry import Pose
from .stage import ANGLE, LENGTH
from .unit import unit_of

if TYPE_CHECKING:
    from .joints import JointType

#: The name of the body that does not move.
GROUND = "ground"


class Stated:
    """A record with the unit in which it is stated; its value is in SI units."""

    unit: str

    @property
    def si_unit(self) -> str:
        """The SI unit that equations, runs, files and code have it in."""
        return unit_of(self.unit).si

    def stated(self, value: Fraction | Expr | None) -> Fraction | Expr | None:
        """A value in SI units as it is in the unit that is stated."""
        return None if value is None else unit_of(self.unit).from_si(value)


@dataclass(frozen=True)
class Parameter(Stated):
    """A symbol with an optional default value, in SI units, and the unit that it is stated in."""

    symbol: Expr
    value: Fraction | Expr | None = None
    unit: str = ""


@dataclass(frozen=True)
class State(Stated):
    """A first-order state: its symbol, its rate (to be given before equations are derived), start value and unit."""

    symbol: Expr
    rate: Expr | None = None
    start: Fraction | Expr = Fraction(0)
    unit: str = ""


@dataclass(frozen=True)
class Coupling:
    """A joint that follows another: q = multiplier · q_leader + offset."""

    follower: str
    leader: str
    multiplier: Expr
    offset: Expr


@dataclass(frozen=True)
class Prescribed:
    """A coordinate whose motion is given: an expression of time and parameters. It is no unknown any more."""

    joint: str
    coordinate: str
    motion: Expr


@dataclass(frozen=True)
class NamedPose:
    """A state to start from: coordinates, speeds and first-order states by name."""

    coordinates: Mapping[str, float]
    speeds: Mapping[str, float]
    states: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Limits:
    """The range of a coordinate, speed or effort; None for no end."""

    lower: Expr | None = None
    upper: Expr | None = None

    @property
    def are_given(self) -> bool:
        return self.lower is not None or self.upper is not None


@dataclass(frozen=True)
class Joint:
    """A joint between two bodies: where it sits in each, its coordinates q, speeds u and efforts tau, and its limits.

    The limits, one for each coordinate, speed or effort or none at all, are not part of the equations.

    >>> import polhode as ph
    >>> s = ph.System("arm")
    >>> hinge = s.joint("hinge", s.ground, s.body("bob", 1), ph.Revolute("y"), coordinates=["theta"], speeds=["omega"])
    >>> hinge.name, hinge.parent, hinge.child, hinge.q, hinge.u
    ('hinge', 'ground', 'bob', (theta,), (omega,))
    """

    name: str
    type: JointType
    parent: str
    child: str
    in_parent: Pose
    in_child: Pose
    q: tuple[Expr, ...]
    u: tuple[Expr, ...]
    tau: tuple[Expr, ...]
    limits: tuple[Limits, ...] = field(default=(), compare=False)
    small: bool = False  # whether equations are derived to first order in its motion
    speed_limits: tuple[Limits, ...] = field(default=(), compare=False)
    effort_limits: tuple[Limits, ...] = field(default=(), compare=False)

    @property
    def units(self) -> dict[Expr, str]:
        """The SI units of its coordinates, speeds and efforts; 1 for parts of an orientation."""
        q = [unit if unit in (ANGLE, LENGTH) else "1" for stage in self.type.stages for unit in stage.coordinate_units]
        u = [unit for stage in self.type.stages for unit in stage.speed_units]
        tau = ["N·m" if unit == ANGLE else "N" for unit in u]
        return dict(zip((*self.q, *self.u, *self.tau), (*q, *(f"{unit}/s" for unit in u), *tau), strict=True))

    def stores_tangent(self, index: int) -> bool:
        """Whether the coordinate of an `index` is tan(θ/2) of a turn about one axis by θ."""
        ends = accumulate(stage.coordinates for stage in self.type.stages)
        return next(stage for stage, end in zip(self.type.stages, ends, strict=True) if index < end).is_vector_turn

    def displacement(self, index: int = 0) -> Expr:
        """The coordinate of an `index`, or the angle θ of a turn that is stored as tan(θ/2)."""
        return 2 * atan(self.q[index]) if self.stores_tangent(index) else self.q[index]
