"""Tracking laws on random mechanisms: errors obey the equations, and Lyapunov functions the rates, that are claimed."""

from typing import Any

import pytest
from tests.seeds import SMALL_TREES, seeds

import polhode as ph
from polhode.control import ComputedTorque, PassivityBased, PDGravity
from polhode.control.lyapunov import prove
from polhode.model.samples.random_system import random_system


def holonomic(seed: int) -> tuple[ph.Equations, dict[str, Any]] | None:
    """A random tree whose every effort is a control; None where it cannot follow references in all coordinates."""
    e = random_system(seed, bodies=(1, 6), max_speeds=8).derive()
    given = {"inputs": list(map(str, e.tau))}
    try:
        ComputedTorque(e, kp=1, kd=1, **given)
    except ph.PolhodeError as error:
        assert "is nonholonomic" in str(error) or "nothing that moves" in str(error)
        return None
    return e, given


@pytest.mark.parametrize("seed", seeds((1, 47, 91), 100))
def test_laws_do_what_is_claimed_of_them_and_wrong_ones_do_not(seed: int) -> None:
    found = holonomic(seed)
    if found is None:
        return
    e, given = found
    assert ComputedTorque(e, kp=3, kd=4, **given).error_dynamics.proved
    assert PDGravity(e, kp=3, kd=4, **given).lyapunov.proved
    c = PassivityBased(e, kd=3, lambda_=4, **given)
    assert c.lyapunov.proved
    kd = c.law.parameters["kd"].symbol
    assert not prove(e, c.law.with_values({kd: -kd}), c.lyapunov.V, c.lyapunov.decrease).proved
    turned = prove(e, c.law, -c.lyapunov.V, -c.lyapunov.decrease)
    assert turned.holds and not turned.proved  # the equation is as true, and V is of the wrong sign


def test_most_mechanisms_can_follow_references() -> None:
    assert sum(holonomic(seed) is not None for seed in SMALL_TREES[::2]) >= 4
