"""Function splitting: a long program becomes several functions of bounded length.

Compilers take more than linear time for one very long block; split, the time to compile it grows no faster than its
length. The functions hand values on through a scratch array whose spill slots are used again as soon as they are free.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..ir.program import Instruction, Program

#: Programs up to this length stay whole: one block is faster to run, and not yet slow to compile.
WHOLE = 12_000

#: Longer ones are cut into functions of this many instructions.
LENGTH = 2500


@dataclass(frozen=True)
class Part:
    """Some instructions with their slots, and the spill slots that it reads from earlier parts and writes for later."""

    code: tuple[tuple[int, Instruction], ...]
    reads: dict[int, int]  # slot -> spill slot in the scratch array
    writes: dict[int, int]


def split(program: Program, wanted: frozenset[int], length: int = LENGTH) -> tuple[list[Part], dict[int, int], int]:
    """The functions of the run part, the spill slots of what the outputs need, and the scratch array's size."""
    code = [(slot, step) for slot, step in enumerate(program.run, program.first_run) if slot in wanted]
    blocks = [code[start : start + length] for start in range(0, len(code), length)]
    made_in = {slot: number for number, block in enumerate(blocks) for slot, _ in block}
    last_use = _last_uses(blocks, made_in)
    ends = {slot for output in program.outputs for slot in output.slots if slot in made_in}
    last_use.update(dict.fromkeys(ends, len(blocks)))
    spills: dict[int, int] = {}
    free: list[int] = []
    size = 0
    parts: list[Part] = []
    for number, block in enumerate(blocks):
        block_slots = {slot for slot, _ in block}
        used = dict.fromkeys(arg for _, step in block for arg in step.args if arg in made_in and arg not in block_slots)
        reads = {slot: spills[slot] for slot in used}
        writes: dict[int, int] = {}
        for slot, _ in block:
            if last_use.get(slot, number) > number:
                if not free:
                    free.append(size)
                    size += 1
                writes[slot] = spills[slot] = free.pop()
        free += [spills[slot] for slot in reads if last_use[slot] == number]
        parts.append(Part(tuple(block), reads, writes))
    return parts, {slot: spills[slot] for slot in ends}, size


def _last_uses(blocks: Sequence[Sequence[tuple[int, Instruction]]], made_in: dict[int, int]) -> dict[int, int]:
    last: dict[int, int] = {}
    for number, block in enumerate(blocks):
        for _, step in block:
            last.update(dict.fromkeys((arg for arg in step.args if arg in made_in), number))
    return last
