"""`polhode report`: a mechanism, its equations and, if wanted, a run and a linear model as one page."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from ..errors import SimulationError
from ..surface.report import report as write_report
from ..terminal import output
from ..terminal.options import Json, Pose, Source
from .simulate import check_folder


def report(
    source: Source,
    derivation: dict[str, Any],
    out: Annotated[Path | None, typer.Option("--out", "-o", help="The page (.html); by default named as FILE.")] = None,
    duration: Annotated[float | None, typer.Option("--duration", "-t", help="With a run of so many seconds.")] = None,
    linear: Annotated[bool, typer.Option("--linear", help="With the linear model about the pose.")] = False,
    pose: Pose = None,
    json: Json = False,
) -> int:
    """Load, derive, run and linearise as far as wanted, and write the page; returns the exit code."""
    path = Path(f"{source.stem}.html") if out is None else out
    check_folder("out", path)
    system = source.system()
    run: Any = None
    stopped: SimulationError | None = None
    with output.warnings_printed(), output.progress() as status:
        status("deriving")
        equations = system.derive(**derivation)
        try:
            if duration is not None:
                run = equations.simulate(duration, start=pose, progress=False)
        except SimulationError as error:
            stopped, run = error, error.trajectory
        at = dict(zip(equations.coordinates, equations.assemble(pose).q.tolist(), strict=True)) if pose else None
        status("writing the page")
        write_report(path, equations, run, equations.linearize(at) if linear else None)
    if json:
        output.as_json({"files": [str(path)], "status": None if run is None else run.status})
    else:
        output.say_written([path])
    if stopped is not None:
        output.say(stopped, "red", stderr=True)
    return 0 if stopped is None else 2
