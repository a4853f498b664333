/* A motion in quadruple precision: Gragg's midpoint rule, extrapolated (Bulirsch and Stoer), steps of varying length.

The exported C of the rates comes by -DRATES="...", its function by -DNAME=...; "double" means __float128 in it, so that
nothing but the constants that it spells was ever rounded to a double. Coordinates that are unit quaternions are
integrated as they are: the equations hold at unit length, and that drifts by the tolerance alone.

reads    the state's length, the length of the efforts, duration, tolerance; the state; parameters
writes   the last state, each entry as the sum of two doubles
*/
#include <math.h>
#include <quadmath.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef __float128 real;

#define double __float128
#define sin sinq
#define cos cosq
#define tan tanq
#define asin asinq
#define acos acosq
#define atan atanq
#define atan2 atan2q
#define exp expq
#define log logq
#define sinh sinhq
#define cosh coshq
#define tanh tanhq
#define sqrt sqrtq
#define pow powq
#define fabs fabsq
#include RATES
#undef double

#define MOST 512
#define COLUMNS 14

static real tau[MOST], work[1 << 16];
static int size;
static long evaluations;

static void rates(const real *x, real *xdot) {
  ++evaluations;
  NAME(x, tau, work, xdot);
}

/* n steps of the midpoint rule over h, from x with rates f there. */
static void midpoint(const real *x, const real *f, real h, int n, real *end) {
  static real before[MOST], now[MOST], rate[MOST];
  const real step = h / n;
  for (int i = 0; i < size; ++i) {
    before[i] = x[i];
    now[i] = x[i] + step * f[i];
  }
  for (int k = 1; k < n; ++k) {
    rates(now, rate);
    for (int i = 0; i < size; ++i) {
      const real next = before[i] + 2 * step * rate[i];
      before[i] = now[i];
      now[i] = next;
    }
  }
  rates(now, rate);
  for (int i = 0; i < size; ++i) end[i] = (before[i] + now[i] + step * rate[i]) / 2; /* Gragg's smoothing */
}

/* One extrapolated step; the largest difference of the last two columns, by 1 + |x|. */
static real extrapolated(const real *x, real h, real *end) {
  static real table[COLUMNS][MOST], f[MOST];
  real error = 0;
  rates(x, f);
  for (int j = 0; j < COLUMNS; ++j) {
    real above[MOST];
    memcpy(above, table[0], sizeof above);
    midpoint(x, f, h, 2 * (j + 1), table[0]);
    for (int k = 1; k <= j; ++k) {
      const real ratio = (real)(j + 1) / (j + 1 - k);
      for (int i = 0; i < size; ++i) {
        const real kept = table[k][i];
        table[k][i] = table[k - 1][i] + (table[k - 1][i] - above[i]) / (ratio * ratio - 1);
        above[i] = kept;
      }
    }
  }
  for (int i = 0; i < size; ++i) {
    end[i] = table[COLUMNS - 1][i];
    const real apart = fabsq(table[COLUMNS - 1][i] - table[COLUMNS - 2][i]) / (1 + fabsq(x[i]));
    error = apart > error || apart != apart ? apart : error;
  }
  return error;
}

int main(void) {
  static real x[MOST], next[MOST];
  int efforts, parameters;
  double duration, tolerance, number;
  if (scanf("%d %d %d %lf %lf", &size, &efforts, &parameters, &duration, &tolerance) != 5 || size > MOST) return 2;
  for (int i = 0; i < size; ++i) {
    if (scanf("%lf", &number) != 1) return 2;
    x[i] = number;
  }
  real *values = calloc(parameters + 1, sizeof *values);
  for (int i = 0; i < parameters; ++i) {
    if (scanf("%lf", &number) != 1) return 2;
    values[i] = number;
  }
  SETUP(values, work);
  real t = 0, h = 1e-3;
  while (t < duration) {
    const int last = t + h >= duration;
    const real taken = last ? duration - t : h;
    const real error = extrapolated(x, taken, next);
    const real wanted = error > 0 ? powq(tolerance / error, 1.0Q / (2 * COLUMNS - 1)) : 4;
    if (error <= tolerance) {
      t = last ? (real)duration : t + taken;
      memcpy(x, next, sizeof x);
    }
    const real factor = 0.9Q * wanted;
    h = error != error ? taken / 4 : taken * (factor > 3 ? 3 : factor < 0.2Q ? 0.2Q : factor);
    if (h < 1e-12) return 3;
  }
  for (int i = 0; i < size; ++i) printf("%.17g %.17g\n", (double)x[i], (double)(x[i] - (double)x[i]));
  fprintf(stderr, "%ld evaluations\n", evaluations);
  return 0;
}
