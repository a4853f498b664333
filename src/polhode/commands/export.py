"""`polhode export`: a function as source code."""

from __future__ import annotations

from pathlib import Path

from . import show


def run(file: Path, target: str, folder: Path, of: list[str], formalism: str, json: bool) -> None:
    """Load, derive, write."""
    equations = show.loaded(file).derive(formalism)
    written = [path for name in of for path in equations.export(target, folder, name)]
    if json:
        show.as_json({"target": target, "files": [str(path) for path in written]})
        return
    for path in written:
        show.console().print(show.plain(f"wrote {path}"))
