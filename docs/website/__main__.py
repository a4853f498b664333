"""Build the site: `python -m docs.website`, or `make docs`."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from docs.website import building

ROOT = Path(__file__).parents[2]


def main() -> int:
    """Build, say how long it took, and where the home page is."""
    parser = argparse.ArgumentParser(prog="python -m docs.website", description=__doc__)
    parser.add_argument("--out", type=Path, default=ROOT / "out" / "site", help="where the site goes")
    parser.add_argument("--work", type=Path, default=ROOT / "build" / "site", help="what is kept between builds")
    parser.add_argument("--jobs", type=int, default=2, help="processes that run examples and write pages")
    given = parser.parse_args()
    began = time.monotonic()
    faults = building.build(given.out, given.work, given.jobs)
    for fault in faults:
        print(fault, file=sys.stderr)
    if faults:
        return 1
    print(f"{given.out / 'index.html'} in {time.monotonic() - began:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
