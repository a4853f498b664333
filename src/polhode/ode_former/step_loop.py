"""Explicit Runge–Kutta steps of fixed size, as one native loop around a kernel.

    ph_steps(n, records, every, start, t0, h, x, ins, strides, w, w_stride, record, record_stride, counts)

takes each of n states x (rows of the state's length) through `records · every` steps and writes every `every`-th state
to its row of `record`. The time of step k is t0 + (start + k)·h, not a running sum, so that a run cut into chunks gives
the same bits as a whole one. A step that makes a state non-finite is not taken: x keeps the last good state. The steps
done are added to `counts`; a state whose count is negative is left alone. With lanes, n is a multiple of their
number.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..codegen.fixed_steps import Tableau
from ..codegen.ir.program import Program
from ..codegen.llvm.block import declarations
from ..codegen.llvm.calls import functions_ir
from ..codegen.llvm.kernels import Kernel, kernel_ir
from ..codegen.llvm.rows import gather_ir, load_arguments, load_rows, row_at, store_rows
from ..codegen.llvm.sincos import double, splat, suffix, vector_type

#: Kernels up to this many instructions are inlined into each stage; longer ones are called.
INLINE = 400


def step_module(
    program: Program,
    method: Tableau,
    normalise: Sequence[tuple[int, int]] = (),
    *,
    lanes: int = 1,
    fused: bool = True,
) -> str:
    """The module with `ph_steps` for the right-hand side x' = f(t, x, ...) that the program computes.

    It takes `lanes` states at a time.
    `normalise` lists (start, length) of parts of x that are brought back to unit length after every step.
    """
    inlining = "alwaysinline" if len(program.run) <= INLINE else "noinline"
    text = [*declarations(lanes, fused), *functions_ir(program, lanes)]
    kernel = Kernel(
        program,
        "ph_rhs",
        lanes=lanes,
        fused=fused,
        attributes="internal",
        inlining=inlining,
    )
    text += kernel_ir(kernel, spills=False)
    if lanes > 1:
        text.append(gather_ir(lanes))
    return "\n".join([*text, _loop_ir(program, method, normalise, lanes)])


def _loop_ir(program: Program, method: Tableau, normalise: Sequence[tuple[int, int]], lanes: int) -> str:
    size = next(array.size for array in program.arrays if array.name == "x")
    others = [k for k, array in enumerate(program.arrays) if array.name not in ("t", "x")]
    head = (
        "define void @ph_steps(i64 %n, i64 %records, i64 %every, i64 %start, double %t0, double %h, ptr noalias %xs,"
        " ptr noalias %ins, ptr noalias %strides, ptr noalias %w0, i64 %w_stride, ptr noalias %record,"
        " i64 %record_stride, ptr noalias %counts) #1 {"
    )
    step = _Step(program, method, size, lanes)
    lines = [head, "entry:"]
    lines += load_arguments([f"from{k}" for k in others], "ins")
    lines += load_arguments([f"stride{k}" for k in others], "strides", "i64")
    lines += step.allocate(others)
    lines += [
        "  %some = icmp sgt i64 %n, 0",
        "  br i1 %some, label %state, label %end",
        "state:",
        "  %i = phi i64 [ 0, %entry ], [ %i.next, %done ]",
        *row_at("%xs", "%i", str(size), "%x.row"),
        *load_rows("%x.row", str(size), size, "%x", lanes),
    ]
    for k in others:
        lines += row_at(f"%from{k}", "%i", f"%stride{k}", f"%row{k}")
        lines += load_rows(f"%row{k}", f"%stride{k}", program.arrays[k].size, f"%in{k}", lanes)
    lines += row_at("%w0", "%i", "%w_stride", "%w.row")
    if lanes > 1:
        lines.append(f"  call void @ph_gather(i64 {len(program.saved)}, ptr %w.row, i64 %w_stride, ptr %w)")
    lines += row_at("%record", "%i", "%record_stride", "%to")
    whole, mask = vector_type(lanes, "i64"), vector_type(lanes, "i1")
    lines += [
        "  %count.in = getelementptr i64, ptr %counts, i64 %i",
        f"  %count.first = load {whole}, ptr %count.in, align 8",
        f"  store {whole} %count.first, ptr %count, align {8 * lanes}",
        f"  %alive.first = icmp sge {whole} %count.first, {'0' if lanes == 1 else 'zeroinitializer'}",
        f"  store {mask} %alive.first, ptr %alive, align 1",
        *any_lane("%alive.first", "%alive.any", lanes),
        "  %work = icmp sgt i64 %records, 0",
        "  %go = and i1 %work, %alive.any",
        "  br i1 %go, label %piece, label %done",
        "piece:",
        "  %r = phi i64 [ 0, %state ], [ %r.next, %write ]",
        "  %first = mul i64 %r, %every",
        "  %last = add i64 %first, %every",
        "  br label %step",
        "step:",
        "  %k = phi i64 [ %first, %piece ], [ %k.next, %taken ]",
        *step.take(normalise),
        f"  %alive.before = load {mask}, ptr %alive, align 1",
        f"  %alive.now = and {mask} %alive.before, %finite",
        f"  store {mask} %alive.now, ptr %alive, align 1",
        *any_lane("%alive.now", "%any", lanes),
        "  br i1 %any, label %taken, label %done",
        "taken:",
        *step.keep(mask),
        f"  %count.before = load {whole}, ptr %count, align {8 * lanes}",
        f"  %count.more = zext {mask} %alive.now to {whole}",
        f"  %count.now = add {whole} %count.before, %count.more",
        f"  store {whole} %count.now, ptr %count, align {8 * lanes}",
        "  %k.next = add i64 %k, 1",
        "  %on = icmp slt i64 %k.next, %last",
        "  br i1 %on, label %step, label %write",
        "write:",
        *row_at("%to", "%r", str(size), "%to.row"),
        *store_rows("%x", size, "%to.row", "%record_stride", lanes),
        "  %r.next = add i64 %r, 1",
        "  %again = icmp slt i64 %r.next, %records",
        "  br i1 %again, label %piece, label %done",
        "done:",
        *row_at("%xs", "%i", str(size), "%x.back"),
        *store_rows("%x", size, "%x.back", str(size), lanes),
        f"  %count.final = load {whole}, ptr %count, align {8 * lanes}",
        "  %count.at = getelementptr i64, ptr %counts, i64 %i",
        f"  store {whole} %count.final, ptr %count.at, align 8",
        f"  %i.next = add i64 %i, {lanes}",
        "  %more = icmp slt i64 %i.next, %n",
        "  br i1 %more, label %state, label %end",
        "end:",
        "  ret void",
        "}",
    ]
    return "\n".join(lines)


def any_lane(mask: str, result: str, lanes: int) -> list[str]:
    """Lines that set `result` to whether any lane of a mask is set."""
    if lanes == 1:
        return [f"  {result} = or i1 {mask}, false"]
    return [f"  {result} = call i1 @llvm.vector.reduce.or.v{lanes}i1(<{lanes} x i1> {mask})"]


class _Step:
    """The lines of one step; every vector of the state's length lives on the stack until LLVM lifts it to registers."""

    def __init__(self, program: Program, method: Tableau, size: int, lanes: int) -> None:
        self.program, self.method, self.size, self.lanes = program, method, size, lanes
        self.real, self.align = vector_type(lanes), 8 * lanes

    def allocate(self, others: Iterable[int]) -> list[str]:
        sizes = {"%x": self.size, "%stage": self.size, "%new": self.size, "%t": 1}
        sizes |= {f"%rate{stage}": self.size for stage in range(len(self.method.b))}
        sizes |= {f"%in{k}": self.program.arrays[k].size for k in others}
        if self.lanes > 1:
            sizes["%w"] = len(self.program.saved)
        lines = [
            f"  {name} = alloca {self.real}, i64 {max(1, size)}, align {self.align}" for name, size in sizes.items()
        ]
        lines.append(f"  %count = alloca {vector_type(self.lanes, 'i64')}, align {self.align}")
        lines.append(f"  %alive = alloca {vector_type(self.lanes, 'i1')}, align 1")
        return [*lines, *self._spread("%h", "%hv")]

    def take(self, normalise: Sequence[tuple[int, int]]) -> list[str]:
        """From %x to %new, with %finite saying whether it may be kept."""
        lines = ["  %k.abs = add i64 %start, %k", "  %k.real = sitofp i64 %k.abs to double"]
        for stage, (c, row) in enumerate(zip(self.method.c, self.method.a, strict=True)):
            lines += [
                f"  %k.c{stage} = fadd contract double %k.real, {double(c)}",
                f"  %dt{stage} = fmul contract double %k.c{stage}, %h",
                f"  %time{stage} = fadd contract double %t0, %dt{stage}",
                *self._spread(f"%time{stage}", f"%tv{stage}"),
                f"  store {self.real} %tv{stage}, ptr %t, align {self.align}",
            ]
            lines += self._combine(f"s{stage}", row, "%stage")
            lines.append(self._call("%stage", f"%rate{stage}"))
        lines += self._combine("n", self.method.b, "%new")
        for number, (start, length) in enumerate(normalise):
            lines += self._normalise(f"u{number}", start, length)
        return [*lines, *self._finite()]

    def keep(self, mask: str) -> list[str]:
        """%x becomes %new in the lanes that are alive."""
        lines: list[str] = []
        for index in range(self.size):
            lines += self._load(f"%keep{index}", "%new", index)
            value = f"%keep{index}"
            if self.lanes > 1:
                lines += self._load(f"%held{index}", "%x", index)
                value = f"%kept{index}"
                lines.append(
                    f"  {value} = select {mask} %alive.now, {self.real} %keep{index}, {self.real} %held{index}"
                )
            lines += self._store(value, "%x", index, f"%keep{index}.to")
        return lines

    def _combine(self, tag: str, weights: Sequence[float], into: str) -> list[str]:
        """into = x + h Σ weight·rate: the increments are summed first, so that x is rounded once."""
        lines: list[str] = []
        for index in range(self.size):
            lines += self._load(f"%{tag}.x{index}", "%x", index)
            total = ""
            for stage, weight in enumerate(weights):
                if weight == 0.0:
                    continue
                name = f"%{tag}.{stage}.{index}"
                lines += self._load(f"{name}.k", f"%rate{stage}", index)
                term = f"{name}.k"
                if weight != 1.0:
                    lines.append(f"  {name}.m = fmul contract {self.real} {term}, {splat(weight, self.lanes)}")
                    term = f"{name}.m"
                if total:
                    lines.append(f"  {name}.sum = fadd contract {self.real} {total}, {term}")
                    term = f"{name}.sum"
                total = term
            value = f"%{tag}.x{index}"
            if total:
                lines.append(f"  {value}.d = fmul contract {self.real} {total}, %hv")
                lines.append(f"  {value}.to = fadd contract {self.real} {value}, {value}.d")
                value = f"{value}.to"
            lines += self._store(value, into, index, f"%{tag}.p{index}")
        return lines

    def _call(self, state: str, rate: str) -> str:
        names = {"t": "%t", "x": state}
        inputs = [f"ptr {names.get(array.name, f'%in{k}')}" for k, array in enumerate(self.program.arrays)]
        work = "%w.row" if self.lanes == 1 else "%w"
        return f"  call void @ph_rhs({', '.join([*inputs, f'ptr {work}', f'ptr {rate}'])})"

    def _normalise(self, tag: str, start: int, length: int) -> list[str]:
        lines: list[str] = []
        total = splat(0.0, self.lanes)
        for index in range(start, start + length):
            value = f"%{tag}.{index}"
            lines += self._load(value, "%new", index)
            lines.append(f"  {value}.sq = fmul contract {self.real} {value}, {value}")
            lines.append(f"  {value}.sum = fadd contract {self.real} {total}, {value}.sq")
            total = f"{value}.sum"
        lines.append(f"  %{tag}.norm = call {self.real} @llvm.sqrt.{suffix(self.lanes)}({self.real} {total})")
        lines.append(f"  %{tag}.inv = fdiv {self.real} {splat(1.0, self.lanes)}, %{tag}.norm")
        for index in range(start, start + length):
            value = f"%{tag}.{index}"
            lines.append(f"  {value}.unit = fmul contract {self.real} {value}, %{tag}.inv")
            lines += self._store(f"{value}.unit", "%new", index, f"{value}.to")
        return lines

    def _finite(self) -> list[str]:
        """x − x is 0 for a finite x and nan otherwise; one comparison of the sum tells for all entries."""
        lines: list[str] = []
        total = splat(0.0, self.lanes)
        for index in range(self.size):
            value = f"%f{index}"
            lines += self._load(value, "%new", index)
            lines.append(f"  {value}.zero = fsub {self.real} {value}, {value}")
            lines.append(f"  {value}.sum = fadd {self.real} {total}, {value}.zero")
            total = f"{value}.sum"
        return [*lines, f"  %finite = fcmp ord {self.real} {total}, {splat(0.0, self.lanes)}"]

    def _spread(self, scalar: str, vector: str) -> list[str]:
        if self.lanes == 1:
            return [f"  {vector} = fadd double {scalar}, {double(-0.0)}"]
        real = self.real
        return [
            f"  {vector}.one = insertelement {real} poison, double {scalar}, i64 0",
            f"  {vector} = shufflevector {real} {vector}.one, {real} poison, <{self.lanes} x i32> zeroinitializer",
        ]

    def _load(self, result: str, vector: str, index: int) -> list[str]:
        return [
            f"  {result}.from = getelementptr {self.real}, ptr {vector}, i64 {index}",
            f"  {result} = load {self.real}, ptr {result}.from, align {self.align}",
        ]

    def _store(self, value: str, vector: str, index: int, address: str) -> list[str]:
        return [
            f"  {address} = getelementptr {self.real}, ptr {vector}, i64 {index}",
            f"  store {self.real} {value}, ptr {address}, align {self.align}",
        ]
