"""The kernel of a program, its run part, as LLVM IR: by the first strategy that applies.

isomorphic groups   are computed in packs, all in registers (`slp.vectoriser`, `register_packs`)
neighbouring stores of a long program are computed in packs, with spill slots (`slp.store_packs`, `spilled_packs`)
sines and cosines   are computed in packs (`slp.sincos_packs`, `register_packs`)
several functions   with a scratch array make up a very long program (`passes.function_splitting`)
scalar code         is what remains
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from ..ir.ops import live_run
from ..ir.packed import Packed
from ..ir.program import Program
from ..passes.contraction import fused_products
from ..passes.function_splitting import WHOLE, split
from ..slp.vectoriser import vectorise, vectorise_sincos
from .block import Block, instructions
from .register_packs import RegisterWriter
from .sincos_prologue import sincos_prologue
from .spilled_packs import spilled_kernel


@dataclass(frozen=True)
class Kernel:
    """What is to be written: one state, in packs where they pay, or `lanes` states at a time.

    With lanes, every pointer is to an array of vectors, the work array included. Without fused multiply-adds in
    hardware, sines and cosines are the C library's, one by one.
    """

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
        """A block that knows where inputs and work array lie; one that `fuses` leaves no liberty in rounding."""
        program = self.program
        fused = fused_products(program, live_run(program)) if fuses and self.fused else None
        block = Block(self.lanes, program.constants, fused)
        slot = self.program.first_input
        for number, array in enumerate(self.program.arrays):
            block.reads(range(slot, slot + array.size), f"%in{number}")
            slot += array.size
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

#: Shorter programs are no faster in packs: they wait for each other's results, not for instructions (measured on chains
#: of two to four pendulums, whose steps take 1 to 8 % longer). Left as they are, they round as they do in lanes.
SHORT = 200


def kernel_ir(kernel: Kernel, *, spills: bool = True, alike: bool = False) -> list[str]:
    """The functions of the kernel; without `spills`, values of one state stay in registers.

    One that is to be `alike`, and is not very long, has the bits in lanes that it has for one state.
    """
    without = {packed_stores} if not spills else set()
    return written(kernel, without | ({isomorphic_groups, packed_stores} if alike else set()))[0]


def written(kernel: Kernel, without: Collection[Strategy] = ()) -> tuple[list[str], Strategy]:
    """The functions of the kernel, and which strategy wrote them, some being left out."""
    found = ((strategy, strategy(kernel)) for strategy in STRATEGIES if strategy not in without)
    return next((text, strategy) for strategy, text in found if text is not None)


def fills_vectors(strategy: Strategy) -> bool:
    """Whether one state fills vectors by itself, with more than sines."""
    return strategy in (isomorphic_groups, packed_stores)


def rounds_alike(strategy: Strategy) -> bool:
    """Whether one state has the bits that it has in lanes: the same operations in the same order."""
    return strategy in (packed_sincos, scalar_code)


def isomorphic_groups(kernel: Kernel) -> list[str] | None:
    if kernel.lanes > 1 or len(kernel.program.run) < SHORT:
        return None
    return _in_registers(kernel, vectorise(kernel.program, ANGLES if kernel.fused else 1))


def packed_stores(kernel: Kernel) -> list[str] | None:
    program = kernel.program
    if kernel.lanes > 1:
        return None
    text = spilled_kernel(program, STORES, kernel_arguments(program), lambda: Block(1, program.constants))
    return None if text is None else [text]


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
    """Functions that share a scratch array, the first of them for sines and cosines where these fill vectors."""
    wanted = live_run(kernel.program)
    if len(wanted) <= WHOLE:
        return None
    prologue = sincos_prologue(kernel.program, wanted, STORES) if kernel.fused and kernel.lanes == 1 else None
    known = prologue.offsets if prologue else {}
    parts, ends, size = split(kernel.program, wanted.difference(known))
    there = {slot: ("%z", size + offset) for slot, offset in known.items()}
    main = kernel.block()
    main.allocate("%z", size + (prologue.size if prologue else 0))
    blocks: list[Block] = []
    if prologue:
        blocks.append(kernel.block())
        prologue.write(blocks[-1], "%z", size)
    for part in parts:
        blocks.append(kernel.block())
        blocks[-1].at(there | {slot: ("%z", spill) for slot, spill in part.reads.items()})
        blocks[-1].run(part.code, wanted)
        blocks[-1].spill(part.writes)
    text = instructions(STORES, kernel.fused) if prologue else []
    arguments = f"{kernel_arguments(kernel.program)}, ptr %z"
    for number, block in enumerate(blocks):
        text.append(block.function(f"internal void @{kernel.name}.{number}({arguments})", "noinline"))
        main.lines.append(f"  call void @{kernel.name}.{number}({arguments})")
    main.at(there | {slot: ("%z", spill) for slot, spill in ends.items()})
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
