"""Small modules of formats: readers by extension, tables in files, chosen parameters, transmissions."""

import subprocess
import sys
from fractions import Fraction
from inspect import Parameter, signature
from pathlib import Path

import pytest
from tests.refusals import refused

import polhode as ph
from polhode.errors import FormatError, PolhodeError
from polhode.expr import as_expr, evaluate, substitute
from polhode.formats import READERS, dumps_yaml, load, loads_yaml
from polhode.formats.urdf import load_urdf, read_urdf
from polhode.model.digest import digest

BRICK = (
    '<robot name="brick"><link name="brick"><inertial><mass value="2"/>'
    '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link></robot>'
)


def test_options_reach_the_reader_and_others_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "brick.urdf"
    path.write_text(BRICK, encoding="utf-8")
    assert len(ph.load(path).derive().u) == 0 and len(ph.load(path, base="floating").derive().u) == 6
    assert list(ph.load(path, symbolic=["mass:*"]).parameters) == ["mass:brick"]
    refused("Did you mean 'base'", lambda: load(tmp_path / "arm.urdf", bas="floating"))


def test_help_shows_the_defaults_of_each_reader() -> None:
    assert str(signature(ph.load).parameters["base"]) == "base: 'str' = 'fixed' in URDF, 'floating' in SDF"


@pytest.mark.parametrize("suffix", sorted(READERS))
def test_an_unknown_option_is_one_clear_sentence(suffix: str, tmp_path: Path) -> None:
    with pytest.raises(PolhodeError) as caught:
        load(tmp_path / f"arm{suffix}", bass="floating")
    (problem,) = caught.value.problems
    assert problem.message == f"the reader of {suffix} files has no option 'bass'." and problem.cure


def test_the_readers_of_robots_are_at_the_surface_and_documented() -> None:
    page = (Path(__file__).parents[2] / "docs" / "robots.md").read_text(encoding="utf-8")
    for reader in (ph.load_urdf, ph.load_mjcf, ph.from_dh):
        assert reader.__name__ in dir(ph) and f"`ph.{reader.__name__}`" in page
        options = [each.name for each in signature(reader).parameters.values() if each.kind is Parameter.KEYWORD_ONLY]
        assert [name for name in options if f"`{name}" not in page and name != "content"] == []


MODEL = """polhode: 1
gravity: [0, 0, -9.81]
parameters: {scale: 2}
bodies:
  bob: {mass: 1, com: [0, 0, -1]}
joints:
  hinge: {parent: ground, child: bob, type: revolute, axis: y}
tables:
  spring: {x: [-pi, 0, 0.1, 1/3, 2], y: [-3, 0, 1e-3, 0.7, 8], kind: cubic, outside: line}
  the map: {x: [0, 1], y: [0, 2], z: [[1, 2], [3, 4]]}
  energy: {x: [-1, 0, 2], y: [-3, 0, 7], orders: [-1]}
  slope: {x: [-1, 0, 1, 2], y: [-3, 0, 1, 7], kind: cubic, orders: [2]}
  ramp: {x: [0, 1, 3], y: [0, 1, 0, 2, 0, 1,  4, 3, 2, 1, 0, 1/3], kind: polynomial, outside: line, orders: [4]}
loads:
  - {type: joint_force, joint: hinge, value: "-spring(scale*hinge) + `the map`(hinge, u(hinge))**2"}
  - {type: joint_force, joint: hinge, value: spring(sin(t)) - slope(hinge) + ramp(t)}
  - {type: potential, energy: scale*energy(hinge)}
"""


def test_a_table_in_a_file_is_the_table_in_python_and_a_model_with_tables_goes_out_and_in() -> None:
    system = loads_yaml(MODEL)
    q, u = system.joints["hinge"].q[0], system.joints["hinge"].u[0]
    scale = system.parameters["scale"].symbol
    spring = ph.table([-3.141592653589793, 0, 0.1, 1 / 3, 2], [-3, 0, 1e-3, 0.7, 8], kind="cubic", outside="line")
    grid = ph.table(([0, 1], [0, 2]), [[1, 2], [3, 4]])
    assert system.loads[0].value == -spring(scale * q) + grid(q, u) ** 2
    slope = ph.table([-1, 0, 1, 2], [-3, 0, 1, 7], kind="cubic").derivative().derivative()
    ramp = ph.table([0, 1, 3], [[0, 1, 0, 2, 0, 1], [4, 3, 2, 1, 0, 1 / 3]], kind="polynomial", outside="line")
    for _ in range(4):
        ramp = ramp.derivative()
    assert system.loads[1].value == spring(ph.sin(system.time)) - slope(q) + ramp(system.time)
    assert system.loads[2].energy == scale * ph.table([-1, 0, 2], [-3, 0, 7]).integral()(q)
    system = loads_yaml(MODEL)
    assert digest(loads_yaml(dumps_yaml(system))) == digest(system)
    assert system.derive("poincare").agrees_with(loads_yaml(dumps_yaml(system)).derive("newton_euler"))


def test_names_that_a_file_cannot_hold_are_replaced_and_do_not_drift(tmp_path: Path) -> None:
    system = ph.System("slider")
    joint = system.joint("x", system.ground, system.body("block", mass=1), ph.Prismatic("x"))
    named = [ph.table([0, 1], [0, k], name=name) for k, name in enumerate(["sin", "sin", "q", "two words", ""], 2)]
    system.joint_force(joint, sum(table(joint.q[0]) for table in named))
    system.potential(named[3].integral()(joint.q[0]))
    text = dumps_yaml(system)
    assert digest(loads_yaml(text)) == digest(system)
    # In a process of its own, where no node of the first reading lends its name.
    (tmp_path / "m.yaml").write_text(text)
    again = "import polhode.formats as f; print(f.dumps_yaml(f.load('m.yaml')), end='')"
    environment = {"PYTHONPATH": str(Path(ph.__file__).parents[1])}
    done = subprocess.run([sys.executable, "-c", again], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.stdout == text, done.stderr


@pytest.mark.parametrize("value", [0.1, 1 / 3, 1e-300, 1.7976931348623157e308, 5e-324, -2.5e-7])
def test_every_double_of_a_table_comes_back_to_the_last_bit(value: float) -> None:
    system = ph.System("slider")
    joint = system.joint("x", system.ground, system.body("block", mass=1), ph.Prismatic("x"))
    system.joint_force(joint, ph.table([0, 1e300], [0, value])(joint.q[0]))
    assert digest(loads_yaml(dumps_yaml(system))) == digest(system)


ARM = """<robot name="arm">
  <link name="base"/>
  <link name="upper"><inertial><origin xyz="0.2 0 0"/><mass value="3"/>
    <inertia ixx="0.01" iyy="0.02" izz="0.02" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="forearm"><inertial><origin xyz="0.1 0 0"/><mass value="1.5"/>
    <inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="shoulder" type="continuous"><parent link="base"/><child link="upper"/><axis xyz="0 1 0"/></joint>
  <joint name="elbow" type="continuous"><parent link="upper"/><child link="forearm"/><origin xyz="0.4 0 0"/>
    <axis xyz="0 1 0"/></joint>
</robot>
"""


@pytest.fixture
def arm(tmp_path: Path) -> Path:
    path = tmp_path / "arm.urdf"
    path.write_text(ARM, encoding="utf-8")
    return path


@pytest.mark.parametrize(("patterns", "names"), [
    (["mass:forearm"], {"mass:forearm": Fraction(3, 2)}),
    (["mass:*"], {"mass:upper": 3, "mass:forearm": Fraction(3, 2)}),
    (["length:*"], {"length:elbow.x": Fraction(2, 5)}), (["com:up*"], {"com:upper.x": Fraction(1, 5)}),
    (["com:upper.y"], {"com:upper.y": 0}),
    (["inertia:upper.xx", "gravity"], {"gravity": Fraction("9.81"), "inertia:upper.xx": Fraction(1, 100)}),
])  # fmt: skip
def test_patterns_choose_parameters(arm: Path, patterns: list[str], names: dict[str, Fraction]) -> None:
    system = load_urdf(arm, symbolic=patterns)
    assert {name: parameter.value for name, parameter in system.parameters.items()} == names


def test_patterns_and_tables_go_out_and_in(arm: Path) -> None:
    refused("Did you mean 'mass:forearm'", lambda: load_urdf(arm, symbolic=["mass:forarm"]), FormatError)
    plain = load_urdf(arm).derive("newton_euler")
    system = load_urdf(arm, symbolic=["mass:*", "length:*", "com:*", "inertia:*", "gravity"])
    symbolic = system.derive("newton_euler")
    values = {parameter.symbol: parameter.value for parameter in system.parameters.values()}
    filled = substitute(list(symbolic.inverse_dynamics), values)
    at = {s: 0.1 + 0.2 * k for symbols in (plain.q, plain.u, plain.udot) for k, s in enumerate(symbols)}
    assert evaluate(filled, at) == pytest.approx(evaluate(plain.inverse_dynamics, at), rel=1e-12)
    assert all(a == b for a, b in zip(filled, plain.inverse_dynamics, strict=True))


MASS = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
ARM_JOINTS = f"""<robot name="arm"><link name="base"/><link name="arm">{MASS}</link><link name="hand">{MASS}</link>
<joint name="elbow" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="0 1 0"/></joint>
<joint name="grip" type="fixed"><parent link="arm"/><child link="hand"/></joint>
{{}}</robot>"""


def read(folder: Path, transmissions: str) -> tuple[object, ...]:
    path = folder / "arm.urdf"
    path.write_text(ARM_JOINTS.format(transmissions))
    system, report = read_urdf(path)
    return system, [warning.code for warning in report.warnings], [notice.code for notice in report.notices]


def simple(inside: str = "", joint: str = "elbow", beside: str = "") -> str:
    return (
        f'<transmission name="t"><type>transmission_interface/SimpleTransmission</type><joint name="{joint}">'
        f'<hardwareInterface>EffortJointInterface</hardwareInterface></joint><actuator name="m">{inside}</actuator>'
        f"{beside}</transmission>"
    )


@pytest.mark.parametrize("place", ["actuator", "transmission"])
def test_a_reduction_makes_a_motor_without_a_rotor(place: str, tmp_path: Path) -> None:
    said = "<mechanicalReduction> -79.5 </mechanicalReduction>"
    system, warnings, notices = read(tmp_path, simple(said) if place == "actuator" else simple(beside=said))
    motor = system.motors["elbow"]  # type: ignore[attr-defined]
    assert motor.ratio == as_expr("-79.5") and not motor.has_rotor
    assert "N-ROBOT-UNSUPPORTED" in notices and not warnings  # type: ignore[operator]


def test_drakes_rotor_inertia_is_reflected(tmp_path: Path) -> None:
    inside = '<drake:gear_ratio value="20"/><drake:rotor_inertia value="0.01"/>'
    system, warnings, notices = read(tmp_path, simple(inside))
    e = system.derive()  # type: ignore[attr-defined]
    assert e.mass_matrix[0, 0] == 1 + 1 + 4 and not warnings and "N-ROBOT-UNSUPPORTED" not in notices  # type: ignore[operator]
    again = loads_yaml(dumps_yaml(system))  # type: ignore[arg-type]
    assert again.derive().agrees_with(e)


TWO_JOINTS = '<transmission name="t"><joint name="elbow"/><joint name="grip"/><actuator name="m"/></transmission>'
LEFT_OUT = {
    "W-ROBOT-UNSUPPORTED": TWO_JOINTS,
    "W-ROBOT-NUMBER": simple("<mechanicalReduction>fast</mechanicalReduction>"),
    "W-ROBOT-NAME": simple(joint="grip"),
}


@pytest.mark.parametrize("code", LEFT_OUT)
def test_what_is_left_out_is_told(code: str, tmp_path: Path) -> None:
    _, warnings, _ = read(tmp_path, LEFT_OUT[code])
    assert warnings == [code]


@pytest.mark.parametrize(
    "text", [simple(joint="knee"), simple() * 2, simple("<mechanicalReduction>0</mechanicalReduction>")]
)
def test_a_motor_that_cannot_be_is_left_out_with_a_warning(text: str, tmp_path: Path) -> None:
    _, warnings, _ = read(tmp_path, text)
    assert warnings == ["W-ROBOT-NAME"]
