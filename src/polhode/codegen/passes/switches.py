"""Programs that jump, made smooth: signs become inputs that hold still, and what they are signs of is told.

An integrator of high order wants smooth functions. With every `sign(g)` replaced by a number that the caller holds
still, the program is one; where a g passes through zero the caller changes the number.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from ...expr.opaque.table import Table
from ..ir.calls import CALL
from ..ir.ops import live_run
from ..ir.program import Array, Instruction, Output, Program

MODES, SWITCHES = "modes", "switches"
_KINKED = ("abs", "min", "max")


@dataclass(frozen=True)
class Switched:
    """A program whose signs are the array `modes`, the values that they are signs of, and what these depend on."""

    smooth: Program
    values: Program  # its one output is `switches`
    depends_on: frozenset[str]  # names of arrays

    @property
    def count(self) -> int:
        """How many signs there are."""
        return self.values.outputs[0].shape[0]


def switched(program: Program) -> Switched | None:
    """The program with its signs held still; None where it has none that depend on its arrays.

    >>> code = (Instruction("sign", (0,)), Instruction("mul", (1, 0)))
    >>> made = switched(Program("f", (Array("q", 1),), 0, (), (), code, (Output("y", (1,), (2,)),)))
    >>> made.smooth.run, made.values.outputs[0].slots, sorted(made.depends_on)
    ((Instruction(op='mul', args=(1, 0)),), (0,), ['q'])
    """
    first = program.first_parameter
    needed = live_run(program)
    signs = [(slot, code) for slot, code in enumerate(program.run, program.first_run) if code.op == "sign"]
    signs = [(slot, code) for slot, code in signs if slot in needed]
    if not signs:
        return None
    arguments = list(dict.fromkeys(code.args[0] for _, code in signs))
    mode_of = {slot: first + arguments.index(code.args[0]) for slot, code in signs}
    moved = {slot: slot if slot < first else slot + len(arguments) for slot in range(program.first_run)}
    run: list[Instruction] = []
    for slot, code in enumerate(program.run, program.first_run):
        if slot in mode_of:
            moved[slot] = mode_of[slot]
        else:
            moved[slot] = program.first_run + len(arguments) + len(run)
            run.append(_renumbered(code, moved))
    smooth = replace(
        program,
        arrays=(*program.arrays, Array(MODES, len(arguments))),
        setup=tuple(_renumbered(code, moved) for code in program.setup),
        run=tuple(run),
        outputs=tuple(replace(output, slots=tuple(moved[slot] for slot in output.slots)) for output in program.outputs),
        notes={},
    )
    switches = Output(SWITCHES, (len(arguments),), tuple(moved[slot] for slot in arguments))
    values = replace(smooth, name=f"{program.name[:50]}_{SWITCHES}", outputs=(switches,))
    return Switched(smooth, values, _arrays_of(values))


def with_kinks(program: Program, slots: tuple[int, ...] = ()) -> tuple[Program, int]:
    """A program that puts out these slots, then what vanishes at the kinks of abs, min and max; and their number.

    >>> code = (Instruction("max", (0, 1)),)
    >>> made, count = with_kinks(Program("f", (Array("q", 2),), 0, (), (), code, (Output("y", (1,), (2,)),)))
    >>> made.run[-1], made.outputs[0].slots, count
    (Instruction(op='sub', args=(0, 1)), (3,), 1)
    """
    needed, run = live_run(program), list(program.run)
    kinks: dict[tuple[int, ...], int] = {}
    for slot, code in enumerate(program.run, program.first_run):
        varies = any(program.first_input <= k < program.first_parameter or k >= program.first_run for k in code.args)
        if slot in needed and varies and code.op in _KINKED and code.args not in kinks:
            if len(code.args) == 2:
                run.append(Instruction("sub", code.args))
            kinks[code.args] = code.args[0] if len(code.args) == 1 else program.first_run + len(run) - 1
    output = Output(SWITCHES, (len(slots) + len(kinks),), (*slots, *kinks.values()))
    name = f"{program.name[:50]}_{SWITCHES}"
    return replace(program, name=name, run=tuple(run), outputs=(output,), notes={}), len(kinks)


def jumping_tables(program: Program) -> tuple[Program, list[tuple[str, tuple[float, ...]]]] | None:
    """The arguments of tables of one variable that jump, as a program, and for each its words and where it jumps.

    Tables of the time itself are left out: steps end where they jump.
    """
    needed, found, slots = live_run(program), [], []
    time = _slots(program, "t")
    for slot, code in enumerate(program.run, program.first_run):
        if slot in needed and CALL.fullmatch(code.op) and len(code.args) == 1 and code.args[0] not in time:
            table = program.functions[int(code.op.removeprefix("call"))]
            if isinstance(table, Table) and (jumps := table.pieces.jumps()):
                found.append((_words(table), jumps))
                slots.append(code.args[0])
    output = Output("arguments", (len(slots),), tuple(slots))
    return (
        (replace(program, name=f"{program.name[:50]}_arguments", outputs=(output,), notes={}), found) if found else None
    )


def _words(table: Table) -> str:
    """A table, or a derivative of it, as a sentence names it."""
    (order,) = table.orders
    kinds = {-1: "the integral of ", 0: "the ", 1: "the slope of ", 2: "the second derivative of "}
    return f"{kinds.get(order, f'derivative {order} of ')}table '{table.name}'"


def _renumbered(code: Instruction, moved: dict[int, int]) -> Instruction:
    return Instruction(code.op, tuple(moved[slot] for slot in code.args))


def _arrays_of(program: Program) -> frozenset[str]:
    """The arrays that the outputs depend on."""
    needed = live_run(program)
    return frozenset(array.name for array in program.arrays if not needed.isdisjoint(_slots(program, array.name)))


def _slots(program: Program, name: str) -> range:
    """The slots of an array."""
    start = program.first_input
    for array in program.arrays:
        if array.name == name:
            return range(start, start + array.size)
        start += array.size
    return range(0)
