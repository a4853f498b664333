"""Between which numbers an expression lies for all real values of its symbols, by its structure alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass
from fractions import Fraction
from math import inf

from .graph import topological
from .node import NUMBER, SYMBOL, Expr


@dataclass(frozen=True)
class Range:
    """All values are between `low` and `high`; `nonzero` if none is zero, though a bound may be."""

    low: Fraction | float = -inf
    high: Fraction | float = inf
    nonzero: bool = False

    def __add__(self, other: Range) -> Range:
        low, high = self.low + other.low, self.high + other.high
        one_sign = min(self.low, other.low) >= 0 or max(self.high, other.high) <= 0
        return Range(low, high, low > 0 or high < 0 or (one_sign and (self.nonzero or other.nonzero)))

    def __neg__(self) -> Range:
        return Range(-self.high, -self.low, self.nonzero)

    def __mul__(self, other: Range) -> Range:
        ends = [a * b if a and b else 0 for a in (self.low, self.high) for b in (other.low, other.high)]
        return Range(min(ends), max(ends), self.nonzero and other.nonzero)

    def power(self, exponent: int) -> Range:
        """The range of x^n, which is not negative for an even n."""
        is_even = exponent % 2 == 0
        if exponent < 0:
            return Range(0 if self.low >= 0 or is_even else -inf, inf if self.high > 0 or is_even else 0, True)
        ends = [self.low**exponent, self.high**exponent]
        return Range(0 if self.low < 0 < self.high and is_even else min(ends), max(ends), self.nonzero)


_FUNCTIONS: dict[str, Callable[..., Range]] = {
    "add": lambda a, b: a + b, "sub": lambda a, b: a + -b, "neg": lambda a: -a, "exp": lambda a: Range(0, inf, True),
    "sqrt": lambda a: Range(0, inf, a.nonzero), "abs": lambda a: Range(0, inf, a.nonzero),
    "sin": lambda a: Range(-1, 1), "cos": lambda a: Range(-1, 1), "tanh": lambda a: Range(-1, 1, a.nonzero),
    "cosh": lambda a: Range(1, inf, True),
}  # fmt: skip


def range_of(value: Expr, positive: Collection[Expr] = ()) -> Range:
    """Range of an expression of real symbols, those in `positive` above zero."""
    ranges: dict[int, Range] = {}
    powers: dict[int, Counter[int]] = {}  # of a product the exponents of its factors
    for node in topological([value]):
        if node.op in ("mul", "div"):
            one, other = (powers.get(id(arg), Counter({id(arg): 1})) for arg in node.args)
            exponents = powers[id(node)] = Counter(one)
            (exponents.update if node.op == "mul" else exponents.subtract)(other)
            result = Range(1, 1, True)
            for base, exponent in exponents.items():
                result = result * ranges[base].power(exponent) if exponent else result
        elif node.op == NUMBER:
            result = Range(node.data, node.data, bool(node.data))
        elif node.op == SYMBOL:
            result = Range(0, inf, True) if node in positive else Range()
        else:
            function = _FUNCTIONS.get(node.op)
            result = Range() if function is None else function(*(ranges[id(arg)] for arg in node.args))
        ranges[id(node)] = result
    return ranges[id(value)]


def cannot_vanish(value: Expr, positive: Collection[Expr] = ()) -> bool:
    """Whether an expression has no real zero, as its structure shows; False where it does not show."""
    return range_of(value, positive).nonzero
