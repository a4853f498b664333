"""What acts between samples, at breaks and after the end of the data."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import polhode as ph


def cart() -> ph.System:
    s = ph.System("cart", gravity=(0, 0, 0))
    slide = s.joint("x", s.ground, s.body("block", 1), ph.Prismatic("x"), speeds=["v"])
    s.joint_force(slide, s.input("F"))
    return s


def test_what_was_held_is_known_at_any_time_and_goes_through_pickling() -> None:
    run = cart().derive().simulate(1, samples=3, tau=ph.held(lambda t: [t], every=0.1), inputs={"F": "-v"})
    for known in (run, pickle.loads(pickle.dumps(run))):
        then = known.at([0.0, 0.099, 0.1, 0.55, 1.0])
        np.testing.assert_allclose(then.effort("v"), [0.0, 0.0, 0.1, 0.5, 0.9], atol=1e-15)
        np.testing.assert_allclose(then["F"], -then.speed("v"), rtol=1e-14)


def test_data_that_end_before_the_run_are_told() -> None:
    equations = cart().derive()
    short = equations.simulate(2, inputs={"F": ([0.0, 1.0], [1.0, 1.0])})
    assert any("samples of the input 'F' run from 0 to 1 s" in notice for notice in short.notices)
    assert not equations.simulate(2, inputs={"F": ph.sampled([0, 1], [1, 1], "held")}).notices, "it lasts a second more"


def test_tables_of_time_in_a_model_are_breaks_too() -> None:
    s = ph.System("cart", gravity=(0, 0, 0))
    slide = s.joint("x", s.ground, s.body("block", 1), ph.Prismatic("x"), speeds=["v"])
    s.joint_force(slide, ph.table([0, 0.3, 0.7], [5, -2, 1], kind="held")(s.time))
    run = s.derive().simulate(1, samples=2)
    assert run.u[-1, 0] == pytest.approx(5 * 0.3 - 2 * 0.4 + 0.3, abs=1e-13)
    assert not run.notices


def test_a_law_that_jumps_is_a_force_that_jumps() -> None:
    s = cart()
    v = s.joints["x"].u[0]
    run = s.derive().simulate(1, start={"x": 0.0}, speeds={"v": 1.0}, tau={"v": -4 * ph.sign(v - 0.5)}, samples=[0.1])
    assert run["v"][1] == pytest.approx(0.6, abs=1e-12)
    square = s.derive().simulate(1, tau={"v": ph.sign(ph.sin(2 * ph.pi * s.time))}, samples=5)
    np.testing.assert_allclose(square["v"], [0.0, 0.25, 0.5, 0.25, 0.0], atol=1e-10)
    assert "the law of effort" in square.notices[0]


def test_states_without_mass_are_in_laws_and_reach_functions() -> None:
    s = cart()
    x = s.joints["x"].q[0]
    z = s.state("sum", rate=x)
    law, held, python = (
        s.derive().simulate(1, start={"x": 1.0}, tau={"v": tau}, samples=5, rtol=1e-11, atol=1e-11)
        for tau in (-x - z, ph.held(lambda t, q, u, z: -q[0] - z[0], 1e-3), lambda t, q, u, z: -q[0] - z[0])
    )
    assert law.compare(python).largest < 1e-9
    assert law.compare(held).largest < 2e-3
    np.testing.assert_allclose(law.effort("v"), -law["x"] - law["sum"], atol=1e-14)
    assert np.abs(law.at(python.t).z - python.z).max() < 1e-9
