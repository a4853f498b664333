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
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
from scipy.integrate import solve_ivp

from polhode.errors import PolhodeError

from ..harness import Row, Say, beside, duration, least_times, measure, timing
from ..mechanisms import double_pendulum
from ..motions import ANYMAL_FLIGHT, DOUBLE_PENDULUM, FOUR_BARS, PANDA_FALL, TREES, UR5_FALL, Floats, Motion, OurRun
from ..peers import scipy, sympy
from ..peers.mujoco import Rollout
from ..work_precision import BASE, HEYOKA, OURS, Curve, compared, curves

PEERS = ("heyoka", "mujoco", "scikit-sundae", "exudyn", "sympy")
_STEP, _BATCH, _MOTION, _TOLERANCE, _SAMPLES = 0.001, 64, 10.0, 1e-9, 200
_START = np.array([1.2, -0.7, 0.0, 0.0])
_PEER = "SciPy's DOP853 by simulate"
#: Robots, for which a quarter of heyoka's time is the goal.
_ROBOTS = {motion.name for motion in (UR5_FALL, PANDA_FALL, ANYMAL_FLIGHT)}


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
    equations, theirs = double_pendulum().derive(), Rollout(DOUBLE_PENDULUM, "RK4", _STEP)
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
    for run in (ours, base):
        run()
    bare = measure(scipy.solve_ivp(motion, "DOP853", _TOLERANCE))
    calls = {"call": measure(ours.trajectory), "base": measure(base.trajectory), "bare": bare}
    least = least_times({"in the run": ours.seconds_in_the_run} | calls, 3 if quick else 20)
    what = f"{motion.duration:g} s, rtol {_TOLERANCE:g}"
    note = f"a bare solve_ivp takes {duration(least['bare'])}"
    yield timing(motion.name, f"{what}, in the run", least["in the run"], _PEER, least["base"], in_the_run, note=note)
    what, note = f"{what}, from call to trajectory", f"warm, {_SAMPLES} samples"
    yield timing(motion.name, what, least["call"], _PEER, least["base"], to_trajectory, note=note)
