"""Between which numbers an expression lies for all real values of its symbols, by its structure alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from fractions import Fraction
from math import inf
from typing import TypeAlias

from .graph import topological
from .node import NUMBER, SYMBOL, Expr

Bound: TypeAlias = Fraction | float


@dataclass(frozen=True)
class Range:
    """All values are between `low` and `high`; `nonzero` if none is zero, though a bound may be."""

    low: Bound = -inf
    high: Bound = inf
    nonzero: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "nonzero", self.nonzero or self.low > 0 or self.high < 0)

    def __add__(self, other: Range) -> Range:
        one_sign = (self.low >= 0 and other.low >= 0) or (self.high <= 0 and other.high <= 0)
        nonzero = one_sign and (self.nonzero or other.nonzero)
        return Range(self.low + other.low, self.high + other.high, nonzero)

    def __neg__(self) -> Range:
        return Range(-self.high, -self.low, self.nonzero)

    def __mul__(self, other: Range) -> Range:
        ends = [a * b if a and b else 0 for a in (self.low, self.high) for b in (other.low, other.high)]
        return Range(min(ends), max(ends), self.nonzero and other.nonzero)

    def power(self, exponent: int) -> Range:
        """The range of x^n; what is even is not negative."""
        if exponent == 1:
            return self
        if exponent < 0:
            return Range(0 if self.low >= 0 or exponent % 2 == 0 else -inf, inf if self.high > 0 else 0, True)
        ends = [self.low**exponent, self.high**exponent]
        through = self.low < 0 < self.high and exponent % 2 == 0
        return Range(0 if through else min(ends), max(ends), self.nonzero)


_FUNCTIONS = {"sin": (-1, 1), "cos": (-1, 1), "tanh": (-1, 1), "cosh": (1, inf)}


def range_of(value: Expr, positive: Collection[Expr] = ()) -> Range:
    """The range of an expression whose symbols are any real numbers, those in `positive` above zero.

    >>> from polhode.expr import cos, symbols
    >>> x, y = symbols("x y")
    >>> range_of(3 + cos(x) + y**2).low
    Fraction(2, 1)
    """
    found: dict[int, Range] = {}
    powers: dict[int, Counter[int]] = {}
    for node in topological([value]):
        args = [found[id(arg)] for arg in node.args]
        if node.op in ("mul", "div"):
            own = Counter(powers.get(id(node.args[0]), {id(node.args[0]): 1}))
            for base, exponent in powers.get(id(node.args[1]), Counter({id(node.args[1]): 1})).items():
                own[base] += exponent if node.op == "mul" else -exponent
            powers[id(node)], made = own, Range(Fraction(1), Fraction(1))
            for base, exponent in own.items():
                made = made * found[base].power(exponent) if exponent else made
        elif node.op == NUMBER:
            made = Range(node.data, node.data)
        elif node.op == SYMBOL:
            made = Range(0, inf, True) if node in positive else Range()
        elif node.op in ("add", "sub"):
            made = args[0] + (args[1] if node.op == "add" else -args[1])
        elif node.op == "neg":
            made = -args[0]
        elif node.op in ("sqrt", "abs"):
            made = Range(0, inf, args[0].nonzero)
        elif node.op == "exp":
            made = Range(0, inf, True)
        else:
            made = Range(*_FUNCTIONS.get(node.op, ()))
        found[id(node)] = made
    return found[id(value)]


def cannot_vanish(value: Expr, positive: Collection[Expr] = ()) -> bool:
    """Whether an expression has no real zero, as its structure shows; False where it does not show.

    >>> from polhode.expr import symbols
    >>> x, m = symbols("x m")
    >>> cannot_vanish(1 + x**2), cannot_vanish(m + x**2), cannot_vanish(m + x**2, positive=[m])
    (True, False, True)
    """
    return range_of(value, positive).nonzero
