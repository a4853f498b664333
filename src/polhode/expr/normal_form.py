"""The normal form: an equal expression that reads like a textbook.

An expression is collected by monomials in accelerations, speeds and efforts (see `collection`). Each coefficient is
read as a polynomial in symbols and harmonics (see `polynomial`), which are written combined, as products or in part,
whichever is shorter (see `trig_forms`), and collected by functions of coordinates, whose coefficients are factored (see
`structure`). Denominators are factored the same way and cancelled where the division is exact. A coefficient that would
be long stays as it was built. What is written has the fingerprint of the original, holds no symbol on which that does
not depend, and is its own normal form.

>>> from polhode.expr import symbols, sin, cos
>>> q1, q2, l1, l2 = symbols("q1 q2 l1 l2")
>>> normal(cos(q1) * sin(q2) + sin(q1) * cos(q2))
sin(q1 + q2)
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any, overload

from .absent import without_absent
from .angle import Angle
from .collection import Collector
from .field import P
from .functions import pi
from .graph import free_symbols, operation_counts, topological
from .matrix import Matrix, Vector
from .node import (
    ADD,
    CALL,
    DIV,
    MUL,
    NEG,
    NUMBER,
    SUB,
    SYMBOL,
    ZERO,
    Expr,
    add,
    as_expr,
    div,
    intern_node,
    mul,
)
from .ordering import Rank, symbol_key, symbol_rank
from .polynomial import COS, SIN, Polynomial, canonical_harmonic, divide, monomial, multiples_of, plus, times
from .reading import built_length
from .spelling import is_reference
from .structure import (
    BRACKETS,
    Atom,
    Base,
    Product,
    Sum,
    Trig,
    as_sum,
    build,
    build_base,
    collect_by_functions,
    denominator_of,
    distributed,
    shown_length,
    terms_of,
    total_length,
)  # fmt: skip
from .trig_forms import forms

#: A coefficient is left as it was built if a part of it has more terms than this.
TERM_LIMIT = 250
#: A coefficient of more terms than this is not written anew.
_WRITTEN_LIMIT = 120
#: Terms times factors, added up over all that is written anew, are no more than this.
_BUDGET = 400_000
#: Quotients of larger sums are not tried for cancellation.
_DIVISION_LIMIT = 400
#: A product of more factors than this is not read factor by factor.
_FACTOR_LIMIT = 256
#: What is kept as it was built is shorter than what is multiplied out and collected by this factor.
_SHORTER = 0.75
#: Rounds until a form is its own normal form; two are enough for nearly all.
_ROUNDS = 4
#: Forms of more nodes are not read once more.
_SHORT, _FORMS = 400, 8
#: Results of more operations than this stay as they were built.
_TIDY = 600
_ARITHMETIC = (ADD, SUB, MUL, DIV, NEG)
_ANGULAR = ("sin", "cos")


@overload
def normal(value: Matrix) -> Matrix: ...
@overload
def normal(value: Vector) -> Vector: ...
@overload
def normal(value: Any) -> Expr: ...
def normal(value: Any) -> Any:
    """The `value`, an expression, vector or matrix, in the form in which a textbook would write it.

    Meant for display: a factor common to numerator and denominator is cancelled, also where both could vanish.
    """
    if isinstance(value, Matrix):
        return value.map(_Reader([as_expr(entry) for entry in value.entries()]).normal)
    if isinstance(value, Vector):
        return Vector(map(_Reader([as_expr(entry) for entry in value]).normal, value))
    forms = [_Reader([as_expr(value)]).normal(value)]
    while len(forms) < _FORMS and len(topological(forms[-1:])) <= _SHORT:  # atoms may be numbered otherwise from there
        again = _Reader(forms[-1:]).normal(forms[-1])
        for number, form in enumerate(forms):
            if form is again:  # of forms that lead to each other the shortest
                return min(forms[number:], key=lambda e: (len(repr(e)), repr(e)))
        forms.append(again)
    return forms[-1]


def tidy(value: Any) -> Any:
    """The `value` in normal form if it has no more operations than are rewritten at once, else as it is."""
    entries = value.entries() if isinstance(value, Matrix) else value if isinstance(value, Vector) else [value]
    count = sum(operation_counts([as_expr(entry) for entry in entries]).values())
    return normal(value) if count <= _TIDY else value


class _Reader:
    """Reads expressions as polynomials over one numbering of atoms, and writes them back."""

    def __init__(self, roots: Sequence[Expr]) -> None:
        self.nodes: list[Expr] = []
        self.lengths: list[int] = []
        self.ranks: list[int] = []  # places in products, that do not depend on how an expression was built
        self.parameters: list[bool] = []  # atoms of parameters alone
        self.index: dict[int, int] = {}  # fingerprint -> atom
        self.parts: dict[int, Polynomial] = {}  # atoms that are harmonics or sums, met in denominators
        self.harmonics: dict[int, Trig] = {}  # those of them that are harmonics
        self.roots: dict[int, Fraction] = {}  # atoms whose square is a number
        self.read: dict[int, Polynomial | None] = {}  # None of what has too many terms
        self.composed: dict[int, Expr] = {}  # functions with their operands in normal form
        self.forms: dict[int, Product] = {}
        self.built: dict[int, int] = {}  # printed lengths of forms
        self.left = _BUDGET
        # In a law, brackets of errors as kd (r' - v) stay.
        self.is_law = any(is_reference(symbol) for symbol in free_symbols(roots))
        self.collector = Collector()
        self.known: dict[int, Expr] = {}  # normal forms
        self.keep: list[Sequence[Expr]] = [roots]
        # Symbols are numbered by name, so that the form does not depend on how the expression was built.
        for node in sorted(free_symbols(roots), key=symbol_key):
            self.atom(node)

    def normal(self, value: Any) -> Expr:
        root = without_absent(as_expr(value))
        order = topological([root])
        self.keep.append(order)
        for node in order:
            if node.args and node.op not in (*_ARITHMETIC, *_ANGULAR) and id(node) not in self.composed:
                self.composed[id(node)] = self._with_operands(node, [self._operand(arg) for arg in node.args])
        return self._fixed_form(root)

    def _operand(self, root: Expr) -> Expr:
        """The operand of a function: in normal form, or as it was built if that is shorter."""
        form = self._fixed_form(root)
        return form if self._length(form) <= self._length(root) else root

    def atom(self, node: Expr) -> int:
        index = self.index.get(node.fp)
        if index is None:
            index = self.index[node.fp] = len(self.nodes)
            self.nodes.append(node)
            self.ranks.append(index if node.op == SYMBOL else node.fp)
            self.lengths.append(2 if node.op == SYMBOL else min(self._length(node), 80))
            self.parameters.append(all(symbol_rank(symbol) < Rank.LAPLACE for symbol in free_symbols([node])))
            if node.op == "sqrt" and node.args[0].op == NUMBER and node.fp**2 % P == node.args[0].fp:
                self.roots[index] = node.args[0].data
        return index

    # Collecting by what moves.

    def _fixed_form(self, root: Expr) -> Expr:
        """The normal form: collected and written repeatedly until nothing changes."""
        form = self.known.get(id(root))
        if form is None:
            form = self._round(root)
            for _ in range(_ROUNDS):
                form, before = self._round(form), form
                if form is before:
                    break
            self.keep.append([root, form])
            self.known[id(root)] = self.known[id(form)] = form
        return form

    def _round(self, root: Expr) -> Expr:
        collected = {(): root} if self.is_law else self.collector.collected(root)
        parts = {key: self._form(c) for key, c in collected.items()}
        terms = [(key, self._static(c, parts[key])) for key, c in collected.items()]
        still = parts.get(())
        if still is not None:
            terms[list(parts).index(())] = (), self._static(collected[()], self._flat(still, alone=len(parts) == 1))
        apart = self._assembled(terms)
        if any(form is None for form in parts.values()):
            return apart if self._length(apart) < self._length(root) else root
        together = self._together(collected, [form for form in parts.values() if form is not None])
        if together is not None and self._length(together) < self._length(apart):
            return together
        return apart if apart.fp == root.fp else root

    def _assembled(self, terms: Iterable[tuple[Any, Expr]]) -> Expr:
        total = ZERO
        for key, coefficient in sorted(
            terms, key=lambda term: [(symbol_key(self.collector.symbols[k]), e) for k, e in term[0]]
        ):
            total = add(total, mul(coefficient, self.collector.monomial(key)))
        self.keep.append([total])
        return total

    def _static(self, c: Expr, form: Product | None) -> Expr:
        """A coefficient in its form, or as built where that form is of another function."""
        expression = c if form is None else build(form, self.nodes)
        return expression if expression.fp == c.fp else c

    def _flat(self, form: Product, alone: bool) -> Product:
        """A product as a sum of terms with functions, if it is one; what has none stays factored.

        One that stands `alone` stays so, too, if it is shorter by more than a pair of brackets costs.
        """
        terms = distributed(form)
        saving = total_length(terms) - shown_length(form)
        if alone and saving >= (1 if len(form.factors) == 1 else BRACKETS):
            return form
        has_functions = any(not self._is_parameter(base) for term in terms for base, _ in term.factors)
        return as_sum(terms, content=False) if has_functions else form

    def _together(self, collected: Mapping[Any, Expr], products: Sequence[Product]) -> Expr | None:
        """All terms over their common denominator; None if they have none."""
        below = Product.of(Fraction(1), denominator_of(products))
        if len(products) < 2 or not below.factors:
            return None
        bottom = build(below, self.nodes)
        tops: list[tuple[Any, Expr]] = []
        for key, c in collected.items():
            top = mul(c, bottom)
            self.keep.append([top, bottom])
            form = self._form(top)
            if form is None or any(e < 0 for _, e in form.factors):
                return None
            tops.append((key, self._static(top, form)))
        return div(self._assembled(tops), bottom)

    # Reading.

    def _poly(self, root: Expr) -> Polynomial | None:
        """An expression as a polynomial; None where it has too many terms."""
        order = _arithmetic_order(root, self.read)
        self.keep.append(order)
        for node in order:
            self.read[id(node)] = self._read(node)
        return self.read[id(root)]

    def _read(self, node: Expr) -> Polynomial | None:
        op = node.op
        if op == NUMBER:
            return monomial((), node.data)
        if op in _ANGULAR:
            return self._read_harmonic(node)
        if op not in _ARITHMETIC:
            return monomial([(self.atom(self.composed.get(id(node), node)), 1)])
        left, right = self.read[id(node.args[0])], self.read[id(node.args[-1])]
        if left is None or right is None:
            return None
        result: Polynomial | None
        if op == NEG:
            result = {key: -c for key, c in left.items()}
        elif op in (ADD, SUB):
            result = plus(left, right, 1 if op == ADD else -1)
        elif op == MUL:
            result = self._product(left, right)
        else:
            inverse = self._inverse(node.args[1])
            result = None if inverse is None else self._product(left, inverse)
        return None if result is None or len(result) > TERM_LIMIT else result

    def _read_harmonic(self, node: Expr) -> Polynomial:
        angle = Angle.of(node.args[0])
        factors = {self.atom(atom): k for atom, k in angle.terms}
        if angle.pi_part:
            factors[self.atom(pi)] = angle.pi_part
        harmonic, sign = canonical_harmonic(SIN if node.op == "sin" else COS, multiples_of(factors))
        return {((), harmonic): Fraction(sign)} if sign else {}

    def _product(self, left: Polynomial, right: Polynomial) -> Polynomial | None:
        if len(left) * len(right) > 2 * TERM_LIMIT:
            return None
        result = times(left, right)
        return self._without_squared_roots(result) if self.roots else result

    def _without_squared_roots(self, poly: Polynomial) -> Polynomial:
        if all(e == 1 for exponents, _ in poly for atom, e in exponents if atom in self.roots):
            return poly
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
        product = self._form(node)
        if product is None or not product.coefficient:
            return None
        exponents: dict[int, int] = {}
        for base, e in product.factors:
            atom = self._atom_of(base)
            exponents[atom] = exponents.get(atom, 0) - e
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
        """A base multiplied out, for cancelling; None if that exceeds the limit."""
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
            if part is None:
                return None
            total = plus(total, part)
        return total

    # Writing.

    def _form(self, root: Expr) -> Product | None:
        """The best form: multiplied out and collected, or with brackets as they stand if that is much shorter."""
        poly = self._poly(root)
        if poly is None or len(poly) > _WRITTEN_LIMIT or (self.left <= 0 and id(root) not in self.forms):
            return None
        order = _arithmetic_order(root, self.forms)
        brackets = {id(arg) for node in order if node.op in (MUL, DIV) for arg in node.args if arg.op in (ADD, SUB)}
        for node in order:
            if node is root or id(node) in brackets:
                self.forms[id(node)] = self._best(node)
        return self.forms[id(root)]

    def _best(self, node: Expr) -> Product:
        poly = self.read[id(node)] or {}
        self.left -= len(poly) * sum(1 + len(exponents) for exponents, _ in poly)
        expanded = self._write(poly)
        kept = [form for form in (self._by_factors(node), self._by_terms(node)) if form is not None]
        best = min(kept, key=shown_length, default=expanded)
        return best if shown_length(best) < (1 if self.is_law else _SHORTER) * shown_length(expanded) else expanded

    def _by_factors(self, root: Expr) -> Product | None:
        """The factors of a product written one by one; None for other expressions."""
        sign, factors = _factors(root)
        if len(factors) == 1 and factors[0][0] is root:
            return None
        product = Product(Fraction(sign))
        for node, e in factors:
            product = product.times(self.forms.get(id(node)) or self._write(self.read[id(node)] or {}), e)
        return product

    def _by_terms(self, root: Expr) -> Product | None:
        """A sum in which products with brackets stay, and the rest is written anew; None if there are none."""
        terms: list[Product] = []
        rest: Polynomial = {}
        for sign, node in _terms(root):
            form = self._by_factors(node) if root.op in (ADD, SUB) else None
            if form is not None and any(isinstance(base, Sum) for base, _ in form.factors):
                terms.append(Product(sign * form.coefficient, form.factors))
            else:
                rest = plus(rest, self.read[id(node)] or {}, sign)
        if not terms:
            return None
        plain = self._write(rest) if rest else Product(Fraction(0))
        terms += terms_of(plain) or ([plain] if rest else [])
        return self._by_functions(terms)

    def _by_functions(self, terms: Iterable[Product]) -> Product:
        return collect_by_functions(terms, self._is_parameter)

    def _is_parameter(self, base: Base) -> bool:
        if isinstance(base, Sum):
            return all(self._is_parameter(factor) for term in base.terms for factor, _ in term.factors)
        return isinstance(base, Atom) and self.parameters[base.index]

    def _write(self, poly: Polynomial) -> Product:
        if not poly:
            return Product(Fraction(0))
        if len(poly) == 1:
            return self._term(*next(iter(poly.items())))
        apart = self._collected(poly)
        if not any(e < 0 for (exponents, _) in poly for _, e in exponents):
            return apart
        together = self._over_common_denominator(poly)
        return min(together, apart, key=lambda form: (_nested(form), shown_length(form)))

    def _term(self, key: Any, coefficient: Fraction) -> Product:
        (exponents, (phase, multiples)) = key
        product = self._monomial(exponents, coefficient)
        if multiples:
            product = product.times(Product(Fraction(1), ((Trig(multiples, phase), 1),)))
        return product

    def _monomial(self, exponents: Iterable[tuple[int, int]], coefficient: Fraction = Fraction(1)) -> Product:
        bases: dict[Base, int] = {}
        for atom, e in exponents:
            base: Base = self.harmonics.get(atom) or Atom(atom, self.lengths[atom], self.ranks[atom])
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
        """The shortest of the forms of all harmonics, collected by functions."""
        by_monomial: dict[Any, list[Any]] = {}
        for (exponents, harmonic), c in poly.items():
            by_monomial.setdefault(exponents, []).append((harmonic, c))
        if len(poly) > _WRITTEN_LIMIT or self.left <= 0:
            return as_sum([self._term(key, c) for key, c in poly.items()])
        written: list[dict[str, list[Product]]] = []
        for exponents, harmonics in by_monomial.items():
            outer = self._monomial(exponents)
            scale = abs(min(harmonics)[1])
            written_forms = forms(tuple(sorted((harmonic, c / scale) for harmonic, c in harmonics)))
            scaled = Product(outer.coefficient * scale, outer.factors)
            written.append({kind: [scaled.times(term) for term in form] for kind, form in written_forms.items()})
        ways = dict.fromkeys(["best", *(kind for by_kind in written for kind in by_kind)])
        sums = [[term for by_kind in written for term in by_kind.get(kind, by_kind["best"])] for kind in ways]
        candidates = sorted(sums, key=total_length)
        distinct = [form for k, form in enumerate(candidates) if form not in candidates[:k]]
        return min((self._by_functions(form) for form in distinct), key=shown_length)

    # Measuring.

    def _with_operands(self, node: Expr, args: Sequence[Expr]) -> Expr:
        """A function of other forms of its operands; its constructor would give the form that is already there."""
        if all(new is old for new, old in zip(args, node.args, strict=True)):
            return node
        which = (node.data.digest,) if node.op == CALL else ()
        copy = intern_node((node.op, *which, *map(id, args)), node.op, tuple(args), node.fp, node.data)
        self.keep.append([copy])
        return copy

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


def _nested(product: Product) -> bool:
    """Whether a sum with denominators is a factor."""
    sums = [base for base, _ in product.factors if isinstance(base, Sum)] if terms_of(product) is None else []
    return any(e < 0 for term_sum in sums for term in term_sum.terms for _, e in term.factors)


def _arithmetic_order(root: Expr, excluded: Container[int]) -> list[Expr]:
    """The nodes of sums, products and quotients below an expression, operands first, without excluded ones."""
    order: list[Expr] = []
    seen: set[int] = set()
    stack = [(root, False)]
    while stack:
        node, done = stack.pop()
        if done:
            order.append(node)
        elif id(node) not in seen and id(node) not in excluded:
            seen.add(id(node))
            stack.append((node, True))
            if node.op in _ARITHMETIC:
                stack += [(arg, False) for arg in node.args[::-1]]
    return order


def _terms(root: Expr) -> list[tuple[int, Expr]]:
    """The terms of a sum, with their signs."""
    terms: list[tuple[int, Expr]] = []
    stack = [(1, root)]
    while stack:
        sign, node = stack.pop()
        if node.op in (ADD, SUB):
            stack += [(sign if node.op == ADD else -sign, node.args[1]), (sign, node.args[0])]
        elif node.op == NEG:
            stack.append((-sign, node.args[0]))
        else:
            terms.append((sign, node))
    return terms


def _factors(root: Expr) -> tuple[int, list[tuple[Expr, int]]]:
    """The sign and the factors of a product or quotient, with exponents; the root alone when they are many."""
    powers: dict[int, tuple[Expr, int]] = {}
    sign = 1
    stack = [(root, 1)]
    for _ in range(_FACTOR_LIMIT):
        if not stack:
            return sign, [entry for entry in powers.values() if entry[1]]
        node, e = stack.pop()
        if node.op in (MUL, DIV):
            stack += [(node.args[1], e if node.op == MUL else -e), (node.args[0], e)]
        elif node.op == NEG:
            stack.append((node.args[0], e))
            sign = -sign
        else:
            exponent = powers.get(id(node), (node, 0))[1]
            powers[id(node)] = node, exponent + e
    return 1, [(root, 1)]


__all__ = ["normal", "tidy"]
