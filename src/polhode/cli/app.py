"""The command `polhode`. Nothing heavy is loaded before a command needs it, so that `--help` is quick."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from typing import Annotated, Any

import typer

from ..errors import PolhodeError
from .options import Base, Digits, Dynamics, Json, Packages, Pose, Settings, Speeds, grouped, source_of
from .source import Source

app = typer.Typer(
    name="polhode",
    help="Exact equations of motion of mechanisms: derive, compare, simulate, export.",
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        from .. import __version__

        typer.echo(f"polhode {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    """Exact equations of motion of mechanisms: derive, compare, simulate, export."""


@app.command()
@grouped
def derive(
    source: Source,
    derivation: dict[str, Any],
    of: Annotated[str | None, typer.Option(help="Print this: mass_matrix, forcing, forward_dynamics, …")] = None,
    latex: Annotated[bool, typer.Option("--latex", help="Print LaTeX.")] = False,
    report: Annotated[bool, typer.Option("--report", help="Print the tables of the paper, by kane.")] = False,
    pseudo: Annotated[
        list[str] | None,
        typer.Option(
            "--pseudo", help="A pseudo-velocity: --pseudo v='cos(turn)*a + sin(turn)*b'", metavar="NAME=EXPRESSION"
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Say what a mechanism is and print its equations of motion."""
    from . import derive as command

    command.run(source, derivation.pop("formalism"), of, latex, json, report, pseudo or (), options=derivation)


@app.command()
@grouped
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
        list[str] | None, typer.Option(help="A joint or constraint: what it carries, in the text and the plot too.")
    ] = None,
    channel: Annotated[
        list[str] | None, typer.Option(help="What the page draws over time: --channel speeds --channel 'l*cos(hip)'")
    ] = None,
    digits: Digits = 6,
    json: Json = False,
) -> None:
    """Run a mechanism; write what came of it."""
    from . import simulate as command

    files = {"csv": csv, "page": page, "plot": plot, "save": save}
    given = (source, duration, pose, settings or [], running, files, json, reaction or [])
    raise typer.Exit(command.run(*given, derivation=derivation, digits=digits, channels=channel))


@app.command()
@grouped
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
        list[str] | None,
        typer.Option(help="What to keep: final, energy_drift, max:hinge, …; trajectories for all of it."),
    ] = None,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Write results (.csv, .nc, .zarr, .npz).")] = None,
    plot: Annotated[Path | None, typer.Option(help="Write a plot of the results (.png, .svg, .pdf).")] = None,
    pose: Pose = None,
    settings: Settings = None,
    together: Annotated[bool, typer.Option("--zip", help="Take the values together, not as a grid.")] = False,
    workers: Annotated[int | None, typer.Option(help="Processes; as many as there are cores by default.")] = None,
    store: Annotated[Path | None, typer.Option(help="A folder for what is done: called again, it goes on.")] = None,
    digits: Digits = 6,
    json: Json = False,
) -> None:
    """Run a mechanism over many values, on all cores; write what is measured of each run."""
    from . import sweep as command

    running |= {"zip": together, "workers": workers, "store": store}
    given = (source, duration, vary, measure or ["final"], pose, settings or [], running, out, json, digits, plot)
    raise typer.Exit(command.run(*given, derivation=derivation))


@app.command()
@grouped
def compare(
    source: Source,
    timing: Annotated[bool, typer.Option(help="Compile and time native code.")] = True,
    speeds: Speeds = None,
    json: Json = False,
) -> None:
    """Derive by every formalism and by a reference: prove that they agree, count operations, time native code."""
    from . import compare as command

    raise typer.Exit(command.run(source, timing, json, speeds))


@app.command()
@grouped
def prove(
    source: Source,
    latex: Annotated[bool, typer.Option("--latex", help="Print LaTeX.")] = False,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Write the proof (.tex, .md, .html).", show_default=False)
    ] = None,
    json: Json = False,
) -> None:
    """Prove on a mechanism, step by step, that Lagrange and Newton-Euler are one computation (Silver)."""
    from . import prove as command

    raise typer.Exit(command.run(source, latex, out, json))


@app.command()
@grouped
def export(
    source: Source,
    derivation: dict[str, Any],
    target: Annotated[str, typer.Option(help="The language, such as c; a wrong one lists them all.")] = "c",
    out: Annotated[Path, typer.Option("--out", "-o", help="The folder to write to.")] = Path("out"),
    of: Annotated[list[str] | None, typer.Option(help="Functions, with commas between or given several times.")] = None,
    reaction: Annotated[list[str] | None, typer.Option(help="A joint or constraint: what it carries.")] = None,
    pose: Annotated[list[str] | None, typer.Option(help="A body or frame: where it is.")] = None,
    prefix: Annotated[
        str | None, typer.Option(help="What names begin with; the system's name by default, '' for nothing.")
    ] = None,
    program: Annotated[
        bool, typer.Option("--program", help="A whole program that simulates, with a text file of its values.")
    ] = False,
    start: Annotated[str | None, typer.Option(help="With --program: the named pose to start from.")] = None,
    json: Json = False,
) -> None:
    """Write functions, or a whole simulation program, as source code without dependencies."""
    from . import export as command

    asked = of or [], json, reaction or [], pose or [], prefix
    command.run(source, target, out, *asked, program=program, start=start, derivation=derivation)


@app.command()
@grouped
def check(source: Source, json: Json = False) -> None:
    """Check a model file: that it reads, derives, agrees, and can start."""
    from . import check as command

    raise typer.Exit(command.run(source, json))


@app.command()
@grouped
def diagnose(
    source: Source,
    pose: Annotated[str | None, typer.Option(help="The named pose to look at; home by default.")] = None,
    json: Json = False,
) -> None:
    """Say what the constraints of a mechanism leave free, and what is wrong with them."""
    from . import diagnose as command

    raise typer.Exit(command.run(source, pose, json))


@app.command()
@grouped
def network(
    source: Source,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Write the graph as a drawing (.svg).")] = None,
    diagram: Annotated[Path | None, typer.Option(help="Write the block diagram (.svg).")] = None,
    schematic: Annotated[Path | None, typer.Option(help="Write the schematic diagram (.svg).")] = None,
    terminal_graphs: Annotated[Path | None, typer.Option(help="Write the bodies' terminal graphs (.svg).")] = None,
    tree: Annotated[list[str] | None, typer.Option(help="A branch of the formulation tree; repeat it.")] = None,
    across: Annotated[list[str] | None, typer.Option(help="A joint whose motion is given; may be repeated.")] = None,
    through: Annotated[list[str] | None, typer.Option(help="A joint whose force is given; may be repeated.")] = None,
    json: Json = False,
) -> None:
    """Show a mechanism as a network: its linear graph, formulation tree, circuits and cut-sets."""
    from . import network as command

    drivers = {"tree": tree or (), "across": across or (), "through": through or ()}
    command.run(source, out, diagram, json, **drivers, terminal_graphs=terminal_graphs, schematic=schematic)


@app.command()
def ladder(
    file: Annotated[
        Path | None, typer.Argument(help="Count on this mechanism; without one, on general arms.", show_default=False)
    ] = None,
    joints: Annotated[int, typer.Option(help="Up to how many joints.")] = 6,
    by_joints: Annotated[bool, typer.Option("--by-joints", help="Also print the counts joint by joint.")] = False,
    base: Base = None,
    package: Packages = None,
    dynamics: Dynamics = False,
    json: Json = False,
) -> None:
    """Count what inverse dynamics cost through its history: as printed, as written, and on our graph."""
    from . import ladder as command

    command.run(None if file is None else source_of(file, base, package, dynamics), joints, by_joints, json)


@app.command()
def schema() -> None:
    """Print the JSON Schema of model files."""
    from ..formats import schema as published
    from .show import as_json

    as_json(published())


@app.command()
@grouped
def view(
    source: Source,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Write the page here (.html), and open nothing.")
    ] = None,
    pose: Annotated[str | None, typer.Option(help="The named pose to show; home by default.")] = None,
    settings: Annotated[
        list[str] | None, typer.Option("--set", help="A parameter: --set l=2", metavar="NAME=VALUE")
    ] = None,
    json: Json = False,
) -> None:
    """Show a mechanism in a pose, as a page that opens in the browser."""
    from . import view as command

    command.run(source, out, pose, settings or [], json)


@app.command()
def info(json: Json = False) -> None:
    """Tell versions, backends, the cache, and which extras are installed."""
    from . import info as command

    command.run(json)


@app.command()
def new(
    kind: Annotated[str, typer.Argument(help="What to start from, such as arm; a wrong one lists them all.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="The folder to write to.")] = Path(),
    json: Json = False,
) -> None:
    """Write a commented model file and a notebook to start from."""
    from . import new as command

    command.run(kind, out, json)


@app.command()
def demo(out: Annotated[Path, typer.Option("--out", "-o", help="The folder to write to.")] = Path("out")) -> None:
    """Derive, compare, run and show a six-degree-of-freedom arm."""
    from .demo import run

    run(out)


def main() -> None:
    """Run the command line; what is wrong with the input ends in a message and exit code 2."""
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _told
            app()
    except PolhodeError as error:
        sys.exit(_report(error))
    except KeyboardInterrupt:
        sys.exit(130)
    except BrokenPipeError:
        # Whoever read our output has had enough; closing quietly is what they expect.
        sys.stderr.close()
        sys.exit(141)


def _told(message: Warning | str, *where: object, **more: object) -> None:
    """A warning as a sentence: the line of the program that it arose at tells a user nothing."""
    from . import show

    show.console(stderr=True).print(show.plain(message), style="yellow", soft_wrap=True)


def _report(error: PolhodeError) -> int:
    from . import show

    if "--json" in sys.argv:
        show.as_json({"error": error.as_json()})
    else:
        show.console(stderr=True).print(show_lines(str(error)), style="red", soft_wrap=True)
    return 2


def show_lines(message: str) -> str:
    """The lines of a message without control characters."""
    from .show import plain

    return "\n".join(plain(line) for line in message.splitlines())


if __name__ == "__main__":
    main()
