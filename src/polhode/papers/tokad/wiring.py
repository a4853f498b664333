"""Components wired to each other: a network whose parts may be bodies, chains, or anything of the same form.

The ports of a component whose through variables it gives are chords, and its others branches, of a formulation tree;
joints are branches with x = D u, loads are chords. A chain has a terminal graph in several pieces, one for each joint
and one for the load, and so the tree may be a forest. Y. Tokad (1992), sections 1 and 2: (8), (9) and what each
component is.

Any system without loops is such a network (`wired_system`): where it branches, or is to be cut, a chain ends and others
begin on terminals of its bodies. A body by itself is a chain of one. Loops are for `derive("network")`.

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
from itertools import pairwise
from typing import Any

from ...dynamics.loads import loads_of
from ...errors import ModelError, PolhodeError
from ...expr import Matrix, Vector, as_expr, skew
from ...formalisms.network.formulation import check_circuits, listed
from ...formalisms.network.graph import REFERENCE, Edge, Forest, Formulation, LinearGraph
from ...formalisms.network.mechanism import CENTRE, ZERO, load_ends
from ...kinematics.motion import body_pose, world_poses
from ...kinematics.tree import Tree, build_tree, joints_from_the_ground
from ...model.forces.protocol import BodyTorque, LineTension, PointForce
from ...model.model import Model
from ...model.reading import list_of, unknown
from ...model.records import GROUND, Joint
from .chain import Chain, JointPort, chain_of, joint_ports


@dataclass(frozen=True)
class Open:
    """A joint that leaves all six velocities open: u has them from `first` on."""

    first: int
    speeds: int

    @property
    def D(self) -> Matrix:
        """Six columns of the unit matrix."""
        return Matrix([[int(k == self.first + i) for k in range(self.speeds)] for i in range(6)])

    def across(self, u: Sequence[Any]) -> Vector:
        """Its own six."""
        return Vector(u[self.first : self.first + 6])

    def across_rate(self, u: Sequence[Any], ud: Sequence[Any]) -> Vector:
        """Those of the rates."""
        return self.across(ud)


@dataclass(frozen=True)
class Wiring:
    """Components, joints between their terminals and what they do, and loads.

    >>> from polhode.expr import Matrix, Vector, symbols
    >>> from polhode.papers.tokad.component import RigidBody
    >>> m, J, l, w = symbols("m J l w", "parameter")
    >>> rod = RigidBody(m, Matrix.diagonal([J] * 3), {"b": Vector([-l, 0, 0])}, Vector([0, 0, w]), Vector([0, 0, 0]))
    >>> pin = Edge("pin", "rod.b", "O", "joint")
    >>> Wiring((rod.component("rod", "b"),), ((pin, Open(0, 6)),)).mass_matrix()[5]
    Vector([0, l*m, 0, 0, 0, J + l**2*m])
    """

    components: tuple[Multiport, ...]
    joints: tuple[tuple[Edge, JointPort | Open], ...]  # x = D u + x_0 of each
    loads: tuple[tuple[Edge, Vector], ...] = ()  # what acts on the terminal at the tail

    def __post_init__(self) -> None:
        _ = self.order  # so that what is wrong is said at once

    @cached_property
    def graph(self) -> Formulation:
        """The ports, joints and loads as a graph, with its tree or forest."""
        ports = [port for component in self.components for port in component.ports]
        joints = [edge for edge, _ in self.joints]
        edges = LinearGraph((*ports, *joints, *(edge for edge, _ in self.loads)))
        taken = {name for component in self.components for name in component.branches} | {e.name for e in joints}
        branches = [edge for edge in edges.edges if edge.name in taken]
        check_circuits(branches)
        forest = Forest(branches)
        apart = [edge.name for edge in edges.edges if forest.joins(edge)]
        if apart:
            cure = "Join its terminals to others, or to the ground O."
            raise PolhodeError(f"nothing gives the velocities at {listed(apart)}.", "wiring", cure, "E-PAPER-TREE")
        return Formulation(edges, tuple(edge.name for edge in branches))

    @cached_property
    def order(self) -> tuple[Multiport, ...]:
        """The components, each after those from which its velocities follow."""
        owner = {name: component for component in self.components for name in component.branches}
        needs = {
            component.name: {owner[b].name for c in component.chords for b in self.graph.circuits[c] if b in owner}
            for component in self.components
        }
        made: dict[str, Multiport] = {}
        waiting = list(self.components)
        while waiting:
            ready = [component for component in waiting if needs[component.name] <= made.keys()]
            if not ready:
                raise PolhodeError(
                    f"the components {listed(c.name for c in waiting)} are wired in a circle: the velocities of each "
                    "follow from those of the other.",
                    place="wiring",
                    cure="Solve one of them for another of its terminals.",
                    code="E-PAPER-TREE",
                )
            made |= {component.name: component for component in ready}
            waiting = [component for component in waiting if component.name not in made]
        return tuple(made.values())

    def motion(self, u: Sequence[Any], ud: Sequence[Any]) -> tuple[dict[str, Vector], dict[str, Vector]]:
        """x and ẋ of every port and joint, by the circuits (8)."""
        x = {edge.name: moving.across(u) for edge, moving in self.joints}
        rate = {edge.name: moving.across_rate(u, ud) for edge, moving in self.joints}
        for component in self.order:
            for table in (x, rate):
                table |= {chord: self._summed(self.graph.circuits[chord], table, 1) for chord in component.chords}
            rate |= component.across_rate(x, rate)
            x |= component.across(x)
        return x, rate

    def efforts(self, u: Sequence[Any], ud: Sequence[Any]) -> Vector:
        """τ of every speed, by the cut-sets (9)."""
        x, rate = self.motion(u, ud)
        y = {edge.name: -acting for edge, acting in self.loads}
        for component in reversed(self.order):
            given = {b: self._summed(self.graph.cutsets[b], y, -1) for b in component.branches}
            y |= component.through(given, x, rate)
        total = Vector([as_expr(0)] * len(u))
        for edge, moving in self.joints:
            total = total - moving.D.T @ self._summed(self.graph.cutsets[edge.name], y, -1)
        return Vector([as_expr(entry) for entry in total])

    @staticmethod
    def _summed(signs: Mapping[str, int], table: Mapping[str, Vector], factor: int) -> Vector:
        total = Vector([0] * 6)
        for name, sign in signs.items():
            if name in table:
                total = total + table[name] * (factor * sign)
        return total

    def mass_matrix(self) -> Matrix:
        """Σ Eᵀ P E over the components, x_c = E u."""
        maps = {edge.name: moving.D for edge, moving in self.joints}
        size = len(next(iter(maps.values()))[0]) if maps else 0
        M = Matrix.zeros(size, size)
        for component in self.order:
            for chord in component.chords:
                own = Matrix.zeros(6, size)
                for name, sign in self.graph.circuits[chord].items():
                    own = own + maps[name] * sign
                maps[chord] = own
            E = Matrix([row for chord in component.chords for row in maps[chord]])
            M = M + E.T @ component.P @ E
            beyond = component.N @ E if component.branches else E
            maps |= {b: Matrix(list(beyond)[6 * k : 6 * k + 6]) for k, b in enumerate(component.branches)}
        return M.map(as_expr)


@dataclass(frozen=True)
class WiredSystem:
    """A system as a wiring of chains, and its equations of motion.

    >>> import polhode as ph
    >>> arm, before = ph.System("arm"), "ground"
    >>> for k in (1, 2, 3):
    ...     body = arm.body(f"link {k}", mass=1, com=(1, 0, 0))
    ...     _ = arm.joint(f"q{k}", before, body, ph.Revolute("z"), at=(2 if k > 1 else 0, 0, 0))
    ...     before = body
    >>> made = wired_system(arm, [["link 1", "link 2"]])
    >>> [component.name for component in made.wiring.components]
    ['link 1 to link 2', 'link 3']
    >>> made.mass_matrix() == arm.derive().mass_matrix
    True
    """

    system: Model
    tree: Tree
    wiring: Wiring

    def efforts(self, ud: Sequence[Any]) -> Vector:
        """τ(q, u, u̇), as the speeds' own springs and forces leave it."""
        given = loads_of(self.system, self.tree).speed_forces()
        made = self.wiring.efforts(self.tree.u, ud)
        return Vector([as_expr(tau - force) for tau, force in zip(made, given, strict=True)])

    def mass_matrix(self) -> Matrix:
        """M(q)."""
        return self.wiring.mass_matrix()

    @cached_property
    def bias(self) -> Vector:
        """What M u̇ lacks to τ."""
        return self.efforts([as_expr(0)] * len(self.tree.u))


def wired_system(system: Model, chains: Iterable[Sequence[str]] = ()) -> WiredSystem:
    """A system of which each list names bodies that are one chain, each hanging on the one before; others are alone."""
    if system.constraints or system.couplings:
        message = "it has loops, rolling or joints that follow others, which chains alone do not keep."
        cure = "Use system.derive('network'), which takes them."
        raise ModelError(message, f"system '{system.name}'", cure, "E-PAPER-UNSUPPORTED")
    return _Builder(system, build_tree(system)).build(chains)


@dataclass
class _Run:
    """A chain while its terminals are being found."""

    name: str
    chain: Chain
    terminals: dict[str, tuple[int, Vector, Vector]]


class _Builder:
    def __init__(self, system: Model, tree: Tree) -> None:
        self.system, self.tree = system, tree
        self.poses, self.ports = world_poses(tree), joint_ports(system, tree)
        self.joint_of = {joint.child: joint for joint in joints_from_the_ground(system)}
        self.runs: dict[str, tuple[_Run, int]] = {}  # by body, with its place in the run
        self.listed: list[_Run] = []

    def add_run(self, bodies: Sequence[str]) -> None:
        for body in bodies:
            if not isinstance(body, str) or body not in self.joint_of:
                raise unknown("body", str(body), self.joint_of, f"chains of system '{self.system.name}'")
        joints = [self.joint_of[body] for body in bodies]
        stray = next((b for a, b in pairwise(joints) if b.parent != a.child), None)
        taken = next((body for k, body in enumerate(bodies) if body in self.runs or body in bodies[:k]), None)
        if stray is not None or taken is not None or not bodies:
            what = "a chain has no bodies" if not bodies else f"'{taken}' is in two chains"
            message = f"'{stray.child}' does not hang on the body before it." if stray is not None else f"{what}."
            cure = "Name bodies from the ground outward, each once."
            raise ModelError(message, f"chains of system '{self.system.name}'", cure, "E-PAPER-UNSUPPORTED")
        name = bodies[0] if len(bodies) == 1 else f"{bodies[0]} to {bodies[-1]}"
        ports = [self.ports[joint.name] for joint in joints]
        run = _Run(name, chain_of(self.system, self.tree, ports, self.system.bodies[bodies[-1]].com), {})
        self.listed.append(run)
        self.runs |= {body: (run, k) for k, body in enumerate(bodies)}

    def terminal(self, body: str, label: str, point: Vector, slide: Vector = ZERO, drift: Vector = ZERO) -> str:
        """The vertex of a new terminal at a point of a body, in its components, and a slide from there; O: ground."""
        if body == GROUND:
            return REFERENCE
        run, k = self.runs[body]
        while label in run.terminals:
            label += "'"
        arm = body_pose(self.tree, body, self.poses).R @ (point - self.system.bodies[body].com)
        run.terminals[label] = k, arm + slide, drift
        return f"{run.name}.{label}"

    def joint_edge(self, joint: Joint) -> Edge:
        run, k = self.runs[joint.child]
        tail = f"{run.name}.B{k + 1}"
        port, is_inside = self.ports[joint.name], k > 0
        place = joint.in_parent.p, port.slide, port.drift
        head = f"{run.name}.A{k}" if is_inside else self.terminal(joint.parent, joint.name, *place)
        return Edge(f"joint {joint.name}", tail, head, "joint", joint.name)

    def load_edges(self) -> Iterable[tuple[Edge, Vector]]:
        loads = loads_of(self.system, self.tree)
        count = 0
        for each in self.system.acting:
            for load in each.loads:
                ends = load_ends(load)
                if not ends or not isinstance(load, PointForce | BodyTorque | LineTension):
                    continue
                count += 1
                tail, head = (self.terminal(body, f"{each.name} {count}", point) for body, point in ends)
                force, torque = loads.in_ground(load)
                yield Edge(f"load {count} {each.name}", tail, head, "through", each.name), Vector([*force, *torque])

    def build(self, chains: Iterable[Sequence[str]]) -> WiredSystem:
        for bodies in list_of(chains, "a list of chains", f"chains of system '{self.system.name}'"):
            self.add_run(list_of(bodies, "a list of bodies", f"chains of system '{self.system.name}'"))
        for body in self.joint_of:
            if body not in self.runs:
                self.add_run([body])
        joints = tuple((self.joint_edge(joint), self.ports[joint.name]) for joint in self.joint_of.values())
        loads = tuple(self.load_edges())
        components = tuple(run.chain.component(run.name, terminals=run.terminals) for run in self.listed)
        return WiredSystem(self.system, self.tree, Wiring(components, joints, loads))


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
    Vector([0, -l*m, 0, 0, 0, J + l**2*m])
    """

    mass: Any
    inertia: Matrix
    arms: Mapping[str, Vector]
    spin: Vector
    gravity: Vector
    drifts: Mapping[str, Vector] = field(default_factory=dict)

    def arm(self, port: str) -> Vector:
        """From the mass centre to a terminal."""
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
        given = Vector([entry for port in self.branches for entry in y.get(port, [0] * 6)])
        made = self.P @ self._stacked(x_dot) + self.Q @ self._stacked(x) + self.u
        made = made - self.N.T @ given if self.branches else made
        return {port: Vector(made[6 * k : 6 * k + 6]) for k, port in enumerate(self.chords)}

    def _stacked(self, x: Mapping[str, Vector]) -> Vector:
        return Vector([entry for port in self.chords for entry in x[port]])

    def _by_branch(self, x: Vector) -> dict[str, Vector]:
        return {port: Vector(x[6 * k : 6 * k + 6]) for k, port in enumerate(self.branches)}
