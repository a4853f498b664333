"""A program in packs: vectors whose lanes hold slots, beside slots that stay alone; each after all that it reads."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from operator import itemgetter

from .program import Program

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
        """Number of steps: single slots, terms, and vectors that are assembled."""
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


class PackScheduler:
    """Orders packs and scalars for computation; a pack that depends on itself is dissolved."""

    def __init__(
        self,
        program: Program,
        packs: Sequence[Pack],
        outputs: Entries,
        dissolved: frozenset[int] = frozenset(),
        *,
        program_order: bool = False,
    ) -> None:
        self.program, self.packs, self.outputs = program, packs, outputs
        self.first = program.first_run
        self.dissolved = set(dissolved)
        self.program_order = program_order

    def result(self) -> Packed:
        while True:
            owners = owners_of((n, p) for n, p in enumerate(self.packs) if n not in self.dissolved)
            order, cyclic = self._sorted(owners, self._roots(owners))
            if not cyclic:
                break
            self.dissolved |= cyclic
        if self.program_order:
            order, _ = self._sorted(owners, sorted(order, key=self._in_program_order))
        kept = [n for n in range(len(self.packs)) if n not in self.dissolved]
        number = {old: new for new, old in enumerate(kept)}
        packs = tuple(self._final(self.packs[n], number) for n in kept)
        return Packed(packs, tuple((is_pack, number[n] if is_pack else n) for is_pack, n in order), self.outputs)

    def _final(self, pack: Pack, number: dict[int, int]) -> Pack:
        return replace(pack, terms=tuple(self._final_term(term, number) for term in pack.terms))

    def _final_term(self, term: Term, number: dict[int, int]) -> Term:
        factors: list[Source] = []
        signs = list(term.signs)
        for factor in term.factors:
            if not isinstance(factor, Whole):
                factors.append(factor)
            elif factor.pack in number:
                factors.append(Whole(number[factor.pack]))
            else:
                lanes = self.packs[factor.pack].lanes
                factors.append(Gather(tuple(lane[0] if lane else None for lane in lanes)))
                signs = [sign * (lane[1] if lane else 1) for sign, lane in zip(signs, lanes, strict=True)]
        return Term(tuple(signs), tuple(factors))

    def reads(self, unit: Unit, owners: dict[int, tuple[int, int, int]]) -> list[Unit]:
        """The units that a unit needs."""
        is_pack, n = unit
        slots: list[int] = []
        units: list[Unit] = []
        if is_pack:
            for term in self.packs[n].terms:
                for factor in term.factors:
                    if isinstance(factor, Splat):
                        slots.append(factor.slot)
                    elif isinstance(factor, Gather):
                        slots += [slot for slot in factor.slots if slot is not None]
                    elif factor.pack in self.dissolved:
                        slots += [lane[0] for lane in self.packs[factor.pack].lanes if lane]
                    else:
                        units.append((True, factor.pack))
        else:
            slots += self.program.run[n - self.first].args
        for slot in slots:
            if slot in owners:
                units.append((True, owners[slot][0]))
            elif slot >= self.first:
                units.append((False, slot))
        return units

    def _in_program_order(self, unit: Unit) -> tuple[bool, int]:
        is_pack, n = unit
        if not is_pack:
            return True, n
        return self.packs[n].op not in ("sin", "cos"), max(lane[0] for lane in self.packs[n].lanes if lane)

    def _roots(self, owners: dict[int, tuple[int, int, int]]) -> list[Unit]:
        """The units of the outputs, row after row of all outputs together: they have factors in common."""
        placed: list[tuple[int, int]] = []
        for output, entries in zip(self.program.outputs, self.outputs, strict=True):
            length = output.shape[-1] if output.shape else 1
            placed += [(index // (length or 1), slot) for index, (slot, _) in enumerate(entries)]
        slots = dict.fromkeys(slot for _, slot in sorted(placed, key=itemgetter(0)) if slot >= self.first)
        return [(True, owners[slot][0]) if slot in owners else (False, slot) for slot in slots]

    def _sorted(self, owners: dict[int, tuple[int, int, int]], roots: Sequence[Unit]) -> tuple[list[Unit], set[int]]:
        """Units, operands first, depth first from the roots; and packs that are part of a cycle."""
        order: list[Unit] = []
        cyclic: set[int] = set()
        state: dict[Unit, bool] = {}  # False: begun, True: done
        for root in roots:
            stack = [root]
            begun: list[Unit] = []
            while stack:
                unit = stack[-1]
                if unit in state:
                    stack.pop()
                    if not state[unit]:
                        state[unit] = True
                        order.append(begun.pop())
                    continue
                state[unit] = False
                begun.append(unit)
                for need in reversed(self.reads(unit, owners)):
                    if need not in state:
                        stack.append(need)
                    elif not state[need]:
                        cyclic.add(next(n for is_pack, n in begun[begun.index(need) :] if is_pack))
        return order, cyclic
