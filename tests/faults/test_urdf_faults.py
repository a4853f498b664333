"""What the URDF reader survives in files, numbers and names, by the ids of the fault list."""

from __future__ import annotations

import re
import unicodedata
from pathlib import Path

import pytest
from tests.faults.urdf_text import INERTIA, hinge, joint, links, read, refusal, robot

from polhode.errors import FormatError, LimitError, PolhodeError
from polhode.formats.urdf import Limits, load_urdf

# ---- the file --------------------------------------------------------------------------------------------------


def test_F01_what_is_no_file_is_told_by_its_path(tmp_path: Path) -> None:
    empty = tmp_path / "empty.urdf"
    empty.write_bytes(b" \n")
    for path, said in ((tmp_path, "folder"), (empty, "empty"), (tmp_path / "no.urdf", "No such file")):
        with pytest.raises(FormatError, match=said) as caught:
            load_urdf(path)
        assert str(path) in str(caught.value)


@pytest.mark.parametrize("length", [30, 60, 120])
def test_F02_a_file_that_is_cut_off_gives_no_model(length: int, tmp_path: Path) -> None:
    message = refusal(tmp_path, hinge()[:length])
    assert "the XML is broken" in message and "column" in message


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_F03_encodings_give_the_same_names(encoding: str, tmp_path: Path) -> None:
    text = robot('<link name="épaule"/>')
    system, _ = read(tmp_path, text.encode(encoding))
    assert "épaule" in system.bodies


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (robot('<link name="épaule"/>').encode("latin-1"), "UTF-8"),
        (robot('<link name="a"/>').encode("utf-16-le"), "NUL"),
        (b"<robot>\n\0</robot>", "arm.urdf:2"),
        (b'<?xml version="1.0" encoding="klingon"?><robot/>', "encoding"),
    ],
)
def test_F03_other_bytes_are_refused(content: bytes, said: str, tmp_path: Path) -> None:
    assert said in refusal(tmp_path, content)


@pytest.mark.parametrize(
    "doctype",
    [
        '<!DOCTYPE robot [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]>',
        '<!DOCTYPE robot [<!ENTITY x SYSTEM "file:///etc/passwd">]>',
        '<!DOCTYPE robot SYSTEM "http://example.org/robot.dtd">',
    ],
)
def test_F04_a_doctype_is_refused_before_it_is_read(doctype: str, tmp_path: Path) -> None:
    message = refusal(tmp_path, f'{doctype}\n<robot name="&x;"><link name="&b;"/></robot>')
    assert "DOCTYPE is not allowed" in message and "arm.urdf:1" in message


def test_F05_size_depth_and_number_are_bounded(tmp_path: Path) -> None:
    huge = tmp_path / "huge.urdf"
    with huge.open("wb") as stream:
        stream.truncate(1_000_000_000)
    with pytest.raises(LimitError, match="bytes"):
        load_urdf(huge)
    deep = "<robot>" + "<link>" * 100_000
    assert "nested more than 64 deep" in refusal(tmp_path, deep)
    assert "more than 10,000 elements" in refusal(tmp_path, robot("<link/>" * 20_000))
    attributes = [f'a{k}=""' for k in range(1_000_000)]
    assert "a single tag is longer" in refusal(tmp_path, f"<robot {' '.join(attributes)}/>")
    assert "100 attributes" in refusal(tmp_path, f"<robot {' '.join(attributes[:100])}/>")


def test_F05_a_limit_can_be_raised_by_name(tmp_path: Path) -> None:
    text = robot('<link name="a"><visual/></link>')
    assert "Limits(elements=…)" in refusal(tmp_path, text, limits=Limits(elements=2))
    read(tmp_path, text, limits=Limits(elements=3))


@pytest.mark.parametrize(
    ("tag", "said"), [("sdf", "SDF"), ("mujoco", "MuJoCo"), ("html", "web page"), ("zebra", "begins with <robot")]
)
def test_F06_another_format_is_recognised(tag: str, said: str, tmp_path: Path) -> None:
    assert said in refusal(tmp_path, f"<{tag}><link name='a'/></{tag}>")


def test_F06_an_unexpanded_macro_is_not_skipped(tmp_path: Path) -> None:
    text = '<robot name="r" xmlns:xacro="x"><link name="a"/><xacro:leg side="left"/></robot>'
    assert "has not been expanded" in refusal(tmp_path, text)


# ---- numbers and names -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "number", ["1,5", "1.5m", "nan", "inf", "-Infinity", "1e999", "1e-999", "0x10", "", "1_0", "١"]
)
def test_F07_what_is_not_a_number_is_refused_where_it_stands(number: str, any_locale: None, tmp_path: Path) -> None:
    message = refusal(tmp_path, hinge(inertial=f'<inertial><mass value="{number}"/>{INERTIA}</inertial>'))
    assert f"arm.urdf:3: link 'arm' <mass value=\"{number}\">" in message
    assert "is not a number" in message


@pytest.mark.parametrize("vector", ["1 2", "1 2 3 4", ""])
def test_F08_a_vector_has_three_components(vector: str, tmp_path: Path) -> None:
    assert "3 components" in refusal(tmp_path, hinge(f'<axis xyz="{vector}"/>'))


def test_F08_white_space_does_not_matter(tmp_path: Path) -> None:
    system, _ = read(tmp_path, hinge('<axis xyz="  0\t 0 \n 1 "/>'))
    plain, _ = read(tmp_path, hinge())
    assert system.joints["elbow"].type == plain.joints["elbow"].type


def test_F09_doubled_names_are_refused_with_both_lines(tmp_path: Path) -> None:
    text = robot(links("a", "b", "a") + joint("j", "a", "b") + "\n" + joint("j", "a", "b"))
    message = refusal(tmp_path, text)
    assert "arm.urdf:4: link 'a'" in message and "already a link of this name in line 2" in message
    assert "arm.urdf:6: joint 'j'" in message and "already a joint of this name in line 5" in message


def test_F10_names_of_links_and_joints_are_kept_apart(tmp_path: Path) -> None:
    composed, taken_apart = unicodedata.normalize("NFC", "é"), unicodedata.normalize("NFD", "é")
    text = robot(links(composed, taken_apart) + joint(composed, composed, taken_apart))
    system, report = read(tmp_path, text)
    assert {composed, taken_apart} < set(system.bodies) and composed in system.joints
    assert "W-URDF-001" in [warning.code for warning in report.warnings]


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


def test_F11_a_name_that_is_too_long_is_refused(tmp_path: Path) -> None:
    message = refusal(tmp_path, robot(f'<link name="{"x" * 10_000}"/>'))
    assert "10,000 characters" in message and len(message) < 1000


def test_all_problems_of_a_file_are_told_at_once(tmp_path: Path) -> None:
    text = robot('<link name="a"/>\n<link/>\n' + joint("j", "a", "z", "bolt", '<axis xyz="0 0 0"/><origin xyz="1 2"/>'))
    with pytest.raises(FormatError) as caught:
        read(tmp_path, text)
    assert len(caught.value.problems) == 5
    assert {problem.place.split(":")[1] for problem in caught.value.problems} == {"3", "4"}


def test_a_wrong_choice_lists_the_right_ones(tmp_path: Path) -> None:
    with pytest.raises(PolhodeError, match="'fixed' or 'floating'"):
        read(tmp_path, hinge(), base="flying")
    with pytest.raises(PolhodeError, match="not a tolerance"):
        read(tmp_path, hinge(), snap="wide")


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
