"""The error between nodes against runs, and meshes that are refined until it is small, or the verdict says so."""

import warnings
from math import pi
from typing import Any

import numpy as np
import pytest

import polhode as ph
from polhode.model.samples.underactuated import cart_pole
from polhode.optimize.mesh import SCHEMES
from polhode.optimize.problem import Collocation
from polhode.optimize.refinement import MeshError, refined_ends
from polhode.simulate.trajectory.trajectory import Trajectory

UP = {"x": 1, "theta": 0, "x'": 0, "theta'": 0}


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
