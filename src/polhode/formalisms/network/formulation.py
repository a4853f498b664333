"""The choice of a formulation tree.

Y. Tokad (1992), end of section 1. For the equations of a system to have one solution there must be a tree such that

    1  of the terminal edges of each rigid body all but one are branches, that one being a chord: its terminal
       equations are solved for the through variables of that terminal;
    2  every across driver is a branch and every through driver a chord.

Sets of edges without circuits are one matroid, sets that leave each body a chord another; a formulation tree is as
large a set as there can be that is independent in both. Edges are taken in the order of the graph as far as that goes;
then by shortest augmenting paths, as for any two matroids (A. Recski, "Matroid Theory and Its Applications", 1989),
so that a tree is found whenever there is one, and what stands in its way can be named when there is none.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass

from ...errors import PolhodeError
from .graph import REFERENCE, Edge, Forest, Formulation, LinearGraph, circuit_among

#: The class of the edges that belong to no body.
_OTHERS = None

#: The roles of edges that no tree takes by itself.
_CHORDS = ("through", "inertia")


def formulation(graph: LinearGraph) -> Formulation:
    """A tree that meets both conditions, or an error that says what forbids it.

    >>> pendulum = LinearGraph((
    ...     Edge("hinge", "bob.b", "O", "joint"),
    ...     Edge("bob.G", "bob.G", "O", "body", "bob"),
    ...     Edge("bob.b", "bob.b", "O", "body", "bob"),
    ...     Edge("weight", "bob.G", "O", "through"),
    ... ))
    >>> formulation(pendulum).tree
    ('hinge', 'bob.G')
    """
    across = graph.with_role("across")
    _check_across_drivers(across)
    _check_through_drivers(graph)
    exchange = _Exchange(graph, across)
    if exchange.room()[_OTHERS] < 0:
        raise PolhodeError(
            f"no formulation tree exists: {len(across)} across drivers ({listed(edge.name for edge in across)}) "
            f"for {len(graph.stars)} bodies give more velocities than there are motions.",
            cure="Leave some of them free, or drive them by forces.",
            code="E-NET-006",
        )
    chosen = exchange.as_listed()
    while len(chosen) < exchange.size:
        path, reached = exchange.augmenting_path(chosen)
        if not path:
            raise _no_tree(graph, reached)
        chosen ^= set(path)
    names = {edge.name for edge in across} | chosen
    return Formulation(graph, tuple(edge.name for edge in graph.edges if edge.name in names))


def _check_across_drivers(across: Iterable[Edge]) -> None:
    circuit = circuit_among(across)
    if circuit:
        raise PolhodeError(
            f"the across drivers {listed(circuit)} form a circuit: their velocities are not independent.",
            cure="Give the velocity of all but one of them.",
            code="E-NET-004",
        )


def _check_through_drivers(graph: LinearGraph) -> None:
    forest = Forest()
    for edge in graph.edges:
        if edge.role not in _CHORDS and forest.joins(edge):
            forest.add(edge)
    reached = {REFERENCE, *forest.way_from(REFERENCE)}
    apart = [vertex for vertex in graph.vertices if vertex not in reached]
    if apart:
        cut = [
            edge.name
            for edge in graph.with_role(*_CHORDS)
            if (edge.tail in reached) != (edge.head in reached)
        ]  # fmt: skip
        what = f"the through drivers {listed(cut)} form a cut-set around" if cut else "nothing joins to the ground"
        raise PolhodeError(
            f"{what} {listed(apart)}: no tree can reach there.",
            cure="Add a body, a joint or an across driver that does.",
            code="E-NET-005",
        )


def listed(names: Iterable[str]) -> str:
    """Names in quotes."""
    return ", ".join(f"'{name}'" for name in names)


@dataclass(frozen=True)
class _Exchange:
    """The two matroids, with the across drivers taken for granted."""

    graph: LinearGraph
    across: list[Edge]

    @property
    def open_edges(self) -> list[Edge]:
        return self.graph.with_role("body", "joint")

    @property
    def size(self) -> int:
        """How many branches there are beside the across drivers."""
        return len(self.graph.vertices) - 1 - len(self.across)

    def room(self) -> dict[str | None, int]:
        """For each body how many of its edges may be branches; the rest of the tree is for the others."""
        room: dict[str | None, int] = {body: len(star) - 1 for body, star in self.graph.stars.items()}
        return {**room, _OTHERS: self.size - sum(room.values())}

    def room_left(self, chosen: set[str]) -> dict[str | None, int]:
        room = self.room()
        for name in chosen:
            room[_class_of(self.graph.by_name[name])] -= 1
        return room

    def forest(self, chosen: set[str]) -> Forest:
        return Forest([*self.across, *(edge for edge in self.open_edges if edge.name in chosen)])

    def as_listed(self) -> set[str]:
        """The edges in order, each unless it closes a circuit or its body has no room."""
        forest, room, chosen = Forest(self.across), self.room(), set()
        for edge in self.open_edges:
            if room[_class_of(edge)] > 0 and forest.joins(edge):
                forest.add(edge)
                room[_class_of(edge)] -= 1
                chosen.add(edge.name)
        return chosen

    def augmenting_path(self, chosen: set[str]) -> tuple[list[str], set[str]]:
        """The shortest chain of exchanges that gains an edge, and the edges that were reached in the search.

        An edge may begin it that closes no circuit, and may end it that its body has room for. A step leads from an
        edge outside to one of its class inside, and from one inside to one outside whose circuit holds it.
        """
        forest, left = self.forest(chosen), self.room_left(chosen)
        outside = [edge for edge in self.open_edges if edge.name not in chosen]
        circuits = {
            edge.name: [] if forest.joins(edge) else [other.name for other in forest.path(edge.tail, edge.head)]
            for edge in outside
        }
        freed: dict[str, list[Edge]] = {}
        for edge in outside:
            for name in circuits[edge.name]:
                freed.setdefault(name, []).append(edge)
        before: dict[str, str] = {}
        queue: deque[Edge] = deque(edge for edge in outside if not circuits[edge.name])
        reached = {edge.name for edge in queue}
        while queue:
            edge = queue.popleft()
            if edge.name in chosen:
                steps = freed.get(edge.name, [])
            elif left[_class_of(edge)] > 0:
                return _traced(before, edge.name), reached
            else:
                steps = [
                    other
                    for other in self.open_edges
                    if other.name in chosen and _class_of(other) == _class_of(edge)
                ]  # fmt: skip
            for other in steps:
                if other.name not in reached:
                    reached.add(other.name)
                    before[other.name] = edge.name
                    queue.append(other)
        return [], reached


def _class_of(edge: Edge) -> str | None:
    return edge.element if edge.role == "body" else _OTHERS


def _traced(before: dict[str, str], name: str) -> list[str]:
    path = [name]
    while name in before:
        name = before[name]
        path.append(name)
    return path


def _no_tree(graph: LinearGraph, reached: set[str]) -> PolhodeError:
    """What the search ran into: bodies whose terminals would all have to be branches."""
    bodies = dict.fromkeys(edge.element for edge in graph.edges if edge.role == "body" and edge.name in reached)
    return PolhodeError(
        f"no formulation tree exists: every terminal of {'body' if len(bodies) == 1 else 'bodies'} {listed(bodies)} "
        "would have to be a branch, and one must be a chord.",
        cure="Give it a joint, or an across driver at one of its terminals, or name its inertia in `tree`.",
        code="E-NET-007",
    )
