"""Mounting a motor: what it adds, where its rotor sits, and what is refused."""

import pickle
from typing import Any

import pytest
from tests.refusals import refused

import polhode as ph
from polhode.errors import ModelError
from polhode.expr import Matrix, Vector, as_expr, derivative, same
from polhode.geometry import unit_axis
from polhode.geometry.rotations.matrix import is_rotation
from polhode.model.motor_mounting import turned_to


def arm(**gravity: Any) -> ph.System:
    """Two links: a hinge about z, and one about x on it."""
    s = ph.System("arm", **gravity)
    upper = s.body("upper", 2, ("0.3", 0, 0), (1, 2, 3))
    fore = s.body("fore", 1, (0, "0.2", 0), (3, 2, 4))
    s.joint("j1", s.ground, upper, ph.Revolute("z"), at=(0, 0, 1))
    s.joint("j2", upper, fore, ph.Revolute("x"), at=("0.5", 0, 0))
    return s


def test_an_elastic_motor_adds_a_coordinate_and_a_geared_one_counts_by_its_ratio() -> None:
    s = arm()
    motor = s.motor("j2", 50, inertia=(1, 1, 2), mass=3, stiffness=1000, damping=5)
    e = s.derive()
    assert e.coordinates == e.speeds == ["j1", "j2", "j2 rotor"]
    assert motor.shaft == motor.rotor == "j2 rotor"
    assert s.rotors["j2 rotor"].parent == "upper"
    assert [tau.name for tau in e.tau] == ["j1", "j2", "j2 rotor"]
    s, n, Im = arm(), ph.symbol("n", "parameter"), ph.symbol("Im", "parameter")
    bare = s.derive().mass_matrix
    s.parameter("n"), s.parameter("Im")
    motor = s.motor("j1", n, inertia=Im)
    e = s.derive()
    assert e.coordinates == ["j1", "j2"] and motor.shaft == "j1"
    assert same((e.mass_matrix - bare).entries(), [n**2 * Im, 0, 0, 0])


def test_a_rotor_that_rides_on_a_link_is_coupled_to_its_turning_unless_reduced() -> None:
    """Rotor j2 spins about x on a link that turns about z: no coupling; about z it is n Im."""
    for coupling, expected in (("full", 20), ("reduced", 0)):
        s = arm()
        bare = s.derive().mass_matrix
        s.motor("j2", 10, inertia=2, axis="z", coupling=coupling)
        change = s.derive().mass_matrix - bare
        assert change[0, 1] == change[1, 0] == expected and change[1, 1] == 200
        assert change[0, 0] == (2 if coupling == "full" else 0)


def test_a_reduced_rotor_leaves_its_mass_and_cross_inertia_with_its_carrier() -> None:
    s = arm()
    bare = s.derive().mass_matrix
    s.motor("j2", 10, inertia=(3, 3, 5), mass=6, coupling="reduced")
    change = s.derive().mass_matrix - bare
    # The axis is x of the upper link, so that rotor x and y are across it: one of them is about the link's z.
    assert change[0, 0] == as_expr("1.5") + 3  # 6 kg at half a metre
    assert change[1, 1] == 500 and change[0, 1] == 0
    assert s.motors["j2"].bodies == ("j2 rotor mass", "j2 rotor")


def test_a_rotor_sits_where_it_is_said_to_and_rotors_ride_on_links_or_are_records_and_pickle() -> None:
    s = arm()
    s.frame("flange", "upper", at=("0.1", 0, 0), rotation=("y", ph.pi / 2))
    s.motor("j2", inertia=1, stiffness=1, on="flange", axis="z", at=(0, 0, "0.2"), com=(0, 0, "0.05"), mass=1)
    rotor = s.rotors["j2 rotor"]
    assert rotor.parent == "upper" and tuple(rotor.in_parent.p) == tuple(Vector([as_expr("0.3"), 0, 0]))
    assert tuple(rotor.in_parent.R @ Vector([0, 0, 1])) == (1, 0, 0)
    s = arm()
    bare = s.derive().mass_matrix
    s.motor("j1", 10, inertia=2, on="upper")
    change = s.derive().mass_matrix - bare
    assert change[0, 0] == (10 + 1) ** 2 * 2
    s = arm()
    before = s.model()
    motor = s.motor("j1", 50)
    assert not motor.has_rotor and s.model() == before and list(s.motors) == ["j1"]
    s = arm()
    s.motor("j1", 10, inertia=1, stiffness=5, friction=2)
    again = pickle.loads(pickle.dumps(s))
    assert again.model() == s.model() and again.motors == s.motors


@pytest.mark.parametrize("stiffness", [None, 1000])
@pytest.mark.parametrize("inertia", [0, 1])
def test_windings_turn_a_voltage_into_torque(stiffness: int | None, inertia: int) -> None:
    if stiffness and not inertia:
        return
    s = arm(gravity=(0, 0, 0))
    R, L, K, n = (s.parameter(name) for name in ("R", "L", "K", "n"))
    motor = s.motor("j1", n, inertia=inertia, stiffness=stiffness, resistance=R, inductance=L, constant=K)
    e = s.derive()
    V, i = s.inputs["j1 voltage"].symbol, s.states[motor.current].symbol
    speed = e.u[e.speeds.index("j1 rotor")] if stiffness else n * e.u[0]
    assert same(e.z_rates, [(V - R * i - K * speed) / L])
    at = e.speeds.index(motor.shaft)
    torque = K * i if stiffness else K * n * i
    assert same(derivative([e.bias[at]], i), [-torque / i])


WRONG: list[tuple[str, dict[str, Any], str]] = [
    ("E-JOINT-NUMBER", {"ratio": 0}, "the ratio is zero"),
    ("E-JOINT-NUMBER", {"stiffness": -3, "inertia": 1}, "the stiffness -3 is not positive"),
    ("E-JOINT-NAME", {"inertia": 1, "coupling": "ful"}, "Did you mean 'full'"),
    ("E-JOINT-UNSUPPORTED", {"inertia": 1, "damping": 2}, "a gear that does not twist has no damping"),
    ("E-JOINT-MISSING", {"resistance": 2}, "its windings lack a constant"),
    ("E-JOINT-NAME", {"inertia": 1, "on": "fore"}, "body 'fore' is neither side of the joint"),
    ("E-JOINT-MISSING", {"stiffness": 5}, "the rotor needs an inertia about its axis"),
    ("E-JOINT-SHAPE", {"inertia": (1, 2)}, "1 number or 3, not 2"),
    ("E-JOINT-UNSUPPORTED", {"inertia": 1, "mass": 1, "com": (1, 0, 0), "coupling": "reduced"}, "on its axis"),
    ("E-MODEL-NAME", {"stifness": 5}, "Did you mean 'stiffness'"),
    ("E-MODEL-NAME", {"on": "hand"}, "there is no frame or body 'hand'"),
]


@pytest.mark.parametrize(("code", "given", "words"), WRONG)
def test_what_no_motor_has_is_refused_and_nothing_stays_behind(code: str, given: dict[str, Any], words: str) -> None:
    s = arm()
    before = s.model()
    message = refused("motor of joint 'j1'", lambda: s.motor("j1", **given), ModelError)
    assert code in message and words in message
    assert s.model() == before and not s.motors


def test_what_a_file_says_of_a_gear_is_completed_and_second_motors_wrong_joints_and_coordinates_are_refused() -> None:
    s = arm()
    s.motor("j1", 50)
    bare = s.derive().mass_matrix
    motor = s.motor("j1", inertia=2)
    assert motor.ratio == 50 and (s.derive().mass_matrix - bare)[0, 0] == 5000
    refused("this joint has a motor already", lambda: s.motor("j1", inertia=2), ModelError)
    s = arm()
    s.motor("j1", inertia=1)
    refused("this joint has a motor already", lambda: s.motor("j1", inertia=1), ModelError)
    s = ph.System("arm")
    s.joint("j", s.ground, s.body("link", 1, (1, 0, 0)), ph.Revolute("z", storage="vector"))
    refused("is not the angle that a rotor would turn by", lambda: s.motor("j", inertia=1), ModelError)
    s = arm()
    with pytest.raises(ModelError, match="the stiffness -7 is not positive"):
        s.motor("j1", inertia=1, stiffness=s.parameter("k", -7))


@pytest.mark.parametrize("kind", [ph.Spherical(), ph.Universal("x", "y"), ph.Fixed()])
def test_a_joint_without_a_single_axis_takes_no_motor(kind: Any) -> None:
    s = arm()
    s.joint("j3", "fore", s.body("hand", 1, inertia=(1, 1, 1)), kind)
    refused(r"E-JOINT-UNSUPPORTED", lambda: s.motor("j3", inertia=1), ModelError)


def test_names_that_are_taken_leave_the_system_as_it_was() -> None:
    s = arm()
    s.joint("weld", "fore", s.body("j2 rotor", 1))
    before = s.model()
    refused("there is already a body, frame or surface of this name", lambda: s.motor("j2", inertia=1), ModelError)
    assert s.model() == before


@pytest.mark.parametrize("axis", ["x", "-y", "z", "-z", (1, 2, 2), (1, 1, 1)])
def test_z_is_brought_to_any_axis_by_an_exact_rotation(axis: Any) -> None:
    R = turned_to(unit_axis(axis))
    assert is_rotation(R) and same(R @ Vector([0, 0, 1]), unit_axis(axis))
    assert turned_to(unit_axis("z")) == Matrix.identity(3)


def test_an_impossible_rotor_and_a_second_motor_are_refused() -> None:
    for coupling in ("full", "reduced"):
        with pytest.raises(ModelError, match="no rotor has the principal moments"):
            arm().motor("j1", 10, inertia=(1, 1, 3), mass=1, coupling=coupling)
    s = arm()
    refused("E-JOINT-NUMBER", lambda: s.motor("j1", 10, inertia=(1, 1, s.parameter("Im", 3)), mass=1), ModelError)
    assert not s.motors
    arm().motor("j1", 10, inertia=3)
    arm().motor("j1", 10, inertia=(2, 1, 1))
    with pytest.raises(ModelError, match="equal moments across its axis, not 2 and 1"):
        arm().motor("j1", 10, inertia=(2, 1, 1), coupling="reduced")
    refused("Give an inertia ≥ 0", lambda: arm().motor("j1", 10, inertia=-1), ModelError)
    s = arm()
    s.motor("j1", 10, inertia="0.005", coupling="reduced")
    message = refused("has a motor already", lambda: s.motor("j1", stiffness=1000), ModelError)
    assert 'ignore=["armature"]' in message
    assert "motor('j1', 10, inertia=0.005, coupling=\"reduced\", …)" in message


@pytest.mark.parametrize("coupling", ["full", "reduced"])
def test_rotors_come_in_the_order_of_their_motors_however_they_are_coupled(coupling: str) -> None:
    s = arm()
    for joint in ("j1", "j2"):
        s.motor(joint, 10, inertia=1, stiffness=5, coupling=coupling)
    e = s.derive()
    assert e.coordinates == e.speeds == ["j1", "j2", "j1 rotor", "j2 rotor"] and [x.name for x in e.tau] == e.speeds


def test_joints_keep_the_order_written_and_rotors_that_of_motors_also_under_a_body() -> None:
    s = arm()
    s.motor("j1", 10, inertia=1, stiffness=5)
    s.joint("fan", "j1 rotor", s.body("fan", 1, inertia=(1, 1, 1)), ph.Revolute("z"))
    s.motor("j2", 10, inertia=1, stiffness=5)
    assert s.derive().coordinates == ["j1", "j2", "j1 rotor", "fan", "j2 rotor"]
    assert s.compare(["poincare", "articulated_body"], run=False, functions=()).agree
    s = arm()
    s.motor("j1", 10, inertia=1, stiffness=5)
    s.motor("j2", 10, inertia=1, mass=2, coupling="reduced")
    assert list(s.joints) == ["j1", "j2"] and list(s.rotors) == ["j1 rotor", "j2 rotor mass", "j2 rotor"]
    assert {**s.joints, **s.rotors} == dict(s.model().joints)
    s.joint_force("j1 rotor", 1)
    with pytest.raises(ModelError, match="there is already a joint of this name"):
        s.joint("j1 rotor", s.ground, s.body("other", 1), ph.Revolute("z"))
    again = pickle.loads(pickle.dumps(s))
    assert list(again.joints) == ["j1", "j2"] and again.model() == s.model()
