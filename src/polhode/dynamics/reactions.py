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
from ..constraints.wrenches import Push, constraint_wrenches, pushes
from ..errors import PolhodeError, unknown
from ..expr import Expr, Matrix, Vector, as_expr, derivative, quiet_collector, substitute
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
from ..registry import registered
from .equations import EquationsOfMotion
from .loads import loads_of


@dataclass(frozen=True, repr=False)
class Reaction(Typeset):
    """A wrench: the torque about a place, and the force; expressions of q, u, τ and time."""

    torque: Vector
    force: Vector

    def __repr__(self) -> str:
        return f"Reaction(torque={self.torque}, force={self.force})"

    def _formulas(self) -> list[tuple[str, Vector]]:
        return [("M", self.torque), ("F", self.force)]


@dataclass(frozen=True)
class Given:
    """Accelerations of all speeds and multipliers of all rows: solved for, or symbols to be filled in."""

    udot: Vector
    multipliers: Vector


class Reactions:
    """Every reaction of a system's equations; the sweep is made once."""

    def __init__(self, equations: EquationsOfMotion, solved: bool = True) -> None:
        self.equations = equations
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
                external = [given + own for given, own in zip(external, held, strict=True)]
            tree = self.tree
            newton_euler = registered("Reactions.wrenches")
            motion = newton_euler.accelerate(tree, tree.u, list(self.given.udot), tree.gravity)
            self._wrenches = newton_euler.transmitted(tree, newton_euler.inertial_wrenches(tree, motion, external))
        return self._wrenches

    def joint(self, name: str, at: str | None = None, frame: str | None = None, on: str | None = None) -> Reaction:
        """What a joint exerts on its child, or `on` its parent; by default at the joint, in the child's joint frame."""
        joint = self.system.joints[name]
        behind = moves_in(joint.in_child, self.system.time)  # a placement in time: its link is beyond the joint
        i = max(k for k, link in enumerate(self.tree.links) if link.joint == name) - behind
        X = self.poses[i]
        sign = _side(f"joint '{name}'", on, joint.child, joint.parent)
        R = X.R if frame is None else self._frame(frame).R
        return self._seen(self.wrenches[i].turned(X.R) * sign, X.p, at, R)

    def constraint(self, name: str, at: str | None = None, frame: str | None = None, on: str | None = None) -> Reaction:
        """What a constraint exerts on its second frame, or on the body that rolls; in ground components by default."""
        push = self.pushes.get(name)
        if push is None:
            message = f"constraint '{name}' acts on no body by itself."
            raise PolhodeError(message, cure="Its multiplier is in equations.multipliers.", code="E-DERIVE-UNSUPPORTED")
        sign = _side(f"constraint '{name}'", on, push.on, push.against)
        R = Matrix.identity(3) if frame is None else self._frame(frame).R
        return self._seen(push.wrench * sign, push.place, at, R)

    @cached_property
    def pushes(self) -> dict[str, Push]:
        """What each constraint between bodies does to them."""
        return {} if self.constraints is None else pushes(self.system, self.constraints, self.given.multipliers)

    def driving_force(self, coordinate: str) -> Expr:
        """The effort that moves a prescribed coordinate, and what follows it, as prescribed.

        It comes beyond the loads, springs and conditions that act on these joints.
        """
        prescribed = self.system.prescribed
        if not isinstance(coordinate, str) or coordinate not in prescribed:
            raise unknown("prescribed coordinate", coordinate, prescribed, code="E-DERIVE-NAME")
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
        """What a joint passes on along one coordinate, less what loads and conditions give there."""
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
        made = []
        for row, multiplier in (
            [] if self.constraints is None else zip(self.constraints.rows, self.given.multipliers, strict=True)
        ):
            record = self.system.constraints[row.of]
            if isinstance(record, CoordinateConstraint):
                value = record.positions[row.part] if row.is_position else record.speeds[row.part]
                made.append((row, value, multiplier))
        return made

    def _seen(self, wrench: Wrench, place: Vector, at: str | None, R: Matrix) -> Reaction:
        """A wrench given in ground components about a place, about another place in other components."""
        if at is not None:
            wrench = wrench.about(place - self._frame(at).p)
        return Reaction(*map(self.in_independent_speeds, wrench.turned(R.T)))

    def in_independent_speeds(self, entries: Sequence[Any]) -> Vector:
        """Expressions of all speeds, in the speeds of the equations."""
        return self.equations.in_independent_speeds([as_expr(entry) for entry in entries])

    def _frame(self, name: str) -> Pose:
        if isinstance(name, str) and name in self.system.frames:
            found = self.system.frames[name]
            return body_pose(self.tree, found.body, self.poses) @ found.pose
        if not isinstance(name, str) or name not in self.tree.bodies:
            raise unknown("body or frame", name, [*self.tree.bodies, *self.system.frames], code="E-DERIVE-NAME")
        return body_pose(self.tree, name, self.poses)


def _side(what: str, on: str | None, first: str, second: str) -> int:
    """1 for the body on which a wrench is told, -1 for the other one."""
    if on is not None and (not isinstance(on, str) or on not in (first, second)):
        raise PolhodeError(
            f"{what} does not act on '{on}'.",
            cure=f"It acts on '{first}' and on '{second}'.",
            code="E-DERIVE-UNSUPPORTED",
        )
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
) -> Reaction:
    """The wrench that a joint or a constraint carries; unless `solved`, by symbols of accelerations and multipliers.

    >>> import polhode as ph
    >>> s = ph.System("hung", gravity=(0, 0, -10))
    >>> _ = s.joint("hook", s.ground, s.body("weight", 2, com=(0, 0, -1)))
    >>> reaction(s.derive().record, "hook").force
    Vector([0, 0, 20])
    """
    check_name(equations.system, name)
    made = Reactions(equations, solved)
    of = made.joint if name in equations.system.joints else made.constraint
    return of(name, at, frame, on)


def check_name(system: Model, name: str) -> None:
    """Raise unless there is a joint, or a constraint between bodies, with this name."""
    if isinstance(name, str) and name in system.joints:
        return
    if not isinstance(name, str) or name not in system.constraints:
        raise unknown("joint or constraint", name, [*system.joints, *system.constraints], code="E-DERIVE-NAME")
    if not system.constraints[name].bodies:
        cure = "Its multiplier is in equations.multipliers."
        raise PolhodeError(f"the condition '{name}' acts on no body by itself.", cure=cure, code="E-DERIVE-UNSUPPORTED")
