"""Small motions: against closed forms, finite differences, and other ways to describe the same mechanism."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from tests.refusals import refused

import polhode as ph
from polhode.expr import evaluate

G = 9.81


def pendulum() -> ph.System:
    s = ph.System("pendulum", gravity=(0, 0, "-9.81"))
    m, l = s.parameter("m", 2), s.parameter("l", 0.5)
    s.joint("hinge", s.ground, s.body("bob", m, com=(0, 0, -l)), ph.Revolute("y"))
    return s


def test_a_pendulum_swings_below_and_falls_above_and_an_effort_that_holds_is_part_of_the_state() -> None:
    made = pendulum().derive()
    rate = np.sqrt(G / 0.5)
    assert_allclose(sorted(made.linearize().eigenvalues().imag), [-rate, rate], rtol=1e-14)
    assert_allclose(made.linearize({"hinge": ph.pi}).eigenvalues().real, [rate, -rate], rtol=1e-14)
    assert_allclose(made.linearize().eigenvalues({"l": 2}).imag.max(), np.sqrt(G / 2), rtol=1e-14)
    s = pendulum()
    m, l = (s.parameters[name].symbol for name in "ml")
    made = s.derive()
    assert any(made.linearize({"hinge": 1}).residual)
    held = made.linearize({"hinge": 1, "tau(hinge)": m * l * ph.sin(1) * 9.81})
    assert not any(held.residual) and held.second_order.K[0][0] == m * l * 9.81 * ph.cos(1)


def test_an_accelerated_reference_is_a_tilted_gravity() -> None:
    s = ph.System("cart", gravity=(0, 0, "-9.81"))
    a = s.parameter("a", 3)
    s.joint("rail", s.ground, s.body("cart", 1), ph.Prismatic("x"))
    s.joint("hinge", "cart", s.body("bob", 1, com=(0, 0, -1)), ph.Revolute("y"))
    s.joint_force("rail", -1000 * (s.joints["rail"].u[0] - a * s.time))  # as good as prescribed
    made = s.derive()
    lean = ph.atan2(a, 9.81)
    linear = made.linearize({"hinge": lean}, accelerations={"rail": a})
    assert linear.second_order.numbers("K")[1, 1] == pytest.approx(np.hypot(G, 3), rel=1e-14)
    assert evaluate([linear.residual[1]], {a: 3.0})[0] == pytest.approx(0, abs=1e-14)


def differences(equations: ph.Equations, q: np.ndarray, u: np.ndarray, step: float = 1e-6) -> np.ndarray:
    """∂u̇/∂(π, u) by central differences of the compiled accelerations, along q̇ = Γ."""
    functions = equations.compile()
    tau = np.zeros(len(equations.tau))
    gamma = np.array(
        [evaluate(list(row), dict(zip(equations.q, q, strict=True))) for row in equations.kinematic_matrix]
    )
    columns = []
    for direction in gamma.T:
        ends = [functions.forward_dynamics(q + sign * step * direction, u, tau) for sign in (1, -1)]
        columns.append((ends[0] - ends[1]) / (2 * step))
    for direction in np.eye(len(u)):
        ends = [functions.forward_dynamics(q, u + sign * step * direction, tau) for sign in (1, -1)]
        columns.append((ends[0] - ends[1]) / (2 * step))
    return np.array(columns).T


@pytest.mark.parametrize("storage", ["quaternion", "vector"])
def test_how_orientation_is_stored_does_not_change_eigenvalues(storage: str) -> None:
    def hanging(joint: ph.System) -> np.ndarray:
        return np.sort_complex(joint.derive().linearize().eigenvalues())

    def top(kind: object) -> ph.System:
        s = ph.System("top", gravity=(0, 0, "-9.81"))
        s.joint("ball", s.ground, s.body("top", 2, com=(0, 0, -1), inertia=(0.3, 0.4, 0.5)), kind)
        return s

    angles = ph.Compound(*(ph.Revolute(axis) for axis in "xyz"))
    assert_allclose(hanging(top(ph.Spherical(storage))), hanging(top(angles)), atol=1e-7)


def test_mechanisms_that_cannot_move_have_no_modes() -> None:
    s = ph.System("stone")
    s.joint("glue", s.ground, s.body("stone", 1), ph.Fixed())
    linear = s.derive().linearize()
    assert len(linear.eigenvalues()) == 0
    s = pendulum()
    s.constrain_speed(s.joints["hinge"].u[0] - 1, "clock")
    refused("leave no speed free", lambda: s.derive().linearize(), code="E-LINEAR-SINGULAR")


@pytest.mark.parametrize(("at", "accelerations", "cure"), [
    ({"hing": 0}, {}, "hinge"), ({"d(hing)": 0}, {}, "hinge"), ({}, {"hinges": 1}, "hinge"),
])  # fmt: skip
def test_an_unknown_name_is_told_with_the_nearest(at: dict, accelerations: dict, cure: str) -> None:
    refused(f"Did you mean '{cure}'", lambda: pendulum().derive().linearize(at, accelerations), code="E-LINEAR-NAME")


def test_an_unknown_parameter_is_told_and_a_state_is_given_as_it_is_printed() -> None:
    with pytest.raises(ph.PolhodeError, match="no parameter 'length'") as caught:
        pendulum().derive().linearize().eigenvalues({"length": 2})
    assert caught.value.problems[0].code == "E-LINEAR-NAME"
    s = ph.System("pendulum", gravity=(0, 0, "-9.81"))
    s.joint("h", s.ground, s.body("bob", 1, com=(0, 0, -1)), ph.Revolute("y"))
    e = s.derive()
    named = e.linearize({"h": 1}, {"h": 5}, speeds={"h": 2}, tau={"h": 3})
    for at, others in (
        ({"h": 1, "h'": 2, "tau_h": 3}, {}),
        ({"h": 1, "d(h)": 2, "tau(h)": 3}, {}),
        ({"h": 1}, {"speeds": {"h'": 2}, "tau": {"tau_h": 3}}),
    ):
        printed = e.linearize(at, {"h''": 5}, **others)
        assert printed.residual == named.residual and printed.accelerations == named.accelerations
    refused("Did you mean 'tau_h'", lambda: e.linearize({"tau_hh": 1}))
    refused("Known: h, h', tau_h", lambda: e.linearize({"zzzzz": 1}))


def shaken(height):
    """A pendulum on a support that is moved up and down."""
    s = ph.System("shaken pendulum")
    support = s.body("support", 0)
    s.joint("y", s.ground, support, ph.Prismatic("z"))
    s.joint("theta", support, s.body("bob", 1, com=(0, 0, "-0.5")), ph.Revolute("y"))
    s.prescribe("y", height(s.time))
    return s.derive()


def test_matrices_that_change_with_time_are_reported(recwarn) -> None:
    with pytest.warns(UserWarning, match="W-LINEAR-DEPENDENCE"):
        linear = shaken(lambda t: ph.cos(60 * t) / 20).linearize({"theta": ph.pi})
    assert any("change with time" in each for each in linear.notices)
    s = ph.System("pushed")
    hinge = s.joint("q", s.ground, s.body("bob", 1, com=(0, 0, -1)), ph.Revolute("y"))
    s.joint_force(hinge, ph.sin(s.time))
    assert s.derive().linearize().notices == ("What drives the mechanism changes with time, and is that of t = 0.",)
    assert shaken(lambda t: t / 10).linearize().notices == ()
    assert not [each for each in recwarn if "W-LINEAR" in str(each.message)]


def test_the_angle_of_a_turntable_is_left_out() -> None:
    s = ph.System("cart on a turntable", gravity=(0, 0, -10))
    s.joint("a", s.ground, s.body("table", 1, inertia=(1, 1, 1)), ph.Revolute("z"))
    s.joint("x", "table", s.body("slide", 1), ph.Prismatic("x"))
    hinge = s.joint("b", "slide", s.body("bob", 1, com=(0, 0, -1)), ph.Revolute("y"))
    s.joint_force(hinge, -hinge.u[0])
    at = s.derive().equilibrium()
    assert at.steady.states == ["b", "a'", "x'", "b'"]  # at rest nothing depends on x either
    assert len(at.eigenvalues) == 4
    spun = s.derive().equilibrium(given={"a'": 1})
    assert spun.steady.states == ["x", "b", "a'", "x'", "b'"]


def test_linear_equations_and_optimal_control_take_the_same_inputs_by_the_same_names() -> None:
    """Declared inputs, else efforts of motors, else of joints; efforts by speed, joint or symbol; one limit for all."""
    for drive in ("input", "motor", ""):
        s = ph.System("cart and pole")
        s.joint("rail", s.ground, s.body("cart", 1), ph.Prismatic("x"), coordinates=["x"])
        s.joint("pivot", "cart", s.body("pole", 1, (0, 0, 1)), ph.Revolute("y"))
        if drive == "input":
            s.joint_force("rail", s.input("F"))
        elif drive == "motor":
            s.motor("pivot", 2)
        e = s.derive()
        for inputs in (None, ["x"], ["rail"], ["tau_pivot", s.joints["rail"].tau[0]]):
            problem = e.collocation(1, end={"x": 1}, inputs=inputs, limits=50, nodes=3)
            point = e.linearize()
            assert [*problem.point.controls] == (point if inputs is None else point.with_ports(inputs)).inputs
            assert {each.upper for each in problem.limits.controls} == {50}
