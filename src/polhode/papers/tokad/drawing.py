"""Drawings of any linear graph: where its vertices and edges are, graphs, and schematic diagrams.

The ground O is a bar. The other vertices stand in a row above it, those of a body together; an edge to O runs down to
the bar, one between two others over the tops in a lane. Within a body a vertex stands left that leads to a body on
the left, so that lanes nest. Columns are wide enough for what is written beside them: no two words meet, and no line
crosses one.

Graphs are terminal graphs (Tokad's Figures 1c, 2b, 2c, 5c) and system graphs (2e): with a formulation tree, branches
are heavy and chords thin and broken; drivers have the colours of what they give. A schematic diagram (1d to 1f, 2d, 5b)
is the graph with a box in place of each component's edges. Drivers are circles, inertias and loads boxes on the wire,
joints small rings. A terminal that leads to other components is on top of its box, one that leads to the ground below;
one on which nothing is joined yet is open. Ports between two terminals of one component have a bracket.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from ...formalisms.network.graph import REFERENCE, Edge, Formulation, LinearGraph
from ...formalisms.network.mechanism import Mechanism
from .block_diagram import ARROW, Lane, document, label, levels, line, shown, tag, width_of

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
    """Labels of edges, vertices and groups; an edge's title is its tooltip."""

    edges: Mapping[str, str] = field(default_factory=dict)
    vertices: Mapping[str, str] = field(default_factory=dict)
    titles: Mapping[str, str] = field(default_factory=dict)
    groups: Mapping[str, str] = field(default_factory=dict)
    room: float = 0.0  # what stands beside the words of an edge
    inset: float = 0.0  # what stands beside the first and the last vertex of a group

    def edge(self, edge: Edge) -> str:
        """The label of an edge."""
        return self.edges.get(edge.name, edge.name)

    def width(self, edge: Edge) -> float:
        """The width of an edge's label, with the room beside it."""
        return width_of(self.edge(edge)[:LETTERS], SMALL) + self.room

    def vertex(self, vertex: str) -> str:
        """The label of a vertex."""
        return self.vertices.get(vertex, vertex)


@dataclass(frozen=True)
class Over:
    """An edge over the tops: its ends, its level from 0, and the position of its label."""

    edge: Edge
    tail: float
    head: float
    level: int
    words_at: float


@dataclass(frozen=True)
class Layout:
    """Horizontal positions of vertices, edges and lanes."""

    x: Mapping[str, float]  # vertices
    down: Mapping[str, float]  # edges to the bar
    over: tuple[Over, ...]
    spans: Mapping[str, tuple[float, float]]  # groups that have a name
    width: float
    is_level: bool  # whether words beside edges to the bar are written level
    depth: float  # how long these edges are


def plain_words(graph: LinearGraph) -> Words:
    """Names without those of their components, which are written below."""
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
    """The vertices of a group in an order in which lanes do not cross, those with edges to the left first."""
    rank_of = {vertex: k for k, vertices in enumerate(table.values()) for vertex in vertices}
    rank = rank_of[table[name][0]]
    key: dict[str, tuple[int, int]] = {}
    for edge in over_edges(graph):
        for here, there in ((edge.tail, edge.head), (edge.head, edge.tail)):
            if rank_of[here] == rank != rank_of[there]:
                key.setdefault(here, (0 if rank_of[there] < rank else 2, -rank_of[there]))
    return sorted(table[name], key=lambda vertex: key.get(vertex, (1, 0)))


def over_edges(graph: LinearGraph) -> list[Edge]:
    """Edges between two vertices neither of which is the ground."""
    return [edge for edge in graph.edges if REFERENCE not in (edge.tail, edge.head)]


def laid_out(graph: LinearGraph, words: Words, groups: Mapping[str, Sequence[str]] | None = None) -> Layout:
    """The layout, with as much room between vertices as the words over the tops need; they are grouped by bodies."""
    groups, extra = groups_of(graph) if groups is None else groups, 0.0
    while True:
        result, lacking = _tried(graph, words, groups, extra)
        if lacking < _ENOUGH or extra > _WIDEST:
            return result
        extra += max(lacking, 4)


def _sides(edges: Iterable[Edge]) -> tuple[list[Edge], list[Edge]]:
    """Edges to the bar at one vertex: those left of its own line, and the own one with those right of it."""
    listed = list(edges)
    spine = next((edge for edge in listed if edge.role == "body"), None)
    left = [edge for edge in listed if edge is not spine and edge.role in ("joint", "across")]
    if spine is None and left and len(left) == len(listed):
        spine, left = left[0], left[1:]
    right = [edge for edge in listed if edge is not spine and edge not in left]
    return left, ([] if spine is None else [spine]) + right


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
    width = max([cursor - _BETWEEN + MARGIN / 2, *(word.right + MARGIN / 2 for word in _written(over, words))])
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
    heights = levels(lanes, [abs(a - b) for a, b in ends])
    result, lacking = [], 0.0
    for k, edge in enumerate(edges):
        crossing = sorted(
            x
            for other, pair in enumerate(ends)
            for x in pair
            if heights[other] > heights[k] and lanes[k].left < x < lanes[k].right
        )
        bounds = [lanes[k].left, *crossing, lanes[k].right]
        room, middle = max(
            (right - left, -abs((left + right) / 2 - middles[k]), (left + right) / 2)
            for left, right in pairwise(bounds)
        )[::2]
        lacking = max(lacking, 2 * halves[k] - room)
        result.append(Over(edge, *ends[k], heights[k], middle if crossing else middles[k]))
    return tuple(result), lacking


def _fanned(ways: Sequence[tuple[float, str, str]], here: float) -> list[tuple[float, str, str]]:
    """The lanes at a vertex from left to right: those to the left first, of each side so that they nest."""
    left = sorted((key for key in ways if key[0] < here), key=lambda key: -key[0])
    right = sorted((key for key in ways[::-1] if key[0] >= here), key=lambda key: -key[0])
    return [*left, *right]


def _written(over: Sequence[Over], words: Words) -> list[Lane]:
    table = []
    for arc in over:
        half = words.width(arc.edge) / 2
        table.append(Lane(arc.words_at - half, arc.words_at + half))
    return table


# ---- linear graphs --------------------------------------------------------------------------------------------

_LANE = 25  # between lanes over the tops

#: What the kinds of lines are called below a drawing.
_KINDS = {
    "tree": "branch",
    "chord": "chord",
    "tree across": "across driver",
    "chord through": "through driver",
    "chord inertia": "inertia",
    "tree inertia": "inertia, a branch",
    "plain across": "across driver",
    "plain through": "through driver",
    "plain inertia": "inertia",
}


def graph_svg(graph: LinearGraph | Formulation, title: str = "", words: Words | None = None, caption: str = "") -> str:
    """A graph, or a formulation with its tree, as SVG text; the title names the picture, the caption stands on it."""
    tree = frozenset(graph.tree) if isinstance(graph, Formulation) else None
    graph = graph.graph if isinstance(graph, Formulation) else graph
    words = plain_words(graph) if words is None else words
    drawn = _Drawing(graph, tree, laid_out(graph, words), words)
    return drawn.document(title or ("Linear graph" if tree is None else "System graph"), caption)


def _ground(layout: Layout, bar: float) -> str:
    """The bar of the ground O, hatched."""
    left, right = MARGIN - 18, int(layout.width) - 16
    hatch = "".join(f"M{x} {bar + 7:.0f}l6 -6" for x in range(left, right - 4, 9))
    drawn = line([(left, bar), (right, bar)], class_="tree") + tag("path", d=hatch, class_="thin faint")
    return drawn + label(right + 4, bar + 4, REFERENCE, 12, font_style="italic")


def _leaving(vertex: float, lane: float, y: float) -> list[tuple[float, float]]:
    """Points from a vertex up to where one of several lanes starts."""
    return [(vertex, y)] if lane == vertex else [(vertex, y), (lane, y - 8)]


def _colour(edge: Edge) -> str:
    return f" {edge.role}" if edge.role in ("across", "through", "inertia") else ""


class _Drawing:
    def __init__(self, graph: LinearGraph, tree: frozenset[str] | None, layout: Layout, words: Words) -> None:
        self.graph, self.tree, self.layout, self.words = graph, tree, layout, words
        self.deep = max((arc.level for arc in layout.over), default=-1) + 1

    def document(self, title: str, caption: str) -> str:
        count = (
            "" if self.tree is None else f"{len(self.tree)} branches, {len(self.graph.edges) - len(self.tree)} chords"
        )
        self.top = (44.0 if caption else 24.0) + _LANE * self.deep + (14 if self.layout.over else 0)
        self.bar = self.top + self.layout.depth
        head = label(MARGIN - 18, 20, caption, 13, font_weight="bold") if caption else ""
        if caption and count:
            head += label(MARGIN - 4 + width_of(caption, 14), 20, count, 11, class_="faint")
        drawn = [head, *map(self.over, self.layout.over)]
        drawn += [self.down(self.graph.by_name[name], x) for name, x in self.layout.down.items()]
        drawn += [self.vertex(name, x) for name, x in self.layout.x.items()]
        drawn += [self.group(name, span) for name, span in self.layout.spans.items()]
        if self.layout.down or not self.graph.edges:
            drawn.append(_ground(self.layout, self.bar))
        bottom = self.bar + (44 if self.layout.spans else 16)
        legend, width = self.legend(bottom + 14)
        drawn.append(legend)
        width = max(self.layout.width, width, MARGIN + width_of(caption, 14) + width_of(count, 11) + 14)
        return document(width, bottom + (26 if legend else 4), title, drawn, self.described())

    def kind(self, edge: Edge) -> str:
        return ("plain" if self.tree is None else "tree" if edge.name in self.tree else "chord") + _colour(edge)

    def title(self, edge: Edge) -> str:
        return tag("title", shown(self.words.titles.get(edge.name, edge.name)))

    def over(self, arc: Over) -> str:
        """An edge from one vertex over the tops to another."""
        y = self.top - 22 - _LANE * arc.level
        points = [
            *_leaving(self.layout.x[arc.edge.tail], arc.tail, self.top - 4), (arc.tail, y), (arc.head, y),
            *_leaving(self.layout.x[arc.edge.head], arc.head, self.top - 5)[::-1],
        ]  # fmt: skip
        drawn = line(points, class_=self.kind(arc.edge), marker_end=ARROW)
        write = label(arc.words_at, y - 5, self.words.edge(arc.edge), SMALL, text_anchor="middle", letters=LETTERS)
        return tag("g", self.title(arc.edge) + drawn) + write

    def down(self, edge: Edge, x: float) -> str:
        """An edge from a vertex to the bar, or up from it."""
        at = self.layout.x[edge.head if edge.tail == REFERENCE else edge.tail]
        points = (
            [(at, self.top), (x, self.top + 16), (x, self.bar - 2)] if x != at else [(x, self.top), (x, self.bar - 2)]
        )
        if edge.tail == REFERENCE:
            points = [(px, py + (2 if py == self.bar - 2 else 5 if py == self.top else 0)) for px, py in points[::-1]]
        drawn = line(points, class_=self.kind(edge), marker_end=ARROW)
        faint = {"class_": "faint"} if edge.role == "body" else {}
        if self.layout.is_level:
            write = label(x + 5, (self.top + self.bar) / 2 + 12, self.words.edge(edge), SMALL, **faint)
        else:
            turn = f"rotate(-90 {x + 10:.1f} {self.bar - 14:.1f})"
            write = label(x + 10, self.bar - 14, self.words.edge(edge), SMALL, transform=turn, letters=LETTERS, **faint)
        return tag("g", self.title(edge) + drawn) + write

    def vertex(self, name: str, x: float) -> str:
        dot = tag("circle", cx=x, cy=self.top, r=3.6, class_="dot")
        written = self.words.vertex(name)
        ends = [(arc.edge.tail, arc.tail) for arc in self.layout.over]
        ends += [(arc.edge.head, arc.head) for arc in self.layout.over]
        left = min([x, *(x_end for vertex, x_end in ends if vertex == name)])
        return dot + (label(left - 6, self.top - 7, written, SMALL, text_anchor="end") if written else "")

    def group(self, name: str, span: tuple[float, float]) -> str:
        left, right, y = *span, self.bar + 12
        brace = line([(left - 4, y), (left - 4, y + 6), (right + 4, y + 6), (right + 4, y)], 3, class_="thin faint")
        words = self.words.groups.get(name, name)
        return brace + label((left + right) / 2, y + 22, words, 12, text_anchor="middle")

    def legend(self, y: float) -> tuple[str, float]:
        """The legend of the kinds of lines in the drawing, and its width."""
        there = {self.kind(edge) for edge in self.graph.edges}
        drawn, x = [], float(MARGIN - 18)
        for kind, words in _KINDS.items():
            if kind in there:
                drawn.append(line([(x, y - 4), (x + 24, y - 4)], class_=kind))
                drawn.append(label(x + 29, y, words, SMALL, class_="faint"))
                x += 29 + width_of(words, SMALL) + 16
        return "".join(drawn), x

    def described(self) -> str:
        """The graph in a sentence, for those who hear it."""
        parts = [f"{len(self.graph.vertices)} vertices, {len(self.graph.edges)} edges."]
        parts += [f"{edge.name} leads from {edge.tail} to {edge.head}." for edge in self.graph.edges[:60]]
        if self.tree is not None:
            parts.append(f"Branches of the tree: {', '.join(e.name for e in self.graph.edges if e.name in self.tree)}.")
        return " ".join(parts)


def system_graph_svg(parts: Mechanism, chosen: Formulation) -> str:
    """The system graph of a mechanism."""
    title = f"System graph of {parts.system.name}"
    return graph_svg(chosen, title, words_of(parts), parts.system.name)


def terminal_graphs_svg(parts: Mechanism) -> str:
    """The terminal graphs of all bodies of a mechanism, side by side."""
    graph = LinearGraph(tuple(parts.graph.with_role("body")))
    title = f"Terminal graphs of the bodies of {parts.system.name}"
    return graph_svg(graph, title, words_of(parts), parts.system.name)


def words_of(parts: Mechanism) -> Words:
    """Terminals without the names of their bodies, which stand below; the directions of what closes a loop."""
    edges = {**plain_words(parts.graph).edges, **{part.one_port: "W, u" for part in parts.components if part.one_port}}
    titles = {name: f"{name}: x {edge.rule}" for name, edge in parts.closing.items()}
    return Words(edges, dict.fromkeys(parts.graph.vertices, ""), titles)


# ---- schematic diagrams ---------------------------------------------------------------------------------------

_WIRE = 34
_RADIUS = 8
_BOX = 62  # the height of a component
_BRACKET = 26  # more if it has ports between its terminals


def schematic_svg(graph: LinearGraph, title: str = "Schematic diagram") -> str:
    """The diagram as SVG text."""
    groups = groups_of(graph)
    ports = [edge for edge in graph.with_role("body") if edge.tail != REFERENCE]
    wires = LinearGraph(tuple(edge for edge in graph.edges if edge.role != "body"))
    written = plain_words(graph)
    widest = max((len(written.vertex(vertex)) for vertex in graph.vertices), default=0)
    alike = dict.fromkeys(graph.vertices, "m" * widest)  # they stand in the middle of their places
    room = Words(vertices=alike, room=2 * _RADIUS + 2, inset=width_of("m" * widest, SMALL) / 2 + 4)
    return _Schematic(wires, ports, laid_out(wires, room, groups), groups, written).document(title)


class _Schematic:
    def __init__(
        self, wires: LinearGraph, ports: list[Edge], layout: Layout, groups: Mapping[str, list[str]], words: Words
    ) -> None:
        self.wires, self.layout, self.groups, self.words = wires, layout, groups, words
        self.grounded = {port.tail: port for port in ports if port.head == REFERENCE}
        self.pairs = [port for port in ports if REFERENCE not in (port.tail, port.head)]
        self.paired = {end for port in self.pairs for end in (port.tail, port.head)}
        self.above = {end for arc in layout.over for end in (arc.edge.tail, arc.edge.head)} | self.paired
        deep = max((arc.level for arc in layout.over), default=-1) + 1
        self.top = 22.0 + _WIRE * deep + (10 if deep else 0)
        self.bottom = self.top + _BOX + (_BRACKET if self.pairs else 0)
        self.bar = self.bottom + (layout.depth + 16 if layout.down else 34)

    def document(self, title: str) -> str:
        drawn = [self.group(name, vertices) for name, vertices in self.groups.items()]
        drawn += [self.over(arc) for arc in self.layout.over]
        drawn += [self.down(self.wires.by_name[name], x) for name, x in self.layout.down.items()]
        drawn += [self.pair(port) for port in self.pairs]
        drawn.append(_ground(self.layout, self.bar))
        return document(self.layout.width, self.bar + 16, title, drawn, self.described())

    # ---- components ------------------------------------------------------------------------------------------

    def group(self, name: str, vertices: list[str]) -> str:
        """A component as a box with its terminals; a vertex of none is a dot on both sides of where boxes are."""
        if name not in self.layout.spans:
            (vertex,) = vertices
            x = self.layout.x[vertex]
            ends = line([(x, self.top), (x, self.bottom)], class_="thin") if vertex in self.above else ""
            return ends + self.terminals(vertex, loose=True)
        left, right = self.layout.spans[name]
        box = tag(
            "rect", x=left - 4, y=self.top, width=right - left + 8, height=self.bottom - self.top, rx=6, class_="plain"
        )
        middle = (self.top + self.bottom) / 2 + (16 if self.pairs else 4)
        written = label((left + right) / 2, middle, name, 13, text_anchor="middle", font_style="italic")
        return tag("g", tag("title", shown(name)) + box) + written + "".join(map(self.terminals, vertices))

    def terminals(self, vertex: str, loose: bool = False) -> str:
        x, drawn = self.layout.x[vertex], ""
        leads_down = any(vertex in (edge.tail, edge.head) for edge in self.wires.edges if self.is_down(edge))
        if vertex in self.above:
            drawn += self.dot(x, self.top) + ("" if loose else self.called(vertex, x, self.top + 15))
        if leads_down or vertex not in self.above:
            drawn += self.dot(x, self.bottom, is_open=not leads_down)
            drawn += self.called(vertex, x, self.bottom - 8)
            port = self.words.edge(self.grounded[vertex]) if vertex in self.grounded and not leads_down else ""
            if port.lower() != self.words.vertex(vertex).lower():
                drawn += label(x + 7, self.bottom + 13, port, SMALL)
        return drawn

    def called(self, vertex: str, x: float, y: float) -> str:
        return label(x, y, self.words.vertex(vertex), SMALL, text_anchor="middle", class_="faint")

    @staticmethod
    def is_down(edge: Edge) -> bool:
        return REFERENCE in (edge.tail, edge.head)

    def dot(self, x: float, y: float, is_open: bool = False) -> str:
        return tag("circle", cx=x, cy=y, r=3.4, class_="thin" if is_open else "dot")

    def pair(self, port: Edge) -> str:
        """A port between two terminals of one component: a bracket inside the box."""
        a, b = sorted((self.layout.x[port.tail], self.layout.x[port.head]))
        y = self.top + 20
        bracket = line([(a, y), (a, y + 6), (b, y + 6), (b, y)], 3, class_="thin faint")
        return bracket + label((a + b) / 2, y + 18, self.words.edge(port), SMALL, text_anchor="middle")

    # ---- what is joined to them ------------------------------------------------------------------------------

    def over(self, arc: Over) -> str:
        """A wire over the tops, with its symbol in the middle and its name above."""
        y, x = self.top - 18 - _WIRE * arc.level, arc.words_at
        half, drawn = self.half(arc.edge), ""
        kind = "plain" + _colour(arc.edge)
        if arc.tail == arc.head:
            return ""
        ends = ((arc.tail, arc.edge.tail), (arc.head, arc.edge.head))
        for side, (at, vertex) in zip((-1, 1), sorted(ends), strict=True):
            drawn += line(
                [*_leaving(self.layout.x[vertex], at, self.top - 3), (at, y), (x + side * half, y)], class_=kind
            )
        return self.titled(arc.edge, drawn + self.symbol(arc.edge, x, y)) + self.name_of(arc.edge, x, y - 13, "middle")

    def down(self, edge: Edge, x: float) -> str:
        """A wire to the ground, with its symbol and its name beside it."""
        at = self.layout.x[edge.head if edge.tail == REFERENCE else edge.tail]
        y = self.bottom + 14 + 22
        start = [(at, self.bottom + 3)] if x == at else [(at, self.bottom + 3), (x, self.bottom + 14)]
        kind = "plain" + _colour(edge)
        tall = 10 if self.is_boxed(edge) else self.half(edge)
        drawn = line([*start, (x, y - tall)], class_=kind) + line([(x, y + tall), (x, self.bar)], class_=kind)
        drawn += self.symbol(edge, x, y)
        if self.layout.is_level and not self.is_boxed(edge):
            return self.titled(edge, drawn) + self.name_of(edge, x + _RADIUS + 5, y + 4, "start")
        turn = f"rotate(-90 {x + 11:.1f} {self.bar - 8:.1f})"
        write = label(x + 11, self.bar - 8, edge.name, SMALL, transform=turn, letters=LETTERS)
        return self.titled(edge, drawn) + write

    def titled(self, edge: Edge, drawn: str) -> str:
        return tag("g", tag("title", shown(edge.name)) + drawn)

    def name_of(self, edge: Edge, x: float, y: float, anchor: str) -> str:
        return label(x, y, edge.name, SMALL, text_anchor=anchor, letters=LETTERS)

    def is_boxed(self, edge: Edge) -> bool:
        return edge.role == "inertia"

    def half(self, edge: Edge) -> float:
        return 4.0 if edge.role == "joint" else float(_RADIUS)

    def symbol(self, edge: Edge, x: float, y: float) -> str:
        """A circle with the letter of what a driver gives, a box for an inertia, a ring for a joint."""
        kind = "plain" + _colour(edge)
        if self.is_boxed(edge):
            return tag("rect", x=x - _RADIUS, y=y - 10, width=2 * _RADIUS, height=20, rx=2, class_=kind) + label(
                x, y + 4, "W", SMALL, text_anchor="middle", font_style="italic"
            )
        ring = tag("circle", cx=x, cy=y, r=self.half(edge), class_=kind)
        letter = {"across": "x", "through": "y"}.get(edge.role, "")
        return ring + (label(x, y + 3.5, letter, SMALL, text_anchor="middle", font_style="italic") if letter else "")

    def described(self) -> str:
        parts = [f"{name} has the terminals {', '.join(vertices)}." for name, vertices in self.groups.items()]
        parts += [
            f"{edge.name} is between {edge.tail} and {edge.head}." for edge in (*self.pairs, *self.wires.edges)[:60]
        ]
        return " ".join(parts)
