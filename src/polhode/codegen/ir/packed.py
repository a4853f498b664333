"""A program in packs: vectors whose lanes hold slots, beside slots that stay alone."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

Lane = tuple[int, int] | None  # a slot and the sign with which it is meant; None for zero
Unit = tuple[bool, int]  # (True, number of a pack) or (False, slot)
Entries = tuple[tuple[tuple[int, int], ...], ...]  # for each output its entries: slots and signs


@dataclass(frozen=True, slots=True)
class Splat:
    """One slot in all lanes."""

    slot: int


@dataclass(frozen=True, slots=True)
class Gather:
    """Slots from anywhere; None for zero."""

    slots: tuple[int | None, ...]


@dataclass(frozen=True, slots=True)
class Whole:
    """The lanes of another pack, as they lie."""

    pack: int


Source = Splat | Gather | Whole


@dataclass(frozen=True, slots=True)
class Term:
    """A product of one or two sources, with a sign for each lane."""

    signs: tuple[int, ...]
    factors: tuple[Source, ...]


@dataclass(frozen=True, slots=True)
class Pack:
    """A sum of terms in lanes, or another operation on them; lane k holds its slot times its sign, or nothing."""

    lanes: tuple[Lane, ...]
    terms: tuple[Term, ...]
    op: str = "sum"


@dataclass(frozen=True)
class Packed:
    """A program's run part in packs and single slots, each after all that it reads."""

    packs: tuple[Pack, ...]
    order: tuple[Unit, ...]
    outputs: Entries

    @property
    def cost(self) -> int:
        """How many steps it takes: single slots, terms, and vectors that are put together."""
        terms = [term for pack in self.packs for term in pack.terms]
        gathers = {factor for term in terms for factor in term.factors if isinstance(factor, Gather)}
        return sum(not is_pack for is_pack, _ in self.order) + len(terms) + len(gathers)

    @property
    def widths(self) -> list[int]:
        """How many lanes packs have."""
        return sorted({len(pack.lanes) for pack in self.packs})

    def owners(self) -> dict[int, tuple[int, int, int]]:
        """For each slot that a pack computes the pack, the lane and the sign."""
        return owners_of(number_and_pack for number_and_pack in enumerate(self.packs))


def owners_of(packs: Iterable[tuple[int, Pack]]) -> dict[int, tuple[int, int, int]]:
    return {
        lane[0]: (number, k, lane[1]) for number, pack in packs for k, lane in enumerate(pack.lanes) if lane is not None
    }
