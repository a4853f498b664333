"""`polhode diagnose`: degrees of freedom, redundant, contradictory and hidden constraints, in words."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Timer

from ..diagnose import diagnose
from . import show

#: Nobody needs to be told what is being done before it has taken this long, in seconds.
_PATIENCE = 1.0


def run(file: Path, pose: str | None, json: bool, base: str | None = None) -> int:
    """Tell the diagnosis; 1 if nothing can move, or no pose keeps the constraints."""
    system = show.loaded(file, base)
    with _progress() as tell:
        found = diagnose(system, pose, tell)
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


@contextmanager
def _progress() -> Iterator[Callable[[str], None]]:
    """A function to be told what is being done; a person who has waited a second is shown it."""
    if not sys.stderr.isatty():
        yield lambda words: None
        return
    status = show.console(stderr=True).status("")
    timer = Timer(_PATIENCE, status.start)
    timer.daemon = True
    timer.start()
    try:
        yield status.update
    finally:
        timer.cancel()
        status.stop()
