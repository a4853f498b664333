"""SDF models: poses in the model, joints in their children, loops, springs; what is not read is told."""

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from tests.refusals import refused

import polhode as ph
from polhode.errors import FormatError
from polhode.formats.robot_file.parts import Placement
from polhode.formats.sdf import read_sdf
from polhode.formats.sdf.reader import _matrix, _placement

INERTIAL = "<inertial><mass>1</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial>"


def link(name: str, pose: str = "", inside: str = "") -> str:
    return f'<link name="{name}"><pose>{pose}</pose>{INERTIAL}{inside}</link>'


def joint(name: str, parent: str, child: str, inside: str = "", kind: str = "revolute") -> str:
    return f'<joint name="{name}" type="{kind}"><parent>{parent}</parent><child>{child}</child>{inside}</joint>'


def write(folder: Path, *inside: str) -> Path:
    path = folder / "m.sdf"
    path.write_text(f'<sdf version="1.6"><model name="m">{"".join(inside)}</model></sdf>', encoding="utf-8")
    return path


FOUR_BAR = (
    link("base"),
    link("left", "0 0 1 0 0 0"),
    link("top", "1 0 1 0 0 0"),
    link("right", "1 0 0 0 1.5708 0"),
    joint("a", "base", "left", "<axis><xyz>0 1 0</xyz></axis>"),
    joint("b", "left", "top", "<axis><xyz>0 1 0</xyz></axis>"),
    joint("c", "top", "right", "<pose>-1 0 0 0 0 0</pose><axis><xyz>0 1 0</xyz></axis>"),
    joint("d", "base", "right", "<axis><xyz>0 1 0</xyz></axis>"),
)


def test_loops_close_and_joints_to_the_world_need_no_root(tmp_path: Path) -> None:
    system, report = read_sdf(write(tmp_path, *FOUR_BAR), base="fixed")
    assert list(system.constraints) == ["d"] and list(system.joints) == ["root_joint", "a", "b", "c"]
    assert any("close loops" in notice.message for notice in report.notices)
    equations = system.derive()
    run = equations.simulate(0.01)
    assert abs(run.q[0]).max() < 1e-9, "all coordinates are zero as the file has it, and the loop is closed there"
    rail = "<axis><xyz>0 0 1</xyz><use_parent_model_frame>1</use_parent_model_frame></axis>"
    system = ph.load(
        write(tmp_path, link("cart", "0 0 2 1.5708 0 0"), joint("rail", "world", "cart", rail, "prismatic"))
    )
    assert list(system.joints) == ["rail"]
    made = system.joints["rail"]
    direction = made.in_parent.R @ made.type.axis
    assert [float(x) for x in direction] == pytest.approx([0, 0, 1], abs=1e-9)


def test_poses_of_the_model_become_poses_in_neighbours(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        link("base"),
        link("arm", "1 2 3 0 1.5708 0.4"),
        joint("j", "base", "arm", "<pose>0.1 0 0 0 0 0</pose>"),
    )
    made = ph.load(path, base="fixed").joints["j"]
    c, s = np.cos(0.4), np.sin(0.4)
    assert [float(x) for x in made.in_parent.p] == pytest.approx([1, 2, 2.9], abs=1e-12)  # x of the arm points down
    assert [float(x) for x in made.in_child.p] == pytest.approx([0.1, 0, 0])
    R = np.array([[float(made.in_parent.R[i, j]) for j in range(3)] for i in range(3)])
    assert pytest.approx(np.array([[0, -s, c], [0, c, s], [-1, 0, 0]]), abs=1e-12) == R


def test_springs_act_and_damping_if_asked(tmp_path: Path) -> None:
    dynamics = "<axis><xyz>0 0 1</xyz><dynamics><damping>2</damping><spring_stiffness>50</spring_stiffness><spring_reference>0.2</spring_reference></dynamics></axis>"  # noqa: E501
    path = write(tmp_path, link("base"), link("arm"), joint("j", "base", "arm", dynamics))
    forward = ph.load(path, base="fixed").derive().compile().forward_dynamics
    assert forward([0.0], [1.0], [0.0]) == pytest.approx([10.0])
    forward = ph.load(path, base="fixed", dynamics=True).derive().compile().forward_dynamics
    assert forward([0.0], [1.0], [0.0]) == pytest.approx([8.0])


def test_looks_are_kept(tmp_path: Path) -> None:
    visual = (
        '<visual name="v"><pose>0 0 1 0 0 0</pose><geometry>'
        "<mesh><uri>model://m/a.stl</uri><scale>1 -1 1</scale></mesh></geometry>"
        "<material><ambient>1 0 0 1</ambient></material></visual>"
        "<visual name='w'><geometry><sphere><radius>0.1</radius></sphere></geometry></visual>"
    )
    system, report = read_sdf(write(tmp_path, link("base", "", visual)))
    mesh, ball = system.bodies["base"].shapes
    assert (mesh.kind, mesh.size, mesh.color, ball.kind) == ("mesh", (1, -1, 1), "#ff0000", "sphere")
    assert mesh.lacking and report.meshes[0].status != "found"


def test_what_is_not_read_is_told(tmp_path: Path) -> None:
    gear = joint("gear", "base", "arm", "", "gearbox")
    path = write(
        tmp_path, link("base"), link("arm"), joint("j", "base", "arm"), gear, "<plugin name='p' filename='f'/>"
    )
    _, report = read_sdf(path)
    assert {"W-ROBOT-READ", "W-ROBOT-UNSUPPORTED"} <= {warning.code for warning in report.warnings}


@pytest.mark.parametrize(
    ("inside", "code"),
    [
        ((), "E-ROBOT-MISSING"),
        ((link("a"), link("a")), "E-ROBOT-TWICE"),
        ((link("a", "0 0 0"),), "E-ROBOT-NUMBER"),
        ((link("a", "0 0 0 0 0 0").replace("<pose>", "<pose relative_to='b'>"),), "E-ROBOT-UNSUPPORTED"),
        ((link("a"), joint("j", "a", "b")), "E-ROBOT-NAME"),
        ((link("a"), link("b"), joint("j", "a", "b"), joint("k", "b", "a")), "E-ROBOT-TREE"),
        ((link("a"), link("b"), joint("j", "a", "b", "<axis><xyz>0 0 0</xyz></axis>")), "E-ROBOT-NUMBER"),
        ((link("a"), joint("j", "", "a")), "E-ROBOT-MISSING"),
    ],
)  # fmt: skip
def test_mistakes_are_told_with_their_lines(tmp_path: Path, inside: tuple[str, ...], code: str) -> None:
    with pytest.raises(FormatError) as caught:
        read_sdf(write(tmp_path, *inside))
    assert code in {problem.code for problem in caught.value.problems} and "m.sdf" in str(caught.value)


def test_another_root_or_several_models_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "m.sdf"
    path.write_text("<robot name='r'/>")
    refused("E-ROBOT-READ", lambda: ph.load(path), FormatError)
    path.write_text("<sdf><world><model name='a'/><model name='b'/></world></sdf>")
    refused("E-ROBOT-TWICE", lambda: ph.load(path), FormatError)


def limited(folder: Path, inside: str) -> ph.Joint:
    path = write(folder, link("base"), link("arm"), joint("j", "base", "arm", f"<axis><limit>{inside}</limit></axis>"))
    return ph.load(path, base="fixed").joints["j"]


def test_limits_of_both_signs_and_none(tmp_path: Path) -> None:
    made = limited(tmp_path, "<effort>20.5</effort><velocity>3</velocity>")
    (effort,), (speed,) = made.effort_limits, made.speed_limits
    assert (float(effort.lower), float(effort.upper), float(speed.upper)) == (-20.5, 20.5, 3.0)  # type: ignore[arg-type]
    assert limited(tmp_path, "<lower>-inf</lower><upper>inf</upper>").limits == ()
    refused("E-ROBOT-NUMBER", lambda: limited(tmp_path, "<effort>nan</effort>"), FormatError)


@pytest.mark.parametrize("word", ["-1", "0", "1e16", "inf", "Infinity", "-1e20"])
def test_what_sdf_takes_for_no_limit_is_none(word: str, tmp_path: Path) -> None:
    made = limited(tmp_path, f"<effort>{word}</effort><velocity>{word}</velocity>")
    assert made.effort_limits == made.speed_limits == ()


def test_roll_pitch_and_yaw_turn_about_fixed_axes() -> None:
    xyz, rpy = (tuple(Fraction(k, 10) for k in each) for each in ((1, 2, 3), (7, -4, 11)))
    pose = _matrix(Placement(xyz, rpy), Fraction(0))
    assert np.abs(pose[:3, :3] - Rotation.from_euler("xyz", [float(k) for k in rpy]).as_matrix()).max() < 1e-15
    assert _placement(pose, 0) == Placement(xyz, rpy)
