"""The normal form: an equal expression that reads like a textbook.

The graph is read as a polynomial in symbols and harmonics (see `polynomial`), which are written combined, as products
or in part, whichever is shorter (see `harmonics`); common factors are taken out (see `structure`). Denominators are
factored the same way and cancelled where the division is exact. The shortest of these forms and of the form as built
is kept, and only if its fingerprint is that of the original.

>>> from polhode.expr import symbols, sin, cos
>>> q1, q2, l1, l2 = symbols("q1 q2 l1 l2")
>>> normal(cos(q1) * sin(q2) + sin(q1) * cos(q2))
sin(q1 + q2)
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any, overload

from .angle import Angle
from .field import P
from .functions import pi
from .graph import free_symbols, rebuild, topological
from .harmonics import forms
from .matrix import Matrix, Vector
from .node import ADD, CALL, DIV, MUL, NEG, NUMBER, SUB, SYMBOL, Expr, as_expr, intern_node
from .polynomial import COS, SIN, Polynomial, canonical_harmonic, divide, monomial, multiples_of, plus, times
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

    >>> from polhode.expr import symbols, sin, cos
    >>> a, b, q = symbols("a b q")
    >>> normal(a * sin(q) ** 2 + b * a + a * cos(q) ** 2 - a * b)
    a
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


__all__ = ["normal"]
