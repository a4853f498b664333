"""The MJCF reader: names, exact numbers, what is left out and said so."""

import struct
from fractions import Fraction
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("mujoco")

from polhode.expr import as_expr, evaluate
from polhode.formats import dumps_yaml, loads_yaml
from polhode.formats.mjcf import load_mjcf, read_mjcf
from polhode.formats.mjcf.exact import ROUNDING, inertia, rotation
from polhode.formats.urdf import Report
from polhode.geometry.rotations.matrix import is_rotation
from polhode.model import System

MASS = '<inertial mass="1.1" pos="0 0 -0.5" diaginertia="0.1 0.2 0.25"/>'


def mjcf(world: str, rest: str = "") -> str:
    return f'<mujoco model="arm"><compiler angle="radian"/>\n{rest}\n<worldbody>\n{world}\n</worldbody></mujoco>'


def read(folder: Path, world: str, rest: str = "", **options: Any) -> tuple[System, Report]:
    path = folder / "arm.xml"
    path.write_text(mjcf(world, rest), encoding="utf-8")
    return read_mjcf(path, **options)


unit = st.floats(-1, 1)


@given(st.tuples(unit, unit, unit, unit))
def test_a_rounded_quaternion_becomes_an_exact_rotation(quaternion: tuple[float, ...]) -> None:
    length = float(np.linalg.norm(quaternion))
    if length < 0.1:
        return
    e = np.array(quaternion) / length
    R, dropped = rotation(list(e), ROUNDING)
    assert is_rotation(R) and dropped <= ROUNDING
    w, x, y, z = e
    expected = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    assert np.allclose([[float(entry) for entry in row] for row in R], expected, atol=3e-12)


def test_turns_near_right_angles_and_equal_moments_are_exact() -> None:
    a, b = np.sqrt(0.5), 0.15
    # A quarter turn about x, then 0.3 rad about z.
    quaternion = [a * np.cos(b), a * np.cos(b), -a * np.sin(b), a * np.sin(b)]
    R, _ = rotation(quaternion, ROUNDING)
    assert [not entry for entry in R.entries()] == [False, False, True, True, True, False, False, False, True]
    quaternion = [np.cos(0.785398), np.sin(0.785398), 0, 0]
    R, dropped = rotation(quaternion, Fraction(1, 10**6))
    assert list(R.entries()) == [as_expr(entry) for entry in (1, 0, 0, 0, 0, -1, 0, 1, 0)]
    assert 0 < dropped < 1e-6
    assert inertia([0.3, 0.3, 0.3], [0.1, 0.7, -0.5, 0.5]) == [Fraction(3, 10)] * 3 + [Fraction(0)] * 3


def test_names_and_decimals_are_the_files_own(tmp_path: Path) -> None:
    world = f"""<body name="bob" pos="0 0 0.3"><joint name="hinge" axis="0 1 0"/>{MASS}
      <site name="tip" pos="0 0 -1"/></body>"""
    system, report = read(tmp_path, world)
    assert (system.name, report.robot, report.root) == ("arm", "arm", "world")
    assert list(system.bodies) == ["ground", "bob"] and list(system.joints) == ["hinge"]
    assert system.joints["hinge"].q[0].name == "hinge"
    bob = system.bodies["bob"]
    assert bob.mass == as_expr(Fraction("1.1")) and list(bob.com) == [0, 0, as_expr(Fraction("-0.5"))]
    assert bob.inertia[1, 1] == as_expr(Fraction("0.2"))
    assert list(system.joints["hinge"].in_parent.p) == [0, 0, as_expr(Fraction("0.3"))]
    assert system.frames["tip"].body == "bob" and list(system.gravity) == [0, 0, as_expr(Fraction("-9.81"))]


def test_joints_of_one_body_follow_each_other(tmp_path: Path) -> None:
    world = f'<body name="bob"><joint name="s" type="slide" axis="1 0 0"/><joint name="h" axis="0 1 0"/>{MASS}</body>'
    system, _ = read(tmp_path, world)
    assert [(joint.parent, joint.child) for joint in system.joints.values()] == [
        ("ground", "bob after s"),
        ("bob after s", "bob"),
    ]
    assert system.bodies["bob after s"].is_massless


def test_what_has_no_name_gets_one_and_what_is_taken_is_told(tmp_path: Path) -> None:
    world = f"""<body><joint axis="0 1 0"/>{MASS}</body>
      <body name="ground"><freejoint/>{MASS}<site name="ground"/><body name="post">{MASS}</body></body>"""
    system, report = read(tmp_path, world)
    assert list(system.bodies) == ["ground", "body 1", "ground body", "post"]
    assert list(system.joints) == ["body 1 hinge", "ground body free", "post weld"]
    assert list(system.frames) == ["ground site"]
    assert [notice.code for notice in report.notices] == ["N-ROBOT-NAME", "N-ROBOT-NAME"]
    assert report.notices[0].place == "arm.xml:5: body 'ground'"


def test_defaults_and_classes_are_the_compilers_business(tmp_path: Path) -> None:
    rest = """<default><joint axis="0 1 0" damping="0.5"/>
      <default class="stiff"><joint stiffness="7"/></default></default>"""
    world = f'<body name="a"><joint name="h" class="stiff" springref="0.25"/>{MASS}</body>'
    system, report = read(tmp_path, world, rest)
    made = system.derive()
    assert report.joints[0].damping == Fraction(1, 2)
    values = {made.q[0]: 0.5, made.u[0]: 2.0}
    still = {made.q[0]: 0.25, made.u[0]: 0.0}
    bias, at_rest = (evaluate(made.bias, point)[0] for point in (values, still))
    weight = 1.1 * 9.81 * 0.5
    assert bias == pytest.approx(weight * np.sin(0.5) + 7 * 0.25 + 0.5 * 2)
    assert at_rest == pytest.approx(weight * np.sin(0.25))


def test_flags_parameters_and_a_second_reading(tmp_path: Path) -> None:
    rest = '<option><flag gravity="disable" spring="disable" damper="disable"/></option>'
    world = f'<body><joint axis="0 1 0" stiffness="3" damping="2"/>{MASS}</body>'
    system, _ = read(tmp_path, world, rest)
    assert not system.loads and not any(system.gravity)
    world = f'<body name="bob" pos="0 0 0.3"><joint name="hinge" axis="0 1 0"/>{MASS}</body>'
    system, _ = read(tmp_path, world, symbolic=["mass:bob", "gravity", "length:*"])
    values = {name: parameter.value for name, parameter in system.parameters.items()}
    assert values == {"gravity.z": Fraction("-9.81"), "mass:bob": Fraction("1.1"), "length:bob.z": Fraction("0.3")}
    world = f'<body name="a" euler="0.1 0.2 0.3"><joint name="h" axis="1 2 3"/>{MASS}</body>'
    first, _ = read(tmp_path, world)
    assert dumps_yaml(first) == dumps_yaml(load_mjcf(tmp_path / "arm.xml"))


def test_keyframes_become_poses(tmp_path: Path) -> None:
    world = f"""<body name="hull" pos="1 2 3"><freejoint name="fly"/>{MASS}
      <body><joint name="h" axis="1 0 0"/>{MASS}</body></body>"""
    # A quarter turn about z: the world's x velocity is the body's -y.
    rest = '<keyframe><key name="up" qpos="4 5 6 1 0 0 1 0.3" qvel="1 0 0 0.1 0.2 0.3 -2"/></keyframe>'
    system, _ = read(tmp_path, world, rest)
    home, up = system.poses["qpos0"], system.poses["up"]
    assert [home.coordinates[f"fly_{axis}"] for axis in "xyz"] == [1, 2, 3]
    assert up.coordinates["h"] == 0.3 and up.coordinates["fly_x"] == 4
    assert up.coordinates["fly_e3"] == pytest.approx(np.sqrt(0.5))
    assert [up.speeds[f"fly_v{axis}"] for axis in "xyz"] == pytest.approx([0, -1, 0])
    assert [up.speeds[f"fly_w{axis}"] for axis in "xyz"] == [0.1, 0.2, 0.3]


def test_a_model_survives_its_own_yaml(tmp_path: Path) -> None:
    world = f"""<body name="a" euler="0.2 0.3 0.4"><joint name="b" type="ball" pos="0 0.1 0"/>{MASS}
      <geom type="capsule" size="0.1" fromto="0 0 0 0.1 0.2 0.3" mass="0"/>
      <body name="c" pos="0 0 1"><joint name="h" axis="1 2 3" ref="0.3"/>{MASS}</body></body>"""
    system, _ = read(tmp_path, world)
    again = loads_yaml(dumps_yaml(system))
    assert again.derive("newton_euler").agrees_with(system.derive("newton_euler"))


def cube_stl(edge: float) -> bytes:
    """A binary STL of a cube about the origin, twelve triangles."""
    signs = (-edge / 2, edge / 2)
    triangles = []
    for axis in range(3):
        for side in signs:
            corners = []
            for a, b in ((0, 0), (1, 0), (1, 1), (0, 1)):
                corner = [0.0, 0.0, 0.0]
                corner[axis], corner[(axis + 1) % 3], corner[(axis + 2) % 3] = side, signs[a], signs[b]
                corners.append(corner)
            if side < 0:
                corners.reverse()
            triangles += [corners[:3], [corners[0], *corners[2:]]]
    rows = b"".join(struct.pack("<12fH", 0, 0, 0, *chain(*triangle), 0) for triangle in triangles)
    return b"\0" * 80 + struct.pack("<I", len(triangles)) + rows


ASSET = '<compiler meshdir="parts"/><asset><mesh file="cube.stl"/></asset>'


def test_meshes_that_weigh_are_read_and_others_are_not(tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "cube.stl").write_bytes(cube_stl(0.5))
    system, _ = read(tmp_path, '<body name="a"><joint/><geom type="mesh" mesh="cube" density="80"/></body>', ASSET)
    assert float(system.bodies["a"].mass) == pytest.approx(10)
    assert float(system.bodies["a"].inertia[0, 0]) == pytest.approx(10 * 0.25 / 6)
    system, _ = read(tmp_path, f'<body name="a"><joint/>{MASS}<geom type="mesh" mesh="cube"/></body>', ASSET)
    assert system.bodies["a"].mass == as_expr(Fraction("1.1"))


def test_included_files_stand_where_they_are_included(tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "link.xml").write_text(
        f'<mujocoinclude><body name="a"><joint name="j"/>{MASS}<include file="more.xml"/></body></mujocoinclude>'
    )
    (tmp_path / "parts" / "more.xml").write_text('<mujocoinclude><site name="tip"/></mujocoinclude>')
    system, _ = read(tmp_path, '<include file="parts/link.xml"/>')
    assert "a" in system.bodies and system.frames["tip"].body == "a"


def test_looks_are_left_out_with_a_notice(tmp_path: Path) -> None:
    rest = """<asset><texture name="t" type="2d" file="no.png"/><material name="m" texture="t"/></asset>
      <sensor><gyro site="s"/></sensor><visual><headlight active="0"/></visual>"""
    world = f"""<light pos="0 0 3"/><geom type="plane" size="1 1 1" material="m"/>
      <body><joint/>{MASS}<site name="s"/></body>"""
    system, report = read(tmp_path, world, rest)
    (notice,) = report.notices
    assert system.equipment["sensors"]["gyro s"].of == "s"
    for tag in ("texture", "visual", "light"):
        assert f"<{tag}> (1)" in notice.message


def test_a_mesh_is_drawn_where_the_file_puts_it_in_its_material(tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "cube.stl").write_bytes(b"not opened by the reader")
    rest = """<default><mesh scale="2 2 2"/><default class="small"><mesh scale="0.1 0.1 0.1"/></default></default>
      <compiler meshdir="parts"/><asset><material name="m" rgba="1 0 0 1"/><mesh file="cube.stl"/>
      <mesh name="tiny" class="small" file="cube.stl"/><mesh name="gone" file="gone.stl" scale="1 1 -1"/></asset>"""
    geoms = """<geom type="mesh" mesh="cube" pos="1 2 3" quat="1 0 0 1" material="m"/><geom type="mesh" mesh="tiny"
      rgba="0 0 1 1"/><geom type="mesh" mesh="gone"/><geom size="9" group="3"/>"""
    system, _ = read(tmp_path, f'<body name="a"><joint/>{MASS}{geoms}</body>', rest)
    cube, tiny, gone = system.bodies["a"].shapes
    assert [float(x) for x in cube.at] == pytest.approx([1, 2, 3], abs=1e-9)
    assert [float(x) for x in cube.rotation.entries()] == pytest.approx([0, -1, 0, 1, 0, 0, 0, 0, 1], abs=1e-9)
    assert (cube.size, cube.color, cube.lacking) == ((2, 2, 2), "#ff0000", "")
    assert (tiny.size, tiny.color) == ((Fraction(1, 10),) * 3, "#0000ff")
    assert (gone.size, gone.lacking) == ((1, 1, -1), "missing: there is no such file")


def test_what_is_recorded_alone_is_one_warning(tmp_path: Path) -> None:
    rest = '<actuator><motor joint="h"/></actuator>'
    world = f"""<geom type="plane" size="1 1 1"/>
      <body name="a"><joint name="h" limited="true" range="-1 2"/>{MASS}<geom size="0.1"/></body>"""
    _, report = read(tmp_path, world, rest)
    said = "\n".join(warning.message for warning in report.warnings)
    assert "actuators (1), geoms that could touch (2), limits of joints (1)" in said
    assert (report.joints[0].lower, report.joints[0].upper) == (-1, 2)


def efforts(folder: Path, actuators: str, joint: str = "") -> list[tuple[float | None, float | None]]:
    """The effort limits of a hinge, as a list of none or one."""
    world = f'<body name="a"><joint name="h" {joint}/>{MASS}</body>'
    system, _ = read(folder, world, f"<actuator>{actuators}</actuator>")
    return [(_number(each.lower), _number(each.upper)) for each in system.joints["h"].effort_limits]


def _number(end: Any) -> float | None:
    return None if end is None else float(end)


ACTUATORS = {
    "none": ("", "", []),
    "a motor without ranges": ('<motor joint="h"/>', "", []),
    "a motor": ('<motor joint="h" gear="-100" ctrlrange="-0.4 0.8"/>', "", [(-80, 40)]),
    "a motor with both": ('<motor joint="h" gear="2" ctrlrange="-9 9" forcerange="-3 4"/>', "", [(-6, 8)]),
    "a servo": ('<position joint="h" kp="30" ctrlrange="-1 1"/>', "", []),
    "a servo with a force": ('<position joint="h" kp="30" forcerange="-3 3"/>', "", [(-3, 3)]),
    "a gain": ('<general joint="h" gainprm="5" ctrlrange="0 2"/>', "", [(0, 10)]),
    "a filter": ('<general joint="h" dyntype="filter" dynprm="1" ctrlrange="-2 2"/>', "", [(-2, 2)]),
    "an integrator": ('<general joint="h" dyntype="integrator" ctrlrange="-2 2"/>', "", []),
    "two": ('<motor joint="h" ctrlrange="-1 1"/><motor joint="h" gear="3" ctrlrange="-1 2"/>', "", [(-4, 7)]),
    "two, one without": ('<motor joint="h" ctrlrange="-1 1"/><motor joint="h"/>', "", []),
    "the joint alone": ("", 'actuatorfrcrange="-5 6"', [(-5, 6)]),
    "the joint below": ('<motor joint="h" ctrlrange="-9 9"/>', 'actuatorfrcrange="-5 6"', [(-5, 6)]),
    "the joint above": ('<motor joint="h" ctrlrange="-4 9"/>', 'actuatorfrcrange="-5 6"', [(-4, 6)]),
}


@pytest.mark.parametrize("name", ACTUATORS)
def test_ranges_of_actuators_become_effort_limits(name: str, tmp_path: Path) -> None:
    actuators, joint, expected = ACTUATORS[name]
    assert efforts(tmp_path, actuators, joint) == expected


def test_controls_that_are_not_clamped_limit_nothing(tmp_path: Path) -> None:
    text = mjcf(f'<body><joint name="h"/>{MASS}</body>', '<option><flag clampctrl="disable"/></option>')
    path = tmp_path / "arm.xml"
    path.write_text(
        text.replace("</worldbody>", '</worldbody><actuator><motor joint="h" ctrlrange="-1 1"/></actuator>')
    )
    assert load_mjcf(path).joints["h"].effort_limits == ()


def test_an_armature_that_is_left_out_makes_room_for_an_elastic_motor(tmp_path: Path) -> None:
    path = tmp_path / "arm.xml"
    path.write_text(
        '<mujoco><worldbody><body><joint name="j1" armature="0.5"/><geom size="0.1" mass="1"/></body></worldbody>'
        '<actuator><motor joint="j1" gear="10"/></actuator></mujoco>'
    )
    system = load_mjcf(path, ignore=["armature"])
    motor = system.motor("j1", inertia="0.005", stiffness=1000, coupling="reduced")
    assert motor.ratio == 10 and motor.is_elastic
    assert system.motors["j1"].inertia == load_mjcf(path).motors["j1"].inertia


def test_a_law_for_each_joint_of_a_file_with_armature_acts_once(tmp_path: Path) -> None:
    path = tmp_path / "arm.xml"
    path.write_text(
        '<mujoco><worldbody><body name="a"><joint name="j1" axis="0 1 0" armature="0.5"/><geom size="0.1" mass="1"/>'
        '<body name="b" pos="0 0 1"><joint name="j2" axis="0 1 0" armature="0.2"/><geom size="0.1" mass="1"/></body>'
        "</body></worldbody></mujoco>"
    )
    plain, damped = load_mjcf(path), load_mjcf(path)
    for joint in damped.joints.values():
        damped.joint_force(joint, -3 * joint.u[0])
    e = damped.derive()
    assert list(damped.joints) == ["j1", "j2"] and len(damped.loads) == len(plain.loads) + 2
    difference = e.bias - plain.derive().bias
    assert difference == 3 * e.u


def test_files_above_the_folder_are_read_where_a_path_says(tmp_path: Path) -> None:
    """An included part, and a model within the model, whose meshes are its own."""
    (tmp_path / "parts").mkdir()
    (tmp_path / "robot").mkdir()
    (tmp_path / "parts" / "arm.xml").write_text(
        f'<mujocoinclude><body name="arm"><joint/>{MASS}</body></mujocoinclude>'
    )
    hand = f'<mujoco model="hand"><worldbody><body name="hand"><joint name="grip"/>{MASS}</body></worldbody></mujoco>'
    (tmp_path / "parts" / "hand.xml").write_text(hand)
    path = tmp_path / "robot" / "robot.xml"
    path.write_text("""<mujoco><asset><model name="hand" file="../parts/hand.xml"/></asset><worldbody>
      <include file="../parts/arm.xml"/><body name="mount"><attach model="hand" body="hand" prefix="left "/></body>
      </worldbody></mujoco>""")
    assert {"arm", "mount", "left hand"} <= {*load_mjcf(path).bodies}


def test_what_may_touch_is_recorded(tmp_path: Path) -> None:
    world = f"""<geom name="floor" type="plane" size="1 1 1"/><geom contype="0" conaffinity="0" size="1"/>
      <body name="a"><joint/>{MASS}<geom name="foot" type="capsule" size="0.1 0.2" pos="0 0 -1" friction="0.7"
      condim="4" margin="0.01"/><body name="b"><joint/>{MASS}<geom type="box" size="1 2 3"/></body></body>"""
    contacts = """<contact><pair geom1="floor" geom2="foot" friction="0.5 0.5 0.1 0.1 0.1"/>
      <exclude name="no" body1="a" body2="b"/></contact>"""
    system, _ = read(tmp_path, world, contacts)
    geoms = system.equipment["geoms"]
    assert [*geoms] == ["floor", "foot", "b geom 3"]
    foot = geoms["foot"]
    assert (foot.body, foot.shape, foot.size, foot.at[2], foot.dimension) == (
        "a",
        "capsule",
        (Fraction(1, 10), Fraction(2, 5)),
        -1,
        4,
    )
    assert (
        foot.friction[0] == Fraction(7, 10) and foot.margin == Fraction(1, 100) and geoms["b geom 3"].size == (2, 4, 6)
    )
    (pair,), (exclusion,) = system.equipment["pairs"].values(), system.equipment["excludes"].values()
    assert pair.geoms == ("floor", "foot") and pair.friction[0] == Fraction(1, 2)
    assert (exclusion.name, exclusion.bodies) == ("no", ("a", "b"))
