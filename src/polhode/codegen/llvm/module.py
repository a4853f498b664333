"""LLVM IR, as text, for a program: set-up, kernel, and loops over a batch, for one state or for lanes of states.

Functions of a scalar module (all doubles; pointers to contiguous arrays):

    ph_setup(p, w)                                     parameters → work array
    ph_setup_batch(n, p, w)                            the same for n parameter sets, one after the other
    ph_kernel(inputs..., w, outputs...)                one state
    ph_single(buffer, w)                               one state; the buffer holds all inputs, then all outputs
    ph_batch(n, ins, strides, w, w_stride, outs)       n states; ins, strides and outs are arrays of pointers/integers
    ph_at(table)                                       one state; the table holds the pointers that ph_kernel takes
    ph_at_lanes(table)                                 as many states as there are lanes; the same, of vectors

A stride is the distance from one state to the next in doubles; 0 shares an array among all states. The lane module has
`ph_at_lanes`, and `ph_lanes` with the signature of `ph_batch`, n a multiple of the number of lanes. Every kernel reads
all it needs before it writes its first output, so that an output may lie over an input. Products and sums are fused as
`fused_products` says in scalar code and in lanes, which so round alike; in packs LLVM fuses them, and the terms of a
sum are added in another order. No other liberty is taken.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ..ir.ops import live_setup
from ..ir.program import Program
from .block import Block, declarations
from .calls import functions_ir
from .kernels import Kernel, fills_vectors, kernel_arguments, kernel_ir, rounds_alike, written
from .sincos import vector_type


@dataclass(frozen=True)
class ScalarModule:
    """A module with one state at a time, whether that fills vectors by itself, and whether it rounds as lanes do."""

    text: str
    is_packed: bool
    rounds_alike: bool


def scalar_module(program: Program, *, fused: bool = True) -> ScalarModule:
    """The module with one state at a time; `fused=False` leaves sine and cosine to the C library."""
    kernel, strategy = written(Kernel(program, "ph_kernel", fused=fused))
    text = [
        *declarations(1, fused),
        *functions_ir(program, 1),
        setup_ir(program),
        *kernel,
        _setup_batch_ir(program),
        _single_ir(program),
        _batch_ir(program),
        _at_ir(program, "ph_at", "ph_kernel"),
    ]
    return ScalarModule("\n".join(text), fills_vectors(strategy), rounds_alike(strategy))


def lane_module(program: Program, lanes: int, *, fused: bool = True) -> str:
    """The module with `lanes` states at a time."""
    return "\n".join(
        [
            *declarations(lanes, fused),
            *functions_ir(program, lanes),
            gather_ir(lanes),
            *kernel_ir(Kernel(program, "ph_kernel_lanes", lanes=lanes, fused=fused, attributes="internal")),
            _lanes_ir(program, lanes),
            _at_ir(program, "ph_at_lanes", "ph_kernel_lanes"),
        ]
    )


def setup_ir(program: Program) -> str:
    """The set-up part: parameters to work array."""
    block = Block(1, program.constants)
    block.reads(range(program.first_parameter, program.first_setup), "%p")
    block.run(enumerate(program.setup, program.first_setup), live_setup(program))
    block.write(program.saved, "%w")
    return block.function("void @ph_setup(ptr %p, ptr %w)", "")


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
    lines = ["define void @ph_single(ptr %buffer, ptr %w) #1 {"]
    sizes = [array.size for array in program.arrays] + [len(output.slots) for output in program.outputs]
    names = [f"%in{number}" for number in range(len(program.arrays))]
    names += [f"%out{number}" for number in range(len(program.outputs))]
    offset = 0
    for name, size in zip(names, sizes, strict=True):
        lines.append(f"  {name} = getelementptr double, ptr %buffer, i64 {offset}")
        offset += size
    return "\n".join([*lines, f"  call void @ph_kernel({kernel_arguments(program)})", "  ret void", "}"])


def _at_ir(program: Program, name: str, kernel: str) -> str:
    """The kernel behind one table of pointers, the same for every program, for integrators."""
    arguments = kernel_arguments(program)
    names = [name.removeprefix("ptr %") for name in arguments.split(", ")]
    lines = [f"define void @{name}(ptr %table) #1 {{", *load_arguments(names, "table")]
    return "\n".join([*lines, f"  call void @{kernel}({arguments})", "  ret void", "}"])


def _batch_head(program: Program, name: str) -> tuple[str, list[str]]:
    """The head of a loop over states, and the lines that fetch its arrays."""
    inputs, outputs = range(len(program.arrays)), range(len(program.outputs))
    entry = load_arguments([f"from{number}" for number in inputs], "ins")
    entry += load_arguments([f"stride{number}" for number in inputs], "strides", "i64")
    entry += load_arguments([f"to{number}" for number in outputs], "outs")
    return f"void @{name}(i64 %n, ptr %ins, ptr %strides, ptr %w0, i64 %w_stride, ptr %outs)", entry


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


def load_arguments(names: Sequence[str], table: str, kind: str = "ptr") -> list[str]:
    """Lines that load named values out of an array of pointers or integers."""
    lines = []
    for offset, name in enumerate(names):
        lines.append(f"  %{name}.at = getelementptr {kind}, ptr %{table}, i64 {offset}")
        lines.append(f"  %{name} = load {kind}, ptr %{name}.at, align 8")
    return lines


def row_at(pointer: str, index: str, stride: str, result: str) -> list[str]:
    """Lines that set `result` to the address of row `index`."""
    return [
        f"  {result}.at = mul i64 {index}, {stride}",
        f"  {result} = getelementptr double, ptr {pointer}, i64 {result}.at",
    ]


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


def _each_entry(
    row: str, stride: str, size: int, lanes: int, entry: Callable[[int, list[str]], list[str]]
) -> list[str]:
    """Lines for each entry of `lanes` rows, given the addresses of that entry in each row."""
    lines = [f"  {row}.lane0 = getelementptr double, ptr {row}, i64 0"]
    for lane in range(1, lanes):
        lines.append(f"  {row}.lane{lane} = getelementptr double, ptr {row}.lane{lane - 1}, i64 {stride}")
    for offset in range(size):
        addresses = [f"{row}.{lane}.{offset}" for lane in range(lanes)]
        for lane, address in enumerate(addresses):
            lines.append(f"  {address} = getelementptr double, ptr {row}.lane{lane}, i64 {offset}")
        lines += entry(offset, addresses)
    return lines


def load_rows(row: str, stride: str, size: int, vectors: str, lanes: int) -> list[str]:
    """Lines that turn `lanes` rows of doubles into an array of vectors."""
    real = vector_type(lanes)

    def entry(offset: int, addresses: list[str]) -> list[str]:
        lines, last = [], "poison"
        for lane, address in enumerate(addresses):
            lines.append(f"  {address}.x = load double, ptr {address}, align 8")
            if lanes > 1:
                lines.append(f"  {address}.y = insertelement {real} {last}, double {address}.x, i64 {lane}")
            last = f"{address}.y" if lanes > 1 else f"{address}.x"
        lines.append(f"  {row}.v{offset} = getelementptr {real}, ptr {vectors}, i64 {offset}")
        lines.append(f"  store {real} {last}, ptr {row}.v{offset}, align {8 * lanes}")
        return lines

    return _each_entry(row, stride, size, lanes, entry)


def store_rows(vectors: str, size: int, row: str, stride: str, lanes: int) -> list[str]:
    """Lines that turn an array of vectors into `lanes` rows of doubles."""
    real = vector_type(lanes)

    def entry(offset: int, addresses: list[str]) -> list[str]:
        lines = [
            f"  {row}.v{offset} = getelementptr {real}, ptr {vectors}, i64 {offset}",
            f"  {row}.w{offset} = load {real}, ptr {row}.v{offset}, align {8 * lanes}",
        ]
        for lane, address in enumerate(addresses):
            value = f"{row}.w{offset}"
            if lanes > 1:
                lines.append(f"  {address}.x = extractelement {real} {value}, i64 {lane}")
                value = f"{address}.x"
            lines.append(f"  store double {value}, ptr {address}, align 8")
        return lines

    return _each_entry(row, stride, size, lanes, entry)
