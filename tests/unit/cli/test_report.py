"""`polhode report` writes a page, also of a run that stops early."""

import json
from pathlib import Path

import pytest
from tests.unit.cli.conftest import Shell

MODELS = Path(__file__).parents[3] / "models"


def test_a_page_is_written_beside_or_where_named(
    polhode: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert "wrote pendulum.html" in polhode("report", MODELS / "pendulum.yaml")
    assert "Equations of motion" in Path("pendulum.html").read_text(encoding="ascii")
    asked = ("report", MODELS / "cart_pendulum.yaml", "-t", "0.5", "--linear", "-o", "cart.html")
    assert json.loads(polhode(*asked, "--json")) == {"files": ["cart.html"], "status": "done"}
    page = Path("cart.html").read_text(encoding="ascii")
    assert "<h2>Run</h2>" in page and "<h2>Linear model</h2>" in page
    polhode("report", MODELS / "fourbar.yaml", "--pose", "assembled", "--linear", "-o", "bar.html")


def test_a_run_that_stops_early_is_reported(polhode: Shell, tmp_path: Path) -> None:
    model = tmp_path / "runaway.yaml"
    text = "polhode: 1\nbodies:\n  b: {mass: 1}\njoints:\n  x: {type: prismatic, parent: ground, child: b, axis: x}\n"
    model.write_text(f"{text}loads:\n  - {{type: joint_force, joint: x, value: 1 + x**3}}\n", encoding="utf-8")
    polhode("report", model, "-t", "100", "-o", tmp_path / "page.html", code=2)
    assert "E-" in polhode.errors and "Status: " in (tmp_path / "page.html").read_text(encoding="ascii")


@pytest.mark.parametrize(("words", "told"), [
    (("-o", "no-such-folder/x.html"), "there is no folder"), (("-o", "x.pdf"), "a browser prints it as PDF"),
    (("--pose", "nowhere", "--linear"), "nowhere"),
])  # fmt: skip
def test_a_wrong_call_is_one_sentence(words: tuple[str, ...], told: str, polhode: Shell) -> None:
    polhode("report", MODELS / "pendulum.yaml", *words, code=2)
    assert told in polhode.errors
