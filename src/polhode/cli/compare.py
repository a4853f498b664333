"""`polhode compare`: every formalism on one mechanism."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.text import Text

from ..compare import Comparison
from . import show
from .options import Json, Speeds
from .source import Source


def run(
    source: Source,
    timing: Annotated[bool, typer.Option(help="Compile and time native code.")] = True,
    speeds: Speeds = None,
    json: Json = False,
) -> int:
    """Load, compare and print; the exit code is 1 should formalisms disagree."""
    system = source.system()
    with show.progress() as tell:
        tell("deriving by every formalism and comparing")
        comparison = system.compare(run=timing, speeds=speeds)
    if json:
        show.as_json(comparison.as_json())
    else:
        out = show.console()
        out.print(show.plain(comparison.system), style="bold")
        out.print(comparison_table(comparison))
        for name, reason in comparison.refused:
            out.print(show.plain(f"{name} does not apply: {reason}"), style="yellow")
        out.print(comparison.verdict, style="green" if comparison.agree else "red")
    return 0 if comparison.agree else 1


def comparison_table(comparison: Comparison) -> object:
    """The table, with the cheapest way to each function in bold and each formalism named once."""
    head, *_ = comparison.table()
    cheapest = {comparison.cheapest(row.function) for row in comparison.rows}
    rows, last = [], ""
    for row, cells in zip(comparison.rows, comparison.table()[1:], strict=True):
        style = "bold green" if row in cheapest else ""
        name = "" if row.formalism == last else row.formalism.replace("_", " ")
        last = row.formalism
        rows.append([Text(name), *(Text(cell.replace("_", " "), style=style) for cell in cells[1:])])
    return show.table(head, rows, numbers_from=2)
