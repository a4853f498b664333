"""The linear graph of a system: its formulation tree, circuits and cut-sets, as data, text and pictures."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from ...constraints.auxiliary import with_auxiliary
from ...errors import PolhodeError, understood
from ...formalisms.network.formulation import formulation, listed
from ...formalisms.network.given_tree import check_hanging, circle, given_formulation, hung
from ...formalisms.network.graph import Edge, Formulation, LinearGraph
from ...formalisms.network.mechanism import Mechanism, mechanism
from ...kinematics.tree import build_tree
from ...model.model import Model
from ...model.reading import list_of, unknown

if TYPE_CHECKING:
    from .mixed_problem import MixedProblem


@dataclass(frozen=True)
class SystemGraph:
    """A mechanism's graph with a tree that meets both topological conditions."""

    mechanism: Mechanism
    formulation: Formulation

    @property
    def edges(self) -> tuple[Edge, ...]:
        """All edges."""
        return self.formulation.graph.edges

    @property
    def tree(self) -> tuple[str, ...]:
        """The branches."""
        return self.formulation.tree

    @property
    def cotree(self) -> tuple[str, ...]:
        """The chords."""
        return self.formulation.cotree

    @property
    def circuits(self) -> dict[str, dict[str, int]]:
        """For each chord its branches: x_chord = Σ sign · x_branch."""
        return self.formulation.circuits

    @property
    def cutsets(self) -> dict[str, dict[str, int]]:
        """For each branch its chords: y_branch = -Σ sign · y_chord."""
        return self.formulation.cutsets

    @property
    def closing(self) -> dict[str, list[str]]:
        """For each edge that closes a loop, or is a contact, the directions along which x vanishes and y is λ."""
        return {name: [d.label for d in edge.directions] for name, edge in self.mechanism.closing.items()}

    @property
    def solved_for(self) -> dict[str, str]:
        """For each body the terminal whose through variables its equations are solved for: its chord."""
        chords = set(self.cotree)
        return {
            body: next(edge.name for edge in star if edge.name in chords)
            for body, star in self.formulation.graph.stars.items()
        }

    def report(self) -> str:
        """The graph in words and equations."""
        graph = self.formulation.graph
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
            "vertices": list(self.formulation.graph.vertices),
            "edges": [
                {"name": e.name, "tail": e.tail, "head": e.head, "role": e.role, "element": e.element}
                for e in self.edges
            ],
            "tree": list(self.tree),
            "cotree": list(self.cotree),
            "solved_for": self.solved_for,
            "circuits": self.circuits,
            "cutsets": self.cutsets,
            "closing": self.closing,
        }

    def mixed_problem(self) -> MixedProblem:
        """What the drivers give and what they leave unknown: hybrid dynamics, by the circuits of this tree."""
        from ...formalisms.deriving import derive
        from .mixed_problem import MixedProblem

        given = [edge.name for edge in self.edges if edge.role == "across"]
        loops = [name for name in given if name in self.mechanism.closing]
        if loops:
            raise PolhodeError(
                f"what closes a loop has no speed whose motion could be given: {listed(loops)}.",
                place="across drivers",
                cure="Make it a joint, and close the loop elsewhere.",
                code="E-NET-031",
            )
        equations = derive(self.mechanism.system, "network", formulation_tree=self.tree)
        driven = {speed for name in given for speed, _ in self.mechanism.joints[name].columns}
        return MixedProblem(equations, tuple(sorted(driven)))

    def svg(self) -> str:
        """The graph as a drawing (SVG)."""
        from .drawing import system_graph_svg

        return system_graph_svg(self.mechanism, self.formulation)

    def schematic(self) -> str:
        """The system as a schematic diagram (SVG): bodies as boxes, joints, loads and drivers between them."""
        from .schematic import schematic_svg

        return schematic_svg(self.formulation.graph, f"Schematic diagram of {self.mechanism.system.name}")

    def terminal_graphs(self) -> dict[str, LinearGraph]:
        """The terminal graph of each body: an edge from each of its terminals to the ground."""
        return {body: LinearGraph(tuple(star)) for body, star in self.formulation.graph.stars.items()}

    def terminal_graphs_svg(self) -> str:
        """The terminal graphs of all bodies as one drawing (SVG)."""
        from .drawing import terminal_graphs_svg

        return terminal_graphs_svg(self.mechanism)

    def block_diagram(self) -> str:
        """Velocities outward and forces inward as a block diagram (SVG)."""
        from .block_diagram import block_diagram_svg

        return block_diagram_svg(self.mechanism)


def _sum(letter: str, parts: dict[str, int], factor: int = 1) -> str:
    """Signed terms, as one writes them.

    >>> _sum("x", {"a": 1, "b": -1})
    'x[a] - x[b]'
    """
    words = ""
    for name, sign in parts.items():
        mark = "-" if sign * factor < 0 else "+"
        words += f" {mark} {letter}[{name}]" if words else f"{'-' if mark == '-' else ''}{letter}[{name}]"
    return words or "0"


def system_graph(
    system: Model, across: Iterable[str] = (), through: Iterable[str] = (), tree: Iterable[str] | None = None
) -> SystemGraph:
    """The graph of a system, with its formulation tree; an error says why if there is none.

    `across` names joints and loops whose motion is given, `through` those whose forces are: they become drivers. `tree`
    names the branches, all of them, or those between bodies (joints, loops and inertias), from which the others follow.

    >>> import polhode as ph
    >>> s = ph.System("pendulum")
    >>> _ = s.joint("hinge", s.ground, s.body("bob", 1, com=(0, 0, -1)), ph.Revolute("y"))
    >>> print(system_graph(s).report())
    pendulum: bodies 1, vertices 3, edges 4
    tree: hinge, bob.G
    cotree: bob.hinge, inertia of bob
    terminal equations
      bob is solved for y[bob.hinge]
    circuits
      x[bob.hinge] = x[hinge]
      x[inertia of bob] = x[bob.G]
    cut-sets
      y[hinge] = -y[bob.hinge]
      y[bob.G] = -y[inertia of bob]
    """
    with understood("a system", system, place="system graph", cure="Give a System, or its model()."):
        if not hasattr(system, "joints") or not hasattr(system, "bodies"):
            raise TypeError
    parts = mechanism(system, with_auxiliary(system, build_tree(system)))
    moved, pushed = _roles(parts, across, "across"), _roles(parts, through, "through")
    both = [name for name in moved if name in pushed]
    if both:
        raise PolhodeError(
            f"'{both[0]}' is named as an across driver and as a through driver: its motion is given, or its force.",
            place=f"drivers of system '{parts.system.name}'",
            cure="Name it as one of them.",
            code="E-NET-033",
        )
    roles = moved | pushed
    edges = tuple(replace(edge, role=roles.get(edge.name, edge.role)) for edge in parts.graph.edges)
    graph = parts.graph if not roles else LinearGraph(edges)
    if tree is not None:
        return SystemGraph(parts, given_formulation(graph, list_of(tree, "a list of edges", "formulation tree")))
    return SystemGraph(parts, _found(graph))


def _found(graph: LinearGraph) -> Formulation:
    """A formulation tree in which no bodies hang on each other in a circle."""
    found = formulation(graph)
    if circle(found):
        found = hung(graph) or found
    check_hanging(found)
    return found


def _roles(parts: Mechanism, names: Iterable[str], role: str) -> dict[str, str]:
    known = [*parts.joints, *parts.closing]
    table = {}
    for name in list_of(names, "a list of joints and loops", f"{role} drivers"):
        if name not in known:
            raise unknown("joint or loop", name, known, f"{role} drivers of system '{parts.system.name}'")
        table[name] = role
    return table
