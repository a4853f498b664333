"""`polhode simulate`: run a mechanism and keep what came of it, also of a run that did not get to its end."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import asdict
from math import hypot
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from ..dynamics.reactions import check_name
from ..errors import PolhodeError, SimulationError, unknown
from ..model.system import System
from ..model.unit import si_values
from ..simulate.trajectory.files import archive_path, as_csv
from ..simulate.trajectory.power_audit import TOLERANCE, PowerAudit
from ..simulate.trajectory.trajectory import Trajectory
from . import show
from .options import Digits, Json, Names, Pose, Settings
from .samples import with_samples
from .source import Source

STANDARD_OUTPUT = Path("-")


def run(
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
        Names, typer.Option(help="A joint or constraint: what it carries, in the text and the plot too.")
    ] = None,
    channel: Annotated[
        Names, typer.Option(help="What the page draws over time: --channel speeds --channel 'l*cos(hip)'")
    ] = None,
    digits: Digits = 6,
    json: Json = False,
) -> int:
    """Load, derive, simulate, write; returns the exit code. Numbers in tables have so many digits."""
    files = {"csv": csv, "page": page, "plot": plot, "save": save}
    reactions = reaction or []
    system = source.system()
    acting = read_acting(system, settings, running)
    _check_files(files, json)
    for name in reactions:
        check_name(system.model(), name)
    running |= {"progress": False} if json else {}
    stopped: SimulationError | None = None
    audit: PowerAudit | None = None
    try:
        audited = running.pop("audit", False)
        with show.progress() as tell:
            tell("deriving")
            equations = system.derive(**derivation)
        trajectory = equations.simulate(duration, start=pose, **acting, **running)
        if audited:
            audit = trajectory.power_audit()
            audit.check(trajectory=trajectory)
    except SimulationError as error:
        if not isinstance(error.trajectory, Trajectory):
            raise
        stopped, trajectory = error, error.trajectory
    written = _write(trajectory, files, reactions, channel)
    if json:
        show.as_json(_record(trajectory, written, stopped) | _carried(trajectory, reactions) | _audit_record(audit))
    else:
        out = show.console(stderr=files.get("csv") == STANDARD_OUTPUT)
        _tell(out, trajectory, written, digits)
        _tell_reactions(out, trajectory, reactions, digits)
        if audit is not None:
            _tell_audit(out, audit, digits)
        if pose is None and system.poses:
            known = ", ".join(system.poses)
            out.print(show.plain(f"started at home; --pose takes {known}"), style="dim", soft_wrap=True)
        if stopped is not None:
            show.console(stderr=True).print(str(stopped), style="red", soft_wrap=True)
    if stopped is None:
        return 0
    return 130 if trajectory.status == "interrupted" else 2


def read_acting(system: System, settings: Names, options: dict[str, Any]) -> dict[str, Any]:
    """Parameters, inputs and efforts as a run takes them, out of `--set` and the options `--input` and `--effort`."""
    parameters, inputs = read_settings(system, settings)
    inputs |= with_samples(show.laws(options.pop("inputs", []), "--input"), "--input")
    tau = with_samples(show.laws(options.pop("tau", []), "--effort"), "--effort")
    return {"parameters": parameters, "inputs": inputs or None, "tau": tau or None}


def read_settings(system: System, given: Names) -> tuple[dict[str, Any], dict[str, Any]]:
    """`--set` reaches parameters and inputs alike; parameters are in SI units then."""
    values = show.assignments(given or [])
    for name in values:
        if name not in system.parameters and name not in system.inputs:
            known = [*system.parameters, *system.inputs]
            raise unknown("parameter or input", name, known, place="--set", code="E-CLI-NAME")
    inputs: dict[str, Any] = {name: value for name, value in values.items() if name in system.inputs}
    own = {name: value for name, value in values.items() if name in system.parameters}
    return si_values(system.parameters, own), inputs


def _check_files(files: dict[str, Path | None], json: bool) -> None:
    """A file that cannot be written is better known before a long run than after it."""
    for option, path in files.items():
        if path == STANDARD_OUTPUT:
            if option == "csv" and not json:
                continue
            said = "only the text of --csv can go to the standard output, and without --json."
            raise PolhodeError(said, place=f"--{option} -", cure="Name a file.", code="E-CLI-UNSUPPORTED")
        if path is not None:
            check_folder(option, path)
            if option == "save":
                archive_path(path)


def check_folder(option: str, path: Path) -> None:
    """Raise where the folder that a file goes to is not there."""
    if not path.absolute().parent.is_dir():
        said = f"there is no folder {str(path.absolute().parent)!r}."
        raise PolhodeError(said, place=f"--{option}", cure="Make it first, or name another.", code="E-FILE-NAME")


def _write(
    trajectory: Trajectory,
    files: dict[str, Path | None],
    reactions: Sequence[str],
    channels: Sequence[str] | None = None,
) -> list[Path]:
    written = []
    for option, path in files.items():
        if path is None:
            continue
        if path == STANDARD_OUTPUT:
            sys.stdout.write(as_csv(trajectory, reactions).decode("utf-8"))
            continue
        if option == "csv":
            trajectory.to_csv(path, reactions)
        elif option == "page":
            with show.warnings_told():  # what is not drawn on it
                trajectory.animate(path, channels=channels)
        elif option == "plot":
            trajectory.plot(path, reactions)
        else:
            trajectory.save(path)
        written.append(path)
    return written


def _tell(out: Console, trajectory: Trajectory, written: list[Path], digits: int) -> None:
    out.print(show.plain(trajectory.title), style="bold")
    out.print(trajectory.summary())
    most = show.most_rows(out)
    names = [*trajectory.coordinates[:most], *trajectory.states[:most]]
    rows = [(name, *(f"{trajectory[name][k]:.{digits}g}" for k in (0, -1))) for name in names]
    what = "coordinate or state" if trajectory.states else "coordinate"
    out.print(show.table([what, "start", "end"], rows, numbers_from=1))
    left_out = len(trajectory.coordinates) + len(trajectory.states) - len(names)
    if left_out:
        out.print(f"and {left_out} more; pipe this, or write --csv, to have all", style="dim")
    out.print(_energy_in_words(trajectory, digits))
    if trajectory.has_constraints:
        drift = trajectory.drift
        out.print(f"constraints kept to {drift.position:.1e} in position and {drift.velocity:.1e} in velocity")
    for notice in trajectory.notices:
        out.print(show.plain(notice), style="dim", soft_wrap=True)
    for path in written:
        out.print(show.plain(f"wrote {path}"))


def _energy_in_words(trajectory: Trajectory, digits: int) -> str:
    if not trajectory.has_energy:
        return "energy is not available: it depends on an omitted coordinate"
    energy = trajectory.energy.total
    return (
        f"energy {energy[0]:.{digits}g} J at the start, {energy[-1]:.{digits}g} J at the end; largest change "
        f"{trajectory.energy_drift:.1e} of the energy scale"
    )


def _energy_in_numbers(trajectory: Trajectory) -> dict[str, float] | None:
    if not trajectory.has_energy:
        return None
    energy = trajectory.energy.total
    return {"start": float(energy[0]), "end": float(energy[-1]), "drift": trajectory.energy_drift}


def _carried(trajectory: Trajectory, reactions: Sequence[str]) -> dict[str, Any]:
    """The largest force and torque of each reaction, in N and N·m."""
    made = {name: trajectory.reaction(name) for name in reactions}
    most = {
        name: {part: max(map(hypot, *getattr(carried, part).T.tolist())) for part in ("force", "torque")}
        for name, carried in made.items()
    }
    return {"reactions": most} if most else {}


def _tell_reactions(out: Console, trajectory: Trajectory, reactions: Sequence[str], digits: int) -> None:
    carried = _carried(trajectory, reactions).get("reactions", {})
    if carried:
        rows = [(name, f"{most['force']:.{digits}g}", f"{most['torque']:.{digits}g}") for name, most in carried.items()]
        out.print(show.table(["carried by", "largest force", "largest torque"], rows, numbers_from=1))


def _audit_record(audit: PowerAudit | None) -> dict[str, Any]:
    if audit is None:
        return {}
    told: dict[str, Any] = {"residual": audit.residual, "tolerance": TOLERANCE, "passed": audit.residual <= TOLERANCE}
    told |= {"quadrature": audit.quadrature, "notices": list(audit.notices())}
    return {"audit": told | {"parts": [asdict(part) for part in audit.parts]}}


def _tell_audit(out: Console, audit: PowerAudit, digits: int) -> None:
    """Every part's books: its largest gap, when that was, what it took in then and what it stored."""
    passed = audit.residual <= TOLERANCE
    out.print(
        f"power audit {'passed' if passed else 'FAILED'}: largest gap {audit.residual:.1e} of the energy scale",
        style="green" if passed else "red",
    )
    rows = [
        (part.name, f"{part.residual:.1e}", *(f"{each:.{digits}g}" for each in (part.time, part.inflow, part.stored)))
        for part in audit.parts[: show.most_rows(out)]
    ]
    out.print(show.table(["part", "gap", "at t, s", "takes in", "stores"], rows, numbers_from=1))
    for notice in audit.notices():
        out.print(show.plain(notice), style="yellow", soft_wrap=True)


def _record(trajectory: Trajectory, written: list[Path], stopped: SimulationError | None) -> dict[str, Any]:
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
        "energy": _energy_in_numbers(trajectory),
        "drift": {"position": trajectory.drift.position, "velocity": trajectory.drift.velocity},
        "notices": list(trajectory.notices),
        "method": trajectory.info["method"],
        "steps": trajectory.info["steps"],
        "evaluations": trajectory.info["evaluations"],
        "seconds": trajectory.info["wall_time"],
        "files": [str(path) for path in written],
    }
    return record if stopped is None else record | {"error": stopped.as_json()}
