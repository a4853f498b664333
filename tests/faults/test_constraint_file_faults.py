"""What is wrong with loops, conditions, rolling and prescribed motions in a file is told with its line."""

from __future__ import annotations

import pytest

from polhode.errors import PolhodeError
from polhode.formats import loads_yaml

ARM = """\
parameters: {l: 2}
inputs: {push: 0}
bodies:
  upper: {mass: 1, inertia: [1, 1, 1]}
  lower: {mass: 1, inertia: [1, 1, 1]}
joints:
  shoulder: {parent: ground, child: upper, type: revolute, axis: y}
  elbow: {parent: upper, child: lower, type: universal, at: [l, 0, 0]}
"""
LAST = ARM.count("\n")


def refusal(text: str) -> str:
    with pytest.raises(PolhodeError) as caught:
        loads_yaml(ARM + text, file="m.yaml")
    assert all(problem.place.startswith("m.yaml:") and problem.code for problem in caught.value.problems)
    return str(caught.value)


@pytest.mark.parametrize(
    ("text", "line", "said", "cure"),
    [
        ("closures: {pin: {a: uper, b: ground, type: spherical}}", 1, "no body 'uper'", "Did you mean 'upper'?"),
        ("closures: {pin: {a: upper, b: upper, type: spherical}}", 1, "both frames are on body 'upper'", ""),
        ("closures:\n  pin: {a: upper, b: ground, type: sphericle}", 2, "no joint type 'sphericle'", "'spherical'?"),
        ("closures:\n  pin: {a: upper, b: ground}", 2, "one of type, map and sequence", "type: revolute"),
        ("closures:\n  pin:\n    a: upper\n    b: ground\n    tpye: fixed", 5, "no such key", "Did you mean `type`?"),
        ("closures:\n  pin:\n    a: upper\n    type: fixed", 2, "this key is missing", "Add `b:`"),
        ("closures: {p: {a: upper, b: ground, type: fixed, at_a: [k, 0, 0]}}", 1, "nothing called 'k'", "Known: l"),
        ("closures: {p: {a: upper, b: ground, type: fixed, at_a: [shoulder, 0, 0]}}", 1, "'shoulder'", ""),
        ("closures: {p: {a: upper, b: ground, type: revolute, axis: w}}", 1, "the axis 'w'", ""),
        ("conditions:\n  slot: {position: sholder}", 2, "nothing called 'sholder'", "Did you mean shoulder?"),
        ("conditions:\n  slot: {position: u(shoulder)}", 2, "depends on the speed 'shoulder'", "constrain_speed"),
        ("conditions:\n  slot: {position: push - shoulder}", 2, "depends on the input 'push'", "coordinate"),
        ("conditions:\n  slot: {speed: u(shoulder)**2}", 2, "not linear in the speed 'shoulder'", ""),
        ("conditions:\n  slot: {}", 2, "one of position and speed, not none", "position:"),
        ("conditions:\n  slot: {position: l, speed: l}", 2, "not position and speed", ""),
        ("conditions:\n  slot: {possition: l}", 2, "no such key", "Did you mean `position`?"),
        ("conditions:\n  slot: {position: __import__(os)}", 2, "no function '__import__'", ""),
        ("rolling:\n  rim: {type: weel, body: upper, radius: 1}", 2, "no type 'weel'", "Did you mean `wheel`?"),
        ("rolling:\n  rim: {body: upper, radius: 1}", 2, "the type is missing", "Add `type:`"),
        ("rolling:\n  rim: {type: wheel, body: upper}", 2, "this key is missing", "Add `radius:`"),
        ("rolling:\n  rim: {type: wheel, body: upper, radius: nan}", 2, "not a finite number", ""),
        ("rolling:\n  rim: {type: wheel, body: upper, radius: 1, on: upper}", 2, "cannot touch itself", ""),
        ("rolling:\n  rim: {type: ball, body: upper, radius: 1, on: grund}", 2, "no body 'grund'", "'ground'"),
        ("rolling:\n  rim: {type: ball, body: upper, radius: shoulder}", 2, "'shoulder'", ""),
        ("rolling:\n  rim: {type: knife_edge, body: upper, across: [0, 0, 0]}", 2, "zero length", ""),
        ("rolling:\n  rim: {type: no_slip, a: upper, frame: lowre}", 2, "no frame or body 'lowre'", "'lower'"),
        ("prescribed:\n  sholder: t", 2, "no coordinate 'sholder'", "'shoulder'"),
        ("prescribed:\n  elbow: t", 2, "no coordinate 'elbow'", "'elbow_"),
        ("prescribed:\n  shoulder: push*t", 2, "nothing called 'push'", ""),
        ("prescribed:\n  shoulder: elbow_1", 2, "nothing called 'elbow_1'", ""),
        ("prescribed:\n  shoulder: [t]", 2, "not a list", ""),
        ("closures: [1]", 1, "names and values are wanted here", ""),
        ("closures: {p: {a: upper, b: ground, type: fixed}}\nconditions: {p: {position: shoulder}}", 2,
         "already a constraint of this name", ""),
    ],
)  # fmt: skip
def test_F25_a_wrong_constraint_is_told_with_its_line_and_its_cure(text: str, line: int, said: str, cure: str) -> None:
    words = refusal(text)
    assert f"m.yaml:{LAST + line}:" in words
    assert said in words
    assert cure in words


def test_F25_all_mistakes_are_told_at_once() -> None:
    words = refusal("closures: {p: {a: upper, b: ground, type: fixd}}\nconditions: {c: {position: x}, d: {}}")
    assert words.count("m.yaml:") == 3


def test_F25_a_follower_cannot_be_driven_as_well() -> None:
    joints = "  wheel: {parent: ground, child: disc, type: revolute}\n"
    text = ARM.replace("bodies:\n", "bodies:\n  disc: {mass: 1, inertia: [1, 1, 1]}\n").replace(
        "joints:\n", "joints:\n" + joints
    )
    constraints = "couplings: {wheel: {leader: shoulder}}\nprescribed: {wheel: t}\n"
    with pytest.raises(PolhodeError, match="the motion of 'wheel' is already given"):
        loads_yaml(text + constraints)


def test_F32_a_file_whose_loop_cannot_close_says_so_when_it_is_diagnosed() -> None:
    system = loads_yaml(
        ARM + "closures: {pin: {a: upper, b: ground, type: spherical, at_a: [1, 0, 0], at_b: [5, 0, 0]}}"
    )
    found = system.diagnose()
    assert not found.can_be_assembled
    assert "'pin x' is off by" in found.text()


def test_a_driven_joint_may_move_what_has_no_mass() -> None:
    text = "bodies: {cam: {}}\njoints: {turn: {parent: ground, child: cam, type: revolute}}\n"
    with pytest.raises(PolhodeError, match="moves no mass"):
        loads_yaml(text)
    assert loads_yaml(text + "prescribed: {turn: 2*t}").derive().speeds == []
