"""C99 for a program: one header, one source, one driver; nothing but math.h, no allocation, no globals."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from textwrap import wrap
from types import MappingProxyType

from ...expr.opaque.piecewise import Pieces
from ..ir.calls import by_name, horner, renamed, sources, tables, user_functions
from ..ir.ops import check_program
from ..ir.program import Program
from .simulation import LINE, NEWTON_STEPS, Function, Simulation, SimulationWriting, filled, output_size, usage
from .target import Body, Target, Writing, broken, check_inputs, prefaced, sanitised

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
    user_sources = sources(program)
    lines = [*renamed(program), ""] if user_sources else []
    lines += [f"{source.strip()}\n" for source in user_sources]
    for op, function in user_functions(program):
        names = [f"x{k}" for k in range(function.arity)]
        head = ", ".join(f"double {name}" for name in names)
        lines.append(f"static double {op}({head}) {{\n  return {function.name}({', '.join(names)});\n}}\n")
    tabled = tables(program)
    lines += [_SEARCH] if tabled else []
    return [*lines, *(_table(op, table.pieces, table.is_extended) for op, table in tabled)]


def _table(op: str, pieces: Pieces, is_extended: bool) -> str:
    axes, within = range(len(pieces.knots)), "s" if is_extended else "x"
    args = ", ".join(f"double {letter}{axis}" for letter in dict.fromkeys(("x", within)) for axis in axes)
    lines = [f"static double {op}({args}) {{"]
    for axis in axes:
        lines += _array(f"t{axis}", pieces.knots[axis])
    lines += _array("c", pieces.coefficients)
    index = ""
    for axis in axes:
        last = len(pieces.knots[axis]) - 1
        lines.append(f"  const int k{axis} = table_piece(t{axis}, {last}, {within}{axis});")
        lines.append(f"  const double d{axis} = x{axis} - t{axis}[k{axis} > 0 ? k{axis} - 1 : 0];")
        index = f"({index} * {pieces.counts[axis]} + k{axis})" if index else f"k{axis}"
    lines.append(f"  const double *a = c + {index} * {prod(pieces.sizes)};")
    names = [f"a[{number}]" for number in range(prod(pieces.sizes))]
    for axis in reversed(axes):
        size = pieces.sizes[axis]
        inner = [horner(names[k : k + size], f"d{axis}") for k in range(0, len(names), size)]
        names = [f"b{axis}_{number}" for number in range(len(inner))]
        lines += [f"  const double {name} = {value};" for name, value in zip(names, inner, strict=True)]
    return "\n".join([*lines, f"  return {names[0]};", "}", ""])


def _array(name: str, numbers: Sequence[float]) -> list[str]:
    text = ", ".join("NAN" if math.isnan(number) else repr(number) for number in numbers)
    rows = wrap(text, 112, break_long_words=False, break_on_hyphens=False)
    return [f"  static const double {name}[] = {{", *(f"    {row}" for row in rows), "  };"]


#: Where a function's arrays are in the program.
_ARRAYS = {"x": "x", "tau": "m->efforts", "inputs": "m->inputs", "t": "&t"}
#: Where the values of each section of the text file go.
_VALUES = {
    "run": "m->run",
    "parameters": "m->parameters", "coordinates": "m->x", "speeds": "m->x + COORDINATES",
    "states": "m->x + COORDINATES + SPEEDS", "efforts": "m->efforts", "inputs": "m->inputs",
}  # fmt: skip


def print_simulation(simulation: Simulation) -> str:
    """The main source file; the functions stand in files of their own."""
    head = [*prefaced(simulation.preface), *usage(simulation, build_command(simulation))]
    definitions = [
        "/* " + "\n".join(f" * {line}".rstrip() for line in head).removeprefix(" * ") + "\n */",
        *(f"#include <{name}.h>" for name in ("errno", "math", "stdarg", "stdio", "stdlib", "string")),
        *(f'#include "{function.program.name}.h"' for function in simulation.functions.values()),
        "",
        *_definitions(simulation),
        "",
        *_model(simulation),
    ]
    names, sections = simulation.energies, simulation.sections
    rows = [f'    {{"{name}", {len(values)}, {name}_names, NULL, {{0}}}},' for name, values in sections.items()]
    return filled(
        "simulation.c",
        simulation,
        DEFINITIONS="\n".join(definitions),
        ENERGY_SIZES=", ".join(f"{name}[1]" for name in names),
        ENERGY_VALUES=", ".join(f"{name}[0]" for name in names),
        ENERGY_FORMAT=",%.17g" * len(names),
        SECTIONS="\n".join(rows),
        VALUES="\n".join(f"  sections[{k}].values = {_VALUES[name]};" for k, name in enumerate(sections)),
    )


def build_command(simulation: Simulation) -> str:
    """The one command that compiles all."""
    sources = " ".join(f"{function.program.name}.c" for function in simulation.functions.values())
    return f"cc -std=c99 -O2 -o {simulation.name} {simulation.name}.c {sources} -lm"


def _definitions(simulation: Simulation) -> list[str]:
    kept = simulation.projection
    sizes = {name.upper(): len(values) for name, values in simulation.sections.items() if name != "run"}
    sizes |= {"SIZE": sum(sizes[name] for name in ("COORDINATES", "SPEEDS", "STATES"))}
    sizes |= {"QUATERNIONS": len(simulation.quaternions), "LINE": LINE}
    sizes["LONGEST_SECTION"] = max(len(values) for values in simulation.sections.values())
    if kept is not None:
        sizes |= {"PIVOTS": output_size(kept.step, "pivots"), "CHANGES": output_size(kept.step, "change")}
        sizes |= {name.upper(): count for name, count in NEWTON_STEPS.items()}
        sizes |= {} if kept.rows is None else {"ROWS": output_size(kept.rows, "rows")}
    width = ",\n  ".join(f"{name} = {size}" for name, size in sizes.items())
    firsts = ", ".join(map(str, simulation.quaternions)) or "0"
    lines = [f"enum {{\n  {width}\n}};"]
    lines += [f"#define {name.upper()} {value!r}" for name, value in simulation.numbers.items()]
    lines += [f'#define DEFAULT_FILE "{simulation.name}.txt"']
    head = ",".join(simulation.columns)  # as string literals that the compiler joins, none of them long
    lines += ["#define HEAD \\", *(f'  "{head[k : k + 90]}" \\' for k in range(0, len(head), 90))]
    lines[-1] = lines[-1].removesuffix(" \\")
    lines += ["", f"static const int quaternions[] = {{{firsts}}}; /* where each begins */"]
    for name, values in simulation.sections.items():
        lines += [f"static const char *const {name}_names[] = {{"]
        lines += [*(f'  "{value.name}",' for value in values), "  NULL", "};"]
    return lines


def _model(simulation: Simulation) -> list[str]:
    functions = simulation.functions
    work = "\n".join(f"  double {name}_work[{max(1, len(f.program.saved))}];" for name, f in functions.items())
    largest = "\n  double largest[PIVOTS + 1]; /* the largest pivots seen */" if simulation.projection else ""
    return [
        f"""/* All that a run knows. */
typedef struct {{
  double run[3], parameters[PARAMETERS + 1], x[SIZE + 1], efforts[EFFORTS + 1], inputs[INPUTS + 1];
{work}{largest}
}} model;

static void set_up(model *m) {{""",
        *(_set_up(name, function) for name, function in functions.items()),
        "}",
        *(_function(name, function) for name, function in functions.items()),
    ]


def _set_up(name: str, function: Function) -> str:
    values = ", ".join(f"m->parameters[{k}]" for k in function.parameters) or "0.0"
    return f"  const double {name}_p[] = {{{values}}};\n  {function.program.name}_setup({name}_p, m->{name}_work);"


def _function(name: str, function: Function) -> str:
    program = function.program
    outputs = [output.name for output in program.outputs]
    arguments = [*(_ARRAYS[array.name] for array in program.arrays), f"m->{name}_work", *outputs]
    head = ", ".join(["const model *m", "double t", "const double *x", *(f"double *{output}" for output in outputs)])
    unused = "" if any(array.name == "t" for array in program.arrays) else "  (void)t;\n"
    return f"\nstatic void {name}_at({head}) {{\n{unused}  {program.name}({', '.join(arguments)});\n}}"


#: Every operation as a C expression of its operands.
EXPRESSION: Mapping[str, str] = MappingProxyType({
    "add": "{0} + {1}", "sub": "{0} - {1}", "mul": "{0} * {1}", "div": "{0} / {1}", "neg": "-{0}",
    "abs": "fabs({0})",
    "sign": "{0} > 0.0 ? 1.0 : {0} < 0.0 ? -1.0 : {0}",
    "min": "({0} < {1} || {0} != {0}) ? {0} : {1}",
    "max": "({0} > {1} || {0} != {0}) ? {0} : {1}",
    "atan2": "atan2({0}, {1})", "pow": "pow({0}, {1})", "where": "{0} > 0.0 ? {1} : {2}",
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
        return {f"{self.name}.h": self.header, f"{self.name}.c": self.source, f"{self.name}_main.c": self.driver}


def print_c(program: Program, preface: Sequence[str] = ()) -> CSource:
    """The program as C99: `<name>_setup(p, w)`, `<name>(arrays..., w, outputs...)`, and a driver with a check value."""
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
    filled = [f"  w[{k}] = {program.label(slot)};" for k, slot in enumerate(program.saved)]
    results = [
        f"  out_{o.name}[{k}] = {program.label(slot)};" for o in program.outputs for k, slot in enumerate(o.slots)
    ]
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
    return [[_noted(program, *slot) for slot in part] for part in body]


def _noted(program: Program, slot: int, expression: str) -> str:
    """A definition and, in a column of its own, its meaning."""
    note = sanitised(program.notes.get(slot, ""))
    line = f"  const double {program.label(slot)} = {expression};"
    line = broken(line, 116, "      ") if len(line) > 116 and program.names else line
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
    lines += [f"  {name}[{k}] = {x!r};" for name, values in check_inputs(program) for k, x in enumerate(values)]
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
    for function in simulation.functions.values():
        result = print_c(function.program, function.preface)
        files |= {f"{result.name}.h": result.header, f"{result.name}.c": result.source}
    return files


TARGET = Target(
    "c",
    lambda program, preface: print_c(program, preface).files(),
    (("cc", "-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror", "-o", "check", "{name}.c", "{name}_main.c", "-lm"),
     ("./check",)),
    SimulationWriting(_simulation_files, build_command),
)  # fmt: skip
