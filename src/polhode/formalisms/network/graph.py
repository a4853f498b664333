"""The linear graph of a system, its fundamental circuits and its fundamental cut-sets.

Y. Tokad (1992), after S. Seshu and M. B. Reed, "Linear Graphs and Electrical Networks" (1961). Vertices are the
terminals of bodies and the ground O. An edge from tail to head carries an across variable x, the difference of what its
ends have, and a through variable y, what flows through it from tail to head. With a tree T and its cotree T':

    circuits    x_c = Σ ± x_b over the branches b that lead from tail to head of the chord c        B = [-C  1]
    cut-sets    y_b = -Σ ± y_c over the chords c whose circuits hold the branch b                   A = [1  Cᵀ]

so that A Bᵀ = 0: whatever the components are, Σ x y over all edges vanishes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from ...errors import PolhodeError
from ...expr import Matrix

#: The vertex against which velocities are measured.
REFERENCE = "O"

#: What an edge stands for: a terminal of a rigid body; a joint, whose motion and effort are both unknown until
#: something drives it; the inertia of a body, y = W x + u, a chord unless a tree names it; a driver that gives the
#: across or the through variable.
ROLES = ("body", "joint", "inertia", "across", "through")


@dataclass(frozen=True)
class Edge:
    """An edge from tail to head: its role, and the body, joint or load that it belongs to."""

    name: str
    tail: str
    head: str
    role: str
    element: str = ""


@dataclass(frozen=True)
class LinearGraph:
    """Edges in the order of preference for the tree, over vertices that they name."""

    edges: tuple[Edge, ...]

    def __post_init__(self) -> None:
        seen: set[str] = set()
        for edge in self.edges:
            if edge.name in seen:
                cure = "Rename one."
                raise PolhodeError("there are two edges of this name.", f"edge '{edge.name}'", cure, "E-PAPER-TWICE")
            if edge.role not in ROLES:
                cure = f"Choose one of {', '.join(ROLES)}."
                raise PolhodeError(f"there is no role {edge.role!r}.", f"edge '{edge.name}'", cure, "E-PAPER-NAME")
            seen.add(edge.name)

    @cached_property
    def by_name(self) -> dict[str, Edge]:
        return {edge.name: edge for edge in self.edges}

    @cached_property
    def vertices(self) -> tuple[str, ...]:
        """The reference, and the other vertices as edges name them."""
        return tuple(dict.fromkeys([REFERENCE, *(v for edge in self.edges for v in (edge.tail, edge.head))]))

    @cached_property
    def stars(self) -> dict[str, list[Edge]]:
        """For each body the edges of its terminal graph."""
        table: dict[str, list[Edge]] = {}
        for edge in self.edges:
            if edge.role == "body":
                table.setdefault(edge.element, []).append(edge)
        return table

    def with_role(self, *roles: str) -> list[Edge]:
        """The edges of these roles."""
        return [edge for edge in self.edges if edge.role in roles]

    def incidence(self) -> Matrix:
        """A row for each vertex but the reference, a column for each edge: 1 where it leaves, -1 where it arrives."""
        return Matrix([
            [int(edge.tail == vertex) - int(edge.head == vertex) for edge in self.edges]
            for vertex in self.vertices[1:]
        ])  # fmt: skip


class Forest:
    """Vertices joined by edges without circuits, with the path between any two."""

    def __init__(self, edges: Iterable[Edge] = ()) -> None:
        self._around: dict[str, dict[str, Edge]] = {}
        self._group: dict[str, str] = {}
        for edge in edges:
            self.add(edge)

    def _root(self, vertex: str) -> str:
        root = vertex
        while self._group.get(root, root) != root:
            root = self._group[root]
        while self._group.get(vertex, vertex) != root:
            self._group[vertex], vertex = root, self._group[vertex]
        return root

    def joins(self, edge: Edge) -> bool:
        """Whether the edge joins two components."""
        return self._root(edge.tail) != self._root(edge.head)

    def add(self, edge: Edge) -> None:
        """Take an edge that closes no circuit."""
        self._group[self._root(edge.tail)] = self._root(edge.head)
        self._around.setdefault(edge.tail, {})[edge.name] = edge
        self._around.setdefault(edge.head, {})[edge.name] = edge

    def way_from(self, start: str) -> dict[str, tuple[str, Edge]]:
        """For each vertex that can be reached the vertex before it and the edge between."""
        path: dict[str, tuple[str, Edge]] = {}
        stack = [start]
        while stack:
            vertex = stack.pop()
            for edge in self._around.get(vertex, {}).values():
                other = edge.head if edge.tail == vertex else edge.tail
                if other != start and other not in path:
                    path[other] = (vertex, edge)
                    stack.append(other)
        return path

    def path(self, start: str, end: str) -> list[Edge]:
        """The edges between two vertices that are joined."""
        path = self.way_from(start)
        edges = []
        while end != start:
            end, edge = path[end]
            edges.append(edge)
        return edges[::-1]


def circuit_among(edges: Iterable[Edge]) -> list[str]:
    """Names of the first edges that form a circuit, if any."""
    forest = Forest()
    for edge in edges:
        if not forest.joins(edge):
            return [*(other.name for other in forest.path(edge.tail, edge.head)), edge.name]
        forest.add(edge)
    return []


@dataclass(frozen=True)
class Formulation:
    """A graph with a tree, or a forest if it is not connected: branches, chords, circuits and cut-sets."""

    graph: LinearGraph
    tree: tuple[str, ...]

    @cached_property
    def cotree(self) -> tuple[str, ...]:
        """The chords, in the order of the graph."""
        branches = set(self.tree)
        return tuple(edge.name for edge in self.graph.edges if edge.name not in branches)

    @cached_property
    def _depth_and_way(self) -> tuple[dict[str, int], dict[str, tuple[str, Edge]]]:
        forest = Forest(self.graph.by_name[name] for name in self.tree)
        depth: dict[str, int] = {}
        path: dict[str, tuple[str, Edge]] = {}
        for start in self.graph.vertices:  # the reference first; further ones where a graph is in pieces
            if start not in depth:
                depth[start] = 0
                tree = forest.way_from(start)
                for vertex in tree:  # a vertex is found after the one before it
                    depth[vertex] = depth[tree[vertex][0]] + 1
                path |= tree
        return depth, path

    @cached_property
    def circuits(self) -> dict[str, dict[str, int]]:
        """For each chord the branches of its circuit, with signs: x_chord = Σ sign · x_branch."""
        return {name: self._between(self.graph.by_name[name]) for name in self.cotree}

    def _between(self, chord: Edge) -> dict[str, int]:
        depth, path = self._depth_and_way
        ends, signs = {1: chord.tail, -1: chord.head}, {}
        while ends[1] != ends[-1]:
            side = 1 if depth[ends[1]] >= depth[ends[-1]] else -1
            before, edge = path[ends[side]]
            signs[edge.name] = side if edge.tail == ends[side] else -side
            ends[side] = before
        return signs

    @cached_property
    def cutsets(self) -> dict[str, dict[str, int]]:
        """For each branch the chords of its cut-set, with signs: y_branch = -Σ sign · y_chord."""
        table: dict[str, dict[str, int]] = {name: {} for name in self.tree}
        for chord, branches in self.circuits.items():
            for branch, sign in branches.items():
                table[branch][chord] = sign
        return table

    @cached_property
    def _columns(self) -> dict[str, int]:
        return {edge.name: k for k, edge in enumerate(self.graph.edges)}

    def _rows(self, table: Mapping[str, Mapping[str, int]], factor: int) -> Matrix:
        rows = []
        for branch, others in table.items():
            row = [0] * len(self.graph.edges)
            row[self._columns[branch]] = 1
            for name, sign in others.items():
                row[self._columns[name]] = factor * sign
            rows.append(row)
        return Matrix(rows)

    def circuit_matrix(self) -> Matrix:
        """B, a row for each chord: B x = 0."""
        return self._rows(self.circuits, -1)

    def cutset_matrix(self) -> Matrix:
        """A, a row for each branch: A y = 0."""
        return self._rows(self.cutsets, 1)
