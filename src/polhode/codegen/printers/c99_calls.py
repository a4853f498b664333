"""Opaque functions in C99: tables as static functions with constant arrays, users' sources as they were given."""

from __future__ import annotations

import math
from collections.abc import Sequence
from math import prod
from textwrap import wrap

from ...expr.opaque.piecewise import Pieces
from ..ir.calls import horner, renamed, sources, tables, user_functions
from ..ir.program import Program

_SEARCH = """/* The piece of a table that x lies in: 0 before the first knot, last + 1 after the last. */
static int table_piece(const double *t, int last, double x) {
  int piece = 0;
  for (int n = last; n > 1;) {
    const int half = n / 2;
    if (t[piece + half] <= x) piece += half;
    n -= half;
  }
  return piece + (t[0] <= x) + (x > t[last]);
}
"""


def functions_in_c(program: Program) -> list[str]:
    """The definitions of all that the program calls, as `call0`, `call1`, …."""
    given = sources(program)
    found = [*renamed(program), ""] if given else []
    found += [f"{source.strip()}\n" for source in given]
    for op, function in user_functions(program):
        names = [f"x{place}" for place in range(function.arity)]
        head = ", ".join(f"double {name}" for name in names)
        found.append(f"static double {op}({head}) {{\n  return {function.name}({', '.join(names)});\n}}\n")
    known = tables(program)
    found += [_SEARCH] if known else []
    return [*found, *(_table(op, table.pieces, table.is_extended) for op, table in known)]


def _table(op: str, pieces: Pieces, is_extended: bool) -> str:
    axes, within = range(len(pieces.knots)), "s" if is_extended else "x"
    args = ", ".join(f"double {letter}{axis}" for letter in dict.fromkeys(("x", within)) for axis in axes)
    lines = [f"static double {op}({args}) {{"]
    for axis in axes:
        lines += _array(f"t{axis}", pieces.knots[axis])
    lines += _array("c", pieces.coefficients)
    place = ""
    for axis in axes:
        last = len(pieces.knots[axis]) - 1
        lines.append(f"  const int k{axis} = table_piece(t{axis}, {last}, {within}{axis});")
        lines.append(f"  const double d{axis} = x{axis} - t{axis}[k{axis} > 0 ? k{axis} - 1 : 0];")
        place = f"({place} * {pieces.counts[axis]} + k{axis})" if place else f"k{axis}"
    lines.append(f"  const double *a = c + {place} * {prod(pieces.sizes)};")
    names = [f"a[{number}]" for number in range(prod(pieces.sizes))]
    for axis in reversed(axes):
        size = pieces.sizes[axis]
        found = [horner(names[k : k + size], f"d{axis}") for k in range(0, len(names), size)]
        names = [f"b{axis}_{number}" for number in range(len(found))]
        lines += [f"  const double {name} = {value};" for name, value in zip(names, found, strict=True)]
    return "\n".join([*lines, f"  return {names[0]};", "}", ""])


def _array(name: str, numbers: Sequence[float]) -> list[str]:
    text = ", ".join("NAN" if math.isnan(number) else repr(number) for number in numbers)
    rows = wrap(text, 112, break_long_words=False, break_on_hyphens=False)
    return [f"  static const double {name}[] = {{", *(f"    {row}" for row in rows), "  };"]
