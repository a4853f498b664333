"""`polhode export`: functions, or a whole simulation program, as source code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

from ..compiled.quantities import Asked, PoseOf, ReactionOf
from ..errors import PolhodeError
from . import show
from .source import Source


def run(
    file: Source,
    target: str,
    folder: Path,
    of: Sequence[str],
    json: bool,
    reactions: Sequence[str] = (),
    poses: Sequence[str] = (),
    prefix: str | None = None,
    program: bool = False,
    start: str | None = None,
    derivation: Mapping[str, Any] = MappingProxyType({}),
) -> None:
    """Load, derive, write; `of` may name several functions at once, with commas between."""
    asked: list[Asked] = [name.strip() for given in of for name in given.split(",") if name.strip()]
    asked += [*map(ReactionOf, reactions), *map(PoseOf, poses)]
    if start is not None and not program:
        raise PolhodeError(
            "a start is that of a simulation program.", place="--start", cure="Add --program.", code="E-CLI-012"
        )
    system = file.system()
    with show.progress() as tell:
        tell("deriving")
        equations = system.derive(**derivation)
        tell("writing source code")
        if program:
            written = equations.export(target, folder, asked or None, program=True, prefix=prefix, start=start)
        else:
            written = equations.export(target, folder, asked or None, prefix=prefix)
    if json:
        show.as_json({"target": target, "files": [str(path) for path in written]})
        return
    for path in written:
        show.console().print(show.plain(f"wrote {path}"))
