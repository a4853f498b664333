"""`polhode compare`: every formalism on one mechanism."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.text import Text

from ..terminal import output
from ..terminal.options import Json, Source, Speeds
from .comparison import Comparison


def compare(
    source: Source,
    timing: Annotated[bool, typer.Option(help="Compile and time native code.")] = True,
    speeds: Speeds = None,
    json: Json = False,
) -> int:
    """Load, compare and print; the exit code is 1 if formalisms disagree."""
    system = source.system()
    with output.progress() as status:
        status("deriving by every formalism and comparing")
        comparison = system.compare(run=timing, speeds=speeds)
    if json:
        output.as_json(comparison.as_json())
    else:
        output.say(comparison.system, "bold")
        output.console().print(comparison_table(comparison))
        for name, reason in comparison.refused:
            output.say(f"{name} does not apply: {reason}", "yellow")
        output.say(comparison.verdict, "green" if comparison.agree else "red")
    return 0 if comparison.agree else 1


def comparison_table(comparison: Comparison) -> object:
    """The table, with the cheapest formalism of each function in bold and each formalism named once."""
    head, *table = comparison.table()
    cheapest = {comparison.cheapest(row.function) for row in comparison.rows}
    rows, last = [], ""
    for row, cells in zip(comparison.rows, table, strict=True):
        style = "bold green" if row in cheapest else ""
        name = "" if row.formalism == last else row.formalism.replace("_", " ")
        last = row.formalism
        rows.append([Text(name), *(Text(cell.replace("_", " "), style=style) for cell in cells[1:])])
    return output.table(head, rows, numbers_from=2)
