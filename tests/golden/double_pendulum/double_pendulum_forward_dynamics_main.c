#include <stdio.h>
#include "double_pendulum_forward_dynamics.h"
int main(void) {
  double sum = 0.0;
  double p[4] = {0.0};
  double w[7] = {0.0};
  double q[2] = {0.0};
  double u[2] = {0.0};
  double tau[2] = {0.0};
  double out_udot[2] = {0.0};
  q[0] = 0.3125;
  q[1] = 0.375;
  u[0] = 0.4375;
  u[1] = 0.5;
  tau[0] = 0.5625;
  tau[1] = 0.625;
  p[0] = 0.6875;
  p[1] = 0.25;
  p[2] = 0.3125;
  p[3] = 0.375;
  double_pendulum_forward_dynamics_setup(p, w);
  double_pendulum_forward_dynamics(q, u, tau, w, out_udot);
  for (int i = 0; i < 2; ++i) sum += out_udot[i] / (1.0 + i);
  printf("%.17g\n", sum);
  return 0;
}
