"""`polhode demo`: the demonstration.

The six-degree-of-freedom arm of Kwatny and Blankenship (1995), section IV, once with compound joints throughout and
once with a simple spherical wrist: derived by every formalism, compared, compiled, dropped, and shown.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from textwrap import fill

import numpy as np
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn
from rich.text import Text

from ..compare import Comparison, nanoseconds_per_call
from ..compiled.functions import Functions
from ..errors import PolhodeError
from ..model.samples import six_degree_of_freedom_arm
from ..simulate import Trajectory, simulate
from ..surface.equations import Equations
from ..terminal import output
from ..terminal.options import Out

WRISTS = ("compound", "spherical")
SECONDS = 10.0
TOLERANCE = 1e-11


@dataclass(frozen=True, eq=False)
class Outcome:
    """Results and files of the demonstration."""

    comparisons: dict[str, Comparison]
    trajectories: dict[str, Trajectory]
    distance: float
    files: tuple[Path, ...]


def demo(out: Out = Path("out")) -> None:
    """Run the demonstration and write its files."""
    demonstrate(out)


def demonstrate(out: Path, seconds: float = SECONDS) -> Outcome:
    """Derive, compare, compile, simulate and draw the arm; files go to `out`."""
    began = time.perf_counter()
    console = output.console()
    folder = output.create_folder(out)
    console.print()
    console.print(Text.assemble(("polhode", "bold cyan"), "  a robot arm, from description to motion"))
    console.print("upper arm, forearm, gripper, six degrees of freedom; Kwatny & Blankenship 1995\n", style="dim")
    comparisons = _derive(console)
    equations = {wrist: six_degree_of_freedom_arm(wrist).derive() for wrist in WRISTS}
    functions = _compile(console, equations)
    trajectories = _simulate(console, functions, seconds)
    distance = _judge(console, trajectories)
    files = _draw(console, folder, trajectories["spherical"])
    console.print(f"all of it in {time.perf_counter() - began:.1f} s\n", style="dim")
    return Outcome(comparisons, trajectories, distance, files)


def _heading(console: Console, number: int, words: str, more: str = "") -> None:
    console.print(Text.assemble((f"{number}  ", "bold cyan"), (words, "bold"), (f"  {more}", "dim")))


def _derive(console: Console) -> dict[str, Comparison]:
    _heading(console, 1, "Derive", "by every formalism, with symbols for masses and lengths")
    comparisons = {}
    with console.status("   deriving, counting, timing") as status:
        for wrist in WRISTS:
            status.update(f"   {wrist} wrist: deriving, counting, timing")
            comparisons[wrist] = six_degree_of_freedom_arm(wrist).compare()
    for line in _table(comparisons):
        console.print(line)
    console.print("   operations and ns of one evaluation; trig: sine-cosine pairs; green: fewest\n", style="dim")
    for wrist, comparison in comparisons.items():
        times = [row.derivation_ms for row in comparison.rows]
        text = f"{wrist} wrist: {comparison.verdict} ({min(times):.0f} to {max(times):.0f} ms a function)"
        mark = "✓" if comparison.agree else "✗"
        lines = fill(text, 78, initial_indent=f"   {mark} ", subsequent_indent=" " * 5)
        console.print(lines, style="green" if comparison.agree else "red")
    console.print()
    return comparisons


def _table(comparisons: dict[str, Comparison]) -> list[Text]:
    """Both wrists side by side in 80 columns."""
    head = f"   {'formalism':16} {'function':11} " + f"{'mul':>6}{'add':>6}{'trig':>5}{'ns':>6}" * len(WRISTS)
    lines = [Text(" " * 32 + "".join(f"{wrist + ' wrist':>23}" for wrist in WRISTS), "bold"), Text(head, "bold")]
    last = ""
    for rows in zip(*(comparisons[wrist].rows for wrist in WRISTS), strict=True):
        name = "" if rows[0].formalism == last else rows[0].formalism.replace("_", " ")
        last = rows[0].formalism
        function = rows[0].function.removesuffix("_dynamics").replace("_", " ")
        line = Text(f"   {name:16} {function:11} ")
        for wrist, row in zip(WRISTS, rows, strict=True):
            ns = "–" if row.nanoseconds is None else f"{row.nanoseconds:.0f}"
            cells = f"{row.multiplications:>6}{row.additions:>6}{row.sine_cosine_pairs:>5}{ns:>6}"
            line.append(cells, "green" if row == comparisons[wrist].cheapest(row.function) else "")
        lines.append(line)
    return lines


def _compile(console: Console, equations: dict[str, Equations]) -> dict[str, Functions]:
    _heading(console, 2, "Compile", "to native code, without a compiler")
    compiled = {}
    for wrist, single in equations.items():
        # Without the cache, so that the printed time is that of a compilation.
        cold = single.compile(cache=False)
        cold.program("state_rates")
        began = time.perf_counter()
        cold.native("state_rates")
        took = time.perf_counter() - began
        nanoseconds = nanoseconds_per_call(cold, "state_rates", seconds=0.1)
        compiled[wrist] = cold
        text = "" if nanoseconds is None else f", then {nanoseconds:.0f} ns to evaluate q̇ and u̇"
        console.print(f"   {wrist} wrist: {took * 1e3:.0f} ms{text}")
    console.print()
    return compiled


def _simulate(console: Console, functions: dict[str, Functions], seconds: float) -> dict[str, Trajectory]:
    _heading(console, 3, "Simulate", f'{seconds:g} seconds of free fall from the pose "reach", tolerance {TOLERANCE:g}')
    trajectories = {}
    for wrist, compiled in functions.items():
        with _bar(console, f"   {wrist} wrist", seconds) as bar:
            trajectories[wrist] = simulate(
                compiled.derivation,
                seconds,
                start="reach",
                progress=bar,
                functions=compiled,
                rtol=TOLERANCE,
                atol=TOLERANCE,
            )
    for wrist, trajectory in trajectories.items():
        info = trajectory.info
        console.print(
            f"   {wrist} wrist: {info['steps']:,} steps in {info['wall_time']:.2f} s, "
            f"energy drift {trajectory.energy_drift:.1e}"
        )
    return trajectories


@contextmanager
def _bar(console: Console, words: str, seconds: float) -> Iterator[Callable[[float], None]]:
    columns = TextColumn("{task.description}"), BarColumn(40), TextColumn("{task.completed:5.2f} s")
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task(words, total=seconds)
        yield lambda share: progress.update(task, completed=share * seconds)


def _judge(console: Console, trajectories: dict[str, Trajectory]) -> float:
    """Largest distance between the grippers of the two models, in m: they describe the same arm."""
    paths = [trajectory.pose("gripper")[0] for trajectory in trajectories.values()]
    distance = float(np.linalg.norm(paths[0] - paths[1], axis=1).max())
    console.print(f"   ✓ both models move the gripper alike, within {distance:.0e} m\n", style="green")
    return distance


def _draw(console: Console, folder: Path, trajectory: Trajectory) -> tuple[Path, ...]:
    _heading(console, 4, "Look")
    page = folder / "arm.html"
    trajectory.animate(
        page,
        notes=f"Free fall from the pose “reach”; no friction. Energy drift {trajectory.energy_drift:.1e} "
        f"over {trajectory.t[-1]:g} s.",
    )
    files = {page: "the arm in motion: open it in a browser"}
    try:
        trajectory.plot(folder / "arm.png")
        files[folder / "arm.png"] = "angles, speeds and energy"
    except PolhodeError as error:
        console.print(f"   no plot: {error}", style="yellow")
    files[trajectory.to_csv(folder / "arm.csv")] = "the numbers"
    for path, words in files.items():
        console.print(Text.assemble("   ", (output.plain(path), "bold"), (f"  {words}", "dim")))
    console.print()
    return tuple(files)
