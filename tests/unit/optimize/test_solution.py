"""What a solution is: a motion by name, a trajectory, a reference, a replay; and why a search that fails does."""

import os
import signal
from math import pi

import numpy as np
import pytest
from tests.refusals import refused

import polhode as ph
from polhode.model.samples.underactuated import cart_pole
from polhode.optimize.solution import OptimizationError

UP = {"x": 1, "theta": 0, "x'": 0, "theta'": 0}


@pytest.fixture(scope="module")
def swing():
    problem = cart_pole().derive().collocation(2, start={"theta": pi}, end=UP, limits={"F": 20, "x": 2}, nodes=40)
    return problem.solve(refinements=0, accuracy=1e-3)


def test_states_and_controls_are_got_by_name_and_keep_their_ends_and_limits(swing) -> None:
    assert swing.t[0] == 0 and swing.t[-1] == 2 and len(swing.t) == 79 and (np.diff(swing.t) > 0).all()
    assert swing["theta"][0] == pi and all(swing[name][-1] == value for name, value in UP.items())
    assert np.abs(swing["F"]).max() <= 20 + 1e-6 and np.abs(swing["x"]).max() <= 2 + 1e-6
    assert swing.q.shape == swing.u.shape == (79, 2) and swing.z.shape == (79, 0) and swing.controls.shape == (79, 1)
    refused("there is no value 'phi'", lambda: swing["phi"])


def test_a_trajectory_knows_what_acted_and_the_work_is_the_energy_gained(swing) -> None:
    from scipy.integrate import simpson

    run = swing.trajectory
    assert np.array_equal(run.q, swing.q) and np.array_equal(run["F"], swing["F"])
    gained = run.energy.total[-1] - run.energy.total[0]
    assert simpson(swing["F"] * swing["x'"], x=swing.t) == pytest.approx(gained, rel=1e-4)


def test_a_solution_is_a_reference_and_a_start_for_a_finer_mesh(swing) -> None:
    for name in ("x", "theta'", "F"):
        assert swing.reference[name](float(swing.t[7])) == pytest.approx(swing[name][7])
    finer = swing.problem.with_nodes(79).solve(guess=swing, refinements=0)
    assert finer.iterations < 10 and finer.cost == pytest.approx(swing.cost, rel=1e-4)
    assert finer.deviation.largest < swing.deviation.largest / 8 < 0.01
    assert set(finer.deviation.end) == {"x", "theta", "x'", "theta'"}
    again = swing.problem.solve(guess=swing, accuracy=None)
    assert again.iterations <= 2 and again.cost == pytest.approx(swing.cost, rel=1e-9)
    nodes = np.linspace(0, 1, 31) ** 1.2
    nodes[-1] = 1.0
    uneven = swing.problem.with_nodes(nodes).solve(guess=swing)
    assert uneven.cost == pytest.approx(swing.cost, rel=1e-3)
    e = cart_pole().derive()
    ends = {"start": {"theta": pi}, "end": UP, "limits": {"F": 20, "x": 2}}
    for dynamics in ("implicit", "explicit"):
        assert e.collocation(2, **ends, nodes=40, dynamics=dynamics).solve(accuracy=None).cost == pytest.approx(
            swing.cost, rel=1e-7
        )


def test_infeasible_problems_coarse_meshes_and_loose_optima_are_reported() -> None:
    problem = cart_pole().derive().collocation(
        0.3, start={"theta": pi}, end=UP, limits={"F": 1}, nodes=20
    )  # fmt: skip
    with pytest.raises(OptimizationError, match=r"Most is missed by the motion of '\S+' between t = \S+ s and") as told:
        problem.solve(iterations=200)
    assert told.value.solution.status in ("infeasible", "failed", "iterations")
    assert np.isfinite(told.value.solution.q).all()
    problem = cart_pole().derive().collocation(1, start={"theta": pi}, end=UP, nodes=2, scheme="trapezoidal")
    refused(r"the motion of 'theta' between t = 0 s and 1 s, by 3\.14", problem.solve, OptimizationError)
    problem = cart_pole().derive().collocation(2, start={"theta": pi}, end=UP, limits={"F": 20}, nodes=10)
    loose = {"acceptable_tol": 1e3, "acceptable_constr_viol_tol": 1e3, "acceptable_dual_inf_tol": 1e9}
    with pytest.warns(UserWarning, match="to a looser tolerance than `tolerance`"):
        made = problem.solve(options={**loose, "acceptable_compl_inf_tol": 1e3, "acceptable_iter": 2}, accuracy=None)
    assert made.status == "acceptable"
    e = cart_pole().derive()
    (x, _), force = e.q, e.system.inputs["F"].symbol
    with pytest.raises(OptimizationError, match="no finite value"):
        e.collocation(1, end=UP, cost=force**2 + ph.log(x - 50), nodes=5).solve()


def test_an_interrupted_search_keeps_the_last_motion() -> None:
    problem = cart_pole().derive().collocation(2, start={"theta": pi}, end=UP, limits={"F": 20, "x": 2}, nodes=40)

    before = signal.getsignal(signal.SIGINT)

    def press(share: float) -> None:
        os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(OptimizationError, match="the search was interrupted") as told:
        problem.solve(progress=press)
    last = told.value.solution
    assert last.status == "interrupted" and last.iterations < 5 and problem.solve(guess=last).status == "optimal"
    assert signal.getsignal(signal.SIGINT) is before


def test_states_without_mass_are_states() -> None:
    """A motor with an inductance: voltage brings the current, the current the torque."""
    from polhode.model.samples import motor_driven_pendulum

    e = motor_driven_pendulum().derive()
    (coordinate,) = e.coordinates[:1]
    best = e.collocation(1, end={coordinate: 0.5}, nodes=21, inputs=list(e.system.inputs)).solve(accuracy=None)
    assert best.z.shape == (41, len(e.states)) and abs(best.deviation.end[coordinate]) < 1e-4
