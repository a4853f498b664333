"""Measuring by turns on one core, in this process or in fresh ones, and rows of tables: ours beside a peer's."""

import gc
import json
import math
import os
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import groupby, pairwise
from typing import Any, NamedTuple

from .build import run

#: Makes one measurement and returns seconds; prints progress.
Measure = Callable[[], float]
Say = Callable[[str], None]
#: The environment of a process that measures: threads of BLAS that share one core would wait for each other.
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
_MARK = "marks.append((time.process_time(), time.perf_counter()))"


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


def least_times(measures: Mapping[Any, Measure], passes: int, budget: float = 0.0) -> dict[Any, float]:
    """The least seconds of each measure, which take turns: so many passes, or up to a hundred in a budget of seconds.

    >>> least_times({"a": lambda: 2.0, "b": lambda: 3.0}, passes=2)
    {'a': 2.0, 'b': 3.0}
    """
    taken: dict[Any, list[float]] = {name: [] for name in measures}
    while waiting := [k for k, all in taken.items() if len(all) < passes or (sum(all) < budget and len(all) < 100)]:
        for name in waiting:
            taken[name].append(measures[name]())
    return {name: min(times) for name, times in taken.items()}


def fresh(stages: Mapping[str, str], cache: str | None = None) -> dict[str, tuple[float, float]]:
    """Processor seconds and seconds on the wall of lines of Python, one stage after the other in a fresh process.

    `cache` is the folder of what is kept between processes. As for a user, Python keeps compiled modules.
    """
    env = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    env |= {"POLHODE_CACHE_DIR": cache} if cache else {}
    lines = [line for text in stages.values() for line in (_MARK, text)]
    text = "\n".join(["import json, time, warnings", "marks = []", *lines, _MARK, "print(json.dumps(marks))"])
    printed = run([sys.executable, "-W", "ignore", "-c", text], code="E-BENCH-014", env=env)
    marks = pairwise(json.loads(printed.splitlines()[-1]))
    return {name: (b[0] - a[0], b[1] - a[1]) for name, (a, b) in zip(stages, marks, strict=True)}


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
    return _row("ratio", goals, note, model, what, duration(ours), peer, duration(theirs), shown)


def count(
    model: str, what: str, ours: int, peer: str, theirs: int, most_share: float | None = None, note: str = ""
) -> Row:
    """Multiplications and additions of ours and of a peer, and the largest share of theirs that ours may be.

    >>> count("arm", "inverse", 90, "other", 100, most_share=0.95).cells
    ('arm', 'inverse', '90', 'other', '100', '0.90', '≤ 0.95: met', '')
    """
    goals = [] if most_share is None else [(f"≤ {most_share:g}", ours <= most_share * theirs)]
    return _row("share", goals, note, model, what, f"{ours:,}", peer, f"{theirs:,}", f"{ours / theirs:.2f}")


def _row(relation: str, goals: Sequence[tuple[str, bool]], note: str, *cells: str) -> Row:
    texts = ", ".join(text for text, _ in goals)
    verdict = f"{texts}: {'met' if all(is_met for _, is_met in goals) else 'missed'}" if goals else ""
    return Row(("model", "what", "polhode", "peer", "theirs", relation, "goal", "note"), (*cells, verdict, note))


def beside(
    model: str, what: str, ours: Measure, peer: str, theirs: Measure, passes: int, *, their_passes: int = 0,
    per: tuple[float, float] = (1.0, 1.0), **goals: Any,
) -> Row:  # fmt: skip
    """A row of two measures that take turns, each by how many of something it is; a slow peer has fewer passes.

    `goals` are those of `timing`, and its note.
    """
    first = least_times({"ours": ours, "theirs": theirs}, their_passes or passes)
    own = min(first["ours"], *(ours() for _ in range(passes - their_passes if their_passes else 0)), math.inf)
    return timing(model, what, own / per[0], peer, first["theirs"] / per[1], **goals)


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
