"""Small robots as text, and what the URDF reader says of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from polhode.errors import PolhodeError
from polhode.formats.urdf import Report, read_urdf
from polhode.model import System

MASS = '<mass value="2"/>'
INERTIA = '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>'
INERTIAL = f"<inertial>{MASS}{INERTIA}</inertial>"


def robot(body: str) -> str:
    return f'<robot name="arm">\n{body}\n</robot>\n'


def hinge(inside: str = '<axis xyz="0 0 1"/>', kind: str = "revolute", inertial: str = INERTIAL) -> str:
    """A base in line 2, an arm in line 3, a joint in line 4."""
    return robot(
        f'<link name="base"/>\n<link name="arm">{inertial}</link>\n'
        f'<joint name="elbow" type="{kind}"><parent link="base"/><child link="arm"/>{inside}</joint>'
    )


def joint(name: str, parent: str, child: str, kind: str = "revolute", inside: str = "") -> str:
    ends = f'<parent link="{parent}"/><child link="{child}"/>'
    return f'<joint name="{name}" type="{kind}">{ends}{inside}</joint>'


def links(*names: str) -> str:
    return "\n".join(f'<link name="{name}">{INERTIAL}</link>' for name in names) + "\n"


def read(folder: Path, content: str | bytes, **options: object) -> tuple[System, Report]:
    path = folder / "arm.urdf"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return read_urdf(path, **options)  # type: ignore[arg-type]


def refusal(folder: Path, content: str | bytes, **options: object) -> str:
    """The message of the refusal; every problem of it has a place, a code, and (a limit apart) a cure."""
    with pytest.raises(PolhodeError) as caught:
        read(folder, content, **options)
    for problem in caught.value.problems:
        assert "arm.urdf" in problem.place and problem.code and problem.cure, problem
    return str(caught.value)
