"""Functions of the state that a user gives: with states without mass they may take them."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from polhode.errors import PolhodeError, SimulationError
from polhode.model.samples import motor_driven_pendulum
from polhode.simulate.control.callbacks import with_rest


@pytest.fixture(scope="module")
def equations() -> ph.Equations:
    return motor_driven_pendulum().derive()


def test_without_states_a_function_stays_what_it_is() -> None:
    system = ph.System("block")
    system.joint("x", system.ground, system.body("block", 1), ph.Prismatic("x"))

    def g(t: float, q: np.ndarray, u: np.ndarray) -> float:
        return float(q[0])

    assert with_rest(g, system.derive().record) is g


def test_a_controller_may_take_the_states(equations: ph.Equations) -> None:
    shapes = []

    def control(t: float, q: np.ndarray, u: np.ndarray, z: np.ndarray) -> dict[str, float]:
        shapes.append((q.shape, u.shape, z.shape))
        return {"voltage": 4 * (1 - z[0])}

    run = equations.simulate(3, inputs=control)
    assert {*shapes} == {((1,), (1,), (1,))}
    assert run["current"][-1] == pytest.approx(2 / 3, abs=1e-3), "4 (1 - i) = 2 i at rest"
    assert equations.simulate(0.1, inputs=lambda t, q, u: {"voltage": float(len(u))}).inputs[0, 0] == 1.0


def test_events_may_be_functions_of_states_or_expressions_with_them(equations: ph.Equations) -> None:
    current = equations.z[0]

    def reached(t: float, q: np.ndarray, u: np.ndarray, z: np.ndarray) -> float:
        return float(z[0]) - 0.5

    reached.terminal = True  # type: ignore[attr-defined]
    run = equations.simulate(0.02, inputs={"voltage": 3}, events=[current - 0.4, reached], samples=2001)
    assert run.status == "event"
    assert run["current"][-1] == pytest.approx(0.5, abs=1e-10)
    assert float(run.at(run.events[0])["current"][0]) == pytest.approx(0.4, abs=1e-6)
    ended = equations.simulate(1, inputs={"voltage": 3}, until=current - 0.5, method="rk4", step=1e-4)
    assert ended.t[-1] == pytest.approx(run.t[-1], abs=1e-8)


def test_what_a_function_of_the_states_raises_ends_the_run_with_its_sentence(equations: ph.Equations) -> None:
    with pytest.raises(SimulationError, match="the controller of inputs raised IndexError"):
        equations.simulate(1, inputs=lambda t, q, u, z: {"voltage": z[7]})
    with pytest.raises(PolhodeError, match="an event depends on the state 'other', which the run does not know"):
        equations.simulate(1, events=[ph.symbol("other", "state")])
