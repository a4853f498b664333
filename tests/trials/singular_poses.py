"""A long trial: N-four-bars through their flat poses at tight tolerances.

    python -m tests.trials.singular_poses [--quick] [--results FILE] [--windows 1 2 10] [--processes 2]

N = 1, 2, 10; forty starting speeds; tolerances 1e-9 to 1e-13; ten seconds each: six hundred runs. No run is stuck: each
takes at most twice the steps of the one at a tolerance ten times looser. The energy drifts by at most a hundred times
the tolerance, and at most one run in twenty has something to tell. With --results, runs that are in FILE already are
not repeated, and new ones are added to it.
"""

import argparse
import json
import sys
import time
import warnings
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path

import numpy as np

from polhode.errors import SimulationError
from polhode.model.samples import n_four_bar
from polhode.surface.equations import Equations

WINDOWS = (1, 2, 10)
TOLERANCES = (1e-9, 1e-10, 1e-11, 1e-12, 1e-13)
#: Forty, and among them two at which steps once fell on a flat pose.
SPEEDS = (*np.linspace(0.25, 6.0, 38).round(6).tolist(), 1.0, 1.23636)
DURATION = 10.0
MOST_DRIFT, MOST_TOLD, STUCK = 100.0, 0.05, 2.0


@dataclass(frozen=True)
class Outcome:
    """What became of one run."""

    windows: int
    speed: float
    tolerance: float
    steps: int
    drift: float
    told: tuple[str, ...]
    seconds: float

    @property
    def key(self) -> tuple[int, float, float]:
        return self.windows, self.speed, self.tolerance


@cache
def _derived(windows: int) -> Equations:
    return n_four_bar(windows).derive()


def passed(windows: int, speed: float, tolerance: float, most_steps: int = 1_000_000) -> Outcome:
    """One run; what it had to tell, be it in notices or in why it stopped."""
    equations = _derived(windows)
    began = time.perf_counter()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            run = equations.simulate(
                DURATION, speeds={"crank 0": speed}, rtol=tolerance, atol=tolerance, max_steps=most_steps,
            )  # fmt: skip
        told = tuple(notice for notice in run.notices if "energy" in notice)
    except SimulationError as error:
        run, told = error.trajectory, (str(error),)
    seconds = time.perf_counter() - began
    return Outcome(windows, speed, tolerance, run.info["steps"], run.energy_drift, told, seconds)


def series(
    windows: int, speed: float, tolerances: Sequence[float], known: dict[tuple[int, float, float], Outcome]
) -> list[Outcome]:
    """The runs at one speed, from the loosest tolerance on; a stuck one is given up soon after."""
    most = 1_000_000
    made = []
    for tolerance in tolerances:
        outcome = known.get((windows, speed, tolerance)) or passed(windows, speed, tolerance, most)
        made.append(outcome)
        most = int(2 * STUCK * outcome.steps)
    return made


def faults(outcomes: Sequence[Outcome]) -> Iterator[str]:
    """What the outcomes break of what is asked of them."""
    table = {outcome.key: outcome for outcome in outcomes}
    for outcome in outcomes:
        where = f"N = {outcome.windows}, speed {outcome.speed:g}, tolerance {outcome.tolerance:g}"
        looser = [o for o in table.values() if o.key[:2] == outcome.key[:2] and o.tolerance > outcome.tolerance]
        if looser:
            reference = min(looser, key=lambda o: o.tolerance)
            decades = np.log10(reference.tolerance / outcome.tolerance)
            if outcome.steps > STUCK**decades * reference.steps:
                yield f"{where}: stuck, {outcome.steps} steps after {reference.steps} at {reference.tolerance:g}"
        if not outcome.drift <= MOST_DRIFT * outcome.tolerance:
            yield f"{where}: energy drifts by {outcome.drift:.1e}, {outcome.drift / outcome.tolerance:.0f} x tolerance"
    told = [outcome for outcome in outcomes if outcome.told]
    if len(told) > MOST_TOLD * len(outcomes):
        yield f"{len(told)} of {len(outcomes)} runs have something to tell, the first: {told[0].told[0]}"


def table(outcomes: Sequence[Outcome]) -> Iterator[str]:
    """A line for each N and tolerance: steps and drift by tolerance, each in the middle and at most."""
    yield " N  tolerance  runs  steps: median    most  drift/tolerance: median      most  told  seconds"
    for windows, tolerance in sorted({o.key[::2] for o in outcomes}, key=lambda key: (key[0], -key[1])):
        some = [o for o in outcomes if o.key[::2] == (windows, tolerance)]
        steps, drift = [o.steps for o in some], [o.drift / tolerance for o in some]
        yield (
            f"{windows:2d}  {tolerance:9.0e}  {len(some):4d}  {np.median(steps):13.0f}  {max(steps):6d}"
            f"  {np.median(drift):23.1f}  {max(drift):8.3g}  {sum(bool(o.told) for o in some):4d}"
            f"  {sum(o.seconds for o in some):7.0f}"
        )


def _read(path: Path | None) -> dict[tuple[int, float, float], Outcome]:
    if path is None or not path.exists():
        return {}
    made = (json.loads(line) for line in path.read_text().splitlines())
    found = [Outcome(**entry | {"told": tuple(entry["told"])}) for entry in made]
    return {outcome.key: outcome for outcome in found}


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.trials.singular_poses", description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="every tenth speed, and N = 1, 2")
    parser.add_argument("--windows", type=int, nargs="*", help="N, the number of four-bars in a row")
    parser.add_argument("--tolerances", type=float, nargs="*", default=list(TOLERANCES))
    parser.add_argument("--results", type=Path, help="a file of outcomes, a line each")
    parser.add_argument("--processes", type=int, default=1)
    asked = parser.parse_args(arguments)
    speeds = SPEEDS[9::10] if asked.quick else SPEEDS
    windows = asked.windows or (WINDOWS[:2] if asked.quick else WINDOWS)
    known = _read(asked.results)
    outcomes: list[Outcome] = []
    with ProcessPoolExecutor(asked.processes) as pool:
        waiting = [pool.submit(series, n, speed, asked.tolerances, known) for n in windows for speed in speeds]
        for each in waiting:
            for outcome in each.result():
                outcomes.append(outcome)
                if asked.results is not None and outcome.key not in known:
                    with asked.results.open("a") as file:
                        file.write(json.dumps(asdict(outcome)) + "\n")
    print("\n".join(table(outcomes)))
    found = list(faults(outcomes))
    print("\n".join(found) if found else f"{len(outcomes)} runs, nothing amiss.")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
