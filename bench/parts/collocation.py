"""The swing-up of a cart-pole on a mesh of a hundred nodes: one evaluation of all first and second derivatives, beside
CasADi. Both have the same transcription, Hermite–Simpson, with the same variables in the same order, and are checked
to have the same values and the same optimum. CasADi's expressions are scalar (SX), expanded over the whole mesh, and
run by its virtual machine as `nlpsol` runs them, or as the C that it writes, compiled with -O3 for this machine; its
functions are called on memory that is bound before, by its `FunctionBuffer`.
"""

import os
from collections.abc import Callable, Iterator, Mapping
from math import pi
from typing import Any

import numpy as np
from scipy.sparse import coo_array

from polhode.errors import PolhodeError
from polhode.model.samples.underactuated import cart_pole
from polhode.optimize.problem import Collocation

from ..harness import Row, Say, beside, least_times, measure, timing
from ..peers.casadi import CartPole, bound

PEERS = ("casadi",)
#: How many times faster than the virtual machine the derivatives together are to be, and how equal the two optima.
_GOAL, _SAME = 5.0, 1e-6
_VIRTUAL, _GENERATED = "CasADi's virtual machine", "C by CasADi"
_DERIVATIVES = ("gradient", "Jacobian", "Hessian")


def problem(dynamics: str = "auto", nodes: int = 100, *, cache: bool = True) -> Collocation:
    """The pole is brought from hanging to standing in two seconds, and the cart a metre to the right."""
    equations = cart_pole().derive()
    ends = {"start": {"theta": pi}, "end": {"x": 1, "theta": 0, "x'": 0, "theta'": 0}}
    given = {"inputs": ["F"], "nodes": nodes, "dynamics": dynamics, "functions": equations.compile(cache=cache)}
    return equations.collocation(2, **ends, limits={"F": 20, "x": (-2, 2)}, **given)


def rows(quick: bool, say: Say) -> Iterator[Row]:
    """Explicit and implicit dynamics."""
    for dynamics in ("explicit", "implicit"):
        say(dynamics)
        yield from rows_of(dynamics, quick)


def rows_of(dynamics: str, quick: bool) -> Iterator[Row]:
    """The rows of one form of the dynamics."""
    ours, case = problem(dynamics), f"cart-pole, 100 nodes, {dynamics} dynamics"
    theirs = CartPole(ours)
    found, other = ours.solve(), theirs.solve()
    if abs(found.cost - other) > _SAME * abs(other):
        raise PolhodeError(f"the optima differ: {found.cost!r} and CasADi's {other!r}.", code="E-BENCH-019")
    rng = np.random.default_rng(5)
    w = found.variables + 0.01 * rng.standard_normal(len(found.variables))
    multipliers = rng.standard_normal(ours.transcription.constraints)
    own, sets = _our_calls(ours, w, multipliers), {_VIRTUAL: theirs.functions}
    began = _processor_seconds()
    sets[_GENERATED] = theirs.compiled()
    generated = _processor_seconds() - began
    problem(dynamics, cache=False).transcription.prepare()
    yield timing(case, "made ready", _processor_seconds() - began - generated, _GENERATED, generated)
    calls = {peer: bound(functions, w, multipliers) for peer, functions in sets.items()}
    _check(ours, theirs, own, calls)
    passes, count = (5, 200) if quick else (25, 1000)
    measures = {f"/{what}": measure(call, calls=count, sweep=False) for what, call in own.items()}
    for peer, its in calls.items():
        measures |= {f"{peer}/{what}": measure(call, calls=count, sweep=False) for what, call in its.items()}
    times = least_times(measures, passes)
    for peer in calls:
        for what in own:
            yield timing(case, what, times[f"/{what}"], peer, times[f"{peer}/{what}"])
        sums = [sum(times[f"{engine}/{what}"] for what in _DERIVATIVES) for engine in ("", peer)]
        goal = _GOAL if peer == _VIRTUAL and dynamics == "explicit" else None  # the form of the default
        yield timing(case, "all derivatives", sums[0], peer, sums[1], goal)
    note = f"{found.iterations} iterations, theirs {theirs.iterations}"
    solves = measure(ours.solve, sweep=False), _VIRTUAL, measure(theirs.solve, sweep=False)
    yield beside(case, "solve", *solves, 3 if quick else 10, note=note)


def _processor_seconds() -> float:
    """Seconds of this process and those that it started."""
    return sum(os.times()[:4])


def _our_calls(ours: Collocation, w: Any, multipliers: Any) -> dict[str, Callable[[], Any]]:
    made = ours.transcription
    gradient, values = np.zeros(made.size), np.zeros(made.constraints)
    jacobian, curvature = np.zeros(len(made.jacobian_places[0])), np.zeros(len(made.curvature_places[0]))
    return {
        "cost": lambda: made.cost(w),
        "constraints": lambda: made.values(w, values),
        "gradient": lambda: made.gradient(w, gradient),
        "Jacobian": lambda: made.jacobian(w, jacobian),
        "Hessian": lambda: made.curvature(w, multipliers, 1.0, curvature),
    }


def _check(
    ours: Collocation, theirs: CartPole, own: Mapping[str, Callable[[], Any]], calls: Mapping[str, Mapping[str, Any]]
) -> None:
    """Raise unless all functions have the same values."""
    made = ours.transcription
    shapes = {"Jacobian": (made.constraints, made.size), "Hessian": (made.size, made.size)}
    entries = {"Jacobian": made.jacobian_places, "Hessian": made.curvature_places}
    for peer, its in calls.items():
        for what, call in its.items():
            mine, other = np.atleast_1d(own[what]()), np.array(call())
            if what in shapes:
                mine = coo_array((mine, entries[what]), shapes[what]).toarray()
                triplet = theirs.functions[what].sparsity_out(0).get_triplet()
                other = coo_array((other, triplet), shapes[what]).toarray()
            apart = np.abs(mine - other).max()
            if not apart <= 1e-9 * max(1.0, np.abs(mine).max()):
                raise PolhodeError(f"the {what} differs from that of {peer} by {apart:.1e}.", code="E-BENCH-020")
