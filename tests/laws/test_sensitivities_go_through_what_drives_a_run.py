"""Sensitivities of a run that is driven, by feedback, signals of time or samples, are what differences of runs tend to,
and the adjoint gives the same."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from numpy.typing import NDArray

import polhode as ph
from polhode.simulate import Trajectory, crossing
from polhode.simulate.gradients.sensitivities import Sensitivities

Floats = NDArray[np.float64]
TIGHT = {"rtol": 1e-12, "atol": 1e-12, "samples": 5}
BY_DIFFERENCES, BY_ADJOINT = 1e-7, 1e-8
TIMES = np.linspace(0.0, 2.0, 9)
SAMPLES = np.array([0.3, -0.5, 0.8, 0.1, -0.9, 0.4, 0.6, -0.2, 0.5])


def slope(function: Callable[[float], Any], at: float, h: float = 2e-3) -> Floats:
    """A central difference, extrapolated once."""
    coarse, fine = ((np.asarray(function(at + d)) - function(at - d)) / (2 * d) for d in (h, h / 2))
    return np.asarray((4 * fine - coarse) / 3)


def states(run: Trajectory) -> Floats:
    return np.concatenate([run.q, run.u, run.z], axis=1)


def variations(run: Sensitivities) -> Floats:
    return np.concatenate([run.dq, run.du, run.dz], axis=1)


def pendulum() -> tuple[ph.System, Any, Any]:
    """A pendulum that an input turns, with two gains in reserve."""
    s = ph.System("pendulum")
    l, F = s.parameter("l", 0.8), s.input("F")
    s.parameter("k", 2)
    s.parameter("c", 0.4)
    bob = s.body("bob", 1, (0, 0, -l))
    hinge = s.joint("hinge", s.ground, bob, ph.Revolute("y"), coordinates=["theta"], speeds=["omega"])
    s.joint_force(hinge, F)
    return s, hinge, s.derive()


VALUES = {"l": 0.8, "k": 2.0, "c": 0.4}


def assert_right(e: Any, duration: float, by: list[str], given: dict[str, Any], of: Any) -> Sensitivities:
    """Sensitivities are differences of runs, and the adjoint gives those of one number of the last state."""
    run: Sensitivities = e.sensitivities(duration, by, **given)
    wanted = [
        slope(lambda p, name=name: states(e.simulate(duration, parameters={name: p}, **given)), VALUES[name])
        for name in by
    ]
    assert_allclose(variations(run), np.moveaxis(wanted, 0, -1), atol=BY_DIFFERENCES)
    assert_allclose(states(run.trajectory), states(e.simulate(duration, **given)), atol=1e-10)
    slopes = e.gradient(duration, by, of=of, **given).slopes
    assert_allclose(slopes, run.values(of)[-1], atol=BY_ADJOINT)
    return run


@pytest.mark.parametrize("signal", [
    "-k*theta - c*omega + sin(3*t)", "c*t", ph.sampled(TIMES, SAMPLES, kind="held"),
    ph.sampled(TIMES, SAMPLES, kind="linear"), ph.sampled(TIMES, SAMPLES, kind="cubic"),
], ids=["feedback", "expression of time", "held", "linear", "cubic"])  # fmt: skip
def test_of_a_pendulum_that_is_driven(signal: Any) -> None:
    _, hinge, e = pendulum()
    given = {"start": {"theta": 1.0}, "inputs": {"F": signal}, **TIGHT}
    run = assert_right(e, 1.7, ["l", "k", "c"], given, hinge.q[0])
    assert_allclose(run.trajectory.inputs, e.simulate(1.7, **given).inputs, atol=1e-9)


def test_samples_that_end_with_the_run() -> None:
    _, hinge, e = pendulum()
    given = {"inputs": {"F": ph.sampled(TIMES, SAMPLES, kind="held")}, **TIGHT, "samples": 9}
    run = assert_right(e, 2.0, ["l"], given, hinge.u[0])
    assert_allclose(run.t, TIMES)


def test_by_where_it_begins() -> None:
    _, hinge, e = pendulum()
    given: dict[str, Any] = {"inputs": {"F": "-k*theta**3 + t"}, "tau": [ph.sampled(TIMES, SAMPLES)], **TIGHT}
    run = e.sensitivities(1.5, ["theta", "omega"], start={"theta": 0.7}, **given)
    by_theta = slope(lambda p: states(e.simulate(1.5, start={"theta": p}, **given)), 0.7)
    by_rate = slope(lambda p: states(e.simulate(1.5, start={"theta": 0.7}, speeds={"omega": p}, **given)), 0.0)
    assert_allclose(variations(run), np.moveaxis([by_theta, by_rate], 0, -1), atol=BY_DIFFERENCES)
    made = e.gradient(1.5, ["theta", "omega"], of=hinge.q[0], start={"theta": 0.7}, **given)
    assert_allclose(made.slopes, run.dq[-1, 0], atol=BY_ADJOINT)


def test_the_price_of_a_controller_varies_with_its_gains() -> None:
    """J = ∫ F² dt of a feedback F: its integrand depends on the gains, and so does the motion under it."""
    s, _, e = pendulum()
    F = s.inputs["F"].symbol
    given: dict[str, Any] = {"start": {"theta": 1.0}, "inputs": {"F": "-k*theta - c*omega"}, **TIGHT}
    made = e.gradient(2, ["k", "c"], integrand=F**2, of=F, **given)
    wanted = [
        slope(lambda p, n=n: e.gradient(2, [n], integrand=F**2, of=F, parameters={n: p}, **given).value, VALUES[n])
        for n in ("k", "c")
    ]
    assert_allclose(made.slopes, wanted, atol=BY_DIFFERENCES)


def test_across_events_and_breaks() -> None:
    _, hinge, e = pendulum()
    wall = {crossing(hinge.q[0], direction=-1): {hinge.u[0]: -0.8 * hinge.u[0]}}
    samples = ph.sampled(TIMES, SAMPLES, kind="held")
    given = {"start": {"theta": 1.0}, "inputs": {"F": samples}, "on": wall, **TIGHT}
    run = e.sensitivities(1.7, ["l"], **given)
    assert run.trajectory.events[0]
    by_l = slope(lambda p: e.simulate(1.7, parameters={"l": p}, **given).q[-1], 0.8, h=5e-4)
    assert_allclose(run.dq[-1, :, 0], by_l, atol=1e-6)
    assert_allclose(e.gradient(1.7, ["l"], of=hinge.q[0], **given).slopes, run.dq[-1, 0], atol=BY_ADJOINT)


@pytest.mark.filterwarnings("ignore:to keep the constraints")
@pytest.mark.parametrize("constraints", ["multipliers", "embedded"])
def test_with_constraints(constraints: str) -> None:
    s = ph.System("crank and slider")
    k, l = s.parameter("k", 2), s.parameter("l", 0.8)
    crank = s.joint("crank", s.ground, s.body("disc", 1, inertia=(1, 1, 1)), ph.Revolute("y"))
    slide = s.joint("slide", s.ground, s.body("block", 1), ph.Prismatic("x"))
    s.constrain((slide.q[0] - l * ph.cos(crank.q[0])) ** 2 + (l * ph.sin(crank.q[0])) ** 2 - 4, "rod")
    e = s.derive(constraints=constraints)
    given = {
        "start": {"crank": 0.6, "slide": 2.6}, "hold": ["crank"],
        "tau": {"crank": -k * crank.q[0] + ph.sin(s.time), "slide": ph.sampled(TIMES, SAMPLES, kind="linear")}, **TIGHT,
    }  # fmt: skip
    assert_right(e, 0.9, ["k", "l"], given, crank.q[0])


def test_of_an_orientation_that_is_stored_as_a_quaternion() -> None:
    s = ph.System("satellite", gravity=(0, 0, 0))
    k = s.parameter("k", 2)
    s.joint("turn", s.ground, s.body("bus", 1, inertia=(1, 2, 3)), ph.Spherical())
    e = s.derive()
    feedback = [-k * e.q[0] * e.q[1 + axis] - e.u[axis] for axis in range(3)]
    given = {"start": [0.8, 0.6, 0.0, 0.0], "speeds": {"turn_wy": 1.0}, "tau": feedback, **TIGHT}
    run = assert_right(e, 1.0, ["k"], given, e.u[2])
    assert_allclose(np.einsum("tq,tqp->tp", run.trajectory.q, run.dq), 0.0, atol=1e-14)
