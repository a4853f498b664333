"""A system as chains that are wired to each other: every chain one component, in the closed form (20).

Y. Tokad (1992), section 2. Where a system branches, or is to be cut, a chain ends and others begin on terminals of
its bodies. A body by itself is a chain of one. Joints of any kind, loads at any points; loops are for
`derive("network")`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

from ...dynamics.loads import Loads
from ...errors import ModelError
from ...expr import Matrix, Vector, as_expr
from ...formalisms.network.graph import REFERENCE, Edge
from ...formalisms.network.mechanism import ZERO, load_ends
from ...kinematics.motion import body_pose, world_poses
from ...kinematics.tree import Tree, build_tree, joints_from_the_ground
from ...model.forces.protocol import BodyTorque, LineTension, PointForce
from ...model.model import Model
from ...model.reading import list_of, unknown
from ...model.records import GROUND, Joint
from .chain import Chain
from .joint_ports import joint_ports
from .joints import chain_of
from .ports import Multiport
from .wiring import Wiring


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
        given = Loads(self.system, self.tree).speed_forces()
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
        raise ModelError(
            "it has loops, rolling or joints that follow others, which chains alone do not keep.",
            place=f"system '{system.name}'",
            cure="Use system.derive('network'), which takes them.",
            code="E-NET-028",
        )
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
            raise ModelError(
                f"'{stray.child}' does not hang on the body before it." if stray is not None else f"{what}.",
                place=f"chains of system '{self.system.name}'",
                cure="Name bodies from the ground outward, each once.",
                code="E-NET-029",
            )
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
        loads = Loads(self.system, self.tree)
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
        components: tuple[Multiport, ...] = tuple(
            run.chain.component(run.name, terminals=run.terminals) for run in self.listed
        )
        return WiredSystem(self.system, self.tree, Wiring(components, joints, loads))
