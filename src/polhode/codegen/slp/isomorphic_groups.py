"""Isomorphic groups: values of one state that are computed by the same operations, one for each lane of a vector.

Legs that are alike give such values. Groups grow from seeds (`seeds`) towards the outputs: values that apply one
operation to the same groups are a group. Operands outside of groups should be one slot for all lanes, or else of one
shape, or else used alike (`use_hashes`). Last, sums with most terms in common are a group, a term that one lacks being
zero. Nothing is multiplied out or moved: this only finds what is there.

Seeds of isomorphic groups: inputs that are used alike, such as the first angle of each leg.

An isomorphism class of exactly `count` values is likely one group. From there down to the inputs, operands of one shape
are grouped by majority, and so are inputs beside those of a group. Within an array the lanes are in ascending order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from heapq import heappop, heappush

from ..ir.program import Program
from .reassociation import Node, use_hashes, users_of


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
        found = [[arg for arg in values[member].args if shape[arg] == kind] for member in members]
        if all(len(parts) == 1 for parts in found):
            columns.append(tuple(sorted(parts[0] for parts in found)))
    return columns


def _with_neighbours(program: Program, tuples: list[tuple[int, ...]]) -> list[tuple[int, ...]]:
    """Groups within one array, and the free inputs beside them."""
    array_of: dict[int, int] = {}
    for number, array in enumerate(program.arrays):
        start = program.first_input + sum(other.size for other in program.arrays[:number])
        array_of.update(dict.fromkeys(range(start, start + array.size), number))
    found = [members for members in tuples if len({array_of[slot] for slot in members}) == 1]
    taken = {slot for members in found for slot in members}
    waiting = list(found)
    while waiting:
        members = waiting.pop(0)
        for step in (1, -1):
            beside = tuple(slot + step for slot in members)
            if not taken.intersection(beside) and {array_of.get(slot) for slot in beside} == {array_of[members[0]]}:
                taken.update(beside)
                found.append(beside)
                waiting.append(beside)
    return sorted(found)


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
        own = [self.number[arg] for arg in self.values[slot].args if arg in self.number]
        shared: dict[int, int] = {}
        for number in own:
            for other in self.sums.get(number, ()):
                if other not in self.lane and other in self.keys:
                    shared[other] = shared.get(other, 0) + 1
        chosen: dict[int, int] = {}
        for other in sorted(shared, key=lambda other: (-shared[other], self.level[other], other)):
            chosen.setdefault(self._own_lane(other), other)
        chosen[self._own_lane(slot)] = slot
        longest = max(len(self.values[other].args) for other in chosen.values())
        if len(chosen) == self.count and all(
            shared.get(other, len(own)) >= _ENOUGH * longest for other in chosen.values()
        ):
            group = tuple(chosen[lane] for lane in range(self.count))
            self.add(group)
            self._operands(group, _MOST)

    def _own_lane(self, slot: int) -> int:
        return next(self.lane[arg] for arg in self.values[slot].args if arg in self.lane)
