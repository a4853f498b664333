/* Gragg's midpoint rule, extrapolated (Bulirsch and Stoer), of order 28, with steps of varying length.

A unit quaternion is stepped as it is: its equations hold at unit length, from which the tolerance alone takes it. */
#include "quadruple.h"

#define COLUMNS 14

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

/* One extrapolated step (Aitken and Neville); the largest difference of the last two columns, by 1 + |x|. */
static real extrapolated(const real *x, real h, real *end) {
  static real table[COLUMNS][MOST], above[MOST], f[MOST];
  real error = 0;
  rates(x, f);
  for (int j = 0; j < COLUMNS; ++j) {
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
    error = largest(fabsq(end[i] - table[COLUMNS - 2][i]) / (1 + fabsq(x[i])), error);
  }
  return error;
}

static int integrate(real *x, real duration, real tolerance) {
  static real next[MOST];
  real t = 0, h = 1e-3;
  while (t < duration) {
    const int last = t + h >= duration;
    const real taken = last ? duration - t : h;
    const real error = extrapolated(x, taken, next);
    const real factor = error > 0 ? 0.9Q * powq(tolerance / error, 1.0Q / (2 * COLUMNS - 1)) : 3;
    if (error <= tolerance) {
      t = last ? duration : t + taken;
      memcpy(x, next, sizeof next);
    }
    h = taken * (factor > 3 ? 3 : factor > 0.2Q ? factor : 0.2Q);
    if (h < 1e-12Q) return 1;
  }
  return 0;
}
