/* Calls a law that was exported as C, each call depending on the one before; prints nanoseconds a call. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "arm_control_law.h"

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

int main(int count, char **given) {
  double p[POLHODE_ARM_CONTROL_LAW_PARAMETERS], w[POLHODE_ARM_CONTROL_LAW_WORK];
  double y[POLHODE_ARM_CONTROL_LAW_MEASURED], r[POLHODE_ARM_CONTROL_LAW_REFERENCE];
  double c[POLHODE_ARM_CONTROL_LAW_OUT_CONTROLS];
  const long calls = count > 1 ? atol(given[1]) : 1000;
  double least = 1e300;
  for (int k = 0; k < POLHODE_ARM_CONTROL_LAW_PARAMETERS; ++k)
    if (scanf("%lf", &p[k]) != 1) return 1;
  arm_control_law_setup(p, w);
  for (int k = 0; k < POLHODE_ARM_CONTROL_LAW_MEASURED; ++k) y[k] = 0.1 + 0.01 * k;
  for (int k = 0; k < POLHODE_ARM_CONTROL_LAW_REFERENCE; ++k) r[k] = 0.1;
  for (int pass = 0; pass < 20; ++pass) {
    const double start = now();
    for (long k = 0; k < calls; ++k) {
      arm_control_law(y, r, w, c);
      y[0] = 0.1 + 1e-20 * c[0];
    }
    const double each = (now() - start) / (double)calls;
    if (each < least) least = each;
  }
  printf("law %.1f\n", least);
  return 0;
}
