"""How a simulation program in C99 reads its text file: each mistake is one sentence with file and line."""

from __future__ import annotations

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
