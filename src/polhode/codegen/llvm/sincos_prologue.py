"""The prologue of a long program that is split: sines and cosines of its inputs, in vectors, handed on to its parts.

Each row of so many angles as a vector has lanes leaves two vectors in the scratch array, the sines and then the
cosines. A short last row is filled up with its last angle.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ..ir.program import Program
from .block import Block
from .sincos import sincos_name, vector_type

_SINCOS = ("sin", "cos")


@dataclass(frozen=True)
class SincosPrologue:
    """Rows of angles, all inputs, and the slots of their sines and cosines with spill slots behind a scratch array."""

    rows: tuple[tuple[int, ...], ...]
    offsets: dict[int, int]
    size: int  # how many numbers the rows take

    def write(self, block: Block, pointer: str, first: int) -> None:
        """The rows, in a block that knows where inputs are; the scratch array has room from `first` on."""
        for number, row in enumerate(self.rows):
            width, name = len(row), f"%row{number}"
            real, vector = vector_type(width), "poison"
            for lane, value in enumerate(block.values(row)):
                block.lines.append(f"  {name}.{lane} = insertelement {real} {vector}, double {value}, i64 {lane}")
                vector = f"{name}.{lane}"
            pair = f"{{ {real}, {real} }}"
            block.lines.append(f"  {name} = call {pair} {sincos_name(width)}({real} {vector})")
            for k, op in enumerate(_SINCOS):
                offset = first + (2 * number + k) * width
                block.lines += [
                    f"  {name}.{op} = extractvalue {pair} {name}, {k}",
                    f"  {name}.{op}.to = getelementptr double, ptr {pointer}, i64 {offset}",
                    f"  store {real} {name}.{op}, ptr {name}.{op}.to, align 8",
                ]


def sincos_prologue(program: Program, wanted: Iterable[int], width: int) -> SincosPrologue | None:
    """The sines and cosines of inputs, if there are as many angles as a vector has lanes.

    >>> from polhode.codegen.plan import plan
    >>> from polhode.expr import cos, sin, symbols
    >>> a, b = symbols("a b")
    >>> program = plan("f", [("q", [a, b])], [("y", (2,), [sin(a) * cos(a), sin(b)])])
    >>> found = sincos_prologue(program, range(program.first_run, program.first_run + 4), 2)
    >>> found.rows, sorted(found.offsets.values())
    (((0, 1),), [0, 1, 2])
    """
    slots: dict[int, dict[str, int]] = {}
    for slot in sorted(wanted):
        step = program.run[slot - program.first_run]
        if step.op in _SINCOS and program.first_input <= step.args[0] < program.first_parameter:
            slots.setdefault(step.args[0], {})[step.op] = slot
    angles = list(slots)
    if width < 2 or len(angles) < width:
        return None
    rows = [angles[start : start + width] for start in range(0, len(angles), width)]
    offsets = {
        slot: (2 * number + _SINCOS.index(op)) * width + lane
        for number, row in enumerate(rows)
        for lane, angle in enumerate(row)
        for op, slot in slots[angle].items()
    }
    filled = tuple(tuple(row + row[-1:] * (width - len(row))) for row in rows)
    return SincosPrologue(filled, offsets, 2 * width * len(rows))
