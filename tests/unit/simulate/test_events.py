"""Events given as expressions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import polhode as ph
from polhode.errors import PolhodeError, ValueMissing
from polhode.model.samples import four_bar
from polhode.simulate import crossing


def thrown() -> ph.System:
    s = ph.System("thrown", gravity=(0, 0, -10))
    s.parameter("h", 0.45)
    s.joint("height", s.ground, s.body("stone", 2), ph.Prismatic("z"), speeds=["v"])
    return s


def test_an_expression_is_an_event_and_its_parameters_are_those_of_the_run() -> None:
    s = thrown()
    (z,), (v,) = s.joints["height"].q, s.joints["height"].u
    h = s.parameters["h"].symbol
    equations = s.derive()
    run = equations.simulate(2, speeds=[5.0], events=[z - h, crossing(z - h, direction=1), v])
    assert run.events[0] == pytest.approx([0.1, 0.9])
    assert run.events[1] == pytest.approx([0.1])
    assert run.events[2] == pytest.approx([0.5])
    higher = equations.simulate(2, speeds=[5.0], events=[z - h], parameters={"h": 0.8})
    assert higher.events[0] == pytest.approx([0.2, 0.8])


def test_a_run_goes_until_an_expression_or_a_function_is_zero() -> None:
    s = thrown()
    (z,) = s.joints["height"].q
    for until in (z, crossing(z, direction=-1), lambda t, q, u: q[0]):
        run = s.derive().simulate(10, speeds=[5.0], until=until)
        assert run.status == "event"
        assert run.t[-1] == pytest.approx(1.0, abs=1e-10)


def test_a_driven_coordinate_in_an_event_stands_for_its_motion() -> None:
    s = thrown()
    cart = s.joint("slide", s.ground, s.body("cart", 1), ph.Prismatic("x"))
    s.prescribe("slide", 3 * s.time)
    run = s.derive().simulate(2, speeds=[5.0], until=cart.q[0] - 1)
    assert run.t[-1] == pytest.approx(1 / 3)


@pytest.mark.parametrize("method", ["rk4", "heun"])
@pytest.mark.parametrize("tau", [None, lambda t, q, u: [0.0]], ids=["native", "with a controller"])
def test_fixed_steps_find_events_between_them(method: str, tau: Any) -> None:
    s = thrown()
    (z,), (v,) = s.joints["height"].q, s.joints["height"].u
    fixed: dict[str, Any] = {"method": method, "step": 0.03, "speeds": [5.0], "tau": tau}
    run = s.derive().simulate(2, events=[z - s.parameters["h"].symbol, v, crossing(z, direction=1)], **fixed)
    assert run.events[0] == pytest.approx([0.1, 0.9], abs=1e-12)  # a parabola is within every method's reach
    assert run.events[1] == pytest.approx([0.5], abs=1e-12)
    assert run.events[2] == [] and run.status == "done" and run.t[-1] == 2.0
    ended = s.derive().simulate(2, until=crossing(z, direction=-1), **fixed)
    assert ended.status == "event" and ended.t[-1] == pytest.approx(1.0, abs=1e-12)
    assert (ended.q[-1, 0], ended.u[-1, 0]) == pytest.approx((0.0, -5.0), abs=1e-12)


def test_the_error_of_an_event_found_with_fixed_steps_is_of_fourth_order() -> None:
    s = ph.System("pendulum")
    hinge = s.joint("hinge", s.ground, s.body("bob", 1, (0, 0, -1)), ph.Revolute("y"))
    equations = s.derive()

    def passes(**options: Any) -> float:
        run = equations.simulate(2, start={"hinge": 2.0}, events=[hinge.q[0]], **options)
        return float(run.events[0][0])

    exact = passes(rtol=1e-12, atol=1e-12)
    coarse, fine = (abs(passes(method="rk4", step=step) - exact) for step in (0.04, 0.01))
    assert fine < 1e-7
    assert coarse / fine > 4**3.5


def test_a_linkage_that_ends_at_an_event_with_fixed_steps_is_on_its_constraints() -> None:
    equations = four_bar().derive()
    crank = equations.system.joints["crank"].q[0]
    options: dict[str, Any] = {"start": {"crank": 0.3}, "speeds": {"crank": 4.0}, "until": crank - 1}
    runs = [equations.simulate(2, **options, **more) for more in ({}, {"method": "rk4", "step": 0.002})]
    assert [run.status for run in runs] == ["event", "event"]
    assert runs[1].t[-1] == pytest.approx(runs[0].t[-1], abs=1e-8)
    assert max(runs[1].drift.position, runs[1].drift.velocity) < 1e-10


def test_what_is_no_event_is_refused() -> None:
    s = thrown()
    equations = s.derive()
    with pytest.raises(PolhodeError, match="is no event"):
        equations.simulate(1, events=["height"])  # type: ignore[list-item]
    stranger = ph.System("s")
    other = stranger.joint("other", "ground", stranger.body("b", 1), ph.Prismatic("x"))
    with pytest.raises(PolhodeError, match="depends on the coordinate 'other'"):
        equations.simulate(1, until=other.q[0])
    unknown = s.parameter("k")
    with pytest.raises(ValueMissing, match="parameter 'k' of an event has no value"):
        s.derive().simulate(1, until=s.joints["height"].q[0] - unknown)


@pytest.mark.parametrize("method", ["auto", "Radau", "rk4", "euler", "midpoint", "gauss4"])
@pytest.mark.parametrize("end", [0.7, 1.0, 3.0])
def test_an_event_at_the_end_of_a_run_is_found(method: str, end: float) -> None:
    """Where rounding leaves the state a last bit before the zero, too."""
    s = ph.System("slider")
    slide = s.joint("x", s.ground, s.body("body", 1), ph.Prismatic("x"), speeds=["v"])
    e = s.derive()
    given: dict[str, Any] = {"speeds": {"v": 1.0}, "method": method}
    for step in (0.1, 0.01) if method not in ("auto", "Radau") else (None,):
        run = e.simulate(end, events=[slide.q[0] - end], until=s.time - end, step=step, **given)
        assert run.events == [pytest.approx([end])] * 2 and run.status == "event"
    batch = e.simulate(end, start={"x": np.zeros(2)}, events=[slide.q[0] - end], step=step, **given)
    assert [run.events for run in batch] == [[pytest.approx([end])]] * 2


def test_an_event_that_is_zero_at_the_start_is_none_in_momenta_either() -> None:
    """A chain whose second speed is zero at first; M⁻¹ p is zero but for rounding."""
    from bench.frozen_cases import _with_events

    assert [len(times) for times in _with_events("gauss4").events] == [1, 0, 0]
