"""What was measured and counted: rows of ours beside a peer's, printed as text and as Markdown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import groupby, takewhile
from typing import Any, NamedTuple, Protocol


class Row(Protocol):
    """A line of a table: which section it belongs to, and what it shows under which headings."""

    @property
    def section(self) -> str: ...

    @property
    def headings(self) -> tuple[str, ...]: ...

    @property
    def cells(self) -> tuple[str, ...]: ...

    def as_json(self) -> dict[str, Any]: ...


@dataclass(frozen=True)
class Timing:
    """One measurement: least seconds of ours and of the peer, and the goals that were set for it.

    Where ours could not be measured it is None, the note says why, and a goal is missed.

    >>> Timing("speed", "arm", "inverse", 2e-7, "other", 1e-6, least_ratio=4).cells
    ('arm', 'inverse', '200 ns', 'other', '1.00 µs', '5.00×', '≥ 4×: met', '')
    >>> Timing("speed", "arm", "inverse", None, most_seconds=1.0).met
    False
    """

    section: str
    case: str
    what: str
    ours: float | None
    peer: str = ""
    theirs: float | None = None
    least_ratio: float | None = None
    most_seconds: float | None = None
    note: str = ""

    @property
    def ratio(self) -> float | None:
        """How many times longer the peer takes."""
        return None if self.theirs is None or self.ours is None else self.theirs / self.ours

    @property
    def met(self) -> bool | None:
        """Whether the goals are met; None where none was set."""
        if self.least_ratio is None and self.most_seconds is None:
            return None
        return (self.least_ratio is None or (self.ratio is not None and self.ratio >= self.least_ratio)) and (
            self.most_seconds is None or (self.ours is not None and self.ours <= self.most_seconds)
        )

    @property
    def headings(self) -> tuple[str, ...]:
        return "model", "what", "polhode", "peer", "theirs", "ratio", "goal", "note"

    @property
    def cells(self) -> tuple[str, ...]:
        ratio = "" if self.ratio is None else f"{_three_digits(self.ratio)}×"
        times = duration(self.ours), self.peer, duration(self.theirs)
        wanted = [f"≥ {self.least_ratio:g}×"] if self.least_ratio is not None else []
        wanted += [f"≤ {duration(self.most_seconds)}"] if self.most_seconds is not None else []
        return self.case, self.what, *times, ratio, _goal(wanted, self.met), self.note

    def as_json(self) -> dict[str, Any]:
        """The row as a plain record."""
        return {**asdict(self), "ratio": self.ratio, "met": self.met}


@dataclass(frozen=True)
class Count:
    """Multiplications and additions of ours and of a peer, and which share of theirs ours may be at most.

    >>> Count("counts", "arm", "inverse", 90, "other", 100, most_share=0.95).cells
    ('arm', 'inverse', '90', 'other', '100', '0.90', '≤ 0.95: met', '')
    """

    section: str
    case: str
    what: str
    ours: int
    peer: str
    theirs: int
    most_share: float | None = None
    note: str = ""

    @property
    def share(self) -> float:
        """Our operations for one of theirs."""
        return self.ours / self.theirs

    @property
    def met(self) -> bool | None:
        """Whether the goal is met; None where none was set."""
        return None if self.most_share is None else self.share <= self.most_share

    @property
    def headings(self) -> tuple[str, ...]:
        return "model", "what", "polhode", "peer", "theirs", "share", "goal", "note"

    @property
    def cells(self) -> tuple[str, ...]:
        wanted = [f"≤ {self.most_share:g}"] if self.most_share is not None else []
        counts = f"{self.ours:,}", self.peer, f"{self.theirs:,}", f"{self.share:.2f}"
        return self.case, self.what, *counts, _goal(wanted, self.met), self.note

    def as_json(self) -> dict[str, Any]:
        """The row as a plain record."""
        return {**asdict(self), "share": self.share, "met": self.met}


@dataclass(frozen=True)
class Gain:
    """Operations with every pass, how many there are when one is left out, and what splitting angles does.

    >>> Gain("counts", "arm", "inverse", 200, {"slide": 250, "merge": 200}, "").cells
    ('arm', 'inverse', '200', '250 (+25 %)', '200', '')
    """

    section: str
    case: str
    what: str
    ours: int
    without: Mapping[str, int]
    split_angles: str

    @property
    def headings(self) -> tuple[str, ...]:
        return "model", "what", "polhode", *(f"without {name}" for name in self.without), "split angles"

    @property
    def cells(self) -> tuple[str, ...]:
        return self.case, self.what, f"{self.ours:,}", *map(self._beside_ours, self.without.values()), self.split_angles

    def _beside_ours(self, count: int) -> str:
        percent = f" ({100 * (count / self.ours - 1):+.0f} %)" if count != self.ours else ""
        return f"{count:,}{percent}"

    def as_json(self) -> dict[str, Any]:
        """The row as a plain record."""
        return asdict(self)


#: The errors at which the table of curves tells times.
_ERRORS = (1e-6, 1e-8, 1e-10, 1e-12)


class Point(NamedTuple):
    """One run of an engine: its tolerance or step, the error of its last state, and the processor's seconds."""

    setting: float
    error: float
    seconds: float


@dataclass(frozen=True)
class Curve:
    """Work and precision of one engine on one motion, loosest setting first, and the error that doubles cannot beat.

    >>> curve = Curve("simulate", "arm", "other", (Point(1e-6, 2e-7, 1e-3), Point(1e-9, 1e-10, 2e-3)), 1e-14)
    >>> curve.seconds_at(1e-7), curve.seconds_at(1e-12)
    (0.002, None)
    >>> curve.cells
    ('arm', 'other', '1.00 ms', '2.00 ms', '2.00 ms', '', '1e-10', '1e-14')
    """

    section: str
    case: str
    engine: str
    points: tuple[Point, ...]
    floor: float

    def seconds_at(self, error: float) -> float | None:
        """The least seconds of a run whose error is at most this, and so is that of every tighter setting.

        A single run that happens to end near the truth does not count: nobody can choose it.
        """
        kept = takewhile(lambda point: point.error <= error, reversed(self.points))
        return min((point.seconds for point in kept), default=None)

    @property
    def headings(self) -> tuple[str, ...]:
        return "motion", "engine", *(f"to {error:g}" for error in _ERRORS), "least error", "rounding"

    @property
    def cells(self) -> tuple[str, ...]:
        times = (duration(self.seconds_at(error)) for error in _ERRORS)
        least = min((point.error for point in self.points), default=float("nan"))
        return self.case, self.engine, *times, f"{least:.0e}", f"{self.floor:.0e}"

    def as_json(self) -> dict[str, Any]:
        """The row as a plain record."""
        return {**asdict(self), "points": [point._asdict() for point in self.points]}


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


def _goal(wanted: Sequence[str], met: bool | None) -> str:
    return "" if met is None else f"{', '.join(wanted)}: {'met' if met else 'missed'}"


def as_text(rows: Sequence[Row]) -> str:
    """Tables for the terminal, a new one wherever the headings change."""
    return "\n\n".join(_columns(lines) for lines in _tables(rows))


def _columns(lines: Sequence[tuple[str, ...]]) -> str:
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join("  ".join(c.ljust(w) for c, w in zip(line, widths, strict=True)).rstrip() for line in lines)


def as_markdown(rows: Sequence[Row]) -> str:
    """Markdown tables, a new one wherever the headings change."""
    ruled = ([headings, ("---",) * len(headings), *lines] for headings, *lines in _tables(rows))
    return "\n\n".join("\n".join(f"| {' | '.join(line)} |" for line in lines) for lines in ruled)


def _tables(rows: Sequence[Row]) -> list[list[tuple[str, ...]]]:
    """Neighbours with the same headings, under them."""
    grouped = groupby(rows, key=lambda row: row.headings)
    return [[headings, *(row.cells for row in group)] for headings, group in grouped]
