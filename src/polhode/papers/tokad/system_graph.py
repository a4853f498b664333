"""The graph of a system with its formulation tree, circuits and cut-sets, and what drivers leave unknown.

Y. Tokad (1992), section 2: a driver gives the across or the through variable of its edge, and the other is then to be
found (`MixedProblem`). With a for the speeds of joints whose motion is given, f for the others, whose efforts are,

    M_ff u̇_f = τ_f - bias_f - M_fa u̇_a + A_fᵀ λ,    A_f u̇_f = -γ - A_a u̇_a        unknown: u̇_f, and λ where loops close
    τ_a = M_af u̇_f + M_aa u̇_a + bias_a - A_aᵀ λ                                    unknown: τ_a

so that all across drivers give inverse dynamics, and none forward dynamics. Joints without a driver are among f, with
the effort that is their own symbol. A motion that the model prescribes is an across driver too: it is given as a
function of time, and its effort follows from all the others.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from ...constraints import Constraints
from ...constraints.auxiliary import with_auxiliary
from ...dynamics.equations import EquationsOfMotion
from ...dynamics.reactions import Reactions
from ...errors import PolhodeError, check_kind
from ...expr import Expr, Matrix, Vector, as_expr, rank, substitute, symbol
from ...formalisms.deriving import derive
from ...formalisms.network.formulation import formulation, given_formulation, listed
from ...formalisms.network.graph import Edge, Formulation, LinearGraph
from ...formalisms.network.mechanism import Mechanism, mechanism
from ...geometry.elimination import factor_symmetric
from ...kinematics.tree import build_tree
from ...model.model import Model
from ...model.reading import list_of, unknown
from ...model.system import System
from .block_diagram import block_diagram_svg
from .drawing import schematic_svg, system_graph_svg, terminal_graphs_svg


@dataclass(frozen=True, repr=False)
class SystemGraph(Formulation):
    """A mechanism's graph with a tree that meets both topological conditions."""

    mechanism: Mechanism

    def __repr__(self) -> str:
        return f"SystemGraph({self.mechanism.system.name}: tree {', '.join(self.tree)}; {len(self.edges)} edges)"

    @property
    def formulation(self) -> Formulation:
        """The graph with its tree, for itself."""
        return self

    @property
    def edges(self) -> tuple[Edge, ...]:
        """All edges."""
        return self.graph.edges

    @property
    def closing(self) -> dict[str, list[str]]:
        """For each edge that closes a loop, or is a contact, the directions along which x vanishes and y is λ."""
        return {name: [d.label for d in edge.directions] for name, edge in self.mechanism.closing.items()}

    @property
    def solved_for(self) -> dict[str, str]:
        """For each body the terminal whose through variables its equations are solved for: its chord."""
        chords = set(self.cotree)
        return {
            body: next(edge.name for edge in star if edge.name in chords) for body, star in self.graph.stars.items()
        }

    def report(self) -> str:
        """The graph in words and equations."""
        graph = self.graph
        lines = [
            f"{self.mechanism.system.name}: bodies {len(graph.stars)}, vertices {len(graph.vertices)}, "
            f"edges {len(graph.edges)}",
            f"tree: {', '.join(self.tree)}",
            f"cotree: {', '.join(self.cotree)}",
            "terminal equations",
            *(f"  {body} is solved for y[{edge}]" for body, edge in self.solved_for.items()),
            "circuits",
            *(f"  x[{chord}] = {_sum('x', parts)}" for chord, parts in self.circuits.items()),
            "cut-sets",
            *(f"  y[{branch}] = {_sum('y', parts, -1)}" for branch, parts in self.cutsets.items()),
        ]
        if self.closing:
            lines += ["loops", *(f"  x[{name}] {edge.rule}" for name, edge in self.mechanism.closing.items())]
        return "\n".join(lines)

    def as_json(self) -> dict[str, Any]:
        """Plain data, for `--json`."""
        return {
            "system": self.mechanism.system.name,
            "vertices": list(self.graph.vertices),
            "edges": [{**vars(edge)} for edge in self.edges],
            "tree": list(self.tree),
            "cotree": list(self.cotree),
            "solved_for": self.solved_for,
            "circuits": self.circuits,
            "cutsets": self.cutsets,
            "closing": self.closing,
        }

    def mixed_problem(self) -> MixedProblem:
        """Hybrid dynamics: given and unknown variables of the drivers, by the circuits of this tree."""
        across = [edge.name for edge in self.edges if edge.role == "across"]
        loops = [name for name in across if name in self.mechanism.closing]
        if loops:
            message = f"what closes a loop has no speed whose motion could be given: {listed(loops)}."
            cure = "Make it a joint, and close the loop elsewhere."
            raise PolhodeError(message, "across drivers", cure, "E-PAPER-UNSUPPORTED")
        equations = derive(self.mechanism.system, "network", formulation_tree=self.tree)
        driven = {speed for name in across for speed, _ in self.mechanism.joints[name].columns}
        return MixedProblem(equations, tuple(sorted(driven)))

    def svg(self) -> str:
        """The graph as a drawing (SVG)."""
        return system_graph_svg(self.mechanism, self)

    def schematic(self) -> str:
        """The system as a schematic diagram (SVG): bodies as boxes, joints, loads and drivers between them."""
        return schematic_svg(self.graph, f"Schematic diagram of {self.mechanism.system.name}")

    def terminal_graphs(self) -> dict[str, LinearGraph]:
        """The terminal graph of each body: an edge from each of its terminals to the ground."""
        return {body: LinearGraph(tuple(star)) for body, star in self.graph.stars.items()}

    def terminal_graphs_svg(self) -> str:
        """The terminal graphs of all bodies as one drawing (SVG)."""
        return terminal_graphs_svg(self.mechanism)

    def block_diagram(self) -> str:
        """Velocities outward and forces inward as a block diagram (SVG)."""
        return block_diagram_svg(self.mechanism)


def _sum(letter: str, parts: dict[str, int], factor: int = 1) -> str:
    """Signed terms, as one writes them."""
    words = ""
    for name, sign in parts.items():
        mark = "-" if sign * factor < 0 else "+"
        words += f" {mark} {letter}[{name}]" if words else f"{'-' if mark == '-' else ''}{letter}[{name}]"
    return words or "0"


def network(
    system: System | Model, across: Iterable[str] = (), through: Iterable[str] = (), tree: Iterable[str] | None = None
) -> SystemGraph:
    """The linear graph of a system with its formulation tree; raises, with the reason, if there is none.

    `across` names joints and loops whose motion is given, `through` those whose forces are: they become drivers. A
    joint of several stages is named as a whole, by one of its stages or by a coordinate. `tree` names the branches, all
    of them, or those between bodies (joints, loops and inertias), from which the others follow.
    """
    check_kind(System | Model, "a system", system, "network", "Give a System, or its model().")
    model = system.model() if isinstance(system, System) else system
    parts = mechanism(model, with_auxiliary(model, build_tree(model)))
    place = f"drivers of system '{model.name}'"
    moved, pushed = _driven(parts, across, "across"), _driven(parts, through, "through")
    for name, edges in pushed.items():
        if any(edge in others for edge in edges for others in moved.values()):
            text = f"'{name}' is named as an across driver and as a through driver: its motion is given, or its force."
            raise PolhodeError(text, place=place, cure="Name it as one of them.", code="E-PAPER-TWICE")
        if all(edge in parts.joints and parts.joints[edge].prescribed for edge in edges):
            text = f"'{name}' cannot be a through driver: its motion is prescribed."
            raise PolhodeError(text, place=place, cure="Leave it out, or prescribe nothing.", code="E-PAPER-TWICE")
    roles = {edge: "across" for edges in moved.values() for edge in edges}
    for edges in pushed.values():  # what is between the stages of a joint has no mass, and hangs on the parent
        roles[next(e for e in reversed(edges) if e not in parts.joints or not parts.joints[e].prescribed)] = "through"
    graph = LinearGraph(tuple(replace(edge, role=roles.get(edge.name, edge.role)) for edge in parts.graph.edges))
    if tree is not None:
        branches = parts.branches(list_of(tree, "a list of edges", "formulation tree"))
        return SystemGraph(graph, given_formulation(graph, branches).tree, parts)
    return SystemGraph(graph, formulation(graph).tree, parts)


system_graph = network  # Tokad's term


def _driven(parts: Mechanism, names: Iterable[str], role: str) -> dict[str, list[str]]:
    """The edges that drivers act on, by the names of joints, stages, coordinates, speeds or loops."""
    joints = {name: edges for name, edges in parts.edges_named.items() if edges[0] in parts.joints}
    offered = {**joints, **{name: [name] for name in parts.closing}}
    place = f"{role} drivers of system '{parts.system.name}'"
    table = {}
    for name in list_of(names, "a list of joints and loops", f"{role} drivers"):
        if not isinstance(name, str) or name not in offered:
            raise unknown("joint or loop", str(name), offered, place)
        table[name] = offered[name]
        edge = parts.joints.get(offered[name][0])
        if edge is not None and name not in (edge.name, edge.joint) and len(edge.columns) > 1:
            text = f"'{name}' is one of several variables of the joint '{edge.joint}', which is one edge."
            cure = f"Name '{edge.name}', which drives all of them, or make it a chain of joints."
            raise PolhodeError(text, place=place, cure=cure, code="E-PAPER-UNSUPPORTED")
    return table


@dataclass(frozen=True)
class MixedProblem:
    """Equations of motion with the speeds whose motion is given."""

    equations: EquationsOfMotion
    driven: tuple[int, ...]  # speeds whose motion is given

    @cached_property
    def free(self) -> tuple[int, ...]:
        """The other speeds, whose efforts are given."""
        return tuple(k for k in range(len(self.equations.u)) if k not in self.driven)

    @cached_property
    def constraints(self) -> Constraints | None:
        """Loops and rolling that are independent of each other; None where there are none."""
        all_rows = self.equations.constraints
        return None if all_rows is None or not all_rows.rows else all_rows.only(all_rows.generic_rows)

    @property
    def symbols(self) -> tuple[Vector, Vector]:
        """Given and unknown symbols: accelerations, efforts, and multipliers of loops."""
        udot, tau = self.equations.udot, self.equations.tau
        multipliers = [] if self.constraints is None else list(self.constraints.multipliers)
        unknowns = [udot[k] for k in self.driven] + [tau[k] for k in self.free]
        unknown = [udot[k] for k in self.free] + [tau[k] for k in self.driven] + multipliers
        return Vector(unknowns), Vector([*unknown, *(symbol(name, "effort") for name in self.prescribed)])

    @property
    def prescribed(self) -> list[str]:
        """The coordinates whose motion the model prescribes."""
        return [*self.equations.system.prescribed]

    @cached_property
    def _prescribing(self) -> list[Expr]:
        """The efforts that prescribed motions take, of accelerations and multipliers that are left as symbols."""
        if not self.prescribed:
            return []
        result = Reactions(self.equations, solved=False)
        return [result.driving_force(name) for name in self.prescribed]

    @property
    def given(self) -> list[str]:
        """The given variables in words."""
        prescribed = [f"motion of {name}" for name in self.prescribed]
        return [*self._words("acceleration of", self.driven), *self._words("effort on", self.free), *prescribed]

    @property
    def unknown(self) -> list[str]:
        """The unknown variables in words."""
        multipliers = [] if self.constraints is None else [f"multiplier of {name}" for name in self.constraints.names]
        return [
            *self._words("acceleration of", self.free),
            *self._words("effort on", self.driven),
            *multipliers,
            *(f"effort on {name}" for name in self.prescribed),
        ]

    def _words(self, what: str, speeds: Sequence[int]) -> list[str]:
        return [f"{what} {self.equations.speeds[k]}" for k in speeds]

    @cached_property
    def residual(self) -> Vector:
        """M u̇ + bias - τ - Aᵀλ, and A u̇ + γ: linear in the unknowns, and as many."""
        result = self.equations
        rows = [*(result.inverse_dynamics - result.tau)]
        if self.constraints is not None:
            rows += [*(self.constraints.A @ result.udot + self.constraints.gamma)]
        rows += [
            effort - symbol(name, "effort") for name, effort in zip(self.prescribed, self._prescribing, strict=True)
        ]
        return Vector([as_expr(entry) for entry in rows])

    @cached_property
    def solution(self) -> Vector:
        """The unknowns, in the order of their names, as functions of q, u and what is given."""
        result, udot, tau = self.equations, self.equations.udot, self.equations.tau
        M, bias = result.mass_matrix, result.bias
        factors = factor_symmetric([[M[i][j] for j in self.free] for i in self.free])
        a = Vector([udot[k] for k in self.driven])
        force = [tau[k] - bias[k] - Vector([M[k][j] for j in self.driven]).dot(a) for k in self.free]
        u_f = Vector(factors.solve(force))
        multipliers: Sequence[Any] = []
        if self.constraints is not None:
            A_f, A_a = (
                Matrix([[row[k] for k in some] for row in self.constraints.A]) for some in (self.free, self.driven)
            )
            self._check_loops(A_f)
            columns = [Vector(factors.solve(list(row))) for row in A_f]
            S = [[as_expr(row.dot(column)) for column in columns] for row in A_f]
            wanted = [
                -(g + row_f.dot(u_f) + row_a.dot(a))
                for row_f, row_a, g in zip(A_f, A_a, self.constraints.gamma, strict=True)
            ]
            multipliers = factor_symmetric(S).solve(wanted)
            for column, multiplier in zip(columns, multipliers, strict=True):
                u_f = u_f + column * multiplier
        solved = [as_expr(entry) for entry in (*u_f, *self._efforts(u_f, multipliers), *multipliers)]
        values = dict(zip(self.symbols[1], solved, strict=False))
        if self.equations.constraints is not None:  # rows that say nothing new carry nothing
            values = dict.fromkeys(self.equations.constraints.multipliers, as_expr(0)) | values
        return Vector([*solved, *substitute(self._prescribing, values)])

    def _efforts(self, u_f: Vector, multipliers: Sequence[Any]) -> list[Expr]:
        """τ_a."""
        result = self.equations
        rates = {k: result.udot[k] for k in self.driven} | dict(zip(self.free, u_f, strict=True))
        all_rates = Vector([rates[k] for k in range(len(result.u))])
        held = [as_expr(0)] * len(result.u) if self.constraints is None else list(self.constraints.efforts(multipliers))
        return [as_expr(result.mass_matrix[k].dot(all_rates) + result.bias[k] - held[k]) for k in self.driven]

    def _check_loops(self, A_f: Matrix) -> None:
        if rank(A_f) < len(A_f):
            message = (
                f"the motions {listed(self.equations.speeds[k] for k in self.driven)} cannot all be given: "
                "the loops tie them to each other."
            )
            raise PolhodeError(message, place="across drivers", cure="Give fewer of them.", code="E-PAPER-UNSUPPORTED")
