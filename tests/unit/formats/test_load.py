"""`load` chooses a reader by extension and hands its options on."""

from __future__ import annotations

from inspect import Parameter, signature
from pathlib import Path

import pytest

import polhode as ph
from polhode.errors import PolhodeError
from polhode.formats import READERS, load

BRICK = (
    '<robot name="brick"><link name="brick"><inertial><mass value="2"/>'
    '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link></robot>'
)


def test_options_reach_the_reader_and_others_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "brick.urdf"
    path.write_text(BRICK, encoding="utf-8")
    assert len(ph.load(path).derive().u) == 0
    assert len(ph.load(path, base="floating").derive().u) == 6
    assert list(ph.load(path, symbolic=["mass:*"]).parameters) == ["mass:brick"]
    with pytest.raises(PolhodeError, match="Did you mean 'base'"):
        load(tmp_path / "arm.urdf", bas="floating")


@pytest.mark.parametrize("suffix", sorted(READERS))
def test_an_unknown_option_is_one_clear_sentence(suffix: str, tmp_path: Path) -> None:
    with pytest.raises(PolhodeError) as caught:
        load(tmp_path / f"arm{suffix}", bass="floating")
    (problem,) = caught.value.problems
    assert problem.message == f"the reader of {suffix} files has no option 'bass'."
    assert problem.cure


def test_the_readers_of_robots_are_at_the_surface_and_documented() -> None:
    page = (Path(__file__).parents[3] / "docs" / "robots.md").read_text(encoding="utf-8")
    for reader in (ph.load_urdf, ph.load_mjcf, ph.from_dh):
        assert reader.__name__ in dir(ph) and f"`ph.{reader.__name__}`" in page
        options = [each.name for each in signature(reader).parameters.values() if each.kind is Parameter.KEYWORD_ONLY]
        assert [name for name in options if f"`{name}" not in page and name != "content"] == []
