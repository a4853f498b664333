"""`polhode view`: a mechanism in a pose, as a page."""

from __future__ import annotations

import webbrowser
from pathlib import Path
from tempfile import mkdtemp
from typing import Annotated

import typer

from ..errors import PolhodeError
from ..show.still import still, write_still
from ..terminal import output
from ..terminal.options import Json, Names, Source
from .simulate import check_folder, read_settings


def view(
    source: Source,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Write the page here (.html), and open nothing.")
    ] = None,
    pose: Annotated[str | None, typer.Option(help="The named pose to show; home by default.")] = None,
    settings: Annotated[Names, typer.Option("--set", help="A parameter: --set l=2", metavar="NAME=VALUE")] = None,
    json: Json = False,
) -> None:
    """Load, assemble, write the page, and open it unless --out is given."""
    system = source.system()
    parameters, inputs = read_settings(system, settings)
    if inputs:
        message = f"'{next(iter(inputs))}' is an input, which a picture does not show."
        raise PolhodeError(message, "--set", "Set parameters alone, or run it: polhode simulate.", "E-CLI-UNSUPPORTED")
    if out is not None:
        check_folder("out", out)
    with output.warnings_printed(), output.progress() as status:
        status("drawing")
        shown = still(system.derive().compile(), pose, parameters)
        path = Path(mkdtemp(prefix="polhode-")) / f"{source.stem}.html" if out is None else out
        write_still(shown, path, notes=f"The pose “{pose or 'home'}”.")
    opened = out is None and webbrowser.open(path.absolute().as_uri())
    if json:
        output.as_json({"files": [str(path)], "opened": opened, "notices": list(shown.info["notices"])})
        return
    for notice in shown.info["notices"]:
        output.say(notice, "dim")
    output.say_written([path])
    if out is None and not opened:
        output.say("no browser could be opened; open the page yourself", "yellow")
