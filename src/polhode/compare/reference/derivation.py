"""The reference derivation: all that equations of motion can be compared with, from the model alone.

Virtual power at a unit of each speed: with Π = ∫ r̄ r̄ᵀ dm the 4×4 pseudo-inertia of a body, r̄ = (r, 1), the principle
of d'Alembert and Lagrange is

    Σ_B tr(Ẍ Π δXᵀ) = Σ f·δp + Σ t·δφ - δV + Σ τ δu    for every δX = Ŝ X

so that each force is a 4×4 matrix too: Ẍ Π Xᵀ of a body's inertia, f p̄ᵀ of a force f at p, ½ t̂ of a torque. Those of
all bodies beyond a joint are added up and meet the joint's Ŝ once:

    M_ij = tr(Ŝ_i (Σ X Π Xᵀ) Ŝ_jᵀ),    effort_i = tr((Σ Ẍ Π Xᵀ - …) Ŝ_iᵀ)

The rows of constraints follow by differentiating positions, in the prime field:

    φ = 0,    φ̇ = A u + a,    φ̈ = A u̇ + γ        for conditions on the position
              w = A u + a,    ẇ = A u̇ + γ        for velocities that vanish

Rows are named (those of loops in `auxiliary`), so that φ, A, a and γ can be compared entry by entry. A constraint that
is not stated a second time here is given poses of letters, and its expressions are evaluated in the prime field.

wheel    with n the plane's normal, a the axis, s = √(1 - (n·a)²): touches at c - r (n - (n·a) a)/s
         "height" (c - o)·n = r s;  no slip "along" a × n and "across" n × (a × n), divided by s if `upright`
ball     on a plane: touches at c - r n, "height" (c - o)·n = r, no slip along "x" and "y" of the plane
         on a ball of radius R, d = c - o: at o + d R/(r + R), "touch" d² = (r + R)², no slip along e × d
disc     on a curve P(σ) with tangent t, normal n: touches at c - r n; all its rates are velocities there:
         "touch" n·v, "off" that of the centre across the plane, "along" t·v, "tilt 1" and "tilt 2" of its axis
slip     no velocity of one point against the other along given directions
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ...expr import Expr, Vector, as_expr, derivative, is_zero, sqrt
from ...expr.field import P, inverse
from ...model.body import Body
from ...model.constraints import Ball, Closure, Condition, DiscOnCurve, KnifeEdge, NoSlip, Wheel
from ...model.constraints.protocol import (
    Constraint,
    ContactConstraint,
    CoordinateConstraint,
    LoopConstraint,
    lettered_pose,
)
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
from .auxiliary import (
    Arrow,
    Auxiliary,
    Choice,
    OneCoordinate,
    Stages,
    along,
    at,
    conditions_of,
    cross,
    cut_of,
    dot,
    gap,
    material_velocity,
    minus,
    moved,
    pose_between,
    pose_of,
    resting_pose_of,
    spin,
    times,
)
from .positions import Positions
from .prime_field import (
    ZERO,
    Jet,
    NotCovered,
    Rows,
    Variation,
    added,
    applied,
    evaluated,
    hat,
    jet_product,
    outer,
    paired,
    product,
    root,
    root_of,
    scaled,
    transposed,
    undone,
)

if TYPE_CHECKING:
    from ...geometry import Pose

#: Conditions on the position and velocities that vanish, by name.
ContactConditions = tuple[dict[str, Jet], dict[str, Jet]]
_HALF = inverse(2)


def slip_of(where: Positions, a: str, b: str, place: Sequence[Any]) -> Arrow:
    """Velocity of the point of body a at a place, relative to that of body b."""
    return minus(material_velocity(where.bodies[a], place), material_velocity(where.bodies[b], place))


def held_by_wheel(where: Positions, wheel: Wheel, symbols: Mapping[Expr, Jet]) -> ContactConditions:
    def touching(pose: Any, values: Mapping[Expr, Jet]) -> tuple[Arrow, Arrow, Arrow, Arrow, Jet, Jet]:
        plane = jet_product(pose(where.bodies[wheel.on]), where.matrix(wheel.plane))
        X = pose(where.bodies[wheel.body])
        n, a = [row[2] for row in plane[:3]], along(X, where.numbers(wheel.axis))
        c, o = at(X, where.numbers(wheel.centre)), [row[3] for row in plane[:3]]
        lean = dot(n, a)
        if wheel.upright is None:
            return n, a, c, o, lean, root(1 - lean * lean)
        return n, a, c, o, lean, evaluated(where.meant(wheel.upright), values, order=2)

    r = where.number(wheel.radius)
    n, a, c, o, lean, s = touching(pose_of, symbols)
    height = dot(minus(c, o), n) - s * r
    n, a, c, o, lean, s = touching(resting_pose_of, {name: jet.at_rest() for name, jet in symbols.items()})
    point = minus(c, times(minus(n, times(a, lean)), Jet(r) / s))
    slip = slip_of(where, wheel.body, wheel.on, point)
    ahead = cross(a, n) if wheel.upright is None else times(cross(a, n), Jet(1) / s)
    return {"height": height}, {"along": dot(slip, ahead), "across": dot(slip, cross(n, ahead))}


def held_by_ball(where: Positions, ball: Ball, symbols: Mapping[Expr, Jet]) -> ContactConditions:
    def touching(pose: Any) -> tuple[Rows, Arrow]:
        plane = jet_product(pose(where.bodies[ball.on]), where.matrix(ball.plane))
        c = at(pose(where.bodies[ball.body]), where.numbers(ball.centre))
        return plane, minus(c, [row[3] for row in plane[:3]])

    r = where.number(ball.radius)
    plane, apart = touching(pose_of)
    other = None if ball.other_radius is None else where.number(ball.other_radius)
    if other is None:
        touch = {"height": dot(apart, [row[2] for row in plane[:3]]) - r}
    else:
        touch = {"touch": (dot(apart, apart) - (r + other) ** 2) * _HALF}
    plane, apart = touching(resting_pose_of)
    x, y, n, o = ([row[k] for row in plane[:3]] for k in range(4))
    if other is None:
        slip = slip_of(where, ball.body, ball.on, minus(_sum(o, apart), times(n, r)))
        return touch, {"x": dot(slip, x), "y": dot(slip, y)}
    slip = slip_of(where, ball.body, ball.on, _sum(o, times(apart, other * inverse(r + other))))
    return touch, {letter: dot(slip, cross(e, apart)) for letter, e in (("x", x), ("y", y), ("z", n))}


def _sum(a: Arrow, b: Arrow) -> Arrow:
    return [x + y for x, y in zip(a, b, strict=True)]


def held_by_slip(where: Positions, slip: KnifeEdge | NoSlip, symbols: Mapping[Expr, Jet]) -> ContactConditions:
    resting = {q: jet.at_rest() for q, jet in symbols.items()}

    def directed(vector: Sequence[Expr]) -> Arrow:
        return [evaluated(where.meant(entry), resting, order=2) for entry in vector]

    name, directions = (slip.body, (slip.across,)) if isinstance(slip, KnifeEdge) else (slip.frame, slip.directions)
    frame = where.system.frames.get(name)
    X = resting_pose_of(where.bodies[name if frame is None else frame.body])
    if frame is not None:
        X = jet_product(X, where.matrix(frame.pose))
    one, other = slip.bodies
    moved = slip_of(where, one, other, at(X, directed(slip.at)))
    names = [""] if len(directions) == 1 else [str(k) for k in range(1, len(directions) + 1)]
    return {}, {name: dot(moved, along(X, directed(d))) for name, d in zip(names, directions, strict=True)}


class Curve:
    """The curve of a disc in the components of its plane: P, P', and unit tangent and normal, as expressions."""

    def __init__(self, disc: DiscOnCurve, time: Expr) -> None:
        x, z = disc.curve
        dx, dz = derivative([x, z], disc.parameter)
        self.place, self.slope = Vector([x, as_expr(0), z]), Vector([dx, as_expr(0), dz])
        pace = sqrt(as_expr(self.slope.dot(self.slope)))
        self.tangent, self.normal = self.slope / pace, Vector([-dz, as_expr(0), dx]) / pace
        self.drift = Vector(derivative(list(self.place), time))


def place_of_disc(where: Positions, disc: DiscOnCurve, symbols: Mapping[Expr, Jet]) -> Jet:
    """The condition for the point of contact: (c - P)·P' = 0."""
    curve = Curve(disc, where.system.time)
    P_, slope = ([evaluated(as_expr(entry), symbols, order=2) for entry in part] for part in (curve.place, curve.slope))
    result: Jet = dot(minus(_seen(where, disc, pose_of)[1], P_), slope)
    return result


def _seen(where: Positions, disc: DiscOnCurve, pose: Any) -> tuple[Rows, Arrow]:
    """The disc's body, and its centre, in the curve's frame."""
    track = jet_product(pose(where.bodies[disc.on]), where.matrix(disc.plane))
    X = jet_product(undone(track), pose(where.bodies[disc.body]))
    return X, at(X, where.numbers(disc.centre))


def held_by_disc(
    where: Positions, disc: DiscOnCurve, symbols: Mapping[Expr, Jet]
) -> tuple[dict[str, int], dict[str, Jet]]:
    """Values of the conditions on the position by name, and all velocities that vanish."""
    curve = Curve(disc, where.system.time)
    resting = {name: jet.at_rest() for name, jet in symbols.items()}

    def moving(vector: Sequence[Any]) -> Arrow:
        return [evaluated(as_expr(entry), resting, order=2) for entry in vector]

    r, axis = where.number(disc.radius), where.numbers(disc.axis)
    seen, centre = _seen(where, disc, resting_pose_of)
    track = jet_product(resting_pose_of(where.bodies[disc.on]), where.matrix(disc.plane))
    body = resting_pose_of(where.bodies[disc.body])
    x, y, z = ([row[k] for row in track[:3]] for k in range(3))
    t, n = along(track, moving(curve.tangent)), along(track, moving(curve.normal))
    values = {"touch": dot(minus(centre, moving(curve.place)), moving(curve.normal)) - r, "off": centre[1]}
    point = minus(at(body, where.numbers(disc.centre)), times(n, r))
    v = minus(slip_of(where, disc.body, disc.on, point), along(track, moving(curve.drift)))
    w = minus(spin(where.bodies[disc.body]), spin(where.bodies[disc.on]))
    rates = {"touch": dot(v, n), "off": dot(v, y) + dot(w, times(cross(n, y), r))}
    if not disc.slips:
        rates["along"] = dot(v, t)
    if not is_zero(disc.radius):
        turned = along(body, axis)
        upright = along(seen, axis)
        values |= {"tilt 1": upright[0], "tilt 2": upright[2]}
        rates |= {"tilt 1": dot(w, cross(turned, x)), "tilt 2": dot(w, cross(turned, z))}
    return {name: jet.x % P for name, jet in values.items()}, rates


def held_by_loop(where: Positions, loop: LoopConstraint, symbols: Mapping[Expr, Jet]) -> ContactConditions:
    letters = lettered_pose()
    stated = loop.conditions(letters)
    if stated is None:
        raise NotCovered("a loop of a joint with coordinates of its own")
    values = {**symbols, **_spelled(letters, pose_between(where, loop))}
    return {name: evaluated(where.meant(value), values, order=2) for name, value in stated.items()}, {}


def held_by_contact(where: Positions, constraint: ContactConstraint, symbols: Mapping[Expr, Jet]) -> ContactConditions:
    if constraint.coordinates:
        raise NotCovered("a contact with coordinates of its own")
    stated = constraint.contact(_Letters(where))
    resting = {name: jet.at_rest() for name, jet in symbols.items()}
    moving, still = dict(symbols), dict(resting)
    for name, body in where.bodies.items():
        moving |= _spelled(lettered_pose(name), pose_of(body))
        still |= _spelled(lettered_pose(name), resting_pose_of(body))

    def arrow(vector: Vector) -> Arrow:
        return [evaluated(where.meant(entry), still, order=2) for entry in vector]

    a, b = constraint.bodies
    slip = minus(slip_of(where, a, b, arrow(stated.place)), arrow(stated.drift))
    turning = minus(spin(where.bodies[a]), spin(where.bodies[b]))
    rates: dict[str, Any] = {name: dot(slip, arrow(d)) for name, d in stated.directions.items()}
    for name, turn in stated.turns.items():
        rates[name] = rates.get(name, 0) + dot(turning, arrow(turn))
    positions = {name: evaluated(where.meant(v), moving, order=2) for name, v in stated.positions.items()}
    return positions, {name: rate for name, rate in rates.items() if name not in positions}


class _Letters:
    """Bodies whose poses are letters."""

    def __init__(self, where: Positions) -> None:
        self.where, self.time = where, where.system.time

    def pose(self, frame: str) -> Pose:
        if frame in self.where.system.bodies:
            return lettered_pose(frame)
        shape = self.where.system.frames[frame]
        return lettered_pose(shape.body) @ shape.pose

    def relative(self, a: str, b: str) -> Pose:
        return lettered_pose(a).inverse() @ lettered_pose(b)

    def given(self, value: Any) -> Any:
        return Vector(map(self.where.meant, value)) if isinstance(value, Vector) else self.where.meant(value)


def _spelled(letters: Pose, X: Rows) -> dict[Expr, Jet]:
    """Values of the letters of a pose."""
    entries = [*(row[j] for row in X[:3] for j in range(3)), *(row[3] for row in X[:3])]
    names = map(as_expr, (*letters.R.entries(), *letters.p))
    return {name: Jet(entry) if isinstance(entry, int) else entry for name, entry in zip(names, entries, strict=True)}


#: What contacts hold, stated here a second time; any other is taken at its own word.
_CONTACTS: dict[type[Constraint], Callable[[Positions, Any, Mapping[Expr, Jet]], ContactConditions]] = {
    Wheel: held_by_wheel,
    Ball: held_by_ball,
    KnifeEdge: held_by_slip,
    NoSlip: held_by_slip,
}


@dataclass(frozen=True)
class ConstraintRow:
    """One scalar constraint at the state: φ (None on the level of speeds), A u + a, A by speed, and A u̇ + γ."""

    of: str
    part: str
    value: int | None
    rate: int
    A: Variation
    second: int

    @property
    def name(self) -> str:
        """The name in the equations: the constraint, and its part if it has one."""
        return f"{self.of} {self.part}" if self.part else self.of

    @property
    def is_trivial(self) -> bool:
        """Whether nothing that moves can change it."""
        return not (self.rate or self.second or any(self.A.values()))


def _position(of: str, part: str, phi: Jet | int) -> ConstraintRow:
    phi = Jet(phi) if isinstance(phi, int) else phi
    return ConstraintRow(of, part, phi.x, phi.d, phi.vary, phi.dd)


def _velocity(of: str, part: str, w: Jet | int, value: int | None = None) -> ConstraintRow:
    w = Jet(w) if isinstance(w, int) else w
    return ConstraintRow(of, part, value, w.x, w.vary, w.d)


@dataclass(frozen=True, eq=False)
class Conditions:
    """The constraints of a system; `choices` are the conditions that define a constraint's own coordinates."""

    at: Positions
    choices: Mapping[str, Choice] = field(default_factory=dict)

    @cached_property
    def auxiliary(self) -> dict[str, Auxiliary]:
        """The coordinates that constraints bring with them."""
        result: dict[str, Auxiliary] = {}
        for name in self.choices:
            constraint = self.at.system.constraints[name]
            if isinstance(constraint, DiscOnCurve):
                result[name] = self._disc(constraint)
            elif isinstance(constraint, Closure) and (cut := self._cuts.get(name)) is not None:
                result[name] = self._joint(constraint, cut)
        return result

    def _disc(self, disc: DiscOnCurve) -> Auxiliary:
        chain = OneCoordinate((disc.parameter,), [[1]])
        return moved(
            chain, lambda x: [place_of_disc(self.at, disc, {**x, **self._time})], len(self.at.speeds), disc.name
        )

    def _joint(self, closure: Closure, cut: int) -> Auxiliary:
        stages, names = self._stages[closure.name], self.choices[closure.name].definitions

        def definitions(values: Mapping[Expr, Jet]) -> list[Jet]:
            requested = gap(self.at, closure, stages, cut, values)
            return [requested[name] for name in names]

        return moved(stages, definitions, len(self.at.speeds), closure.name)

    @cached_property
    def _stages(self) -> dict[str, Stages]:
        closures = ((name, self.at.system.constraints[name]) for name in self.choices)
        return {name: Stages(closure) for name, closure in closures if isinstance(closure, Closure)}

    @cached_property
    def _cuts(self) -> dict[str, int | None]:
        cuts = {}
        for name, stages in self._stages.items():
            closure = self.at.system.constraints[name]
            if isinstance(closure, Closure):
                cuts[name] = cut_of(self.at, closure, stages, self.choices[name])
        return cuts

    @property
    def _time(self) -> dict[Expr, Jet]:
        return {self.at.system.time: Jet(self.at.system.time.fp, 1)}

    @cached_property
    def coordinates(self) -> dict[Expr, Jet]:
        """All coordinates, those of the constraints too."""
        return self.at.coordinates | {q: jet for aux in self.auxiliary.values() for q, jet in aux.coordinates.items()}

    @cached_property
    def rows(self) -> list[ConstraintRow]:
        """Every row of every constraint that is covered."""
        return [row for rows in self._all_rows[0] for row in rows]

    @property
    def not_covered(self) -> list[str]:
        """The constraints that cannot be evaluated here, with the reason."""
        return [f"constraint '{name}' ({reason})" for name, reason in self.missing.items()]

    @property
    def missing(self) -> dict[str, str]:
        """For each of those, by name, the reason."""
        return self._all_rows[1]

    @cached_property
    def _all_rows(self) -> tuple[list[list[ConstraintRow]], dict[str, str]]:
        rows, missing = [], {}
        for constraint in self.at.system.constraints.values():
            try:
                rows.append(self._rows(constraint))
            except NotCovered as reason:
                missing[constraint.name] = str(reason)
        return rows, missing

    def _rows(self, constraint: Constraint) -> list[ConstraintRow]:
        name, symbols = constraint.name, self.coordinates | self._time
        if isinstance(constraint, Closure):
            return self._closure(constraint)
        if isinstance(constraint, DiscOnCurve):
            if name not in self.auxiliary:
                return []
            values, rates = held_by_disc(self.at, constraint, symbols)
            return [_velocity(name, part, rate, values.get(part)) for part, rate in rates.items()]
        if isinstance(constraint, CoordinateConstraint):
            positions, speeds = self._held_by_condition(constraint)
        elif isinstance(constraint, LoopConstraint):
            positions, speeds = held_by_loop(self.at, constraint, symbols)
        elif isinstance(constraint, ContactConstraint):
            positions, speeds = _CONTACTS.get(type(constraint), held_by_contact)(self.at, constraint, symbols)
        else:
            raise NotCovered("a constraint of no known form")
        result = [_position(name, part, phi) for part, phi in positions.items()]
        return result + [_velocity(name, part, w) for part, w in speeds.items()]

    def unilateral(self, name: str, gap: Expr | None, rates: Sequence[Expr]) -> list[ConstraintRow]:
        """The rows of a contact, stop or dry friction: that of its normal by differentiating the gap."""
        rows = []
        for k, rate in enumerate(rates):
            stated = {"speed": rate} if gap is None or k else {"position": gap}
            rows += self._rows(Condition(name=name, **stated))
        return rows

    def _held_by_condition(self, condition: CoordinateConstraint) -> ContactConditions:
        resting = {q: jet.at_rest() for q, jet in self.coordinates.items()} | self._time
        moving = {
            speed: Jet(x, d, 0, {k: 1})
            for k, (speed, x, d) in enumerate(zip(self.at.speeds, self.at.u, self.at.ud, strict=True))
        }
        values = self.coordinates | self._time
        return (
            {part: evaluated(self.at.meant(phi), values, order=2) for part, phi in condition.positions.items()},
            {part: evaluated(self.at.meant(w), resting | moving, order=1) for part, w in condition.speeds.items()},
        )

    def _closure(self, closure: Closure) -> list[ConstraintRow]:
        direct = conditions_of(self.at, closure)
        name = closure.name
        if direct is not None:
            return [_position(name, part, phi) for part, phi in direct.items()]
        auxiliary, cut = self.auxiliary.get(name), self._cuts.get(name)
        if auxiliary is None or cut is None:
            return []
        requested = gap(self.at, closure, self._stages[name], cut, auxiliary.coordinates)
        rest = {part: phi for part, phi in requested.items() if part not in self.choices[name].definitions}
        beyond = [auxiliary.speeds[k] for k in self._stages[name].beyond]
        result = [_position(name, part, phi) for part, phi in rest.items()]
        return result + [_velocity(name, f"beyond {k}", w) for k, w in enumerate(beyond, start=1)]


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

    def _beyond(self, rows: dict[str, Rows]) -> dict[str, Rows]:
        """For each body the sum over all that it carries."""
        total = dict(rows)
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
        """Power of forces on bodies, as matrices, at a unit of each speed."""
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
        """The loads as matrices on bodies, powers on speeds and energy, and those that are not covered."""
        forces: dict[str, Rows] = {}
        efforts = [0] * len(self.at.speeds)
        energy, missing = 0, []
        for element in self.at.system.acting:
            try:
                energy += sum(self._lay_out(load, forces, efforts) for load in element.loads)
            except NotCovered as reason:
                missing.append(f"{element.element.place} ({reason})")
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
            return 0 if load.energy is None else self.at.number(load.energy, law)
        torque = applied(frame, [*self.at.numbers(load.vector), 0])
        spun = [[entry * _HALF % P for entry in row] + [0] for row in hat(torque[:3])]
        _lay(forces, load.body, [*spun, [0, 0, 0, 0]])
        return 0

    def _end(self, name: str, point: Vector) -> tuple[list[int], list[int]]:
        """Position of a point of a body in the ground, and its velocity: the body's there, and its own on the body."""
        body, local = self.at.bodies[name], [*self.at.numbers(point), 1]
        drift = applied(body.X, [*self.at.numbers(derivative(map(as_expr, point), self.at.system.time)), 0])
        return applied(body.X, local), [(a + b) % P for a, b in zip(applied(body.Xd, local), drift, strict=True)]

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
        result = evaluated(self.at.meant(load.energy), self.coordinates, order=1)
        for speed, slope in result.vary.items():
            efforts[speed] = (efforts[speed] - slope) % P
        return result.x


def _lay(forces: dict[str, Rows], body: str, force: Rows) -> None:
    forces[body] = added(forces.get(body, ZERO), force)


@dataclass(frozen=True, eq=False)
class ReferenceDerivation:
    """A mechanism at the pseudo-random point at which its expressions have their fingerprints.

    `choices` tell by which conditions equations define the coordinates that constraints bring with them; `given` has
    the values of speeds and accelerations that are not free.
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
        """Efforts at zero accelerations."""
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
