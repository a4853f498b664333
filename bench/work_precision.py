"""Work and precision: how long each engine takes for a motion, and how far its last state is from the reference."""

from __future__ import annotations

import contextlib
import gc
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from polhode.errors import PolhodeError
from polhode.simulate.settings import METHODS

from .clock import seconds_of_one
from .motions import FOUR_BARS, TREES, Motion
from .our_run import Ours
from .plain_tree import Floats
from .reference import distance, reference
from .table import Curve, Point

if TYPE_CHECKING:
    from .heyoka_engine import Heyoka

SECTION = "simulate"
OURS, HEYOKA = "polhode", "heyoka"
BASE = "scipy.DOP853" if "scipy.DOP853" in METHODS else "DOP853"
#: Native methods that are drawn beside what `auto` chooses, as far as they exist.
_METHODS = ("TP86", "DOP853", "taylor", "Rodas5P", "Radau")
_TOLERANCES = tuple(10.0 ** (-k / 4) for k in range(20, 61))
_FEW = tuple(10.0**-k for k in (5, 6, 7, 8, 9, 10, 11, 12, 13))
_TAYLOR = (1e-6, 1e-8, 1e-9, 1e-10, 1e-12, 1e-14, 1e-15)
_STEPS = (4e-3, 2e-3, 1e-3, 5e-4, 2e-4, 1e-4, 5e-5)
#: Errors are compared from here down to ten times the rounding.
LARGEST_ERROR = 1e-6
_ABOVE_ROUNDING = 10.0
#: Nobody waits longer than this for one run.
_TOO_LONG = 5.0
_TOO_LONG_IN_HASTE = 0.1

Run = Callable[[], Floats]
#: A setting, the run that has it, and how its seconds are measured.
Setting = tuple[float, Run, Callable[[], float]]


@dataclass(frozen=True)
class Engine:
    """An engine at its settings: tolerances, loosest first, or steps, longest first."""

    name: str
    settings: tuple[float, ...]
    make: Callable[[Motion, float], Run] = field(repr=False)

    def prepared(self, motion: Motion) -> Iterator[Setting]:
        for setting in self.settings:
            run = self.make(motion, setting)
            # With loops part of a run is outside the native steps, so that the whole call counts.
            if isinstance(run, Ours) and motion.pendulum is None:
                yield setting, run, run.seconds_in_the_run
            else:
                yield setting, run, partial(seconds_of_one, run)


def curves(motions: Sequence[Motion], quick: bool, say: Callable[[str], None]) -> list[Curve]:
    """A curve for each engine that can run a motion."""
    return [curve for motion in motions for curve in _curves_of(motion, quick, say)]


def all_motions(quick: bool) -> tuple[Motion, ...]:
    return (*TREES[:2], FOUR_BARS[0]) if quick else (*TREES, *FOUR_BARS)


def engines_for(motion: Motion, quick: bool) -> list[Engine]:
    """Who can run a motion: all but Exudyn step our own equations or, MuJoCo, our own tree."""

    def ours(method: str, motion: Motion, tolerance: float) -> Run:
        return Ours(motion, method, tolerance)

    native = [name for name in _METHODS if name in METHODS]
    found = [Engine(OURS, _FEW if motion.pendulum else _TOLERANCES, partial(ours, "auto"))]
    if motion.pendulum is not None:
        found.append(Engine("SciPy DOP853 by simulate", (1e-6, 1e-9, 1e-12), partial(ours, BASE)))
        found.append(Engine("Exudyn", (1e-2, 4e-3, 2e-3, 1e-3, 5e-4), _exudyn))
        return found
    found += [Engine(f"{OURS} {name}", _FEW, partial(ours, name)) for name in native]
    if not motion.is_stiff:
        found.append(Engine(HEYOKA, _TAYLOR[:4] if quick else _TAYLOR, partial(_heyoka, quick)))
        found += [Engine(f"MuJoCo {name}", _STEPS, partial(_mujoco, name)) for name in ("RK4", "implicitfast")]
    found += [
        Engine(f"SciPy {name}", _FEW, partial(_scipy, name))
        for name in ("DOP853", "LSODA", *(("Radau",) if motion.is_stiff else ()))
    ]
    found += [Engine(f"CVODE {name}", _FEW, partial(_cvode, name)) for name in ("Adams", "BDF")]
    return found


def _heyoka(quick: bool, motion: Motion, tolerance: float) -> Heyoka:
    from .heyoka_engine import Heyoka

    functions = motion.equations.compile()
    parameters = functions.parameter_values("state_rates")
    return Heyoka(
        functions.program("state_rates"), parameters, motion.start, motion.duration, tolerance, patient=not quick
    )


def _mujoco(integrator: str, motion: Motion, step: float) -> Run:
    from .mujoco_engine import MuJoCo

    return MuJoCo(motion.equations.system, motion.start, motion.duration, integrator, step)


def _exudyn(motion: Motion, step: float) -> Run:
    from .exudyn_engine import Exudyn

    windows = (len(motion.equations.coordinates) - 1) // 2
    return Exudyn(windows, float(motion.pendulum_start[1]), motion.duration, step)


def _scipy(method: str, motion: Motion, tolerance: float) -> Run:
    from .step_engines import scipy_run

    return scipy_run(motion, method, tolerance)


def _cvode(method: str, motion: Motion, tolerance: float) -> Run:
    from .step_engines import cvode_run

    return cvode_run(motion, method, tolerance)


def _curves_of(motion: Motion, quick: bool, say: Callable[[str], None]) -> list[Curve]:
    """Errors first, one run each; then times, by turns."""
    say(f"{motion.name}: the reference")
    truth = reference(motion, say)
    floor = rounding(motion, truth)
    entries: list[tuple[str, float, float, Callable[[], float]]] = []
    for engine in engines_for(motion, quick):
        say(f"{motion.name}: {engine.name}")
        try:
            for setting, run, measure in engine.prepared(motion):
                error = distance(run(), truth)
                entries.append((engine.name, setting, error, measure))
                seconds = measure()
                if seconds > (_TOO_LONG_IN_HASTE if quick else _TOO_LONG) or (floor is not None and error < floor / 3):
                    break
        except (PolhodeError, ArithmeticError, ImportError, RuntimeError, ValueError) as problem:
            say(f"{motion.name}: {engine.name} ended: {str(problem).splitlines()[0][:120]}")
    say(f"{motion.name}: times of {len(entries)} runs")
    seconds = _least([entry[-1] for entry in entries], 0.1 if quick else 0.5)
    least = min((error for _, _, error, _ in entries if math.isfinite(error)), default=0.0)
    found: dict[str, list[Point]] = {}
    for (name, setting, error, _), taken in zip(entries, seconds, strict=True):
        if math.isfinite(error):
            found.setdefault(name, []).append(Point(setting, error, taken))
    return [Curve(SECTION, motion.name, name, tuple(points), floor or least) for name, points in found.items()]


def _least(measures: Sequence[Callable[[], float]], budget: float) -> list[float]:
    """The least seconds of each, by turns, until each has had three turns and its budget of seconds, or a hundred."""
    least, spent, turns = ([zero] * len(measures) for zero in (math.inf, 0.0, 0))
    gc.collect()
    gc.disable()
    with contextlib.ExitStack() as after:
        after.callback(gc.enable)
        while True:
            waiting = [k for k in range(len(measures)) if turns[k] < 3 or (spent[k] < budget and turns[k] < 100)]
            if not waiting:
                return least
            for k in waiting:
                seconds = measures[k]()
                least[k], spent[k], turns[k] = min(least[k], seconds), spent[k] + seconds, turns[k] + 1


def rounding(motion: Motion, truth: Floats) -> float | None:
    """What doubles cannot beat: the median error at tight tolerances, from starts that differ in their last bits.

    Taken by heyoka, which sums its series with little error; None where that cannot run the motion.
    """
    if motion.is_stiff or motion.pendulum is not None:
        return None
    eps, dice, errors = np.finfo(float).eps, np.random.default_rng(3), []
    for tolerance in _TAYLOR[-2:]:
        run = _heyoka(True, motion, tolerance)
        for _ in range(9):
            run.start = motion.start + eps * np.maximum(1.0, np.abs(motion.start)) * dice.integers(-1, 2, len(truth))
            errors.append(distance(run(), truth))
    return float(np.median(errors))


def compared(
    curves: Sequence[Curve], case: str, peer: str, setting: float | None = None
) -> tuple[float, float, float] | None:
    """At which of the peer's errors ours gains least: that error, our seconds and theirs; None where none compares.

    Ours are those of the fastest run that, as all tighter ones, is at least as precise. Where we have none, our seconds
    are infinite. With a setting, the peer's run that has it is compared alone.
    """
    table = {curve.engine: curve for curve in curves if curve.case == case}
    if peer not in table or OURS not in table:
        return None
    worst = None
    for point in table[peer].points:
        if setting not in (None, point.setting):
            continue
        if _ABOVE_ROUNDING * table[peer].floor <= point.error <= LARGEST_ERROR:
            own = table[OURS].seconds_at(point.error) or math.inf
            if worst is None or point.seconds / own < worst[2] / worst[1]:
                worst = point.error, own, point.seconds
    return worst
