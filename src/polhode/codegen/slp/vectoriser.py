"""A program with the twins of its limbs side by side, where that pays."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from ..ir.packed import Pack, Packed
from ..ir.program import Program
from ..passes.outlining import WHOLE
from .cost_model import Ledger, steps
from .group_packs import twin_packs
from .isomorphic_groups import Group, twins
from .lane_signs import with_signs
from .pack_scheduling import PackOrder
from .reassociation import Node, forms, nodes, plain
from .sincos_packs import wave_packs

#: With twins, a program must take at most this part of the steps that it takes without.
WORTH = 0.9

#: No twins are looked for in longer programs.
LONGEST = 20_000

#: A mechanism has so many limbs that are alike, if any, or legs so many and arms so many; and so much of all its values
#: at least are alike in them.
_COUNTS, _LEAST = range(2, 9), 0.1


def side_by_side(program: Program, width: int = 1) -> Packed | None:
    """The run part with twins in packs, and sines and cosines in packs of `width`.

    None where that does not pay, or leaves too much for one block.
    """
    if len(program.run) > LONGEST:
        return None
    values = nodes(program)
    form = forms(program, values)
    groups: list[Group] = []
    rest = values
    while (count := limb_count(rest, form, _LEAST * len(values))) is not None:
        found = twins(program, rest, form, count)
        taken = {slot for group in found for slot in group}
        if taken.isdisjoint(rest):
            break
        groups += found
        rest = {slot: node for slot, node in rest.items() if slot not in taken}
    if not groups:
        return None
    waves = wave_packs(values, groups, program.first_run, width)
    packs = waves + twin_packs(values, form, groups, waves)
    ledger = Ledger(program, values, packs)
    dissolved = ledger.settle()
    alone = sum(map(steps, values.values()))
    if alone - ledger.saved + ledger.steps > WORTH * alone:
        return None
    code = _ordered(program, packs, dissolved)
    return code if len(code.order) <= WHOLE else None


def waves_side_by_side(program: Program, width: int) -> Packed | None:
    """The run part with nothing but sines and cosines in packs; None where there are not even two."""
    if len(program.run) > WHOLE:
        return None
    packs = wave_packs(nodes(program), (), program.first_run, width)
    return _ordered(program, packs, frozenset()) if packs else None


def _ordered(program: Program, packs: Sequence[Pack], dissolved: frozenset[int]) -> Packed:
    outputs = tuple(tuple(plain(program, slot) for slot in output.slots) for output in program.outputs)
    code = PackOrder(program, packs, outputs, dissolved, written=True).result()
    order = [number for is_pack, number in code.order if is_pack]
    return replace(code, packs=tuple(with_signs(code.packs, order, len(program.constants))))


def limb_count(values: Mapping[int, Node], form: Mapping[int, int], least: float = 1) -> int | None:
    """How many limbs look alike: the number of values of one form that most values, and so many at least, are of."""
    sizes = Counter(form[slot] for slot in values)
    members = Counter(size for size in sizes.values() for _ in range(size))
    count = max(_COUNTS, key=lambda size: (members[size], -size))
    return count if members[count] >= least else None
