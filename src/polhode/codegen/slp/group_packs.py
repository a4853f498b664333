"""Packs of isomorphic groups: the operands of all lanes, reordered so that groups meet groups."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import zip_longest

from ..ir.packed import Gather, Pack, Source, Splat, Term, Whole
from .reassociation import Node

Operand = tuple[int, int] | None  # a slot and its sign
Column = tuple[Operand, ...]  # an operand of each lane

#: What packs may do; other operations are left to single slots.
PACKABLE = ("sum", "mul", "div", "sqrt", "sin", "cos", "abs")


def group_packs(
    values: Mapping[int, Node], shape: Mapping[int, int], groups: Sequence[tuple[int, ...]], known: Sequence[Pack] = ()
) -> list[Pack]:
    """A pack for each group that is computed and not `known`, its terms' signs as they are in the program.

    The packs are numbered after those that are known.
    """
    number = {slot: k for k, group in enumerate(groups) for slot in group}
    there = {lane[0] for pack in known for lane in pack.lanes if lane}
    made = [
        group
        for group in groups
        if group[0] in values and values[group[0]].op in PACKABLE and not there.intersection(group)
    ]
    pack_number: dict[tuple[int | None, ...], int] = {group: k for k, group in enumerate(made, len(known))}
    pack_number.update((tuple(lane and lane[0] for lane in pack.lanes), k) for k, pack in enumerate(known))

    def source(slots: tuple[int | None, ...]) -> Source:
        if len(set(slots)) == 1 and slots[0] is not None:
            return Splat(slots[0])
        return Whole(pack_number[slots]) if slots in pack_number else Gather(slots)

    packs: list[Pack] = []
    for group in made:
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
    found: list[Column] = []
    kinds: list[Callable[[int], int | None]] = [number.get, lambda slot: slot, shape.get]
    for kind in kinds:
        for key in dict.fromkeys(kind(slot) for lane in rest for slot, _ in lane):
            while key is not None and all(any(kind(slot) == key for slot, _ in lane) for lane in rest):
                places = [next(k for k, (slot, _) in enumerate(lane) if kind(slot) == key) for lane in rest]
                found.append(tuple(lane.pop(k) for lane, k in zip(rest, places, strict=True)))
    found += zip_longest(*rest)
    rank = {operand: k for k, operand in enumerate(listed[0])}
    return sorted(found, key=lambda column: rank.get(column[0], len(rank)) if column[0] else len(rank))
