r"""LaTeX that a notebook can show: matrices that fit a page, with long entries folded into named parts.

>>> from polhode.expr import symbols
>>> a, b = symbols("a b")
>>> print(display_latex([("v", Vector([a, a * b]))]))
$\mathbf{v} = \begin{bmatrix} a \\ a b \end{bmatrix}$
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from itertools import pairwise
from typing import Any, TypeAlias

from ..errors import PolhodeError
from .functions import Extended
from .graph import operation_counts, topological
from .latex_printer import aligned, entries_of, latex, latex_as_built, latex_parts, rows_of, set_entries
from .matrix import Matrix, Vector
from .node import Expr, as_expr
from .normal_form import normal
from .reading import leaf_counts
from .spelling import spelled_latex

#: Text, or texts and symbols one after the other.
Sentence: TypeAlias = str | Sequence[str | Expr]

#: What stays as it is: with fewer letters than these in an entry, and in a row of columns.
_ENTRY, _ROW = 60, 120
#: What TeX acts on in a text, and how it is written in mathematics.
_ACTS = re.compile(r"([\\{}$%&#_^~<>])")
_ACTING = {
    "\\": r"\backslash ", "^": r"\wedge ", "~": r"\sim ", "<": "{<}", ">": "{>}",
    **{mark: f"\\{mark}" for mark in "{}$%&#_"},
}  # fmt: skip
#: What is not seen of LaTeX.
_COMMAND = re.compile(r"\\(?:frac|left|right|mathrm|dot|ddot)|[{}^_ \\]")
#: What opens and closes, and signs between terms.
_MARKS = re.compile(r"\\left|\\right|\\begin|\\end|\\.|[{}()\[\]]| [+-] ")
_DEPTHS = {"{": 1, "(": 1, "[": 1, "}": -1, ")": -1, "]": -1, r"\left": 1, r"\right": -1, r"\begin": 1, r"\end": -1}
#: A left-hand side that is a letter, maybe with an index.
_LETTER = re.compile(r"[A-Za-z](?=_|\Z)")
#: A sum that is no entry is written in up to so many lines.
_LINES = 3
#: Entries keep parts of about so many leaves where rows have more letters than these.
_FOLDED = ((16, _ROW), (8, _ROW), (4, 2 * _ROW))
#: Limits of what a reader takes in and a browser typesets quickly.
MOST_NODES, _MOST_LEAVES, _MOST_PARTS = 1_500, 3_000, 48
#: A formula of more leaves than this is folded without a look at its width.
_WIDEST = 400


def display_latex(
    shown: Sequence[tuple[str, Any]],
    names: Mapping[Expr, str] | None = None,
    sentences: Sequence[Sentence] = (),
    most: int = MOST_NODES,
    masses: Collection[Expr] = (),
) -> str | None:
    """LaTeX of values in normal form, named parts first, then `sentences`; None beyond `most` nodes.

    `shown` has their left-hand sides; the parameters `masses` stand first in products.
    """
    entries = [entry for _, value in shown for entry in entries_of(value)]
    if any(isinstance(entry, Extended) for entry in entries):
        return typeset([(head, latex(value, names=names)) for head, value in shown], sentences)
    try:
        roots = [as_expr(entry) for entry in entries]
    except PolhodeError:
        return None
    order = topological(roots)
    counts = leaf_counts(order)
    if len(order) > most or sum(counts[id(root)] for root in roots) > _MOST_LEAVES:
        return None
    roots = list(normal(Vector(roots)))
    counts = leaf_counts(topological(roots))
    texts = [""]
    parts: list[tuple[str, str]] = []
    if is_short := all(counts[id(root)] <= _WIDEST for root in roots):
        texts = [latex_as_built(root, names, masses) for root in roots]
    for leaves, width in _FOLDED:
        if is_short and _fits(shown, texts, width):
            break
        is_short = True
        parts, texts = latex_parts(roots, names, leaves, masses)
    rest = iter(texts)
    display = typeset([*parts, *((_bold(head, value), set_entries(value, rest)) for head, value in shown)], sentences)
    return display if len(parts) <= _MOST_PARTS else None


def _bold(head: str, value: Any) -> str:
    """The letter of a vector or matrix in bold, distinct from the model's symbols."""
    letter = _LETTER.match(head) if isinstance(value, Matrix | Vector) else None
    return rf"\mathbf{{{letter[0]}}}{head[1:]}" if letter else head


def cell_latex(value: Any) -> str | None:
    """What a notebook shows of an expression, vector or matrix: itself, or its size and the call that writes it."""
    display = display_latex([("", value)])
    try:
        count = sum(operation_counts([as_expr(entry) for entry in entries_of(value)]).values())
    except PolhodeError:
        return display
    return display or typeset([], [f"{count:,} operations; ph.latex(…) writes them, with names for what is long."])


def _fits(shown: Sequence[tuple[str, Any]], texts: Sequence[str], width: int) -> bool:
    """Whether every entry, and the widest entries of all columns beside each other, are short enough as they are."""
    rest = iter(texts)
    for _, value in shown:
        lengths = [[len(_COMMAND.sub("", next(rest))) for _ in row] for row in rows_of(value)]
        columns = [max(column) for column in zip(*lengths, strict=True)]
        if not isinstance(value, Matrix | Vector):
            columns = [columns[0] // _LINES]
        if sum(columns) + 2 * (len(columns) - 1) > width or (len(columns) > 1 and max(columns) > _ENTRY):
            return False
    return True


def typeset(formulas: Sequence[tuple[str, str]], sentences: Sequence[Sentence] = ()) -> str:
    r"""Left-hand sides and right-hand sides in LaTeX as a display, with sentences below them."""
    lines = [(head, broken(body)) for head, body in formulas]
    if len(lines) == 1 and len(lines[0][1]) == 1:
        (head, body) = formulas[0]
        equations = f"{head} = {body}" if head else body
        if not sentences:
            return f"${equations}$"
    else:
        rows = []
        for head, (first, *rest) in lines:
            rows += [f"{head} &= {first}" if head else f"& {first}", *(rf"&\quad {line}" for line in rest)]
        equations = aligned(rows)
        if not sentences:
            return f"$${equations}$$"
    body = r" \\ ".join([*([rf"\displaystyle {equations}"] if formulas else []), *map(sentence_latex, sentences)])
    return rf"$$\begin{{array}}{{l}} {body} \end{{array}}$$"


def broken(body: str) -> list[str]:
    """The lines of a sum in LaTeX, broken between its terms where it is wider than a page."""
    depth, starts = 0, [0]
    for mark in _MARKS.finditer(body):
        depth += _DEPTHS.get(mark[0], 0)
        if mark[0] in (" + ", " - ") and not depth:
            starts.append(mark.start() + 1)
    lines, width = [""], 0
    for start, end in pairwise([*starts, len(body)]):
        term = body[start:end]
        letters = len(_COMMAND.sub("", term))
        if width and width + letters > _ROW:
            lines, width = [*lines, ""], 0
        lines[-1], width = lines[-1] + term, width + letters
    return [line.strip() for line in lines]


def sentence_latex(sentence: Sentence) -> str:
    r"""A sentence between formulas, with TeX's special characters escaped and symbols typeset."""
    if not isinstance(sentence, str):
        return "".join(spelled_latex(part) if isinstance(part, Expr) else sentence_latex(part) for part in sentence)
    return "".join(_ACTING.get(part, rf"\text{{{part}}}") for part in _ACTS.split(sentence) if part)
