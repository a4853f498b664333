"""An expression as a person reads it: a sum of products of powers.

The graph holds two operands a node, in an order that suits sharing. For printing, sums and products are flattened
and equal factors gathered; a sum inside a product stays a factor of its own. Nothing is multiplied out and nothing
is rewritten.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from .node import ADD, DIV, MUL, NEG, NUMBER, SUB, SYMBOL, Expr
from .structure import number_lengths

#: Leaves are counted up to so many.
_COUNTED = 1_000_000_000


@dataclass(frozen=True)
class Product:
    """coefficient · Π base^exponent, bases in order of appearance."""

    coefficient: Fraction
    factors: tuple[tuple[Expr, int], ...] = ()

    def __neg__(self) -> Product:
        return Product(-self.coefficient, self.factors)

    def times(self, other: Product, power: int = 1) -> Product:
        """self · other^power, for power 1 or -1."""
        exponents = {id(base): (base, exponent) for base, exponent in self.factors}
        for base, exponent in other.factors:
            before = exponents.get(id(base), (base, 0))[1]
            exponents[id(base)] = base, before + power * exponent
        factors = tuple((base, exponent) for base, exponent in exponents.values() if exponent)
        scale = other.coefficient if power == 1 else 1 / other.coefficient
        return Product(self.coefficient * scale, factors)


#: A sum of products; one that is not a sum has a single term, and zero has the term 0.
Reading = tuple[Product, ...]


def leaf_counts(order: Iterable[Expr], cuts: Mapping[int, object] | None = None) -> dict[int, int]:
    """Number of leaves that each node prints, shared parts written out, up to a ceiling."""
    cuts = cuts or {}
    counts: dict[int, int] = {}
    for node in order:
        total = sum(counts[id(arg)] for arg in node.args)
        counts[id(node)] = 1 if id(node) in cuts else min(max(total, 1), _COUNTED)
    return counts


def printed_order(root: Expr, cuts: Mapping[int, object]) -> list[Expr]:
    """The nodes that are printed, operands first: those below the root, without entering a cut."""
    order: list[Expr] = []
    seen: set[int] = set()
    stack: list[tuple[Expr, bool]] = [(root, False)]
    while stack:
        node, done = stack.pop()
        if done:
            order.append(node)
        elif id(node) not in seen:
            seen.add(id(node))
            stack.append((node, True))
            if id(node) not in cuts:
                stack += [(arg, False) for arg in node.args[::-1]]
    return order


def readings(order: Sequence[Expr], cuts: Mapping[int, object] | None = None) -> dict[int, Reading]:
    """The last node and each part printed as a unit as sums of products, parts first; `cuts` are units."""
    cuts = cuts or {}
    read: dict[int, Reading] = {}
    for node in order:
        if id(node) not in cuts:
            read[id(node)] = _flatten(node, read)
    kept = {id(order[-1])}
    for node in reversed(order):
        if id(node) in kept:
            for term in read[id(node)]:
                for base, _ in term.factors:
                    parts = base.args if base is node else (base,)
                    kept.update(id(part) for part in parts if id(part) in read)
    return {id(node): read[id(node)] for node in order if id(node) in kept}


def _flatten(node: Expr, parts: Mapping[int, Reading]) -> Reading:
    op = node.op
    if op == NUMBER:
        return (Product(node.data),)
    if op == NEG:
        return tuple(-term for term in _as_sum(node.args[0], parts))
    if op in (ADD, SUB):
        left, right = (_as_sum(arg, parts) for arg in node.args)
        return left + (right if op == ADD else tuple(-term for term in right))
    if op in (MUL, DIV):
        left_factor, right_factor = (_as_product(arg, parts) for arg in node.args)
        return (left_factor.times(right_factor, 1 if op == MUL else -1),)
    return (Product(Fraction(1), ((node, 1),)),)


def _as_sum(node: Expr, parts: Mapping[int, Reading]) -> Reading:
    return parts.get(id(node)) or (Product(Fraction(1), ((node, 1),)),)


def _as_product(node: Expr, parts: Mapping[int, Reading]) -> Product:
    terms = _as_sum(node, parts)
    return terms[0] if len(terms) == 1 else Product(Fraction(1), ((node, 1),))


def built_length(node: Expr, lengths: Mapping[int, int]) -> int:
    """The printed length as built, in the measure of `structure`, shared parts counted where they are printed."""
    if node.op == SYMBOL or node.op == "pi":
        return 2
    if node.op == NUMBER:
        lengths_of = number_lengths(abs(node.data), has_factors=False)
        return sum(lengths_of) + len(lengths_of) - 1 + int(node.data < 0)
    sizes = [lengths[id(arg)] for arg in node.args]
    is_sum = [arg.op in (ADD, SUB, NEG) for arg in node.args]
    if node.op in (ADD, SUB):
        total = sum(sizes) + 3 + (2 if node.op == SUB and is_sum[1] else 0)
    elif node.op == NEG:
        total = sizes[0] + 1 + (2 if is_sum[0] else 0)
    elif node.op == MUL and node.args[0] is node.args[1]:
        total = sizes[0] + 3 + (2 if is_sum[0] or node.args[0].op in (MUL, DIV) else 0)
    elif node.op in (MUL, DIV):
        brackets = sum(2 for inner in is_sum if inner)
        if node.op == DIV and node.args[1].op in (MUL, DIV):
            brackets += 2
        total = sum(sizes) + 1 + brackets
    else:
        total = 5 + sum(sizes) + 2 * (len(sizes) - 1)
    return min(total, _COUNTED)
