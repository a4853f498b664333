"""`polhode simulate`: run a mechanism and write its results, also those of a run that stopped early.

Samples of an input or an effort are read from comma-separated text: a time and a value in each line.
"""

from __future__ import annotations

import csv
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from math import hypot, isfinite, isnan, nan
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from rich.console import Console

from ..dynamics.reactions import check_name
from ..errors import FormatError, PolhodeError, SimulationError, unknown
from ..expr.calls import Function, samples_of
from ..files.archives import readable
from ..files.reading import read_file
from ..model.system import System
from ..model.unit import si_values, split
from ..simulate.trajectory.files import archive_path, as_csv
from ..simulate.trajectory.power_audit import TOLERANCE, PowerAudit
from ..simulate.trajectory.trajectory import Trajectory
from ..terminal import output
from ..terminal.options import Digits, Json, Names, Pose, Settings, Source, as_typed
from ..terminal.output import pairs

STANDARD_OUTPUT = Path("-")


def simulate(
    source: Source,
    derivation: dict[str, Any],
    running: dict[str, Any],
    duration: Annotated[float, typer.Option("--duration", "-t", help="Seconds.")] = 10.0,
    pose: Pose = None,
    settings: Settings = None,
    csv: Annotated[Path | None, typer.Option(help="Write the trajectory as text; - for the standard output.")] = None,
    page: Annotated[Path | None, typer.Option(help="Write an animated page (.html).")] = None,
    plot: Annotated[Path | None, typer.Option(help="Write a plot (.png, .svg, .pdf).")] = None,
    save: Annotated[Path | None, typer.Option(help="Write everything as a NumPy archive (.npz).")] = None,
    reaction: Annotated[
        Names, typer.Option(help="A joint or constraint: its reaction, in the text and the plot too.")
    ] = None,
    contact: Annotated[
        Names, typer.Option(help="A contact, stop or dry friction: its forces, slip and modes in the text of --csv.")
    ] = None,
    channel: Annotated[
        Names, typer.Option(help="What the page plots over time: --channel speeds --channel 'l*cos(hip)'")
    ] = None,
    digits: Digits = 6,
    json: Json = False,
) -> int:
    """Load, derive, simulate and write; returns the exit code."""
    files = {"csv": csv, "page": page, "plot": plot, "save": save}
    reactions = reaction or []
    system = source.system()
    acting = read_acting(system, settings, running)
    _check_files(files, json)
    if contact and csv is None:
        message, cure = "forces of contacts over time are columns of --csv.", "Add --csv FILE."
        raise PolhodeError(message, "--contact", cure, "E-CLI-UNSUPPORTED")
    for name in reactions:
        check_name(system.model(), name)
    running |= {"progress": False} if json else {}
    stopped: PolhodeError | None = None
    audit: PowerAudit | None = None
    try:
        audited = running.pop("audit", False)
        with output.progress() as status:
            status("deriving")
            equations = system.derive(**derivation)
        trajectory = equations.simulate(duration, start=pose, **acting, **running)
        if audited:
            audit = trajectory.power_audit()
            audit.check(trajectory=trajectory)
    except SimulationError as error:
        if not isinstance(error.trajectory, Trajectory):
            raise
        stopped, trajectory = as_typed(error, sys.argv[1:]), error.trajectory
    written = _write(trajectory, files, reactions, channel, contact or [])
    if json:
        output.as_json(
            _record(trajectory, written, stopped)
            | _reactions(trajectory, reactions)
            | _audit_record(audit)
            | _contacts(trajectory)
        )
    else:
        out = output.console(stderr=files.get("csv") == STANDARD_OUTPUT)
        _print(out, trajectory, written, digits)
        _print_contacts(out, trajectory, digits)
        _print_reactions(out, trajectory, reactions, digits)
        if audit is not None:
            _print_audit(out, audit, digits)
        if pose is None and system.poses:
            names = ", ".join(system.poses)
            out.print(output.plain(f"started at zero coordinates; --pose takes {names}"), style="dim", soft_wrap=True)
        if stopped is not None:
            output.say(stopped, "red", stderr=True)
    return 0 if stopped is None else 130 if trajectory.status == "interrupted" else 2


def read_acting(system: System, settings: Names, options: dict[str, Any]) -> dict[str, Any]:
    """Parameters, inputs and efforts as a run takes them, out of `--set` and the options `--input` and `--effort`."""
    parameters, inputs = read_settings(system, settings)
    inputs |= with_samples(options.pop("inputs", []), "--input")
    tau = with_samples(options.pop("tau", []), "--effort")
    return {"parameters": parameters, "inputs": inputs or None, "tau": tau or None}


def read_settings(system: System, items: Names) -> tuple[dict[str, Any], dict[str, Any]]:
    """Parameters, in SI units, and inputs of `--set`: `name=number`, or `name=number unit`."""
    values: dict[str, Any] = {}
    for item in items or ():
        name, mark, value = item.rpartition("=")
        try:
            values[name.strip()] = value.strip() if split(value) else float(value)
        except ValueError:
            mark = ""
        if not mark or not name.strip():
            raise PolhodeError(f"{item!r} is not understood.", "--set", "Write --set name=2.5", "E-CLI-READ")
    names = [*system.parameters, *system.inputs]
    problems = [
        unknown("parameter or input", name, names, place="--set", code="E-CLI-NAME").problems[0]
        for name in values
        if name not in names
    ]
    if problems:
        raise PolhodeError(problems=problems)
    inputs = {name: value for name, value in values.items() if name in system.inputs}
    parameters = {name: value for name, value in values.items() if name in system.parameters}
    return si_values(system.parameters, parameters), inputs


def _check_files(files: dict[str, Path | None], json: bool) -> None:
    """Raise before the run if a file cannot be written."""
    for option, path in files.items():
        if path == STANDARD_OUTPUT:
            if option == "csv" and not json:
                continue
            message = "only the text of --csv can go to the standard output, and without --json."
            raise PolhodeError(message, f"--{option} -", "Name a file.", "E-CLI-UNSUPPORTED")
        if path is not None:
            check_folder(option, path)
            if option == "save":
                archive_path(path)


def check_folder(option: str, path: Path) -> None:
    """Raise if the folder of a file does not exist."""
    if not path.absolute().parent.is_dir():
        message = f"there is no folder {str(path.absolute().parent)!r}."
        raise PolhodeError(message, place=f"--{option}", cure="Create it first, or name another.", code="E-FILE-NAME")


def _write(
    trajectory: Trajectory,
    files: dict[str, Path | None],
    reactions: Sequence[str],
    channels: Sequence[str] | None = None,
    contacts: Sequence[str] = (),
) -> list[Path]:
    written = []
    for option, path in files.items():
        if path is None:
            continue
        if path == STANDARD_OUTPUT:
            sys.stdout.write(as_csv(trajectory, reactions, contacts).decode("utf-8"))
            continue
        if option == "csv":
            trajectory.to_csv(path, reactions, contacts)
        elif option == "page":
            with output.warnings_printed():
                trajectory.animate(path, channels=channels)
        elif option == "plot":
            trajectory.plot(path, reactions)
        else:
            trajectory.save(path)
        written.append(path)
    return written


def _print(out: Console, trajectory: Trajectory, written: list[Path], digits: int) -> None:
    out.print(output.plain(trajectory.title), style="bold")
    out.print(trajectory.summary())
    most = output.most_rows(out)
    names = [*trajectory.coordinates[:most], *trajectory.states[:most]]
    rows = [(name, *(f"{trajectory[name][k]:.{digits}g}" for k in (0, -1))) for name in names]
    what = "coordinate or state" if trajectory.states else "coordinate"
    out.print(output.table([what, "start", "end"], rows, numbers_from=1))
    left_out = len(trajectory.coordinates) + len(trajectory.states) - len(names)
    if left_out:
        out.print(f"and {left_out} more; pipe this, or write --csv, to have all", style="dim")
    out.print(_energy_in_words(trajectory, digits))
    if trajectory.has_constraints:
        drift = trajectory.drift
        out.print(f"constraints kept to {drift.position:.1e} in position and {drift.velocity:.1e} in velocity")
    for notice in trajectory.notices:
        out.print(output.plain(notice), style="dim", soft_wrap=True)
    for path in written:
        out.print(output.plain(f"wrote {path}"))


def _energy_in_words(trajectory: Trajectory, digits: int) -> str:
    if not trajectory.has_energy:
        return "energy is not available: it depends on an omitted coordinate"
    energy = trajectory.energy.total
    return (
        f"energy {energy[0]:.{digits}g} J at the start, {energy[-1]:.{digits}g} J at the end; largest change "
        f"{trajectory.energy_drift:.1e} of the energy scale"
    )


def _reactions(trajectory: Trajectory, reactions: Sequence[str]) -> dict[str, Any]:
    """The largest force and torque of each reaction, in N and N·m."""
    largest = {
        name: {part: max(map(hypot, *getattr(reaction, part).T.tolist())) for part in ("force", "torque")}
        for name, reaction in ((name, trajectory.reaction(name)) for name in reactions)
    }
    return {"reactions": largest} if largest else {}


def _print_reactions(out: Console, trajectory: Trajectory, reactions: Sequence[str], digits: int) -> None:
    largest = _reactions(trajectory, reactions).get("reactions", {})
    if largest:
        rows = [(name, *(f"{value:.{digits}g}" for value in parts.values())) for name, parts in largest.items()]
        out.print(output.table(["reaction of", "largest force", "largest torque"], rows, numbers_from=1))


def _contacts(trajectory: Trajectory) -> dict[str, Any]:
    """Modes at the end, impacts and largest forces of each contact, stop and dry friction, and contact events."""
    table: dict[str, Any] = {}
    for name in trajectory.contact_names:
        contact = trajectory.contact(name)
        table[name] = {
            "mode": dict(
                zip((part or name for part in contact.parts), np.atleast_1d(contact.mode[-1]).tolist(), strict=True)
            ),
            "impacts": len(contact.impulses),
            "largest_normal": float(np.abs(contact.normal).max(initial=0.0)),
            "largest_tangential": float(np.linalg.norm(contact.tangential, axis=-1).max(initial=0.0)),
        }
    return {"contacts": table, "contact_events": [e._asdict() for e in trajectory.contact_events]} if table else {}


def _print_contacts(out: Console, trajectory: Trajectory, digits: int) -> None:
    for name, state in _contacts(trajectory).get("contacts", {}).items():
        modes = ", ".join(f"{count} {word}" for word, count in Counter(state["mode"].values()).items())
        normal, across = (f"{state[key]:.{digits}g}" for key in ("largest_normal", "largest_tangential"))
        line = f"'{name}' at the end: {modes}; impacts: {state['impacts']}; largest forces: {normal}, friction {across}"
        out.print(output.plain(line), soft_wrap=True)
    events, most = trajectory.contact_events, output.most_rows(out)
    if events:
        rows = [(f"{event.t:.{digits}g}", event.what, event.name) for event in events[:most]]
        out.print(output.table(["at t, s", "what", "contact"], rows))
    if most is not None and len(events) > most:
        out.print(f"and {len(events) - most} more; pipe this, or print --json, to have all", style="dim")


def _audit_record(audit: PowerAudit | None) -> dict[str, Any]:
    if audit is None:
        return {}
    record: dict[str, Any] = {"residual": audit.residual, "tolerance": TOLERANCE, "passed": audit.residual <= TOLERANCE}
    record |= {"quadrature": audit.quadrature, "notices": list(audit.notices())}
    return {"audit": record | {"parts": [asdict(part) for part in audit.parts]}}


def _print_audit(out: Console, audit: PowerAudit, digits: int) -> None:
    """The largest gap of each part, its time, and the power that flowed in and was stored then."""
    passed = audit.residual <= TOLERANCE
    out.print(
        f"power audit {'passed' if passed else 'FAILED'}: largest gap {audit.residual:.1e} of the power scale",
        style="green" if passed else "red",
    )
    rows = [
        (part.name, f"{part.residual:.1e}", *(f"{value:.{digits}g}" for value in (part.time, part.inflow, part.stored)))
        for part in audit.parts[: output.most_rows(out)]
    ]
    out.print(output.table(["part", "gap", "at t, s", "takes in", "stores"], rows, numbers_from=1))
    for notice in audit.notices():
        out.print(output.plain(notice), style="yellow", soft_wrap=True)


def _record(trajectory: Trajectory, written: list[Path], stopped: PolhodeError | None) -> dict[str, Any]:
    energy = None
    if trajectory.has_energy:
        start, end = trajectory.energy.total[[0, -1]].tolist()
        energy = {"start": start, "end": end, "drift": trajectory.energy_drift}
    record: dict[str, Any] = {
        "status": trajectory.status,
        "partial": not trajectory.is_whole,
        "time": float(trajectory.t[-1]),
        "samples": len(trajectory),
        "final": {
            "coordinates": dict(zip(trajectory.coordinates, trajectory.q[-1].tolist(), strict=True)),
            "speeds": dict(zip(trajectory.speeds, trajectory.u[-1].tolist(), strict=True)),
            "states": dict(zip(trajectory.states, trajectory.z[-1].tolist(), strict=True)),
        },
        "energy": energy,
        "drift": {"position": trajectory.drift.position, "velocity": trajectory.drift.velocity},
        "notices": list(trajectory.notices),
        "method": trajectory.info["method"],
        "steps": trajectory.info["steps"],
        "evaluations": trajectory.info["evaluations"],
        "seconds": trajectory.info["wall_time"],
        "files": [str(path) for path in written],
    }
    return record if stopped is None else record | {"error": stopped.as_json()}


_MOST_BYTES = 20_000_000
_CURE = "Write a time in seconds and a value in each line, with a comma between: 0.1,2.5"


def with_samples(items: Iterable[str], option: str) -> dict[str, Any]:
    """The `name=expression` pairs of an option; a text that ends in .csv names a file of samples."""
    return {
        name: read_samples(Path(text), name, f"{option} {name}") if text.lower().endswith(".csv") else text
        for name, text in pairs(items, option, "name='2*t'").items()
    }


def read_samples(path: Path, name: str, place: str) -> Function:
    """The samples of a file, joined by straight lines; a first line of words is a header."""
    try:
        lines = read_file(path, _MOST_BYTES).decode("utf-8-sig").splitlines()
    except FileNotFoundError:
        cure = "Name a file of times and values."
        raise FormatError(f"there is no file '{path}'.", place, cure, "E-FILE-NAME") from None
    except UnicodeDecodeError:
        raise FormatError(f"'{path}' is not text in UTF-8.", place=place, cure=_CURE, code="E-FILE-READ") from None
    except (OSError, ValueError) as error:
        reason = (error.strerror if isinstance(error, OSError) else "") or error
        cure = "Give a text file with two columns, time and value."
        raise FormatError(f"'{path}' cannot be read: {reason}.", place, cure, "E-FILE-READ") from None
    rows = [(row, line) for row, line in enumerate(lines, start=1) if line.strip() and line.lstrip()[0] != "#"]
    times: list[float] = []
    values: list[float] = []
    for k, (row, line) in enumerate(rows):
        here = f"{place}: {path}:{row}"
        with readable(here, "a table of samples", "a spreadsheet"):
            cells = [cell.strip() for cell in next(csv.reader([line]))]
        if len(cells) != 2:
            columns = "1 column stands" if len(cells) == 1 else f"{len(cells)} columns stand"
            raise FormatError(f"{columns} where two should, time and value.", here, _CURE, "E-FILE-READ")
        time, value = map(_number, cells)
        if k == 0 and isnan(time) and isnan(value):
            continue
        for cell, number in zip(cells, (time, value), strict=True):
            if not isfinite(number):
                raise FormatError(f"{cell!r} is not a finite number.", here, _CURE, "E-FILE-READ")
        if times and not times[-1] < time:
            text = f"the time {time!r} does not come after {times[-1]!r}, the one before it."
            raise FormatError(text, place=here, cure="Sort the lines by time, and remove doubles.", code="E-FILE-READ")
        times.append(time)
        values.append(value)
    if len(times) < 2:
        text = f"'{path}' has {len(times) or 'no'} sample{'s' * (len(times) != 1)}; two or more are needed."
        raise FormatError(text, place=place, cure=_CURE, code="E-FILE-READ")
    return samples_of(times, values, "linear", name, f"{place}: {path}")


def _number(cell: str) -> float:
    try:
        return float(cell)
    except ValueError:
        return nan
