"""Packs of neighbouring stores: the entries of an output's rows are the seeds.

A pack's lanes are sums of products; terms that share a
factor in several lanes become one term with that factor in all lanes, what is missing in a lane being zero, and the
other factors are lanes of a further pack, as long as that saves operations; otherwise they are gathered. Signs are
moved from lane to lane's operands, for the plan lets them fall as they come.

The result computes the same values up to the order in which the terms of a sum are added; where a number is not
finite, its neighbours in a vector may not be either.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from ..ir.ops import live_run
from ..ir.packed import Gather, Lane, Pack, Packed, PackScheduler, Source, Splat, Term, Whole
from ..ir.program import Instruction, Program
from .reassociation import without_negations

Product = tuple[int, tuple[int, ...]]  # a sign, and the one or two slots whose product it is
Column = list[Product | None]  # a term of each lane, None where it has none

#: How deep the shape of an expression is looked at when terms are matched.
_SHAPE_DEPTH = 3

#: How many terms of a lane are looked at for one that fits.
_WINDOW = 16


def shapes(program: Program) -> list[int]:
    """For each slot a number that expressions of one shape, some operations deep, have in common."""
    first = program.first_run
    bounds = (program.first_input, program.first_parameter, first)
    leaves = [sum(slot >= bound for bound in bounds) for slot in range(first)]
    shape_of = leaves + [3] * len(program.run)
    numbers: dict[tuple[str, int, int], int] = {}
    kinds = ["add" if step.op == "sub" else step.op for step in program.run]
    for _ in range(_SHAPE_DEPTH):
        deeper = list(leaves)
        for kind, step in zip(kinds, program.run, strict=True):
            a, b = shape_of[step.args[0]], shape_of[step.args[-1]]
            deeper.append(numbers.setdefault((kind, a, b) if a <= b else (kind, b, a), len(numbers) + 4))
        shape_of = deeper
    return shape_of


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


#: How far operands are followed to see that no lane needs another.
_DEPTH = 400

_SUMS = ("add", "sub", "neg")


def pack_stores(program: Program, width: int) -> Packed:
    """The run part with as much in packs of `width` lanes as saves operations."""
    packer = _Packer(program, width)
    for row in segments(program, width):
        packer.seed(row)
    entries = tuple(tuple(without_negations(program, slot) for slot in output.slots) for output in program.outputs)
    return PackScheduler(program, packer.packs, entries).result()


def segments(program: Program, width: int) -> Iterator[tuple[int, ...]]:
    """The rows of the outputs, cut into pieces of `width` slots from the end, so that the first may be shorter."""
    for output in program.outputs:
        length = output.shape[-1] if output.shape else 1
        for start in range(0, len(output.slots), length or 1):
            for low, high in cuts(length, width):
                yield output.slots[start + low : start + high]


def cuts(length: int, width: int) -> list[tuple[int, int]]:
    """A row's pieces.

    >>> cuts(10, 4)
    [(0, 2), (2, 6), (6, 10)]
    """
    return [(max(0, high - width), high) for high in range(length, 0, -width)][::-1]


@dataclass
class _Packer:
    """Packs under construction: which there are, and which slots they compute."""

    program: Program
    width: int
    packs: list[Pack] = field(default_factory=list)
    owner: dict[int, int] = field(default_factory=dict)
    by_slots: dict[tuple[int | None, ...], int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.first = self.program.first_run
        self.wanted = live_run(self.program)
        self.uses = [0] * (self.first + len(self.program.run))
        for slot, step in enumerate(self.program.run, self.first):
            if slot in self.wanted:
                for arg in step.args:
                    self.uses[arg] += 1
        for output in self.program.outputs:
            for slot in output.slots:
                self.uses[slot] += 1
        # A pack must cost at most this part of its lanes one by one, as far as can be said before it is made.
        self.profitable = 0.5 + 0.8 / self.width
        self.shapes = shapes(self.program)
        self.seeds: set[int] = set()
        self.waiting: list[tuple[int, list[Column]]] = []

    def step(self, slot: int) -> Instruction | None:
        """The instruction of the run part that computes a slot."""
        return self.program.run[slot - self.first] if slot >= self.first else None

    def seed(self, row: Sequence[int]) -> None:
        """Start from neighbouring entries of an output; an entry that was met before stays out."""
        lanes: list[Lane] = []
        for slot in row:
            lane = without_negations(self.program, slot)
            lanes.append(None if lane[0] < self.first or lane[0] in self.seeds else lane)
        lanes += [None] * (self.width - len(lanes))
        self.seeds.update(lane[0] for lane in lanes if lane)
        self.source(lanes)
        while self.waiting:
            number, columns = self.waiting.pop()
            self.packs[number] = replace(self.packs[number], terms=tuple(map(self.term, columns)))

    def source(self, lanes: Sequence[Lane]) -> tuple[Source, tuple[int, ...]]:
        """The source of a vector with these lanes, and the signs to multiply it by."""
        slots = tuple(lane[0] if lane else None for lane in lanes)
        signs = tuple(lane[1] if lane else 0 for lane in lanes)
        if None not in slots and len(set(slots)) == 1:
            return Splat(slots[0] or 0), signs
        number = self.by_slots.get(slots)
        if number is None:
            columns = self.columns(slots, signs)
            if columns is None:
                return Gather(slots), signs
            number = self.by_slots[slots] = len(self.packs)
            self.packs.append(Pack(tuple(lanes), ()))
            self.owner.update((lane[0], number) for lane in lanes if lane)
            self.waiting.append((number, columns))
        held = self.packs[number].lanes
        return Whole(number), tuple(sign * (lane[1] if lane else 0) for sign, lane in zip(signs, held, strict=True))

    def term(self, column: Column) -> Term:
        """A column of products as a term: a factor that all lanes share, or else lanes of factors."""
        signs = [product[0] if product else 0 for product in column]
        factors: list[Source] = []
        count = max(len(product[1]) for product in column if product)
        for index in reversed(range(count)):
            alone = index == 0
            lanes: list[Lane] = []
            for product, sign in zip(column, signs, strict=True):
                lanes.append((product[1][index], sign if alone else 1) if product else None)
            if not alone:
                lanes = _filled(lanes)
            source, left = self.source(lanes)
            factors.append(source)
            signs = list(left) if alone else [a * (b or 1) for a, b in zip(signs, left, strict=True)]
        return Term(_tidy(signs), tuple(reversed(factors)))

    def columns(self, slots: Sequence[int | None], signs: Sequence[int]) -> list[Column] | None:
        """The columns of terms that a pack of these slots is the sum of; None if gathering is cheaper."""
        active = [slot for slot in slots if slot is not None]
        if len(active) < 2 or len(set(active)) < len(active):
            return None
        if any(slot < self.first or slot in self.owner for slot in active):
            return None
        listed = [[] if slot is None else self.terms(slot, sign) for slot, sign in zip(slots, signs, strict=True)]
        if any(slot is not None and not terms for slot, terms in zip(slots, listed, strict=True)):
            return None
        columns = align_terms(listed, self.shapes)
        cost = sum(1.0 + self._gather_cost(column) for column in columns)
        if cost > self.profitable * sum(map(len, listed)) or not self._independent(active):
            return None
        return columns

    def _gather_cost(self, column: Column) -> float:
        """What the factors of a column are expected to cost beside the multiplication."""
        total = 0.0
        for index in range(max(len(product[1]) for product in column if product)):
            slots = [product[1][index] if product else None for product in column]
            kinds = {slot for slot in slots if slot is not None}
            if len(kinds) == 1 or tuple(slots) in self.by_slots:
                continue
            free = all(self._is_open(slot) and slot not in self.owner for slot in kinds)
            total += 0.25 if free else 1.0
        return total

    def _is_open(self, slot: int) -> bool:
        """Whether a slot is a sum or a product of the run part."""
        step = self.step(slot)
        return step is not None and step.op in ("add", "sub", "mul")

    def terms(self, slot: int, sign: int) -> list[Product]:
        """A sum as its products, with sums and products without other uses expanded; empty for other operations."""
        if not self._is_open(slot):
            return []
        products: list[Product] = []
        stack = [(slot, sign)]
        while stack:
            at, turned = stack.pop()
            step = self.step(at)
            inside = at == slot or self.uses[at] == 1
            if step is not None and inside and step.op in _SUMS:
                second = -turned if step.op == "sub" else turned
                parts = (
                    [(step.args[0], -turned)] if step.op == "neg" else [(step.args[0], turned), (step.args[1], second)]
                )
                stack += reversed(parts)
            elif step is not None and inside and step.op == "mul":
                (a, s), (b, t) = (without_negations(self.program, arg) for arg in step.args)
                products.append((turned * s * t, (a, b)))
            else:
                at, turned = without_negations(self.program, at, turned)
                products.append((turned, (at,)))
        return products

    def _independent(self, slots: Sequence[int]) -> bool:
        """Whether no slot is needed for another, as far as is looked."""
        low, targets = min(slots), set(slots)
        seen: set[int] = set()
        stack = [arg for slot in slots for arg in self.program.run[slot - self.first].args]
        while stack and len(seen) < _DEPTH:
            at = stack.pop()
            if at in targets:
                return False
            if at > low and at not in seen:
                seen.add(at)
                stack += self.program.run[at - self.first].args
        return True


def _filled(lanes: Sequence[Lane]) -> list[Lane]:
    """Lanes whose other factor is zero may hold anything: the one slot there is, if there is one."""
    some = {lane for lane in lanes if lane}
    return [lane or next(iter(some)) for lane in lanes] if len(some) == 1 else list(lanes)


def _tidy(signs: Sequence[int]) -> tuple[int, ...]:
    """Signs with those of empty lanes chosen so that all are equal if possible."""
    kinds = set(signs) - {0}
    return tuple(signs) if len(kinds) > 1 else (next(iter(kinds), 1),) * len(signs)
