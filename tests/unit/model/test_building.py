"""Limits of joints: read, refused, written to files and read from robots; first-order states."""

import pickle
from fractions import Fraction
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest
from tests.refusals import refused

import polhode as ph
from polhode.errors import ModelError
from polhode.expr import as_expr
from polhode.formats import dumps_yaml, loads_yaml, schema
from polhode.model.records import Limits
from polhode.model.samples import motor_driven_pendulum


def joint(kind: Any, limits: Any) -> ph.Joint:
    s = ph.System("arm")
    s.parameter("reach", 2)
    return s.joint("j", s.ground, s.body("link", 1, (1, 0, 0)), kind, limits=limits)


def test_limits_are_pairs_open_ends_or_parameters() -> None:
    made = joint(ph.Revolute("z"), (-1, "0.5"))
    assert [(float(each.lower), float(each.upper)) for each in made.limits] == [(-1.0, 0.5)]  # type: ignore[arg-type]
    assert joint(ph.Prismatic("z"), (None, 1)).limits[0].lower is None
    assert joint(ph.Prismatic("z"), (-float("inf"), 1)).limits[0].lower is None
    assert not joint(ph.Prismatic("z"), (None, None)).limits[0].are_given
    first, second = joint(ph.Universal(), [(-1, 1), None]).limits
    assert first.are_given and second == Limits()
    s = ph.System("slide")
    reach = s.parameter("reach", 2)
    made = s.joint("j", s.ground, s.body("bead", 1), ph.Prismatic("x"), limits=(0, 3 * reach))
    assert made.limits[0].upper == 3 * reach
    with_limits, without = (ph.System("arm") for _ in range(2))
    for system, limits in ((with_limits, (-1, 1)), (without, None)):
        system.joint("j", system.ground, system.body("link", 1, (1, 0, 0)), ph.Revolute("y"), limits=limits)
    assert with_limits.model() == without.model()


WRONG = {
    "the wrong way round": (ph.Revolute(), (2, 1), "the lower limit 2 of 'j' is above the upper limit 1"),
    "one number": (ph.Revolute(), 5, "5 is not a pair of limits"),
    "a text": (ph.Revolute(), "ab", "not a pair of limits"),
    "three numbers": (ph.Revolute(), (1, 2, 3), "is not a pair of limits"),
    "texts that are no numbers": (ph.Revolute(), ("a", "b"), "is not a number or an expression"),
    "one pair for two": (ph.Universal(), [(0, 1)], "1 pairs of limits for 2 coordinates"),
    "a weld": (ph.Fixed(), [(0, 1)], "This joint does not move"),
    "a quaternion": (ph.Spherical(), [(0, 1)] * 4, "'j_e0' is a part of an orientation"),
    "a function of time": (ph.Revolute(), (0, ph.symbol("t", "time")), "cannot depend on the time 't'"),
}


@pytest.mark.parametrize("name", WRONG)
def test_limits_that_make_no_sense_are_refused_with_a_sentence(name: str) -> None:
    kind, limits, sentence = WRONG[name]
    refused(sentence, lambda: joint(kind, limits))


def rated(kind: Any, **limits: Any) -> ph.Joint:
    s = ph.System("arm")
    return s.joint("j", s.ground, s.body("link", 1, (1, 0, 0), (1, 1, 1)), kind, **limits)


def test_rated_limits_are_of_both_signs_pairs_or_one_for_each() -> None:
    made = rated(ph.Revolute(), speed_limits=2.175, effort_limits="87")
    assert made.speed_limits == (Limits(-as_expr("2.175"), as_expr("2.175")),)
    assert made.effort_limits == (Limits(as_expr(-87), as_expr(87)),)
    five = Limits(as_expr(-5), as_expr(5))
    assert rated(ph.Spherical(), speed_limits=5).speed_limits == (five, five, five)
    each = rated(ph.Universal(), effort_limits=[5, (None, 2)]).effort_limits
    assert each == (five, Limits(None, as_expr(2)))
    assert rated(ph.Universal(), effort_limits=(5, None)).effort_limits == (five, Limits())
    s = ph.System("arm")
    s.joint("j", s.ground, s.body("link", 1), ph.Prismatic(), speed_limits=(-1, 2), effort_limits=s.parameter("f", 3))
    back = pickle.loads(pickle.dumps(s.model()))
    for kind in ("speed_limits", "effort_limits"):
        assert getattr(back.joints["j"], kind) == getattr(s.joints["j"], kind)


@pytest.mark.parametrize("given", [(-1, 5), [(-1, 5)], np.array([-1.0, 5.0])], ids=["pair", "list of one", "array"])
def test_one_speed_may_have_a_pair(given: Any) -> None:
    assert rated(ph.Prismatic(), effort_limits=given).effort_limits == (Limits(as_expr(-1), as_expr(5)),)


@pytest.mark.parametrize("given", [None, float("inf"), (None, None), [float("inf")]])
def test_without_an_end_there_are_none(given: Any) -> None:
    assert rated(ph.Revolute(), speed_limits=given).speed_limits == ()


def test_rated_limits_may_be_parameters_and_do_not_change_the_equations() -> None:
    systems = ph.System("arm"), ph.System("arm")
    for system, share in zip(systems, (None, 2), strict=True):
        strength = system.parameter("strength", 10)
        rated_at = None if share is None else share * strength
        link = system.body("link", 1, (1, 0, 0))
        system.joint("j", system.ground, link, ph.Revolute(), effort_limits=rated_at, speed_limits=share)
    assert systems[0].model() == systems[1].model()
    assert [str(each.upper) for each in systems[1].joints["j"].effort_limits] == ["2*strength"]


NEGATIVE = "is negative"
WRONG_RATED = {
    "negative": (ph.Revolute(), -3, "the effort limit -3 of 'j' " + NEGATIVE, "E-MODEL-NUMBER"),
    "negative in a list": (ph.Universal(), [3, -3], "the effort limit -3 of 'j_2' " + NEGATIVE, "E-MODEL-NUMBER"),
    "no number": (ph.Revolute(), float("nan"), "nan is not a finite number", "E-EXPR-NUMBER"),
    "a text": (ph.Revolute(), "strong", "'strong' is not a number or an expression", "E-EXPR-TYPE"),
    "true": (ph.Revolute(), True, "True is not a number or an expression", "E-EXPR-TYPE"),
    "three for one": (ph.Revolute(), (1, 2, 3), "3 effort limits for 1 speed", "E-MODEL-SHAPE"),
    "two for three": (ph.Spherical(), [1, 2], "2 effort limits for 3 speeds", "E-MODEL-SHAPE"),
    "three ends": (ph.Universal(), [1, (1, 2, 3)], "is not a limit of 'j_2'", "E-CALL-TYPE"),
    "a function": (ph.Revolute(), abs, "is not a number or an expression", "E-EXPR-TYPE"),
    "the wrong way round": (ph.Revolute(), (2, 1), "the lower limit 2 of 'j' is above", "E-MODEL-NUMBER"),
    "a weld": (ph.Fixed(), 5, "effort limits for a joint without speeds", "E-MODEL-SHAPE"),
    "of time": (ph.Revolute(), ph.symbol("t", "time"), "cannot depend on the time 't'", "E-MODEL-DEPENDENCE"),
}


@pytest.mark.parametrize("name", WRONG_RATED)
def test_rated_limits_that_make_no_sense_are_refused_with_a_sentence(name: str) -> None:
    kind, given, sentence, code = WRONG_RATED[name]
    with pytest.raises(ph.PolhodeError, match=sentence) as found:
        rated(kind, effort_limits=given)
    (problem,) = found.value.problems
    assert problem.code == code and problem.place == "joint 'j' effort_limits" and problem.cure


HEAVY = '<inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>'


def test_a_model_file_keeps_limits_and_how_turns_are_stored() -> None:
    s = ph.System("arm")
    reach = s.parameter("reach", 2)
    s.joint("j1", s.ground, s.body("a", 1, (1, 0, 0)), ph.Revolute("z", "vector"), limits=(-1, reach))
    s.joint("j2", "a", s.body("b", 1, (1, 0, 0)), ph.Universal("x", "y", "vector"), limits=[(None, 1), None])
    text = dumps_yaml(s)
    read = loads_yaml(text)
    assert {name: each.limits for name, each in read.joints.items()} == {n: j.limits for n, j in s.joints.items()}
    assert read.model() == s.model() and dumps_yaml(read) == text
    assert "limits: [-1, reach]" in text and "limits: [[~, 1], ~]" in text and "storage: vector" in text


def test_a_model_file_keeps_limits_of_speeds_and_efforts() -> None:
    s = ph.System("arm")
    f = s.parameter("f", 2)
    bodies = [s.body(name, 1, (1, 0, 0), (1, 1, 1)) for name in "abc"]
    s.joint("j1", s.ground, bodies[0], ph.Revolute("z"), speed_limits="2.175", effort_limits=(-1, 3 * f))
    s.joint("j2", "a", bodies[1], ph.Universal(), speed_limits=[f, None], effort_limits=87)
    s.joint("j3", "b", bodies[2], ph.Spherical(), speed_limits=[(-1, 2), None, 3], effort_limits=[1, 2, (None, 3)])
    text = dumps_yaml(s)
    read = loads_yaml(text)
    for kind in ("limits", "speed_limits", "effort_limits"):
        assert {n: getattr(j, kind) for n, j in read.joints.items()} == {
            n: getattr(j, kind) for n, j in s.joints.items()
        }
    assert read.model() == s.model() and dumps_yaml(read) == text
    for line in ("speed_limits: 2.175", "effort_limits: [-1, 3*f]", "speed_limits: [f, ~]", "effort_limits: 87",
                 "speed_limits: [[-1, 2], ~, 3]"):  # fmt: skip
        assert line in text


@pytest.mark.parametrize(("given", "is_known"), [
    (87, True), ("2*f", True), ([-1, 2], True), ([87, [-1, 2], None], True), ({"j": 5}, False), ([[1, 2, 3]], False),
])  # fmt: skip
def test_the_schema_knows_limits_of_speeds_and_efforts(given: Any, is_known: bool) -> None:
    joint = {"parent": "ground", "child": "a", "type": "revolute"}
    checker = jsonschema.Draft202012Validator(schema())
    for key in ("speed_limits", "effort_limits"):
        model = {"polhode": 1, "bodies": {"a": {"mass": 1}}, "joints": {"j": {**joint, key: given}}}
        assert checker.is_valid(model) is is_known


@pytest.mark.parametrize(("line", "sentence"), [
    ("effort_limits: -5", "the effort limit -5 of 'j' is negative"),
    ("speed_limits: [1, 2, 3]", "3 speed limits for 1 speed"), ("effort_limits: strong", "strong"),
    ("effort_limits: {j: 5}", "effort_limits"),
    ("limits: [2, 1]", "the lower limit 2 of 'j' is above the upper limit 1"),
    ("limits: [1]", "is not a pair of limits"), ("limits: [[0, 1, 2]]", "limits"), ("limits: [0, q]", "q"),
    ("storage: quaternion", "only spherical and free joints can store orientation as a quaternion"),
])  # fmt: skip
def test_a_model_file_with_a_wrong_entry_says_where(line: str, sentence: str) -> None:
    text = (
        "polhode: 1\nbodies:\n  link: {mass: 1}\njoints:\n  j:\n    parent: ground\n    child: link\n"
        f"    type: revolute\n    {line}\n"
    )
    assert "joints.j" in refused(sentence, lambda: loads_yaml(text))


def test_a_urdf_file_brings_its_limits(tmp_path: Path) -> None:
    path = tmp_path / "arm.urdf"
    path.write_text(
        f"""<robot name="arm"><link name="base"/><link name="a">{HEAVY}</link><link name="b">{HEAVY}</link>
        <joint name="j1" type="revolute"><parent link="base"/><child link="a"/><limit lower="-1.5" upper="2" effort="1"
          velocity="1"/></joint>
        <joint name="j2" type="continuous"><parent link="a"/><child link="b"/></joint></robot>""",
        encoding="utf-8",
    )
    joints = ph.load_urdf(path).joints
    assert [(float(each.lower), float(each.upper)) for each in joints["j1"].limits] == [(-1.5, 2.0)]  # type: ignore[arg-type]
    assert joints["j2"].limits == ()


def test_an_mjcf_file_brings_the_ranges_of_its_hinges_and_slides(tmp_path: Path) -> None:
    pytest.importorskip("mujoco")
    path = tmp_path / "arm.xml"
    path.write_text(
        """<mujoco><compiler angle="radian"/><worldbody><body name="a"><joint name="turn" type="hinge" range="-1 0.5"/>
        <geom size="0.1" mass="1"/><body name="b"><joint name="slip" type="slide" axis="1 0 0" range="0 0.2"/>
        <geom size="0.1" mass="1"/><body name="c"><joint name="ball" type="ball" range="0 1"/>
        <geom size="0.1" mass="1"/></body></body></body></worldbody></mujoco>""",
        encoding="utf-8",
    )
    joints = ph.load_mjcf(path).joints
    found = {name: [(float(each.lower), float(each.upper)) for each in joint.limits] for name, joint in joints.items()}  # type: ignore[arg-type]
    assert found == {"turn": [(-1.0, 0.5)], "slip": [(0.0, 0.2)], "ball": []}


def rotor() -> ph.System:
    system = ph.System("rotor")
    system.joint("shaft", system.ground, system.body("disc", inertia=(1, 1, 2)), ph.Revolute("z"))
    return system


def test_a_rate_may_be_an_expression_or_a_function_and_shapes_the_digest_of_a_model() -> None:
    system = rotor()
    angle, speed = system.joints["shaft"].q[0], system.joints["shaft"].u[0]
    error = system.state("error", rate=angle - 1)
    lag = system.state("lag", rate=lambda lag: speed - lag)
    later = system.state("later", start="0.5", unit="N m")
    system.state_rate(later, error + lag - 2 * later)
    assert list(system.states) == ["error", "lag", "later"] and system.states["lag"].rate == speed - lag
    assert (system.states["later"].start, system.states["later"].unit) == (Fraction(1, 2), "N m")
    assert system.derive().z_rates == (angle - 1, speed - lag, error + lag - 2 * later)
    model = motor_driven_pendulum().model()
    assert pickle.loads(pickle.dumps(model)) == model
    system = ph.System.of(model)
    system.state("more", rate=1)
    assert system.model() != model and "more" not in model.states


@pytest.mark.parametrize("name", ["error", "shaft", "gain", "command"])
def test_a_name_that_something_else_has_is_refused(name: str) -> None:
    system = rotor()
    system.parameter("gain", 1)
    system.input("command")
    system.state("error", rate=1)
    refused(r"already a state|would both be written", lambda: system.state(name, rate=0), ModelError)


def test_a_state_has_one_rate_without_accelerations_or_efforts_and_a_number_to_start_from() -> None:
    system = rotor()
    shaft = system.joints["shaft"]
    for rate, told in (
        (ph.symbol("shaft", "acceleration"), "cannot depend on the acceleration 'shaft'"),
        (shaft.tau[0], "cannot depend on the effort 'shaft'"),
        (ph.symbol("gain"), "cannot depend on the symbol 'gain'"),
    ):
        with pytest.raises(ModelError, match=told):
            system.state("a", rate=rate)
    assert not system.states, "what was refused leaves nothing behind"
    system = rotor()
    system.state("a", rate=1)
    refused("has a rate already: 1", lambda: system.state_rate("a", 2), ModelError)
    refused("no state 'b'", lambda: system.state_rate("b", 2), ModelError)
    refused("is not a number", lambda: system.state("b", start=system.joints["shaft"].q[0]), ModelError)


def test_states_need_rates_of_their_system_and_geometry_holds_no_state() -> None:
    system = rotor()
    system.state("a")
    refused(r"the state 'a' has no rate.\n.*state_rate\('a', …\)", system.derive, ModelError)
    system = rotor()
    system.state("a", rate=ph.System("other").parameter("gain", 1))
    refused("depends on the parameter 'gain', which is not in the system 'rotor'", system.derive, ModelError)
    system = motor_driven_pendulum()
    system.pose("lifted", {"hinge": 1}, states={"current": 2})
    assert system.derive().simulate(0, start="lifted")["current"].tolist() == [2.0]
    refused(r"no state 'curent'.\n.*'current'", lambda: system.pose("wrong", {}, states={"curent": 2}), ModelError)
    system = rotor()
    a = system.state("a", rate=0)
    with pytest.raises(ModelError, match="gravity cannot depend on the state 'a'"):
        system.gravity = (0, 0, a)
    refused("'a'", lambda: system.constrain(system.joints["shaft"].q[0] - a, "follow"), ModelError)
    refused("the motion cannot depend on the state 'a'", lambda: system.prescribe("shaft", a), ModelError)
    refused("body 'block': the mass cannot depend on the state 'a'", lambda: system.body("block", 1 + a), ModelError)
