"""Opaque functions in a NumPy module: tables as arrays and one search, users' functions handed in by name."""

from __future__ import annotations

import math
from collections.abc import Sequence
from textwrap import wrap

from ..ir.calls import tables, user_functions
from ..ir.program import Program

_TABLE = '''def _table(knots, coefficients, *arguments):
    """The piecewise polynomial at points that broadcast; the first and last pieces lie outside the knots."""
    place, steps = 0, []
    for t, count, x in zip(knots, coefficients.shape, np.broadcast_arrays(*arguments)):
        piece = np.searchsorted(t[:-1], x, side="right") + (x > t[-1])
        steps.append(x - t[np.maximum(piece - 1, 0)])
        place = place * count + piece
    block = coefficients.reshape(-1, *coefficients.shape[len(knots):])[place]
    for step in reversed(steps):
        factor = np.reshape(step, np.shape(step) + (1,) * (block.ndim - 1 - np.ndim(step)))
        value = block[..., -1]
        for power in range(block.shape[-1] - 2, -1, -1):
            value = value * factor + block[..., power]
        block = value
    return block
'''

_GIVEN = '''def _given(functions, name):
    """A function that the caller hands in."""
    if functions is None or name not in functions:
        raise TypeError(f"hand in the function {name!r} of NumPy arrays: functions={{{name!r}: ...}}")
    return functions[name]
'''


def functions_in_numpy(program: Program) -> list[str]:
    """What the module defines for all that the program calls."""
    found = [_GIVEN, ""] if user_functions(program) else []
    given = tables(program)
    found += [_TABLE, ""] if given else []
    for op, table in given:
        pieces = table.pieces
        shape = (*pieces.counts, *pieces.sizes)
        knots = [_array(knots) for knots in pieces.knots]
        found.append(f"_{op}_t = (\n" + "".join(f"    {axis},\n" for axis in knots) + ")")
        found.append(f"_{op}_c = {_array(pieces.coefficients)}.reshape{shape!r}")
        found.append("\n")
    return found


def calls_in_numpy(program: Program) -> dict[str, str]:
    """Every call as an expression of its operands."""
    found = {}
    for op, function in [*tables(program), *user_functions(program)]:
        operands = ", ".join(f"{{{place}}}" for place in range(function.arity))
        found[op] = f"_table(_{op}_t, _{op}_c, {operands})"
    for op, user in user_functions(program):
        operands = ", ".join(f"{{{place}}}" for place in range(user.arity))
        found[op] = f'_given(functions, "{user.name}")({operands})'
    return found


def handed_in(program: Program) -> list[str]:
    """The argument by which the module's functions take the users' functions, if there are any."""
    return ["functions=None"] if user_functions(program) else []


def _array(numbers: Sequence[float]) -> str:
    text = ", ".join("np.nan" if math.isnan(number) else repr(number) for number in numbers)
    rows = wrap(text, 100, break_long_words=False, break_on_hyphens=False)
    return "np.array([\n" + "".join(f"    {row}\n" for row in rows) + "])"
