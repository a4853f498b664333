"""Samples and events of an adaptive run are as exact as its steps, also where stability and not the error bounds them.

There the interpolant of a method may be off by hundreds of tolerances while the ends of its steps are not. References
are runs of steps so short that nothing is left of it.
"""

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import numpy as np
import pytest

import polhode as ph
from polhode.model.samples import car, cruising
from polhode.model.samples.vehicles import INDEPENDENT, whipple_bicycle
from polhode.simulate import Trajectory

METHODS = {"TP86": 1e-9, "DOP853": 1e-9, "RK45": 1e-9, "RK23": 1e-6, "Rodas5P": 1e-8, "Radau": 1e-8}
#: An error at samples may be so many tolerances, or so many times the largest at ends of steps.
TOLERANCES, TIMES = 12.0, 2.0

Case = tuple[ph.Equations, float, Mapping[str, Any]]


@cache
def slider() -> Case:
    """A block that a spring and a strong damper lead after a sine: λ is -220 and -20."""
    s = ph.System("slider")
    slide = s.joint("x", s.ground, s.body("block", 1), ph.Prismatic("x"), speeds=["v"])
    s.joint_force("x", -240 * slide.u[0] - 4400 * (slide.q[0] - ph.sin(3 * s.time)))
    return s.derive(), 2.0, {"start": {"x": 0.1}}


@cache
def steered_car() -> Case:
    vehicle = car(steer=lambda t: ph.pi / 90 * (1 + ph.tanh(20 * (t - 0.6))) / 2, speed=25)
    return vehicle.system.derive("kane"), 1.5, {"speeds": cruising(vehicle, 25)}


@cache
def bicycle() -> Case:
    given = {"start": {"z": -0.3}, "speeds": {"rear spin": -4.6 / 0.3, "lean rate": 0.5}, "parameters": {"v": 4.6}}
    return whipple_bicycle().derive("composite_body", independent=INDEPENDENT), 1.5, given


@cache
def chain() -> Case:
    s = ph.System("chain")
    upper, lower = (s.body(name, 1, (0, 0, -0.5), ph.rod(1, 1)) for name in ("upper", "lower"))
    s.joint("a", s.ground, upper, ph.Revolute("y"))
    s.joint("b", upper, lower, ph.Revolute("y"), at=(0, 0, -1))
    return s.derive(), 2.0, {"start": {"a": 1.0, "b": 0.5}}


#: Jacobians of the bicycle stand for those of the car.
CASES = [(method, made) for method in METHODS for made in (slider, bicycle, chain)]
CASES += [(method, steered_car) for method in METHODS if method != "Rodas5P"]


@cache
def reference(made: Callable[[], Case]) -> Trajectory:
    """The same motion by steps of at most two milliseconds, which knows itself between its samples too."""
    equations, duration, given = made()
    return equations.simulate(duration, **given, method="DOP853", rtol=1e-13, atol=1e-13, step=0.002)


def errors(t: np.ndarray, x: np.ndarray, made: Callable[[], Case], tolerance: float) -> np.ndarray:
    """The errors of states, in tolerances."""
    exact = reference(made).at(t).x
    return np.abs(x - exact) / (tolerance * (1.0 + np.abs(exact)))


@pytest.mark.parametrize(("method", "made"), CASES, ids=lambda value: getattr(value, "__name__", value))
def test_samples_are_as_exact_as_steps(method: str, made: Callable[[], Case]) -> None:
    equations, duration, given = made()
    tolerance = METHODS[method]
    run = equations.simulate(duration, **given, method=method, rtol=tolerance, atol=tolerance)
    ends = run.interpolant.steps  # type: ignore[attr-defined] # rows of t, h and the state before
    at_steps = errors(ends[:, 0], ends[:, 2:], made, tolerance).max()
    assert errors(run.t, run.x, made, tolerance).max() < max(TOLERANCES, TIMES * at_steps)


#: Where the car begins to turn, the interpolant of DOP853 is off by hundreds of tolerances.
TURNING = np.linspace(0.61, 0.7, 10)


def test_events_are_as_exact_as_steps() -> None:
    equations, _, given = steered_car()
    speeds = slice(len(equations.q), None)
    swift = int(np.ptp(reference(steered_car).at(TURNING).x[:, speeds], axis=0).argmax())
    wanted = reference(steered_car).at(TURNING).x[:, speeds][:, swift]
    events = [equations.u[swift] - value for value in wanted.tolist()]
    run = equations.simulate(0.8, **given, method="DOP853", events=events)
    for value, times in zip(wanted, run.events, strict=True):
        assert len(times)
        found = reference(steered_car).at(times).x[:, speeds][:, swift]
        assert np.abs(found - value).max() < 40e-9 * (1.0 + abs(value))


def test_a_run_ends_where_a_longer_one_has_its_sample() -> None:
    equations, _, given = steered_car()
    longer = equations.simulate(1.5, **given, method="DOP853", samples=[0.0, *TURNING, 1.5])
    for t, x in zip(longer.t[1:-1].tolist(), longer.x[1:-1], strict=True):
        shorter = equations.simulate(t, **given, method="DOP853")
        np.testing.assert_allclose(x, shorter.x[-1], rtol=40e-9, atol=40e-9)
