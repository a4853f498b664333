"""First-order states obey their rates, in every formalism, beside constraints, and where they can be eliminated."""

import numpy as np
import pytest

import polhode as ph
from polhode.expr import free_symbols
from polhode.formalisms.registry import names
from polhode.model.samples import four_bar, motor_driven_pendulum


def test_a_filter_follows_its_closed_form() -> None:
    """a' = (sin ωt - a)/T from rest: a = (sin ωt - ωT cos ωt + ωT exp(-t/T)) / (1 + ω²T²)."""
    system = ph.System("filter")
    system.joint("x", system.ground, system.body("block", 1), ph.Prismatic("x"))
    lag, omega = 0.3, 2.0
    system.state("a", rate=lambda a: (ph.sin(2 * system.time) - a) / 0.3)
    run = system.derive().simulate(5, rtol=1e-11, atol=1e-12)
    wt, product = omega * run.t, omega * lag
    expected = (np.sin(wt) - product * np.cos(wt) + product * np.exp(-run.t / lag)) / (1 + product**2)
    assert np.abs(run["a"] - expected).max() < 1e-9


def test_a_state_that_is_the_integral_of_a_speed_is_the_coordinate() -> None:
    """An integral of the speed serves a spring as the coordinate does: the equations are those of the pendulum."""
    runs = []
    for massless in (False, True):
        system = ph.System("pendulum")
        hinge = system.joint("hinge", system.ground, system.body("bob", 1, (0, 0, -1)), ph.Revolute("y"))
        angle = system.state("angle", rate=hinge.u[0], start="0.5") if massless else hinge.q[0]
        system.joint_force(hinge, -3 * angle)
        runs.append(system.derive().simulate(3, start={"hinge": 0.5}, rtol=1e-11, atol=1e-12))
    plain, augmented = runs
    assert np.abs(plain["hinge"] - augmented["hinge"]).max() < 1e-9
    assert np.abs(augmented["hinge"] - augmented["angle"]).max() < 1e-10


def geared_four_bar() -> ph.System:
    """A four-bar on a motor, and the integrals of two of its speeds, one of them dependent."""
    system = four_bar()
    crank, rocker = system.joints["crank"].u[0], system.joints["rocker"].u[0]
    voltage = system.input("voltage", 2)
    current = system.state("current", rate=lambda i: 20 * (voltage - 2 * i - crank / 2), start="0.5")
    system.joint_force("crank", current / 2 - crank / 10)
    system.state("crank turned", rate=crank)
    system.state("rocker turned", rate=rocker)
    return system


def test_all_formalisms_and_the_reference_agree_on_forces_with_states() -> None:
    found = geared_four_bar().compare(run=False, functions=())
    assert found.agree, found.verdict
    assert {*found.formalisms} == {*names()}
    assert "the rates of 'current', 'crank turned' and 'rocker turned' are the model's own" in found.verdict


@pytest.mark.parametrize("constraints", ["multipliers", "embedded"])
@pytest.mark.parametrize("method", ["auto", "Radau", "rk4"])
def test_constraints_leave_states_without_mass_alone(constraints: str, method: str) -> None:
    run = geared_four_bar().derive(constraints=constraints).simulate(1, start={"crank": 0.3}, method=method)
    assert max(run.drift.position, run.drift.velocity) < 1e-12
    for joint in ("crank", "rocker"):
        assert np.abs(run[f"{joint} turned"] - (run[joint] - run[joint][0])).max() < 1e-7


def test_rates_are_written_on_the_independent_speeds_and_on_what_followers_follow() -> None:
    system = four_bar()
    rocker = system.joints["rocker"].u[0]
    system.state("turned", rate=rocker)
    embedded = system.derive(independent=["crank"])
    assert embedded.agrees_with(system.derive()) and rocker not in free_symbols(embedded.z_rates)
    led = ph.System("led")
    first = led.joint("first", led.ground, led.body("a", 1, (0, 0, -1)), ph.Revolute("y"))
    second = led.joint("second", led.ground, led.body("b", 1, (0, 0, -1)), ph.Revolute("y"))
    third = led.joint("third", led.ground, led.body("c", 1, (0, 0, -1)), ph.Revolute("y"))
    led.couple(second, first, 3)
    led.prescribe(third, 2 * led.time)
    led.state("sum", rate=second.u[0] + third.q[0] + third.u[0])
    assert led.derive().z_rates == (3 * first.u[0] + 2 * led.time + 2,)


def test_what_a_spring_with_a_moving_rest_takes_in_is_the_power_of_its_state() -> None:
    """A series elastic drive: ½ k (q - a)², whose rest angle a moves by a law; the books balance."""
    system = ph.System("series elastic drive")
    hinge = system.joint("hinge", system.ground, system.body("bob", 1, (0, 0, -1)), ph.Revolute("y"))
    rest = system.state("rest", rate=lambda a: (ph.sin(system.time) - a) * 4)
    system.joint_spring(hinge, 30, rest=rest, damping="0.2", name="spring")
    equations = system.derive()
    assert equations.power().whole.residual == 0
    run = equations.simulate(4, start={"hinge": 0.3}, audit=1e-6)
    assert not run.notices, "no drift of energy is told where a state moves it"
    state = [run.q[5], run.u[5]]
    kinetic, potential = run.mechanism.energy(*state, z=run.z[5])
    assert kinetic + potential == pytest.approx(run.energy.total[5])


def test_linear_equations_are_the_derivatives_of_the_rates_by_all_states() -> None:
    equations = geared_four_bar().derive(constraints="embedded")
    linear = equations.linearize({"current": 0.7, "crank": 0.3}, inputs={"voltage": 3})
    assert linear.states == ["crank", "crank'", "current", "crank turned", "rocker turned"]
    A, B = linear.state_space()
    functions = equations.compile()
    q = np.array([float(value) for value in linear.state.values()])

    def rates(crank: float, u: float, *z: float) -> np.ndarray:
        pose = equations.assemble({**dict(zip(equations.coordinates, q, strict=True)), "crank": crank}, hold=["crank"])
        x = np.concatenate([pose.q, [u], z])
        rate = functions.state_rates(x, inputs={"voltage": 3})
        return rate[[equations.coordinates.index("crank"), *range(len(q), len(x))]]

    at, h = np.array([q[0], 0.0, 0.7, 0.0, 0.0]), 1e-5
    numeric = np.array([(rates(*(at + h * e)) - rates(*(at - h * e))) / (2 * h) for e in np.eye(5)]).T
    assert np.abs(A - numeric).max() < 1e-5 * np.abs(A).max()
    assert B[:, linear.controls.index("voltage")].tolist() == [0, 0, 20, 0, 0]


def test_a_motor_comes_to_rest_where_its_weight_balances_the_stalled_current() -> None:
    system = motor_driven_pendulum()
    run = system.derive().simulate(20, inputs={"voltage": 2.0})
    assert run["current"][-1] == pytest.approx(1.0, abs=1e-6)
    linear = system.derive().linearize({"hinge": run["hinge"][-1], "current": 1}, inputs={"voltage": 2})
    assert linear.eigenvalues().real.max() < 0
