"""Sums of products as plain records, their printed length, and their collection into a factored form.

The length is what decides which of several equal forms is shown; it counts what would be printed, with every symbol
taken as two letters, so that the form does not depend on what things are called.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import gcd, lcm

from .functions import cos, sin
from .node import ONE, ZERO, Expr, add, div, mul, neg, number, sub
from .polynomial import SIN, Multiples
from .rational import as_decimal, digits

#: Nesting deeper than this is not sought: it would not be readable either.
_DEPTH = 24
#: What a pair of brackets must save before it is thought easier to read.
BRACKETS = 4


@dataclass(frozen=True, order=True)
class Atom:
    """A symbol or opaque part, by its number; `length` is that of its text, `rank` its place in products."""

    index: int
    length: int = 2
    rank: int = 0


@dataclass(frozen=True, order=True)
class Trig:
    """cos (phase 0) or sin (phase 1) of Σ kθ."""

    multiples: Multiples
    phase: int

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash((self.multiples, self.phase))

    @cached_property
    def length(self) -> int:
        inner = sum(2 + (0 if abs(k) == 1 else 1 + len(str(abs(k)))) for _, k in self.multiples)
        return 5 + inner + 3 * (len(self.multiples) - 1)


@dataclass(frozen=True)
class Sum:
    """A sum of at least two products, in a fixed order."""

    terms: tuple[Product, ...]

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:  # sums nest; each is hashed once
        return hash(self.terms)

    @cached_property
    def length(self) -> int:
        return total_length(self.terms)


Base = Atom | Trig | Sum


def base_key(base: Base) -> tuple[object, ...]:
    """A fixed order of bases: atoms, harmonics, sums."""
    if isinstance(base, Atom):
        return 0, base.rank, base.index
    if isinstance(base, Trig):
        return 1, base.multiples, base.phase
    return 2, tuple(term.key for term in base.terms)


@dataclass(frozen=True)
class Product:
    """coefficient · Π base^exponent, the bases in a fixed order."""

    coefficient: Fraction
    factors: tuple[tuple[Base, int], ...] = ()

    @staticmethod
    def of(coefficient: Fraction, exponents: Mapping[Base, int]) -> Product:
        factors = [(base, e) for base, e in exponents.items() if e]
        return Product(coefficient, tuple(sorted(factors, key=lambda factor: base_key(factor[0]))))

    @cached_property
    def key(self) -> tuple[object, ...]:
        return tuple((*base_key(base), e) for base, e in self.factors), self.coefficient

    @cached_property
    def length(self) -> int:
        parts = [_factor_length(base, e) for base, e in self.factors]
        parts += number_lengths(self.coefficient, any(e > 0 for _, e in self.factors))
        return sum(parts) + len(parts) - 1 + (self.coefficient < 0)

    def times(self, other: Product, power: int = 1) -> Product:
        """self · other^power."""
        if not other.factors:
            size = other.coefficient
            return self if size == 1 else Product(self.coefficient * size**power, self.factors)
        exponents = dict(self.factors)
        for base, e in other.factors:
            exponents[base] = exponents.get(base, 0) + power * e
        size = self.coefficient if other.coefficient == 1 else self.coefficient * other.coefficient**power
        return Product.of(size, exponents)


def number_lengths(size: Fraction, has_factors: bool) -> list[int]:
    """The lengths of the numerator and the denominator that a coefficient is written with, without its sign."""
    size = abs(size) if size < 0 else size
    if size == 1:
        return [] if has_factors else [1]
    decimal = as_decimal(size)
    if decimal is not None:
        return [len(decimal[0]) + (1 + len(str(decimal[1])) if decimal[1] else 0)]
    above = [len(digits(size.numerator))] if size.numerator != 1 or not has_factors else []
    return above + ([len(digits(size.denominator))] if size.denominator != 1 else [])


def _factor_length(base: Base, exponent: int) -> int:
    brackets = 2 if isinstance(base, Sum) else 0
    return base.length + brackets + (0 if abs(exponent) == 1 else 2 + len(str(abs(exponent))))


def total_length(terms: Iterable[Product]) -> int:
    """The length of a sum."""
    lengths = [term.length for term in terms]
    return sum(lengths) + 3 * (len(lengths) - 1)


#: A single fraction with a larger denominator than this stays in its term.
_SMALL = 12


def as_sum(terms: list[Product], content: bool = True) -> Product:
    """A sum, as its content times the rest if that is shorter: 4a + 6b is 2·(2a + 3b)."""
    if len(terms) == 1:
        return terms[0]
    ordered = sorted(terms, key=lambda term: term.key)
    if not content:
        return Product(Fraction(1), ((Sum(tuple(ordered)), 1),))
    coefficients = [term.coefficient for term in ordered]
    share = Fraction(gcd(*(c.numerator for c in coefficients)), lcm(*(c.denominator for c in coefficients)))
    if all(c < 0 for c in coefficients):
        share = -share
    plain = Product(Fraction(1), ((Sum(tuple(ordered)), 1),))
    if share == 1:
        return plain
    inner = Sum(tuple(Product(term.coefficient / share, term.factors) for term in ordered))
    factored = Product(share, ((inner, 1),))
    several = share.denominator <= _SMALL or sum(c.denominator != 1 for c in coefficients) > 1
    is_decimal = share.denominator == 1 or as_decimal(abs(share)) is not None
    if several and not is_decimal and factored.length <= plain.length + BRACKETS:
        return factored  # whole numbers in brackets are easier to read
    return factored if factored.length < plain.length else plain


def terms_of(product: Product) -> list[Product] | None:
    """The terms of a product that is just a sum, or just minus a sum."""
    if abs(product.coefficient) == 1 and len(product.factors) == 1:
        base, e = product.factors[0]
        if isinstance(base, Sum) and e == 1:
            return [Product(term.coefficient * product.coefficient, term.factors) for term in base.terms]
    return None


def shown_length(product: Product) -> int:
    """The length of a product; a sum that stands alone needs no brackets."""
    terms = terms_of(product)
    return product.length if terms is None else total_length(terms)


def collect(terms: Iterable[Product]) -> Product:
    """A sum with the common factors whose extraction saves most; equal brackets are joined: (a + b)(c + d)."""
    terms = list(terms)
    calm, eager = _collect(terms, BRACKETS, 0), _collect(terms, 0, 0)
    return eager if eager.length + BRACKETS < calm.length else calm


def collect_by_functions(terms: Iterable[Product], is_parameter: Callable[[Base], bool]) -> Product:
    """What all terms have in common, times a sum with one term for each product of functions.

    Their coefficients, of parameters, are collected.
    """
    rest = _merged(terms)
    if not rest:
        return Product(Fraction(0))
    common = _common(rest)
    groups: dict[tuple[tuple[Base, int], ...], list[Product]] = {}
    for term in (term.times(common, -1) for term in rest):
        functions = tuple(factor for factor in term.factors if not is_parameter(factor[0]))
        coefficient = tuple(factor for factor in term.factors if is_parameter(factor[0]))
        groups.setdefault(functions, []).append(Product(term.coefficient, coefficient))
    if len(groups) == 1:
        ((functions, inside),) = groups.items()
        return collect(inside).times(Product(Fraction(1), functions)).times(common)
    parts = [collect(inside).times(Product(Fraction(1), functions)) for functions, inside in groups.items()]
    return as_sum([piece for part in parts for piece in terms_of(part) or [part]]).times(common)


def denominator_of(terms: Iterable[Product]) -> dict[Base, int]:
    """The least exponents of bases by which terms, and sums in them, are multiples of products without denominators."""
    lowest: dict[Base, int] = {}
    for term in terms:
        below = {base: -e for base, e in term.factors if e < 0}
        for base, e in term.factors:
            if isinstance(base, Sum) and e > 0:
                for inner, count in denominator_of(base.terms).items():
                    below[inner] = below.get(inner, 0) + e * count
        for base, count in below.items():
            lowest[base] = max(lowest.get(base, 0), count)
    return lowest


def distributed(product: Product) -> list[Product]:
    """The terms of a product with one sum, multiplied out; the product alone if it has none or several."""
    sums = [base for base, e in product.factors if isinstance(base, Sum) and e == 1]
    if len(sums) != 1 or any(e < 0 for _, e in product.factors):
        return [product]
    outside = Product(product.coefficient, tuple(factor for factor in product.factors if factor[0] is not sums[0]))
    return [outside.times(term) for term in sums[0].terms]


def _merged(terms: Iterable[Product]) -> list[Product]:
    """Like terms added."""
    merged: dict[tuple[tuple[Base, int], ...], Fraction] = {}
    for term in terms:
        coefficient = merged.get(term.factors)
        merged[term.factors] = term.coefficient if coefficient is None else coefficient + term.coefficient
    return [Product(c, factors) for factors, c in merged.items() if c]


def _collect(terms: list[Product], price: int, depth: int) -> Product:
    """The sum collected, with `price` to be paid for a pair of brackets."""
    rest = _merged(terms)
    if not rest:
        return Product(Fraction(0))
    common = _common(rest)
    rest = [term.times(common, -1) for term in rest]
    if len(rest) == 1 or depth >= _DEPTH:
        return as_sum(rest).times(common)
    groups: list[Product] = []
    while len(rest) > 1 and (base := _best_base(rest, price)) is not None:
        inside = [term for term in rest if dict(term.factors).get(base, 0) > 0]
        rest = [term for term in rest if dict(term.factors).get(base, 0) <= 0]
        groups.append(_collect(inside, price, depth + 1))
    if groups and _share_a_sum(groups):
        return _collect(groups + rest, price, depth + 1).times(common)
    return as_sum(groups + rest).times(common)


def _common(terms: list[Product]) -> Product:
    """The largest monomial that divides every term; a denominator is common when all terms have it."""
    shared = dict(terms[0].factors)
    for term in terms[1:]:
        exponents = dict(term.factors)
        for base, e in list(shared.items()):
            other = exponents.get(base, 0)
            if e * other <= 0:
                del shared[base]
            else:
                shared[base] = min(e, other) if e > 0 else max(e, other)
    return Product.of(Fraction(1), shared)


def _best_base(terms: list[Product], price: int) -> Base | None:
    """The base whose extraction from the terms that have it saves most; None when none saves anything."""
    exponents: dict[Base, list[int]] = {}
    for term in terms:
        for base, e in term.factors:
            if e > 0:
                exponents.setdefault(base, []).append(e)
    best, best_rank = None, (price, False)
    for base, powers in sorted(exponents.items(), key=lambda item: base_key(item[0])):
        # among equals take the one that leaves nothing of itself inside the brackets
        rank = ((len(powers) - 1) * (_factor_length(base, min(powers)) + 1), min(powers) == max(powers))
        if len(powers) > 1 and rank > best_rank:
            best, best_rank = base, rank
    return best


def _share_a_sum(parts: list[Product]) -> bool:
    seen: set[Base] = set()
    for part in parts:
        for base, e in part.factors:
            if isinstance(base, Sum) and e > 0:
                if base in seen:
                    return True
                seen.add(base)
    return False


def build(product: Product, nodes: Sequence[Expr]) -> Expr:
    """The expression of a product, its atoms being the given nodes; a sum starts with a positive term."""
    terms = terms_of(product)
    if terms is None:
        return _build_product(product, nodes)
    first = next((k for k, term in enumerate(terms) if term.coefficient > 0), 0)
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
    """The expression of an atom, a harmonic or a sum."""
    if isinstance(base, Atom):
        return nodes[base.index]
    if isinstance(base, Sum):
        return build(Product(Fraction(1), ((base, 1),)), nodes)
    angle = ZERO
    for atom, k in sorted(base.multiples, key=lambda pair: pair[1] < 0):
        part = _multiplied([number(k if k > 0 else -k), nodes[atom]])
        angle = part if angle is ZERO else add(angle, part) if k > 0 else sub(angle, part)
    harmonic: Expr = sin(angle) if base.phase == SIN else cos(angle)
    return harmonic


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
