"""The normal form: an equal expression that reads like a textbook.

The graph is read as a polynomial in symbols and harmonics (see `polynomial`), which are written combined, as products
or in part, whichever is shorter; common factors are taken out (see `structure`). Denominators are
factored the same way and cancelled where the division is exact. The shortest of these forms and of the form as built
is kept, and only if its fingerprint is that of the original.

>>> from polhode.expr import symbols, sin, cos
>>> q1, q2, l1, l2 = symbols("q1 q2 l1 l2")
>>> normal(cos(q1) * sin(q2) + sin(q1) * cos(q2))
sin(q1 + q2)

The forms of a trigonometric polynomial: combined angles, products, and what lies between.

Each form is a list of products. Which is the shortest depends on the polynomial: cos(q1 + q2) is better combined,
cos(t3) sin(t1) sin(t2) better as a product, sin(q1) cos(q2 + q3) in part.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from math import gcd, lcm
from typing import Any, overload

from .angle import Angle
from .field import P
from .functions import pi
from .graph import free_symbols, rebuild, topological
from .matrix import Matrix, Vector
from .node import ADD, CALL, DIV, MUL, NEG, NUMBER, SUB, SYMBOL, Expr, as_expr, intern_node
from .polynomial import (
    COS,
    SIN,
    Harmonic,
    Multiples,
    Polynomial,
    canonical_harmonic,
    combine,
    divide,
    monomial,
    multiples_of,
    plus,
    times,
)
from .reading import built_length, natural
from .spelling import spelled
from .structure import Atom, Base, Product, Trig, as_sum, build, build_base, collect, shown_length, total_length

#: A subexpression that would need more terms than this is left as it was built.
TERM_LIMIT = 2000
#: Term operations spent on one expression, in reading and in searching, before the rest is left as it was built.
_BUDGET = 50_000
#: A part of a larger expression is written anew when it has at most so many terms.
_PART_LIMIT = 30
#: Sums of more terms than this are not searched for a shorter form.
_SEARCH_LIMIT = 120
#: Quotients of larger sums are not tried for cancellation.
_DIVISION_LIMIT = 200
#: A product of more factors than this is not read factor by factor.
_FACTOR_LIMIT = 256


@overload
def normal(value: Matrix) -> Matrix: ...
@overload
def normal(value: Vector) -> Vector: ...
@overload
def normal(value: Any) -> Expr: ...
def normal(value: Any) -> Any:
    """The `value`, an expression, vector or matrix, in the form that is shortest to read.

    Meant for display: a factor common to numerator and denominator is cancelled, also where both could vanish.
    """
    if isinstance(value, Matrix):
        return value.map(_Reader([as_expr(entry) for entry in value.entries()]).normal)
    if isinstance(value, Vector):
        return Vector(map(_Reader([as_expr(entry) for entry in value]).normal, value))
    return _Reader([as_expr(value)]).normal(value)


class _Reader:
    """Reads expressions as polynomials over one numbering of atoms, and writes them back."""

    def __init__(self, roots: Sequence[Expr]) -> None:
        self.nodes: list[Expr] = []
        self.lengths: list[int] = []
        self.index: dict[int, int] = {}  # fingerprint -> atom
        self.parts: dict[int, Polynomial] = {}  # atoms that are harmonics or sums, met in denominators
        self.harmonics: dict[int, Trig] = {}  # those of them that are harmonics
        self.roots: dict[int, Fraction] = {}  # atoms whose square is a number
        self.read: dict[int, Polynomial] = {}
        self.best: dict[int, Expr] = {}  # the shortest form found for each node
        self.built: dict[int, int] = {}  # printed lengths of forms
        self.written: dict[int, Product] = {}
        self.keep: list[Sequence[Expr]] = [roots]
        self.left = self.search = _BUDGET
        # Symbols are numbered by name, so that the form does not depend on how the expression was built.
        for node in sorted(free_symbols(roots), key=lambda node: natural(spelled(node))):
            self.atom(node)

    def normal(self, value: Any) -> Expr:
        root = as_expr(value)
        self.left = _BUDGET
        order = topological([root])
        self.keep.append(order)
        for node in order:
            if id(node) not in self.read:
                composed = self._composed(node)
                poly = self.read[id(node)] = self._read(node, composed)
                worthwhile = node.args and len(poly) <= _PART_LIMIT and self.search > 0
                self.best[id(node)] = self._shortest(node, composed) if worthwhile else composed
        kept, self.search = self.search, _BUDGET  # each root has its own share; the parts have one together
        result = self._shortest(root, self.best[id(root)])
        self.search = kept
        return result

    def atom(self, node: Expr) -> int:
        known = self.index.get(node.fp)
        if known is None:
            known = self.index[node.fp] = len(self.nodes)
            self.nodes.append(node)
            self.lengths.append(2 if node.op == SYMBOL else min(self._length(node), 80))
            if node.op == "sqrt" and node.args[0].op == NUMBER and node.fp**2 % P == node.args[0].fp:
                self.roots[known] = node.args[0].data
        return known

    # Reading.

    def _read(self, node: Expr, composed: Expr) -> Polynomial:
        """A node as a polynomial, or as an atom in its composed form."""
        op = node.op
        if op == NUMBER:
            return monomial((), node.data)
        if op in ("sin", "cos"):
            return self._read_harmonic(node)
        args = [self.read[id(arg)] for arg in node.args]
        result: Polynomial | None = None
        if op == NEG:
            result = {key: -c for key, c in args[0].items()}
        elif op in (ADD, SUB):
            if self._afford(len(args[0]) + len(args[1])):
                result = plus(args[0], args[1], 1 if op == ADD else -1)
        elif op == MUL:
            result = self._product(args[0], args[1])
        elif op == DIV:
            inverse = self._inverse(node.args[1])
            result = None if inverse is None else self._product(args[0], inverse)
        if result is None or len(result) > TERM_LIMIT:
            return monomial([(self.atom(composed), 1)])
        return result

    def _afford(self, work: int) -> bool:
        self.left -= work
        return self.left > 0

    def _read_harmonic(self, node: Expr) -> Polynomial:
        angle = Angle.of(node.args[0])
        factors = {self.atom(atom): k for atom, k in angle.terms}
        if angle.pi_part:
            factors[self.atom(pi)] = angle.pi_part
        harmonic, sign = canonical_harmonic(SIN if node.op == "sin" else COS, multiples_of(factors))
        return {((), harmonic): Fraction(sign)} if sign else {}

    def _product(self, left: Polynomial, right: Polynomial) -> Polynomial | None:
        work = len(left) * len(right)
        if work > 2 * TERM_LIMIT or not self._afford(2 * work):
            return None
        result = times(left, right)
        return self._without_squared_roots(result) if self.roots else result

    def _without_squared_roots(self, poly: Polynomial) -> Polynomial:
        total: Polynomial = {}
        for (exponents, harmonic), c in poly.items():
            kept = []
            for atom, e in exponents:
                if atom in self.roots:
                    c *= self.roots[atom] ** (e // 2)
                    e %= 2
                if e:
                    kept.append((atom, e))
            total = plus(total, {(tuple(kept), harmonic): c})
        return total

    def _inverse(self, node: Expr) -> Polynomial | None:
        """1/node as a single term: its factors, each an atom, with negative exponents."""
        if not self._afford(100):  # what factoring a small denominator takes
            return None
        product = self._factored(node)
        exponents: dict[int, int] = {}
        for base, e in product.factors:
            atom = self._atom_of(base)
            exponents[atom] = exponents.get(atom, 0) - e
        if not product.coefficient:
            return None
        return monomial([(atom, e) for atom, e in exponents.items() if e], 1 / product.coefficient)

    def _atom_of(self, base: Base) -> int:
        if isinstance(base, Atom):
            return base.index
        node = build_base(base, self.nodes)
        self.keep.append([node])
        atom = self.atom(node)
        if atom not in self.parts and node.op != SYMBOL:
            if isinstance(base, Trig):
                self.harmonics[atom] = base
            part = self._expand(base)
            if part is not None:
                self.parts[atom] = part
        return atom

    def _expand(self, base: Base) -> Polynomial | None:
        """A base multiplied out, for cancelling; None when that takes too long."""
        if isinstance(base, Trig):
            return {((), (base.phase, base.multiples)): Fraction(1)}
        if isinstance(base, Atom):
            return monomial([(base.index, 1)])
        total: Polynomial = {}
        for term in base.terms:
            part: Polynomial | None = monomial((), term.coefficient)
            for inner, e in term.factors:
                factor = self._expand(inner) if e > 0 else monomial([(self._atom_of(inner), -1)])
                for _ in range(abs(e)):
                    part = None if part is None or factor is None else self._product(part, factor)
            if part is None or not self._afford(len(part)):
                return None
            total = plus(total, part)
        return total

    # Choosing.

    def _composed(self, node: Expr) -> Expr:
        """The same operation on operands in their shortest forms."""
        args = tuple(self.best[id(arg)] for arg in node.args)
        made = node
        if any(new is not old for new, old in zip(args, node.args, strict=True)) and node.op not in ("sin", "cos"):
            if node.op in (ADD, SUB, MUL, DIV, NEG):
                made = rebuild(node, args)
            else:  # a function's constructor would give the form that is already there
                which = (node.data.digest,) if node.op == CALL else ()
                made = intern_node((node.op, *which, *map(id, args)), node.op, args, node.fp, node.data)
        return made if self._length(made) <= self._length(node) else node

    def _length(self, root: Expr) -> int:
        """The printed length of a form, measured once."""
        stack = [root]
        while stack:
            node = stack[-1]
            missing = [arg for arg in node.args if id(arg) not in self.built]
            if missing and id(node) not in self.built:
                stack += missing
                continue
            if id(node) not in self.built:
                self.built[id(node)] = built_length(node, self.built)
                self.keep.append([node])
            stack.pop()
        return self.built[id(root)]

    def _shortest(self, root: Expr, composed: Expr) -> Expr:
        product = self._factored(root)
        if shown_length(product) > self._length(composed):
            return composed
        result = build(product, self.nodes)
        self.keep.append([result])
        return result if result.fp == root.fp else composed

    def _factored(self, root: Expr) -> Product:
        """The shorter of the whole multiplied out and written anew, and its factors written one by one."""
        known = self.written.get(id(root))
        if known is None:
            known = whole = self._write(self.read[id(root)])
            sign, factors = _factors(root)
            if len(factors) > 1:
                product = Product(Fraction(sign))
                for node, e in factors:
                    product = product.times(self.written.get(id(node)) or self._write(self.read[id(node)]), e)
                if shown_length(product) < shown_length(whole):
                    known = product
            self.written[id(root)] = known
        return known

    def _write(self, poly: Polynomial) -> Product:
        if not poly:
            return Product(Fraction(0))
        if len(poly) == 1:
            return self._term(*next(iter(poly.items())))
        apart = self._collected(poly)
        if not any(e < 0 for (exponents, _) in poly for _, e in exponents):
            return apart
        together = self._over_common_denominator(poly)
        return min(together, apart, key=shown_length)

    def _term(self, key: Any, coefficient: Fraction) -> Product:
        (exponents, (phase, multiples)) = key
        product = self._monomial(exponents, coefficient)
        if multiples:
            product = product.times(Product(Fraction(1), ((Trig(multiples, phase), 1),)))
        return product

    def _monomial(self, exponents: Iterable[tuple[int, int]], coefficient: Fraction = Fraction(1)) -> Product:
        bases: dict[Base, int] = {}
        for atom, e in exponents:
            base: Base = self.harmonics.get(atom) or Atom(atom, self.lengths[atom])
            bases[base] = bases.get(base, 0) + e
        return Product.of(coefficient, bases)

    def _over_common_denominator(self, poly: Polynomial) -> Product:
        lowest: dict[int, int] = {}
        for exponents, _ in poly:
            for atom, e in exponents:
                lowest[atom] = min(lowest.get(atom, 0), e)
        lowest = {atom: e for atom, e in lowest.items() if e < 0}
        top = poly
        for atom, e in lowest.items():
            for _ in range(-e):  # what is inside a harmonic or a sum has to be multiplied in, not just counted off
                here = {key: c for key, c in top.items() if dict(key[0]).get(atom, 0) >= 0}
                there = {key: c for key, c in top.items() if dict(key[0]).get(atom, 0) < 0}
                raised = self._product(there, monomial([(atom, 1)]))
                others = self._product(here, self.parts.get(atom, monomial([(atom, 1)])))
                if raised is None or others is None:
                    return self._collected(poly)
                top = plus(raised, others)
        for atom in lowest:
            part = self.parts.get(atom)
            while part and lowest[atom] < 0 and len(top) * len(part) <= _DIVISION_LIMIT:
                quotient = divide(top, part) if top else None
                if quotient is None:
                    break
                top, lowest[atom] = quotient, lowest[atom] + 1
        return self._collected(top).times(self._monomial(lowest.items()))

    def _collected(self, poly: Polynomial) -> Product:
        by_monomial: dict[Any, list[Any]] = {}
        for (exponents, harmonic), c in poly.items():
            by_monomial.setdefault(exponents, []).append((harmonic, c))
        work = 60 * len(poly) + sum(8 * len(harmonics) ** 2 for harmonics in by_monomial.values())
        self.search -= work
        if len(poly) > _SEARCH_LIMIT or self.search <= 0:
            return as_sum([self._term(key, c) for key, c in poly.items()])
        written: dict[str, list[Product]] = {}
        for way in ("best", "combined", "paired", "sines", "cosines", "mixed"):
            written[way] = []
            for exponents, harmonics in by_monomial.items():
                outer = self._monomial(exponents)
                scale = abs(min(harmonics)[1])
                found = forms(tuple(sorted((harmonic, c / scale) for harmonic, c in harmonics)))
                for term in found.get(way, found["best"]):
                    written[way].append(outer.times(Product(term.coefficient * scale, term.factors)))
        candidates = sorted(written.values(), key=total_length)
        distinct = [form for place, form in enumerate(candidates) if form not in candidates[:place]]
        return min((collect(form) for form in distinct), key=shown_length)


def _factors(root: Expr) -> tuple[int, list[tuple[Expr, int]]]:
    """The sign and the factors of a product or quotient, with exponents; the root alone when they are many."""
    found: dict[int, tuple[Expr, int]] = {}
    sign = 1
    stack = [(root, 1)]
    for _ in range(_FACTOR_LIMIT):
        if not stack:
            return sign, [entry for entry in found.values() if entry[1]]
        node, e = stack.pop()
        if node.op in (MUL, DIV):
            stack += [(node.args[1], e if node.op == MUL else -e), (node.args[0], e)]
        elif node.op == NEG:
            stack.append((node.args[0], e))
            sign = -sign
        else:
            known = found.get(id(node), (node, 0))[1]
            found[id(node)] = node, known + e
    return 1, [(root, 1)]


__all__ = ["Form", "TrigPolynomial", "forms", "normal"]


TrigPolynomial = tuple[tuple[Harmonic, Fraction], ...]
Form = list[Product]
_Part = tuple[int, dict[Base, int], int]  # a coefficient, factors taken out, and the phase of the harmonic that is left

#: What may be done with one angle: left in sums, taken out as cos nθ and sin nθ, or as powers of sin θ or of cos θ.
_COMBINED, _APART, _SINES, _COSINES = range(4)
#: Above so many harmonics, angles or multiples the search for a shorter form is not worth its time.
_HARMONICS, _ANGLES, _HIGHEST = 24, 6, 6


@lru_cache(maxsize=1024)
def forms(poly: TrigPolynomial) -> dict[str, Form]:
    """The polynomial in several forms, by name; "best" is the shortest."""
    combined = [Product.of(c, _factor(harmonic)) for harmonic, c in poly]
    found = {"combined": combined}
    angles = sorted({angle for (_, multiples), _ in poly for angle, _ in multiples})
    if 1 < len(poly) <= _HARMONICS and angles:
        found["paired"] = _paired(combined)
        if len(angles) <= _ANGLES:
            found["sines"] = _split(poly, dict.fromkeys(angles, _SINES))
            found["cosines"] = _split(poly, dict.fromkeys(angles, _COSINES))
            starts = (_COMBINED, _SINES) if len(poly) <= _HARMONICS // 2 else (_SINES,)
            found["mixed"] = min((_descend(poly, angles, start) for start in starts), key=total_length)
    found["best"] = min(found.values(), key=total_length)
    return found


def _factor(harmonic: Harmonic) -> dict[Base, int]:
    return {Trig(harmonic[1], harmonic[0]): 1} if harmonic[1] else {}


def _descend(poly: TrigPolynomial, angles: list[int], start: int) -> Form:
    """Change the form of one angle at a time as long as the result gets shorter."""
    modes = dict.fromkeys(angles, start)
    best = _split(poly, modes)
    shortest = total_length(best)
    seen = {tuple(modes.values())}  # what was tried before was no shorter than what is the best by now
    improved = True
    while improved:
        improved = False
        for angle in angles:
            for mode in (_COMBINED, _APART, _SINES, _COSINES):
                tried = {**modes, angle: mode}
                key = tuple(tried.values())
                if key in seen:
                    continue
                seen.add(key)
                form = _split(poly, tried)
                if total_length(form) < shortest:
                    modes, best, shortest, improved = tried, form, total_length(form), True
    return best


def _split(poly: TrigPolynomial, modes: Mapping[int, int]) -> Form:
    """The polynomial with chosen angles taken out of the sums by the addition theorems."""
    units = {angle: _unit(poly, angle) for angle, mode in modes.items() if mode != _COMBINED}
    below = lcm(*(coefficient.denominator for _, coefficient in poly))  # integers on the way are quicker than fractions
    total: dict[frozenset[tuple[Base, int]], int] = {}
    for (phase, multiples), coefficient in poly:
        parts: list[_Part] = [(int(coefficient * below), {}, phase)]
        rest = list(multiples)
        for angle, k in multiples:
            if angle in units and (len(rest) > 1 or modes[angle] != _APART):
                rest.remove((angle, k))
                parts = _take_out(parts, angle, k, units[angle], modes[angle])
        for c, factors, left in parts:
            harmonic, sign = canonical_harmonic(left, tuple(rest))
            if sign:
                key = frozenset({**factors, **_factor(harmonic)}.items())
                total[key] = total.get(key, 0) + c * sign
    return [Product.of(Fraction(c, below), dict(factors)) for factors, c in total.items() if c]


def _take_out(parts: list[_Part], angle: int, k: Fraction | int, unit: Fraction, mode: int) -> list[_Part]:
    """cos(kθ + r) = cos kθ cos r - sin kθ sin r, sin(kθ + r) = sin kθ cos r + cos kθ sin r."""
    result = []
    size, turn = (k, 1) if k > 0 else (-k, -1)
    for c, factors, phase in parts:
        for own, other in ((COS, phase), (SIN, 1 - phase)):
            sign = (turn if own else 1) * (-1 if own and not phase else 1)
            for weight, powers in _own_harmonic(own, angle, size, unit, mode):
                result.append((c * (sign * weight), {**factors, **powers}, other))
    return result


@lru_cache(maxsize=4096)
def _own_harmonic(
    phase: int, angle: int, size: Fraction | int, unit: Fraction, mode: int
) -> tuple[tuple[int, dict[Base, int]], ...]:
    count = Fraction(size / unit)
    if mode == _APART or count.denominator != 1 or count > _HIGHEST:
        return ((1, {Trig(((angle, size),), phase): 1}),)
    cosine, sine = (Trig(multiples_of({angle: unit}), p) for p in (COS, SIN))
    powers = _multiple_angle(phase, int(count), mode == _SINES)
    return tuple((w, {base: e for base, e in ((cosine, a), (sine, b)) if e}) for (a, b), w in powers)


@lru_cache(maxsize=64)
def _multiple_angle(phase: int, count: int, sines: bool) -> tuple[tuple[tuple[int, int], int], ...]:
    """cos nθ or sin nθ in powers (a, b) of cos θ and sin θ, the even powers of one of them replaced."""
    harmonics: list[dict[tuple[int, int], int]] = [{(0, 0): 1}, {}]  # cos 0, sin 0
    for _ in range(count):
        next_harmonics: list[dict[tuple[int, int], int]] = [{}, {}]
        for source, target, a, b, sign in (
            (COS, COS, 1, 0, 1),
            (SIN, COS, 0, 1, -1),
            (COS, SIN, 0, 1, 1),
            (SIN, SIN, 1, 0, 1),
        ):
            for (i, j), c in harmonics[source].items():
                for power, weight in _reduced(i + a, j + b, sines):
                    known = next_harmonics[target].get(power, 0)
                    next_harmonics[target][power] = known + sign * weight * c
        harmonics = next_harmonics
    return tuple((power, c) for power, c in sorted(harmonics[phase].items()) if c)


def _reduced(a: int, b: int, sines: bool) -> list[tuple[tuple[int, int], int]]:
    """cos^a sin^b with cos² = 1 - sin², or with sin² = 1 - cos²."""
    if sines and a >= 2:
        return [((a - 2, b), 1), ((a - 2, b + 2), -1)]
    if not sines and b >= 2:
        return [((a, b - 2), 1), ((a + 2, b - 2), -1)]
    return [((a, b), 1)]


def _unit(poly: TrigPolynomial, angle: int) -> Fraction:
    """The largest angle of which all multiples of this one are whole multiples."""
    sizes = [k for (_, multiples), _ in poly for other, k in multiples if other == angle]
    return Fraction(gcd(*(k.numerator for k in sizes)), lcm(*(k.denominator for k in sizes)))


def _paired(form: Form) -> Form:
    """Join two terms that differ in one harmonic, cos a + cos b = 2 cos((a+b)/2) cos((a-b)/2), while this shortens."""
    terms = list(form)
    while True:
        best: tuple[int, int, int, Product] | None = None
        for i, j, joined in _joinable(terms):
            gain = terms[i].length + terms[j].length + 3 - joined.length
            if gain > 0 and (best is None or gain > best[0]):
                best = gain, i, j, joined
        if best is None:
            return terms
        _, i, j, joined = best
        terms = [term for place, term in enumerate(terms) if place not in (i, j)]
        terms.append(joined)


def _joinable(terms: list[Product]) -> list[tuple[int, int, Product]]:
    shelves: dict[tuple[object, Fraction, int], list[tuple[int, Multiples, Product]]] = {}
    for place, term in enumerate(terms):
        harmonics = [base for base, e in term.factors if isinstance(base, Trig) and e > 0]
        for harmonic in (Trig((), COS), *harmonics):
            rest = term.times(Product(Fraction(1), ((harmonic, 1),)), -1) if harmonic.multiples else term
            shelf = (rest.factors, abs(rest.coefficient), harmonic.phase)
            shelves.setdefault(shelf, []).append((place, harmonic.multiples, rest))
    found = []
    for (_, _, phase), entries in shelves.items():
        for second, (j, b, right) in enumerate(entries):
            for i, a, left in entries[:second]:
                if i != j:
                    equal = left.coefficient == right.coefficient
                    found.append((i, j, _join(phase, a, b, equal, left)))
    return found


def _join(phase: int, a: Multiples, b: Multiples, equal: bool, rest: Product) -> Product:
    """rest · (harmonic(a) ± harmonic(b)) as a product."""
    middle, apart = _halves(a, b)
    first, second = (phase, COS) if equal else (1 - phase, SIN)
    scale = Fraction(-2 if not equal and phase == COS else 2)
    result = rest
    for kind, multiples in ((first, middle), (second, apart)):
        harmonic, sign = canonical_harmonic(kind, multiples)
        scale *= sign
        if harmonic[1]:
            result = result.times(Product(Fraction(1), ((Trig(harmonic[1], harmonic[0]), 1),)))
    return Product(result.coefficient * scale, result.factors)


@lru_cache(maxsize=4096)
def _halves(a: Multiples, b: Multiples) -> tuple[Multiples, Multiples]:
    """(a + b)/2 and (a - b)/2."""
    half = Fraction(1, 2)
    return combine(combine((), a, half), b, half), combine(combine((), a, half), b, -half)
