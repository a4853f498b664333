"""Figure 4 for any tree: velocities outward and forces inward as a block diagram, (40) and (41).

A column for each body, from top to bottom:

    x of the joint, and K_aᵀ x_G of the body before  →  K_b⁻ᵀ  →  x_G  →  W_G  →  + u_G + K_a y of the bodies beyond
                                                                                            →  K_b⁻¹  →  y of the joint

Lanes above carry velocities from a body to those that hang on it, lanes below carry forces back. At the right, W_G as
it is made of P_G, Q_G and a derivative (Figure 4b).
"""

from __future__ import annotations

from ...model.records import GROUND
from .mechanism import Component, JointEdge, Mechanism
from .svg import ARROW, Lane, document, label, levels, line, symbol, tag, width_of

_COLUMN = 150
_LANE = 16
_MARGIN = 40
_BOX = (64, 28)


class _Columns:
    """Where the parts of each column stand."""

    def __init__(self, parts: Mechanism) -> None:
        self.parts = parts
        self.joint: dict[str, JointEdge] = {joint.outer: joint for joint in parts.joints.values()}
        self.x: dict[str, float] = {}
        at = float(_MARGIN)
        for part in parts.components:
            width = max(_COLUMN, width_of(part.name, 12) + 24, width_of(self.joint[part.name].name, 10) + 100)
            self.x[part.name] = at + width / 2
            at += width
        self.width = at + 250
        self.children: dict[str, list[str]] = {part.name: [] for part in parts.components}
        for joint in parts.joints.values():
            if joint.inner != GROUND:
                self.children[joint.inner].append(joint.outer)
        parents = [name for name, children in self.children.items() if children]
        lanes = [Lane(self.x[name] + 40, max(self.x[child] for child in self.children[name])) for name in parents]
        found = levels(lanes)
        self.level = dict(zip(parents, found, strict=True))
        deep = _LANE * (max(found, default=-1) + 1)
        self.top = 62 + deep
        self.sum_y = self.top + 62
        self.inner_y = self.sum_y + 40
        self.centre_y = self.inner_y + 40
        self.W_y = self.centre_y + 40
        self.force_y = self.W_y + 46
        self.outer_y = self.force_y + 42
        self.bottom = self.outer_y + 84
        self.height = self.bottom + deep + 60


def block_diagram_svg(parts: Mechanism) -> str:
    """The drawing as SVG text."""
    at = _Columns(parts)
    drawn = [label(_MARGIN - 20, 22, parts.system.name, 13, font_weight="bold")]
    beside = [
        f"{words}: {', '.join(names)}" for words, names in (("loops", parts.closing), ("loads", parts.loads)) if names
    ]
    drawn.append(label(_MARGIN - 20, 40, "; ".join(beside), 10, class_="faint", letters=int(at.width / 6)))
    for name, children in at.children.items():
        if children:
            drawn += _lanes(at, name, children)
    for part in parts.components:
        drawn += _column(at, part)
    drawn += _one_port(at)
    return document(at.width, at.height, f"Block diagram of {parts.system.name}", drawn)


def _arrow(points: list[tuple[float, float]], kind: str = "") -> str:
    return line(points, 5, class_=f"thin {kind}".strip(), marker_end=ARROW)


def _box(x: float, y: float, base: str, below: str = "", above: str = "") -> str:
    width, height = _BOX
    frame = tag("rect", x=x - width / 2, y=y - height / 2, width=width, height=height, rx=4, class_="thin")
    return frame + symbol(x, y + 4, base, below, above)


def _sum(x: float, y: float) -> str:
    cross = tag("path", d=f"M{x - 4:.1f} {y:.1f}h8M{x:.1f} {y - 4:.1f}v8", class_="thin")
    return tag("circle", cx=x, cy=y, r=8, class_="thin") + cross


def _column(at: _Columns, part: Component) -> list[str]:
    x, joint = at.x[part.name], at.joint[part.name]
    W, H = _BOX[0] / 2, _BOX[1] / 2
    label_width = width_of(f"x {joint.name}", 10)
    drawn = [
        label(
            x, at.height - 14, part.name, 12, text_anchor="middle", font_style="italic" if part.is_ideal else "normal"
        ),
        _sum(x, at.sum_y),
        label(x - 16 - label_width, at.sum_y - 6, f"x {joint.name}", 10),
        _arrow([(x - 16 - label_width, at.sum_y), (x - 9, at.sum_y)], "across"),
        _arrow([(x, at.sum_y + 8), (x, at.inner_y - H)]),
        _box(x, at.inner_y, "K", "b", "−T"),
        line([(x, at.inner_y + H), (x, at.centre_y)], class_="thin"),
        tag("circle", cx=x, cy=at.centre_y, r=2.6, class_="dot"),
        symbol(x - 14, at.centre_y + 4, "x", "" if part.is_ideal else "G", size=11),
    ]
    if part.is_ideal:
        drawn.append(label(x - 8, at.W_y + 4, "no mass", 10, text_anchor="end", class_="faint"))
    else:
        drawn += [
            _arrow([(x, at.centre_y), (x, at.W_y - H)]),
            _box(x, at.W_y, "W", "G"),
            _arrow([(x, at.W_y + H), (x, at.force_y - 9)]),
            symbol(x - W + 4, at.force_y - 7, "u", "G", size=11),
            _arrow([(x - W - 16, at.force_y), (x - 9, at.force_y)], "through"),
        ]
    drawn += [
        _sum(x, at.force_y),
        _arrow([(x, at.force_y + 8), (x, at.outer_y - H)]),
        _box(x, at.outer_y, "K", "b", "−1"),
    ]
    below = at.outer_y + H
    words = f"y {joint.name}"
    drawn.append(tag("circle", cx=x, cy=below + 22, r=2.6, class_="dot"))
    drawn.append(line([(x, below), (x, below + 22)], class_="thin"))
    drawn.append(_arrow([(x, below + 22), (x - 20 - width_of(words, 10), below + 22)], "through"))
    drawn.append(label(x - 10, below + 17, words, 10, text_anchor="end"))
    return drawn


def _lanes(at: _Columns, parent: str, children: list[str]) -> list[str]:
    """Velocities out to the bodies that hang on one, and forces back."""
    x, level, half = at.x[parent], at.level[parent], _BOX[1] / 2
    over, under = at.top - 8 - _LANE * level, at.bottom + 22 + _LANE * level
    out_x, in_x = x + 46, x + 58
    drawn = []
    for child in children:
        c = at.x[child]
        drawn.append(
            line(
                [(x, at.centre_y), (out_x, at.centre_y), (out_x, over), (c, over), (c, at.top)], 5, class_="thin across"
            )
        )
        drawn.append(_box(c, at.top + half, "K", "a", "T"))
        drawn.append(_arrow([(c, at.top + 2 * half), (c, at.sum_y - 9)], "across"))
        y = at.outer_y + half + 22
        drawn.append(line([(c, y), (c, at.bottom - 2 * half)], class_="thin through"))
        drawn.append(_box(c, at.bottom - half, "K", "a"))
        drawn.append(
            _arrow([(c, at.bottom), (c, under), (in_x, under), (in_x, at.force_y), (x + 9, at.force_y)], "through")
        )
    return drawn


def _one_port(at: _Columns) -> list[str]:
    """W_G = P_G d/dt + Q_G (Figure 4b), and what the colours mean."""
    x, y = at.width - 205, at.centre_y - 30
    right = x + 150
    middle = y + 74
    return [
        _arrow([(x - 34, y + 20), (x + 6, y + 20)]),
        symbol(x - 26, y + 13, "x", "G", size=11),
        _box(x + 38, y + 20, "d/dt"),
        _arrow([(x + 70, y + 20), (x + 86, y + 20)]),
        _box(x + 118, y + 20, "P", "G"),
        tag("circle", cx=x - 10, cy=y + 20, r=2.6, class_="dot"),
        line([(x - 10, y + 20), (x - 10, middle), (x + 86, middle)], 5, class_="thin", marker_end=ARROW),
        _box(x + 118, middle, "Q", "G"),
        _arrow([(right, middle), (right + 18, middle), (right + 18, y + 29)]),
        _arrow([(right, y + 20), (right + 9, y + 20)]),
        _sum(right + 18, y + 20),
        line([(x - 30, middle + 44), (x - 6, middle + 44)], class_="thin across"),
        label(x, middle + 48, "across: velocities", 10, class_="faint"),
        line([(x - 30, middle + 62), (x - 6, middle + 62)], class_="thin through"),
        label(x, middle + 66, "through: forces", 10, class_="faint"),
    ]
