"""`python -m tests.fuzz --cases 1000 [--seed 0] [--only yaml]`: hostile files and calls; only PolhodeError may escape.

A failing case is printed as a script. `--first K --cases 1` with the same seed and kind runs case K alone.
"""

import argparse
import sys
from pathlib import Path

from tests.fuzz.run import KINDS, fuzz, work


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--cases", type=int, default=1000, help="how many cases of all kinds together")
    parser.add_argument("--seed", default="0", help="cases with one seed are the same cases")
    parser.add_argument("--only", choices=sorted(KINDS), help="cases of this kind alone")
    parser.add_argument("--first", type=int, default=0, help="the number of the first case of a kind")
    parser.add_argument("--seconds", type=float, default=10.0, help="a case that takes longer hangs")
    parser.add_argument("--keep", type=Path, help="a folder to write failing cases to, as scripts")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args(arguments)
    if given.worker:
        work(given.only, given.seed, given.first, given.cases, given.seconds)
        return 0
    kinds = [given.only] if given.only else sorted(KINDS)
    total = failed = 0
    for k, kind in enumerate(kinds):
        share = given.cases // len(kinds) + (k < given.cases % len(kinds))
        found = 0
        print(f"{kind}: {share} cases", flush=True)
        for number, case, said in fuzz(kind, share, given.seed, given.first, given.seconds):
            found += 1
            print(f"---- {kind} {number}, seed {given.seed}\n{case.script()}\n# {said}", flush=True)
            if given.keep:
                given.keep.mkdir(parents=True, exist_ok=True)
                comment = "\n".join(f"# {line}" for line in said.splitlines())
                name = f"{kind}-{given.seed}-{number}.py"
                (given.keep / name).write_text(f"{case.script()}\n{comment}\n", errors="backslashreplace")
        print(f"{kind}: {share} cases, {found} failed", flush=True)
        total, failed = total + share, failed + found
    print(f"{total} cases, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
