"""Events given as expressions."""

from __future__ import annotations

import pytest

import polhode as ph
from polhode.errors import PolhodeError, ValueMissing
from polhode.simulate import crossing, simulate


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
    run = simulate(equations, 2, speeds=[5.0], events=[z - h, crossing(z - h, direction=1), v])
    assert run.events[0] == pytest.approx([0.1, 0.9])
    assert run.events[1] == pytest.approx([0.1])
    assert run.events[2] == pytest.approx([0.5])
    higher = simulate(equations, 2, speeds=[5.0], events=[z - h], parameters={"h": 0.8})
    assert higher.events[0] == pytest.approx([0.2, 0.8])


def test_a_run_goes_until_an_expression_or_a_function_is_zero() -> None:
    s = thrown()
    (z,) = s.joints["height"].q
    for until in (z, crossing(z, direction=-1), lambda t, q, u: q[0]):
        run = simulate(s.derive(), 10, speeds=[5.0], until=until)
        assert run.status == "event"
        assert run.t[-1] == pytest.approx(1.0, abs=1e-10)


def test_a_driven_coordinate_in_an_event_stands_for_its_motion() -> None:
    s = thrown()
    cart = s.joint("slide", s.ground, s.body("cart", 1), ph.Prismatic("x"))
    s.prescribe("slide", 3 * s.time)
    run = simulate(s.derive(), 2, speeds=[5.0], until=cart.q[0] - 1)
    assert run.t[-1] == pytest.approx(1 / 3)


def test_what_is_no_event_is_refused() -> None:
    s = thrown()
    equations = s.derive()
    with pytest.raises(PolhodeError, match="is no event"):
        simulate(equations, 1, events=["height"])  # type: ignore[list-item]
    stranger = ph.System("s")
    other = stranger.joint("other", "ground", stranger.body("b", 1), ph.Prismatic("x"))
    with pytest.raises(PolhodeError, match="depends on the coordinate 'other'"):
        simulate(equations, 1, until=other.q[0])
    unknown = s.parameter("k")
    with pytest.raises(ValueMissing, match="parameter 'k' of an event has no value"):
        simulate(s.derive(), 1, until=s.joints["height"].q[0] - unknown)
