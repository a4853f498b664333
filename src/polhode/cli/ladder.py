"""`polhode ladder`: what inverse dynamics cost through its history, on a general arm or on one's own."""

from __future__ import annotations

from . import show
from .source import Source


def run(file: Source | None, joints: int, by_joints: bool, json: bool) -> None:
    """Count and print."""
    if file is not None:
        _own(file, json)
        return
    from ..papers.silver.rungs import aligned, ladder

    made = ladder(joints)
    if json:
        show.as_json(made.as_json())
        return
    for table in (made.table(), *([made.by_joints()] if by_joints else [])):
        print(aligned(table), end="\n\n")


def _own(file: Source, json: bool) -> None:
    """The ladder on a mechanism, and what lies between the printed count of its fourth rung and the counted one."""
    from ..papers.silver import differences, ladder_of

    system = file.system()
    with show.progress() as tell:
        tell("counting by every method")
        made = ladder_of(system)
    if json:
        show.as_json(made.as_json())
        return
    out = show.console()
    out.print(show.plain(f"{made.system}: multiplications / additions of inverse dynamics"), style="bold")
    head, *rows = made.table()
    out.print(show.table(head, rows, numbers_from=1))
    if made["silver"].printed is not None:
        out.print("between the printed and the counted number for Luh and Silver:", style="bold")
        steps = [(str(each.count), each.what) for each in differences(made.joints)]
        out.print(show.table(("count", "what is dropped, line by line"), steps))
