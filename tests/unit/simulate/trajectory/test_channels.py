"""What a page draws over time: chosen by kind, name or expression; what cannot be drawn is told, and the rest drawn."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import polhode as ph
from polhode.errors import PolhodeError
from polhode.simulate.trajectory.channels import ChannelWarning, channels_of


@pytest.fixture(scope="module")
def pendulum():
    s = ph.System("pendulum")
    m, l = s.parameter("m", 2.0, unit="kg"), s.parameter("l", 0.5, unit="m")
    bob = s.body("bob", m, com=(0, 0, -l))
    s.joint("hinge", s.ground, bob, ph.Revolute("y"))
    wind = s.input("wind", 0.5, unit="N")
    s.force(bob, (wind, 0, 0), at=(0, 0, -l), name="gust")
    return s


@pytest.fixture(scope="module")
def run(pendulum):
    return pendulum.derive().simulate(1, start={"hinge": 0.4}, samples=51)


def drawn(run, wanted=None):
    made, told = channels_of(run, wanted)
    assert told == []
    return {each.name: each for each in made}


def test_unasked_it_draws_coordinates_speeds_what_acts_and_energy(run):
    made = drawn(run)
    assert {name: each.unit for name, each in made.items()} == {
        "hinge": "rad", "hinge'": "rad/s", "wind": "N", "kinetic energy": "J", "total energy": "J",
    }  # fmt: skip
    assert np.array_equal(made["hinge'"].values, run.u[:, 0])


def test_kinds_names_and_reactions(run):
    made = drawn(run, ["speeds", "hinge", "energy", "force(hinge)", "momentum", "reactions"])
    assert np.array_equal(made["hinge"].values, run["hinge"]) and made["potential energy"].unit == "J"
    assert np.array_equal(made["force(hinge) z"].values, run.reaction("hinge").force[:, 2])
    assert np.allclose(made["|force(hinge)|"].values, np.linalg.norm(run.reaction("hinge").force, axis=1))
    assert np.array_equal(made["momentum x"].values, run.momentum[1][:, 0])


def test_expressions_as_such_and_as_text_come_to_the_same(pendulum, run):
    q, l = run.equations.q[0], pendulum.parameters["l"].symbol
    made = drawn(run, {"height [m]": -l * ph.cos(q), "again": "-l*cos(hinge)", "rate": "u(hinge)*t"})
    assert made["height"].unit == "m" and np.array_equal(made["height"].values, made["again"].values)
    assert np.allclose(made["height"].values, -0.5 * np.cos(run["hinge"]))
    assert np.allclose(made["rate"].values, run.speed("hinge") * run.t)


@pytest.mark.parametrize(("wanted", "says"), [
    ("hnge", "Did you mean 'hinge'"), ("hinge +", "Channel 'hinge +' is not drawn"), ("force(elbow)", "elbow"),
    ("__import__('os')", "is not drawn"), (ph.expr.symbol("alien"), "'alien' is not known along this trajectory"),
])  # fmt: skip
def test_what_cannot_be_drawn_is_told_and_the_rest_is_drawn(run, tmp_path, wanted, says):
    made, told = channels_of(run, [wanted, "hinge"])
    assert [each.name for each in made] == ["hinge"]
    assert len(told) == 1 and says in told[0]
    with pytest.warns(ChannelWarning):
        page = run.animate(tmp_path / "run.html", channels=[wanted, "hinge"]).read_text(encoding="utf-8")
    assert "is not drawn" in page


def test_a_plot_draws_the_channels_that_are_named_and_other_runs_beside(pendulum, run):
    other = pendulum.derive().simulate(0.5, start={"hinge": 0.3})
    figure = run.plot(channels=["hinge", "kinetic energy"], beside=[other])
    assert [axes.get_title(loc="left").split("  ")[0] for axes in figure.axes] == ["hinge", "kinetic energy"]
    drawn = [line.get_ydata() for line in figure.axes[0].get_lines() if len(line.get_ydata()) > 2]
    assert any(np.array_equal(each, run["hinge"]) for each in drawn) and len(drawn) == 2


def test_a_plot_of_unknown_channels_alone_is_refused_with_near_names(run):
    with warnings.catch_warnings(), pytest.raises(PolhodeError, match=r"'hinfe' is not drawn: .* Did you mean 'hinge'"):
        warnings.simplefilter("error")
        run.plot(channels=["hinfe"])


@pytest.mark.parametrize("wanted", [5, [5], [None], [["hinge"]], {"x": 3.0}, {3: "hinge"}])
def test_what_is_no_channel_is_refused_in_a_sentence(run, wanted):
    with pytest.raises(PolhodeError, match="is not a") as caught:
        run.animate(channels=wanted)
    assert caught.value.problems[0].place == "channels" and caught.value.problems[0].cure


def test_gaps_and_other_runs_are_drawn(run) -> None:
    (made,) = drawn(run, ["1/t"]).values()
    assert np.isnan(made.values[0]) and np.isfinite(made.values[1:]).all()
    other = run.equations.simulate(0.5, start={"hinge": 0.1}, samples=51)
    made, _ = channels_of(run, ["hinge"], [other])
    (beside,) = made[0].beside
    assert np.allclose(beside[run.t <= 0.5], np.interp(run.t[run.t <= 0.5], other.t, other["hinge"]))
    assert np.isnan(beside[run.t > 0.51]).all(), "it has ended"


def test_many_quantities_are_cut_with_a_word():
    s = ph.System("chain")
    body = s.ground
    for k in range(30):
        link = s.body(f"link {k}", 1, com=(0, 0, -1), inertia=(1, 1, 1))
        s.joint(f"q{k}", body, link, ph.Revolute("y"))
        body = link
    run = s.derive().simulate(0.01, start={"q0": 0.1}, samples=3)
    made, told = channels_of(run)
    assert len(made) <= 40
    assert "channels=[" in told[0]


def test_of_many_quantities_those_that_only_round_are_not_drawn():
    s = ph.System("falling chain")
    body = s.body("base", 1, inertia=(1, 1, 1))
    s.joint("base", s.ground, body, ph.Free())
    for k in range(30):
        link = s.body(f"link {k}", 1, com=(0, 0, -1), inertia=(1, 1, 1))
        s.joint(f"q{k}", body, link, ph.Revolute("y"), at=(0, 0, -1))
        body = link
    made, _ = channels_of(s.derive().simulate(0.5, samples=5))
    assert [each.name for each in made] == ["base_z", "kinetic energy", "total energy"]


def test_what_a_controller_was_to_follow_and_what_was_lacking(pendulum):
    equations = pendulum.derive()
    torque = ph.control.ComputedTorque(equations, kp=100, kd=20, inputs=["hinge"])
    run = equations.simulate(1, controller=torque, reference="sin(t)", start={"hinge": 0.2}, samples=51)
    made = drawn(run, ["hinge", "references", "errors"])
    assert {name: each.unit for name, each in made.items()} == {"hinge": "rad", "ref_hinge": "rad", "e_hinge": "rad"}
    assert np.allclose(made["ref_hinge"].values, np.sin(run.t))
    assert np.allclose(made["e_hinge"].values, made["ref_hinge"].values - run["hinge"])
    assert list(drawn(run, "e_hinge")) == ["e_hinge"]


def test_a_run_that_follows_nothing_says_so(run):
    made, told = channels_of(run, ["errors", "hinge"])
    assert [each.name for each in made] == ["hinge"] and "follows nothing" in told[0]
