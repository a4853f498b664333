"""`polhode check`: findings of a model file, and warnings as sentences."""

import warnings
from pathlib import Path

import pytest
from tests.unit.cli.conftest import Shell

from polhode.errors import FormatError
from polhode.formats import load

MODELS = Path(__file__).parents[3] / "models"


def test_a_unit_that_is_none_is_refused_with_its_line(polhode: Shell, tmp_path: Path) -> None:
    model = tmp_path / "damper.yaml"
    text = (MODELS / "pendulum.yaml").read_text(encoding="utf-8").replace("unit: N m s/rad", "unit: N m s per rad")
    model.write_text(text, encoding="utf-8")
    said = "damper.yaml:6: parameters.c: parameter 'c': there is no unit 'per'"
    polhode("check", model, code=2)
    assert said in polhode.errors and "Traceback" not in polhode.errors
    with pytest.raises(FormatError, match=r"(?s)damper.yaml:6: parameters.c: .*Write a slash.*E-UNIT-NAME"):
        load(model)


def test_what_a_command_warns_of_is_a_sentence(polhode: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("polhode.cli.info.info", lambda: warnings.warn("mind the gap.", stacklevel=1))
    polhode("info")
    assert polhode.errors == "mind the gap.\n"


def test_settings_take_units_and_plain_numbers_are_si(polhode: Shell, tmp_path: Path) -> None:
    model = tmp_path / "block.yaml"
    model.write_text(
        "gravity: [0, 0, 0]\nparameters: {k: {value: 20, unit: kN/m}, m: 500 g}\ninputs: {push: {unit: N}}\n"
        "bodies: {block: {mass: m}}\njoints: {x: {type: prismatic, parent: ground, child: block}}\n"
        "loads:\n  - {type: joint_spring, joint: x, stiffness: k}\n  - {type: joint_force, joint: x, value: push}\n"
        "poses: {out: {coordinates: {x: 1 mm}}}\n",
        encoding="utf-8",
    )
    assert "k = 20.0 kN/m, m = 500.0 g" in polhode("derive", model)
    run = ("simulate", model, "-t", 0.01, "--pose", "out", "--csv", "-")
    with_unit = polhode(*run, "--set", "k=25 kN/m", "--set", "push=0.001 kN")
    assert with_unit.startswith("time [s],q.x [m],u.x [m/s],input.push [N]\n0.0,0.001,0.0,1.0\n")
    assert "SI units" not in polhode.errors and polhode(*run, "--set", "k=25000", "--set", "push=1") == with_unit
    assert polhode.errors.count("parameter 'k': plain numbers are in SI units, N/m") == 1
    polhode(*run, "--set", "k=25 kg", code=2)
    assert "'25 kg' is not in units of kN/m" in polhode.errors


def test_flexible_bodies_are_listed_by_their_coordinates_and_stations(polhode: Shell) -> None:
    model = MODELS / "flexible_arm.yaml"
    told = polhode("check", model)
    assert "flexible arm: 4 bodies, 4 joints, 6 coordinates, 6 speeds" in told
    assert "boom bends by boom_z1, boom_z2, boom_s1_z, boom_s1_ry; stations boom at L/2, boom at L" in told
    derived = polhode("derive", model)
    assert "boom_z1, boom_z2, boom_s1_z, boom_s1_ry" in derived and "boom at L/2, boom at L" in derived
    assert "boom material" not in derived and "elastic" not in derived
    assert "boom_s1_z" in polhode("simulate", model, "--duration", "0.1")


FOOT = """
parameters: {mu: MU}
bodies: {foot: {mass: 1}}
joints: {z: {parent: ground, child: foot, type: prismatic, axis: z}}
surfaces:
  floor: {body: ground, shape: {type: plane}}
  heel: {body: foot, shape: {type: sphere, radius: 0.1}}
  sole: {body: foot, shape: {type: sphere, radius: 0.2}}
contacts: {step: {a: heel, b: floor, friction: mu, static: 0.5}}
loads: [{type: compliant_contact, name: pad, a: foot, b: floor, stiffness: 1e4}]
poses: {up: {coordinates: {z: 0.4}}}
"""


def test_contacts_that_keep_a_run_from_starting_are_noted(polhode: Shell, tmp_path: Path) -> None:
    model = tmp_path / "foot.yaml"
    for mu, notes in {
        "0.5": ["a run cannot start from home: 'step' overlaps by 0.1."],
        "0.8": [
            "a run cannot start from home and pose 'up': "
            "contact 'step': the static friction 1/2 is below that in motion."
        ],
    }.items():
        model.write_text(FOOT.replace("MU", mu), encoding="utf-8")
        told = polhode("check", model)
        assert "1 speed, 1 contact, 1 compliant contact" in told
        assert [line[2:] for line in told.splitlines()[2:]] == ["surface 'sole' is in no contact", *notes]


def test_a_refused_start_names_the_poses_of_the_command_line(polhode: Shell, tmp_path: Path) -> None:
    model = tmp_path / "foot.yaml"
    model.write_text(FOOT.replace("MU", "0.5"), encoding="utf-8")
    polhode("simulate", model, code=2)
    cure = "Start where it touches, a pose with coordinates {'z': 0.1}. Poses of the model are --pose 'up'."
    assert cure in polhode.errors
    assert cure in polhode("diagnose", model)
    model.write_text(FOOT.replace("MU", "-0.8"), encoding="utf-8")
    assert "are not examined: contact 'step': the friction -0.8 is negative." in polhode("diagnose", model)


def test_options_of_robot_files_name_the_sections_of_model_files(polhode: Shell, tmp_path: Path) -> None:
    model = tmp_path / "foot.yaml"
    model.write_text(FOOT.replace("MU", "0.5"), encoding="utf-8")
    for words in (("--no-friction",), ("--contacts", "all"), ("--stops", "0")):
        polhode("check", model, *words, code=2)
        assert f"no option {words[0]}." in polhode.errors
        assert "contacts, stops and friction are sections of the file" in polhode.errors
