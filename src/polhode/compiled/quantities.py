"""Quantities of a mechanism that are asked for by more than a name: records, under which functions and files are known.

No name is put together and taken apart again, so that a joint may be called "hinge on ground" beside a joint "hinge"
that sits on the ground.

    ReactionOf("hinge", on="arm", at="tip", frame="ground")   torque and force      of q, u, u̇ (and λ, t, inputs)
    DrivingForceOf("crank")                                   effort                of the same
    PoseOf("tip")                                             position, rotation    of q
    JointPoseOf("wrist")                                      the same of a joint's X
    JacobianOf("tip", orientation="vector")                   jacobian              of q
    FrameVelocityOf("tip")                                    velocity              of q, u
    FrameAccelerationOf("tip"), BiasAccelerationOf("tip")     acceleration          of q, u, u̇ and of q, u

They stand wherever a function is named: `equations.operations(of=...)`, `equations.export("c", folder, of=...)`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, ClassVar, TypeAlias

from ..codegen.ir.program import identifier
from ..errors import PolhodeError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ..dynamics.equations import EquationsOfMotion
    from ..expr import Expr
    from ..geometry import Pose

Outputs: TypeAlias = "list[tuple[str, tuple[int, ...], list[Expr]]]"

#: What functions of a motion take: the accelerations are those of all speeds of the tree.
MOTION = ("q", "u", "accelerations")

#: Rates of a vector-parameter beyond which the angle is π, as far as numbers can tell: ċ is about c²/2, c below 1e14.
_HALF_TURN = 1e27


def contact_forces(equations: EquationsOfMotion) -> dict[str, list[Expr]]:
    """The symbols of the forces of contacts, stops and dry friction, row by row, as an array."""
    from ..constraints.unilateral import unilateral_rows

    return {"contact_forces": list(unilateral_rows(equations.system, equations.tree).forces)}


class Quantity(ABC):
    """A quantity of some `equations`, by names that the user gave; a frozen record.

    >>> import polhode as ph
    >>> s = ph.System("pendulum")
    >>> _ = s.joint("hinge", s.ground, s.body("bob", 1, com=(0, 0, -2)), ph.Revolute("y"))
    >>> e = s.derive()
    >>> e.compile().evaluate(JacobianOf("bob"), [0.0])[:3, 0].tolist()
    [0.0, 1.0, 0.0]
    """

    kind: ClassVar[str]
    arrays: ClassVar[tuple[str, ...]]
    touching: ClassVar[bool] = False  # whether contacts act

    def __post_init__(self) -> None:
        first, *options = self._words()
        for option, name in (first, *options):
            if not isinstance(name, str) and (name is not None or option == first[0]):
                raise PolhodeError(f"{option} is {name!r}, which is no name.", self.kind, "Give text.", "E-CODE-NAME")

    def _words(self) -> list[tuple[str, str | None]]:
        return [(field.name, getattr(self, field.name)) for field in fields(self)]  # type: ignore[arg-type] # quantities are dataclasses

    @property
    def label(self) -> str:
        """What the function is called in generated code."""
        (_, name), *options = self._words()
        words = [word for option, value in options if value is not None for word in (option, value)]
        return identifier(self.kind, str(name), *words)

    def own_arrays(self, equations: EquationsOfMotion) -> dict[str, list[Expr]]:
        """Arrays of this function alone, or with other contents than in other functions."""
        return {}

    @abstractmethod
    def outputs(self, equations: EquationsOfMotion) -> Outputs:
        """What the function puts out."""


@dataclass(frozen=True)
class ReactionOf(Quantity):
    """The wrench that a joint or constraint carries; see `Equations.reaction`."""

    name: str
    at: str | None = None
    frame: str | None = None
    on: str | None = None

    kind = "reaction"
    arrays: ClassVar[tuple[str, ...]] = MOTION

    def outputs(self, equations: EquationsOfMotion) -> Outputs:
        from ..dynamics.reactions import reaction

        record = reaction(equations, self.name, self.at, self.frame, self.on, solved=False, touching=self.touching)
        return [("torque", (3,), list(record.torque)), ("force", (3,), list(record.force))]


@dataclass(frozen=True)
class DrivingForceOf(Quantity):
    """The effort that makes a prescribed coordinate move as prescribed."""

    coordinate: str

    kind = "driving_force"
    arrays: ClassVar[tuple[str, ...]] = MOTION

    def outputs(self, equations: EquationsOfMotion) -> Outputs:
        from ..dynamics.reactions import Reactions

        reactions = Reactions(equations, solved=False, touching=self.touching)
        return [("effort", (), [reactions.driving_force(self.coordinate)])]


class _Touching(Quantity):
    """A force with contacts, stops and dry friction acting: it takes the forces in all their rows too."""

    arrays: ClassVar[tuple[str, ...]] = (*MOTION, "contact_forces")
    touching = True

    def own_arrays(self, equations: EquationsOfMotion) -> dict[str, list[Expr]]:
        return contact_forces(equations)


class TouchingReactionOf(_Touching, ReactionOf):
    """The wrench that a joint or constraint carries, contacts acting.

    >>> TouchingReactionOf("hinge").label
    'touching_reaction_hinge'
    """

    kind = "touching_reaction"


class TouchingDrivingForceOf(_Touching, DrivingForceOf):
    """The effort that makes a prescribed coordinate move as prescribed, contacts acting.

    >>> TouchingDrivingForceOf("crank").label
    'touching_driving_force_crank'
    """

    kind = "touching_driving_force"


@dataclass(frozen=True)
class PoseOf(Quantity):
    """Position and rotation matrix of a body or frame in the ground."""

    name: str

    kind = "pose"
    arrays = ("q",)

    def _pose(self, equations: EquationsOfMotion) -> Pose:
        return equations.pose(self.name)

    def outputs(self, equations: EquationsOfMotion) -> Outputs:
        from ..expr import as_expr

        pose = self._pose(equations)
        origin, rotation = ([as_expr(x) for x in entries] for entries in (pose.p, pose.R.entries()))
        return [("origin", (3,), origin), ("orientation", (3, 3), rotation)]


class JointPoseOf(PoseOf):
    """A joint's X: position and rotation matrix of its frame on the child in its frame on the parent."""

    kind = "joint_pose"

    def _pose(self, equations: EquationsOfMotion) -> Pose:
        return equations.joint_kinematics(self.name).X


@dataclass(frozen=True)
class JacobianOf(Quantity):
    """The 6×n Jacobian of the origin of a body or frame, in ground components; see `Equations.jacobian`."""

    name: str
    orientation: str | None = None

    kind = "jacobian"
    arrays = ("q",)

    def outputs(self, equations: EquationsOfMotion) -> Outputs:
        from ..expr import as_expr

        J = equations.jacobian(self.name, self.orientation, in_floats=True)
        width = len(equations.u if self.orientation is None else equations.q)
        return [("jacobian", (6, width), [as_expr(x) for x in J.entries()])]

    def checked(self, J: NDArray[np.float64]) -> NDArray[np.float64]:
        """The numbers `J` (…, 6, n), refused where the vector-parameter of the frame has none."""
        if self.orientation is None:
            return J
        import numpy as np

        bad = ~(np.abs(J[..., :3, :]) < _HALF_TURN).all(axis=(-2, -1))
        if np.any(bad):
            which = f", in row {int(np.argwhere(bad)[0][0])} of what was given" if np.ndim(bad) else ""
            message = f"'{self.name}' has turned by π{which}, where its vector-parameter tan(θ/2) has no value."
            cure = "Leave out the orientation: the rows of the angular velocity have a value everywhere."
            raise PolhodeError(message, self.kind, cure, "E-CODE-NUMBER")
        return J


@dataclass(frozen=True)
class _FrameMotion(Quantity):
    """A motion of the origin of a body or frame, by the function of `dynamics.frame_motion` that its kind names."""

    name: str

    output: ClassVar[str] = "acceleration"

    def outputs(self, equations: EquationsOfMotion) -> Outputs:
        from ..dynamics import frame_motion

        return [(self.output, (6,), list(getattr(frame_motion, self.kind)(equations, self.name)))]


class FrameVelocityOf(_FrameMotion):
    """ω over v of the origin of a body or frame, in ground components.

    >>> FrameVelocityOf("tip").label
    'frame_velocity_tip'
    """

    kind, output = "frame_velocity", "velocity"
    arrays = ("q", "u")


class FrameAccelerationOf(_FrameMotion):
    """ω̇ over v̇ of the origin of a body or frame, in ground components.

    >>> FrameAccelerationOf("tip").label
    'frame_acceleration_tip'
    """

    kind = "frame_acceleration"
    arrays = ("q", "u", "udot")


class BiasAccelerationOf(_FrameMotion):
    """J̇ u of a body or frame: its acceleration where no speed changes.

    >>> BiasAccelerationOf("tip").label
    'bias_acceleration_tip'
    """

    kind = "bias_acceleration"
    arrays = ("q", "u")


#: What names a function: one of the catalogue by its name, any other by its record.
FunctionKey: TypeAlias = str | Quantity
FunctionKeys: TypeAlias = FunctionKey | Sequence[FunctionKey]


def label_of(key: FunctionKey) -> str:
    """What a function is called in generated code and in messages."""
    return key.label if isinstance(key, Quantity) else key
