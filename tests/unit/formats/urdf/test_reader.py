"""What a URDF says is what the System is: frames, inertias, joints, limits, damping."""

from fractions import Fraction
from pathlib import Path

import pytest

import polhode as ph
from polhode.expr import as_expr
from polhode.formats.urdf import load_urdf, read_urdf
from polhode.geometry import rotation
from polhode.model.records import Limits

BALL = '<inertial><mass value="2"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'


def write(folder: Path, body: str, name: str = "arm") -> Path:
    path = folder / f"{name}.urdf"
    path.write_text(f'<?xml version="1.0"?>\n<robot name="{name}">\n{body}\n</robot>\n', encoding="utf-8")
    return path


def one_joint(folder: Path, kind: str, inside: str = "", inertial: str = BALL) -> Path:
    return write(
        folder,
        f'<link name="base"/><link name="arm">{inertial}</link>\n'
        f'<joint name="hinge" type="{kind}"><parent link="base"/><child link="arm"/>{inside}</joint>',
    )


def test_names_decimals_and_angles_are_those_of_the_file(tmp_path: Path) -> None:
    system = load_urdf(one_joint(tmp_path, "revolute", '<axis xyz="0 1 0"/>'))
    assert list(system.bodies) == ["ground", "base", "arm"]
    assert [q.name for q in system.joints["hinge"].q] == ["hinge"]
    assert [u.name for u in system.joints["hinge"].u] == ["hinge"] and system.name == "arm"
    system = load_urdf(one_joint(tmp_path, "fixed", '<origin xyz="0.1 -2e-3 .5"/>'))
    assert system.joints["hinge"].in_parent.p == ph.Vector([as_expr(Fraction(x)) for x in ("1/10", "-1/500", "1/2")])
    system = load_urdf(one_joint(tmp_path, "fixed", '<origin rpy="0.1 0.2 0.3"/>'))
    tenth = as_expr(Fraction(1, 10))
    assert rotation(("z", 3 * tenth), ("y", 2 * tenth), ("x", tenth)) == system.joints["hinge"].in_parent.R


def test_right_angles_and_unit_axes_are_exact_and_reported(tmp_path: Path) -> None:
    path = one_joint(tmp_path, "fixed", '<origin rpy="1.570796 0 -3.14159265"/>')
    system, report = read_urdf(path)
    assert rotation(("z", -ph.pi), ("x", ph.pi / 2)) == system.joints["hinge"].in_parent.R
    assert [notice.code for notice in report.notices] == ["N-ROBOT-ANGLE", "N-ROBOT-ANGLE"]
    as_spelt = load_urdf(path, snap=0)
    assert as_spelt.joints["hinge"].in_parent.R != system.joints["hinge"].in_parent.R
    path = one_joint(tmp_path, "revolute", '<axis xyz="3 0 4"/>')
    system, report = read_urdf(path)
    exact = load_urdf(one_joint(tmp_path, "revolute", '<axis xyz="0.6 0 0.8"/>'))
    assert system.joints["hinge"].type == exact.joints["hinge"].type
    assert "N-ROBOT-NUMBER" in [notice.code for notice in report.notices]
    path = write(tmp_path, f'<link name="brick">{BALL}</link>')
    equations = load_urdf(path, base="floating").derive("newton_euler")
    assert equations.coordinates[-3:] == ["root_joint_x", "root_joint_y", "root_joint_z"]
    assert equations.mass_matrix == ph.Matrix.diagonal([1, 1, 1, 2, 2, 2])


def test_the_rotation_of_an_inertial_frame_is_honoured(tmp_path: Path) -> None:
    inertial = (
        '<inertial><origin xyz="1 0 0" rpy="0 0 1.5707963267948966"/><mass value="2"/>'
        '<inertia ixx="1" iyy="2" izz="2.5" ixy="0.25" ixz="0" iyz="0"/></inertial>'
    )
    arm = load_urdf(one_joint(tmp_path, "continuous", inertial=inertial)).bodies["arm"]
    quarter = as_expr(Fraction(-1, 4))
    assert arm.inertia == ph.Matrix([[2, quarter, 0], [quarter, 1, 0], [0, 0, as_expr(Fraction(5, 2))]])
    assert arm.com == ph.Vector([1, 0, 0])


@pytest.mark.parametrize(("kind", "freedoms", "coordinates"), [
    ("fixed", 0, 0), ("revolute", 1, 1), ("continuous", 1, 1), ("prismatic", 1, 1), ("planar", 3, 3),
    ("floating", 6, 7),
])  # fmt: skip
def test_every_joint_type_has_its_freedoms(kind: str, freedoms: int, coordinates: int, tmp_path: Path) -> None:
    equations = load_urdf(one_joint(tmp_path, kind, '<axis xyz="0 0 1"/>')).derive()
    assert (len(equations.u), len(equations.q)) == (freedoms, coordinates)


def test_links_welded_together_move_as_their_sum(tmp_path: Path) -> None:
    def link(name: str, mass: str, x: str) -> str:
        return (
            f'<link name="{name}"><inertial><origin xyz="{x} 0 0"/><mass value="{mass}"/>'
            '<inertia ixx="0" iyy="0" izz="0" ixy="0" ixz="0" iyz="0"/></inertial></link>'
        )

    hinge = '<joint name="hinge" type="revolute"><parent link="base"/><child link="a"/><axis xyz="0 0 1"/></joint>'
    welds = (
        '<joint name="w1" type="fixed"><parent link="a"/><child link="empty"/><origin xyz="1 0 0"/></joint>'
        '<joint name="w2" type="fixed"><parent link="empty"/><child link="b"/></joint>'
    )
    parts = link("a", "3", "1") + '<link name="empty"/>' + link("b", "1", "1")
    many = load_urdf(write(tmp_path, f'<link name="base"/>{parts}{hinge}{welds}'))
    assert many.derive().mass_matrix == ph.Matrix([[3 * 1 + 1 * 4]])


def test_limits_damping_and_friction_are_recorded_and_damping_acts_on_request(tmp_path: Path) -> None:
    inside = (
        '<axis xyz="0 0 1"/><limit lower="-1.5" upper="2" effort="10" velocity="3"/>'
        '<dynamics damping="0.25" friction="0.1"/>'
    )
    path = one_joint(tmp_path, "revolute", inside)
    system, report = read_urdf(path)
    facts = report.joints[0]
    assert (facts.lower, facts.upper, facts.effort, facts.velocity) == (Fraction(-3, 2), 2, 10, 3)
    assert (facts.damping, facts.friction) == (Fraction(1, 4), Fraction(1, 10))
    assert {"N-ROBOT-UNSUPPORTED"} <= {notice.code for notice in report.notices}
    assert system.derive().bias[0] == 0
    damped = load_urdf(path, dynamics=True).derive()
    assert damped.bias[0] == damped.u[0] / 4


@pytest.mark.parametrize("kind", ["revolute", "continuous", "prismatic"])
def test_effort_and_velocity_are_limits_of_both_signs(kind: str, tmp_path: Path) -> None:
    system = load_urdf(one_joint(tmp_path, kind, '<axis xyz="0 0 1"/><limit effort="87" velocity="2.175"/>'))
    joint = system.joints["hinge"]
    assert joint.effort_limits == (Limits(as_expr(-87), as_expr(87)),)
    assert joint.speed_limits == (Limits(as_expr("-2.175"), as_expr("2.175")),)


@pytest.mark.parametrize("kind", ["planar", "floating"])
def test_one_number_says_nothing_of_several_speeds(kind: str, tmp_path: Path) -> None:
    system = load_urdf(one_joint(tmp_path, kind, '<axis xyz="0 0 1"/><limit effort="87" velocity="2.175"/>'))
    assert all(joint.speed_limits == joint.effort_limits == () for joint in system.joints.values())


def test_limits_have_both_signs_or_none(tmp_path: Path) -> None:
    system, report = read_urdf(one_joint(tmp_path, "revolute", '<axis xyz="0 0 1"/><limit effort="0" velocity="3"/>'))
    joint = system.joints["hinge"]
    assert joint.effort_limits == () and joint.speed_limits[0].upper == 3
    (notice,) = (notice for notice in report.notices if notice.code == "N-ROBOT-NUMBER")
    assert "0 is taken as not stated: hinge." in notice.message and "arm.urdf:" in notice.place
    path = one_joint(tmp_path, "revolute", '<axis xyz="0 0 1"/><limit effort="87" velocity="0"/>')
    system, report = read_urdf(path, locked=["hinge"])
    assert system.joints["hinge"].effort_limits == ()
    assert "N-ROBOT-NUMBER" not in [notice.code for notice in report.notices]


def test_what_is_not_modelled_is_listed(tmp_path: Path) -> None:
    transmission = '<transmission name="t"><joint/></transmission>'
    body = f'<link name="base"><sensor name="s"/></link>\n<gazebo/>\n<gazebo/>\n{transmission}'
    _, report = read_urdf(write(tmp_path, body))
    places = [str(warning) for warning in report.warnings]
    assert len(places) == 3
    assert any("<gazebo> in <robot>" in place and "2 times, lines 4, 5" in place for place in places)
    assert any("<sensor> in <link>" in place for place in places)
    assert str(report).count("warning:") == 3


def test_roots_grounds_and_missing_meshes(tmp_path: Path) -> None:
    path = write(tmp_path, f'<link name="a">{BALL}</link><link name="b"/>')
    system, report = read_urdf(path, root="a")
    assert list(system.bodies) == ["ground", "a"]
    assert [warning.code for warning in report.warnings] == ["W-ROBOT-TREE"]
    system, report = read_urdf(write(tmp_path, f'<link name="ground">{BALL}</link>'), base="floating")
    assert "ground link" in system.bodies
    assert [notice.code for notice in report.notices] == ["N-ROBOT-NAME"]
    body = '<link name="base"><visual><geometry><mesh filename="package://gone/a.stl"/></geometry></visual></link>'
    (shape,) = read_urdf(write(tmp_path, body))[0].bodies["base"].shapes
    assert (shape.file, shape.lacking) == ("package://gone/a.stl", "missing: the package 'gone' is not known")


def test_colours_are_those_of_materials_by_name_or_in_place(tmp_path: Path) -> None:
    box = '<geometry><box size="1 1 1"/></geometry>'
    looks = ['name="steel"', 'name="own"><color rgba="0 1 0 1"/', 'name="none"', 'name="odd"><color rgba="a b"/']
    visuals = "".join(f"<visual>{box}<material {look}></material></visual>" for look in looks)
    body = f'<material name="steel"><color rgba="0.5 0.5 1 1"/></material><link name="base">{visuals}</link>'
    system, _ = read_urdf(write(tmp_path, body))
    assert [shape.color for shape in system.bodies["base"].shapes] == ["#8080ff", "#00ff00", "", ""]


def test_solids_are_drawn_and_meshes_are_named(tmp_path: Path) -> None:
    (tmp_path / "hand.stl").write_bytes(b"")
    body = (
        '<link name="base">'
        '<visual><origin xyz="0 0 1"/><geometry><cylinder radius="0.1" length="2"/></geometry></visual>'
        '<visual><geometry><mesh filename="hand.stl" scale="0.001 0.001 0.001"/></geometry></visual></link>'
    )
    system, report = read_urdf(write(tmp_path, body))
    shape, drawn = system.bodies["base"].shapes
    assert (shape.kind, shape.size, shape.at) == ("cylinder", (0.1, 2.0), (0.0, 0.0, 1.0))
    assert (drawn.kind, Path(drawn.file).name, drawn.lacking) == ("mesh", "hand.stl", "")
    (mesh,) = report.meshes
    assert (mesh.status, mesh.scale, Path(mesh.path or "").name) == ("found", (0.001,) * 3, "hand.stl")
