"""`polhode view`: a mechanism in a pose, as a page."""

from __future__ import annotations

import webbrowser
from pathlib import Path
from tempfile import mkdtemp
from typing import Annotated

import typer

from ..errors import PolhodeError
from ..show.still import still, write_still
from . import show
from .options import Json, Names
from .simulate import check_folder, read_settings
from .source import Source


def run(
    source: Source,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Write the page here (.html), and open nothing.")
    ] = None,
    pose: Annotated[str | None, typer.Option(help="The named pose to show; home by default.")] = None,
    settings: Annotated[Names, typer.Option("--set", help="A parameter: --set l=2", metavar="NAME=VALUE")] = None,
    json: Json = False,
) -> None:
    """Load, assemble, write the page, and open it unless it was to be written to a file."""
    system = source.system()
    parameters, inputs = read_settings(system, settings)
    if inputs:
        said = f"'{next(iter(inputs))}' is an input, and nothing acts in a picture."
        cure = "Set parameters alone, or run it: polhode simulate."
        raise PolhodeError(said, place="--set", cure=cure, code="E-CLI-UNSUPPORTED")
    if out is not None:
        check_folder("out", out)
    with show.warnings_told(), show.progress() as tell:
        tell("drawing")
        shown = still(system.derive().compile(), pose, parameters)
        path = Path(mkdtemp(prefix="polhode-")) / f"{source.stem}.html" if out is None else out
        write_still(shown, path, notes=f"The pose “{pose or 'home'}”.")
    opened = out is None and webbrowser.open(path.absolute().as_uri())
    if json:
        show.as_json({"files": [str(path)], "opened": opened, "notices": list(shown.info["notices"])})
        return
    console = show.console()
    for notice in shown.info["notices"]:
        console.print(show.plain(notice), style="dim", soft_wrap=True)
    console.print(show.plain(f"wrote {path}"), soft_wrap=True)
    if out is None and not opened:
        console.print("no browser could be opened; open the page yourself", style="yellow")
