"""What acts between samples, at breaks and after the end of the data."""

import pickle
from typing import Any

import numpy as np
import pytest

import polhode as ph
from polhode.simulate.control.actuation import (
    SignalFunction,
    breaks_at,
    read_efforts,
    read_inputs,
    sample_times,
    tables_of_time,
)  # fmt: skip


def cart() -> ph.System:
    s = ph.System("cart", gravity=(0, 0, 0))
    slide = s.joint("x", s.ground, s.body("block", 1), ph.Prismatic("x"), speeds=["v"])
    s.joint_force(slide, s.input("F"))
    return s


def test_held_values_are_kept_and_pickled_and_data_that_end_too_early_are_reported() -> None:
    run = cart().derive().simulate(1, samples=3, tau=ph.held(lambda t: [t], every=0.1), inputs={"F": "-v"})
    for known in (run, pickle.loads(pickle.dumps(run))):
        then = known.at([0.0, 0.099, 0.1, 0.55, 1.0])
        np.testing.assert_allclose(then.effort("v"), [0.0, 0.0, 0.1, 0.5, 0.9], atol=1e-15)
        np.testing.assert_allclose(then["F"], -then.speed("v"), rtol=1e-14)
    equations = cart().derive()
    short = equations.simulate(2, inputs={"F": ([0.0, 1.0], [1.0, 1.0])})
    assert any("samples of the input 'F' run from 0 to 1 s" in notice for notice in short.notices)
    assert not equations.simulate(2, inputs={"F": ph.sampled([0, 1], [1, 1], "held")}).notices, "it lasts a second more"


def test_tables_of_time_in_a_model_are_breaks_too() -> None:
    s = ph.System("cart", gravity=(0, 0, 0))
    slide = s.joint("x", s.ground, s.body("block", 1), ph.Prismatic("x"), speeds=["v"])
    s.joint_force(slide, ph.table([0, 0.3, 0.7], [5, -2, 1], kind="held")(s.time))
    run = s.derive().simulate(1, samples=2)
    assert run.u[-1, 0] == pytest.approx(5 * 0.3 - 2 * 0.4 + 0.3, abs=1e-13) and not run.notices


def test_a_law_that_jumps_is_a_force_that_jumps_and_states_without_mass_are_in_laws_and_reach_functions() -> None:
    s = cart()
    v = s.joints["x"].u[0]
    run = s.derive().simulate(1, start={"x": 0.0}, speeds={"v": 1.0}, tau={"v": -4 * ph.sign(v - 0.5)}, samples=[0.1])
    assert run["v"][1] == pytest.approx(0.6, abs=1e-12)
    square = s.derive().simulate(1, tau={"v": ph.sign(ph.sin(2 * ph.pi * s.time))}, samples=5)
    np.testing.assert_allclose(square["v"], [0.0, 0.25, 0.5, 0.25, 0.0], atol=1e-10)
    assert "the law of effort" in square.notices[0]
    s = cart()
    x = s.joints["x"].q[0]
    z = s.state("sum", rate=x)
    law, held, python = (
        s.derive().simulate(1, start={"x": 1.0}, tau={"v": tau}, samples=5, rtol=1e-11, atol=1e-11)
        for tau in (-x - z, ph.held(lambda t, q, u, z: -q[0] - z[0], 1e-3), lambda t, q, u, z: -q[0] - z[0])
    )
    assert law.compare(python).largest < 1e-9 and law.compare(held).largest < 2e-3
    np.testing.assert_allclose(law.effort("v"), -law["x"] - law["sum"], atol=1e-14)
    assert np.abs(law.at(python.t).z - python.z).max() < 1e-9


def test_sample_times_and_tables_of_the_time_are_time_events() -> None:
    sums, products = np.cumsum(np.full(9, 0.1)), np.arange(1, 10) * 0.1
    assert (sums != products).any()
    made = breaks_at([sums, products, np.array([-1.0, 0.0, 1.5])], 1.0)
    assert len(made) == 9 and (made.before < np.minimum(sums, products)).all()
    assert (made.times >= np.maximum(sums, products)).all()
    np.testing.assert_allclose(made.before, made.times, rtol=1e-14)
    assert breaks_at([np.array([0.5, np.nextafter(1.0, 2.0)])], 1.0).times.tolist() == [0.5, 1.0]
    assert len(breaks_at([], 1.0)) == 0
    assert sample_times(0.5, 1.6, "it").tolist() == [0.5, 1.0, 1.5]
    t, x = ph.symbol("t"), ph.symbol("x")
    step = ph.sampled([0, 1], [2, 3], "held")
    assert [table.points.kind for table in tables_of_time([2 * step(t) + x], t)] == ["held"]
    assert not list(tables_of_time([step(x), step(2 * t)], t))


def pushed_block() -> ph.System:
    """A block on a line with a mass of one, and two inputs that push it."""
    s = ph.System("cart", gravity=(0, 0, 0))
    slide = s.joint("slide", s.ground, s.body("block", 1), ph.Prismatic("x"), coordinates=["x"], speeds=["v"])
    s.parameter("k", 3)
    s.joint_force(slide, s.input("F", 0.25), name="first")
    s.joint_force(slide, s.input("G"), name="second")
    return s


@pytest.fixture(scope="module")
def system() -> ph.System:
    return pushed_block()


@pytest.fixture(scope="module")
def equations(system: ph.System) -> ph.Equations:
    return system.derive()


def test_kinds_are_told_apart(system: ph.System, equations: ph.Equations) -> None:
    given = {"F": (np.array([0.0, 1.0]), [2.0, 3.0]), "G": lambda t: t}
    made = read_inputs(equations.derivation, given, np.array([0.25, 0.0]))
    assert list(made.laws) == [0] and [each.columns for each in made.functions] == [(1,)] and not made.is_constant
    assert read_inputs(equations.derivation, {"G": "1/2"}, np.array([0.25, 0.0])).constant.tolist() == [0.25, 0.5]
    assert read_efforts(equations.derivation, {"slide": 2}).constant.tolist() == [2.0], (
        "a joint with one speed names it"
    )
    assert (
        read_efforts(equations.derivation, "-k*x").laws[0]
        is -system.parameters["k"].symbol * system.joints["slide"].q[0]
    )


@pytest.mark.parametrize("force", [
    lambda s: 2 * s.time, lambda s: "2*t", lambda s: ph.sampled([0, 1], [0, 2]), lambda s: ([0.0, 1.0], [0.0, 2.0]),
    lambda s: ph.sampled([0, 2], rate=1.0), lambda s: ph.sampled(np.arange(5) / 2, np.arange(5), "cubic"),
    lambda s: ph.table([0, 1], [0, 2], outside="line"), lambda s: lambda t: 2 * t, lambda s: lambda t, q, u: 2 * t,
])  # fmt: skip
def test_one_force_in_many_ways_is_one_motion(system: ph.System, equations: ph.Equations, force: Any) -> None:
    run = equations.simulate(1, inputs={"F": 0, "G": force(system)}, samples=11)
    np.testing.assert_allclose(run["x"], run.t**3 / 3, atol=1e-9)
    np.testing.assert_allclose(run["G"], 2 * run.t, atol=1e-12)


def test_all_kinds_act_together(system: ph.System, equations: ph.Equations) -> None:
    v = system.joints["slide"].u[0]
    given = {"F": ph.sampled([0, 0.5], [1, 3], "held"), "G": ph.held(lambda t: 4 * t, every=0.25)}
    run = equations.simulate(1, tau={"v": -v}, inputs=given, samples=9, rtol=1e-12, atol=1e-12)
    assert run["F"].tolist() == [1, 1, 1, 1, 3, 3, 3, 3, 3] and run["G"].tolist() == [0, 0, 1, 1, 2, 2, 3, 3, 3]
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


@pytest.mark.parametrize(("function", "count"), [
    (lambda t: 0, 1), (lambda t, q, u: 0, 3), (lambda t, q, u, z: 0, 4), (lambda *given: 0, 3),
    (lambda t, gain=2: 0, 1), (lambda t, q, u, gain=2: 0, 3), (lambda t=0, q=None, u=None: 0, 3), (np.sin, 1),
])  # fmt: skip
def test_a_function_is_given_what_it_takes(function: Any, count: int) -> None:
    assert SignalFunction(function, "the function", (0,), np.atleast_1d).arguments == count


@pytest.mark.parametrize("method", ["DOP853", "RK45", "scipy.DOP853", "scipy.Radau", "scipy.LSODA"])
def test_what_is_held_is_asked_once_at_each_sample_time_with_the_state_there(method: str) -> None:
    s = ph.System("cart", gravity=(0, 0, 0))
    s.joint("x", s.ground, s.body("block", 1), ph.Prismatic("x"), speeds=["v"])
    heard: list[tuple[float, float, float]] = []

    def controller(t: float, q: np.ndarray, u: np.ndarray) -> dict[str, float]:
        heard.append((t, q[0], u[0]))
        q[:] = np.nan
        return {"v": 1.0 - t}

    run = s.derive().simulate(1, tau=ph.held(controller, every=0.3), method=method, samples=[0.3, 0.6, 0.9])
    assert [t for t, _, _ in heard] == [0.0, 0.3, 0.6, 0.3 * 3]
    np.testing.assert_allclose([u for _, _, u in heard[1:]], run.u[1:4, 0], rtol=1e-6)
    np.testing.assert_allclose(run.u[:, 0], [0.0, 0.3, 0.51, 0.63, 0.64], atol=1e-6)
    assert run.tau is not None
    np.testing.assert_allclose(run.tau[:, 0], [1.0, 0.7, 0.4, 0.1, 0.1], atol=1e-15)
