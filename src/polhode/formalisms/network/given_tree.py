"""A formulation tree that a user names: whether it is one, and if not, why.

Y. Tokad (1992), end of section 1, asks two things of a tree (`formulation`). A third makes them enough. A terminal
edge ends on the ground, so the circuit of a body's chord goes over at most one other body, on which it hangs. Where
bodies hang on each other in a circle, each motion is K times itself, 1 - K is singular, and nothing follows from such
a tree. Seen from afar, each body a point, the joints, loops, drivers and inertias of a formulation tree are thus a
spanning tree of the bodies and the ground; its terminal edges follow from them, as each body leaves to the cotree the
terminal at which it hangs.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from ...errors import PolhodeError
from ...model.reading import unknown
from .formulation import listed
from .graph import REFERENCE, Edge, Forest, Formulation, LinearGraph, circuit_among

_PLACE = "formulation tree"


def given_formulation(graph: LinearGraph, tree: Iterable[str]) -> Formulation:
    """The graph with this tree: all its edges, or those that belong to no body, from which the others follow.

    >>> pendulum = LinearGraph((
    ...     Edge("hinge", "bob.b", "O", "joint"),
    ...     Edge("bob.G", "bob.G", "O", "body", "bob"),
    ...     Edge("bob.b", "bob.b", "O", "body", "bob"),
    ...     Edge("inertia", "bob.G", "O", "inertia"),
    ... ))
    >>> given_formulation(pendulum, ["inertia"]).tree
    ('bob.b', 'inertia')
    """
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
            raise _wrong(f"'{name}' is named twice.", "Name it once.", "E-NET-017")
        seen.add(name)
    return [graph.by_name[name] for name in names]


def _check_drivers(graph: LinearGraph, edges: Sequence[Edge]) -> None:
    """Every across driver is a branch and every through driver a chord."""
    through = [edge.name for edge in edges if edge.role == "through"]
    if through:
        raise _wrong(
            f"the through driver{'s' * (len(through) > 1)} {listed(through)} cannot be in the tree: the force there is "
            "given, and velocities are taken from branches.",
            "Leave it to the cotree.",
            "E-NET-018",
        )
    named = {edge.name for edge in edges}
    missing = [edge.name for edge in graph.with_role("across") if edge.name not in named]
    if missing:
        raise _wrong(
            f"the across driver{'s' * (len(missing) > 1)} {listed(missing)} must be in the tree: the velocity there is "
            "given.",
            "Name it among the branches.",
            "E-NET-019",
        )


def check_circuits(edges: Sequence[Edge]) -> None:
    """Refuse branches that close a circuit."""
    circuit = circuit_among(edges)
    if circuit:
        raise _wrong(
            f"the edges {listed(circuit)} form a circuit.", "Leave one of them to the cotree.", "E-NET-020"
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
                "E-NET-021",
            )
        if len(chords) > 1:
            raise _wrong(
                f"body '{body}' has the chords {listed(chords)}, and one is all that its equations are solved for.",
                "Name all but one of them.",
                "E-NET-022",
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
        "E-NET-023",
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
    """The terminal edges that follow from the other branches: all but those at which the bodies hang."""
    seen = afar(graph)
    branches = [seen.by_name[edge.name] for edge in edges]
    check_circuits(branches)
    way = Forest(branches).way_from(REFERENCE)
    apart = [body for body in graph.stars if body not in way]
    if apart:
        raise _not_spanning(seen.edges, {REFERENCE, *way}, apart)
    chords = set()
    for body, star in graph.stars.items():
        at = _ends(graph.by_name[way[body][1].name])
        chords.add(next(edge.name for edge in star if _ends(edge) & at))
    return [edge for star in graph.stars.values() for edge in star if edge.name not in chords]


def _ends(edge: Edge) -> set[str]:
    return {edge.tail, edge.head} - {REFERENCE}


def hanging(chosen: Formulation) -> dict[str, str]:
    """For each body the one that it hangs on; nothing for those on the ground, or on a branch that leads there."""
    on: dict[str, str] = {}
    body_of = {edge.name: edge.element for edge in chosen.graph.with_role("body")}
    for chord, circuit in chosen.circuits.items():
        if chord in body_of:
            on[body_of[chord]] = next((body_of[name] for name in circuit if name in body_of), "")
    return on


def circle(chosen: Formulation) -> list[str]:
    """Bodies that hang on each other in a circle, if there are such."""
    on = hanging(chosen)
    held: set[str] = set()  # those that are known to lead to the ground
    for start in on:
        way: dict[str, None] = {}
        body = start
        while body and body not in held and body not in way:
            way[body] = None
            body = on[body]
        if body in way:
            names = list(way)
            return names[names.index(body) :]
        held |= set(way)
    return []


def check_hanging(chosen: Formulation) -> None:
    """Refuse a tree in which bodies hang on each other in a circle."""
    found = circle(chosen)
    if found:
        raise _wrong(
            f"the bodies {listed(found)} hang on each other in a circle, so that none of their velocities follows.",
            "Choose a tree in which one of them hangs on the ground, on another body, or on its own inertia.",
            "E-NET-024",
        )


def hung(graph: LinearGraph) -> Formulation | None:
    """A tree without circles, edges taken in order; None if there is none."""
    seen = afar(graph)
    forest, names = Forest(), []
    for edge in [*seen.with_role("across"), *seen.with_role("joint")]:
        if forest.joins(edge):
            forest.add(edge)
            names.append(edge.name)
    reached = forest.way_from(REFERENCE)
    return given_formulation(graph, names) if all(body in reached for body in graph.stars) else None
