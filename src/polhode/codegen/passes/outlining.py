"""A long program in pieces, so that the time to compile it grows no faster than its length.

Compilers take more than linear time for one very long block. Cut into pieces of bounded length, each a function of its
own, a program hands values from piece to piece through a scratch array whose places are used again as soon as they are
free.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..ir.program import Instruction, Program

#: Programs up to this length stay whole: one block is faster to run, and not yet slow to compile.
WHOLE = 12_000

#: Longer ones are cut into pieces of this many instructions.
PIECE = 2500


@dataclass(frozen=True)
class Piece:
    """Some instructions with their slots, and where earlier and later pieces find what is handed on."""

    code: tuple[tuple[int, Instruction], ...]
    reads: dict[int, int]  # slot -> place in the scratch array
    writes: dict[int, int]


def cut(program: Program, wanted: frozenset[int], length: int = PIECE) -> tuple[list[Piece], dict[int, int], int]:
    """The pieces of the run part, the places of what the outputs need, and the scratch array's size."""
    code = [(slot, step) for slot, step in enumerate(program.run, program.first_run) if slot in wanted]
    blocks = [code[start : start + length] for start in range(0, len(code), length)]
    made_in = {slot: number for number, block in enumerate(blocks) for slot, _ in block}
    last_use = _last_uses(blocks, made_in)
    ends = {slot for output in program.outputs for slot in output.slots if slot in made_in}
    last_use.update(dict.fromkeys(ends, len(blocks)))
    places: dict[int, int] = {}
    free: list[int] = []
    size = 0
    pieces: list[Piece] = []
    for number, block in enumerate(blocks):
        own = {slot for slot, _ in block}
        used = dict.fromkeys(arg for _, step in block for arg in step.args if arg in made_in and arg not in own)
        reads = {slot: places[slot] for slot in used}
        writes: dict[int, int] = {}
        for slot, _ in block:
            if last_use.get(slot, number) > number:
                if not free:
                    free.append(size)
                    size += 1
                writes[slot] = places[slot] = free.pop()
        free += [places[slot] for slot in reads if last_use[slot] == number]
        pieces.append(Piece(tuple(block), reads, writes))
    return pieces, {slot: places[slot] for slot in ends}, size


def _last_uses(blocks: Sequence[Sequence[tuple[int, Instruction]]], made_in: dict[int, int]) -> dict[int, int]:
    last: dict[int, int] = {}
    for number, block in enumerate(blocks):
        for _, step in block:
            last.update(dict.fromkeys((arg for arg in step.args if arg in made_in), number))
    return last
