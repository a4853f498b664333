program double_pendulum_forward_dynamics_main
  use, intrinsic :: iso_fortran_env, only: real64
  use polhode_double_pendulum_forward_dynamics, only: double_pendulum_forward_dynamics_setup, double_pendulum_forward_dynamics
  implicit none
  real(real64) :: p(4)
  real(real64) :: w(7)
  real(real64) :: q(2)
  real(real64) :: u(2)
  real(real64) :: tau(2)
  real(real64) :: out_udot(2)
  real(real64) :: total
  integer :: i
  q(1) = 0.3125_real64
  q(2) = 0.375_real64
  u(1) = 0.4375_real64
  u(2) = 0.5_real64
  tau(1) = 0.5625_real64
  tau(2) = 0.625_real64
  p(1) = 0.6875_real64
  p(2) = 0.25_real64
  p(3) = 0.3125_real64
  p(4) = 0.375_real64
  call double_pendulum_forward_dynamics_setup(p, w)
  call double_pendulum_forward_dynamics(q, u, tau, w, out_udot)
  total = 0.0_real64
  do i = 1, 2
    total = total + out_udot(i) / real(i, real64)
  end do
  write (*, '(es25.17e3)') total
end program double_pendulum_forward_dynamics_main
