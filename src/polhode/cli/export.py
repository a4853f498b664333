"""`polhode export`: functions as source code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

from ..compiled.export import export
from ..compiled.quantities import Asked, PoseOf, ReactionOf
from . import show


def run(
    file: Path,
    target: str,
    folder: Path,
    of: Sequence[str],
    formalism: str,
    json: bool,
    base: str | None = None,
    reactions: Sequence[str] = (),
    poses: Sequence[str] = (),
    prefix: str | None = None,
    reductions: Mapping[str, Any] = MappingProxyType({}),
) -> None:
    """Load, derive, write; `of` may name several functions at once, with commas between."""
    asked: list[Asked] = [name.strip() for given in of for name in given.split(",") if name.strip()]
    asked += [*map(ReactionOf, reactions), *map(PoseOf, poses)]
    equations = show.loaded(file, base).derive(formalism, **reductions)
    written = export(equations.record, target, folder, asked or ["forward_dynamics"], prefix)
    if json:
        show.as_json({"target": target, "files": [str(path) for path in written]})
        return
    for path in written:
        show.console().print(show.plain(f"wrote {path}"))
