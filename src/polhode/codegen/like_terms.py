"""Sums of products beside each other: which of their terms are computed alike."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .program import Program

Product = tuple[int, tuple[int, ...]]  # a sign, and the one or two slots whose product it is
Column = list[Product | None]  # a term of each lane, None where it has none

#: How deep the form of an expression is looked at when terms are matched.
_DEPTH = 3


def shapes(program: Program) -> list[int]:
    """For each slot a number that expressions of the same form, some operations deep, have in common."""
    first = program.first_run
    bounds = (program.first_input, program.first_parameter, first)
    leaves = [sum(slot >= bound for bound in bounds) for slot in range(first)]
    found = leaves + [3] * len(program.run)
    known: dict[tuple[str, int, int], int] = {}
    kinds = ["add" if step.op == "sub" else step.op for step in program.run]
    for _ in range(_DEPTH):
        deeper = list(leaves)
        for kind, step in zip(kinds, program.run, strict=True):
            a, b = found[step.args[0]], found[step.args[-1]]
            deeper.append(known.setdefault((kind, a, b) if a <= b else (kind, b, a), len(known) + 4))
        found = deeper
    return found


def aligned(listed: Sequence[Sequence[Product]], shapes: Sequence[int]) -> list[Column]:
    """Terms of several lanes in columns: first those with a factor in common, put first, then those of like form."""
    rest = [list(terms) for terms in listed]
    columns: list[Column] = []
    while True:
        shared: dict[int, int] = {}
        for terms in rest:
            for factor in {factor for _, factors in terms if len(factors) == 2 for factor in factors}:
                shared[factor] = shared.get(factor, 0) + 1
        best = max(shared, key=lambda factor: (shared[factor], -factor), default=None)
        if best is None or shared[best] < 2:
            break
        columns.append([_taken(terms, best) for terms in rest])
    for count in (2, 1):
        columns += _like(rest, count, shapes)
    return sorted(columns, key=lambda column: max(max(product[1]) for product in column if product))


def _taken(terms: list[Product], factor: int) -> Product | None:
    """Take the first product with this factor out of a lane; the factor comes last."""
    for place, (sign, factors) in enumerate(terms):
        if len(factors) == 2 and factor in factors:
            del terms[place]
            other = factors[0] if factors[1] == factor else factors[1]
            return sign, (other, factor)
    return None


def _like(rest: list[list[Product]], count: int, shapes: Sequence[int]) -> Iterator[Column]:
    """Columns of what is left with so many factors, matched by form."""
    queues = [[term for term in terms if len(term[1]) == count] for terms in rest]
    while any(queues):
        lead = max(queues, key=len)[0]
        form = tuple(shapes[factor] for factor in lead[1])
        column: Column = []
        for queue in queues:
            fitting = next((k for k, term in enumerate(queue) if _turned(term, form, shapes) is not None), 0)
            if queue:
                term = queue.pop(fitting)
                column.append(_turned(term, form, shapes) or term)
            else:
                column.append(None)
        yield column


def _turned(term: Product, form: tuple[int, ...], shapes: Sequence[int]) -> Product | None:
    """The term with its factors in the order of the form, if it has that form."""
    for factors in (term[1], term[1][::-1]):
        if tuple(shapes[factor] for factor in factors) == form:
            return term[0], factors
    return None
