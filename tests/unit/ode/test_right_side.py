"""Rates and projection near poses where rows of the constraints depend on each other, natively and in plain Python."""

import numpy as np
import pytest

from polhode.compiled.functions import Functions
from polhode.model.samples import n_four_bar
from polhode.ode.plain_run import PlainRun
from polhode.simulate.constraints.manifold import Manifold
from polhode.simulate.constraints.projection import ProjectedRates
from polhode.simulate.control.actuation import read_efforts, read_inputs
from polhode.simulate.initial_state import Floats
from polhode.simulate.rates import Rates

SPEED = 1.5


@pytest.fixture(scope="module")
def rates() -> ProjectedRates:
    derivation = n_four_bar(1).derive().derivation
    functions, constraints = Functions(derivation), derivation.equations.constraints
    assert constraints is not None
    efforts, inputs = read_efforts(derivation, None), read_inputs(derivation, None, functions.input_values())
    return ProjectedRates((functions, {}, efforts, inputs), Manifold(functions, constraints, {}), [0, 1])


def state(angle: float) -> Floats:
    """A parallelogram that turns, flat at an angle of π/2: crank, coupler, crank, and their speeds."""
    q, u = np.array([angle, -angle, angle]), np.array([SPEED, -SPEED, SPEED])
    return np.concatenate([q, u])


@pytest.mark.parametrize("off", [0.0, 1e-14, 1e-9, 1e-5, 1e-3, -1e-3, 1e-2, 0.3])
def test_bars_turn_as_one_pendulum_however_near_the_flat_pose_is(off: float, rates: ProjectedRates) -> None:
    x = state(np.pi / 2 + off)
    acceleration = 9.81 * 2 / (2 / 3 + 1) * np.sin(x[0])
    expected = np.array([*x[3:], acceleration, -acceleration, acceleration])
    away = x + 1e-7 * np.array([1, 2, -1, 3, 1, 2])
    plain = PlainRun(rates._plain, x)
    rates.steps_natively(plain)
    for run in (rates.evaluator(x), plain):
        run.rates_at(0.0, state(1.0))  # where pivots have their usual size
        assert run.rates_at(0.0, x) == pytest.approx(expected, abs=1e-10)
        on = run.projected(0.0, away)
        assert on is not None and on == pytest.approx(x, abs=1e-6)
        assert on[:3] * [1, -1, 1] == pytest.approx(on[0], abs=1e-12)
        assert on[3:] * [1, -1, 1] == pytest.approx(on[3], abs=1e-10)


def test_speeds_that_no_motion_has_are_those_of_a_branch(rates: ProjectedRates) -> None:
    """Flat, both cranks may turn for a moment as they like; beside the pose they turn alike, or as in a kite."""
    x = state(np.pi / 2)
    x[3:] += [0.1, 0.0, -0.1]
    on = rates.evaluator(x).on_branch(0.0, x)
    assert on is not None and on[3:] * [1, -1, 1] == pytest.approx(on[3], abs=1e-10)
    assert rates.evaluator(x).on_branch(0.0, state(1.0)) is None


def test_a_run_without_a_compiler_passes_a_flat_pose(monkeypatch: pytest.MonkeyPatch) -> None:
    options = {"speeds": {"crank 0": 1.5}, "method": "DOP853", "samples": 3}
    native = n_four_bar(1).derive().simulate(1, **options)
    monkeypatch.setattr(Rates, "can_run_natively", property(lambda self: False))
    run = n_four_bar(1).derive().simulate(1, **options)
    assert native["crank 0"][-1] > np.pi / 2 and run.q == pytest.approx(native.q, abs=1e-9)


def test_more_parallelograms_pass_flat_poses_with_as_many_evaluations() -> None:
    one, ten = (
        n_four_bar(windows).derive().simulate(10, speeds={"crank 0": 1.0}, samples=2, progress=False)
        for windows in (1, 10)
    )
    assert ten.info["evaluations"] < 1.15 * one.info["evaluations"]
