"""`polhode ladder`: what inverse dynamics cost through its history."""

from __future__ import annotations

from . import show


def run(joints: int, by_joints: bool, json: bool) -> None:
    """Count and print."""
    from ..compare.ladder import ladder

    made = ladder(joints)
    if json:
        show.as_json(made.as_json())
        return
    for table in (made.table(), *([made.by_joints()] if by_joints else [])):
        widths = [max(len(row[k]) for row in table) for k in range(len(table[0]))]
        for row in table:
            print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
        print()
