"""Names as a simulation program writes them: plain, short, and no two of them the same."""

from __future__ import annotations

import re
from collections.abc import Sequence

_LONGEST_NAME = 60
_PLAIN = re.compile(rf"[A-Za-z0-9_.-]([A-Za-z0-9_. -]{{0,{_LONGEST_NAME - 2}}}[A-Za-z0-9_.-])?", re.ASCII)


def plain_names(names: Sequence[str]) -> list[str]:
    """Names of letters, digits, blanks, points, hyphens and underscores alone, no two of them the same."""
    washed = [name if _PLAIN.fullmatch(name) else _washed(name) for name in names]
    taken = {name for name, plain in zip(names, washed, strict=True) if name == plain}
    found = []
    for name, plain in zip(names, washed, strict=True):
        free, number = plain, 2
        while name != plain and free in taken:
            free, number = f"{plain}_{number}", number + 1
        taken.add(free)
        found.append(free)
    return found


def _washed(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9_. -]+", "_", name)[:_LONGEST_NAME].strip("_ ") or "name"
