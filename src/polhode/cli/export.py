"""`polhode export`: functions, or a whole simulation program, as source code."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from ..compiled.quantities import Asked, PoseOf, ReactionOf
from ..errors import PolhodeError
from . import show
from .options import Json, Names, Out
from .source import Source


def run(
    source: Source,
    derivation: dict[str, Any],
    target: Annotated[str, typer.Option(help="The language, such as c; a wrong one lists them all.")] = "c",
    out: Out = Path("out"),
    of: Annotated[Names, typer.Option(help="Functions, with commas between or given several times.")] = None,
    reaction: Annotated[Names, typer.Option(help="A joint or constraint: what it carries.")] = None,
    pose: Annotated[Names, typer.Option(help="A body or frame: where it is.")] = None,
    prefix: Annotated[
        str | None, typer.Option(help="What names begin with; the system's name by default, '' for nothing.")
    ] = None,
    program: Annotated[
        bool, typer.Option("--program", help="A whole program that simulates, with a text file of its values.")
    ] = False,
    start: Annotated[str | None, typer.Option(help="With --program: the named pose to start from.")] = None,
    json: Json = False,
) -> None:
    """Load, derive, write."""
    asked: list[Asked] = [name.strip() for given in of or () for name in given.split(",") if name.strip()]
    asked += [*map(ReactionOf, reaction or ()), *map(PoseOf, pose or ())]
    if start is not None and not program:
        raise PolhodeError("a start is that of a simulation program.", "--start", "Add --program.", "E-CLI-UNSUPPORTED")
    system = source.system()
    with show.progress() as tell:
        tell("deriving")
        equations = system.derive(**derivation)
        tell("writing source code")
        if program:
            written = equations.export(target, out, asked or None, program=True, prefix=prefix, start=start)
        else:
            written = equations.export(target, out, asked or None, prefix=prefix)
    if json:
        show.as_json({"target": target, "files": [str(path) for path in written]})
        return
    for path in written:
        show.console().print(show.plain(f"wrote {path}"))
