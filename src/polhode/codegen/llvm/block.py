"""A block of LLVM IR under construction, and what its module must declare."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from ..ir.program import Instruction
from .calls import in_lanes
from .sincos import sincos_ir, sincos_name, splat, suffix, vector_type

#: The function of the C library for each operation that has no instruction.
LIBRARY = ("tan", "asin", "acos", "atan", "atan2", "exp", "log", "sinh", "cosh", "tanh", "pow", "floor")

#: Values that do not fit into registers are addressed from a frame pointer, a byte less each than from the stack's end:
#: long code is bound by its bytes, and up to a fifth faster so (measured). Vectors need not be aligned there, unless
#: the function has arrays of them.
STACK = '"frame-pointer"="all" "no-realign-stack"'

#: One state is computed in registers of 256 bits: LLVM splits wider vectors. Intel's servers lower their clock for 512
#: bits, and one state then takes 1.6 times as long; on a Zen 4, steps of five robots change by -9 to +6 %. A function
#: without these attributes that is inlined removes them from its caller: all functions of a module have them.
NARROW = '"prefer-vector-width"="256" "min-legal-vector-width"="256"'

#: How many outputs of one state are stored at a time.
BLOCK = 4

_ARITHMETIC = {"add": "fadd", "sub": "fsub", "mul": "fmul", "div": "fdiv"}


def declarations(lanes: int, fused: bool = True) -> list[str]:
    """What every module declares: intrinsics, the C library's functions, and sincos."""
    text = [
        f"declare double @{function}({', '.join(['double'] * _arity(function))}) #0"
        for function in (*LIBRARY, "sin", "cos")
    ]
    if lanes > 1:
        text += [in_lanes(function, _arity(function), lanes) for function in LIBRARY]
    width = NARROW if lanes == 1 else ""
    return [
        *text,
        *(instructions(1, fused) if lanes > 1 else []),
        *instructions(lanes, fused),
        "attributes #0 = { nounwind willreturn memory(none) }",
        f"attributes #1 = {{ nounwind {width} }}",
        '!0 = !{!"branch_weights", i32 1, i32 1048575}',
    ]


def instructions(lanes: int, fused: bool = True) -> list[str]:
    """What is declared for vectors of so many lanes: intrinsics and sincos."""
    real, kind = vector_type(lanes), suffix(lanes)
    text = [f"declare {real} @llvm.{function}.{kind}({real})" for function in ("sqrt", "fabs")]
    text.append(f"declare {real} @llvm.fma.{kind}({real}, {real}, {real})")
    if lanes > 1:
        text.append(f"declare i1 @llvm.vector.reduce.or.v{lanes}i1(<{lanes} x i1>)")
    return [*text, sincos_ir(lanes, fused=fused)]


def _arity(function: str) -> int:
    return 2 if function in ("atan2", "pow") else 1


class Block:
    """Straight-line code under construction: slots to operands, loads at first use."""

    def __init__(self, lanes: int, constants: Sequence[float], fused: Mapping[int, int] | None = None) -> None:
        self.lanes = lanes
        self.fused: Mapping[int, int] = fused or {}  # sums and the products that they take in
        self._contract = "contract " if fused is None else ""  # what is not fused here is left to LLVM, or is not
        self._products = dict.fromkeys(self.fused.values(), ("", ""))
        self.real, self.mask, self.kind = vector_type(lanes), vector_type(lanes, "i1"), suffix(lanes)
        self.align = 8 * lanes
        self.lines: list[str] = []
        self.operands = {slot: splat(value, lanes) for slot, value in enumerate(constants)}
        self.memory: dict[int, tuple[str, int]] = {}
        self.pairs: set[int] = set()
        self.tests: dict[int, str] = {}  # signs, and whether they are those of positive numbers
        self.holds_vectors = self.joins_outputs = False

    def reads(self, slots: Iterable[int], pointer: str) -> None:
        """These slots lie in memory, one after the other, from `pointer` on."""
        self.memory.update((slot, (pointer, offset)) for offset, slot in enumerate(slots))

    def at(self, offsets: Mapping[int, tuple[str, int]]) -> None:
        """These slots lie in memory, each at its offset."""
        self.memory.update(offsets)

    def allocate(self, name: str, size: int) -> None:
        """An array of its own on the stack."""
        self.holds_vectors = self.lanes > 1
        self.lines.append(f"  {name} = alloca {self.real}, i64 {size}, align {self.align}")

    def spill(self, offsets: Mapping[int, int]) -> None:
        """Store slots in %z, each at its offset."""
        for slot, offset in offsets.items():
            address, value = f"%z.{slot}", self.value(slot)
            self.lines.append(f"  {address} = getelementptr {self.real}, ptr %z, i64 {offset}")
            self.lines.append(f"  store {self.real} {value}, ptr {address}, align {self.align}")

    def value(self, slot: int) -> str:
        operand = self.operands.get(slot)
        if operand is None:
            pointer, offset = self.memory[slot]
            operand = self.operands[slot] = f"%v{slot}"
            self.lines.append(f"  %a{slot} = getelementptr {self.real}, ptr {pointer}, i64 {offset}")
            self.lines.append(f"  {operand} = load {self.real}, ptr %a{slot}, align {self.align}")
        return operand

    def values(self, slots: Iterable[int]) -> list[str]:
        return [self.value(slot) for slot in slots]

    def write(self, slots: Iterable[int], pointer: str) -> None:
        self.store_row(self.values(slots), pointer)

    def store_row(self, values: Sequence[str], pointer: str) -> None:
        """Store values side by side in blocks of four, volatile, so that LLVM does not split a block.

        A load is forwarded only from one store that holds all of it; otherwise each evaluation takes 12 ns longer.
        """
        blocked = len(values) // BLOCK * BLOCK if self.joins_outputs else 0
        for first in range(0, blocked, BLOCK):
            joined, kind = "poison", vector_type(BLOCK)
            for lane, value in enumerate(values[first : first + BLOCK]):
                name = f"%j.{pointer[1:]}.{first + lane}"
                self.lines.append(f"  {name} = insertelement {kind} {joined}, double {value}, i64 {lane}")
                joined = name
            self.store(joined, pointer, first, f"volatile {kind}")
        for offset in range(blocked, len(values)):
            self.store(values[offset], pointer, offset)

    def store(self, value: str, pointer: str, offset: int, kind: str = "") -> None:
        address = f"%s.{pointer[1:]}.{offset}"
        self.lines.append(f"  {address} = getelementptr {self.real}, ptr {pointer}, i64 {offset}")
        self.lines.append(f"  store {kind or self.real} {value}, ptr {address}, align {self.align}")

    def run(self, code: Iterable[tuple[int, Instruction]], wanted: frozenset[int]) -> None:
        for slot, instruction in code:
            if slot in self._products:
                one, two = self.values(instruction.args)
                self._products[slot] = one, two
            elif slot in wanted:
                self.operands[slot] = self._apply(slot, instruction)

    def is_taken_in(self, slot: int) -> bool:
        """Whether a product has no value of its own, being part of a sum."""
        return slot in self._products

    def function(self, head: str, tail: str) -> str:
        frame = "" if self.holds_vectors else STACK
        return "\n".join([f"define {head} #1 {tail} {frame} {{", *self.lines, "  ret void", "}"])

    def _apply(self, slot: int, instruction: Instruction) -> str:
        op, real, name = instruction.op, self.real, f"%v{slot}"
        if slot in self.fused:
            self.lines.append(f"  {name} = {self._fused(slot, instruction)}")
            return name
        args = self.values(instruction.args)
        if op in _ARITHMETIC:
            text = f"{_ARITHMETIC[op]} {self._contract}{real} {args[0]}, {args[1]}"
        elif op == "neg":
            text = f"fneg contract {real} {args[0]}"
        elif op in ("sqrt", "abs"):
            text = f"call {real} @llvm.{'fabs' if op == 'abs' else op}.{self.kind}({real} {args[0]})"
        elif op in ("sin", "cos"):
            text = f"extractvalue {{ {real}, {real} }} {self._pair(instruction.args[0], args[0])}, {int(op == 'cos')}"
        elif op in ("min", "max"):
            # a where a is nan or wins, else b (which may be nan): nan always goes through.
            relation = "olt" if op == "min" else "ogt"
            self.lines.append(f"  %w{slot} = fcmp {relation} {real} {args[0]}, {args[1]}")
            self.lines.append(f"  %u{slot} = fcmp uno {real} {args[0]}, {args[0]}")
            self.lines.append(f"  %c{slot} = or {self.mask} %w{slot}, %u{slot}")
            text = f"select {self.mask} %c{slot}, {real} {args[0]}, {real} {args[1]}"
        elif op == "where":
            test = self.tests.setdefault(instruction.args[0], f"%p{slot}")
            if test == f"%p{slot}":
                self.lines.append(f"  {test} = fcmp ogt {real} {args[0]}, {splat(0.0, self.lanes)}")
            text = f"select {self.mask} {test}, {real} {args[1]}, {real} {args[2]}"
        elif op == "sign":
            one, minus, zero = (splat(value, self.lanes) for value in (1.0, -1.0, 0.0))
            self.lines.append(f"  %n{slot} = fcmp olt {real} {args[0]}, {zero}")
            self.lines.append(f"  %m{slot} = select {self.mask} %n{slot}, {real} {minus}, {real} {args[0]}")
            self.tests[slot] = f"%p{slot}"
            self.lines.append(f"  %p{slot} = fcmp ogt {real} {args[0]}, {zero}")
            text = f"select {self.mask} %p{slot}, {real} {one}, {real} %m{slot}"
        else:
            function = f"@{op}" if self.lanes == 1 else f"@ph_{op}{self.lanes}"
            text = f"call {real} {function}({', '.join(f'{real} {arg}' for arg in args)})"
        self.lines.append(f"  {name} = {text}")
        return name

    def _fused(self, slot: int, instruction: Instruction) -> str:
        """A sum or difference fused with a product: a b + c, a b - c or c - a b."""
        real, product = self.real, self.fused[slot]
        one, two = self._products[product]
        is_first = instruction.args[0] == product
        rest = self.value(instruction.args[int(is_first)])
        if instruction.op == "sub":
            self.lines.append(f"  %n{slot} = fneg {real} {rest if is_first else one}")
            rest, one = (f"%n{slot}", one) if is_first else (rest, f"%n{slot}")
        return f"call {real} @llvm.fma.{self.kind}({real} {one}, {real} {two}, {real} {rest})"

    def _pair(self, slot: int, operand: str) -> str:
        """Sine and cosine of a slot, computed together once."""
        name = f"%sc{slot}"
        if slot not in self.pairs:
            self.pairs.add(slot)
            pair = f"{{ {self.real}, {self.real} }}"
            self.lines.append(f"  {name} = call {pair} {sincos_name(self.lanes)}({self.real} {operand})")
        return name
