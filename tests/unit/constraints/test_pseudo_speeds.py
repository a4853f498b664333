"""Pseudo-velocities: what may be one, and what is said of those that may not."""

from typing import Any

import numpy as np
import pytest
from tests.refusals import refused

import polhode as ph
from polhode.constraints import PseudoSpeeds
from polhode.errors import PolhodeError, SimulationError


def skate(edge: bool = True) -> ph.System:
    s = ph.System("skate", gravity=(0, 0, 0))
    slide = ph.Compound(ph.Prismatic("x"), ph.Prismatic("y"), ph.Revolute("z"))
    body = s.body("skate", 2, com=(0.3, 0, 0), inertia=(1, 1, 1))
    s.joint("ice", s.ground, body, slide, coordinates=["x", "y", "turn"], speeds=["a", "b", "w"])
    if edge:
        s.knife_edge("blade", "skate")
    s.input("push")
    return s


def symbols(s: ph.System) -> dict[str, Any]:
    ice = s.joints["ice"]
    (x, _, turn), (a, b, w) = ice.q, ice.u
    along = ph.cos(turn) * a + ph.sin(turn) * b
    return {"x": x, "a": a, "b": b, "w": w, "along": along, "push": s.inputs["push"].symbol, "t": s.time}


@pytest.mark.parametrize(("given", "code", "said"), [
    (["along"], "E-DERIVE-SHAPE", "1 pseudo-velocities are given, and 2 are needed: 3 speeds less 1 independent"),
    (["along", "a", "w"], "E-DERIVE-SHAPE", "3 pseudo-velocities are given, and 2 are needed"),
    (["along", "w**2"], "E-DERIVE-DEPENDENCE", "not linear"),
    (["along", "2*along"], "E-DERIVE-SINGULAR", "do not determine the speeds"),
    (["w", "cross"], "E-DERIVE-SINGULAR", "and the constraints make 2 of 3 known"),
    (["along", "x"], "E-DERIVE-MISSING", "there is no speed in it"),
    (["along", "w+push"], "E-DERIVE-DEPENDENCE", "it depends on push"),
])  # fmt: skip
def test_what_is_no_choice_of_pseudo_velocities_is_told(given: list[str], code: str, said: str) -> None:
    s = skate()
    known = symbols(s)
    turn = s.joints["ice"].q[2]
    known |= {"w**2": known["w"] ** 2, "2*along": 2 * known["along"], "w+push": known["w"] + known["push"]}
    known["cross"] = ph.cos(turn) * known["b"] - ph.sin(turn) * known["a"]  # what the blade forbids
    refused(said, lambda: s.derive("hamel", pseudo={f"pi {k}": known[name] for k, name in enumerate(given)}), code=code)


def test_a_name_that_a_speed_has_is_for_that_speed() -> None:
    s = skate()
    known = symbols(s)
    assert s.derive(pseudo={"v": known["along"], "w": known["w"]}).speeds == ["v", "w"]
    with pytest.raises(PolhodeError, match="there is a speed 'w' already") as caught:
        s.derive(pseudo={"v": known["along"], "w": 2 * known["w"]})
    assert caught.value.problems[0].code == "E-DERIVE-TWICE"
    refused("both be written x", lambda: s.derive(pseudo={"x": known["along"], "w": known["w"]}))


def test_a_good_choice_has_no_dead_points_where_speeds_by_name_have_some() -> None:
    s = skate()
    known = symbols(s)
    made = s.derive("hamel", pseudo={"v": known["along"], "w": known["w"]})
    assert isinstance(made.dependent_speeds, PseudoSpeeds) and not made.dependent_speeds.moving_pivots
    run = made.simulate(3, speeds={"v": 1, "w": 2})
    plain = s.derive("newton_euler").simulate(3, speeds={"a": 1, "w": 2})
    assert np.abs(run.q - plain.q).max() < 1e-7 and np.abs(run.speed("a") - plain.speed("a")).max() < 1e-7
    assert np.abs(run.reaction("blade").force - plain.reaction("blade").force).max() < 1e-6
    with pytest.raises(SimulationError, match="no longer determine"):
        s.derive("newton_euler", independent=["a", "w"]).simulate(3, speeds={"a": 1, "w": 2})


def test_values_between_samples_and_derivatives_are_those_of_the_pseudo_velocities() -> None:
    s = skate(edge=False)
    known = symbols(s)
    across = ph.cos(s.joints["ice"].q[2]) * known["b"] - ph.sin(s.joints["ice"].q[2]) * known["a"]
    made = s.derive("hamel", pseudo={"v": known["along"], "side": across, "w": known["w"]})
    run = made.simulate(1, speeds={"v": 1, "w": 2}, samples=11)
    fine = made.simulate(1, speeds={"v": 1, "w": 2}, samples=21)
    assert np.abs(run.at(fine.t).u - fine.u).max() < 1e-5
    again = type(run)(run.t, run.q, run.u, run.coordinates, run.speeds, tau=run.tau).of(made)
    assert np.abs(again.at(fine.t).u - fine.u).max() < 1e-3  # by cubics
    h = 1e-6
    up, down = (made.simulate(1, speeds={"v": 1 + d, "w": 2}, samples=2).u[-1] for d in (h, -h))
    slope = made.sensitivities(1, [made.u[0]], speeds={"v": 1, "w": 2})
    assert np.allclose(slope.du[-1][:, 0], (up - down) / (2 * h), atol=1e-5)


def pendulum() -> ph.Equations:
    """The velocity of the bob along x, which vanishes where the rod is level whatever its speed."""
    s = ph.System("pendulum")
    hinge = s.joint("h", s.ground, s.body("bob", 1, (0, 0, -1)), ph.Revolute("y"))
    return s.derive("hamel", pseudo={"v": -ph.cos(hinge.q[0]) * hinge.u[0]})


def test_a_run_ends_where_pseudo_velocities_no_longer_determine_the_speeds() -> None:
    made = pendulum()
    assert made.simulate(2, start={"h": 1}).is_whole
    with pytest.raises(SimulationError, match="the pseudo-velocities 'v' no longer determine the speeds") as caught:
        made.simulate(2, speeds={"v": 5})
    assert 0.3 < caught.value.trajectory.t[-1] < 0.5
    refused("at t = 0 s the pseudo-velocities", lambda: made.simulate(2, start=[np.pi / 2]), SimulationError)


def test_what_does_not_look_after_them_is_refused() -> None:
    made = pendulum()
    with pytest.raises(PolhodeError, match="adaptive methods") as caught:
        made.simulate(1, method="rk4", step=0.01)
    assert caught.value.problems[0].cure == 'Use method="auto".'
    refused("a stepper does not see", lambda: made.stepper(dt=0.01))
    s = skate(edge=False)
    known = symbols(s)
    steady = s.derive(pseudo={"sum": known["a"] + known["b"], "b": known["b"], "w": known["w"]})
    assert steady.simulate(1, method="rk4", step=0.01).is_whole  # a choice that is regular everywhere
    refused("pseudo-velocities", lambda: steady.simulate(1, method="gauss4", step=0.01))
