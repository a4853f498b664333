"""A run that nothing feeds or drains keeps its energy, or says that it did not; other runs are not blamed."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import polhode as ph
from polhode.model.samples import four_bar


def pendulum(height: float = 0.0) -> ph.System:
    system = ph.System("pendulum")
    system.joint("hinge", system.ground, system.body("bob", 1, (0, 0, -1)), ph.Revolute("y"), at=(0, 0, height))
    return system


def told(run: ph.Trajectory) -> list[str]:
    return [notice for notice in run.notices if "energy" in notice]


@pytest.mark.parametrize("how", [
    {"method": "euler", "step": 0.01}, {"method": "rk4", "step": 0.5},
    {"method": "scipy.BDF", "rtol": 1e-9, "atol": 1e-9},
], ids=lambda how: how["method"])  # fmt: skip
def test_a_loss_of_energy_is_told(how: dict[str, Any]) -> None:
    with pytest.warns(UserWarning, match="its energy went from"):
        run = pendulum().derive().simulate(40, start={"hinge": 2.0}, **how)
    assert run.status == "done"
    (notice,) = told(run)
    assert f"{run.energy_drift:.1e}" in notice and ("100 times the tolerance" in notice) == ("rtol" in how)


def test_the_watch_can_be_switched_off() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run = pendulum().derive().simulate(20, start={"hinge": 2.0}, method="euler", step=0.01, watch_energy=False)
    assert not told(run)


def test_springs_and_constraints_are_watched_too() -> None:
    system = four_bar()
    system.spring(system.bodies["crank"], system.bodies["rocker"], stiffness=20, length=1, at_b=(0, 0, 2))
    with pytest.warns(UserWarning, match="its energy went from"):
        run = system.derive().simulate(2, start={"crank": 0.3}, speeds={"crank": 3}, method="euler", step=0.01)
    assert told(run)


@pytest.mark.parametrize(
    "how", [{}, {"method": "rk4"}, {"rtol": 1e-12, "atol": 1e-12}, {"method": "Radau"}, {"method": "scipy.Radau"}]
)
def test_a_run_that_keeps_its_energy_tells_nothing(how: dict[str, Any]) -> None:
    run = pendulum().derive().simulate(10, start={"hinge": 2.0}, **how)
    assert not told(run)


@pytest.mark.parametrize("height", [0.0, 1e9])
@pytest.mark.parametrize("angle", [0.0, 1e-12, 1e-7])
def test_rest_and_motions_as_small_as_the_tolerance_are_not_blamed(angle: float, height: float) -> None:
    run = pendulum(height).derive().simulate(10, start={"hinge": angle})
    assert not told(run)


def damped(system: ph.System) -> dict[str, Any]:
    system.joint_spring("hinge", 1, damping=0.5)
    return {}


def pushed(system: ph.System) -> dict[str, Any]:
    system.joint_force("hinge", 1)
    return {}


def with_effort(system: ph.System) -> dict[str, Any]:
    return {"tau": {"hinge": 2}}


def with_controller(system: ph.System) -> dict[str, Any]:
    return {"tau": lambda t, q, u: {"hinge": -u[0]}}


def with_changing_input(system: ph.System) -> dict[str, Any]:
    g = system.input("g", 9.81)
    system.gravity = (0, 0, -g)
    return {"inputs": lambda t, q, u: {"g": 9.81 + t}}


def in_changing_gravity(system: ph.System) -> dict[str, Any]:
    system.gravity = (0, 0, -9.81 - system.time)
    return {}


def with_damped_spring(system: ph.System) -> dict[str, Any]:
    system.spring(
        system.ground, system.bodies["bob"], stiffness=1, length=1, damping=1, at_a=(1, 0, 0), at_b=(0, 0, -1)
    )
    return {}


def on_a_moving_hinge(system: ph.System) -> dict[str, Any]:
    second = system.body("second", 1, (0, 0, -1))
    system.joint("lower", system.bodies["bob"], second, ph.Revolute("y"), at=(0, 0, -1))
    system.prescribe("hinge", 3 * system.time)
    return {"start": {"lower": 1.0}}


def with_a_driven_condition(system: ph.System) -> dict[str, Any]:
    second = system.body("second", 1, (0, 0, -1))
    lower = system.joint("lower", system.bodies["bob"], second, ph.Revolute("y"), at=(0, 0, -1))
    system.constrain(lower.q[0] - 2 * system.time)
    return {"start": {"hinge": 1.0}}


@pytest.mark.parametrize("made", [
    damped, pushed, with_effort, with_controller, with_changing_input, in_changing_gravity, with_damped_spring,
    on_a_moving_hinge, with_a_driven_condition,
], ids=lambda made: made.__name__)  # fmt: skip
def test_what_feeds_or_drains_energy_is_not_blamed(made: Callable[[ph.System], dict[str, Any]]) -> None:
    system = pendulum()
    options = {"start": {"hinge": 1.0}} | made(system)
    run = system.derive().simulate(2, **options)
    assert np.ptp(run.energy.total) > 1e-3, "its energy does change"
    assert not told(run)
