"""What the URDF reader survives, by the ids of the fault list: files, numbers, names, trees, followers, masses."""

import re
import unicodedata
from fractions import Fraction
from pathlib import Path

import pytest
from tests.refusals import refused

import polhode as ph
from polhode.errors import FormatError, LimitError, PolhodeError
from polhode.expr import as_expr, same, substitute
from polhode.formats.urdf import Limits, Report, load_urdf, read_urdf

MASS = '<mass value="2"/>'
INERTIA = '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>'
INERTIAL = f"<inertial>{MASS}{INERTIA}</inertial>"


def robot(body: str) -> str:
    return f'<robot name="arm">\n{body}\n</robot>\n'


def hinge(inside: str = '<axis xyz="0 0 1"/>', kind: str = "revolute", inertial: str = INERTIAL) -> str:
    """A base in line 2, an arm in line 3, a joint in line 4."""
    return robot(
        f'<link name="base"/>\n<link name="arm">{inertial}</link>\n'
        f'<joint name="elbow" type="{kind}"><parent link="base"/><child link="arm"/>{inside}</joint>'
    )


def joint(name: str, parent: str, child: str, kind: str = "revolute", inside: str = "") -> str:
    ends = f'<parent link="{parent}"/><child link="{child}"/>'
    return f'<joint name="{name}" type="{kind}">{ends}{inside}</joint>'


def links(*names: str) -> str:
    return "\n".join(f'<link name="{name}">{INERTIAL}</link>' for name in names) + "\n"


def read(folder: Path, content: str | bytes, **options: object) -> tuple[ph.System, Report]:
    path = folder / "arm.urdf"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return read_urdf(path, **options)  # type: ignore[arg-type]


def refusal(folder: Path, content: str | bytes, **options: object) -> str:
    """The message of the refusal; every problem of it has a place, a code, and (a limit apart) a cure."""
    with pytest.raises(PolhodeError) as caught:
        read(folder, content, **options)
    for problem in caught.value.problems:
        assert "arm.urdf" in problem.place and problem.code and problem.cure, problem
    return str(caught.value)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_F03_encodings_give_the_same_names(encoding: str, tmp_path: Path) -> None:
    text = robot('<link name="épaule"/>')
    system, _ = read(tmp_path, text.encode(encoding))
    assert "épaule" in system.bodies


@pytest.mark.parametrize(("content", "said"), [
    (robot('<link name="épaule"/>').encode("latin-1"), "UTF-8"),
    (robot('<link name="a"/>').encode("utf-16-le"), "NUL"), (b"<robot>\n\0</robot>", "arm.urdf:2"),
    (b'<?xml version="1.0" encoding="klingon"?><robot/>', "encoding"),
])  # fmt: skip
def test_F03_other_bytes_are_refused(content: bytes, said: str, tmp_path: Path) -> None:
    assert said in refusal(tmp_path, content)


@pytest.mark.parametrize("doctype", [
    '<!DOCTYPE robot [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]>',
    '<!DOCTYPE robot [<!ENTITY x SYSTEM "file:///etc/passwd">]>',
    '<!DOCTYPE robot SYSTEM "http://example.org/robot.dtd">',
])  # fmt: skip
def test_F04_a_doctype_is_refused_before_it_is_read(doctype: str, tmp_path: Path) -> None:
    message = refusal(tmp_path, f'{doctype}\n<robot name="&x;"><link name="&b;"/></robot>')
    assert "DOCTYPE is not allowed" in message and "arm.urdf:1" in message


def test_F05_size_depth_and_number_are_bounded(tmp_path: Path) -> None:
    huge = tmp_path / "huge.urdf"
    with huge.open("wb") as stream:
        stream.truncate(1_000_000_000)
    refused("bytes", lambda: load_urdf(huge), LimitError)
    deep = "<robot>" + "<link>" * 100_000
    assert "nested more than 64 deep" in refusal(tmp_path, deep)
    assert "more than 10,000 elements" in refusal(tmp_path, robot("<link/>" * 20_000))
    attributes = [f'a{k}=""' for k in range(1_000_000)]
    assert "a single tag is longer" in refusal(tmp_path, f"<robot {' '.join(attributes)}/>")
    assert "100 attributes" in refusal(tmp_path, f"<robot {' '.join(attributes[:100])}/>")


def test_F05_limits_can_be_raised_and_F06_macros_are_not_skipped(tmp_path: Path) -> None:
    text = robot('<link name="a"><visual/></link>')
    assert "Limits(elements=…)" in refusal(tmp_path, text, limits=Limits(elements=2))
    read(tmp_path, text, limits=Limits(elements=3))
    text = '<robot name="r" xmlns:xacro="x"><link name="a"/><xacro:leg side="left"/></robot>'
    assert "has not been expanded" in refusal(tmp_path, text)
    system, _ = read(tmp_path, hinge('<axis xyz="  0\t 0 \n 1 "/>'))
    plain, _ = read(tmp_path, hinge())
    assert system.joints["elbow"].type == plain.joints["elbow"].type


@pytest.mark.parametrize(
    ("tag", "said"), [("sdf", "SDF"), ("mujoco", "MuJoCo"), ("html", "web page"), ("zebra", "begins with <robot")]
)
def test_F06_another_format_is_recognised(tag: str, said: str, tmp_path: Path) -> None:
    assert said in refusal(tmp_path, f"<{tag}><link name='a'/></{tag}>")


@pytest.mark.parametrize("number", ["1,5", "1.5m", "nan", "inf", "-Infinity", "1e999", "1e-999", "0x10", "1_0", "١"])
def test_F07_what_is_not_a_number_is_refused_where_it_stands(number: str, any_locale: None, tmp_path: Path) -> None:
    message = refusal(tmp_path, hinge(inertial=f'<inertial><mass value="{number}"/>{INERTIA}</inertial>'))
    assert f"arm.urdf:3: link 'arm' <mass value=\"{number}\">" in message and "is not a number" in message


@pytest.mark.parametrize("vector", ["1 2", "1 2 3 4"])
def test_F08_a_vector_has_three_components(vector: str, tmp_path: Path) -> None:
    assert "3 components" in refusal(tmp_path, hinge(f'<axis xyz="{vector}"/>'))


def test_F08_a_blank_attribute_is_an_absent_one(tmp_path: Path) -> None:
    absent, _ = read(tmp_path, hinge('<origin/><axis/><dynamics/><limit lower="0" upper="1" effort="1" velocity="1"/>'))
    blank = '<origin xyz="" rpy=" "/><axis xyz=""/><dynamics damping=""/>'
    limits = '<limit lower="" upper="1" effort="1" velocity="1"/>'
    assert read(tmp_path, hinge(blank + limits))[0].model() == absent.model()
    message = refusal(tmp_path, hinge(inertial=f'<inertial><mass value=""/>{INERTIA}</inertial>'))
    assert "the attribute value is missing" in message


def test_F09_doubled_names_are_refused_and_F10_links_and_joints_kept_apart(tmp_path: Path) -> None:
    text = robot(links("a", "b", "a") + joint("j", "a", "b") + "\n" + joint("j", "a", "b"))
    message = refusal(tmp_path, text)
    assert "arm.urdf:4: link 'a'" in message and "already a link of this name in line 2" in message
    assert "arm.urdf:6: joint 'j'" in message and "already a joint of this name in line 5" in message
    composed, taken_apart = unicodedata.normalize("NFC", "é"), unicodedata.normalize("NFD", "é")
    text = robot(links(composed, taken_apart) + joint(composed, composed, taken_apart))
    system, report = read(tmp_path, text)
    assert {composed, taken_apart} < set(system.bodies) and composed in system.joints
    assert "W-ROBOT-NAME" in [warning.code for warning in report.warnings]
    message = refusal(tmp_path, robot(f'<link name="{"x" * 10_000}"/>'))
    assert "10,000 characters" in message and len(message) < 1000


def _code(path: Path) -> str:
    """A C file without its comments, which may hold names; what a name could smuggle out of one is code."""
    return re.sub(r"/\*.*?\*/|[ \t]+$", "", path.read_text(encoding="ascii"), flags=re.S | re.M)


@pytest.mark.parametrize(
    "name", ["two words", "a;b", "*/ int x;", "__x__", "lambda", "../x", "a&#10;b", "&quot;'", "&lt;b&gt;"]
)
def test_F11_any_name_is_read_and_stays_out_of_the_code(name: str, tmp_path: Path) -> None:
    plain, _ = read(tmp_path, robot(links("a", "b") + joint("j", "a", "b")))
    system, _ = read(tmp_path, robot(links("a", name) + joint(name, "a", name)))
    assert system.derive().operations() == plain.derive().operations()
    sources = [
        {path.name: _code(path) for path in made.derive().export("c", tmp_path / folder) if path.suffix != ".json"}
        for folder, made in (("named", system), ("plain", plain))
    ]
    assert sources[0] == sources[1]


def test_all_problems_are_reported_at_once_with_the_right_choices(tmp_path: Path) -> None:
    text = robot('<link name="a"/>\n<link/>\n' + joint("j", "a", "z", "bolt", '<axis xyz="0 0 0"/><origin xyz="1 2"/>'))
    with pytest.raises(FormatError) as caught:
        read(tmp_path, text)
    assert len(caught.value.problems) == 5
    assert {problem.place.split(":")[1] for problem in caught.value.problems} == {"3", "4"}
    refused("'fixed' or 'floating'", lambda: read(tmp_path, hinge(), base="flying"))
    refused("not a tolerance", lambda: read(tmp_path, hinge(), snap="wide"))


@pytest.mark.parametrize("number", ["1e200", "-1e300", "1e61", "1" * 80])
@pytest.mark.parametrize("hole", ["AXIS", "ORIGIN", "MASS", "COM", "INERTIA", "UPPER", "TURN"])
def test_F07_a_number_that_no_robot_has_is_refused(hole: str, number: str, tmp_path: Path) -> None:
    text = """<robot name="r"><link name="world"/><link name="bob"><inertial><origin xyz="0 0 COM"/><mass value="MASS"/>
        <inertia ixx="INERTIA" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
        <joint name="hinge" type="revolute"><parent link="world"/><child link="bob"/>
        <origin xyz="ORIGIN 0 0" rpy="TURN 0 0"/><axis xyz="0 AXIS 0"/>
        <limit lower="-1" upper="UPPER" effort="1" velocity="1"/></joint></robot>"""
    text = text.replace(hole, number)
    for other in ("AXIS", "ORIGIN", "MASS", "COM", "INERTIA", "UPPER", "TURN"):
        text = text.replace(other, "1")
    assert "is not a number that a robot can have" in refusal(tmp_path, text)


def test_F12_missing_links_and_ends_are_named(tmp_path: Path) -> None:
    message = refusal(tmp_path, robot(links("shoulder", "hand") + joint("j", "sholder", "hand")))
    assert "arm.urdf:4" in message and "Did you mean 'shoulder'" in message
    message = refusal(tmp_path, robot(links("a") + '<joint name="j" type="fixed"><parent/></joint>'))
    assert "<parent> names no link" in message and "<child> is missing" in message


@pytest.mark.parametrize(("joints", "said"), [
    (joint("j", "a", "a"), "link 'a' is its own parent"),
    (joint("j", "a", "b") + joint("k", "b", "a"), "cycle: b → a → b"),
    (joint("j", "a", "c") + "\n" + joint("k", "b", "c"), "already hangs on joint 'j' of line 5"),
])  # fmt: skip
def test_F13_a_robot_is_a_tree(joints: str, said: str, tmp_path: Path) -> None:
    assert said in refusal(tmp_path, robot(links("a", "b", "c") + joints))


def test_F14_roots_are_listed_and_F15_unknown_joint_types_refused(tmp_path: Path) -> None:
    message = refusal(tmp_path, robot(links("a", "b", "c") + joint("j", "a", "b")))
    assert "2 links without a parent: 'a' (line 2), 'c' (line 4)" in message
    assert "no such link" in refusal(tmp_path, robot(links("a", "b")), root="z")
    assert "there is no link" in refusal(tmp_path, robot(""))
    message = refusal(tmp_path, hinge(kind="universal"))
    assert "no joint type 'universal'" in message and "planar" in message


def fingers(mimic: str, kind: str = "revolute") -> str:
    inside = f'<axis xyz="0 0 1"/><mimic {mimic}/>'
    return robot(links("a", "b", "c") + joint("left", "a", "b", kind) + joint("right", "a", "c", inside=inside))


def test_F15_a_follower_follows_or_is_listed_or_refused_and_never_dropped(tmp_path: Path) -> None:
    text = fingers('joint="left" multiplier="-2" offset="0.5"')
    system, report = read(tmp_path, text)
    assert system.derive().coordinates == ["left"]
    said = "joint 'right' <mimic joint=\"left\">: it has no coordinate of its own: right = -2·left + 0.5."
    assert f"arm.urdf:5: {said}" in str(report)
    system, report = read(tmp_path, text, mimic="independent")
    assert len(system.derive().q) == 2
    assert [warning.code for warning in report.warnings] == ["W-ROBOT-UNSUPPORTED"]
    assert report.joints[1].mimics is not None
    assert "right = -2·left + 0.5 is refused" in refusal(tmp_path, text, mimic="refuse")


@pytest.mark.parametrize(("mimic", "kind", "said"), [
    ('joint="lefd"', "revolute", "Did you mean 'left'"), ('joint="left"', "fixed", "joint 'left' is fixed"),
    ('joint="left"', "floating", "joint 'left' is floating"), ('joint="left"', "planar", "joint 'left' is planar"),
    ("", "revolute", "there is no joint ''"),
    ('joint="right"', "revolute", "cannot follow itself"),
    ('joint="left" multiplier="0"', "revolute", "would never move"),
])  # fmt: skip
def test_F16_a_senseless_follower_moves_on_its_own(mimic: str, kind: str, said: str, tmp_path: Path) -> None:
    message = refusal(tmp_path, fingers(mimic, kind), mimic="refuse")
    assert said in message and message.startswith("arm.urdf:5: joint 'right' <mimic")
    system, report = read(tmp_path, fingers(mimic, kind))
    assert not system.couplings and any(said in f"{each.message} {each.cure}" for each in report.warnings)


def test_F16_followers_in_a_circle_are_refused_and_massless_ones_allowed(tmp_path: Path) -> None:
    one = joint("j", "a", "b", inside='<mimic joint="k"/>')
    other = joint("k", "a", "c", inside='<mimic joint="j"/>')
    message = refusal(tmp_path, robot(links("a", "b", "c") + one + "\n" + other), mimic="refuse")
    assert "arm.urdf:5: joint 'j' <mimic joint=\"k\">: the joints follow each other: j → k → j." in message
    assert "arm.urdf:6: joint 'k'" in message
    bare = robot(links("a", "b") + '<link name="c"/>' + joint("j", "a", "b") + joint("k", "a", "c"))
    assert "nothing that it moves has mass" in refusal(tmp_path, bare, massless="refuse")
    coupled = bare.replace("</joint>\n</robot>", '<mimic joint="j"/></joint>\n</robot>')
    assert len(read(tmp_path, coupled)[0].derive().u) == 1
    assert "nothing that it moves has mass" in refusal(tmp_path, coupled, mimic="independent", massless="refuse")


def test_F16_fixed_followers_and_right_angle_offsets(tmp_path: Path) -> None:
    weld = joint("k", "a", "c", "fixed", '<mimic joint="j"/>')
    system, report = read(tmp_path, robot(links("a", "b", "c") + joint("j", "a", "b") + weld))
    assert not system.couplings and [warning.code for warning in report.warnings] == ["W-ROBOT-UNSUPPORTED"]
    system, report = read(tmp_path, fingers('joint="left" offset="1.5707963"'))
    assert system.couplings["right"].offset == ph.pi / 2
    assert "N-ROBOT-ANGLE" in [notice.code for notice in report.notices]


def test_F16_a_chain_of_followers_is_the_coupling_that_it_spells(tmp_path: Path) -> None:
    """The last follower is read before its leader, at the end of another branch."""
    slide = joint("slide", "a", "b", "prismatic", '<axis xyz="0 0 1"/><mimic joint="gear" multiplier="0.25"/>')
    gear = joint("gear", "a", "c", inside='<axis xyz="0 1 0"/><mimic joint="crank" multiplier="-3" offset="0.5"/>')
    crank = joint("crank", "c", "d", inside='<axis xyz="0 1 0"/><origin xyz="1 0 0"/>')
    coupled, _ = read(tmp_path, robot(links("a", "b", "c", "d") + slide + gear + crank))
    free, _ = read(tmp_path, robot(links("a", "b", "c", "d") + slide + gear + crank), mimic="independent")
    assert len(free.derive().q) == 3
    free.couple("gear", "crank", -3, Fraction(1, 2))
    free.couple("slide", "gear", Fraction(1, 4))
    assert coupled.derive("newton_euler").coordinates == ["crank"]
    assert coupled.derive("newton_euler").agrees_with(free.derive("poincare"))


def test_a_locked_joint_is_welded_and_reported(tmp_path: Path) -> None:
    text = hinge('<axis xyz="0 0 1"/><limit lower="-1" upper="1"/>')
    for locked in ("elbow", ["elbow"], {"elbow": 0}):
        system, report = read(tmp_path, text, locked=locked)
        assert len(system.derive().q) == 0 and not system.joints["elbow"].q
        assert "arm.urdf:4: joint 'elbow': it is locked at 0." in str(report)
    _, report = read(tmp_path, text, locked={"elbow": 1.5})
    assert "outside its limits" in str(report)


@pytest.mark.parametrize("kind", ["revolute", "prismatic"])
def test_a_locked_joint_sits_where_it_would_have_moved(kind: str, tmp_path: Path) -> None:
    text = robot(
        links("a", "b") + joint("j", "a", "b", kind, '<axis xyz="0 3 4"/><origin xyz="1 2 3" rpy="0.1 0.2 0.3"/>')
    )
    moved = read(tmp_path, text)[0].derive()
    held = read(tmp_path, text, locked={"j": "0.7"})[0].derive()
    (q,) = moved.q
    there, here = moved.pose("b"), held.pose("b")
    value = {q: as_expr(Fraction("0.7"))}
    assert same(substitute([*there.p, *there.R.entries()], value), [*here.p, *here.R.entries()])


def test_what_is_coupled_to_a_locked_joint_is_locked_with_it(tmp_path: Path) -> None:
    text = fingers('joint="left" multiplier="-2" offset="0.5"')
    for locked in ({"left": "0.25"}, {"right": 0}, {"left": 0.25, "right": 0}):
        system, report = read(tmp_path, text, locked=locked)
        assert len(system.derive().q) == 0 and not system.couplings
        assert "joint 'left': it is locked at 0.25" in str(report)
        assert "joint 'right': it is locked at 0" in str(report)
    message = refusal(tmp_path, text, locked=("left", "right"))
    assert "'right': it cannot be locked at 0: it is coupled to 'left', which puts it at 0.5" in message
    alone, _ = read(tmp_path, text, locked="right", mimic="independent")
    assert alone.derive().coordinates == ["left"]


def test_what_cannot_be_locked_is_told(tmp_path: Path) -> None:
    assert "Did you mean 'elbow'" in refusal(tmp_path, hinge(), locked=["elbw"])
    assert "not a number" in refusal(tmp_path, hinge(), locked={"elbow": "bent"})
    assert "not a number" in refusal(tmp_path, hinge(), locked={"elbow": float("nan")})
    assert "not a number" in refusal(tmp_path, hinge(), locked={"elbow": "1e999"})
    assert "no single coordinate" in refusal(tmp_path, hinge(kind="floating"), locked={"elbow": 1})
    system, _ = read(tmp_path, hinge(kind="floating"), locked="elbow")
    assert len(system.derive().u) == 0
    _, report = read(tmp_path, hinge(kind="fixed"), locked="elbow")
    assert "fixed anyway" in str(report)


def test_F17_axes_without_length_are_refused_and_F18_limits_without_a_way_left_out(tmp_path: Path) -> None:
    message = refusal(tmp_path, hinge('<axis xyz="0 0 0"/>'))
    assert message.splitlines()[0] == ("arm.urdf:4: joint 'elbow' <axis xyz=\"0 0 0\">: the axis has zero length.")
    system, report = read(tmp_path, hinge('<limit lower="1" upper="-1"/>'))
    assert "above the upper limit" in str(report) and not system.joints["elbow"].limits
    _, report = read(tmp_path, hinge('<limit lower="-180" upper="180"/>'))
    assert "W-ROBOT-NUMBER" in [warning.code for warning in report.warnings]
    _, report = read(tmp_path, hinge(""))
    assert "N-ROBOT-NUMBER" in [notice.code for notice in report.notices]


@pytest.mark.parametrize("what", ["effort", "velocity"])
def test_F18_no_effort_or_velocity_is_negative(what: str, tmp_path: Path) -> None:
    system, report = read(tmp_path, hinge(f'<limit lower="-1" upper="1" {what}="-5"/>'))
    assert f"arm.urdf:4: joint 'elbow' <limit>: the {what} -5 is negative, and left out." in str(report)
    assert not system.joints["elbow"].effort_limits and not system.joints["elbow"].speed_limits
    read(tmp_path, hinge(f'<limit {what}="-5"/>', "fixed"))


def test_F19_masses_that_are_negative_or_missing(tmp_path: Path) -> None:
    text = robot(links("a", "b") + '<link name="c"/>' + joint("j", "a", "b") + joint("k", "b", "c"))
    message = refusal(tmp_path, text, massless="refuse")
    assert "joint 'k'" in message and "j → k" in message and "singular" in message
    system, report = read(tmp_path, text)
    assert system.derive().coordinates == ["j"]
    assert any("it is locked" in each.message for each in report.warnings)
    system, report = read(tmp_path, text, massless="report")
    assert "W-ROBOT-SINGULAR" in [warning.code for warning in report.warnings]
    assert system.derive().mass_matrix[1, 1] == 0
    read(tmp_path, text.replace('name="k" type="revolute"', 'name="k" type="fixed"'))
    assert "negative" in refusal(tmp_path, hinge(inertial=INERTIAL.replace('"2"', '"-2"')))
    _, report = read(tmp_path, hinge(inertial=INERTIAL.replace('"2"', '"1e-30"')))
    assert "W-ROBOT-SINGULAR" in [warning.code for warning in report.warnings]


def test_F20_an_impossible_inertia_is_told_with_its_moments(tmp_path: Path) -> None:
    negative = hinge(inertial=INERTIAL.replace('izz="1"', 'izz="-1"'))
    message = refusal(tmp_path, negative, inertia="strict")
    assert "principal moments are -1, 1, 1" in message and "nearest possible inertia is xx 1, yy 1, zz 0" in message
    system, report = read(tmp_path, negative)
    assert system.bodies["arm"].inertia[2, 2] == 0 and "W-ROBOT-NUMBER" in str(report)
    assert read(tmp_path, negative, inertia="any")[0].bodies["arm"].inertia[2, 2] == -1
    system, report = read(tmp_path, hinge(inertial=INERTIAL.replace('izz="1"', 'izz="2.002"')))
    nearest = [float(system.bodies["arm"].inertia[k, k]) for k in range(3)]
    assert nearest == pytest.approx([1 + 0.002 / 3, 1 + 0.002 / 3, 2.002 - 0.002 / 3], rel=1e-12)
    assert not report.warnings and "the nearest possible one is taken" in str(report.notices)
    slender = hinge(inertial=INERTIAL.replace('izz="1"', 'izz="2.5"'))
    system, report = read(tmp_path, slender)
    assert "W-ROBOT-NUMBER" in [warning.code for warning in report.warnings]
    assert system.bodies["arm"].inertia[2, 2] == 2.5
    assert "nearest possible inertia is xx 1.166666667, yy 1.16" in refusal(tmp_path, slender, inertia="strict")


def test_F21_massless_links_on_welds_change_nothing(tmp_path: Path) -> None:
    plain, _ = read(tmp_path, robot(links("a", "b") + joint("j", "a", "b")))
    welds = '<link name="c"/><link name="d"/>' + joint("k", "b", "c", "fixed") + joint("l", "c", "d", "fixed")
    dressed, _ = read(tmp_path, robot(links("a", "b") + joint("j", "a", "b") + welds))
    assert plain.derive("newton_euler").agrees_with(dressed.derive("newton_euler"))


@pytest.mark.parametrize("filename", [
    "no.stl", "package://unknown/a.stl", "C:\\a.stl", "http://example.org/a.stl", "/etc/passwd", "../../o.stl",
])  # fmt: skip
def test_F22_a_mesh_that_cannot_be_had_is_a_warning_that_shows_its_path(filename: str, tmp_path: Path) -> None:
    mesh = f'<visual><geometry><mesh filename="{filename}"/></geometry></visual>'
    _, report = read(tmp_path, robot(f'<link name="a">{mesh}</link>'))
    (warning,) = report.warnings
    assert filename in str(warning) and report.meshes[0].path is None


def test_F23_meshes_are_never_opened(tmp_path: Path) -> None:
    bomb = tmp_path / "bomb.stl"
    with bomb.open("wb") as stream:
        stream.truncate(10**12)
    mesh = '<collision><geometry><mesh filename="bomb.stl"/></geometry></collision>'
    _, report = read(tmp_path, robot(f'<link name="a">{mesh}</link>'))
    assert report.meshes[0].status == "found"
