import numpy as np
import pytest
from scipy.linalg import eig
from tests.refusals import refused

import polhode as ph
from polhode.expr import Expr, directional, is_zero, substitute, symbol
from polhode.model.samples import elastic_arm
from polhode.model.samples.underactuated import (
    ball_and_beam,
    cart_pole,
    furuta_pendulum,
    planar_vtol,
    quadrotor,
    two_link_pendulum,
)

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
    assert len(solved) == len(found.manifold) and all(map(is_zero, substitute(list(found.manifold), solved)))
    assert all(map(is_zero, substitute(directional(list(found.manifold), moved), solved)))


def test_a_run_under_the_control_that_holds_the_output_follows_the_reduced_equations() -> None:
    s = cart_pole()
    found = s.derive().zero_dynamics(["x"])
    degree = found.degree
    s.joint_force("x", -s.inputs["F"].symbol - degree.drift[0] / degree.decoupling[0][0])
    run = s.derive().simulate(0.4, start={"theta": 0.1}, rtol=1e-10, atol=1e-12)
    assert np.abs(run["x"]).max() < 1e-8
    assert np.isclose(run["theta"][-1], 0.1 * np.cosh(np.sqrt(9.81 / 0.5) * 0.4), rtol=2e-2)


def test_outputs_are_held_and_damping_makes_them_minimum_phase_and_no_degree_leaves_no_zero_dynamics() -> None:
    found = ball_and_beam().derive().zero_dynamics(["theta"], at={"theta": 0.3})
    assert found.states == ["r", "r'"]
    assert "no equilibrium of the zero dynamics" in found.notices[0] and found.is_stable is None
    s = cart_pole()
    theta, rate = s.joints["theta"].q[0], s.joints["theta"].u[0]
    s.joint_force("theta", -3 * theta - rate)
    assert s.derive().zero_dynamics(["x"]).is_stable is True
    s = ph.System("two carts", gravity=(0, 0, 0))
    for name in "ab":
        s.joint(name, s.ground, s.body(name, 1), ph.Prismatic("x"))
    refused(r"no input ever reaches b", lambda: s.derive().zero_dynamics(["b"], ["a"]))
    refused(r"1 inputs are to hold 2 outputs", lambda: s.derive().zero_dynamics(["a", "b"], ["a"]))


def test_a_manifold_that_cannot_be_solved_is_told_and_has_eigenvalues() -> None:
    s = ph.System("top", gravity=(0, 0, -10))
    s.joint("b", s.ground, s.body("x", 1, com=(0, 0, -1), inertia=(1, 1, 1)), ph.Spherical())
    equations = s.derive()
    up = equations.pose("x").R
    found = equations.zero_dynamics([up[0][2], up[1][2]], ["b_wx", "b_wy"])
    assert found.size == 2 and not found.rates and len(found.eigenvalues) == 2
    assert "could not be solved" in found.notices[0]


POSITION = ["pose_x", "pose_y", "pose_z", "pose_a1"]


@pytest.mark.parametrize(
    ("system", "outputs"), [(furuta_pendulum, ["pendulum"]), (lambda: quadrotor(2), POSITION), (cart_pole, ["theta"])]
)
def test_the_decoupling_matrix_is_that_of_lie_derivatives_in_the_inputs(system: object, outputs: list[str]) -> None:
    """A and b come from another form of the equations, by feedback; here they are taken from the definition."""
    equations = system().derive()  # type: ignore[operator]
    found, form = equations.relative_degree(outputs), equations.control_affine()
    for i, (value, degree) in enumerate(zip(found.outputs.values(), found.degrees, strict=True)):
        last: Expr = value
        for _ in range((degree or 0) - 1):
            last = form.lie_derivative(last)
        assert list(found.decoupling[i]) == [form.lie_derivative(last, name) for name in form.inputs]
        assert found.drift[i] == form.lie_derivative(last)


def test_degrees_of_elastic_arms_and_of_a_speed() -> None:
    """A. De Luca, *Feedback linearization of robots with elastic joints*; Mladenova's reduced model (278)."""
    found = elastic_arm(coupling="reduced").derive().relative_degree([f"j{i}" for i in range(1, 7)])
    assert found.degrees == (4,) * 6 and found.exists and found.total == found.size == 24 and found.singular == ()
    found = elastic_arm(coupling="full").derive().relative_degree([f"j{i}" for i in range(1, 7)])
    assert not found.exists and str(found).startswith("no vector relative degree: inputs appear in the derivatives {2,")
    found = cart_pole().derive().relative_degree(["theta'"])
    assert found.degrees == (1,) and [str(each) for each in found.singular] == ["cos(theta)"]


def test_outputs_without_a_degree_are_reported_and_outputs_by_name_and_states_at_which_the_degree_is_lost() -> None:
    s = ph.System("two carts", gravity=(0, 0, 0))
    for name in "ab":
        s.joint(name, s.ground, s.body(name, 1), ph.Prismatic("x"))
    found = s.derive().relative_degree(["b"], ["a"])
    assert found.degrees == (None,) and not found.exists
    assert str(found) == "no relative degree: no input ever reaches b."
    equations = cart_pole().derive()
    refused(r"depends on tau_x, which is no part of the state", lambda: equations.relative_degree([equations.tau[0]]))
    refused("no input is named", lambda: cart_pole().derive().relative_degree(["x"], []))
    s = two_link_pendulum()
    equations = s.derive()
    q = equations.q
    found = equations.relative_degree({"end": ph.sin(q[0]) + ph.sin(q[0] + q[1]), "first": q[0]}, ["shoulder", "elbow"])
    assert [*found.outputs] == ["end", "first"] and found.degrees == (2, 2)
    assert [str(each) for each in found.singular] == ["cos(elbow + shoulder)"]
    found = two_link_pendulum().derive().relative_degree(["elbow"], ["shoulder", "elbow"])
    assert found.exists and str(found) == "relative degree 2 of 4 states."
    refused(r"1 outputs and 2 inputs have no determinant", lambda: found.determinant)
    found = cart_pole().derive().relative_degree(["theta"], at={"theta": ph.pi / 2})
    assert found.exists and found.exists_at is False
    assert str(found).endswith("none at the given state, where cos(theta) vanishes.")
    near = cart_pole().derive().relative_degree(["theta"], at={"theta": 1.5707963267948966})
    assert near.exists_at is False  # in numbers: no rational is a right angle


@pytest.mark.parametrize(("outputs", "said"), [
    (["y"], "there is no state 'y'"), ([], "no output is given"), (["x", "x"], "given twice"),
    (3.0, "not a list of outputs"), ([None], "not a number or an expression"),
])  # fmt: skip
def test_outputs_that_are_none_are_told(outputs: object, said: str) -> None:
    refused(said, lambda: cart_pole().derive().relative_degree(outputs))


def test_a_degree_is_lost_where_the_inputs_lose_their_hold() -> None:
    s = ph.System("crank drive", gravity=(0, 0, 0))
    slide = s.joint("x", s.ground, s.body("cart", 2), ph.Prismatic("x"))
    s.joint_force(slide, ph.sin(slide.q[0]) * s.input("F"))
    found = s.derive().relative_degree(["x"], at={})
    assert found.degrees == (2,) and [str(each) for each in found.singular] == ["sin(x)"] and not found.exists_at
    assert s.derive().relative_degree(["x"]).decoupling == found.decoupling
    assert [str(each) for each in s.derive().relative_degree(["x"]).singular] == ["sin(x)"]
    assert s.derive().controllability().verdict is None and s.derive().accessibility(at={}).at == 0
