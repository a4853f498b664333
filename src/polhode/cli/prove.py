"""`polhode prove`: Lagrange and Newton-Euler are one computation, step by step."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..papers.silver import equivalence
from . import show
from .options import Json
from .source import Source


def run(
    source: Source,
    latex: Annotated[bool, typer.Option("--latex", help="Print LaTeX.")] = False,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Write the proof (.tex, .md, .html).", show_default=False)
    ] = None,
    json: Json = False,
) -> int:
    """Load, prove, print and write; the exit code is 1 should a step fail."""
    system = source.system()
    with show.progress() as tell:
        tell("proving, step by step")
        proof = equivalence(system)
    if out is not None:
        proof.save(out)
    if json:
        show.as_json(proof.as_json())
        return 0 if proof.holds else 1
    console = show.console()
    for line in (proof.latex() if latex else str(proof)).splitlines():
        style = "" if latex else "bold" if line.startswith("(") else "red" if "FAILS" in line else ""
        console.print(show.plain(line), soft_wrap=True, style=style)
    if out is not None:
        console.print(show.plain(f"wrote {out}"), style="dim")
    return 0 if proof.holds else 1
