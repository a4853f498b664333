"""Where every body is and how it moves, in the prime field: positions by products of motions, rates by Leibniz's rule.

    X = X_parent C X_joint C'⁻¹,    Ẋ = …,    Ẍ = …    4×4 matrices, with C, C' where the joint sits in its bodies

At a unit of one speed, all that lies beyond its joint moves as one: δX_B = Ŝ X_B with one Ŝ for all those bodies B.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol

from ...expr import Expr, Matrix, Vector, as_expr, atan, derivative, substitute
from ...expr.field import P
from ...expr.spelling import acceleration_of
from ...model.model import Model
from ...model.records import GROUND, Joint
from .evaluate import Symbols, evaluated
from .jet import Jet
from .material import particles
from .matrices import IDENTITY, ZERO, Rows, added, motion, product, scaled, summed, transposed, undone
from .stage import Placed


class Placement(Protocol):
    """Where a user put something: a rotation matrix and an origin."""

    @property
    def R(self) -> Matrix: ...
    @property
    def p(self) -> Vector: ...


@dataclass(frozen=True, eq=False)
class Column:
    """One way in which a joint moves: Ŝ in the ground, and its rate, factor · a speed of the mechanism or known."""

    S: Rows
    speed: int | None  # its index among the speeds; None if the motion is prescribed
    factor: int


@dataclass(frozen=True, eq=False)
class Moving:
    """A body: X, Ẋ and Ẍ in the ground, and the columns that move it, from the ground outward."""

    name: str
    parent: str
    X: Rows
    Xd: Rows
    Xdd: Rows
    own: tuple[Column, ...]  # those of the joint that carries it
    columns: tuple[Column, ...]
    moves: bool  # whether any joint that is no weld lies between it and the ground
    mass: int | None = None  # of a particle of a flexible body; the model says it of all else

    @property
    def R(self) -> Rows:
        return [row[:3] for row in self.X[:3]]


@dataclass(frozen=True)
class Rate:
    """The rate of a joint's coordinate: factor · a speed, or a known function of time with its own rate."""

    speed: int | None
    factor: int
    value: int
    rate: int


@dataclass(frozen=True, eq=False)
class Positions:
    """The mechanism at one state of the field; `given` has the values of symbols that are not their own."""

    system: Model
    given: Mapping[Expr, int] = field(default_factory=dict)

    @cached_property
    def joints(self) -> list[Joint]:
        """Each after the one that carries its parent."""
        reached, order, rest = {GROUND}, [], list(self.system.joints.values())
        while rest:
            ready = [joint for joint in rest if joint.parent in reached]
            if not ready:
                break
            order += ready
            reached |= {joint.child for joint in ready}
            rest = [joint for joint in rest if joint.child not in reached]
        return order

    @cached_property
    def known(self) -> dict[Expr, Expr]:
        """What the symbols of joints that follow others, or whose motion is prescribed, stand for."""
        table: dict[Expr, Expr] = {}
        for motion_ in self.system.prescribed.values():
            joint = self.system.joints[motion_.joint]
            k = [q.name for q in joint.q].index(motion_.coordinate)
            angle = 2 * atan(motion_.motion) if joint.stores_tangent(k) else motion_.motion
            table |= {joint.q[k]: motion_.motion, joint.u[k]: derivative([angle], self.system.time)[0]}
        for name in self.system.couplings:
            joint = self.system.joints[name]
            leader, ratio, offset = self._followed(name)
            q, u = leader.q[0], leader.u[0]
            table |= {joint.q[0]: offset + ratio * table.get(q, q), joint.u[0]: ratio * table.get(u, u)}
        return table

    def _followed(self, name: str) -> tuple[Joint, Expr, Expr]:
        """The joint that is followed in the end, and q = ratio · q_leader + offset."""
        ratio, offset = as_expr(1), as_expr(0)
        while name in self.system.couplings:
            coupling = self.system.couplings[name]
            ratio, offset, name = ratio * coupling.multiplier, offset + ratio * coupling.offset, coupling.leader
        return self.system.joints[name], ratio, offset

    @cached_property
    def speeds(self) -> list[Expr]:
        """The speeds of the mechanism."""
        return [u for joint in self.joints for u in joint.u if u not in self.known]

    @cached_property
    def _index(self) -> dict[Expr, int]:
        return {u: k for k, u in enumerate(self.speeds)}

    @cached_property
    def u(self) -> list[int]:
        return [self.number(u) for u in self.speeds]

    @cached_property
    def ud(self) -> list[int]:
        return [self.number(acceleration_of(u)) for u in self.speeds]

    # ---- what the user wrote, at this state ------------------------------------------------------------------

    def meant(self, value: Any) -> Expr:
        """An expression with known motions put in."""
        value = as_expr(value)
        return substitute([value], self.known)[0] if self.known and not value.is_number else value

    def number(self, value: Any, symbols: Symbols | None = None, squares: Mapping[Expr, int] | None = None) -> int:
        """The value of an expression; `symbols` stand for what a law is written with, see `evaluated`."""
        if symbols or self.given:
            return self.moved(value, symbols or {}, squares, order=0).x
        return self.meant(value).fp

    def moved(self, value: Any, symbols: Symbols, squares: Mapping[Expr, int] | None = None, order: int = 1) -> Jet:
        """The value of an expression, and its rate while these symbols move."""
        return evaluated(self.meant(value), {**self._given, **symbols}, order, squares)

    @cached_property
    def _given(self) -> dict[Expr, Jet]:
        return {name: Jet(entry) for name, entry in self.given.items()}

    def numbers(self, values: Sequence[Any], symbols: Symbols | None = None) -> list[int]:
        return [self.number(value, symbols) for value in values]

    def matrix(self, pose: Placement) -> Rows:
        """A pose that the user gave, which may move in time."""
        return motion([self.in_time(row) for row in pose.R], self.in_time(pose.p))

    def in_time(self, values: Sequence[Any]) -> list[Any]:
        """Values that the user gave; those that depend on time as jets."""
        jets = [self.on_time(self.meant(value)) for value in values]
        return [jet.x if jet.is_still else jet for jet in jets]

    def on_time(self, value: Expr) -> Jet:
        """A function of time and parameters, and of the elastic coordinates of flexible bodies."""
        t = self.system.time
        return evaluated(value, {**self._given, **self._elastic, t: Jet(t.fp, 1)}, order=2)

    @cached_property
    def _elastic(self) -> dict[Expr, Jet]:
        """Elastic coordinates, whose speeds are their rates."""
        pairs = [
            (q, self._index[u])
            for joint in self.joints
            if any(stage.is_elastic for stage in joint.type.stages)
            for q, u in zip(joint.q, joint.u, strict=True)
            if u in self._index
        ]
        return {q: Jet(self.number(q), self.u[k], self.ud[k], {k: 1}) for q, k in pairs}

    # ---- the sweep -------------------------------------------------------------------------------------------

    def rate_of(self, joint: Joint, index: int) -> Rate:
        """How a speed of a joint comes about."""
        leader, ratio, _ = self._followed(joint.name)
        factor = self.number(ratio)
        own = leader.u[index]
        if own in self._index:
            k = self._index[own]
            return Rate(k, factor, factor * self.u[k] % P, factor * self.ud[k] % P)
        driven = self.on_time(self.known[leader.u[index]])
        return Rate(None, 1, factor * driven.x % P, factor * driven.d % P)

    @cached_property
    def _swept(self) -> tuple[dict[str, Moving], dict[Expr, Jet]]:
        ground = Moving(GROUND, GROUND, IDENTITY, ZERO, ZERO, (), (), False)
        bodies = {GROUND: ground}
        coordinates: dict[Expr, Jet] = {}
        for joint in self.joints:
            bodies[joint.child], own = self._child_of(joint, bodies[joint.parent])
            coordinates |= own
        for name in [*bodies]:
            bodies |= self._particles(bodies[name])
        return bodies, coordinates

    def _particles(self, body: Moving) -> dict[str, Moving]:
        """The particles that a flexible body is, as bodies on it."""
        made = self.system.bodies[body.name]
        amplitudes = self.in_time(made.flexibility.amplitudes) if made.flexibility else []
        table = {}
        for k, (mass, fields) in enumerate(particles(made, self.numbers)):
            place = [
                summed([s * entry for s, entry in zip(amplitudes, row, strict=True)]) for row in transposed(fields)
            ]
            at = motion([[int(i == j) for j in range(3)] for i in range(3)], place)
            own, name = tuple(bending_columns(body.X, at)), f"{body.name}, particle {k}"
            rates = carried((body.X, body.Xd, body.Xdd), at)
            table[name] = Moving(name, body.name, *rates, own, body.columns + own, True, mass)
        return table

    def _child_of(self, joint: Joint, parent: Moving) -> tuple[Moving, dict[Expr, Jet]]:
        """The child of a joint, and the joint's coordinates."""
        at, off = self.matrix(joint.in_parent), undone(self.matrix(joint.in_child))
        X, Xd, Xdd = carried((parent.X, parent.Xd, parent.Xdd), at)
        columns = bending_columns(parent.X, at)
        coordinates: dict[Expr, Jet] = {}
        for placed, first_q, first_u in self._stages(joint):
            rates = [self.rate_of(joint, first_u + k) for k in range(placed.stage.speeds)]
            xi, xi_dot = ZERO, ZERO
            for own, rate in zip(placed.twists, rates, strict=False):
                xi, xi_dot = added(xi, scaled(own, rate.value)), added(xi_dot, scaled(own, rate.rate))
            X, before, beyond = product(X, placed.X), product(Xd, placed.X), product(Xdd, placed.X)
            twice = product(added(before, before), xi)
            Xd = added(before, product(X, xi))
            Xdd = added(added(beyond, twice), product(X, added(product(xi, xi), xi_dot)))
            back = undone(X)
            for own, rate in zip(placed.twists, rates, strict=False):
                columns.append(Column(product(product(X, own), back), rate.speed, rate.factor))
            coordinates |= self._coordinates(joint, placed, first_q, rates, xi, xi_dot)
        columns += bending_columns(X, off)
        X, Xd, Xdd = carried((X, Xd, Xdd), off)
        own_columns = tuple(columns)
        moves = parent.moves or bool(joint.type.stages) or any(isinstance(x, Jet) for row in [*at, *off] for x in row)
        made = Moving(joint.child, parent.name, X, Xd, Xdd, own_columns, parent.columns + own_columns, moves)
        return made, coordinates

    def _stages(self, joint: Joint) -> Iterator[tuple[Placed, int, int]]:
        """The stages from the parent to the child, with the indices of their first coordinate and speed."""
        stages = joint.type.stages
        for k in joint.type.from_parent:
            first_q = sum(stage.coordinates for stage in stages[:k])
            first_u = sum(stage.speeds for stage in stages[:k])
            q = [self.meant(entry) for entry in joint.q[first_q : first_q + stages[k].coordinates]]
            yield Placed(joint.name, stages[k], tuple(q), tuple(self.numbers(q))), first_q, first_u

    def _coordinates(
        self, joint: Joint, placed: Placed, first: int, rates: Sequence[Rate], xi: Rows, xi_dot: Rows
    ) -> dict[Expr, Jet]:
        """The coordinates that are free, with their rates by X⁻¹Ẋ = ξ."""
        own = joint.q[first : first + placed.stage.coordinates]
        if any(q in self.known for q in own):
            return {}
        if placed.stage.is_elastic:
            return {q: self._elastic[q] for q in own}
        G = placed.rates
        first_rates = [sum(g * rate.value for g, rate in zip(row, rates, strict=False)) % P for row in G]
        # Only the conditions of constraints are differentiated twice.
        second = placed.second_rates(xi, xi_dot, first_rates) if self.system.constraints else [0] * len(own)
        made = {}
        for q, value, row, d, dd in zip(own, placed.values, G, first_rates, second, strict=True):
            vary = {rate.speed: g for g, rate in zip(row, rates, strict=False) if g and rate.speed is not None}
            made[q] = Jet(value, d, dd, vary)
        return made

    @property
    def bodies(self) -> dict[str, Moving]:
        """Every body that hangs on the ground, each after its parent."""
        return self._swept[0]

    @property
    def coordinates(self) -> dict[Expr, Jet]:
        """The free coordinates: their rates, and how they vary with the speeds."""
        return self._swept[1]

    def frame(self, name: str) -> Rows:
        """The pose in the ground of a body or a frame, by its name."""
        if name in self.bodies:
            return self.bodies[name].X
        found = self.system.frames[name]
        return carried((self.bodies[found.body].X, ZERO, ZERO), self.matrix(found.pose))[0]


def bending_columns(X: Rows, placed: Rows) -> list[Column]:
    """The columns by which a pose C in a body at X moves with elastic speeds: X (∂C/∂η_i) C⁻¹ X⁻¹."""
    jets = [[entry if isinstance(entry, Jet) else Jet(entry) for entry in row] for row in placed]
    speeds = sorted({speed for row in jets for entry in row for speed in entry.vary})
    back = product(undone([[entry.x for entry in row] for row in jets]), undone(X)) if speeds else ZERO
    return [
        Column(product(product(X, [[entry.vary.get(speed, 0) for entry in row] for row in jets]), back), speed, 1)
        for speed in speeds
    ]


def carried(body: tuple[Rows, Rows, Rows], placed: Rows) -> tuple[Rows, Rows, Rows]:
    """X C, and its first and second rates by Leibniz's rule, with C a pose in the body that may move in time."""
    X, Xd, Xdd = body
    jets = [[entry if isinstance(entry, Jet) else Jet(entry) for entry in row] for row in placed]
    C, Cd, Cdd = ([[getattr(entry, part) for entry in row] for row in jets] for part in ("x", "d", "dd"))
    if not any(map(any, [*Cd, *Cdd])):
        return product(X, C), product(Xd, C), product(Xdd, C)
    once, twice = product(Xd, Cd), added(product(Xdd, C), product(X, Cdd))
    return product(X, C), added(product(Xd, C), product(X, Cd)), added(twice, added(once, once))
