"""The small records of a System: parameters, states, joints, couplings, prescribed motions, named poses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING

from ..expr import Expr
from ..geometry import Pose

if TYPE_CHECKING:
    from .joints import JointType

#: The name of the body that does not move.
GROUND = "ground"


@dataclass(frozen=True)
class Parameter:
    """A symbol with an optional default value and unit."""

    symbol: Expr
    value: Fraction | None = None
    unit: str = ""


@dataclass(frozen=True)
class State:
    """A state without mass: its symbol, its rate (to be given before equations are derived), start value and unit."""

    symbol: Expr
    rate: Expr | None = None
    start: Fraction = Fraction(0)
    unit: str = ""


@dataclass(frozen=True)
class Coupling:
    """A joint that follows another: q = multiplier · q_leader + offset. It has no coordinate of its own."""

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
    """A state to start from: coordinates, speeds and states without mass by name."""

    coordinates: Mapping[str, float]
    speeds: Mapping[str, float]
    states: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Joint:
    """A joint between two bodies: where it sits in each, and its coordinates q, speeds u and efforts tau."""

    name: str
    type: JointType
    parent: str
    child: str
    in_parent: Pose
    in_child: Pose
    q: tuple[Expr, ...]
    u: tuple[Expr, ...]
    tau: tuple[Expr, ...]
