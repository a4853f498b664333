module polhode_double_pendulum_forward_dynamics
  use, intrinsic :: iso_fortran_env, only: real64
  implicit none
  private
  public :: double_pendulum_forward_dynamics_setup, double_pendulum_forward_dynamics
contains
  pure subroutine double_pendulum_forward_dynamics_setup(p, w)
    real(real64), intent(in) :: p(4)
    real(real64), intent(out) :: w(7)
    real(real64) :: v0, v2, v3, v10, v11, v12, v13, v14, v15, v16, v17, v18
    real(real64) :: v19, v20, v21, v22, v23, v24, v25, v26, v27, v28, v29, v30
    real(real64) :: v31, v32, v33
    v0 = 0.5_real64
    v2 = 0.08333333333333333_real64
    v3 = 1.0_real64
    v10 = p(1)
    v11 = p(2)
    v12 = p(3)
    v13 = p(4)
    v14 = v11 * v12
    v15 = v0 * v12
    v16 = v10 * v15
    v17 = v14 + v16
    v18 = v0 * v13
    v19 = v11 * v18
    v20 = v19 * v18
    v21 = v13 * v13
    v22 = v21 * v11
    v23 = v2 * v22
    v24 = v20 + v23
    v25 = v3 / v24
    v26 = v12 * v19
    v27 = v12 * v12
    v28 = v10 * v27
    v29 = v2 * v28
    v30 = v15 * v16
    v31 = v29 + v30
    v32 = v14 * v12
    v33 = v31 + v32
    w(1) = v12
    w(2) = v17
    w(3) = v19
    w(4) = v24
    w(5) = v25
    w(6) = v26
    w(7) = v33
  end subroutine double_pendulum_forward_dynamics_setup
  pure subroutine double_pendulum_forward_dynamics(q, u, tau, w, out_udot)
    real(real64), intent(in) :: q(2)
    real(real64), intent(in) :: u(2)
    real(real64), intent(in) :: tau(2)
    real(real64), intent(in) :: w(7)
    real(real64), intent(out) :: out_udot(2)
    real(real64) :: v1, v3, v4, v5, v6, v7, v8, v9, v12, v17, v19, v24
    real(real64) :: v25, v26, v33, v34, v35, v36, v37, v38, v39, v40, v41, v42
    real(real64) :: v43, v44, v45, v46, v47, v48, v49, v50, v51, v52, v53, v54
    real(real64) :: v55, v56, v57, v58, v59, v60, v61, v62, v63, v64, v65, v66
    real(real64) :: v67, v68, v69, v70
    v1 = 9.81_real64
    v3 = 1.0_real64
    v4 = q(1)
    v5 = q(2)
    v6 = u(1)
    v7 = u(2)
    v8 = tau(1)
    v9 = tau(2)
    v12 = w(1)
    v17 = w(2)
    v19 = w(3)
    v24 = w(4)
    v25 = w(5)
    v26 = w(6)
    v33 = w(7)
    v34 = sin(v4)
    v35 = v1 * v34
    v36 = v17 * v35
    v37 = v6 * v6
    v38 = v37 * v12
    v39 = cos(v4)
    v40 = v1 * v39
    v41 = v38 + v40
    v42 = sin(v5)
    v43 = v41 * v42
    v44 = cos(v5)
    v45 = v44 * v35
    v46 = v43 + v45
    v47 = v46 * v19
    v48 = v36 + v47
    v49 = v9 - v47
    v50 = v26 * v44
    v51 = v24 + v50
    v52 = v25 * v51
    v53 = v52 * v49
    v54 = v25 * v49
    v55 = v52 * v51
    v56 = v33 + v51
    v57 = v50 + v56
    v58 = v57 - v55
    v59 = v3 / v58
    v60 = v6 + v7
    v61 = v60 * v60
    v62 = v61 * v19
    v63 = v62 * v42
    v64 = v63 * v12
    v65 = v48 - v64
    v66 = v8 - v65
    v67 = v66 - v53
    v68 = v67 * v59
    v69 = v52 * v68
    v70 = v54 - v69
    out_udot(1) = v68
    out_udot(2) = v70
  end subroutine double_pendulum_forward_dynamics
end module polhode_double_pendulum_forward_dynamics
