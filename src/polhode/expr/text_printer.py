"""Plain text of an expression, flattened and ordered as a textbook would write it, not rewritten.

`Printer` is what this shares with LaTeX. What is too long to read is abbreviated.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from .graph import topological
from .node import ADD, CALL, NEG, SUB, SYMBOL, Expr
from .rational import digits
from .reading import Product, Reading, natural, readings, textbook_rank
from .spelling import spelled


class Printer(ABC):
    """Strings for nodes, parts before wholes; a notation says how to write a unit and a product.

    `cuts` are nodes that have a name of their own and are not looked into.
    """

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
        """What stands for a node: its name where it was given one, dots where it is too long to show."""
        return self.cuts.get(id(node)) or self.made.get(id(node)) or self.hidden

    def is_open(self, node: Expr) -> bool:
        """Whether a node must be put in brackets inside a product."""
        return node.op in (ADD, SUB, NEG) and id(node) not in self.cuts and id(node) in self.made

    def _key(self, factor: tuple[Expr, int]) -> tuple[Any, ...]:
        base, exponent = factor
        rank = 2 if id(base) in self.cuts else textbook_rank(base)
        return rank, natural(self.plain(self.body(base))), exponent

    def plain(self, body: str) -> str:
        """What things are put in order by."""
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
