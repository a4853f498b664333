"""`polhode diagnose`: degrees of freedom, redundant, contradictory and hidden constraints, in words."""

from __future__ import annotations

from typing import Annotated

import typer

from ..constraints.diagnostics import diagnose
from . import show
from .options import Json
from .source import Source


def run(
    source: Source,
    pose: Annotated[str | None, typer.Option(help="The named pose to look at; home by default.")] = None,
    json: Json = False,
) -> int:
    """Tell the diagnosis; 1 if nothing can move, or no pose keeps the constraints."""
    model = source.system().model()
    with show.progress() as tell:
        found = diagnose(model, pose, tell)
    well = found.can_be_assembled and found.can_move
    if json:
        show.as_json({"file": str(source), "ok": well, **found.as_json()})
        return 0 if well else 1
    out = show.console()
    head, *lines = found.text().splitlines()
    out.print(show.plain(head), style="bold", soft_wrap=True)
    for line in lines:
        out.print(show.plain(line), soft_wrap=True)
    return 0 if well else 1
