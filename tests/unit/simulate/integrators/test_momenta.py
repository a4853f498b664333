"""Methods that keep the structure of a motion, on every kind of run."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import polhode as ph
from polhode.errors import SimulationError
from polhode.model.samples import four_bar


def arm() -> ph.System:
    s = ph.System("arm")
    upper, lower = s.body("upper", s.parameter("m", 1), (0, 0, -1)), s.body("lower", 2, (0, 0.1, -1), (0.1, 0.1, 0.2))
    s.joint("shoulder", s.ground, upper, ph.Revolute("y"))
    s.joint("elbow", upper, lower, ph.Spherical(), at=(0, 0, -1))
    return s


OPTIONS: dict[str, Any] = {"start": {"shoulder": 0.5}, "speeds": {"elbow_wx": 1}, "parameters": {"m": 1.5}}


@pytest.mark.parametrize(("method", "within"), [("gauss4", 1e-6), ("gauss6", 1e-9), ("lie4", 1e-6)])
def test_they_go_where_other_methods_go_under_all_that_acts(method: str, within: float) -> None:
    s = arm()
    wind = s.input("wind")
    s.joint_force("shoulder", wind - 0.3 * s.joints["shoulder"].u[0] + ph.sin(3 * s.time))
    equations = s.derive()
    for acting in (
        {"inputs": {"wind": 0.4}, "tau": {"elbow_wy": 0.1}},
        {"inputs": {"wind": 0.4}, "tau": lambda t, q, u: {"shoulder": -0.2 * u[0]}},
        {"inputs": {"wind": ph.cos(s.time) - 0.1 * s.joints["shoulder"].u[0]}},
        {"inputs": {"wind": ph.held(lambda t, q, u: -q[0], 0.123)}},
        {"inputs": {"wind": ph.sampled([0, 0.7, 2], [0, 1, 0.5])}},
    ):
        fine = equations.simulate(2, rtol=1e-12, atol=1e-12, **OPTIONS, **acting)
        run = equations.simulate(2, method=method, step=0.01, **OPTIONS, **acting)
        assert np.allclose(run.q[-1], fine.q[-1], atol=within)
        assert np.allclose(run.u[-1], fine.u[-1], atol=within)


@pytest.mark.parametrize("method", ["gauss6", "lie4"])
def test_a_run_watched_step_by_step_is_the_same_run(method: str) -> None:
    equations = arm().derive()
    bare = equations.simulate(1, method=method, step=0.01, samples=101, **OPTIONS)
    watched = equations.simulate(1, method=method, step=0.01, samples=101, events=[lambda t, q, u: q[0]], **OPTIONS)
    assert len(watched.events[0]) == 1
    assert np.array_equal(bare.q, watched.q)
    fine = equations.simulate(1, events=[lambda t, q, u: q[0]], **OPTIONS)
    assert watched.events[0] == pytest.approx(fine.events[0], abs=1e-7)
    ended = equations.simulate(1, method=method, step=0.01, until=lambda t, q, u: q[0], **OPTIONS)
    assert ended.status == "event" and ended.t[-1] == pytest.approx(watched.events[0][0])


def test_states_without_mass_are_stepped_too() -> None:
    s = ph.System("motor")
    slide = s.joint("x", s.ground, s.body("block", 2), ph.Prismatic("x"))
    z = s.state("current", rate=1)
    s.joint_force(slide, -3 * slide.q[0] + z)
    equations = s.derive()
    fine = equations.simulate(1, start={"x": 1}, rtol=1e-12, atol=1e-12)
    run = equations.simulate(1, start={"x": 1}, method="gauss6", step=0.02)
    assert np.allclose([*run.q[-1], *run.u[-1], *run.z[-1]], [*fine.q[-1], *fine.u[-1], *fine.z[-1]], atol=1e-11)


def test_a_run_says_which_variables_were_stepped() -> None:
    equations = arm().derive()
    assert equations.simulate(0.1, method="gauss6", **OPTIONS).info["variables"] == "q, p"
    driven = equations.simulate(0.1, method="gauss6", step=0.01, tau=lambda t, q, u: {}, **OPTIONS)
    assert driven.info["variables"] == "q, u"
    assert "symmetric but not symplectic: a controller drives it" in driven.notices[0]
    skew = ph.System("skew")
    two_axes = ph.JointMap([[1, 0], [0, 1], [0, 0], [0, 0], [0, 0], [0, 0]])
    skew.joint("hook", skew.ground, skew.body("bob", 1, (0, 0, -1), (1, 1, 1)), two_axes)
    run = skew.derive().simulate(1, start={"hook_1": 0.5}, method="gauss6", step=0.01)
    assert "not symplectic: a joint is not holonomic" in run.notices[0]
    assert run.energy_drift < 1e-9


def test_forces_that_jump_divide_the_steps() -> None:
    s = ph.System("block", gravity=(0, 0, 0))
    slide = s.joint("x", s.ground, s.body("block", mass=1), ph.Prismatic("x"), speeds=["v"])
    s.joint_spring(slide, 100)
    s.joint_force(slide, -3 * ph.sign(slide.u[0]), name="friction")
    fine = s.derive().simulate(0.5, start={"x": 1})
    run = s.derive().simulate(0.5, start={"x": 1}, method="gauss4", step=1e-3)
    assert run.q[-1] == pytest.approx(fine.q[-1], abs=1e-9), "the steps end where the sign changes"
    assert any("jumped once at t = 0.314159 s" in notice for notice in run.notices)


def test_what_a_method_cannot_step_is_told() -> None:
    equations = arm().derive()
    with pytest.raises(SimulationError, match="stages of gauss6 were not found: the step of 1 s is too long"):
        equations.simulate(10, method="gauss6", step=1, start={"shoulder": 0.5}, speeds={"elbow_wx": 30})
    for method in ("gauss4", "gauss6", "lie4"):
        with pytest.raises(ph.PolhodeError, match="it does not keep constraints"):
            four_bar().derive().simulate(1, method=method)
    s = ph.System("pendulum")
    s.joint("hinge", s.ground, s.body("bob", 1, (0, 0, -1)), ph.Revolute("y"))
    with pytest.raises(ph.PolhodeError, match="it turns quaternions, of which there are none"):
        s.derive().simulate(1, method="lie4")


def test_equations_that_break_down_are_told_and_what_was_reached_is_kept() -> None:
    s = ph.System("slider", gravity=(0, 0, 0))
    slide = s.joint("x", s.ground, s.body("block", 1), ph.Prismatic("x"))
    s.joint_force(slide, 1 / ph.sqrt(1 - slide.q[0]))
    for method in ("gauss4", "gauss6"):
        with pytest.raises(SimulationError) as stopped:
            s.derive().simulate(3, speeds={"x": 1}, method=method, step=0.01)
        kept = stopped.value.trajectory
        assert 0.5 < kept.t[-1] < 1 and np.isfinite(kept.q).all()  # type: ignore[attr-defined]
