"""The SLP vectoriser: isomorphic groups of values become packs, where the cost model says that this pays.

Legs that are alike give values that are computed by the same operations, one for each lane of a vector. Seeds are
inputs that are used alike, such as the first angle of each leg: from an isomorphism class of exactly `count` values
down to the inputs, operands of one shape are grouped by majority. Groups grow from the seeds towards the outputs:
values that apply one operation to the same groups are a group; operands outside of groups should be one slot for all
lanes, or else of one shape, or else used alike (`use_hashes`). Last, sums with most terms in common are a group, a term
that one lacks being zero. Sines and cosines of angles, which are ready first and cost most, are packs of their own.

Costs are instructions, roughly; a pack that costs more than its values one by one is dissolved, until none does.

A lane may hold its value with either sign: a mirrored leg adds where the other one subtracts. A product with a constant
takes any pattern of signs, for the constant takes it; other products have the product of their factors' patterns; the
terms of a sum should all have one. Patterns are vectors over GF(2), one bit a lane, up to a common sign: unknown for
products with a constant and for gathered vectors, else sums of unknowns. Each further term of a sum is a linear
equation, solved as it comes; a term whose equation cannot hold is multiplied by ±1 in its lanes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from heapq import heappop, heappush
from itertools import zip_longest

from ..ir.packed import Gather, Pack, Packed, PackScheduler, Source, Splat, Term, Whole
from ..ir.program import Program
from ..passes.function_splitting import WHOLE
from .reassociation import Node, isomorphism_classes, reassociated, use_hashes, users_of, without_negations


def seed_groups(
    program: Program, values: Mapping[int, Node], shape: Mapping[int, int], count: int
) -> list[tuple[int, ...]]:
    """Groups of inputs, one for each of `count` lanes, lowest slot first."""
    first, last = program.first_input, program.first_parameter
    eligible = {*values, *range(first, last)}
    group_of = _classes(values, shape, count)
    votes: dict[int, Counter[tuple[int, ...]]] = {}
    done: set[tuple[int, ...]] = set()
    for slot in [*reversed(values), *range(last - 1, first - 1, -1)]:
        if slot not in group_of and slot in votes:
            elected, _ = max(votes[slot].items(), key=lambda item: (item[1], item[0]))
            if not any(member in group_of for member in elected):
                group_of.update(dict.fromkeys(elected, elected))
        members = group_of.get(slot)
        if members is None or members in done or slot not in values:
            continue
        done.add(members)
        for parts in _isomorphic_operands(values, shape, members):
            if len(set(parts)) == count and eligible.issuperset(parts) and group_of.keys().isdisjoint(parts):
                for part in parts:
                    votes.setdefault(part, Counter())[parts] += 1
    return _with_neighbours(program, sorted({group_of[slot] for slot in range(first, last) if slot in group_of}))


def _classes(values: Mapping[int, Node], shape: Mapping[int, int], count: int) -> dict[int, tuple[int, ...]]:
    """The isomorphism classes with so many members, by member."""
    classes: dict[int, list[int]] = {}
    for slot in values:
        classes.setdefault(shape[slot], []).append(slot)
    return {slot: tuple(members) for members in classes.values() if len(members) == count for slot in members}


def _isomorphic_operands(
    values: Mapping[int, Node], shape: Mapping[int, int], members: tuple[int, ...]
) -> list[tuple[int, ...]]:
    """Groups of operands: a shape that each member has one operand of."""
    columns: list[tuple[int, ...]] = []
    for kind in dict.fromkeys(shape[arg] for arg in values[members[0]].args):
        operands = [[arg for arg in values[member].args if shape[arg] == kind] for member in members]
        if all(len(parts) == 1 for parts in operands):
            columns.append(tuple(sorted(parts[0] for parts in operands)))
    return columns


def _with_neighbours(program: Program, tuples: list[tuple[int, ...]]) -> list[tuple[int, ...]]:
    """Groups within one array, and the free inputs beside them."""
    array_of: dict[int, int] = {}
    for number, array in enumerate(program.arrays):
        array_of.update(dict.fromkeys(program.slots_of(array.name), number))
    groups = [members for members in tuples if len({array_of[slot] for slot in members}) == 1]
    taken = {slot for members in groups for slot in members}
    waiting = list(groups)
    while waiting:
        members = waiting.pop(0)
        for step in (1, -1):
            beside = tuple(slot + step for slot in members)
            if not taken.intersection(beside) and {array_of.get(slot) for slot in beside} == {array_of[members[0]]}:
                taken.update(beside)
                groups.append(beside)
                waiting.append(beside)
    return sorted(groups)


#: How many steps ahead are looked at to tell candidates apart.
_AHEAD = 4

#: Sums are a group if so much of the longest one's terms are in common groups.
_ENOUGH = 0.5

Key = tuple[object, ...]
Group = tuple[int, ...]

_AGAIN, _SAME, _FORM, _ANY, _MOST = range(5)


def isomorphic_groups(
    program: Program, values: Mapping[int, Node], shape: Mapping[int, int], count: int
) -> list[Group]:
    """Groups of `count` values: a slot for each lane, inputs first, then as they are found."""
    growth = _Growth(program, values, shape, seed_groups(program, values, shape, count), count)
    growth.grow()
    return growth.groups


class _Growth:
    """Groups under construction: values in the lane they belong to wait in buckets until each lane has one."""

    def __init__(
        self,
        program: Program,
        values: Mapping[int, Node],
        shape: Mapping[int, int],
        inputs: Sequence[Group],
        count: int,
    ) -> None:
        self.values, self.shape, self.count = values, shape, count
        self.constants = program.constants
        # What a leaf is: a constant, an input, or something that comes from parameters.
        self.bounds = program.first_input, program.first_parameter, program.first_run
        self.users = users_of(values)
        self.use_hashes = use_hashes(values, shape, self.users, _AHEAD)
        self.level: dict[int, int] = {}
        for slot, node in values.items():
            self.level[slot] = 1 + max((self.level.get(arg, 0) for arg in node.args), default=0)
        self.lane: dict[int, int] = {}
        self.number: dict[int, int] = {}
        self.groups: list[Group] = []
        self.keys: dict[int, tuple[Key, ...]] = {}
        self.buckets: dict[tuple[int, Key], list[list[int]]] = {}
        self.sums: dict[int, list[int]] = {}  # group -> sums that have a term of it
        self.heap: list[tuple[int, int, int, Key]] = []  # stage, level, first slot, key
        for group in inputs:
            self.add(group)

    def grow(self) -> None:
        while self.heap:
            stage, level, slot, key = heappop(self.heap)
            if stage == _AGAIN:
                self._file(level, slot)
            elif stage == _MOST:
                self._most(slot)
            else:
                self._match(stage, key)

    def add(self, group: Group) -> None:
        """Let these be a group; their users may become groups, too."""
        for lane, slot in enumerate(group):
            self.lane[slot], self.number[slot] = lane, len(self.groups)
        self.groups.append(group)
        for slot in group:
            for user in self.users.get(slot, ()):
                if user not in self.lane:
                    heappush(self.heap, (_AGAIN, self.level[user], user, ()))

    def _file(self, level: int, slot: int) -> None:
        """Put a value into its lane's buckets, if its operands are in one lane."""
        if slot in self.lane:
            return
        lanes = {self.lane[arg] for arg in self.values[slot].args if arg in self.lane}
        if len(lanes) > 1:
            self.keys.pop(slot, None)
            return
        keys = self._keys(slot)
        if self.keys.get(slot) == keys:
            return
        self.keys[slot] = keys
        lane = lanes.pop()
        for stage, key in enumerate(keys, _SAME):
            bucket = self.buckets.setdefault((stage, key), [[] for _ in range(self.count)])
            bucket[lane].append(slot)
            heappush(self.heap, (stage, level, slot, key))
        node = self.values[slot]
        if node.op == "sum":
            for arg in node.args:
                if arg in self.number:
                    self.sums.setdefault(self.number[arg], []).append(slot)
            heappush(self.heap, (_MOST, level, slot, ()))

    def _keys(self, slot: int) -> tuple[Key, ...]:
        """Operation and operands: those in no group by slot, then by shape, then as any, as far as there are such."""
        node = self.values[slot]
        inputs, parameters, run = self.bounds
        parts: list[tuple[int, int]] = []
        others: list[int] = []
        for arg in node.args:
            if arg in self.number:
                parts.append((3, self.number[arg]))
            elif arg < inputs or parameters <= arg < run:
                parts.append((int(arg < inputs), 0))
            else:
                others.append(len(parts))
                parts.append((2, arg))
        keys = [parts]
        if others:
            keys.append([(2, self.shape[node.args[k]]) if k in others else part for k, part in enumerate(parts)])
            keys.append([(2, 0) if k in others else part for k, part in enumerate(parts)])
        return tuple((node.op, *(sorted(key) if node.commutes else key)) for key in keys)

    def _match(self, stage: int, key: Key) -> None:
        """Take groups out of a bucket: those whose use hashes agree deepest first."""
        bucket = self.buckets[stage, key]
        if not all(bucket):
            return
        for lane, slots in enumerate(bucket):
            fresh = [slot for slot in dict.fromkeys(slots) if slot not in self.lane and slot in self.keys]
            bucket[lane] = [slot for slot in fresh if self.keys[slot][stage - _SAME :][:1] == (key,)]
        if not all(bucket):
            return
        if all(len(slots) == 1 for slots in bucket):
            group = tuple(slot for (slot,) in bucket)
            self.add(group)
            self._operands(group, stage)
            return
        for depth in range(_AHEAD, -1, -1):
            for exact in (True, False):
                sorted_by = [self._by_use_hash(slots, depth, exact) for slots in bucket]
                for use, leaders in sorted_by[0].items():
                    others = [table.get(use, []) for table in sorted_by[1:]]
                    for group in zip(leaders, *others, strict=False):
                        self.add(group)
                        self._operands(group, stage)
                bucket[:] = [[slot for slot in slots if slot not in self.lane] for slots in bucket]
                if not all(bucket):
                    return

    def _by_use_hash(self, slots: Sequence[int], depth: int, exact: bool) -> dict[Key, list[int]]:
        """Candidates by how they are used; `exact` also by the size of the numbers in them."""
        table: dict[Key, list[int]] = {}
        for slot in slots:
            table.setdefault((self.use_hashes[depth][slot], self._numbers(slot) if exact else ()), []).append(slot)
        return table

    def _numbers(self, slot: int) -> tuple[float, ...]:
        constants = self.constants
        return tuple(sorted(abs(constants[arg]) for arg in self.values[slot].args if arg < len(constants)))

    def _operands(self, group: Group, stage: int) -> None:
        """Operands of a group, of one shape, different in each lane and not yet grouped, are a group as well."""
        waiting = [group] if stage != _SAME else []
        while waiting:
            members = waiting.pop()
            for kind in dict.fromkeys(self.shape[arg] for arg in self.values[members[0]].args):
                columns = [self._free(slot, kind) for slot in members]
                if all(len(column) == 1 for column in columns):
                    operands = tuple(column[0] for column in columns)
                    if len(set(operands)) == self.count:
                        self.add(operands)
                        waiting.append(operands)

    def _free(self, slot: int, kind: int) -> list[int]:
        return [
            arg
            for arg in dict.fromkeys(self.values[slot].args)
            if arg in self.values and arg not in self.lane and self.shape[arg] == kind
        ]

    def _most(self, slot: int) -> None:
        """Group this sum with those that have most terms in common with it."""
        if slot in self.lane or slot not in self.keys:
            return
        terms = [self.number[arg] for arg in self.values[slot].args if arg in self.number]
        shared: dict[int, int] = {}
        for number in terms:
            for other in self.sums.get(number, ()):
                if other not in self.lane and other in self.keys:
                    shared[other] = shared.get(other, 0) + 1
        chosen: dict[int, int] = {}
        for other in sorted(shared, key=lambda other: (-shared[other], self.level[other], other)):
            chosen.setdefault(self._own_lane(other), other)
        chosen[self._own_lane(slot)] = slot
        longest = max(len(self.values[other].args) for other in chosen.values())
        if len(chosen) == self.count and all(
            shared.get(other, len(terms)) >= _ENOUGH * longest for other in chosen.values()
        ):
            group = tuple(chosen[lane] for lane in range(self.count))
            self.add(group)
            self._operands(group, _MOST)

    def _own_lane(self, slot: int) -> int:
        return next(self.lane[arg] for arg in self.values[slot].args if arg in self.lane)


Pattern = tuple[int, int]  # the set of its unknowns, and what is added to them: a bit for each lane


@dataclass
class _Equations:
    """The linear equations of sign patterns, solved one by one as they are added."""

    constants: int  # slots below are constants
    gathered: dict[Source, int]  # vectors that scalars are inserted into, and the unknowns that are their patterns

    def __post_init__(self) -> None:
        self.count = len(self.gathered)  # the others, which cost nothing, come after those
        self.given: dict[int, Pattern] = {}  # unknown -> its pattern
        self.solved = 0  # the set of those

    def unknown(self) -> Pattern:
        self.count += 1
        return 1 << (self.count - 1), 0

    def bits(self, signs: Sequence[int]) -> int:
        """The lanes whose sign is not the first one's."""
        lead = next((sign for sign in signs if sign), 1)
        return sum(1 << lane for lane, sign in enumerate(signs) if sign and sign != lead)

    def reduced(self, pattern: Pattern) -> Pattern:
        unknowns, lanes = pattern
        while unknowns & self.solved:
            top = (unknowns & self.solved).bit_length() - 1
            more, flipped = self.given[top]
            unknowns, lanes = unknowns ^ (1 << top) ^ more, lanes ^ flipped
        return unknowns, lanes

    def equal(self, a: Pattern, b: Pattern) -> bool:
        """Make two patterns equal, if that is possible."""
        unknowns, lanes = self.reduced((a[0] ^ b[0], a[1] ^ b[1]))
        if not unknowns:
            return not lanes
        top = unknowns.bit_length() - 1
        self.given[top] = unknowns ^ (1 << top), lanes
        self.solved |= 1 << top
        return True

    def is_constant(self, source: Source) -> bool:
        if isinstance(source, Gather):
            return all(slot is None or slot < self.constants for slot in source.slots)
        return isinstance(source, Splat) and source.slot < self.constants


def choose_signs(packs: Sequence[Pack], order: Sequence[int], constants: int) -> list[Pack]:
    """The packs with signs in their lanes, chosen so that few terms need any; `order` has operands first."""
    sources = (factor for pack in packs for term in pack.terms for factor in term.factors)
    gathered = dict.fromkeys(source for source in sources if not isinstance(source, Whole))
    signs = _Equations(constants, {source: index for index, source in enumerate(gathered)})
    patterns: dict[int, Pattern] = {}
    for number in order:
        patterns[number] = _pattern(packs[number], patterns, signs)
    finished = list(packs)
    for number in order:
        _, flipped = signs.reduced(patterns[number])
        finished[number] = _finished(packs[number], flipped, finished, signs)
    return finished


def _pattern(pack: Pack, patterns: Mapping[int, Pattern], signs: _Equations) -> Pattern:
    """The pattern of a pack, with the equations of its terms."""
    fixed: list[Pattern] = []
    for term in pack.terms:
        if not any(map(signs.is_constant, term.factors)):
            unknowns, lanes = 0, signs.bits(term.signs)
            for factor in term.factors:
                more, flipped = patterns[factor.pack] if isinstance(factor, Whole) else (1 << signs.gathered[factor], 0)
                unknowns, lanes = unknowns ^ more, lanes ^ flipped
            fixed.append((unknowns, lanes))
    if pack.op in ("sqrt", "cos", "abs"):
        if pack.op == "sqrt":
            signs.equal(fixed[0], (0, 0))
        return 0, 0
    if len(fixed) < (1 if pack.op == "sum" else len(pack.terms)):
        return signs.unknown()
    if pack.op != "sum":
        return reduce(lambda a, b: (a[0] ^ b[0], a[1] ^ b[1]), fixed)
    counts = Counter(map(signs.reduced, fixed))
    usual = max(counts, key=lambda pattern: counts[pattern])
    for pattern in counts:
        signs.equal(usual, pattern)
    return usual


def _finished(pack: Pack, flipped: int, packs: Sequence[Pack], signs: _Equations) -> Pack:
    """The pack with its lanes' signs, and its terms with the remaining signs."""
    width = len(pack.lanes)
    lane_signs = [-1 if flipped >> lane & 1 else 1 for lane in range(width)]
    terms: list[Term] = []
    for term in pack.terms:
        left = list(term.signs)
        for factor in term.factors:
            if isinstance(factor, Whole):
                held = packs[factor.pack].lanes
                left = [sign * (lane[1] if lane else 1) for sign, lane in zip(left, held, strict=True)]
        terms.append(replace(term, signs=tuple(left)))
    if pack.op in ("sum", "sin"):
        terms = [_flipped(term, lane_signs) for term in terms]
        # A common sign that spares the first term its own.
        lead = next((term for term in terms if not any(map(signs.is_constant, term.factors))), terms[0])
        if set(lead.signs) <= {-1, 0}:
            lane_signs = [-sign for sign in lane_signs]
            terms = [_flipped(term, [-1] * width) for term in terms]
    elif pack.op == "div":
        above, below = terms
        terms = [_flipped(_flipped(above, lane_signs), below.signs), replace(below, signs=(1,) * width)]
        if set(terms[0].signs) == {-1}:
            lane_signs = [-sign for sign in lane_signs]
            terms[0] = replace(terms[0], signs=(1,) * width)
    elif pack.op in ("cos", "abs"):
        terms = [replace(terms[0], signs=(1,) * width)]
    lanes = tuple(lane and (lane[0], sign) for lane, sign in zip(pack.lanes, lane_signs, strict=True))
    return replace(pack, lanes=lanes, terms=tuple(terms))


def _flipped(term: Term, signs: Sequence[int]) -> Term:
    return replace(term, signs=tuple(a * b for a, b in zip(term.signs, signs, strict=True)))


_SINCOS = ("sin", "cos")


def sincos_packs(values: Mapping[int, Node], groups: Iterable[Sequence[int]], first_run: int, width: int) -> list[Pack]:
    """Packs of the sines and of the cosines of angles that need neither, at least two and about `width` at a time."""
    if width < 2:
        return []
    slots: dict[tuple[str, int], int] = {}
    early: set[int] = set()
    for slot, node in values.items():
        if all(arg < first_run or arg in early for arg in node.args):
            if node.op in _SINCOS:
                slots.setdefault((node.op, node.args[0]), slot)
            elif node.op in ("sum", "mul"):
                early.add(slot)
    packs: list[Pack] = []
    for row in _rows(dict.fromkeys(angle for _, angle in slots), groups, width):
        term = Term((1,) * len(row), (Gather(row),))
        for op in _SINCOS:
            row_slots = [slots.get((op, angle)) if angle is not None else None for angle in row]
            if any(slot is not None for slot in row_slots):
                lanes = tuple(None if slot is None else (slot, 1) for slot in row_slots)
                packs.append(Pack(lanes, (term,), op))
    return packs


def _rows(angles: Mapping[int, None], groups: Iterable[Sequence[int]], width: int) -> list[tuple[int | None, ...]]:
    """Rows of two to `width` angles, a group in one row; three and more are padded to a multiple of four."""
    left = dict(angles)
    rows: list[list[int | None]] = [[]]
    together: list[Sequence[int]] = []
    for group in groups:
        if all(slot in left for slot in group):
            together.append(group)
            for slot in group:
                del left[slot]
    for group in [*together, *((slot,) for slot in left)]:
        if rows[-1] and len(rows[-1]) + len(group) > width:
            rows.append([])
        rows[-1] += group
    return [tuple(row + [None] * (-len(row) % 4 if len(row) > 2 else 0)) for row in rows if len(row) > 1]


Operand = tuple[int, int] | None  # a slot and its sign
Column = tuple[Operand, ...]  # an operand of each lane

#: What packs may do; other operations are left to single slots.
PACKABLE = ("sum", "mul", "div", "sqrt", "sin", "cos", "abs")


def group_packs(
    values: Mapping[int, Node], shape: Mapping[int, int], groups: Sequence[tuple[int, ...]], known: Sequence[Pack] = ()
) -> list[Pack]:
    """A pack, numbered after the known ones, for each group that is computed and not `known`."""
    number = {slot: k for k, group in enumerate(groups) for slot in group}
    there = {lane[0] for pack in known for lane in pack.lanes if lane}
    result = [
        group
        for group in groups
        if group[0] in values and values[group[0]].op in PACKABLE and not there.intersection(group)
    ]
    pack_number: dict[tuple[int | None, ...], int] = {group: k for k, group in enumerate(result, len(known))}
    pack_number.update((tuple(lane and lane[0] for lane in pack.lanes), k) for k, pack in enumerate(known))

    def source(slots: tuple[int | None, ...]) -> Source:
        if len(set(slots)) == 1 and slots[0] is not None:
            return Splat(slots[0])
        return Whole(pack_number[slots]) if slots in pack_number else Gather(slots)

    packs: list[Pack] = []
    for group in result:
        terms = [Term(_signs(c), (source(_slots(c)),)) for c in _columns([values[s] for s in group], shape, number)]
        if values[group[0]].op == "mul":
            signs = tuple(a * b for a, b in zip(terms[0].signs, terms[1].signs, strict=True))
            terms = [Term(signs, terms[0].factors + terms[1].factors)]
        packs.append(Pack(tuple((slot, 1) for slot in group), tuple(terms), _name(values[group[0]].op)))
    return packs


def _name(op: str) -> str:
    return "sum" if op == "mul" else op


def _slots(column: Column) -> tuple[int | None, ...]:
    return tuple(operand and operand[0] for operand in column)


def _signs(column: Column) -> tuple[int, ...]:
    return tuple(operand[1] if operand else 0 for operand in column)


def _columns(lanes: Sequence[Node], shape: Mapping[int, int], number: Mapping[int, int]) -> list[Column]:
    """The operands of all lanes, column by column."""
    listed = [list(zip(node.args, node.signs, strict=True)) for node in lanes]
    if lanes[0].op == "mul":
        return _factors(listed, shape, number)
    if lanes[0].op != "sum":
        return [tuple(column) for column in zip(*listed, strict=True)]
    return _terms(listed, shape, number)


def _factors(
    listed: Sequence[list[tuple[int, int]]], shape: Mapping[int, int], number: Mapping[int, int]
) -> list[Column]:
    """Two factors in each lane, swapped where they then fit those of the first lane better."""

    def similarity(a: int, b: int) -> int:
        if a in number and number[a] == number.get(b):
            return 3
        return 2 if a == b else int(shape[a] == shape[b])

    (a, _), (b, _) = listed[0]
    ordered: list[list[tuple[int, int]]] = []
    for (c, s), (d, t) in listed:
        straight = similarity(a, c) + similarity(b, d) >= similarity(a, d) + similarity(b, c)
        ordered.append([(c, s), (d, t)] if straight else [(d, t), (c, s)])
    return [tuple(column) for column in zip(*ordered, strict=True)]


def _terms(
    listed: Sequence[list[tuple[int, int]]], shape: Mapping[int, int], number: Mapping[int, int]
) -> list[Column]:
    """Terms of one group, then the same slot, then of one shape, then what is left; in the first lane's order."""
    rest = [list(lane) for lane in listed]
    terms: list[Column] = []
    kinds: list[Callable[[int], int | None]] = [number.get, lambda slot: slot, shape.get]
    for kind in kinds:
        for key in dict.fromkeys(kind(slot) for lane in rest for slot, _ in lane):
            while key is not None and all(any(kind(slot) == key for slot, _ in lane) for lane in rest):
                places = [next(k for k, (slot, _) in enumerate(lane) if kind(slot) == key) for lane in rest]
                terms.append(tuple(lane.pop(k) for lane, k in zip(rest, places, strict=True)))
    terms += zip_longest(*rest)
    rank = {operand: k for k, operand in enumerate(listed[0])}
    return sorted(terms, key=lambda column: rank.get(column[0], len(rank)) if column[0] else len(rank))


#: What operations cost beside an addition; sine and cosine come together, so each is half of both.
_COST = {"div": 4.0, "sqrt": 4.0, "sin": 12.0, "cos": 12.0}


class CostModel:
    """The cost of each pack, and of its values one by one."""

    def __init__(self, program: Program, values: Mapping[int, Node], packs: Sequence[Pack]) -> None:
        self.program, self.values, self.packs = program, values, packs
        self.users = users_of(values)
        self.kept = set(range(len(packs)))
        self.owner = {slot: number for number, pack in enumerate(packs) for slot in _lane_slots(pack)}
        self.sources = [list(dict.fromkeys(_sources(pack))) for pack in packs]
        self.readers: dict[Source, set[int]] = {}
        for number, sources in enumerate(self.sources):
            for source in sources:
                self.readers.setdefault(source, set()).add(number)

    def dissolve(self) -> frozenset[int]:
        """Dissolve the packs that do not pay; their numbers."""
        waiting = list(range(len(self.packs)))
        while waiting:
            number = waiting.pop()
            if number in self.kept and self._vector_cost(number) >= self._cost_if_dissolved(number):
                self.kept.discard(number)
                near = set(self.readers.get(Whole(number), ()))
                for source in self.sources[number]:
                    near |= {source.pack} if isinstance(source, Whole) else self.readers[source]
                waiting += sorted(near & self.kept)
        return frozenset(range(len(self.packs))) - self.kept

    @property
    def saved(self) -> float:
        """How much less all packs together cost than their values one by one."""
        return sum(self._scalar_cost(number) - self._vector_cost(number) for number in self.kept)

    def _scalar_cost(self, number: int) -> float:
        return sum(cost(self.values[slot]) for slot in _lane_slots(self.packs[number]))

    def _vector_cost(self, number: int) -> float:
        """The pack's own instructions, its share of the insertions into what it reads, and extractions from it."""
        pack = self.packs[number]
        total = _arithmetic(pack)
        for source in self.sources[number]:
            if not isinstance(source, Whole):
                total += self._insertions(source, len(pack.lanes)) / len(self.readers[source] & self.kept)
            elif source.pack not in self.kept:
                others = self.readers[source] & self.kept
                total += (len(pack.lanes) - 1) / len(others)
        return total + sum(self._is_extracted(slot, number) for slot in _lane_slots(pack)[1:])

    def _cost_if_dissolved(self, number: int) -> float:
        """The values one by one, insertions for the packs that read them, and extractions of their operands."""
        width = len(self.packs[number].lanes)
        total = self._scalar_cost(number)
        if self.readers.get(Whole(number), set()) & self.kept:
            total += width - 1
        for source in self.sources[number]:
            if isinstance(source, Whole) and source.pack in self.kept:
                slots = _lane_slots(self.packs[source.pack])[1:]
                total += sum(not self._is_extracted(slot, source.pack) for slot in slots)
        return total

    def _is_extracted(self, slot: int, number: int) -> bool:
        """Whether this lane is read as a scalar."""
        readers = self.readers.get(Whole(number), set())
        for user in self.users.get(slot, ()):
            owner = self.owner.get(user)
            if owner is None or owner not in self.kept or owner not in readers:
                return True
        return False

    def _insertions(self, source: Source, width: int) -> float:
        slots = [slot for slot in _read(source) if slot >= self.program.first_input]
        if not slots:
            return 0.0
        if isinstance(source, Splat) or len({self.owner.get(slot, slot) for slot in slots}) == 1:
            return 1.0
        return float(width if all(slot < self.program.first_run for slot in slots) else width - 1)


def cost(node: Node) -> float:
    """What a value costs as a scalar."""
    return float(max(1, len(node.args) - 1)) if node.op in ("sum", "mul") else _COST.get(node.op, 1.0)


def _arithmetic(pack: Pack) -> float:
    if pack.op != "sum":
        return _COST.get(pack.op, 1.0)
    return float(max(1, sum(len(term.factors) for term in pack.terms) - 1))


def _lane_slots(pack: Pack) -> list[int]:
    return [lane[0] for lane in pack.lanes if lane]


def _sources(pack: Pack) -> list[Source]:
    return [factor for term in pack.terms for factor in term.factors]


def _read(source: Source) -> list[int]:
    if isinstance(source, Gather):
        return [slot for slot in source.slots if slot is not None]
    return [source.slot] if isinstance(source, Splat) else []


#: In packs, a program must cost at most this part of what it costs without.
PROFITABLE = 0.9

#: No groups are looked for in longer programs.
LONGEST = 20_000

#: Groups have so many lanes (legs and arms, say, may differ), and so much of all values at least is in groups.
_SIZES, _LEAST = range(2, 9), 0.1


def vectorise(program: Program, width: int = 1) -> Packed | None:
    """The run part with isomorphic groups and sines in packs of `width`; None if that does not pay or fit."""
    if len(program.run) > LONGEST:
        return None
    values = reassociated(program)
    shape = isomorphism_classes(program, values)
    groups: list[Group] = []
    rest = values
    while (count := group_size(rest, shape, _LEAST * len(values))) is not None:
        isomorphic = isomorphic_groups(program, rest, shape, count)
        taken = {slot for group in isomorphic for slot in group}
        if taken.isdisjoint(rest):
            break
        groups += isomorphic
        rest = {slot: node for slot, node in rest.items() if slot not in taken}
    if not groups:
        return None
    sincos = sincos_packs(values, groups, program.first_run, width)
    packs = sincos + group_packs(values, shape, groups, sincos)
    model = CostModel(program, values, packs)
    dissolved = model.dissolve()
    scalar = sum(map(cost, values.values()))
    if scalar - model.saved > PROFITABLE * scalar:
        return None
    code = _scheduled(program, packs, dissolved)
    return code if len(code.order) <= WHOLE else None


def vectorise_sincos(program: Program, width: int) -> Packed | None:
    """The run part with nothing but sines and cosines in packs; None where there are not even two."""
    if len(program.run) > WHOLE:
        return None
    packs = sincos_packs(reassociated(program), (), program.first_run, width)
    return _scheduled(program, packs, frozenset()) if packs else None


def _scheduled(program: Program, packs: Sequence[Pack], dissolved: frozenset[int]) -> Packed:
    outputs = tuple(tuple(without_negations(program, slot) for slot in output.slots) for output in program.outputs)
    code = PackScheduler(program, packs, outputs, dissolved, program_order=True).result()
    order = [number for is_pack, number in code.order if is_pack]
    return replace(code, packs=tuple(choose_signs(code.packs, order, len(program.constants))))


def group_size(values: Mapping[int, Node], shape: Mapping[int, int], least: float = 1) -> int | None:
    """The size of isomorphism classes that most values, and so many at least, are in."""
    sizes = Counter(shape[slot] for slot in values)
    members = Counter(size for size in sizes.values() for _ in range(size))
    count = max(_SIZES, key=lambda size: (members[size], -size))
    return count if members[count] >= least else None
