"""What every reader of model files owes: registering one in `polhode.formats.READERS` runs all of this on it."""

import json
import warnings
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.seeds import TRIAL

import polhode as ph
from polhode.formats import READERS, dumps_yaml, load, loads_yaml
from polhode.formats.document import parse

YAML_SAMPLE = """\
gravity: [0, 0, -9.81]
parameters: {m: {value: 1.5, unit: kg}, l: 0.5}
inputs: {push: 0}
bodies:
  cart: {mass: 2, shapes: [{type: box, size: [1, 0.5, l]}]}
  bob: {mass: m, com: [0, 0, -l], solid: {type: rod, length: l}}
  belt: {}
frames: {tip: {body: bob, at: [0, 0, -l], rotation: [[z, pi/2], [x, 0.3]]}}
joints:
  track: {parent: ground, child: cart, type: prismatic, axis: x, limits: [-1, 2], speed_limits: l, effort_limits: 87}
  hinge: {parent: cart, child: bob, map: [[0], [1], [0], [0], [0], [0]], coordinates: [theta], speeds: [w]}
  slide: {parent: cart, child: belt, type: prismatic, axis: x}
prescribed: {slide: l*sin(t)}
closures: {pin: {a: bob, b: ground, type: planar, normal: y}}
conditions: {tie: {position: track - l*sin(theta)}, skid: {speed: u(track) + l*w - 1}}
rolling:
  wheel: {type: wheel, body: bob, radius: l, on: cart, at: [0, 0, -l]}
  edge: {type: no_slip, a: bob, b: cart, at: [theta, 0, 0], directions: [x, [0, theta, 1]]}
loads:
  - {type: joint_force, joint: track, value: push - 0.1*u(track)}
  - {type: spring, a: ground, b: tip, stiffness: 3, length: 1e-1}
  - {type: force, on: tip, vector: [sin(t), 0, theta**2], frame: bob}
poses: {start: {coordinates: {theta: pi/3}, speeds: {w: -1}}}
"""

URDF_SAMPLE = """\
<robot name="pendulum">
  <link name="world"/>
  <link name="bob">
    <inertial>
      <origin xyz="0 0 -0.5"/>
      <mass value="1"/>
      <inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/>
    </inertial>
  </link>
  <joint name="hinge" type="continuous">
    <parent link="world"/>
    <child link="bob"/>
    <axis xyz="0 1 0"/>
    <limit effort="87" velocity="2.175"/>
  </joint>
</robot>
"""

#: A file of each format that a reader is registered for.
MJCF_SAMPLE = """<mujoco model="sample">
  <worldbody>
    <body name="arm" pos="0 0 0.3">
      <joint name="swing" type="hinge" axis="0 1 0" actuatorfrcrange="-87 87"/>
      <inertial pos="0 0 0.2" mass="1.5" diaginertia="0.02 0.03 0.01"/>
      <body name="tip" pos="0 0 0.4">
        <joint name="slide" type="slide" axis="1 0 0"/>
        <inertial pos="0.1 0 0" mass="0.4" diaginertia="0.002 0.003 0.001"/>
      </body>
    </body>
  </worldbody>
</mujoco>
"""

SDF_SAMPLE = """<sdf version="1.6"><model name="sample">
  <link name="arm"><pose>0 0 0.3 0 0 0.2</pose>
    <inertial><pose>0 0 0.2 0 0 0</pose><mass>1.5</mass>
      <inertia><ixx>0.02</ixx><iyy>0.03</iyy><izz>0.02</izz></inertia></inertial>
    <visual name="v"><geometry><box><size>0.1 0.1 0.4</size></box></geometry></visual>
  </link>
  <link name="tip"><pose>0 0 0.7 0 0 0.2</pose><inertial><mass>0.4</mass></inertial></link>
  <joint name="swing" type="revolute"><parent>world</parent><child>arm</child>
    <axis><xyz>0 1 0</xyz><limit><effort>87</effort><velocity>2.175</velocity></limit></axis></joint>
  <joint name="slide" type="prismatic"><parent>arm</parent><child>tip</child>
    <axis><xyz>1 0 0</xyz><dynamics><spring_stiffness>9</spring_stiffness></dynamics></axis></joint>
</model></sdf>
"""

SAMPLES: dict[str, str] = {
    ".yaml": YAML_SAMPLE, ".yml": YAML_SAMPLE, ".json": json.dumps(parse(YAML_SAMPLE, "sample").data, indent="\t"),
    ".urdf": URDF_SAMPLE, ".mjcf": MJCF_SAMPLE, ".sdf": SDF_SAMPLE, ".xml": MJCF_SAMPLE,
}  # fmt: skip

#: Bytes that mean something to one format or another.
TELLING = list(b"[]{}:,-\"'#&*!|>%@`~?<>/\\\n\t 019.exX\xff\x00")

by_format = pytest.mark.parametrize("suffix", sorted(READERS))
few = settings(max_examples=60 if TRIAL else 25, suppress_health_check=[HealthCheck.function_scoped_fixture])


def outcome(path: Path) -> ph.System | ph.PolhodeError:
    """The model or the refusal; anything else that escapes fails the test."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return load(path)
        except ph.PolhodeError as error:
            return error


@pytest.fixture
def sample(tmp_path: Path) -> Callable[[str, bytes | None], Path]:
    def write(suffix: str, content: bytes | None = None) -> Path:
        path = tmp_path / f"sample{suffix}"
        path.write_bytes(SAMPLES[suffix].encode() if content is None else content)
        return path

    return write


Write = Callable[..., Path]


@by_format
def test_its_sample_derives(suffix: str, sample: Write) -> None:
    equations = load(sample(suffix)).derive("newton_euler")
    assert equations.agrees_with(load(sample(suffix)).derive("articulated_body"))


@by_format
def test_its_limits_are_those_of_joints_and_survive_in_a_model_file(suffix: str, sample: Write) -> None:
    system = load(sample(suffix))
    assert [
        (float(each.lower), float(each.upper)) for joint in system.joints.values() for each in joint.effort_limits
    ] == [(-87, 87)]
    back = loads_yaml(dumps_yaml(system))
    for name, joint in system.joints.items():
        for kind in ("limits", "speed_limits", "effort_limits"):
            assert getattr(back.joints[name], kind) == getattr(joint, kind)


@by_format
def test_line_endings_do_not_matter(suffix: str, sample: Write) -> None:
    texts = {dumps_yaml(load(sample(suffix, SAMPLES[suffix].replace("\n", end).encode()))) for end in ("\n", "\r\n")}
    assert len(texts) == 1


@by_format
def test_a_capital_extension_is_the_same_format(suffix: str, sample: Write) -> None:
    path = sample(suffix)
    shouted = path.with_suffix(suffix.upper())
    path.rename(shouted)
    assert isinstance(outcome(shouted), ph.System)


@by_format
def test_reading_changes_no_file(suffix: str, sample: Write) -> None:
    path = sample(suffix)
    before = path.read_bytes()
    load(path)
    assert path.read_bytes() == before and list(path.parent.iterdir()) == [path]


@by_format
def test_a_file_that_is_missing_empty_or_a_folder_is_named(suffix: str, tmp_path: Path) -> None:
    missing, empty, folder = (tmp_path / f"{name}{suffix}" for name in ("missing", "empty", "folder"))
    empty.touch()
    folder.mkdir()
    for path in (missing, empty, folder):
        refused = outcome(path)
        assert isinstance(refused, ph.PolhodeError) and str(path) in str(refused)


@by_format
@given(st.data())
@few
def test_a_file_that_is_cut_off_is_read_or_refused(suffix: str, sample: Write, data: st.DataObject) -> None:
    content = SAMPLES[suffix].encode()
    outcome(sample(suffix, content[: data.draw(st.integers(0, len(content)))]))


@by_format
@given(st.binary(max_size=200))
@few
def test_any_bytes_are_read_or_refused(suffix: str, sample: Write, content: bytes) -> None:
    outcome(sample(suffix, content))


@by_format
@given(st.data())
@few
def test_a_changed_file_is_read_or_refused(suffix: str, sample: Write, data: st.DataObject) -> None:
    content = bytearray(SAMPLES[suffix].encode())
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(content) - 1))
        change = data.draw(st.sampled_from(["drop", "replace", "insert", "double"]))
        some = data.draw(
            st.one_of(st.sampled_from([*b"[]{}:,-\"'#&*!|>%@`~?<>/\\\n\t 019.exX\xff\x00"]), st.integers(0, 255))
        )
        if change == "drop":
            del content[place]
        elif change == "replace":
            content[place] = some
        elif change == "insert":
            content.insert(place, some)
        else:
            end = min(len(content), place + data.draw(st.integers(1, 60)))
            content[end:end] = content[place:end]
    outcome(sample(suffix, bytes(content)))
