"""Fortran 2008 for a program: one module of two pure subroutines, one driver; nothing outside the standard."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from math import prod
from types import MappingProxyType

from ...errors import PolhodeError
from ...expr.opaque.piecewise import Pieces
from ...expr.opaque.user import UserFunction
from ..ir.calls import by_name, horner, own_symbol, renamed, sources, tables, user_functions
from ..ir.ops import check_program
from ..ir.program import Program
from .simulation import LINE, NEWTON_STEPS, Function, Simulation, SimulationWriting, filled, output_size, usage
from .target import Body, Target, Writing, broken, check_inputs, prefaced, sanitised

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
    tabled = tables(program)
    lines = _SEARCH.split("\n") if tabled else []
    for op, table in tabled:
        lines += _table(op, table.pieces)
    return lines


def _has_nan(program: Program) -> bool:
    """Whether a table ends where its points end."""
    return any(math.isnan(c) for _, table in tables(program) for c in table.pieces.coefficients)


def sources_beside(program: Program) -> dict[str, str]:
    """A C file with the users' sources as they were given, to be compiled and linked with the module."""
    user_sources = sources(program)
    if not user_sources:
        return {}
    text = "\n".join(
        [
            "/* Functions that the module calls, as they were given. */",
            "#include <math.h>",
            "",
            *renamed(program),
            *user_sources,
        ]
    )
    return {f"{program.name}_functions.c": text + "\n"}


def _data(name: str, numbers: Sequence[float]) -> list[str]:
    lines = [f"  real(real64), save :: {name}({len(numbers)})"]
    for start in range(0, len(numbers), _CHUNK):
        chunk = numbers[start : start + _CHUNK]
        numerals = ", ".join("table_nan" if math.isnan(number) else _literal(number) for number in chunk)
        lines.append(f"  data ({name}(table_i), table_i = {start + 1}, {start + len(chunk)}) / {numerals} /")
    return lines


def _interface(program: Program, op: str, function: UserFunction) -> list[str]:
    names = ", ".join(f"x{k}" for k in range(function.arity))
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
    index = ""
    for axis in axes:
        steps.append(f"k{axis} = table_piece({op}_t{axis}, x{axis})")
        steps.append(f"d{axis} = x{axis} - {op}_t{axis}(max(k{axis}, 1))")
        index = f"({index} * {pieces.counts[axis]} + k{axis})" if index else f"k{axis}"
    steps.append(f"start = {index} * {prod(pieces.sizes)}")
    steps += [f"{name} = {op}_c(start + {number})" for number, name in enumerate(names, 1)]
    reals = [*(f"d{axis}" for axis in axes), *names]
    for axis in reversed(axes):
        size = pieces.sizes[axis]
        inner = [horner(names[k : k + size], f"d{axis}") for k in range(0, len(names), size)]
        names = [f"b{axis}_{number}" for number in range(len(inner))] if axis else ["y"]
        reals += names if axis else []
        steps += [f"{name} = {value}" for name, value in zip(names, inner, strict=True)]
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


_ARRAYS = {"x": "y", "tau": "efforts", "inputs": "inputs", "t": "[t]"}

_EXIT = """
  interface
    subroutine c_exit(code) bind(c, name="exit")
      use, intrinsic :: iso_c_binding, only: c_int
      integer(c_int), value :: code
    end subroutine c_exit
  end interface
"""


def print_simulation(simulation: Simulation) -> str:
    """The main program; the functions stand in modules of their own."""
    head = [*prefaced(simulation.preface), *usage(simulation, build_command(simulation))]
    functions, names, kept = simulation.functions, simulation.energies, simulation.projection
    declarations = [
        *(f"! {line}".rstrip() for line in head),
        f"program {simulation.name}_main",
        "  use, intrinsic :: iso_c_binding, only: c_int",
        "  use, intrinsic :: iso_fortran_env, only: error_unit, int64, output_unit, real64",
        "  use, intrinsic :: ieee_arithmetic, only: ieee_rint",
        *(
            f"  use polhode_{function.program.name}, only: {function.program.name}_setup, {function.program.name}"
            for function in functions.values()
        ),
        "  implicit none",
        _EXIT.strip("\n"),
        *_declarations(simulation),
    ]
    procedures = [
        *_naming(simulation),
        "",
        *_set_up(functions),
        *(line for name, function in functions.items() for line in _function(name, function)),
        f"end program {simulation.name}_main",
    ]
    text = filled(
        "simulation.f90",
        simulation,
        DECLARATIONS="\n".join(declarations),
        FUNCTIONS="\n".join(procedures),
        LINE=str(LINE),
        ENERGY_SIZES=", ".join(f"{name}(1)" for name in names),
        COUNT=str(1 + len(names)),
        HEAD="\n".join(_head(simulation)),
        ROWS_SIZE=str(output_size(kept.rows, "rows")) if kept and kept.rows else "",
    )
    return fitted(text)


def build_command(simulation: Simulation) -> str:
    """The one command that compiles all."""
    sources = " ".join(f"{function.program.name}.f90" for function in simulation.functions.values())
    beside = " ".join(name for function in simulation.functions.values() for name in sources_beside(function.program))
    return " ".join(filter(None, ["gfortran -O2 -o", simulation.name, sources, beside, f"{simulation.name}.f90"]))


def _declarations(simulation: Simulation) -> list[str]:
    kept = simulation.projection
    sections = simulation.sections
    sizes = [len(values) for values in sections.values()]
    firsts = [1 + sum(sizes[:k]) for k in range(len(sizes) + 1)]
    wide = max(len(value.name) for values in sections.values() for value in values)
    titles = [f'"{name}"' for name in sections]
    states = len(simulation.coordinates) + len(simulation.speeds) + len(simulation.states)
    integers = {"states_size": states, "line_length": LINE + 1}
    integers["row_length"] = max(27 * (states + 1 + len(simulation.energies)), len(",".join(simulation.columns)) + 1)
    lines = []
    if kept is not None:
        integers |= {"coordinates_size": len(simulation.coordinates), "changes_size": output_size(kept.step, "change")}
        integers |= NEWTON_STEPS
        lines += [f"  real(real64) :: largest({output_size(kept.step, 'pivots')}) = 0 ! the largest pivots seen"]
    lines += [f"  integer, parameter :: {name} = {size}" for name, size in integers.items()]
    lines += [f"  real(real64), parameter :: {name} = {value!r}_real64" for name, value in simulation.numbers.items()]
    return [
        *lines,
        f"  integer, parameter :: first_of({len(firsts)}) = [{', '.join(map(str, firsts))}]",
        "  integer, allocatable :: quaternions(:) ! where each begins",
        "  character(len=12), parameter :: section_names(7) = [character(len=12) :: &",
        f"    {', '.join(titles)}]",
        f'  character(len=*), parameter :: default_file = "{simulation.name}.txt"',
        f"  character(len={wide}) :: names({firsts[-1] - 1})",
        f"  integer :: given({firsts[-1] - 1}) ! the line of the file in which each value is; 0 for not yet",
        f"  real(real64) :: values({firsts[-1] - 1}), duration, step, every",
        f"  real(real64) :: x(states_size), efforts({sizes[5]}), inputs({sizes[6]})",
        *(f"  real(real64) :: {name}_work({len(f.program.saved)})" for name, f in simulation.functions.items()),
        "  character(len=4096) :: file, table",
        "  integer :: code, out",
    ]


def _naming(simulation: Simulation) -> list[str]:
    listed = [value.name for values in simulation.sections.values() for value in values]
    return [
        "  subroutine name_values()",
        f"    quaternions = [integer :: {', '.join(str(first + 1) for first in simulation.quaternions)}]",
        *(f'    names({k}) = "{name}"' for k, name in enumerate(listed, 1)),
        "  end subroutine name_values",
    ]


def _head(simulation: Simulation) -> list[str]:
    text = ",".join(simulation.columns)
    pieces = [text[k : k + 90] for k in range(0, len(text), 90)]
    lines = [f'    write (out, "(a)", advance="no") "{piece}"' for piece in pieces]
    return [*lines, '    call put("")']


def _set_up(functions: dict[str, Function]) -> list[str]:
    lines = ["  subroutine set_up()"]
    for name, function in functions.items():
        places = [str(k) for k in function.parameters]
        lines.append(
            f"    integer, parameter :: {name}_p({len(places)}) = first_of(2) + [integer :: {', '.join(places)}]"
        )
    lines += [f"    call {f.program.name}_setup(values({name}_p), {name}_work)" for name, f in functions.items()]
    return [*lines, "  end subroutine set_up"]


def _function(name: str, function: Function) -> list[str]:
    program = function.program
    outputs = [output.name for output in program.outputs]
    arguments = [*(_ARRAYS[array.name] for array in program.arrays), f"{name}_work", *outputs]
    is_timed = any(array.name == "t" for array in program.arrays)
    return [
        "",
        f"  subroutine {name}_at({', '.join(['t', 'y', *outputs])})",
        "    real(real64), intent(in) :: t, y(:)",
        *(f"    real(real64), intent(out) :: {output.name}({len(output.slots)})" for output in program.outputs),
        *([] if is_timed else ["    associate (unused => t); end associate"]),
        f"    call {program.name}({', '.join(arguments)})",
        f"  end subroutine {name}_at",
    ]


#: Every operation as a Fortran expression of its operands.
EXPRESSION: Mapping[str, str] = MappingProxyType({
    "add": "{0} + {1}", "sub": "{0} - {1}", "mul": "{0} * {1}", "div": "{0} / {1}", "neg": "-{0}", "pow": "{0}**{1}",
    "abs": "abs({0})", "atan2": "atan2({0}, {1})",
    "sign": "merge(1.0_real64, merge(-1.0_real64, {0}, {0} < 0.0_real64), {0} > 0.0_real64)",
    "floor": "aint({0}) - merge(1.0_real64, 0.0_real64, {0} < aint({0}))",
    "min": "merge({0}, {1}, {0} < {1} .or. ieee_is_nan({0}))",
    "max": "merge({0}, {1}, {0} > {1} .or. ieee_is_nan({0}))",
    "where": "merge({1}, {2}, {0} > 0.0_real64)",
} | {f: f + "({0})" for f in (
    "sqrt", "sin", "cos", "tan", "asin", "acos", "atan", "exp", "log", "sinh", "cosh", "tanh")
})  # fmt: skip

_LONGEST_NAME = 48  # ours are longer by `polhode_` or `_setup`, and 63 letters are all that Fortran allows
_TAKEN = frozenset({"real64", "merge", "iso_fortran_env", "ieee_arithmetic", "ieee_is_nan", "unused", "total", "i"})
_REAL64 = "use, intrinsic :: iso_fortran_env, only: real64"


def print_fortran(program: Program, preface: Sequence[str] = ()) -> dict[str, str]:
    """The program as Fortran 2008, by file name: a module with `<name>_setup(p, w)`, `<name>(arrays, w, outputs)`."""
    check_program(program)
    _check_names(program)
    return {
        f"{program.name}.f90": fitted(_module(program, preface)),
        f"{program.name}_main.f90": fitted(_driver(program)),
        **sources_beside(program),
    }


def _check_names(program: Program) -> None:
    names = [program.name, *(array.name for array in program.arrays), *(output.name for output in program.outputs)]
    bad = [name for name in names if name in _TAKEN or len(name) > _LONGEST_NAME]
    bad += [array.name for array in program.arrays if array.name == program.name]
    if bad:
        message = f"{bad[0]!r} cannot be a name in Fortran here."
        cure = f"Choose one of at most {_LONGEST_NAME} letters that the language and the module do not use."
        raise PolhodeError(message, f"program {program.name!r}", cure, "E-CODE-NAME")


def _module(program: Program, preface: Sequence[str]) -> str:
    name = program.name
    inputs = [(array.name, array.size) for array in program.arrays]
    outputs = [(f"out_{output.name}", len(output.slots)) for output in program.outputs]
    work = [("w", len(program.saved))]
    writing = Writing({**EXPRESSION, **by_name(program)}, "{0}({1})", 1, _literal)
    setup_body, run_body = (_lines(program, body) for body in (writing.setup(program), writing.run(program)))
    setup_body += [f"w({k}) = {program.label(slot)}" for k, slot in enumerate(program.saved, 1)]
    for output in program.outputs:
        run_body += [f"out_{output.name}({k}) = {program.label(slot)}" for k, slot in enumerate(output.slots, 1)]
    nan = any(step.op in ("min", "max") for step in program.setup + program.run)
    lines = [
        *(f"! {line}".rstrip() for line in prefaced(preface)),
        f"module polhode_{name}",
        f"  use, intrinsic :: iso_fortran_env, only: real64{', int64' if _has_nan(program) else ''}",
        *(["  use, intrinsic :: ieee_arithmetic, only: ieee_is_nan"] if nan else []),
        "  implicit none",
        "  private",
        f"  public :: {name}_setup, {name}",
        *declarations_in_fortran(program),
        "",
        "contains",
        "",
        "  ! Parameters p to work array w; once for each set of parameters.",
        *_subroutine(f"{name}_setup", [("p", program.parameters)], work, setup_body),
        "",
        "  ! Inputs and work array to outputs; matrices row after row.",
        *_subroutine(name, [*inputs, *work], outputs, run_body),
        *functions_in_fortran(program),
        "",
        f"end module polhode_{name}",
        "",
    ]
    return "\n".join(lines)


def _subroutine(
    name: str, arguments: Sequence[tuple[str, int]], results: Sequence[tuple[str, int]], body: Sequence[str]
) -> list[str]:
    text = "\n".join(body)
    lines = [f"  pure subroutine {name}({', '.join(n for n, _ in (*arguments, *results))})"]
    lines += [f"    real(real64), intent(in) :: {n}({size})" for n, size in arguments]
    lines += [f"    real(real64), intent(out) :: {n}({size})" for n, size in results]
    local = [target for target in (line.split(" = ")[0] for line in body) if "(" not in target]
    lines += [f"    real(real64) :: {', '.join(local[k : k + 12])}" for k in range(0, len(local), 12)]
    unread = [n for n, _ in arguments if f" {n}(" not in text]
    lines += [f"    associate (unused => {n}); end associate" for n in unread]
    lines += [f"    {n} = 0.0_real64" for n, size in results if not size]
    lines += [f"    {line}" for line in body]
    return [*lines, f"  end subroutine {name}"]


def _lines(program: Program, body: Body) -> list[str]:
    """Constants are variables too: a compiler would refuse 1/0 or sqrt(-1) of what it can evaluate itself."""
    return [_noted(program, *slot) for slot in body.slots()]


def _literal(value: float) -> str:
    return f"{value!r}_real64"


def _noted(program: Program, slot: int, expression: str) -> str:
    note = sanitised(program.notes.get(slot, ""))
    statement = f"{program.label(slot)} = {expression}"
    if len(statement) > 116 and program.names:
        return broken(statement, 116, "        ", " &")
    if not note:
        return statement
    room = 132 - 4 - 3 - max(len(statement), 26)
    return f"{statement:<26} ! {note[:room].rstrip()}" if room > 0 else statement


def _driver(program: Program) -> str:
    """A program that feeds the C driver's numbers in and prints the same weighted sum of all outputs."""
    inputs = [(array.name, array.size) for array in program.arrays]
    outputs = [(f"out_{output.name}", len(output.slots)) for output in program.outputs]
    declared = [("p", program.parameters), ("w", len(program.saved)), *inputs, *outputs]
    lines = [f"  real(real64) :: {name}({size})" for name, size in declared]
    lines += ["  real(real64) :: total"]
    lines += ["  integer :: i"] if any(size for _, size in outputs) else []
    for name, values in check_inputs(program):
        lines += [f"  {name}({k}) = {_literal(x)}" for k, x in enumerate(values, 1)]
    lines.append(f"  call {program.name}_setup(p, w)")
    lines.append(f"  call {program.name}({', '.join([*(n for n, _ in inputs), 'w', *(n for n, _ in outputs)])})")
    lines.append("  total = 0.0_real64")
    for name, size in outputs:
        if size:
            lines += [f"  do i = 1, {size}", f"    total = total + {name}(i) / real(i, real64)", "  end do"]
    return "\n".join(
        [
            "! Generated by polhode: prints a check value.",
            f"program {program.name}_main",
            f"  {_REAL64}",
            f"  use polhode_{program.name}, only: {program.name}_setup, {program.name}",
            "  implicit none",
            *lines,
            "  write (*, '(es25.17e3)') total",
            f"end program {program.name}_main",
            "",
        ]
    )


def _simulation_files(simulation: Simulation) -> dict[str, str]:
    """The main program, and each function's module."""
    files = {f"{simulation.name}.f90": print_simulation(simulation)}
    for function in simulation.functions.values():
        result = print_fortran(function.program, function.preface)
        files |= {name: text for name, text in result.items() if not name.endswith("_main.f90")}
    return files


TARGET = Target(
    "fortran",
    print_fortran,
    (("gfortran", "-std=f2008", "-Wall", "-Wextra", "-pedantic", "-Werror", "-o", "check",
      "{name}.f90", "{name}_main.f90"),
     ("./check",)),
    SimulationWriting(_simulation_files, build_command),
)  # fmt: skip
