"""Plain text of an expression, flattened and ordered as a textbook would write it, not rewritten.

`Printer` is what this shares with LaTeX and MathML. A text is whole up to `WHOLE` leaves; beyond, shared and long parts
have names, or, where there is one line only, the number of operations stands for it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from fractions import Fraction
from typing import Any

from .graph import operation_counts, topological
from .node import ADD, CALL, NEG, SUB, SYMBOL, Expr
from .ordering import Rank, factor_key, ranks, term_key
from .rational import as_decimal, digits
from .reading import Product, Reading, leaf_counts, printed_order, readings
from .spelling import spelled

#: An expression of more leaves than this is not written as one formula.
WHOLE = 2000


class Printer(ABC):
    """Strings for nodes, parts first, in a notation; `cuts` are nodes with names of their own."""

    #: What stands between the terms of a sum, and before the first where it is negative.
    plus, minus, negative = " + ", " - ", "-"

    def __init__(self, cuts: Mapping[int, str] | None = None, masses: Collection[Expr] = ()) -> None:
        self.cuts = cuts or {}
        self.masses = masses
        self.made: dict[int, str] = {}
        self.ranks: dict[int, Rank] = {}
        self.words: dict[int, str] = self.made  # plain text of parts, by which they are sorted in every notation

    def text(self, root: Expr) -> str:
        order = printed_order(root, self.cuts)
        self.ranks |= ranks(order, self.masses)
        parts = readings(order, self.cuts)
        for node in order:
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
        """The text of a node, or its name."""
        return self.cuts.get(id(node)) or self.made[id(node)]

    def side(self, node: Expr) -> str:
        """The text of g in where(g, a, b), which holds the sign of g."""
        sign = node.args[0]
        return self.body(sign.args[0] if sign.op == "sign" and id(sign) not in self.cuts else sign)

    def is_open(self, node: Expr) -> bool:
        """Whether a node must be put in brackets inside a product."""
        return node.op in (ADD, SUB, NEG) and id(node) not in self.cuts and id(node) in self.made

    def _key(self, factor: tuple[Expr, int]) -> tuple[Any, ...]:
        base, exponent = factor
        if id(base) in self.cuts:
            return factor_key(base, exponent, Rank.PARAMETERS, self.cuts[id(base)])
        return factor_key(base, exponent, self.ranks[id(base)], self.words.get(id(base), ""))

    def _sum(self, reading: Reading) -> str:
        terms = []
        for term in reading:
            keyed = sorted(((self._key(factor), factor) for factor in term.factors), key=lambda pair: pair[0])
            product = Product(term.coefficient, tuple(factor for _, factor in keyed))
            terms.append((term_key([key for key, _ in keyed]), product))
        ordered = [term for _, term in sorted(terms, key=lambda pair: pair[0])]
        first = next((k for k, term in enumerate(ordered) if term.coefficient >= 0), 0)
        ordered.insert(0, ordered.pop(first))
        text = ""
        for term in ordered:
            body = self.product(abs(term.coefficient), term.factors)
            minus = term.coefficient < 0
            if text:
                text += (self.minus if minus else self.plus) + body
            else:
                text = self.negative + body if minus else body
        return text


def text(root: Expr) -> str:
    """The expression as a line of text; its number of operations if it has more than `WHOLE` leaves."""
    order = topological([root])
    if leaf_counts(order)[id(root)] > WHOLE:
        return counted(root)
    return TextPrinter().text(root)


def counted(root: Expr) -> str:
    """The text shown for an expression that is too long for a line."""
    return f"expression of {sum(operation_counts([root]).values()):,} operations"


class TextPrinter(Printer):
    """Text in the notation of Python."""

    def unit(self, node: Expr) -> str:
        if node.op == SYMBOL:
            return spelled(node)
        if node.op == "pi":
            return "pi"
        name = node.data.label if node.op == CALL else node.op
        parts = [self.body(arg) for arg in node.args]
        if node.op == "where":
            parts[0] = self.side(node)
        return f"{name}({', '.join(parts)})"

    def product(self, scale: Fraction, factors: tuple[tuple[Expr, int], ...]) -> str:
        decimal = as_decimal(scale)
        above, below = _numeral(*decimal) if decimal else digits(scale.numerator), digits(scale.denominator)
        under = [(base, -n) for base, n in factors if n < 0]
        top = self._row(above, [(base, n) for base, n in factors if n > 0])
        bottom = self._row("1" if decimal else below, under)
        if bottom == "1":
            return top
        single = len(under) + (decimal is None and below != "1") == 1
        return f"{top}/{bottom}" if single else f"{top}/({bottom})"

    def _row(self, scale: str, factors: list[tuple[Expr, int]]) -> str:
        parts = [] if scale == "1" and factors else [scale]
        for base, exponent in factors:
            body = f"({self.body(base)})" if self.is_open(base) else self.body(base)
            parts.append(body if exponent == 1 else f"{body}**{exponent}")
        return "*".join(parts)


def _numeral(decimal: str, power: int) -> str:
    return f"{decimal}e{power}" if power else decimal


#: Functions whose square is written sin²(x).
RAISED = {"sin", "cos", "tan", "sinh", "cosh", "tanh"}
#: An expression with more leaves than this is given a name of its own where intermediates are printed.
LONG = 120
_SHARED = 4


class Typesetter(Printer):
    """Products as rows and fractions in a notation."""

    def text(self, root: Expr) -> str:
        plain = TextPrinter(self.cuts, self.masses)
        plain.text(root)
        self.words |= plain.made
        return super().text(root)

    @abstractmethod
    def numeral(self, digits: str, power: int = 0) -> str:
        """A number in digits, times a power of ten."""

    @abstractmethod
    def row(self, scale: str, factors: list[tuple[Expr, int, str]]) -> str:
        """A number, unless it is empty, times powers of nodes, each with the operation that it is shown as."""

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
        decimal = as_decimal(scale)
        over, under = self.numeral(digits(scale.numerator)), "" if decimal else self._natural(scale.denominator)
        over = self.numeral(*decimal) if decimal else over if scale.numerator != 1 or not above else ""
        if below:
            over = "" if scale.numerator == 1 and above and not decimal else over
            return self.fraction(self._bare(over, above), self._bare(under, below))
        if not under:
            return self.row(over, above)
        number = self.fraction(self.numeral(digits(scale.numerator)), under)
        return self.row(number, above)

    def _natural(self, number: int) -> str:
        """A whole number; nothing for one."""
        return "" if number == 1 else self.numeral(digits(number))

    def _tangents(self, factors: tuple[tuple[Expr, int], ...]) -> set[int]:
        """The ids of the sines and cosines that are written as sinⁿ(x)/cosⁿ(x)."""
        sines = {id(b.args[0]): (b, n) for b, n in factors if b.op == "sin" and n > 0 and id(b) not in self.cuts}
        tangents: set[int] = set()
        for base, exponent in factors:
            if base.op == "cos" and id(base) not in self.cuts and id(base.args[0]) in sines:
                sine, power = sines[id(base.args[0])]
                if power == -exponent:
                    tangents |= {id(sine), id(base)}
        return tangents

    def _bare(self, scale: str, factors: list[tuple[Expr, int, str]]) -> str:
        """A row that is all of a numerator or denominator: a sum alone needs no brackets."""
        if not scale and len(factors) == 1 and factors[0][1] == 1 and self.is_open(factors[0][0]):
            return self.body(factors[0][0])
        return self.row(scale, factors)


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
