"""The choice of a formulation tree.

Y. Tokad (1992), end of section 1. For the equations of a system to have one solution there must be a tree such that

    1  of the terminal edges of each rigid body all but one are branches, that one being a chord: its terminal
       equations are solved for the through variables of that terminal;
    2  every across driver is a branch and every through driver a chord.

Sets of edges without circuits are one matroid, sets that leave each body a chord another; a formulation tree is as
large a set as there can be that is independent in both. Edges are taken in the order of the graph as far as that goes;
then by shortest augmenting paths, as for any two matroids (A. Recski, "Matroid Theory and Its Applications", 1989),
so that a tree is found whenever there is one, and the obstacle can be named when there is none.

A tree that a user names (`given_formulation`) is checked. A third condition makes Tokad's two enough: a terminal edge
ends on the ground, so the circuit of a body's chord goes over at most one other body, on which it hangs. Where bodies
hang on each other in a circle, each motion is K times itself, 1 - K is singular, and nothing follows from such a
tree. Seen from afar, each body a point, the joints, loops, drivers and inertias of a formulation tree are thus a
spanning tree of the bodies and the ground; its terminal edges follow from them, as each body leaves to the cotree the
terminal at which it hangs.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from ...errors import PolhodeError
from ...model.reading import unknown
from .graph import REFERENCE, Edge, Forest, Formulation, LinearGraph, circuit_among

#: The class of the edges that belong to no body.
_OTHERS = None

#: The roles of edges that no tree takes by itself.
_CHORDS = ("through", "inertia")


def formulation(graph: LinearGraph) -> Formulation:
    """A tree that meets both conditions; raise if there is none."""
    across = graph.with_role("across")
    _check_across_drivers(across)
    _check_through_drivers(graph)
    exchange = _Exchange(graph, across)
    if exchange.room()[_OTHERS] < 0:
        message = (
            f"no formulation tree exists: {len(across)} across drivers ({listed(edge.name for edge in across)}) "
            f"for {len(graph.stars)} bodies give more velocities than there are motions."
        )
        raise PolhodeError(message, cure="Leave some of them free, or drive them by forces.", code="E-PAPER-TREE")
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
        message = f"the across drivers {listed(circuit)} form a circuit: their velocities are not independent."
        raise PolhodeError(message, cure="Give the velocity of all but one of them.", code="E-PAPER-TREE")


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
        cure = "Add a body, a joint or an across driver that does."
        raise PolhodeError(f"{what} {listed(apart)}: no tree can reach there.", cure=cure, code="E-PAPER-TREE")


def listed(names: Iterable[str]) -> str:
    """Names in quotes."""
    return ", ".join(f"'{name}'" for name in names)


@dataclass(frozen=True)
class _Exchange:
    """The two matroids, with all across drivers as branches."""

    graph: LinearGraph
    across: list[Edge]

    @property
    def open_edges(self) -> list[Edge]:
        return self.graph.with_role("body", "joint")

    @property
    def size(self) -> int:
        """Number of branches besides the across drivers."""
        return len(self.graph.vertices) - 1 - len(self.across)

    def room(self) -> dict[str | None, int]:
        """For each body the number of its edges that may be branches."""
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
        """The edges in order that close no circuit and fit their body's bound."""
        forest, room, chosen = Forest(self.across), self.room(), set()
        for edge in self.open_edges:
            if room[_class_of(edge)] > 0 and forest.joins(edge):
                forest.add(edge)
                room[_class_of(edge)] -= 1
                chosen.add(edge.name)
        return chosen

    def augmenting_path(self, chosen: set[str]) -> tuple[list[str], set[str]]:
        """The shortest exchange path that gains an edge, and the edges reached: matroid intersection."""
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
    """Error that names the bodies whose terminals would all have to be branches."""
    bodies = dict.fromkeys(edge.element for edge in graph.edges if edge.role == "body" and edge.name in reached)
    return PolhodeError(
        f"no formulation tree exists: every terminal of {'body' if len(bodies) == 1 else 'bodies'} {listed(bodies)} "
        "would have to be a branch, and one must be a chord.",
        cure="Give it a joint, or an across driver at one of its terminals, or name its inertia in `tree`.",
        code="E-PAPER-TREE",
    )


# ---- a tree that is given ----------------------------------------------------------------------------------

_PLACE = "formulation tree"


def given_formulation(graph: LinearGraph, tree: Iterable[str]) -> Formulation:
    """The graph with this tree: all its edges, or those that belong to no body, from which the others follow."""
    edges = _named(graph, list(tree))
    _check_drivers(graph, edges)
    if not any(edge.role == "body" for edge in edges):
        edges = [*edges, *_terminals(graph, edges)]
    check_circuits(edges)
    _check_bodies(graph, edges)
    _check_reach(graph, edges)
    names = {edge.name for edge in edges}
    made = Formulation(graph, tuple(edge.name for edge in graph.edges if edge.name in names))
    check_hanging(made)
    return made


def _wrong(message: str, cure: str, code: str) -> PolhodeError:
    return PolhodeError(message, place=_PLACE, cure=cure, code=code)


def _named(graph: LinearGraph, names: Sequence[str]) -> list[Edge]:
    seen: set[str] = set()
    for name in names:
        if name not in graph.by_name:
            raise unknown("edge", str(name), graph.by_name, _PLACE)
        if name in seen:
            raise _wrong(f"'{name}' is named twice.", "Name it once.", "E-PAPER-TWICE")
        seen.add(name)
    return [graph.by_name[name] for name in names]


def _check_drivers(graph: LinearGraph, edges: Sequence[Edge]) -> None:
    """Raise unless every across driver is a branch and every through driver a chord."""
    through = [edge.name for edge in edges if edge.role == "through"]
    if through:
        raise _wrong(
            f"the through driver{'s' * (len(through) > 1)} {listed(through)} cannot be in the tree: the force there is "
            "given, and velocities are taken from branches.",
            "Leave it to the cotree.",
            "E-PAPER-TREE",
        )
    named = {edge.name for edge in edges}
    missing = [edge.name for edge in graph.with_role("across") if edge.name not in named]
    if missing:
        raise _wrong(
            f"the across driver{'s' * (len(missing) > 1)} {listed(missing)} must be in the tree: the velocity there is "
            "given.",
            "Name it among the branches.",
            "E-PAPER-TREE",
        )


def check_circuits(edges: Sequence[Edge]) -> None:
    """Refuse branches that close a circuit."""
    circuit = circuit_among(edges)
    if circuit:
        raise _wrong(
            f"the edges {listed(circuit)} form a circuit.", "Leave one of them to the cotree.", "E-PAPER-TREE"
        )  # fmt: skip


def _check_bodies(graph: LinearGraph, edges: Sequence[Edge]) -> None:
    """Of the terminal edges of each body all but one are branches."""
    named = {edge.name for edge in edges}
    for body, star in graph.stars.items():
        chords = [edge.name for edge in star if edge.name not in named]
        if not chords:
            raise _wrong(
                f"body '{body}' has no chord: its equations are solved for one of its terminals.",
                f"Leave one of {listed(edge.name for edge in star)} to the cotree.",
                "E-PAPER-TREE",
            )
        if len(chords) > 1:
            raise _wrong(
                f"body '{body}' has the chords {listed(chords)}, and one is all that its equations are solved for.",
                "Name all but one of them.",
                "E-PAPER-TREE",
            )


def _check_reach(graph: LinearGraph, edges: Sequence[Edge]) -> None:
    reached = {REFERENCE, *Forest(edges).way_from(REFERENCE)}
    apart = [vertex for vertex in graph.vertices if vertex not in reached]
    if apart:
        raise _not_spanning(graph.edges, reached, apart)


def _not_spanning(edges: Iterable[Edge], reached: set[str], apart: Sequence[str]) -> PolhodeError:
    cut = [edge.name for edge in edges if (edge.tail in reached) != (edge.head in reached)]
    return _wrong(
        f"the tree is not spanning: all edges of the cut-set {listed(cut)} are chords, and nothing reaches "
        f"{listed(apart)}.",
        "Add one of them.",
        "E-PAPER-TREE",
    )


# ---- bodies as points ------------------------------------------------------------------------------------------------


def afar(graph: LinearGraph) -> LinearGraph:
    """The edges that belong to no body, each body being one vertex."""
    body_at = {vertex: e.element for e in graph.with_role("body") for vertex in (e.tail, e.head) if vertex != REFERENCE}
    return LinearGraph(tuple(
        replace(edge, tail=body_at.get(edge.tail, edge.tail), head=body_at.get(edge.head, edge.head))
        for edge in graph.edges
        if edge.role != "body"
    ))  # fmt: skip


def _terminals(graph: LinearGraph, edges: Sequence[Edge]) -> list[Edge]:
    """Terminal edges that follow from the other branches: all but those that connect the bodies."""
    seen = afar(graph)
    branches = [seen.by_name[edge.name] for edge in edges]
    check_circuits(branches)
    path = Forest(branches).way_from(REFERENCE)
    apart = [body for body in graph.stars if body not in path]
    if apart:
        raise _not_spanning(seen.edges, {REFERENCE, *path}, apart)
    chords = set()
    for body, star in graph.stars.items():
        at = _ends(graph.by_name[path[body][1].name])
        chords.add(next(edge.name for edge in star if _ends(edge) & at))
    return [edge for star in graph.stars.values() for edge in star if edge.name not in chords]


def _ends(edge: Edge) -> set[str]:
    return {edge.tail, edge.head} - {REFERENCE}


def hanging(chosen: Formulation) -> dict[str, str]:
    """For each body the one that determines it; none for those on the ground."""
    on: dict[str, str] = {}
    body_of = {edge.name: edge.element for edge in chosen.graph.with_role("body")}
    for chord, circuit in chosen.circuits.items():
        if chord in body_of:
            on[body_of[chord]] = next((body_of[name] for name in circuit if name in body_of), "")
    return on


def circle(chosen: Formulation) -> list[str]:
    """Bodies that determine each other in a cycle, if any."""
    on = hanging(chosen)
    held: set[str] = set()  # those that are known to lead to the ground
    for start in on:
        path: dict[str, None] = {}
        body = start
        while body and body not in held and body not in path:
            path[body] = None
            body = on[body]
        if body in path:
            names = list(path)
            return names[names.index(body) :]
        held |= set(path)
    return []


def check_hanging(chosen: Formulation) -> None:
    """Raise if bodies of a tree determine each other in a cycle."""
    found = circle(chosen)
    if found:
        raise _wrong(
            f"the bodies {listed(found)} hang on each other in a circle, so that none of their velocities follows.",
            "Choose a tree in which one of them hangs on the ground, on another body, or on its own inertia.",
            "E-PAPER-TREE",
        )


def acyclic_tree(graph: LinearGraph) -> Formulation | None:
    """A spanning tree without cycles of bodies, edges taken in order; None if there is none."""
    seen = afar(graph)
    forest, names = Forest(), []
    for edge in [*seen.with_role("across"), *seen.with_role("joint")]:
        if forest.joins(edge):
            forest.add(edge)
            names.append(edge.name)
    reached = forest.way_from(REFERENCE)
    return given_formulation(graph, names) if all(body in reached for body in graph.stars) else None
