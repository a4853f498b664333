"""The motion as a page, in a file or in a cell."""

from __future__ import annotations

from pathlib import Path

import pytest

import polhode as ph
from polhode.errors import PolhodeError
from polhode.show import cell
from polhode.show.animation import Animation
from polhode.simulate.trajectory.trajectory import Trajectory


def ball() -> Trajectory:
    s = ph.System("ball")
    s.joint("z", s.ground, s.body("ball", 1), ph.Prismatic("z"))
    return s.derive().simulate(1, samples=5)


def test_with_a_path_it_is_written_and_without_one_shown(tmp_path: Path) -> None:
    run = ball()
    shown = run.animate(notes="It falls.")
    assert isinstance(shown, Animation) and "srcdoc" in shown._repr_html_()
    written, again = run.animate(tmp_path / "ball.html", notes="It falls."), shown.save(tmp_path / "again.html")
    assert written.read_text(encoding="utf-8") == shown.page == again.read_text(encoding="utf-8")
    assert "save(" in repr(shown)


def test_a_trajectory_shows_its_motion_unless_that_is_too_large(monkeypatch) -> None:
    run = ball()
    assert "<iframe" in run._repr_html_()
    monkeypatch.setattr(cell, "_LARGEST_PAGE", 1_000)
    assert "<iframe" not in run._repr_html_() and "more than the 1,000" in run._repr_html_()


def test_a_trajectory_of_no_known_mechanism_has_its_numbers_alone(tmp_path: Path) -> None:
    run = Trajectory.load(ball().save(tmp_path / "run.npz"))
    assert "<iframe" not in run._repr_html_() and "<table" in run._repr_html_()


@pytest.mark.parametrize("name", ["run.gif", "run.mp4", "run.png"])
def test_a_page_is_not_written_under_the_name_of_another_kind(tmp_path, name):
    s = ph.System("pendulum")
    s.joint("hinge", s.ground, s.body("bob", 1, com=(0, 0, -1)), ph.Revolute("y"))
    with pytest.raises(PolhodeError, match="E-PAGE-022"):
        s.derive().simulate(0.1).animate(tmp_path / name)
    assert not (tmp_path / name).exists()
