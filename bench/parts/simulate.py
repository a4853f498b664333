"""First a double pendulum with fixed steps, both recording every state; the motions agree to 1e-7 over one second.

Then work and precision: motions that nothing drives, the difference of their last states from a reference, max |x -
y| / (1 + |y|), and the processor time of the run. The reference is by heyoka in quadruple precision, for the stiff
chain in extended precision, at two tolerances that agree to 1e-15 or better; N four-bars are one pendulum. heyoka has
our equations instruction by instruction, SciPy and CVODE step our compiled right-hand side, MuJoCo our tree, without
contacts, limits and damping, Exudyn bars and pins in a plane. Ours is timed in its native steps, without what comes
before and after; with loops the whole call is. At equal error means: at that error of the peer, between 1e-6 and ten
times the rounding, where ours gains least, by the fastest of our runs that, as all with tighter tolerances, is at
least as precise; ours has more settings than the peers. heyoka compiles in its compact mode, which is slower, where
the other takes many minutes: for ANYmal from 1e-10 on. Rounding is heyoka's median error at 1e-14 and 1e-15, from
starts that differ in their last bits, or the least of all where heyoka does not run.

Last, runs at one tolerance beside SciPy's DOP853 stepping the same code, in the run and from call to trajectory.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import takewhile
from typing import Any, NamedTuple

import numpy as np
from scipy.integrate import solve_ivp

from polhode.errors import PolhodeError

from ..harness import Measure, Row, Say, beside, duration, least_times, measure, seconds_of, timing
from ..mechanisms import double_pendulum
from ..motions import (
    ANYMAL_FLIGHT,
    BASE,
    DOUBLE_PENDULUM,
    FOUR_BARS,
    PANDA_FALL,
    TREES,
    UR5_FALL,
    Floats,
    Motion,
    OurRun,
    distance,
)  # fmt: skip
from ..peers import exudyn, heyoka, mujoco, scipy, sympy

PEERS = ("heyoka", "mujoco", "scikit-sundae", "exudyn", "sympy")
_STEP, _BATCH, _MOTION, _TOLERANCE, _SAMPLES = 0.001, 64, 10.0, 1e-9, 200
_START = np.array([1.2, -0.7, 0.0, 0.0])
_PEER = "SciPy's DOP853 by simulate"
#: Robots, for which a quarter of heyoka's time is the goal.
_ROBOTS = {motion.name for motion in (UR5_FALL, PANDA_FALL, ANYMAL_FLIGHT)}
OURS, HEYOKA = "polhode", "heyoka"
_METHODS = ("TP86", "DOP853", "taylor", "Rodas5P", "Radau")  # beside what `auto` chooses
_TOLERANCES = tuple(10.0 ** (-k / 2) for k in range(10, 31))
_FEW = tuple(10.0**-k for k in (5, 6, 7, 8, 9, 10, 11, 12, 13))
_TAYLOR = (1e-6, 1e-8, 1e-9, 1e-10, 1e-12, 1e-14, 1e-15)
_STEPS = (4e-3, 2e-3, 1e-3, 5e-4, 2e-4, 1e-4, 5e-5)
#: Errors that have a column; errors are compared from the first down to ten times the rounding.
_ERRORS = (1e-6, 1e-8, 1e-10, 1e-12)
_ABOVE_ROUNDING = 10.0
_TOO_LONG, _TOO_LONG_IF_QUICK = 2.0, 0.1  # no engine continues after a run that took longer

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


def rows(quick: bool, say: Say) -> Iterator[Row]:
    """Fixed steps, curves, what follows from them, and single runs."""
    say("fixed steps")
    yield from _fixed_steps(5 if quick else 40)
    tables = [curves(motion, quick, say) for motion in ((*TREES[:1], FOUR_BARS[0]) if quick else (*TREES, *FOUR_BARS))]
    yield from (curve.row() for drawn in tables for curve in drawn)
    for drawn in tables:
        yield from beside_all(drawn)
    say("beside SciPy's DOP853")
    yield from _beside_base(UR5_FALL, 150, 30, quick)
    yield from _beside_base(DOUBLE_PENDULUM, 100, None, quick)


def beside_all(drawn: Sequence[Curve]) -> Iterator[Row]:
    """Ours beside each other engine, at the error of theirs where ours gains least; beside heyoka at its 1e-9 too."""
    ours = next((curve for curve in drawn if curve.engine == OURS), Curve("", OURS, (), 0.0))
    for peer in (curve for curve in drawn if not curve.engine.startswith(OURS)):
        goal = 4.0 if peer.engine == HEYOKA and peer.case in _ROBOTS else 1.0
        for setting in (None, _TOLERANCE) if peer.engine == HEYOKA else (None,):
            if worst := compared(ours, peer, setting):
                error, own, theirs = worst
                what = "at equal error" if setting is None else f"at its error with {setting:g}"
                reached = math.isfinite(own)
                note = f"its error is {error:.0e}{'' if reached else ', which ours does not reach'}"
                yield timing(peer.case, what, own if reached else None, peer.engine, theirs, goal, note=note)


def _fixed_steps(passes: int) -> Iterator[Row]:
    """RK4 beside MuJoCo with the same step, all states recorded; ten seconds beside SciPy with SymPy's rates."""
    equations, theirs = double_pendulum().derive(), mujoco.Rollout(DOUBLE_PENDULUM, "RK4", _STEP)
    options: dict[str, Any] = {"method": "rk4", "step": _STEP, "progress": False, "watch_energy": False}
    options["functions"] = equations.compile(bake=True)

    def ours(start: Floats, steps: int, samples: int = 0) -> Floats:
        q, u = np.split(start, 2, axis=-1)
        run = equations.simulate(steps * _STEP, start=q, speeds=u, samples=samples or steps + 1, **options)
        return np.concatenate([run.q, run.u], axis=-1)

    many = _START + np.random.default_rng(2).uniform(-0.3, 0.3, (_BATCH, 4))
    apart = float(np.max(np.abs(ours(many, 1000)[:, 1:] - theirs.states(many, 1000))))
    if not apart < 1e-7:
        raise PolhodeError(f"our motion and MuJoCo's differ by {apart:.1e}.", code="E-BENCH-008")
    sizes = ("one RK4 step", _START, 50_000, 2_000), (f"one RK4 step, {_BATCH} runs at once", many, 1_000, 50)
    for what, start, steps, their_steps in sizes:
        both = measure(partial(ours, start, steps)), measure(partial(theirs.states, np.atleast_2d(start), their_steps))
        per, goal = (steps * start.size / 4, their_steps * start.size / 4), 30 if start is _START else None
        yield beside("double pendulum", what, both[0], "MuJoCo rollout", both[1], passes, per=per, least_ratio=goal)
    rates, span = sympy.double_pendulum_rates(), (0.0, _MOTION)
    by_scipy = partial(solve_ivp, rates, span, _START, "RK45", rtol=1e-8, atol=1e-8)
    truth = solve_ivp(rates, span, _START, "DOP853", rtol=1e-12, atol=1e-12).y[:, -1]
    steps = round(_MOTION / _STEP)
    errors = [float(np.max(np.abs(end - truth))) for end in (ours(_START, steps, 2)[-1], by_scipy().y[:, -1])]
    if not errors[0] <= 1.5 * errors[1]:
        raise PolhodeError(f"our error {errors[0]:.1e} exceeds SciPy's {errors[1]:.1e}.", code="E-BENCH-007")
    note = f"errors {errors[0]:.0e} and {errors[1]:.0e}"
    pair = measure(partial(ours, _START, steps)), "solve_ivp and SymPy", measure(by_scipy)
    yield beside("double pendulum", "ten seconds of motion", *pair, max(3, passes // 4), note=note)


def _beside_base(motion: Motion, in_the_run: float, to_trajectory: float | None, quick: bool) -> Iterator[Row]:
    ours, base = (OurRun(motion, method, _TOLERANCE, _SAMPLES) for method in ("auto", BASE))
    calls = {"call": ours.trajectory, "base": base.trajectory, "bare": scipy.solve_ivp(motion, "DOP853", _TOLERANCE)}
    measures = {name: measure(call) for name, call in calls.items()} | {"in the run": ours.seconds_in_the_run}
    least = least_times(measures, 3 if quick else 20)
    what = f"{motion.duration:g} s, rtol {_TOLERANCE:g}"
    note = f"a bare solve_ivp takes {duration(least['bare'])}"
    yield timing(motion.name, f"{what}, in the run", least["in the run"], _PEER, least["base"], in_the_run, note=note)
    what, note = f"{what}, from call to trajectory", f"warm, {_SAMPLES} samples"
    yield timing(motion.name, what, least["call"], _PEER, least["base"], to_trajectory, note=note)


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
    errors: dict[tuple[str, float], float] = {}
    measures: dict[tuple[str, float], Measure] = {}
    for name, settings, make in engines_for(motion, quick):
        say(f"{motion.name}: {name}")
        try:
            for setting in settings:
                run = make(setting)
                # With loops part of a run is outside the native steps, so that the whole call counts.
                is_native = isinstance(run, OurRun) and motion.pendulum is None
                seconds = run.seconds_in_the_run if is_native else partial(seconds_of, run, sweep=False)
                error = distance(run(), truth)
                errors[name, setting], measures[name, setting] = error, seconds
                too_long = seconds() > (_TOO_LONG_IF_QUICK if quick else _TOO_LONG)
                if too_long or (floor is not None and error < floor / 3):
                    break
        except (PolhodeError, ArithmeticError, ImportError, RuntimeError, ValueError) as problem:
            say(f"{motion.name}: {name} ended: {str(problem).splitlines()[0][:120]}")
    say(f"{motion.name}: times of {len(errors)} runs")
    points: dict[str, list[Point]] = {}
    for (name, setting), taken in least_times(measures, 3, 0.1 if quick else 0.3).items():
        if math.isfinite(error := errors[name, setting]):
            points.setdefault(name, []).append(Point(setting, error, taken))
    floor = floor or min((point.error for each in points.values() for point in each), default=0.0)
    return [Curve(motion.name, name, each, floor) for name, each in points.items()]


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
