"""What a model's loads come to: wrenches on links, forces on speeds, and potential energy.

Each formalism takes what it needs: the recursive ones wrenches and forces, Poincaré's the potential energy. A vector
goes from the link where it was given to the link where it acts joint by joint, never further in than both need.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ..expr import Expr, Vector, as_expr, derivative, free_symbols, gradient, jacobian, sqrt, substitute
from ..geometry.twist import Twist, Wrench
from ..kinematics.motion import centre_of_mass, link_jacobian
from ..kinematics.tree import BASE, Tree
from ..kinematics.tree_paths import common_ancestor, point_seen_from, re_expressed
from ..model.forces.protocol import (
    LENGTH,
    POSITION,
    RATE,
    VELOCITY,
    BodyTorque,
    CoordinateForce,
    EnergyStore,
    LineTension,
    PointForce,
    PotentialEnergy,
    PrimitiveLoad,
    SpeedForce,
)
from ..model.model import Model


@dataclass(frozen=True)
class Line:
    """The line from an end a to an end b, in the components of the outermost link that carries both."""

    link: int
    span: Vector
    spreading: Vector

    @cached_property
    def length(self) -> Any:
        return sqrt(as_expr(self.span.dot(self.span)))

    @cached_property
    def rate(self) -> Any:
        """L̇ = span · (v_b - v_a)/L."""
        return self.span.dot(self.spreading) / self.length


@dataclass(frozen=True)
class Loads:
    """The loads of a model on its tree; `loads_of` makes them once for both."""

    model: Model
    tree: Tree

    def _followed(self, value: Any) -> Any:
        """A user's expressions with the symbols of coupled joints substituted."""
        if not self.tree.followed:
            return value
        if isinstance(value, Vector):
            return Vector(substitute([as_expr(entry) for entry in value], self.tree.followed))
        return substitute([value], self.tree.followed)[0]

    def wrenches(self, conservative: bool = True) -> list[Wrench]:
        """For each link torque about its origin and force, in link components, without gravity."""
        return self.wrenches_of(self.model.primitive_loads, conservative)

    def wrenches_of(self, loads: Iterable[PrimitiveLoad], conservative: bool = True) -> list[Wrench]:
        """The same of some loads alone."""
        table = [Wrench.zero() for _ in self.tree.links]
        for load in loads:
            if isinstance(load, PointForce):
                if load.energy is None or conservative:
                    self._push(table, load.body, self._followed(load.point), *self._in_link(load))
            elif isinstance(load, BodyTorque):
                i, _ = self.tree.bodies[load.body]
                if i != BASE:
                    vector, origin = self._in_link(load)
                    torque = re_expressed(self.tree, vector, origin, i)
                    table[i] = Wrench(table[i].angular + torque, table[i].linear)
            elif isinstance(load, LineTension):
                self._pull(table, load, conservative)
        return table

    def _in_link(self, load: PointForce | BodyTorque) -> tuple[Vector, int]:
        """The vector of a load in the components of the link in which it was given, and that link."""
        frame = self.model.frames.get(load.frame)
        i, X = self.tree.bodies[load.frame if frame is None else frame.body]
        vector = self._followed(load.vector)
        if isinstance(load, PointForce):
            vector = self._at_point(load, vector)
        return X.R @ (vector if frame is None else frame.pose.R @ vector), i

    def _at_point(self, load: PointForce, law: Vector) -> Vector:
        """A law of position and velocity at those of the point."""
        if not {*POSITION, *VELOCITY} & {*free_symbols([as_expr(entry) for entry in law])}:
            return law
        position, velocity = self._seen(load.body, load.point, BASE)
        here = dict(zip((*POSITION, *VELOCITY), map(as_expr, (*position, *velocity)), strict=True))
        return Vector(substitute([as_expr(entry) for entry in law], here))

    def in_ground(self, load: PointForce | BodyTorque | LineTension) -> tuple[Vector, Vector]:
        """Force and torque on the body at the point where they act, for a tension on its end a; ground components."""
        zero = Vector([0, 0, 0])
        if isinstance(load, LineTension):
            line = self._line(load)
            pull = line.span * (self._tension(load, line, True) / line.length)
            return re_expressed(self.tree, pull, line.link, BASE), zero
        vector = re_expressed(self.tree, *self._in_link(load), BASE)
        return (vector, zero) if isinstance(load, PointForce) else (zero, vector)

    def _push(self, table: list[Wrench], body: str, point: Vector, force: Vector, origin: int) -> None:
        """Add a force, given in the components of a link, at a point of a body."""
        i, X = self.tree.bodies[body]
        if i != BASE:
            at_body = re_expressed(self.tree, force, origin, i)
            table[i] = table[i] + Wrench(X.point(point).cross(at_body), at_body)

    def _line(self, load: LineTension) -> Line:
        top = common_ancestor(self.tree, *(self.tree.bodies[body][0] for body in (load.body_a, load.body_b)))
        a, v_a = self._seen(load.body_a, load.point_a, top)
        b, v_b = self._seen(load.body_b, load.point_b, top)
        return Line(top, b - a, v_b - v_a)

    def _seen(self, body: str, point: Vector, inner: int) -> tuple[Vector, Vector]:
        """Position and velocity of a body's point relative to a link further in, with its own motion on the body."""
        i, X = self.tree.bodies[body]
        own_velocity = Vector(derivative([as_expr(entry) for entry in point], self.model.time))
        return point_seen_from(self.tree, X.point(self._followed(point)), X.R @ self._followed(own_velocity), i, inner)

    def _pull(self, table: list[Wrench], load: LineTension, conservative: bool) -> None:
        """The tension on end a towards b, and against it on b."""
        line = self._line(load)
        tension = self._tension(load, line, conservative)
        if not tension:
            return
        pull = line.span * (tension / line.length)
        self._push(table, load.body_a, self._followed(load.point_a), pull, line.link)
        self._push(table, load.body_b, self._followed(load.point_b), -pull, line.link)

    def _tension(self, load: LineTension, line: Line, conservative: bool) -> Any:
        """The laws of a tension for this line."""
        law = self._followed(load.elastic + load.tension if conservative else load.tension)
        return substitute([law], {LENGTH: line.length, RATE: line.rate})[0]

    def speed_forces(self, conservative: bool = True) -> list[Any]:
        """For each speed the sum of the forces given on it; those on coordinates by Γᵀ Q, potentials by -Γᵀ ∂V/∂q."""
        total: list[Any] = [as_expr(0)] * len(self.tree.u)
        index = {name: i for i, name in enumerate(self.tree.speeds)}
        for load in self.model.primitive_loads:
            if isinstance(load, SpeedForce):
                at_joint = self.model.joints[load.joint].u[load.index]
                for leader, ratio in self.leading_speed(at_joint):
                    total[index[leader]] = total[index[leader]] + ratio * self._followed(load.value)
            elif isinstance(load, CoordinateForce):
                (row,) = jacobian([self._followed(self.model.joints[load.joint].q[load.index])], list(self.tree.q))
                for speed, rate in enumerate(self.tree.kinematic_matrix().T @ row):
                    total[speed] = total[speed] + rate * self._followed(load.value)
        if conservative and self.given_potential:
            slope = gradient(self.given_potential, list(self.tree.q))
            for speed, column in enumerate(self.tree.kinematic_matrix().columns):
                total[speed] = total[speed] - column.dot(slope)
        return total

    def generalized_forces(self, conservative: bool = True) -> list[Any]:
        """Generalised forces without gravity and efforts: forces on speeds, and wrenches by the links' Jacobians."""
        total = self.speed_forces(conservative)
        for i, wrench in enumerate(self.wrenches(conservative)):
            if any(wrench.six):
                for speed, w, v in link_jacobian(self.tree, i):
                    total[speed] = wrench.power(Twist(w, v), total[speed])
        return total

    def leading_speed(self, speed: Expr) -> list[tuple[str, Any]]:
        """The speed of the equations that determines a joint's speed, and their ratio."""
        if speed not in self.tree.followed:
            return [(speed.name, as_expr(1))]
        meaning = self.tree.followed[speed]
        return [(u.name, derivative([meaning], u)[0]) for u in free_symbols([meaning]) if u in self.tree.u]

    @property
    def given_potential(self) -> Any:
        """The sum of the potential energies of the coordinates."""
        loads = (load for load in self.model.primitive_loads if isinstance(load, PotentialEnergy))
        return sum((self.stored(load) for load in loads), start=as_expr(0))

    def stored(self, load: EnergyStore) -> Any:
        """The energy that a load holds."""
        if isinstance(load, PointForce):
            return as_expr(0) if load.energy is None else self._at_point(load, Vector([load.energy]))[0]
        energy = self._followed(load.energy)
        if isinstance(load, LineTension) and energy:
            energy = substitute([energy], {LENGTH: self._line(load).length})[0]
        return energy

    @property
    def weight_energy(self) -> Any:
        """-g·Σ m c."""
        _, moment = centre_of_mass(self.tree)
        return as_expr(-self.tree.gravity.dot(moment))

    @cached_property
    def potential_energy(self) -> Any:
        """Gravity, potentials of coordinates and fields, and energy of stretched lines: V = -g·Σ m c + …"""
        loads = (load for load in self.model.primitive_loads if isinstance(load, LineTension | PointForce))
        return sum((self.stored(load) for load in loads), start=self.weight_energy + self.given_potential)


def loads_of(model: Model, tree: Tree) -> Loads:
    """The loads of a model on a tree, cached with the tree."""
    loads = vars(tree).get("_loads")
    if not isinstance(loads, Loads) or loads.model is not model:
        loads = vars(tree)["_loads"] = Loads(model, tree)
    return loads
