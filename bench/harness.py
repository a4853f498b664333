"""Measuring by turns on one core, and rows of tables: ours beside a peer's."""

import gc
import os
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import groupby
from typing import Any, NamedTuple

#: Makes one measurement and returns seconds; prints progress.
Measure = Callable[[], float]
Say = Callable[[str], None]


def stay_on_one_core() -> None:
    """Bind this process and its children to one core, where the system allows it."""
    os.environ |= dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})


def seconds_of(call: Callable[[], object], *, calls: int = 1, sweep: bool = True) -> float:
    """Processor seconds a call, the garbage of earlier ones swept before; on a quiet machine, the time on the wall."""
    if sweep:
        gc.collect()
    start = time.process_time()
    for _ in range(calls):
        call()
    return (time.process_time() - start) / calls


def measure(call: Callable[[], object], **options: Any) -> Measure:
    """A measurement of a call, with the options of `seconds_of`."""
    return partial(seconds_of, call, **options)


def least_times(measures: Mapping[str, Measure], passes: int) -> dict[str, float]:
    """The least seconds of each measure over passes in which they take turns.

    >>> least_times({"a": lambda: 2.0, "b": lambda: 3.0}, passes=2)
    {'a': 2.0, 'b': 3.0}
    """
    least = dict.fromkeys(measures, float("inf"))
    for _ in range(passes):
        for name, each in measures.items():
            least[name] = min(least[name], each())
    return least


class Row(NamedTuple):
    """What a line of a table shows, under which headings."""

    headings: tuple[str, ...]
    cells: tuple[str, ...]


def timing(
    model: str, what: str, ours: float | None, peer: str = "", theirs: float | None = None,
    least_ratio: float | None = None, most_seconds: float | None = None, note: str = "",
) -> Row:  # fmt: skip
    """Seconds of ours and of a peer, their ratio and its goals; `ours` is None where nothing could be measured.

    >>> timing("arm", "inverse", 2e-7, "other", 1e-6, least_ratio=4).cells
    ('arm', 'inverse', '200 ns', 'other', '1.00 µs', '5.00×', '≥ 4×: met', '')
    >>> timing("arm", "inverse", None, most_seconds=1.0).cells[6]
    '≤ 1.00 s: missed'
    """
    ratio = None if theirs is None or ours is None else theirs / ours
    goals = [(f"≥ {least_ratio:g}×", ratio is not None and ratio >= least_ratio)] if least_ratio is not None else []
    if most_seconds is not None:
        goals.append((f"≤ {duration(most_seconds)}", ours is not None and ours <= most_seconds))
    shown = "" if ratio is None else f"{_three_digits(ratio)}×"
    return _row("ratio", model, what, duration(ours), peer, duration(theirs), shown, goals, note)


def count(
    model: str, what: str, ours: int, peer: str, theirs: int, most_share: float | None = None, note: str = ""
) -> Row:
    """Multiplications and additions of ours and of a peer, and the largest share of theirs that ours may be.

    >>> count("arm", "inverse", 90, "other", 100, most_share=0.95).cells
    ('arm', 'inverse', '90', 'other', '100', '0.90', '≤ 0.95: met', '')
    """
    goals = [] if most_share is None else [(f"≤ {most_share:g}", ours <= most_share * theirs)]
    return _row("share", model, what, f"{ours:,}", peer, f"{theirs:,}", f"{ours / theirs:.2f}", goals, note)


def _row(relation: str, *cells: Any) -> Row:
    *left, goals, note = cells
    texts = ", ".join(text for text, _ in goals)
    verdict = f"{texts}: {'met' if all(is_met for _, is_met in goals) else 'missed'}" if goals else ""
    return Row(("model", "what", "polhode", "peer", "theirs", relation, "goal", "note"), (*left, verdict, note))


def beside(model: str, what: str, ours: Measure, peer: str, theirs: Measure, passes: int, **goals: Any) -> Row:
    """A row of two measures that take turns; `goals` are those of `timing`, and its note."""
    least = least_times({"ours": ours, "theirs": theirs}, passes)
    return timing(model, what, least["ours"], peer, least["theirs"], **goals)


def alone(model: str, measures: Mapping[str, Measure], passes: int, most_seconds: Mapping[str, float]) -> list[Row]:
    """A row for each of our own measures, which take turns."""
    least = least_times(measures, passes)
    return [timing(model, what, seconds, most_seconds=most_seconds.get(what)) for what, seconds in least.items()]


def duration(seconds: float | None) -> str:
    """A time with three digits and a unit.

    >>> duration(2.5e-7), duration(0.0123), duration(12.0), duration(None)
    ('250 ns', '12.3 ms', '12.0 s', '')
    """
    if seconds is None:
        return ""
    unit, size = next((pair for pair in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)) if seconds >= pair[1]), ("ns", 1e-9))
    return f"{_three_digits(seconds / size)} {unit}"


def _three_digits(value: float) -> str:
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def as_markdown(rows: Sequence[Row]) -> str:
    """Markdown tables, a new one wherever the headings change."""
    tables = []
    for headings, lines in groupby(rows, key=lambda row: row.headings):
        ruled = [headings, ("---",) * len(headings), *(row.cells for row in lines)]
        tables.append("\n".join(f"| {' | '.join(cells)} |" for cells in ruled))
    return "\n\n".join(tables)
