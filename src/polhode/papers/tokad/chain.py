"""Open chains in closed form.

Y. Tokad (1992), section 2, equations (8) to (41), with the corrections listed in docs/errata.md. A chain of m bodies is
one component with m + 1 ports: a port for each joint, between terminal B_j of body j and A_(j-1) of the body before it,
and one for the load at A_m.

    y = P ẋ + Q x - (K'S)ᵀ y_(m+1) + Sᵀ u_G,    x_(m+1) = K'S x                            (20), (22)

    paper           here
    x_j, y_j        across joint j: velocity of body j against body j-1; what acts on body j there
    R_j             skew matrix of the vector from B_j to A_j, `reach[j]`
    S = K⁻¹         from the joints' velocities to those of the mass centres, x_G = S x       (18)
    P, Q            inertia of the whole chain, as seen at its joints                         (23)

Bodies are counted from 0 here. y_j acts on body j at B_j and on the body before it at A_(j-1), so both must be one
point: where a joint slides, A_(j-1) is the point of body j-1 at which B_j is, and moves on it (`RigidBody.drifts`).
Then R_k has the slide ξ_(k+1) in it, and (28), (31), (33) and (36) have it as (29) does.

A joint of any kind is one port (`JointPort`), its x the sum over its stages with axes h_w, h_v and arms r to B_j, and
x_0 what a prescribed motion gives. In the speeds u of the joints (`SerialChain`), (36) to (39) and section 3,

    x = D u + x_0,    v = Σ (h_v + h_w × r) u,    ω = Σ h_w u
    M = Dᵀ P D,       τ = Dᵀ y,                   bias = Dᵀ (P Ḋ u + Q D u + Sᵀ u_G)

and K'S D is the Jacobian matrix (39) of the load port.

Components with ports: a rigid body with any number of terminals, and the form that all components have.

Y. Tokad, "Network Model Approach to the Analysis of Multirigid-Body Systems", Dynamics and Control 2 (1992), equations
(1) to (7), (49), (50), with the corrections listed in docs/errata.md. Vectors are in ground components.

    paper           here
    x_p = (v, ω)    the across variables of terminal p against the ground: linear over angular velocity
    y_p = (f, M)    its through variables: the force and moment that act on the body there
    r_Gp, R_Gp      `arms[p]`, the vector from the mass centre G to terminal p, and its skew matrix
    K_p             `K(p)`, [[1, 0], [R_Gp, 1]]
    W = P d/dt + Q  the inertia of the body, acting on the motion of one of its terminals
    u               the through driver of gravity

The equations can be solved for the through variables of any one terminal c; (1), (5) and (6) are the choices G, b, a:

    x_p = K_pcᵀ x_c   for every other terminal p,    K_pc = K_c⁻¹ K_p
    y_c = -Σ K_pc y_p + W_c x_c + u_c,               W_c = K_c⁻¹ W_G K_c⁻ᵀ,   u_c = K_c⁻¹ u_G

The paper writes every component in this form. With c the ports whose through variables its equations give, and b the
others, whose across variables they give,

    y_c = P ẋ_c + Q x_c - Nᵀ y_b + u,    x_b = N x_c

Of a chain c are its joints and b is the load, N = K'S: (20); or also the mass centres: (21). `wiring` joins such
components to a network.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import zip_longest
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...errors import ModelError, PolhodeError, ShapeError
from ...expr import Expr, Matrix, Vector, as_expr, directional, skew
from ...formalisms.network.graph import REFERENCE, Edge, LinearGraph
from ...formalisms.network.mechanism import CENTRE, ZERO, Pair, across_at, added, through_at
from ...geometry import Pose
from ...geometry.inertia import rotate_symmetric
from ...kinematics.motion import body_pose, flow, velocities, world_poses
from ...kinematics.prescribed import moves_in
from ...kinematics.tree import BASE, Link, Tree, build_tree, joints_from_the_ground
from ...model.model import Model
from ...model.records import GROUND, Joint

#: The ports of each body: towards the ground and away from it.
INNER, OUTER = "b", "a"

#: Roles of the drivers at the joints, at the load port and at the mass centres, by the form of the terminal equations.
_DRIVERS = {
    CENTRE: ("through", "through", "across"),  # (1): case (i), the load port corrected
    INNER: ("across", "through", "through"),  # (5): case (ii)
    OUTER: ("across", "across", "through"),  # (6): case (iii); the first joint is then driven by force
}


def driven_chain(bodies: int, form: str = CENTRE) -> LinearGraph:
    """The system graph of a chain with a driver at every port, Figure 2e; `form` is the terminal left to the cotree.

    >>> from polhode.formalisms.network.formulation import formulation
    >>> formulation(driven_chain(1)).tree
    ('b1', 'a1', "1*'")
    """
    if form not in _DRIVERS:
        raise PolhodeError(f"there is no terminal {form!r}.", cure="Choose G, b or a.", code="E-PAPER-NAME")
    joint, load, centre = _DRIVERS[form]
    edges = []
    for j in range(1, bodies + 1):
        edges += [Edge(f"{p}{j}", f"{p.upper()}{j}", REFERENCE, "body", f"body {j}") for p in (INNER, OUTER)]
        edges.append(Edge(f"G{j}", f"G{j}", REFERENCE, "body", f"body {j}"))
        inner = REFERENCE if j == 1 else f"A{j - 1}"
        edges.append(Edge(f"{j}*", f"B{j}", inner, "through" if form == OUTER and j == 1 else joint))
        edges.append(Edge(f"{j}*'", f"G{j}", REFERENCE, centre))
    edges.append(Edge(f"{bodies + 1}*", f"A{bodies}", REFERENCE, load))
    return LinearGraph(tuple(edges))


def assembled(blocks: Sequence[Sequence[Matrix]]) -> Matrix:
    """One matrix from blocks."""
    return Matrix([[x for part in row for x in part[i]] for row in blocks for i in range(len(row[0]))])


_NOTHING = Matrix.zeros(6, 6)


@dataclass(frozen=True)
class Chain:
    """Bodies with the terminals `b` and `a`, from the ground outward, each moving with its own angular velocity."""

    bodies: tuple[RigidBody, ...]

    @cached_property
    def reach(self) -> list[Vector]:
        """r_j, from B_j to A_j, (7), which is at B_(j+1)."""
        return [body.arm(OUTER) - body.arm(INNER) for body in self.bodies]

    def arm(self, p: int, j: int) -> Vector:
        """The vector from B_p to G_j, (29): over the bodies between, and over the slides ξ_k of the joints between."""
        total = -self.bodies[j].arm(INNER)
        for k in range(p, j):
            total = total + self.reach[k]
        return total

    def arm_rate(self, p: int, j: int) -> Vector:
        """d/dt of `arm`: each vector turns with its body, and A_k moves on its body with the slide."""
        total = -self.bodies[j].arm_rate(INNER)
        for body in self.bodies[p:j]:
            total = total + body.arm_rate(OUTER) - body.arm_rate(INNER)
        return total

    @cached_property
    def K(self) -> Matrix:
        """K = K_1 K_d, (11) to (13): joint velocities from those of the mass centres."""
        m = range(len(self.bodies))
        K_A = [shift(r) for r in self.reach]  # (7)
        K_1 = [[Matrix.identity(6) if p == q else -K_A[q].T if p == q + 1 else _NOTHING for q in m] for p in m]
        K_d = [[self.bodies[p].K(INNER).T if p == q else _NOTHING for q in m] for p in m]  # (12)
        return assembled(K_1) @ assembled(K_d)

    @cached_property
    def K_load(self) -> Matrix:
        """K' = K_2 K_d, (13): the load port from the last mass centre, K_aᵀ."""
        last = len(self.bodies) - 1
        return assembled([[self.bodies[j].K(OUTER).T if j == last else _NOTHING for j in range(last + 1)]])

    def S_block(self, j: int, q: int) -> Matrix:
        """S_jq = [[1, Σ R_kᵀ + R_Gb], [0, 1]] for q ≤ j, (27); (19) with S_jj corrected."""
        return shift(self.arm(q, j)).T if q <= j else _NOTHING

    @cached_property
    def S(self) -> Matrix:
        """S = K⁻¹, (19), (27)."""
        m = range(len(self.bodies))
        return assembled([[self.S_block(j, q) for q in m] for j in m])

    def P_block(self, p: int, q: int) -> Matrix:
        """P_pq, (28) corrected, or (30): Σ over the bodies beyond both joints."""
        total = _NOTHING
        for j in range(max(p, q), len(self.bodies)):
            m, J = self.bodies[j].mass, self.bodies[j].inertia
            R_p, R_q = skew(self.arm(p, j)), skew(self.arm(q, j))
            corners = {(0, 0): Matrix.identity(3), (0, 1): R_q.T, (1, 0): R_p, (1, 1): R_p @ R_q.T}
            total = total + block({at: part * m for at, part in corners.items()}) + block({(1, 1): J})
        return total

    def Q_block(self, p: int, q: int) -> Matrix:
        """Q_pq, (31), (32)."""
        total = _NOTHING
        for j in range(max(p, q), len(self.bodies)):
            body = self.bodies[j]
            rate = skew(self.arm_rate(q, j)).T * body.mass
            gyro = skew(body.spin) @ body.inertia
            total = total + block({(0, 1): rate, (1, 1): gyro + skew(self.arm(p, j)) @ rate})
        return total

    @cached_property
    def P(self) -> Matrix:
        """P = Sᵀ P_G S, (23), block by block."""
        m = range(len(self.bodies))
        return assembled([[self.P_block(p, q) for q in m] for p in m])

    @cached_property
    def Q(self) -> Matrix:
        """Q = Sᵀ (Q_G S + P_G dS/dt), (23), block by block."""
        m = range(len(self.bodies))
        return assembled([[self.Q_block(p, q) for q in m] for p in m])

    @cached_property
    def u(self) -> Vector:
        """Sᵀ u_G, (33), (34): gravity in the joints' coordinates."""
        entries: list[Any] = []
        for p in range(len(self.bodies)):
            f, moment = Vector([0, 0, 0]), Vector([0, 0, 0])
            for j in range(p, len(self.bodies)):
                weight = self.bodies[j].gravity * self.bodies[j].mass
                f, moment = f - weight, moment - self.arm(p, j).cross(weight)
            entries += [*f, *moment]
        return Vector(entries)

    @cached_property
    def load_map(self) -> Matrix:
        """K'S, (36): the motion of the load port from those of the joints, [[1, Σ R_kᵀ], [0, 1]]."""
        last = len(self.bodies) - 1
        return self.terminal_map(last, self.bodies[last].arm(OUTER))[0]

    def terminal_map(self, body: int, arm: Vector, drift: Vector = ZERO) -> tuple[Matrix, Matrix]:
        """N of x_p = N x and its rate, for the terminal at `arm` from the mass centre of a body, on which it drifts."""
        turning = self.bodies[body].spin.cross(arm) + drift
        parts, rates = [_NOTHING] * len(self.bodies), [_NOTHING] * len(self.bodies)
        for q in range(body + 1):
            parts[q] = shift(self.arm(q, body) + arm).T
            rates[q] = block({(0, 1): skew(self.arm_rate(q, body) + turning).T})
        return assembled([parts]), assembled([rates])

    def terminal_graph(self, name: str = "", centres: bool = False) -> LinearGraph:
        """An edge for each joint and one for the load (Figure 2b), with those of the mass centres on request (2c)."""
        return LinearGraph(self._ports(name, self._terminals(centres)))

    def _terminals(self, centres: bool) -> dict[str, tuple[int, Vector, Vector]]:
        last = len(self.bodies) - 1
        table = {OUTER: (last, self.bodies[last].arm(OUTER), ZERO)}
        return table | {f"{CENTRE}{j + 1}": (j, ZERO, ZERO) for j in range(last + 1) if centres}

    def _ports(self, name: str, terminals: Iterable[str]) -> tuple[Edge, ...]:
        start = f"{name}." if name else ""
        m = len(self.bodies)
        ends = [(str(j), f"{start}B{j}", REFERENCE if j == 1 else f"{start}A{j - 1}") for j in range(1, m + 1)]
        for label in terminals:
            edge, vertex = (str(m + 1), f"A{m}") if label == OUTER else (label, label)
            ends.append((edge, start + vertex, REFERENCE))
        return tuple(Edge(start + edge, tail, head, "body", name) for edge, tail, head in ends)

    def component(
        self, name: str, centres: bool = False, terminals: Mapping[str, tuple[int, Vector, Vector]] | None = None
    ) -> Multiport:
        """The chain as a component of a larger network, (20), with its mass centres (21), or with any terminals."""
        chosen = self._terminals(centres) if terminals is None else terminals
        maps = [self.terminal_map(*terminal) for terminal in chosen.values()]
        N, N_dot = ([row for pair in maps for row in pair[k]] for k in (0, 1))
        ports = self._ports(name, chosen)
        chords = tuple(port.name for port in ports[: len(self.bodies)])
        return Multiport(name, ports, chords, self.P, self.Q, Matrix(N), Matrix(N_dot), self.u)

    def through(self, x: Vector, x_dot: Vector, load: Vector, centres: Vector | None = None) -> Vector:
        """y of the joints, (20); with what acts at the mass centres, (21)."""
        y = self.P @ x_dot + self.Q @ x - self.load_map.T @ load + self.u
        return y if centres is None else y - self.S.T @ centres

    def accelerations(self, x: Vector, y: Vector, load: Vector) -> tuple[Matrix, Vector]:
        """P and what it must equal times ẋ, (24): forward dynamics when all through variables are given."""
        return self.P, y - self.Q @ x + self.load_map.T @ load - self.u

    # ---- recursion -------------------------------------------------------------------------------------------

    def outward(self, x: Sequence[Pair], x_dot: Sequence[Pair]) -> tuple[list[Pair], list[Pair]]:
        """The motion of the mass centres and its rate, (40) corrected and its derivative, from joint to joint."""
        pairs: list[Pair] = []
        rates: list[Pair] = []
        for j, body in enumerate(self.bodies):
            inner, inner_rate = x[j], x_dot[j]
            if j:
                before = self.bodies[j - 1]
                inner = added(across_at(before.arm(OUTER), pairs[-1]), inner)
                inner_rate = added(
                    _across_rate_at(before.arm(OUTER), before.arm_rate(OUTER), pairs[-1], rates[-1]), inner_rate
                )
            pairs.append(across_at(-body.arm(INNER), inner))
            rates.append(_across_rate_at(-body.arm(INNER), -body.arm_rate(INNER), inner, inner_rate))
        return pairs, rates

    def inward(self, across: Sequence[Pair], rates: Sequence[Pair], load: Pair) -> list[Pair]:
        """y of the joints, (41), from the load to the ground."""
        result: list[Pair] = []
        beyond = (-load[0], -load[1])  # y_(m+1) acts on the last body, y_(j+1) on the next one
        for body, (_, w), (a, alpha) in reversed(list(zip(self.bodies, across, rates, strict=True))):
            f = (a - body.gravity) * body.mass
            moment = body.inertia @ alpha + w.cross(body.inertia @ w)
            at_centre = added((f, moment), through_at(body.arm(OUTER), beyond))
            beyond = through_at(-body.arm(INNER), at_centre)
            result.append(beyond)
        return result[::-1]


def _across_rate_at(r: Vector, r_dot: Vector, x: Pair, x_dot: Pair) -> Pair:
    """d/dt (Kᵀ x); where r only turns, dR/dt = Ω R - R Ω, and the second term vanishes on ω."""
    (_, w), (a, alpha) = x, x_dot
    return a + alpha.cross(r) + w.cross(r_dot), alpha


# ---- joints as ports ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class JointPort:
    """A joint as a port: x = D u + x_0 in ground components, and the slide ξ."""

    joint: Joint
    D: Matrix
    x_0: Vector
    slide: Vector
    tree: Tree
    time: Expr

    def _rate(self, entries: Sequence[Any]) -> list[Expr]:
        return directional([as_expr(entry) for entry in entries], flow(self.tree, self.time))

    @cached_property
    def D_dot(self) -> Matrix:
        """dD/dt along q̇ = Γ u."""
        flat, size = self._rate(list(self.D.entries())), len(self.tree.u)
        return Matrix([flat[k * size : (k + 1) * size] for k in range(6)])

    @cached_property
    def x_0_dot(self) -> Vector:
        """dx_0/dt along q̇ = Γ u and in time."""
        return Vector(self._rate(self.x_0))

    @property
    def drift(self) -> Vector:
        """v, with which the terminal A moves on the parent."""
        return Vector(self.across(self.tree.u)[:3])

    def across(self, u: Sequence[Any]) -> Vector:
        """x."""
        return self.D @ Vector(u) + self.x_0

    def across_rate(self, u: Sequence[Any], ud: Sequence[Any]) -> Vector:
        """dx/dt."""
        return self.D @ Vector(ud) + self.D_dot @ Vector(u) + self.x_0_dot


def joint_ports(system: Model, tree: Tree) -> dict[str, JointPort]:
    """Every joint of a system as a port, from the ground outward."""
    poses = world_poses(tree)
    stages: dict[str, list[tuple[Link, Pose]]] = {}
    for link, X in zip(tree.links, poses, strict=True):
        stages.setdefault(link.joint, []).append((link, X))
    ports = {}
    for joint in joints_from_the_ground(system):
        columns: dict[int, Vector] = {}
        x_0, slide = Vector([0] * 6), ZERO
        links = stages.get(joint.name, [])  # a weld has none
        if links:
            outer = links[-1][1].p
            slide = outer - body_pose(tree, joint.parent, poses).point(joint.in_parent.p)
            for link, X in links:
                for speed, (hw, hv) in zip(link.speeds, link.H, strict=True):
                    terminal = _at_terminal(X, hw, hv, outer)
                    columns[speed] = columns[speed] + terminal if speed in columns else terminal
                if link.drive is not None:
                    x_0 = x_0 + _at_terminal(X, link.drive.w, link.drive.v, outer)
        D = Matrix.columns_of([columns.get(speed, [0] * 6) for speed in range(len(tree.u))], 6)
        ports[joint.name] = JointPort(joint, D.map(as_expr), Vector([*map(as_expr, x_0)]), slide, tree, system.time)
    return ports


def _at_terminal(X: Pose, w: Vector, v: Vector, outer: Vector) -> Vector:
    """(v, ω) of the terminal `outer` by a turn and a slide of a stage at the pose X, in its components."""
    turning = X.R @ w
    return Vector([*(X.R @ v + turning.cross(outer - X.p)), *turning])


# ---- a serial mechanism ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class SerialChain:
    """A chain with its joints."""

    tree: Tree
    chain: Chain
    ports: tuple[JointPort, ...]

    @cached_property
    def D(self) -> Matrix:
        """x = D u, beside what prescribed motions give."""
        return Matrix([row for port in self.ports for row in port.D])

    @cached_property
    def D_dot(self) -> Matrix:
        """dD/dt along q̇ = Γ u."""
        return Matrix([row for port in self.ports for row in port.D_dot])

    def mass_matrix(self) -> Matrix:
        """Dᵀ P D."""
        return (self.D.T @ self.chain.P @ self.D).map(as_expr)

    def velocity_matrix(self) -> Matrix:
        """Dᵀ (Q D + P Ḋ): the coefficients d_pq of (42), where Ḋ vanishes."""
        return (self.D.T @ (self.chain.Q @ self.D + self.chain.P @ self.D_dot)).map(as_expr)

    def gravity(self) -> Vector:
        """Dᵀ Sᵀ u_G: β of (42)."""
        return Vector([as_expr(entry) for entry in self.D.T @ self.chain.u])

    def bias(self) -> Vector:
        """Velocity terms, gravity, and the efforts of prescribed motions."""
        result = self.velocity_matrix() @ self.tree.u + self.gravity()
        if not self.tree.is_driven:
            return result
        x_0, rate = (Vector([x for port in self.ports for x in getattr(port, of)]) for of in ("x_0", "x_0_dot"))
        driven = self.chain.P @ rate + self.chain.Q @ x_0
        return Vector([as_expr(entry) for entry in result + self.D.T @ driven])

    def jacobian(self) -> Matrix:
        """K'S D, (38), (39): linear over angular velocity of the load port."""
        return (self.chain.load_map @ self.D).map(as_expr)


def serial_chain(system: Model, tip: str, at: Any = (0, 0, 0)) -> SerialChain:
    """The chain of a system whose bodies hang one on the other; the load port is the point `at` of the body `tip`."""
    joints, tree = _checked(system, tip), build_tree(system)
    ports = joint_ports(system, tree)
    chain_ports = tuple(ports[joint.name] for joint in joints)
    return SerialChain(tree, chain_of(system, tree, chain_ports, Vector([as_expr(x) for x in at])), chain_ports)


def chain_of(system: Model, tree: Tree, ports: Sequence[JointPort], end: Vector) -> Chain:
    """The bodies that these joints carry, one hanging on the other; A_m is the point `end` of the last."""
    joints = [port.joint for port in ports]
    timed = next((j for j in joints if any(moves_in(X, system.time) for X in (j.in_parent, j.in_child))), None)
    if timed is not None:
        message = f"where joint '{timed.name}' sits on its bodies depends on time, and the arms of a chain stay."
        cure = "Use system.derive('network'), which takes it, or write a prescribed joint for what moves."
        raise ModelError(message, f"system '{system.name}'", cure, "E-PAPER-UNSUPPORTED")
    poses, moving = world_poses(tree), velocities(tree)
    bodies = []
    for joint, after in zip_longest(joints, ports[1:]):
        body, X = system.bodies[joint.child], body_pose(tree, joint.child, poses)
        outer, slide, drift = (
            (end, ZERO, ZERO) if after is None else (after.joint.in_parent.p, after.slide, after.drift)
        )
        arms = {INNER: X.R @ (joint.in_child.p - body.com), OUTER: X.R @ (outer - body.com) + slide}
        i = tree.bodies[body.name][0]
        spin = ZERO if i == BASE else poses[i].R @ moving[i][0]
        inertia = rotate_symmetric(X.R, body.inertia)
        bodies.append(RigidBody(body.mass, inertia, arms, spin, system.gravity, {OUTER: drift}))
    return Chain(tuple(bodies))


def _checked(system: Model, tip: str) -> list[Joint]:
    """The joints of a chain that ends with the body `tip`."""
    place, joints = f"system '{system.name}'", joints_from_the_ground(system)
    before = [GROUND, *(joint.child for joint in joints)]
    if system.constraints:
        message = "it has loops or rolling, which a chain alone does not keep."
        raise ModelError(message, place, "Use system.derive('network'), which takes them.", "E-PAPER-UNSUPPORTED")
    if system.couplings or any(joint.parent != body for joint, body in zip(joints, before, strict=False)):
        cure = "Use system.derive('network'), which takes any tree."
        raise ModelError("it is not a chain of bodies.", place, cure, "E-PAPER-UNSUPPORTED")
    if not joints or joints[-1].child != tip:
        cure = f"The last one is '{joints[-1].child}'." if joints else "Add a body on a joint."
        raise ModelError(f"'{tip}' is not its last body.", place, cure, "E-PAPER-NAME")
    return joints


def least_speeds(jacobian: ArrayLike, velocity: ArrayLike) -> NDArray[np.float64]:
    """J⁺ x, section 2.3: the least uᵀu among all speeds u that make |J u - x| least."""
    J, x = np.asarray(jacobian, dtype=float), np.asarray(velocity, dtype=float)
    if J.ndim != 2 or x.shape != J.shape[:1]:
        message = f"a Jacobian of shape {J.shape} does not give velocities {x.shape}."
        raise ShapeError(message, cure="Give a matrix with a row for each velocity.", code="E-PAPER-SHAPE")
    return np.asarray(np.linalg.lstsq(J, x, rcond=1e-10)[0])


def block(corners: Mapping[tuple[int, int], Matrix]) -> Matrix:
    """A 6×6 matrix from those of its four 3×3 corners that do not vanish."""
    zero = Matrix.zeros(3, 3)
    return Matrix([
        [*corners.get((i // 3, 0), zero)[i % 3], *corners.get((i // 3, 1), zero)[i % 3]] for i in range(6)
    ])  # fmt: skip


def shift(r: Vector) -> Matrix:
    """K of an arm, [[1, 0], [R, 1]] (2); its inverse is the K of the opposite arm."""
    one = Matrix.identity(3)
    return block({(0, 0): one, (1, 0): skew(r), (1, 1): one})


@dataclass(frozen=True)
class TerminalEquations:
    """The equations of a body, solved for the through variables of the terminal `at`."""

    at: str
    maps: Mapping[str, Matrix]  # K_pc for every other terminal
    P: Matrix
    Q: Matrix
    u: Vector

    def across(self, x: Vector) -> dict[str, Vector]:
        """The motion of the other terminals, K_pcᵀ x."""
        return {port: K.T @ x for port, K in self.maps.items()}

    def through(self, y: Mapping[str, Vector], x: Vector, x_dot: Vector) -> Vector:
        """y_c = -Σ K_pc y_p + P ẋ + Q x + u."""
        total = self.P @ x_dot + self.Q @ x + self.u
        for port, K in self.maps.items():
            if port in y:
                total = total - K @ y[port]
        return total

    def ideal_matrix(self) -> Matrix:
        """The coefficient matrix [[0, Kᵀ], [-K, 0]] of the ideal body (3): that of a transformer, skew-symmetric."""
        size = 6 * len(self.maps)
        right = [row for K in self.maps.values() for row in K.T]
        bottom = [[-entry for K in self.maps.values() for entry in K[i]] + [0] * 6 for i in range(6)]
        return Matrix([[*([0] * size), *row] for row in right] + bottom)


@dataclass(frozen=True)
class RigidBody:
    """Mass, inertia J_G, the arms of its terminals, its angular velocity and gravity, all in ground components.

    `drifts` are the velocities, relative to the body, of those terminals that move on it.

    >>> from polhode.expr import symbols
    >>> m, J, l, w, g = symbols("m J l w g", "parameter")
    >>> rod = RigidBody(m, Matrix.diagonal([0, J, J]), {"a": Vector([l, 0, 0])}, Vector([0, 0, w]), Vector([0, -g, 0]))
    >>> rod.solved_for("a").P[5]
    Vector([0, -m*l, 0, 0, 0, J + m*l**2])
    """

    mass: Any
    inertia: Matrix
    arms: Mapping[str, Vector]
    spin: Vector
    gravity: Vector
    drifts: Mapping[str, Vector] = field(default_factory=dict)

    def arm(self, port: str) -> Vector:
        """The vector from the mass centre to a terminal."""
        if port == CENTRE:
            return ZERO
        if port not in self.arms:
            cure = f"Choose {', '.join([CENTRE, *self.arms])}."
            raise PolhodeError(f"the body has no terminal '{port}'.", cure=cure, code="E-PAPER-NAME")
        return self.arms[port]

    def arm_rate(self, port: str) -> Vector:
        """d/dt of `arm`: ω × r, and how the terminal moves on the body."""
        return self.spin.cross(self.arm(port)) + self.drifts.get(port, ZERO)

    def K(self, port: str) -> Matrix:
        """K_p, (2)."""
        return shift(self.arm(port))

    @property
    def P(self) -> Matrix:
        """P_G = diag(m 1, J_G), (2)."""
        return block({(0, 0): Matrix.identity(3) * self.mass, (1, 1): self.inertia})

    @property
    def Q(self) -> Matrix:
        """Q_G = diag(0, Ω J_G), (2)."""
        return block({(1, 1): skew(self.spin) @ self.inertia})

    @property
    def u(self) -> Vector:
        """u_G = (-m g, 0), (2): gravity as a through driver."""
        return Vector([*(self.gravity * -self.mass), 0, 0, 0])

    def terminal_graph(self, name: str = "") -> LinearGraph:
        """An edge from each terminal to the ground O, (Figure 1c); the terminals of a named body have its name."""
        return LinearGraph(self._ports(name))

    def split_graph(self, port: str = CENTRE, name: str = "R") -> LinearGraph:
        """The ideal body and the active one-port (W, u) at one of its terminals: Figure 1d (G), 1e (b), 1f (a)."""
        _ = self.arm(port)
        edges = self.terminal_graph().edges
        tail = next(edge.tail for edge in edges if edge.name == port)
        star = tuple(replace(edge, element=f"{name}₀") for edge in edges)
        return LinearGraph((*star, Edge(f"W_{tail}, u_{tail}", tail, REFERENCE, "inertia", name)))

    def _ports(self, name: str) -> tuple[Edge, ...]:
        owned = {port: f"{name}.{port}" if name else port for port in (*self.arms, CENTRE)}
        return tuple(Edge(port, port if name else port.upper(), REFERENCE, "body", name) for port in owned.values())

    def component(self, name: str, port: str = CENTRE) -> Multiport:
        """The body as a component of a larger network, solved for y of `port`; its terminals are "name.port"."""
        form, rate = self.solved_for(port), self.arm_rate(port)
        turning = {p: block({(0, 1): skew(self.arm_rate(p) - rate).T}) for p in form.maps}
        edges = self._ports(name)
        rows = [row for K in form.maps.values() for row in K.T]
        rates = [row for rate in turning.values() for row in rate]
        return Multiport(name, edges, (f"{name}.{port}",), form.P, form.Q, Matrix(rows), Matrix(rates), form.u)

    def solved_for(self, port: str = CENTRE) -> TerminalEquations:
        """The terminal equations with `port` in the cotree: (1) for G, (5) for b, (6) for a."""
        r = self.arm(port)
        back = shift(-r)  # K_c⁻¹
        turning = block({(0, 1): skew(self.arm_rate(port))})  # d/dt K_c⁻ᵀ
        maps = {p: shift(self.arm(p) - r) for p in (*self.arms, CENTRE) if p != port}  # K_c⁻¹ K_p (7)
        return TerminalEquations(
            port,
            maps,
            P=back @ self.P @ back.T,  # (49), (50)
            Q=back @ (self.Q @ back.T + self.P @ turning),
            u=back @ self.u,
        )


@dataclass(frozen=True)
class Multiport:
    """A component: its ports as edges, those it gives y of (`chords`), and its equations, six rows for each port."""

    name: str
    ports: tuple[Edge, ...]
    chords: tuple[str, ...]
    P: Matrix
    Q: Matrix
    N: Matrix
    N_dot: Matrix
    u: Vector

    @cached_property
    def branches(self) -> tuple[str, ...]:
        """The ports whose across variables the equations give."""
        return tuple(port.name for port in self.ports if port.name not in self.chords)

    def terminal_graph(self) -> LinearGraph:
        """The terminal graph: an edge for each port."""
        return LinearGraph(self.ports)

    def across(self, x: Mapping[str, Vector]) -> dict[str, Vector]:
        """x_b = N x_c."""
        return self._by_branch(self.N @ self._stacked(x))

    def across_rate(self, x: Mapping[str, Vector], x_dot: Mapping[str, Vector]) -> dict[str, Vector]:
        """ẋ_b = N ẋ_c + Ṅ x_c."""
        return self._by_branch(self.N @ self._stacked(x_dot) + self.N_dot @ self._stacked(x))

    def through(
        self, y: Mapping[str, Vector], x: Mapping[str, Vector], x_dot: Mapping[str, Vector]
    ) -> dict[str, Vector]:
        """y_c = P ẋ_c + Q x_c - Nᵀ y_b + u; ports b that are not named are free."""
        through = Vector([entry for port in self.branches for entry in y.get(port, [0] * 6)])
        result = self.P @ self._stacked(x_dot) + self.Q @ self._stacked(x) + self.u
        result = result - self.N.T @ through if self.branches else result
        return {port: Vector(result[6 * k : 6 * k + 6]) for k, port in enumerate(self.chords)}

    def _stacked(self, x: Mapping[str, Vector]) -> Vector:
        return Vector([entry for port in self.chords for entry in x[port]])

    def _by_branch(self, x: Vector) -> dict[str, Vector]:
        return {port: Vector(x[6 * k : 6 * k + 6]) for k, port in enumerate(self.branches)}
