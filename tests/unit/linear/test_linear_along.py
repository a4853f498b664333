"""Small motions about a motion."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from tests.refusals import refused

import polhode as ph
from polhode.linear.displacements import displacements
from polhode.linear.linear_rates import LinearMatrices, linear_rates, names_of_states


def swing() -> ph.Equations:
    s = ph.System("double pendulum", gravity=(0, 0, "-9.81"))
    s.joint("a", s.ground, s.body("upper", s.parameter("m", 1), com=(0, 0, -1)), ph.Revolute("y"))
    s.joint("b", "upper", s.body("lower", 1, com=(0, 0, -1)), ph.Revolute("y"), at=(0, 0, -1))
    return s.derive()


def test_between_samples_the_matrices_are_those_of_the_state_there() -> None:
    equations = swing()
    run = equations.simulate(
        1, start={"a": 1, "b": -0.4}, tau={"a": lambda t: np.sin(3 * t)}, samples=101, parameters={"m": 2}
    )
    tip = ph.sin(equations.q[0] + equations.q[1]) * equations.u[0] + 3 * equations.tau[1] * equations.q[0]
    along = equations.linearize_along(run, ["tau_b"], {"tip": tip})
    assert (along.A.shape, along.B.shape, along.inputs) == ((101, 4, 4), (101, 4, 1), ("tau_b",))
    at = run.at(0.4321)
    state = {"a": at["a"][0], "b": at["b"][0], "a'": at.u[0, 0], "b'": at.u[0, 1], "tau_a": at.effort("a")[0]}
    small = equations.linearize(state, parameters={"m": 2}).with_ports(["tau_b"], {"tip": tip})
    for letter, found in along.at(0.4321)._asdict().items():
        assert_allclose(found, small.numbers(letter), rtol=1e-9, atol=1e-9)
    assert along.outputs == ("tip",)
    assert_allclose(along.at([[0.1, 0.2], [0.3, 1.0]]).A[1, 1], along.A[-1], atol=1e-9)


def test_the_transition_matrix_is_the_sensitivity_to_the_start() -> None:
    equations = swing()
    start, speeds = {"a": 1.0, "b": -0.4}, {"b": 2.0}
    exact = equations.sensitivities(1, ["a", "b", "a'", "b'"], start=start, speeds=speeds, rtol=1e-11, atol=1e-11)
    run = equations.simulate(1, start=start, speeds=speeds, samples=401, rtol=1e-11, atol=1e-11)
    Phi = equations.linearize_along(run).transition()
    assert Phi[0].tolist() == np.eye(4).tolist()
    assert_allclose(Phi[-1], np.vstack([exact.dq[-1], exact.du[-1]]), rtol=1e-7, atol=1e-7)


def linkage() -> ph.System:
    s = ph.System("slider on a rod", gravity=(0, 0, -10))
    a = s.joint("a", s.ground, s.body("disc", 1, com=(0.2, 0, 0), inertia=(1, 1, 1)), ph.Revolute("y"))
    x = s.joint("x", s.ground, s.body("block", 1), ph.Prismatic("x"))
    s.constrain((x.q[0] - ph.cos(a.q[0])) ** 2 + ph.sin(a.q[0]) ** 2 - 4, "rod")
    return s


def test_with_constraints_the_states_are_independent_ones() -> None:
    equations = linkage().derive()
    run = equations.simulate(0.5, start=equations.assemble({"a": 0.7, "x": 2.5}).q, speeds={"a": 0.0}, samples=21)
    along = equations.linearize_along(run)
    assert along.C[3].tolist() == np.eye(2).tolist()
    state = dict(zip(run.coordinates, run.q[-1], strict=True))
    state |= {f"d({name})": value for name, value in zip(run.speeds, run.u[-1], strict=True)}
    small = linkage().derive(independent=[along.states[0]], near={"a": 0.7, "x": 2.5})
    own = {name: value for name, value in state.items() if name[:2] != "d(" or name[2:-1] == along.states[0]}
    about = small.linearize(own)
    assert_allclose(along.A[-1], about.state_space()[0], rtol=1e-7, atol=1e-7)
    seen = {"x": equations.q[1], "rate": equations.u[1]}  # dependent ones, or not
    found = equations.linearize_along(run, outputs=seen)
    assert_allclose(found.C[-1], about.with_ports(outputs=seen).numbers("C"), rtol=1e-7, atol=1e-7)


def test_what_cannot_be_gets_a_sentence_and_inputs_that_python_gave_are_told_to_be_lines_between_samples() -> None:
    equations = swing()
    run = equations.simulate(1, samples=3)
    refused("the trajectory goes from 0 s to 1 s", lambda: equations.linearize_along(run).at(1.5))
    refused("is not a Trajectory", lambda: equations.linearize_along(3))  # type: ignore[arg-type] # that is the fault
    refused("there is no input 'tau_c'", lambda: equations.linearize_along(run, ["tau_c"]))
    refused("the output 'y' depends on w", lambda: equations.linearize_along(run, outputs={"y": ph.symbol("w")}))
    with pytest.raises(ph.PolhodeError, match="the trajectory is of another mechanism"):
        equations.linearize_along(linkage().derive().simulate(0.0, start={"a": 0.0, "x": 3.0}))
    turned = linkage().derive(independent=["x"], near={"a": 0.7, "x": 2.5})
    dead = linkage().derive().simulate(0.0, start={"a": 0.0, "x": 3.0})
    refused("the other speeds do not follow from x", lambda: turned.linearize_along(dead))
    s = ph.System("pushed", gravity=(0, 0, 0))
    x = s.joint("x", s.ground, s.body("mass", 3), ph.Prismatic("x"))
    s.joint_force(x, s.input("c") * x.q[0])
    equations = s.derive()
    run = equations.simulate(0.2, start={"x": 1}, samples=5, inputs={"c": lambda t: 3.0 * t})
    assert "lines between the samples" in equations.linearize_along(run).notices[0]
    assert not equations.linearize_along(equations.simulate(0.2, start={"x": 1}, samples=5)).notices


def craft() -> ph.Equations:
    """A ball joint by a quaternion, an arm behind it, an input and a first-order state."""
    s = ph.System("craft", gravity=(0, 0, "-9.81"))
    s.joint("ball", s.ground, s.body("hull", 2, com=(0.1, 0, -1), inertia=(1, 2, 3)), ph.Spherical())
    arm = s.joint("arm", "hull", s.body("arm", 1, com=(0, 0, 1)), ph.Universal())
    push = s.input("push", 0.5)
    lag = s.state("lag", rate=lambda lag: push - 3 * lag + arm.q[0])
    s.joint_force(arm, lag * ph.cos(arm.q[1]))
    return s.derive()


def test_at_any_state_the_matrices_are_those_of_linearize_and_multipliers_have_no_independent_states() -> None:
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
        assert names_of_states(equations.record, displacements(equations.record)) == tuple(small.states)
        assert_allclose(A[k], small.numbers("A"), rtol=1e-10, atol=1e-10)
        assert_allclose(B[k], small.numbers("B"), rtol=1e-10, atol=1e-10)
    s = ph.System("slider on a rod", gravity=(0, 0, -10))
    a = s.joint("a", s.ground, s.body("disc", 1, inertia=(1, 1, 1)), ph.Revolute("y"))
    x = s.joint("x", s.ground, s.body("block", 1), ph.Prismatic("x"))
    s.constrain((x.q[0] - ph.cos(a.q[0])) ** 2 + ph.sin(a.q[0]) ** 2 - 4, "rod")
    refused("equations with multipliers have no independent states", lambda: linear_rates(s.derive().record, {}))
