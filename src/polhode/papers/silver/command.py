"""`polhode prove`: Lagrange and Newton-Euler are one computation; `polhode ladder`: the cost of inverse dynamics."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ...terminal import output
from ...terminal.options import Base, Dynamics, Json, Packages, Source, source_of
from . import rungs
from .newton_euler import equivalence


def prove(
    source: Source,
    latex: Annotated[bool, typer.Option("--latex", help="Print LaTeX.")] = False,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Write the proof (.tex, .md, .html).", show_default=False)
    ] = None,
    json: Json = False,
) -> int:
    """Load, prove, print and write; the exit code is 1 if a step fails."""
    system = source.system()
    with output.progress() as status:
        status("proving, step by step")
        proof = equivalence(system)
    if out is not None:
        proof.save(out)
    if json:
        output.as_json(proof.as_json())
        return 0 if proof.holds else 1
    for line in (proof.latex() if latex else str(proof)).splitlines():
        output.say(line, "" if latex else "bold" if line.startswith("(") else "red" if "FAILS" in line else "")
    output.say_written([out] if out else [])
    return 0 if proof.holds else 1


def ladder(
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
        _ladder_of(source_of(file, base, package, dynamics), json)
        return
    counts = rungs.ladder(joints)
    if json:
        output.as_json(counts.as_json())
        return
    for table in (counts.table(), *([counts.by_joints()] if by_joints else [])):
        print(rungs.aligned(table), end="\n\n")


def _ladder_of(source: Source, json: bool) -> None:
    """The ladder of a mechanism, and the differences between the printed and the counted number of its fourth rung."""
    system = source.system()
    with output.progress() as status:
        status("counting by every method")
        counts = rungs.ladder_of(system)
    if json:
        output.as_json(counts.as_json())
        return
    console = output.console()
    output.say(f"{counts.system}: multiplications / additions of inverse dynamics", "bold")
    head, *rows = counts.table()
    console.print(output.table(head, rows, numbers_from=1))
    if counts["silver"].printed is not None and counts.joints > 1:  # the formulas hold from two joints on
        output.say("between the printed and the counted number for Luh and Silver:", "bold")
        steps = [(str(step.count), step.what) for step in rungs.differences(counts.joints)]
        console.print(output.table(("count", "what is dropped, line by line"), steps))
