"""`load` chooses a reader by extension and hands its options on."""

from __future__ import annotations

from pathlib import Path

import pytest

import polhode as ph
from polhode.errors import PolhodeError
from polhode.formats import READERS, load

BRICK = (
    '<robot name="brick"><link name="brick"><inertial><mass value="2"/>'
    '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link></robot>'
)


def test_options_reach_the_reader(tmp_path: Path) -> None:
    path = tmp_path / "brick.urdf"
    path.write_text(BRICK, encoding="utf-8")
    assert len(ph.load(path).derive().u) == 0
    assert len(ph.load(path, base="floating").derive().u) == 6
    assert list(ph.load(path, symbolic=["mass:*"]).parameters) == ["mass:brick"]


@pytest.mark.parametrize("suffix", sorted(READERS))
def test_an_unknown_option_is_one_clear_sentence(suffix: str, tmp_path: Path) -> None:
    with pytest.raises(PolhodeError) as caught:
        load(tmp_path / f"arm{suffix}", bass="floating")
    (problem,) = caught.value.problems
    assert problem.message == f"the reader of {suffix} files has no option 'bass'."
    assert problem.cure


def test_a_misspelt_option_is_guessed(tmp_path: Path) -> None:
    with pytest.raises(PolhodeError, match="Did you mean 'base'"):
        load(tmp_path / "arm.urdf", bas="floating")
