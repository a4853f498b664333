"""Discs on curves in model files."""

import pytest

import polhode as ph
from polhode.errors import FormatError
from polhode.expr import same
from polhode.formats.yaml_model import dumps_yaml, loads_yaml
from polhode.model.constraints import DiscOnCurve

MODEL = """
polhode: 1
parameters: {r: 0.25, h: 0.1}
tables:
  road: {x: [0, 1, 2, 3], y: [0, 0.1, 0, 0.2], kind: cubic}
bodies:
  disc: {mass: 2, inertia: [1, 1, 1]}
joints:
  move: {parent: ground, child: disc, type: planar, normal: y}
rolling:
  tyre: {type: disc, body: disc, radius: r, CURVE}
"""


def tyre(curve: str) -> DiscOnCurve:
    made = loads_yaml(MODEL.replace("CURVE", curve)).constraints["tyre"]
    assert isinstance(made, DiscOnCurve)
    return made


def test_a_curve_is_read_in_its_own_parameter_and_a_curve_of_heights_by_a_table_is_the_one_of_python() -> None:
    made = tyre("parameter: angle, curve: [h*cos(angle), h*sin(angle) + t], slips: true")
    s, h, t = made.parameter, ph.System("any").parameter("h"), ph.System("any").time
    assert same(made.curve, (h * ph.cos(s), h * ph.sin(s) + t)) and made.slips
    assert not tyre("curve: [s, s**2]").slips
    s = ph.System("same")
    r = s.parameter("r", 0.25)
    s.joint("move", s.ground, s.body("disc", 2, inertia=(1, 1, 1)), ph.Planar("y"))
    road = ph.table([0, 1, 2, 3], [0, 0.1, 0, 0.2], name="road", kind="cubic")
    made = s.roll_disc("tyre", "disc", r, road)
    assert same(tyre("parameter: x, curve: [x, road(x)]").curve, made.curve)


def test_a_parameter_of_the_model_keeps_its_name() -> None:
    """The curve's own parameter is called otherwise when it is written."""
    s = ph.System("taken")
    taken = s.parameter("s", 3)
    s.joint("move", s.ground, s.body("disc", 2, inertia=(1, 1, 1)), ph.Planar("y"))
    made = s.roll_disc("tyre", "disc", 1, lambda x: taken * x**2)
    text = dumps_yaml(s)
    assert "parameter: s2" in text
    again = loads_yaml(text).constraints["tyre"]
    assert isinstance(again, DiscOnCurve) and same(again.curve, made.curve)


@pytest.mark.parametrize(("curve", "words"), [
    ("curve: [s, s*k]", "nothing called 'k'"), ("curve: [s, move_x]", "nothing called 'move_x'"),
    ("curve: [1, 2]", "the curve is a point"), ("parameter: r, curve: [r, r]", "is a parameter and a coordinate"),
    ("curve: [s]", "curve"), ("radius2: 3, curve: [s, s]", "radius2"), ("curve: [s, s], slips: perhaps", "slips"),
])  # fmt: skip
def test_what_is_wrong_with_a_curve_is_told_with_its_line(curve: str, words: str) -> None:
    with pytest.raises(FormatError, match=words) as told:
        tyre(curve)
    assert str(told.value).startswith("<text>:11: rolling.tyre")


def test_unknown_keys_and_unknown_names_are_reported_together() -> None:
    text = (
        "gravity: [0, 0, g]\nparameters: {m: 1}\nbodies: {bob: {mass: mm, com: [0, 0, -1], colour: red}}\n"
        "joints: {hinge: {parent: ground, child: bob, type: revolute, axis: y}}\n"
        "loads: [{type: joint_force, joint: hinge, value: k*hinge, sign: 1}]\n"
        "poses: {a: {coordinates: {hing: 1}}}\n"
    )
    with pytest.raises(FormatError) as caught:
        loads_yaml(text)
    places = [problem.place.partition(": ")[2] for problem in caught.value.problems]
    assert places == [
        "bodies.bob.colour",
        "loads[0].sign",
        "gravity[2]",
        "bodies.bob.mass",
        "loads[0].value",
        "poses.a",
    ]


def test_names_that_a_wrong_section_declares_are_not_reported_as_unknown() -> None:
    text = (
        "bodies: {bob: {mass: 1, com: [0, 0, -1]}}\n"
        "joints: {hinge: {parent: ground, child: bob, type: revolute, axis: y, coordinats: [theta]}}\n"
        "loads: [{type: joint_force, joint: hinge, value: -theta}]\n"
    )
    with pytest.raises(FormatError) as caught:
        loads_yaml(text)
    assert len(caught.value.problems) == 1
