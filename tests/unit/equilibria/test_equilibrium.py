"""Equilibria and steady motions: against textbook statics, and as sentences where there are none."""

from typing import Any

import numpy as np
import pytest
from tests.refusals import refused

import polhode as ph
from polhode.model.samples.linkages import four_bar, n_four_bar


def pendulum(**options: object) -> tuple[ph.System, ph.Joint]:
    s = ph.System("pendulum", gravity=(0, 0, -10))
    hinge = s.joint("a", s.ground, s.body("bob", s.parameter("m", 2), com=(0, 0, -1)), ph.Revolute("y"), **options)
    s.joint_force(hinge, s.input("push") - hinge.u[0])
    return s, hinge


def double_pendulum() -> ph.System:
    s = ph.System("double pendulum", gravity=(0, 0, -10))
    s.joint("a", s.ground, s.body("upper", 1, com=(0, 0, -1)), ph.Revolute("y"))
    s.joint("b", "upper", s.body("lower", 1, com=(0, 0, -1)), ph.Revolute("y"), at=(0, 0, -1))
    return s


def test_inputs_efforts_and_coordinates_may_be_free_and_the_result_linearizes_and_runs() -> None:
    e = pendulum()[0].derive()
    at = e.equilibrium(free=["push"], given={"a": np.pi / 6})
    assert at["push"] == pytest.approx(10, abs=1e-12) and at.inputs == {"push": at["push"]}
    assert at.residual < 1e-12 and at.stability == "stable" and at.is_stable
    at = pendulum()[0].derive().equilibrium(free=["a"], given={"push": 10})
    assert np.sin(at["a"]) == pytest.approx(0.5, abs=1e-13)
    at = pendulum()[0].derive().equilibrium(free=["tau_a"], given={"a": np.pi / 2})
    assert at.efforts["a"] == pytest.approx(20, abs=1e-12) and at["tau(a)"] == at["tau_a"]
    e = pendulum()[0].derive()
    at = e.equilibrium(free=["push"], given={"a": 1.0}, parameters={"m": 3})
    small = e.linearize(at)
    assert small.is_equilibrium and np.allclose(small.eigenvalues(), at.eigenvalues, atol=1e-12)
    assert at["push"] == pytest.approx(30 * np.sin(1.0), abs=1e-12)
    run = e.simulate(1, start=at)
    assert np.abs(run.q - 1.0).max() < 1e-12 and run.parameters["m"] == 3


def test_pendulums_and_four_bars_have_all_their_equilibria() -> None:
    found = double_pendulum().derive().equilibria()
    assert [at.stability for at in found] == ["neutral", "unstable", "unstable", "unstable"]
    places = {(round(np.cos(at["a"])), round(np.cos(at["a"] + at["b"]))) for at in found}
    assert places == {(1, 1), (1, -1), (-1, 1), (-1, -1)}
    found = n_four_bar(2).derive().equilibria(start={"crank 0": 0.2}, starts=12)
    assert {round(np.cos(at["crank 0"]), 6) for at in found} >= {1.0} and all(at.residual < 1e-9 for at in found)


@pytest.mark.parametrize("crank", [0.3, 1.2])
def test_the_effort_that_holds_a_loop_is_the_slope_of_its_potential(crank: float) -> None:
    e = four_bar().derive()
    at = e.equilibrium(free=["tau_crank"], given={"crank": crank}, start={"coupler": 0.7})
    h, potential = 1e-5, e.compile().energy
    ends = [e.assemble({**at.coordinates, "crank": crank + way}, hold=["crank"]).q for way in (h, -h)]
    slope = np.subtract(*[potential(q, np.zeros(3))[1] for q in ends]) / (2 * h)
    assert at["tau_crank"] == pytest.approx(slope, abs=1e-7)


def test_a_conical_pendulum_turns_steadily_and_ball_joints_hang_and_states_without_mass_come_to_rest() -> None:
    s = ph.System("conical pendulum", gravity=(0, 0, "-9.81"))
    s.joint("a", s.ground, s.body("yoke"), ph.Revolute("z"))
    s.joint("b", "yoke", s.body("bob", 2, com=(0, 0, -1)), ph.Revolute("y"))
    at = s.derive().equilibrium(free=["a'"], given={"b": 0.6}, start={"a'": 2.0})
    assert at["a'"] ** 2 == pytest.approx(9.81 / np.cos(0.6), rel=1e-13) and at.moving == ("a",)
    # small nutations: ω_n² = ω² (1 + 3 cos² b), M. Spiegel, Theoretical Mechanics (1967), chapter 11
    assert abs(at.eigenvalues.imag).max() == pytest.approx(at["a'"] * np.sqrt(1 + 3 * np.cos(0.6) ** 2), rel=1e-10)
    s = ph.System("hanging", gravity=(0, 0, -10))
    s.joint("ball", s.ground, s.body("body", 2, com=(0.3, 0, -0.4), inertia=(1, 1, 1)), ph.Spherical())
    e = s.derive()
    at = e.equilibrium()
    centre = e.compile().pose("body", [*at.coordinates.values()])[1] @ [0.3, 0, -0.4]
    assert np.allclose(centre[:2], 0, atol=1e-9) and "family" in at.notices[0]
    s = ph.System("motor", gravity=(0, 0, 0))
    i = s.state("i")
    shaft = s.joint("a", s.ground, s.body("rotor", 1, inertia=(1, 1, 1)), ph.Revolute("z"))
    s.joint_force(shaft, 2 * i - 3 * shaft.q[0])
    s.state_rate(i, s.input("V", 6) - 4 * i - shaft.u[0])
    at = s.derive().equilibrium()
    assert at["i"] == pytest.approx(1.5) and at["a"] == pytest.approx(1.0) and at.states == {"i": at["i"]}


def test_what_cannot_be_is_a_sentence_with_the_reason() -> None:
    s = ph.System("falling")
    s.joint("z", s.ground, s.body("stone", 1), ph.Prismatic("z"))
    refused(r"nothing that is free acts on the acceleration of 'z', .* off by 9.81", lambda: s.derive().equilibrium())
    e = pendulum()[0].derive()
    refused("no steady state was found from 24 starts", lambda: e.equilibrium(given={"push": 21}))
    limited = pendulum(limits=(-0.5, 0.5))[0].derive()
    with pytest.raises(ph.PolhodeError, match=r"within the limits: 'a' = .* above its limit 0.5"):
        limited.equilibrium(given={"push": 19}, start={"a": 0.4})


@pytest.mark.parametrize(("options", "sentence"), [
    ({"free": ["b"]}, "there is no coordinate, speed, state, effort or input 'b'"),
    ({"free": ["a"], "given": {"a": 1}}, "'a' is both free and given"),
    ({"given": [1]}, "given: .1. is not values by name"),
    ({"given": {"a": ph.symbol("k")}}, "which is no parameter"), ({"free": 3}, "3 is not a list"),
])  # fmt: skip
def test_a_wrong_call_is_told(options: dict[str, object], sentence: str) -> None:
    refused(sentence, lambda: pendulum()[0].derive().equilibrium(**options))


def test_missing_values_time_and_single_instants_are_reported() -> None:
    s = ph.System("pendulum")
    s.joint("a", s.ground, s.body("bob", s.parameter("m"), com=(1, 0, 0)), ph.Revolute("y"))
    refused("depends on 'm', which has no value", lambda: s.derive().equilibrium())
    s = ph.System("driven", gravity=(0, 0, -10))
    hinge = s.joint("a", s.ground, s.body("bob", 1, com=(0, 0, -1)), ph.Revolute("y"))
    s.joint_force(hinge, ph.cos(s.time))
    assert "at t = 0" in s.derive().equilibrium().notices[0]
    assert rotor().equilibrium(given={"r'": 14}, free=["a", "c"]).stability == "unknown"
    assert rotor(prescribed=True).equilibrium().stability == "unknown"


def rotor(prescribed: bool = False) -> ph.Equations:
    """A two-bladed rotor on a shaft that gives way: unstable at 14 rad/s, by Floquet's multipliers."""
    s = ph.System("propeller", gravity=(0, 0, 0))
    a = s.joint("a", s.ground, s.body("A", inertia=("0.1", "0.1", "0.1")), ph.Revolute("x"))
    c = s.joint("c", "A", s.body("C", inertia=("0.1", "0.1", "0.1")), ph.Revolute("y"))
    r = s.joint("r", "C", s.body("R", 1, inertia=(1, "0.05", 1)), ph.Revolute("z"))
    for joint in (a, c):
        s.joint_spring(joint, stiffness=20, damping="0.02")
    if prescribed:
        s.prescribe(r, 14 * s.time)
    return s.derive()


def test_a_given_coordinate_is_judged_where_it_might_be_not_where_it_is() -> None:
    s = ph.System("cubic", gravity=(0, 0, 0))
    y = s.joint("y", s.ground, s.body("Y", 1), ph.Prismatic("y"))
    s.joint_force(y, y.q[0] ** 3 - y.u[0])
    assert s.derive().equilibrium(given={"y": 0}).stability == "neutral"


@pytest.mark.parametrize("starts", ["x", 0, 1.5])
def test_starts_are_counted(starts: Any) -> None:
    refused("is not a whole number from 1 to 1,000,000", lambda: rotor().equilibria(starts=starts))


@pytest.mark.parametrize("carrier", ["ground", "bob"])
def test_a_stiff_spring_makes_no_family_of_what_is_soft(carrier: str) -> None:
    s = ph.System("pendulum and stiff spring")
    s.joint("a", s.ground, s.body("bob", 1, com=(0, 0, -1)), ph.Revolute("y"))
    spring = s.joint("x", carrier, s.body("block", 1), ph.Prismatic("x"))
    s.joint_spring(spring, 10**10)
    rest = s.derive().equilibrium(start={"a": 0.5})
    assert abs(rest["a"]) < 1e-9 and rest.notices == ()


def test_of_a_family_of_equilibria_one_is_listed() -> None:
    """A cart may stand anywhere, its pendulum hangs or stands: two families; a marble in a round gutter has one."""
    s = ph.System("cart and pendulum")
    cart = s.body("cart", 1)
    s.joint("x", s.ground, cart, ph.Prismatic("x"))
    s.joint("a", cart, s.body("bob", 1, com=(0, 0, -1)), ph.Revolute("y"))
    found = s.derive().equilibria(free=["x", "a"], starts=12)
    assert sorted(abs(round(each["a"], 6)) for each in found) == [0.0, round(np.pi, 6)]
    assert all("one of a family" in each.notices[0] for each in found)
    s = ph.System("marble in a round gutter", gravity=(0, 0, 0))
    x = s.joint("x", s.ground, s.body("frame", 1), ph.Prismatic("x"))
    y = s.joint("y", "frame", s.body("marble", 1), ph.Prismatic("y"))
    s.potential((x.q[0] ** 2 + y.q[0] ** 2 - 1) ** 2)
    found = s.derive().equilibria(start={"x": 0.9}, starts=12)
    sizes = [round(float(np.hypot(each["x"], each["y"])), 6) for each in found]
    assert sorted(sizes) in ([0.0, 1.0], [1.0])


def test_rows_have_the_slopes_of_differences_and_held_parameters_are_fewer_variables() -> None:
    s = ph.System("two arms", gravity=(0, 0, -10))
    s.joint("a", s.ground, s.body("upper", s.parameter("m", 2), com=(0.1, 0, -1)), ph.Revolute("y"))
    hinge = s.joint("b", "upper", s.body("lower", 1, com=(0, 0, -1)), ph.Revolute("y"), at=(0, 0, -1))
    s.joint_force(hinge, s.input("push") - hinge.q[0] ** 3)
    steady = s.derive()._steady(["a", "b", "push"], None, None, None, "m")
    assert [x.name for x in steady.variables] == ["a", "b", "push", "m"]
    x, h = np.array([0.3, -0.4, 0.2, 1.7]), 1e-6
    slopes = [(steady.conditions(x + d)[0] - steady.conditions(x - d)[0]) / (2 * h) for d in h * np.eye(4)]
    assert np.allclose(steady.conditions(x)[1], np.transpose(slopes), atol=1e-8)
    s = ph.System("turntable", gravity=(0, 0, -10))
    s.joint("a", s.ground, s.body("table", 1, inertia=(1, 1, 1)), ph.Revolute("z"))
    s.joint("b", "table", s.body("bob", 1, com=(0, 0, -1)), ph.Revolute("y"))
    steady = s.derive()._steady(["b", "b'"], {"a'": 1}, None, None)
    assert steady.moving == ("a",) and "rate of 'b'" in steady.names
    s = ph.System("pendulum", gravity=(0, 0, -10))
    s.joint("a", s.ground, s.body("bob", s.parameter("m", 2), com=(1, 0, 0)), ph.Revolute("y"))
    steady = s.derive()._steady(["a"], None, None, None, "m")
    held = steady.held(3.0)
    assert np.allclose(held.conditions(np.array([0.2]))[0], steady.conditions(np.array([0.2, 3.0]))[0])
    assert held.parameters(np.array([0.2])) == {"m": 3.0}
