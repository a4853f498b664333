"""MathML of expressions: formulas that browsers draw by themselves, without script and without fonts.

A symbol's name never becomes an element: it is escaped, and what is beyond ASCII is written by its number.
"""

from __future__ import annotations

import html
import re
from collections.abc import Collection, Mapping, Sequence
from itertools import pairwise
from typing import Any

from .node import CALL, SYMBOL, Expr, as_expr
from .spelling import GREEK, greek_letter, name_parts, style_of, word_of
from .text_printer import LONG, RAISED, Typesetter, named_parts

_FUNCTIONS = {"asin": "arcsin", "acos": "arccos", "atan": "arctan", "log": "ln"}
#: A product that is not written, and a function applied to what follows.
_TIMES, _OF = "<mo>&#8290;</mo>", "<mo>&#8289;</mo>"
_DOTS = {1: "&#729;", 2: "&#168;"}
#: The same between words, which would run into each other.
_GAP = "<mo>&#8290;</mo><mtext>&#8201;</mtext>"


def mathml(value: Any) -> str:
    """An expression or a number as a row of MathML, to stand inside a `math` element."""
    return _Printer().text(as_expr(value))


def mathml_parts(expressions: Sequence[Any], longest: int = LONG) -> tuple[list[tuple[str, str]], list[str]]:
    """Named parts that are shared or have more leaves than `longest`, their MathML, and the expressions in them."""
    roots = [as_expr(value) for value in expressions]
    return named_parts(roots, _Printer, lambda number: f"<msub><mi>Z</mi><mn>{number}</mn></msub>", longest)


def mathml_equation(left: str, right: str) -> str:
    """Two rows with an equals sign between them, as a formula of its own."""
    return f'<math display="block"><mrow>{left}<mo>=</mo>{right}</mrow></math>'


def mathml_symbol(x: Expr) -> str:
    """A symbol, its rates with dots."""
    head, rates = style_of(x)
    name = word_of(x)
    if head:
        markup = f"<msub>{_word(head[:-1])}{_name(name)}</msub>"
        return _dotted(markup, rates)
    return _name(name, rates)


def _name(name: str, rates: int = 0) -> str:
    """A name, with the rest of its words as subscript; a name that is not plain is text."""
    parts = name_parts(name)
    if parts is None:
        return _dotted(f"<mtext>{_escaped(name)}</mtext>", rates)
    word, below = parts
    head = _dotted(_word(word), rates)
    if not below:
        return head
    marks = "<mo>,</mo>".join(f"<mn>{part}</mn>" if part.isdigit() else _word(part) for part in below)
    return f"<msub>{head}{marks if len(below) == 1 else f'<mrow>{marks}</mrow>'}</msub>"


def _word(word: str) -> str:
    return f"<mi>{_escaped(greek_letter(word) if word in GREEK else word)}</mi>"


def _dotted(body: str, rates: int) -> str:
    if not rates:
        return body
    if rates in _DOTS:
        return f'<mover accent="true">{body}<mo>{_DOTS[rates]}</mo></mover>'
    return f"<msup>{body}<mrow><mo>(</mo><mn>{rates}</mn><mo>)</mo></mrow></msup>"


def _escaped(text: str) -> str:
    return html.escape(text).encode("ascii", "xmlcharrefreplace").decode("ascii")


def _brackets(body: str) -> str:
    """The body in brackets that are as tall as it is."""
    return f"<mrow><mo>(</mo>{body}<mo>)</mo></mrow>"


class _Printer(Typesetter):
    """MathML for nodes, parts before wholes: each body is one element, or several that stand in a row."""

    plus, minus, negative = "<mo>+</mo>", "<mo>&#8722;</mo>", "<mo>&#8722;</mo>"

    def __init__(self, cuts: Mapping[int, str] | None = None, masses: Collection[Expr] = ()) -> None:
        super().__init__(cuts, masses)
        self.words = {}

    def numeral(self, digits: str, power: int = 0) -> str:
        number = f"<mn>{digits}</mn>"
        return f"{number}<mo>&#183;</mo><msup><mn>10</mn><mn>{power}</mn></msup>" if power else number

    def fraction(self, top: str, bottom: str) -> str:
        return f"<mfrac>{_one(top)}{_one(bottom)}</mfrac>"

    def row(self, scale: str, factors: list[tuple[Expr, int, str]]) -> str:
        parts = [scale] if scale else [] if factors else ["<mn>1</mn>"]
        parts += [self._power(*factor) for factor in factors]
        text = parts[0]
        for before, part in pairwise(parts):
            if before.endswith("</mtext>") and part.startswith("<mtext>"):
                text += "<mo>&#183;</mo>" + part
                continue
            text += (_GAP if _is_word(before, -1) or _is_word(part, 0) else _TIMES) + part
        return text

    def _power(self, base: Expr, exponent: int, op: str) -> str:
        body = self.body(base)
        if self.is_open(base):
            body = _brackets(body)
        elif op in RAISED and id(base) not in self.cuts and id(base) in self.made:
            head = f"<mi>{op}</mi>" if exponent == 1 else f"<msup><mi>{op}</mi><mn>{exponent}</mn></msup>"
            return head + _OF + _brackets(self.body(base.args[0]))
        if exponent == 1:
            return body
        body = _brackets(body) if op in ("pow", "exp") and id(base) not in self.cuts else body
        return f"<msup>{_one(body)}<mn>{exponent}</mn></msup>"

    def unit(self, node: Expr) -> str:
        if node.op == SYMBOL:
            return mathml_symbol(node)
        if node.op == "pi":
            return "<mi>&#960;</mi>"
        parts = [self.body(arg) for arg in node.args]
        if node.op == "sqrt":
            return f"<msqrt>{parts[0]}</msqrt>"
        if node.op == "abs":
            return f"<mrow><mo>|</mo>{parts[0]}<mo>|</mo></mrow>"
        if node.op == "where":
            cases = [(parts[1], f"{self.side(node)}<mo>&gt;</mo><mn>0</mn>"), (parts[2], "<mtext>else</mtext>")]
            rows = "".join(f"<mtr><mtd>{value}</mtd><mtd>{when}</mtd></mtr>" for value, when in cases)
            return f"<mrow><mo>(</mo><mtable>{rows}</mtable><mo>)</mo></mrow>"
        if node.op == "exp":
            return f"<msup><mi>e</mi>{_one(parts[0])}</msup>"
        if node.op == "pow":
            base = node.args[0]
            plain = base.op == SYMBOL or id(base) in self.cuts
            return f"<msup>{_one(parts[0] if plain else _brackets(parts[0]))}{_one(parts[1])}</msup>"
        label = node.data.label if node.op == CALL else _FUNCTIONS.get(node.op, node.op)
        return f"<mi>{_escaped(label)}</mi>{_OF}{_brackets('<mo>,</mo>'.join(parts))}"


def _is_word(body: str, end: int) -> bool:
    """Whether a body begins, or ends, with a name of several letters."""
    names = re.findall(r"<m(?:i|text)>([^<]*)</m(?:i|text)>", body)
    return bool(names) and len(html.unescape(names[end])) > 1


def _one(body: str) -> str:
    """A body as one element."""
    return f"<mrow>{body}</mrow>" if body.count("</") > 1 or not body.startswith("<m") else body


__all__ = ["mathml", "mathml_equation", "mathml_parts", "mathml_symbol"]
