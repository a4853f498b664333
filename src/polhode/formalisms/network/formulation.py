"""The choice of a formulation tree.

Y. Tokad (1992), end of section 1. For the equations of a system to have one solution there must be a tree such that

    1  of the terminal edges of each rigid body all but one are branches, that one being a chord: its terminal
       equations are solved for the through variables of that terminal;
    2  every across driver is a branch and every through driver a chord.

A third condition makes these two enough: a terminal edge ends on the ground, so the circuit of a body's chord goes over
at most one other body, on which it hangs. Where bodies hang on each other in a circle, each motion is K times itself,
1 - K is singular, and nothing follows from such a tree. A tree that a user names (`given_formulation`) is checked.

With each body one vertex (`afar`), the formulation trees are exactly the spanning trees of the joints, loops, drivers
and inertias that hold every across driver and no through driver. A tree that meets 1 has as many such branches as there
are bodies. If k of them form a circuit over k bodies, each must end on a terminal that is a chord, or the terminals of
its ends close a circuit over O; there are k such terminals, so that the bodies hang on each other in a circle, and a
circuit over O would need k of them on k - 1 bodies. The reverse: in a spanning tree each body leaves to the cotree the
terminal at which it hangs. Spanning trees are the bases of a matroid, so the greedy choice finds one whenever there is
one (`formulation`): across drivers first, then joints and loops, then as few inertias as possible.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from ...errors import PolhodeError, fault_at
from ...model.reading import unknown
from .graph import REFERENCE, Edge, Forest, Formulation, LinearGraph, circuit_among


def formulation(graph: LinearGraph) -> Formulation:
    """A tree that meets all conditions, with joints before inertias in the order of the graph; raises if none does."""
    seen = afar(graph)
    circuit = circuit_among(seen.with_role("across"))
    if circuit:
        raise PolhodeError(
            f"no formulation tree exists: the across drivers {listed(circuit)} form a circuit, so that their "
            "velocities are not independent.",
            cure="Leave one of them free, or drive it by a force.",
            code="E-PAPER-TREE",
        )
    forest, names = Forest(), []
    for edge in (edge for role in ("across", "joint", "inertia") for edge in seen.with_role(role)):
        if forest.joins(edge):
            forest.add(edge)
            names.append(edge.name)
    reached = {REFERENCE, *forest.way_from(REFERENCE)}
    body_at = {vertex: body for body, vertex in _points(graph).items()}
    apart = [body_at.get(v, v) for v in dict.fromkeys((*body_at, *seen.vertices)) if v not in reached]
    if apart:
        cut = [e.name for e in seen.with_role("through") if (e.tail in reached) != (e.head in reached)]
        what = f"the through drivers {listed(cut)} form a cut-set around" if cut else "nothing joins to the ground"
        raise PolhodeError(
            f"no formulation tree exists: {what} {listed(apart)}, where no mass is.",
            cure="Leave a joint there without a driver, give its motion, or give a body there some mass.",
            code="E-PAPER-TREE",
        )
    return given_formulation(graph, names)


def listed(names: Iterable[str]) -> str:
    """Names in quotes."""
    return ", ".join(f"'{name}'" for name in names)


# ---- a tree that is given ----------------------------------------------------------------------------------

_PLACE = "formulation tree"
_wrong = fault_at(_PLACE)


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
    chosen = Formulation(graph, tuple(edge.name for edge in graph.edges if edge.name in names))
    check_hanging(chosen)
    return chosen


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
    points = _points(graph)
    at = {v: points[e.element] for e in graph.with_role("body") for v in (e.tail, e.head) if v != REFERENCE}
    return LinearGraph(tuple(
        replace(edge, tail=at.get(edge.tail, edge.tail), head=at.get(edge.head, edge.head))
        for edge in graph.edges
        if edge.role != "body"
    ))  # fmt: skip


def _points(graph: LinearGraph) -> dict[str, str]:
    """The vertex of each body: one of its terminals, as a body may have the name of any other vertex."""
    return {body: next(v for v in (star[0].tail, star[0].head) if v != REFERENCE) for body, star in graph.stars.items()}


def _terminals(graph: LinearGraph, edges: Sequence[Edge]) -> list[Edge]:
    """Terminal edges that follow from the other branches: all but those that connect the bodies."""
    seen, points = afar(graph), _points(graph)
    branches = [seen.by_name[edge.name] for edge in edges]
    check_circuits(branches)
    path = Forest(branches).way_from(REFERENCE)
    apart = [body for body in graph.stars if points[body] not in path]
    if apart:
        raise _not_spanning(seen.edges, {REFERENCE, *path}, apart)
    chords = set()
    for body, star in graph.stars.items():
        at = _ends(graph.by_name[path[points[body]][1].name])
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
    cycle = circle(chosen)
    if cycle:
        raise _wrong(
            f"the bodies {listed(cycle)} hang on each other in a circle, so that none of their velocities follows.",
            "Choose a tree in which one of them hangs on the ground, on another body, or on its own inertia.",
            "E-PAPER-TREE",
        )
