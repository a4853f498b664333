"""A mechanism as components with ports, and the linear graph that joins them.

Every body is a component: its terminals are the inner one, at the joint that carries it, one for each joint that it
carries, one at its mass centre G and one for each load. A joint with several simple stages has ideal (massless) bodies
between them. Edges, after Y. Tokad (1992), Figures 1d and 2e:

    body       from each terminal to the ground O
    joint      from the inner terminal of the child to a terminal of the parent; if its motion is prescribed it is an
               across driver; one that closes a loop joins terminals of two bodies in the same way
    contact    between the terminals of two bodies at the place where they roll on each other or may not slip
    inertia    at each mass centre the one-port (W_G) with gravity (u_G): y = W x + u
    load       a force, a torque or a spring: a through driver; if it acts on coordinates or speeds, parallel to their
               joints

A terminal of the parent is that point of it where the inner terminal of the child is, so that it moves on the parent if
the joint slides. The terminals of a contact move on both bodies.

What closes a loop is a chord: a joint from the origin of its frame b to the point of body a that is there, a contact
between the points of two bodies where they touch. Its circuit gives x_c = x_b - x_a. Along each direction d that it
forbids, d·x_c = 0 is a constraint, the rate of its condition on the constraints and off them, and y_c = -Σ λ d with the
multipliers λ. The directions of a closing joint are in `model.constraints.closure`; for one with coordinates of
its own (`constraints.loop_auxiliary`), and for any other loop, they are what the rates of its rows have of the twist.
Those of a contact are (d, 0) for slip along d.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from ...constraints.moving import MovingTree, loop_pose
from ...constraints.wrenches import loop_directions
from ...expr import Matrix, Vector, free_symbols
from ...geometry import Pose
from ...kinematics.motion import body_pose, relative_pose, world_poses
from ...kinematics.prescribed import moves_in
from ...kinematics.tree import Link, Tree, joints_from_the_ground
from ...model.constraints.protocol import Contact, ContactConstraint, LoopConstraint
from ...model.forces.protocol import (
    BodyTorque,
    CoordinateForce,
    LineTension,
    PointForce,
    PotentialEnergy,
    PrimitiveLoad,
    SpeedForce,
)
from ...model.model import Acting, Model
from ...model.records import GROUND, Joint
from .graph import REFERENCE, Edge, LinearGraph

#: The terminal at the mass centre.
CENTRE = "G"

#: Across variables (v, ω), or through variables (f, M), of one terminal.
Pair = tuple[Vector, Vector]

ZERO = Vector([0, 0, 0])


def across_at(r: Vector, x: Pair) -> Pair:
    """Kᵀ x: the velocities (v + ω × r, ω) of the terminal that lies at r from the one that moves with (v, ω)."""
    v, w = x
    return v + w.cross(r), w


def through_at(r: Vector, y: Pair) -> Pair:
    """K y: the through variables (f, M + r × f) equivalent to (f, M) at r."""
    f, moment = y
    return f, moment + r.cross(f)


def added(a: Pair, b: Pair, sign: int = 1) -> Pair:
    """a + b, or a - b."""
    return (a[0] + b[0], a[1] + b[1]) if sign > 0 else (a[0] - b[0], a[1] - b[1])


@dataclass(frozen=True)
class Direction:
    """A direction (v, ω) in ground components; its label is that of the condition whose rate it gives."""

    label: str
    pair: Pair

    def along(self, x: Pair) -> Any:
        """d · x."""
        return self.pair[0].dot(x[0]) + self.pair[1].dot(x[1])


@dataclass(frozen=True)
class ClosingEdge:
    """A joint that closes a loop, or a contact, as an edge: directions (if any) in which its ends do not separate."""

    name: str
    of: str  # the constraint
    directions: tuple[Direction, ...]
    place: Vector | None = None  # where a contact is, in ground components: it wanders on both bodies

    @property
    def rule(self) -> str:
        """The condition on its across variable, in words."""
        labels = [direction.label or "its direction" for direction in self.directions]
        return f"= 0 along {', '.join(labels)}" if labels else "is what its joint allows"


def forbidden(loop: LoopConstraint, X: Pose, R_a: Matrix, R_b: Matrix) -> tuple[Direction, ...]:
    """The directions that a loop keeps at zero; X is the pose of frame b in a, R_a and R_b rotate to the ground."""
    directions = loop.directions(R_a, R_b)
    if directions is None:
        directions = {name: (R_b @ f, R_b @ n) for name, (n, f) in loop_directions(loop, X).items()}
    return tuple(Direction(name, pair) for name, pair in directions.items())


def unslipping(contact: Contact) -> tuple[Direction, ...]:
    """The directions in which two bodies that touch do not slip, part or turn; none where a surface itself drifts."""
    if any(contact.drift):
        return ()
    slides, turns = contact.directions, contact.turns
    return tuple(Direction(name, (slides.get(name, ZERO), turns.get(name, ZERO))) for name in {**slides, **turns})


@dataclass(frozen=True)
class JointEdge:
    """A simple joint as an edge: the motion of its outer end against its inner one, in ground components."""

    name: str
    joint: str
    inner: str  # component, the ground among them
    outer: str
    columns: tuple[tuple[int, Pair], ...]  # for each speed (v, ω) of the outer terminal against the inner one
    prescribed: tuple[Pair, Pair] | None = None  # a prescribed motion: (v, ω) and its rate as seen in the outer body
    variables: tuple[str, ...] = ()  # the names of its coordinates and speeds

    def across(self, rates: Any) -> Pair:
        """Σ columns · rates: the across variable for speeds, or its rate in the outer body for their rates."""
        v, w = Vector([0, 0, 0]), Vector([0, 0, 0])
        for speed, (h_v, h_w) in self.columns:
            v, w = v + h_v * rates[speed], w + h_w * rates[speed]
        return v, w


@dataclass(frozen=True)
class Component:
    """A rigid body with its terminals: edge name -> arm from the inner terminal, in ground components."""

    name: str
    R: Matrix
    inner: str  # the edge of the inner terminal
    arms: Mapping[str, Vector]
    slides: Mapping[str, str]  # terminals that move on the body, with the joint or contact that moves them
    mass: Any = 0
    inertia: Matrix | None = None  # about the mass centre, in the body's components
    centre: str = ""  # the edge of the mass centre, and of the one-port there
    one_port: str = ""

    @property
    def is_ideal(self) -> bool:
        """Whether it has no mass."""
        return self.inertia is None

    def arm(self, terminal: str) -> Vector:
        """From the inner terminal to one of its terminals."""
        return ZERO if terminal == self.inner else self.arms[terminal]


@dataclass(frozen=True)
class Mechanism:
    """Components from the ground outward, joints, loop closures, loads and the graph of them all."""

    system: Model
    components: tuple[Component, ...]
    joints: Mapping[str, JointEdge]
    closing: Mapping[str, ClosingEdge]
    loads: Mapping[str, PointForce | BodyTorque | LineTension]
    joint_loads: Mapping[str, str]  # loads on coordinates and speeds: the joint edge that each is parallel to
    graph: LinearGraph

    @cached_property
    def component_of(self) -> dict[str, Component]:
        """The component that each body edge belongs to."""
        return {edge: part for part in self.components for edge in (part.inner, *part.arms)}

    @cached_property
    def by_name(self) -> dict[str, Component]:
        """The components by their names."""
        return {part.name: part for part in self.components}

    @cached_property
    def edges_named(self) -> dict[str, list[str]]:
        """Edges by the names of edges, of joints (all stages, from the parent outward), of coordinates and speeds."""
        of_variables: dict[str, list[str]] = {}
        of_joints: dict[str, list[str]] = {}
        for edge in self.joints.values():
            of_joints.setdefault(edge.joint, []).append(edge.name)
            for name in edge.variables:  # joints that follow come after the one that leads
                of_variables.setdefault(name, [edge.name])
        return of_variables | of_joints | {name: [name] for name in self.graph.by_name}

    def branches(self, names: Iterable[str]) -> list[str]:
        """The edges of a tree whose branches are named, joints and coordinates among them; other names as they are."""
        return [edge for name in names for edge in self.edges_named.get(str(name), [str(name)])]


@dataclass
class _Draft:
    """A component under construction: the origin in its own frame, arms in ground components."""

    name: str
    R: Matrix
    inner: str
    origin: Vector
    arms: dict[str, Vector] = field(default_factory=dict)
    slides: dict[str, str] = field(default_factory=dict)
    centre: str = ""
    one_port: str = ""


class _Builder:
    def __init__(self, model: Model, tree: Tree) -> None:
        self.system, self.tree = model, tree
        self.poses = world_poses(tree)
        self.links: dict[str, list[tuple[Link, Pose]]] = {}
        for link, X in zip(tree.links, self.poses, strict=True):
            self.links.setdefault(link.joint, []).append((link, X))
        self.names: set[str] = {REFERENCE}
        self.drafts: dict[str, _Draft] = {}
        self.joints: dict[str, JointEdge] = {}
        self.closing: dict[str, ClosingEdge] = {}
        self.loads: dict[str, PointForce | BodyTorque | LineTension] = {}
        self.joint_loads: dict[str, str] = {}
        self.joint_edges: list[Edge] = []
        self.other_edges: list[Edge] = []

    @cached_property
    def moving(self) -> MovingTree:
        return MovingTree(self.system, self.tree)

    def fresh(self, name: str) -> str:
        """The name, with strokes added until it is unused."""
        while name in self.names:
            name += "'"
        self.names.add(name)
        return name

    def between(self, joint: str, number: int) -> str:
        """The ideal body after a stage of a joint."""
        name = f"{joint} {number}|{number + 1}"
        while name in self.system.bodies or name in self.drafts:
            name += "'"
        return name

    def rotation(self, body: str) -> Matrix:
        return body_pose(self.tree, body, self.poses).R

    def terminal(self, component: str, label: str, place: Vector) -> str:
        """A new terminal of a component: the name of its edge, which is also that of its vertex; O for the ground."""
        if component == GROUND:
            return REFERENCE
        name = self.fresh(f"{component}.{label}")
        draft = self.drafts[component]
        draft.arms[name] = draft.R @ (place - draft.origin)
        return name

    def contact_terminal(self, body: str, label: str, place: Vector, contact: str) -> str:
        """A terminal of a body at a contact point, which moves on the body."""
        if body == GROUND:
            return REFERENCE
        name = self.fresh(f"{body}.{label}")
        draft = self.drafts[body]
        draft.arms[name] = place - body_pose(self.tree, body, self.poses).point(draft.origin)
        draft.slides[name] = contact
        return name

    # ---- joints ----------------------------------------------------------------------------------------------

    def moves(self, pose: Pose) -> bool:
        """Whether a placement depends on time and so is an across driver."""
        return moves_in(pose, self.system.time)

    def add_joint(self, joint: Joint) -> None:
        """A joint as one edge for each stage, or one for a weld."""
        links = self.links.get(joint.name, [])
        if not links:
            self.add_stage(joint.name, joint, None, joint.parent, joint.in_parent, None)
            return
        inner, X_in = joint.parent, Pose.identity() if self.moves(joint.in_parent) else joint.in_parent
        for number, (link, X) in enumerate(links, start=1):
            name = joint.name if len(links) == 1 else f"{joint.name} stage {number}"
            outer = None if number == len(links) else self.between(joint.name, number)
            inner = self.add_stage(name, joint, outer, inner, X_in @ link.motion, (link, X))
            X_in = Pose.identity()

    def add_stage(
        self, label: str, joint: Joint, between: str | None, inner: str, X: Pose, link: tuple[Link, Pose] | None
    ) -> str:
        """An edge from a new component to a terminal of the one before; X is where its outer frame is in that one."""
        outer = joint.child if between is None else between
        name = self.fresh(label)
        R = self.rotation(outer) if between is None else link[1].R if link else X.R
        vertex = self.fresh(f"{outer}.{label}")
        origin = joint.in_child.p if between is None and not self.moves(joint.in_child) else Vector([0, 0, 0])
        head = self.terminal(inner, label, X.p)
        if inner != GROUND:
            self.drafts[inner].slides[head] = name
        self.drafts[outer] = _Draft(outer, R, vertex, origin)
        edge = _joint_edge(name, joint.name, inner, outer, link)
        if link is not None:
            variables = [
                *(self.tree.q[k].name for k in link[0].coordinates),
                *(self.tree.u[k].name for k in link[0].speeds),
            ]
            edge = replace(edge, variables=tuple(dict.fromkeys(variables)))
        self.joints[name] = edge
        self.joint_edges.append(Edge(name, vertex, head, "across" if edge.prescribed else "joint", joint.name))
        return outer

    # ---- mass, loads, loops ----------------------------------------------------------------------------------

    def add_mass(self, body: str) -> None:
        record = self.system.bodies[body]
        if not record.is_massless:
            draft = self.drafts[body]
            draft.centre = self.terminal(body, CENTRE, record.com)
            draft.one_port = self.fresh(f"inertia of {body}")
            self.other_edges.append(Edge(draft.one_port, draft.centre, REFERENCE, "inertia", body))

    def add_load(self, label: str, load: PrimitiveLoad) -> None:
        """A force or torque on one terminal, or a tension between two; a load on the ground alone is no edge."""
        ends = load_ends(load)
        if not ends or not isinstance(load, PointForce | BodyTorque | LineTension):
            return
        name = self.fresh(label)
        tail, head = (self.terminal(body, label, point) for body, point in ends)
        self.loads[name] = load
        self.other_edges.append(Edge(name, tail, head, "through", name))

    def add_joint_loads(self, acting: Acting) -> None:
        """A through driver parallel to each joint on whose coordinates or speeds a load acts."""
        joints = self.system.joints
        energies = free_symbols([load.energy for load in acting.loads if isinstance(load, PotentialEnergy)])
        on = {(name, q.name) for name, joint in joints.items() for q in joint.q if q in energies}
        for load in acting.loads:
            if isinstance(load, SpeedForce | CoordinateForce):
                joint = joints[load.joint]
                on.add((load.joint, (joint.u if isinstance(load, SpeedForce) else joint.q)[load.index].name))
        for edge in self.joint_edges:
            stage, alone = self.joints[edge.name], len(self.links.get(edge.element, [])) < 2
            if any(owner == stage.joint and (alone or name in stage.variables) for owner, name in on):
                name = self.fresh(acting.name)
                self.joint_loads[name] = edge.name
                self.other_edges.append(replace(edge, name=name, role="through", element=name))

    def add_loop(self, loop: LoopConstraint) -> None:
        name = self.fresh(loop.name)
        meeting = relative_pose(self.tree, loop.a, loop.b).point(loop.at_b)
        tail = self.terminal(loop.b, loop.name, loop.at_b)
        head = self.terminal(loop.a, loop.name, meeting)
        if loop.a != GROUND:
            self.drafts[loop.a].slides[head] = name
        R_a, R_b = self.rotation(loop.a) @ loop.rotation_a, self.rotation(loop.b) @ loop.rotation_b
        moves = self.moves(loop.pose_a) or self.moves(loop.pose_b)  # then the rates are no directions of the bodies
        held = () if moves else forbidden(loop, loop_pose(loop, self.tree), R_a, R_b)
        self.closing[name] = ClosingEdge(name, loop.name, held)
        self.other_edges.append(Edge(name, tail, head, "joint", loop.name))

    def add_contact(self, constraint: ContactConstraint) -> None:
        contact = constraint.contact(self.moving)
        name = self.fresh(constraint.name)
        tail, head = (self.contact_terminal(body, constraint.name, contact.place, name) for body in constraint.bodies)
        self.closing[name] = ClosingEdge(name, constraint.name, unslipping(contact), contact.place)
        self.other_edges.append(Edge(name, tail, head, "joint", constraint.name))

    # ---- all together ----------------------------------------------------------------------------------------

    def build(self) -> Mechanism:
        for joint in joints_from_the_ground(self.system):
            self.add_joint(joint)
        for body in [name for name in self.drafts if name in self.system.bodies]:
            self.add_mass(body)
        for acting in self.system.acting:
            for load in acting.loads:
                self.add_load(acting.name, load)
            self.add_joint_loads(acting)
        for constraint in self.system.constraints.values():
            if isinstance(constraint, LoopConstraint):
                self.add_loop(constraint)
            elif isinstance(constraint, ContactConstraint):
                self.add_contact(constraint)
        return Mechanism(
            self.system,
            tuple(self._component(draft) for draft in self.drafts.values()),
            self.joints,
            self.closing,
            self.loads,
            self.joint_loads,
            LinearGraph(tuple(self._edges())),
        )

    def _edges(self) -> list[Edge]:
        """Joints of the tree first, then terminals, then loops and drivers: so the tree follows the mechanism."""
        drafts = self.drafts.values()
        outer = [Edge(name, name, REFERENCE, "body", d.name) for d in drafts for name in d.arms]
        inner = [Edge(d.inner, d.inner, REFERENCE, "body", d.name) for d in drafts]
        return [*self.joint_edges, *outer, *inner, *self.other_edges]

    def _component(self, draft: _Draft) -> Component:
        if not draft.centre:
            return Component(draft.name, draft.R, draft.inner, draft.arms, draft.slides)
        body = self.system.bodies[draft.name]
        return Component(
            draft.name, draft.R, draft.inner, draft.arms, draft.slides,
            body.mass, body.inertia, draft.centre, draft.one_port,
        )  # fmt: skip


def load_ends(load: PrimitiveLoad) -> list[tuple[str, Vector]]:
    """The bodies and points between which a load is an edge; none if it acts on the ground alone, or on speeds."""
    if isinstance(load, LineTension):
        ends = [(load.body_a, load.point_a), (load.body_b, load.point_b)]
    elif isinstance(load, PointForce | BodyTorque):
        point = load.point if isinstance(load, PointForce) else ZERO
        ends = [(load.body, point), (GROUND, point)]
    else:
        return []
    return [] if all(body == GROUND for body, _ in ends) else ends


def _joint_edge(name: str, joint: str, inner: str, outer: str, link: tuple[Link, Pose] | None) -> JointEdge:
    if link is None:  # a weld
        return JointEdge(name, joint, inner, outer, ())
    source, R = link[0], link[1].R
    columns = tuple((speed, (R @ h_v, R @ h_w)) for speed, (h_w, h_v) in zip(source.speeds, source.H, strict=True))
    if source.drive is None:
        return JointEdge(name, joint, inner, outer, columns)
    drive = source.drive
    return JointEdge(name, joint, inner, outer, columns, ((R @ drive.v, R @ drive.w), (R @ drive.a, R @ drive.alpha)))


def mechanism(model: Model, tree: Tree) -> Mechanism:
    """The components and the graph of a system, on its tree as it was written (no pass applied)."""
    return _Builder(model, tree).build()
