"""Printed mathematics read back: text, LaTeX and MathML to SymPy, by its parser, and to our expressions.

Symbols are found by their spelling, the longest first. LaTeX and MathML are first written as text: brackets, fractions,
roots, powers of functions and products without a sign are all that they have.
"""

import random
import re
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator, Sequence

from sympy import Abs, Max, Min, Pow, Symbol, exp, floor, ln, sqrt
from sympy import evaluate as evaluating
from sympy.parsing.sympy_parser import parse_expr, rationalize, standard_transformations

from polhode.expr import Expr, evaluate, from_sympy, topological
from polhode.expr.mathml_printer import mathml_symbol
from polhode.expr.spelling import spelled, spelled_latex

_MEANINGS = {"pow": Pow, "min": Min, "max": Max, "abs": Abs, "floor": floor, "log": ln, "sqrt": sqrt, "exp": exp}
_NAMES = {r"\arcsin": "asin", r"\arccos": "acos", r"\arctan": "atan", r"\ln": "log"}
_FUNCTION = re.compile(r"\\operatorname\{(\w+)\}|\\(?:arcsin|arccos|arctan|sinh|cosh|tanh|sin|cos|tan|ln|min|max)\b")
_OPERATORS = {"\N{MINUS SIGN}": "-", "\N{INVISIBLE TIMES}": "*", "\N{MIDDLE DOT}": "*", "\N{FUNCTION APPLICATION}": ""}
_WORDS = {"arcsin": "asin", "arccos": "acos", "arctan": "atan", "ln": "log", "\N{GREEK SMALL LETTER PI}": "pi"}
_NUMBER = re.compile(r"[0-9]+(?:\.[0-9]+)?")


def read_text(text: str, symbols: Sequence[Expr], write: Callable[[Expr], str] = spelled) -> Expr:
    """The expression that a text in Python's notation spells, with symbols as `write` writes them."""
    known = {write(x): f"s{k}_" for k, x in enumerate(symbols)}
    names = "|".join(re.escape(name) for name in sorted(known, key=len, reverse=True))
    plain = re.sub(rf"(?<![\w'])(?:{names})(?![\w'])", lambda found: known[found[0]], text) if known else text
    return _parsed(plain, symbols)


def read_latex(text: str, symbols: Sequence[Expr]) -> Expr:
    """The expression that LaTeX in math mode spells."""
    return _parsed(_Latex(text, {spelled_latex(x): f"s{k}_" for k, x in enumerate(symbols)}).whole(), symbols)


def read_mathml(text: str, symbols: Sequence[Expr]) -> Expr:
    """The expression that a row of MathML spells."""
    written = {mathml_symbol(x): f"<ms>s{k}_</ms>" for k, x in enumerate(symbols)}
    for each in sorted(written, key=len, reverse=True):
        text = text.replace(each, written[each])
    return _parsed(_row(ET.fromstring(f"<math>{text}</math>")), symbols)


def _row(row: ET.Element) -> str:
    """The children of an element as text, one after the other."""
    children = [each for each in row if each.tag != "mtext"]
    if len(children) > 1 and children[0].text == children[-1].text == "|":
        return f"abs({''.join(map(_element, children[1:-1]))})"
    return "".join(_applied(iter(children)))


def _applied(children: Iterator[ET.Element]) -> Iterator[str]:
    """Children as text, where a raised function stands after its argument."""
    for child in children:
        if child.tag == "msup" and child[0].tag == "mi" and child[0].text not in ("e", "\N{GREEK SMALL LETTER PI}"):
            next(children)  # the sign of application
            yield f"({child[0].text}{_element(next(children))})**({_element(child[1])})"
        else:
            yield _element(child)


def _element(each: ET.Element) -> str:
    if each.tag == "mrow":
        return _row(each)
    if each.tag == "mfrac":
        return f"(({_element(each[0])})/({_element(each[1])}))"
    if each.tag == "msqrt":
        return f"sqrt({_row(each)})"
    if each.tag == "msup":
        power = _element(each[1])
        return f"exp({power})" if each[0].text == "e" else f"(({_element(each[0])})**({power}))"
    word = each.text or ""
    return _OPERATORS.get(word, word) if each.tag == "mo" else _WORDS.get(word, word)


def is_same(left: Expr, right: Expr) -> bool:
    """Whether two expressions are one function: by fingerprint, or, with roots whose squares it has not, in numbers."""
    if left.fp == right.fp:
        return True
    order = topological([left, right])
    if not any(node.op in ("sqrt", "pow") for node in order):
        return False
    draw = random.Random(1)
    points = [{x: draw.uniform(0.4, 2.0) for x in order if x.op == "symbol"} for _ in range(3)]
    pairs = [evaluate([left, right], point) for point in points]
    return all(abs(a - b) <= 1e-9 * (1 + abs(a) + abs(b)) or a != a for a, b in pairs)


def _parsed(plain: str, symbols: Sequence[Expr]) -> Expr:
    marks = {f"s{k}_": Symbol(f"s{k}_") for k in range(len(symbols))}
    with evaluating(False):
        found = parse_expr(
            plain, {**_MEANINGS, **marks}, transformations=(*standard_transformations, rationalize), evaluate=False
        )
    return from_sympy(found, dict(zip(marks, symbols, strict=True)))


class _Latex:
    """A reader of LaTeX from left to right, that writes text."""

    def __init__(self, text: str, symbols: dict[str, str]) -> None:
        self.rest = text.strip()
        self.symbols = sorted(symbols.items(), key=lambda pair: -len(pair[0]))

    def whole(self) -> str:
        made = self.sum()
        assert not self.rest, f"unread: {self.rest}"
        return made

    def take(self, *starts: str) -> str:
        """The first of the texts that comes next, taken away; empty if none does."""
        self.rest = self.rest.lstrip()
        found = next((start for start in starts if self.rest.startswith(start)), "")
        self.rest = self.rest[len(found) :]
        return found

    def sum(self) -> str:
        made = "-" if self.take("-") else ""
        made += self.product()
        while sign := self.take("+", "-"):
            made += sign + self.product()
        return made

    def product(self) -> str:
        factors = []
        while self.rest.lstrip() and not self.rest.lstrip().startswith(("+", "-", ")", "}", ",", r"\right")):
            if not self.take(r"\cdot", r"\,"):
                factors.append(self.power())
        assert factors, f"no factor before: {self.rest}"
        return "*".join(factors)

    def power(self) -> str:
        base = self.base()
        while self.take("^"):
            base = f"({base})**({self.braced()})"
        return f"({base})"

    def braced(self) -> str:
        assert self.take("{"), f"no brace: {self.rest}"
        made = self.sum()
        assert self.take("}"), f"no end of a brace: {self.rest}"
        return made

    def bracketed(self) -> str:
        """What stands in round brackets, arguments with commas between them."""
        tall = self.take(r"\left(", "(")
        assert tall, f"no bracket: {self.rest}"
        parts = [self.sum()]
        while self.take(","):
            parts.append(self.sum())
        assert self.take(r"\right)" if tall.startswith("\\") else ")"), f"no end of a bracket: {self.rest}"
        return ", ".join(parts)

    def base(self) -> str:
        self.rest = self.rest.lstrip()
        for written, name in self.symbols:
            if self.rest.startswith(written):
                return self.take(written) and name
        if number := _NUMBER.match(self.rest):
            return self.take(number[0])
        if self.take(r"\frac"):
            return f"({self.braced()})/({self.braced()})"
        if self.take(r"\sqrt"):
            return f"sqrt({self.braced()})"
        if self.take(r"\left|"):
            inside = self.sum()
            assert self.take(r"\right|")
            return f"abs({inside})"
        if self.take("e^"):
            return f"exp({self.braced()})"
        if self.take(r"\pi"):
            return "pi"
        if function := _FUNCTION.match(self.rest):
            self.take(function[0])
            name = function[1] or _NAMES.get(function[0], function[0].removeprefix("\\"))
            count = self.braced() if self.take("^") else "1"
            return f"{name}({self.bracketed()})**({count})"
        return f"({self.bracketed()})" if self.rest.startswith(("(", r"\left(")) else f"({self.braced()})"
