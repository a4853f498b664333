"""Hamilton's equations are those of the speeds in other variables."""

from __future__ import annotations

import numpy as np
import pytest
from tests.seeds import SMALL_TREES, seeds

import polhode as ph
from polhode.dynamics.canonical import canonical, why_not_canonical
from polhode.expr import is_zero
from polhode.model.samples import four_bar
from polhode.model.samples.random_system import random_system


@pytest.mark.parametrize("seed", seeds(SMALL_TREES[:6], SMALL_TREES))
def test_momenta_move_as_mass_matrix_and_accelerations_say(seed: int) -> None:
    equations = random_system(seed, bodies=(1, 6), max_speeds=8).derive()
    if why_not_canonical(equations.record):
        pytest.skip(why_not_canonical(equations.record))
    functions, rng, n = equations.compile(), np.random.default_rng(seed), len(equations.q)
    q, u = rng.normal(size=n), rng.normal(size=len(equations.u))
    for first in equations.tree.quaternions:
        q[first : first + 4] /= np.linalg.norm(q[first : first + 4])
    tau = rng.normal(size=len(u))
    x = np.concatenate([q, functions.evaluate("canonical_momenta", q, u)])
    assert functions.evaluate("canonical_speeds", x) == pytest.approx(u, rel=1e-9, abs=1e-9)
    rates = functions.evaluate("canonical_rates", x, tau)
    assert rates[:n] == pytest.approx(functions.coordinate_rates(q, u), rel=1e-9, abs=1e-9)
    there = np.concatenate([functions.coordinate_rates(q, u), functions.forward_dynamics(q, u, tau)])
    native = functions.native("canonical_momenta")
    at = native.with_parameters(functions.parameter_values("canonical_momenta"))
    d = 1e-5
    ends = [at(q + s * d * there[:n], u + s * d * there[n:]) for s in (1, -1)]
    size = 1 + np.abs(rates).max()
    assert (ends[0] - ends[1]) / (2 * d) == pytest.approx(rates[n:], abs=2e-6 * size)


def test_momenta_that_nothing_changes_are_seen_to_be_constant() -> None:
    s = ph.System("stone", gravity=(0, 0, 0))
    s.joint("air", s.ground, s.body("stone", 1, (0.1, 0.2, 0), (1, 2, 2.5)), ph.Free())
    record = s.derive().record
    rates = canonical(record).rates
    pushed = dict.fromkeys(record.tau, 0)
    assert [is_zero(rate.subs(pushed)) for rate in rates[-3:]] == [True] * 3


def test_what_has_no_momenta_says_why() -> None:
    driven = ph.System("driven")
    swing = driven.joint("swing", driven.ground, driven.body("arm", 1, (0, 0, -1), (1, 1, 1)), ph.Revolute("y"))
    driven.joint("tip", driven.bodies["arm"].name, driven.body("bob", 1, (0, 0, -1), (1, 1, 1)), ph.Revolute("x"))
    driven.prescribe(swing, ph.sin(driven.time))
    skew = ph.System("skew")
    two_axes = ph.JointMap([[1, 0], [0, 1], [0, 0], [0, 0], [0, 0], [0, 0]])
    skew.joint("hook", skew.ground, skew.body("bob", 1, (0, 0, -1), (1, 1, 1)), two_axes)
    for system, reason in ((driven, "prescribed"), (skew, "not holonomic"), (four_bar(), "constraints")):
        assert reason in why_not_canonical(system.derive().record)
        with pytest.raises(ph.PolhodeError, match="has no canonical momenta"):
            canonical(system.derive().record)
