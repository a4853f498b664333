"""`polhode diagnose`: degrees of freedom, redundant, contradictory and hidden constraints, in words."""

from __future__ import annotations

from ..constraints.diagnostics import diagnose
from . import show
from .source import Source


def run(file: Source, pose: str | None, json: bool) -> int:
    """Tell the diagnosis; 1 if nothing can move, or no pose keeps the constraints."""
    model = file.system().model()
    with show.progress() as tell:
        found = diagnose(model, pose, tell)
    well = found.can_be_assembled and found.can_move
    if json:
        show.as_json({"file": str(file), "ok": well, **found.as_json()})
        return 0 if well else 1
    out = show.console()
    head, *lines = found.text().splitlines()
    out.print(show.plain(head), style="bold", soft_wrap=True)
    for line in lines:
        out.print(show.plain(line), soft_wrap=True)
    return 0 if well else 1
