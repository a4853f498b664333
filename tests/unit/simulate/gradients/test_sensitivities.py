"""What sensitivities and gradients take, how they are asked, and what they refuse."""

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from tests.refusals import refused

import polhode as ph
from polhode.errors import PolhodeError, SimulationError
from polhode.simulate import crossing


@pytest.fixture(scope="module")
def swing() -> tuple[ph.System, Any, Any]:
    s = ph.System("pendulum")
    l, F = s.parameter("l", 0.8), s.input("F", 0.2)
    hinge = s.joint("hinge", s.ground, s.body("bob", 1, (0, 0, -l)), ph.Revolute("y"))
    s.joint_force(hinge, F * hinge.u[0])
    return s, hinge, s.derive()


def test_derivatives_are_asked_for_by_names_or_symbols_in_any_order(swing: Any) -> None:
    s, hinge, e = swing
    named = e.sensitivities(1, ["l", "F", "hinge", "hinge'", "tau_hinge"], start={"hinge": 1}, samples=3)
    symbols = [s.parameters["l"].symbol, s.inputs["F"].symbol, e.q[0], e.u[0], e.tau[0]]
    given = e.sensitivities(1, symbols, start={"hinge": 1}, samples=3)
    assert named.by == given.by == ("l", "F", "hinge", "hinge'", "tau_hinge")
    assert_allclose(named.dq, given.dq)
    assert_allclose(named["hinge'", "l"], named.du[:, 0, 0])
    assert_allclose(named[hinge.q[0], e.u[0]], named.dq[:, 0, 3])
    _, _, e = swing
    one = e.sensitivities(1, ["hinge", "l"], start={"hinge": 1}, samples=3)
    two = e.sensitivities(1, ["l", "hinge"], start={"hinge": 1}, samples=3)
    assert_allclose(one.dq, two.dq[:, :, ::-1], rtol=1e-7, atol=1e-12)
    assert_allclose(one.dq[0, 0], [1.0, 0.0])


def test_values_and_gradients_are_derivatives_of_expressions(swing: Any) -> None:
    s, hinge, e = swing
    run = e.sensitivities(1, ["l", "hinge"], start={"hinge": 1}, samples=3)
    l = s.parameters["l"].symbol
    both = run.values(l * hinge.q[0], hinge.u[0])
    assert both.shape == (3, 2, 2)
    assert_allclose(both[:, 0, 0], run.trajectory["hinge"] + 0.8 * run.dq[:, 0, 0], rtol=1e-12)
    assert_allclose(both[:, 1], run.du[:, 0], rtol=1e-12)
    _, hinge, e = swing
    made = e.gradient(1, ["l", "hinge"], of=hinge.q[0], start={"hinge": 1})
    assert dict(made) == {"l": made["l"], "hinge": made["hinge"]}
    assert made.value == pytest.approx(made.trajectory["hinge"][-1]) and "l:" in repr(made)
    refused("no derivative by 'm'", lambda: made["m"])


def test_a_start_that_does_not_move_is_still_a_run(swing: Any) -> None:
    _, _, e = swing
    run = e.sensitivities(0, ["l", "hinge"], start={"hinge": 1})
    assert_allclose(run.dq[-1, 0], [0.0, 1.0])


def test_samples_and_steps_do_not_change_derivatives(swing: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    _, _, e = swing
    few, many = (e.sensitivities(1, ["l"], start={"hinge": 1}, samples=n).dq[-1] for n in (2, 300))
    assert_allclose(few, many, rtol=1e-14)
    steps = bouncing().trajectory.info["steps"]
    refused(f"had taken {steps - 1} steps, as many as allowed", lambda: bouncing(max_steps=steps - 1), SimulationError)
    expected = bouncing().slopes
    monkeypatch.setattr("polhode.ode.native_run.MOST_KEPT", 100)
    assert bouncing().slopes.tolist() == expected.tolist()


def test_what_cannot_be_differentiated_is_refused_in_a_sentence(swing: Any) -> None:
    _, hinge, e = swing
    for options, told in (
        ({"by": ["m"]}, "no parameter, input, coordinate or speed 'm'"),
        ({"by": []}, "nothing is named"),
        ({"by": ["l", "l"]}, "'l' is named twice"),
        ({"by": 5}, "5 is not a list of names"),
        ({"by": ["l"], "tau": lambda t, q, u: {}}, "is a Python function"),
        ({"by": ["l"], "events": [lambda t, q, u: q[0]]}, "only expressions can be differentiated"),
        ({"by": ["l"], "on": {hinge.q[0]: {"v": 0}}}, "no coordinate, speed or state 'v'"),
        ({"by": ["l"], "on": {hinge.q[0]: lambda t, q, u: {}}}, "only expressions can be differentiated"),
        ({"by": ["l"], "on": 5}, "5 is not a mapping from events to new values"),
        ({"by": ["l"], "method": "rk4"}, "no option 'method'.\n  It is an option of simulate; sensitivities takes"),
        ({"by": ["l"], "until": ph.symbol("w")}, "which this run does not have"),
    ):
        with pytest.raises(PolhodeError, match=told):
            e.sensitivities(1, **options)
    refused("nothing to differentiate", lambda: e.gradient(1, ["l"]))
    refused("integrand: it depends on the", lambda: e.gradient(1, ["l"], integrand=ph.symbol("w")))


def test_events_that_change_nothing_have_times_that_vary(swing: Any) -> None:
    """The pendulum passes its lowest point without being disturbed: t′ = -θ′/ω there."""
    _, hinge, e = swing
    given = {"start": {"hinge": 1}, "rtol": 1e-11, "atol": 1e-11}
    run = e.sensitivities(3, ["l"], events=[hinge.q[0]], **given)
    assert_allclose(run.trajectory.events, e.simulate(3, events=[hinge.q[0]], **given).events, rtol=1e-9)
    for t, varied in zip(run.trajectory.events[0], run.event_times[0], strict=True):
        there = e.sensitivities(t, ["l"], samples=2, **given)
        assert_allclose(varied, -there.dq[-1, 0] / there.trajectory.u[-1], rtol=1e-7)


def test_two_zeros_of_an_event_in_one_step_are_both_found(swing: Any) -> None:
    _, hinge, e = swing
    given: dict[str, Any] = {"start": {"hinge": 1}, "inputs": {"F": 0}, "events": [hinge.q[0] - 0.999]}
    run = e.sensitivities(10, ["l"], **given)
    assert_allclose(run.trajectory.events[0], e.simulate(10, **given).events[0], rtol=1e-6)
    assert len(run.event_times[0]) == len(run.trajectory.events[0]) > 8


def bouncing(**options: Any) -> Any:
    s = ph.System("ball")
    z = s.joint("z", s.ground, s.body("ball", s.parameter("m", 1)), ph.Prismatic("z"), speeds=["v"])
    bounce = {crossing(z.q[0], direction=-1): {"v": -0.9 * z.u[0]}}
    return s.derive().gradient(5, ["z"], of=z.q[0], start={"z": 1}, on=bounce, **options)


def test_derivatives_that_are_not_finite_end_the_run_with_a_sentence() -> None:
    """The force √x is finite where it ends, at x = 0, and its derivative is not."""
    s = ph.System("block", gravity=(0, 0, 0))
    x = s.joint("x", s.ground, s.body("block", 1), ph.Prismatic("x"))
    s.joint_force(x, ph.sqrt(x.q[0]))
    with pytest.raises(SimulationError, match="no finite number for the derivatives of the motion") as caught:
        s.derive().sensitivities(1, ["x"], start={"x": 0})
    assert caught.value.trajectory.status == "nonfinite"


def test_forces_that_jump_and_events_without_a_derivative_are_refused() -> None:
    s = ph.System("block")
    slide = s.joint("x", s.ground, s.body("block", mass=s.parameter("m", 1)), ph.Prismatic("x"))
    s.joint_force(slide, -ph.sign(slide.u[0]))
    refused("jumps with the sign of something", lambda: s.derive().sensitivities(1, ["m"]))
    s = ph.System("ball")
    z = s.joint("z", s.ground, s.body("ball", mass=1), ph.Prismatic("z"), speeds=["v"])
    with pytest.raises(SimulationError, match="its time has no derivative") as caught:
        s.derive().sensitivities(2, ["z"], speeds={"v": 9.81}, until=ph.sign(z.u[0]))
    assert caught.value.trajectory.status == "grazing"
    from polhode.model.samples import four_bar

    e = four_bar().derive()
    with pytest.raises(PolhodeError, match="moves 'crank' of a mechanism with constraints is not"):
        e.sensitivities(1, ["crank"], start={"crank": 0.3}, on={e.q[0] - 1: {e.q[0]: 0}})


@pytest.mark.filterwarnings("ignore:to keep the constraints")
def test_a_start_that_assembly_could_have_moved_otherwise_is_warned_of() -> None:
    s = ph.System("two sliders", gravity=(0, 0, 0))
    d = s.parameter("d", 1)
    x = s.joint("x", s.ground, s.body("a", 1), ph.Prismatic("x"))
    y = s.joint("y", s.ground, s.body("b", 1), ph.Prismatic("y"))
    s.constrain(x.q[0] ** 2 + y.q[0] ** 2 - d**2, "rod")
    e = s.derive()
    with pytest.warns(UserWarning, match="in several ways"):
        e.sensitivities(0.1, ["d"], start=[1.1, 0.2])
    run = e.sensitivities(0.1, ["d"], start={"x": 0.6}, samples=2)
    assert_allclose(run.dq[0, 1], 1 / 0.8, rtol=1e-9)  # y = √(d² - x²)


def test_the_same_without_native_code(swing: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    _, hinge, e = swing
    plain = e.compile(backend="numpy", cache=False)
    found = e.gradient(0.3, ["l"], of=hinge.q[0], start={"hinge": 1}, functions=plain)
    assert found["l"] == pytest.approx(e.gradient(0.3, ["l"], of=hinge.q[0], start={"hinge": 1})["l"], rel=1e-8)


def test_many_parameters_at_once() -> None:
    """A chain of pendulums: one backward run has all that the forward columns have."""
    s = ph.System("chain")
    parent = s.ground
    for k in range(4):
        l = s.parameter(f"l{k}", 0.5)
        body = s.body(f"b{k}", s.parameter(f"m{k}", 1 + k / 4), (0, 0, -l))
        s.joint(f"q{k}", parent, body, ph.Revolute("y"), at=(0, 0, -s.parameters[f"l{k - 1}"].symbol if k else 0))
        parent = body
    e = s.derive()
    by = [*s.parameters, *e.coordinates]
    given = {"start": {"q0": 0.4, "q2": -0.2}, "rtol": 1e-11, "atol": 1e-11}
    run = e.sensitivities(1, by, samples=2, **given)
    made = e.gradient(1, by, of=e.q[3], **given)
    assert_allclose(made.slopes, run.dq[-1, 3], atol=1e-8)
    assert np.abs(made.slopes).min() > 1e-6


def test_what_has_no_derivative_is_refused_and_a_run_reports_what_acted_and_what_it_cost(swing: Any) -> None:
    _, hinge, e = swing
    for options, code in (
        ({"by": ["l"], "inputs": {"F": lambda t: t}}, "E-SENSITIVITY-UNSUPPORTED"),
        ({"by": ["l"], "inputs": {"F": ph.held(lambda t: t, every=0.1)}}, "E-SENSITIVITY-UNSUPPORTED"),
        ({"by": ["l"], "tau": lambda t, q, u: -u}, "E-SENSITIVITY-UNSUPPORTED"),
        ({"by": ["F"], "inputs": {"F": "sin(t)"}}, "E-SENSITIVITY-UNSUPPORTED"),
        ({"by": ["tau_hinge"], "tau": [-hinge.q[0]]}, "E-SENSITIVITY-UNSUPPORTED"),
        ({"by": ["l"], "tau": [ph.sampled([0, 1], [1, 2], kind="held")(hinge.q[0])]}, "E-SENSITIVITY-UNSUPPORTED"),
        ({"by": ["l"], "tau": [ph.sign(hinge.u[0])]}, "E-SENSITIVITY-UNSUPPORTED"),
    ):
        with pytest.raises(PolhodeError, match=code):
            e.sensitivities(1, **options)
        with pytest.raises(PolhodeError, match=code):
            e.gradient(1, of=hinge.q[0], **options)
    _, _, e = swing
    run = e.sensitivities(2, ["l"], inputs={"F": ph.sampled([0, 0.5], [1, 2], kind="held")}, tau=["t"], samples=9)
    assert run.trajectory.inputs[:, 0].tolist() == [1, 1, 2, 2, 2, 2, 2, 2, 2]
    assert_allclose(run.trajectory.tau[:, 0], run.t)
    assert any("samples of the input 'F'" in told for told in run.trajectory.notices)
    found = swing[2].sensitivities(1, ["l"], start={"hinge": 1}, samples=5)
    info = found.trajectory.info
    assert info["evaluations"] > 10 * info["steps"] > 0  # DOP853 has twelve stages
    assert f"{info['evaluations']} evaluations" in repr(found) and info["wall_time"] > 0
