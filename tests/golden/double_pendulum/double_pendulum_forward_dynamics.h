#ifndef POLHODE_DOUBLE_PENDULUM_FORWARD_DYNAMICS_H
#define POLHODE_DOUBLE_PENDULUM_FORWARD_DYNAMICS_H
#define POLHODE_DOUBLE_PENDULUM_FORWARD_DYNAMICS_PARAMETERS 4
#define POLHODE_DOUBLE_PENDULUM_FORWARD_DYNAMICS_WORK 7
#define POLHODE_DOUBLE_PENDULUM_FORWARD_DYNAMICS_Q 2
#define POLHODE_DOUBLE_PENDULUM_FORWARD_DYNAMICS_U 2
#define POLHODE_DOUBLE_PENDULUM_FORWARD_DYNAMICS_TAU 2
#define POLHODE_DOUBLE_PENDULUM_FORWARD_DYNAMICS_OUT_UDOT 2
#ifdef __cplusplus
extern "C" {
#endif
void double_pendulum_forward_dynamics_setup(const double *p, double *w);
void double_pendulum_forward_dynamics(const double *q, const double *u, const double *tau, const double *w, double *out_udot);
#ifdef __cplusplus
}
#endif
#endif
