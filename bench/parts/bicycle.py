"""The benchmark bicycle of Meijaard and others (2007), every parameter but the tilt of the steer axis a symbol. SymPy's
time is that of its own test of it (`physics/mechanics/tests/test_kane3.py`), which derives by Kane's method,
linearizes and compares with known numbers at six speeds; ours agree with those
(`tests/judges/test_whipple_bicycle.py`).
"""

from collections.abc import Iterator

from polhode import Equations
from polhode.linear.linear import Linear
from polhode.model.samples.vehicles import INDEPENDENT, upright, whipple_bicycle

from ..harness import Row, Say, least_times, measure, seconds_of, timing

PEERS = ("sympy",)
_CASE = "Whipple bicycle"


def rows(quick: bool, say: Say) -> Iterator[Row]:
    """To equations, to linear ones, to eigenvalues; SymPy takes minutes, and is left out of a quick run."""

    def derived() -> Equations:
        equations = whipple_bicycle().derive("composite_body", independent=INDEPENDENT)
        _ = equations.mass_matrix, equations.bias
        return equations

    def linear(equations: Equations) -> Linear:
        return equations.linearize(upright(equations.system))

    def eigenvalues() -> object:
        equations = linear(derived())
        return [equations.eigenvalues({"v": speed}) for speed in range(6)]

    measures = {"derive": measure(derived), "both": measure(lambda: linear(derived())), "all": measure(eigenvalues)}
    least = least_times(measures, 2 if quick else 7)
    yield timing(_CASE, "M and bias, rolling embedded", least["derive"], most_seconds=1.0)
    yield timing(_CASE, "linear equations from these", least["both"] - least["derive"], most_seconds=1.0)
    theirs = None
    if not quick:
        say("SymPy's own test of the bicycle, for minutes")
        from sympy.physics.mechanics.tests.test_kane3 import test_bicycle

        theirs = seconds_of(test_bicycle)
    yield timing(_CASE, "description to eigenvalues", least["all"], "SymPy KanesMethod", theirs, 100)
