"""Where the vertices and edges of a linear graph are drawn, for any graph.

The ground O is a bar. The other vertices stand in a row above it, those of a body together; an edge to O runs down to
the bar, one between two others over the tops in a lane. Within a body a vertex stands left that leads to a body on
the left, so that lanes nest. Columns are wide enough for what is written beside them: no two words meet, and no line
crosses one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from ...formalisms.network.graph import REFERENCE, Edge, LinearGraph
from .svg import Lane, levels, width_of

SMALL = 10  # the size of words beside lines
LETTERS = 26  # what is longer is cut
MARGIN = 34
_PITCH = 20  # between lines to the bar at one vertex, if their words stand upright
_GAP = 26  # between vertices, beyond what is written there
_BETWEEN = 22  # more between bodies
_SPREAD = 9  # between the starts of several lanes at one vertex
_ENOUGH = 0.01
_WIDEST = 400  # room that is given between two vertices, if words cannot do with less
_SHORT = 4  # words of so many letters are written level


@dataclass(frozen=True)
class Words:
    """What is written: beside edges and vertices, below groups; an edge's title is told when one points at it."""

    edges: Mapping[str, str] = field(default_factory=dict)
    vertices: Mapping[str, str] = field(default_factory=dict)
    titles: Mapping[str, str] = field(default_factory=dict)
    groups: Mapping[str, str] = field(default_factory=dict)
    room: float = 0.0  # what stands beside the words of an edge
    inset: float = 0.0  # what stands beside the first and the last vertex of a group

    def edge(self, edge: Edge) -> str:
        """What is written beside an edge."""
        return self.edges.get(edge.name, edge.name)

    def width(self, edge: Edge) -> float:
        """How wide that is, with what stands there too."""
        return width_of(self.edge(edge)[:LETTERS], SMALL) + self.room

    def vertex(self, vertex: str) -> str:
        """What is written beside a vertex."""
        return self.vertices.get(vertex, vertex)


@dataclass(frozen=True)
class Over:
    """An edge over the tops: where it starts and ends, its level from 0, and where its words stand."""

    edge: Edge
    tail: float
    head: float
    level: int
    words_at: float


@dataclass(frozen=True)
class Layout:
    """Where everything stands, from left to right."""

    x: Mapping[str, float]  # vertices
    down: Mapping[str, float]  # edges to the bar
    over: tuple[Over, ...]
    spans: Mapping[str, tuple[float, float]]  # groups that have a name
    width: float
    is_level: bool  # whether words beside edges to the bar are written level
    depth: float  # how long these edges are


def plain_words(graph: LinearGraph) -> Words:
    """The names, without those of the components that they belong to, which stand below.

    >>> plain_words(LinearGraph((Edge("arm.1", "arm.B1", "O", "body", "arm"),))).edges
    {'arm.1': '1'}
    """
    ports = [edge for edge in graph.with_role("body") if edge.element]
    edges = {edge.name: edge.name.removeprefix(f"{edge.element}.") for edge in ports}
    ends = {vertex: edge.element for edge in ports for vertex in (edge.tail, edge.head) if vertex != REFERENCE}
    return Words(edges, {vertex: vertex.removeprefix(f"{name}.") for vertex, name in ends.items()})


def groups_of(graph: LinearGraph) -> dict[str, list[str]]:
    """The vertices of each body, as its edges name them; one that is of none stands by itself, without a name."""
    owner: dict[str, str] = {}
    for edge in graph.with_role("body"):
        if edge.element:
            for vertex in (edge.tail, edge.head):
                owner.setdefault(vertex, edge.element)
    table: dict[str, list[str]] = {}
    for vertex in graph.vertices[1:]:
        table.setdefault(owner.get(vertex, f" {vertex}"), []).append(vertex)
    return {name: _nested(graph, table, name) for name in table}


def _nested(graph: LinearGraph, table: Mapping[str, Sequence[str]], name: str) -> list[str]:
    """The vertices of a group, those that lead to the left first, in an order in which lanes do not cross."""
    place = {vertex: k for k, vertices in enumerate(table.values()) for vertex in vertices}
    own = place[table[name][0]]
    key: dict[str, tuple[int, int]] = {}
    for edge in over_edges(graph):
        for here, there in ((edge.tail, edge.head), (edge.head, edge.tail)):
            if place[here] == own != place[there]:
                key.setdefault(here, (0 if place[there] < own else 2, -place[there]))
    return sorted(table[name], key=lambda vertex: key.get(vertex, (1, 0)))


def over_edges(graph: LinearGraph) -> list[Edge]:
    """Edges between two vertices neither of which is the ground."""
    return [edge for edge in graph.edges if REFERENCE not in (edge.tail, edge.head)]


def laid_out(graph: LinearGraph, words: Words, groups: Mapping[str, Sequence[str]] | None = None) -> Layout:
    """The layout, with as much room between vertices as the words over the tops need; they are grouped by bodies."""
    groups, extra = groups_of(graph) if groups is None else groups, 0.0
    while True:
        made, lacking = _tried(graph, words, groups, extra)
        if lacking < _ENOUGH or extra > _WIDEST:
            return made
        extra += max(lacking, 4)


def _sides(edges: Iterable[Edge]) -> tuple[list[Edge], list[Edge]]:
    """Edges to the bar at one vertex: those left of its own line, and the own one with those right of it."""
    listed = list(edges)
    own = next((edge for edge in listed if edge.role == "body"), None)
    left = [edge for edge in listed if edge is not own and edge.role in ("joint", "across")]
    if own is None and left and len(left) == len(listed):
        own, left = left[0], left[1:]
    right = [edge for edge in listed if edge is not own and edge not in left]
    return left, ([] if own is None else [own]) + right


def _tried(graph: LinearGraph, words: Words, groups: Mapping[str, Sequence[str]], extra: float) -> tuple[Layout, float]:
    downward: dict[str, list[Edge]] = {}
    for edge in graph.edges:
        if REFERENCE in (edge.tail, edge.head) and edge.tail != edge.head:
            downward.setdefault(edge.head if edge.tail == REFERENCE else edge.tail, []).append(edge)
    written = [edge for edges in downward.values() for edge in edges]
    is_level = all(len(words.edge(edge)) <= _SHORT for edge in written)
    widest = max((words.width(edge) for edge in written), default=0.0)
    pitch = max(_PITCH, widest + 10) if is_level else _PITCH
    counts: dict[str, int] = {}
    for edge in over_edges(graph):
        for end in (edge.tail, edge.head):
            counts[end] = counts.get(end, 0) + 1
    x: dict[str, float] = {}
    down: dict[str, float] = {}
    spans: dict[str, tuple[float, float]] = {}
    cursor, before = float(MARGIN), 0.0
    for name, vertices in groups.items():
        start = cursor
        cursor += words.inset
        for vertex in vertices:
            left, right = _sides(downward.get(vertex, []))
            half = _SPREAD * max(counts.get(vertex, 1) - 1, 0) / 2
            at = max(cursor + pitch * len(left) + half, before + width_of(words.vertex(vertex), SMALL) + 16 + half)
            for k, edge in enumerate(left):
                down[edge.name] = at - pitch * (len(left) - k)
            for k, edge in enumerate(right):
                down[edge.name] = at + pitch * k
            x[vertex] = at
            before = at + half
            cursor = at + max(pitch * len(right), half) + (_GAP if is_level else _GAP + 6) / 2 + extra
        first, last = start, max(cursor - extra - _GAP / 2, x[vertices[-1]] + words.inset)
        cursor = max(cursor, last)
        if not name.startswith(" "):
            lacking = width_of(words.groups.get(name, name), 12) + 10 - (last - first)
            if lacking > 0:
                cursor += lacking
                last += lacking
            spans[name] = first, last
        cursor += _BETWEEN
    over, lacking = _lanes(graph, words, x, counts)
    width = max([cursor - _BETWEEN + MARGIN / 2, *(each.right + MARGIN / 2 for each in _written(over, words))])
    depth = 84.0 if is_level else min(max(widest + 44, 96.0), 220.0)
    return Layout(x, down, over, spans, width, is_level, depth), lacking


def _lanes(
    graph: LinearGraph, words: Words, x: Mapping[str, float], counts: Mapping[str, int]
) -> tuple[tuple[Over, ...], float]:
    """Edges over the tops, and by how much the words of one of them lack room."""
    edges = over_edges(graph)
    starts: dict[str, list[tuple[float, str, str]]] = {}
    for edge in edges:
        for end, other in ((edge.tail, edge.head), (edge.head, edge.tail)):
            starts.setdefault(end, []).append((x[other], edge.name, end))
    at: dict[tuple[str, str], float] = {}
    for vertex, ways in starts.items():
        for k, (_, name, _) in enumerate(_fanned(ways, x[vertex])):
            at[name, vertex] = x[vertex] + _SPREAD * (k - (len(ways) - 1) / 2)
    ends = [(at[edge.name, edge.tail], at[edge.name, edge.head]) for edge in edges]
    halves = [words.width(edge) / 2 + 5 for edge in edges]
    middles = [(a + b) / 2 for a, b in ends]
    lanes = [
        Lane(min(a, b, middle - half), max(a, b, middle + half))
        for (a, b), middle, half in zip(ends, middles, halves, strict=True)
    ]
    found = levels(lanes)
    made, lacking = [], 0.0
    for k, edge in enumerate(edges):
        crossing = sorted(
            place
            for other, pair in enumerate(ends)
            for place in pair
            if found[other] > found[k] and lanes[k].left < place < lanes[k].right
        )
        bounds = [lanes[k].left, *crossing, lanes[k].right]
        room, middle = max(
            (right - left, -abs((left + right) / 2 - middles[k]), (left + right) / 2)
            for left, right in pairwise(bounds)
        )[::2]
        lacking = max(lacking, 2 * halves[k] - room)
        made.append(Over(edge, *ends[k], found[k], middle if crossing else middles[k]))
    return tuple(made), lacking


def _fanned(ways: Sequence[tuple[float, str, str]], here: float) -> list[tuple[float, str, str]]:
    """The lanes at a vertex from left to right: those to the left first, of each side so that they nest."""
    left = sorted((way for way in ways if way[0] < here), key=lambda way: -way[0])
    right = sorted((way for way in ways if way[0] >= here), key=lambda way: -way[0])
    return [*left, *right]


def _written(over: Sequence[Over], words: Words) -> list[Lane]:
    table = []
    for each in over:
        half = words.width(each.edge) / 2
        table.append(Lane(each.words_at - half, each.words_at + half))
    return table
