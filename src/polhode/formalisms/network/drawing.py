"""The system graph as a picture, for any system (Tokad's Figure 2e).

The ground O is a bar. The terminals of each body stand in a row above it, an edge from each down to the bar; joints
lead over the tops from body to body; inertias, loads and joints on the ground run beside the edges. Branches of the
formulation tree are heavy, chords thin and broken.
"""

from __future__ import annotations

from dataclasses import dataclass

from .graph import REFERENCE, Edge, Formulation
from .mechanism import Component, Mechanism
from .svg import ARROW, Lane, document, label, levels, line, shown, tag, width_of

_STEP = 64  # between terminals
_GAP = 30  # between bodies
_EDGE = 120  # from a terminal down to the bar
_LANE = 25  # between lanes of joints
_SIDE = 17  # from a terminal to an edge beside its own
_MARGIN = 34


@dataclass(frozen=True)
class _Layout:
    """Where each terminal stands."""

    x: dict[str, float]
    spans: dict[str, tuple[float, float]]
    width: float


def _layout(parts: Mechanism) -> _Layout:
    x: dict[str, float] = {}
    spans: dict[str, tuple[float, float]] = {}
    at = float(_MARGIN + _SIDE)
    for part in parts.components:
        start = at
        for terminal in _terminals(part):
            x[terminal] = at
            at += _STEP
        spans[part.name] = start, at - _STEP
        at += max(_GAP, width_of(part.name, 12) + 14 - (at - _STEP - start) - _STEP)
    return _Layout(x, spans, max(at - _GAP - _STEP + _MARGIN + 2 * _SIDE, 330))


def _terminals(part: Component) -> list[str]:
    """The inner one, the mass centre, loads, then further joints, the last first: so what hangs on them nests."""
    middle = [name for name in part.arms if name not in part.slides]
    return [part.inner, *middle, *reversed(list(part.slides))]


def graph_svg(parts: Mechanism, chosen: Formulation) -> str:
    """The drawing as SVG text."""
    layout = _layout(parts)
    branches = set(chosen.tree)
    over = [e for e in chosen.graph.edges if e.role != "body" and REFERENCE not in (e.tail, e.head)]
    beside = [e for e in chosen.graph.edges if e.role != "body" and REFERENCE in (e.tail, e.head)]
    lanes = [_lane(edge, layout) for edge in over]
    height_of = levels(lanes)
    top = _MARGIN + 30 + _LANE * (max(height_of, default=-1) + 1)
    bar = top + _EDGE
    drawn = [_caption(parts, chosen)]
    for edge, level in zip(over, height_of, strict=True):
        drawn.append(_over(edge, parts, layout, top, level, edge.name in branches))
    drawn += [_beside(edge, parts, layout, top, bar, edge.name in branches) for edge in beside]
    for part in parts.components:
        drawn += [
            _body(part, layout, bar),
            *(_terminal(n, part, layout, top, bar, n in branches) for n in _terminals(part)),
        ]
    drawn.append(_ground(layout.width, bar))
    drawn.append(_legend(bar + 62))
    return document(layout.width, bar + 84, f"System graph of {parts.system.name}", drawn)


def _caption(parts: Mechanism, chosen: Formulation) -> str:
    words = f"{len(chosen.tree)} branches, {len(chosen.cotree)} chords"
    return label(_MARGIN, 20, parts.system.name, 13, font_weight="bold") + label(
        _MARGIN + width_of(parts.system.name, 14) + 14, 20, words, 11, class_="faint"
    )


def _lane(edge: Edge, layout: _Layout) -> Lane:
    ends = sorted((layout.x[edge.tail], layout.x[edge.head]))
    middle, half = sum(ends) / 2, width_of(edge.name, 10) / 2 + 4
    return Lane(min(ends[0] - 3, middle - half), max(ends[1] + 3, middle + half))


def _kind(edge: Edge, is_branch: bool) -> str:
    colour = f" {edge.role}" if edge.role in ("across", "through") else ""
    return ("tree" if is_branch else "chord") + colour


def _title(edge: Edge, parts: Mechanism) -> str:
    """The name, and for what closes a loop its directions, told when one points at the edge."""
    closing = parts.closing.get(edge.name)
    return tag("title", shown(edge.name if closing is None else f"{edge.name}: x {closing.rule}"))


def _over(edge: Edge, parts: Mechanism, layout: _Layout, top: float, level: int, is_branch: bool) -> str:
    """A joint, a loop or a spring from one body to another."""
    x1, x2 = layout.x[edge.tail], layout.x[edge.head]
    y = top - 22 - _LANE * level
    drawn = line([(x1, top - 4), (x1, y), (x2, y), (x2, top - 5)], class_=_kind(edge, is_branch), marker_end=ARROW)
    return tag("g", _title(edge, parts) + drawn) + label(
        (x1 + x2) / 2, y - 5, edge.name, 10, text_anchor="middle", letters=40
    )


def _beside(edge: Edge, parts: Mechanism, layout: _Layout, top: float, bar: float, is_branch: bool) -> str:
    """A joint on the ground, on the left of its terminal's edge; an inertia or a load on the right."""
    at = edge.tail if edge.head == REFERENCE else edge.head
    is_joint = edge.name in parts.joints or edge.name in parts.closing
    side = -_SIDE if is_joint else _SIDE
    x = layout.x[at]
    points = [(x, top), (x + side, top + 14), (x + side, bar - 12), (x, bar - 2)]
    drawn = line(points if edge.tail == at else points[::-1], class_=_kind(edge, is_branch), marker_end=ARROW)
    words = edge.name if is_joint or edge.name in parts.loads else "W, u"
    # the text runs upward; left of the line for what is left of its terminal, right for what is right
    text_x, text_y = x + side + (-4 if is_joint else 10), bar - 18
    return tag("g", _title(edge, parts) + drawn) + label(
        text_x, text_y, words, 10, transform=f"rotate(-90 {text_x:.1f} {text_y:.1f})", letters=15
    )


def _terminal(name: str, part: Component, layout: _Layout, top: float, bar: float, is_branch: bool) -> str:
    x = layout.x[name]
    down = line([(x, top), (x, bar - 2)], class_="tree" if is_branch else "chord", marker_end=ARROW)
    words = name.removeprefix(f"{part.name}.")
    text_x, text_y = x + 10, bar - 18
    letters = 15
    write = label(
        text_x, text_y, words, 10, transform=f"rotate(-90 {text_x:.1f} {text_y:.1f})", letters=letters, class_="faint"
    )
    dot = tag("circle", cx=x, cy=top, r=3.6, class_="dot")
    return tag("g", tag("title", shown(name)) + down + dot) + write


def _body(part: Component, layout: _Layout, bar: float) -> str:
    left, right = layout.spans[part.name]
    y = bar + 14
    brace = line([(left - 8, y), (left - 8, y + 6), (right + 8, y + 6), (right + 8, y)], 3, class_="thin faint")
    style = "italic" if part.is_ideal else "normal"
    return brace + label((left + right) / 2, y + 22, part.name, 12, text_anchor="middle", font_style=style, letters=40)


def _ground(width: float, bar: float) -> str:
    hatch = "".join(f"M{x} {bar + 7:.0f}l6 -6" for x in range(_MARGIN - 18, int(width) - _MARGIN + 18, 9))
    return (
        line([(_MARGIN - 18, bar), (width - _MARGIN + 18, bar)], class_="tree")
        + tag("path", d=hatch, class_="thin faint")
        + label(width - _MARGIN + 22, bar + 4, REFERENCE, 12, font_style="italic")
    )


def _legend(y: float) -> str:
    """What the lines mean."""
    drawn, x = [], float(_MARGIN - 18)
    for kind, words in (
        ("tree", "branch"),
        ("chord", "chord"),
        ("tree across", "across driver"),
        ("chord through", "through driver"),
    ):
        drawn.append(line([(x, y - 4), (x + 24, y - 4)], class_=kind))
        drawn.append(label(x + 29, y, words, 10, class_="faint"))
        x += 29 + width_of(words, 10) + 16
    return "".join(drawn)
