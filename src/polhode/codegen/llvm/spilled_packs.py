"""LLVM IR for a program in packs: vectors and single numbers in one straight line, cut into pieces.

A value is kept in a register only near where it is made or was last read. If it is read again further on, it has a home
in memory, is stored there once, and is loaded anew: a load that goes into the instruction that needs it costs less than
what a compiler makes of thousands of values that are alive at a time. A vector that is a row of an output has its home
there; numbers that are gathered into a vector lie side by side. Inputs are copied first, so that an output may lie over
an input.

The text is written twice: the first time to see which values are read from afar, the second time for good.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from ..ir.ops import live_run
from ..ir.packed import Gather, Pack, Packed, Source, Splat, Term
from ..ir.program import Program
from ..slp.store_packs import cuts, packed
from .block import Block
from .sincos import double, splat, vector_type

#: Programs of at least this length are computed in packs, if that takes at most this part of the steps; by measurement.
LONG, WORTH = 2000, 0.95

#: A value that was not touched for so many steps is read from memory again.
NEAR = 24

#: The length of a piece, in steps.
PIECE = 2000

Slots = tuple[int | None, ...]
Key = tuple[str, int | Slots]  # ("slot", slot), ("pack", number), ("gather", slots), ("splat", slot)


@dataclass(frozen=True, slots=True)
class _Home:
    """Where a value lies: a pointer, how many doubles behind it, and how it is aligned."""

    pointer: str
    place: int
    align: int = 8


@dataclass
class _Scratch:
    """Single places and groups of places in the scratch array, used again when they are free."""

    width: int
    size: int
    free: dict[int, list[int]] = field(default_factory=dict)

    def take(self, count: int) -> int:
        free = self.free.setdefault(count, [])
        if free:
            return free.pop()
        if count == 1:
            start = self.take(self.width)
            free += range(start + self.width - 1, start, -1)
            return start
        self.size += self.width
        return self.size - self.width

    def give(self, count: int, place: int) -> None:
        self.free.setdefault(count, []).append(place)


@dataclass
class _Afar:
    """What the first writing finds: the values that are read from memory, until when, and the trays of gathers."""

    until: dict[Key, int] = field(default_factory=dict)
    tray_of: dict[int, tuple[Slots, int]] = field(default_factory=dict)  # slot -> gather and lane
    trays: set[Slots] = field(default_factory=set)

    def settle(self) -> None:
        """What lies in a tray is read as long as any of it is."""
        for slot, (tray, _) in self.tray_of.items():
            if ("slot", slot) in self.until:
                read = self.until.pop(("slot", slot))
                self.until["gather", tray] = max(self.until["gather", tray], read)


def packed_kernel(program: Program, width: int, arguments: str, new_block: Callable[[], Block]) -> str | None:
    """The kernel `ph_kernel(arguments)` and the pieces that it calls; None where packs are not worth the while."""
    steps = sum(slot >= program.first_run for slot in live_run(program))
    if width < 2 or steps < LONG:
        return None
    code = packed(program, width)
    if code.cost > WORTH * steps:
        return None
    afar = _Afar()
    _Writer(program, code, width, new_block, afar, final=False).write()
    afar.settle()
    writer = _Writer(program, code, width, new_block, afar, final=True)
    writer.write()
    text = [f"define void @ph_kernel({arguments}) nounwind {{"]
    text.append(f"  %z = alloca double, i64 {max(1, writer.scratch.size)}, align {8 * width}")
    pieces = []
    for number, block in enumerate(writer.blocks):
        head = f"internal void @ph_kernel.{number}({arguments}, ptr noalias %z)"
        pieces.append(block.function(head, "noinline"))
        text.append(f"  call void @ph_kernel.{number}({arguments}, ptr %z)")
    return "\n".join([*pieces, *text, "  ret void", "}"])


class _Writer:
    def __init__(
        self,
        program: Program,
        code: Packed,
        width: int,
        new_block: Callable[[], Block],
        afar: _Afar,
        *,
        final: bool,
    ) -> None:
        self.program, self.code, self.width, self.new_block = program, code, width, new_block
        self.afar, self.final = afar, final
        self.real = vector_type(width)
        self.owners = code.owners()
        self.inputs = program.first_parameter - program.first_input
        self.scratch = _Scratch(width, -(-self.inputs // width) * width)
        self.homes: dict[Key, _Home] = {}
        for slot in range(program.first_input, program.first_parameter):
            self.homes["slot", slot] = _Home("%z", slot - program.first_input)
        for place, slot in enumerate(program.saved):
            self.homes["slot", slot] = _Home("%w", place)
        self.blocks: list[Block] = []
        self.near: dict[Key, tuple[str, int]] = {}
        self.now = 0
        self.names = 0
        self.gathered: set[Key] = set()
        self.ends: dict[int, list[Key]] = {}
        if final:
            for key, step in afar.until.items():
                self.ends.setdefault(step, []).append(key)

    # ---- the whole -------------------------------------------------------------------------------------------

    def write(self) -> None:
        """All pieces: inputs copied, then every step, and what it gives to the outputs at once."""
        whole, single, rest = self._stores()
        self._open()
        self._copy_inputs()
        for step, (is_pack, number) in enumerate(self.code.order):
            self.now = step
            if self.now % PIECE == 0 and self.now:
                self._open()
            if is_pack:
                self._pack(number, whole.get(number, []))
            else:
                self._step(number)
            for output, place, slot, sign in single.get((is_pack, number), ()):
                self._put(output, place, self._signed(self._slot(slot), sign))
            self._release()
        self._open()
        for output, place, slot, sign in rest:
            self._put(output, place, self._signed(self._slot(slot), sign))

    def _open(self) -> None:
        self.blocks.append(self.new_block())
        self.near.clear()

    def _copy_inputs(self) -> None:
        start = 0
        for number, array in enumerate(self.program.arrays):
            for place in range(array.size):
                value = self._load(_Home(f"%in{number}", place), "double")
                self._store(_Home("%z", start + place), "double", value)
            start += array.size

    def _stores(
        self,
    ) -> tuple[
        dict[int, list[tuple[int, int]]],
        dict[tuple[bool, int], list[tuple[int, int, int, int]]],
        list[tuple[int, int, int, int]],
    ]:
        """What each pack stores as a whole (output, place), what each unit stores singly, and what no unit makes."""
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
                    for place, (slot, sign) in enumerate(row, start + low):
                        entry = (number, place, slot, sign)
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
        self.near["slot", slot] = (block.operands[slot], self.now)
        key: Key = ("slot", slot)
        if self.final and key in self.afar.until:
            self._store(self._homed(key, 1), "double", block.operands[slot])
        elif self.final and slot in self.afar.tray_of:
            self._store(self._in_tray(slot), "double", block.operands[slot])

    def _pack(self, number: int, rows: list[tuple[int, int]]) -> None:
        pack = self.code.packs[number]
        value = self._sum(pack)
        key: Key = ("pack", number)
        self.near[key] = (value, self.now)
        for output, place in rows:
            home = _Home(f"%out{output}", place)
            self._store(home, self.real, value)
            self.homes.setdefault(key, home)
        if self.final and key in self.afar.until and not rows:
            self._store(self._homed(key, self.width), self.real, value)

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
        """A number: a constant, in a register, in a lane of a near pack, or out of memory."""
        if slot < self.program.first_input:
            return double(self.program.constants[slot])
        key: Key = ("slot", slot)
        known = self._touched(key)
        if known is None:
            known = self._lane(slot) if slot in self.owners else self._fetched(key, "double")
            self.near[key] = (known, self.now)
        return known

    def _lane(self, slot: int) -> str:
        number, lane, sign = self.owners[slot]
        vector = self._touched(("pack", number))
        if vector is not None:
            return self._signed(self._line(f"extractelement {self.real} {vector}, i64 {lane}"), sign)
        home = self._far(("pack", number))
        return self._signed(self._load(_Home(home.pointer, home.place + lane), "double"), sign)

    def _vector(self, source: Source) -> str:
        if isinstance(source, Splat):
            return self._splat(source.slot)
        if isinstance(source, Gather):
            return self._gather(source.slots)
        key: Key = ("pack", source.pack)
        known = self._touched(key)
        if known is None:
            known = self._fetched(key, self.real)
            self.near[key] = (known, self.now)
        return known

    def _splat(self, slot: int) -> str:
        if slot < self.program.first_input:
            return splat(self.program.constants[slot], self.width)
        key: Key = ("splat", slot)
        known = self._touched(key)
        if known is None:
            one = self._line(f"insertelement {self.real} poison, double {self._slot(slot)}, i64 0")
            mask = f"<{self.width} x i32> zeroinitializer"
            known = self._line(f"shufflevector {self.real} {one}, {self.real} poison, {mask}")
            self.near[key] = (known, self.now)
        return known

    def _gather(self, slots: Slots) -> str:
        if all(slot is None or slot < self.program.first_input for slot in slots):
            numbers = [0.0 if slot is None else self.program.constants[slot] for slot in slots]
            return f"<{', '.join(f'double {double(number)}' for number in numbers)}>"
        key: Key = ("gather", slots)
        known = self._touched(key)
        if known is None:
            if key in self.gathered or self._has_tray(slots):
                known = self._fetched(key, self.real)
            else:
                known = self._joined(slots)
                if self.final and key in self.afar.until:
                    self._store(self._homed(key, self.width), self.real, known)
            self.gathered.add(key)
            self.near[key] = (known, self.now)
        return known

    def _has_tray(self, slots: Slots) -> bool:
        """Whether a gather's numbers lie side by side: so, unless one lies elsewhere or all are in registers."""
        if self.final:
            return slots in self.afar.trays
        taken = [slot for slot in slots if slot is not None]
        first = self.program.first_run
        if any(slot < first or slot in self.owners or slot in self.afar.tray_of for slot in taken):
            return False
        if len(set(taken)) < len(taken) or all(self._is_near(("slot", slot)) for slot in taken):
            return False
        self.afar.trays.add(slots)
        self.afar.tray_of.update((slot, (slots, lane)) for lane, slot in enumerate(slots) if slot is not None)
        return True

    def _joined(self, slots: Slots) -> str:
        total = "zeroinitializer" if None in slots else "poison"
        for lane, slot in enumerate(slots):
            if slot is not None:
                total = self._line(f"insertelement {self.real} {total}, double {self._slot(slot)}, i64 {lane}")
        return total

    # ---- registers and memory --------------------------------------------------------------------------------

    def _is_near(self, key: Key) -> bool:
        return key in self.near and self.now - self.near[key][1] <= NEAR

    def _touched(self, key: Key) -> str | None:
        """The register of a value that is near, which it stays."""
        if not self._is_near(key):
            return None
        name, _ = self.near[key]
        self.near[key] = (name, self.now)
        return name

    def _far(self, key: Key) -> _Home:
        """The home of a value that is read from memory."""
        kind, which = key
        if kind == "slot" and which in self.afar.tray_of:
            tray, lane = self.afar.tray_of[which]
            home = self._far(("gather", tray))
            return _Home(home.pointer, home.place + lane)
        if key in self.homes:
            return self.homes[key]
        self.afar.until[key] = self.now  # first writing
        return _Home("%z", 0)

    def _fetched(self, key: Key, kind: str) -> str:
        return self._load(self._far(key), kind)

    def _homed(self, key: Key, count: int) -> _Home:
        """A new home in the scratch array."""
        place = self.scratch.take(count)
        self.homes[key] = _Home("%z", place, 8 * count)
        return self.homes[key]

    def _in_tray(self, slot: int) -> _Home:
        tray, lane = self.afar.tray_of[slot]
        key: Key = ("gather", tray)
        if key not in self.homes:
            home = self._homed(key, self.width)
            for place, other in enumerate(tray):
                if other is None:
                    self._store(_Home("%z", home.place + place), "double", double(0.0))
        return _Home("%z", self.homes[key].place + lane)

    def _release(self) -> None:
        """Homes that are not read any more are free for others."""
        for key in self.ends.get(self.now, ()):
            home = self.homes.get(key)
            if home is not None and home.pointer == "%z":
                self.scratch.give(1 if key[0] == "slot" else self.width, home.place)

    def _signed(self, value: str, sign: int) -> str:
        return value if sign > 0 else self._line(f"fneg contract double {value}")

    def _put(self, output: int, place: int, value: str) -> None:
        self._store(_Home(f"%out{output}", place), "double", value)

    def _line(self, text: str) -> str:
        self.names += 1
        self.blocks[-1].lines.append(f"  %r{self.names} = {text}")
        return f"%r{self.names}"

    def _load(self, home: _Home, kind: str) -> str:
        address = self._line(f"getelementptr double, ptr {home.pointer}, i64 {home.place}")
        return self._line(f"load {kind}, ptr {address}, align {home.align}")

    def _store(self, home: _Home, kind: str, value: str) -> None:
        address = self._line(f"getelementptr double, ptr {home.pointer}, i64 {home.place}")
        self.blocks[-1].lines.append(f"  store {kind} {value}, ptr {address}, align {home.align}")
