"""Simulation programs in C99: a main that reads a text file, integrates, writes a table; only the standard library."""

from __future__ import annotations

from collections.abc import Sequence

from .c99_reading import READING
from .simulation import LINE, NEWTON_STEPS, Function, Simulation, output_size, usage
from .target import prefaced

#: Where a function's arrays are in the program.
_ARRAYS = {"x": "x", "tau": "m->efforts", "inputs": "m->inputs", "t": "&t"}
#: The sections of the text file after the first, and where their values go.
_PLACES = {
    "parameters": "m->parameters", "coordinates": "m->x", "speeds": "m->x + COORDINATES",
    "states": "m->x + COORDINATES + SPEEDS", "efforts": "m->efforts", "inputs": "m->inputs",
}  # fmt: skip

_STEPPING = """
static void scale_to_unit(double *x) {
  for (int k = 0; k < QUATERNIONS; ++k) {
    double *e = x + quaternions[k];
    const double scale = 1.0 / sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3]);
    for (int i = 0; i < 4; ++i) e[i] *= scale;
  }
}

/* One step from time k h; 0 where the state is a good one after it, which it then is in x. */
static int take_step(const model *m, double k, double h, double *x) {
  double a[SIZE + 1], b[SIZE + 1], c[SIZE + 1], d[SIZE + 1], stage[SIZE + 1];
  rates_at(m, k * h, x, a);
  for (int i = 0; i < SIZE; ++i) stage[i] = x[i] + a[i] * STAGE_2 * h;
  rates_at(m, (k + 0.5) * h, stage, b);
  for (int i = 0; i < SIZE; ++i) stage[i] = x[i] + b[i] * STAGE_3 * h;
  rates_at(m, (k + 0.5) * h, stage, c);
  for (int i = 0; i < SIZE; ++i) stage[i] = x[i] + c[i] * STAGE_4 * h;
  rates_at(m, (k + 1.0) * h, stage, d);
  for (int i = 0; i < SIZE; ++i)
    stage[i] = x[i] + (a[i] * WEIGHT_1 + b[i] * WEIGHT_2 + c[i] * WEIGHT_3 + d[i] * WEIGHT_4) * h;
  scale_to_unit(stage);
  for (int i = 0; i < SIZE; ++i)
    if (!(fabs(stage[i]) <= BOUND)) return 1;
  memcpy(x, stage, sizeof(double) * SIZE);
  return 0;
}
"""

_PROJECTION = """
/* The nearest state on the constraints; 0 where there is one and no pivot is small or has changed its sign. */
static int project(model *m, double t, int most, double *x) {
  double pivots[PIVOTS + 1], displacement[COORDINATES + 1], change[CHANGES + 1], left = HUGE_VAL;
  for (int count = 0;; ++count) {
    double size = 0.0;
    projection_at(m, t, x, pivots, displacement, change);
    for (int i = 0; i < PIVOTS; ++i) {
      if (m->largest[i] == 0.0) m->largest[i] = pivots[i];
      m->largest[i] = copysign(fmax(fabs(pivots[i]), fabs(m->largest[i])), m->largest[i]);
      if (!(pivots[i] / m->largest[i] > SMALL_PIVOT)) return 1;
    }
    for (int i = 0; i < COORDINATES; ++i)
      if (!(fabs(displacement[i]) <= size)) size = fabs(displacement[i]);
    if (size <= NEAR) break;
    if (!(size < left) || count >= most) {
      if (size <= 100.0 * NEAR) break; /* rounding keeps it from coming nearer */
      return 1;
    }
    left = size;
    for (int i = 0; i < COORDINATES; ++i) x[i] += displacement[i];
    scale_to_unit(x);
  }
  for (int i = 0; i < CHANGES; ++i) x[COORDINATES + i] += change[i];
"""

_ALL_ROWS = """  double values[ROWS + 1];
  rows_at(m, t, x, values);
  for (int i = 0; i < ROWS; ++i)
    if (!(fabs(values[i]) <= OFF)) return 1;
"""

_START = """
/* The start on the constraints, near the one that is given. */
static int assemble(const char *file, model *m, const section *coordinates) {
  double given[SIZE + 1], far = 0.0;
  memcpy(given, m->x, sizeof given);
  const int failed = project(m, 0.0, FIRST_STEPS, m->x);
  for (int i = 0; i < COORDINATES; ++i)
    if (!(fabs(m->x[i] - given[i]) <= far)) far = fabs(m->x[i] - given[i]);
  if (failed || !(far <= TOO_FAR))
    return complain(file, coordinates->lines[0], "the start is too far from its constraints to be brought to them.");
  for (int i = COORDINATES; i < COORDINATES + CHANGES; ++i)
    if (!(fabs(m->x[i] - given[i]) <= far)) far = fabs(m->x[i] - given[i]);
  if (far > WORTH_A_WORD)
    complain(file, coordinates->lines[0], "note: the start moved by up to %g to keep the constraints.", far);
  return 0;
}
"""

_RUN = """
static void write_row(const model *m, double t, FILE *out) {
  double @ENERGY_SIZES@;
  energy_at(m, t, m->x, @ENERGIES@);
  fprintf(out, "%.17g", t);
  for (int i = 0; i < SIZE; ++i) fprintf(out, ",%.17g", m->x[i]);
  fprintf(out, "@ENERGY_FORMAT@\\n", @ENERGY_VALUES@);
}

static int run(model *m, FILE *out) {
  const double duration = m->run[0];
  const long steps = duration > 0.0 ? (long)fmax(1.0, rint(duration / m->run[1])) : 0, every = (long)m->run[2];
  const double h = steps ? duration / (double)steps : 0.0;
  fputs(HEAD "\\n", out);
  write_row(m, 0.0, out);
  for (long k = 0; k < steps; ++k) {
    if (take_step(m, (double)k, h, m->x)) {
      fprintf(stderr, "after t = %g s a coordinate, speed or state is no number any more, or beyond %g.\\n",
              (double)k * h, BOUND);
      return 1;
    }
    const long next = k + 1;
    const int recorded = next % every == 0 || next == steps;
@KEEP@    if (recorded) write_row(m, (double)next * h, out);
  }
  return 0;
}
"""

_KEEP = """    if (recorded || next % every % UNPROJECTED == 0) {
      if (project(m, (double)next * h, NEWTON_STEPS, m->x)) {
        fprintf(stderr, "at t = %g s the constraints cannot be kept: the pose is singular, or at the end of reach.\\n",
                (double)next * h);
        return 1;
      }
    }
"""

_MAIN = """
int main(int count, char **words) {
  static model made;
  model *const m = &made;
  const char *file = count > 1 ? words[1] : DEFAULT_FILE;
  static section sections[] = {
@SECTIONS@    {NULL, 0, NULL, NULL, {0}},
  };
@VALUES@  if (count > 3) {
    fprintf(stderr, "give at most two names: %s values.txt table.csv\\n", words[0]);
    return 1;
  }
  if (read_file(file, sections) || check(file, m, &sections[0], &sections[2])) return 1;
  set_up(m);
@ASSEMBLE@  FILE *out = count > 2 ? fopen(words[2], "w") : stdout;
  if (!out) {
    fprintf(stderr, "%s: the file cannot be written: %s.\\n", words[2], strerror(errno));
    return 1;
  }
  const int stopped = run(m, out);
  if (fflush(out) || ferror(out)) {
    fprintf(stderr, "the table cannot be written: %s.\\n", strerror(errno));
    return 1;
  }
  return stopped;
}
"""


def print_simulation(simulation: Simulation) -> str:
    """The main source file; the functions stand in files of their own."""
    kept = simulation.projection
    head = [*prefaced(simulation.preface), *usage(simulation, build_command(simulation))]
    parts = [
        "/* " + "\n".join(f" * {line}".rstrip() for line in head).removeprefix(" * ") + "\n */",
        *(f"#include <{name}.h>" for name in ("errno", "math", "stdarg", "stdio", "stdlib", "string")),
        *(f'#include "{each.program.name}.h"' for each in simulation.functions.values()),
        "",
        *_definitions(simulation),
        "",
        *_model(simulation),
        READING + _STEPPING,
    ]
    if kept is not None:
        parts.append(_PROJECTION.lstrip("\n") + (_ALL_ROWS if kept.rows else "") + "  return 0;\n}\n" + _START)
    parts.append(_with_energies(_RUN.lstrip("\n").replace("@KEEP@", _KEEP if kept else ""), simulation.energies))
    return "\n".join([*parts, _main(simulation)])


def _with_energies(text: str, names: Sequence[str]) -> str:
    text = text.replace("@ENERGY_SIZES@", ", ".join(f"{name}[1]" for name in names))
    text = text.replace("@ENERGY_VALUES@", ", ".join(f"{name}[0]" for name in names))
    return text.replace("@ENERGIES@", ", ".join(names)).replace("@ENERGY_FORMAT@", ",%.17g" * len(names))


def build_command(simulation: Simulation) -> str:
    """The one command that compiles all."""
    sources = " ".join(f"{each.program.name}.c" for each in simulation.functions.values())
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
    lines += ["#define HEAD \\", *_strings([",".join(simulation.columns)], "  ", " \\")]
    lines[-1] = lines[-1].removesuffix(" \\")
    lines += ["", f"static const int quaternions[] = {{{firsts}}}; /* where each begins */"]
    for name, values in simulation.sections.items():
        lines += [f"static const char *const {name}_names[] = {{"]
        lines += [*(f'  "{value.name}",' for value in values), "  NULL", "};"]
    return lines


def _strings(texts: Sequence[str], before: str, after: str) -> list[str]:
    """String literals that the compiler joins, none of them long."""
    return [f'{before}"{text[k : k + 90]}"{after}' for text in texts for k in range(0, len(text), 90)]


def _model(simulation: Simulation) -> list[str]:
    functions = simulation.functions
    work = "\n".join(f"  double {name}_work[{max(1, len(each.program.saved))}];" for name, each in functions.items())
    largest = "\n  double largest[PIVOTS + 1]; /* the largest pivots seen */" if simulation.projection else ""
    return [
        f"""/* All that a run knows. */
typedef struct {{
  double run[3], parameters[PARAMETERS + 1], x[SIZE + 1], efforts[EFFORTS + 1], inputs[INPUTS + 1];
{work}{largest}
}} model;

static void set_up(model *m) {{""",
        *(_set_up(name, each) for name, each in functions.items()),
        "}",
        *(_function(name, each) for name, each in functions.items()),
    ]


def _set_up(name: str, function: Function) -> str:
    given = ", ".join(f"m->parameters[{k}]" for k in function.parameters) or "0.0"
    return f"  const double {name}_p[] = {{{given}}};\n  {function.program.name}_setup({name}_p, m->{name}_work);"


def _function(name: str, function: Function) -> str:
    program = function.program
    outputs = [output.name for output in program.outputs]
    given = [*(_ARRAYS[array.name] for array in program.arrays), f"m->{name}_work", *outputs]
    head = ", ".join(["const model *m", "double t", "const double *x", *(f"double *{each}" for each in outputs)])
    unused = "" if any(array.name == "t" for array in program.arrays) else "  (void)t;\n"
    return f"\nstatic void {name}_at({head}) {{\n{unused}  {program.name}({', '.join(given)});\n}}"


def _main(simulation: Simulation) -> str:
    rows = "".join(
        f'    {{"{name}", {len(values)}, {name}_names, NULL, {{0}}}},\n' for name, values in simulation.sections.items()
    )
    places = {"run": "m->run"} | _PLACES
    values = "".join(f"  sections[{k}].values = {places[name]};\n" for k, name in enumerate(simulation.sections))
    assembled = "  if (assemble(file, m, &sections[2])) return 1;\n" if simulation.projection is not None else ""
    return _MAIN.lstrip("\n").replace("@SECTIONS@", rows).replace("@VALUES@", values).replace("@ASSEMBLE@", assembled)
