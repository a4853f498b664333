"""LLVM IR, as text, for a program: set-up, kernel, and loops over a batch, for one state or for lanes of states.

Functions of a scalar module (all doubles; pointers to contiguous arrays):

    ph_setup(p, w)                                     parameters → work array
    ph_setup_batch(n, p, w)                            the same for n parameter sets, one after the other
    ph_kernel(inputs..., w, outputs...)                one state
    ph_single(buffer, w)                               one state; the buffer holds all inputs, then all outputs
    ph_batch(n, ins, strides, w, w_stride, outs)       n states; ins, strides and outs are arrays of pointers/integers

A stride is the distance from one state to the next in doubles; 0 shares an array among all states. The lane module has
`ph_lanes` with the signature of `ph_batch`, n a multiple of the number of lanes. Every kernel reads all it needs
before it writes its first output, so that an output may lie over an input. Products and sums may be contracted to
fused multiply-adds; in packs the terms of a sum are added in another order; no other liberty is taken.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..ir.ops import live_run, live_setup
from ..ir.packed import Packed
from ..ir.program import Program
from ..passes.outlining import WHOLE, cut
from ..slp.vectoriser import side_by_side, waves_side_by_side
from .block import Block, declarations, instructions
from .calls import functions_ir
from .register_packs import TwinWriter
from .sincos import vector_type
from .sincos_prologue import WavePiece, wave_piece
from .spilled_packs import packed_kernel


def scalar_module(program: Program, *, fused: bool = True, width: int = 1) -> str:
    """The module with one state at a time; `fused=False` leaves sine and cosine to the C library.

    Where vectors are at least two numbers wide (`width`), values that are computed alike are computed together: those
    of limbs that are alike, and in a long program all others, `width` at a time.
    """
    return "\n".join(
        [
            *declarations(1, fused),
            *functions_ir(program, 1),
            setup_ir(program),
            *_one_state(program, fused, width),
            _setup_batch_ir(program),
            _single_ir(program),
            _batch_ir(program),
        ]
    )


def lane_module(program: Program, lanes: int, *, fused: bool = True) -> str:
    """The module with `lanes` states at a time."""
    return "\n".join(
        [
            *declarations(lanes, fused),
            *functions_ir(program, lanes),
            gather_ir(lanes),
            kernel_ir(program, lanes, name="ph_kernel_lanes", attributes="internal"),
            _lanes_ir(program, lanes),
        ]
    )


def setup_ir(program: Program) -> str:
    """The set-up part: parameters to work array."""
    block = Block(1, program.constants)
    block.reads(range(program.first_parameter, program.first_setup), "%p")
    block.run(enumerate(program.setup, program.first_setup), live_setup(program))
    block.write(program.saved, "%w")
    return block.function("void @ph_setup(ptr %p, ptr %w)", "")


def kernel_ir(program: Program, lanes: int, *, name: str, attributes: str = "", inlining: str = "") -> str:
    """The run part; with lanes, every pointer is to an array of vectors, the work array included.

    A long program becomes several functions that share a scratch array.
    """
    wanted = live_run(program)
    if len(wanted) > WHOLE:
        return _kernel_in_pieces(program, wanted, lanes, name, attributes, inlining, None)
    block = _kernel_block(program, lanes)
    block.run(enumerate(program.run, program.first_run), wanted)
    return _finished_kernel(program, block, f"{attributes} void @{name}", inlining)


def _one_state(program: Program, fused: bool, width: int) -> list[str]:
    """The kernel of one state in the form that takes the fewest steps, and the functions that it needs."""
    code = side_by_side(program, width if fused else 1) if width > 1 else None
    if code is None:
        packs = packed_kernel(program, width, kernel_arguments(program), lambda: Block(1, program.constants))
        if packs is not None:
            return [packs]
    return vector_kernel_ir(program, code, name="ph_kernel", fused=fused, width=width)


def vector_kernel_ir(
    program: Program,
    code: Packed | None,
    *,
    name: str,
    fused: bool,
    width: int,
    attributes: str = "",
    inlining: str = "",
) -> list[str]:
    """The run part of one state with its twins, if it has any, and else its sines and cosines side by side."""
    if code is None and fused:  # the C library's are called one by one
        code = waves_side_by_side(program, width)
    wanted = live_run(program)
    if code is None and fused and len(wanted) > WHOLE:
        waves = wave_piece(program, wanted, width)
        needed = instructions(width, fused) if waves else []
        return [*needed, _kernel_in_pieces(program, wanted, 1, name, attributes, inlining, waves)]
    if code is None:
        return [kernel_ir(program, 1, name=name, attributes=attributes, inlining=inlining)]
    block = _kernel_block(program, 1)
    TwinWriter(program, code, block).write()
    needed = [text for lanes in code.widths for text in instructions(lanes, fused)]
    return [*needed, block.function(f"{attributes} void @{name}({kernel_arguments(program)})", inlining)]


def _kernel_block(program: Program, lanes: int) -> Block:
    """A block that knows where inputs and work array lie."""
    block = Block(lanes, program.constants)
    slot = program.first_input
    for number, array in enumerate(program.arrays):
        block.reads(range(slot, slot + array.size), f"%in{number}")
        slot += array.size
    block.reads(program.saved, "%w")
    return block


def _kernel_in_pieces(
    program: Program,
    wanted: frozenset[int],
    lanes: int,
    name: str,
    attributes: str,
    inlining: str,
    waves: WavePiece | None,
) -> str:
    known = waves.places if waves else {}
    pieces, ends, size = cut(program, wanted.difference(known))
    there = {slot: ("%z", size + place) for slot, place in known.items()}
    arguments = f"{kernel_arguments(program)}, ptr %z"
    main = _kernel_block(program, lanes)
    main.allocate("%z", size + (waves.size if waves else 0))
    blocks: list[Block] = []
    if waves:
        blocks.append(_kernel_block(program, lanes))
        waves.write(blocks[-1], "%z", size)
    for piece in pieces:
        blocks.append(_kernel_block(program, lanes))
        blocks[-1].at(there | {slot: ("%z", place) for slot, place in piece.reads.items()})
        blocks[-1].run(piece.code, wanted)
        blocks[-1].write_at(piece.writes, "%z")
    text = []
    for number, block in enumerate(blocks):
        text.append(block.function(f"internal void @{name}.{number}({arguments})", "noinline"))
        main.lines.append(f"  call void @{name}.{number}({arguments})")
    main.at(there | {slot: ("%z", place) for slot, place in ends.items()})
    return "\n".join([*text, _finished_kernel(program, main, f"{attributes} void @{name}", inlining)])


def _finished_kernel(program: Program, block: Block, head: str, inlining: str) -> str:
    # All values first, all stores after: an output may lie over an input.
    for output in program.outputs:
        block.values(output.slots)
    for number, output in enumerate(program.outputs):
        block.write(output.slots, f"%out{number}")
    return block.function(f"{head}({kernel_arguments(program)})", inlining)


def kernel_arguments(program: Program) -> str:
    """The kernel's formal arguments, which are also its actual ones where the caller uses the same names."""
    inputs = [f"ptr %in{number}" for number in range(len(program.arrays))]
    outputs = [f"ptr %out{number}" for number in range(len(program.outputs))]
    return ", ".join([*inputs, "ptr %w", *outputs])


def counted_loop(head: str, entry: Sequence[str], body: Sequence[str], step: int = 1) -> str:
    """A function that runs `body` for %i = 0, step, 2·step, … below %n; the body ends in the block %next."""
    return "\n".join(
        [
            f"define {head} nounwind {{",
            "entry:",
            *entry,
            "  %some = icmp sgt i64 %n, 0",
            "  br i1 %some, label %loop, label %done",
            "loop:",
            "  %i = phi i64 [ 0, %entry ], [ %i.next, %next ]",
            *body,
            "  br label %next",
            "next:",
            f"  %i.next = add i64 %i, {step}",
            "  %more = icmp slt i64 %i.next, %n",
            "  br i1 %more, label %loop, label %done",
            "done:",
            "  ret void",
            "}",
        ]
    )


def gather_ir(lanes: int) -> str:
    """ph_gather(n, from, stride, to): entry i of vector `to` is the i-th double of `lanes` rows."""
    body = []
    last = "poison"
    for lane in range(lanes):
        body += [
            f"  %row{lane} = mul i64 %stride, {lane}",
            f"  %at{lane} = add i64 %row{lane}, %i",
            f"  %from{lane} = getelementptr double, ptr %from, i64 %at{lane}",
            f"  %x{lane} = load double, ptr %from{lane}, align 8",
            f"  %y{lane} = insertelement <{lanes} x double> {last}, double %x{lane}, i64 {lane}",
        ]
        last = f"%y{lane}"
    body.append(f"  %to.i = getelementptr <{lanes} x double>, ptr %to, i64 %i")
    body.append(f"  store <{lanes} x double> {last}, ptr %to.i, align {8 * lanes}")
    return counted_loop("internal void @ph_gather(i64 %n, ptr %from, i64 %stride, ptr %to)", [], body)


def load_arguments(names: Sequence[str], table: str, kind: str = "ptr") -> list[str]:
    """Lines that load named values out of an array of pointers or integers."""
    lines = []
    for place, name in enumerate(names):
        lines.append(f"  %{name}.at = getelementptr {kind}, ptr %{table}, i64 {place}")
        lines.append(f"  %{name} = load {kind}, ptr %{name}.at, align 8")
    return lines


def _setup_batch_ir(program: Program) -> str:
    body = [
        f"  %p.at = mul i64 %i, {program.parameters}",
        "  %p.i = getelementptr double, ptr %p, i64 %p.at",
        f"  %w.at = mul i64 %i, {len(program.saved)}",
        "  %w.i = getelementptr double, ptr %w, i64 %w.at",
        "  call void @ph_setup(ptr %p.i, ptr %w.i)",
    ]
    return counted_loop("void @ph_setup_batch(i64 %n, ptr %p, ptr %w)", [], body)


def _single_ir(program: Program) -> str:
    lines = ["define void @ph_single(ptr %buffer, ptr %w) nounwind {"]
    sizes = [array.size for array in program.arrays] + [len(output.slots) for output in program.outputs]
    names = [f"%in{number}" for number in range(len(program.arrays))]
    names += [f"%out{number}" for number in range(len(program.outputs))]
    place = 0
    for name, size in zip(names, sizes, strict=True):
        lines.append(f"  {name} = getelementptr double, ptr %buffer, i64 {place}")
        place += size
    return "\n".join([*lines, f"  call void @ph_kernel({kernel_arguments(program)})", "  ret void", "}"])


def _batch_head(program: Program, name: str) -> tuple[str, list[str]]:
    """The head of a loop over states, and the lines that fetch its arrays."""
    inputs, outputs = range(len(program.arrays)), range(len(program.outputs))
    entry = load_arguments([f"from{number}" for number in inputs], "ins")
    entry += load_arguments([f"stride{number}" for number in inputs], "strides", "i64")
    entry += load_arguments([f"to{number}" for number in outputs], "outs")
    return f"void @{name}(i64 %n, ptr %ins, ptr %strides, ptr %w0, i64 %w_stride, ptr %outs)", entry


def row_at(pointer: str, index: str, stride: str, result: str) -> list[str]:
    """Lines that set `result` to the address of row `index`."""
    return [
        f"  {result}.at = mul i64 {index}, {stride}",
        f"  {result} = getelementptr double, ptr {pointer}, i64 {result}.at",
    ]


def _batch_ir(program: Program) -> str:
    head, entry = _batch_head(program, "ph_batch")
    body: list[str] = []
    for number in range(len(program.arrays)):
        body += row_at(f"%from{number}", "%i", f"%stride{number}", f"%in{number}")
    body += row_at("%w0", "%i", "%w_stride", "%w")
    for number, output in enumerate(program.outputs):
        body += row_at(f"%to{number}", "%i", str(len(output.slots)), f"%out{number}")
    body.append(f"  call void @ph_kernel({kernel_arguments(program)})")
    return counted_loop(head, entry, body)


def _lanes_ir(program: Program, lanes: int) -> str:
    head, entry = _batch_head(program, "ph_lanes")
    real, align = vector_type(lanes), 8 * lanes
    for number, array in enumerate(program.arrays):
        entry.append(f"  %in{number} = alloca {real}, i64 {max(1, array.size)}, align {align}")
    for number, output in enumerate(program.outputs):
        entry.append(f"  %out{number} = alloca {real}, i64 {max(1, len(output.slots))}, align {align}")
    saved = len(program.saved)
    entry.append(f"  %w = alloca {real}, i64 {max(1, saved)}, align {align}")
    body: list[str] = []
    for number, array in enumerate(program.arrays):
        body += row_at(f"%from{number}", "%i", f"%stride{number}", f"%row{number}")
        body += load_rows(f"%row{number}", f"%stride{number}", array.size, f"%in{number}", lanes)
    # A shared work array is spread over the lanes once, before the first block.
    body += [
        "  %own = icmp ne i64 %w_stride, 0",
        "  %start = icmp eq i64 %i, 0",
        "  %spread = or i1 %own, %start",
        "  br i1 %spread, label %fill, label %compute",
        "fill:",
        *row_at("%w0", "%i", "%w_stride", "%w.row"),
        f"  call void @ph_gather(i64 {saved}, ptr %w.row, i64 %w_stride, ptr %w)",
        "  br label %compute",
        "compute:",
        f"  call void @ph_kernel_lanes({kernel_arguments(program)})",
    ]
    for number, output in enumerate(program.outputs):
        size = len(output.slots)
        body += row_at(f"%to{number}", "%i", str(size), f"%back{number}")
        body += store_rows(f"%out{number}", size, f"%back{number}", str(size), lanes)
    return counted_loop(head, entry, body, step=lanes)


def _each_entry(
    row: str, stride: str, size: int, lanes: int, entry: Callable[[int, list[str]], list[str]]
) -> list[str]:
    """Lines for each entry of `lanes` rows, given the addresses of that entry in each row."""
    lines = [f"  {row}.lane0 = getelementptr double, ptr {row}, i64 0"]
    for lane in range(1, lanes):
        lines.append(f"  {row}.lane{lane} = getelementptr double, ptr {row}.lane{lane - 1}, i64 {stride}")
    for place in range(size):
        addresses = [f"{row}.{lane}.{place}" for lane in range(lanes)]
        for lane, address in enumerate(addresses):
            lines.append(f"  {address} = getelementptr double, ptr {row}.lane{lane}, i64 {place}")
        lines += entry(place, addresses)
    return lines


def load_rows(row: str, stride: str, size: int, vectors: str, lanes: int) -> list[str]:
    """Lines that turn `lanes` rows of doubles into an array of vectors."""
    real = vector_type(lanes)

    def entry(place: int, addresses: list[str]) -> list[str]:
        lines, last = [], "poison"
        for lane, address in enumerate(addresses):
            lines.append(f"  {address}.x = load double, ptr {address}, align 8")
            if lanes > 1:
                lines.append(f"  {address}.y = insertelement {real} {last}, double {address}.x, i64 {lane}")
            last = f"{address}.y" if lanes > 1 else f"{address}.x"
        lines.append(f"  {row}.v{place} = getelementptr {real}, ptr {vectors}, i64 {place}")
        lines.append(f"  store {real} {last}, ptr {row}.v{place}, align {8 * lanes}")
        return lines

    return _each_entry(row, stride, size, lanes, entry)


def store_rows(vectors: str, size: int, row: str, stride: str, lanes: int) -> list[str]:
    """Lines that turn an array of vectors into `lanes` rows of doubles."""
    real = vector_type(lanes)

    def entry(place: int, addresses: list[str]) -> list[str]:
        lines = [
            f"  {row}.v{place} = getelementptr {real}, ptr {vectors}, i64 {place}",
            f"  {row}.w{place} = load {real}, ptr {row}.v{place}, align {8 * lanes}",
        ]
        for lane, address in enumerate(addresses):
            value = f"{row}.w{place}"
            if lanes > 1:
                lines.append(f"  {address}.x = extractelement {real} {value}, i64 {lane}")
                value = f"{address}.x"
            lines.append(f"  store double {value}, ptr {address}, align 8")
        return lines

    return _each_entry(row, stride, size, lanes, entry)
