"""`polhode sweep`: run a mechanism over values of its parameters, starts and inputs; write measures of each run."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from ..errors import LimitError, PolhodeError
from ..model.system import System
from ..simulate.initial_state import Floats
from ..simulate.sweep import Sweep, SweepInterrupted
from ..simulate.sweep.measures import MOST_MEMBERS
from ..simulate.trajectory.datasets import check_format
from ..terminal import output
from ..terminal.options import Digits, Json, Names, Pose, Settings, Source
from ..view.plot import plot_format
from .simulate import check_folder, read_acting

_WHOLE = "trajectories"


def sweep(
    source: Source,
    derivation: dict[str, Any],
    running: dict[str, Any],
    vary: Annotated[
        list[str],
        typer.Option(
            help="What to vary: --vary l=0.5:2:20 for twenty values from 0.5 to 2, --vary c=0.1,0.2 for two.",
            metavar="NAME=VALUES",
            show_default=False,
        ),
    ],
    duration: Annotated[float, typer.Option("--duration", "-t", help="Seconds of each run.")] = 10.0,
    measure: Annotated[
        Names, typer.Option(help="What to keep: final, energy_drift, max:hinge, …; trajectories for all of it.")
    ] = None,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Write results (.csv, .nc, .zarr, .npz).")] = None,
    plot: Annotated[Path | None, typer.Option(help="Write a plot of the results (.png, .svg, .pdf).")] = None,
    pose: Pose = None,
    settings: Settings = None,
    together: Annotated[bool, typer.Option("--zip", help="Take the values together, not as a grid.")] = False,
    workers: Annotated[int | None, typer.Option(help="Processes; as many as there are cores by default.")] = None,
    store: Annotated[Path | None, typer.Option(help="A folder for finished runs; a later call resumes it.")] = None,
    digits: Digits = 6,
    json: Json = False,
) -> int:
    """Load, derive, sweep and write; the exit code is 130 if interrupted, 2 if nothing can be drawn."""
    system = source.system()
    acting = read_acting(system, settings, running)
    values = dict(map(read_axis, vary))
    as_text = out is not None and out.suffix.lower() == ".csv"
    if out is not None:
        if not as_text:
            check_format(out)
        check_folder("out", out)
    if plot is not None:
        plot_format(plot)
        check_folder("plot", plot)
    running |= {"zip": together, "workers": workers, "store": store, "start": pose, **acting}
    running |= {"progress": False} if json else {}
    stopped: PolhodeError | None = None
    try:
        measures = None if measure == [_WHOLE] else measure or ["final"]
        result = system.derive(**derivation).sweep(values, duration, measure=measures, **running)
    except SweepInterrupted as error:
        stopped, result = error, error.sweep
    written: list[Path] = []
    if out is not None:
        result.to_csv(out) if as_text else result.save(out)
        written.append(out)
    if plot is not None:
        try:
            result.plot(plot)
            written.append(plot)
        except PolhodeError as error:
            stopped = stopped or error
    if json:
        record = _record(result, written)
        output.as_json(record if stopped is None else record | {"error": stopped.as_json()})
    else:
        _print(system, result, written, digits)
        if stopped is not None:
            output.say(stopped, "red", stderr=True)
    return 0 if stopped is None else 130 if isinstance(stopped, SweepInterrupted) else 2


def read_axis(text: str) -> tuple[str, Floats]:
    """`name=low:high:count`, or values with commas between.

    >>> read_axis("l=0.5:2:4")
    ('l', array([0.5, 1. , 1.5, 2. ]))
    >>> read_axis("start:hinge=0.1,0.2")
    ('start:hinge', array([0.1, 0.2]))
    """
    name, _, right = text.rpartition("=")
    try:
        if not name.strip():
            raise ValueError
        if ":" in right:
            low, high, count = right.split(":")
            return name.strip(), np.linspace(float(low), float(high), _count(count))
        return name.strip(), np.array([float(text) for text in right.split(",")])
    except ValueError:
        cure = "Write --vary l=0.5:2:20 for twenty values from 0.5 to 2, or --vary l=0.5,1,2"
        raise PolhodeError(f"{text!r} is not understood.", place="--vary", cure=cure, code="E-CLI-READ") from None


def _count(text: str) -> int:
    count = int(text)
    if count > MOST_MEMBERS:
        raise LimitError(f"{count:,} values are more than {MOST_MEMBERS:,}.", "--vary", "Give fewer.", "E-BATCH-SIZE")
    return count


def _print(system: System, result: Sweep, written: Sequence[Path], digits: int) -> None:
    console = output.console()
    most = output.most_rows(console)
    console.print(output.plain(system.name), style="bold")
    failed = result.failures
    count = output.number(len(result), "run") + (f", {len(failed)} of them without a result" if failed else "")
    console.print(f"{count} in {result.info['wall_time']:.3g} s")
    rows = [(name, *_range(values, digits)) for name, values in list(result.values.items())[:most]]
    if rows:
        console.print(output.table(["measure", "least", "mean", "most"], rows, numbers_from=1))
    for i, message in list(failed.items())[:most]:
        at = ", ".join(f"{name} = {value:g}" for name, value in result.at(i).items())
        output.say(f"{at}: {message}", "dim")
    if most is not None and len(failed) > most:
        console.print(f"and {len(failed) - most} more", style="dim")
    output.say_written(written)


def _range(values: Floats, digits: int) -> tuple[str, ...]:
    finite = values[np.isfinite(values)]
    return tuple(f"{mean(finite):.{digits}g}" for mean in (np.min, np.mean, np.max)) if finite.size else ("",) * 3


def _record(result: Sweep, written: Sequence[Path]) -> dict[str, Any]:
    """Plain data: what is not a number, as of a run that failed, is null."""
    return {
        "runs": len(result),
        "axes": {name: values.tolist() for name, values in result.axes.items()},
        "shape": list(result.shape),
        "values": {name: _plain(result[name].tolist()) for name in result.values},
        "status": result.status.reshape(result.shape).tolist(),
        "failures": {str(i): message for i, message in result.failures.items()},
        "notices": {str(i): text for i, text in result.notices.items()},
        "seconds": result.info["wall_time"],
        "files": [str(path) for path in written],
    }


def _plain(value: Any) -> Any:
    if isinstance(value, list):
        return [_plain(entry) for entry in value]
    return value if np.isfinite(value) else None
