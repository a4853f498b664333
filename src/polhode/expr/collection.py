"""An expression as a polynomial in accelerations, speeds and efforts, its coefficients being expressions.

Coefficients are sums and products of nodes that are there, never multiplied out; one that is zero by its fingerprint is
dropped. What is no polynomial in a speed, as sqrt(v**2 + w**2), stays in the coefficients.
"""

from __future__ import annotations

from collections.abc import Sequence

from .graph import topological
from .node import ADD, DIV, MUL, NEG, ONE, SUB, SYMBOL, Expr, add, div, mul, neg, sub
from .ordering import Rank, symbol_rank

#: Exponents by the fingerprint of a symbol.
Monomial = tuple[tuple[int, int], ...]
Collected = dict[Monomial, Expr]
#: A node of more monomials than this is not collected.
_MONOMIALS = 250

_MOVING = (Rank.SPEED, Rank.ACCELERATION, Rank.EFFORT)


class Collector:
    """Collects expressions over one numbering of the symbols that move."""

    def __init__(self) -> None:
        self.symbols: dict[int, Expr] = {}  # by fingerprint
        self.read: dict[int, Collected] = {}
        self.keep: list[Sequence[Expr]] = []

    def collected(self, root: Expr) -> Collected:
        """Coefficients by monomial; everything in one coefficient where the expression moves in no polynomial way."""
        order = topological([root])
        self.keep.append(order)
        for node in order:
            if id(node) not in self.read:
                collected = self._read(node)
                self.read[id(node)] = {(): node} if collected is None or {*collected} == {()} else collected
                self.keep.append(list(self.read[id(node)].values()))
        return self.read[id(root)]

    def monomial(self, key: Monomial) -> Expr:
        """The product of a monomial's symbols."""
        product = ONE
        for index, exponent in key:
            for _ in range(exponent):
                product = mul(product, self.symbols[index])
        return product

    def _read(self, node: Expr) -> Collected | None:
        if node.op == SYMBOL:
            if symbol_rank(node) not in _MOVING:
                return None
            self.symbols[node.fp] = node
            return {((node.fp, 1),): ONE}
        args = [self.read[id(arg)] for arg in node.args]
        if all({*argument} == {()} for argument in args):
            return None
        if node.op == NEG:
            return {key: neg(c) for key, c in args[0].items()}
        if node.op in (ADD, SUB):
            return _sum(args[0], args[1], node.op)
        if node.op == MUL:
            return _product(args[0], args[1])
        if node.op == DIV and {*args[1]} == {()}:
            return {key: div(c, node.args[1]) for key, c in args[0].items()}
        return None


def _sum(left: Collected, right: Collected, op: str) -> Collected | None:
    total = dict(left)
    for key, c in right.items():
        before = total.get(key)
        if before is None:
            total[key] = c if op == ADD else neg(c)
        else:
            total[key] = add(before, c) if op == ADD else sub(before, c)
    return {key: c for key, c in total.items() if c.fp} if len(total) <= _MONOMIALS else None


def _product(left: Collected, right: Collected) -> Collected | None:
    if len(left) * len(right) > 4 * _MONOMIALS:
        return None
    total: Collected = {}
    for a, c in left.items():
        for b, d in right.items():
            exponents = dict(a)
            for index, e in b:
                exponents[index] = exponents.get(index, 0) + e
            key = tuple(sorted(exponents.items()))
            part = mul(c, d)
            before = total.get(key)
            total[key] = part if before is None else add(before, part)
    return {key: c for key, c in total.items() if c.fp} if len(total) <= _MONOMIALS else None
