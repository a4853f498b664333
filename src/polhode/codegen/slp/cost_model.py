"""Cost model of packs: a vector saves instructions, and costs insertions and extractions.

Costs are instructions, roughly. A pack that costs more than its values one by one is dissolved, again and again until
none does; its neighbours then read its values one by one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..ir.packed import Gather, Pack, Source, Splat, Whole
from ..ir.program import Program
from .reassociation import Node, users_of

#: What operations cost beside an addition; sine and cosine come together, so each is half of both.
_COST = {"div": 4.0, "sqrt": 4.0, "sin": 12.0, "cos": 12.0}


class CostModel:
    """What each pack costs, and what its values would one by one."""

    def __init__(self, program: Program, values: Mapping[int, Node], packs: Sequence[Pack]) -> None:
        self.program, self.values, self.packs = program, values, packs
        self.users = users_of(values)
        self.kept = set(range(len(packs)))
        self.owner = {slot: number for number, pack in enumerate(packs) for slot in _slots(pack)}
        self.sources = [list(dict.fromkeys(_sources(pack))) for pack in packs]
        self.readers: dict[Source, set[int]] = {}
        for number, sources in enumerate(self.sources):
            for source in sources:
                self.readers.setdefault(source, set()).add(number)

    def dissolve(self) -> frozenset[int]:
        """Dissolve the packs that do not pay; their numbers."""
        waiting = list(range(len(self.packs)))
        while waiting:
            number = waiting.pop()
            if number in self.kept and self._vector_cost(number) >= self._cost_if_dissolved(number):
                self.kept.discard(number)
                near = set(self.readers.get(Whole(number), ()))
                for source in self.sources[number]:
                    near |= {source.pack} if isinstance(source, Whole) else self.readers[source]
                waiting += sorted(near & self.kept)
        return frozenset(range(len(self.packs))) - self.kept

    @property
    def vector_cost(self) -> float:
        """What all packs together cost, values in no pack left aside."""
        return sum(map(self._vector_cost, self.kept))

    @property
    def scalar_cost(self) -> float:
        """What the values in packs would cost one by one."""
        return sum(self._scalar_cost(number) for number in self.kept)

    def _scalar_cost(self, number: int) -> float:
        return sum(cost(self.values[slot]) for slot in _slots(self.packs[number]))

    def _vector_cost(self, number: int) -> float:
        """The pack's own instructions, its share of the insertions into what it reads, and extractions from it."""
        pack = self.packs[number]
        total = _arithmetic(pack)
        for source in self.sources[number]:
            if not isinstance(source, Whole):
                total += self._insertions(source, len(pack.lanes)) / len(self.readers[source] & self.kept)
            elif source.pack not in self.kept:
                others = self.readers[source] & self.kept
                total += (len(pack.lanes) - 1) / len(others)
        return total + sum(self._is_extracted(slot, number) for slot in _slots(pack)[1:])

    def _cost_if_dissolved(self, number: int) -> float:
        """The values one by one, insertions for the packs that read them, and extractions of their operands."""
        width = len(self.packs[number].lanes)
        total = self._scalar_cost(number)
        if self.readers.get(Whole(number), set()) & self.kept:
            total += width - 1
        for source in self.sources[number]:
            if isinstance(source, Whole) and source.pack in self.kept:
                slots = _slots(self.packs[source.pack])[1:]
                total += sum(not self._is_extracted(slot, source.pack) for slot in slots)
        return total

    def _is_extracted(self, slot: int, number: int) -> bool:
        """Whether this lane is read as a scalar."""
        readers = self.readers.get(Whole(number), set())
        for user in self.users.get(slot, ()):
            owner = self.owner.get(user)
            if owner is None or owner not in self.kept or owner not in readers:
                return True
        return False

    def _insertions(self, source: Source, width: int) -> float:
        slots = [slot for slot in _read(source) if slot >= self.program.first_input]
        if not slots:
            return 0.0
        if isinstance(source, Splat) or len({self.owner.get(slot, slot) for slot in slots}) == 1:
            return 1.0
        return float(width if all(slot < self.program.first_run for slot in slots) else width - 1)


def cost(node: Node) -> float:
    """What a value costs as a scalar."""
    return float(max(1, len(node.args) - 1)) if node.op in ("sum", "mul") else _COST.get(node.op, 1.0)


def _arithmetic(pack: Pack) -> float:
    if pack.op != "sum":
        return _COST.get(pack.op, 1.0)
    return float(max(1, sum(len(term.factors) for term in pack.terms) - 1))


def _slots(pack: Pack) -> list[int]:
    return [lane[0] for lane in pack.lanes if lane]


def _sources(pack: Pack) -> list[Source]:
    return [factor for term in pack.terms for factor in term.factors]


def _read(source: Source) -> list[int]:
    if isinstance(source, Gather):
        return [slot for slot in source.slots if slot is not None]
    return [source.slot] if isinstance(source, Splat) else []
