"""Runs by the generalised-α method: options, what drives them, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from polhode.errors import PolhodeError, SimulationError

OPTIONS = {"method": "generalised_alpha", "step": 0.01}


@pytest.fixture(scope="module")
def swing() -> ph.Equations:
    s = ph.System("pendulum")
    hinge = s.joint("hinge", s.ground, s.body("bob", 1, (0, 0, -1)), ph.Revolute("y"), speeds=["rate"])
    s.joint_force(hinge, s.input("F", 0))
    return s.derive()


def test_a_run_has_the_step_and_the_spectral_radius_in_its_info(swing: ph.Equations) -> None:
    assert swing.simulate(1, **OPTIONS).info["spectral_radius"] == 0.8
    run = swing.simulate(1, spectral_radius=0, **OPTIONS)
    assert (run.info["step"], run.info["spectral_radius"], run.info["steps"]) == (0.01, 0.0, 100)


def test_fast_oscillations_vanish_and_slow_ones_stay() -> None:
    s = ph.System("two oscillators", gravity=(0, 0, 0))
    for name, stiffness in (("slow", 1), ("fast", 1e8)):
        s.joint_spring(s.joint(name, s.ground, s.body(name, 1), ph.Prismatic("x")), stiffness)
    equations, start = s.derive(), {"slow": 1.0, "fast": 1e-3}
    options = {"start": start, "samples": 1201, "watch_energy": False, **OPTIONS}  # two samples a step
    damped, kept = (equations.simulate(6, spectral_radius=radius, **options) for radius in (0.5, 1.0))
    for run in (damped, kept):
        assert np.abs(run["slow"] - np.cos(run.t)).max() < 3e-4
        assert np.abs(run["fast"]).max() <= 1e-3 * (1 + 1e-12)
    assert np.abs(damped["fast"][100:]).max() < 1e-12
    assert np.abs(kept["fast"][-100:]).max() > 5e-4


def test_steps_are_of_second_order_where_what_acts_jumps_inside_of_them(swing: ph.Equations) -> None:
    push = ph.sampled([0, 0.503, 2], [0, 1, 1], kind="held")
    for acting in ({"inputs": {"F": push}}, {"tau": ph.held(lambda t, q, u: -3 * q, every=0.055)}):
        options = {"start": {"hinge": 1}, "samples": 21, **acting}
        exact = swing.simulate(2, **options)
        errors = [
            np.abs(swing.simulate(2, method="generalised_alpha", step=step, **options).q - exact.q).max()
            for step in (0.01, 0.005)
        ]
        assert np.log2(errors[0] / errors[1]) == pytest.approx(2, abs=0.25)


def test_a_run_ends_at_an_event(swing: ph.Equations) -> None:
    run, exact = (swing.simulate(3, start={"hinge": 1}, until=swing.q[0], **more) for more in (OPTIONS, {}))
    assert run.status == "event"
    assert run.t[-1] == pytest.approx(exact.t[-1], abs=1e-4)


def test_members_of_a_batch_have_the_motion_that_they_have_alone(swing: ph.Equations) -> None:
    options = {"spectral_radius": 0.5, "samples": 101, **OPTIONS}
    batch = swing.simulate(1, start={"hinge": [0.5, 1.0]}, **options)
    alone = swing.simulate(1, start={"hinge": 1.0}, **options)
    assert np.array_equal(batch.q[1], alone.q)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (OPTIONS | {"spectral_radius": 1.5}, "1.5 is not a number from 0 to 1"),
        ({"method": "rk4", "spectral_radius": 0.5}, "the method rk4 has no spectral radius to choose"),
        (OPTIONS | {"tau": lambda t, q, u: -q}, "a function in Python drives this run"),
    ],
)
def test_what_the_method_does_not_take_is_refused(swing: ph.Equations, options: dict, message: str) -> None:  # type: ignore[type-arg]
    with pytest.raises(PolhodeError, match=message):
        swing.simulate(1, **options)


def test_a_step_that_is_too_long_ends_the_run(swing: ph.Equations) -> None:
    with pytest.raises(SimulationError, match="were not found: the step of 1 s is too long"):
        swing.simulate(10, start={"hinge": 2}, speeds={"rate": 50}, method="generalised_alpha", step=1)
