"""How many lines make up a run: all that integrates and all that prepares, drives and records integration.

    python -m bench.run_size [--files] [commit …]

Counts the lines of each commit (of the files as they are, without one) by patterns that name the rooms before the
engine became one room and after: steppers, Taylor series and the integration part of compiled code, or `ode`; and
`simulate` without its pictures, which are `show` later. A file belongs to the first pattern that fits it.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Iterator, Sequence
from fnmatch import fnmatch
from pathlib import Path

_ROOT = Path(__file__).parents[1]
_ROOM = "src/polhode/"
#: Pictures of runs, which are no part of one.
PICTURES = (
    "show/*", "simulate/sweep/picture.py",
    *(
        f"simulate/{name}.py"
        for name in (
            "animation", "arrows", "bent_bodies", "looks", "marks", "mode_motion", "scene", "screw_axes", "still",
            "trajectory_cell", "trajectory_panels", "up_axis",
        )
    ),
)  # fmt: skip
#: What is counted, by room.
PARTS: dict[str, tuple[str, ...]] = {
    "ode": ("ode/*",),
    "codegen/steppers": ("codegen/steppers/*",),
    "codegen/taylor": ("codegen/taylor/*",),
    "integration in compiled/native": tuple(
        f"compiled/native/{name}.py"
        for name in (
            "events", "fixed_step", "implicit", "lane_runs", "limits", "members", "pieces", "quaternions",
            "sampled_law", "step_run", "stepper", "stepping", "taylor",
        )
    ),
    "simulate": ("simulate/*",),
}  # fmt: skip


def files(commit: str | None) -> Iterator[tuple[str, int]]:
    """The source files of a commit, or of the folder, by their paths in the package, with their lines."""
    if commit is None:
        for path in sorted((_ROOT / _ROOM).rglob("*.py")):
            yield path.relative_to(_ROOT / _ROOM).as_posix(), path.read_bytes().count(b"\n")
        return
    # every line of every file, counted by git itself
    counted = _git("grep", "-c", "", commit, "--", f"{_ROOM}*.py").splitlines()
    for line in counted:
        _, path, count = line.split(":")
        yield path.removeprefix(_ROOM), int(count)


def _git(*arguments: str) -> str:
    return subprocess.run(["git", "-C", _ROOT, *arguments], check=True, capture_output=True, text=True).stdout


def part_of(path: str) -> str | None:
    """The part of a run that a file belongs to."""
    if any(fnmatch(path, pattern) for pattern in PICTURES):
        return None
    return next((part for part, patterns in PARTS.items() if any(fnmatch(path, each) for each in patterns)), None)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the lines of each part, of each commit."""
    parser = argparse.ArgumentParser(prog="python -m bench.run_size", description=__doc__)
    parser.add_argument("commits", nargs="*", metavar="commit")
    parser.add_argument("--files", action="store_true", help="name every file")
    options = parser.parse_args(arguments)
    for commit in options.commits or [None]:
        everything = list(files(commit))
        counted = [(part, path, lines) for path, lines in everything if (part := part_of(path))]
        print(commit or "as it is")
        for part in PARTS:
            own = [(path, lines) for of, path, lines in counted if of == part]
            print(f"  {sum(lines for _, lines in own):7,} lines, {len(own):3} files  {part}")
            if options.files:
                print("\n".join(f"           {lines:5}  {path}" for path, lines in own))
        print(f"  {sum(lines for *_, lines in counted):7,} lines, {len(counted):3} files  a run")
        print(f"  {sum(lines for _, lines in everything):7,} lines, {len(everything):3} files  src")
    return 0


if __name__ == "__main__":
    sys.exit(main())
