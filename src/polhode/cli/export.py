"""`polhode export`: functions, or a whole simulation program, as source code."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from ..compiled.quantities import Asked, PoseOf, ReactionOf
from ..errors import PolhodeError
from ..terminal import output
from ..terminal.options import Json, Names, Out, Source


def export(
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
    functions: list[Asked] = [name.strip() for given in of or () for name in given.split(",") if name.strip()]
    functions += [*map(ReactionOf, reaction or ()), *map(PoseOf, pose or ())]
    if start is not None and not program:
        raise PolhodeError("a start is that of a simulation program.", "--start", "Add --program.", "E-CLI-UNSUPPORTED")
    system = source.system()
    with output.progress() as status:
        status("deriving")
        equations = system.derive(**derivation)
        status("writing source code")
        options: dict[str, Any] = {"program": True, "start": start} if program else {}
        written = equations.export(target, out, functions or None, prefix=prefix, **options)
    if json:
        output.as_json({"target": target, "files": [str(path) for path in written]})
        return
    output.say_written(written)
