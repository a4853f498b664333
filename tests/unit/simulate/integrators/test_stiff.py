"""A run that may choose its method takes an implicit one while it is stiff, and returns."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from polhode.simulate.integrators.stiff import STIFF_METHOD, Switch

import polhode as ph
from polhode import Equations
from polhode.model.samples import four_bar
from polhode.simulate.constraints.projection import EmbeddedRates, ProjectedRates


def block(force: Any) -> Equations:
    s = ph.System("block")
    j = s.joint("x", s.ground, s.body("block", 1), ph.Prismatic("x"), speeds=["v"])
    s.joint_force("x", force(s.time, j.q[0], j.u[0]))
    return s.derive()


@pytest.fixture(scope="module")
def bushing() -> Equations:
    return block(lambda t, x, v: -4e4 * v - 4e4 * (x - ph.sin(t)))


OPTIONS: dict[str, Any] = {"rtol": 1e-8, "atol": 1e-8, "watch_energy": False}
#: What a run may begin with, and the options under which it does: Taylor series where no step is bounded.
EXPLICIT: dict[str, dict[str, Any]] = {"taylor": {}, "TP86": {"step": 1e3}}


@pytest.mark.parametrize("explicit", EXPLICIT)
def test_a_stiff_run_is_taken_by_the_implicit_method_and_tells_when(bushing: Equations, explicit: str) -> None:
    run = bushing.simulate(5, **OPTIONS, **EXPLICIT[explicit])
    assert run.info["method"] == explicit
    ((t, name),) = run.info["switches"]
    assert name == STIFF_METHOD
    assert 0 < t < 0.1
    assert run.info["steps"] < 400
    exact = bushing.simulate(5, method="DOP853", rtol=1e-11, atol=1e-11, watch_energy=False)
    assert np.abs(run.q - exact.q).max() < 1e-6


@pytest.mark.parametrize("explicit", EXPLICIT)
def test_a_run_that_is_not_stiff_is_the_explicit_method_bit_for_bit(explicit: str) -> None:
    swing = block(lambda t, x, v: -4 * x - v / 10)
    options = OPTIONS | EXPLICIT[explicit]
    chosen, plain = (swing.simulate(20, start={"x": 1.0}, method=method, **options) for method in ("auto", explicit))
    assert chosen.info["switches"] == []
    assert np.array_equal(chosen.q, plain.q)


@pytest.mark.parametrize(("end", "turned"), [(20.0, True), (10.5, False)])
def test_a_run_that_is_nearly_done_is_ended_by_the_method_that_it_has(end: float, turned: bool) -> None:
    run: Any = SimpleNamespace(record=SimpleNamespace(t=10.0, taken=1e-3, stiffness_limit=0))
    switch = Switch("TP86")
    assert switch.turned(run, end) == switch.is_stiff == turned


@pytest.mark.parametrize("explicit", EXPLICIT)
def test_it_returns_where_the_stiffness_is_over(explicit: str) -> None:
    # damping that fades: stiff at first, a free swing later
    damped = block(lambda t, x, v: -25 * x - 1e5 * ph.exp(-4 * t) * v)
    run = damped.simulate(30, start={"x": 1.0}, **OPTIONS, **EXPLICIT[explicit])
    assert [name for _, name in run.info["switches"]] == [STIFF_METHOD, explicit]
    exact = damped.simulate(30, start={"x": 1.0}, method="Radau", rtol=1e-11, atol=1e-11, watch_energy=False)
    assert np.abs(run.q - exact.q).max() < 1e-5


def test_a_short_run_goes_on_explicitly(bushing: Equations) -> None:
    assert bushing.simulate(0.02, **OPTIONS).info["switches"] == []


def test_samples_and_events_do_not_mind_a_change_of_method(bushing: Equations) -> None:
    events = [2 * bushing.q[0] - 1]
    run = bushing.simulate(7, samples=71, events=events, **OPTIONS)
    assert [name for _, name in run.info["switches"]] == [STIFF_METHOD]
    assert np.array_equal(run.t, np.linspace(0, 7, 71))
    # with hardly any mass, x' = sin t - x
    for t in run.info["events"][0]:
        assert np.sin(t) - np.cos(t) + np.exp(-t) == pytest.approx(1.0, abs=1e-4)
    assert len(run.info["events"][0]) == 2
    again = bushing.simulate(7, samples=2, events=events, **OPTIONS)
    assert np.array_equal(run.q[-1], again.q[-1])


def test_a_run_that_chooses_compiles_no_jacobian(bushing: Equations) -> None:
    functions = bushing.compile()
    asked: list[str] = []
    native = functions.native
    functions.native = lambda name, *more: (asked.append(str(name)), native(name, *more))[1]  # type: ignore[method-assign]
    assert bushing.simulate(20, functions=functions, **OPTIONS).info["switches"]
    assert not any("jacobian" in name for name in asked)
    bushing.simulate(1, functions=functions, method=STIFF_METHOD, **OPTIONS)
    assert any("jacobian" in name for name in asked)


def test_a_run_by_two_methods_can_be_asked_at_any_time(bushing: Equations) -> None:
    run = bushing.simulate(5, samples=3, **OPTIONS)
    assert run.info["switches"]
    # before and after the change; with hardly any mass, 2 x = sin t - cos t + exp -t
    times = np.array([0.001, 0.7, 1.9, 3.1, 4.6])
    exact = (np.sin(times) - np.cos(times) + np.exp(-times)) / 2
    assert run.interpolant is not None
    assert np.abs(run.interpolant(times)[:, 0] - exact).max() < 1e-4


@pytest.mark.parametrize("method", ["auto", STIFF_METHOD])
def test_a_member_of_a_batch_is_the_same_alone(bushing: Equations, method: str) -> None:
    batch = bushing.simulate(2, start={"x": np.array([0.0, 0.1])}, samples=5, method=method, **OPTIONS)
    alone = bushing.simulate(2, start={"x": 0.1}, samples=5, method=method, **OPTIONS)
    assert np.array_equal(batch.q[1], alone.q)


def stiff_loop(constraints: str) -> Equations:
    """A four-bar whose crank a hard bushing holds near an angle that swings."""
    s = four_bar()
    crank = s.joints["crank"]
    s.joint_force(crank, -2e3 * (crank.u[0] + crank.q[0] - 0.4 - 0.2 * ph.sin(s.time)))
    return s.derive(constraints=constraints)


@pytest.mark.parametrize("constraints", ["multipliers", "embedded"])
@pytest.mark.parametrize("method", ["Rodas5P", "Radau"])
def test_implicit_methods_keep_constraints_without_python(
    constraints: str, method: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    loop, start = stiff_loop(constraints), {"crank": 0.4}
    exact = loop.simulate(1, start=start, method="DOP853", rtol=1e-11, atol=1e-11, samples=6)
    asked: list[float] = []
    of = {"multipliers": ProjectedRates, "embedded": EmbeddedRates}[constraints]
    plain = of.__call__

    def counted(rates: Any, t: float, x: Any) -> Any:
        asked.append(t)
        return plain(rates, t, x)

    monkeypatch.setattr(of, "__call__", counted)
    run = loop.simulate(1, start=start, method=method, samples=6)
    assert np.abs(run.x - exact.x).max() < 1e-8
    assert run.info["steps"] < 200 < exact.info["steps"]
    assert run.drift.position < 1e-12 and run.drift.velocity < 1e-12
    assert asked == [0.0], "Python has no say in the steps"


@pytest.mark.parametrize("constraints", ["multipliers", "embedded"])
def test_derivatives_under_constraints_are_exact(constraints: str) -> None:
    loop = stiff_loop(constraints)
    assert loop.simulate(0.01, start={"crank": 0.4}, method="Radau").is_whole
    assert {"multipliers": "stabilised_rates_jacobian", "embedded": "state_rates_jacobian"}[
        constraints
    ] in loop._functions._compiled


def test_a_stiff_loop_is_taken_by_the_implicit_method() -> None:
    loop = stiff_loop("multipliers")
    run = loop.simulate(4, start={"crank": 0.4})
    assert [name for _, name in run.info["switches"]] == [STIFF_METHOD]
    exact = loop.simulate(4, start={"crank": 0.4}, method="Radau", rtol=1e-11, atol=1e-11)
    assert np.abs(run.x - exact.x).max() < 1e-7 and run.drift.position < 1e-12
