"""`polhode network`: the linear graph of a mechanism."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ...files.writing import replace_file
from ...terminal import output
from ...terminal.options import Json, Names, Source
from .system_graph import system_graph


def network(
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
    with output.progress() as status:
        status("building the graph")
        graph = system_graph(model, across or (), through or (), tree)
    drawings = {
        out: graph.svg,
        diagram: graph.block_diagram,
        schematic: graph.schematic,
        terminal_graphs: graph.terminal_graphs_svg,
    }
    written = [path for path in drawings if path is not None]
    for path in written:
        replace_file(path, drawings[path]().encode("utf-8", "backslashreplace"))
    problem = graph.mixed_problem() if across or through else None
    variables = {} if problem is None else {"given": problem.given, "unknown": problem.unknown}
    if json:
        output.as_json({**graph.as_json(), **variables})
        return
    for line in graph.report().splitlines():
        output.say(line, "bold" if not line.startswith(" ") else "")
    for kind, names in variables.items():
        output.say(f"{kind}: {', '.join(names)}", "bold")
    output.say_written(written)
