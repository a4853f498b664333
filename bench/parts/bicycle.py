"""The benchmark bicycle of Meijaard and others (2007), every parameter but the tilt of the steer axis a symbol. SymPy's
time is that of its own test of it (`physics/mechanics/tests/test_kane3.py`), which derives by Kane's method, linearizes
and compares with known numbers at six speeds; ours agree with those to 1e-12.
"""

from collections.abc import Iterator

import numpy as np

from polhode import Equations
from polhode.errors import PolhodeError
from polhode.linear.linear import Linear
from polhode.model.samples.vehicles import INDEPENDENT, upright, whipple_bicycle

from ..harness import Row, Say, least_times, measure, seconds_of, timing

PEERS = ("sympy",)
_CASE = "Whipple bicycle"


def rows(quick: bool, say: Say) -> Iterator[Row]:
    """To equations, to linear ones, to eigenvalues; SymPy takes minutes, and is left out of a quick run."""
    _check(_linear(_derived()))
    measures = {"derive": measure(_derived), "all": measure(lambda: _eigenvalues(_linear(_derived())))}
    measures["both"] = measure(lambda: _linear(_derived()))
    least = least_times(measures, 2 if quick else 7)
    yield timing(_CASE, "M and bias, rolling embedded", least["derive"], most_seconds=1.0)
    yield timing(_CASE, "linear equations from these", least["both"] - least["derive"], most_seconds=1.0)
    theirs = None
    if not quick:
        say("SymPy's own test of the bicycle, for minutes")
        from sympy.physics.mechanics.tests.test_kane3 import test_bicycle

        theirs = seconds_of(test_bicycle)
    goal = None if quick else 100
    yield timing(_CASE, "description to eigenvalues", least["all"], "SymPy KanesMethod", theirs, goal)


def _derived() -> Equations:
    equations = whipple_bicycle().derive("composite_body", independent=INDEPENDENT)
    _ = equations.mass_matrix, equations.bias
    return equations


def _linear(equations: Equations) -> Linear:
    return equations.linearize(upright(equations.system))


def _eigenvalues(linear: Linear) -> object:
    return [linear.eigenvalues({"v": speed}) for speed in range(6)]


def _check(linear: Linear) -> None:
    """Our state matrix of lean and steer is the one that SymPy's test compares its own with."""
    lean, steer = (linear.displacements.index(name) for name in ("lean", "steer"))
    rates = [len(linear.displacements) + linear.speeds.index(name) for name in ("lean rate", "steer")]
    by_1 = np.array([[9.48977444677355, -0.571523173729245, 0, 0], [11.7194768719633, 30.9087533932407, 0, 0]])
    by_v = np.array([[0, 0, -0.105522449805691, -0.330515398992311], [0, 0, 3.67680523332152, -3.08486552743311]])
    by_v2 = np.array([[0, -0.891197738059089, 0, 0], [0, -1.97171508499972, 0, 0]])
    for v in range(6):
        A, _ = linear.state_space({"v": v})
        if not np.allclose(A[np.ix_(rates, [lean, steer, *rates])], by_1 + v * by_v + v**2 * by_v2, 1e-12, 1e-12):
            raise PolhodeError("SymPy's bicycle and ours are not the same mechanism.", code="E-BENCH-001")
