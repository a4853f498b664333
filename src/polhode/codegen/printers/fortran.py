"""Fortran 2008 for a program: one module of two pure subroutines, one driver; nothing outside the standard."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from ...errors import PolhodeError
from ..ir.calls import by_name
from ..ir.ops import check_program
from ..ir.program import Program
from .fortran_calls import (
    declarations_in_fortran,
    fitted,
    functions_in_fortran,
    kinds_in_fortran,
    sources_beside,
)
from .fortran_simulation import build_command, print_simulation
from .simulation import Simulation, SimulationWriting
from .target import Body, Target, Writing, check_inputs, prefaced, sanitised

#: Every operation as a Fortran expression of its operands.
EXPRESSION: Mapping[str, str] = MappingProxyType({
    "add": "{0} + {1}", "sub": "{0} - {1}", "mul": "{0} * {1}", "div": "{0} / {1}", "neg": "-{0}", "pow": "{0}**{1}",
    "abs": "abs({0})", "atan2": "atan2({0}, {1})",
    "sign": "merge(1.0_real64, merge(-1.0_real64, {0}, {0} < 0.0_real64), {0} > 0.0_real64)",
    "floor": "aint({0}) - merge(1.0_real64, 0.0_real64, {0} < aint({0}))",
    "min": "merge({0}, {1}, {0} < {1} .or. ieee_is_nan({0}))",
    "max": "merge({0}, {1}, {0} > {1} .or. ieee_is_nan({0}))",
} | {f: f + "({0})" for f in (
    "sqrt", "sin", "cos", "tan", "asin", "acos", "atan", "exp", "log", "sinh", "cosh", "tanh")
})  # fmt: skip

_LONGEST_NAME = 48  # ours are longer by `polhode_` or `_setup`, and 63 letters are all that Fortran allows
_TAKEN = frozenset({"real64", "merge", "iso_fortran_env", "ieee_arithmetic", "ieee_is_nan", "unused", "total", "i"})
_REAL64 = "use, intrinsic :: iso_fortran_env, only: real64"


def print_fortran(program: Program, preface: Sequence[str] = ()) -> dict[str, str]:
    """The program as Fortran 2008, by file name: a module with `<name>_setup(p, w)` and `<name>(arrays, w, outputs)`.

    >>> from polhode.codegen.ir.program import Array, Instruction, Output
    >>> code, output = Instruction("mul", (0, 0)), Output("y", (1,), (1,))
    >>> square = Program("square", (Array("q", 1),), 0, (), (), (code,), (output,))
    >>> print(*print_fortran(square)["square.f90"].split("\\n")[-7:-3], sep="\\n")
        v0 = q(1)
        v1 = v0 * v0
        out_y(1) = v1
      end subroutine square
    """
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
        raise PolhodeError(
            f"{bad[0]!r} cannot be a name in Fortran here.",
            place=f"program {program.name!r}",
            cure=f"Choose one of at most {_LONGEST_NAME} letters that the language and the module do not use.",
            code="E-CODE-011",
        )


def _module(program: Program, preface: Sequence[str]) -> str:
    name = program.name
    inputs = [(array.name, array.size) for array in program.arrays]
    outputs = [(f"out_{output.name}", len(output.slots)) for output in program.outputs]
    work = [("w", len(program.saved))]
    writing = Writing({**EXPRESSION, **by_name(program)}, "{0}({1})", 1, _literal)
    setup_body, run_body = (_lines(program, body) for body in (writing.setup(program), writing.run(program)))
    setup_body += [f"w({k}) = v{slot}" for k, slot in enumerate(program.saved, 1)]
    for output in program.outputs:
        run_body += [f"out_{output.name}({k}) = v{slot}" for k, slot in enumerate(output.slots, 1)]
    nan = any(step.op in ("min", "max") for step in program.setup + program.run)
    lines = [
        *(f"! {line}".rstrip() for line in prefaced(preface)),
        f"module polhode_{name}",
        f"  use, intrinsic :: iso_fortran_env, only: {kinds_in_fortran(program)}",
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
    name: str, given: Sequence[tuple[str, int]], made: Sequence[tuple[str, int]], body: Sequence[str]
) -> list[str]:
    text = "\n".join(body)
    lines = [f"  pure subroutine {name}({', '.join(n for n, _ in (*given, *made))})"]
    lines += [f"    real(real64), intent(in) :: {n}({size})" for n, size in given]
    lines += [f"    real(real64), intent(out) :: {n}({size})" for n, size in made]
    local = [line.split(" = ")[0] for line in body if line.startswith("v")]
    lines += [f"    real(real64) :: {', '.join(local[k : k + 12])}" for k in range(0, len(local), 12)]
    unread = [n for n, _ in given if f" {n}(" not in text]
    lines += [f"    associate (unused => {n}); end associate" for n in unread]
    lines += [f"    {n} = 0.0_real64" for n, size in made if not size]
    lines += [f"    {line}" for line in body]
    return [*lines, f"  end subroutine {name}"]


def _lines(program: Program, body: Body) -> list[str]:
    """Constants are variables too: a compiler would refuse 1/0 or sqrt(-1) of what it can evaluate itself."""
    return [_noted(program, *each) for each in body.slots()]


def _literal(value: float) -> str:
    return f"{value!r}_real64"


def _noted(program: Program, slot: int, expression: str) -> str:
    note = sanitised(program.notes.get(slot, ""))
    statement = f"v{slot} = {expression}"
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
    for name, given in check_inputs(program):
        lines += [f"  {name}({k}) = {_literal(x)}" for k, x in enumerate(given, 1)]
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
    for each in simulation.functions.values():
        made = print_fortran(each.program, each.preface)
        files |= {name: text for name, text in made.items() if not name.endswith("_main.f90")}
    return files


TARGET = Target(
    "fortran",
    print_fortran,
    (("gfortran", "-std=f2008", "-Wall", "-Wextra", "-pedantic", "-Werror", "-o", "check",
      "{name}.f90", "{name}_main.f90"),
     ("./check",)),
    SimulationWriting(_simulation_files, build_command),
)  # fmt: skip
