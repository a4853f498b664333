"""Exported simulation programs: what is written, under which names, and what is refused."""

import json
from pathlib import Path

import pytest
from tests.refusals import refused
from typer.testing import CliRunner

import polhode as ph
from polhode.cli.app import app
from polhode.model.samples import motor_driven_pendulum
from polhode.simulate import Trajectory
from polhode.simulate.simulation_program import plain_names, simulation_of

MODELS = Path(__file__).parents[3] / "models"
HOSTILE = ['*/ system("x") /*', "a\nb", "Größe & \\ ??/", "\ud800", "'; import os", "x] = 1 # y"]


def code_of(error: ph.PolhodeError) -> str:
    return error.problems[0].code


def test_sources_values_and_names_are_written(tmp_path: Path) -> None:
    written = motor_driven_pendulum().derive().export("c", tmp_path, program=True, prefix="arm", start={"hinge": 0.5})
    assert [path.name for path in written] == [
        "arm_simulation.c", "arm_state_rates.h", "arm_state_rates.c", "arm_energy.h", "arm_energy.c",
        "arm_simulation.txt", "arm_simulation.json",
    ]  # fmt: skip
    text = (tmp_path / "arm_simulation.txt").read_text()
    for line in ("hinge = 0.5                         # rad", "R = 2.0                             # ohm"):
        assert line in text
    assert text.partition("[states]")[2].split()[:5] == ["current", "=", "0.0", "#", "A"]
    assert "cc -std=c99 -O2 -o arm_simulation arm_simulation.c" in (tmp_path / "arm_simulation.c").read_text()


def test_the_text_file_is_that_of_simulate_and_the_same_each_time(tmp_path: Path) -> None:
    equations = motor_driven_pendulum().derive()
    run = equations.simulate(10, method="rk4")
    duration, step, every = (each.value for each in simulation_of(equations.derivation).run)
    assert (duration, step, every) == (10.0, run.info["step"], run.info["steps"] / (len(run.t) - 1))
    for folder in ("a", "b"):
        motor_driven_pendulum().derive().export("fortran", tmp_path / folder, program=True)
    for path in (tmp_path / "a").iterdir():
        assert path.read_bytes() == (tmp_path / "b" / path.name).read_bytes()


@pytest.mark.parametrize("target", ["c", "fortran"])
def test_no_name_of_the_user_reaches_the_source_unwashed(target: str, tmp_path: Path) -> None:
    system = ph.System(HOSTILE[0])
    mass, length = system.parameter(HOSTILE[1], 2, "kg"), system.parameter(HOSTILE[2])
    body = system.body(HOSTILE[3], mass=mass, com=(0, 0, -length))
    system.joint(HOSTILE[3], system.ground, body, ph.Revolute("y"), coordinates=[HOSTILE[4]], speeds=[HOSTILE[5]])
    written = system.derive().export(target, tmp_path, program=True)
    for path in written:
        if path.suffix in (".c", ".h", ".f90"):
            text = path.read_text(encoding="ascii")
            assert not any(word in text for word in ('system("', "??/", "import os'", "x] ="))
            assert text.count("/*") == text.count("*/")
    record = json.loads(written[-1].read_bytes())
    assert [each["own"] for each in record["names"]["parameters"]] == HOSTILE[1:3]
    assert record["names"]["coordinates"] == [{"name": "import os", "own": HOSTILE[4], "unit": "rad"}]
    text = written[-2].read_text(encoding="utf-8")
    assert all(line[:1] in ("", "#", "[") or " = " in line for line in text.split("\n"))


def test_a_value_that_the_model_does_not_have_is_asked_for(tmp_path: Path) -> None:
    s = ph.System("bob")
    s.joint("hinge", s.ground, s.body("bob", s.parameter("m", unit="kg"), (0, 0, -1)), ph.Revolute("y"))
    s.derive().export("c", tmp_path, program=True)
    assert "m =                                 # kg; give a value" in (tmp_path / "bob_simulation.txt").read_text()


def test_what_has_no_program_is_refused(tmp_path: Path) -> None:
    equations = motor_driven_pendulum().derive()
    with pytest.raises(ph.PolhodeError, match="numpy has functions, but no simulation program") as caught:
        equations.export("numpy", tmp_path / "out", program=True)
    assert code_of(caught.value) == "E-CODE-UNSUPPORTED"
    with pytest.raises(ph.PolhodeError, match="has its own functions") as caught:
        equations.export("c", tmp_path / "out", "energy", program=True)
    assert code_of(caught.value) == "E-CODE-UNSUPPORTED"
    s = ph.System("sledge")
    slide = s.joint("x", s.ground, s.body("sledge", 1), ph.Prismatic("x"))
    s.joint_force(slide, -ph.sign(slide.u[0]))
    with pytest.raises(ph.PolhodeError, match="'sledge': a force in it jumps") as caught:
        s.derive().export("c", tmp_path / "out", program=True)
    assert code_of(caught.value) == "E-CODE-UNSUPPORTED"
    assert not (tmp_path / "out").exists()


def test_the_command_line_writes_a_program(tmp_path: Path) -> None:
    file = str(MODELS / "double_pendulum.yaml")
    done = CliRunner().invoke(app, ["export", file, "--target", "fortran", "--program", "-o", str(tmp_path), "--json"])
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["files"][0].endswith("_simulation.f90")
    done = CliRunner().invoke(app, ["export", file, "--start", "up", "-o", str(tmp_path)])
    assert isinstance(done.exception, ph.PolhodeError) and code_of(done.exception) == "E-CLI-UNSUPPORTED"


def test_options_of_the_other_kind_of_export_get_a_sentence(tmp_path: Path) -> None:
    s = ph.System("slider")
    s.joint("x", s.ground, s.body("block", 1), ph.Prismatic("x"))
    refused("there is no option 'bake'", lambda: s.derive().export("c", tmp_path, program=True, bake=True))
    refused("a start is that of a simulation program", lambda: s.derive().export("c", tmp_path, start={"x": 1}))


def test_names_stay_apart_when_they_are_washed() -> None:
    assert plain_names(["a b", "_x", "é", "è", "name_2"]) == ["a b", "_x", "name", "name_3", "name_2"]
    assert len(set(plain_names(["x" * 80, "x" * 81]))) == 2


def test_a_table_with_washed_names_is_read_as_the_mechanism_s(tmp_path: Path) -> None:
    s = ph.System("odd names")
    s.joint("a#b", s.ground, s.body("bob", 1, (0, 0, -1)), ph.Revolute("y"))
    equations = s.derive()
    path = equations.simulate(0.1, start={"a#b": 0.3}, samples=3).to_csv(tmp_path / "run.csv")
    path.write_text(path.read_text(encoding="utf-8").replace("a#b", "a_b"), encoding="utf-8")
    read = Trajectory.from_csv(path, equations)
    assert read["a#b"][0] == 0.3
