@DEFINITIONS@

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
  fputc('\n', stderr);
  va_end(words);
  return 1;
}

static char *trimmed(char *text) {
  char *end = text + strlen(text);
  while (end > text && strchr(" \t\r\n", end[-1])) *--end = '\0';
  return text + strspn(text, " \t");
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
  *value = '\0';
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
  text[strcspn(text, "#")] = '\0';
  text = trimmed(text);
  if (!*text) return 0;
  if (*text != '[') return read_value(file, line, *own, text);
  const size_t end = strlen(text) - 1;
  if (text[end] != ']') return complain(file, line, "'%.40s' has no closing bracket.", text);
  text[end] = '\0';
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
    fprintf(stderr, "%s: the file cannot be opened: %s.\n", file, strerror(errno));
    return 1;
  }
  while (!bad && fgets(text, sizeof text, in)) {
    const size_t length = strlen(text);
    ++line;
    if ((!length || text[length - 1] != '\n') && !feof(in))
      bad = complain(file, line, "the line is longer than %d letters, or holds a zero byte.", LINE);
    else
      bad = read_line(file, line, sections, &own, text + (line == 1 && !strncmp(text, "\xef\xbb\xbf", 3) ? 3 : 0));
  }
  if (!bad && ferror(in)) {
    fprintf(stderr, "%s: the file cannot be read: %s.\n", file, strerror(errno));
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

@if constraints
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
@if redundant
  double values[ROWS + 1];
  rows_at(m, t, x, values);
  for (int i = 0; i < ROWS; ++i)
    if (!(fabs(values[i]) <= OFF)) return 1;
@end
  return 0;
}

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

@end
static void write_row(const model *m, double t, FILE *out) {
  double @ENERGY_SIZES@;
  energy_at(m, t, m->x, @ENERGIES@);
  fprintf(out, "%.17g", t);
  for (int i = 0; i < SIZE; ++i) fprintf(out, ",%.17g", m->x[i]);
  fprintf(out, "@ENERGY_FORMAT@\n", @ENERGY_VALUES@);
}

static int run(model *m, FILE *out) {
  const double duration = m->run[0];
  const long steps = duration > 0.0 ? (long)fmax(1.0, rint(duration / m->run[1])) : 0, every = (long)m->run[2];
  const double h = steps ? duration / (double)steps : 0.0;
  fputs(HEAD "\n", out);
  write_row(m, 0.0, out);
  for (long k = 0; k < steps; ++k) {
    if (take_step(m, (double)k, h, m->x)) {
      fprintf(stderr, "after t = %g s a coordinate, speed or state is no number any more, or beyond %g.\n",
              (double)k * h, BOUND);
      return 1;
    }
    const long next = k + 1;
    const int recorded = next % every == 0 || next == steps;
@if constraints
    if (recorded || next % every % UNPROJECTED == 0) {
      if (project(m, (double)next * h, NEWTON_STEPS, m->x)) {
        fprintf(stderr, "at t = %g s the constraints cannot be kept: the pose is singular, or at the end of reach.\n",
                (double)next * h);
        return 1;
      }
    }
@end
    if (recorded) write_row(m, (double)next * h, out);
  }
  return 0;
}

int main(int count, char **words) {
  static model made;
  model *const m = &made;
  const char *file = count > 1 ? words[1] : DEFAULT_FILE;
  static section sections[] = {
@SECTIONS@
    {NULL, 0, NULL, NULL, {0}},
  };
@VALUES@
  if (count > 3) {
    fprintf(stderr, "give at most two names: %s values.txt table.csv\n", words[0]);
    return 1;
  }
  if (read_file(file, sections) || check(file, m, &sections[0], &sections[2])) return 1;
  set_up(m);
@if constraints
  if (assemble(file, m, &sections[2])) return 1;
@end
  FILE *out = count > 2 ? fopen(words[2], "w") : stdout;
  if (!out) {
    fprintf(stderr, "%s: the file cannot be written: %s.\n", words[2], strerror(errno));
    return 1;
  }
  const int stopped = run(m, out);
  if (fflush(out) || ferror(out)) {
    fprintf(stderr, "the table cannot be written: %s.\n", strerror(errno));
    return 1;
  }
  return stopped;
}
