"""Efforts and inputs may be given as numbers, text, expressions, samples and functions, mixed in one mapping."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import polhode as ph
from polhode.simulate.control.inputs import read_efforts, read_inputs


def cart() -> ph.System:
    """A block on a line with a mass of one, and two inputs that push it."""
    s = ph.System("cart", gravity=(0, 0, 0))
    slide = s.joint("slide", s.ground, s.body("block", 1), ph.Prismatic("x"), coordinates=["x"], speeds=["v"])
    s.parameter("k", 3)
    s.joint_force(slide, s.input("F", 0.25), name="first")
    s.joint_force(slide, s.input("G"), name="second")
    return s


@pytest.fixture(scope="module")
def system() -> ph.System:
    return cart()


@pytest.fixture(scope="module")
def equations(system: ph.System) -> ph.Equations:
    return system.derive()


def test_kinds_are_told_apart(system: ph.System, equations: ph.Equations) -> None:
    given = {"F": (np.array([0.0, 1.0]), [2.0, 3.0]), "G": lambda t: t}
    made = read_inputs(equations.derivation, given, np.array([0.25, 0.0]))
    assert list(made.laws) == [0]
    assert [each.columns for each in made.asked] == [(1,)]
    assert not made.is_constant
    assert read_inputs(equations.derivation, {"G": "1/2"}, np.array([0.25, 0.0])).constant.tolist() == [0.25, 0.5]
    assert read_efforts(equations.derivation, {"slide": 2}).constant.tolist() == [2.0], (
        "a joint with one speed names it"
    )
    assert (
        read_efforts(equations.derivation, "-k*x").laws[0]
        is -system.parameters["k"].symbol * system.joints["slide"].q[0]
    )


@pytest.mark.parametrize(
    "force",
    [
        lambda s: 2 * s.time,
        lambda s: "2*t",
        lambda s: ph.sampled([0, 1], [0, 2]),
        lambda s: ([0.0, 1.0], [0.0, 2.0]),
        lambda s: ph.sampled([0, 2], rate=1.0),
        lambda s: ph.sampled(np.arange(5) / 2, np.arange(5), "cubic"),
        lambda s: ph.table([0, 1], [0, 2], outside="line"),
        lambda s: lambda t: 2 * t,
        lambda s: lambda t, q, u: 2 * t,
    ],
)
def test_one_force_in_many_ways_is_one_motion(system: ph.System, equations: ph.Equations, force: Any) -> None:
    run = equations.simulate(1, inputs={"F": 0, "G": force(system)}, samples=11)
    np.testing.assert_allclose(run["x"], run.t**3 / 3, atol=1e-9)
    np.testing.assert_allclose(run["G"], 2 * run.t, atol=1e-12)


def test_all_kinds_act_together(system: ph.System, equations: ph.Equations) -> None:
    v = system.joints["slide"].u[0]
    given = {"F": ph.sampled([0, 0.5], [1, 3], "held"), "G": ph.held(lambda t: 4 * t, every=0.25)}
    run = equations.simulate(1, tau={"v": -v}, inputs=given, samples=9, rtol=1e-12, atol=1e-12)
    assert run["F"].tolist() == [1, 1, 1, 1, 3, 3, 3, 3, 3]
    assert run["G"].tolist() == [0, 0, 1, 1, 2, 2, 3, 3, 3]
    np.testing.assert_allclose(run.effort("v"), -run.speed("v"), rtol=1e-14)
    speed = 0.0
    for force in (1, 2, 5, 6):  # dv/dt = F + G - v in each quarter of a second
        speed = force + (speed - force) * np.exp(-0.25)
    assert run.u[-1, 0] == pytest.approx(speed, abs=1e-11)


def test_what_is_wrong_with_samples_is_told_of_the_input_they_are_for() -> None:
    s = ph.System("slider", gravity=(0, 0, 0))
    x = s.joint("x", s.ground, s.body("block", 1), ph.Prismatic("x"))
    s.joint_force(x, s.input("road"))
    equations = s.derive()
    with pytest.raises(ph.PolhodeError, match=r"inputs 'road': values\[1\] is nan, not a finite number"):
        equations.simulate(1, inputs={"road": ([0, 1], [0, np.nan])})
    with pytest.raises(ph.PolhodeError, match=r"inputs 'road': the times must ascend, but times\[0\] is 1\.0"):
        equations.simulate(1, inputs={"road": ([1, 0], [0, 1])})
    with pytest.raises(ph.PolhodeError, match="inputs 'road': 'map' takes 2 arguments, and the time is one"):
        equations.simulate(1, inputs={"road": ph.table(([0, 1], [0, 1]), [[0, 1], [0, 1]], name="map")})
    with pytest.raises(ph.PolhodeError, match=r"sampled 'road': values has 3|sampled 'road': times has 2 entries"):
        ph.sampled([0, 1], [0, 1, 2], name="road")
    with pytest.raises(ph.PolhodeError, match=r"^sampled: the times must ascend"):
        ph.sampled([0, 0], [0, 1])
