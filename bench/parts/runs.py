"""Mechanisms from description to motion, every parameter of the second and third a symbol.

N four-bars: the IFToMM library's benchmark at default settings, which passes singular poses at every turn; a run
whose energy is off by more than 1e-6 or whose constraints by more than 1e-9 does not count; beside SciPy's DOP853
stepping the same code. An arm of six joints on motors, behind elastic or stiff gears, rotors coupled to the links or
reduced. A tracked vehicle on ten wheels, its hull rigid or flexible, over an obstacle at a tolerance of 1e-6. Times
are processor times; those of runs are from call to trajectory, beside the ten seconds of the motion.
"""

from collections.abc import Iterator
from functools import partial
from typing import Any

from polhode import Equations
from polhode.errors import PolhodeError
from polhode.model.samples import elastic_arm, n_four_bar, tracked_vehicle

from ..harness import Row, Say, alone, beside, least_times, measure, timing
from ..mechanisms import derivation
from ..work_precision import BASE

PEERS = ()
_SECONDS = 10.0
_ARM = "six-joint arm on motors"


def rows(quick: bool, say: Say) -> Iterator[Row]:
    """Four-bars, an arm on motors, a tracked vehicle."""
    passes = 3 if quick else 15
    for windows, goal in ((1, 20), (2, None), (10, None), (40, 10))[: 2 if quick else None]:
        name = f"{windows} four-bar{'s' if windows > 1 else ''}"
        say(name)
        equations = n_four_bar(windows).derive()
        given = {"speeds": {"crank 0": 1.0}, "functions": equations.compile(), "progress": False}
        ours, theirs = (partial(equations.simulate, _SECONDS, method=method, **given) for method in ("auto", BASE))
        run = ours()
        stray, drift = max(run.drift.position, run.drift.velocity), run.energy_drift
        note = f"energy to {drift:.0e}, constraints to {stray:.0e}"
        if not (stray < 1e-9 and drift < 1e-6):
            raise PolhodeError(f"{name}: {note}.", code="E-BENCH-009")
        pair = measure(ours), "SciPy's DOP853 by simulate", measure(theirs)
        yield beside(name, "ten seconds of motion", *pair, 2, least_ratio=goal, note=note)
    say(_ARM)
    measures = {
        f"accelerations, {gears}, {coupling}": derivation(
            partial(_marked, gears=gears, coupling=coupling), "auto", "forward_dynamics"
        )
        for gears in ("elastic", "stiff")
        for coupling in ("full", "reduced")
    }
    yield from alone(_ARM, measures, passes, dict.fromkeys(measures, 0.3))
    for coupling, damping in (("full", None), ("reduced", None), ("full", 5)):
        what = f"10 s at 1e4 N m/rad, {coupling}{', damped' if damping else ''}"
        yield _run(_ARM, what, elastic_arm("elastic", coupling, damping=damping).derive(), passes, start="reach")
    for hull, bends in (("rigid", False), ("flexible", True)):
        case = f"tracked vehicle, {hull} hull"
        say(case)
        measures = {"described": measure(partial(tracked_vehicle, bends))}
        for name in ("composite_body", "auto"):
            make = partial(_tracked, bends=bends)
            measures[f"accelerations, {name}"] = derivation(make, name, "forward_dynamics")
        yield from alone(case, measures, passes, {"accelerations, composite_body": 0.3})
        equations = tracked_vehicle(bends).system.derive("composite_body")
        yield _run(case, "10 s over an obstacle at 1e-06", equations, passes, rtol=1e-6, atol=1e-6)


def _run(case: str, what: str, equations: Equations, passes: int, **given: Any) -> Row:
    """Seconds of a run that is compiled and stored before, beside its motion."""
    call = partial(equations.simulate, _SECONDS, progress=False, **given)
    call()
    least = least_times({"ours": measure(call)}, passes)["ours"]
    return timing(case, what, least, "the motion itself", _SECONDS, 100)


def _marked(tag: str, **options: str) -> Any:
    return elastic_arm(mark=tag, **options)


def _tracked(_tag: str, bends: bool) -> Any:
    return tracked_vehicle(bends).system
