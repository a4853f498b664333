"""What the model file survives in trees, couplings, axes and masses, by the ids of the fault list."""

from __future__ import annotations

import pytest
from tests.faults.model_text import PENDULUM, refusal, same_pendulum

from polhode.dynamics.mass_factors import inverse_mass_matrix
from polhode.errors import PolhodeError
from polhode.formats import loads_yaml

# ---- F13 to F20: mechanics ---------------------------------------------------------------------------------------

THREE = """\
bodies: {a: {mass: 1}, b: {mass: 1}, c: {mass: 1}}
joints:
"""


def joints(*pairs: str) -> str:
    lines = [f"  {pair}: {{parent: {pair[0]}, child: {pair[1]}, type: free}}\n" for pair in pairs]
    return THREE + "".join(lines).replace("parent: g", "parent: ground")


@pytest.mark.parametrize(("pairs", "said"), [
    (("ga", "bb", "gc"), "cannot be joined to itself"), (("ab", "ba", "gc"), "closes a cycle"),
    (("ab", "bc", "ca"), "closes a cycle"), (("ga", "gb", "ac", "bc"), "already hangs on joint 'ac'"),
])  # fmt: skip
def test_F13_cycles_and_second_parents_are_refused(pairs: tuple[str, ...], said: str) -> None:
    assert said in refusal(joints(*pairs))


def test_F14_every_body_that_hangs_on_nothing_is_listed() -> None:
    message = refusal(joints("ga"))
    assert "bodies.b: this body hangs on no joint" in message
    assert "bodies.c: this body hangs on no joint" in message
    assert "bodies.a" not in message


GEARS = """\
parameters: {r: 2}
bodies: {a: {mass: 1, inertia: [1, 1, 1]}, b: {mass: 1, inertia: [1, 1, 1]}, c: {mass: 1, inertia: [1, 1, 1]}}
joints:
  first: {parent: ground, child: a, type: revolute}
  second: {parent: ground, child: b, type: revolute}
  ball: {parent: ground, child: c, type: spherical}
couplings:
"""


@pytest.mark.parametrize(("couplings", "said"), [
    ("second: {leader: frist}", "8: couplings.second: coupling of 'second': there is no joint 'frist'"),
    ("second: {leader: frist}", "Did you mean 'first'?"), ("secnd: {leader: first}", "Did you mean 'second'?"),
    ("second: {leader: second}", "8: couplings.second: coupling of 'second' to 'second': a joint cannot follow"),
    ("second: {leader: first}\n  first: {leader: second}", "9: couplings.first: coupling of 'first' to 'second'"),
    ("second: {leader: ball}", "joint 'ball' has 4 coordinates"),
    ("ball: {leader: first}", "Only joints with one coordinate, that is not elastic, can be coupled"),
    ("second: {leader: first, multiplier: 0}", "the multiplier is zero"),
    ("second: {leader: first, multiplier: r - r}", "the multiplier is zero"),
    ("second: {leader: first, multiplier: nan}", "8: couplings.second.multiplier: 'nan' is not a finite number"),
    ("second:\n    leader: first\n    offset: R", "10: couplings.second.offset: there is nothing called 'R'"),
    ("second: {leader: first, offset: q(first)}", "couplings.second.offset: there is no coordinate"),
    ("second: {multiplier: 2}", "couplings.second.leader: this key is missing"),
    ("second: {leader: first, ratio: 2}", "couplings.second.ratio: there is no such key"),
    ("second: {leader: first}\n  second: {leader: first}", "9: couplings.second: this name was already given"),
    ("second: first", "names and values are wanted here, not text"),
])  # fmt: skip
def test_F16_a_coupling_that_makes_no_sense_is_refused_at_its_line(couplings: str, said: str) -> None:
    assert said in refusal(f"{GEARS}  {couplings}\n")


def test_F16_senseless_couplings_are_reported_together_and_cause_no_other_mistake() -> None:
    message = refusal(
        GEARS.replace("child: a, type: revolute", "child: a, type: revolute, axis: [0, 0, 0]")
        + "  second: {leader: first, multiplier: 2*}\n  first: {leader: nobody}\n"
    )
    assert "m.yaml:4: joints.first.axis" in message
    assert "m.yaml:8: couplings.second.multiplier" in message
    assert message.count("m.yaml:") == 2, "what is coupled to a broken joint is not broken as well"
    message = refusal(GEARS + "  second: {leader: nobody}\n  ball: {leader: first}\n  first: {leader: first}\n")
    assert message.count("m.yaml:") == 3


def test_F16_a_pose_gives_the_state_of_leaders_only() -> None:
    coupled = GEARS + "  second: {leader: first, multiplier: -r}\n"
    message = refusal(coupled + "poses: {up: {coordinates: {first: 1, second: 2}, speeds: {second: 1}}}\n")
    assert "poses.up.coordinates.second: joint 'second' follows 'first'" in message
    assert "poses.up.speeds.second" in message
    assert loads_yaml(coupled + "poses: {up: {coordinates: {first: 1}}}\n").poses


def test_F17_an_axis_is_a_direction_of_any_length_but_zero() -> None:
    assert "m.yaml:5: joints.hinge.axis: the axis has zero length" in refusal(
        PENDULUM.replace("axis: y", "axis: [0, 0, 0]")
    )
    assert "joints.hinge.axis" in refusal(PENDULUM.replace("axis: y", "axis: w"))
    assert same_pendulum(loads_yaml(PENDULUM.replace("axis: y", "axis: [0, 2.5, 0]")))


def test_F19_a_joint_that_moves_no_mass_is_refused_and_a_weld_is_not() -> None:
    bare = PENDULUM.replace("joints:", "  tip: {}\njoints:")
    message = refusal(bare + "  wrist: {parent: bob, child: tip, type: revolute}\n")
    assert "m.yaml:7: joints.wrist: this joint moves no mass: body 'tip'" in message
    assert same_pendulum(loads_yaml(bare + "  wrist: {parent: bob, child: tip, type: fixed}\n"))
    follower = bare + "  wrist: {parent: bob, child: tip, type: revolute}\ncouplings: {wrist: {leader: hinge}}\n"
    assert same_pendulum(loads_yaml(follower)), "what moves with a mass needs none of its own"


QUARTER_CAR = """
bodies: {wheel: {}, car: {mass: 350}}
joints:
  zu: {type: prismatic, parent: ground, child: wheel, axis: z, speeds: [vu]}
  zs: {type: prismatic, parent: wheel, child: car, axis: z, speeds: [vs]}
  steer: {type: revolute, parent: car, child: hand, axis: z}
"""


def test_joints_that_move_the_same_mass_are_named_together() -> None:
    file = QUARTER_CAR.replace("350}", "350}, hand: {mass: 1, com: [1, 0, 0]}")
    with pytest.raises(PolhodeError, match=r"speeds 'vu' and 'vs' move the same mass.*[\s\S]*between their joints"):
        inverse_mass_matrix(loads_yaml(file).derive().record)
    heavy = file.replace("wheel: {}", "wheel: {mass: 40}")
    assert inverse_mass_matrix(loads_yaml(heavy).derive().record).shape == (3, 3)


def test_a_point_on_its_axis_asks_about_the_axis() -> None:
    along = PENDULUM.replace("axis: y", "axis: z").replace(", inertia: [1, 1, 1]", "")
    with pytest.raises(PolhodeError, match=r"moves no mass[\s\S]*Is the axis .* without inertia is a point"):
        inverse_mass_matrix(loads_yaml(along).derive().record)


@pytest.mark.parametrize("mass", ["-1", "-1e-30", "1 - 2", "-pi"])
def test_F19_a_negative_mass_is_refused_and_a_tiny_one_is_not(mass: str) -> None:
    assert "negative" in refusal(PENDULUM.replace("mass: m", f"mass: {mass}"))
    assert loads_yaml(PENDULUM.replace("mass: m", "mass: 1e-30")).bodies["bob"].mass


@pytest.mark.parametrize(("inertia", "said"), [
    ("[-1, 1, 1]", "not positive: its principal moments are -1, 1, 1"),
    ("[1, 1, 3]", "nearest possible inertia is xx 1.333333333, yy 1.333333333, zz 2.666666667"),
    ("[1, 1, 1, 2, 0, 0]", "not positive"), ("[[1, 2, 0], [0, 1, 0], [0, 0, 1]]", "not a symmetric"),
    ("[1, 1]", "3 entries are wanted"), ("[[1, 0], [0, 1]]", "3 entries are wanted"),
])  # fmt: skip
def test_F20_an_inertia_that_no_body_has_is_refused(inertia: str, said: str) -> None:
    message = refusal(PENDULUM.replace("[1, 1, 1]", inertia))
    assert "bodies.bob" in message
    assert said in message


# ---- states without mass -----------------------------------------------------------------------------------------

LAGGING = """\
parameters: {T: 0.1}
inputs: {c: 0}
bodies: {b: {mass: 1, com: [0, 0, -1]}}
joints: {h: {parent: ground, child: b, type: revolute, axis: y}}
loads: [{type: joint_force, joint: h, value: c}]
states:
"""


@pytest.mark.parametrize(("state", "said"), [
    ("a: {rate: (c - b)/T}", "states.a.rate: there is nothing called 'b' to be used here"),
    ("a: {start: 1}", "states.a.rate: this key is missing"), ("a: {rate: 1, strt: 1}", "Did you mean `start`?"),
    ("a: {rate: tau(h)}", "its rate cannot depend on the effort 'h'"),
    ("a: {rate: 1, start: c}", "states.a.start: there is nothing called 'c'"),
    ("a: [1, 2]", "states.a: a number, an expression or a name is wanted here, not a list"),
    ("a:", "states.a: there is nothing here"),
    ("a: c/", "states.a: the expression stops where a value should follow"),
    ("T: 3", "the state 'T' and the parameter 'T' would both be written T"),
    ("h: 3", "the coordinate 'h' and the state 'h' would both be written h"),
])  # fmt: skip
def test_F12_states_that_are_none_are_refused_at_their_line(state: str, said: str) -> None:
    assert list(loads_yaml(LAGGING + "  a: (c - a)/T\n").states) == ["a"]
    assert said in refusal(f"{LAGGING}  {state}\n")
