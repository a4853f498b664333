"""Estimates of base parameters, where masses are numbers."""

import pytest

import polhode as ph
from polhode.control import Adaptive
from polhode.expr import free_symbols, is_zero, substitute


def arm(damping: int = 3) -> ph.Equations:
    s = ph.System("arm", gravity=(0, "-9.81", 0))
    upper = s.body("upper", 2, com=("0.4", 0, 0), inertia=("0.1", "0.1", "0.1"))
    fore = s.body("fore", 1, com=("0.25", "0.05", 0), inertia=("0.1", "0.1", "0.1"))
    shoulder = s.joint("q1", s.ground, upper, ph.Revolute("z"))
    s.joint("q2", upper, fore, ph.Revolute("z"), at=("0.8", 0, 0))
    s.joint_force(shoulder, -damping * shoulder.u[0])
    return s.derive()


def test_base_parameters_are_estimated_with_a_proof() -> None:
    c = Adaptive(arm(), kd=5, lambda_=3, gamma=2, estimates={"mcx_fore": 1, "Izz_fore": 1, "viscous_q1": 1})
    assert c.lyapunov.proved
    e = arm()
    c = Adaptive(e, kd=5, lambda_=3, gamma=2, estimates={"mcx_fore": 1, "viscous_q1": 1})
    known = ph.control.PassivityBased(e, kd=5, lambda_=3).law
    right = {ph.symbol("estimate_mcx_fore", "state"): "1/4", ph.symbol("estimate_viscous_q1", "state"): 3}
    made = c.law.with_values(right)
    assert all(is_zero(made.controls[tau] - known.controls[tau]) for tau in known.controls)
    # Efforts on another arm are the same with the same estimates: nothing of the true value is left in them.
    laws = [Adaptive(arm(b), kd=5, lambda_=3, gamma=2, estimates={"viscous_q1": 1}).law for b in (3, 7)]
    one, two = (list(law.controls.values()) for law in laws)
    assert all(is_zero(a - b) for a, b in zip(one, two, strict=True))


def test_estimates_start_where_they_are_told_and_parameters_leave_the_law() -> None:
    s = ph.System("slider")
    m = s.parameter("m", 2)
    s.joint("x", s.ground, s.body("block", m), ph.Prismatic("z"), speeds=["w"])
    c = Adaptive(s.derive(), kd=5, lambda_=3, gamma=2, estimates={"m": 1.5})
    (state,) = c.law.states
    assert float(state.start) == 1.5 and m not in free_symbols(c.law.expressions)
    (control,) = substitute(list(c.law.controls.values()), {c.equations.u[0]: 0, c.equations.q[0]: 0})
    assert state.symbol in free_symbols([control])


def test_quasi_velocities_and_parameters_without_effect_are_refused() -> None:
    s = ph.System("body")
    s.joint("j", s.ground, s.body("b", 2, com=(1, 2, 3), inertia=(30, 31, 32)), ph.Spherical())
    with pytest.raises(ph.PolhodeError, match="every speed is the rate of a coordinate"):
        Adaptive(s.derive(), kd=5, lambda_=3, gamma=2, estimates={"Izz_b": 1})
    s = ph.System("slider")
    s.parameter("idle", 1)
    s.joint("x", s.ground, s.body("block", 2), ph.Prismatic("x"))
    with pytest.raises(ph.PolhodeError, match="the efforts do not depend on 'idle'"):
        Adaptive(s.derive(), kd=5, lambda_=3, gamma=2, estimates={"idle": 1})
