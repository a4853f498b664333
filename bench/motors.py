"""Arms on motors: how fast one of six joints is derived, and how much faster than real time it runs."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import count as counting

from polhode import Equations
from polhode.model.samples import elastic_arm

from .clock import Measure, least_times, seconds_of
from .table import Timing

SECTION = "motors"
_CASE = "six-joint arm on motors"
_SECONDS = 10.0
_FRESH = counting(1)


def rows(quick: bool, say: Callable[[str], None]) -> list[Timing]:
    """The section's table."""
    passes = 3 if quick else 15
    say("deriving")
    kinds = [(gears, coupling) for gears in ("elastic", "stiff") for coupling in ("full", "reduced")]
    derived = least_times({f"{gears}, {coupling}": _derivation(gears, coupling) for gears, coupling in kinds}, passes)
    made = [
        Timing(SECTION, _CASE, f"accelerations, {kind}", seconds, most_seconds=0.3) for kind, seconds in derived.items()
    ]
    say("running")
    runs = {}
    for coupling, damping in (("full", None), ("reduced", None), ("full", 5)):
        equations = elastic_arm("elastic", coupling, damping=damping).derive()
        call = partial(equations.simulate, _SECONDS, start="reach")
        call()  # compiled and stored
        runs[f"{coupling}{', damped' if damping else ''}"] = partial(seconds_of, call)
    least = least_times(runs, passes)
    what = f"{_SECONDS:g} s at 1e4 N m/rad"
    return made + [
        Timing(SECTION, _CASE, f"{what}, {kind}", seconds, "the motion itself", _SECONDS, least_ratio=100)
        for kind, seconds in least.items()
    ]


def _derivation(gears: str, coupling: str) -> Measure:
    """Seconds to derive an arm whose parameters have names never used before."""

    def measure() -> float:
        system = elastic_arm(gears, coupling, mark=f"_{next(_FRESH)}")
        return seconds_of(lambda: _accelerations(system.derive()))

    return measure


def _accelerations(equations: Equations) -> object:
    return equations.forward_dynamics
