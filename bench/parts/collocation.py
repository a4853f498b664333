"""The swing-up of a cart-pole on a mesh of a hundred nodes: one evaluation of all first and second derivatives, beside
CasADi. Both have the same transcription, Hermite–Simpson, with the same variables in the same order, and are checked
to have the same values and the same optimum. CasADi's expressions are scalar (SX), expanded over the whole mesh, and
run by its virtual machine as `nlpsol` runs them, or as the C that it writes, compiled with -O3 for this machine; its
functions are called on memory that is bound before, by its `FunctionBuffer`.
"""

import os
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np
from tests.judges.cart_pole import CartPole, bound, check_same, our_calls, problem

from polhode.errors import PolhodeError

from ..harness import Row, Say, beside, least_times, measure, timing

PEERS = ("casadi",)
#: How many times faster than the virtual machine the derivatives together are to be, and how equal the two optima.
_GOAL, _SAME = 5.0, 1e-6
_VIRTUAL, _GENERATED = "CasADi's virtual machine", "C by CasADi"
_DERIVATIVES = ("gradient", "Jacobian", "Hessian")


def rows(quick: bool, say: Say) -> Iterator[Row]:
    """Explicit and implicit dynamics."""
    for dynamics in ("explicit", "implicit"):
        say(dynamics)
        yield from _rows_of(dynamics, quick)


def _rows_of(dynamics: str, quick: bool) -> Iterator[Row]:
    ours, case = problem(dynamics), f"cart-pole, 100 nodes, {dynamics} dynamics"
    theirs = CartPole(ours)
    best, other = ours.solve(accuracy=None), theirs.solve()
    if abs(best.cost - other) > _SAME * abs(other):
        raise PolhodeError(f"the optima differ: {best.cost!r} and CasADi's {other!r}.", code="E-BENCH-019")
    rng = np.random.default_rng(5)
    w = best.variables + 0.01 * rng.standard_normal(len(best.variables))
    multipliers = rng.standard_normal(ours.transcription.constraints)
    own, sets = our_calls(ours, w, multipliers), {_VIRTUAL: theirs.functions}
    began = _processor_seconds()
    with tempfile.TemporaryDirectory(prefix="polhode-bench-") as folder:
        sets[_GENERATED] = theirs.compiled(Path(folder))
    generated = _processor_seconds() - began
    problem(dynamics, cache=False).transcription.prepare()
    yield timing(case, "made ready", _processor_seconds() - began - generated, _GENERATED, generated)
    calls = {peer: bound(functions, w, multipliers) for peer, functions in sets.items()}
    check_same(ours, theirs, own, calls)
    passes, count = (5, 200) if quick else (25, 1000)
    all_calls = {(peer, what): call for peer, its in ({"": own} | calls).items() for what, call in its.items()}
    times = least_times({key: measure(call, calls=count, sweep=False) for key, call in all_calls.items()}, passes)
    for peer in calls:
        yield from (timing(case, what, times["", what], peer, times[peer, what]) for what in own)
        sums = [sum(times[engine, what] for what in _DERIVATIVES) for engine in ("", peer)]
        goal = _GOAL if peer == _VIRTUAL and dynamics == "explicit" else None  # the form of the default
        yield timing(case, "all derivatives", sums[0], peer, sums[1], goal)
    note = f"{best.iterations} iterations, theirs {theirs.iterations}"
    solves = measure(partial(ours.solve, accuracy=None), sweep=False), _VIRTUAL, measure(theirs.solve, sweep=False)
    yield beside(case, "solve", *solves, 3 if quick else 10, note=note)


def _processor_seconds() -> float:
    """Seconds of this process and those that it started."""
    return sum(os.times()[:4])
