"""`polhode view` writes a page of a pose, or opens it."""

import json
import webbrowser
from pathlib import Path

import pytest
from tests.unit.cli.conftest import Shell

MODELS = Path(__file__).parents[3] / "models"


def test_a_page_of_a_pose_is_written_or_opened(polhode: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(webbrowser, "open", lambda address: pytest.fail("a browser was opened"))
    polhode("view", MODELS / "fourbar.yaml", "--pose", "assembled", "-o", tmp_path / "bar.html")
    page = (tmp_path / "bar.html").read_text(encoding="utf-8")
    assert "<html" in page and "assembled" in page
    asked: list[str] = []
    monkeypatch.setattr(webbrowser, "open", lambda address: not asked.append(address))
    record = json.loads(polhode("view", MODELS / "pendulum.yaml", "--set", "l=2", "--json"))
    assert record["opened"] and asked[0].startswith("file://") and asked[0].endswith("pendulum.html")
    monkeypatch.setattr(webbrowser, "open", lambda address: False)
    assert "open the page yourself" in polhode("view", MODELS / "pendulum.yaml")


@pytest.mark.parametrize(("words", "told"), [
    (("--pose", "nowhere"), "E-RUN-NAME"), (("--set", "motor=1"), "which a picture does not show"),
    (("-o", "no-such-folder/x.html"), "there is no folder"),
])  # fmt: skip
def test_a_wrong_call_is_one_sentence(words: tuple[str, ...], told: str, polhode: Shell) -> None:
    polhode("view", MODELS / "pendulum.yaml", *words, code=2)
    assert told in polhode.errors


def test_a_mesh_that_is_missing_is_told_with_its_cure(polhode: Shell, tmp_path: Path) -> None:
    robot = tmp_path / "hand.urdf"
    robot.write_text(
        '<robot name="hand"><link name="palm"/><link name="finger"><inertial><mass value="1"/>'
        '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
        '<visual><geometry><mesh filename="package://gone/finger.stl"/></geometry></visual></link>'
        '<joint name="bend" type="continuous"><parent link="palm"/><child link="finger"/></joint></robot>'
    )
    assert "wrote" in polhode("view", robot, "-o", tmp_path / "hand.html")
    assert "finger.stl is not drawn" in polhode.errors and "--package gone=FOLDER" in polhode.errors
