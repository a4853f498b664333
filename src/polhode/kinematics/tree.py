"""The kinematic tree: a model as the formalisms see it.

Each simple stage of each joint is a link; a compound joint's inner links carry no mass. Bodies that are welded
together are one link. Where a joint or frame is placed as a function of time, a massless driven link stands between:
before the joint for its place in the parent, behind it for that in the child. Every quantity is in its link's own
frame, whose origin is the joint that carries it.

A station of a flexible body has a pose X(η) that depends on the elastic coordinates. Its link shares the speeds η̇ of
the body's link, and the columns of its map follow from X⁻¹ ∂X/∂η_i, in the station's components:

    w_i = vee(Rᵀ ∂R/∂η_i),    v_i = Rᵀ ∂p/∂η_i

They vary with η, so that the relative acceleration has the term Σ_ij (∂H_i/∂η_j) η̇_i η̇_j beside H η̈.

Auxiliary coordinates: unknowns that follow from the poses of bodies, without mass.

The angles of a joint that closes a loop, the place where a disc touches a curve: such coordinates σ have no speeds, no
efforts and no rows in M. They are held in their place by definitions, as many as σ has ways to move,

    ψ(q, σ, t) = 0,    σ̇ = G(σ) ν,    (∂ψ/∂σ) G ν + (∂ψ/∂q) Γ u + ∂ψ/∂t = 0

The last line gives ν, linear in the speeds, so that ψ̇ vanishes for every motion, on the constraints or off them: as the
length of a quaternion, ψ stays what it was. Rows of constraints may depend on σ; their rates follow from q̇ and σ̇ as
from those of any coordinates.

`constraints.auxiliary.auxiliary_of` makes them of ψ by name and of symbols of kind "coordinate"; what is left of the
constraint's conditions are rows. `with_auxiliary` collects those of all constraints of a system in the tree.
Assembly, runs and their drift, diagnostics and linearizing then take them into account.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Self

from ..errors import ModelError
from ..expr import Expr, Matrix, Vector, as_expr, derivative, free_symbols, jacobian, substitute
from ..expr.evaluation import evaluate
from ..geometry import Inertia, Pose
from ..geometry.deformable import Deformable
from ..geometry.twist import Twist, Wrench
from ..model.flexible.record import Flexibility
from ..model.model import Model
from ..model.records import GROUND, Joint
from ..model.stage import Stage
from .joint import envelope_kinematics, simple_configuration
from .prescribed import Drive, drive_of, leader_of, moves_in, placement_drive, prescribed_motions


@dataclass(frozen=True, eq=False)
class AuxiliaryCoordinates:
    """The coordinates that a constraint adds, their rates, and their definitions."""

    of: str  # the constraint
    symbols: tuple[Expr, ...]  # σ, of kind "coordinate"
    ways: Matrix  # G: a column for each way in which σ moves
    speeds: tuple[Expr, ...]  # ν(q, σ, u, t)
    rates: tuple[Expr, ...]  # σ̇ = G ν
    definitions: tuple[tuple[str, Expr], ...]  # ψ by name
    back: tuple[Expr, ...]  # Newton's step: σ + back answers ψ
    units: tuple[int, ...] = ()  # where unit quaternions begin among the symbols
    guess: tuple[Expr, ...] = ()  # where to seek σ first, if the other coordinates tell


#: For each column of a map its derivatives by coordinates: the speed of each, and the derivative.
Slopes = tuple[tuple[tuple[int, Twist], ...], ...]


def elastic_symbols(X: Pose, elastic: Mapping[Expr, int]) -> list[Expr]:
    """The elastic coordinates that a pose depends on, in the order of their speeds."""
    entries = [as_expr(entry) for entry in (*X.R.entries(), *X.p)]
    return sorted((symbol for symbol in free_symbols(entries) if symbol in elastic), key=elastic.__getitem__)


def following(X: Pose, symbols: Sequence[Expr], elastic: Mapping[Expr, int]) -> tuple[tuple[Twist, ...], Slopes]:
    """The columns of a link at the pose X(η), and their derivatives."""
    columns = tuple(_column(X, symbol) for symbol in symbols)
    slopes = tuple(
        tuple((elastic[symbol], Twist(_derivative(w, symbol), _derivative(v, symbol))) for symbol in symbols)
        for w, v in columns
    )
    return columns, slopes


def _derivative(vector: Sequence[Any], symbol: Expr) -> Vector:
    return Vector(derivative([as_expr(entry) for entry in vector], symbol))


def _column(X: Pose, symbol: Expr) -> Twist:
    rate = Matrix([list(_derivative(row, symbol)) for row in X.R])
    turned = X.R.T @ rate
    w = Vector([turned[2, 1], turned[0, 2], turned[1, 0]])
    return Twist(w, X.R.T @ _derivative(X.p, symbol)).mapped(as_expr)


def deformable(mass: Any, flexibility: Flexibility, eta: Sequence[Expr], speeds: Sequence[int]) -> Deformable:
    """The mass of a flexible body on the speeds of a tree."""
    s = list(flexibility.amplitudes)
    slopes = [_nonzero(derivative(s, symbol)) for symbol in eta]
    curvatures = {
        (i, j): _nonzero(derivative([slopes[i].get(a, as_expr(0)) for a in range(len(s))], eta[j]))
        for i in range(len(eta))
        for j in range(i, len(eta))
    }
    second = {
        (a, b): tuple((i, j, G[i, j]) for i in range(3) for j in range(3) if G[i, j] != 0)
        for a, row in enumerate(flexibility.second)
        for b, G in enumerate(row)
    }
    return Deformable(
        tuple(speeds),
        mass,
        flexibility.first,
        {key: entries for key, entries in second.items() if entries},
        flexibility.amplitudes,
        tuple(slopes),
        {key: bend for key, bend in curvatures.items() if bend},
    )


def _nonzero(entries: Sequence[Expr]) -> dict[int, Expr]:
    return {a: entry for a, entry in enumerate(entries) if entry != 0}


BASE = -1
_STILL = Drive(*(Vector([0, 0, 0]) for _ in range(4)))
_NO_KINEMATICS = (Matrix([]), Matrix([]))
_NO_STAGE = Stage(Matrix([[0], [0], [1], [0], [0], [0]]))  # of a weld or a placement, where nothing is free


@dataclass(frozen=True)
class Turn:
    """Rotation of a link against an inner link, the anchor: fixed, then moving; `spin`: (speed, axis in the link)."""

    anchor: int
    fixed: Matrix
    motion: Matrix
    spin: tuple[tuple[int, Vector], ...]

    def inward(self, vector: Vector) -> Vector:
        """A vector of the link in the anchor's components."""
        return self.fixed @ (self.motion @ vector) if self._in_two_steps else self._both @ vector

    def outward(self, vector: Vector) -> Vector:
        """A vector of the anchor in the link's components."""
        if self._in_two_steps:
            return self.motion.T @ (self.fixed.T @ vector)
        return self._both.T @ vector

    @cached_property
    def _both(self) -> Matrix:
        return self.fixed @ self.motion

    @cached_property
    def _in_two_steps(self) -> bool:
        """Whether turning twice takes fewer multiplications than turning once by the product."""
        return _factors(self.fixed) + _factors(self.motion) < _factors(self._both) + 3

    def mapped(self, function: Callable[[Any], Any]) -> Turn:
        """The same turn with a function applied to every number."""
        spin = tuple((speed, Vector(map(function, axis))) for speed, axis in self.spin)
        return Turn(self.anchor, self.fixed.map(function), self.motion.map(function), spin)

    def velocity(self, u: Sequence[Any]) -> Vector:
        """The link's angular velocity relative to the anchor."""
        total = Vector([0, 0, 0])
        for speed, axis in self.spin:
            total = total + axis * u[speed]
        return total


def _factors(R: Matrix) -> int:
    """Number of multiplications to rotate a vector."""
    return sum(entry not in (0, 1, -1) for entry in R.entries())


@dataclass(frozen=True)
class Link:
    """A rigid piece that moves as one, and the simple joint that carries it.

    The link's pose in its parent is X = fixed @ motion: where the joint sits, and how far it has moved. X.R takes this
    link's components to the parent's. The relative velocity is (w, v) = Σ H[k] u[speeds[k]] in this link's components.
    A joint whose motion is prescribed has no speeds; its `drive` is added. A link that follows the elastic coordinates
    of a flexible body shares their speeds; its H varies, by `slopes`. A flexible body's link has its mass in
    `deforming`, of which `inertia` is the part that counts while the body does not bend further.
    """

    name: str
    joint: str
    parent: int
    stage: Stage
    fixed: Pose
    motion: Pose
    H: tuple[Twist, ...]
    coordinates: tuple[int, ...]
    speeds: tuple[int, ...]
    inertia: Inertia
    drive: Drive | None = None
    slopes: Slopes = ()
    deforming: tuple[Deformable, ...] = ()

    @property
    def is_placement(self) -> bool:
        """Whether it has no joint: a placement as a function of time, or a weld."""
        return self.stage is _NO_STAGE

    @cached_property
    def X(self) -> Pose:
        """The pose of this link in its parent."""
        return self.fixed @ self.motion

    @cached_property
    def turn(self) -> Turn:
        """How this link is turned against its parent."""
        spin = tuple((speed, w) for speed, (w, _) in zip(self.speeds, self.H, strict=True) if any(w))
        return Turn(self.parent, self.fixed.R, self.motion.R, spin)

    def inward(self, vector: Vector) -> Vector:
        """A vector of this link in the parent's components."""
        return self.turn.inward(vector)

    def outward(self, vector: Vector) -> Vector:
        """A vector of the parent in this link's components."""
        return self.turn.outward(vector)

    def inertia_inward(self, inertia: Inertia) -> Inertia:
        """An inertia of this link about the parent's origin in the parent's components."""
        return inertia.seen_from(self.motion).seen_from(self.fixed)

    def relative_velocity(self, u: Sequence[Any]) -> Twist:
        """H u for this joint: relative angular velocity and relative velocity of the origin."""
        return self._along(u) if self.drive is None else Twist(self.drive.w, self.drive.v)

    def relative_acceleration(self, u: Sequence[Any], ud: Sequence[Any]) -> Twist:
        """H u̇ + Ḣ u for this joint: the rate of the relative velocity in this link's components."""
        total = self._along(ud) if self.drive is None else Twist(self.drive.alpha, self.drive.a)
        for speed, slopes in zip(self.speeds, self.slopes, strict=False):
            for other, slope in slopes:
                total = total + slope * (u[speed] * u[other])
        return total

    def _along(self, rates: Sequence[Any]) -> Twist:
        total = Twist.zero()
        for column, speed in zip(self.H, self.speeds, strict=True):
            total = total + column * rates[speed]
        return total

    def wrench_inward(self, wrench: Wrench, onto: Wrench | None = None) -> Wrench:
        """A wrench on this link about the parent's origin in its components, added to another one there."""
        n, f = Wrench.zero() if onto is None else onto
        force = self.inward(wrench.linear)
        return Wrench(n + self.inward(wrench.angular) + self.X.p.cross(force), f + force)


@dataclass(frozen=True, repr=False)
class Tree:
    """Links, parents before children, with the names and symbols of coordinates and speeds."""

    links: tuple[Link, ...]
    bodies: Mapping[str, tuple[int, Pose]]  # body, or frame that moves on it -> its link (or BASE) and its pose there
    q: Vector
    u: Vector
    tau: Vector
    gravity: Vector
    followed: Mapping[Expr, Expr] = field(default_factory=dict)  # what symbols of coupled, driven joints stand for
    rates: Mapping[Expr, Expr] = field(default_factory=dict)  # the rates of driven speeds, functions of time
    auxiliary: tuple[AuxiliaryCoordinates, ...] = ()  # coordinates without speeds, the last ones of q

    def __repr__(self) -> str:
        return f"Tree({len(self.links)} links: {', '.join(link.name for link in self.links)})"

    @property
    def coordinates(self) -> list[str]:
        return [q.name for q in self.q]

    @property
    def speeds(self) -> list[str]:
        return [u.name for u in self.u]

    @cached_property
    def children(self) -> dict[int, list[int]]:
        """For each link (and the base) the links that it carries."""
        table: dict[int, list[int]] = {i: [] for i in range(-1, len(self.links))}
        for i, link in enumerate(self.links):
            table[link.parent].append(i)
        return table

    @cached_property
    def is_coupled(self) -> bool:
        """Whether two links share a speed, as with coupled joints or a flexible body."""
        used = [speed for link in self.links for speed in link.speeds]
        return len(used) != len(set(used)) or self.is_flexible

    @cached_property
    def is_flexible(self) -> bool:
        """Whether a body of the tree is flexible."""
        return any(link.deforming for link in self.links)

    @cached_property
    def is_driven(self) -> bool:
        """Whether the motion of a joint is prescribed."""
        return any(link.drive is not None for link in self.links)

    @cached_property
    def at_rest(self) -> Tree:
        """The same tree with the prescribed joints at rest."""
        if not self.is_driven:
            return self
        return replace(self, links=tuple(replace(link, drive=link.drive and _STILL) for link in self.links))

    @cached_property
    def speed_order(self) -> list[int]:
        """The speeds from the base outward."""
        if self.is_coupled:
            return list(range(len(self.u)))
        return [speed for link in self.links for speed in link.speeds]

    @cached_property
    def speed_parent(self) -> list[int]:
        """For each speed the next one towards the base, -1 if there is none."""
        if self.is_coupled:  # any two speeds may be coupled
            return list(range(-1, len(self.u) - 1))
        parents = [-1] * len(self.u)
        for link in self.links:
            last = -1
            parent = link.parent
            while parent != BASE and not self.links[parent].speeds:
                parent = self.links[parent].parent
            if parent != BASE:
                last = self.links[parent].speeds[-1]
            for speed in link.speeds:
                parents[speed] = last
                last = speed
        return parents

    @cached_property
    def quaternions(self) -> list[int]:
        """Where the components of unit quaternions begin among the coordinates."""
        starts = [link.coordinates[0] for link in self.links if link.coordinates and link.stage.storage == "quaternion"]
        return starts + [indices[unit] for indices, auxiliary in self.auxiliary_indices for unit in auxiliary.units]

    @cached_property
    def auxiliary_coordinates(self) -> slice:
        """Where the auxiliary coordinates are among all."""
        return slice(len(self.q) - sum(len(auxiliary.symbols) for auxiliary in self.auxiliary), len(self.q))

    @cached_property
    def auxiliary_indices(self) -> list[tuple[tuple[int, ...], AuxiliaryCoordinates]]:
        """Indices of the auxiliary coordinates of each constraint."""
        start, indices = self.auxiliary_coordinates.start, []
        for auxiliary in self.auxiliary:
            indices.append((tuple(range(start, start + len(auxiliary.symbols))), auxiliary))
            start += len(auxiliary.symbols)
        return indices

    @cached_property
    def _auxiliary_rates(self) -> list[Expr]:
        return [rate for auxiliary in self.auxiliary for rate in auxiliary.rates]

    @cached_property
    def _auxiliary_matrix(self) -> Matrix:
        return jacobian(self._auxiliary_rates, list(self.u))

    @cached_property
    def stage_kinematics(self) -> list[tuple[Matrix, Matrix]]:
        """For each link, Gamma of its stage's envelope and its left inverse."""
        return [
            envelope_kinematics(link.stage, [self.q[k] for k in link.coordinates])
            if link.coordinates
            else _NO_KINEMATICS
            for link in self.links
        ]

    def coordinate_rates(self, u: Sequence[Any] | None = None) -> Vector:
        """q̇ = Gamma(q) u; of auxiliary coordinates, with what time alone gives."""
        auxiliary_rates = (
            self._auxiliary_rates if u is None else substitute(self._auxiliary_rates, dict(zip(self.u, u, strict=True)))
        )
        u = self.u if u is None else u
        rates: list[Any] = [as_expr(0)] * len(self.q)
        for link, (gamma, _) in zip(self.links, self.stage_kinematics, strict=True):
            for row, coordinate in zip(gamma, link.coordinates, strict=True):
                rates[coordinate] = as_expr(row[: len(link.speeds)].dot([u[k] for k in link.speeds]))
        rates[self.auxiliary_coordinates] = auxiliary_rates
        return Vector(rates)

    def kinematic_matrix(self) -> Matrix:
        """Gamma(q), with a row for each coordinate and a column for each speed."""
        rows = [[as_expr(0)] * len(self.u) for _ in self.q]
        for link, (gamma, _) in zip(self.links, self.stage_kinematics, strict=True):
            for row, coordinate in zip(gamma, link.coordinates, strict=True):
                for entry, speed in zip(row, link.speeds, strict=False):
                    rows[coordinate][speed] = as_expr(entry)
        rows[self.auxiliary_coordinates] = [list(row) for row in self._auxiliary_matrix] if self.auxiliary else []
        return Matrix(rows)

    def kinematic_left_inverse(self) -> Matrix:
        """Γ⁻(q) with u = Γ⁻ q̇; zero columns for auxiliary coordinates."""
        rows = [[as_expr(0)] * len(self.q) for _ in self.u]
        for link, (_, inverse) in zip(self.links, self.stage_kinematics, strict=True):
            for row, speed in zip(inverse, link.speeds if link.coordinates else (), strict=False):
                for entry, coordinate in zip(row, link.coordinates, strict=True):
                    rows[speed][coordinate] = as_expr(entry)
        return Matrix(rows)

    def at(self, values: Mapping[Expr, float]) -> Self:
        """The same tree with numbers for symbols, without auxiliary coordinates."""
        number = numbers_at(values)
        links = tuple(
            replace(
                link,
                fixed=_mapped(link.fixed, number),
                motion=_mapped(link.motion, number),
                drive=link.drive and link.drive.mapped(number),
                H=tuple(column.mapped(number) for column in link.H),
                slopes=tuple(tuple((k, slope.mapped(number)) for k, slope in slopes) for slopes in link.slopes),
                deforming=tuple(material.mapped(number) for material in link.deforming),
                inertia=Inertia(
                    number(link.inertia.m), Vector(map(number, link.inertia.h)), link.inertia.J.map(number)
                ),
            )
            for link in self.links
        )
        bodies = {name: (i, _mapped(X, number)) for name, (i, X) in self.bodies.items()}
        q_joints = self.q[: self.auxiliary_coordinates.start]
        q, u, tau, gravity = (Vector(map(number, vector)) for vector in (q_joints, self.u, self.tau, self.gravity))
        return replace(self, links=links, bodies=bodies, q=q, u=u, tau=tau, gravity=gravity, auxiliary=())


def numbers_at(values: Mapping[Expr, float]) -> Callable[[Any], float]:
    """A function that evaluates an entry, expression or number, at given values of the symbols."""

    def number(entry: Any) -> float:
        return evaluate([entry], values)[0] if type(entry) is Expr else float(entry)

    return number


def build_tree(model: Model, prescribed: bool = True, welds: bool = False) -> Tree:
    """Arrange a model as a tree, parents first; raise if a body is not connected to the ground.

    Joints that follow others, or whose motion is prescribed, have no coordinate of their own; without `prescribed` all
    joints are taken as free. Welded bodies are one link; with `welds` each has its own, on a joint that stands still.
    """
    joints = joints_from_the_ground(model)
    followers = model.couplings if prescribed else {}
    followed, rates = prescribed_motions(model) if prescribed else ({}, {})
    q = Vector([c for joint in joints for c in joint.q if c not in followed])
    u = Vector([s for joint in joints for s in joint.u if s not in followed])
    tau = Vector([e for joint in joints for e, s in zip(joint.tau, joint.u, strict=True) if s not in followed])
    q_index = {coordinate: i for i, coordinate in enumerate(q)}
    u_index = {speed: i for i, speed in enumerate(u)}
    links: list[Link] = []
    bodies: dict[str, tuple[int, Pose]] = {GROUND: (BASE, Pose.identity())}
    elastic = {
        c: u_index[s]
        for joint in joints
        if any(stage.is_elastic for stage in joint.type.stages)
        for c, s in zip(joint.q, joint.u, strict=True)
    }

    def placed(name: str, where: str, carrier: int, X: Pose, pose: Pose) -> tuple[int, Pose]:
        return _placed(links, f"{name}, {where}", name, carrier, X, pose, model.time, elastic)

    for joint in joints:
        carrier, X_fixed = placed(joint.name, "in parent", *bodies[joint.parent], joint.in_parent)
        stages = joint.type.from_parent
        firsts_q, firsts_u = _offsets(joint)
        for count, k in enumerate(stages):
            stage = joint.type.stages[k]
            own_q = joint.q[firsts_q[k] : firsts_q[k] + stage.coordinates]
            own_u = joint.u[firsts_u[k] : firsts_u[k] + stage.speeds]
            leader, ratio = leader_of(model, joint.name) if joint.name in followers else (joint, as_expr(1))
            drive = drive_of(stage, followed[own_u[0]], rates[own_u[0]]) if own_u[0] in rates else None
            if leader is not joint:
                own_u = leader.u
            last = count == len(stages) - 1
            links.append(
                Link(
                    name=joint.child if last else f"{joint.name}, stage {count + 1}",
                    joint=joint.name,
                    parent=carrier,
                    stage=stage,
                    fixed=_mapped(X_fixed, as_expr),
                    motion=_mapped(simple_configuration(stage, [followed.get(c, c) for c in own_q]), as_expr),
                    H=() if drive else tuple(Twist.of(h) * ratio for h in stage.H.columns),
                    coordinates=tuple(q_index[c] for c in own_q if c in q_index),
                    speeds=() if drive else tuple(u_index[s] for s in own_u),
                    inertia=Inertia.zero(),
                    drive=drive,
                )
            )
            carrier, X_fixed = len(links) - 1, Pose.identity()
        if welds and not stages:
            links.append(_driven(joint.child, joint.name, carrier, X_fixed, Pose.identity(), _STILL))
            carrier, X_fixed = len(links) - 1, Pose.identity()
        carrier, X_body = placed(joint.name, "in child", carrier, X_fixed, joint.in_child.inverse())
        bodies[joint.child] = (carrier, X_body)
        _add_body(model, joint.child, links, carrier, X_body)
    for frame in model.frames.values():
        if frame.body in bodies and moves_in(frame.pose, model.time):
            bodies[frame.name] = placed(frame.name, "frame", *bodies[frame.body], frame.pose)
    return Tree(tuple(links), bodies, q, u, tau, model.gravity, followed, rates)


def _placed(
    links: list[Link],
    label: str,
    joint: str,
    carrier: int,
    X: Pose,
    pose: Pose,
    time: Expr,
    elastic: Mapping[Expr, int],
) -> tuple[int, Pose]:
    """The link on which a pose, given from X on a carrier, stays, and the pose there; one that moves has its own."""
    symbols = elastic_symbols(pose, elastic) if elastic else []
    if symbols:
        H, slopes = following(pose, symbols, elastic)
        if not any(any(v) for _, v in H):  # it turns in place: passes take the joint's position from `fixed`
            X, pose = X @ Pose(Matrix.identity(3), pose.p), Pose(pose.R, Vector([as_expr(0)] * 3))
        link = _driven(label, joint, carrier, X, pose, None)
        links.append(replace(link, H=H, slopes=slopes, speeds=tuple(elastic[symbol] for symbol in symbols)))
    elif moves_in(pose, time):
        links.append(_driven(label, joint, carrier, X, pose, placement_drive(pose, time)))
    else:
        return carrier, X @ pose
    return len(links) - 1, Pose.identity()


def _driven(name: str, joint: str, carrier: int, fixed: Pose, motion: Pose, drive: Drive | None) -> Link:
    """A massless link without freedom of its own."""
    return Link(name, joint, carrier, _NO_STAGE, _mapped(fixed, as_expr), _mapped(motion, as_expr), (), (), (),
                Inertia.zero(), drive=drive)  # fmt: skip


def _mapped(X: Pose, function: Callable[[Any], Any]) -> Pose:
    return Pose(X.R.map(function), Vector(map(function, X.p)))


def _offsets(joint: Joint) -> tuple[list[int], list[int]]:
    """Where each stage's coordinates and speeds begin in the joint's lists."""
    q_first, u_first = [0], [0]
    for stage in joint.type.stages:
        q_first.append(q_first[-1] + stage.coordinates)
        u_first.append(u_first[-1] + stage.speeds)
    return q_first, u_first


def _add_body(model: Model, name: str, links: list[Link], carrier: int, X: Pose) -> None:
    body = model.bodies[name]
    if carrier == BASE or body.is_massless:
        return
    if body.flexibility is not None:
        joint = model.joints[body.flexibility.joint]
        link = next(link for link in links if link.joint == joint.name and link.coordinates)
        material = deformable(body.mass, body.flexibility, joint.q, link.speeds)
        links[carrier] = replace(links[carrier], inertia=material.inertia, deforming=(material,))
        return
    inertia = Inertia.of_body(body.mass, body.com, body.inertia).seen_from(X)
    links[carrier] = replace(links[carrier], inertia=links[carrier].inertia + inertia)


def joints_from_the_ground(model: Model) -> list[Joint]:
    """The joints, parents first, else in the order of the model; rotors with a coordinate last."""
    by_parent: dict[str, list[Joint]] = {}
    for joint in model.joints.values():
        by_parent.setdefault(joint.parent, []).append(joint)
    order: list[Joint] = []
    stack = by_parent.get(GROUND, [])[::-1]
    while stack:
        joint = stack.pop()
        order.append(joint)
        stack.extend(by_parent.get(joint.child, [])[::-1])
    motors = [motor.rotor for motor in model.motors.values() if motor.is_elastic and motor.rotor not in by_parent]
    rank = {name: number for number, name in enumerate(motors, start=1)}
    order.sort(key=lambda joint: rank.get(joint.name, 0))
    placed = {GROUND, *(joint.child for joint in order)}
    loose = [name for name in model.bodies if name not in placed]
    if loose:
        message = (
            f"{'body' if len(loose) == 1 else 'bodies'} {', '.join(repr(name) for name in loose)} "
            "cannot be reached from the ground."
        )
        cure = "Join it to another body, or with a free joint to the ground."
        raise ModelError(message, f"system '{model.name}'", cure, "E-MODEL-TREE")
    return order
