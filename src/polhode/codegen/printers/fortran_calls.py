"""Opaque functions in Fortran 2008: tables as pure functions over module data, users' functions through bind(c)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from math import prod

from ...expr.opaque.piecewise import Pieces
from ...expr.opaque.user import UserFunction
from ..ir.calls import horner, own_symbol, renamed, sources, tables, user_functions
from ..ir.program import Program

_LONGEST = 132


def fitted(text: str) -> str:
    """The text with longer lines continued on the next: statements by `&` on both sides, comments by `!`.

    Such a break is allowed anywhere in a statement, also inside of a character constant.

    >>> print(fitted("  call f(" + ", ".join(f"argument_{k}" for k in range(12)) + ")"))
      call f(argument_0, argument_1, argument_2, argument_3, argument_4, argument_5, argument_6, argument_7, argument_8, argument_9, &
        &argument_10, argument_11)
    """  # noqa: E501 - that is what it prints
    lines: list[str] = []
    for line in text.split("\n"):
        margin = " " * (len(line) - len(line.lstrip()))
        before, after = ("", f"{margin}! ") if line.lstrip().startswith("!") else ("&", f"{margin}  &")
        while len(line) > _LONGEST:
            room = _LONGEST - len(before)
            cut = line.rfind(" ", len(after), room) + 1 or room
            lines.append(line[:cut].rstrip() if not before else line[:cut] + before)
            line = after + line[cut:]
        lines.append(line)
    return "\n".join(lines)


_CHUNK = 200  # numbers in one data statement: the standard counts continuation lines

_SEARCH = """
  ! The piece of a table that x lies in: 0 before the first knot, last + 1 after the last.
  pure function table_piece(t, x) result(piece)
    real(real64), intent(in) :: t(:)
    real(real64), intent(in) :: x
    integer :: piece, n, half
    piece = 0
    n = size(t) - 1
    do while (n > 1)
      half = n / 2
      if (t(piece + half + 1) <= x) piece = piece + half
      n = n - half
    end do
    if (t(1) <= x) piece = piece + 1
    if (x > t(size(t))) piece = piece + 1
  end function table_piece"""


def declarations_in_fortran(program: Program) -> list[str]:
    """The module's data and interfaces for all that the program calls."""
    lines = []
    if _has_nan(program):
        lines.append("  real(real64), parameter :: table_nan = transfer(9221120237041090560_int64, 1.0_real64)")
    if tables(program):
        lines.append("  integer :: table_i")
    for op, table in tables(program):
        for axis, knots in enumerate(table.pieces.knots):
            lines += _data(f"{op}_t{axis}", knots)
        lines += _data(f"{op}_c", table.pieces.coefficients)
    for op, function in user_functions(program):
        lines += _interface(program, op, function)
    return lines


def functions_in_fortran(program: Program) -> list[str]:
    """The module's functions for the tables that the program calls, as `call0`, `call1`, …."""
    given = tables(program)
    lines = _SEARCH.split("\n") if given else []
    for op, table in given:
        lines += _table(op, table.pieces)
    return lines


def kinds_in_fortran(program: Program) -> str:
    """What the module needs of iso_fortran_env."""
    return "real64, int64" if _has_nan(program) else "real64"


def _has_nan(program: Program) -> bool:
    """Whether a table ends where its points end."""
    return any(math.isnan(c) for _, table in tables(program) for c in table.pieces.coefficients)


def sources_beside(program: Program) -> dict[str, str]:
    """A C file with the users' sources as they were given, to be compiled and linked with the module."""
    given = sources(program)
    if not given:
        return {}
    text = "\n".join(
        [
            "/* Functions that the module calls, as they were given. */",
            "#include <math.h>",
            "",
            *renamed(program),
            *given,
        ]
    )
    return {f"{program.name}_functions.c": text + "\n"}


def _literal(number: float) -> str:
    return "table_nan" if math.isnan(number) else f"{number!r}_real64"


def _data(name: str, numbers: Sequence[float]) -> list[str]:
    lines = [f"  real(real64), save :: {name}({len(numbers)})"]
    for start in range(0, len(numbers), _CHUNK):
        chunk = numbers[start : start + _CHUNK]
        numerals = ", ".join(map(_literal, chunk))
        lines.append(f"  data ({name}(table_i), table_i = {start + 1}, {start + len(chunk)}) / {numerals} /")
    return lines


def _interface(program: Program, op: str, function: UserFunction) -> list[str]:
    names = ", ".join(f"x{place}" for place in range(function.arity))
    return [
        "  interface",
        f'    pure function {op}({names}) bind(c, name="{own_symbol(program, function)}") result(y)',
        "      use, intrinsic :: iso_c_binding, only: c_double",
        f"      real(c_double), value :: {names}",
        "      real(c_double) :: y",
        f"    end function {op}",
        "  end interface",
    ]


def _table(op: str, pieces: Pieces) -> list[str]:
    axes = range(len(pieces.knots))
    names = [f"a{number}" for number in range(prod(pieces.sizes))]
    steps: list[str] = []
    place = ""
    for axis in axes:
        steps.append(f"k{axis} = table_piece({op}_t{axis}, x{axis})")
        steps.append(f"d{axis} = x{axis} - {op}_t{axis}(max(k{axis}, 1))")
        place = f"({place} * {pieces.counts[axis]} + k{axis})" if place else f"k{axis}"
    steps.append(f"start = {place} * {prod(pieces.sizes)}")
    steps += [f"{name} = {op}_c(start + {number})" for number, name in enumerate(names, 1)]
    reals = [*(f"d{axis}" for axis in axes), *names]
    for axis in reversed(axes):
        size = pieces.sizes[axis]
        found = [horner(names[k : k + size], f"d{axis}") for k in range(0, len(names), size)]
        names = [f"b{axis}_{number}" for number in range(len(found))] if axis else ["y"]
        reals += names if axis else []
        steps += [f"{name} = {value}" for name, value in zip(names, found, strict=True)]
    arguments = ", ".join(f"x{axis}" for axis in axes)
    return [
        "",
        f"  pure function {op}({arguments}) result(y)",
        f"    real(real64), intent(in) :: {arguments}",
        *_declared("real(real64)", ["y", *reals]),
        *_declared("integer", [*(f"k{axis}" for axis in axes), "start"]),
        *(f"    {step}" for step in steps),
        f"  end function {op}",
    ]


def _declared(kind: str, names: Sequence[str]) -> list[str]:
    rows = [", ".join(names[start : start + 16]) for start in range(0, len(names), 16)]
    return [f"    {kind} :: {row}" for row in rows]
