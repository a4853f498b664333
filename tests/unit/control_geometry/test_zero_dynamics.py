from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import eig

import polhode as ph
from polhode.expr import directional, is_zero, substitute, symbol
from polhode.model.samples.underactuated import ball_and_beam, cart_pole, furuta_pendulum, planar_vtol

TURN = symbol("theta", "coordinate")


@pytest.mark.parametrize(
    ("system", "outputs"), [(cart_pole, ["x"]), (furuta_pendulum, ["arm"]), (planar_vtol, ["x", "y"])]
)
def test_eigenvalues_are_the_transmission_zeros_of_the_linear_equations(system: object, outputs: list[str]) -> None:
    equations = system().derive()  # type: ignore[operator]
    found = equations.zero_dynamics(outputs)
    linear = equations.linearize().with_ports(None, outputs)
    A, B, C, D = (linear.numbers(letter) for letter in "ABCD")
    zeros, _ = eig(np.block([[A, B], [C, D]]), np.diag([1.0] * len(A) + [0.0] * len(outputs)), homogeneous_eigvals=True)
    finite = zeros[0, np.abs(zeros[1]) > 1e-6] / zeros[1, np.abs(zeros[1]) > 1e-6]
    assert np.allclose(np.sort(finite.real), np.sort(found.eigenvalues.real), atol=1e-5)


@pytest.mark.parametrize(
    ("system", "outputs"), [(planar_vtol, ["x", "y"]), (cart_pole, [symbol("x", "coordinate") - 2 * TURN])]
)
def test_the_reduced_field_stays_on_the_manifold(system: object, outputs: list[object]) -> None:
    found = system().derive().zero_dynamics(outputs)  # type: ignore[operator]
    form = found.degree.plant
    moved = dict(zip(form.variables, found.drift, strict=True))
    solved = {x: found.solved[str(x)] for x in form.variables if str(x) in found.solved}
    assert len(solved) == len(found.manifold)
    assert all(map(is_zero, substitute(list(found.manifold), solved)))
    assert all(map(is_zero, substitute(directional(list(found.manifold), moved), solved)))


def test_a_run_under_the_control_that_holds_the_output_follows_the_reduced_equations() -> None:
    s = cart_pole()
    found = s.derive().zero_dynamics(["x"])
    degree = found.degree
    s.joint_force("x", -s.inputs["F"].symbol - degree.drift[0] / degree.decoupling[0][0])
    run = s.derive().simulate(0.4, start={"theta": 0.1}, rtol=1e-10, atol=1e-12)
    assert np.abs(run["x"]).max() < 1e-8
    assert np.isclose(run["theta"][-1], 0.1 * np.cosh(np.sqrt(9.81 / 0.5) * 0.4), rtol=2e-2)


def test_outputs_are_held_where_a_state_has_them() -> None:
    found = ball_and_beam().derive().zero_dynamics(["theta"], at={"theta": 0.3})
    assert found.states == ["r", "r'"]
    assert "no equilibrium of the zero dynamics" in found.notices[0] and found.is_stable is None


def test_no_degree_leaves_no_zero_dynamics() -> None:
    s = ph.System("two carts", gravity=(0, 0, 0))
    for name in "ab":
        s.joint(name, s.ground, s.body(name, 1), ph.Prismatic("x"))
    with pytest.raises(ph.PolhodeError, match=r"no input ever reaches b"):
        s.derive().zero_dynamics(["b"], ["a"])
    with pytest.raises(ph.PolhodeError, match=r"1 inputs are to hold 2 outputs"):
        s.derive().zero_dynamics(["a", "b"], ["a"])


def test_damping_that_is_left_makes_it_minimum_phase() -> None:
    s = cart_pole()
    theta, rate = s.joints["theta"].q[0], s.joints["theta"].u[0]
    s.joint_force("theta", -3 * theta - rate)
    assert s.derive().zero_dynamics(["x"]).is_stable is True


def test_a_manifold_that_cannot_be_solved_is_told_and_has_eigenvalues() -> None:
    s = ph.System("top", gravity=(0, 0, -10))
    s.joint("b", s.ground, s.body("x", 1, com=(0, 0, -1), inertia=(1, 1, 1)), ph.Spherical())
    equations = s.derive()
    up = equations.pose("x").R
    found = equations.zero_dynamics([up[0][2], up[1][2]], ["b_wx", "b_wy"])
    assert found.size == 2 and not found.rates and len(found.eigenvalues) == 2
    assert "could not be solved" in found.notices[0]
