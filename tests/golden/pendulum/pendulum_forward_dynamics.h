#ifndef POLHODE_PENDULUM_FORWARD_DYNAMICS_H
#define POLHODE_PENDULUM_FORWARD_DYNAMICS_H
#define POLHODE_PENDULUM_FORWARD_DYNAMICS_PARAMETERS 3
#define POLHODE_PENDULUM_FORWARD_DYNAMICS_WORK 3
#define POLHODE_PENDULUM_FORWARD_DYNAMICS_Q 1
#define POLHODE_PENDULUM_FORWARD_DYNAMICS_U 1
#define POLHODE_PENDULUM_FORWARD_DYNAMICS_TAU 1
#define POLHODE_PENDULUM_FORWARD_DYNAMICS_INPUTS 1
#define POLHODE_PENDULUM_FORWARD_DYNAMICS_OUT_UDOT 1
#ifdef __cplusplus
extern "C" {
#endif
void pendulum_forward_dynamics_setup(const double *p, double *w);
void pendulum_forward_dynamics(const double *q, const double *u, const double *tau, const double *inputs, const double *w, double *out_udot);
#ifdef __cplusplus
}
#endif
#endif
