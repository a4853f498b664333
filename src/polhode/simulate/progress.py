"""How far a run has come: a bar for a person who waits, on a terminal or in a notebook, nothing for everyone else."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from html import escape
from typing import Any

from ..notebook import display

#: A bar appears only for runs that take longer than this.
_PATIENCE = 1.0
_BETWEEN = 0.05


@contextmanager
def reporting(
    progress: bool | Callable[[float], object] | None, words: str, end: float, unit: str = "s"
) -> Iterator[Callable[[float], None]]:
    """A function to call with the simulated time reached, or with another count that has an end.

    `progress` is True for a bar at once, False for none, a function of the fraction done, or None: a bar when standard
    error is a terminal, or in a notebook, and the run takes longer than a second.
    """
    if callable(progress):
        yield _Teller(progress, end).update
    elif progress is False:
        yield lambda reached: None
    else:
        bar = _Bar(words, end, unit, progress is True)
        try:
            yield bar.update
        finally:
            bar.close()


class _Teller:
    """Tells a function the fraction done, not more often than an eye can follow."""

    def __init__(self, report: Callable[[float], object], end: float) -> None:
        self.tell, self.end, self.next = report, end, 0.0

    def update(self, reached: float) -> None:
        now = time.monotonic()
        if now >= self.next or reached >= self.end:
            self.next = now + _BETWEEN
            self.tell(min(1.0, reached / self.end) if self.end > 0 else 1.0)


class _Bar:
    """A bar that appears when the wait has been long enough; unless it `is_certain`, where a person may see it."""

    def __init__(self, words: str, end: float, unit: str, is_certain: bool) -> None:
        self.words, self.end, self.unit, self.is_certain = words, end, unit, is_certain
        self.next = time.monotonic() + (0.0 if is_certain else _PATIENCE)
        self.bar: _RichBar | _NotebookBar | None = None

    def update(self, reached: float) -> None:
        now = time.monotonic()
        if now < self.next and (self.bar is None or reached < self.end):
            return
        if self.bar is None:
            if reached >= self.end:
                return
            shown = display()
            if shown is None and not self.is_certain and not sys.stderr.isatty():
                self.next = math.inf
                return
            arguments = self.words, self.end, self.unit
            self.bar = _RichBar(*arguments) if shown is None else _NotebookBar(shown, *arguments)
        self.next = now + self.bar.between
        self.bar.draw(reached)

    def close(self) -> None:
        if self.bar is not None:
            self.bar.close()


class _NotebookBar:
    """A bar in a notebook cell, removed when the run is done."""

    between = 0.2  # every picture is a message to the browser

    def __init__(self, shown: Callable[..., Any], words: str, end: float, unit: str) -> None:
        self.words, self.end, self.unit = words, end, unit
        self.bar = shown(_Picture("", 0.0), display_id=True)

    def draw(self, reached: float) -> None:
        digits = ".2f" if self.unit == "s" else "g"
        text = f"{self.words}: {reached:{digits}} of {self.end:g} {self.unit}"
        self.bar.update(_Picture(text, min(1.0, reached / self.end) if self.end > 0 else 1.0))

    def close(self) -> None:
        self.bar.update(_Picture("", 1.0))


class _Picture:
    """The contents of a notebook cell: a bar and words, or nothing after the end."""

    def __init__(self, words: str, share: float) -> None:
        self.words, self.share = words, share

    def _repr_html_(self) -> str:
        text = escape(self.words)
        return f'<progress value="{self.share:.3f}" aria-label="{text}"></progress> {text}' if text else "<span></span>"

    def __repr__(self) -> str:
        return self.words


class _RichBar:
    """A bar on standard error, drawn by rich."""

    between = _BETWEEN

    def __init__(self, words: str, end: float, unit: str) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

        reached = TextColumn(f"{{task.completed:{'.2f' if unit == 's' else 'g'}}} of {{task.total:g}} {unit}")
        columns = TextColumn("{task.description}"), BarColumn(), reached, TimeRemainingColumn()
        self.bar = Progress(*columns, console=Console(stderr=True), transient=True)
        self.task = self.bar.add_task(words, total=end)
        self.bar.start()

    def draw(self, reached: float) -> None:
        self.bar.update(self.task, completed=reached)

    def close(self) -> None:
        self.bar.stop()
