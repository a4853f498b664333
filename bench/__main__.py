"""The command: `python -m bench [part …] [--quick] [--all] [--list]`; without a part, those whose keys have changed.

`python -m bench speed --against ../before` measures a part here and in another tree by turns, and prints the ratio of
our times, now by before, of each row.
"""

import argparse
import importlib
import json
import os
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Sequence
from pathlib import Path

from . import page
from .harness import ONE_THREAD, Row, as_markdown

_PAGE = page.ROOT / "docs" / "benchmarks.md"
_UNITS = {"s": 1.0, "ms": 1e-3, "µs": 1e-6, "ns": 1e-9}


class PartFailed(Exception):
    """A part ended without rows."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure part by part; each section is written as soon as it is measured."""
    names = page.part_names()
    parser = argparse.ArgumentParser(prog="python -m bench", description="Measure polhode beside its peers.")
    parser.add_argument("parts", nargs="*", metavar="part", help=f"any of {', '.join(names)}")
    parser.add_argument("--all", action="store_true", help="measure all parts, changed or not")
    parser.add_argument("--list", action="store_true", help="name what has changed, and measure nothing")
    parser.add_argument("--quick", action="store_true", help="fewer passes, smaller models; into out/benchmarks.md")
    parser.add_argument("--page", type=Path, help="the page to write, docs/benchmarks.md by default")
    parser.add_argument("--against", type=Path, help="another tree of polhode with this bench, to compare times with")
    parser.add_argument("--limit", type=float, default=5400.0, help="seconds that a part may take")
    parser.add_argument("--rows", type=Path, help=argparse.SUPPRESS)  # measure in this process, write rows there
    options = parser.parse_args(arguments)
    warnings.simplefilter("ignore")
    unknown = [name for name in options.parts if name not in names]
    if unknown:
        parser.error(f"there is no part '{unknown[0]}'; choose among {', '.join(names)}.")
    if options.rows:
        return _measure(options.parts[0], options.quick, options.rows)
    if options.against:
        for name in options.parts or names:
            _compare(name, options)
        return 0
    path = options.page or (Path("out") / "benchmarks.md" if options.quick else _PAGE)
    return int(sum(_renew(name, path, options) for name in options.parts or names) > 0)


def _renew(name: str, path: Path, options: argparse.Namespace) -> bool:
    """Measure a part, if that is due, and write its section; True if it failed."""
    part, sections, problem = page.Part(name), page.read(path), ""
    began, before = time.monotonic(), os.getloadavg()[0]
    try:
        keys = part.keys(options.quick)
        changed = page.changes(sections.get(name, ""), keys)
        print(f"{name}: {', '.join(changed) + ' changed' if changed else 'as it was measured'}", flush=True)
        if options.list or not (changed or options.all or options.parts):
            return False
        rows = _rows_of(name, options, page.ROOT)
        load = f"load {before:.1f} before, {os.getloadavg()[0]:.1f} after"
        sections[name] = part.section(rows, load, keys)
        print(f"{as_markdown(rows)}\n{name}: {time.monotonic() - began:.0f} s", flush=True)
    except Exception as failure:  # the other parts go on
        problem = str(failure) or type(failure).__name__
        print(f"{name} failed: {problem}", file=sys.stderr, flush=True)
        sections[name] = page.stale(sections.get(name, part.text), problem)
    page.write(path, sections)
    if path == _PAGE:
        readme = page.ROOT / "README.md"
        text = page.with_figures_of(_PAGE.read_text(encoding="utf-8"), readme.read_text(encoding="utf-8"))
        readme.write_text(text, encoding="utf-8")
    return bool(problem)


def _rows_of(name: str, options: argparse.Namespace, tree: Path) -> list[Row]:
    """The rows of a part that runs in a process of its own, in a tree."""
    with tempfile.TemporaryDirectory(prefix="polhode-bench-") as folder:
        file, log = Path(folder) / "rows.json", Path(folder) / "errors"
        command = [sys.executable, "-m", "bench", name, "--rows", str(file), *(["--quick"] if options.quick else [])]
        paths = [str(tree / "src"), *os.environ.get("PYTHONPATH", "").split(os.pathsep)]
        env = os.environ | ONE_THREAD | {"PYTHONPATH": os.pathsep.join(paths)}
        with log.open("w", encoding="utf-8") as errors:
            try:
                ended = subprocess.run(command, timeout=options.limit, check=False, stderr=errors, cwd=tree, env=env)
            except subprocess.TimeoutExpired:
                raise PartFailed(f"not done after {options.limit:g} s") from None
        if ended.returncode:
            lines = [line for line in log.read_text(encoding="utf-8").splitlines() if line[:1].isalpha()]
            raise PartFailed((lines or [f"exit code {ended.returncode}"])[-1])
        return [Row(tuple(headings), tuple(cells)) for headings, cells in json.loads(file.read_text(encoding="utf-8"))]


def _measure(name: str, quick: bool, file: Path) -> int:
    """Measure one part in this process, on one core where the system allows that, and write its rows as JSON."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    start = time.monotonic()

    def say(text: str) -> None:
        print(f"{name} {time.monotonic() - start:4.0f} s  {text}", flush=True)

    rows = list(importlib.import_module(f".parts.{name}", __package__).rows(quick, say))
    file.write_text(json.dumps(rows), encoding="utf-8")
    return 0


def _compare(name: str, options: argparse.Namespace) -> None:
    """Print our least times in two trees over three rounds by turns, and their ratio."""
    least: dict[str, dict[Path, float]] = {}
    for tree in 3 * (options.against.resolve(), page.ROOT):
        for row in _rows_of(name, options, tree):
            number, _, unit = row.cells[2].partition(" ")
            if unit in _UNITS:
                times = least.setdefault(", ".join(row.cells[:2]), {})
                times[tree] = min(times.get(tree, float("inf")), float(number) * _UNITS[unit])
    for what, (before, now) in ((what, times.values()) for what, times in least.items() if len(times) == 2):
        print(f"{what:60} {1e6 * before:12.3f} {1e6 * now:12.3f} µs  {now / before:6.3f}")


if __name__ == "__main__":
    sys.exit(main())
