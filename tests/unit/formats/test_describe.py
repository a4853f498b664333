"""Motors in model files: written by the joint that each drives, and read back the same."""

from typing import Any

import pytest

import polhode as ph
from polhode.formats import dumps_yaml, loads_yaml

MOTORS: dict[str, dict[str, Any]] = {
    "elastic": {"inertia": (1, 2, 3), "mass": 2, "com": (0, "0.1", "0.2"), "stiffness": 1000, "damping": 3},
    "reduced": {"inertia": (2, 2, 3), "mass": 2, "stiffness": 1000, "coupling": "reduced", "friction": "0.1"},
    "geared": {"inertia": "0.001", "joint_friction": 2},
    "placed": {"inertia": 1, "on": "flange", "axis": (3, 0, 4), "at": ("0.1", 0, 0)},
    "driven by a voltage": {"inertia": 1, "resistance": 2, "inductance": "0.01", "constant": "0.05"},
    "without a rotor": {},
}


def arm(**motor: Any) -> ph.System:
    s = ph.System("arm")
    n = s.parameter("n", 50)
    s.joint("j1", s.ground, s.body("upper", 2, ("0.3", 0, 0), (1, 2, 3)), ph.Revolute("z"))
    s.joint("j2", "upper", s.body("fore", 1, (0, "0.2", 0), (3, 2, 4)), ph.Prismatic("x"), at=("0.5", 0, 0))
    s.frame("flange", "upper", at=("0.1", 0, 0), rotation=("y", ph.pi / 2))
    s.motor("j2", n, **motor)
    s.joint_spring("j1", 5)
    return s


@pytest.mark.parametrize("kind", MOTORS)
def test_a_motor_is_read_back_as_it_was_written(kind: str) -> None:
    s = arm(**MOTORS[kind])
    text = dumps_yaml(s)
    again = loads_yaml(text)
    assert again.model() == s.model() and again.motors == s.motors and dumps_yaml(again) == text
    assert "motors:" in text and "j2 rotor" not in text and "gear" not in text


def test_rotors_that_carry_something_and_loads_like_a_motors_are_kept() -> None:
    s = arm(**MOTORS["elastic"])
    s.joint_force("j2 rotor", -3 * s.rotors["j2 rotor"].u[0] ** 3)
    s.pose("wound", {"j2 rotor": 2.5})
    again = loads_yaml(dumps_yaml(s))
    assert again.model() == s.model() and again.poses["wound"].coordinates == {"j2 rotor": 2.5}
    s = arm(**MOTORS["elastic"])
    s.joint("clamp", "j2 rotor", s.body("brake", 1))
    text = dumps_yaml(s)
    again = loads_yaml(text)
    assert "motors:" not in text and not again.motors and again.derive().agrees_with(s.derive())
    s = arm(inertia=1, friction=3)
    own = s.motors["j2"].loads[0]
    s.joint_force(own.joint, own.value, name=own.name)
    assert len(loads_yaml(dumps_yaml(s)).loads) == len(s.loads) == 3


@pytest.mark.parametrize("inertia", ["1e-3", "Im", "[0, 0, 1e-3]"])
def test_the_inertia_about_the_axis_may_stand_alone(inertia: str) -> None:
    text = (
        "parameters: {Im: 0.001}\nbodies: {upper: {mass: 1, com: [1, 0, 0]}}\n"
        "joints: {j1: {parent: ground, child: upper, type: revolute}}\n"
    )
    read = loads_yaml(f"{text}motors: {{j1: {{ratio: 10, inertia: {inertia}, stiffness: 100}}}}")
    own = loads_yaml(text)
    own.motor("j1", 10, inertia=own.parameters["Im"].symbol if inertia == "Im" else "0.001", stiffness=100)
    assert read.model() == own.model()


WRONG = {
    "motors: {j9: {inertia: 1}}": "there is no joint 'j9'",
    "motors: {j1: {inertia: [0, 0, 1], stiffness: -5}}": "the stiffness -5 is not positive",
    "motors: {j1: {inertia: [0, 0, 1], coupling: half}}": "there is no coupling 'half'",
    "motors: {j1: {inertia: [1, 2]}}": "expected 3 entries",
    "motors: {j1: {ratoi: 3}}": "Did you mean `ratio`",
    "motors: {j1: {ratio: 0}}": "the ratio is zero",
}


@pytest.mark.parametrize("text", WRONG)
def test_a_wrong_motor_is_told_with_its_line(text: str) -> None:
    head = "bodies: {upper: {mass: 1, com: [1, 0, 0]}}\njoints: {j1: {parent: ground, child: upper, type: revolute}}\n"
    with pytest.raises(ph.PolhodeError) as raised:
        loads_yaml(head + text)
    assert WRONG[text] in str(raised.value) and ":3:" in str(raised.value)


def test_laws_of_a_motor_may_depend_on_the_motion_in_a_file_too() -> None:
    s = arm()
    q = s.joints["j1"].q[0]
    s.motor("j1", 10, inertia=1, stiffness=5 + q**2, damping=s.time, friction=1 + s.joints["j2"].u[0] ** 2)
    again = loads_yaml(dumps_yaml(s))
    assert again.motors == s.motors and again.derive().agrees_with(s.derive())
    assert again.motors["j1"].stiffness == 5 + q**2
