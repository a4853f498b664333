"""The Whipple bicycle, from its description to its eigenvalues, beside SymPy's own test of the same bicycle."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from polhode import Equations
from polhode.errors import PolhodeError
from polhode.linear.linear import Linear
from polhode.model.samples.vehicles import INDEPENDENT, upright, whipple_bicycle

from .clock import least_times, seconds_of
from .table import Row, Timing

SECTION = "bicycle"
_CASE = "Whipple bicycle"


def rows(quick: bool, say: Callable[[str], None]) -> list[Row]:
    """The section's table; SymPy takes minutes, and is left out of a quick run."""
    _check_same(_linear(_derived()))
    measures = {"derive": _derivation, "linear": _linearization, "all": lambda: seconds_of(_eigenvalues)}
    least = least_times(measures, 2 if quick else 7)
    theirs = None
    if not quick:
        say("SymPy's own test of the bicycle, for minutes")
        theirs = _sympy_seconds()
    peer = "" if theirs is None else "SymPy KanesMethod"
    goal = None if theirs is None else 100.0
    return [
        Timing(SECTION, _CASE, "M and bias, rolling embedded", least["derive"], most_seconds=1.0),
        Timing(SECTION, _CASE, "linear equations from these", least["linear"], most_seconds=1.0),
        Timing(SECTION, _CASE, "description to eigenvalues", least["all"], peer, theirs, least_ratio=goal),
    ]


def _derived() -> Equations:
    equations = whipple_bicycle().derive("composite_body", independent=INDEPENDENT)
    _ = equations.mass_matrix, equations.bias
    return equations


def _linear(equations: Equations) -> Linear:
    return equations.linearize(upright(equations.system))


def _eigenvalues() -> object:
    linear = _linear(_derived())
    return [linear.eigenvalues({"v": speed}) for speed in range(6)]


def _derivation() -> float:
    return seconds_of(_derived)


def _linearization() -> float:
    equations = _derived()
    return seconds_of(lambda: _linear(equations))


def _sympy_seconds() -> float:
    """SymPy derives, linearizes and puts in numbers at six speeds; it compares them with known ones itself."""
    from sympy.physics.mechanics.tests.test_kane3 import test_bicycle

    return seconds_of(test_bicycle)


def _check_same(linear: Linear) -> None:
    """Our state matrix of lean and steer is the one that SymPy's test compares its own with."""
    lean, steer = (linear.displacements.index(name) for name in ("lean", "steer"))
    after = len(linear.displacements)
    lean_rate, steer_rate = (after + linear.speeds.index(name) for name in ("lean rate", "steer"))
    for v in range(6):
        A, _ = linear.state_space({"v": v})
        ours = A[np.ix_([lean_rate, steer_rate], [lean, steer, lean_rate, steer_rate])]
        theirs = [
            [
                9.48977444677355,
                -0.891197738059089 * v**2 - 0.571523173729245,
                -0.105522449805691 * v,
                -0.330515398992311 * v,
            ],
            [
                11.7194768719633,
                -1.97171508499972 * v**2 + 30.9087533932407,
                3.67680523332152 * v,
                -3.08486552743311 * v,
            ],
        ]
        if not np.allclose(ours, theirs, rtol=1e-12, atol=1e-12):
            raise PolhodeError("SymPy's bicycle and ours are not the same mechanism.", code="E-BENCH-002")
