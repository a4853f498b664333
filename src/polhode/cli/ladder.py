"""`polhode ladder`: what inverse dynamics cost through its history."""

from __future__ import annotations

from . import show


def run(joints: int, by_joints: bool, json: bool) -> None:
    """Count and print."""
    from ..compare.ladder.report import aligned, ladder

    made = ladder(joints)
    if json:
        show.as_json(made.as_json())
        return
    for table in (made.table(), *([made.by_joints()] if by_joints else [])):
        print(aligned(table), end="\n\n")
