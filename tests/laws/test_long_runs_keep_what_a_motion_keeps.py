"""Gauss' methods keep energy, momentum and unit length for good; Lie group methods unit length."""

from typing import Any

import numpy as np
import pytest
from tests.seeds import TRIAL

import polhode as ph
from polhode.ode.native_run import NativeRun
from polhode.simulate.trajectory.trajectory import Trajectory

STEPS = 10**6 if TRIAL else 10**5
GAUSS = {"gauss4": 4, "gauss6": 6}


def pendulum() -> Any:
    s = ph.System("pendulum")
    s.joint("hinge", s.ground, s.body("bob", 1, (0, 0, -1)), ph.Revolute("y"))
    return s.derive(), {"hinge": 1.0}


def double_pendulum() -> Any:
    s = ph.System("double pendulum")
    first, second = s.body("first", 1, (0, 0, -1)), s.body("second", 2, (0, 0, -1))
    s.joint("upper", s.ground, first, ph.Revolute("y"))
    s.joint("lower", first, second, ph.Revolute("y"), at=(0, 0, -1))
    return s.derive(), {"upper": 0.3, "lower": 0.5}


def heavy_top() -> Any:
    s = ph.System("top")
    s.joint("tip", s.ground, s.body("top", 1, (0, 0, 0.1), (0.02, 0.02, 0.01)), ph.Spherical())
    return s.derive()


def floating() -> Any:
    """A body in the air with an arm of two joints, off centre."""
    s = ph.System("satellite", gravity=(0, 0, 0))
    base, boom, hand = (s.body(n, m, c, i) for n, m, c, i in (
        ("base", 3, (0.1, 0, 0.2), (1, 2, 2.5)), ("boom", 1, (0.4, 0, 0), (0.01, 0.2, 0.2)),
        ("hand", 0.5, (0.1, 0.1, 0), (0.02, 0.01, 0.03)),
    ))  # fmt: skip
    s.joint("flight", s.ground, base, ph.Free())
    s.joint("shoulder", base, boom, ph.Revolute("z"), at=(0.5, 0, 0))
    s.joint("wrist", boom, hand, ph.Spherical(), at=(0.8, 0, 0))
    return s.derive()


def energy(run: Trajectory) -> Any:
    total = run.energy.total
    return total / np.abs(run.energy.kinetic).max()


@pytest.mark.parametrize("mechanism", [pendulum, double_pendulum])
@pytest.mark.parametrize(("method", "step", "within"), [("gauss4", 0.01, 1e-7), ("gauss6", 0.02, 1e-8)])
def test_the_error_in_energy_is_bounded_and_does_not_grow(
    mechanism: Any, method: str, step: float, within: float
) -> None:
    equations, start = mechanism()
    run = equations.simulate(STEPS * step, start=start, method=method, step=step, samples=1001, watch_energy=False)
    error = energy(run) - energy(run)[0]
    assert run.info["steps"] == STEPS
    assert np.abs(error).max() < within
    slope = np.polyfit(np.linspace(0, 1, len(error)), error, 1)[0]
    assert abs(slope) < 0.02 * np.ptp(error), "over the whole run, the part of a line in it is small"
    first, *_, last = np.array_split(error, 4)
    assert last.std() < 1.5 * first.std()


@pytest.mark.parametrize("mechanism", [pendulum, double_pendulum])
def test_rounding_does_not_add_up_where_steps_are_short(mechanism: Any) -> None:
    equations, start = mechanism()
    run = equations.simulate(STEPS * 2e-3, start=start, method="gauss6", step=2e-3, samples=1001)
    error = energy(run) - energy(run)[0]
    assert np.abs(error).max() < 1e-14 * np.sqrt(STEPS / 1000)  # Brouwer's law: as the root of the number of steps


def test_an_explicit_method_does_drift() -> None:
    equations, start = double_pendulum()
    run = equations.simulate(1000, start=start, method="rk4", step=0.02, watch_energy=False)
    error = energy(run) - energy(run)[0]
    slope = np.polyfit(np.linspace(0, 1, len(error)), error, 1)[0]
    assert abs(slope) > 0.5 * np.ptp(error)


@pytest.mark.parametrize("method", GAUSS)
def test_a_motion_turned_round_goes_back_to_where_it_began(method: str) -> None:
    equations, start = double_pendulum()
    there = equations.simulate(20, start=start, method=method, step=0.01)
    back = equations.simulate(20, start=(there.q[-1], -there.u[-1]), method=method, step=0.01)
    assert np.abs(back.q[-1] - there.q[0]).max() < 1e-12 and np.abs(back.u[-1] + there.u[0]).max() < 1e-12


def one_step(equations: Any, method: str, x: np.ndarray, h: float) -> np.ndarray:
    """A step in coordinates and momenta, which need not be on the unit sphere."""
    functions, n = equations.compile(), len(equations.q)
    groups = [(first, 4) for first in equations.tree.quaternions]
    run = NativeRun(method, x, rtol=1.0, atol=1.0, groups=groups)
    run.step_on_grid(h)
    run.pair_quaternions([first + n for first, _ in groups])
    native = functions.native("canonical_rates").with_parameters(functions.parameter_values("canonical_rates"))
    run.use(run.compiled(native, {"tau": np.zeros(len(equations.u))}, state="canonical"))
    run.begin(h)
    run.advance(h, 1)
    return run.x.copy()


@pytest.mark.parametrize("method", GAUSS)
@pytest.mark.parametrize("of", ["double pendulum", "top", "satellite"])
def test_a_step_is_symplectic(method: str, of: str) -> None:
    equations = {"double pendulum": lambda: double_pendulum()[0], "top": heavy_top, "satellite": floating}[of]()
    n, rng = len(equations.q), np.random.default_rng(1)
    x = rng.normal(size=2 * n) * np.repeat([1.0, 0.03], n)
    for first in equations.tree.quaternions:  # near the unit sphere, where stages may be
        x[first : first + 4] *= 1.1 / np.linalg.norm(x[first : first + 4])
    d = 1e-5
    columns = [
        (one_step(equations, method, x + d * e, 0.05) - one_step(equations, method, x - d * e, 0.05)) / (2 * d)
        for e in np.eye(2 * n)
    ]
    J = np.array(columns).T
    omega = np.block([[np.zeros((n, n)), np.eye(n)], [-np.eye(n), np.zeros((n, n))]])
    assert np.abs(J - np.eye(2 * n)).max() > 0.02
    assert np.abs(J.T @ omega @ J - omega).max() < 1e-7 * max(1.0, np.abs(J).max() ** 2)


@pytest.mark.parametrize("method", GAUSS)
def test_a_floating_mechanism_keeps_its_momentum_to_rounding(method: str) -> None:
    equations = floating()
    speeds = {"flight_wx": 0.3, "flight_wy": -0.2, "shoulder": 1.0, "wrist_wz": 0.5}
    steps = STEPS // 10
    run = equations.simulate(steps * 0.02, speeds=speeds, method=method, step=0.02, samples=501, watch_energy=False)
    angular, linear = run.momentum
    reach = np.abs(run.pose("base")[0]).max()  # momentum about the ground's origin has the rounding of this arm
    assert np.abs(linear - linear[0]).max() < 1e-13
    assert np.abs(angular - angular[0]).max() < 1e-14 * np.sqrt(steps) * max(1.0, reach)
    assert np.abs(np.linalg.norm(run.q[:, :4], axis=1) - 1).max() < 1e-13
    assert np.ptp(energy(run)) < {"gauss4": 1e-6, "gauss6": 1e-9}[method]


def test_a_heavy_top_keeps_its_momentum_about_the_vertical_and_its_energy() -> None:
    equations = heavy_top()
    start = {"tip_e0": np.cos(0.2), "tip_e1": np.sin(0.2)}
    steps = STEPS // 4
    run = equations.simulate(steps * 2e-3, start=start, speeds={"tip_wz": 60}, method="gauss6", step=2e-3, samples=501)
    angular, _ = run.momentum
    assert np.ptp(angular[:, 2]) < 1e-15 * np.sqrt(steps)
    error = energy(run) - energy(run)[0]
    assert np.abs(error).max() < 1e-9 and np.ptp(error) < 1.2 * np.ptp(error[: len(error) // 5]) + 1e-12


def t_handle() -> Any:
    s = ph.System("T-handle", gravity=(0, 0, 0))
    s.joint("flight", s.ground, s.body("handle", 1, (0, 0, 0), (2, 1, 3)), ph.Free())
    return s.derive()


def flips(run: Trajectory) -> Any:
    """When the axis of the middle moment points the other way."""
    across = run.pose("handle")[1][:, 0, 0]
    at = np.flatnonzero(np.diff(np.sign(across)))
    return run.t[at] - across[at] * np.diff(run.t)[at] / np.diff(across)[at]


@pytest.mark.parametrize(("method", "step"), [("lie4", 2e-3), ("gauss4", 2e-3), ("gauss6", 1e-2)])
def test_a_t_handle_turns_over_at_the_right_times(method: str, step: float) -> None:
    equations = t_handle()
    speeds = {"flight_wx": 5, "flight_wy": 0.01, "flight_wz": 0.01}
    exact = flips(equations.simulate(20, speeds=speeds, rtol=1e-12, atol=1e-12, samples=2001))
    found = flips(equations.simulate(20, speeds=speeds, method=method, step=step, samples=2001))
    assert len(exact) > 3 and found == pytest.approx(exact, abs=1e-4)


def test_a_lie_group_method_keeps_unit_length_to_rounding() -> None:
    run = t_handle().simulate(
        STEPS * 0.01, speeds={"flight_wx": 5, "flight_wy": 0.1}, method="lie4", step=0.01, samples=501,
        watch_energy=False,
    )  # fmt: skip
    assert run.info["variables"] == "q, u" and np.abs(np.linalg.norm(run.q[:, :4], axis=1) - 1).max() < 1e-15


def test_a_steady_turn_is_exact_at_any_step_on_the_group_alone() -> None:
    turns = {}
    for method in ("lie4", "rk4"):
        run = t_handle().simulate(10, speeds={"flight_wz": 30}, method=method, step=0.05, watch_energy=False)
        turns[method] = run.pose("handle")[1][-1, :2, 0] - [np.cos(300), np.sin(300)]
    assert np.abs(turns["lie4"]).max() < 1e-11 < 1e-2 < np.abs(turns["rk4"]).max()
