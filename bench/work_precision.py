"""Work and precision: how long each engine takes for a motion, and how far its last state is from the reference."""

import gc
import math
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import takewhile
from typing import NamedTuple

import numpy as np

from polhode.errors import PolhodeError

from .harness import Row, Say, duration, seconds_of
from .motions import Floats, Motion, OurRun, distance
from .peers import exudyn, heyoka, mujoco, scipy

OURS, HEYOKA, BASE = "polhode", "heyoka", "scipy.DOP853"
#: Native methods that are drawn beside what `auto` chooses.
_METHODS = ("TP86", "DOP853", "taylor", "Rodas5P", "Radau")
_TOLERANCES = tuple(10.0 ** (-k / 4) for k in range(20, 61))
_FEW = tuple(10.0**-k for k in (5, 6, 7, 8, 9, 10, 11, 12, 13))
_TAYLOR = (1e-6, 1e-8, 1e-9, 1e-10, 1e-12, 1e-14, 1e-15)
_STEPS = (4e-3, 2e-3, 1e-3, 5e-4, 2e-4, 1e-4, 5e-5)
#: Errors that have a column; errors are compared from the first down to ten times the rounding.
_ERRORS = (1e-6, 1e-8, 1e-10, 1e-12)
_ABOVE_ROUNDING = 10.0
#: No engine continues after a run that took longer.
_TOO_LONG, _TOO_LONG_IF_QUICK = 5.0, 0.1

#: A name; tolerances, loosest first, or steps, longest first; and what makes a run of one that returns the last state.
Engine = tuple[str, Sequence[float], Callable[[float], Callable[[], Floats]]]


class Point(NamedTuple):
    """One run of an engine: its tolerance or step, the error of its last state, and processor seconds."""

    setting: float
    error: float
    seconds: float


class Curve(NamedTuple):
    """Work and precision of one engine on one motion, loosest setting first, and the error of rounding.

    >>> curve = Curve("arm", "other", (Point(1e-6, 2e-7, 1e-3), Point(1e-9, 1e-10, 2e-3)), 1e-14)
    >>> curve.seconds_at(1e-7), curve.seconds_at(1e-12)
    (0.002, None)
    >>> curve.row().cells
    ('arm', 'other', '1.00 ms', '2.00 ms', '2.00 ms', '', '1e-10', '1e-14')
    """

    case: str
    engine: str
    points: Sequence[Point]
    floor: float

    def seconds_at(self, error: float) -> float | None:
        """The least seconds of a run whose error is at most this, and so is that of every tighter setting."""
        precise = takewhile(lambda point: point.error <= error, reversed(self.points))
        return min((point.seconds for point in precise), default=None)

    def row(self) -> Row:
        times = (duration(self.seconds_at(error)) for error in _ERRORS)
        least = min((point.error for point in self.points), default=float("nan"))
        headings = "motion", "engine", *(f"to {error:g}" for error in _ERRORS), "least error", "rounding"
        return Row(headings, (self.case, self.engine, *times, f"{least:.0e}", f"{self.floor:.0e}"))


def engines_for(motion: Motion, quick: bool) -> Iterator[Engine]:
    """Engines that can run a motion: all but Exudyn step our own equations or, MuJoCo, our own tree."""
    ours = partial(OurRun, motion)
    yield OURS, _FEW if motion.pendulum or quick else _TOLERANCES, partial(ours, "auto")
    if motion.pendulum is not None:
        yield "SciPy DOP853 by simulate", (1e-6, 1e-9, 1e-12), partial(ours, BASE)
        yield "Exudyn", (1e-2, 4e-3, 2e-3, 1e-3, 5e-4), partial(exudyn.FourBars, motion)
        return
    yield from ((f"{OURS} {name}", _FEW, partial(ours, name)) for name in _METHODS)
    if not motion.is_stiff:
        yield HEYOKA, _TAYLOR[: 4 if quick else None], partial(heyoka.Heyoka, motion, quick=quick)
        for name in ("RK4", "implicitfast"):
            yield f"MuJoCo {name}", _STEPS, partial(mujoco.Rollout, motion, name)
    for name in ("DOP853", "LSODA", *(("Radau",) if motion.is_stiff else ())):
        yield f"SciPy {name}", _FEW, partial(scipy.solve_ivp, motion, name)
    yield from ((f"CVODE {name}", _FEW, partial(scipy.cvode, motion, name)) for name in ("Adams", "BDF"))


def curves(motion: Motion, quick: bool, say: Say) -> list[Curve]:
    """A curve for each engine: errors first, one run each; then times, by turns."""
    say(f"{motion.name}: the reference")
    truth = heyoka.reference(motion)
    floor = rounding(motion, truth)
    entries: list[tuple[str, float, float, Callable[[], float]]] = []
    for name, settings, make in engines_for(motion, quick):
        say(f"{motion.name}: {name}")
        try:
            for setting in settings:
                run = make(setting)
                # With loops part of a run is outside the native steps, so that the whole call counts.
                is_native = isinstance(run, OurRun) and motion.pendulum is None
                seconds = run.seconds_in_the_run if is_native else partial(seconds_of, run, sweep=False)
                error = distance(run(), truth)
                entries.append((name, setting, error, seconds))
                too_long = seconds() > (_TOO_LONG_IF_QUICK if quick else _TOO_LONG)
                if too_long or (floor is not None and error < floor / 3):
                    break
        except (PolhodeError, ArithmeticError, ImportError, RuntimeError, ValueError) as problem:
            say(f"{motion.name}: {name} ended: {str(problem).splitlines()[0][:120]}")
    say(f"{motion.name}: times of {len(entries)} runs")
    times = _least([entry[-1] for entry in entries], 0.1 if quick else 0.5)
    points: dict[str, list[Point]] = {}
    for (name, setting, error, _), taken in zip(entries, times, strict=True):
        if math.isfinite(error):
            points.setdefault(name, []).append(Point(setting, error, taken))
    floor = floor or min((point.error for each in points.values() for point in each), default=0.0)
    return [Curve(motion.name, name, each, floor) for name, each in points.items()]


def _least(measures: Sequence[Callable[[], float]], budget: float) -> list[float]:
    """The least seconds of each, by turns, until each has had three turns and its budget of seconds, or a hundred."""
    least, spent, turns = ([zero] * len(measures) for zero in (math.inf, 0.0, 0))
    gc.collect()
    gc.disable()
    while waiting := [k for k in range(len(measures)) if turns[k] < 3 or (spent[k] < budget and turns[k] < 100)]:
        for k in waiting:
            seconds = measures[k]()
            least[k], spent[k], turns[k] = min(least[k], seconds), spent[k] + seconds, turns[k] + 1
    gc.enable()
    return least


def rounding(motion: Motion, truth: Floats) -> float | None:
    """Median error by heyoka at tight tolerances from starts that differ in their last bits; None if it cannot run."""
    if motion.is_stiff or motion.pendulum is not None:
        return None
    eps, rng, errors = np.finfo(float).eps, np.random.default_rng(3), []
    for tolerance in _TAYLOR[-2:]:
        run = heyoka.Heyoka(motion, tolerance, quick=True)
        for _ in range(9):
            run.start = motion.start + eps * np.maximum(1.0, np.abs(motion.start)) * rng.integers(-1, 2, len(truth))
            errors.append(distance(run(), truth))
    return float(np.median(errors))


def compared(ours: Curve, peer: Curve, setting: float | None = None) -> tuple[float, float, float] | None:
    """At which of the peer's errors ours gains least: that error, our seconds and theirs; None where none compares.

    Ours are those of the fastest run that, as all tighter ones, is at least as precise. Where we have none, our seconds
    are infinite. With a setting, the peer's run that has it is compared alone.
    """
    pairs = [
        (point.error, ours.seconds_at(point.error) or math.inf, point.seconds)
        for point in peer.points
        if setting in (None, point.setting) and _ABOVE_ROUNDING * peer.floor <= point.error <= _ERRORS[0]
    ]
    return min(pairs, key=lambda pair: pair[2] / pair[1], default=None)
