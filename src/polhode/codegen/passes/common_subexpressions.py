"""Common subexpressions of sums and of products: a + b + c and a + d + b share a + b.

Sums and products that are used once are taken as lists of terms. The pair of terms that most lists contain becomes a
value of its own, again and again; each time k lists contain it, k - 1 operations are saved. A sum's pair may occur with
both signs turned.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from heapq import heapify, heappop, heappush
from itertools import combinations

from .value_numbering import Form, Ref, Values, operands_first

Pair = tuple[int, int, int]  # two values, the smaller first, and the product of their signs

#: A longer list is left alone, for its pairs are too many.
_LONG = 40


def share_subexpressions(
    values: Values, chosen: Sequence[Form | None], roots: Sequence[Ref], inputs: Iterable[int]
) -> list[Form | None]:
    """The chosen forms with what sums, and what products, have in common computed once."""
    made = list(chosen)
    for op in ("mul", "add"):
        _Sharing(values, made, op, roots, set(inputs)).share()
    return made


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
                own = sign if at == value else sign * form.sign
                stack += [(arg, own * s) for arg, s in reversed(form.args)]
        return terms

    def share(self) -> None:
        """Take out the pair that most lists contain, until none is in two."""
        where: defaultdict[Pair, dict[int, None]] = defaultdict(dict)
        for value, terms in self.lists.items():
            for pair in map(_pair, combinations(terms, 2)):
                where[pair][value] = None
        waiting = [(-len(found), pair) for pair, found in where.items() if len(found) > 1]
        heapify(waiting)
        while waiting:
            size, pair = heappop(waiting)
            found = where.get(pair, {})
            if len(found) < 2:
                continue
            if len(found) != -size:
                heappush(waiting, (-len(found), pair))
                continue
            for grown in self._take_out(pair, list(found), where):
                if len(where[grown]) > 1:
                    heappush(waiting, (-len(where[grown]), grown))
        for value in self.changed:
            self._write(value)

    def _take_out(self, pair: Pair, found: list[int], where: dict[Pair, dict[int, None]]) -> set[Pair]:
        """Replace a pair by a value of its own in the lists that contain it; the pairs that this makes."""
        a, b, signs = pair
        part = self._whole(pair, found) or self._value_of(((a, 1), (b, signs)))
        grown: set[Pair] = set()
        for value in found:
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

    def _whole(self, pair: Pair, found: Iterable[int]) -> Ref | None:
        """The value that is this very pair, if there is one."""
        for value in found:
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
        return self.values.made(self.chosen, (value, sign), self.op, args), sign if self.sums else 1


def _is_plain(terms: Sequence[Ref]) -> bool:
    """Whether a list has terms to share, and none twice."""
    return 1 < len(terms) <= _LONG and len({value for value, _ in terms}) == len(terms)


def _pair(terms: tuple[Ref, ...]) -> Pair:
    (a, s), (b, t) = sorted(terms)
    return a, b, s * t
