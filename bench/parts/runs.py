"""Mechanisms from description to motion, every parameter of the second and third a symbol.

N four-bars: the IFToMM library's benchmark at default settings, which passes singular poses at every turn; a run
whose energy is off by more than 1e-6 or whose constraints by more than 1e-9 does not count; beside SciPy's DOP853
stepping the same code. An arm of six joints on motors, behind elastic or stiff gears, rotors coupled to the links or
reduced. A tracked vehicle on ten wheels, its hull rigid or flexible, over an obstacle at a tolerance of 1e-6. Times
are processor times; those of runs are from call to trajectory, beside the ten seconds of the motion.

Ten thousand double pendulums for 5 s each on one core, beside SciPy's DOP853 on fifty of them, scaled; then on two
cores, on the wall.

A beam of rigid segments with springs between them, stiff and undamped, for 4 s from rest: seconds on the wall with
code compiled before, and how far the tip is off at each half second, from TP86 at 1e-11. Exudyn has the same bars, pins
and springs in a plane, by its generalised-α of spectral radius 0.5 in steps of 1 ms.
"""

import os
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
from tests.judges.exudyn_beam import segments, segments_of_exudyn

from polhode import Equations
from polhode.errors import PolhodeError
from polhode.model.samples import elastic_arm, n_four_bar, tracked_vehicle

from ..harness import Row, Say, alone, beside, duration, fresh, least_times, measure, timing
from ..mechanisms import derivation, double_pendulum
from ..motions import BASE

PEERS = ("exudyn",)
_SECONDS, _BATCH_SECONDS, _FEW = 10.0, 5.0, 50
_ARM, _PEER = "six-joint arm on motors", "SciPy's DOP853 by simulate"
_BEAM: dict[str, dict[str, Any]] = {
    f"{method} {size:g}": {"method": method, "rtol": size, "atol": size, "max_steps": 10_000_000}
    for method, size in (("auto", 1e-9), ("auto", 1e-5), ("Radau", 1e-3), ("Radau", 1e-4), ("Radau", 1e-5))
} | {
    f"generalised_alpha {step:g}": {
        "method": "generalised_alpha", "step": step, "spectral_radius": 0.5, "watch_energy": False,
    }
    for step in (1e-3, 2e-4)
}  # fmt: skip


def rows(quick: bool, say: Say) -> Iterator[Row]:
    """Four-bars, an arm on motors, a tracked vehicle, many pendulums, a beam."""
    passes = 3 if quick else 15
    for windows, goal in ((1, 20), (2, None), (10, None), (40, 10))[: 2 if quick else None]:
        say(f"{windows} four-bars")
        yield _four_bars(windows, goal)
    say(_ARM)
    measures = {}
    for gears in ("elastic", "stiff"):
        for coupling in ("full", "reduced"):
            make = partial(_arm, gears=gears, coupling=coupling)
            measures[f"accelerations, {gears}, {coupling}"] = derivation(make, "auto", "forward_dynamics")
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
    yield from _pendulums(quick, say)
    for size in (16,) if quick else (16, 64):
        yield from _beam(size, say)


def _four_bars(windows: int, goal: float | None) -> Row:
    name, equations = f"{windows} four-bar{'s' if windows > 1 else ''}", n_four_bar(windows).derive()
    given = {"speeds": {"crank 0": 1.0}, "functions": equations.compile(), "progress": False}
    ours, theirs = (partial(equations.simulate, _SECONDS, method=method, **given) for method in ("auto", BASE))
    run = ours()
    stray, drift = max(run.drift.position, run.drift.velocity), run.energy_drift
    note = f"energy to {drift:.0e}, constraints to {stray:.0e}"
    if not (stray < 1e-9 and drift < 1e-6):
        raise PolhodeError(f"{name}: {note}.", code="E-BENCH-009")
    both = measure(ours), _PEER, measure(theirs)
    return beside(name, "ten seconds of motion", *both, 5, least_ratio=goal, note=note)


def _run(case: str, what: str, equations: Equations, passes: int, **given: Any) -> Row:
    """Seconds of a run that is compiled and stored before, beside its motion."""
    call = partial(equations.simulate, _SECONDS, progress=False, **given)
    call()
    least = least_times({"ours": measure(call)}, passes)["ours"]
    return timing(case, what, least, "the motion itself", _SECONDS, 100)


def _arm(tag: str, **options: str) -> Any:
    return elastic_arm(mark=tag, **options)


def _tracked(_tag: str, bends: bool) -> Any:
    return tracked_vehicle(bends).system


# ---- many pendulums --------------------------------------------------------------------------------------------------


def batch(members: int, method: str = "auto") -> Callable[[], None]:
    """A batch of members, or one run after the other by SciPy; the first fifty starts of any number are the same."""
    equations = double_pendulum().derive()
    given = {"functions": equations.compile(), "samples": 2, "progress": False, "watch_energy": False}
    q1, q2 = np.random.default_rng(4).uniform(-2.0, 2.0, (members, 2)).T.copy()

    def run() -> None:
        for a, b in [(q1, q2)] if method == "auto" else zip(q1, q2, strict=True):
            equations.simulate(_BATCH_SECONDS, start={"q1": a, "q2": b}, method=method, **given)

    return run


def _pendulums(quick: bool, say: Say) -> Iterator[Row]:
    """One core and two."""
    members = 500 if quick else 10_000
    case, peer = f"{members:,} double pendulums", f"{_PEER}, fifty of them scaled"
    say(case)
    given = measure(batch(members)), peer, measure(batch(_FEW, BASE)), 3
    yield beside(case, "5 s each, one core", *given, their_passes=2, per=(1, _FEW / members), least_ratio=150)
    cores = sorted(os.sched_getaffinity(os.getppid()))[:2]  # this process is bound to one
    if len(cores) == 2:
        one, two = (partial(_seconds_on, each, members) for each in (cores[:1], cores))
        note = "two cores that are free gain nearly 2"
        yield beside(case, "on two cores, on the wall", two, "ours on one", one, 2 if quick else 4, note=note)


def _seconds_on(cores: Sequence[int], members: int) -> float:
    """Least seconds on the wall of three batches in a fresh process on some cores, everything compiled before."""
    before = f"import os; from bench.parts.runs import batch\nos.sched_setaffinity(0, {set(cores)})\n"
    stages = {"before": f"{before}run = batch({members}); run()"} | {f"run {k}": "run()" for k in range(3)}
    return min(wall for _, wall in list(fresh(stages).values())[1:])


# ---- a beam ----------------------------------------------------------------------------------------------------------


def _beam(size: int, say: Say) -> Iterator[Row]:
    equations = segments(size).derive()

    def tips(options: dict[str, Any]) -> tuple[Any, float]:
        equations.simulate(0.01, samples=9, progress=False, **options)
        begin = time.perf_counter()
        run = equations.simulate(4, samples=9, progress=False, **options)
        return run.pose("tip")[0][1:, :2], time.perf_counter() - begin

    say(f"{size} segments: Exudyn and the reference")
    truth, _ = tips({"method": "TP86", "rtol": 1e-11, "atol": 1e-11, "max_steps": 10_000_000})
    their_tips, theirs = segments_of_exudyn(size, 1e-3, 0.5, 4.0, every=0.5)
    dense = duration(segments_of_exudyn(size, 1e-3, 0.5, 4.0, every=0.5, sparse=False)[1])
    for what, options in _BEAM.items():
        say(f"{size} segments: {what}")
        ours, seconds = tips(options)
        note = f"{_off(ours, truth)}; Exudyn {_off(their_tips[1:], truth)}, {dense} if dense"
        yield timing(f"beam of {size}", what, seconds, "Exudyn, sparse", theirs, note=note)


def _off(tips: Any, truth: Any) -> str:
    apart = np.linalg.norm(tips - truth, axis=1)
    return f"off by at most {apart.max():.1g} m, {apart[-1]:.1g} m at the end"
