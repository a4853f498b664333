"""C99 for a program: one header, one source, one driver; nothing but math.h, no allocation, no globals."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from polhode.codegen.ops import check_program, live_run, live_setup
from polhode.codegen.program import Instruction, Program
from polhode.errors import PolhodeError

_UNSAFE = re.compile(r"[^A-Za-z0-9 _.,:=+()-]+", re.ASCII)

#: Every operation as a C expression of its operands.
EXPRESSION: Mapping[str, str] = MappingProxyType({
    "add": "{0} + {1}", "sub": "{0} - {1}", "mul": "{0} * {1}", "div": "{0} / {1}", "neg": "-{0}",
    "abs": "fabs({0})",
    "sign": "{0} > 0.0 ? 1.0 : {0} < 0.0 ? -1.0 : {0}",
    "min": "({0} < {1} || {0} != {0}) ? {0} : {1}",
    "max": "({0} > {1} || {0} != {0}) ? {0} : {1}",
    "atan2": "atan2({0}, {1})", "pow": "pow({0}, {1})",
} | {f: f + "({0})" for f in (
    "sqrt", "sin", "cos", "tan", "asin", "acos", "atan", "exp", "log", "sinh", "cosh", "tanh")
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


def print_c(program: Program) -> CSource:
    """The program as C99: `<name>_setup(p, w)`, `<name>(arrays..., w, outputs...)`, and a driver with a check value.

    >>> from polhode.codegen.program import Array, Output
    >>> code, output = Instruction("mul", (0, 0)), Output("y", (1,), (1,))
    >>> square = Program("square", (Array("q", 1),), 0, (), (), (code,), (output,))
    >>> print(print_c(square).source.split("{")[-1])
    <BLANKLINE>
      (void)w;
      const double v0 = q[0];
      const double v1 = v0 * v0;
      out_y[0] = v1;
    }
    <BLANKLINE>
    """
    check_program(program)
    return CSource(program.name, _header(program), _source(program), _driver(program))


def sanitised(note: str) -> str:
    """What of a note may stand in a comment: it can neither end the comment nor continue the line.

    >>> sanitised('inertia of the forearm */ system("x") ??/')
    'inertia of the forearm system(x)'
    """
    return " ".join(_UNSAFE.sub(" ", note[:400]).replace("( ", "(").replace(" )", ")").split())[:80].rstrip()


def sidecar(program: Program, names: Mapping[str, Sequence[str]] | None = None) -> str:
    """JSON that says what each entry means, in the user's own words, which never enter generated code.

    `names` gives, for an array, an output or "parameters", the name of each entry.
    """
    check_program(program)
    given = dict(names or {})
    sizes = {array.name: array.size for array in program.arrays} | {"parameters": program.parameters}
    sizes |= {output.name: len(output.slots) for output in program.outputs}
    for key, entries in given.items():
        if len(entries) != sizes.get(key, -1):
            raise PolhodeError(
                f"{len(entries)} names were given for {sizes.get(key, 'no such array')} entries.",
                place=f"sidecar of {program.name!r}, {key!r}",
            )
    record = {
        "format": "polhode-sidecar/1",
        "program": program.name,
        "arrays": [{"name": a.name, "size": a.size, "entries": list(given.get(a.name, ()))} for a in program.arrays],
        "parameters": {"size": program.parameters, "entries": list(given.get("parameters", ()))},
        "work": len(program.saved),
        "outputs": [
            {"name": o.name, "shape": list(o.shape), "entries": list(given.get(o.name, ()))} for o in program.outputs
        ],
        "slots": {f"v{slot}": note for slot, note in sorted(program.notes.items())},
    }
    return json.dumps(record, indent=2) + "\n"


def print_loops(program: Program) -> str:
    """C functions with the signatures of the native runtime: ph_setup_batch, ph_single, ph_batch."""
    sizes = [array.size for array in program.arrays] + [len(output.slots) for output in program.outputs]
    offsets = [sum(sizes[:k]) for k in range(len(sizes))]
    inputs = len(program.arrays)
    single = [f"buffer + {offset}" for offset in offsets]
    batch = [f"ins[{k}] + i * strides[{k}]" for k in range(inputs)]
    back = [f"outs[{k}] + i * {sizes[inputs + k]}" for k in range(len(program.outputs))]
    rows = [*batch, "w + i * w_stride", *back]
    return f"""
void ph_setup_batch(long long n, const double *p, double *w);
void ph_single(double *buffer, const double *w);
void ph_batch(long long n, const double *const *ins, const long long *strides, const double *w, long long w_stride,
              double *const *outs);

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
"""


def _prototypes(program: Program) -> tuple[str, str]:
    inputs = [f"const double *{array.name}" for array in program.arrays]
    outputs = [f"double *out_{output.name}" for output in program.outputs]
    run = ", ".join([*inputs, "const double *w", *outputs])
    return f"void {program.name}_setup(const double *p, double *w)", f"void {program.name}({run})"


def _header(program: Program) -> str:
    guard = f"POLHODE_{program.name.upper()}_H"
    setup, run = _prototypes(program)
    sizes = [("PARAMETERS", program.parameters), ("WORK", len(program.saved))]
    sizes += [(array.name.upper(), array.size) for array in program.arrays]
    sizes += [(f"OUT_{output.name.upper()}", len(output.slots)) for output in program.outputs]
    macros = "\n".join(f"#define POLHODE_{program.name.upper()}_{name} {size}" for name, size in sizes)
    return f"""/* Generated by polhode. */
#ifndef {guard}
#define {guard}

/* Lengths of the arrays, in doubles. */
{macros}

#ifdef __cplusplus
extern "C" {{
#endif

/* Parameters p to work array w; once for each set of parameters. */
{setup};

/* Inputs and work array to outputs, row-major. */
{run};

#ifdef __cplusplus
}}
#endif

#endif
"""


def _source(program: Program) -> str:
    setup, run = _prototypes(program)
    parameters = {slot: f"p[{k}]" for k, slot in enumerate(range(program.first_parameter, program.first_setup))}
    work = {slot: f"w[{k}]" for k, slot in enumerate(program.saved)}
    inputs, slot = dict(work), program.first_input
    for array in program.arrays:
        inputs |= {slot + k: f"{array.name}[{k}]" for k in range(array.size)}
        slot += array.size
    setup_live, run_live = live_setup(program), live_run(program)
    setup_lines = _body(program, parameters, enumerate(program.setup, program.first_setup), setup_live)
    setup_lines += [f"  w[{k}] = v{slot};" for k, slot in enumerate(program.saved)]
    run_lines = _body(program, inputs, enumerate(program.run, program.first_run), run_live)
    for output in program.outputs:
        run_lines += [f"  out_{output.name}[{k}] = v{slot};" for k, slot in enumerate(output.slots)]
    pointers = [array.name for array in program.arrays] + ["w"] + [f"out_{o.name}" for o in program.outputs]
    return "\n".join(
        [
            "/* Generated by polhode. */",
            "#include <math.h>",
            f'#include "{program.name}.h"',
            "",
            f"{setup} {{",
            *_unused(["p", "w"], setup_lines),
            *setup_lines,
            "}",
            "",
            f"{run} {{",
            *_unused(pointers, run_lines),
            *run_lines,
            "}",
            "",
        ]
    )


def _body(
    program: Program,
    memory: Mapping[int, str],
    code: Iterable[tuple[int, Instruction]],
    wanted: frozenset[int],
) -> list[str]:
    """All reads, then all operations, each slot written once; nothing that is not wanted."""
    lines = [f"  const double v{k} = {value!r};" for k, value in enumerate(program.constants) if k in wanted]
    lines += [_noted(program, slot, place) for slot, place in sorted(memory.items()) if slot in wanted]
    for slot, instruction in code:
        if slot in wanted:
            operands = [f"v{arg}" for arg in instruction.args]
            lines.append(_noted(program, slot, EXPRESSION[instruction.op].format(*operands)))
    return lines


def _noted(program: Program, slot: int, expression: str) -> str:
    note = sanitised(program.notes.get(slot, ""))
    return f"  const double v{slot} = {expression};" + (f" /* {note} */" if note else "")


def _unused(pointers: Iterable[str], lines: Sequence[str]) -> list[str]:
    text = "\n".join(lines)
    return [f"  (void){name};" for name in pointers if not re.search(rf"\b{name}\[", text)]


def _driver(program: Program) -> str:
    """A main that feeds fixed numbers in and prints a weighted sum of all outputs, to compare with another target."""
    inputs = [(array.name, array.size) for array in program.arrays]
    outputs = [(f"out_{output.name}", len(output.slots)) for output in program.outputs]
    declared = [("p", program.parameters), ("w", len(program.saved)), *inputs, *outputs]
    lines = [f"  double {name}[{max(1, size)}] = {{0.0}};" for name, size in declared]
    place = 0
    for name, size in [*inputs, ("p", program.parameters)]:
        for k in range(size):
            place += 1
            lines.append(f"  {name}[{k}] = {check_input(place)!r};")
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


def check_input(place: int) -> float:
    """The driver's input number `place`, counted from 1 over all arrays, then parameters."""
    return 0.25 + 0.0625 * (place % 8)
