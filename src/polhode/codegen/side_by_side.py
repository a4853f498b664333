"""A program with the twins of its limbs side by side, where that pays."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace

from .pack_order import PackOrder
from .pieces import WHOLE
from .program import Program
from .sums import Node, forms, nodes, plain
from .twin_packs import twin_packs
from .twin_signs import with_signs
from .twin_worth import Ledger, steps
from .twins import twins
from .vectors import Packed

#: With twins, a program must take at most this part of the steps that it takes without.
WORTH = 0.9

#: A mechanism has so many limbs that are alike, if any; and so much of its values at least are alike in them.
_COUNTS, _LEAST = range(2, 9), 0.1


def side_by_side(program: Program) -> Packed | None:
    """The run part with twins in packs; None where there are too few, or the program is too long for one block."""
    if len(program.run) > WHOLE:
        return None
    values = nodes(program)
    form = forms(program, values)
    count = limb_count(values, form)
    if count is None:
        return None
    packs = twin_packs(values, form, twins(program, values, form, count))
    ledger = Ledger(program, values, packs)
    dissolved = ledger.settle()
    alone = sum(map(steps, values.values()))
    if alone - ledger.saved + ledger.steps > WORTH * alone:
        return None
    outputs = tuple(tuple(plain(program, slot) for slot in output.slots) for output in program.outputs)
    code = PackOrder(program, packs, outputs, dissolved).result()
    order = [number for is_pack, number in code.order if is_pack]
    return replace(code, packs=tuple(with_signs(code.packs, order, len(program.constants))))


def limb_count(values: Mapping[int, Node], form: Mapping[int, int]) -> int | None:
    """How many limbs look alike: the number of values of one form that most values are of."""
    sizes = Counter(form[slot] for slot in values)
    members = Counter(size for size in sizes.values() for _ in range(size))
    count = max(_COUNTS, key=lambda size: (members[size], -size))
    return count if members[count] >= _LEAST * len(values) else None
