"""`polhode network`: the linear graph of a mechanism."""

from __future__ import annotations

from pathlib import Path

from ..files.writing import replace_file
from ..formalisms.network import system_graph
from . import show


def run(file: Path, out: Path | None, diagram: Path | None, json: bool, base: str | None = None) -> None:
    """Load, find the formulation tree, print it, and write drawings."""
    graph = system_graph(show.loaded(file, base).model())
    for path, draw in ((out, graph.svg), (diagram, graph.block_diagram)):
        if path is not None:
            replace_file(path, draw().encode("utf-8", "backslashreplace"))
    if json:
        show.as_json(graph.as_json())
        return
    console = show.console()
    for line in graph.report().splitlines():
        console.print(show.plain(line), soft_wrap=True, style="bold" if not line.startswith(" ") else "")
    for path in (out, diagram):
        if path is not None:
            console.print(show.plain(f"wrote {path}"), style="dim")
