"""A beam of rigid segments with springs between them, stiff and undamped, for 4 s from rest: seconds on the wall with
code compiled before, and how far the tip is off at each half second, from TP86 at 1e-11. Exudyn has the same bars, pins
and springs in a plane, by its generalised-α of spectral radius 0.5 in steps of 1 ms.
"""

import time
from collections.abc import Iterator
from typing import Any

import numpy as np
from tests.judges.exudyn_beam import segments, segments_of_exudyn

from ..harness import Row, Say, duration, timing

PEERS = ("exudyn",)
_RUNS: dict[str, dict[str, Any]] = {
    f"{method} {size:g}": {"method": method, "rtol": size, "atol": size, "max_steps": 10_000_000}
    for method, size in (("auto", 1e-9), ("auto", 1e-5), ("Radau", 1e-3), ("Radau", 1e-4), ("Radau", 1e-5))
}
for step in (1e-3, 2e-4):
    fixed = {"method": "generalised_alpha", "step": step, "spectral_radius": 0.5, "watch_energy": False}
    _RUNS[f"generalised_alpha {step:g}"] = fixed


def rows(quick: bool, say: Say) -> Iterator[Row]:
    """Sixteen and sixty-four segments."""
    for size in (16,) if quick else (16, 64):
        equations = segments(size).derive()

        def tips(options: dict[str, Any], equations: Any = equations) -> tuple[Any, float]:
            equations.simulate(0.01, samples=9, progress=False, **options)
            begin = time.perf_counter()
            run = equations.simulate(4, samples=9, progress=False, **options)
            return run.pose("tip")[0][1:, :2], time.perf_counter() - begin

        say(f"{size} segments: Exudyn and the reference")
        truth, _ = tips({"method": "TP86", "rtol": 1e-11, "atol": 1e-11, "max_steps": 10_000_000})
        their_tips, theirs = segments_of_exudyn(size, 1e-3, 0.5, 4.0, every=0.5)
        dense = duration(segments_of_exudyn(size, 1e-3, 0.5, 4.0, every=0.5, sparse=False)[1])
        for what, options in _RUNS.items():
            say(f"{size} segments: {what}")
            ours, seconds = tips(options)
            note = f"{_off(ours, truth)}; Exudyn {_off(their_tips[1:], truth)}, {dense} if dense"
            yield timing(f"beam of {size}", what, seconds, "Exudyn, sparse", theirs, note=note)


def _off(tips: Any, truth: Any) -> str:
    apart = np.linalg.norm(tips - truth, axis=1)
    return f"off by at most {apart.max():.1g} m, {apart[-1]:.1g} m at the end"
