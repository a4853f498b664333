"""Inputs that play the same part in several limbs of a mechanism: the first angle of each leg, say.

Values of one form that there are exactly `count` of are likely one in each limb. From them down to the inputs, operands
of the same form belong together by majority; neighbours of inputs that belong together do so too. Within an array the
limbs are in order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from ..ir.program import Program
from .reassociation import Node


def alike_inputs(
    program: Program, values: Mapping[int, Node], form: Mapping[int, int], count: int
) -> list[tuple[int, ...]]:
    """Tuples of inputs, one of each of `count` limbs, lowest slot first."""
    first, last = program.first_input, program.first_parameter
    eligible = {*values, *range(first, last)}
    together = _classes(values, form, count)
    votes: dict[int, Counter[tuple[int, ...]]] = {}
    done: set[tuple[int, ...]] = set()
    for slot in [*reversed(values), *range(last - 1, first - 1, -1)]:
        if slot not in together and slot in votes:
            elected, _ = max(votes[slot].items(), key=lambda item: (item[1], item[0]))
            if not any(member in together for member in elected):
                together.update(dict.fromkeys(elected, elected))
        members = together.get(slot)
        if members is None or members in done or slot not in values:
            continue
        done.add(members)
        for parts in _operands_alike(values, form, members):
            if len(set(parts)) == count and eligible.issuperset(parts) and together.keys().isdisjoint(parts):
                for part in parts:
                    votes.setdefault(part, Counter())[parts] += 1
    return _with_neighbours(program, sorted({together[slot] for slot in range(first, last) if slot in together}))


def _classes(values: Mapping[int, Node], form: Mapping[int, int], count: int) -> dict[int, tuple[int, ...]]:
    """Values with their like, where a form occurs so often."""
    classes: dict[int, list[int]] = {}
    for slot in values:
        classes.setdefault(form[slot], []).append(slot)
    return {slot: tuple(members) for members in classes.values() if len(members) == count for slot in members}


def _operands_alike(
    values: Mapping[int, Node], form: Mapping[int, int], members: tuple[int, ...]
) -> list[tuple[int, ...]]:
    """Operands that each member has one of, by form, in ascending order."""
    columns: list[tuple[int, ...]] = []
    for kind in dict.fromkeys(form[arg] for arg in values[members[0]].args):
        found = [[arg for arg in values[member].args if form[arg] == kind] for member in members]
        if all(len(parts) == 1 for parts in found):
            columns.append(tuple(sorted(parts[0] for parts in found)))
    return columns


def _with_neighbours(program: Program, tuples: list[tuple[int, ...]]) -> list[tuple[int, ...]]:
    """Tuples within one array, with those beside them that are free."""
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
