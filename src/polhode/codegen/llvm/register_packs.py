"""LLVM IR for a program in packs, vectors and scalars all in virtual registers.

Unlike `spilled_packs`, which is for long programs, this leaves register allocation to the compiler.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from ..ir.ops import live_run
from ..ir.packed import Gather, Pack, Packed, Source, Splat, Term, Whole
from ..ir.program import Program
from .block import Block
from .sincos import double, sincos_name, splat, suffix, vector_type

Slots = tuple[int | None, ...]
Entry = tuple[str, int, int]  # an output's pointer, an offset in it, and a sign


class RegisterWriter:
    """Writes units into a block that knows where inputs and work array are."""

    def __init__(self, program: Program, code: Packed, block: Block) -> None:
        self.program, self.code, self.block = program, code, block
        self.owners = code.owners()
        factors = (factor for pack in code.packs for term in pack.terms for factor in term.factors)
        self.reads = Counter(factor.pack for factor in factors if isinstance(factor, Whole))
        self.read = live_run(program)
        self.vectors: dict[int, str] = {}
        self.known: dict[tuple[Source, int], str] = {}
        self.pairs: dict[tuple[int, str], str] = {}
        self.flipped: dict[tuple[str, tuple[int, ...]], str] = {}
        self.names = 0

    def write(self) -> None:
        """Every unit in order, and the outputs: at once if they are more than the inputs, which are then read first.

        So an output may lie over an input, and the entries of a matrix need not wait for each other.
        """
        inputs = range(self.program.first_input, self.program.first_parameter)
        entries: dict[int, list[Entry]] = {}
        for number, output in enumerate(self.code.outputs):
            for offset, (slot, sign) in enumerate(output):
                entries.setdefault(slot, []).append((f"%out{number}", offset, sign))
        at_once = sum(map(len, entries.values())) > len(inputs)
        if at_once:
            self.block.values(slot for slot in inputs if slot in self.read)
        for is_pack, number in self.code.order:
            if is_pack:
                self._pack(number)
            else:
                step = self.program.run[number - self.program.first_run]
                for arg in step.args:
                    if not self.block.is_taken_in(arg):
                        self._slot(arg)
                self.block.run([(number, step)], frozenset([number]))
            if at_once:
                made = [lane[0] for lane in self.code.packs[number].lanes if lane] if is_pack else [number]
                self._store({slot: entries.pop(slot) for slot in made if slot in entries})
        if at_once:
            self._store(entries)
            return
        rows = [[self._entry(slot, sign) for slot, sign in output] for output in self.code.outputs]
        for number, values in enumerate(rows):
            self.block.store_row(values, f"%out{number}")

    def _entry(self, slot: int, sign: int) -> str:
        value = self._slot(slot)
        return value if sign > 0 else self._line(f"fneg contract double {value}")

    def _store(self, entries: Mapping[int, list[Entry]]) -> None:
        """Values into the outputs, all known before the first is written."""
        places = [(slot, *place) for slot, offsets in entries.items() for place in offsets]
        values = [self._entry(slot, sign) for slot, _, _, sign in places]
        for value, (_, pointer, offset, _) in zip(values, places, strict=True):
            self.block.store(value, pointer, offset)

    # ---- packs -----------------------------------------------------------------------------------------------

    def _pack(self, number: int) -> None:
        pack = self.code.packs[number]
        width = len(pack.lanes)
        real = vector_type(width)
        if pack.op == "sum":
            self.vectors[number] = self._sum(pack, real)
        elif pack.op == "div":
            above, below = (self._signed(term, real) for term in pack.terms)
            self.vectors[number] = self._line(f"fdiv contract {real} {above}, {below}")
        elif pack.op in ("sin", "cos"):
            self.vectors[number] = self._sincos(pack, real)
        else:
            name = "fabs" if pack.op == "abs" else pack.op
            operand = self._signed(pack.terms[0], real)
            self.vectors[number] = self._line(f"call {real} @llvm.{name}.{suffix(width)}({real} {operand})")

    def _sincos(self, pack: Pack, real: str) -> str:
        """Sine or cosine, which are computed together."""
        (term,) = pack.terms
        (source,) = term.factors
        operand = self._vector(source, len(pack.lanes))
        pair = f"{{ {real}, {real} }}"
        both = self.pairs.get((len(pack.lanes), operand))
        if both is None:
            both = self._line(f"call {pair} {sincos_name(len(pack.lanes))}({real} {operand})")
            self.pairs[len(pack.lanes), operand] = both
        value = self._line(f"extractvalue {pair} {both}, {int(pack.op == 'cos')}")
        if set(term.signs) == {1}:
            return value
        return self._line(f"fmul contract {real} {value}, {_numbers(map(float, term.signs))}")

    def _sum(self, pack: Pack, real: str) -> str:
        # Products last, which are then fused with the sum, and if possible a first term without a sign.
        terms = sorted(pack.terms, key=lambda term: (self._is_fused(term), set(term.signs) <= {-1, 0}))
        total = ""
        for term in terms:
            minus, value = self._product(term, real)
            if not total:
                total = self._line(f"fneg contract {real} {value}") if minus else value
            else:
                total = self._line(f"{'fsub' if minus else 'fadd'} contract {real} {total}, {value}")
        return total

    def _is_fused(self, term: Term) -> bool:
        """Whether the term is a product with no other use."""
        source = term.factors[0]
        if not isinstance(source, Whole) or self.reads[source.pack] > 1:
            return False
        inner = self.code.packs[source.pack].terms
        return len(inner) == 1 and len(inner[0].factors) == 2

    def _signed(self, term: Term, real: str) -> str:
        minus, value = self._product(term, real)
        return self._line(f"fneg contract {real} {value}") if minus else value

    def _product(self, term: Term, real: str) -> tuple[bool, str]:
        """Whether the term is to be subtracted, and its value without that sign."""
        kinds = set(term.signs) - {0}
        mixed = len(kinds) > 1
        values: list[str] = []
        for factor in term.factors:
            numbers = self._constants(factor, len(term.signs))
            if numbers is None:
                values.append(self._vector(factor, len(term.signs)))
            else:  # a constant takes the signs
                taken = term.signs if kinds else (1,) * len(numbers)
                values.append(_numbers(number * (sign or 1) for number, sign in zip(numbers, taken, strict=True)))
                kinds, mixed = set(), False
        if mixed:
            offset = next((k for k, factor in enumerate(term.factors) if not isinstance(factor, Whole)), 0)
            values[offset] = self._flipped(values[offset], term.signs, real)
        if len(values) == 2:
            return kinds == {-1}, self._line(f"fmul contract {real} {values[0]}, {values[1]}")
        return kinds == {-1}, values[0]

    def _flipped(self, value: str, signs: tuple[int, ...], real: str) -> str:
        """A vector with these signs in its lanes, made once."""
        if (value, signs) not in self.flipped:
            ones = _numbers(float(sign or 1) for sign in signs)
            self.flipped[value, signs] = self._line(f"fmul contract {real} {value}, {ones}")
        return self.flipped[value, signs]

    # ---- values ----------------------------------------------------------------------------------------------

    def _constants(self, source: Source, width: int) -> list[float] | None:
        if isinstance(source, Whole):
            return None
        slots = source.slots if isinstance(source, Gather) else (source.slot,) * width
        if any(slot is not None and slot >= self.program.first_input for slot in slots):
            return None
        return [0.0 if slot is None else self.program.constants[slot] for slot in slots]

    def _vector(self, source: Source, width: int) -> str:
        if isinstance(source, Whole):
            return self.vectors[source.pack]
        known = self.known.get((source, width))
        if known is None:
            known = self._splat(source.slot, width) if isinstance(source, Splat) else self._joined(source.slots)
            self.known[source, width] = known
        return known

    def _splat(self, slot: int, width: int) -> str:
        if slot < self.program.first_input:
            return splat(self.program.constants[slot], width)
        real = vector_type(width)
        one = self._line(f"insertelement {real} poison, double {self._slot(slot)}, i64 0")
        return self._line(f"shufflevector {real} {one}, {real} poison, <{width} x i32> zeroinitializer")

    def _joined(self, slots: Slots) -> str:
        real = vector_type(len(slots))
        part = self._shuffled(slots)
        if part is not None:
            return part
        total = "zeroinitializer" if None in slots else "poison"
        for lane, slot in enumerate(slots):
            if slot is not None:
                total = self._line(f"insertelement {real} {total}, double {self._slot(slot)}, i64 {lane}")
        return total

    def _shuffled(self, slots: Slots) -> str | None:
        """Lanes of one other pack, if that is what they are."""
        found = [self.owners.get(-1 if slot is None else slot) for slot in slots]
        if None in found or len({(owner[0], owner[2]) for owner in found if owner}) > 1:
            return None
        number, _, sign = found[0] or (0, 0, 0)
        real = vector_type(len(self.code.packs[number].lanes))
        mask = ", ".join(f"i32 {owner[1]}" for owner in found if owner)
        kind = f"<{len(slots)} x i32> <{mask}>"
        value = self._line(f"shufflevector {real} {self.vectors[number]}, {real} poison, {kind}")
        return value if sign > 0 else self._line(f"fneg contract {vector_type(len(slots))} {value}")

    def _slot(self, slot: int) -> str:
        """A number: in the block, or a lane of a pack."""
        if slot in self.block.operands or slot not in self.owners:
            return self.block.value(slot)
        number, lane, sign = self.owners[slot]
        real = vector_type(len(self.code.packs[number].lanes))
        value = self._line(f"extractelement {real} {self.vectors[number]}, i64 {lane}")
        self.block.operands[slot] = value if sign > 0 else self._line(f"fneg contract double {value}")
        return self.block.operands[slot]

    def _line(self, text: str) -> str:
        self.names += 1
        self.block.lines.append(f"  %t{self.names} = {text}")
        return f"%t{self.names}"


def _numbers(numbers: Iterable[float]) -> str:
    """A constant vector."""
    return f"<{', '.join(f'double {double(number)}' for number in numbers)}>"
