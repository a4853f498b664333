"""Packs of sines and cosines: those of a mechanism's angles are ready first, and cost most of all instructions.

Angles of a group lie beside each other, so that a part of the vector serves the group as it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from ..ir.packed import Gather, Pack, Term
from .reassociation import Node

_SINCOS = ("sin", "cos")


def sincos_packs(values: Mapping[int, Node], groups: Iterable[Sequence[int]], first_run: int, width: int) -> list[Pack]:
    """Packs of the sines and of the cosines of angles that need neither, at least two and about `width` at a time.

    >>> values = {2: Node("sin", (0,), (1,)), 3: Node("cos", (0,), (1,)), 4: Node("sin", (1,), (1,))}
    >>> for pack in sincos_packs(values, [], 2, 4):
    ...     print(pack.op, pack.lanes, pack.terms[0].factors)
    sin ((2, 1), (4, 1)) (Gather(slots=(0, 1)),)
    cos ((3, 1), None) (Gather(slots=(0, 1)),)
    """
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
            found = [slots.get((op, angle)) if angle is not None else None for angle in row]
            if any(slot is not None for slot in found):
                lanes = tuple(None if slot is None else (slot, 1) for slot in found)
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
