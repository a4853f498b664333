"""Schematic diagrams: components as boxes, and what is joined to their terminals (Tokad's Figures 1d to 1f, 2d, 5b).

It is the drawing of the graph with a box in place of each component's edges. Drivers are circles, inertias and loads
boxes on the wire, joints small rings. A terminal that leads to other components is on top of its box, one that leads
to the ground below; one on which nothing is joined yet is open. Ports between two terminals of one component have a
bracket.
"""

from __future__ import annotations

from collections.abc import Mapping

from ...formalisms.network.graph import REFERENCE, Edge, LinearGraph
from .layout import LETTERS, MARGIN, SMALL, Layout, Over, Words, groups_of, laid_out, plain_words
from .svg import document, label, line, shown, tag, width_of

_LANE = 34
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
        self.above = {end for each in layout.over for end in (each.edge.tail, each.edge.head)} | self.paired
        deep = max((each.level for each in layout.over), default=-1) + 1
        self.top = 22.0 + _LANE * deep + (10 if deep else 0)
        self.bottom = self.top + _BOX + (_BRACKET if self.pairs else 0)
        self.bar = self.bottom + (layout.depth + 16 if layout.down else 34)

    def document(self, title: str) -> str:
        drawn = [self.group(name, vertices) for name, vertices in self.groups.items()]
        drawn += [self.over(each) for each in self.layout.over]
        drawn += [self.down(self.wires.by_name[name], x) for name, x in self.layout.down.items()]
        drawn += [self.pair(port) for port in self.pairs]
        left, right = MARGIN - 18, int(self.layout.width) - 16
        hatch = "".join(f"M{x} {self.bar + 7:.0f}l6 -6" for x in range(left, right - 4, 9))
        drawn.append(
            line([(left, self.bar), (right, self.bar)], class_="tree") + tag("path", d=hatch, class_="thin faint")
        )
        drawn.append(label(right + 4, self.bar + 4, REFERENCE, 12, font_style="italic"))
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

    def over(self, each: Over) -> str:
        """A wire over the tops, with its symbol in the middle and its name above."""
        y, x = self.top - 18 - _LANE * each.level, each.words_at
        half = self.half(each.edge)
        kind = "plain" + self.colour(each.edge)
        if each.tail == each.head:
            return ""
        first, second = (each.tail, each.head) if each.tail < each.head else (each.head, each.tail)
        drawn = line([(first, self.top - 3), (first, y), (x - half, y)], class_=kind)
        drawn += line([(x + half, y), (second, y), (second, self.top - 3)], class_=kind)
        return self.titled(each.edge, drawn + self.symbol(each.edge, x, y)) + self.name_of(
            each.edge, x, y - 13, "middle"
        )

    def down(self, edge: Edge, x: float) -> str:
        """A wire to the ground, with its symbol and its name beside it."""
        at = self.layout.x[edge.head if edge.tail == REFERENCE else edge.tail]
        y = self.bottom + 14 + 22
        start = [(at, self.bottom + 3)] if x == at else [(at, self.bottom + 3), (x, self.bottom + 14)]
        kind = "plain" + self.colour(edge)
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

    def colour(self, edge: Edge) -> str:
        return f" {edge.role}" if edge.role in ("across", "through", "inertia") else ""

    def is_boxed(self, edge: Edge) -> bool:
        return edge.role == "inertia"

    def half(self, edge: Edge) -> float:
        return 4.0 if edge.role == "joint" else float(_RADIUS)

    def symbol(self, edge: Edge, x: float, y: float) -> str:
        """A circle with the letter of what a driver gives, a box for an inertia, a ring for a joint."""
        kind = "plain" + self.colour(edge)
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
