"""Loops over states in LLVM IR, and rows of doubles to and from lanes."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from .sincos import vector_type


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
