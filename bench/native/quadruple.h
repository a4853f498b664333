/* What the references in quadruple precision share: the exported C of the rates, read so that "double" is __float128 in
it. Nothing but the constants that it spells was ever rounded to a double. It comes by -DRATES="...", its functions by
-DNAME=... and -DSETUP=...

reads    lengths of the state and the parameters, duration, tolerance; the state; the parameters
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

#define MOST 128

static real efforts[MOST], work[1 << 14];
static int size;
static long evaluations;

static void rates(const real *x, real *xdot) {
  ++evaluations;
  NAME(x, efforts, work, xdot);
}

static real largest(real a, real b) { return a > b || a != a ? a : b; }

/* Take x to the time `duration`; not 0 where that fails. */
static int integrate(real *x, real duration, real tolerance);

static int read_numbers(int count, real *into) {
  double number;
  for (int i = 0; i < count; ++i) {
    if (scanf("%lf", &number) != 1) return 1;
    into[i] = number;
  }
  return 0;
}

int main(void) {
  static real x[MOST];
  int parameters;
  real span[2];
  if (scanf("%d %d", &size, &parameters) != 2 || size > MOST || read_numbers(2, span)) return 2;
  real *values = calloc(parameters + 1, sizeof *values);
  if (!values || read_numbers(size, x) || read_numbers(parameters, values)) return 2;
  SETUP(values, work);
  if (integrate(x, span[0], span[1])) return 3;
  for (int i = 0; i < size; ++i) printf("%.17g %.17g\n", (double)x[i], (double)(x[i] - (double)x[i]));
  fprintf(stderr, "%ld evaluations\n", evaluations);
  return 0;
}
