"""Sums of products of series, four at a time: which share a block, and which blocks of factors they read.

They are taken as they come. (Putting those side by side that share a factor saves blocks: 9 % of the time for a free
body in quaternions, nothing for robots.)
"""

from __future__ import annotations

from dataclasses import dataclass

from ..llvm.function import WIDTH
from .recurrences import SeriesProgram


@dataclass(frozen=True, slots=True, order=True)
class Factor:
    """The orders a_j of a slot, or those of its derivative, j a_j."""

    slot: int
    derived: bool = False


@dataclass(frozen=True, slots=True)
class SumPack:
    """Up to four sums: the slots whose rules they belong to, and the numbers of the blocks of their factors."""

    slots: tuple[int, ...]
    one: int
    other: int


@dataclass(frozen=True)
class SumPacks:
    """All sums of a program, and the blocks of factors that they read."""

    packs: tuple[SumPack, ...]
    blocks: tuple[tuple[Factor, ...], ...]


def sum_packs(series: SeriesProgram, width: int = WIDTH) -> SumPacks:
    """The sums in the order of the program, four by four, or as many as are said."""
    sums = _sums(series)
    packs, blocks = [], dict[tuple[Factor, ...], int]()
    for start in range(0, len(sums), width):
        together = sums[start : start + width]
        slots, ones, others = zip(*together, strict=True)
        one, other = (blocks.setdefault(side, len(blocks)) for side in (ones, others))
        packs.append(SumPack(slots, one, other))
    return SumPacks(tuple(packs), tuple(blocks))


def _sums(series: SeriesProgram) -> list[tuple[int, Factor, Factor]]:
    """The slot and the two factors of each sum."""
    found: list[tuple[int, Factor, Factor]] = []
    for slot, rule in enumerate(series.rules, series.program.first_run):
        match rule.name, rule.args:
            case "product", (a, b):
                found.append((slot, Factor(a), Factor(b)))
            case "square", (a,):
                found.append((slot, Factor(a), Factor(a)))
            case ("quotient", (_, b)) | ("inverse", (b,)):
                found.append((slot, Factor(b), Factor(slot)))
            case "root", _:
                found.append((slot, Factor(slot), Factor(slot)))
            case "integral", (a, w):
                found.append((slot, Factor(a, derived=True), Factor(w)))
    return found
