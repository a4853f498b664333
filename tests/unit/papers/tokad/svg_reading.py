"""What a drawing says and where: for tests that nothing in it meets."""

import re
from itertools import pairwise
from xml.etree import ElementTree

SVG = "{http://www.w3.org/2000/svg}"
Box = tuple[float, float, float, float]
_LETTER = 0.55


def written(root: ElementTree.Element) -> list[tuple[str, Box]]:
    """Every text of a drawing with the box around it."""
    found = []
    for text in root.iter(f"{SVG}text"):
        words = "".join([text.text or "", *((c.text or "") for c in text if c.tag == f"{SVG}tspan")])
        words += "".join(c.tail or "" for c in text)
        size, x, y = (float(text.get(key, 0)) for key in ("font-size", "x", "y"))
        width = _LETTER * size * len(words)
        left = x - {"start": 0, "middle": 0.5, "end": 1}[text.get("text-anchor", "start")] * width
        box = (left, y - 0.7 * size, left + width, y + 0.1 * size)
        if text.get("transform", "").startswith("rotate(-90"):
            box = (x - 0.7 * size, y - width, x + 0.1 * size, y)
        if words.strip():
            found.append((words, box))
    return found


def strokes(root: ElementTree.Element) -> list[Box]:
    """Every straight piece of a line, but for hatching, crosses and the arrowhead."""
    found = []
    for path in root.iter(f"{SVG}path"):
        d = path.get("d", "")
        if path.get("class") is not None and "l6 -6" not in d and "v8" not in d:
            points = [(float(x), float(y)) for x, y in re.findall(r"(-?[\d.]+) (-?[\d.]+)", d)]
            found += [(min(a, c), min(b, e), max(a, c), max(b, e)) for (a, b), (c, e) in pairwise(points)]
    return found


def collisions(text: str) -> list[tuple[str, object]]:
    """Words that meet other words, or a line."""
    root = ElementTree.fromstring(text)
    boxes, lines, found = written(root), strokes(root), []
    for k, (words, box) in enumerate(boxes):
        found += [(words, other) for other, place in boxes[:k] if _meet(box, place)]
        found += [(words, place) for place in lines if _meet(box, place)]
    return found


def _meet(a: Box, b: Box) -> bool:
    return a[0] < b[2] + 0.2 and b[0] - 0.2 < a[2] and a[1] < b[3] + 0.2 and b[1] - 0.2 < a[3]
