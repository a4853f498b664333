"""A tracked vehicle on ten wheels, its hull rigid or flexible: how fast it is derived and compiled, and how it runs."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from polhode.model.samples import tracked_vehicle

from .clock import least_times, seconds_of
from .table import Timing

SECTION = "tracked"
_HULLS = {"rigid": False, "flexible": True}
_FORMALISMS = ("composite_body", "auto")
_SECONDS, _TOLERANCE = 10.0, 1e-6


def rows(quick: bool, say: Callable[[str], None]) -> list[Timing]:
    """The section's table."""
    passes = 3 if quick else 15
    say("describing and deriving")
    described = {hull: partial(seconds_of, partial(tracked_vehicle, bends)) for hull, bends in _HULLS.items()}
    made = [
        Timing(SECTION, _case(hull), "described", seconds) for hull, seconds in least_times(described, passes).items()
    ]
    ways = {(hull, name): partial(_seconds_to_derive, hull, name) for hull in _HULLS for name in _FORMALISMS}
    derived = least_times({" ".join(way): measure for way, measure in ways.items()}, passes)
    for hull, name in ways:
        most = 0.3 if name == "composite_body" else None
        seconds = derived[f"{hull} {name}"]
        made.append(Timing(SECTION, _case(hull), f"accelerations, {name}", seconds, most_seconds=most))
    say("running")
    runs = {}
    for hull, bends in _HULLS.items():
        equations = tracked_vehicle(bends).system.derive("composite_body")
        call = partial(equations.simulate, _SECONDS, rtol=_TOLERANCE, atol=_TOLERANCE)
        call()  # compiled and stored
        runs[hull] = partial(seconds_of, call)
    what = f"{_SECONDS:g} s over an obstacle at {_TOLERANCE:g}"
    return made + [
        Timing(SECTION, _case(hull), what, seconds, "the motion itself", _SECONDS, least_ratio=100)
        for hull, seconds in least_times(runs, passes).items()
    ]


def _case(hull: str) -> str:
    return f"tracked vehicle, {hull} hull"


def _seconds_to_derive(hull: str, formalism: str) -> float:
    """Seconds to derive a vehicle's accelerations; nodes of an earlier one have gone with it."""
    system = tracked_vehicle(_HULLS[hull]).system
    return seconds_of(lambda: system.derive(formalism).forward_dynamics)
