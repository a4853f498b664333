"""Alignment of terms: which terms of one lane's sum go into a vector with which of another's."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..ir.program import Program

Product = tuple[int, tuple[int, ...]]  # a sign, and the one or two slots whose product it is
Column = list[Product | None]  # a term of each lane, None where it has none

#: How deep the shape of an expression is looked at when terms are matched.
_DEPTH = 3

#: How many terms of a lane are looked at for one that fits.
_WINDOW = 16


def shapes(program: Program) -> list[int]:
    """For each slot a number that expressions of one shape, some operations deep, have in common."""
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


def align_terms(listed: Sequence[Sequence[Product]], shapes: Sequence[int]) -> list[Column]:
    """Terms of several lanes in columns: first those with a factor in common, put last, then those of one shape.

    >>> align_terms([[(1, (7, 3))], [(-1, (3, 8))], []], [0] * 9)
    [[(1, (7, 3)), (-1, (8, 3)), None]]
    """
    rest = [dict(enumerate(terms)) for terms in listed]
    indices: dict[int, list[list[int]]] = {}  # factor -> for each lane the indices of the products that have it
    for lane, terms in enumerate(listed):
        for index, (_, factors) in enumerate(terms):
            for factor in set(factors) if len(factors) == 2 else ():
                indices.setdefault(factor, [[] for _ in listed])[lane].append(index)
    columns: list[Column] = []
    for factor in sorted(indices, key=lambda factor: (-sum(map(bool, indices[factor])), factor)):
        while True:
            left = [[index for index in lane if index in rest[k]] for k, lane in enumerate(indices[factor])]
            if sum(map(bool, left)) < 2:
                break
            taken = [rest[k].pop(lane[0]) if lane else None for k, lane in enumerate(left)]
            columns.append([product and _with_last(product, factor) for product in taken])
    for count in (2, 1):
        columns += _matched([[term for term in terms.values() if len(term[1]) == count] for terms in rest], shapes)
    return sorted(columns, key=lambda column: max(max(product[1]) for product in column if product))


def _with_last(product: Product, factor: int) -> Product:
    """The product with this factor last."""
    sign, (a, b) = product
    return sign, ((a, b) if b == factor else (b, a))


def _matched(queues: list[list[Product]], shapes: Sequence[int]) -> Iterator[Column]:
    """Columns of terms with one number of factors, matched by shape."""
    while any(queues):
        lead = max(queues, key=len)[0]
        shape = tuple(shapes[factor] for factor in lead[1])
        column: Column = []
        for queue in queues:
            near = queue[:_WINDOW]
            fitting = next((k for k, term in enumerate(near) if _reordered(term, shape, shapes) is not None), 0)
            if queue:
                term = queue.pop(fitting)
                column.append(_reordered(term, shape, shapes) or term)
            else:
                column.append(None)
        yield column


def _reordered(term: Product, shape: tuple[int, ...], shapes: Sequence[int]) -> Product | None:
    """The term with its factors in the order of the shape, if it has that shape."""
    for factors in (term[1], term[1][::-1]):
        if tuple(shapes[factor] for factor in factors) == shape:
            return term[0], factors
    return None
