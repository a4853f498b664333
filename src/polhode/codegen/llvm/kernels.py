"""The kernel of a program, its run part, as LLVM IR: by the first strategy that applies.

isomorphic groups   are computed in packs, all in registers (`slp.vectoriser`)
neighbouring stores of a long program are computed in packs, with spill slots (`slp.store_packs`)
sines and cosines   are computed in packs (`slp.sincos_packs`)
several functions   with a scratch array make up a very long program (`passes.function_splitting`)
scalar code         is what remains
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from ..ir.ops import live_run
from ..ir.packed import Gather, Pack, Packed, PackScheduler, Source, Splat, Term, Unit, Whole
from ..ir.program import Program
from ..passes.function_splitting import WHOLE, split
from ..slp.store_packs import pack_stores
from ..slp.vectoriser import vectorise, vectorise_sincos
from .block import Block, instructions
from .sincos import double, sincos_name, splat, suffix, vector_type


def fused_products(program: Program, wanted: Collection[int]) -> dict[int, int]:
    """For sums and differences of the run part, among the wanted slots, the slot of the product fused into each.

    Left to a compiler, code for one state and in lanes would not round alike. Decided here, both do: a product that is
    used once, by a sum or difference, is fused with it, a b + c in one rounding; of two, the first.
    """
    run = {slot: step for slot, step in enumerate(program.run, program.first_run) if slot in wanted}
    uses = Counter(arg for step in run.values() for arg in step.args)
    uses.update(slot for output in program.outputs for slot in output.slots)
    products = {slot for slot, step in run.items() if step.op == "mul" and uses[slot] == 1}
    return {
        slot: next(arg for arg in step.args if arg in products)
        for slot, step in run.items()
        if step.op in ("add", "sub") and not products.isdisjoint(step.args)
    }


@dataclass(frozen=True)
class Kernel:
    """A function to write: of one state, in packs where they pay, or of `lanes` states at a time."""

    program: Program
    name: str
    lanes: int = 1
    fused: bool = True
    attributes: str = ""
    inlining: str = ""

    def function(self, block: Block) -> str:
        """The block as the kernel's body."""
        return block.function(f"{self.attributes} void @{self.name}({kernel_arguments(self.program)})", self.inlining)

    def block(self, *, fuses: bool = False) -> Block:
        """A block with the pointers of inputs and work array; with `fuses` rounding is fully determined."""
        program = self.program
        fused = fused_products(program, live_run(program)) if fuses and self.fused else None
        block = Block(self.lanes, program.constants, fused)
        for number, array in enumerate(self.program.arrays):
            block.reads(self.program.slots_of(array.name), f"%in{number}")
        block.reads(self.program.saved, "%w")
        block.joins_outputs = self.lanes == 1 and self.inlining != "alwaysinline"
        return block

    def store_outputs(self, block: Block) -> None:
        """All values first, all stores after: an output may lie over an input."""
        for output in self.program.outputs:
            block.values(output.slots)
        for number, output in enumerate(self.program.outputs):
            block.write(output.slots, f"%out{number}")


Strategy = Callable[[Kernel], list[str] | None]

#: How many numbers lie in a pack of stores, and how many angles in one of sines: what a program is made of does not
#: depend on the host, nor do its bits. Measured in registers of 256 bits, where LLVM computes both halves of eight
#: angles by turns: 3 to 9 % of a step of five robots beside four angles at a time. Eight stores lose 3 to 7 % there.
STORES, ANGLES = 4, 8

#: Programs of at least this length are computed in packs of stores, if that takes at most this part of the steps.
#: Derivatives of fifteen arms and trees: below, packs take up to 1.7 times as long as scalar code; from 12,000 steps
#: on, half as long.
LONG, PROFITABLE = 7000, 0.95

#: The steps after which values are reloaded there, and how many times as many make up a function.
SEGMENT, SEGMENTS = 80, 25

#: Outputs with so many zeros are set to zero by a loop.
MANY_ZEROS = 64

#: The loop: n zeros, n > 0, from a pointer on.
_ZEROS = """define internal void @{0}.zeros(ptr %to, i64 %n) noinline {{
begin:
  br label %loop
loop:
  %k = phi i64 [ 0, %begin ], [ %next, %loop ]
  %address = getelementptr double, ptr %to, i64 %k
  store double 0.0, ptr %address, align 8
  %next = add i64 %k, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}}"""

#: Shorter programs are no faster in packs: they wait for each other's results, not for instructions (measured on chains
#: of two to four pendulums, whose steps take 1 to 8 % longer). Left as they are, they round as they do in lanes.
SHORT = 200

#: Programs in which more than this part of the steps are choices are not packed: looking for packs finds few.
CHOICES = 0.2


def kernel_ir(kernel: Kernel, *, spills: bool = True, alike: bool = False) -> list[str]:
    """The functions of a kernel; without `spills` in registers alone; `alike`: lanes give the bits of one state."""
    without = {packed_stores} if not spills else set()
    return written(kernel, without | ({isomorphic_groups, packed_stores} if alike else set()))[0]


def written(kernel: Kernel, without: Collection[Strategy] = ()) -> tuple[list[str], Strategy]:
    """The functions of the kernel, and the strategy that wrote them, with some strategies excluded."""
    attempts = ((strategy, strategy(kernel)) for strategy in STRATEGIES if strategy not in without)
    return next((text, strategy) for strategy, text in attempts if text is not None)


def fills_vectors(strategy: Strategy) -> bool:
    """Whether one state fills vectors by itself, with more than sines."""
    return strategy in (isomorphic_groups, packed_stores)


def rounds_alike(strategy: Strategy) -> bool:
    """Whether one state has the bits that it has in lanes: the same operations in the same order."""
    return strategy in (packed_sincos, scalar_code)


def isomorphic_groups(kernel: Kernel) -> list[str] | None:
    if kernel.lanes > 1 or len(kernel.program.run) < SHORT or chooses(kernel.program):
        return None
    return _in_registers(kernel, vectorise(kernel.program, ANGLES if kernel.fused else 1))


def packed_stores(kernel: Kernel) -> list[str] | None:
    program = kernel.program
    if kernel.lanes > 1 or chooses(program):
        return None
    steps = sum(slot >= program.first_run for slot in live_run(program))
    if steps < LONG:
        return None
    code = pack_stores(program, STORES)
    return SpillingWriter(program, code).functions(kernel) if code.cost <= PROFITABLE * steps else None


def chooses(program: Program) -> bool:
    """Whether more than a fifth of the steps are choices."""
    choices = sum(step.op in ("where", "sign", "min", "max") for step in program.run)
    return choices > CHOICES * len(program.run)


def packed_sincos(kernel: Kernel) -> list[str] | None:
    code = vectorise_sincos(kernel.program, ANGLES) if kernel.fused and kernel.lanes == 1 else None
    return _in_registers(kernel, code, fuses=True)


def _in_registers(kernel: Kernel, code: Packed | None, *, fuses: bool = False) -> list[str] | None:
    if code is None:
        return None
    block = kernel.block(fuses=fuses)
    RegisterWriter(kernel.program, code, block).write()
    return [*(text for lanes in code.widths for text in instructions(lanes, kernel.fused)), kernel.function(block)]


def several_functions(kernel: Kernel) -> list[str] | None:
    """Functions that share a scratch array."""
    wanted = live_run(kernel.program)
    if len(wanted) <= WHOLE:
        return None
    parts, ends, size = split(kernel.program, wanted)
    main = kernel.block()
    main.allocate("%z", size)
    text: list[str] = []
    arguments = f"{kernel_arguments(kernel.program)}, ptr %z"
    for number, part in enumerate(parts):
        block = kernel.block()
        block.at({slot: ("%z", spill) for slot, spill in part.reads.items()})
        block.run(part.code, wanted)
        block.spill(part.writes)
        text.append(block.function(f"internal void @{kernel.name}.{number}({arguments})", "noinline"))
        main.lines.append(f"  call void @{kernel.name}.{number}({arguments})")
    main.at({slot: ("%z", spill) for slot, spill in ends.items()})
    kernel.store_outputs(main)
    return [*text, kernel.function(main)]


def scalar_code(kernel: Kernel) -> list[str]:
    block = kernel.block(fuses=True)
    block.run(enumerate(kernel.program.run, kernel.program.first_run), live_run(kernel.program))
    kernel.store_outputs(block)
    return [kernel.function(block)]


#: What is tried, in this order; the last always applies.
STRATEGIES: Sequence[Strategy] = (isomorphic_groups, packed_stores, packed_sincos, several_functions, scalar_code)


def kernel_arguments(program: Program) -> str:
    """The kernel's formal arguments, which are also its actual ones where the caller uses the same names."""
    inputs = [f"ptr %in{number}" for number in range(len(program.arrays))]
    outputs = [f"ptr %out{number}" for number in range(len(program.outputs))]
    return ", ".join([*inputs, "ptr %w", *outputs])


Slots = tuple[int | None, ...]
Entry = tuple[str, int, int]  # an output's pointer, an offset in it, and a sign


class RegisterWriter:
    """Writes units into a block with the pointers of inputs and work array."""

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
        """Write units in order and store outputs after all inputs are read, so that an output may overlap an input."""
        inputs = range(self.program.first_input, self.program.first_parameter)
        entries: dict[int, list[Entry]] = {}
        for number, output in enumerate(self.code.outputs):
            for offset, (slot, sign) in enumerate(output):
                entries.setdefault(slot, []).append((f"%out{number}", offset, sign))
        at_once = sum(map(len, entries.values())) > len(inputs)
        if at_once:
            self.block.values(slot for slot in inputs if slot in self.read)
        for unit in self.code.order:
            result = self._unit(*unit)
            if at_once:
                self._store({slot: entries.pop(slot) for slot in result if slot in entries})
        if at_once:
            self._store(entries)
            return
        rows = [[self._entry(slot, sign) for slot, sign in output] for output in self.code.outputs]
        for number, values in enumerate(rows):
            self.block.store_row(values, f"%out{number}")

    def _unit(self, is_pack: bool, number: int) -> list[int]:
        """Write a pack or a single slot; the slots that it computes."""
        if is_pack:
            self._pack(number)
            return [lane[0] for lane in self.code.packs[number].lanes if lane]
        step = self.program.run[number - self.program.first_run]
        for arg in step.args:
            if not self.block.is_taken_in(arg):
                self._slot(arg)
        self.block.run([(number, step)], frozenset([number]))
        return [number]

    def _entry(self, slot: int, sign: int) -> str:
        value = self._slot(slot)
        return value if sign > 0 else self._line(f"fneg contract double {value}")

    def _store(self, entries: Mapping[int, list[Entry]]) -> None:
        """Values into the outputs, all known before the first is written."""
        places = [(slot, *where) for slot, offsets in entries.items() for where in offsets]
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

    def _pack_vector(self, number: int) -> str:
        """The vector of another pack."""
        return self.vectors[number]

    def _vector(self, source: Source, width: int) -> str:
        if isinstance(source, Whole):
            return self._pack_vector(source.pack)
        vector = self.known.get((source, width))
        if vector is None:
            vector = self._splat(source.slot, width) if isinstance(source, Splat) else self._joined(source.slots)
            self.known[source, width] = vector
        return vector

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
        lanes = [self.owners.get(-1 if slot is None else slot) for slot in slots]
        if None in lanes or len({(owner[0], owner[2]) for owner in lanes if owner}) > 1:
            return None
        number, _, sign = lanes[0] or (0, 0, 0)
        real = vector_type(len(self.code.packs[number].lanes))
        mask = ", ".join(f"i32 {owner[1]}" for owner in lanes if owner)
        kind = f"<{len(slots)} x i32> <{mask}>"
        value = self._line(f"shufflevector {real} {self._pack_vector(number)}, {real} poison, {kind}")
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


class SpillingWriter(RegisterWriter):
    """Writes units in segments, several a function: values for later segments are stored once and loaded there."""

    def __init__(self, program: Program, code: Packed) -> None:
        super().__init__(program, code, Block(1, program.constants))
        inputs = range(program.first_input, program.first_parameter)
        self.memory = {slot: ("%z", slot - program.first_input) for slot in inputs}
        self.memory |= {slot: ("%w", offset) for offset, slot in enumerate(program.saved)}
        self.offsets: dict[int, int] = {}  # of packs in %z
        self.size = -(-len(inputs) // STORES) * STORES
        self.free: dict[bool, list[int]] = {False: [], True: []}
        self.real = vector_type(STORES)
        reads = PackScheduler(program, code.packs, code.outputs).reads
        segment_of = {unit: number // SEGMENT for number, unit in enumerate(code.order)}
        last = {need: segment_of[unit] for unit in code.order for need in reads(unit, self.owners)}
        self.last = {unit: segment for unit, segment in last.items() if segment > segment_of[unit]}

    def functions(self, kernel: Kernel) -> list[str]:
        """The kernel and the functions that it calls."""
        blocks, order = [self.block], self.code.order
        wholes, entries = self._outputs()
        inputs = [(f"%in{n}", k) for n, array in enumerate(self.program.arrays) for k in range(array.size)]
        for offset, location in enumerate(inputs):
            self._write("double", self._read("double", *location), "%z", offset)
        self._clear(entries, kernel.name)
        ends: dict[int, list[Unit]] = {}
        for number, start in enumerate(range(0, len(order), SEGMENT)):
            if number % SEGMENTS == 0:
                self.block = Block(1, self.program.constants)
                blocks.append(self.block)
            self._forget()
            for is_pack, done in ends.pop(number - 1, ()):
                self.free[is_pack].append(self.offsets[done] if is_pack else self.memory[done][1])
            for unit in order[start : start + SEGMENT]:
                result = self._unit(*unit)
                for location in wholes.get(unit[1], ()) if unit[0] else ():
                    self._write(self.real, self.vectors[unit[1]], *location)
                self._store({slot: entries.pop(slot) for slot in result if slot in entries})
                if unit in self.last:
                    self._spill(*unit)
                    ends.setdefault(self.last[unit], []).append(unit)
        self._forget()
        self._store(entries)
        arguments, text = kernel_arguments(self.program), []
        main = [f"  %z = alloca double, i64 {max(1, self.size)}, align {8 * STORES}"]
        for number, block in enumerate(blocks):
            head = f"internal void @{kernel.name}.{number}({arguments}, ptr noalias %z)"
            text.append(block.function(head, "noinline"))
            main.append(f"  call void @{kernel.name}.{number}({arguments}, ptr %z)")
        text.append(_ZEROS.format(kernel.name))
        return [*text, "\n".join([f"define void @{kernel.name}({arguments}) #1 {{", *main, "  ret void", "}"])]

    def _outputs(self) -> tuple[dict[int, list[tuple[str, int]]], dict[int, list[Entry]]]:
        """Pointers and offsets at which packs are stored as a whole, and the other entries by slot."""
        wholes: dict[int, list[tuple[str, int]]] = {}
        entries: dict[int, list[Entry]] = {}
        for number, output in enumerate(self.code.outputs):
            end = 0
            for offset, (slot, sign) in enumerate(output):
                pack = self.owners[slot][0] if slot in self.owners else None
                if pack is not None and self.code.packs[pack].lanes == output[offset : offset + STORES]:
                    wholes.setdefault(pack, []).append((f"%out{number}", offset))
                    end = offset + STORES
                elif offset >= end:
                    entries.setdefault(slot, []).append((f"%out{number}", offset, sign))
        return wholes, entries

    def _clear(self, entries: dict[int, list[Entry]], kernel: str) -> None:
        """Set outputs with many zeros to zero as a whole: LLVM's time is quadratic in the stores of a block."""
        zeros = [slot for slot in entries if slot < self.program.first_input and self.program.constants[slot] == 0.0]
        counts = Counter(pointer for slot in zeros for pointer, _, _ in entries[slot])
        cleared = {pointer for pointer, count in counts.items() if count >= MANY_ZEROS}
        for pointer in sorted(cleared):
            size = len(self.code.outputs[int(pointer.removeprefix("%out"))])
            self.block.lines.append(f"  call void @{kernel}.zeros(ptr {pointer}, i64 {size})")
        for slot in zeros:
            entries[slot] = [entry for entry in entries[slot] if entry[0] not in cleared]

    def _forget(self) -> None:
        """Nothing is in registers any more."""
        self.vectors, self.known, self.flipped = {}, {}, {}
        self.block.operands = {k: v for k, v in self.block.operands.items() if k < self.program.first_input}

    def _spill(self, is_pack: bool, number: int) -> None:
        free = self.free[is_pack]
        if not free:
            free += range(self.size, self.size + STORES, STORES if is_pack else 1)
            self.size += STORES
        offset = free.pop()
        if is_pack:
            self.offsets[number] = offset
            self._write(self.real, self.vectors[number], "%z", offset)
        else:
            self.memory[number] = "%z", offset
            self._write("double", self.block.operands[number], "%z", offset)

    def _pack_vector(self, number: int) -> str:
        if number not in self.vectors:
            self.vectors[number] = self._read(self.real, "%z", self.offsets[number])
        return self.vectors[number]

    def _slot(self, slot: int) -> str:
        number, lane, sign = self.owners.get(slot, (None, 0, 1))
        if slot not in self.block.operands and number not in self.vectors:
            location = self.memory[slot] if number is None else ("%z", self.offsets[number] + lane)
            value = self._read("double", *location)
            self.block.operands[slot] = value if sign > 0 else self._line(f"fneg contract double {value}")
        return super()._slot(slot)

    def _read(self, kind: str, pointer: str, offset: int) -> str:
        address = self._line(f"getelementptr double, ptr {pointer}, i64 {offset}")
        return self._line(f"load {kind}, ptr {address}, align 8")

    def _write(self, kind: str, value: str, pointer: str, offset: int) -> None:
        address = self._line(f"getelementptr double, ptr {pointer}, i64 {offset}")
        self.block.lines.append(f"  store {kind} {value}, ptr {address}, align 8")


def _numbers(numbers: Iterable[float]) -> str:
    """A constant vector."""
    return f"<{', '.join(f'double {double(number)}' for number in numbers)}>"
