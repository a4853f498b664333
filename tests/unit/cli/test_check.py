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
