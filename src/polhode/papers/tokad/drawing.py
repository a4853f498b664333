"""Linear graphs as pictures: terminal graphs (Tokad's Figures 1c, 2b, 2c, 5c) and system graphs (Figure 2e).

The ground O is a bar, the other vertices stand in a row above it (`layout`). With a formulation tree, branches are
heavy and chords thin and broken; drivers have the colours of what they give.
"""

from __future__ import annotations

from ...formalisms.network.graph import REFERENCE, Edge, Formulation, LinearGraph
from ...formalisms.network.mechanism import Mechanism
from .layout import LETTERS, MARGIN, SMALL, Layout, Over, Words, laid_out, plain_words
from .svg import ARROW, document, label, line, shown, tag, width_of

_LANE = 25  # between lanes over the tops
_PLAIN = "plain"

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


class _Drawing:
    def __init__(self, graph: LinearGraph, tree: frozenset[str] | None, layout: Layout, words: Words) -> None:
        self.graph, self.tree, self.layout, self.words = graph, tree, layout, words
        self.deep = max((each.level for each in layout.over), default=-1) + 1

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
            drawn.append(self.ground())
        bottom = self.bar + (44 if self.layout.spans else 16)
        legend, width = self.legend(bottom + 14)
        drawn.append(legend)
        width = max(self.layout.width, width, MARGIN + width_of(caption, 14) + width_of(count, 11) + 14)
        return document(width, bottom + (26 if legend else 4), title, drawn, self.described())

    def kind(self, edge: Edge) -> str:
        colour = f" {edge.role}" if edge.role in ("across", "through", "inertia") else ""
        base = _PLAIN if self.tree is None else "tree" if edge.name in self.tree else "chord"
        return base + colour

    def title(self, edge: Edge) -> str:
        return tag("title", shown(self.words.titles.get(edge.name, edge.name)))

    def over(self, each: Over) -> str:
        """An edge from one vertex over the tops to another."""
        y = self.top - 22 - _LANE * each.level
        points = [
            *self.leaving(each.edge.tail, each.tail, 4), (each.tail, y), (each.head, y),
            *self.leaving(each.edge.head, each.head, 5)[::-1],
        ]  # fmt: skip
        drawn = line(points, class_=self.kind(each.edge), marker_end=ARROW)
        write = label(each.words_at, y - 5, self.words.edge(each.edge), SMALL, text_anchor="middle", letters=LETTERS)
        return tag("g", self.title(each.edge) + drawn) + write

    def leaving(self, vertex: str, x: float, gap: float) -> list[tuple[float, float]]:
        """The way from a vertex up to where one of several lanes starts."""
        at = self.layout.x[vertex]
        return [(at, self.top - gap)] if x == at else [(at, self.top - gap), (x, self.top - gap - 8)]

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
        ends = [(each.edge.tail, each.tail) for each in self.layout.over]
        ends += [(each.edge.head, each.head) for each in self.layout.over]
        left = min([x, *(place for vertex, place in ends if vertex == name)])
        return dot + (label(left - 6, self.top - 7, written, SMALL, text_anchor="end") if written else "")

    def group(self, name: str, span: tuple[float, float]) -> str:
        left, right, y = *span, self.bar + 12
        brace = line([(left - 4, y), (left - 4, y + 6), (right + 4, y + 6), (right + 4, y)], 3, class_="thin faint")
        words = self.words.groups.get(name, name)
        return brace + label((left + right) / 2, y + 22, words, 12, text_anchor="middle")

    def ground(self) -> str:
        left, right = MARGIN - 18, int(self.layout.width) - 16
        hatch = "".join(f"M{x} {self.bar + 7:.0f}l6 -6" for x in range(left, right - 4, 9))
        return (
            line([(left, self.bar), (right, self.bar)], class_="tree")
            + tag("path", d=hatch, class_="thin faint")
            + label(right + 4, self.bar + 4, REFERENCE, 12, font_style="italic")
        )

    def legend(self, y: float) -> tuple[str, float]:
        """What the lines mean, of the kinds that there are, and how wide that is."""
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
