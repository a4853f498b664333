"""`polhode export`: functions as source code."""

from __future__ import annotations

from pathlib import Path

from ..export import export
from . import show


def run(
    file: Path, target: str, folder: Path, of: list[str], formalism: str, json: bool, base: str | None = None
) -> None:
    """Load, derive, write; `of` may name several functions at once, with commas between."""
    names = [name.strip() for given in of for name in given.split(",") if name.strip()]
    written = export(show.loaded(file, base).derive(formalism), target, folder, names)
    if json:
        show.as_json({"target": target, "files": [str(path) for path in written]})
        return
    for path in written:
        show.console().print(show.plain(f"wrote {path}"))
