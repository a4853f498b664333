"""A table in a force law: every formalism gives the same equations, power is the rate of energy, runs keep energy."""

import numpy as np
import pytest

import polhode as ph
from polhode.expr import directional, same
from polhode.model.digest import digest

ANGLES = np.linspace(-2.5, 2.5, 11)
SPRING = ph.table(ANGLES, 3 * ANGLES + ANGLES**3, name="spring", kind="cubic", outside="line")
STRIBECK = ph.table([-3, -0.2, 0, 0.2, 3], [-1.1, -0.8, 0, 0.8, 1.1], name="stribeck", kind="pchip")
CAM = ph.table((ANGLES, [-2, 0, 1, 2]), np.outer(np.cos(ANGLES), [1, 0, 3, 1]), name="cam", kind="cubic")


def arm() -> ph.System:
    """Two links with a tabulated spring and friction, and a cam of two variables between them."""
    system = ph.System("arm")
    upper = system.body("upper", mass=1, com=(0, 0, -0.5), inertia=ph.rod(1, 1))
    lower = system.body("lower", mass=2, com=(0.1, 0, -0.4), inertia=(1, 2, 1.5))
    shoulder = system.joint("shoulder", system.ground, upper, ph.Revolute("y"))
    elbow = system.joint("elbow", upper, lower, ph.Universal("x", "y"), at=(0, 0, -1))
    system.joint_force(shoulder, -SPRING(shoulder.q[0]) - STRIBECK(shoulder.u[0]))
    system.potential(CAM(shoulder.q[0], elbow.q[1]))
    return system


def pendulum(conservative: bool) -> ph.System:
    system = ph.System("pendulum")
    hinge = system.joint("hinge", system.ground, system.body("bob", 1, (0, 0, -1)), ph.Revolute("y"))
    if conservative:
        system.potential(SPRING.integral()(hinge.q[0]))
    else:
        system.joint_force(hinge, -SPRING(hinge.q[0]))
    return system


@pytest.mark.parametrize("formalism", ["newton_euler", "composite_body", "articulated_body", "auto"])
def test_every_formalism_gives_the_same_equations_with_tables(formalism: str) -> None:
    system = arm()
    first, second = system.derive("poincare"), system.derive(formalism)
    assert first.agrees_with(second) and same(first.forward_dynamics, second.forward_dynamics)


def test_power_equals_rate_of_energy_with_tables() -> None:
    system = arm()
    made = system.derive("newton_euler")
    states, rates = [*made.q, *made.u], [*made.coordinate_rates, *made.forward_dynamics]
    flow = dict(zip(states, rates, strict=True))
    (rate,) = directional([made.kinetic_energy + made.potential_energy], flow)
    q, u = system.joints["shoulder"].q[0], system.joints["shoulder"].u[0]
    assert rate == made.tau.dot(made.u) - (SPRING(q) + STRIBECK(u)) * u


def test_a_force_and_the_integral_of_its_table_as_a_potential_are_the_same() -> None:
    bound, driven = pendulum(True).derive("poincare"), pendulum(False).derive("newton_euler")
    assert same(bound.forward_dynamics, driven.forward_dynamics)


@pytest.mark.parametrize("method", ["auto", "rk4"])
def test_a_pendulum_with_a_tabulated_spring_keeps_its_energy(method: str) -> None:
    run = pendulum(True).derive().simulate(10, start={"hinge": 2.9}, speeds={"hinge": 0.5}, method=method)
    assert run.energy_drift < 1e-6
    potential = SPRING.integral()
    total = run.u[:, 0] ** 2 / 2 - 9.81 * np.cos(run.q[:, 0]) + potential(run.q[:, 0])
    np.testing.assert_allclose(total, total[0], rtol=5e-6)
    assert np.ptp(run.q[:, 0]) > 4, "it swings through the whole table"


def test_exact_derivatives_of_the_dynamics_see_through_tables() -> None:
    functions = arm().derive().compile(cache=False)
    q, u, tau = np.array([0.4, -0.3, 0.6]), np.array([0.1, 0.5, -0.7]), np.array([0.3, 0.1, -0.2])
    by_q, by_u, _ = functions.forward_dynamics_derivatives(q, u, tau)
    h = 1e-6
    for k, e in enumerate(np.eye(3) * h):
        slope = (functions.forward_dynamics(q + e, u, tau) - functions.forward_dynamics(q - e, u, tau)) / (2 * h)
        np.testing.assert_allclose(by_q[:, k], slope, rtol=1e-6, atol=1e-6)
        slope = (functions.forward_dynamics(q, u + e, tau) - functions.forward_dynamics(q, u - e, tau)) / (2 * h)
        np.testing.assert_allclose(by_u[:, k], slope, rtol=1e-6, atol=1e-6)


def test_another_number_in_a_table_makes_another_mechanism() -> None:
    def with_table(last: float) -> ph.System:
        system = ph.System("pendulum")
        hinge = system.joint("hinge", system.ground, system.body("bob", 1, (0, 0, -1)), ph.Revolute("y"))
        system.joint_force(hinge, ph.table([0, 1], [0, last])(hinge.q[0]))
        return system

    assert digest(with_table(1.0)) == digest(with_table(1.0)) != digest(with_table(1.0000000000000002))


def test_a_run_that_leaves_a_table_that_ends_stops_and_says_so() -> None:
    system = ph.System("slider", gravity=(0, 0, 0))
    joint = system.joint("x", system.ground, system.body("block", mass=1), ph.Prismatic("x"))
    system.joint_force(joint, ph.table([0, 1], [1, 1], outside="error")(joint.q[0]))
    with pytest.raises(ph.PolhodeError, match="finite"):
        system.derive().simulate(10)
