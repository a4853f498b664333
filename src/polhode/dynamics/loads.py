"""What a model's loads come to: wrenches on links, forces on speeds, and potential energy.

Each formalism takes what it needs: the recursive ones wrenches and forces, Poincaré's the potential energy. A vector
goes from the link where it was given to the link where it acts joint by joint, never further in than both need.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ..expr import Expr, Vector, as_expr, derivative, free_symbols, gradient, sqrt, substitute
from ..kinematics.between import carried, carried_point, meeting
from ..kinematics.motion import centre_of_mass
from ..kinematics.tree import BASE, Tree
from ..model.force import (
    LENGTH,
    POSITION,
    RATE,
    BodyTorque,
    GravityField,
    JointForce,
    LineForce,
    Load,
    PointForce,
    PointSpring,
    Potential,
)
from ..model.model import Model
from ..model.records import GROUND

Wrench = tuple[Vector, Vector]


@dataclass(frozen=True)
class Line:
    """The line from an end a to an end b, in the components of the outermost link that carries both."""

    place: int
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
    """The loads of a system on its tree."""

    system: Model
    tree: Tree

    def _given(self, value: Any) -> Any:
        """What the user wrote, with the symbols of coupled joints as what they follow."""
        if not self.tree.followed:
            return value
        if isinstance(value, Vector):
            return Vector(substitute([as_expr(entry) for entry in value], self.tree.followed))
        return substitute([value], self.tree.followed)[0]

    @cached_property
    def springs(self) -> list[PointSpring]:
        return [load for load in self.system.loads if isinstance(load, PointSpring)]

    def wrenches(self, conservative: bool = True) -> list[Wrench]:
        """For each link the torque about its origin and the force on it, in link components, gravity apart.

        Without `conservative` the elastic part of springs is left out (it is in the potential energy).
        """
        return self.wrenches_of(self.system.loads, conservative)

    def wrenches_of(self, loads: Iterable[Load], conservative: bool = True) -> list[Wrench]:
        """The same of some loads alone."""
        zero = Vector([0, 0, 0])
        table: list[Wrench] = [(zero, zero) for _ in self.tree.links]
        for load in loads:
            if isinstance(load, PointForce):
                self._push(table, load.body, self._given(load.point), *self._in_link(load))
            elif isinstance(load, BodyTorque):
                place, _ = self.tree.bodies[load.body]
                if place != BASE:
                    vector, origin = self._in_link(load)
                    torque = carried(self.tree, vector, origin, place)
                    table[place] = (table[place][0] + torque, table[place][1])
            elif isinstance(load, PointSpring | LineForce):
                self._pull(table, load, conservative)
            elif isinstance(load, GravityField):
                for force in self.attractions(load):
                    self._push(table, force.body, force.point, *self._in_link(force))
        return table

    def _in_link(self, load: PointForce | BodyTorque) -> tuple[Vector, int]:
        """The vector of a load in the components of the link in which it was given, and that link."""
        frame = self.system.frames.get(load.frame)
        place, X = self.tree.bodies[load.frame if frame is None else frame.body]
        vector = self._given(load.vector)
        return X.R @ (vector if frame is None else frame.pose.R @ vector), place

    def in_ground(self, load: PointForce | BodyTorque) -> Vector:
        """A given force or torque in ground components."""
        return carried(self.tree, *self._in_link(load), BASE)

    def pull_in_ground(self, load: PointSpring | LineForce) -> Vector:
        """The force on end a, towards b, in ground components."""
        line = self._line(load)
        return carried(self.tree, line.span * (self._tension(load, line, True) / line.length), line.place, BASE)

    def _push(self, table: list[Wrench], body: str, point: Vector, force: Vector, origin: int) -> None:
        """Add a force, given in the components of a link, at a point of a body."""
        place, X = self.tree.bodies[body]
        if place != BASE:
            own = carried(self.tree, force, origin, place)
            table[place] = (table[place][0] + X.point(point).cross(own), table[place][1] + own)

    def _line(self, load: PointSpring | LineForce) -> Line:
        (place_a, X_a), (place_b, X_b) = self.tree.bodies[load.body_a], self.tree.bodies[load.body_b]
        top = meeting(self.tree, place_a, place_b)
        a, v_a = carried_point(self.tree, X_a.point(self._given(load.point_a)), place_a, top)
        b, v_b = carried_point(self.tree, X_b.point(self._given(load.point_b)), place_b, top)
        return Line(top, b - a, v_b - v_a)

    def _pull(self, table: list[Wrench], load: PointSpring | LineForce, conservative: bool) -> None:
        """The tension on end a towards b, and against it on b."""
        line = self._line(load)
        tension = self._tension(load, line, conservative)
        if not tension:
            return
        pull = line.span * (tension / line.length)
        self._push(table, load.body_a, self._given(load.point_a), pull, line.place)
        self._push(table, load.body_b, self._given(load.point_b), -pull, line.place)

    def _tension(self, load: PointSpring | LineForce, line: Line, conservative: bool) -> Any:
        """k (L - L0) + c L̇, or what the law of a line force says."""
        if isinstance(load, LineForce):
            return substitute([self._given(load.tension)], {LENGTH: line.length, RATE: line.rate})[0]
        tension: Any = load.stiffness * (line.length - load.length) if conservative else as_expr(0)
        return tension + load.damping * line.rate if load.damping else tension

    def attractions(self, field: GravityField) -> list[PointForce]:
        """A field of gravity as forces: m g(r) at the mass centre of every body that moves."""
        made = []
        for body in self.system.bodies.values():
            place, X = self.tree.bodies[body.name]
            if place != BASE and body.mass:
                centre, _ = carried_point(self.tree, X.point(body.com), place, BASE)
                here = dict(zip(POSITION, centre, strict=True))
                pull = Vector(substitute(self._given(field.acceleration), here)) * body.mass
                made.append(PointForce(field.name, body.name, body.com, pull, GROUND))
        return made

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
                total = total + self.stored(load)
        return total

    def stored(self, load: Load) -> Any:
        """The energy that a spring or a given potential holds; nothing in other loads."""
        if isinstance(load, Potential):
            return self._given(load.energy)
        if isinstance(load, PointSpring):
            return load.stiffness * (self._line(load).length - load.length) ** 2 / 2
        return as_expr(0)

    @property
    def weight_energy(self) -> Any:
        """-g·Σ m c."""
        _, moment = centre_of_mass(self.tree)
        return as_expr(-self.tree.gravity.dot(moment))

    @cached_property
    def potential_energy(self) -> Any:
        """Gravity, given potentials and springs: V = -g·Σ m c + …"""
        total = self.weight_energy + self.given_potential
        for spring in self.springs:
            total = total + self.stored(spring)
        return total
