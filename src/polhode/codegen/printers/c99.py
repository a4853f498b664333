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
from .simulation import LINE, NEWTON_STEPS, Function, Simulation, SimulationWriting, output_size, usage
from .target import Body, Target, Writing, check_inputs, prefaced, sanitised

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
    given = sources(program)
    found = [*renamed(program), ""] if given else []
    found += [f"{source.strip()}\n" for source in given]
    for op, function in user_functions(program):
        names = [f"x{place}" for place in range(function.arity)]
        head = ", ".join(f"double {name}" for name in names)
        found.append(f"static double {op}({head}) {{\n  return {function.name}({', '.join(names)});\n}}\n")
    known = tables(program)
    found += [_SEARCH] if known else []
    return [*found, *(_table(op, table.pieces, table.is_extended) for op, table in known)]


def _table(op: str, pieces: Pieces, is_extended: bool) -> str:
    axes, within = range(len(pieces.knots)), "s" if is_extended else "x"
    args = ", ".join(f"double {letter}{axis}" for letter in dict.fromkeys(("x", within)) for axis in axes)
    lines = [f"static double {op}({args}) {{"]
    for axis in axes:
        lines += _array(f"t{axis}", pieces.knots[axis])
    lines += _array("c", pieces.coefficients)
    place = ""
    for axis in axes:
        last = len(pieces.knots[axis]) - 1
        lines.append(f"  const int k{axis} = table_piece(t{axis}, {last}, {within}{axis});")
        lines.append(f"  const double d{axis} = x{axis} - t{axis}[k{axis} > 0 ? k{axis} - 1 : 0];")
        place = f"({place} * {pieces.counts[axis]} + k{axis})" if place else f"k{axis}"
    lines.append(f"  const double *a = c + {place} * {prod(pieces.sizes)};")
    names = [f"a[{number}]" for number in range(prod(pieces.sizes))]
    for axis in reversed(axes):
        size = pieces.sizes[axis]
        found = [horner(names[k : k + size], f"d{axis}") for k in range(0, len(names), size)]
        names = [f"b{axis}_{number}" for number in range(len(found))]
        lines += [f"  const double {name} = {value};" for name, value in zip(names, found, strict=True)]
    return "\n".join([*lines, f"  return {names[0]};", "}", ""])


def _array(name: str, numbers: Sequence[float]) -> list[str]:
    text = ", ".join("NAN" if math.isnan(number) else repr(number) for number in numbers)
    rows = wrap(text, 112, break_long_words=False, break_on_hyphens=False)
    return [f"  static const double {name}[] = {{", *(f"    {row}" for row in rows), "  };"]


#: From the lines of the file to values, and the checks of what they are together. What the mechanism brings (`model`,
#: `quaternions`, sizes in capitals) is defined before.
READING = """
typedef struct {
  const char *name;
  int count;
  const char *const *names;
  double *values;
  long lines[LONGEST_SECTION]; /* where in the file each value is given; 0 for not yet */
} section;

static int complain(const char *file, long line, const char *form, ...) {
  va_list words;
  va_start(words, form);
  fprintf(stderr, "%s:%ld: ", file, line);
  vfprintf(stderr, form, words);
  fputc('\\n', stderr);
  va_end(words);
  return 1;
}

static char *trimmed(char *text) {
  char *end = text + strlen(text);
  while (end > text && strchr(" \\t\\r\\n", end[-1])) *--end = '\\0';
  return text + strspn(text, " \\t");
}

/* Digits with at most one point and an exponent: not what strtod takes besides, such as nan, inf or 0x10. */
static int is_number(const char *text) {
  static const char digits[] = "0123456789";
  text += *text == '+' || *text == '-';
  size_t some = strspn(text, digits);
  text += some;
  if (*text == '.') {
    const size_t more = strspn(++text, digits);
    some += more;
    text += more;
  }
  if (some && (*text == 'e' || *text == 'E')) {
    ++text;
    text += *text == '+' || *text == '-';
    some = strspn(text, digits);
    text += some;
  }
  return some && !*text;
}

static int read_value(const char *file, long line, section *own, char *text) {
  char *value = strchr(text, '=');
  if (!value) return complain(file, line, "'%.40s' has not the form name = value.", text);
  *value = '\\0';
  const char *name = trimmed(text);
  value = trimmed(value + 1);
  if (!own) return complain(file, line, "'%.40s' stands before the first section, such as [run].", name);
  int k = 0;
  while (k < own->count && strcmp(own->names[k], name)) ++k;
  if (k == own->count) return complain(file, line, "there is no '%.60s' in [%s].", name, own->name);
  if (own->lines[k]) return complain(file, line, "'%s' has a value already, in line %ld.", name, own->lines[k]);
  if (!*value) return complain(file, line, "'%s' has no value.", name);
  if (!is_number(value)) return complain(file, line, "'%s' is '%.40s', which is no number.", name, value);
  own->values[k] = strtod(value, NULL);
  if (!isfinite(own->values[k])) return complain(file, line, "'%s' is %.40s, which is too large.", name, value);
  own->lines[k] = line;
  return 0;
}

static int read_line(const char *file, long line, section *sections, section **own, char *text) {
  text[strcspn(text, "#")] = '\\0';
  text = trimmed(text);
  if (!*text) return 0;
  if (*text != '[') return read_value(file, line, *own, text);
  const size_t end = strlen(text) - 1;
  if (text[end] != ']') return complain(file, line, "'%.40s' has no closing bracket.", text);
  text[end] = '\\0';
  for (section *each = sections; each->name; ++each) {
    if (!strcmp(each->name, text + 1)) {
      *own = each;
      return 0;
    }
  }
  return complain(file, line, "there is no section [%.40s].", text + 1);
}

static int read_file(const char *file, section *sections) {
  char text[LINE + 2];
  long line = 0;
  section *own = NULL;
  int bad = 0;
  FILE *in = fopen(file, "r");
  if (!in) {
    fprintf(stderr, "%s: the file cannot be opened: %s.\\n", file, strerror(errno));
    return 1;
  }
  while (!bad && fgets(text, sizeof text, in)) {
    const size_t length = strlen(text);
    ++line;
    if ((!length || text[length - 1] != '\\n') && !feof(in))
      bad = complain(file, line, "the line is longer than %d letters, or holds a zero byte.", LINE);
    else
      bad = read_line(file, line, sections, &own, text + (line == 1 && !strncmp(text, "\\xef\\xbb\\xbf", 3) ? 3 : 0));
  }
  if (!bad && ferror(in)) {
    fprintf(stderr, "%s: the file cannot be read: %s.\\n", file, strerror(errno));
    bad = 1;
  }
  fclose(in);
  for (const section *each = sections; each->name && !bad; ++each)
    for (int k = 0; k < each->count && !bad; ++k)
      if (!each->lines[k])
        bad = complain(file, line, "the file ends here, and '%s' in [%s] has no value.", each->names[k], each->name);
  return bad;
}

/* The length of the run, the steps that fit into it, and quaternions of unit length. */
static int check(const char *file, model *m, const section *run, const section *coordinates) {
  const double duration = m->run[0], step = m->run[1], every = m->run[2];
  if (duration < 0.0) return complain(file, run->lines[0], "the duration is less than 0 s.");
  if (!(step > 0.0)) return complain(file, run->lines[1], "the step is not longer than 0 s.");
  if (duration > 0.0 && duration < step * (1.0 - 1e-9))
    return complain(file, run->lines[1], "the step is longer than the run.");
  if (duration / step > MOST_STEPS)
    return complain(file, run->lines[1], "the step is too short: %g steps are too many.", duration / step);
  if (!(every >= 1.0 && every == floor(every) && every <= MOST_STEPS))
    return complain(file, run->lines[2], "every is not a whole number of steps from 1 on.");
  for (int k = 0; k < QUATERNIONS; ++k) {
    double *e = m->x + quaternions[k];
    const long line = coordinates->lines[quaternions[k]];
    const double length = sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3]);
    if (!(length > 0.0))
      return complain(file, line, "the quaternion that begins here is zero, which is no orientation.");
    if (fabs(length - 1.0) > LENGTH_SLACK)
      complain(file, line, "note: the quaternion that begins here has length %g and is scaled to 1.", length);
    for (int i = 0; i < 4; ++i) e[i] /= length;
  }
  return 0;
}
"""


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
