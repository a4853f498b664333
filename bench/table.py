"""What was measured: rows of ours beside a peer's, printed as text and as Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class Row:
    """One measurement: least seconds of ours and of the peer, and the goals that were set for it."""

    section: str
    case: str
    what: str
    ours: float
    peer: str = ""
    theirs: float | None = None
    least_ratio: float | None = None
    most_seconds: float | None = None
    note: str = ""

    @property
    def ratio(self) -> float | None:
        """How many times longer the peer takes."""
        return None if self.theirs is None else self.theirs / self.ours

    @property
    def met(self) -> bool | None:
        """Whether the goals are met; None where none was set."""
        if self.least_ratio is None and self.most_seconds is None:
            return None
        return (self.least_ratio is None or (self.ratio is not None and self.ratio >= self.least_ratio)) and (
            self.most_seconds is None or self.ours <= self.most_seconds
        )

    def as_json(self) -> dict[str, Any]:
        """The row as a plain record."""
        return {**asdict(self), "ratio": self.ratio, "met": self.met}


def duration(seconds: float | None) -> str:
    """A time with three digits and a fitting unit.

    >>> duration(2.5e-7), duration(0.0123), duration(12.0), duration(None)
    ('250 ns', '12.3 ms', '12.0 s', '')
    """
    if seconds is None:
        return ""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size:
            return f"{_three_digits(seconds / size)} {unit}"
    return f"{_three_digits(seconds / 1e-9)} ns"


def _three_digits(value: float) -> str:
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def _goal(row: Row) -> str:
    if row.met is None:
        return ""
    wanted = [f"≥ {row.least_ratio:g}×"] if row.least_ratio is not None else []
    wanted += [f"≤ {duration(row.most_seconds)}"] if row.most_seconds is not None else []
    return f"{', '.join(wanted)}: {'met' if row.met else 'missed'}"


HEADINGS = ("model", "what", "polhode", "peer", "theirs", "ratio", "goal", "note")


def cells(row: Row) -> tuple[str, ...]:
    """A row as the table shows it."""
    ratio = "" if row.ratio is None else f"{_three_digits(row.ratio)}×"
    times = duration(row.ours), row.peer, duration(row.theirs)
    return row.case, row.what, *times, ratio, _goal(row), row.note


def as_text(rows: Sequence[Row]) -> str:
    """A table for the terminal."""
    lines = [HEADINGS, *map(cells, rows)]
    widths = [max(len(line[k]) for line in lines) for k in range(len(HEADINGS))]
    return "\n".join("  ".join(c.ljust(w) for c, w in zip(line, widths, strict=True)).rstrip() for line in lines)


def as_markdown(rows: Sequence[Row]) -> str:
    """A Markdown table."""
    lines = [HEADINGS, ("---",) * len(HEADINGS), *map(cells, rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
