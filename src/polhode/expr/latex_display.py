r"""LaTeX that a notebook can show: matrices that fit a page, with long entries folded into named parts.

>>> from polhode.expr import symbols
>>> a, b = symbols("a b")
>>> print(display_latex([("v", Vector([a, a * b]))]))
$v = \begin{bmatrix} a \\ a b \end{bmatrix}$
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from ..errors import PolhodeError
from .functions import Extended
from .graph import operation_counts, topological
from .latex_printer import latex, latex_parts
from .matrix import Matrix, Vector
from .node import Expr, as_expr
from .normal_form import normal

#: What stays as it is: with fewer letters than these in an entry, and in a row.
_ENTRY, _ROW = 60, 120
#: What TeX acts on in a text, and how it is written in mathematics.
_ACTS = re.compile(r"([\\{}$%&#_^~<>])")
_ACTING = {
    "\\": r"\backslash ", "^": r"\wedge ", "~": r"\sim ", "<": r"\lt ", ">": r"\gt ",
    **{mark: f"\\{mark}" for mark in "{}$%&#_"},
}  # fmt: skip
#: What is not seen of LaTeX.
_COMMAND = re.compile(r"\\(?:frac|left|right|mathrm|dot|ddot)|[{}^_ \\]")
#: An entry that is folded keeps parts of about so many leaves.
_LEAVES = 16
#: Limits of what a reader takes in and a browser typesets quickly.
MOST_NODES, _MOST_PARTS = 4_000, 48
#: What has fewer operations and does not fit is brought to normal form, which is often shorter.
_SMALL = 400


def display_latex(
    shown: Sequence[tuple[str, Any]],
    names: Mapping[Expr, str] | None = None,
    sentences: Sequence[str] = (),
    most: int = MOST_NODES,
) -> str | None:
    """LaTeX lines of values with left-hand sides, shared parts first, then `sentences`; None beyond `most` nodes."""
    entries = [entry for _, value in shown for entry in _entries(value)]
    if any(isinstance(entry, Extended) for entry in entries):
        return typeset([(head, latex(value, names=names)) for head, value in shown], sentences)
    try:
        roots = [as_expr(entry) for entry in entries]
    except PolhodeError:
        return None
    if len(topological(roots)) > most:
        return None
    texts = [latex(root, names=names) for root in roots]
    parts: list[tuple[str, str]] = []
    if not _fits(shown, texts) and sum(operation_counts(roots).values()) <= _SMALL:
        roots = [normal(root) for root in roots]
        texts = [latex(root, names=names) for root in roots]
    if not _fits(shown, texts):
        parts, texts = latex_parts(roots, names, _LEAVES)
    rest = iter(texts)
    made = typeset([*parts, *((head, _set(value, rest)) for head, value in shown)], sentences)
    return made if len(parts) <= _MOST_PARTS else None


def _entries(value: Any) -> list[Any]:
    if isinstance(value, Matrix):
        return list(value.entries())
    return list(value) if isinstance(value, Vector) else [value]


def _fits(shown: Sequence[tuple[str, Any]], texts: Sequence[str]) -> bool:
    """Whether every entry, and every row, is short enough as it is."""
    rest = iter(texts)
    for _, value in shown:
        for row in _rows(value):
            lengths = [len(_COMMAND.sub("", next(rest))) for _ in row]
            if sum(lengths) > _ROW or (len(row) > 1 and max(lengths) > _ENTRY):
                return False
    return True


def _rows(value: Any) -> list[Sequence[Any]]:
    if isinstance(value, Matrix):
        return list(value)
    return [[entry] for entry in value] if isinstance(value, Vector) else [[value]]


def _set(value: Any, texts: Any) -> str:
    """A value of which the entries are these texts, taken one after the other."""
    rows = [" & ".join(next(texts) for _ in row) for row in _rows(value)]
    if not isinstance(value, Matrix | Vector):
        return rows[0]
    body = r" \\ ".join(rows)
    return rf"\begin{{bmatrix}} {body} \end{{bmatrix}}"


def typeset(made: Sequence[tuple[str, str]], sentences: Sequence[str] = ()) -> str:
    r"""Left-hand sides and right-hand sides in LaTeX as a display, with sentences below them."""
    if len(made) == 1:
        (head, body) = made[0]
        whole = f"{head} = {body}" if head else body
        if not sentences:
            return f"${whole}$"
    else:
        body = r" \\ ".join(f"{head} &= {text}" if head else f"& {text}" for head, text in made)
        whole = rf"\begin{{aligned}} {body} \end{{aligned}}"
        if not sentences:
            return f"$${whole}$$"
    rows = r" \\ ".join([*([rf"\displaystyle {whole}"] if made else []), *map(sentence_latex, sentences)])
    return rf"$$\begin{{array}}{{l}} {rows} \end{{array}}$$"


def sentence_latex(text: str) -> str:
    r"""A sentence between formulas, with TeX's special characters escaped."""
    return "".join(_ACTING.get(part, rf"\text{{{part}}}") for part in _ACTS.split(text) if part)
