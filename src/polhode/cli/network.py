"""`polhode network`: the linear graph of a mechanism."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ..files.writing import replace_file
from ..papers.tokad import system_graph
from . import show
from .source import Source


def run(
    file: Source,
    out: Path | None,
    diagram: Path | None,
    json: bool,
    tree: Sequence[str] = (),
    across: Sequence[str] = (),
    through: Sequence[str] = (),
    terminal_graphs: Path | None = None,
    schematic: Path | None = None,
) -> None:
    """Load, find or check the formulation tree, print it, and write drawings."""
    model = file.system().model()
    with show.progress() as tell:
        tell("drawing up the graph")
        graph = system_graph(model, across, through, tree or None)
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
