"""Expressions out of structures: the last step of the normal form."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

from .functions import cos, sin
from .node import ONE, ZERO, Expr, add, div, mul, neg, number, sub
from .polynomial import SIN
from .structure import Atom, Base, Product, Sum, terms_of


def build(product: Product, nodes: Sequence[Expr]) -> Expr:
    """The expression of a product, its atoms being the given nodes; a sum starts with a positive term."""
    terms = terms_of(product)
    if terms is None:
        return _build_product(product, nodes)
    first = next((place for place, term in enumerate(terms) if term.coefficient > 0), 0)
    total: Expr | None = None
    for term in [terms[first], *terms[:first], *terms[first + 1 :]]:
        size = _build_product(Product(abs(term.coefficient), term.factors), nodes)
        if total is None:
            total = neg(size) if term.coefficient < 0 else size
        else:
            total = sub(total, size) if term.coefficient < 0 else add(total, size)
    return ZERO if total is None else total


def _build_product(product: Product, nodes: Sequence[Expr]) -> Expr:
    size = abs(product.coefficient)
    above: list[Expr] = []
    below: list[Expr] = []
    for base, e in product.factors:
        (above if e > 0 else below).append(_raised(build_base(base, nodes), abs(e)))
    if below:
        top = _multiplied([number(size.numerator), *above])
        result = div(top, _multiplied([number(size.denominator), *below]))
    else:
        result = _multiplied([number(size), _multiplied(above)])
    return neg(result) if product.coefficient < 0 else result


def build_base(base: Base, nodes: Sequence[Expr]) -> Expr:
    """The expression of an atom, a wave or a sum."""
    if isinstance(base, Atom):
        return nodes[base.index]
    if isinstance(base, Sum):
        return build(Product(Fraction(1), ((base, 1),)), nodes)
    angle = ZERO
    for atom, k in sorted(base.multiples, key=lambda pair: pair[1] < 0):
        part = _multiplied([number(k if k > 0 else -k), nodes[atom]])
        angle = part if angle is ZERO else add(angle, part) if k > 0 else sub(angle, part)
    wave: Expr = sin(angle) if base.phase == SIN else cos(angle)
    return wave


def _multiplied(parts: Iterable[Expr]) -> Expr:
    """The product; a single part is returned as it is, in its own form."""
    result = ONE
    for part in parts:
        if part is not ONE:
            result = part if result is ONE else mul(result, part)
    return result


def _raised(base: Expr, exponent: int) -> Expr:
    result, square = ONE, base
    while exponent:
        if exponent & 1:
            result = _multiplied([result, square])
        exponent >>= 1
        if exponent:
            square = mul(square, square)
    return result
