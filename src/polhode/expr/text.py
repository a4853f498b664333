"""Plain text of an expression, flattened and ordered as a person would write it, not rewritten.

What is too long to read is abbreviated.
"""

from __future__ import annotations

from fractions import Fraction

from .node import CALL, SYMBOL, Expr
from .printer import Printer
from .rational import digits
from .spelling import spelled


def text(root: Expr) -> str:
    """The expression as a line of text.

    >>> from polhode.expr import symbols, sin
    >>> a, b, q1 = symbols("a b q1")
    >>> text((a + b) * sin(q1) * a - b / 2 / a**2)
    'a*sin(q1)*(a + b) - b/(2*a**2)'
    """
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
