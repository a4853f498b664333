"""Seeds of isomorphic groups: inputs that are used alike, such as the first angle of each leg.

An isomorphism class of exactly `count` values is likely one group. From there down to the inputs, operands of one shape
are grouped by majority, and so are inputs beside those of a group. Within an array the lanes are in ascending order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from ..ir.program import Program
from .reassociation import Node


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
