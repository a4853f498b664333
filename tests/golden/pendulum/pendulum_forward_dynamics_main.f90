program pendulum_forward_dynamics_main
  use, intrinsic :: iso_fortran_env, only: real64
  use polhode_pendulum_forward_dynamics, only: pendulum_forward_dynamics_setup, pendulum_forward_dynamics
  implicit none
  real(real64) :: p(3)
  real(real64) :: w(3)
  real(real64) :: q(1)
  real(real64) :: u(1)
  real(real64) :: tau(1)
  real(real64) :: inputs(1)
  real(real64) :: out_udot(1)
  real(real64) :: total
  integer :: i
  q(1) = 0.3125_real64
  u(1) = 0.375_real64
  tau(1) = 0.4375_real64
  inputs(1) = 0.5_real64
  p(1) = 0.5625_real64
  p(2) = 0.625_real64
  p(3) = 0.6875_real64
  call pendulum_forward_dynamics_setup(p, w)
  call pendulum_forward_dynamics(q, u, tau, inputs, w, out_udot)
  total = 0.0_real64
  do i = 1, 1
    total = total + out_udot(i) / real(i, real64)
  end do
  write (*, '(es25.17e3)') total
end program pendulum_forward_dynamics_main
