"""C99 for a program: one header, one source, one driver; nothing but math.h, no allocation, no globals."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from ..ir.calls import by_name
from ..ir.ops import check_program
from ..ir.program import Program
from .c99_calls import functions_in_c
from .c99_simulation import build_command, print_simulation
from .simulation import Simulation, SimulationWriting
from .target import Body, Target, Writing, check_inputs, prefaced, sanitised

#: Every operation as a C expression of its operands.
EXPRESSION: Mapping[str, str] = MappingProxyType({
    "add": "{0} + {1}", "sub": "{0} - {1}", "mul": "{0} * {1}", "div": "{0} / {1}", "neg": "-{0}",
    "abs": "fabs({0})",
    "sign": "{0} > 0.0 ? 1.0 : {0} < 0.0 ? -1.0 : {0}",
    "min": "({0} < {1} || {0} != {0}) ? {0} : {1}",
    "max": "({0} > {1} || {0} != {0}) ? {0} : {1}",
    "atan2": "atan2({0}, {1})", "pow": "pow({0}, {1})",
} | {f: f + "({0})" for f in (
    "sqrt", "sin", "cos", "tan", "asin", "acos", "atan", "exp", "log", "sinh", "cosh", "tanh", "floor")
})  # fmt: skip


@dataclass(frozen=True)
class CSource:
    """The three files of a C target and the name they share."""

    name: str
    header: str
    source: str
    driver: str

    def files(self) -> dict[str, str]:
        """File name to text."""
        return {
            f"{self.name}.h": self.header,
            f"{self.name}.c": self.source,
            f"{self.name}_main.c": self.driver,
        }


def print_c(program: Program, preface: Sequence[str] = ()) -> CSource:
    """The program as C99: `<name>_setup(p, w)`, `<name>(arrays..., w, outputs...)`, and a driver with a check value.

    The lines of `preface`, sanitised, stand at the head of header and source.

    >>> from polhode.codegen.ir.program import Array, Instruction, Output
    >>> code, output = Instruction("mul", (0, 0)), Output("y", (1,), (1,))
    >>> square = Program("square", (Array("q", 1),), 0, (), (), (code,), (output,))
    >>> print(print_c(square).source.split("{")[-1])
    <BLANKLINE>
      (void)w;
    <BLANKLINE>
      const double v0 = q[0];
    <BLANKLINE>
      const double v1 = v0 * v0;
    <BLANKLINE>
      out_y[0] = v1;
    }
    <BLANKLINE>
    """
    check_program(program)
    return CSource(program.name, _header(program, preface), _source(program, preface), _driver(program))


def _comment(preface: Sequence[str]) -> str:
    first, *rest = prefaced(preface)
    if not rest:
        return f"/* {first} */"
    return "\n".join([f"/* {first}", *(f" * {line}".rstrip() for line in rest), " */"])


def print_loops(program: Program) -> str:
    """C functions with the signatures of the native runtime: ph_setup_batch, ph_single, ph_batch, ph_at."""
    sizes = [array.size for array in program.arrays] + [len(output.slots) for output in program.outputs]
    offsets = [sum(sizes[:k]) for k in range(len(sizes))]
    inputs = len(program.arrays)
    single = [f"buffer + {offset}" for offset in offsets]
    batch = [f"ins[{k}] + i * strides[{k}]" for k in range(inputs)]
    back = [f"outs[{k}] + i * {sizes[inputs + k]}" for k in range(len(program.outputs))]
    rows = [*batch, "w + i * w_stride", *back]
    table = [f"table[{k}]" for k in range(len(sizes) + 1)]
    return f"""
void ph_setup_batch(long long n, const double *p, double *w);
void ph_single(double *buffer, const double *w);
void ph_batch(long long n, const double *const *ins, const long long *strides, const double *w, long long w_stride,
              double *const *outs);
void ph_at(double *const *table);

void ph_setup_batch(long long n, const double *p, double *w) {{
  for (long long i = 0; i < n; ++i) {program.name}_setup(p + i * {program.parameters}, w + i * {len(program.saved)});
}}

void ph_single(double *buffer, const double *w) {{
  {program.name}({", ".join([*single[:inputs], "w", *single[inputs:]])});
}}

void ph_batch(long long n, const double *const *ins, const long long *strides, const double *w, long long w_stride,
              double *const *outs) {{
  (void)ins; (void)strides; (void)outs;
  for (long long i = 0; i < n; ++i) {program.name}({", ".join(rows)});
}}

void ph_at(double *const *table) {{
  {program.name}({", ".join(table)});
}}
"""


def _prototypes(program: Program) -> tuple[str, str]:
    inputs = [f"const double *{array.name}" for array in program.arrays]
    outputs = [f"double *out_{output.name}" for output in program.outputs]
    run = ", ".join([*inputs, "const double *w", *outputs])
    return f"void {program.name}_setup(const double *p, double *w)", f"void {program.name}({run})"


def _header(program: Program, preface: Sequence[str]) -> str:
    guard = f"POLHODE_{program.name.upper()}_H"
    setup, run = _prototypes(program)
    sizes = [("PARAMETERS", program.parameters), ("WORK", len(program.saved))]
    sizes += [(array.name.upper(), array.size) for array in program.arrays]
    sizes += [(f"OUT_{output.name.upper()}", len(output.slots)) for output in program.outputs]
    macros = "\n".join(f"#define POLHODE_{program.name.upper()}_{name} {size}" for name, size in sizes)
    return f"""{_comment(preface)}
#ifndef {guard}
#define {guard}

/* Lengths of the arrays, in doubles. */
{macros}

#ifdef __cplusplus
extern "C" {{
#endif

/* Parameters p to work array w; once for each set of parameters. */
{setup};

/* Inputs and work array to outputs, row-major. All is read before anything is written: arrays may overlap. */
{run};

#ifdef __cplusplus
}}
#endif

#endif
"""


def _source(program: Program, preface: Sequence[str]) -> str:
    setup, run = _prototypes(program)
    writing = Writing({**EXPRESSION, **by_name(program)})
    setup_code, run_code = (_lines(program, body) for body in (writing.setup(program), writing.run(program)))
    filled = [f"  w[{k}] = v{slot};" for k, slot in enumerate(program.saved)]
    results = [f"  out_{o.name}[{k}] = v{slot};" for o in program.outputs for k, slot in enumerate(o.slots)]
    pointers = [array.name for array in program.arrays] + ["w"] + [f"out_{o.name}" for o in program.outputs]
    return "\n".join(
        [
            _comment(preface),
            "#include <math.h>",
            f'#include "{program.name}.h"',
            "",
            *functions_in_c(program),
            f"{setup} {{",
            *_paragraphs(["p", "w"], [*setup_code, filled]),
            "}",
            "",
            f"{run} {{",
            *_paragraphs(pointers, [*run_code, results]),
            "}",
            "",
        ]
    )


def _lines(program: Program, body: Body) -> list[list[str]]:
    """Constants, then all reads, then all operations."""
    return [[_noted(program, *each) for each in part] for part in body]


def _noted(program: Program, slot: int, expression: str) -> str:
    """A definition and, in a column of its own, what it means."""
    note = sanitised(program.notes.get(slot, ""))
    line = f"  const double v{slot} = {expression};"
    return f"{line:<42} /* {note} */" if note else line


def _paragraphs(pointers: Iterable[str], parts: Sequence[Sequence[str]]) -> list[str]:
    """The parts of a function body, an empty line between; arguments that nothing uses are marked first."""
    text = "\n".join(line for part in parts for line in part)
    unused = [f"  (void){name};" for name in pointers if not re.search(rf"\b{name}\[", text)]
    lines: list[str] = []
    for part in (unused, *parts):
        lines += ["", *part] if lines and part else part
    return lines


def _driver(program: Program) -> str:
    """A main that feeds fixed numbers in and prints a weighted sum of all outputs, to compare with another target."""
    inputs = [(array.name, array.size) for array in program.arrays]
    outputs = [(f"out_{output.name}", len(output.slots)) for output in program.outputs]
    declared = [("p", program.parameters), ("w", len(program.saved)), *inputs, *outputs]
    lines = [f"  double {name}[{max(1, size)}] = {{0.0}};" for name, size in declared]
    lines += [f"  {name}[{k}] = {x!r};" for name, given in check_inputs(program) for k, x in enumerate(given)]
    lines.append(f"  {program.name}_setup(p, w);")
    lines.append(f"  {program.name}({', '.join([*(n for n, _ in inputs), 'w', *(n for n, _ in outputs)])});")
    for name, size in outputs:
        if size:
            lines.append(f"  for (int i = 0; i < {size}; ++i) sum += {name}[i] / (1.0 + i);")
    body = "\n".join(lines)
    return f"""/* Generated by polhode. */
#include <stdio.h>
#include "{program.name}.h"

int main(void) {{
  double sum = 0.0;
{body}
  printf("%.17g\\n", sum);
  return 0;
}}
"""


def _simulation_files(simulation: Simulation) -> dict[str, str]:
    """The main program, and each function's header and source."""
    files = {f"{simulation.name}.c": print_simulation(simulation)}
    for each in simulation.functions.values():
        made = print_c(each.program, each.preface)
        files |= {f"{made.name}.h": made.header, f"{made.name}.c": made.source}
    return files


TARGET = Target(
    "c",
    lambda program, preface: print_c(program, preface).files(),
    (("cc", "-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror", "-o", "check", "{name}.c", "{name}_main.c", "-lm"),
     ("./check",)),
    SimulationWriting(_simulation_files, build_command),
)  # fmt: skip
