#include <math.h>
#include "pendulum_forward_dynamics.h"
void pendulum_forward_dynamics_setup(const double *p, double *w) {
  const double v0 = 1.0;
  const double v6 = p[0];
  const double v7 = p[1];
  const double v8 = p[2];
  const double v9 = v7 * v6;
  const double v10 = v7 * v9;
  const double v11 = v0 / v10;
  w[0] = v8;
  w[1] = v9;
  w[2] = v11;
}
void pendulum_forward_dynamics(const double *q, const double *u, const double *tau, const double *inputs, const double *w, double *out_udot) {
  const double v1 = 9.81;
  const double v2 = q[0];
  const double v3 = u[0];
  const double v4 = tau[0];
  const double v5 = inputs[0];
  const double v8 = w[0];
  const double v9 = w[1];
  const double v11 = w[2];
  const double v12 = v3 * v8;
  const double v13 = v5 - v12;
  const double v14 = v13 + v4;
  const double v15 = sin(v2);
  const double v16 = v1 * v15;
  const double v17 = v16 * v9;
  const double v18 = v14 - v17;
  const double v19 = v11 * v18;
  out_udot[0] = v19;
}
