"""Pinocchio as judge: 200 random trees with every kind of joint, loads included.

The twin is built from the System alone, by Pinocchio's own joints: balls, free flyers, planes, and for every other
joint map the chain of screws that it means. Where our speeds u are not Pinocchio's velocities v they are related by
v = G u, with G found here in floating point from B ε' = H u, so that nothing of polhode's kinematics is used twice:

    M = Gᵀ M_pin G,    τ = Gᵀ rnea(q, G u, G u̇ + Ġ u)

which holds for nonholonomic joints as well (d'Alembert), where G has more rows than columns.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from scipy.linalg import block_diag, expm
from scipy.spatial.transform import Rotation
from tests.seeds import TREES, seeds

from polhode import Equations
from polhode.dynamics.reactions import Reactions
from polhode.expr import Expr, Vector, as_expr, evaluate, gradient
from polhode.model.forces.protocol import LENGTH, RATE, BodyTorque, LineTension, PointForce, PotentialEnergy, SpeedForce
from polhode.model.records import GROUND, Joint
from polhode.model.samples.random_system import JOINTS, random_state, random_system
from polhode.model.stage import Stage
from polhode.model.system import System

pin = pytest.importorskip("pinocchio")

Array = np.ndarray
Values = Mapping[Expr, float]


def numbers(values: Values, entries: Any) -> Array:
    """Expressions as floats, in the shape in which they are given."""
    rows = [list(entry) if hasattr(entry, "__iter__") else [entry] for entry in entries]
    flat = iter(evaluate([as_expr(entry) for row in rows for entry in row], values))
    table = [[next(flat) for _ in row] for row in rows]
    return np.array(table if hasattr(next(iter(entries), None), "__iter__") else [row[0] for row in table])


def se3(values: Values, pose: Any) -> Any:
    return pin.SE3(numbers(values, pose.R), numbers(values, pose.p))


@dataclass(frozen=True)
class Piece:
    """A simple joint as Pinocchio has it: its configuration, and v = G u with the drift Ġ u."""

    q: tuple[Expr, ...]
    u: tuple[Expr, ...]
    configuration: Callable[[Array], Array]
    velocity_map: Callable[[Array, Array], tuple[Array, Array]]


def quaternion_of(stage: Stage, e: Array) -> Array:
    """The stored orientation as Pinocchio wants it: x, y, z, w."""
    if stage.storage == "quaternion":
        return np.array([e[1], e[2], e[3], e[0]])
    if stage.storage == "vector":
        return np.array([*e[:3], 1.0]) / np.sqrt(1 + e[:3] @ e[:3])
    if stage.storage == "angles":
        return Rotation.from_euler("ZYX", [e[2], e[1], e[0]]).as_quat()
    return Rotation.from_euler("".join("XYZ"[int(axis) - 1] for axis in stage.storage), e[:3]).as_quat()


def hat(h: Array) -> Array:
    """A twist as a 4×4 matrix."""
    (x, y, z), v = h[:3], h[3:]
    return np.array([[0, -z, y, v[0]], [z, 0, -x, v[1]], [-y, x, 0, v[2]], [0, 0, 0, 0]])


def vee(m: Array) -> Array:
    return np.array([m[2, 1], m[0, 2], m[1, 0], *m[:3, 3]])


def screw_rates(columns: Array, H: Array, scales: Array) -> Callable[[Array, Array], tuple[Array, Array]]:
    """G and Ġ u for a product of screws e^{ĥ_r ε_r} … e^{ĥ_1 ε_1} whose velocity is H u: B ε' = H u."""

    def velocity_map(e: Array, u: Array) -> tuple[Array, Array]:
        U, B = np.eye(4), []
        for h, amount in zip(columns.T, e, strict=True):
            B.append(vee(np.linalg.inv(U) @ hat(h) @ U))
            U = expm(hat(h) * amount) @ U
        back = np.linalg.pinv(np.array(B).T)
        rates = back @ H @ u
        drift, xi = np.zeros(6), np.zeros(6)
        for b, rate in zip(B, rates, strict=True):  # d/dt (U⁻¹ ĥ U) = [b, ξ], with ξ the velocity of U
            drift += vee(hat(b) @ hat(xi) - hat(xi) @ hat(b)) * rate
            xi = xi + b * rate
        return scales[:, None] * (back @ H), -scales * (back @ drift)

    return velocity_map


def constant(G: Array) -> Callable[[Array, Array], tuple[Array, Array]]:
    return lambda e, u: (G, np.zeros(len(G)))


def depth_first(system: System) -> list[Joint]:
    """Joints with each branch in one run, as Pinocchio's algorithms expect them."""
    order, waiting = [], [GROUND]
    while waiting:
        body = waiting.pop()
        order += [joint for joint in system.joints.values() if joint.child == body]
        waiting += [joint.child for joint in system.joints.values() if joint.parent == body]
    return order


@dataclass
class Twin:
    """A Pinocchio model of a System, numbers in place of parameters."""

    system: System
    values: Values
    model: Any = field(default_factory=pin.Model)
    pieces: list[Piece] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.model.gravity.linear = numbers(self.values, self.system.gravity)
        carrier = {GROUND: (0, pin.SE3.Identity())}
        self.model.addFrame(pin.Frame(GROUND, 0, pin.SE3.Identity(), pin.FrameType.OP_FRAME))
        for joint in depth_first(self.system):
            place, X = carrier[joint.parent]
            X = X * se3(self.values, joint.in_parent)
            starts = np.cumsum([[0, 0], *([s.coordinates, s.speeds] for s in joint.type.stages)], axis=0)
            for index in joint.type.from_parent:
                stage = joint.type.stages[index]
                q = joint.q[starts[index][0] : starts[index + 1][0]]
                u = joint.u[starts[index][1] : starts[index + 1][1]]
                place, X = self.add(stage, q, u, place, X)
            X = X * se3(self.values, joint.in_child).inverse()
            carrier[joint.child] = (place, X)
            self.add_body(joint.child, place, X)
        self.data = self.model.createData()

    def add_body(self, name: str, place: int, X: Any) -> None:
        body = self.system.bodies[name]
        mass = numbers(self.values, [body.mass])[0]
        if mass:
            inertia = pin.Inertia(mass, numbers(self.values, body.com), numbers(self.values, body.inertia))
            self.model.appendBodyToJoint(place, inertia, X)
        self.model.addFrame(pin.Frame(name, place, X, pin.FrameType.OP_FRAME))

    def joint(self, place: int, kind: Any, X: Any) -> int:
        return int(self.model.addJoint(place, kind, X, f"joint {self.model.njoints}"))

    def add(self, stage: Stage, q: Any, u: Any, place: int, X: Any) -> tuple[int, Any]:
        H = numbers(self.values, stage.H)
        identity = pin.SE3.Identity()
        if stage.is_spherical:
            self.pieces.append(Piece(q, u, lambda e: quaternion_of(stage, e), constant(np.eye(3))))
            return self.joint(place, pin.JointModelSpherical(), X), identity
        if stage.is_free:
            swap = np.roll(np.eye(6), 3, axis=0)
            self.pieces.append(Piece(q, u, lambda e: np.array([*e[-3:], *quaternion_of(stage, e)]), constant(swap)))
            return self.joint(place, pin.JointModelFreeFlyer(), X), identity
        if is_plane(H):
            align = pin.SE3(np.column_stack([H[3:, 1], H[3:, 2], H[:3, 0]]), np.zeros(3))
            order = np.roll(np.eye(3), -1, axis=0)
            self.pieces.append(
                Piece(q, u, lambda e: np.array([e[1], e[2], np.cos(e[0]), np.sin(e[0])]), constant(order))
            )
            return self.joint(place, pin.JointModelPlanar(), X * align), align.inverse()
        return self.add_screws(stage, H, q, u, place, X)

    def add_screws(self, stage: Stage, H: Array, q: Any, u: Any, place: int, X: Any) -> tuple[int, Any]:
        """The chain of screws that a joint map means; Pinocchio's coordinates are true angles and lengths."""
        columns = np.array([numbers(self.values, column) for column in stage.algebra]).T
        spins = np.linalg.norm(columns[:3], axis=0)
        scales = np.where(spins > 0, spins, np.linalg.norm(columns[3:], axis=0))
        for h, scale in list(zip(columns.T, scales, strict=True))[::-1]:
            kind, c = screw(h / scale)
            shift = pin.SE3(np.eye(3), c)
            place, X = self.joint(place, kind, X * shift), shift.inverse()
        back = scales[::-1]
        rates = screw_rates(columns, H, scales)
        self.pieces.append(
            Piece(q, u, lambda e: back * e[::-1], lambda e, w: tuple(part[::-1] for part in rates(e, w)))
        )
        return place, X

    def at(self, values: Values) -> tuple[Array, Array, Array, Array]:
        """Configuration, G, G u and Ġ u at a state; columns of G in the order of the pieces."""
        q, G, v, drift = [], [], [], []
        for piece in self.pieces:
            e, u = np.array([values[s] for s in piece.q]), np.array([values[s] for s in piece.u])
            own, own_drift = piece.velocity_map(e, u)
            q.append(piece.configuration(e))
            G.append(own)
            v.append(own @ u)
            drift.append(own_drift)
        joined = [np.concatenate(parts) if parts else np.zeros(0) for parts in (q, v, drift)]
        return joined[0], block_diag(*G) if G else np.zeros((0, 0)), joined[1], joined[2]

    @property
    def u(self) -> list[Expr]:
        return [u for piece in self.pieces for u in piece.u]


def is_plane(H: Array) -> bool:
    """A rotation about n and two translations x and y = n × x."""
    if H.shape != (6, 3) or H[3:, 0].any() or H[:3, 1:].any():
        return False
    frame = np.column_stack([H[3:, 1], H[3:, 2], H[:3, 0]])
    return bool(np.allclose(frame.T @ frame, np.eye(3)) and np.linalg.det(frame) > 0)


def screw(h: Array) -> tuple[Any, Array]:
    """Pinocchio's joint for a screw with unit axis (or unit translation), and a point on its axis."""
    w, v = h[:3], h[3:]
    if not w.any():
        return pin.JointModelPrismaticUnaligned(v), np.zeros(3)
    pitch = float(w @ v)
    kind = pin.JointModelHelicalUnaligned(w, pitch) if abs(pitch) > 1e-14 else pin.JointModelRevoluteUnaligned(w)
    return kind, np.cross(w, v)


@dataclass
class Applied:
    """What the loads come to on Pinocchio's velocities, on our speeds, and in potential energy."""

    twin: Twin
    values: Values
    v: Array

    def __post_init__(self) -> None:
        self.on_velocities = np.zeros(self.twin.model.nv)
        self.on_speeds = dict.fromkeys(self.twin.u, 0.0)
        self.energy = 0.0
        for load in self.twin.system.primitive_loads:
            if isinstance(load, PointForce):
                self.push(load.body, load.point, self.rotation(load.frame) @ numbers(self.values, load.vector))
            elif isinstance(load, BodyTorque):
                torque = self.rotation(load.frame) @ numbers(self.values, load.vector)
                self.on_velocities += self.jacobian(load.body)[3:].T @ torque
            elif isinstance(load, SpeedForce):
                speed = self.twin.system.joints[load.joint].u[load.index]
                self.on_speeds[speed] += numbers(self.values, [load.value])[0]
            elif isinstance(load, LineTension):
                self.stretch(load)

    def frame(self, body: str) -> Any:
        return self.twin.data.oMf[self.twin.model.getFrameId(body)]

    def rotation(self, name: str) -> Array:
        if name in self.twin.system.bodies:
            return np.array(self.frame(name).rotation)
        frame = self.twin.system.frames[name]
        return self.frame(frame.body).rotation @ numbers(self.values, frame.pose.R)

    def jacobian(self, body: str) -> Array:
        place = self.twin.model.getFrameId(body)
        if not self.twin.model.frames[place].parentJoint:  # welded to the ground, where Pinocchio reads out of bounds
            return np.zeros((6, self.twin.model.nv))
        axes = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
        return np.array(pin.getFrameJacobian(self.twin.model, self.twin.data, place, axes)).reshape(6, -1)

    def point(self, body: str, point: Any) -> tuple[Array, Array]:
        """Where a point of a body is, and the Jacobian of its velocity."""
        X, J = self.frame(body), self.jacobian(body)
        arm = X.rotation @ numbers(self.values, point)
        return X.translation + arm, J[:3] - pin.skew(arm) @ J[3:]

    def push(self, body: str, point: Any, force: Array) -> None:
        self.on_velocities += self.point(body, point)[1].T @ force

    def stretch(self, spring: LineTension) -> None:
        a, J_a = self.point(spring.body_a, spring.point_a)
        b, J_b = self.point(spring.body_b, spring.point_b)
        length = np.linalg.norm(b - a)
        along = (b - a) / length
        here = self.values | {LENGTH: float(length), RATE: float(along @ (J_b - J_a) @ self.v)}
        tension, energy = numbers(here, [spring.elastic + spring.tension, spring.energy])
        self.on_velocities += (J_a - J_b).T @ along * tension
        self.energy += energy

    def add_potentials(self, equations: Equations) -> None:
        """-Γᵀ ∂V/∂q for potentials that are given in the coordinates themselves."""
        given = sum(
            (load.energy for load in self.twin.system.primitive_loads if isinstance(load, PotentialEnergy)), as_expr(0)
        )
        slope = Vector(gradient(given, list(equations.q)))
        forces = numbers(self.values, [as_expr(column.dot(slope)) for column in equations.kinematic_matrix.columns])
        for speed, force in zip(equations.u, forces, strict=True):
            self.on_speeds[speed] -= force
        self.energy += numbers(self.values, [given])[0]


def judge(system: System, equations: Equations, values: Values, agree: Any) -> None:
    twin = Twin(system, values)
    model, data = twin.model, twin.data
    q, G, v, drift = twin.at(values)
    places = [twin.u.index(u) for u in equations.u]
    G = G[:, places]
    ud = np.array([values[symbol] for symbol in equations.udot])
    tau = np.array([values[symbol] for symbol in equations.tau])
    pin.computeJointJacobians(model, data, q)
    pin.updateFramePlacements(model, data)
    applied = Applied(twin, values, v)
    applied.add_potentials(equations)
    on_speeds = np.array([applied.on_speeds[u] for u in equations.u])

    for body in system.bodies:
        ours, theirs = equations.pose(body), applied.frame(body)
        agree(f"rotation of {body}", numbers(values, ours.R), theirs.rotation)
        agree(f"position of {body}", numbers(values, ours.p), theirs.translation)
        if len(ud):
            J = applied.jacobian(body) @ G
            agree(f"jacobian of {body}", numbers(values, equations.jacobian(body)), np.vstack([J[3:], J[:3]]))
    agree("kinetic energy", numbers(values, [equations.kinetic_energy]), [pin.computeKineticEnergy(model, data, q, v)])
    potential = pin.computePotentialEnergy(model, data, q) + applied.energy
    agree("potential energy", numbers(values, [equations.potential_energy]), [potential])
    if not len(ud):
        return
    upper = np.triu(pin.crba(model, data, q))
    M_v = upper + np.triu(upper, 1).T
    M = G.T @ M_v @ G
    agree("mass matrix", numbers(values, equations.mass_matrix), M)
    efforts = G.T @ (pin.rnea(model, data, q, v, G @ ud + drift) - applied.on_velocities) - on_speeds
    agree("inverse dynamics", numbers(values, equations.inverse_dynamics), efforts)
    if G.shape[0] == G.shape[1]:
        given = np.linalg.solve(G.T, tau + on_speeds) + applied.on_velocities
        rates = np.linalg.solve(G, pin.aba(model, data, q, v, given) - drift)
    else:
        bias = G.T @ (pin.rnea(model, data, q, v, drift) - applied.on_velocities) - on_speeds
        rates = np.linalg.solve(M, tau - bias)
    spread = max(1.0, np.linalg.cond(M) * 1e-5)
    agree("forward dynamics", numbers(values, equations.forward_dynamics), rates, 1e-9 * spread)


@pytest.mark.parametrize("seed", seeds(TREES, of=200))
def test_pinocchio_agrees_on_a_random_tree(seed: int, agree: Any) -> None:
    system = random_system(seed, max_speeds=10)
    judge(system, system.derive("auto"), random_state(system, seed), agree)


@pytest.mark.parametrize("kind", JOINTS)
def test_pinocchio_agrees_on_chains_of_one_kind_of_joint(kind: str, agree: Any) -> None:
    for seed in seeds(1, of=6):
        system = random_system(seed, bodies=3, joints=(kind,), max_speeds=18)
        for formalism in ("poincare", "articulated_body"):
            judge(system, system.derive(formalism), random_state(system, seed), agree)


@pytest.mark.parametrize("seed", seeds(6, of=30))
def test_pinocchio_finds_the_same_wrench_in_every_joint(seed: int, agree: Any) -> None:
    system = random_system(seed, max_speeds=10, loads=False)
    values = random_state(system, seed)
    equations = system.derive("newton_euler")
    twin = Twin(system, values)
    q, G, v, drift = twin.at(values)
    G = G[:, [twin.u.index(u) for u in equations.u]]
    ud = np.array([values[symbol] for symbol in equations.udot])
    pin.forwardKinematics(twin.model, twin.data, q)
    pin.rnea(twin.model, twin.data, q, v, G @ ud + drift)
    swept = Reactions(equations.record, solved=False)
    for joint in system.joints.values():
        if not joint.type.stages:  # welded bodies are one to Pinocchio
            continue
        place = twin.model.frames[twin.model.getFrameId(joint.child)].parentJoint
        theirs = twin.data.oMi[place].act(twin.data.f[place])
        ours = swept.joint(joint.name, at=GROUND, frame=GROUND)
        agree(f"torque in {joint.name}", numbers(values, ours.torque), theirs.angular)
        agree(f"force in {joint.name}", numbers(values, ours.force), theirs.linear)


@pytest.mark.parametrize("seed", seeds(10, of=40))
def test_pinocchio_has_the_same_velocity_terms_by_its_coriolis_matrix(seed: int, agree: Any) -> None:
    system = random_system(seed, max_speeds=10, loads=False)
    values, equations = random_state(system, seed), system.derive("newton_euler")
    if not len(equations.u):
        return
    twin = Twin(system, values)
    q, G, v, drift = twin.at(values)
    G = G[:, [twin.u.index(u) for u in equations.u]]
    upper = np.triu(pin.crba(twin.model, twin.data, q))
    M_v = upper + np.triu(upper, 1).T
    C_v = np.array(pin.computeCoriolisMatrix(twin.model, twin.data, q, v))
    C, u = numbers(values, equations.coriolis_matrix), np.array([values[symbol] for symbol in equations.u])
    agree("velocity terms", C @ u, G.T @ (C_v @ v + M_v @ drift))
    if all(
        stage.speeds == 1 or stage.is_spherical or stage.is_free
        for j in system.joints.values()
        for stage in j.type.stages
    ):
        agree("rate of the mass matrix", C + C.T, G.T @ (C_v + C_v.T) @ G)  # G is constant
