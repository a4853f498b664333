"""Contacts, stops and dry friction of robot files."""

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import polhode as ph
from polhode.constraints.unilateral import unilateral_rows
from polhode.errors import PolhodeError
from polhode.expr import evaluate
from polhode.formats import read
from polhode.kinematics.tree import build_tree

pytestmark = pytest.mark.filterwarnings("ignore:.*limits of")

TOY = """<mujoco model="toy"><worldbody>
<geom name="ground" type="plane" size="1 1 .1" friction="0.7 0 0"/>
<body name="a" pos="0 0 1"><freejoint name="f"/><geom name="ball" type="sphere" size=".1" mass="1" friction="0.4 0 0"/>
 <body name="b" pos="0 0 .5"><joint name="h" axis="0 1 0" range="-60 60" frictionloss="0.2"/>
  <geom name="stick" type="capsule" size=".05 .2" mass="1"/>
  <body name="c" pos="0 0 .5"><joint name="g" axis="0 1 0"/><geom name="egg" type="ellipsoid" size=".1 .2 .1" mass="1"/>
   <geom name="tip" type="sphere" size=".1" mass="1" friction="0.1 0 0" priority="1"/></body></body></body>
</worldbody><contact><exclude body1="c" body2="world"/>
<pair geom1="ball" geom2="stick" friction="0.3 0.3"/></contact></mujoco>"""
INERTIAL = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
ARM = f"""<robot name="arm"><link name="a">{INERTIAL}
<collision><origin xyz="0 0 1" rpy="0.1 0 0"/><geometry><sphere radius="0.1"/></geometry></collision></link>
<link name="b">{INERTIAL}<collision><geometry><box size="1 2 3"/></geometry></collision></link>
<joint name="j" type="revolute"><parent link="a"/><child link="b"/><limit lower="-1" upper="1" effort="1" velocity="1"/>
<axis xyz="0 1 0"/><dynamics friction="0.3"/></joint></robot>"""
BALL = """<sdf version="1.7"><model name="ball"><link name="a"><inertial><mass>1</mass></inertial>
<collision name="skin"><geometry><sphere><radius>0.1</radius></sphere></geometry>
<surface><friction><ode><mu>0.6</mu></ode>
</friction><bounce><restitution_coefficient>0.5</restitution_coefficient></bounce></surface></collision></link></model>
</sdf>"""


def written(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_geoms_pairs_and_excludes_of_mjcf_are_contacts(tmp_path: Path):
    pytest.importorskip("mujoco")
    path = written(tmp_path, "toy.xml", TOY)
    system, report = read(path, contacts=True, stops=0.2)
    frictions = {name: each.friction for name, each in system.contacts.items() if each.kind == "contact"}
    # the larger coefficient; stick has MuJoCo's own, 1; a pair may be of parent and child
    assert frictions == {"ball on stick": Fraction(3, 10), "ball on ground surface": Fraction(7, 10),
                         "stick on ground surface": 1}  # fmt: skip
    assert system.contacts["h stop"].restitution == Fraction(1, 5)
    assert system.contacts["h friction"].coulomb == Fraction(1, 5)
    assert not any("ellipsoid" in each.message for each in report.notices)  # its body is excluded
    everything, report = read(path, contacts="all")
    assert {"ball on tip", "ball on egg"} == {*everything.contacts} - {*system.contacts}
    assert [float(x) for x in everything.surfaces["egg"].shape.size] == [0.1, 0.2, 0.1]
    assert everything.contacts["ball on tip"].friction == Fraction(1, 10)  # of the higher priority
    assert not any("ellipsoid" in each.message for each in report.notices)
    assert not {*ph.load(path, friction=False).contacts}


def test_gaps_are_the_distances_of_mujoco(tmp_path: Path):
    mujoco = pytest.importorskip("mujoco")
    shapes = ('type="sphere" size=".1"', 'type="capsule" size=".05 .2"', 'type="capsule" size=".1 .3"',
              'type="box" size=".1 .2 .3"')  # fmt: skip
    bodies = "".join(
        f'<body name="b{k}"><freejoint/><geom name="g{k}" {shape} pos=".1 .2 .3" euler="10 20 30"/></body>'
        for k, shape in enumerate(shapes)
    )
    text = f"<mujoco><worldbody>{bodies}</worldbody></mujoco>"
    system = ph.load(written(tmp_path, "four.xml", text), contacts="all")
    rows = unilateral_rows(system.model(), build_tree(system.model()))
    model = mujoco.MjModel.from_xml_string(text)
    data, rng = mujoco.MjData(model), np.random.default_rng(5)
    for _ in range(10):
        places, turns = rng.uniform(-1, 1, (4, 3)), Rotation.random(4, random_state=rng).as_quat()
        data.qpos[:] = np.column_stack([places, turns[:, [3, 0, 1, 2]]]).ravel()
        mujoco.mj_forward(model, data)
        joints = [joint for joint in system.joints.values() if joint.q]
        at = {x: v for j, p, q in zip(joints, places, turns, strict=True) for x, v in zip(j.q, (q[3], *q[:3], *p))}  # noqa: B905
        gaps = dict.fromkeys(system.contacts, np.inf)
        for (name, _), gap in zip(rows.groups, evaluate(rows.gaps, at), strict=True):
            gaps[name] = min(gaps[name], gap)
        for a, b in ((0, 1), (0, 2), (0, 3), (1, 2)):
            truth = mujoco.mj_geomDistance(model, data, a, b, 10.0, None)
            if truth > 0.01:
                assert gaps[f"g{a} on g{b}"] == pytest.approx(truth, abs=1e-6)


def test_collision_shapes_of_urdf_and_sdf_touch_the_floor(tmp_path: Path):
    arm = ph.load(written(tmp_path, "arm.urdf", ARM), base="floating", contacts={"friction": 0.4}, stops=0)
    assert [*arm.contacts] == ["j friction", "j stop", "a collision on floor", "b collision on floor"]
    assert arm.contacts["b collision on floor"].friction == Fraction(2, 5)
    assert arm.surfaces["a collision"].pose.p[2] == 1
    assert [*ph.load(tmp_path / "arm.urdf").contacts] == ["j friction"]
    ball = ph.load(written(tmp_path, "ball.sdf", BALL), contacts=True).contacts["skin on floor"]
    assert (ball.friction, ball.restitution) == (Fraction(3, 5), Fraction(1, 2))


def test_surfaces_have_the_names_of_collision_shapes_that_are_of_one_shape_alone(tmp_path: Path):
    shapes = "".join(f"<collision{name}><geometry><sphere radius='1'/></geometry></collision>"
                     for name in (" name='foot'", "", " name='hull'"))  # fmt: skip
    hull = "<collision name='hull'><geometry><sphere radius='1'/></geometry></collision>"
    joint = "<joint name='j' type='continuous'><parent link='a'/><child link='b'/></joint>"
    links = f"<link name='a'>{INERTIAL}{hull}</link><link name='b'>{INERTIAL}{shapes}</link>{joint}"
    system = ph.load(written(tmp_path, "leg.urdf", f"<robot name='leg'>{links}</robot>"))
    assert [*system.equipment["geoms"]] == ["a collision", "foot", "b collision 2", "b collision 3"]


def test_links_that_an_srdf_excludes_do_not_touch(tmp_path: Path):
    sphere = "<collision><geometry><sphere radius='0.1'/></geometry></collision>"
    links = "".join(f"<link name='{name}'>{INERTIAL}{sphere}</link>" for name in "abcd")
    joint = "<joint name='{0}' type='continuous'><parent link='a'/><child link='{0}'/><axis xyz='0 1 0'/></joint>"
    path = written(tmp_path, "palm.urdf", f"<robot name='palm'>{links}{''.join(map(joint.format, 'bcd'))}</robot>")
    srdf = written(tmp_path, "palm.srdf", "<robot name='palm'><disable_collisions link1='b' link2='c'/></robot>")
    system, report = read(path, srdf=srdf, base="floating", contacts="all")
    pairs = {name for name in system.contacts if "floor" not in name}
    assert pairs == {"b collision on d collision", "c collision on d collision"}
    assert not any("exert no forces" in each.message for each in report.notices)
    assert any("exert no forces" in each.message for each in read(path)[1].notices)


def test_contacts_of_a_file_are_compliant_with_a_stiffness(tmp_path: Path):
    path = written(tmp_path, "ball.sdf", BALL)
    ball = ph.load(path, contacts={"stiffness": 1e4, "damping": 0.1, "transition_speed": 0.02})
    (pad,) = ball.loads
    assert not ball.contacts
    assert (pad.name, pad.stiffness, pad.friction) == ("skin on floor", 10**4, Fraction(3, 5))
    assert [*ph.load(path, contacts={"law": "linear", "stiffness": 10, "bristle": (10, 1)}).loads] != []
    with pytest.raises(PolhodeError, match="a rigid contact has no damping"):
        ph.load(path, contacts={"damping": 0.1})


@pytest.mark.parametrize("contacts", ["some", {"mu": 1}, 3])
def test_what_contacts_cannot_be_is_refused(contacts: object, tmp_path: Path):
    with pytest.raises(PolhodeError, match="is not a choice"):
        ph.load(written(tmp_path, "arm.urdf", ARM), contacts=contacts)


def test_negative_friction_and_shapes_that_cannot_touch_are_warned_of(tmp_path: Path):
    between = (
        f'<link name="m">{INERTIAL}</link><joint name="i" type="continuous"><parent link="a"/><child link="m"/></joint>'
    )
    arm = ARM.replace('<joint name="j"', between + '<joint name="j"').replace(
        '"a"/><child link="b"', '"m"/><child link="b"'
    )
    path = written(tmp_path, "arm.urdf", arm.replace('friction="0.3"', 'friction="-0.3"'))
    path.write_text(path.read_text().replace('<sphere radius="0.1"', '<cylinder radius="0.1" length="1"'))
    with pytest.warns(UserWarning, match="friction -0.3 is negative, and left out"):
        assert not ph.load(path).contacts
    with pytest.warns(UserWarning, match="friction -0.3"):
        assert any({each.a.kind, each.b.kind} == {"box", "cylinder"} for each in
                   ph.load(path, contacts="all", friction=False).contacts.values())  # fmt: skip
    path.write_text(path.read_text().replace('<box size="1 2 3"/>', '<cylinder radius="0.1" length="1"/>'))
    with pytest.warns(UserWarning, match="contacts of a cylinder and cylinder are not modelled"):
        ph.load(path, contacts="all", friction=False)
    with pytest.raises(PolhodeError, match="is not True or False"):
        ph.load(path, friction=0.3)
    path = written(tmp_path, "ball.sdf", BALL.replace("</mu>", "</mu><mu2>0.2</mu2>"))
    with pytest.warns(UserWarning, match="<mu2> in <ode>: this is not modelled"):
        ph.load(path, contacts=True)


def test_links_that_share_a_joint_do_not_touch_even_if_one_stands_still(tmp_path: Path):
    path = written(tmp_path, "arm.urdf", ARM)
    fixed = ph.load(path, contacts="all", friction=False)
    assert [*fixed.contacts] == ["b collision on floor"]
    pytest.importorskip("mujoco")
    base = '<geom name="pad" size=".1"/><body name="arm"><joint/><geom name="tip" size=".1" pos="0 0 1"/></body>'
    path = written(tmp_path, "arm.xml", f"<mujoco><worldbody>{base}</worldbody></mujoco>")
    assert "tip on pad" in read(path, contacts=True)[0].contacts  # MuJoCo's rule


SLED = """<mujoco><option {options}><flag {flags}/></option><worldbody>
<geom name="floor" type="plane" size="5 5 .1" {floor}/>
<body name="b" pos="0 0 .1"><freejoint/><geom name="g" type="sphere" size=".1" {geom}/>
<body name="c"><joint name="hip" range="-9 9"/>
<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/><body><joint name="cone" type="ball" range="0 1"/>
<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/></body></body></body></worldbody>
<contact>{pair}</contact></mujoco>"""
NOTHING = {"options": "", "flags": "", "floor": "", "geom": "", "pair": ""}


def sled(folder: Path, **parts: str) -> tuple[ph.System, list[str], list[str]]:
    pytest.importorskip("mujoco")
    system, report = read(written(folder, "sled.xml", SLED.format(**(NOTHING | parts))), contacts=True, stops=0)
    return system, [each.message for each in report.warnings], [each.message for each in report.notices]


def test_contacts_of_dimension_1_have_no_friction_and_an_override_has_its_own(tmp_path: Path):
    def friction(**parts: str) -> float:
        return float(sled(tmp_path, **parts)[0].contacts["g on floor"].friction)

    assert friction() == friction(geom='condim="1"') == 1
    assert friction(geom='condim="1"', floor='condim="1"') == 0
    assert friction(geom='condim="1" priority="1"') == 0
    assert friction(pair='<pair geom1="g" geom2="floor" condim="1"/>') == 0
    assert friction(options='o_friction="0.05 0.05 0 0 0"', flags='override="enable"') == 0.05


def test_laws_of_mujoco_that_rigid_contacts_lack_are_warned_of_with_their_number(tmp_path: Path):
    assert not any("of contacts is left out" in each for each in sled(tmp_path)[1])
    pair = '<pair geom1="g" geom2="floor" condim="6" friction="1 0.5 .1 .2 .2" gap="1" margin="1" solref="1 1"/>'
    left_out = {each.partition(" of contacts is left out (1 contact)")[0] for each in sled(tmp_path, pair=pair)[1]}
    assert left_out >= {"friction that differs between two axes (the first is taken)", "torsional friction",
                        "rolling friction", "margin", "gap", "solref"}  # fmt: skip
    assert "solimp of contacts is left out (1 contact)." in sled(tmp_path, geom='solimp="0.8 0.9 0.01"')[1]


def test_flags_that_disable_contacts_and_limits_are_kept_with_a_notice(tmp_path: Path):
    system, _, notices = sled(tmp_path)
    assert [*system.contacts] == ["hip stop", "g on floor"]
    assert "the range of the ball joint 'cone' has no stop." in notices
    system, _, notices = sled(tmp_path, flags='contact="disable" limit="disable"')
    assert not system.contacts
    assert {"no contacts are added: its flags disable them.", "no stops are added: its flags disable limits."} <= {
        *notices
    }


def test_a_field_of_heights_gets_no_floor(tmp_path: Path):
    pytest.importorskip("mujoco")
    field = (
        '<asset><hfield name="h" nrow="2" ncol="2" size="1 1 1 1"/></asset><worldbody><geom type="hfield" hfield="h"/>'
    )
    body = '<body><freejoint/><geom name="g" size=".1"/></body></worldbody>'
    path = written(tmp_path, "hills.xml", f"<mujoco>{field}{body}</mujoco>")
    with pytest.warns(UserWarning, match="contacts of a hfield and sphere are not modelled"):
        assert not ph.load(path, contacts=True).contacts


SCARA = """<robot name="scara"><link name="base"/><link name="arm"><inertial><mass value="1"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial><collision><geometry><box size="0.3 0.05 0.05"/>
</geometry></collision></link><joint name="turn" type="continuous"><origin xyz="0 0 0.3"/><parent link="base"/>
<child link="arm"/><axis xyz="0 0 1"/></joint></robot>"""


def test_a_shape_that_never_comes_nearer_to_the_floor_is_left_out_with_a_sentence(tmp_path: Path):
    path = written(tmp_path, "scara.urdf", SCARA)
    with pytest.warns(UserWarning, match="'arm collision on floor' is left out: its gap never changes"):
        robot = ph.load(path, contacts=True)
    assert not robot.contacts and robot.derive().simulate(0.1, speeds={"turn": 1}).q[-1, 0] == pytest.approx(0.1)
