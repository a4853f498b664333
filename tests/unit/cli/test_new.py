"""`polhode new` writes what can be run at once."""

import json
from pathlib import Path

import nbformat
import pytest
from tests.unit.cli.conftest import Shell

import polhode as ph
from polhode.cli.new import KINDS


@pytest.mark.parametrize("kind", KINDS)
def test_the_model_reads_and_the_notebook_is_one(kind: str, polhode: Shell, tmp_path: Path) -> None:
    record = json.loads(polhode("new", kind, "-o", tmp_path / "mine", "--json"))
    model, notebook = map(Path, record["files"])
    assert "start" in ph.load(model).poses
    nbformat.validate(nbformat.read(notebook, as_version=4))
    assert model.read_text(encoding="utf-8").count("#") > 5


def test_what_exists_stays_and_wrong_names_are_refused(polhode: Shell, tmp_path: Path) -> None:
    assert "polhode check" in polhode("new", "pendulum", "-o", tmp_path)
    (tmp_path / "pendulum.yaml").write_text("mine")
    polhode("new", "pendulum", "-o", tmp_path, code=2)
    assert "E-FILE-WRITE" in polhode.errors and (tmp_path / "pendulum.yaml").read_text() == "mine"
    polhode("new", "amr", "-o", tmp_path, code=2)
    assert "Did you mean 'arm'?" in polhode.errors
    (tmp_path / "file").touch()
    polhode("new", "arm", "-o", tmp_path / "file", code=2)
    assert "not a folder" in polhode.errors
    polhode("new", "arm", "-o", tmp_path / "file" / "below", code=2)
    assert "cannot be created" in polhode.errors


def test_every_step_by_hand_is_what_derive_gives(
    polhode: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    polhode("new", "lagrange", "-o", tmp_path)
    monkeypatch.chdir(tmp_path)
    cells = [
        cell.source for cell in nbformat.read(tmp_path / "lagrange.ipynb", as_version=4).cells if "outputs" in cell
    ]
    names: dict[str, object] = {}
    for cell in cells:
        exec(cell, names)  # each step asserts that it holds
    assert sum("assert" in cell for cell in cells) == 8


@pytest.mark.trial
@pytest.mark.parametrize("kind", KINDS)
def test_the_notebook_runs_to_its_end(kind: str, polhode: Shell, tmp_path: Path) -> None:
    from nbconvert.preprocessors import ExecutePreprocessor

    polhode("new", kind, "-o", tmp_path)
    notebook = nbformat.read(tmp_path / f"{kind}.ipynb", as_version=4)
    ExecutePreprocessor(timeout=120).preprocess(notebook, {"metadata": {"path": str(tmp_path)}})
    shown = [output.get("data", {}) for cell in notebook.cells for output in cell.get("outputs", [])]
    kinds = {kind for each in shown for kind in each}
    if kind == "lagrange":
        assert {"text/html", "image/png", "text/latex"} <= kinds
        return
    assert {"text/html", "image/png", "application/vnd.jupyter.widget-view+json"} <= kinds
    assert (tmp_path / f"{kind}_c").is_dir()
