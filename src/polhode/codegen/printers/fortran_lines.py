"""Fortran statements that go on over several lines."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import wrap

_WIDTH = 120


def joined(head: str, words: Sequence[str], tail: str = "") -> list[str]:
    """A statement whose list of words goes on over as many lines as it needs.

    >>> joined("call f(", ["a", "b"], ")")
    ['call f(a, b)']
    """
    rows = wrap(", ".join(words), _WIDTH - len(head), break_long_words=False, break_on_hyphens=False) or [""]
    margin = " " * len(head)
    return [(head if k == 0 else margin) + row + (tail if k == len(rows) - 1 else " &") for k, row in enumerate(rows)]
