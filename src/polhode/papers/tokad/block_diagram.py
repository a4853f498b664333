"""Figure 4 for any tree: velocities outward and forces inward as a block diagram, (40) and (41).

A column for each body, from top to bottom:

    x of the joint, and K_aᵀ x_G of the body before  →  K_b⁻ᵀ  →  x_G  →  W_G  →  + u_G + loads + K_a y of bodies beyond
                                                                                            →  K_b⁻¹  →  y of the joint

Lanes above carry velocities from a body to those that hang on it, lanes below carry forces back. What closes a loop
is a chord, and has a column too: from both its bodies K_pᵀ x_G, whose difference along its directions D is zero, and
the multipliers λ, which come back to both as y = -D λ. At the right, W_G as it is made of P_G, Q_G and a derivative
(Figure 4b).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape, quoteattr

from ...formalisms.network.graph import REFERENCE
from ...formalisms.network.mechanism import Component, JointEdge, Mechanism
from ...model.records import GROUND

_COLUMN = 150
_LANE = 16
_MARGIN = 40
_BOX = (64, 28)


_LETTERS = 30  # longer names of loads are cut
_APART = 42  # from the middle of a loop's column to what comes from either body


@dataclass(frozen=True)
class _Loop:
    """The column of what closes a loop: for each of its ends that is no ground the body, the place and the sign."""

    name: str
    x: float
    ends: tuple[tuple[str, float, int], ...]


class _Columns:
    """Positions of the parts of each column."""

    def __init__(self, parts: Mechanism) -> None:
        self.parts = parts
        self.joint: dict[str, JointEdge] = {joint.outer: joint for joint in parts.joints.values()}
        self.loads: dict[str, list[str]] = {part.name: [] for part in parts.components}
        for name in parts.loads:
            edge = parts.graph.by_name[name]
            for vertex in (edge.tail, edge.head):
                if vertex != REFERENCE:
                    self.loads[parts.component_of[vertex].name].append(name)
        self.x: dict[str, float] = {}
        at = float(_MARGIN)
        for part in parts.components:
            words = max(width_of(name, 10) for name in (self.joint[part.name].name, self.load_words(part.name)))
            width = max(_COLUMN, width_of(part.name, 12) + 24, words + 100)
            self.x[part.name] = at + width / 2
            at += width
        self.loops: list[_Loop] = []
        for name in parts.closing:
            width = max(_COLUMN + 20, width_of(name, 12) + 24)
            edge = parts.graph.by_name[name]
            x = at + width / 2
            ends = ((edge.tail, x - _APART, 1), (edge.head, x + _APART, -1))
            wired = tuple((parts.component_of[v].name, x_end, sign) for v, x_end, sign in ends if v != REFERENCE)
            self.loops.append(_Loop(name, x, wired))
            at += width
        self.width = at + 250
        self.children: dict[str, list[str]] = {part.name: [] for part in parts.components}
        for joint in parts.joints.values():
            if joint.inner != GROUND:
                self.children[joint.inner].append(joint.outer)
        self.ways: dict[str, list[float]] = {
            name: [self.x[child] for child in children] for name, children in self.children.items()
        }
        for loop in self.loops:
            for body, x_end, _ in loop.ends:
                self.ways[body].append(x_end)
        parents = [name for name, places in self.ways.items() if places]
        lanes = [Lane(self.x[name] + 40, max(self.ways[name]) + 2) for name in parents]
        heights = levels(lanes)
        self.level = dict(zip(parents, heights, strict=True))
        deep = _LANE * (max(heights, default=-1) + 1)
        self.top = 62 + deep
        self.sum_y = self.top + 62
        self.inner_y = self.sum_y + 40
        self.centre_y = self.inner_y + 40
        self.W_y = self.centre_y + 40
        self.force_y = self.W_y + 46
        self.outer_y = self.force_y + 42
        self.bottom = self.outer_y + 84
        self.height = self.bottom + deep + 60

    def load_words(self, body: str) -> str:
        """The names of the loads on a body."""
        return shortened(", ".join(self.loads[body]), _LETTERS)


def block_diagram_svg(parts: Mechanism) -> str:
    """The drawing as SVG text."""
    at = _Columns(parts)
    drawn = [label(_MARGIN - 20, 22, parts.system.name, 13, font_weight="bold")]
    beside = f"loads on joints: {', '.join(parts.joint_loads)}" if parts.joint_loads else ""
    drawn.append(label(_MARGIN - 20, 40, beside, 10, class_="faint", letters=int(at.width / 6)))
    for name, places in at.ways.items():
        drawn += [piece for x in places for piece in _lane(at, name, x)]
    for part in parts.components:
        drawn += _column(at, part)
        if at.joint[part.name].inner != GROUND:
            drawn += _hanging(at, at.x[part.name])
    for loop in at.loops:
        drawn += _loop(at, loop)
    drawn += _one_port(at)
    return document(at.width, at.height, f"Block diagram of {parts.system.name}", drawn, _described(parts))


def _described(parts: Mechanism) -> str:
    """The diagram in sentences, for those who hear it."""
    message = [
        f"Velocities go from {joint.inner} over {joint.name} to {joint.outer}, forces back."
        for joint in parts.joints.values()
    ]
    return " ".join([*message, *(f"{name} closes a loop: x {edge.rule}." for name, edge in parts.closing.items())])


def _arrow(points: Sequence[tuple[float, float]], kind: str = "") -> str:
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
    if at.loads[part.name]:  # K_p y at their terminals
        drawn += [
            _arrow([(x - W - 16, at.force_y + 12), (x - 18, at.force_y + 12), (x - 7, at.force_y + 7)], "through"),
            label(x - 14, at.force_y + 24, at.load_words(part.name), 10, text_anchor="end"),
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


def _lane(at: _Columns, body: str, to: float) -> list[str]:
    """Velocities out from a body to a place in another column, and forces back."""
    x, level = at.x[body], at.level[body]
    over, under = at.top - 8 - _LANE * level, at.bottom + 22 + _LANE * level
    out_x, in_x = x + 46, x + 58
    out = [(x, at.centre_y), (out_x, at.centre_y), (out_x, over), (to, over), (to, at.top)]
    back = [(to, at.bottom), (to, under), (in_x, under), (in_x, at.force_y), (x + 9, at.force_y)]
    return [
        line(out, 5, class_="thin across"),
        _box(to, at.top + _BOX[1] / 2, "K", "a", "T"),
        _box(to, at.bottom - _BOX[1] / 2, "K", "a"),
        _arrow(back, "through"),
    ]


def _hanging(at: _Columns, x: float) -> list[str]:
    """Lines from the previous body's map to the sum of velocities, and from the joint's force to the map back."""
    y = at.outer_y + _BOX[1] / 2 + 22
    return [
        _arrow([(x, at.top + _BOX[1]), (x, at.sum_y - 9)], "across"),
        line([(x, y), (x, at.bottom - _BOX[1])], class_="thin through"),
    ]


def _loop(at: _Columns, loop: _Loop) -> list[str]:
    """A chord that closes a loop: Dᵀ (K_bᵀ x_G - K_aᵀ x_G) = 0, and y = -D λ back to both its bodies."""
    x, H = loop.x, _BOX[1] / 2
    split = at.outer_y + H
    drawn = [
        label(x, at.height - 14, loop.name, 12, text_anchor="middle"),
        _sum(x, at.sum_y),
        _arrow([(x, at.sum_y + 8), (x, at.inner_y + 4 - H)], "across"),
        _box(x, at.inner_y + 4, "D", "", "T"),
        _arrow([(x, at.inner_y + 4 + H), (x, at.centre_y + 18)], "across"),
        label(x, at.centre_y + 31, "0", 12, text_anchor="middle"),
        label(x, at.W_y + 26, "λ", 12, text_anchor="middle", font_style="italic"),
        _arrow([(x, at.W_y + 31), (x, at.outer_y - 20 - H)], "through"),
        _box(x, at.outer_y - 20, "−D"),
        line([(x, at.outer_y - 20 + H), (x, split)], class_="thin through"),
    ]
    for _, x_end, sign in loop.ends:
        side = 1 if x_end > x else -1
        drawn += [
            _arrow([(x_end, at.top + 2 * H), (x_end, at.sum_y), (x + 9 * side, at.sum_y)], "across"),
            line([(x, split), (x_end, split), (x_end, at.bottom - 2 * H)], 5, class_="thin through"),
        ]
        if sign < 0:
            drawn.append(label(x + 14, at.sum_y - 6, "−", 11))
            drawn.append(label(x_end - 10, split + 14, "−", 11, text_anchor="end"))
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


#: Colours that stand out on white and on black.
ACROSS, THROUGH, INERTIA = "#2b8a9e", "#c2702b", "#8a6fb0"

#: Rough width of a letter, as a share of the font's size.
_LETTER = 0.58

#: The class of every drawing: rules are for what is inside it, and leave the page around it alone.
_CLASS = "polhode-network"

_RULES = {
    "text": "font-family:system-ui,sans-serif;fill:currentColor;stroke:none",
    "path": "fill:none;stroke:currentColor",
    "rect": "fill:none;stroke:currentColor",
    "circle": "fill:none;stroke:currentColor",
    ".dot": "fill:currentColor",
    ".faint": "opacity:.55",
    ".thin": "stroke-width:1.1",
    ".plain": "stroke-width:1.4",
    ".tree": "stroke-width:2.6",
    ".chord": "stroke-width:1.1;stroke-dasharray:4 3",
    ".across": f"stroke:{ACROSS}",
    ".through": f"stroke:{THROUGH}",
    ".inertia": f"stroke:{INERTIA}",
}

#: Inside a page a drawing takes the page's colour; by itself it is dark on light, or the reverse where that is wished.
_STYLE = (
    "".join(f".{_CLASS} {what}{{{rule}}}" for what, rule in _RULES.items())
    + f".{_CLASS}:root{{color:#222}}@media(prefers-color-scheme:dark){{.{_CLASS}:root{{color:#ddd}}}}"
)

_ARROW = f"{_CLASS}-arrow"
#: The attribute that ends a line in an arrowhead.
ARROW = f"url(#{_ARROW})"


def tag(name: str, content: str = "", /, **attributes: object) -> str:
    """An element; attribute values are escaped, content is taken as it is."""
    written = "".join(
        f" {key.rstrip('_').replace('_', '-')}={quoteattr(_number(value))}" for key, value in attributes.items()
    )
    return f"<{name}{written}>{content}</{name}>" if content else f"<{name}{written}/>"


def _number(value: object) -> str:
    return f"{value:.1f}".removesuffix(".0") if isinstance(value, float) else str(value)


def shown(words: str) -> str:
    """A user's words as text of an element, without control characters."""
    return escape("".join(letter if letter.isprintable() else "\ufffd" for letter in words))


def shortened(words: str, letters: int) -> str:
    """Words cut to a number of letters."""
    return words if len(words) <= letters else words[: max(letters - 1, 1)] + "…"


def label(x: float, y: float, words: str, size: float = 11, **attributes: object) -> str:
    """Text at a place; what was cut off is in its title."""
    letters = attributes.pop("letters", None)
    short = shortened(words, letters) if isinstance(letters, int) else words
    title = tag("title", shown(words)) if short != words else ""
    return tag("text", title + shown(short), x=x, y=y, font_size=size, **attributes)


def symbol(
    x: float, y: float, base: str, below: str = "", above: str = "", size: float = 12, **attributes: object
) -> str:
    """A letter with an index below and one above, about a place."""
    small = round(0.75 * size, 1)
    content = tag("tspan", shown(base), font_style="italic")
    if below:
        content += tag("tspan", shown(below), dy=3, font_size=small)
    if above:
        content += tag("tspan", shown(above), dy=-8 if below else -5, font_size=small)
    return tag("text", content, x=x, y=y, font_size=size, **{"text_anchor": "middle", **attributes})


def width_of(words: str, size: float = 11) -> float:
    """Approximate width of words."""
    return _LETTER * size * len(words)


def line(points: Sequence[tuple[float, float]], radius: float = 6, **attributes: object) -> str:
    """A line along points with rounded corners."""
    d = f"M{_number(points[0][0])} {_number(points[0][1])}"
    for before, at, after in zip(points, points[1:], points[2:], strict=False):
        (x1, y1), (x2, y2) = _towards(at, before, radius), _towards(at, after, radius)
        d += f"L{_number(x1)} {_number(y1)}Q{_number(at[0])} {_number(at[1])} {_number(x2)} {_number(y2)}"
    d += f"L{_number(points[-1][0])} {_number(points[-1][1])}"
    return tag("path", d=d, **attributes)


def _towards(at: tuple[float, float], other: tuple[float, float], distance: float) -> tuple[float, float]:
    dx, dy = float(other[0] - at[0]), float(other[1] - at[1])
    length = max((dx * dx + dy * dy) ** 0.5, 1e-9)
    share = min(distance, length / 2) / length
    return at[0] + dx * share, at[1] + dy * share


@dataclass(frozen=True)
class Lane:
    """A stretch from left to right that needs a lane of its own."""

    left: float
    right: float


def levels(lanes: Sequence[Lane], lengths: Sequence[float] | None = None) -> list[int]:
    """For each lane the lowest level on which it meets no other; short ones, by the given lengths, lie lowest."""
    lengths = [lane.right - lane.left for lane in lanes] if lengths is None else lengths
    taken: list[list[Lane]] = []
    heights = [0] * len(lanes)
    for index in sorted(range(len(lanes)), key=lambda k: (lengths[k], k)):
        lane = lanes[index]
        level = 0
        while level < len(taken) and any(lane.left < other.right and other.left < lane.right for other in taken[level]):
            level += 1
        if level == len(taken):
            taken.append([])
        taken[level].append(lane)
        heights[index] = level
    return heights


def arrow_marker() -> str:
    """Definition of the arrowhead that lines may end in."""
    head = tag("path", d="M0 0L7 3.5L0 7z", style="fill:context-stroke;stroke:none")
    marker = tag(
        "marker", head, id=_ARROW, viewBox="0 0 7 7", refX=6, refY=3.5, markerWidth=7, markerHeight=7,
        orient="auto-start-reverse", markerUnits="userSpaceOnUse",
    )  # fmt: skip
    return tag("defs", marker)


def document(width: float, height: float, title: str, parts: Iterable[str], described: str = "") -> str:
    """A whole drawing, with what it shows in words for those who hear it."""
    message = tag("desc", shown(described)) if described else ""
    head = tag("title", shown(title)) + message + tag("style", _STYLE) + arrow_marker()
    body = "\n".join(parts)
    return tag(
        "svg", f"\n{head}\n{body}\n", xmlns="http://www.w3.org/2000/svg", viewBox=f"0 0 {width:.0f} {height:.0f}",
        width=round(width), height=round(height), role="img", class_=_CLASS,
    ) + "\n"  # fmt: skip
