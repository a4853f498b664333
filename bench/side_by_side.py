"""Two trees of polhode in one process: their functions, compiled side by side and timed by turns.

    git worktree add ../before COMMIT
    python -m bench.side_by_side ../before

Prints for each mechanism of `bench.digests` and each function the operations and the least time of a call in both
trees, and at the end the mean ratio. Nothing is read from the cache.
"""

from __future__ import annotations

import argparse
import importlib
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import exp, fsum, log
from pathlib import Path
from typing import Any

import numpy as np

from .clock import least_times, stay_on_one_core

HERE = Path(__file__).parents[1]
FUNCTIONS = ("inverse_dynamics", "forward_dynamics", "mass_matrix")
_STATES = 64


@dataclass(frozen=True)
class Timed:
    """A compiled function with states to run it on."""

    operations: int
    seconds: Callable[[], float]


def enter(root: Path) -> Any:
    """The module `bench.digests` of another tree, with that tree's polhode below it."""
    for name in [name for name in sys.modules if name.split(".")[0] in ("polhode", "bench")]:
        del sys.modules[name]
    sys.path[:0] = [str(root / "src"), str(root)]
    importlib.invalidate_caches()
    try:
        return importlib.import_module("bench.digests")
    finally:
        del sys.path[:2]


def functions_of(root: Path, wanted: Sequence[str], slice_seconds: float) -> dict[str, Timed]:
    """Every function of every mechanism of a tree, compiled and called once."""
    made: dict[str, Timed] = {}
    sys.path[:0] = [str(root / "src"), str(root)]  # what is imported late comes from the same tree
    digests = enter(root)
    try:
        for name, make in digests.systems(False).items():
            if wanted and name not in wanted:
                continue
            print(f"{root.name}: {name}", file=sys.stderr, flush=True)
            functions = make().derive().compile(cache=False)
            for function in FUNCTIONS:
                made[f"{name}, {function}"] = _timed(functions, function, slice_seconds, digests.count)
    finally:
        del sys.path[:2]
    return made


def _timed(functions: Any, function: str, slice_seconds: float, count: Callable[[Any], Any]) -> Timed:
    native, dice = functions.native(function), np.random.default_rng(1)
    parameters = dice.uniform(0.5, 1.5, native.program.parameters)
    arrays = {array.name: dice.uniform(-1.0, 1.0, (_STATES, array.size)) for array in native.program.arrays}
    for first in functions.equations.tree.quaternions:
        part = arrays["q"][:, first : first + 4]
        part /= np.linalg.norm(part, axis=1, keepdims=True)

    def seconds() -> float:
        return float(native.time_per_call(parameters=parameters, seconds=slice_seconds, **arrays))

    seconds()
    return Timed(count(functions.program(function)).total, seconds)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m bench.side_by_side", description=__doc__)
    parser.add_argument("other", type=Path, help="the root of another tree, the one from before")
    parser.add_argument("mechanisms", nargs="*", help="names of mechanisms; all by default")
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=0.01, help="of one measurement")
    options = parser.parse_args(arguments)
    stay_on_one_core()
    before = functions_of(options.other.resolve(), options.mechanisms, options.seconds)
    now = functions_of(HERE, options.mechanisms, options.seconds)
    logs: list[float] = []
    for name in (name for name in now if name in before):
        pair = {"before": before[name], "now": now[name]}
        least = least_times({key: each.seconds for key, each in pair.items()}, options.rounds)
        ratio = least["now"] / least["before"]
        logs.append(log(ratio))
        counts = f"{before[name].operations:6,} {now[name].operations:6,} operations"
        print(f"{name:42} {counts}  {least['before']:9.1f} {least['now']:9.1f} ns  {ratio:6.3f}")
    print(f"geometric mean of {len(logs)} ratios: {exp(fsum(logs) / len(logs)):.3f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
