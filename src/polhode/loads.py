"""What a System's loads come to: wrenches on links, forces on speeds, and potential energy.

Each formalism takes what it needs: the recursive ones wrenches and forces, Poincaré's the potential energy.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from .expr import Expr, Vector, as_expr, derivative, free_symbols, gradient, sqrt, substitute
from .geometry import Pose
from .kinematics.motion import body_pose, centre_of_mass, point_velocity, velocities, world_poses
from .kinematics.tree import BASE, Tree
from .model.force import BodyTorque, JointForce, PointForce, PointSpring, Potential
from .model.system import System

Wrench = tuple[Vector, Vector]


@dataclass(frozen=True)
class Loads:
    """The loads of a system on its tree."""

    system: System
    tree: Tree

    def _given(self, value: Any) -> Any:
        """What the user wrote, with the symbols of coupled joints as what they follow."""
        if not self.tree.followed:
            return value
        if isinstance(value, Vector):
            return Vector(substitute(value, self.tree.followed))
        return substitute([value], self.tree.followed)[0]

    @cached_property
    def _poses(self) -> list[Pose]:
        return world_poses(self.tree)

    def _frame_pose(self, name: str) -> Pose:
        if name in self.system.bodies:
            return body_pose(self.tree, name, self._poses)
        frame = self.system.frames[name]
        return body_pose(self.tree, frame.body, self._poses) @ frame.pose

    @cached_property
    def springs(self) -> list[PointSpring]:
        return [load for load in self.system.loads if isinstance(load, PointSpring)]

    def wrenches(self, conservative: bool = True) -> list[Wrench]:
        """For each link the torque about its origin and the force on it, in link components, gravity apart.

        Without `conservative` the elastic part of springs is left out (it is in the potential energy).
        """
        zero = Vector([0, 0, 0])
        table: list[Wrench] = [(zero, zero) for _ in self.tree.links]
        for load in self.system.loads:
            if isinstance(load, PointForce):
                self._push(table, load.body, load.point, self.in_ground(load))
            elif isinstance(load, BodyTorque):
                place, _ = self.tree.bodies[load.body]
                if place != BASE:
                    torque = self._poses[place].R.T @ self.in_ground(load)
                    table[place] = (table[place][0] + torque, table[place][1])
        for spring in self.springs:
            pull = self.spring_pull(spring, conservative)
            self._push(table, spring.body_a, spring.point_a, pull)
            self._push(table, spring.body_b, spring.point_b, -pull)
        return table

    def _push(self, table: list[Wrench], body: str, point: Vector, force_in_ground: Vector) -> None:
        place, X = self.tree.bodies[body]
        if place != BASE:
            force = self._poses[place].R.T @ force_in_ground
            table[place] = (table[place][0] + X.point(point).cross(force), table[place][1] + force)

    def _span(self, spring: PointSpring) -> tuple[Vector, Any]:
        """From end a to end b in ground components, and its length."""
        span = body_pose(self.tree, spring.body_b, self._poses).point(spring.point_b)
        span = span - body_pose(self.tree, spring.body_a, self._poses).point(spring.point_a)
        return span, sqrt(as_expr(span.dot(span)))

    def in_ground(self, load: PointForce | BodyTorque) -> Vector:
        """A given force or torque in ground components."""
        return Vector(self._frame_pose(load.frame).R @ self._given(load.vector))

    def spring_pull(self, spring: PointSpring, conservative: bool = True) -> Vector:
        """The force on end a, towards b, in ground components: (k (L - L0) + c L̇) span/L, with L̇ = span·rate/L."""
        span, length = self._span(spring)
        tension: Any = spring.stiffness * (length - spring.length) if conservative else as_expr(0)
        if spring.damping:
            rate = self._ground_velocity(spring.body_b, spring.point_b)
            rate = rate - self._ground_velocity(spring.body_a, spring.point_a)
            tension = tension + spring.damping * (span.dot(rate) / length)
        return Vector([component * (tension / length) for component in span])

    @cached_property
    def _velocities(self) -> list[Wrench]:
        return velocities(self.tree)

    def _ground_velocity(self, body: str, point: Vector) -> Vector:
        place, _ = self.tree.bodies[body]
        _, v = point_velocity(self.tree, body, point, self._velocities)
        return v if place == BASE else Vector(self._poses[place].R @ v)

    def speed_forces(self, conservative: bool = True) -> list[Any]:
        """For each speed the sum of the generalized forces given on it; potentials by -Γᵀ ∂V/∂q."""
        total: list[Any] = [as_expr(0)] * len(self.tree.u)
        index = {name: place for place, name in enumerate(self.tree.speeds)}
        for load in self.system.loads:
            if isinstance(load, JointForce):
                own = self.system.joints[load.joint].u[load.index]
                for leader, ratio in self._led_by(own):
                    total[index[leader]] = total[index[leader]] + ratio * self._given(load.value)
        if conservative and self.given_potential:
            slope = gradient(self.given_potential, list(self.tree.q))
            for speed, column in enumerate(self.tree.kinematic_matrix().columns):
                total[speed] = total[speed] - column.dot(slope)
        return total

    def _led_by(self, speed: Expr) -> list[tuple[str, Any]]:
        """The speed of the equations that a joint's speed is, and their ratio."""
        if speed not in self.tree.followed:
            return [(speed.name, as_expr(1))]
        meaning = self.tree.followed[speed]
        return [(u.name, derivative([meaning], u)[0]) for u in free_symbols([meaning]) if u in self.tree.u]

    @property
    def given_potential(self) -> Any:
        """The sum of the potentials that the user gave."""
        total: Any = as_expr(0)
        for load in self.system.loads:
            if isinstance(load, Potential):
                total = total + self._given(load.energy)
        return total

    @cached_property
    def potential_energy(self) -> Any:
        """Gravity, given potentials and springs: V = -g·Σ m c + …"""
        _, moment = centre_of_mass(self.tree)
        total = as_expr(-self.tree.gravity.dot(moment)) + self.given_potential
        for spring in self.springs:
            _, length = self._span(spring)
            total = total + spring.stiffness * (length - spring.length) ** 2 / 2
        return total
