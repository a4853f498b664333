"""`--input road=road.csv`: samples of an input from a file."""

import json
from pathlib import Path

import pytest
from tests.unit.cli.conftest import Shell

from polhode.cli.simulate import read_samples
from polhode.errors import FormatError

MODEL = """
polhode: 1
name: quarter car
gravity: [0, 0, 0]
inputs: {road: 0}
tables: {profile: {x: [0, 0.1, 0.2], y: [0, 0.05, 0.05]}}
bodies: {car: {mass: 300}}
joints: {heave: {parent: ground, child: car, type: prismatic, axis: z}}
loads: [{type: joint_force, joint: heave, value: -2e4*(heave - road) - 1500*u(heave)}]
"""


@pytest.fixture
def car(tmp_path: Path) -> Path:
    file = tmp_path / "car.yaml"
    file.write_text(MODEL, encoding="utf-8")
    (tmp_path / "road.csv").write_text("time,height\n0,0\n0.1,0.05\n\n0.2,0.05\n", encoding="utf-8")
    return file


def test_samples_of_a_file_drive_runs_and_sweeps_and_tables_are_drawn(polhode: Shell, car: Path) -> None:
    runs = [
        json.loads(polhode("simulate", car, "-t", 0.5, "--json", "--input", f"road={given}"))["final"]["coordinates"]
        for given in ("profile(t)", car.parent / "road.csv")
    ]
    assert runs[0]["heave"] > 0.01 and runs[0] == runs[1]
    words = ("--vary", "speed:heave=0,0.1", "-t", 0.5, "--workers", 1, "--json", "--store", car.parent / "store")
    swept = json.loads(polhode("sweep", car, *words, "--input", f"road={car.parent / 'road.csv'}"))
    alone = json.loads(polhode("simulate", car, "-t", 0.5, "--json", "--input", "road=profile(t)"))
    assert swept["values"]["heave"][0] == pytest.approx(alone["final"]["coordinates"]["heave"], rel=1e-9)
    page = car.parent / "car.html"
    polhode("simulate", car, "-t", 0.1, "--page", page, "--channel", "heave - profile(t)")
    assert not polhode.errors and "heave - profile(t)" in page.read_text(encoding="utf-8")


@pytest.mark.parametrize(("text", "told", "code"), [
    (None, "there is no file", "E-FILE-NAME"), (b"\xff\xfe\x00", "is not text in UTF-8", "E-FILE-READ"),
    ("0,0\n1,2,3\n", "road.csv:2: 3 columns stand where two should", "E-FILE-READ"),
    ("0;0\n1;2\n", "road.csv:1: 1 column stands where two should", "E-FILE-READ"),
    ("time,road\n0,0\n1,nan\n", "road.csv:3: 'nan' is not a finite number", "E-FILE-READ"),
    ("time,road\nt,y\n0,0\n", "road.csv:2: 't' is not a finite number", "E-FILE-READ"),
    ("0,0\n1,0\n1,2\n", "road.csv:3: the time 1.0 does not come after 1.0", "E-FILE-READ"),
    ("time,road\n0,0\n", "has 1 sample; two or more", "E-FILE-READ"), ("", "has no samples", "E-FILE-READ"),
])  # fmt: skip
def test_a_file_that_cannot_be_used_is_told_with_its_line(
    tmp_path: Path, text: str | bytes | None, told: str, code: str
) -> None:
    file = tmp_path / "road.csv"
    if text is not None:
        file.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(FormatError) as caught:
        read_samples(file, "road", "--input road")
    assert told in str(caught.value) and str(caught.value).startswith("--input road")
    assert caught.value.problems[0].code == code


BLOCK = """
bodies: {block: {mass: 2}}
joints:
  path: {parent: ground, child: block, sequence: [{type: prismatic, axis: x}, {type: prismatic, axis: z}],
         coordinates: [x, z], speeds: [vx, vz]}
surfaces: {floor: {body: ground, shape: {type: plane}}}
contacts: {sole: {a: block, b: floor, friction: 0.5, restitution: 0.5}}
poses: {up: {coordinates: {z: 0.1}, speeds: {vx: 1}}}
"""


def test_contacts_are_in_the_text_the_record_and_the_columns(polhode: Shell, tmp_path: Path) -> None:
    file, table = tmp_path / "block.yaml", tmp_path / "block.csv"
    file.write_text(BLOCK, encoding="utf-8")
    words = ("simulate", file, "--pose", "up", "-t", 2, "--impacts", "poisson")
    found = json.loads(polhode(*words, "--json", "--csv", table, "--contact", "sole"))
    sole = found["contacts"]["sole"]
    assert sole["mode"] == {"sole": "stick"} and sole["impacts"] > 5 and abs(sole["largest_normal"] - 2 * 9.81) < 1e-6
    assert [each["what"] for each in found["contact_events"]][-2:] == ["impact", "closes"]
    assert "normal.sole [N],tangential_1.sole [N],slip_1.sole [m/s],mode.sole" in table.read_text()
    assert "at the end" in polhode(*words) and "closes" in polhode(*words)
    assert "1 contact" in polhode("check", file)
    assert "dry friction, which runs add: sole" in polhode("derive", file)
    assert "block stands" not in polhode("diagnose", file, "--pose", "up", code=0)
    assert "stands, with 'sole' closed" in polhode("diagnose", file)
    polhode(*words, "--contact", "sole", code=2)
    assert "--contact: forces of contacts over time are columns of --csv" in polhode.errors
    polhode("simulate", file, "--impacts", "hertz", code=2)
    assert "moreau, newton, poisson" in polhode.errors


def test_robot_files_have_contacts_stops_and_friction_as_options_say(polhode: Shell, tmp_path: Path) -> None:
    inertial = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
    file = tmp_path / "arm.urdf"
    file.write_text(
        f'<robot name="arm"><link name="a">{inertial}</link><link name="b">{inertial}<collision><origin xyz="0 0 9"/>'
        '<geometry><sphere radius="0.1"/></geometry></collision></link>'
        '<joint name="j" type="revolute"><axis xyz="0 1 0"/>'
        '<parent link="a"/><child link="b"/><limit lower="-1" upper="1" effort="1" velocity="1"/>'
        '<dynamics friction="0.3"/></joint></robot>'
    )
    words = ("simulate", file, "-t", 0.1, "--json")
    given = {(): {"j friction"}, ("--no-friction", "--stops", 0.2): {"j stop"},
             ("--no-friction", "--contacts", "yes"): {"b collision on floor"}}  # fmt: skip
    for options, names in given.items():
        assert {*json.loads(polhode(*words, *options)).get("contacts", {})} == names
    polhode("simulate", file, "--contacts", "floor", code=2)
    assert "--contacts: 'floor' is not a choice" in polhode.errors
