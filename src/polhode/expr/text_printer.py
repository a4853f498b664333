"""Plain text of an expression, flattened and ordered as a textbook would write it, not rewritten.

`Printer` is what this shares with LaTeX. What is too long to read is abbreviated.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from .graph import topological
from .node import ADD, CALL, NEG, SUB, SYMBOL, Expr
from .rational import digits
from .reading import Product, Reading, natural, readings, textbook_rank
from .spelling import spelled


class Printer(ABC):
    """Strings for nodes, parts first, in a notation; `cuts` are nodes with names of their own."""

    hidden = "…"
    #: What stands between the terms of a sum, and before the first where it is negative.
    plus, minus, negative = " + ", " - ", "-"

    def __init__(self, cuts: Mapping[int, str] | None = None) -> None:
        self.cuts = cuts or {}
        self.made: dict[int, str] = {}

    def text(self, root: Expr) -> str:
        parts = readings(root, self.cuts)
        for node in topological([root]):
            if id(node) in parts:
                reading = parts[id(node)]
                if reading[0].factors[:1] and reading[0].factors[0][0] is node:
                    self.made[id(node)] = self.unit(node)
                else:
                    self.made[id(node)] = self._sum(reading)
        return self.made[id(root)]

    @abstractmethod
    def unit(self, node: Expr) -> str:
        """A symbol, a constant or a function."""

    @abstractmethod
    def product(self, scale: Fraction, factors: tuple[tuple[Expr, int], ...]) -> str:
        """A positive number times powers of nodes, in the order in which they are to be written."""

    def body(self, node: Expr) -> str:
        """The text of a node: its name, or dots if it is too long."""
        return self.cuts.get(id(node)) or self.made.get(id(node)) or self.hidden

    def is_open(self, node: Expr) -> bool:
        """Whether a node must be put in brackets inside a product."""
        return node.op in (ADD, SUB, NEG) and id(node) not in self.cuts and id(node) in self.made

    def _key(self, factor: tuple[Expr, int]) -> tuple[Any, ...]:
        base, exponent = factor
        rank = 2 if id(base) in self.cuts else textbook_rank(base)
        return rank, natural(self.plain(self.body(base))), exponent

    def plain(self, body: str) -> str:
        """Sort key of a part."""
        return body

    def _sum(self, reading: Reading) -> str:
        terms = [Product(term.coefficient, tuple(sorted(term.factors, key=self._key))) for term in reading]
        terms.sort(key=lambda term: [self._key(factor) for factor in term.factors])
        first = next((place for place, term in enumerate(terms) if term.coefficient >= 0), 0)
        terms.insert(0, terms.pop(first))
        text = ""
        for term in terms:
            body = self.product(abs(term.coefficient), term.factors)
            minus = term.coefficient < 0
            if text:
                text += (self.minus if minus else self.plus) + body
            else:
                text = self.negative + body if minus else body
        return text


def text(root: Expr) -> str:
    """The expression as a line of text."""
    return _Text().text(root)


class _Text(Printer):
    def unit(self, node: Expr) -> str:
        if node.op == SYMBOL:
            return spelled(node)
        if node.op == "pi":
            return "pi"
        name = node.data.label if node.op == CALL else node.op
        return f"{name}({', '.join(self.body(arg) for arg in node.args)})"

    def product(self, scale: Fraction, factors: tuple[tuple[Expr, int], ...]) -> str:
        top = self._row(scale.numerator, [(base, n) for base, n in factors if n > 0])
        below = [(base, -n) for base, n in factors if n < 0]
        bottom = self._row(scale.denominator, below)
        if bottom == "1":
            return top
        single = len(below) + (scale.denominator != 1) == 1
        return f"{top}/{bottom}" if single else f"{top}/({bottom})"

    def _row(self, scale: int, factors: list[tuple[Expr, int]]) -> str:
        parts = [] if scale == 1 and factors else [digits(scale)]
        for base, exponent in factors:
            body = f"({self.body(base)})" if self.is_open(base) else self.body(base)
            parts.append(body if exponent == 1 else f"{body}**{exponent}")
        return "*".join(parts)


#: Functions whose square is written sin²(x).
RAISED = {"sin", "cos", "tan", "sinh", "cosh", "tanh"}
#: An expression with more leaves than this is given a name of its own where intermediates are printed.
LONG = 120
_SHARED = 4


class Typesetter(Printer):
    """Products as rows and fractions in a notation."""

    @abstractmethod
    def row(self, scale: int, factors: list[tuple[Expr, int, str]]) -> str:
        """A whole number times powers of nodes, each with the operation that it is shown as."""

    @abstractmethod
    def fraction(self, top: str, bottom: str) -> str:
        """A quotient."""

    def product(self, scale: Fraction, factors: tuple[tuple[Expr, int], ...]) -> str:
        tangents = self._tangents(factors)
        above: list[tuple[Expr, int, str]] = []
        below: list[tuple[Expr, int, str]] = []
        for base, exponent in factors:
            if id(base) in tangents and exponent > 0:
                above.append((base, exponent, "tan"))
            elif id(base) not in tangents:
                (above if exponent > 0 else below).append((base, abs(exponent), base.op))
        top, bottom = self.row(scale.numerator, above), self.row(scale.denominator, below)
        if not below and scale.denominator == 1:
            return top
        # a sum that is all of a numerator or denominator needs no brackets
        top = self._bare(scale.numerator, above) or top
        bottom = self._bare(scale.denominator, below) or bottom
        return self.fraction(top, bottom)

    def _tangents(self, factors: tuple[tuple[Expr, int], ...]) -> set[int]:
        """The sines and cosines that stand as sinⁿ(x)/cosⁿ(x)."""
        sines = {id(b.args[0]): (b, n) for b, n in factors if b.op == "sin" and n > 0 and id(b) not in self.cuts}
        found: set[int] = set()
        for base, exponent in factors:
            if base.op == "cos" and id(base) not in self.cuts and id(base.args[0]) in sines:
                sine, power = sines[id(base.args[0])]
                if power == -exponent:
                    found |= {id(sine), id(base)}
        return found

    def _bare(self, scale: int, factors: list[tuple[Expr, int, str]]) -> str | None:
        if scale == 1 and len(factors) == 1 and factors[0][1] == 1 and self.is_open(factors[0][0]):
            return self.body(factors[0][0])
        return None


def named_parts(
    roots: Sequence[Expr],
    printer: Callable[[Mapping[int, str]], Printer],
    name: Callable[[int], str],
    longest: int = LONG,
) -> tuple[list[tuple[str, str]], list[str]]:
    """Parts that are shared or have more leaves than `longest`, by name, and the roots in them, in a notation."""
    order = topological(roots)
    uses = Counter(id(used) for used in (*roots, *(arg for node in order for arg in node.args)))
    cuts: dict[int, str] = {}
    parts: list[tuple[str, str]] = []
    counts: dict[int, int] = {}
    for node in order:
        counts[id(node)] = 1 if not node.args else sum(counts[id(arg)] for arg in node.args)
        long = counts[id(node)] > longest
        if node.op != NEG and (long or (uses[id(node)] > 1 and counts[id(node)] >= _SHARED)):
            body = printer(cuts).text(node)
            counts[id(node)] = 1
            cuts[id(node)] = name(len(cuts) + 1)
            parts.append((cuts[id(node)], body))
    return parts, [cuts.get(id(root)) or printer(cuts).text(root) for root in roots]
