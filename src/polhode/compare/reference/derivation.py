"""The reference derivation: all that equations of motion can be compared with, from the model alone.

Virtual power at a unit of each speed: with Π = ∫ r̄ r̄ᵀ dm the 4×4 pseudo-inertia of a body, r̄ = (r, 1), the principle
of d'Alembert and Lagrange is

    Σ_B tr(Ẍ Π δXᵀ) = Σ f·δp + Σ t·δφ - δV + Σ τ δu    for every δX = Ŝ X

so that each force is a 4×4 matrix too: Ẍ Π Xᵀ of a body's inertia, f p̄ᵀ of a force f at p, ½ t̂ of a torque. Those of
all bodies beyond a joint are added up and meet the joint's Ŝ once:

    M_ij = tr(Ŝ_i (Σ X Π Xᵀ) Ŝ_jᵀ),    effort_i = tr((Σ Ẍ Π Xᵀ - …) Ŝ_iᵀ)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from ...expr import Expr, Vector, as_expr, derivative
from ...expr.field import P, inverse
from ...model.body import Body
from ...model.forces.protocol import (
    LENGTH,
    POSITION,
    RATE,
    VELOCITY,
    BodyTorque,
    CoordinateForce,
    LineTension,
    PointForce,
    PotentialEnergy,
    PrimitiveLoad,
    SpeedForce,
)
from ...model.model import Model
from .auxiliary import Choice
from .conditions import Conditions, ConstraintRow
from .evaluate import NotCovered, evaluated, root_of
from .matrices import ZERO, Jet, Rows, added, applied, hat, outer, paired, product, scaled, transposed
from .positions import Positions

_HALF = inverse(2)


@dataclass(frozen=True, eq=False)
class Power:
    """The virtual powers of a mechanism at a state; `coordinates` are all that a potential may depend on."""

    at: Positions
    coordinates: dict[Expr, Jet]

    @cached_property
    def _moving(self) -> list[str]:
        return [name for name, body in self.at.bodies.items() if body.moves]

    def pseudo_inertia(self, body: Body) -> Rows:
        """Π = [∫ r rᵀ dm, m c; m cᵀ, m], with ∫ r rᵀ dm = ½ tr(I) 1 - I + m c cᵀ for I about the mass centre."""
        I = [self.at.numbers(row) for row in body.inertia]
        (m,), c = self.at.numbers([body.mass]), self.at.numbers(body.com)
        half = (I[0][0] + I[1][1] + I[2][2]) * _HALF
        second = [[((half if i == j else 0) - I[i][j] + m * c[i] * c[j]) % P for j in range(3)] for i in range(3)]
        first = [m * entry % P for entry in c]
        return [*([*row, h] for row, h in zip(second, first, strict=True)), [*first, m]]

    @cached_property
    def inertias(self) -> dict[str, Rows]:
        """Π of every body that moves and has mass."""
        table = {}
        for name in self._moving:
            mass, body = self.at.bodies[name].mass, self.at.system.bodies.get(name)
            if mass is not None:
                table[name] = [[0] * 4, [0] * 4, [0] * 4, [0, 0, 0, mass]]
            elif body is not None and not body.is_massless and body.flexibility is None:
                table[name] = self.pseudo_inertia(body)
        return table

    def _beyond(self, own: dict[str, Rows]) -> dict[str, Rows]:
        """For each body the sum over all that it carries."""
        total = dict(own)
        for name in reversed(self._moving):
            parent = self.at.bodies[name].parent
            if name in total and parent in self.at.bodies:
                total[parent] = added(total[parent], total[name]) if parent in total else total[name]
        return total

    @cached_property
    def mass_matrix(self) -> list[list[int]]:
        """M."""
        size = len(self.at.speeds)
        M = [[0] * size for _ in range(size)]
        composites = self._beyond(
            {
                name: product(product(self.at.bodies[name].X, inertia), transposed(self.at.bodies[name].X))
                for name, inertia in self.inertias.items()
            }
        )
        for name, inertia in composites.items():
            body = self.at.bodies[name]
            before = list(body.columns[: len(body.columns) - len(body.own)])
            for k, column in enumerate(body.own):
                pushed = product(column.S, inertia)
                for other in [*before, *body.own[: k + 1]]:
                    if column.speed is not None and other.speed is not None:
                        amount = column.factor * other.factor * paired(pushed, other.S) % P
                        i, j = column.speed, other.speed
                        M[i][j] = (M[i][j] + amount) % P
                        if other is not column:
                            M[j][i] = (M[j][i] + amount) % P
        return M

    @cached_property
    def inertial(self) -> list[int]:
        """Σ tr(Ẍ Π δXᵀ) for each speed."""
        bodies = self.at.bodies
        return self._on_speeds(
            {
                name: product(product(bodies[name].Xdd, inertia), transposed(bodies[name].X))
                for name, inertia in self.inertias.items()
            }
        )

    def _on_speeds(self, forces: dict[str, Rows]) -> list[int]:
        """What forces on bodies, as matrices, do at a unit of each speed."""
        total = [0] * len(self.at.speeds)
        for name, force in self._beyond(forces).items():
            for column in self.at.bodies[name].own:
                if column.speed is not None:
                    power = column.factor * paired(force, column.S)
                    total[column.speed] = (total[column.speed] + power) % P
        return total

    @cached_property
    def kinetic_energy(self) -> int:
        """½ Σ tr(Ẋ Π Ẋᵀ)."""
        rates = {name: self.at.bodies[name].Xd for name in self.inertias}
        return sum(paired(product(Xd, self.inertias[name]), Xd) for name, Xd in rates.items()) * _HALF % P

    @cached_property
    def _gravity(self) -> list[int]:
        return [*self.at.numbers(self.at.system.gravity), 0]

    @cached_property
    def weight(self) -> list[int]:
        """The weight's power: m g c̄ᵀ for each body."""
        bodies, g = self.at.bodies, self._gravity
        return self._on_speeds(
            {name: outer(g, applied(bodies[name].X, inertia[3])) for name, inertia in self.inertias.items()}
        )

    @cached_property
    def _laid(self) -> tuple[dict[str, Rows], list[int], int, list[str]]:
        """What the loads are: matrices on bodies, powers on speeds, energy, and those that cannot be told."""
        forces: dict[str, Rows] = {}
        efforts = [0] * len(self.at.speeds)
        energy, missing = 0, []
        for each in self.at.system.acting:
            try:
                energy += sum(self._lay_out(load, forces, efforts) for load in each.loads)
            except NotCovered as reason:
                missing.append(f"{each.element.place} ({reason})")
        return forces, efforts, energy % P, missing

    def _lay_out(self, load: PrimitiveLoad, forces: dict[str, Rows], efforts: list[int]) -> int:
        """Add what a load does to the bodies and speeds; what it stores is returned."""
        if isinstance(load, SpeedForce):
            return self._on_speed(load, efforts)
        if isinstance(load, CoordinateForce):
            return self._on_coordinate(load, efforts)
        if isinstance(load, PotentialEnergy):
            return self._potential(load, efforts)
        return self._along_line(load, forces) if isinstance(load, LineTension) else self._direct(load, forces)

    @property
    def not_covered(self) -> list[str]:
        """The loads that cannot be evaluated here, with the reason."""
        return self._laid[3]

    @cached_property
    def applied(self) -> list[int]:
        """The power of all loads, weight apart."""
        forces, efforts, _, _ = self._laid
        return [(a + b) % P for a, b in zip(self._on_speeds(forces), efforts, strict=True)]

    @cached_property
    def potential_energy(self) -> int:
        """-Σ m g·c, springs and given potentials."""
        bodies, g = self.at.bodies, self._gravity
        weight = sum(
            sum(a * b for a, b in zip(g, applied(bodies[name].X, inertia[3]), strict=True))
            for name, inertia in self.inertias.items()
        )
        return (self._laid[2] - weight) % P

    @cached_property
    def efforts(self) -> list[int]:
        """τ for the accelerations of the state: inertia less weight less loads."""
        return [(a - b - c) % P for a, b, c in zip(self.inertial, self.weight, self.applied, strict=True)]

    def _direct(self, load: PointForce | BodyTorque, forces: dict[str, Rows]) -> int:
        frame = self.at.frame(load.frame)
        if isinstance(load, PointForce):
            point, moving = self._end(load.body, load.point)
            motion = zip((*POSITION, *VELOCITY), (*point[:3], *moving[:3]), strict=True)
            law = {axis: Jet(entry) for axis, entry in motion}
            force = applied(frame, [*self.at.numbers(load.vector, law), 0])
            _lay(forces, load.body, outer(force, point))
        else:
            torque = applied(frame, [*self.at.numbers(load.vector), 0])
            spun = [[entry * _HALF % P for entry in row] + [0] for row in hat(torque[:3])]
            _lay(forces, load.body, [*spun, [0, 0, 0, 0]])
        return 0

    def _end(self, name: str, point: Vector) -> tuple[list[int], list[int]]:
        """Where a point of a body is in the ground, and its velocity: the body's there, and its own on the body."""
        body, local = self.at.bodies[name], [*self.at.numbers(point), 1]
        own = applied(body.X, [*self.at.numbers(derivative(map(as_expr, point), self.at.system.time)), 0])
        return applied(body.X, local), [(a + b) % P for a, b in zip(applied(body.Xd, local), own, strict=True)]

    def _along_line(self, load: LineTension, forces: dict[str, Rows]) -> int:
        """The tension draws end a to b and b to a: the slope of the stored energy, and what is not elastic."""
        (a, va), (b, vb) = self._end(load.body_a, load.point_a), self._end(load.body_b, load.point_b)
        span = [(y - x) % P for x, y in zip(a, b, strict=True)]
        square = sum(x * x for x in span) % P
        length = root_of(square)
        part = inverse(length)
        rate = sum(x * (y - z) for x, y, z in zip(span, vb, va, strict=True)) * part % P
        squares = {LENGTH: square}
        stored = self.at.moved(load.energy, {LENGTH: Jet(length, 1)}, squares)
        tension = stored.d + self.at.number(load.tension, {LENGTH: Jet(length), RATE: Jet(rate)}, squares)
        pull = [x * tension % P * part % P for x in span]
        _lay(forces, load.body_a, outer(pull, a))
        _lay(forces, load.body_b, scaled(outer(pull, b), -1))
        return stored.x

    def _on_speed(self, load: SpeedForce, efforts: list[int]) -> int:
        rate = self.at.rate_of(self.at.system.joints[load.joint], load.index)
        if rate.speed is not None:
            efforts[rate.speed] = (efforts[rate.speed] + rate.factor * self.at.number(load.value)) % P
        return 0

    def _on_coordinate(self, load: CoordinateForce, efforts: list[int]) -> int:
        """Q δq on the speeds."""
        coordinate, value = self.at.system.joints[load.joint].q[load.index], self.at.number(load.value)
        for speed, slope in evaluated(self.at.meant(coordinate), self.coordinates, order=1).vary.items():
            efforts[speed] = (efforts[speed] + slope * value) % P
        return 0

    def _potential(self, load: PotentialEnergy, efforts: list[int]) -> int:
        """-δV on the speeds; V itself is returned."""
        made = evaluated(self.at.meant(load.energy), self.coordinates, order=1)
        for speed, slope in made.vary.items():
            efforts[speed] = (efforts[speed] - slope) % P
        return made.x


def _lay(forces: dict[str, Rows], body: str, force: Rows) -> None:
    forces[body] = added(forces.get(body, ZERO), force)


@dataclass(frozen=True, eq=False)
class ReferenceDerivation:
    """A mechanism at the pseudo-random point at which its expressions have their fingerprints.

    `choices` tell by which conditions equations define the coordinates that constraints bring with them; `given` has
    the values of speeds and accelerations that are not free.

    >>> import polhode as ph
    >>> s = ph.System("pendulum")
    >>> _ = s.joint("hinge", s.ground, s.body("bob", 2, (0, 0, -3)), ph.Revolute("y"))
    >>> ReferenceDerivation(s.model()).mass_matrix
    [[18]]
    """

    system: Model
    choices: Mapping[str, Choice] = field(default_factory=dict)
    given: Mapping[Expr, int] = field(default_factory=dict)

    @cached_property
    def positions(self) -> Positions:
        return Positions(self.system, self.given)

    @cached_property
    def conditions(self) -> Conditions:
        return Conditions(self.positions, self.choices)

    @cached_property
    def power(self) -> Power:
        return Power(self.positions, self.conditions.coordinates)

    @property
    def speeds(self) -> list[Expr]:
        """The speeds, in the order of all that follows."""
        return self.positions.speeds

    @property
    def mass_matrix(self) -> list[list[int]]:
        """M."""
        return self.power.mass_matrix

    @property
    def efforts(self) -> list[int]:
        """M u̇ + bias, with symbols for u̇."""
        return self.power.efforts

    @cached_property
    def bias(self) -> list[int]:
        """What the efforts are without accelerations."""
        ud = self.positions.ud
        pairs = zip(self.efforts, self.mass_matrix, strict=True)
        return [(effort - sum(m * a for m, a in zip(row, ud, strict=True))) % P for effort, row in pairs]

    @cached_property
    def coordinate_rates(self) -> dict[Expr, int]:
        """q̇, of all coordinates."""
        return {q: jet.d for q, jet in self.conditions.coordinates.items()}

    @property
    def rows(self) -> list[ConstraintRow]:
        """The rows of the constraints."""
        return self.conditions.rows

    def drift(self, row: ConstraintRow) -> int:
        """a of a row."""
        return (row.rate - sum(row.A.get(i, 0) * u for i, u in enumerate(self.positions.u))) % P

    def without_accelerations(self, row: ConstraintRow) -> int:
        """γ of a row."""
        return (row.second - sum(row.A.get(i, 0) * a for i, a in enumerate(self.positions.ud))) % P

    @property
    def not_covered(self) -> list[str]:
        """Loads and constraints that cannot be evaluated here, with the reason."""
        return [*self.power.not_covered, *self.conditions.not_covered]
