"""Transmissions in robot files: one joint, one actuator and a reduction make a motor."""

from __future__ import annotations

from pathlib import Path

import pytest

from polhode.expr import as_expr
from polhode.formats import dumps_yaml, loads_yaml
from polhode.formats.urdf import read_urdf

MASS = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
ARM = f"""<robot name="arm"><link name="base"/><link name="arm">{MASS}</link><link name="hand">{MASS}</link>
<joint name="elbow" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="0 1 0"/></joint>
<joint name="grip" type="fixed"><parent link="arm"/><child link="hand"/></joint>
{{}}</robot>"""


def read(folder: Path, transmissions: str) -> tuple[object, ...]:
    path = folder / "arm.urdf"
    path.write_text(ARM.format(transmissions))
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
