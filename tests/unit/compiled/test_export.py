"""Export: what is written, what it says, and that nothing is half written."""

import json
import os
from pathlib import Path

import numpy as np
import pytest
from tests.refusals import refused
from typer.testing import CliRunner

import polhode as ph
from polhode.cli.app import app
from polhode.codegen.printers.target import check_input
from polhode.codegen.printers.targets import TARGETS
from polhode.compiled.catalogue import CATALOGUE, CONSTRAINED
from polhode.compiled.export import annotated, preface, write_together
from polhode.model.samples import motor_driven_pendulum

MODELS = Path(__file__).parents[3] / "models"
HOSTILE = ['*/ system("x") /*', "a\nb\u2028", "Größe & \\ ??/", "..", "\ud800", "'''", "! end module"]


@pytest.fixture(scope="module")
def pendulums() -> ph.Equations:
    return ph.load(MODELS / "double_pendulum.yaml").derive()


def hostile_system() -> ph.System:
    system = ph.System(HOSTILE[0])
    mass = system.parameter(HOSTILE[4], 2, "kg")
    length = system.parameter(HOSTILE[5])
    body = system.body(HOSTILE[2], mass=mass, com=(0, 0, -length))
    system.joint(HOSTILE[1], system.ground, body, ph.Revolute("y"), coordinates=[HOSTILE[6]], speeds=[HOSTILE[3]])
    return system


@pytest.mark.parametrize("of", list(CATALOGUE))
def test_every_function_is_written_for_every_target(of: str, pendulums: ph.Equations, tmp_path: Path) -> None:
    for target in TARGETS:
        written = pendulums.export(target, tmp_path / target, of, prefix="")
        assert sorted(path.name for path in (tmp_path / target).iterdir()) == sorted(path.name for path in written)
        assert f"{of}.json" in {path.name for path in written}


def test_several_functions_are_written_at_once(pendulums: ph.Equations, tmp_path: Path) -> None:
    written = pendulums.export("c", tmp_path, ["bias", "mass_matrix", "bias"], prefix="")
    assert [path.name for path in written] == [
        "bias.h", "bias.c", "bias_main.c", "bias.json",
        "mass_matrix.h", "mass_matrix.c", "mass_matrix_main.c", "mass_matrix.json",
    ]  # fmt: skip


def test_heads_and_sidecars_have_names_defaults_and_costs(tmp_path: Path, pendulums: ph.Equations) -> None:
    equations = hostile_system().derive()
    equations.export("c", tmp_path, "forward_dynamics", prefix="")
    record = json.loads((tmp_path / "forward_dynamics.json").read_bytes())
    assert record["system"] == HOSTILE[0]
    assert record["arrays"][0]["entries"] == [HOSTILE[6]] and record["outputs"][0]["entries"] == [HOSTILE[3]]
    assert {entry["name"]: entry["default"] for entry in record["parameters"]} == {HOSTILE[4]: 2.0, HOSTILE[5]: None}
    equations.export("c", tmp_path, "poses", prefix="")
    assert "Größe".encode() in (tmp_path / "poses.json").read_bytes()
    lines = preface(pendulums.record, annotated(pendulums.record, "forward_dynamics"))
    text = " ".join(lines)
    assert "forward_dynamics of double pendulum: accelerations from coordinates, speeds and efforts." in text
    assert "q: 2 (coordinates): first, second" in text and "p: 4 (parameters, for the set-up)" in text
    assert str(pendulums.operations("forward_dynamics")) in text
    assert all(len(line) <= 78 for line in lines)


def test_a_long_list_of_names_is_cut_in_the_head_and_whole_in_the_sidecar(tmp_path: Path) -> None:
    system = ph.System("chain")
    at = system.ground
    for k in range(20):
        body = system.body(f"b{k}", mass=1, com=(0, 0, -1))
        system.joint(f"j{k}", at, body, ph.Revolute("y"), at=(0, 0, -1))
        at = body
    equations = system.derive("articulated_body")
    assert "j11 and 8 more" in " ".join(preface(equations.record, annotated(equations.record, "coordinate_rates")))
    equations.export("c", tmp_path, "coordinate_rates", prefix="")
    record = json.loads((tmp_path / "coordinate_rates.json").read_text(encoding="utf-8"))
    assert len(record["arrays"][0]["entries"]) == 20


def test_the_check_value_is_the_functions_own(pendulums: ph.Equations, tmp_path: Path) -> None:
    pendulums.export("numpy", tmp_path, "forward_dynamics", prefix="")
    record = json.loads((tmp_path / "forward_dynamics.json").read_text(encoding="utf-8"))
    numbers = [check_input(place) for place in range(1, 11)]
    q, u, tau, p = (np.array(numbers[start:end]) for start, end in ((0, 2), (2, 4), (4, 6), (6, 10)))
    named = dict(zip([entry["name"] for entry in record["parameters"]], p, strict=True))
    udot = pendulums.compile().forward_dynamics(q, u, tau, parameters=named)
    assert record["check_value"] == pytest.approx(udot[0] + udot[1] / 2, rel=1e-10)


def test_a_folder_that_cannot_be_written_is_an_error_with_a_cure(pendulums: ph.Equations, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("here already")
    for folder in (tmp_path / "file", tmp_path / "file" / "below", tmp_path / "nul\0l"):
        with pytest.raises(ph.PolhodeError, match="cannot be written") as caught:
            pendulums.export("c", folder, "bias", prefix="")
        assert caught.value.problems[0].code == "E-FILE-WRITE" and caught.value.problems[0].cure
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_what_breaks_off_leaves_old_files_whole_and_no_scraps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_together(tmp_path, {"a.c": "old a", "b.c": "old b"})

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fdopen", full)
    refused("No space left", lambda: write_together(tmp_path, {"a.c": "new a", "b.c": "new b"}))
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"a.c": "old a", "b.c": "old b"}


@pytest.mark.parametrize(("target", "of", "words"), [
    ("cobol", "bias", "there is no target 'cobol'"), ("c", "biass", "Did you mean 'bias'"),
    ("c", ["bias", "nothing"], "there is no function 'nothing'"), ("c", [], "no function is named"),
])  # fmt: skip
def test_a_wrong_word_is_named_before_anything_is_written(
    target: str, of: str, words: str, pendulums: ph.Equations, tmp_path: Path
) -> None:
    refused(words, lambda: pendulums.export(target, tmp_path / "out", of, prefix=""))
    assert not (tmp_path / "out").exists()


def test_the_command_takes_several_functions_with_commas(tmp_path: Path) -> None:
    words = ["export", str(MODELS / "pendulum.yaml"), "--target", "fortran", "-o", str(tmp_path)]
    done = CliRunner().invoke(app, [*words, "--of", "bias, mass_matrix", "--of", "energy", "--prefix", "", "--json"])
    assert done.exit_code == 0, done.output
    names = [Path(name).name for name in json.loads(done.output)["files"]]
    assert [name for name in names if name.endswith(".json")] == ["bias.json", "mass_matrix.json", "energy.json"]


@pytest.mark.parametrize("way", ["multipliers", "embedded"])
@pytest.mark.parametrize("of", ["forward_dynamics", "inverse_dynamics", "state_rates", "mass_matrix", "poses"])
def test_equations_with_constraints_are_exported(way: str, of: str, tmp_path: Path) -> None:
    from polhode.model.samples import four_bar

    written = four_bar().derive(constraints=way).export("c", tmp_path, of, prefix="")
    assert all(path.stat().st_size for path in written)


def test_efforts_that_are_given_have_the_names_of_all_speeds_of_the_tree(tmp_path: Path) -> None:
    from polhode.model.samples import four_bar

    made = four_bar().derive(constraints="embedded")
    record = json.loads((made.export("c", tmp_path, "forward_dynamics", prefix="")[-1]).read_text(encoding="utf-8"))
    entries = {each["name"]: each["entries"] for each in (*record["arrays"], *record["outputs"])}
    assert entries["tau"] == made.tree.speeds and entries["udot"] == made.speeds == ["crank"]


@pytest.mark.parametrize("of", list(CONSTRAINED))
def test_what_constraints_add_is_exported(of: str, tmp_path: Path) -> None:
    from polhode.model.samples import four_bar

    assert four_bar().derive().export("c", tmp_path, of, prefix="")


@pytest.mark.parametrize("target", list(TARGETS))
def test_states_without_mass_are_written_with_their_names(target: str, tmp_path: Path) -> None:
    equations = motor_driven_pendulum().derive()
    files = equations.export(target, tmp_path, ["forward_dynamics", "state_rates", "z_rates"], prefix="motor")
    text = "".join(path.read_text(encoding="utf-8") for path in files if path.suffix != ".json")
    assert "state current, A" in text and "rate of state current" in text
    assert "then first-order states" in " ".join(text.replace("*", " ").replace("!", " ").replace("#", " ").split())
    record = json.loads((tmp_path / "motor_forward_dynamics.json").read_text(encoding="utf-8"))
    assert [array["name"] for array in record["arrays"]] == ["q", "u", "tau", "z"]
    assert record["arrays"][-1]["entries"] == ["current"]


def test_names_begin_with_the_systems_name_in_words(tmp_path: Path) -> None:
    for name, before in (("quarter car", "quarter_car"), ("a lorry and its trailer", "a_lorry_and_its_trailer")):
        s = ph.System(name)
        s.joint("x", s.ground, s.body("block", 1), ph.Prismatic("x"))
        written = s.derive().export("c", tmp_path / before, "bias")
        assert f"{before}_bias.c" in [path.name for path in written]
        assert f"void {before}_bias(" in (tmp_path / before / f"{before}_bias.h").read_text(encoding="utf-8")
