"""Opaque functions as LLVM IR: a table is a search, a few loads and Horner's rule; a user's function is a symbol."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from ...expr.opaque.piecewise import Pieces
from ...expr.opaque.table import Table
from ...expr.opaque.user import UserFunction
from ..ir.calls import called
from ..ir.program import Program
from .sincos import double, vector_type

_SEARCH = """
define internal i64 @ph_piece(ptr %t, i64 %last, double %x) #1 {
entry:
  br label %loop
loop:
  %low = phi i64 [ 0, %entry ], [ %low.next, %halve ]
  %n = phi i64 [ %last, %entry ], [ %n.next, %halve ]
  %more = icmp sgt i64 %n, 1
  br i1 %more, label %halve, label %done
halve:
  %half = lshr i64 %n, 1
  %middle = add i64 %low, %half
  %at = getelementptr double, ptr %t, i64 %middle
  %knot = load double, ptr %at, align 8
  %right = fcmp ole double %knot, %x
  %low.next = select i1 %right, i64 %middle, i64 %low
  %n.next = sub i64 %n, %half
  br label %loop
done:
  %first = load double, ptr %t, align 8
  %begun = fcmp ole double %first, %x
  %end.at = getelementptr double, ptr %t, i64 %last
  %end = load double, ptr %end.at, align 8
  %over = fcmp ogt double %x, %end
  %one = zext i1 %begun to i64
  %two = zext i1 %over to i64
  %inside = add i64 %low, %one
  %piece = add i64 %inside, %two
  ret i64 %piece
}"""


def functions_ir(program: Program, lanes: int) -> list[str]:
    """The definitions of all that the program calls, as `@call0`, `@call1`, …, and with lanes as `@ph_call0N`, …."""
    text: list[str] = []
    for op, function in called(program):
        if isinstance(function, Table):
            text += [] if _SEARCH in text else [_SEARCH]
            text.append(_table_ir(op, function.pieces, function.is_extended))
        elif isinstance(function, UserFunction):
            text.append(_user_ir(op, function))
        if lanes > 1:
            text.append(in_lanes(op, function.arity, lanes))
    return text


def in_lanes(function: str, arity: int, lanes: int) -> str:
    """A function of doubles, lane by lane."""
    real = vector_type(lanes)
    letters = "abcdefgh"[:arity]
    head = ", ".join(f"{real} %{letter}" for letter in letters)
    lines = [f"define internal {real} @ph_{function}{lanes}({head}) #1 {{"]
    last = "poison"
    for lane in range(lanes):
        for letter in letters:
            lines.append(f"  %{letter}{lane} = extractelement {real} %{letter}, i64 {lane}")
        args = ", ".join(f"double %{letter}{lane}" for letter in letters)
        lines.append(f"  %x{lane} = call double @{function}({args})")
        lines.append(f"  %y{lane} = insertelement {real} {last}, double %x{lane}, i64 {lane}")
        last = f"%y{lane}"
    return "\n".join([*lines, f"  ret {real} {last}", "}"])


def user_symbol(function: UserFunction) -> str:
    """The name by which native code finds a user's function."""
    return f"ph_user_{function.digest}"


def _user_ir(op: str, function: UserFunction) -> str:
    kinds = ", ".join(["double"] * function.arity)
    args = ", ".join(f"double %x{k}" for k in range(function.arity))
    return "\n".join(
        [
            f"declare double @{user_symbol(function)}({kinds})",
            f"define internal double @{op}({args}) #1 {{",
            f"  %y = call double @{user_symbol(function)}({args})",
            "  ret double %y",
            "}",
        ]
    )


def _array(name: str, numbers: Sequence[float]) -> str:
    entries = ", ".join(f"double {double(number)}" for number in numbers)
    return f"@{name} = internal unnamed_addr constant [{len(numbers)} x double] [{entries}], align 8"


def _table_ir(op: str, pieces: Pieces, is_extended: bool) -> str:
    axes = range(len(pieces.knots))
    within = "s" if is_extended else "x"
    data = [_array(f"{op}.t{axis}", pieces.knots[axis]) for axis in axes]
    data.append(_array(f"{op}.c", pieces.coefficients))
    args = ", ".join(f"double %{letter}{axis}" for letter in dict.fromkeys(("x", within)) for axis in axes)
    lines = [f"define internal double @{op}({args}) #1 {{"]
    index = "0"
    for axis in axes:
        t = f"@{op}.t{axis}"
        lines += [
            f"  %k{axis} = call i64 @ph_piece(ptr {t}, i64 {len(pieces.knots[axis]) - 1}, double %{within}{axis})",
            f"  %before{axis} = icmp eq i64 %k{axis}, 0",
            f"  %less{axis} = sub i64 %k{axis}, 1",
            f"  %left{axis} = select i1 %before{axis}, i64 0, i64 %less{axis}",
            f"  %t{axis}.at = getelementptr double, ptr {t}, i64 %left{axis}",
            f"  %t{axis} = load double, ptr %t{axis}.at, align 8",
            f"  %d{axis} = fsub double %x{axis}, %t{axis}",
            f"  %row{axis} = mul i64 {index}, {pieces.counts[axis]}",
            f"  %place{axis} = add i64 %row{axis}, %k{axis}",
        ]
        index = f"%place{axis}"
    lines.append(f"  %start = mul i64 {index}, {prod(pieces.sizes)}")
    lines.append(f"  %c = getelementptr double, ptr @{op}.c, i64 %start")
    names = []
    for number in range(prod(pieces.sizes)):
        lines.append(f"  %c{number}.at = getelementptr double, ptr %c, i64 {number}")
        lines.append(f"  %c{number} = load double, ptr %c{number}.at, align 8")
        names.append(f"%c{number}")
    for axis in reversed(axes):
        size = pieces.sizes[axis]
        names = [_horner(names[k : k + size], f"%d{axis}", f"%h{axis}.{k}", lines) for k in range(0, len(names), size)]
    return "\n".join([*data, *lines, f"  ret double {names[0]}", "}"])


def _horner(names: Sequence[str], step: str, tag: str, lines: list[str]) -> str:
    value = names[-1]
    for depth, name in enumerate(reversed(names[:-1])):
        lines.append(f"  {tag}.m{depth} = fmul contract double {value}, {step}")
        lines.append(f"  {tag}.s{depth} = fadd contract double {tag}.m{depth}, {name}")
        value = f"{tag}.s{depth}"
    return value
