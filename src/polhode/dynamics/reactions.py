"""What joints and constraints carry: wrenches by name, at any place and in any frame.

The wrench that a joint passes on is what the motion of all that it carries takes, less what acts there: Newton-Euler's
inward sweep on the mechanism as it was written, with the accelerations and multipliers of the equations put in.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ..constraints import Constraints, Row, constraints_of
from ..constraints.wrenches import ConstraintWrench, acting_wrenches, constraint_wrenches, contact_wrenches
from ..errors import PolhodeError, check_known, unknown
from ..expr import Expr, Matrix, Vector, as_expr, derivative, quiet_collector, substitute
from ..expr.normal_form import tidy
from ..expr.spelling import acceleration_of
from ..expr.typeset import Typeset
from ..geometry import Pose
from ..geometry.twist import Twist, Wrench
from ..kinematics.motion import body_pose, world_poses
from ..kinematics.prescribed import leader_of, moves_in
from ..kinematics.tree import build_tree
from ..model.constraints.protocol import CoordinateConstraint
from ..model.forces.protocol import CoordinateForce, PotentialEnergy, SpeedForce
from ..model.model import Model
from ..model.records import Joint
from .equations import EquationsOfMotion
from .loads import loads_of
from .sweeps import accelerate, inertial_wrenches, transmitted


@dataclass(frozen=True, repr=False)
class Reaction(Typeset):
    """A wrench: torque about a point and force, expressions of q, u, τ and time."""

    torque: Vector
    force: Vector

    def __repr__(self) -> str:
        return f"Reaction(torque={tidy(self.torque)}, force={tidy(self.force)})"

    def _formulas(self) -> list[tuple[str, Vector]]:
        return [(r"\mathbf{M}_{\text{reaction}}", self.torque), (r"\mathbf{F}_{\text{reaction}}", self.force)]


@dataclass(frozen=True)
class Given:
    """Accelerations of all speeds and multipliers of all rows: solved for, or symbols."""

    udot: Vector
    multipliers: Vector


class Reactions:
    """All reactions of a system's equations, from one sweep."""

    def __init__(self, equations: EquationsOfMotion, solved: bool = True, touching: bool = False) -> None:
        self.equations, self.touching = equations, touching  # with contact forces, in symbols
        self.system = equations.system
        tree = build_tree(self.system, welds=True)
        self.constraints: Constraints | None = constraints_of(self.system, tree) if self.system.constraints else None
        self.tree = tree if self.constraints is None else self.constraints.tree
        self.given = self._solved() if solved else self._symbols()
        self.poses = world_poses(self.tree)
        self._wrenches: list[Wrench] | None = None

    def _solved(self) -> Given:
        equations = self.equations
        rows = [] if self.constraints is None else [as_expr(0)] * len(self.constraints.rows)
        if self.constraints is not None and self.constraints.rows:
            for k, value in zip(self.constraints.generic_rows, equations.multipliers, strict=True):
                rows[k] = value
        return Given(equations.accelerations, Vector(rows))

    def _symbols(self) -> Given:
        udot = Vector([acceleration_of(u) for u in self.tree.u])
        return Given(udot, Vector([]) if self.constraints is None else self.constraints.multipliers)

    @property
    def wrenches(self) -> list[Wrench]:
        """For each link what its joint passes on to it, about its origin in its components."""
        if self._wrenches is None:
            external = loads_of(self.system, self.tree).wrenches()
            if self.constraints is not None:
                held, _ = constraint_wrenches(self.system, self.constraints, self.given.multipliers)
                external = [load + hold for load, hold in zip(external, held, strict=True)]
            if self.touching:
                pushes = contact_wrenches(self.system, self.tree)
                external = [load + push for load, push in zip(external, pushes, strict=True)]
            tree = self.tree
            motion = accelerate(tree, tree.u, list(self.given.udot), tree.gravity)
            self._wrenches = transmitted(tree, inertial_wrenches(tree, motion, external))
        return self._wrenches

    def joint(self, name: str, at: str | None = None, frame: str | None = None, on: str | None = None) -> Reaction:
        """Wrench of a joint on its child, or `on` its parent; by default at the joint, in the child's joint frame."""
        joint = self.system.joints[name]
        behind = moves_in(joint.in_child, self.system.time)  # a placement in time: its link is beyond the joint
        i = max(k for k, link in enumerate(self.tree.links) if link.joint == name) - behind
        X = self.poses[i]
        sign = _side(f"joint '{name}'", on, joint.child, joint.parent)
        R = X.R if frame is None else self._frame(frame).R
        return self._seen(self.wrenches[i].turned(X.R) * sign, X.p, at, R)

    def constraint(self, name: str, at: str | None = None, frame: str | None = None, on: str | None = None) -> Reaction:
        """Wrench of a constraint on its second frame, or on the body that rolls; in ground components by default."""
        push = self.acting_wrenches.get(name)
        if push is None:
            message = f"constraint '{name}' acts on no body by itself."
            raise PolhodeError(message, cure="Its multiplier is in equations.multipliers.", code="E-DERIVE-UNSUPPORTED")
        sign = _side(f"constraint '{name}'", on, push.on, push.against)
        R = Matrix.identity(3) if frame is None else self._frame(frame).R
        return self._seen(push.wrench * sign, push.place, at, R)

    @cached_property
    def acting_wrenches(self) -> dict[str, ConstraintWrench]:
        """The wrench of each constraint between bodies."""
        return (
            {} if self.constraints is None else acting_wrenches(self.system, self.constraints, self.given.multipliers)
        )

    def driving_force(self, coordinate: str) -> Expr:
        """The effort of a prescribed coordinate and its followers, beyond loads and conditions on these joints."""
        prescribed = self.system.prescribed
        check_known("prescribed coordinate", [coordinate], prescribed, code="E-DERIVE-NAME")
        joint = self.system.joints[prescribed[coordinate].joint]
        index = [q.name for q in joint.q].index(coordinate)
        effort: Any = self._own_effort(joint, index)
        for name in self.system.couplings:
            follower = self.system.joints[name]
            leader, ratio = leader_of(self.system, name)
            if leader is joint:
                effort = effort + ratio * self._own_effort(follower, 0)
        return as_expr(self.in_independent_speeds(substitute([as_expr(effort)], self.tree.followed))[0])

    def _own_effort(self, joint: Joint, index: int) -> Any:
        """The transmitted wrench along one coordinate, less loads and conditions there."""
        first = min(k for k, link in enumerate(self.tree.links) if link.joint == joint.name and not link.is_placement)
        i = first + joint.type.from_parent.index(_stage_of_coordinate(joint.type.stages, index))
        effort = self.wrenches[i].power(Twist.of(self.tree.links[i].stage.H.columns[0]))
        per_speed = (1 + joint.q[index] ** 2) / 2 if joint.stores_tangent(index) else 1  # what the coordinate does
        for load in self.system.primitive_loads:
            if isinstance(load, SpeedForce) and load.joint == joint.name and load.index == index:
                effort = effort - load.value
            if isinstance(load, CoordinateForce) and load.joint == joint.name and load.index == index:
                effort = effort - per_speed * load.value
            if isinstance(load, PotentialEnergy):
                effort = effort + per_speed * derivative([load.energy], joint.q[index])[0]
        for row, value, multiplier in self.conditions:
            along, rate = (joint.q[index], per_speed) if row.is_position else (joint.u[index], 1)
            effort = effort - multiplier * rate * derivative([value], along)[0]
        return effort

    @cached_property
    def conditions(self) -> list[tuple[Row, Expr, Any]]:
        """The conditions on coordinates that are not kept by the tree itself, each with its multiplier."""
        conditions = []
        for row, multiplier in (
            [] if self.constraints is None else zip(self.constraints.rows, self.given.multipliers, strict=True)
        ):
            record = self.system.constraints[row.of]
            if isinstance(record, CoordinateConstraint):
                value = record.positions[row.part] if row.is_position else record.speeds[row.part]
                conditions.append((row, value, multiplier))
        return conditions

    def _seen(self, wrench: Wrench, place: Vector, at: str | None, R: Matrix) -> Reaction:
        """A wrench about a point in ground components, moved to another point and other components."""
        if at is not None:
            wrench = wrench.about(place - self._frame(at).p)
        return Reaction(*map(self.in_independent_speeds, wrench.turned(R.T)))

    def in_independent_speeds(self, entries: Sequence[Any]) -> Vector:
        """Expressions of all speeds, in the speeds of the equations."""
        return self.equations.in_independent_speeds([as_expr(entry) for entry in entries])

    def _frame(self, name: str) -> Pose:
        if isinstance(name, str) and name in self.system.frames:
            record = self.system.frames[name]
            return body_pose(self.tree, record.body, self.poses) @ record.pose
        if not isinstance(name, str) or name not in self.tree.bodies:
            raise unknown("body or frame", name, [*self.tree.bodies, *self.system.frames], code="E-DERIVE-NAME")
        return body_pose(self.tree, name, self.poses)


def _side(what: str, on: str | None, first: str, second: str) -> int:
    """1 for the first body of a pair, -1 for the second."""
    if on is not None and (not isinstance(on, str) or on not in (first, second)):
        message = f"{what} does not act on '{on}'."
        raise PolhodeError(message, cure=f"It acts on '{first}' and on '{second}'.", code="E-DERIVE-UNSUPPORTED")
    return -1 if on == second != first else 1


def _stage_of_coordinate(stages: Sequence[Any], index: int) -> int:
    for k, stage in enumerate(stages):
        if index < stage.coordinates:
            return k
        index -= stage.coordinates
    return 0


@quiet_collector()
def reaction(
    equations: EquationsOfMotion,
    name: str,
    at: str | None = None,
    frame: str | None = None,
    on: str | None = None,
    solved: bool = True,
    touching: bool = False,
) -> Reaction:
    """The wrench of a joint or a constraint; unless `solved`, in symbols of accelerations and multipliers.

    If `touching`, contacts act, with symbols for their forces.
    """
    check_name(equations.system, name)
    reactions = Reactions(equations, solved, touching)
    of = reactions.joint if name in equations.system.joints else reactions.constraint
    return of(name, at, frame, on)


def check_name(model: Model, name: str) -> None:
    """Raise unless there is a joint, or a constraint between bodies, with this name."""
    if isinstance(name, str) and name in model.joints:
        return
    if isinstance(name, str) and name in model.contacts:
        cure = f"Its forces along a run are in run.contact({name!r})."
        raise PolhodeError(f"'{name}' is no joint or constraint.", f"reaction '{name}'", cure, "E-DERIVE-NAME")
    if not isinstance(name, str) or name not in model.constraints:
        raise unknown("joint or constraint", name, [*model.joints, *model.constraints], code="E-DERIVE-NAME")
    if not model.constraints[name].bodies:
        cure = "Its multiplier is in equations.multipliers."
        raise PolhodeError(f"the condition '{name}' acts on no body by itself.", cure=cure, code="E-DERIVE-UNSUPPORTED")
