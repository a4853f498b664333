r"""LaTeX of expressions, vectors and matrices.

A symbol's name never becomes a command: a plain name (letters, digits, underscores) is typeset, any other is
shown as escaped text.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from ..errors import understood
from .functions import Extended
from .graph import free_symbols, topological
from .matrix import Matrix, Vector
from .node import CALL, SYMBOL, Expr, as_expr
from .normal_form import normal
from .reading import leaf_counts
from .spelling import latex_escape, latex_name, spelled_latex
from .text_printer import LONG, RAISED, WHOLE, Typesetter, named_parts

_FUNCTIONS = {
    "sin": r"\sin", "cos": r"\cos", "tan": r"\tan", "asin": r"\arcsin", "acos": r"\arccos",
    "atan": r"\arctan", "sinh": r"\sinh", "cosh": r"\cosh", "tanh": r"\tanh", "log": r"\ln",
    "min": r"\min", "max": r"\max", "sign": r"\operatorname{sign}", "floor": r"\operatorname{floor}",
    "atan2": r"\operatorname{atan2}",
}  # fmt: skip
#: The most columns of a bmatrix in LaTeX.
_COLUMNS = 10
#: A symbol that is text, and one that is a word.
_TEXT = re.compile(r"(?:\\d*dot\{)?\\text\{")
_WORD = re.compile(r"(?:\\d*dot\{)?\\(?:mathrm\{\w\w|text\{)")


def latex(value: Any, *, names: Mapping[Expr, str] | None = None, masses: Collection[Expr] = ()) -> str:
    r"""A `value`, expression, number, vector or matrix, as LaTeX for math mode, in normal form (see `normal`).

    `names` gives LaTeX for chosen symbols, such as ``{u: r"\dot{q}"}``; it is taken as it is. The parameters `masses`
    stand first in products, as those do that are called m, M, J or I. What has more than two thousand leaves is
    written in lines, parts with names Z_{1}, Z_{2} … first.
    """
    with understood("a mapping from symbols to LaTeX", names, place="latex names", cure=r'Give {q: r"\theta"}.'):
        latex_names = dict(names or {})
    entries = entries_of(value)
    if any(isinstance(entry, Extended) for entry in entries):
        return set_entries(value, iter([_plain(entry, latex_names, masses) for entry in entries]))
    roots = list(normal(Vector([as_expr(entry) for entry in entries])))
    counts = leaf_counts(topological(roots))
    if sum(counts[id(root)] for root in roots) <= WHOLE:
        return set_entries(value, iter([_Printer(latex_names, None, masses).text(root) for root in roots]))
    parts, texts = latex_parts(roots, latex_names, masses=masses)
    lines = [*(f"{name} &= {body}" for name, body in parts), f"& {set_entries(value, iter(texts))}"]
    return aligned(lines)


def aligned(lines: Sequence[str]) -> str:
    """Lines with & where they are aligned."""
    body = r" \\ ".join(lines)
    return rf"\begin{{aligned}} {body} \end{{aligned}}"


def latex_as_built(value: Any, names: Mapping[Expr, str] | None = None, masses: Collection[Expr] = ()) -> str:
    """A value as LaTeX in the form in which it is, however long that is."""
    return set_entries(value, iter([_plain(entry, dict(names or {}), masses) for entry in entries_of(value)]))


def _plain(entry: Any, names: Mapping[Expr, str], masses: Collection[Expr]) -> str:
    if isinstance(entry, Extended):
        return entry.latex(partial(latex, names=names, masses=masses))
    return _Printer(names, None, masses).text(as_expr(entry))


def entries_of(value: Any) -> list[Any]:
    """The entries of a matrix or a vector, row by row; a value alone."""
    if isinstance(value, Matrix):
        return list(value.entries())
    return list(value) if isinstance(value, Vector) else [value]


def rows_of(value: Any) -> list[Sequence[Any]]:
    """The rows of a matrix; a vector is a column."""
    if isinstance(value, Matrix):
        return list(value)
    return [[entry] for entry in value] if isinstance(value, Vector) else [[value]]


def set_entries(value: Any, texts: Iterator[str]) -> str:
    """LaTeX of a value whose entries are these texts, in order."""
    rows = [" & ".join(next(texts) for _ in row) for row in rows_of(value)]
    if not isinstance(value, Matrix | Vector):
        return rows[0]
    body, columns = r" \\ ".join(rows), max((len(row) for row in rows_of(value)), default=0)
    if columns > _COLUMNS:
        return rf"\left[\begin{{array}}{{{'c' * columns}}} {body} \end{{array}}\right]"
    return rf"\begin{{bmatrix}} {body} \end{{bmatrix}}"


def latex_function(label: str) -> str:
    r"""The name of an opaque function, with primes and indices of partial derivatives."""
    name = label.rstrip("'")
    partial = re.fullmatch(r"(.*)_D([0-9]+)", name, re.DOTALL)
    head = rf"\partial_{{{partial.group(2)}}}" if partial else ""
    return head + latex_name(partial.group(1) if partial else name) + label[len(name) :]


def latex_with_intermediates(
    expressions: Sequence[Any],
    *,
    labels: Sequence[str] | None = None,
    names: Mapping[Expr, str] | None = None,
) -> list[str]:
    r"""Long expressions as lines "name = expression", with shared and overlong parts named and written once.

    `labels` are the LaTeX of the left-hand sides, y_{1}, y_{2}, … unless given.

    >>> from polhode.expr import symbols, sin
    >>> a, b, q = symbols("a b q")
    >>> shared = sin(a * q + b * q + 1)
    >>> for line in latex_with_intermediates([shared + a, shared * b]):
    ...     print(line)
    Z_{1} = \sin(a q + b q + 1)
    y_{1} = a + Z_{1}
    y_{2} = b Z_{1}
    """
    parts, texts = latex_parts(expressions, names)
    heads = labels or [f"y_{{{k}}}" for k in range(1, len(texts) + 1)]
    return [*(f"{name} = {body}" for name, body in parts), *map(" = ".join, zip(heads, texts, strict=True))]


def latex_parts(
    expressions: Sequence[Any],
    names: Mapping[Expr, str] | None = None,
    longest: int = LONG,
    masses: Collection[Expr] = (),
) -> tuple[list[tuple[str, str]], list[str]]:
    """Named parts that are shared or have more leaves than `longest`, with their LaTeX, and the expressions in them."""
    roots = [as_expr(value) for value in expressions]
    names = dict(names or {})
    taken = {names.get(node) or spelled_latex(node) for node in free_symbols(roots)}
    letters = ["Z", "W", r"\zeta", r"\xi", *(rf"Z^{{({n})}}" for n in range(1000))]
    letter = next(word for word in letters if not any(text.startswith(word) for text in taken))
    return named_parts(
        roots, lambda cuts: _Printer(names, cuts, masses), lambda number: f"{letter}_{{{number}}}", longest=longest
    )


class _Printer(Typesetter):
    """LaTeX for nodes, parts before wholes."""

    def __init__(
        self, names: Mapping[Expr, str], cuts: Mapping[int, str] | None = None, masses: Collection[Expr] = ()
    ) -> None:
        super().__init__(cuts, masses)
        self.names = names
        self.words = {}

    def numeral(self, digits: str, power: int = 0) -> str:
        return rf"{digits} \cdot 10^{{{power}}}" if power else digits

    def fraction(self, top: str, bottom: str) -> str:
        return rf"\frac{{{top}}}{{{bottom}}}"

    def row(self, scale: str, factors: list[tuple[Expr, int, str]]) -> str:
        text = last = scale or ("" if factors else "1")
        for base, exponent, op in factors:
            body = self._power(base, exponent, op)
            gap = "" if not text else r" \cdot " if body.lstrip("{")[0].isdigit() else " "
            if gap == " " and (_WORD.match(last) or _WORD.match(body)):
                spaced = _TEXT.match(last) and _TEXT.match(body)
                gap = r" \cdot " if spaced else r" \, "  # words would run into each other
            text += gap + body
            last = body
        return text

    def _power(self, base: Expr, exponent: int, op: str) -> str:
        body = self.body(base)
        if self.is_open(base):
            body = _brackets(body)
        elif op in RAISED and id(base) not in self.cuts and id(base) in self.made:
            raised = _FUNCTIONS[op] + (f"^{{{exponent}}}" if exponent != 1 else "")
            return raised + _brackets(self.body(base.args[0]))
        if exponent == 1:
            return body
        if id(base) not in self.cuts and ("^" in body or op in ("sqrt", "pow", "exp")):
            body = _brackets(body) if base.op != SYMBOL else f"{{{body}}}"
        return f"{body}^{{{exponent}}}"

    def unit(self, node: Expr) -> str:
        """A symbol, a constant or a function."""
        if node.op == SYMBOL:
            return self.names.get(node) or spelled_latex(node)
        if node.op == "pi":
            return r"\pi"
        parts = [self.body(arg) for arg in node.args]
        if node.op == "sqrt":
            return rf"\sqrt{{{parts[0]}}}"
        if node.op == "abs":
            return rf"\left|{parts[0]}\right|"
        if node.op == "where":
            cases = rf"{parts[1]} & {self.side(node)} > 0\\{parts[2]} & \text{{else}}"
            return rf"\left(\begin{{cases}}{cases}\end{{cases}}\right)"
        if node.op == "exp":
            return f"e^{{{parts[0]}}}"
        if node.op == "pow":
            base = node.args[0]
            plain = base.op == SYMBOL or parts[0].isdigit() or id(base) in self.cuts
            return f"{{{parts[0] if plain else _brackets(parts[0])}}}^{{{parts[1]}}}"
        if node.op == CALL:
            return latex_function(node.data.label) + _brackets(", ".join(parts))
        name = _FUNCTIONS.get(node.op) or rf"\operatorname{{{latex_escape(node.op)}}}"
        return name + _brackets(", ".join(parts))


def _brackets(body: str) -> str:
    tall = any(word in body for word in (r"\frac", r"\left", r"\sqrt", "^"))
    return rf"\left({body}\right)" if tall else f"({body})"


__all__ = ["latex", "latex_as_built", "latex_escape", "latex_name", "latex_with_intermediates"]
