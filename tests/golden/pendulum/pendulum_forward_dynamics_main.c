#include <stdio.h>
#include "pendulum_forward_dynamics.h"
int main(void) {
  double sum = 0.0;
  double p[3] = {0.0};
  double w[3] = {0.0};
  double q[1] = {0.0};
  double u[1] = {0.0};
  double tau[1] = {0.0};
  double inputs[1] = {0.0};
  double out_udot[1] = {0.0};
  q[0] = 0.3125;
  u[0] = 0.375;
  tau[0] = 0.4375;
  inputs[0] = 0.5;
  p[0] = 0.5625;
  p[1] = 0.625;
  p[2] = 0.6875;
  pendulum_forward_dynamics_setup(p, w);
  pendulum_forward_dynamics(q, u, tau, inputs, w, out_udot);
  for (int i = 0; i < 1; ++i) sum += out_udot[i] / (1.0 + i);
  printf("%.17g\n", sum);
  return 0;
}
