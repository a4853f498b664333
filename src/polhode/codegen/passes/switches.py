"""Programs that jump or have corners, made smooth between them for integrators of high order.

Every `sign(g)` becomes a number that the caller holds constant, and changes where g passes through zero. A table of the
state is read in one segment between two of its corners (knots at which its value or its slope jumps), and goes on
beyond them as the polynomial that it is there; the caller goes on to the next segment where the argument leaves it. Of
`abs`, `min` and `max` there are only the values that vanish at their kinks.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace

from ...expr.opaque.table import ExtendedTable, Table
from ..ir.calls import CALL
from ..ir.ops import live, live_run
from ..ir.program import Array, Instruction, Output, Program

MODES, SWITCHES, BOUNDS = "modes", "switches", "bounds"
#: Numbers of a segment: between the first two the table is read, at the others the argument leaves it.
BOUNDS_EACH = 4


@dataclass(frozen=True)
class Switched:
    """A program whose signs are the array `modes`, the values of those signs, and what these depend on."""

    smooth: Program
    values: Program  # its one output is `switches`
    depends_on: frozenset[str]  # names of arrays

    @property
    def count(self) -> int:
        """How many signs there are."""
        return self.values.outputs[0].shape[0]


@dataclass(frozen=True)
class Corners:
    """The corners of all tables of one argument, ascending, and in words which table jumps at some, if one does."""

    knots: tuple[float, ...]
    extent: float  # the largest argument of a point
    jumping: str = ""


@dataclass(frozen=True)
class Divided:
    """A program whose tables are read between `bounds`, and a program of the functions that vanish where steps end.

    Those are corners, one for each argument in `corners`, then kinks, then the arguments themselves.
    """

    smooth: Program
    values: Program
    corners: tuple[Corners, ...]
    kinks: int


class _Rewriting:
    """A program with one more input array, while its instructions are replaced; `moved` has the new slots."""

    def __init__(self, program: Program, array: Array) -> None:
        first = program.first_parameter
        self.program, self.array, self.run = program, array, list[Instruction]()
        self.moved = {slot: slot + array.size * (slot >= first) for slot in range(program.first_run)}

    def add(self, op: str, *args: int) -> int:
        """One more instruction; its slot."""
        self.run.append(Instruction(op, args))
        return self.program.first_run + self.array.size + len(self.run) - 1

    def keep(self, slot: int, code: Instruction) -> None:
        """The instruction of a slot as it is."""
        self.moved[slot] = self.add(*_renumbered(code, self.moved))

    def build(self, functions: tuple[Table, ...] = ()) -> Program:
        """The program."""
        old, moved = self.program, self.moved
        return replace(
            old,
            arrays=(*old.arrays, self.array),
            setup=tuple(Instruction(op, tuple(args)) for op, *args in (_renumbered(code, moved) for code in old.setup)),
            run=tuple(self.run),
            outputs=tuple(replace(output, slots=tuple(moved[slot] for slot in output.slots)) for output in old.outputs),
            functions=(*old.functions, *functions),
            notes={},
        )


def switched(program: Program, beside: Collection[str] = ()) -> Switched | None:
    """The program with its signs held constant; None where it has none that depend on its arrays.

    Signs on which only the outputs `beside` depend stay as they are.

    >>> code = (Instruction("sign", (0,)), Instruction("mul", (1, 0)))
    >>> made = switched(Program("f", (Array("q", 1),), 0, (), (), code, (Output("y", (1,), (2,)),)))
    >>> made.smooth.run, made.values.outputs[0].slots, sorted(made.depends_on)
    ((Instruction(op='mul', args=(1, 0)),), (0,), ['q'])
    """
    needed = live_run(program, beside)
    signs = {slot: code.args[0] for slot, code in _run(program) if code.op == "sign" and slot in needed}
    if not signs:
        return None
    arguments = list(dict.fromkeys(signs.values()))
    new = _Rewriting(program, Array(MODES, len(arguments)))
    for slot, code in _run(program):
        if slot in signs:
            new.moved[slot] = program.first_parameter + arguments.index(signs[slot])
        else:
            new.keep(slot, code)
    smooth = new.build()
    switches = Output(SWITCHES, (len(arguments),), tuple(new.moved[slot] for slot in arguments))
    values = replace(smooth, name=f"{program.name[:50]}_{SWITCHES}", outputs=(switches,))
    return Switched(smooth, values, _arrays_of(values))


def divided(program: Program, slots: tuple[int, ...] = (), beside: Collection[str] = ()) -> Divided:
    """What ends steps at corners of tables and kinks of abs, min and max, beside the values of some slots.

    Kinks on which only the outputs `beside` depend end none.

    >>> code = (Instruction("max", (0, 1)),)
    >>> made = divided(Program("f", (Array("q", 2),), 0, (), (), code, (Output("y", (1,), (2,)),)))
    >>> made.values.run[-1], made.values.outputs[0].slots, made.kinks
    (Instruction(op='sub', args=(0, 1)), (3,), 1)
    """
    corners = _corners(program)
    smooth, moved = _extended(program, corners) if corners else (program, {})
    run, first = list(smooth.run), smooth.first_run

    def added(op: str, *args: int) -> int:
        run.append(Instruction(op, args))
        return first + len(run) - 1

    arguments, bound, distances = [moved[slot] for slot in corners], program.first_parameter + 2, []
    for argument in arguments:  # (x - low) (high - x)
        distances.append(added("mul", added("sub", argument, bound), added("sub", bound + 1, argument)))
        bound += BOUNDS_EACH
    kinks: dict[tuple[int, ...], int] = {}
    needed = live_run(program, beside)
    for slot, code in _run(program):
        varies = any(program.first_input <= k < program.first_parameter or k >= program.first_run for k in code.args)
        if slot in needed and varies and code.op in ("abs", "min", "max") and code.args not in kinks:
            args = [moved.get(k, k) for k in code.args]
            kinks[code.args] = args[0] if len(args) == 1 else added("sub", *args)
    outputs = (*(moved.get(slot, slot) for slot in slots), *distances, *kinks.values(), *arguments)
    name = f"{program.name[:50]}_{SWITCHES}"
    values = replace(smooth, name=name, run=tuple(run), outputs=(Output(SWITCHES, (len(outputs),), outputs),), notes={})
    return Divided(smooth, values, tuple(corners.values()), len(kinks))


def _corners(program: Program) -> dict[int, Corners]:
    """Corners of tables of the state by the slot of the argument, except arguments with efforts or inputs."""
    corners: dict[int, Corners] = {}
    driven = {*program.slots_of("tau"), *program.slots_of("inputs")}
    for code, table in _tables(program):
        for axis, argument in enumerate(code.args):
            jumps, *bends = table.pieces.breaks(axis)
            if not (jumps or any(bends)) or not _varies(program, argument):
                continue
            if driven.isdisjoint(live(_run(program), [argument])):
                earlier = corners.get(argument, Corners((), 0.0))
                knots = tuple(sorted({*earlier.knots, *jumps, *(x for bend in bends for x in bend)}))
                extent = max(earlier.extent, *map(abs, table.pieces.knots[axis]))
                corners[argument] = Corners(knots, extent, earlier.jumping or (_words(table) if jumps else ""))
    return corners


def _extended(program: Program, corners: dict[int, Corners]) -> tuple[Program, dict[int, int]]:
    """The program with its tables read between bounds of these arguments, and its slots in that."""
    new, within = _Rewriting(program, Array(BOUNDS, BOUNDS_EACH * len(corners))), dict[int, int]()
    functions: dict[str, ExtendedTable] = {}
    tables = dict(_tables(program))
    for slot, code in _run(program):
        table = tables.get(code)
        if table is None or corners.keys().isdisjoint(code.args):
            new.keep(slot, code)
            continue
        for argument in code.args:
            if argument in corners and argument not in within:
                bound = program.first_parameter + BOUNDS_EACH * list(corners).index(argument)
                within[argument] = new.add("min", new.add("max", new.moved[argument], bound), bound + 1)
        functions.setdefault(code.op, ExtendedTable(table.points, table.orders, table.name))
        number = len(program.functions) + list(functions).index(code.op)
        args = [new.moved[k] for k in code.args]
        inside = [within.get(k, new.moved[k]) for k in code.args]
        new.moved[slot] = new.add(f"call{number}", *args, *inside)
    return new.build(tuple(functions.values())), new.moved


def jumping_tables(program: Program) -> tuple[Program, list[tuple[str, tuple[float, ...]]]] | None:
    """Arguments of tables that jump, as a program, with descriptions and jump positions; not of time alone."""
    tables, slots = [], []
    for code, table in _tables(program):
        if len(code.args) == 1 and _varies(program, code.args[0]) and (jumps := table.pieces.breaks()[0]):
            tables.append((_words(table), jumps))
            slots.append(code.args[0])
    output = Output("arguments", (len(slots),), tuple(slots))
    result = replace(program, name=f"{program.name[:50]}_arguments", outputs=(output,), notes={})
    return (result, tables) if tables else None


def _run(program: Program) -> Iterator[tuple[int, Instruction]]:
    return enumerate(program.run, program.first_run)


def _tables(program: Program) -> Iterator[tuple[Instruction, Table]]:
    """The instructions of the run that read tables, and these."""
    needed = live_run(program)
    for slot, code in _run(program):
        if slot in needed and CALL.fullmatch(code.op):
            table = program.functions[int(code.op.removeprefix("call"))]
            if isinstance(table, Table) and not table.is_extended:
                yield code, table


def _varies(program: Program, slot: int) -> bool:
    """Whether a slot changes along a run otherwise than the time itself."""
    is_input = program.first_input <= slot < program.first_parameter
    return (is_input or slot >= program.first_run) and slot not in program.slots_of("t")


def _words(table: Table) -> str:
    """A table, or a derivative of it, as a sentence names it."""
    kinds = {-1: "the integral of ", 0: "the ", 1: "the slope of ", 2: "the second derivative of "}
    order = sum(table.orders)
    return f"{kinds.get(order, f'derivative {order} of ')}table '{table.name}'"


def _renumbered(code: Instruction, moved: dict[int, int]) -> tuple[str, *tuple[int, ...]]:
    return code.op, *(moved[slot] for slot in code.args)


def _arrays_of(program: Program) -> frozenset[str]:
    """The arrays that the outputs depend on."""
    needed = live_run(program)
    return frozenset(array.name for array in program.arrays if not needed.isdisjoint(program.slots_of(array.name)))
