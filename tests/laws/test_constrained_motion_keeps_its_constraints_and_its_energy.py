"""Loops, redundant linkages, rolling: a run strays from its constraints by rounding alone, and conserves energy."""

from typing import Any

import numpy as np
import pytest
from tests.random_constraints import random_constrained_system
from tests.seeds import one_a_kind

import polhode as ph
from polhode.errors import SimulationError
from polhode.model.samples import bennett, four_bar, n_four_bar
from polhode.simulate import METHODS, Trajectory


def strays(run: Trajectory) -> float:
    return max(run.drift.position, run.drift.velocity)


@pytest.fixture(scope="module")
def crank() -> ph.Equations:
    return four_bar().derive()


@pytest.fixture(scope="module")
def motion(crank: ph.Equations) -> Trajectory:
    return crank.simulate(2, start={"crank": 0.3}, speeds={"crank": 1}, samples=41)


@pytest.mark.parametrize("windows", [1, 2, pytest.param(10, marks=pytest.mark.trial)])
def test_n_four_bars_pass_flat_poses_for_ten_seconds(windows: int) -> None:
    run = n_four_bar(windows).derive().simulate(10, speeds={"crank 0": 1})
    assert strays(run) < 1e-9 and run.energy_drift < 1e-6 and np.ptp(run["crank 0"]) > 4 * np.pi
    assert np.abs(run["crank 0"] - run[f"crank {windows}"]).max() < 1e-6, "it stays a parallelogram"
    assert "constraints kept to" in run.summary()


def test_a_start_at_a_flat_pose_is_said_to_be_singular_and_passed() -> None:
    flat = {f"crank {k}": np.pi / 2 for k in range(3)} | {f"coupler {k}": -np.pi / 2 for k in range(2)}
    speeds = {f"crank {k}": 3.0 for k in range(3)} | {f"coupler {k}": -3.0 for k in range(2)}
    run = n_four_bar(2).derive().simulate(1, start=flat, speeds=speeds)
    assert any("singular pose" in notice and "3 degrees of freedom instead of 1" in notice for notice in run.notices)
    assert strays(run) < 1e-9 and run.energy_drift < 1e-6


#: Those that refuse constraints, and the one that the others are compared with.
NOT_HERE = ("auto", "DOP853", "taylor", "gauss4", "gauss6", "lie4")


@pytest.mark.parametrize("method", [name for name in one_a_kind(METHODS) if name not in NOT_HERE])
def test_every_kind_of_step_moves_a_four_bar_alike(method: str, crank: ph.Equations, motion: Trajectory) -> None:
    if method.startswith(("ida", "cvode")):
        pytest.importorskip("sksundae", reason="SUNDIALS needs scikit-sundae: pip install 'polhode[sundials]'")
    orders = {"euler": 1, "semi_implicit_euler": 1, "heun": 2, "midpoint": 2, "generalised_alpha": 2, "rk4": 4}
    order = orders.get(method)
    options: dict[str, Any] = {"step": 1e-3} if order else {"rtol": 1e-6, "atol": 1e-8}
    run = crank.simulate(2, start={"crank": 0.3}, speeds={"crank": 1}, samples=41, method=method, **options)
    far = {1: 0.2, 2: 1e-4, 4: 1e-8, None: 1e-3}[order]
    assert np.abs(run.at(motion.t).q - motion.q).max() < far and strays(run) < 1e-9


def test_a_controller_that_does_nothing_changes_nothing(crank: ph.Equations, motion: Trajectory) -> None:
    for method, step in (("auto", None), ("rk4", 1e-3)):
        options = {"method": method, "step": step, "tau": lambda t, q, u: np.zeros(3)}
        run = crank.simulate(2, start={"crank": 0.3}, speeds={"crank": 1}, samples=41, **options)
        assert np.abs(run.q - motion.q).max() < 1e-7


def test_independent_speeds_and_multipliers_give_one_motion(motion: Trajectory) -> None:
    run = four_bar().derive(independent=["crank"]).simulate(2, start={"crank": 0.3}, speeds={"crank": 1}, samples=41)
    assert run.speeds == ("crank",) and np.abs(run.q - motion.q).max() < 1e-6 and strays(run) < 1e-9
    assert run.energy_drift < 1e-7


@pytest.mark.parametrize("windows", [1, 2])
def test_independent_speeds_move_a_parallelogram_whose_entries_vanish(windows: int) -> None:
    start = {"crank 0": 0.3}
    equations = n_four_bar(windows).derive(independent=["crank 0"])
    run = equations.simulate(0.5, start=start, samples=5)
    judge = n_four_bar(windows).derive().simulate(0.5, start=start, samples=5)
    assert np.abs(run.q - judge.q).max() < 1e-7


def test_independent_speeds_stop_where_they_no_longer_determine_the_others() -> None:
    equations = n_four_bar(1).derive(independent=["crank 0"])
    with pytest.raises(SimulationError, match="'crank 0' no longer determines the other speeds") as e:
        equations.simulate(10, start={"crank 0": 0.3}, max_steps=5000)
    assert isinstance(e.value.trajectory, Trajectory)
    assert e.value.trajectory["crank 0"][-1] < np.pi / 2, "it ends before the flat pose, where a coupler could turn"


def test_a_linkage_with_redundant_constraints_moves_and_says_so() -> None:
    run = bennett().derive().simulate(2, start={"hinge 1": 1.0})
    assert any("constraint 'hinge 4' is redundant" in notice for notice in run.notices) and strays(run) < 1e-9
    assert run.energy_drift < 1e-7
    assert np.abs(run["hinge 1"] + run["hinge 3"]).max() < 1e-9, "opposite angles of Bennett's linkage are equal"
    assert np.ptp(run["hinge 1"]) > 1


def test_multipliers_of_redundant_constraints_balance_the_motion_and_are_the_smallest_that_do() -> None:
    equations = bennett().derive()
    run = equations.simulate(1, start={"hinge 1": 1.0}, samples=5)
    found = np.transpose(list(run.multipliers.values()))
    functions = equations.compile()
    for q, u, multipliers in zip(run.q, run.u, found, strict=True):
        A = functions.constraint_matrix(q)
        udot = np.linalg.solve(functions.mass_matrix(q), A.T @ multipliers - functions.bias(q, u))
        assert np.abs(A @ udot + functions.native("constraint_bias")(q, u)).max() < 1e-8
        null = np.linalg.svd(A.T)[2][2:]  # sets of multipliers that make no force
        assert np.abs(null @ multipliers).max() < 1e-8


def test_a_sleigh_keeps_its_energy_and_does_not_slip() -> None:
    s = ph.System("sleigh", gravity=(0, 0, 0))
    body = s.body("sleigh", 1, com=(0.3, 0, 0), inertia=(0.1, 0.1, 0.1))
    s.joint("move", s.ground, body, ph.Planar())
    s.knife_edge("runner", body)
    equations = s.derive()
    run = equations.simulate(5, speeds={equations.speeds[0]: 1.0, equations.speeds[1]: 1.0})
    assert run.drift.velocity < 1e-12 and run.energy_drift < 1e-7


@pytest.mark.parametrize("seed", range(6))
def test_the_projection_step_answers_the_constraints_exactly(seed: int) -> None:
    equations = random_constrained_system(seed).derive("newton_euler")
    constraints = equations.constraints
    assert constraints is not None
    usable = constraints.only(constraints.generic_rows)
    step, change = equations.record.projection_step
    wanted = [0 if row.value is None else row.value for row in usable.rows]
    assert not any(a + b for a, b in zip(usable.A @ step, wanted, strict=True))
    assert not any(a + b for a, b in zip(usable.A @ change, usable.rates, strict=True))


@pytest.mark.parametrize("seed", range(6))
def test_stabilised_accelerations_pull_at_the_stated_rate(seed: int) -> None:
    equations = random_constrained_system(seed).derive("newton_euler")
    constraints = equations.constraints
    assert constraints is not None
    usable = constraints.only(constraints.generic_rows)
    alpha = equations.stabilisation_rate
    seconds = usable.A @ equations.stabilised_dynamics + usable.gamma
    for row, second in zip(usable.rows, seconds, strict=True):
        pull = 2 * alpha * row.rate + (alpha**2 * row.value if row.value is not None else 0)
        assert not (second + pull), row.name
