"""Pieces of SVG text: escaped, without colours of their own but three, so that light and dark pages both suit them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape, quoteattr

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
    """How wide words are, roughly."""
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


def levels(lanes: Sequence[Lane]) -> list[int]:
    """For each lane the lowest level on which it meets no other; short ones lie lowest."""
    taken: list[list[Lane]] = []
    found = [0] * len(lanes)
    for index in sorted(range(len(lanes)), key=lambda k: (lanes[k].right - lanes[k].left, k)):
        own = lanes[index]
        level = 0
        while level < len(taken) and any(own.left < other.right and other.left < own.right for other in taken[level]):
            level += 1
        if level == len(taken):
            taken.append([])
        taken[level].append(own)
        found[index] = level
    return found


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
    told = tag("desc", shown(described)) if described else ""
    head = tag("title", shown(title)) + told + tag("style", _STYLE) + arrow_marker()
    body = "\n".join(parts)
    return tag(
        "svg", f"\n{head}\n{body}\n", xmlns="http://www.w3.org/2000/svg", viewBox=f"0 0 {width:.0f} {height:.0f}",
        width=round(width), height=round(height), role="img", class_=_CLASS,
    ) + "\n"  # fmt: skip
