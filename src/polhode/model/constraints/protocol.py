"""What a constraint is: its fields as plain data, and what it states of the motion, in one of three forms.

    LoopConstraint         conditions on the pose X = (R, p) of a frame b of one body in a frame a of another
    ContactConstraint      velocities that vanish where two bodies meet, and conditions on the position beside them
    CoordinateConstraint   expressions of coordinates, or of coordinates and speeds, that stay zero

A new constraint is one file with a class of one of these forms, and one line in the list of this package. Rows, forces,
assembly, runs, model files and pictures follow from what it states; none of them depends on its class.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple, Protocol, Self

from ...errors import ModelError
from ...expr import Expr, Matrix, Vector, as_expr, symbol
from ...geometry import Pose
from ...geometry.twist import Twist
from ..fields import GivenFields, check_positive, given
from ..joints.protocol import JointType, Stage

__all__ = [
    "IDENTITY", "NOWHERE", "Constraint", "Contact", "ContactConstraint", "CoordinateConstraint", "Fault", "JointType",
    "LoopConstraint", "Mark", "Moving", "MovingBodies", "Stage", "check_bodies", "given", "lettered_pose",
]  # fmt: skip

NOWHERE = Vector([as_expr(0)] * 3)
IDENTITY = Matrix.identity(3)


class Moving(Protocol):
    """Kinematics that a constraint may use: poses and velocities of bodies, and the expressions of a user."""

    @property
    def time(self) -> Expr: ...
    def pose(self, frame: str) -> Pose:
        """Where a body or a frame is in the ground."""
        ...

    def relative(self, a: str, b: str) -> Pose:
        """Where body b is in body a."""
        ...

    def given(self, value: Any) -> Any:
        """A user's expression or vector, with the symbols of coupled and driven joints substituted."""
        ...


class MovingBodies(Moving, Protocol):
    """Kinematics with velocities, of what touches and sticks; coupled and driven joints are substituted."""

    def coordinate(self, joint: str, index: int) -> tuple[Expr, Expr]:
        """A coordinate of a joint and its rate."""
        ...

    def speed(self, joint: str, index: int) -> Expr:
        """A speed of a joint."""
        ...

    def velocity(self, body: str, place: Vector) -> Twist:
        """Angular velocity of a body, and velocity of its point at a position, in ground components."""
        ...


class Mark(NamedTuple):
    """Drawing of a constraint on a body, in its frame: an `end`, a `plane`, or a `curve` that extends by `margin`."""

    kind: str
    body: str
    place: Vector
    parameter: Expr | None = None
    margin: Any = 0


class Fault(NamedTuple):
    """Why a constraint cannot hold where it is: a word for a run's status, a sentence, and what to do."""

    status: str
    message: str
    cure: str


@dataclass(frozen=True, kw_only=True)
class Constraint(ABC):
    """A constraint by its name; its attributes are what a user gave, bodies for frames, points and axes in the bodies.

    The docstring of a class and its fields are what the schema of model files says of it.
    """

    kind: ClassVar[str]  # the `type` in model files
    table: ClassVar[str] = "constraints"  # where it stands in model files
    alone: ClassVar[bool] = False  # no other kind stands there, and no `type` is needed
    store: ClassVar[str] = "constraints"  # where it stands in the model
    fields: ClassVar = GivenFields()

    name: str

    @classmethod
    def of(cls, name: str, values: Mapping[str, Any], given: Mapping[str, Any]) -> Self:
        """The constraint from the values of its fields; `given` has them as the user wrote them."""
        made = cls(name=name, **values)
        made.check()
        return made

    def check(self) -> None:
        """Refuse numbers that cannot be; what depends on parameters is checked once these have values."""
        check_positive(self)

    @classmethod
    def place_of(cls, name: object) -> str:
        """The name of the constraint in messages."""
        return f"{cls.kind.replace('_', ' ')} '{name}'"

    @property
    def place(self) -> str:
        """The name of the constraint in messages."""
        return self.place_of(self.name)

    @property
    def bodies(self) -> tuple[str, ...]:
        """The two bodies that it acts on, or none: what its fields hold."""
        return tuple(getattr(self, each.name) for each in self.fields if each.kind == "body")

    @property
    def coordinates(self) -> Mapping[Expr, str]:
        """Auxiliary coordinates that it brings with it, and what each is measured in."""
        return {}

    @property
    def drawing(self) -> tuple[Mark, ...]:
        """The marks that a picture shows."""
        return ()

    @property
    def is_watched(self) -> bool:
        """Whether a run checks `fault` at every step, and not only where it starts or fails."""
        return False

    def fault(self, number: Callable[[Any], float]) -> Fault | None:
        """A message if the constraint cannot hold at a state, where expressions have these values."""
        return None


@dataclass(frozen=True, kw_only=True)
class LoopConstraint(Constraint):
    """Frame b, on one body, moves against frame a, on another, as conditions on its pose there allow."""

    a: str = given("body", doc="A body, or a frame on it.")
    b: str = given("body", doc="Another body, or a frame on it.")
    at_a: Vector = given("point", (0, 0, 0), of="a", unit="m")
    at_b: Vector = given("point", (0, 0, 0), of="b", unit="m")
    rotation_a: Matrix = IDENTITY
    rotation_b: Matrix = IDENTITY

    @abstractmethod
    def conditions(self, X: Pose) -> dict[str, Expr] | None:
        """The expressions of the pose of b in a that stay zero; None where they need the coordinates of a joint."""

    @property
    def closing_joint(self) -> JointType | None:
        """The joint whose coordinates such conditions need."""
        return None

    def branch(self, X: Pose) -> Expr | None:
        """Branch indicator: 0 on the intended assembly branch, below -1 on another; None if there is only one."""
        return None

    def directions(self, R_a: Matrix, R_b: Matrix) -> dict[str, tuple[Vector, Vector]] | None:
        """For each condition its rate as a direction (v, ω) in ground components; None to find it by derivatives."""
        return None

    @property
    def pose_a(self) -> Pose:
        """Frame a in its body."""
        return Pose(self.rotation_a, self.at_a)

    @property
    def pose_b(self) -> Pose:
        """Frame b in its body."""
        return Pose(self.rotation_b, self.at_b)

    @property
    def drawing(self) -> tuple[Mark, ...]:
        return Mark("end", self.a, self.at_a), Mark("end", self.b, self.at_b)


@dataclass(frozen=True)
class Contact:
    """A contact in ground components: slip `directions`, with conditions on position, `turns`, and surface `drift`."""

    place: Vector
    directions: dict[str, Vector]
    positions: dict[str, Expr] = field(default_factory=dict)
    turns: dict[str, Vector] = field(default_factory=dict)
    drift: Vector = NOWHERE

    def rates(self, slip: Vector, spin: Vector) -> dict[str, Expr]:
        """All velocities that vanish, by name: along each direction, about each turn, or both together."""
        made = {name: as_expr((slip - self.drift).dot(d)) for name, d in self.directions.items()}
        return made | {name: as_expr(made.get(name, 0) + spin.dot(turn)) for name, turn in self.turns.items()}


@dataclass(frozen=True, kw_only=True)
class ContactConstraint(Constraint):
    """Two bodies touch at a point, and their material points there do not slip."""

    @abstractmethod
    def contact(self, moving: Moving) -> Contact:
        """Where they meet, and how they do not slip; the first of the bodies against the second."""

    def definitions(self, moving: Moving) -> dict[str, Expr]:
        """Expressions that vanish by the choice of the auxiliary coordinates."""
        return {}

    def guess(self, moving: Moving) -> Sequence[Expr]:
        """Start values of the auxiliary coordinates, as functions of the others."""
        return ()


@dataclass(frozen=True, kw_only=True)
class CoordinateConstraint(Constraint):
    """Expressions that stay zero, by name: of coordinates and time, or of speeds too."""

    @property
    def positions(self) -> dict[str, Expr]:
        return {}

    @property
    def speeds(self) -> dict[str, Expr]:
        return {}


def check_bodies(constraint: Constraint) -> None:
    """Refuse a constraint of a body with itself, and a loop or contact that has not two bodies."""
    bodies = constraint.bodies
    if isinstance(constraint, LoopConstraint | ContactConstraint) and len(bodies) != 2:
        message = f"it is between two bodies, and its fields name {len(bodies)}."
        raise ModelError(message, constraint.place, "Declare two fields of the kind `body`.", "E-MODEL-SHAPE")
    if len(set(bodies)) == len(bodies):
        return
    is_loop = isinstance(constraint, LoopConstraint)
    message = f"both frames are on body '{bodies[0]}'." if is_loop else f"body '{bodies[0]}' cannot touch itself."
    raise ModelError(message, constraint.place, "Give two bodies, or a body and the ground.", "E-MODEL-TREE")


def lettered_pose(name: str = "") -> Pose:
    """A pose of twelve symbols."""
    R = Matrix([[symbol(f"R{name}{i}{j}", "pose") for j in range(3)] for i in range(3)])
    return Pose(R, Vector([symbol(f"p{name}{i}", "pose") for i in range(3)]))
