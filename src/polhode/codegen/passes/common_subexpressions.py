"""Common subexpressions of sums and of products: a + b + c and a + d + b share a + b.

Sums and products that are used once are taken as lists of terms. The pair of terms that most lists contain becomes a
value of its own, again and again; each time k lists contain it, k - 1 operations are saved. A sum's pair may occur with
both signs turned.

Factoring of sums of products: a·b + a·c becomes a·(b + c).

Sums and products that are used once are taken as lists of terms and factors; the factor that most terms share is taken
out, again and again. Each time k terms share a factor, k - 1 multiplications are saved, and where the other factors are
parameters their sum moves to the set-up part. What is in the set-up part already is never opened.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from heapq import heapify, heappop, heappush
from itertools import combinations

from .value_numbering import Form, Ref, Values, operands_first

Term = tuple[int, tuple[int, ...]]  # a sign and the values whose product it is


def factor_sums(
    values: Values, chosen: Sequence[Form | None], roots: Sequence[Ref], inputs: Iterable[int]
) -> list[Form | None]:
    """The chosen forms with sums of products factored; new values are numbered as they are needed."""
    work = _Factoring(values, list(chosen), roots, set(inputs))
    for value in work.order:
        if work.is_whole_sum(value):
            work.rewrite(value)
        elif work.is_whole_product(value):
            work.regroup(value)
    return work.chosen


class _Factoring:
    def __init__(self, values: Values, chosen: list[Form | None], roots: Sequence[Ref], inputs: set[int]) -> None:
        self.values = values
        self.chosen = chosen
        self.order = operands_first(chosen, roots)
        self.rank: dict[int, float] = {value: number for number, value in enumerate(self.order)}
        self.uses: Counter[int] = Counter(value for value, _ in roots)
        self.user: dict[int, int] = {}
        self.runs = inputs  # values that depend on inputs
        for value in self.order:
            form = chosen[value]
            if form and any(arg in self.runs for arg, _ in form.args):
                self.runs.add(value)
            for arg, _ in form.args if form else ():
                self.uses[arg] += 1
                self.user[arg] = value

    def _form(self, value: int, op: str) -> Form | None:
        form = self.chosen[value]
        return form if form is not None and form.op == op else None

    def is_whole_sum(self, value: int) -> bool:
        """Whether this is a sum that is not merely a part of a larger one."""
        if self._form(value, "add") is None or value not in self.runs:
            return False
        return self.uses[value] != 1 or value not in self.user or self._form(self.user[value], "add") is None

    def is_whole_product(self, value: int) -> bool:
        """Whether this is a product that is not merely a part of a larger one or a term of a sum."""
        if self._form(value, "mul") is None or value not in self.runs:
            return False
        if self.uses[value] != 1 or value not in self.user:
            return True
        user = self.chosen[self.user[value]]
        return user is None or user.op not in ("mul", "add")

    def regroup(self, value: int) -> None:
        """Multiply factors that do not depend on inputs first, so that they move to the set-up part."""
        form = self._form(value, "mul")
        if form is None:
            return
        rank = self.rank[value]
        factors = [factor for arg, _ in form.args for factor in self._factors(arg, 1, rank)[1]]
        still = [factor for factor in factors if factor not in self.runs]
        if len(still) < 2:
            return
        product: Ref = (still[0], 1)
        for factor in still[1:] + [factor for factor in factors if factor in self.runs][:-1]:
            product = self._product(product, (factor, 1), rank)
        last = next(factor for factor in reversed(factors) if factor in self.runs)
        self.chosen[value] = self.values.signed("mul", ((product[0], 1), (last, 1)), value)

    def rewrite(self, value: int) -> None:
        """Factor one sum, if any factor is shared."""
        terms = self._terms(value)
        if _shared_factor(terms) is None:
            return
        rank = self.rank[value]
        terms = self._factored_terms(terms, rank)
        parts = self._parts(terms, rank)
        if len(parts) > 1:
            form: Form | None = Form("add", (self._chain(parts[:-1], rank), parts[-1]), 1)
        else:  # all terms shared the factor: the sum is one product
            form = self.chosen[parts[0][0]]
        if form is not None:
            self.chosen[value] = self.values.signed(form.op, form.args, value)

    def _factored_terms(self, terms: list[Term], rank: float) -> list[Term]:
        """The terms with shared factors extracted, also within the remaining brackets."""
        while (factor := _shared_factor(terms)) is not None:
            inside = [(sign, _without(factors, factor)) for sign, factors in terms if _has(factors, factor)]
            terms = [term for term in terms if not _has(term[1], factor)]
            inner = self._chain(self._parts(self._factored_terms(inside, rank), rank), rank)
            product = self._product((factor, 1), inner, rank)
            terms.append((product[1], (product[0],)))
        return terms

    def _terms(self, value: int) -> list[Term]:
        """The sum as signed products of values; sums and products without other uses are expanded."""
        terms: list[Term] = []
        form = self._form(value, "add")
        stack = [(arg, sign) for arg, sign in reversed(form.args)] if form else []
        while stack:
            arg, sign = stack.pop()
            inner = self._form(arg, "add")
            if inner is not None and self.uses[arg] == 1 and arg in self.runs:
                stack += [(a, sign * inner.sign * s) for a, s in reversed(inner.args)]
            else:
                terms.append(self._factors(arg, sign, self.rank[value]))
        return terms

    def _factors(self, value: int, sign: int, rank: float) -> Term:
        factors: list[int] = []
        constant: Ref | None = None  # the product of all factors that do not depend on inputs
        stack = [value]
        while stack:
            arg = stack.pop()
            form = self._form(arg, "mul")
            if form is not None and self.uses[arg] == 1 and arg in self.runs:
                sign *= form.sign
                stack += [a for a, _ in reversed(form.args)]
            elif arg in self.runs or value not in self.runs:
                factors.append(arg)
            else:
                constant = (arg, 1) if constant is None else self._product(constant, (arg, 1), rank)
        if constant is not None:
            factors.insert(0, constant[0])
            sign *= constant[1]
        return sign, tuple(factors)

    def _parts(self, terms: Sequence[Term], rank: float) -> list[Ref]:
        parts: list[Ref] = []
        for sign, factors in terms:
            product: Ref = (factors[0], 1)
            for factor in factors[1:]:
                product = self._product(product, (factor, 1), rank)
            parts.append((product[0], sign * product[1]))
        return parts

    def _chain(self, parts: Sequence[Ref], rank: float) -> Ref:
        total = parts[0]
        for part in parts[1:]:
            total = self._value_of("add", (total, part), rank)
        return total

    def _product(self, a: Ref, b: Ref, rank: float) -> Ref:
        value, sign = self._value_of("mul", ((a[0], 1), (b[0], 1)), rank)
        return value, sign * a[1] * b[1]

    def _value_of(self, op: str, args: tuple[Ref, Ref], rank: float) -> Ref:
        """The value of a sum or product: one that is computed before, or a new one."""
        value, sign = self.values.numbered(self.values.result(op, args))
        is_there = value < len(self.chosen) and (
            value in self.values.constants
            or value in self.values.leaves
            or (self.chosen[value] is not None and self.rank.get(value, float("inf")) < rank)
        )
        if is_there:
            return value, sign
        value = self.values.computed_by(self.chosen, (value, sign), op, args)
        self.rank[value] = rank - 0.5
        if any(arg in self.runs for arg, _ in args):
            self.runs.add(value)
        return value, sign


def _has(factors: tuple[int, ...], factor: int) -> bool:
    return len(factors) > 1 and factor in factors


def _without(factors: tuple[int, ...], factor: int) -> tuple[int, ...]:
    k = factors.index(factor)
    return factors[:k] + factors[k + 1 :]


def _shared_factor(terms: Sequence[Term]) -> int | None:
    """The factor that most terms have in common, if two have one."""
    counts: Counter[int] = Counter()
    for _, factors in terms:
        if len(factors) > 1:
            counts.update(dict.fromkeys(factors, 1))
    if not counts:
        return None
    factor, count = counts.most_common(1)[0]
    return factor if count > 1 else None


Pair = tuple[int, int, int]  # two values, the smaller first, and the product of their signs

#: A longer list is left alone, for its pairs are too many.
_LONG = 40


def share_subexpressions(
    values: Values, chosen: Sequence[Form | None], roots: Sequence[Ref], inputs: Iterable[int]
) -> list[Form | None]:
    """The chosen forms, with common parts of sums, and of products, computed once."""
    result = list(chosen)
    for op in ("mul", "add"):
        _Sharing(values, result, op, roots, set(inputs)).share()
    return result


class _Sharing:
    def __init__(
        self, values: Values, chosen: list[Form | None], op: str, roots: Sequence[Ref], runs: set[int]
    ) -> None:
        self.values, self.chosen, self.op = values, chosen, op
        self.sums = op == "add"
        order = operands_first(chosen, roots)
        uses: Counter[int] = Counter(value for value, _ in roots)
        inside: set[int] = set()  # what is a term of a list of the same kind
        for value in order:
            form = chosen[value]
            if form is None:
                continue
            if any(arg in runs for arg, _ in form.args):
                runs.add(value)
            uses.update(arg for arg, _ in form.args)
            if form.op == op:
                inside.update(arg for arg, _ in form.args)
        open_ = {value for value in inside if uses[value] == 1 and value in runs and self._form(value) is not None}
        wholes = [value for value in order if value in runs and value not in open_ and self._form(value) is not None]
        self.lists = {value: self._terms(value, open_) for value in wholes}
        self.lists = {value: terms for value, terms in self.lists.items() if _is_plain(terms)}
        self.changed: set[int] = set()

    def _form(self, value: int) -> Form | None:
        form = self.chosen[value]
        return form if form is not None and form.op == self.op else None

    def _terms(self, value: int, open_: set[int]) -> list[Ref]:
        """The terms of a sum with their signs, or the factors of a product."""
        terms: list[Ref] = []
        stack: list[Ref] = [(value, 1)]
        while stack:
            at, sign = stack.pop()
            form = self._form(at) if at == value or at in open_ else None
            if form is None:
                terms.append((at, sign if self.sums else 1))
            else:
                turned = sign if at == value else sign * form.sign
                stack += [(arg, turned * s) for arg, s in reversed(form.args)]
        return terms

    def share(self) -> None:
        """Take out the pair that most lists contain, until none is in two."""
        where: defaultdict[Pair, dict[int, None]] = defaultdict(dict)
        for value, terms in self.lists.items():
            for pair in map(_pair, combinations(terms, 2)):
                where[pair][value] = None
        waiting = [(-len(users), pair) for pair, users in where.items() if len(users) > 1]
        heapify(waiting)
        while waiting:
            size, pair = heappop(waiting)
            users = where.get(pair, {})
            if len(users) < 2:
                continue
            if len(users) != -size:
                heappush(waiting, (-len(users), pair))
                continue
            for grown in self._take_out(pair, list(users), where):
                if len(where[grown]) > 1:
                    heappush(waiting, (-len(where[grown]), grown))
        for value in self.changed:
            self._write(value)

    def _take_out(self, pair: Pair, users: list[int], where: dict[Pair, dict[int, None]]) -> set[Pair]:
        """Replace a pair by a value of its own in the lists that contain it; the pairs that this makes."""
        a, b, signs = pair
        part = self._value_equal_to(pair, users) or self._value_of(((a, 1), (b, signs)))
        grown: set[Pair] = set()
        for value in users:
            terms = self.lists[value]
            if len(terms) == 2:
                continue
            for old in map(_pair, combinations(terms, 2)):
                where[old].pop(value, None)
            k, (_, sign) = next((k, term) for k, term in enumerate(terms) if term[0] == a)
            terms[k] = (part[0], sign * part[1])
            terms[:] = [term for term in terms if term[0] != b]
            self.changed.add(value)
            for new in map(_pair, combinations(terms, 2)):
                where[new][value] = None
                grown.add(new)
        return grown

    def _value_equal_to(self, pair: Pair, users: Iterable[int]) -> Ref | None:
        """The value that is this very pair, if there is one."""
        for value in users:
            terms = self.lists[value]
            if len(terms) == 2:
                sign = self.values.signed(self.op, (terms[0], terms[1]), value).sign
                return value, sign * next(s for at, s in terms if at == pair[0])
        return None

    def _write(self, value: int) -> None:
        """The list of a value as a chain of two by two."""
        terms = self.lists[value]
        total = terms[0]
        for term in terms[1:-1]:
            total = self._value_of((total, term))
        self.chosen[value] = self.values.signed(self.op, (total, terms[-1]), value)

    def _value_of(self, args: tuple[Ref, Ref]) -> Ref:
        """A new value, the sum or the product of two; one that is the same function may be computed from it."""
        value, sign = self.values.numbered(self.values.result(self.op, args))
        return self.values.computed_by(self.chosen, (value, sign), self.op, args), sign if self.sums else 1


def _is_plain(terms: Sequence[Ref]) -> bool:
    """Whether a list has terms to share, and none twice."""
    return 1 < len(terms) <= _LONG and len({value for value, _ in terms}) == len(terms)


def _pair(terms: tuple[Ref, ...]) -> Pair:
    (a, s), (b, t) = sorted(terms)
    return a, b, s * t
