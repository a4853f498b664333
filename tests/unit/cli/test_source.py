"""Models from the standard input are read as files are."""

import io
import json
import sys
from pathlib import Path

import pytest
from tests.unit.cli.conftest import Shell

MODELS = Path(__file__).parents[3] / "models"
ROBOT = """<robot name="arm"><link name="world"/><link name="bob"><inertial><mass value="1"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="hinge" type="continuous"><parent link="world"/><child link="bob"/><axis xyz="0 0 1"/></joint></robot>"""


@pytest.fixture
def pipe(monkeypatch: pytest.MonkeyPatch):
    def give(content: bytes) -> None:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))

    return give


def test_models_and_robots_are_read_from_the_standard_input(polhode: Shell, pipe) -> None:
    content = (MODELS / "pendulum.yaml").read_bytes()
    pipe(content)
    assert "M[omega, omega] = l**2*m" in polhode("derive", "-")
    pipe(content)
    said = polhode("simulate", "-", "--pose", "raised", "-t", 0.01, "--csv", "-")
    assert said.splitlines()[0] == "time [s],q.theta [rad],u.omega [rad/s],input.motor [N m]"
    pipe(ROBOT.encode())
    record = json.loads(polhode("derive", "-", "--base", "floating", "--json"))
    assert record["system"] == "arm" and len(record["joints"]) == 2


@pytest.mark.parametrize(("content", "told"), [
    (b" \n", "nothing came in"), (b"bodies: {a: [}", "stdin.yaml:1"), (b"<sdf/>", "there are 0 models in it"),
])  # fmt: skip
def test_what_is_wrong_with_it_is_told_without_a_path_that_nobody_chose(
    content: bytes, told: str, polhode: Shell, pipe
) -> None:
    pipe(content)
    polhode("check", "-", code=2)
    assert told in polhode.errors and "polhode-" not in polhode.errors
