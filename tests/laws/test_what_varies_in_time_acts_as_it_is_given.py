"""Efforts and inputs that vary in time do the work, and give the motion, that mechanics says they do."""

from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest
from scipy.linalg import expm

import polhode as ph
from polhode.model.samples import four_bar

NATIVE = ["auto", "DOP853", "Radau"]
METHODS = [*NATIVE, "scipy.DOP853", "rk4"] + (["ida"] if find_spec("sksundae") else [])
DICE = np.random.default_rng(5)
TIMES = np.cumsum(DICE.uniform(0.02, 0.2, 12)) - 0.05
VALUES = DICE.normal(size=12)


def oscillator() -> ph.System:
    """A mass of two on a spring, pushed by an input."""
    s = ph.System("oscillator", gravity=(0, 0, 0))
    slide = s.joint("x", s.ground, s.body("block", 2), ph.Prismatic("x"), speeds=["v"])
    s.joint_spring(slide, 30)
    s.joint_force(slide, s.input("F"))
    return s


def pendulum() -> ph.System:
    s = ph.System("double pendulum")
    upper, lower = s.body("upper", 1, (0, 0, -1)), s.body("lower", 1, (0, 0, -1))
    s.joint("shoulder", s.ground, upper, ph.Revolute("y"))
    s.joint("elbow", upper, lower, ph.Revolute("y"), at=(0, 0, -1))
    s.parameter("k", 5)
    return s


def tight(method: str, tolerance: float = 1e-10) -> dict[str, float]:
    """Tolerances of a method that has them."""
    return {} if method == "rk4" else {"rtol": tolerance, "atol": tolerance}


def closed_form(period: float, count: int, force: Any) -> tuple[np.ndarray, np.ndarray]:
    """States and forces at the sample times of a force that is held in between: x⁺ = Φ x + Γ F."""
    whole = expm(period * np.array([[0, 1, 0], [-15, 0, 0.5], [0, 0, 0]]))
    states, forces = [np.array([1.0, 0.0])], []
    for k in range(count):
        forces.append(force(k * period, states[-1]))
        states.append(whole[:2, :2] @ states[-1] + whole[:2, 2] * forces[-1])
    return np.array(states), np.array(forces)


@pytest.mark.parametrize("method", METHODS)
def test_a_held_controller_gives_the_discrete_closed_form_of_a_linear_system(method: str) -> None:
    def controller(t: float, q: np.ndarray, u: np.ndarray) -> dict[str, float]:
        return {"F": -8.0 * q[0] - 3.0 * u[0] + np.sin(t)}

    states, forces = closed_form(0.05, 30, lambda t, x: -8.0 * x[0] - 3.0 * x[1] + np.sin(t))
    run = oscillator().derive().simulate(
        1.5, start={"x": 1.0}, inputs=ph.held(controller, every=0.05), method=method, samples=31, **tight(method)
    )  # fmt: skip
    np.testing.assert_allclose(np.hstack([run.q, run.u]), states, atol=2e-7)
    np.testing.assert_allclose(run["F"][:-1], forces, atol=2e-6)


@pytest.mark.parametrize("method", METHODS)
def test_held_samples_give_it_too(method: str) -> None:
    values = DICE.normal(size=30)
    states, _ = closed_form(0.05, 30, lambda t, x: values[round(t / 0.05)])
    run = oscillator().derive().simulate(
        1.5, start={"x": 1.0}, inputs={"F": ph.sampled(values, rate=20, kind="held")}, method=method, samples=31,
        **tight(method),
    )  # fmt: skip
    np.testing.assert_allclose(np.hstack([run.q, run.u]), states, atol=2e-7)


@pytest.mark.parametrize("kind", ["held", "linear", "cubic"])
@pytest.mark.parametrize("method", ["auto", "rk4"])
def test_the_work_of_a_sampled_force_is_the_change_of_energy(kind: str, method: str) -> None:
    run = oscillator().derive().simulate(
        1, start={"x": 0.2}, inputs={"F": ph.sampled(TIMES, VALUES, kind)}, method=method, samples=601, audit=1e-9,
        **tight(method, 1e-11),
    )  # fmt: skip
    change = run.energy.total[-1] - run.energy.total[0]
    nodes = np.unique(np.concatenate([np.linspace(0, 1, 601), TIMES[(TIMES > 0) & (TIMES < 1)]]))
    middle = run.at(0.5 * (nodes[1:] + nodes[:-1]))
    assert np.sum(middle["F"] * middle.speed("v") * np.diff(nodes)) == pytest.approx(change, rel=1e-4)
    assert run.power_audit()["the run"].residual < 1e-9


def test_the_books_of_a_run_under_a_held_controller_balance() -> None:
    held = ph.held(lambda t, q, u: {"shoulder": -3 * q[0] - u[0], "elbow": np.sin(7 * t)}, every=0.013)
    run = pendulum().derive().simulate(1, start={"shoulder": 1.0}, tau=held, rtol=1e-11, atol=1e-11, audit=1e-8)
    assert run.power_audit().quadrature < 1e-8


@pytest.mark.parametrize("method", METHODS)
def test_feedback_as_an_expression_and_in_python_is_one_motion(method: str) -> None:
    s = pendulum()
    (q1,), (u1,) = s.joints["shoulder"].q, s.joints["shoulder"].u
    law = {"shoulder": -s.parameters["k"].symbol * q1 - 2 * u1 + ph.sin(3 * s.time), "elbow": "-elbow**3"}

    def controller(t: float, q: np.ndarray, u: np.ndarray) -> list[float]:
        return [-7 * q[0] - 2 * u[0] + np.sin(3 * t), -(q[1] ** 3)]

    options: dict[str, Any] = {"start": {"shoulder": 1.0}, "method": method, "parameters": {"k": 7}, "samples": 21}
    by_law, by_python = (s.derive().simulate(1, tau=tau, **tight(method), **options) for tau in (law, controller))
    assert by_law.compare(by_python)["u(elbow)"].largest < 1e-6
    np.testing.assert_allclose(by_law.effort("elbow"), -(by_law["elbow"] ** 3), atol=1e-12)


@pytest.mark.parametrize("options", [{}, {"constraints": "embedded", "independent": ["crank"]}])
def test_laws_and_holds_drive_mechanisms_with_constraints(options: dict[str, Any]) -> None:
    equations = four_bar().derive(**options)
    start: dict[str, Any] = {"start": {"crank": 0.3}, "samples": 101, "rtol": 1e-10, "atol": 1e-10}
    law = equations.simulate(0.5, tau={"crank": "cos(3*t) - 0.1*u(crank)"}, **start)
    python = equations.simulate(0.5, tau={"crank": lambda t, q, u: np.cos(3 * t) - 0.1 * u[0]}, **start)
    assert law.compare(python).largest < 1e-7 and law.power_audit().residual < 1e-6
    held = equations.simulate(0.5, tau={"crank": ph.held(lambda t: np.cos(9 * t), 0.02)}, **start)
    same = equations.simulate(
        0.5, tau={"crank": ph.sampled(np.cos(9 * 0.02 * np.arange(26)), rate=50, kind="held")}, **start
    )  # fmt: skip
    assert held.compare(same).largest < 1e-9
    assert held.power_audit().residual < 1e-6 and max(held.drift.position, held.drift.velocity) < 1e-9


def test_steps_that_do_not_fit_the_samples_are_divided_at_them() -> None:
    equations = oscillator().derive()
    force = {"F": ph.sampled(TIMES, VALUES, "held")}
    exact = equations.simulate(1, inputs=force, rtol=1e-12, atol=1e-12).q[-1, 0]
    errors = [abs(equations.simulate(1, inputs=force, method="rk4", step=h).q[-1, 0] - exact) for h in (0.02, 0.01)]
    assert np.log2(errors[0] / errors[1]) == pytest.approx(4.0, abs=0.5)


def test_events_are_found_on_steps_between_breaks() -> None:
    equations = oscillator().derive()
    force = {"F": ph.sampled([0, 0.11, 0.37], [9, -40, 25], "held")}
    x = equations.system.joints["x"].q[0]
    by_steps, by_python = (
        equations.simulate(1, start={"x": 0.1}, inputs=force, events=[event], method=method, rtol=1e-11, atol=1e-11)
        for event, method in ((x, "DOP853"), (lambda t, q, u: q[0], "scipy.DOP853"))
    )
    assert len(by_steps.events[0]) > 1
    np.testing.assert_allclose(by_steps.events[0], by_python.events[0], atol=1e-9)
