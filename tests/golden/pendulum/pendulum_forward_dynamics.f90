module polhode_pendulum_forward_dynamics
  use, intrinsic :: iso_fortran_env, only: real64
  implicit none
  private
  public :: pendulum_forward_dynamics_setup, pendulum_forward_dynamics
contains
  pure subroutine pendulum_forward_dynamics_setup(p, w)
    real(real64), intent(in) :: p(3)
    real(real64), intent(out) :: w(3)
    real(real64) :: v0, v6, v7, v8, v9, v10, v11
    v0 = 1.0_real64
    v6 = p(1)
    v7 = p(2)
    v8 = p(3)
    v9 = v7 * v6
    v10 = v7 * v9
    v11 = v0 / v10
    w(1) = v8
    w(2) = v9
    w(3) = v11
  end subroutine pendulum_forward_dynamics_setup
  pure subroutine pendulum_forward_dynamics(q, u, tau, inputs, w, out_udot)
    real(real64), intent(in) :: q(1)
    real(real64), intent(in) :: u(1)
    real(real64), intent(in) :: tau(1)
    real(real64), intent(in) :: inputs(1)
    real(real64), intent(in) :: w(3)
    real(real64), intent(out) :: out_udot(1)
    real(real64) :: v1, v2, v3, v4, v5, v8, v9, v11, v12, v13, v14, v15
    real(real64) :: v16, v17, v18, v19
    v1 = 9.81_real64
    v2 = q(1)
    v3 = u(1)
    v4 = tau(1)
    v5 = inputs(1)
    v8 = w(1)
    v9 = w(2)
    v11 = w(3)
    v12 = v3 * v8
    v13 = v5 - v12
    v14 = v13 + v4
    v15 = sin(v2)
    v16 = v1 * v15
    v17 = v16 * v9
    v18 = v14 - v17
    v19 = v11 * v18
    out_udot(1) = v19
  end subroutine pendulum_forward_dynamics
end module polhode_pendulum_forward_dynamics
