"""The network formalism: equations of motion from the linear graph of a mechanism.

Y. Tokad, "Network Model Approach to the Analysis of Multirigid-Body Systems", Dynamics and Control 2 (1992), equations
(1) to (41) with the corrections listed in docs/errata.md, for any tree of any joints and any number of ports a body.
Four sets of equations, none of which knows the others:

    circuits       x_chord = Σ ± x_branch,  y_branch = -Σ ± y_chord        from the graph alone                 (8), (9)
    bodies         x_p = K_pᵀ x_b,  y_b = -Σ K_p y_p   and at each mass centre  y = W x + u                (3), (4), (5)
    joints         x_j = H u,  τ = Hᵀ y
    loops          d·x_c = 0,  y_c = -Σ λ d   along the directions d that a chord forbids (`formalisms.network.loops`)

The formulation tree leaves the inner terminal b of each body to the cotree. Its circuit gives x_b from the body before,
and the cut-sets of its other terminals give y_b from the bodies beyond: the recursions (40) and (41). Joints that close
loops, and contacts, are chords too: their circuits are the constraints A u + a = 0, their cut-sets the forces Aᵀλ.

    paper       here
    x, y        pairs (v, ω) and (f, M) in ground components
    S D         `columns`: what each speed does to each body, x_b = Σ column · u                      (19), (27)
    P = SᵀP_GS  `mass_matrix`                                                                         (23), (26)
    u_G         gravity, a through driver at each mass centre

Needs a tree; any joint. Constraints that are no edges of the graph keep the rows that every formalism has. Cost: linear
for inverse dynamics; vectors are in ground components, so code is longer than that of Newton-Euler on open chains.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from ...constraints.rows import Row
from ...dynamics.equations import Recipe
from ...dynamics.loads import Loads
from ...expr import Expr, Matrix, Vector, as_expr, directional, gradient
from ...geometry.inertia import rotate_symmetric
from ...kinematics.motion import flow
from ...kinematics.tree import Tree
from ...model.model import Model
from .component import ZERO, Pair, across_at, added, through_at
from .formulation import formulation
from .graph import Formulation
from .loops import Direction
from .mechanism import Component, Mechanism, mechanism

_NOTHING = (ZERO, ZERO)


@dataclass(frozen=True)
class Network:
    """The circuit, cut-set and terminal equations of a mechanism, solved along its formulation tree."""

    system: Model
    tree: Tree
    parts: Mechanism
    graph: Formulation

    # ---- across variables, outward ---------------------------------------------------------------------------

    def motion(self, u: Sequence[Any], ud: Sequence[Any]) -> tuple[dict[str, Pair], dict[str, Pair]]:
        """For each body x_b and its rate, by the circuits of the chords b (8), (40)."""
        x: dict[str, Pair] = {}
        rate: dict[str, Pair] = {}
        for part in self.parts.components:
            total, total_rate = _NOTHING, _NOTHING
            circuit = self.graph.circuits[part.inner]
            for edge, sign in circuit.items():  # x_b = ± x_joint ± x_a
                total = added(total, self._across(edge, u, x), sign)
            w = total[1]
            for edge, sign in circuit.items():
                total_rate = added(total_rate, self._across_rate(edge, w, u, ud, x, rate), sign)
            x[part.name], rate[part.name] = total, total_rate
        return x, rate

    def _across(self, edge: str, u: Sequence[Any], x: dict[str, Pair]) -> Pair:
        """x_j = H u of a joint, x_a = K_aᵀ x_b of a body's terminal."""
        if edge in self.parts.joints:
            joint = self.parts.joints[edge]
            return joint.across(u) if joint.known is None else joint.known[0]
        if edge in self.parts.closing:  # a chord, by its circuit
            total = _NOTHING
            for branch, sign in self.graph.circuits[edge].items():
                total = added(total, self._across(branch, u, x), sign)
            return total
        part = self.parts.component_of[edge]
        return across_at(part.arms[edge], x[part.name])

    def _across_rate(
        self, edge: str, w: Vector, u: Sequence[Any], ud: Sequence[Any], x: dict[str, Pair], rate: dict[str, Pair]
    ) -> Pair:
        """Its derivative. The axes of a joint turn with its outer body, w; a terminal may move on its body."""
        if edge in self.parts.joints:
            joint = self.parts.joints[edge]
            v, turn = self._across(edge, u, x)
            a, alpha = joint.across(ud) if joint.known is None else joint.known[1]
            return a + w.cross(v), alpha + w.cross(turn)
        part = self.parts.component_of[edge]
        r, own = part.arms[edge], x[part.name][1]
        r_rate = own.cross(r)
        if edge in part.slides:
            r_rate = r_rate + self._slide(edge, part.slides[edge], u, x)
        a, alpha = across_at(r, rate[part.name])
        return a + own.cross(r_rate), alpha

    def _slide(self, terminal: str, by: str, u: Sequence[Any], x: dict[str, Pair]) -> Vector:
        """How fast a terminal moves on its body: as the joint there does, or as the place of contact wanders."""
        if by not in self.wander:
            return self._across(by, u, x)[0]
        return self.wander[by] - self._across(terminal, u, x)[0]

    @cached_property
    def wander(self) -> dict[str, Vector]:
        """The velocities of the places of contact, in ground components."""
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
        return self._inward({**self.drivers, **self._one_ports(x, rate)})

    def _inward(self, chords: dict[str, Pair]) -> list[Any]:
        """The efforts that hold what flows through the given chords; those of inner terminals are found on the way."""
        efforts: list[Any] = [as_expr(0)] * len(self.tree.u)
        for part in reversed(self.parts.components):
            f, moment = _NOTHING
            for edge, r in part.arms.items():
                f, moment = added((f, moment), through_at(r, self._through(edge, chords)), -1)
            chords[part.inner] = f, moment  # y_b = -Σ K_p y_p (5)
        for name, joint in self.parts.joints.items():
            f, moment = self._through(name, chords)
            for speed, (h_v, h_w) in joint.columns:
                efforts[speed] = efforts[speed] - (h_v.dot(f) + h_w.dot(moment))  # y = -y* (17)
        return efforts

    def _through(self, branch: str, chords: dict[str, Pair]) -> Pair:
        """The cut-set equation of a branch: y_branch = -Σ ± y_chord (9)."""
        total = _NOTHING
        for chord, sign in self.graph.cutsets[branch].items():
            if chord in chords:
                total = added(total, chords[chord], -sign)
        return total

    def _one_ports(self, x: dict[str, Pair], rate: dict[str, Pair]) -> dict[str, Pair]:
        """y = W x + u at the mass centres (4): (m (a - g), J α + ω × J ω)."""
        table: dict[str, Pair] = {}
        for part in self.parts.components:
            if not part.is_ideal:
                w, alpha, J = x[part.name][1], rate[part.name][1], self.inertia[part.name]
                a, _ = self._across_rate(part.centre, w, (), (), x, rate)
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
        """What flows through the edges of loads: the opposite of what acts on the body at their tail."""
        loads = Loads(self.system, self.tree)
        acting = {edge: loads.in_ground(load) for edge, load in self.parts.loads.items()}
        return {edge: (-force, -torque) for edge, (force, torque) in acting.items()}

    # ---- mass matrix -----------------------------------------------------------------------------------------

    @cached_property
    def columns(self) -> dict[str, dict[int, Pair]]:
        """S D of (19): for each body what a unit of each speed that moves it makes of x_b, by the same circuits."""
        table: dict[str, dict[int, Pair]] = {}
        for part in self.parts.components:
            own: dict[int, Pair] = {}
            for edge, sign in self.graph.circuits[part.inner].items():
                for speed, column in self._columns_of(edge, table):
                    own[speed] = added(own.get(speed, _NOTHING), column, sign)
            table[part.name] = own
        return table

    def _columns_of(self, edge: str, table: dict[str, dict[int, Pair]]) -> list[tuple[int, Pair]]:
        if edge in self.parts.joints:
            return list(self.parts.joints[edge].columns)
        part = self.parts.component_of[edge]
        return [(speed, across_at(part.arms[edge], column)) for speed, column in table[part.name].items()]

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
        at_centre = sorted(self._columns_of(part.centre, self.columns))
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
    def _coasting(self) -> tuple[dict[str, Pair], dict[str, Pair]]:
        """x_b of each body, and its rate when all u̇ vanish."""
        return self.motion(self.tree.u, [0] * len(self.tree.u))

    def row(self, row: Row) -> Row:
        """A row with the circuit equation of its chord for a rate, d·x_c = A u + a; as it is if it has no chord."""
        if (row.of, row.part) not in self.closing:
            return row
        chord, direction = self.closing[row.of, row.part]
        return replace(row, rate=as_expr(direction.along(self._across(chord, self.tree.u, self._coasting[0]))))

    def remainder(self, row: Row) -> Expr:
        """γ of A u̇ + γ = 0: d·ẋ_c + ḋ·x_c when all u̇ vanish, ẋ_c by the circuit."""
        if (row.of, row.part) not in self.closing:
            return directional([row.rate], self._flow)[0]
        chord, direction = self.closing[row.of, row.part]
        x, rate = self._coasting
        u, still = self.tree.u, [0] * len(self.tree.u)
        x_rate = _NOTHING
        for edge, sign in self.graph.circuits[chord].items():  # terminals of bodies, no joints
            x_rate = added(x_rate, self._across_rate(edge, ZERO, u, still, x, rate), sign)
        v, w = self._across(chord, u, x)
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


def network(system: Model, tree: Tree) -> Network:
    """The network of a system, with its formulation tree chosen."""
    parts = mechanism(system, tree)
    return Network(system, tree, parts, formulation(parts.graph))


row_source = network  # it comes to the rows of loops and contacts by their circuits


def recipe(system: Model, tree: Tree) -> Recipe:
    """Inverse dynamics by circuits and cut-sets, the mass matrix by the columns of x = S D u."""
    made = network(system, tree)

    def inverse(ud: Sequence[Any]) -> Vector:
        given = Loads(system, tree).speed_forces()
        return Vector([tau - force for tau, force in zip(made.efforts(tree.u, ud), given, strict=True)])

    return Recipe(inverse=inverse, mass_matrix=made.mass_matrix)
