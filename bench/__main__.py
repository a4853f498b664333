"""The command: `python -m bench [part …] [--quick]`, all parts by default."""

from __future__ import annotations

import argparse
import importlib
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from polhode.errors import PolhodeError

from .clock import stay_on_one_core
from .machine import machine, source_digest
from .report import write
from .table import Row, as_text

PARTS = (
    "derive", "counts", "speed", "casadi", "growth", "start", "simulate", "second_run", "kane", "bicycle", "loops",
    "motors", "tracked", "splines", "inverse_kinematics", "laws", "controllers", "collocation",
    "pages",
)  # fmt: skip
ROOT = Path(__file__).parents[1]


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print the tables and write them; the documentation's page only after a full run."""
    parser = argparse.ArgumentParser(prog="python -m bench", description="Measure polhode beside its peers.")
    parser.add_argument("parts", nargs="*", metavar="part", help=f"any of {', '.join(PARTS)}; all by default")
    parser.add_argument("--quick", action="store_true", help="fewer passes, smaller models")
    parser.add_argument("--out", type=Path, default=Path("out"), help="where bench.json, .md and .png go")
    options = parser.parse_args(arguments)
    unknown = [part for part in options.parts if part not in PARTS]
    if unknown:
        parser.error(f"there is no part '{unknown[0]}'; choose among {', '.join(PARTS)}.")
    parts = [part for part in PARTS if part in (options.parts or PARTS)]

    stay_on_one_core()
    found = machine()
    print("\n".join(f"{name:20} {value}" for name, value in found.items()))
    rows: list[Row] = []
    failed = False
    for part in parts:
        try:
            section = importlib.import_module(f".{part}", __package__).rows(options.quick, _speaker(part))
        except (PolhodeError, ImportError) as problem:
            failed = True
            print(f"{part} did not run: {problem}", file=sys.stderr)
            continue
        rows += section
        print(f"\n{as_text(section)}\n")
    if source_digest() != found["polhode's source"]:
        found["polhode's source"] += ", changed during the run"
        print("polhode's source changed during the run: measure again.", file=sys.stderr)
        failed = True
    full = parts == list(PARTS) and not options.quick and not failed
    for path in write(rows, found, options.out, ROOT / "docs" if full else None):
        print(f"wrote {path}")
    return int(failed)


def _speaker(part: str) -> Callable[[str], None]:
    start = time.monotonic()

    def say(text: str) -> None:
        print(f"{part} {time.monotonic() - start:4.0f} s  {text}", file=sys.stderr, flush=True)

    return say


if __name__ == "__main__":
    sys.exit(main())
