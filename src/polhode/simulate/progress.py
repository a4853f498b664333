"""How far a run has come: a bar for a person who waits, on a terminal or in a notebook, nothing for everyone else."""

from __future__ import annotations

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
    """A function to be told the simulated time reached, or how much else of which there is an end.

    `progress` is True for a bar at once, False for none, a function of the fraction done, or None: a bar when standard
    error is a terminal, or in a notebook, and the run takes longer than a second.
    """
    if callable(progress):
        yield _Teller(progress, end).update
    elif progress is False or (progress is None and not sys.stderr.isatty() and display() is None):
        yield _silent
    else:
        kind = _Bar if display() is None else _NotebookBar
        bar = kind(words, end, 0.0 if progress else _PATIENCE, unit)
        try:
            yield bar.update
        finally:
            bar.close()


def _silent(reached: float) -> None:
    return None


class _Teller:
    """Tells a function the fraction done, not more often than an eye can follow."""

    def __init__(self, tell: Callable[[float], object], end: float) -> None:
        self.tell, self.end, self.next = tell, end, 0.0

    def update(self, reached: float) -> None:
        now = time.monotonic()
        if now >= self.next or reached >= self.end:
            self.next = now + _BETWEEN
            self.tell(min(1.0, reached / self.end) if self.end > 0 else 1.0)


class _Bar:
    """A bar on standard error, drawn by rich when the wait has been long enough."""

    between = _BETWEEN

    def __init__(self, words: str, end: float, patience: float, unit: str) -> None:
        self.words, self.end, self.unit = words, end, unit
        self.next = time.monotonic() + patience
        self.bar: Any = None

    def update(self, reached: float) -> None:
        now = time.monotonic()
        if now < self.next and reached < self.end:
            return
        if self.bar is None:
            if now < self.next or reached >= self.end:
                return
            self.start()
        self.next = now + self.between
        self.draw(reached)

    def start(self) -> None:
        self.bar, self.task = _rich_bar(self.words, self.end, self.unit)

    def draw(self, reached: float) -> None:
        self.bar.update(self.task, completed=reached)

    def close(self) -> None:
        if self.bar is not None:
            self.bar.stop()


class _NotebookBar(_Bar):
    """A bar in the cell of a notebook, which goes when the run is done."""

    between = 0.2  # every picture is a message to the browser

    def start(self) -> None:
        self.bar = display()(_Picture("", 0.0), display_id=True)

    def draw(self, reached: float) -> None:
        digits = ".2f" if self.unit == "s" else "g"
        told = f"{self.words}: {reached:{digits}} of {self.end:g} {self.unit}"
        self.bar.update(_Picture(told, min(1.0, reached / self.end) if self.end > 0 else 1.0))

    def close(self) -> None:
        if self.bar is not None:
            self.bar.update(_Picture("", 1.0))


class _Picture:
    """What the cell shows: a bar and words, or nothing any more."""

    def __init__(self, words: str, share: float) -> None:
        self.words, self.share = words, share

    def _repr_html_(self) -> str:
        told = escape(self.words)
        return f'<progress value="{self.share:.3f}" aria-label="{told}"></progress> {told}' if told else "<span></span>"

    def __repr__(self) -> str:
        return self.words


def _rich_bar(words: str, end: float, unit: str) -> tuple[Any, Any]:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn(f"{{task.completed:{'.2f' if unit == 's' else 'g'}}} of {{task.total:g}} {unit}"),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    )
    task = bar.add_task(words, total=end)
    bar.start()
    return bar, task
