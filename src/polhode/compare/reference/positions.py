"""Where every body is and how it moves, in the prime field: positions by products of motions, rates by Leibniz's rule.

    X = X_parent C X_joint C'⁻¹,    Ẋ = …,    Ẍ = …    4×4 matrices, with C, C' where the joint sits in its bodies

At a unit of one speed, all that lies beyond its joint moves as one: δX_B = Ŝ X_B with one Ŝ for all those bodies B.

The mass of a flexible body as particles: sums over them are its integrals, exactly.

    ∫ F(r) dm = Σ m_k F(r_k),    r_k = Σ_a s_a(η) B_a(k)    for every F of degree two

Where the fields B_a are polynomials, the particles are the nodes of a Newton–Cotes rule of sufficient degree, with its
weights, over each segment; across a section they are seven points with the section's second moments. Where the moments
of the fields themselves were given, b_a and G_ab, the particles stand at their mean and, in pairs, beside it along the
columns of a triangular factor L of the covariance G - b bᵀ/m = L D Lᵀ. In the prime field a mass may be any element.

A simple joint in the prime field: where its coordinates put it, and how fast they change at given speeds.

    X(q) = e^{ĥ_r q_r} ⋯ e^{ĥ_1 q_1}    or the stored orientation and position
    X⁻¹ Ẋ = Σ ĥ_k u_k                   which says what the speeds are

The second line, with Ẋ = Σ (∂X/∂q_j) q̇_j, is solved for the rates of the coordinates by elimination; its derivative
gives their second rates. Nothing here knows a formula for Γ.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache, cached_property
from typing import Any, Protocol

from ...errors import PolhodeError
from ...expr import Expr, Matrix, Vector, as_expr, atan, cos, derivative, sin, sqrt, substitute
from ...expr.field import P, inverse, rational
from ...expr.length import exact_length
from ...expr.spelling import acceleration_of
from ...model.body import Body
from ...model.flexible.record import Flexibility, Segment
from ...model.model import Model
from ...model.records import GROUND, Joint
from ...model.stage import Stage
from .prime_field import (
    IDENTITY,
    ZERO,
    Jet,
    Rows,
    Symbols,
    added,
    evaluated,
    hat,
    jet_product,
    motion,
    product,
    scaled,
    solved,
    summed,
    transposed,
    twist,
    undone,
)

_AXES = {"1": (1, 0, 0), "2": (0, 1, 0), "3": (0, 0, 1)}


@dataclass(frozen=True, eq=False)
class Placed:
    """A stage at its coordinates: expressions in the symbols that are left, and their values."""

    name: str
    stage: Stage
    q: tuple[Expr, ...]
    values: tuple[int, ...]

    @cached_property
    def twists(self) -> list[Rows]:
        """ĥ for each column of the algebra that the map generates; those of its speeds come first."""
        return [twist([as_expr(entry).fp for entry in column]) for column in self.stage.algebra]

    @cached_property
    def _at_rest(self) -> Rows:
        """X over jets that vary with each coordinate by itself."""
        return self.position([Jet(value, 0, 0, {j: 1}) for j, value in enumerate(self.values)])

    @cached_property
    def X(self) -> Rows:
        return [[_number(entry) for entry in row] for row in self._at_rest]

    @cached_property
    def _slopes(self) -> Rows:
        """∂X/∂q_j: a row for each entry of X, a column for each coordinate."""
        indices = range(len(self.q))
        return [
            [entry.vary.get(j, 0) if isinstance(entry, Jet) else 0 for j in indices]
            for row in self._at_rest[:3]
            for entry in row
        ]

    @cached_property
    def rates(self) -> Rows:
        """q̇_j for a unit of each speed of the algebra: rows by coordinate, columns by speed."""
        return self._solved([product(self.X, xi) for xi in self.twists])

    def second_rates(self, xi: Rows, xi_dot: Rows, rates: Sequence[int]) -> list[int]:
        """q̈ for X⁻¹Ẋ = ξ with its rate: (∂X/∂q) q̈ = X (ξ² + ξ̇) - what Ẍ is at steady rates."""
        steady = self.position([Jet(value, rate) for value, rate in zip(self.values, rates, strict=True)])
        wanted = product(self.X, added(product(xi, xi), xi_dot))
        gap = [
            [want - (have.dd if isinstance(have, Jet) else 0) for want, have in zip(*rows, strict=True)]
            for rows in zip(wanted, steady, strict=True)
        ]
        return [row[0] for row in self._solved([gap])]

    def _solved(self, moves: Sequence[Rows]) -> Rows:
        if not self.q:
            return []
        solution = solved(self._slopes, transposed([[entry for row in move[:3] for entry in row] for move in moves]))
        if solution is None:
            message = "the coordinates cannot follow the speeds that the joint map allows."
            raise PolhodeError(message, f"joint '{self.name}'", code="E-REFERENCE-SINGULAR")
        return solution

    def position(self, q: Sequence[Jet]) -> Rows:
        """X at coordinates that move."""
        if self.stage.is_elastic:
            return IDENTITY
        if self.stage.is_vector_turn:
            axis = [as_expr(entry).fp for entry in self.stage.H.columns[0][:3]]
            return motion(_orientation("vector", self.q, [q[0] * entry for entry in axis]), [0, 0, 0])
        if not self.stage.stores_orientation:
            X: Rows = IDENTITY
            for column, e, value in zip(self.stage.algebra, self.q, q, strict=True):
                X = jet_product(_exponential(column, e, value), X)
            return X
        size = 4 if self.stage.storage == "quaternion" else 3
        turned = slice(3, None) if self.stage.is_free_translation_first else slice(size)
        moved = slice(3) if self.stage.is_free_translation_first else slice(size, None)
        R = _orientation(self.stage.storage, self.q[turned], q[turned])
        return motion(R, list(q[moved]) or [0, 0, 0])


def _number(entry: Jet | int) -> int:
    return entry.x if isinstance(entry, Jet) else entry % P


def _exponential(h: Sequence[Any], angle: Expr, value: Jet) -> Rows:
    """e^{ĥ q} = 1 + q ĥ + (1 - cos νq)/ν² ĥ² + (νq - sin νq)/ν³ ĥ³, with ν the length of the rotation part."""
    xi = twist([as_expr(entry).fp for entry in h])
    square = as_expr(h[0] * h[0] + h[1] * h[1] + h[2] * h[2])
    if not square:
        return _series([(xi, value)])
    length = exact_length(h[:3]) or sqrt(square)
    nu, part = length.fp, inverse(length.fp)
    c, s = _wave(length * angle, value * nu)
    twice = product(xi, xi)
    return _series([
        (xi, value),
        (twice, (1 - c) * (part * part)),
        (product(twice, xi), (value * nu - s) * (part * part * part)),
    ])  # fmt: skip


def _series(terms: Sequence[tuple[Rows, Jet]]) -> Rows:
    """1 + Σ matrix · number."""
    return [
        [summed([int(i == j), *(factor * xi[i][j] for xi, factor in terms if xi[i][j])]) for j in range(4)]
        for i in range(4)
    ]


def _wave(angle: Expr, value: Jet) -> tuple[Jet, Jet]:
    """Cosine and sine of an angle that moves, with the values that the graph has for them."""
    c, s = cos(angle).fp, sin(angle).fp
    return value.chained(c, -s, -c), value.chained(s, c, -s)


def _orientation(storage: str, q: Sequence[Expr], values: Sequence[Jet]) -> Rows:
    if storage == "quaternion":
        return _turned(values[0], values[1:])
    if storage == "vector":  # the quaternion (1, c), which has not unit length
        square = summed([c * c for c in values]) + 1
        return [[entry / square for entry in row] for row in _turned(1, values)]
    X: Rows = IDENTITY
    for digit, angle, value in zip(storage, q, values, strict=True):
        X = jet_product(X, _exponential([*map(as_expr, _AXES[digit]), 0, 0, 0], angle, value))
    return [row[:3] for row in X[:3]]


def _turned(w: Any, v: Sequence[Jet]) -> Rows:
    """(w² - v²) 1 + 2 v vᵀ + 2 w v̂."""
    across = hat(v)
    plain = w * w + summed([-(x * x) for x in v])
    return [[(plain if i == j else 0) + v[i] * v[j] * 2 + across[i][j] * w * 2 for j in range(3)] for i in range(3)]


#: A particle: its mass, and for each amplitude the components of its field there.
Particle = tuple[int, list[list[int]]]
Numbers = Callable[[Sequence[Any]], list[int]]

_HALF = inverse(2)


def particles(body: Body, numbers: Numbers) -> list[Particle]:
    """Particles that have the moments of a flexible body; `numbers` evaluates what a user gave."""
    result = body.flexibility
    if result is None:
        return []
    if not result.segments:
        return list(_of_moments(result, numbers([body.mass])[0], numbers))
    return [particle for segment in result.segments for particle in _of_segment(segment, numbers)]


def _of_segment(segment: Segment, numbers: Numbers) -> Iterator[Particle]:
    fields = [segment.centre, segment.y, segment.z]
    degree = max(len(row) for part in fields for field in part for row in field) - 1
    (mass,) = numbers([segment.mass])
    spread = numbers(segment.spread) if segment.spread else [0, 0, 0]
    centre, along_y, along_z = ([[numbers(row) for row in field] for field in part] for part in fields)
    for share, weight in _rule(2 * degree):
        xi = rational(segment.start + (segment.end - segment.start) * share)
        C = [[_at(row, xi) for row in field] for field in centre]
        if segment.spread is None:
            yield mass * weight % P, C
            continue
        Y, Z = ([[_at(row, xi) for row in field] for field in part] for part in (along_y, along_z))
        for y, z, part in _section(*spread):
            moved = [
                [(c + y * a + z * b) % P for c, a, b in zip(*rows, strict=True)] for rows in zip(C, Y, Z, strict=True)
            ]
            yield mass * weight % P * part % P, moved


def _at(coefficients: Sequence[int], xi: int) -> int:
    """A polynomial by Horner's rule."""
    value = 0
    for coefficient in reversed(coefficients):
        value = (value * xi + coefficient) % P
    return value


@cache
def _rule(degree: int) -> list[tuple[Fraction, int]]:
    """Equidistant nodes in [0, 1], and weights by which polynomials up to this degree are integrated exactly."""
    nodes = [Fraction(k, degree) for k in range(degree + 1)] if degree else [Fraction(1, 2)]
    powers = [[rational(node**j) for node in nodes] for j in range(len(nodes))]
    weights = solved(powers, [[rational(Fraction(1, j + 1))] for j in range(len(nodes))])
    return list(zip(nodes, (row[0] for row in weights or []), strict=True))


def _section(yy: int, zz: int, yz: int) -> list[tuple[int, int, int]]:
    """Points of a section with their shares of its mass: mean zero, and these second moments."""
    c = yz * _HALF % P
    a, b = (yy * _HALF - c) % P, (zz * _HALF - c) % P
    rest = (1 - 2 * (a + b + c)) % P
    return [(0, 0, rest), (1, 0, a), (-1, 0, a), (0, 1, b), (0, -1, b), (1, 1, c), (-1, -1, c)]


def _of_moments(flexibility: Flexibility, m: int, numbers: Numbers) -> Iterator[Particle]:
    size, part = 3 * len(flexibility.first), inverse(m)
    b = [entry for first in flexibility.first for entry in numbers(first)]
    G = [[0] * size for _ in range(size)]
    for i, row in enumerate(flexibility.second):
        for j, block in enumerate(row):
            for k in range(3):
                G[3 * i + k][3 * j : 3 * j + 3] = numbers(block[k])
    left = [[(G[i][j] - b[i] * b[j] % P * part) % P for j in range(size)] for i in range(size)]
    mean, rest = [entry * part % P for entry in b], m
    for k in range(size):
        pivot = left[k][k]
        if not pivot:
            continue
        scale = inverse(pivot)
        column = [row[k] * scale % P for row in left]
        left = [[(x - column[i] * pivot % P * column[j]) % P for j, x in enumerate(row)] for i, row in enumerate(left)]
        for sign in (1, -1):
            yield pivot * _HALF % P, _cut([(x + sign * y) % P for x, y in zip(mean, column, strict=True)])
        rest = (rest - pivot) % P
    yield rest, _cut(mean)


def _cut(entries: Sequence[int]) -> list[list[int]]:
    return [list(entries[k : k + 3]) for k in range(0, len(entries), 3)]


class Placement(Protocol):
    """A rotation matrix and an origin."""

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
        """Expressions for coordinates of joints that follow others, and for prescribed ones."""
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

    def rate_of(self, joint: Joint, index: int) -> Rate:
        """The rate of a joint's speed: that of its leader times the ratio."""
        leader, ratio, _ = self._followed(joint.name)
        factor = self.number(ratio)
        speed = leader.u[index]
        if speed in self._index:
            k = self._index[speed]
            return Rate(k, factor, factor * self.u[k] % P, factor * self.ud[k] % P)
        driven = self.on_time(self.known[leader.u[index]])
        return Rate(None, 1, factor * driven.x % P, factor * driven.d % P)

    @cached_property
    def _swept(self) -> tuple[dict[str, Moving], dict[Expr, Jet]]:
        ground = Moving(GROUND, GROUND, IDENTITY, ZERO, ZERO, (), (), False)
        bodies = {GROUND: ground}
        coordinates: dict[Expr, Jet] = {}
        for joint in self.joints:
            bodies[joint.child], moved = self._child_of(joint, bodies[joint.parent])
            coordinates |= moved
        for name in [*bodies]:
            bodies |= self._particles(bodies[name])
        return bodies, coordinates

    def _particles(self, body: Moving) -> dict[str, Moving]:
        """The particles that a flexible body is, as bodies on it."""
        result = self.system.bodies[body.name]
        amplitudes = self.in_time(result.flexibility.amplitudes) if result.flexibility else []
        table = {}
        for k, (mass, fields) in enumerate(particles(result, self.numbers)):
            shift = [
                summed([s * entry for s, entry in zip(amplitudes, row, strict=True)]) for row in transposed(fields)
            ]
            at = motion([[int(i == j) for j in range(3)] for i in range(3)], shift)
            bent, name = tuple(bending_columns(body.X, at)), f"{body.name}, particle {k}"
            rates = carried((body.X, body.Xd, body.Xdd), at)
            table[name] = Moving(name, body.name, *rates, bent, body.columns + bent, True, mass)
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
            for xi_k, rate in zip(placed.twists, rates, strict=False):
                xi, xi_dot = added(xi, scaled(xi_k, rate.value)), added(xi_dot, scaled(xi_k, rate.rate))
            X, before, beyond = product(X, placed.X), product(Xd, placed.X), product(Xdd, placed.X)
            twice = product(added(before, before), xi)
            Xd = added(before, product(X, xi))
            Xdd = added(added(beyond, twice), product(X, added(product(xi, xi), xi_dot)))
            back = undone(X)
            for xi_k, rate in zip(placed.twists, rates, strict=False):
                columns.append(Column(product(product(X, xi_k), back), rate.speed, rate.factor))
            coordinates |= self._coordinates(joint, placed, first_q, rates, xi, xi_dot)
        columns += bending_columns(X, off)
        X, Xd, Xdd = carried((X, Xd, Xdd), off)
        own_columns = tuple(columns)
        moves = parent.moves or bool(joint.type.stages) or any(isinstance(x, Jet) for row in [*at, *off] for x in row)
        result = Moving(joint.child, parent.name, X, Xd, Xdd, own_columns, parent.columns + own_columns, moves)
        return result, coordinates

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
        names = joint.q[first : first + placed.stage.coordinates]
        if any(q in self.known for q in names):
            return {}
        if placed.stage.is_elastic:
            return {q: self._elastic[q] for q in names}
        G = placed.rates
        first_rates = [sum(g * rate.value for g, rate in zip(row, rates, strict=False)) % P for row in G]
        # Only the conditions of constraints and the gaps of contacts are differentiated twice.
        is_used = bool(self.system.constraints or self.system.contacts)
        second = placed.second_rates(xi, xi_dot, first_rates) if is_used else [0] * len(names)
        result = {}
        for q, value, row, d, dd in zip(names, placed.values, G, first_rates, second, strict=True):
            vary = {rate.speed: g for g, rate in zip(row, rates, strict=False) if g and rate.speed is not None}
            result[q] = Jet(value, d, dd, vary)
        return result

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
        mounted = self.system.frames[name]
        return carried((self.bodies[mounted.body].X, ZERO, ZERO), self.matrix(mounted.pose))[0]


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
