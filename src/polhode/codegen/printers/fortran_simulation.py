"""Simulation programs in Fortran 2008: one main program that reads a text file, integrates and writes a table."""

from __future__ import annotations

from .fortran_calls import fitted, sources_beside
from .simulation import LINE, NEWTON_STEPS, Function, Simulation, filled, output_size, usage
from .target import prefaced

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
            f"  use polhode_{each.program.name}, only: {each.program.name}_setup, {each.program.name}"
            for each in functions.values()
        ),
        "  implicit none",
        _EXIT.strip("\n"),
        *_declarations(simulation),
    ]
    procedures = [
        *_naming(simulation),
        "",
        *_set_up(functions),
        *(line for name, each in functions.items() for line in _function(name, each)),
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
    sources = " ".join(f"{each.program.name}.f90" for each in simulation.functions.values())
    beside = " ".join(name for each in simulation.functions.values() for name in sources_beside(each.program))
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
        *(f"  real(real64) :: {name}_work({len(each.program.saved)})" for name, each in simulation.functions.items()),
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
    for name, each in functions.items():
        places = [str(k) for k in each.parameters]
        lines.append(
            f"    integer, parameter :: {name}_p({len(places)}) = first_of(2) + [integer :: {', '.join(places)}]"
        )
    lines += [f"    call {each.program.name}_setup(values({name}_p), {name}_work)" for name, each in functions.items()]
    return [*lines, "  end subroutine set_up"]


def _function(name: str, function: Function) -> list[str]:
    program = function.program
    outputs = [output.name for output in program.outputs]
    given = [*(_ARRAYS[array.name] for array in program.arrays), f"{name}_work", *outputs]
    is_timed = any(array.name == "t" for array in program.arrays)
    return [
        "",
        f"  subroutine {name}_at({', '.join(['t', 'y', *outputs])})",
        "    real(real64), intent(in) :: t, y(:)",
        *(f"    real(real64), intent(out) :: {each.name}({len(each.slots)})" for each in program.outputs),
        *([] if is_timed else ["    associate (unused => t); end associate"]),
        f"    call {program.name}({', '.join(given)})",
        f"  end subroutine {name}_at",
    ]
