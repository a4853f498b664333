"""`polhode ladder`: what inverse dynamics cost through its history, on a general arm or on one's own."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from . import show
from .options import Base, Dynamics, Json, Packages, source_of
from .source import Source


def run(
    file: Annotated[
        Path | None, typer.Argument(help="Count on this mechanism; without one, on general arms.", show_default=False)
    ] = None,
    joints: Annotated[int, typer.Option(help="Up to how many joints.")] = 6,
    by_joints: Annotated[bool, typer.Option("--by-joints", help="Also print the counts joint by joint.")] = False,
    base: Base = None,
    package: Packages = None,
    dynamics: Dynamics = False,
    json: Json = False,
) -> None:
    """Count and print."""
    if file is not None:
        _own(source_of(file, base, package, dynamics), json)
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
    if made["silver"].printed is not None and made.joints > 1:  # the formulas hold from two joints on
        out.print("between the printed and the counted number for Luh and Silver:", style="bold")
        steps = [(str(each.count), each.what) for each in differences(made.joints)]
        out.print(show.table(("count", "what is dropped, line by line"), steps))
