"""The network formalism: equations of motion from the linear graph of a mechanism.

Y. Tokad, "Network Model Approach to the Analysis of Multirigid-Body Systems", Dynamics and Control 2 (1992), equations
(1) to (41) with the corrections listed in docs/errata.md, for any tree of any joints and any number of ports a body.
Four sets of equations, none of which knows the others:

    circuits       x_chord = Σ ± x_branch,  y_branch = -Σ ± y_chord        from the graph alone                 (8), (9)
    bodies         x_p = K_pᵀ x_b,  y_b = -Σ K_p y_p   and at each mass centre  y = W x + u                (3), (4), (5)
    joints         x_j = H u,  τ = Hᵀ y
    loops          d·x_c = 0,  y_c = -Σ λ d   along the directions d that a chord forbids (`mechanism`)

The formulation tree leaves one terminal of each body to the cotree; where all joints are branches it is the inner
one, b. Its circuit gives x_b from the body before, and the cut-sets of the others give y_b from the bodies beyond:
the recursions (40) and (41). Joints that close loops, and contacts, are chords too: their circuits are the
constraints A u + a = 0, their cut-sets the forces Aᵀλ. Any other tree (`formulation`) gives the same equations by
other circuits and other forms of the terminal equations, in another order.

    paper       here
    x, y        pairs (v, ω) and (f, M) in ground components
    S D         `columns`: what each speed does to each body, x_b = Σ column · u                      (19), (27)
    P = SᵀP_GS  `mass_matrix`                                                                         (23), (26)
    u_G         gravity, a through driver at each mass centre

Needs a tree; any joint. Constraints that are no edges of the graph keep the rows that every formalism has. Cost: linear
for inverse dynamics; vectors are in ground components, so code is longer than that of Newton-Euler on open chains.

Circuits and cut-sets are solved in an `Order`: a body hangs on another, or on the ground, by the branch in the
circuit of its chord, from which x of the chord follows. If that branch is a joint, x is H u there. If it is the
inertia of the body, or a joint that closes a loop, nothing gives x yet: the body floats, and all that hang on it form
a group with it. A joint that is a chord then leads from the group to one that is settled, and gives its motion.
Paper: K x_G = x, S = K⁻¹ (13), (19). Where every joint is a branch there is one group, that of the ground.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from ...constraints.rows import Row
from ...dynamics.equations import Recipe
from ...dynamics.loads import loads_of
from ...expr import Expr, Matrix, Vector, as_expr, directional, gradient
from ...geometry.inertia import rotate_symmetric
from ...kinematics.motion import flow
from ...kinematics.tree import Tree
from ...model.model import Model
from ...model.records import GROUND
from .formulation import formulation, given_formulation, hanging
from .graph import REFERENCE, Edge, Formulation
from .mechanism import ZERO, Component, Direction, Mechanism, Pair, across_at, added, mechanism, through_at


@dataclass(frozen=True)
class Link:
    """The chord from a child in a floating group to its parent beyond: x_own = x_beyond + x_joint."""

    joint: str
    own: str  # its terminal in the group, the tail
    beyond: str  # the head; O for the ground
    arm: Vector  # from the terminal of the group's first body that is its chord to `own`
    branch: str  # what the first body floats on
    branch_sign: int  # y_chord = -sign · y_branch


@dataclass(frozen=True)
class Group:
    """Bodies connected in a tree from the first outward; without a link the first is connected to the ground."""

    bodies: tuple[str, ...]
    link: Link | None = None


@dataclass(frozen=True)
class Order:
    """Groups, each linked to one before it, and the chord of each body."""

    groups: tuple[Group, ...]
    chord: Mapping[str, str]


def order_of(parts: Mechanism, graph: Formulation) -> Order:
    """How the equations of a mechanism are solved along a tree."""
    chords = set(graph.cotree)
    chord = {body: next(e.name for e in star if e.name in chords) for body, star in graph.graph.stars.items()}
    floats = {body: edge for body, at in chord.items() for edge in graph.circuits[at] if _is_open(parts, edge)}
    groups, arms = _groups(parts, graph, chord, floats)
    first = {body: bodies[0] for bodies in groups.values() for body in bodies if bodies[0] in floats}
    ordered = [Group(tuple(groups.pop(GROUND, [])))]
    links: dict[str, list[Edge]] = {}  # joints that are chords, by the group of their parent
    for name in parts.joints:
        if name in chords:
            edge = graph.graph.by_name[name]
            links.setdefault(_group_at(parts, first, edge.head), []).append(edge)
    waiting = deque([GROUND])
    while waiting:
        for edge in links.get(waiting.popleft(), []):
            part = parts.component_of[edge.tail]
            name = _group_at(parts, first, edge.tail)
            arm = arms[part.name] + part.arm(edge.tail) - part.arm(chord[part.name])
            sign = graph.circuits[chord[name]][floats[name]]
            link = Link(edge.name, edge.tail, edge.head, arm, floats[name], sign)
            ordered.append(Group(tuple(groups[name]), link))
            waiting.append(name)
    return Order(tuple(ordered), chord)


def _is_open(parts: Mechanism, edge: str) -> bool:
    """Whether a branch does not determine the relative motion of its ends."""
    return edge not in parts.joints and edge not in parts.component_of


def _group_at(parts: Mechanism, first: Mapping[str, str], vertex: str) -> str:
    return GROUND if vertex == REFERENCE else first.get(parts.component_of[vertex].name, GROUND)


def _groups(
    parts: Mechanism, graph: Formulation, chord: Mapping[str, str], floats: Mapping[str, str]
) -> tuple[dict[str, list[str]], dict[str, Vector]]:
    """The bodies of each group by its first one, parents first, and their arms from the first."""
    on = hanging(graph)
    after: dict[str, list[str]] = {}
    for part in parts.components:
        if part.name not in floats:
            after.setdefault(on[part.name] or GROUND, []).append(part.name)
    groups: dict[str, list[str]] = {}
    arms: dict[str, Vector] = {}
    for first in (GROUND, *floats):
        members = groups[first] = [] if first == GROUND else [first]
        arms[first] = ZERO
        stack = [first]
        while stack:
            before = stack.pop()
            for body in after.get(before, []):
                members.append(body)
                stack.append(body)
                if first != GROUND:
                    carrier = parts.by_name[before]
                    at = next(edge for edge in graph.circuits[chord[body]] if parts.component_of.get(edge) is carrier)
                    arms[body] = arms[before] + carrier.arm(at) - carrier.arm(chord[before])
    return groups, arms


#: Across variables of the chords of bodies, or their rates; bodies that are not named stand still.
Motion = dict[str, Pair]

_NOTHING = (ZERO, ZERO)


@dataclass(frozen=True)
class Network:
    """The circuit, cut-set and terminal equations of a mechanism, solved along its formulation tree."""

    system: Model
    tree: Tree
    parts: Mechanism
    graph: Formulation

    @cached_property
    def order(self) -> Order:
        """How they are solved one after the other."""
        return order_of(self.parts, self.graph)

    def _arm(self, edge: str) -> Vector:
        """From the chord of a body to another of its terminals."""
        part = self.parts.component_of[edge]
        return part.arm(edge) - part.arm(self.order.chord[part.name])

    # ---- across variables, outward ---------------------------------------------------------------------------

    def motion(self, u: Sequence[Any], ud: Sequence[Any]) -> tuple[Motion, Motion]:
        """For each body x of its chord c and its rate, by the circuits of the chords (8), (40)."""
        joints = self._joints_across(u)
        x = self._velocities(joints)

        def rate_of(edge: str, rate: Motion) -> Pair:
            if edge in joints:  # its axes turn with its outer body
                joint = self.parts.joints[edge]
                v, turn = joints[edge]
                w = x.get(joint.outer, _NOTHING)[1]
                a, alpha = joint.across(ud) if joint.prescribed is None else joint.prescribed[1]
                return a + w.cross(v), alpha + w.cross(turn)
            return self._terminal_rate(edge, x, rate, joints)

        return x, self._outward(rate_of)

    def _joints_across(self, u: Sequence[Any]) -> dict[str, Pair]:
        """x = H u of every joint, or its prescribed motion."""
        return {
            name: joint.across(u) if joint.prescribed is None else joint.prescribed[0]
            for name, joint in self.parts.joints.items()
        }

    def _velocities(self, joints: Mapping[str, Pair]) -> Motion:
        """x of the bodies from those of the given joints, the others being at rest."""

        def across_of(edge: str, x: Motion) -> Pair:
            return joints.get(edge, _NOTHING) if edge in self.parts.joints else self._terminal(edge, x)

        return self._outward(across_of)

    def _outward(self, of: Callable[[str, Motion], Pair]) -> Motion:
        """x of every body, or its rate, by the circuit of its chord; a floating group is corrected at its link."""
        motion: Motion = {}
        for group in self.order.groups:
            link, bodies = group.link, group.bodies
            if link is not None:
                bodies, trial = bodies[1:], dict(motion)
                self._carry(bodies, trial, of)
                beyond = _NOTHING if link.beyond == REFERENCE else of(link.beyond, motion)
                lacking = added(added(beyond, of(link.joint, motion)), of(link.own, trial), -1)
                motion[group.bodies[0]] = across_at(-link.arm, lacking)  # x_G = S x (18)
            self._carry(bodies, motion, of)
        return motion

    def _carry(self, bodies: Sequence[str], motion: Motion, of: Callable[[str, Motion], Pair]) -> None:
        for body in bodies:
            total = _NOTHING
            for edge, sign in self.graph.circuits[self.order.chord[body]].items():  # x_c = ± x_joint ± x_p
                part = of(edge, motion)
                total = total if part is _NOTHING else added(total, part, sign)
            if total is not _NOTHING:
                motion[body] = total

    def _terminal(self, edge: str, x: Motion) -> Pair:
        """x_p = K_pcᵀ x_c of a body's terminal."""
        body = self.parts.component_of[edge].name
        return across_at(self._arm(edge), x[body]) if body in x else _NOTHING

    def _terminal_rate(self, edge: str, x: Motion, rate: Motion, joints: Mapping[str, Pair]) -> Pair:
        """Its derivative; the terminal, or the chord, may move on the body."""
        part = self.parts.component_of[edge]
        r, w = self._arm(edge), x.get(part.name, _NOTHING)[1]
        r_rate = w.cross(r)
        for terminal, sign in ((edge, 1), (self.order.chord[part.name], -1)):
            if terminal in part.slides:
                r_rate = r_rate + self._slide(terminal, part.slides[terminal], x, joints) * sign
        a, alpha = across_at(r, rate.get(part.name, _NOTHING))
        return a + w.cross(r_rate), alpha

    def _slide(self, terminal: str, by: str, x: Motion, joints: Mapping[str, Pair]) -> Vector:
        """Velocity of a terminal in its body: by the joint there, or the drift of the contact."""
        if by in self.contact_drift:
            return self.contact_drift[by] - self._terminal(terminal, x)[0]
        return joints[by][0] if by in joints else self._closing_across(by, x)[0]

    def _closing_across(self, name: str, x: Motion) -> Pair:
        """x of an edge that closes a loop: that of its tail less that of its head."""
        total = _NOTHING
        for terminal, sign in self._ends(name).items():
            total = added(total, self._terminal(terminal, x), sign)
        return total

    def _ends(self, name: str) -> dict[str, int]:
        """The circuit of a chord that closes a loop, from tail to head."""
        edge = self.graph.graph.by_name[name]
        ends = {vertex: sign for vertex, sign in ((edge.tail, 1), (edge.head, -1)) if vertex != REFERENCE}
        return self.graph.circuits.get(name, ends)

    @cached_property
    def contact_drift(self) -> dict[str, Vector]:
        """Velocities of the contact points, in ground components."""
        closing = self.parts.closing
        return {name: self._rate_of(edge.place) for name, edge in closing.items() if edge.place is not None}

    def _rate_of(self, vector: Vector) -> Vector:
        """d/dt of a vector that depends on coordinates and time."""
        return Vector(directional([as_expr(entry) for entry in vector], self._flow))

    @cached_property
    def _flow(self) -> dict[Expr, Any]:
        return flow(self.tree, self.system.time)

    # ---- through variables, inward ---------------------------------------------------------------------------

    def efforts(self, u: Sequence[Any], ud: Sequence[Any]) -> list[Any]:
        """τ of every speed, by the cut-sets (9), (41)."""
        x, rate = self.motion(u, ud)
        return self._inward({**self.drivers, **self._one_ports(x, rate, self._joints_across(u))})

    def _inward(self, through: Mapping[str, Pair]) -> list[Any]:
        """Efforts that balance the through variables, by cut-sets, with the links of floating groups."""
        chords = {name: y for name, y in through.items() if name in self.graph.circuits}
        for group in self.order.groups:
            if group.link is not None:  # the cut-set of what its first body floats on
                y = added(_NOTHING, through.get(group.link.branch, _NOTHING), -group.link.branch_sign)
                chords[self.order.chord[group.bodies[0]]] = y
        for group in reversed(self.order.groups):
            if group.link is not None:
                link, first, trial = group.link, self.order.chord[group.bodies[0]], dict(chords)
                self._hold(group.bodies, trial)
                lacking = added(chords[first], trial[first], -1)
                chords[link.joint] = through_at(-link.arm, lacking)  # y = Sᵀ (…) (20)
            self._hold(group.bodies, chords)
        efforts: list[Any] = [as_expr(0)] * len(self.tree.u)
        for name, joint in self.parts.joints.items():
            f, moment = chords[name] if name in chords else self._through(name, chords)
            for speed, (h_v, h_w) in joint.columns:
                efforts[speed] = efforts[speed] - (h_v.dot(f) + h_w.dot(moment))  # y = -y* (17)
        return efforts

    def _hold(self, bodies: Sequence[str], chords: dict[str, Pair]) -> None:
        """y_c = -Σ K_pc y_p of each body (5), y_p by the cut-sets of its other terminals, the last body first."""
        for body in reversed(bodies):
            part, chord = self.parts.by_name[body], self.order.chord[body]
            total = _NOTHING
            for edge in (*part.arms, part.inner):
                if edge != chord:
                    total = added(total, through_at(self._arm(edge), self._through(edge, chords)), -1)
            chords[chord] = total

    def _through(self, branch: str, chords: Mapping[str, Pair]) -> Pair:
        """The cut-set equation of a branch: y_branch = -Σ ± y_chord (9)."""
        total = _NOTHING
        for chord, sign in self.graph.cutsets[branch].items():
            if chord in chords:
                total = added(total, chords[chord], -sign)
        return total

    def _one_ports(self, x: Motion, rate: Motion, joints: Mapping[str, Pair]) -> dict[str, Pair]:
        """y = W x + u at the mass centres (4): (m (a - g), J α + ω × J ω)."""
        table: dict[str, Pair] = {}
        for part in self.parts.components:
            if not part.is_ideal:
                (_, w), (_, alpha), J = x[part.name], rate[part.name], self.inertia[part.name]
                a, _ = self._terminal_rate(part.centre, x, rate, joints)
                table[part.one_port] = (a - self.tree.gravity) * part.mass, J @ alpha + w.cross(J @ w)
        return table

    @cached_property
    def inertia(self) -> dict[str, Matrix]:
        """J_G of each body in ground components."""
        return {
            part.name: rotate_symmetric(part.R, part.inertia)
            for part in self.parts.components
            if part.inertia is not None
        }

    @cached_property
    def drivers(self) -> dict[str, Pair]:
        """Through variables of the loads: the opposite of the wrench on the body at their tail."""
        loads = loads_of(self.system, self.tree)
        acting = {edge: loads.in_ground(load) for edge, load in self.parts.loads.items()}
        return {edge: (-force, -torque) for edge, (force, torque) in acting.items()}

    # ---- mass matrix -----------------------------------------------------------------------------------------

    @cached_property
    def columns(self) -> dict[int, Motion]:
        """S D of (19): for each speed what a unit of it makes of x of the bodies it moves, by the same circuits."""
        joint_columns: dict[int, dict[str, Pair]] = {}
        for name, joint in self.parts.joints.items():
            for speed, column in joint.columns:
                columns = joint_columns.setdefault(speed, {})
                columns[name] = added(columns.get(name, _NOTHING), column)
        return {speed: self._velocities(joints) for speed, joints in sorted(joint_columns.items())}

    def mass_matrix(self) -> Matrix:
        """Dᵀ P D with P = Sᵀ P_G S, (23), (26): Σ over bodies of m v·v + ω·J ω at the mass centre."""
        size = len(self.tree.u)
        M: list[list[Any]] = [[as_expr(0)] * size for _ in range(size)]
        for part in self.parts.components:
            if not part.is_ideal:
                self._add_inertia(M, part)
        return Matrix(M)

    def _add_inertia(self, M: list[list[Any]], part: Component) -> None:
        J = self.inertia[part.name]
        moving = {speed: self._terminal(part.centre, x) for speed, x in self.columns.items() if part.name in x}
        at_centre = list(moving.items())
        for k, (j, (v_j, w_j)) in enumerate(at_centre):
            momentum, spin = v_j * part.mass, J @ w_j
            for i, (v_i, w_i) in at_centre[: k + 1]:
                M[i][j] = M[i][j] + v_i.dot(momentum) + w_i.dot(spin)
                M[j][i] = M[i][j]

    # ---- loops -----------------------------------------------------------------------------------------------

    @cached_property
    def closing(self) -> dict[tuple[str, str], tuple[str, Direction]]:
        """The rows that are circuit equations, by constraint and part: the chord, and the direction along it."""
        edges = self.parts.closing.values()
        return {(edge.of, d.label): (edge.name, d) for edge in edges for d in edge.directions}

    @cached_property
    def _at_zero_acceleration(self) -> tuple[dict[str, Pair], dict[str, Pair]]:
        """x_b of each body, and its rate at u̇ = 0."""
        return self.motion(self.tree.u, [0] * len(self.tree.u))

    def row(self, row: Row) -> Row:
        """A row with the circuit equation of its chord for a rate, d·x_c = A u + a; as it is if it has no chord."""
        if (row.of, row.part) not in self.closing:
            return row
        chord, direction = self.closing[row.of, row.part]
        return replace(row, rate=as_expr(direction.along(self._closing_across(chord, self._at_zero_acceleration[0]))))

    def remainder(self, row: Row) -> Expr:
        """γ of A u̇ + γ = 0: d·ẋ_c + ḋ·x_c when all u̇ vanish, ẋ_c by the circuit."""
        if (row.of, row.part) not in self.closing:
            return directional([row.rate], self._flow)[0]
        chord, direction = self.closing[row.of, row.part]
        (x, rate), joints = self._at_zero_acceleration, self._joints_across(self.tree.u)
        x_rate = _NOTHING
        for terminal, sign in self._ends(chord).items():
            x_rate = added(x_rate, self._terminal_rate(terminal, x, rate, joints), sign)
        v, w = self._closing_across(chord, x)
        d_v, d_w = direction.pair
        return as_expr(direction.along(x_rate) + self._rate_of(d_v).dot(v) + self._rate_of(d_w).dot(w))

    def efforts_of(self, rows: Sequence[Row], multipliers: Sequence[Any]) -> Vector:
        """Aᵀλ by the cut-sets: multipliers are the through variables of chords, y_c = -Σ λ d."""
        chords: dict[str, Pair] = {}
        rest = Vector([as_expr(0)] * len(self.tree.u))
        for row, force in zip(rows, multipliers, strict=True):
            if (row.of, row.part) in self.closing:
                chord, direction = self.closing[row.of, row.part]
                d_v, d_w = direction.pair
                chords[chord] = added(chords.get(chord, _NOTHING), (d_v * force, d_w * force), -1)
            else:
                rest = rest + Vector(gradient(row.rate, list(self.tree.u))) * force
        return rest - Vector(self._inward(chords)) if chords else rest


def network(model: Model, tree: Tree, chosen: Sequence[str] | None = None) -> Network:
    """The network of a system, with its formulation tree: the one that is named, or that of its joints."""
    parts = mechanism(model, tree)
    if chosen is None:
        return Network(model, tree, parts, formulation(parts.graph))
    return Network(model, tree, parts, given_formulation(parts.graph, parts.branches(chosen)))


row_source = network  # it comes to the rows of loops and contacts by their circuits


def recipe(model: Model, tree: Tree, chosen: Sequence[str] | None = None) -> Recipe:
    """Inverse dynamics by circuits and cut-sets, the mass matrix by the columns of x = S D u."""
    equations = network(model, tree, chosen)

    def inverse(ud: Sequence[Any]) -> Vector:
        applied = loads_of(model, tree).speed_forces()
        return Vector([tau - force for tau, force in zip(equations.efforts(tree.u, ud), applied, strict=True)])

    return Recipe(inverse=inverse, mass_matrix=equations.mass_matrix)
