"""What a solution is: a motion by name, a trajectory, a reference, a replay; and why a search that fails does."""

import os
import signal
import warnings
from math import pi
from typing import Any

import numpy as np
import pytest
from tests.refusals import refused

import polhode as ph
from polhode.model.samples.underactuated import cart_pole
from polhode.optimize.mesh import SCHEMES
from polhode.optimize.problem import Collocation
from polhode.optimize.solution import MeshError, OptimizationError, refined_ends
from polhode.simulate.trajectory.trajectory import Trajectory

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


def pendulum() -> ph.Equations:
    s = ph.System("pendulum")
    s.joint("a", s.ground, s.body("bob", 1, (0, 0, -1)), ph.Revolute("y"))
    return s.derive()


def test_the_error_between_nodes_is_that_of_a_run_from_each_node() -> None:
    """Each interval run by `simulate` from its left node, under the laws of the controls."""
    best = cart_pole().derive().collocation(2, start={"theta": pi}, end=UP, limits={"F": 20}, nodes=12).solve(
        refinements=0, accuracy=1e-9
    )  # fmt: skip
    e, nodes, error = cart_pole().derive(), best.problem.mesh.ends * 2, best.error
    assert best.status == "coarse" and error.difference.shape == (11, 4) and error.t == pytest.approx(nodes)
    for k in (0, 4, 10):
        left, middle, right = best["F"][2 * k : 2 * k + 3]
        s = (e.system.time) / (nodes[k + 1] - nodes[k])
        law = left * (1 - s) * (1 - 2 * s) + middle * 4 * s * (1 - s) + right * s * (2 * s - 1)
        run = e.simulate(
            nodes[k + 1] - nodes[k], start=(best.q[2 * k], best.u[2 * k]), inputs={"F": law}, samples=3, rtol=1e-11
        )
        gap = np.abs(run.x[1:] - np.hstack([best.q, best.u])[2 * k + 1 : 2 * k + 3]).max(axis=0)
        assert error.difference[k] == pytest.approx(gap, rel=1e-3, abs=1e-8)


@pytest.mark.parametrize("scheme", list(SCHEMES))
def test_a_mesh_is_refined_where_its_error_is_until_that_is_small(scheme: str) -> None:
    problem = pendulum().collocation(1, end={"a": 1.5, "a'": 0}, inputs=["a"], nodes=5, scheme=scheme)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        best = problem.solve(accuracy=1e-4, refinements=5)
    assert best.status == "optimal" and best.error.largest <= 1e-4 < best.meshes[0].error
    assert [each.nodes for each in best.meshes] == sorted({each.nodes for each in best.meshes}) and len(best.t) > 9
    assert best.meshes[-1] == best.record and "Between nodes the motion is off by" in best.verdict
    assert best.deviation.largest < 1e-3
    assert len(problem.solve(accuracy=None).meshes) == 0, "no estimate was asked for"


def test_what_is_still_off_when_the_budget_ends_is_warned_of_and_in_the_verdict() -> None:
    problem = cart_pole().derive().collocation(2, start={"theta": pi}, end=UP, limits={"F": 20}, nodes=10)
    with pytest.warns(UserWarning, match=r"but between nodes the motion is off by \S+ in '\S+' between t = "):
        best = problem.solve(refinements=0)
    assert best.status == "coarse" and len(best.meshes) == 1 and best.meshes[0].error == best.error.largest > 1e-4
    amount = f"{np.abs(best.deviation.difference).max():.3g}"
    assert f"{best.message[1:]} A run under the controls alone deviates by at most {amount} in '" in best.verdict
    with pytest.warns(UserWarning, match="On .* nodes no optimum was found: the search took as many iterations"):
        short = problem.solve(guess=best, iterations=1)
    assert short.status == "coarse" and short.cost == pytest.approx(best.cost)


def hopper(is_smooth: bool) -> tuple[Collocation, Trajectory]:
    """A trunk over a foot on ground of 1e5 N/m, in which it swings within 11 ms; a run under a force in the leg."""
    s = ph.System("hopper", gravity=(0, 0, "-9.81"))
    s.joint("z", s.ground, s.body("trunk", 3), ph.Prismatic("z"))
    s.joint("leg", "trunk", s.body("foot", "0.3"), ph.Prismatic("z"), limits=("-0.6", "-0.2"))
    height, rate = (s.joints["z"].q[0] + s.joints["leg"].q[0]), (s.joints["z"].u[0] + s.joints["leg"].u[0])
    depth = ph.log(1 + ph.exp(-1000 * height)) / 1000 if is_smooth else ph.maximum(-height, 0)
    s.force("foot", (0, 0, 1e5 * depth * (1 - 0.3 * rate)))
    e, start = s.derive(), {"z": 0.4 - 3.3 * 9.81 / 1e5, "leg": -0.4}
    limits = {"tau_leg": 300}
    problem = e.collocation(0.6, start=start, end={"z": 0.6, "z'": 0}, inputs=["leg"], limits=limits, nodes=100)
    return problem, e.simulate(0.6, start=start, tau={"leg": -3 * 9.81})


def test_a_hopper_on_stiff_ground_follows_its_motion_or_the_verdict_has_by_how_much_it_does_not() -> None:
    problem, run = hopper(is_smooth=True)
    best = problem.solve(guess=run)
    assert best.status == "optimal" and best.meshes[0].error > 1e-2 and best.deviation.largest < 1e-3
    steps, foot = np.diff(best.problem.mesh.ends), (best.replay["z"] + best.replay["leg"])[:-1]
    assert foot[steps < steps.max() / 2].max() < 0.01, "the mesh is refined where the foot is on the ground"
    problem, run = hopper(is_smooth=False)
    with pytest.warns(UserWarning, match="between nodes the motion is off by"):
        kinked = problem.solve(guess=run, refinements=1)
    assert kinked.status == "coarse" and kinked.deviation.largest > 1e-2 and kinked.deviation.worst in kinked.verdict


def test_an_interval_is_cut_by_the_order_of_the_scheme_and_everywhere_where_that_did_not_help() -> None:
    from polhode.optimize.mesh import Mesh

    mesh = Mesh(SCHEMES["hermite_simpson"], np.array([0.0, 0.25, 0.5, 1.0]))
    error = MeshError(mesh.ends, np.array([[1e-5], [7e-4], [np.inf]]), np.ones(1), ("x",))
    assert refined_ends(mesh, error, 1e-4, everywhere=False) == pytest.approx(
        [0, 0.25, 0.375, 0.5, 0.625, 0.75, 0.875, 1]
    )
    assert refined_ends(mesh, error, 1e-4, everywhere=True)[:3] == pytest.approx([0, 0.125, 0.25])


def test_controls_that_go_beyond_their_limits_between_nodes_are_in_the_verdict() -> None:
    """Full force forward and back: a parabola where it switches; lines keep what their ends keep."""
    s = ph.System("slider")
    s.joint("x", s.ground, s.body("block", 1), ph.Prismatic("x"))
    task: dict[str, Any] = {"end": {"x": 1, "x'": 0}, "cost": "time", "inputs": ["x"], "limits": {"tau_x": 2}}
    verdicts = [s.derive().collocation((0.1, 9), **task, nodes=21, scheme=name).solve().verdict for name in SCHEMES]
    assert "Between nodes limits are exceeded: 'tau_x' by 0." in verdicts[0] and "exceeded" not in verdicts[1]
