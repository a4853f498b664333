/* A plain loop in C that stays in registers: what two cores give to two copies of it is what they can give at all. */
#include <stdio.h>
#include <stdlib.h>

int main(int count, char **given) {
  const long rounds = count > 1 ? atol(given[1]) : 1;
  double x = 0.5, y = 0.25;
  for (long k = 0; k < rounds; ++k) {
    const double z = x - 0.001 * y;
    y = y + 0.001 * z;
    x = z;
  }
  printf("%g\n", x + y);
  return 0;
}
