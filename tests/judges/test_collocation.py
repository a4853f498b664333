"""Optimal control by CasADi: the same transcription has the same values, derivatives and optimum."""

import numpy as np
import pytest

pytest.importorskip("casadi")

from tests.judges.cart_pole import CartPole, bound, check_same, our_calls, problem


@pytest.mark.parametrize("dynamics", ["explicit", "implicit"])
def test_a_swing_up_of_the_cart_pole_is_that_of_casadi(dynamics: str) -> None:
    ours = problem(dynamics, nodes=21)
    theirs = CartPole(ours)
    best = ours.solve(accuracy=None)
    assert best.cost == pytest.approx(theirs.solve(), rel=1e-9)
    dice = np.random.default_rng(1)
    w = best.variables + dice.standard_normal(len(best.variables))
    multipliers = dice.standard_normal(ours.transcription.constraints)
    calls = {"CasADi": bound(theirs.functions, w, multipliers)}
    check_same(ours, theirs, our_calls(ours, w, multipliers), calls)
