"""`polhode network`: the linear graph of a mechanism."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..files.writing import replace_file
from ..papers.tokad import system_graph
from . import show
from .options import Json, Names
from .source import Source


def run(
    source: Source,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Write the graph as a drawing (.svg).")] = None,
    diagram: Annotated[Path | None, typer.Option(help="Write the block diagram (.svg).")] = None,
    schematic: Annotated[Path | None, typer.Option(help="Write the schematic diagram (.svg).")] = None,
    terminal_graphs: Annotated[Path | None, typer.Option(help="Write the bodies' terminal graphs (.svg).")] = None,
    tree: Annotated[Names, typer.Option(help="A branch of the formulation tree; repeat it.")] = None,
    across: Annotated[Names, typer.Option(help="A joint whose motion is given; may be repeated.")] = None,
    through: Annotated[Names, typer.Option(help="A joint whose force is given; may be repeated.")] = None,
    json: Json = False,
) -> None:
    """Load, find or check the formulation tree, print it, and write drawings."""
    model = source.system().model()
    with show.progress() as tell:
        tell("drawing up the graph")
        graph = system_graph(model, across or (), through or (), tree)
    written = []
    for path, draw in (
        (out, graph.svg),
        (diagram, graph.block_diagram),
        (schematic, graph.schematic),
        (terminal_graphs, graph.terminal_graphs_svg),
    ):
        if path is not None:
            replace_file(path, draw().encode("utf-8", "backslashreplace"))
            written.append(path)
    problem = graph.mixed_problem() if across or through else None
    told = {} if problem is None else {"given": problem.given, "unknown": problem.unknown}
    if json:
        show.as_json({**graph.as_json(), **told})
        return
    console = show.console()
    for line in graph.report().splitlines():
        console.print(show.plain(line), soft_wrap=True, style="bold" if not line.startswith(" ") else "")
    for what, names in told.items():
        console.print(show.plain(f"{what}: {', '.join(names)}"), soft_wrap=True, style="bold")
    for path in written:
        console.print(show.plain(f"wrote {path}"), style="dim")
