"""The SLP vectoriser: isomorphic groups of values become packs, where the cost model says that this pays.

It runs reassociation, seeds, groups, packs, cost model, schedule and signs, in this order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from ..ir.packed import Pack, Packed
from ..ir.program import Program
from ..passes.function_splitting import WHOLE
from .cost_model import CostModel, cost
from .group_packs import group_packs
from .isomorphic_groups import Group, isomorphic_groups
from .lane_signs import choose_signs
from .pack_scheduling import PackScheduler
from .reassociation import Node, isomorphism_classes, reassociated, without_negations
from .sincos_packs import sincos_packs

#: In packs, a program must cost at most this part of what it costs without.
PROFITABLE = 0.9

#: No groups are looked for in longer programs.
LONGEST = 20_000

#: Groups have so many lanes (legs and arms, say, may differ), and so much of all values at least is in groups.
_SIZES, _LEAST = range(2, 9), 0.1


def vectorise(program: Program, width: int = 1) -> Packed | None:
    """The run part with isomorphic groups in packs, and sines and cosines in packs of `width`.

    None where that does not pay, or leaves too much for one block.
    """
    if len(program.run) > LONGEST:
        return None
    values = reassociated(program)
    shape = isomorphism_classes(program, values)
    groups: list[Group] = []
    rest = values
    while (count := group_size(rest, shape, _LEAST * len(values))) is not None:
        found = isomorphic_groups(program, rest, shape, count)
        taken = {slot for group in found for slot in group}
        if taken.isdisjoint(rest):
            break
        groups += found
        rest = {slot: node for slot, node in rest.items() if slot not in taken}
    if not groups:
        return None
    sincos = sincos_packs(values, groups, program.first_run, width)
    packs = sincos + group_packs(values, shape, groups, sincos)
    model = CostModel(program, values, packs)
    dissolved = model.dissolve()
    scalar = sum(map(cost, values.values()))
    if scalar - model.scalar_cost + model.vector_cost > PROFITABLE * scalar:
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
