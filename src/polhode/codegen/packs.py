"""Packs: values that are computed alike, put side by side into the lanes of one vector.

Neighbouring entries of the rows of the outputs are the seeds. A pack's lanes are sums of products; terms that share a
factor in several lanes become one term with that factor in all lanes, what is missing in a lane being zero, and the
other factors are lanes of a further pack, as long as that saves operations; otherwise they are gathered. Signs are
moved from lane to lane's operands, for the plan lets them fall as they come.

The result computes the same values up to the order in which the terms of a sum are added; where a number is not
finite, its neighbours in a vector may not be either.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from .ops import live_run
from .program import Instruction, Program

Lane = tuple[int, int] | None  # a slot and the sign with which it is meant; None for zero
Unit = tuple[bool, int]  # (True, number of a pack) or (False, slot)
Product = tuple[int, tuple[int, ...]]  # a sign, and the one or two slots whose product it is

#: A pack must take at most this part of the operations of its lanes.
_WORTH = 0.7

#: How far operands are followed to see that no lane needs another.
_HORIZON = 400

#: How deep the shape of an expression is looked at when terms are matched.
_DEPTH = 3

_SUMS = ("add", "sub", "neg")


@dataclass(frozen=True, slots=True)
class Splat:
    """One slot in all lanes."""

    slot: int


@dataclass(frozen=True, slots=True)
class Gather:
    """Slots from anywhere; None for zero."""

    slots: tuple[int | None, ...]


@dataclass(frozen=True, slots=True)
class Whole:
    """The lanes of another pack, as they lie."""

    pack: int


Source = Splat | Gather | Whole


@dataclass(frozen=True, slots=True)
class Term:
    """A product of one or two sources, with a sign for each lane."""

    signs: tuple[int, ...]
    factors: tuple[Source, ...]


@dataclass(frozen=True, slots=True)
class Pack:
    """A sum of terms in lanes; lane k holds its slot times its sign, or nothing of interest."""

    lanes: tuple[Lane, ...]
    terms: tuple[Term, ...]


@dataclass(frozen=True)
class Packed:
    """A program's run part in packs and single slots, each after all that it reads."""

    packs: tuple[Pack, ...]
    order: tuple[Unit, ...]
    outputs: tuple[tuple[tuple[int, int], ...], ...]  # the entries of each output: slots and signs

    @property
    def cost(self) -> int:
        """How many steps it takes: single slots, terms, and vectors that are put together."""
        terms = [term for pack in self.packs for term in pack.terms]
        gathers = {factor for term in terms for factor in term.factors if isinstance(factor, Gather)}
        return sum(not is_pack for is_pack, _ in self.order) + len(terms) + len(gathers)

    def owners(self) -> dict[int, tuple[int, int, int]]:
        """For each slot that a pack computes the pack, the lane and the sign."""
        return _owners(number_and_pack for number_and_pack in enumerate(self.packs))


def _owners(packs: Iterable[tuple[int, Pack]]) -> dict[int, tuple[int, int, int]]:
    return {
        lane[0]: (number, place, lane[1])
        for number, pack in packs
        for place, lane in enumerate(pack.lanes)
        if lane is not None
    }


def packed(program: Program, width: int) -> Packed:
    """The run part with as much in packs of `width` lanes as saves operations."""
    packer = _Packer(program, width)
    for row in segments(program, width):
        packer.seed(row)
    return _Order(packer).result()


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
        self.shapes = _shapes(self.program)
        self.seeds: set[int] = set()
        self.waiting: list[tuple[int, list[list[Product | None]]]] = []

    def step(self, slot: int) -> Instruction | None:
        """The instruction of the run part that computes a slot."""
        return self.program.run[slot - self.first] if slot >= self.first else None

    def plain(self, slot: int, sign: int = 1) -> tuple[int, int]:
        """A slot without the negations on it."""
        step = self.step(slot)
        while step is not None and step.op == "neg":
            slot, sign = step.args[0], -sign
            step = self.step(slot)
        return slot, sign

    def seed(self, row: Sequence[int]) -> None:
        """Start from neighbouring entries of an output; an entry that was met before stays out."""
        lanes: list[Lane] = []
        for slot in row:
            lane = self.plain(slot)
            lanes.append(None if lane[0] < self.first or lane[0] in self.seeds else lane)
        lanes += [None] * (self.width - len(lanes))
        self.seeds.update(lane[0] for lane in lanes if lane)
        self.source(lanes)
        while self.waiting:
            number, columns = self.waiting.pop()
            self.packs[number] = replace(self.packs[number], terms=tuple(map(self.term, columns)))

    def source(self, lanes: Sequence[Lane]) -> tuple[Source, tuple[int, ...]]:
        """Where a vector with these lanes comes from, and the signs it is to be multiplied by."""
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

    def term(self, column: list[Product | None]) -> Term:
        """A column of products as a term: a factor that all lanes share, or else lanes of factors."""
        signs = [product[0] if product else 0 for product in column]
        factors: list[Source] = []
        count = max(len(product[1]) for product in column if product)
        for place in reversed(range(count)):
            alone = place == 0
            lanes: list[Lane] = []
            for product, sign in zip(column, signs, strict=True):
                lanes.append((product[1][place], sign if alone else 1) if product else None)
            if not alone:
                lanes = _filled(lanes)
            source, left = self.source(lanes)
            factors.append(source)
            signs = list(left) if alone else [a * (b or 1) for a, b in zip(signs, left, strict=True)]
        return Term(_tidy(signs), tuple(reversed(factors)))

    def columns(self, slots: Sequence[int | None], signs: Sequence[int]) -> list[list[Product | None]] | None:
        """The columns of terms that a pack of these slots is the sum of; None if it is better gathered."""
        active = [slot for slot in slots if slot is not None]
        if len(active) < 2 or len(set(active)) < len(active):
            return None
        if any(slot < self.first or slot in self.owner for slot in active):
            return None
        listed = [[] if slot is None else self.terms(slot, sign) for slot, sign in zip(slots, signs, strict=True)]
        if any(slot is not None and not terms for slot, terms in zip(slots, listed, strict=True)):
            return None
        columns = _aligned(listed, self.shapes)
        cost = sum(1.0 + self._trouble(column) for column in columns)
        if cost > _WORTH * sum(map(len, listed)) or not self._independent(active):
            return None
        return columns

    def _trouble(self, column: list[Product | None]) -> float:
        """What the factors of a column are expected to cost beside the multiplication."""
        total = 0.0
        for place in range(max(len(product[1]) for product in column if product)):
            slots = [product[1][place] if product else None for product in column]
            kinds = {slot for slot in slots if slot is not None}
            if len(kinds) == 1 or tuple(slots) in self.by_slots:
                continue
            free = all(slot >= self.first and slot not in self.owner and self.terms(slot, 1) for slot in kinds)
            total += 0.25 if free else 1.0
        return total

    def terms(self, slot: int, sign: int) -> list[Product]:
        """A sum as its products, sums and products that serve nothing else opened; empty for other operations."""
        step = self.step(slot)
        if step is None or step.op not in ("add", "sub", "mul"):
            return []
        found: list[Product] = []
        stack = [(slot, sign)]
        while stack:
            at, own = stack.pop()
            step = self.step(at)
            inside = at == slot or self.uses[at] == 1
            if step is not None and inside and step.op in _SUMS:
                second = -own if step.op == "sub" else own
                parts = [(step.args[0], -own)] if step.op == "neg" else [(step.args[0], own), (step.args[1], second)]
                stack += reversed(parts)
            elif step is not None and inside and step.op == "mul":
                (a, s), (b, t) = self.plain(step.args[0]), self.plain(step.args[1])
                found.append((own * s * t, (a, b)))
            else:
                at, own = self.plain(at, own)
                found.append((own, (at,)))
        return found

    def _independent(self, slots: Sequence[int]) -> bool:
        """Whether no slot is needed for another, as far as is looked."""
        low, targets = min(slots), set(slots)
        seen: set[int] = set()
        stack = [arg for slot in slots for arg in self.program.run[slot - self.first].args]
        while stack and len(seen) < _HORIZON:
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


def _shapes(program: Program) -> list[int]:
    """For each slot a number that expressions of the same form, some operations deep, have in common."""
    first = program.first_run
    bounds = (program.first_input, program.first_parameter, first)
    leaves = [sum(slot >= bound for bound in bounds) for slot in range(first)]
    shapes = leaves + [3] * len(program.run)
    known: dict[tuple[str, int, int], int] = {}
    kinds = ["add" if step.op == "sub" else step.op for step in program.run]
    for _ in range(_DEPTH):
        deeper = list(leaves)
        for kind, step in zip(kinds, program.run, strict=True):
            a, b = shapes[step.args[0]], shapes[step.args[-1]]
            deeper.append(known.setdefault((kind, a, b) if a <= b else (kind, b, a), len(known) + 4))
        shapes = deeper
    return shapes


def _aligned(listed: Sequence[Sequence[Product]], shapes: Sequence[int]) -> list[list[Product | None]]:
    """Terms of several lanes in columns: first those with a factor in common, put first, then those of like form."""
    rest = [list(terms) for terms in listed]
    columns: list[list[Product | None]] = []
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


def _like(rest: list[list[Product]], count: int, shapes: Sequence[int]) -> Iterator[list[Product | None]]:
    """Columns of what is left with so many factors, matched by form."""
    queues = [[term for term in terms if len(term[1]) == count] for terms in rest]
    while any(queues):
        lead = max(queues, key=len)[0]
        form = tuple(shapes[factor] for factor in lead[1])
        column: list[Product | None] = []
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


class _Order:
    """Packs and single slots in an order of computation; a pack that would need itself is dissolved."""

    def __init__(self, packer: _Packer) -> None:
        self.packer, self.first = packer, packer.first
        self.program = packer.program
        self.dissolved: set[int] = set()
        self.outputs = tuple(tuple(map(packer.plain, output.slots)) for output in packer.program.outputs)

    def result(self) -> Packed:
        while True:
            owners = _owners((n, p) for n, p in enumerate(self.packer.packs) if n not in self.dissolved)
            order, stuck = self._sorted(owners)
            if not stuck:
                break
            self.dissolved |= stuck
        kept = [n for n in range(len(self.packer.packs)) if n not in self.dissolved]
        number = {old: new for new, old in enumerate(kept)}
        packs = tuple(self._final(self.packer.packs[n], number) for n in kept)
        return Packed(packs, tuple((is_pack, number[n] if is_pack else n) for is_pack, n in order), self.outputs)

    def _final(self, pack: Pack, number: dict[int, int]) -> Pack:
        return replace(pack, terms=tuple(self._final_term(term, number) for term in pack.terms))

    def _final_term(self, term: Term, number: dict[int, int]) -> Term:
        factors: list[Source] = []
        signs = list(term.signs)
        for factor in term.factors:
            if not isinstance(factor, Whole):
                factors.append(factor)
            elif factor.pack in number:
                factors.append(Whole(number[factor.pack]))
            else:
                lanes = self.packer.packs[factor.pack].lanes
                factors.append(Gather(tuple(lane[0] if lane else None for lane in lanes)))
                signs = [sign * (lane[1] if lane else 1) for sign, lane in zip(signs, lanes, strict=True)]
        return Term(tuple(signs), tuple(factors))

    def _reads(self, unit: Unit, owners: dict[int, tuple[int, int, int]]) -> list[Unit]:
        """The units that a unit needs."""
        is_pack, n = unit
        slots: list[int] = []
        found: list[Unit] = []
        if is_pack:
            for term in self.packer.packs[n].terms:
                for factor in term.factors:
                    if isinstance(factor, Splat):
                        slots.append(factor.slot)
                    elif isinstance(factor, Gather):
                        slots += [slot for slot in factor.slots if slot is not None]
                    elif factor.pack in self.dissolved:
                        slots += [lane[0] for lane in self.packer.packs[factor.pack].lanes if lane]
                    else:
                        found.append((True, factor.pack))
        else:
            slots += self.program.run[n - self.first].args
        for slot in slots:
            if slot in owners:
                found.append((True, owners[slot][0]))
            elif slot >= self.first:
                found.append((False, slot))
        return found

    def _sorted(self, owners: dict[int, tuple[int, int, int]]) -> tuple[list[Unit], set[int]]:
        """Units, operands first, depth first from the outputs; and packs that stand in their own way."""
        order: list[Unit] = []
        stuck: set[int] = set()
        state: dict[Unit, bool] = {}  # False: begun, True: done
        for slot in dict.fromkeys(slot for output in self.outputs for slot, _ in output if slot >= self.first):
            stack: list[Unit] = [(True, owners[slot][0]) if slot in owners else (False, slot)]
            begun: list[Unit] = []
            while stack:
                unit = stack[-1]
                if unit in state:
                    stack.pop()
                    if not state[unit]:
                        state[unit] = True
                        order.append(begun.pop())
                    continue
                state[unit] = False
                begun.append(unit)
                for need in reversed(self._reads(unit, owners)):
                    if need not in state:
                        stack.append(need)
                    elif not state[need]:
                        stuck.add(next(n for is_pack, n in begun[begun.index(need) :] if is_pack))
        return order, stuck
