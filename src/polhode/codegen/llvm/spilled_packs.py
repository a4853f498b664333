"""LLVM IR for a long program in packs, with spill slots of its own, split into functions.

A value is kept in a register only for a few instructions after it is made or was last read. If it is read again further
on, it is stored once in a spill slot and reloaded: a load that goes into the instruction that needs it costs less than
what a compiler makes of thousands of values that are alive at a time. A vector that is a row of an output is spilled
there; scalars that are gathered into a vector are spilled side by side. Inputs are copied first, so that an output may
lie over an input.

The text is written twice: the first time to see which values are reloaded, the second time for good.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from ..ir.ops import live_run
from ..ir.packed import Gather, Pack, Packed, Source, Splat, Term
from ..ir.program import Program
from ..slp.store_packs import cuts, pack_stores
from .block import Block
from .sincos import double, splat, vector_type

#: Programs of at least this length are computed in packs, if that takes at most this part of the steps. Derivatives of
#: fifteen arms and trees: below, packs take up to 1.7 times as long as scalar code; from 12,000 steps on, half as long.
LONG, PROFITABLE = 7000, 0.95

#: A value that was not used for so many steps is reloaded.
LIVE = 24

#: The length of a function, in steps.
LENGTH = 2000

Slots = tuple[int | None, ...]
Key = tuple[str, int | Slots]  # ("slot", slot), ("pack", number), ("gather", slots), ("splat", slot)


@dataclass(frozen=True, slots=True)
class _Address:
    """Where a value lies in memory: a pointer, how many doubles behind it, and the alignment."""

    pointer: str
    offset: int
    align: int = 8


@dataclass
class _SpillSlots:
    """Spill slots for scalars and for vectors in the scratch array, used again when they are free."""

    width: int
    size: int
    free: dict[int, list[int]] = field(default_factory=dict)

    def allocate(self, count: int) -> int:
        free = self.free.setdefault(count, [])
        if free:
            return free.pop()
        if count == 1:
            start = self.allocate(self.width)
            free += range(start + self.width - 1, start, -1)
            return start
        self.size += self.width
        return self.size - self.width

    def release(self, count: int, start: int) -> None:
        self.free.setdefault(count, []).append(start)


@dataclass
class _Spills:
    """What the first writing finds: values that are reloaded, until when, and gathers that are spilled whole."""

    until: dict[Key, int] = field(default_factory=dict)
    gather_of: dict[int, tuple[Slots, int]] = field(default_factory=dict)  # slot -> gather and lane
    gathers: set[Slots] = field(default_factory=set)

    def settle(self) -> None:
        """A gather is kept in memory as long as any of it is read."""
        for slot, (gather, _) in self.gather_of.items():
            if ("slot", slot) in self.until:
                read = self.until.pop(("slot", slot))
                self.until["gather", gather] = max(self.until["gather", gather], read)


def spilled_kernel(program: Program, width: int, arguments: str, new_block: Callable[[], Block]) -> str | None:
    """The kernel `ph_kernel(arguments)` and the functions that it calls; None where packs do not pay."""
    steps = sum(slot >= program.first_run for slot in live_run(program))
    if steps < LONG:
        return None
    code = pack_stores(program, width)
    if code.cost > PROFITABLE * steps:
        return None
    spills = _Spills()
    _Writer(program, code, width, new_block, spills, final=False).write()
    spills.settle()
    writer = _Writer(program, code, width, new_block, spills, final=True)
    writer.write()
    text = [f"define void @ph_kernel({arguments}) #1 {{"]
    text.append(f"  %z = alloca double, i64 {max(1, writer.spill_slots.size)}, align {8 * width}")
    functions = []
    for number, block in enumerate(writer.blocks):
        head = f"internal void @ph_kernel.{number}({arguments}, ptr noalias %z)"
        functions.append(block.function(head, "noinline"))
        text.append(f"  call void @ph_kernel.{number}({arguments}, ptr %z)")
    return "\n".join([*functions, *text, "  ret void", "}"])


class _Writer:
    def __init__(
        self,
        program: Program,
        code: Packed,
        width: int,
        new_block: Callable[[], Block],
        spills: _Spills,
        *,
        final: bool,
    ) -> None:
        self.program, self.code, self.width, self.new_block = program, code, width, new_block
        self.spills, self.final = spills, final
        self.real = vector_type(width)
        self.owners = code.owners()
        self.inputs = program.first_parameter - program.first_input
        self.spill_slots = _SpillSlots(width, -(-self.inputs // width) * width)
        self.addresses: dict[Key, _Address] = {}
        for slot in range(program.first_input, program.first_parameter):
            self.addresses["slot", slot] = _Address("%z", slot - program.first_input)
        for offset, slot in enumerate(program.saved):
            self.addresses["slot", slot] = _Address("%w", offset)
        self.blocks: list[Block] = []
        self.registers: dict[Key, tuple[str, int]] = {}
        self.now = 0
        self.names = 0
        self.gathered: set[Key] = set()
        self.ends: dict[int, list[Key]] = {}
        if final:
            for key, step in spills.until.items():
                self.ends.setdefault(step, []).append(key)

    # ---- the whole -------------------------------------------------------------------------------------------

    def write(self) -> None:
        """All functions: inputs copied, then every step, and what it gives to the outputs at once."""
        whole, single, rest = self._stores()
        self._open()
        self._copy_inputs()
        for step, (is_pack, number) in enumerate(self.code.order):
            self.now = step
            if self.now % LENGTH == 0 and self.now:
                self._open()
            if is_pack:
                self._pack(number, whole.get(number, []))
            else:
                self._step(number)
            for output, offset, slot, sign in single.get((is_pack, number), ()):
                self._put(output, offset, self._signed(self._slot(slot), sign))
            self._release()
        self._open()
        for output, offset, slot, sign in rest:
            self._put(output, offset, self._signed(self._slot(slot), sign))

    def _open(self) -> None:
        self.blocks.append(self.new_block())
        self.registers.clear()

    def _copy_inputs(self) -> None:
        start = 0
        for number, array in enumerate(self.program.arrays):
            for offset in range(array.size):
                value = self._load(_Address(f"%in{number}", offset), "double")
                self._store(_Address("%z", start + offset), "double", value)
            start += array.size

    def _stores(
        self,
    ) -> tuple[
        dict[int, list[tuple[int, int]]],
        dict[tuple[bool, int], list[tuple[int, int, int, int]]],
        list[tuple[int, int, int, int]],
    ]:
        """What each pack stores as a whole (output, offset), what each unit stores singly, and what no unit makes."""
        whole: dict[int, list[tuple[int, int]]] = {}
        single: dict[tuple[bool, int], list[tuple[int, int, int, int]]] = {}
        rest: list[tuple[int, int, int, int]] = []
        for number, (output, lanes) in enumerate(zip(self.program.outputs, self.code.outputs, strict=True)):
            length = output.shape[-1] if output.shape else 1
            for start in range(0, len(lanes), length or 1):
                for low, high in cuts(length, self.width):
                    row = lanes[start + low : start + high]
                    owner = self.owners.get(row[0][0])
                    if owner is not None and self.code.packs[owner[0]].lanes == row:
                        whole.setdefault(owner[0], []).append((number, start + low))
                        continue
                    for offset, (slot, sign) in enumerate(row, start + low):
                        entry = (number, offset, slot, sign)
                        if slot in self.owners:
                            single.setdefault((True, self.owners[slot][0]), []).append(entry)
                        elif slot >= self.program.first_run:
                            single.setdefault((False, slot), []).append(entry)
                        else:
                            rest.append(entry)
        return whole, single, rest

    # ---- steps -----------------------------------------------------------------------------------------------

    def _step(self, slot: int) -> None:
        block = self.blocks[-1]
        step = self.program.run[slot - self.program.first_run]
        for arg in step.args:
            block.operands[arg] = self._slot(arg)
        block.run([(slot, step)], frozenset([slot]))
        self.registers["slot", slot] = (block.operands[slot], self.now)
        key: Key = ("slot", slot)
        if self.final and key in self.spills.until:
            self._store(self._spill(key, 1), "double", block.operands[slot])
        elif self.final and slot in self.spills.gather_of:
            self._store(self._in_gather(slot), "double", block.operands[slot])

    def _pack(self, number: int, rows: list[tuple[int, int]]) -> None:
        pack = self.code.packs[number]
        value = self._sum(pack)
        key: Key = ("pack", number)
        self.registers[key] = (value, self.now)
        for output, offset in rows:
            address = _Address(f"%out{output}", offset)
            self._store(address, self.real, value)
            self.addresses.setdefault(key, address)
        if self.final and key in self.spills.until and not rows:
            self._store(self._spill(key, self.width), self.real, value)

    def _sum(self, pack: Pack) -> str:
        terms = sorted(pack.terms, key=lambda term: set(term.signs) == {-1})  # a first term without a sign
        total = ""
        for term in terms:
            minus, value = self._product(term)
            if not total:
                total = self._line(f"fneg contract {self.real} {value}") if minus else value
            else:
                total = self._line(f"{'fsub' if minus else 'fadd'} contract {self.real} {total}, {value}")
        return total

    def _product(self, term: Term) -> tuple[bool, str]:
        """Whether the term is to be subtracted, and its value without that sign."""
        values = [self._vector(factor) for factor in term.factors]
        kinds = set(term.signs) - {0}
        if len(kinds) > 1:
            signs = ", ".join(f"double {double(float(sign or 1))}" for sign in term.signs)
            values[0] = self._line(f"fmul contract {self.real} {values[0]}, <{signs}>")
        if len(values) == 2:
            return kinds == {-1}, self._line(f"fmul contract {self.real} {values[0]}, {values[1]}")
        return kinds == {-1}, values[0]

    # ---- values ----------------------------------------------------------------------------------------------

    def _slot(self, slot: int) -> str:
        """A scalar: a constant, in a register, in a lane of a pack in a register, or out of memory."""
        if slot < self.program.first_input:
            return double(self.program.constants[slot])
        key: Key = ("slot", slot)
        known = self._register(key)
        if known is None:
            known = self._lane(slot) if slot in self.owners else self._reloaded(key, "double")
            self.registers[key] = (known, self.now)
        return known

    def _lane(self, slot: int) -> str:
        number, lane, sign = self.owners[slot]
        vector = self._register(("pack", number))
        if vector is not None:
            return self._signed(self._line(f"extractelement {self.real} {vector}, i64 {lane}"), sign)
        address = self._address(("pack", number))
        return self._signed(self._load(_Address(address.pointer, address.offset + lane), "double"), sign)

    def _vector(self, source: Source) -> str:
        if isinstance(source, Splat):
            return self._splat(source.slot)
        if isinstance(source, Gather):
            return self._gather(source.slots)
        key: Key = ("pack", source.pack)
        known = self._register(key)
        if known is None:
            known = self._reloaded(key, self.real)
            self.registers[key] = (known, self.now)
        return known

    def _splat(self, slot: int) -> str:
        if slot < self.program.first_input:
            return splat(self.program.constants[slot], self.width)
        key: Key = ("splat", slot)
        known = self._register(key)
        if known is None:
            one = self._line(f"insertelement {self.real} poison, double {self._slot(slot)}, i64 0")
            mask = f"<{self.width} x i32> zeroinitializer"
            known = self._line(f"shufflevector {self.real} {one}, {self.real} poison, {mask}")
            self.registers[key] = (known, self.now)
        return known

    def _gather(self, slots: Slots) -> str:
        if all(slot is None or slot < self.program.first_input for slot in slots):
            numbers = [0.0 if slot is None else self.program.constants[slot] for slot in slots]
            return f"<{', '.join(f'double {double(number)}' for number in numbers)}>"
        key: Key = ("gather", slots)
        known = self._register(key)
        if known is None:
            if key in self.gathered or self._is_spilled_whole(slots):
                known = self._reloaded(key, self.real)
            else:
                known = self._joined(slots)
                if self.final and key in self.spills.until:
                    self._store(self._spill(key, self.width), self.real, known)
            self.gathered.add(key)
            self.registers[key] = (known, self.now)
        return known

    def _is_spilled_whole(self, slots: Slots) -> bool:
        """Whether a gather's scalars are spilled side by side: unless one lies elsewhere, or all are in registers."""
        if self.final:
            return slots in self.spills.gathers
        taken = [slot for slot in slots if slot is not None]
        first = self.program.first_run
        if any(slot < first or slot in self.owners or slot in self.spills.gather_of for slot in taken):
            return False
        if len(set(taken)) < len(taken) or all(self._in_register(("slot", slot)) for slot in taken):
            return False
        self.spills.gathers.add(slots)
        self.spills.gather_of.update((slot, (slots, lane)) for lane, slot in enumerate(slots) if slot is not None)
        return True

    def _joined(self, slots: Slots) -> str:
        total = "zeroinitializer" if None in slots else "poison"
        for lane, slot in enumerate(slots):
            if slot is not None:
                total = self._line(f"insertelement {self.real} {total}, double {self._slot(slot)}, i64 {lane}")
        return total

    # ---- registers and memory --------------------------------------------------------------------------------

    def _in_register(self, key: Key) -> bool:
        return key in self.registers and self.now - self.registers[key][1] <= LIVE

    def _register(self, key: Key) -> str | None:
        """The register of a value that is in one; it stays there."""
        if not self._in_register(key):
            return None
        name, _ = self.registers[key]
        self.registers[key] = (name, self.now)
        return name

    def _address(self, key: Key) -> _Address:
        """The address of a value that is reloaded."""
        kind, which = key
        if kind == "slot" and which in self.spills.gather_of:
            gather, lane = self.spills.gather_of[which]
            address = self._address(("gather", gather))
            return _Address(address.pointer, address.offset + lane)
        if key in self.addresses:
            return self.addresses[key]
        self.spills.until[key] = self.now  # first writing
        return _Address("%z", 0)

    def _reloaded(self, key: Key, kind: str) -> str:
        return self._load(self._address(key), kind)

    def _spill(self, key: Key, count: int) -> _Address:
        """A new spill slot."""
        self.addresses[key] = _Address("%z", self.spill_slots.allocate(count), 8 * count)
        return self.addresses[key]

    def _in_gather(self, slot: int) -> _Address:
        gather, lane = self.spills.gather_of[slot]
        key: Key = ("gather", gather)
        if key not in self.addresses:
            address = self._spill(key, self.width)
            for k, other in enumerate(gather):
                if other is None:
                    self._store(_Address("%z", address.offset + k), "double", double(0.0))
        return _Address("%z", self.addresses[key].offset + lane)

    def _release(self) -> None:
        """Spill slots that are not read any more are free for others."""
        for key in self.ends.get(self.now, ()):
            address = self.addresses.get(key)
            if address is not None and address.pointer == "%z":
                self.spill_slots.release(1 if key[0] == "slot" else self.width, address.offset)

    def _signed(self, value: str, sign: int) -> str:
        return value if sign > 0 else self._line(f"fneg contract double {value}")

    def _put(self, output: int, offset: int, value: str) -> None:
        self._store(_Address(f"%out{output}", offset), "double", value)

    def _line(self, text: str) -> str:
        self.names += 1
        self.blocks[-1].lines.append(f"  %r{self.names} = {text}")
        return f"%r{self.names}"

    def _load(self, address: _Address, kind: str) -> str:
        pointer = self._line(f"getelementptr double, ptr {address.pointer}, i64 {address.offset}")
        return self._line(f"load {kind}, ptr {pointer}, align {address.align}")

    def _store(self, address: _Address, kind: str, value: str) -> None:
        pointer = self._line(f"getelementptr double, ptr {address.pointer}, i64 {address.offset}")
        self.blocks[-1].lines.append(f"  store {kind} {value}, ptr {pointer}, align {address.align}")
