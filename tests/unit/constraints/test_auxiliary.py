"""Coordinates that a constraint brings with it: where they are, who follows whom, and what is refused."""

from fractions import Fraction

import numpy as np
import pytest

import polhode as ph
from polhode.constraints.auxiliary import auxiliary_of, fitted
from polhode.expr import cos, directional, evaluate, sin, symbols
from polhode.model.joints import JointType
from polhode.simulate.trajectory.units import coordinate_units

HALF = Fraction(1, 2)
PIN_IN_SLOT = ph.Compound(ph.Revolute("y"), ph.Prismatic("z"))


def slotted_arm(closer: JointType = PIN_IN_SLOT, name: str = "slot") -> ph.System:
    """An arm that hangs, with a slot for the pin of a block that slides half a metre below the hinge."""
    s = ph.System("slotted arm", gravity=(0, 0, -10))
    arm = s.body("arm", s.parameter("m", 2), (0, 0, -1), (1, 1, 1))
    s.joint("arm", s.ground, arm, ph.Revolute("y"))
    s.joint("block", s.ground, s.body("block", 3), ph.Prismatic("x"), at=(0, 0, -HALF))
    s.close(name, "block", arm, closer, at_b=(0, 0, -HALF))
    return s


def test_rates_keep_the_definitions_whatever_moves() -> None:
    q, u, a, b = symbols("q u a b")
    definitions = {"x": q - cos(a) - cos(b), "y": sin(a) + sin(b) - q * q}
    made = auxiliary_of("rods", definitions, [a, b], {q: u})
    along = {q: u, **dict(zip(made.symbols, made.rates, strict=True))}
    assert not any(directional(list(definitions.values()), along))


def test_a_pin_in_a_slot_tells_where_it_is_and_auxiliary_coordinates_are_measured_and_start_as_given() -> None:
    equations = slotted_arm().derive()
    constraints = equations.constraints
    assert constraints is not None
    assert equations.coordinates == ["arm", "block", "slot 1", "slot 2"] and equations.speeds == ["arm", "block"]
    assert (constraints.names, [*constraints.definitions]) == (["slot x"], ["slot turn y", "slot z"])
    made = equations.assemble({"arm": 0.4}, {"arm": 2.0}, hold=["arm"])
    slant = 0.5 / np.cos(0.4)
    assert made.q == pytest.approx([0.4, -0.5 * np.tan(0.4), 0.4, slant - 0.5], abs=1e-12)
    assert [*made.moved] == ["block"], "what is carried is not told as moved"
    rates = equations.compile().coordinate_rates(made.q, made.u)
    assert rates[2] == pytest.approx(2.0) and rates[3] == pytest.approx(2.0 * slant * np.tan(0.4))
    assert coordinate_units(slotted_arm().derive().record) == ["rad", "m", "rad", "m"]
    ball = ph.Compound(ph.Prismatic("z"), ph.Spherical())
    assert coordinate_units(slotted_arm(ball).derive().record)[2:] == ["m", *["quaternion"] * 4]
    equations = slotted_arm().derive()
    turned = equations.assemble({"arm": 0.4, "slot 1": 0.3})
    assert turned.q[2] == pytest.approx(0.4)
    whole = equations.assemble({"arm": 0.4, "slot 1": 2 * np.pi + 0.3})
    assert whole.q[2] == pytest.approx(2 * np.pi + 0.4)
    assert whole.moved["slot 1"] == pytest.approx((2 * np.pi + 0.3, 2 * np.pi + 0.4))


def test_small_motions_leave_auxiliary_coordinates_out_and_find_them() -> None:
    linear = slotted_arm().derive(independent=["arm"]).linearize()
    assert linear.states == ["arm", "arm'"] and not any(linear.residual)
    m = linear.equations.system.parameters["m"].symbol
    assert linear.second_order.M[0, 0] == m + 1 + 3 * HALF**2  # about the hinge, and the block at half a metre
    assert linear.second_order.K[0, 0] == 10 * m
    system = slotted_arm()
    made = system.derive().assemble({"arm": 0.4}, hold=["arm"])
    equations = system.derive(independent=["arm"])
    at = dict(zip(equations.coordinates, made.q, strict=True))
    for given in (at, {"arm": 0.4, "block": at["block"]}, {"arm": 0.4}):
        mass = equations.linearize(given).second_order.numbers("M")[0, 0]
        assert mass == pytest.approx(2 + 1 + 3 * (0.5 / np.cos(0.4) ** 2) ** 2, rel=1e-9)


def crank_and_slider(rod_as_a_joint: bool) -> ph.Equations:
    """A crank of one metre and a slider, two metres apart: by a condition, or by a joint with two parallel axes."""
    s = ph.System("crank and slider", gravity=(0, 0, "-9.81"))
    s.joint("crank", s.ground, s.body("disc", 1, (1, 0, 0), (1, 1, 1)), ph.Revolute("y"))
    s.joint("slide", s.ground, s.body("block", 1), ph.Prismatic("x"))
    if rod_as_a_joint:
        rod = ph.JointMap([[0, 0], [1, 1], [0, 0], [0, 0], [0, 0], [0, 2]], (1, 1))
        s.close("rod", "block", "disc", rod, at_a=(-2, 0, 0), at_b=(1, 0, 0))
    else:
        angle, x = (s.joints[name].q[0] for name in ("crank", "slide"))
        s.constrain((x - cos(angle)) ** 2 + sin(angle) ** 2 - 4, "rod")
    return s.derive()


def test_a_joint_with_two_parallel_axes_is_a_rod() -> None:
    plain, jointed = crank_and_slider(False), crank_and_slider(True)
    begin = plain.assemble({"crank": 0.7, "slide": 2}, {"crank": 1.5}, hold=["crank"])
    found = jointed.assemble({"crank": 0.7, "slide": begin.q[1]}, {"crank": 1.5})
    assert found.q[:2] == pytest.approx(begin.q, abs=1e-12) and found.u == pytest.approx(begin.u, abs=1e-12)
    accelerations = [e.compile().forward_dynamics(at.q, at.u) for e, at in ((plain, begin), (jointed, found))]
    assert accelerations[1] == pytest.approx(accelerations[0], rel=1e-11)
    run = jointed.simulate(3, start=found.q, speeds=found.u)
    assert run.drift.position < 1e-12 and run.energy_drift < 1e-7


def test_diagnostics_and_inverse_kinematics_place_auxiliary_coordinates() -> None:
    system = slotted_arm()
    found = system.diagnose({"arm": 0.4, "slot 1": 0.4})
    assert found.here is not None and (found.here.rank, found.here.off) == (1, {})
    assert found.here.coordinates["slot 1"] == pytest.approx(found.here.coordinates["arm"])
    place = system.derive().inverse_kinematics("block", (-0.2, 0, -0.5), of="position").coordinates
    assert place["arm"] == pytest.approx(np.arctan(0.4)) and place["slot 1"] == pytest.approx(np.arctan(0.4))


def test_auxiliary_coordinates_is_found_in_numbers_too_and_a_joint_that_forbids_nothing_carries_nothing() -> None:
    equations = slotted_arm().derive()
    values = dict(zip(equations.q, (0.4, -0.5 * np.tan(0.4), 0.0, 0.0), strict=True))
    placed = fitted(equations.tree, values)
    assert evaluate(list(equations.tree.auxiliary[0].back), placed) == pytest.approx([0, 0], abs=1e-12)
    assert placed[equations.q[2]] == pytest.approx(0.4)
    in_plane = ph.Compound(ph.Prismatic("x"), ph.Prismatic("z"), ph.Revolute("y"))
    anywhere = ph.Compound(ph.Prismatic("x"), ph.Prismatic("y"), ph.Prismatic("z"), ph.Spherical())
    for closer in (in_plane, anywhere):
        equations = slotted_arm(closer).derive()
        assert equations.coordinates == ["arm", "block"]
        assert equations.simulate(0.1, start={"arm": 0.4}).q.shape[1] == 2


def refused(code: str, words: str, make: object) -> None:
    assert callable(make)
    with pytest.raises(ph.PolhodeError, match=words) as e:
        make()
    assert e.value.problems[0].code == code


def test_stages_that_repeat_names_taken_and_held_followers_are_refused() -> None:
    twice = ph.Compound(ph.Spherical(), ph.Revolute("x"))
    refused("E-CONSTRAINT-SINGULAR", "repeat each other", lambda: slotted_arm(twice).derive())
    system = slotted_arm()
    system.joint("more", "block", system.body("bob", 1), ph.Revolute("y"), coordinates=["slot 1"])
    refused("E-MODEL-TWICE", "'slot 1' has the name of another", system.derive)
    equations = slotted_arm().derive()
    refused(
        "E-CONSTRAINT-DEPENDENCE", "follows from the other", lambda: equations.assemble({"arm": 0.4}, hold=["slot 1"])
    )
    locked = ph.Compound(ph.Revolute("z"), ph.Revolute("y"), ph.Revolute("z"), ph.Prismatic("z"))
    equations = slotted_arm(locked).derive()
    refused("E-CONSTRAINT-SINGULAR", "not defined at this pose", equations.assemble)
