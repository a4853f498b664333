"""The error between nodes against runs, and meshes that are refined until it is small, or the verdict says so."""

import warnings
from math import pi
from typing import Any

import numpy as np
import pytest

import polhode as ph
from polhode.model.samples.underactuated import cart_pole
from polhode.optimize.mesh import SCHEMES
from polhode.optimize.refinement import MeshError, refined_ends

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


def test_a_stiff_stop_is_resolved_and_the_replay_follows() -> None:
    """A mass is thrown against a spring of 1e4 N/m, which presses it for 31 ms, two of the first intervals."""
    s = ph.System("ball")
    s.joint("x", s.ground, s.body("ball", 1), ph.Prismatic("x"))
    x = s.joints["x"].q[0]
    s.force("ball", (-5_000 * (x + ph.sqrt(x * x + 1e-6)), 0, 0))
    e, start = s.derive(), {"x": -0.5, "x'": 2}
    problem = e.collocation(0.6, start=start, end={"x": -0.6}, inputs=["x"], limits={"tau_x": 2}, nodes=41)
    best = problem.solve(guess=e.simulate(0.6, start=start), refinements=8)
    assert best.status == "optimal" and best.deviation.largest < 1e-3 and best.meshes[0].error > 1e-2
    finest = int(np.argmin(np.diff(best.problem.mesh.ends)))
    assert abs(best.replay["x"][finest]) < 0.03 and best.meshes[-1].nodes < 100, "it is refined where it is pressed"


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
