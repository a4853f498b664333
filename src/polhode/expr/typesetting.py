"""What LaTeX and MathML share: quotients as fractions, sin/cos as tan, names for parts that are long or shared."""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction

from .graph import topological
from .node import NEG, Expr
from .text_printer import Printer

#: Functions whose square is written sin²(x).
RAISED = {"sin", "cos", "tan", "sinh", "cosh", "tanh"}
#: An expression with more leaves than this is given a name of its own when intermediates are asked for.
LONG = 120
_SHARED = 4


class Typesetter(Printer):
    """Products as rows and fractions; a notation says how to write both."""

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
