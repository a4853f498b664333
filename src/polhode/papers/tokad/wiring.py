"""Components wired to each other: a network whose parts may be bodies, chains, or anything of the same form.

The ports of a component whose through variables it gives are chords, and its others branches, of a formulation tree;
joints are branches with x = D u, loads are chords. A chain has a terminal graph in several pieces, one for each joint
and one for the load, and so the tree may be a forest. Y. Tokad (1992), sections 1 and 2: (8), (9) and what each
component is.

Any system without loops is such a network (`wired_system`): where it branches, or is to be cut, a chain ends and others
begin on terminals of its bodies. A body by itself is a chain of one. Loops are for `derive("network")`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

from ...dynamics.loads import loads_of
from ...errors import ModelError, PolhodeError
from ...expr import Matrix, Vector, as_expr
from ...formalisms.network.formulation import check_circuits, listed
from ...formalisms.network.graph import REFERENCE, Edge, Forest, Formulation, LinearGraph
from ...formalisms.network.mechanism import ZERO, load_ends
from ...kinematics.motion import body_pose, world_poses
from ...kinematics.tree import Tree, build_tree, joints_from_the_ground
from ...model.forces.protocol import BodyTorque, LineTension, PointForce
from ...model.model import Model
from ...model.reading import list_of, unknown
from ...model.records import GROUND, Joint
from .chain import Chain, JointPort, Multiport, chain_of, joint_ports


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
        """The rates of `across`."""
        return self.across(ud)


@dataclass(frozen=True)
class Wiring:
    """Components, joints between their terminals and what they do, and loads."""

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
        result: dict[str, Multiport] = {}
        waiting = list(self.components)
        while waiting:
            ready = [component for component in waiting if needs[component.name] <= result.keys()]
            if not ready:
                message = (
                    f"the components {listed(c.name for c in waiting)} are wired in a circle: the velocities of each "
                    "follow from those of the other."
                )
                raise PolhodeError(message, "wiring", "Solve one of them for another of its terminals.", "E-PAPER-TREE")
            result |= {component.name: component for component in ready}
            waiting = [component for component in waiting if component.name not in result]
        return tuple(result.values())

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
            summed = {b: self._summed(self.graph.cutsets[b], y, -1) for b in component.branches}
            y |= component.through(summed, x, rate)
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
                total = Matrix.zeros(6, size)
                for name, sign in self.graph.circuits[chord].items():
                    total = total + maps[name] * sign
                maps[chord] = total
            E = Matrix([row for chord in component.chords for row in maps[chord]])
            M = M + E.T @ component.P @ E
            beyond = component.N @ E if component.branches else E
            maps |= {b: Matrix(list(beyond)[6 * k : 6 * k + 6]) for k, b in enumerate(component.branches)}
        return M.map(as_expr)


@dataclass(frozen=True)
class WiredSystem:
    """A system as a wiring of chains, and its equations of motion."""

    system: Model
    tree: Tree
    wiring: Wiring

    def efforts(self, ud: Sequence[Any]) -> Vector:
        """τ(q, u, u̇), as the speeds' own springs and forces leave it."""
        forces = loads_of(self.system, self.tree).speed_forces()
        result = self.wiring.efforts(self.tree.u, ud)
        return Vector([as_expr(tau - force) for tau, force in zip(result, forces, strict=True)])

    def mass_matrix(self) -> Matrix:
        """M(q)."""
        return self.wiring.mass_matrix()

    @cached_property
    def bias(self) -> Vector:
        """The bias: efforts at zero accelerations."""
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
    """A chain whose terminals are being collected."""

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
        twice = next((body for k, body in enumerate(bodies) if body in self.runs or body in bodies[:k]), None)
        if stray is not None or twice is not None or not bodies:
            what = "a chain has no bodies" if not bodies else f"'{twice}' is in two chains"
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
        position = joint.in_parent.p, port.slide, port.drift
        head = f"{run.name}.A{k}" if is_inside else self.terminal(joint.parent, joint.name, *position)
        return Edge(f"joint {joint.name}", tail, head, "joint", joint.name)

    def load_edges(self) -> Iterable[tuple[Edge, Vector]]:
        loads = loads_of(self.system, self.tree)
        count = 0
        for acting in self.system.acting:
            for load in acting.loads:
                ends = load_ends(load)
                if not ends or not isinstance(load, PointForce | BodyTorque | LineTension):
                    continue
                count += 1
                tail, head = (self.terminal(body, f"{acting.name} {count}", point) for body, point in ends)
                force, torque = loads.in_ground(load)
                yield Edge(f"load {count} {acting.name}", tail, head, "through", acting.name), Vector([*force, *torque])

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
