"""How fast a mechanism with loops moves: ten seconds of N four-bars, which pass singular poses at every turn."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from polhode.errors import PolhodeError
from polhode.model.samples import n_four_bar
from polhode.simulate import Trajectory

from .clock import least_times, seconds_of
from .table import Timing

SECTION = "loops"
MOTION = 10.0


def rows(quick: bool, say: Callable[[str], None]) -> list[Timing]:
    """The section's table."""
    return [_row(windows, 1 if quick else 3, say) for windows in ((1, 2) if quick else (1, 2, 10, 40))]


def _row(windows: int, passes: int, say: Callable[[str], None]) -> Timing:
    say(f"{windows} four-bars")
    equations = n_four_bar(windows).derive()
    functions = equations.compile()
    start = {"crank 0": 1.0}

    def motion(seconds: float = MOTION) -> Trajectory:
        return equations.simulate(seconds, speeds=start, functions=functions, progress=False)

    run = motion()
    stray = max(run.drift.position, run.drift.velocity)
    if not (stray < 1e-9 and run.energy_drift < 1e-6):
        raise PolhodeError(
            f"{windows} four-bars stray by {stray:.1e}, and their energy by {run.energy_drift:.1e}.", code="E-BENCH-009"
        )
    least = least_times({"ours": partial(seconds_of, motion)}, passes)["ours"]
    return Timing(
        SECTION, f"{windows} four-bar{'s' if windows > 1 else ''}", "ten seconds of motion", least,
        note=f"{MOTION / least:.0f} s of motion a second; energy to {run.energy_drift:.0e}, constraints to {stray:.0e}",
    )  # fmt: skip
