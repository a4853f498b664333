"""Progress is told to a person who waits, on a terminal or in a notebook, and to nobody else."""

from __future__ import annotations

import io
from typing import Any

import pytest

from polhode.simulate import progress
from polhode.simulate.progress import reporting


class Notebook:
    """Keeps what is displayed, as the frontend of a notebook would."""

    def __init__(self) -> None:
        self.shown: list[str] = []

    def __call__(self, picture: Any, display_id: bool) -> Notebook:
        self.update(picture)
        return self

    def update(self, picture: Any) -> None:
        self.shown.append(picture._repr_html_())


@pytest.fixture
def notebook(monkeypatch: pytest.MonkeyPatch) -> Notebook:
    made = Notebook()
    monkeypatch.setattr(progress, "display", lambda: made)
    monkeypatch.setattr("sys.stderr", io.StringIO())
    return made


def test_a_notebook_shows_a_bar_that_goes_when_all_is_done(notebook: Notebook) -> None:
    with reporting(True, "<run>", 10.0) as tell:
        tell(2.5)
    assert 'value="0.250"' in notebook.shown[1] and "&lt;run&gt;: 2.50 of 10 s" in notebook.shown[1]
    assert notebook.shown[-1] == "<span></span>"


def test_short_runs_and_those_without_a_display_show_nothing(
    notebook: Notebook, monkeypatch: pytest.MonkeyPatch
) -> None:
    with reporting(None, "run", 10.0) as tell:
        tell(5.0)
        tell(10.0)
    assert notebook.shown == []
    with reporting(False, "run", 1.0) as tell:
        tell(0.5)
    monkeypatch.setattr(progress, "display", lambda: None)
    with reporting(None, "run", 1.0) as tell:
        tell(0.5)
    assert notebook.shown == []


def test_a_function_is_told_the_fraction_done() -> None:
    told: list[float] = []
    with reporting(told.append, "run", 4.0) as tell:
        tell(4.0)
    assert told == [1.0]
