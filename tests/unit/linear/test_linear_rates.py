"""A and B as graphs of the state."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

import polhode as ph
from polhode.linear.displacements import displacements
from polhode.linear.linear_matrices import LinearMatrices
from polhode.linear.linear_rates import linear_rates, state_names


def craft() -> ph.Equations:
    """A ball joint by a quaternion, an arm behind it, an input and a state without mass."""
    s = ph.System("craft", gravity=(0, 0, "-9.81"))
    s.joint("ball", s.ground, s.body("hull", 2, com=(0.1, 0, -1), inertia=(1, 2, 3)), ph.Spherical())
    arm = s.joint("arm", "hull", s.body("arm", 1, com=(0, 0, 1)), ph.Universal())
    push = s.input("push", 0.5)
    lag = s.state("lag", rate=lambda lag: push - 3 * lag + arm.q[0])
    s.joint_force(arm, lag * ph.cos(arm.q[1]))
    return s.derive()


def test_at_any_state_the_matrices_are_those_of_linearize() -> None:
    equations = craft()
    dice = np.random.default_rng(3)
    q, u = dice.normal(size=(4, len(equations.q))), dice.normal(size=(4, len(equations.u)))
    q[:, :4] /= np.linalg.norm(q[:, :4], axis=1)[:, None]
    tau = dice.normal(size=(4, len(equations.tau)))
    asked = LinearMatrices(("push", "tau_arm_1"))
    A, B, _, _ = equations.compile().evaluate(asked, q, u, tau, z=np.full((4, 1), 0.3), inputs=[0.7])
    for k in range(4):
        at = dict(zip(equations.coordinates, q[k], strict=True)) | {"lag": 0.3, "push": 0.7}
        at |= {f"d({name})": value for name, value in zip(equations.speeds, u[k], strict=True)}
        at |= {f"tau({name})": value for name, value in zip(equations.speeds, tau[k], strict=True)}
        small = equations.linearize(at).with_ports(["push", "tau_arm_1"])
        assert state_names(equations.record, displacements(equations.record)) == tuple(small.states)
        assert_allclose(A[k], small.numbers("A"), rtol=1e-10, atol=1e-10)
        assert_allclose(B[k], small.numbers("B"), rtol=1e-10, atol=1e-10)


def test_multipliers_have_no_independent_states() -> None:
    s = ph.System("slider on a rod", gravity=(0, 0, -10))
    a = s.joint("a", s.ground, s.body("disc", 1, inertia=(1, 1, 1)), ph.Revolute("y"))
    x = s.joint("x", s.ground, s.body("block", 1), ph.Prismatic("x"))
    s.constrain((x.q[0] - ph.cos(a.q[0])) ** 2 + ph.sin(a.q[0]) ** 2 - 4, "rod")
    with pytest.raises(ph.PolhodeError, match="equations with multipliers have no independent states"):
        linear_rates(s.derive().record, {})
